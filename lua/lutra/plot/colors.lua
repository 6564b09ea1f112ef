-- Colours: of series in files, of numbers in heat maps.
local colors = {}

-- The palette of Okabe and Ito (2008), which colour-blind readers can tell apart, without its yellow, too light for
-- lines on white.
colors.series = {
  { 0, 114, 178 }, { 213, 94, 0 }, { 0, 158, 115 }, { 204, 121, 167 }, { 230, 159, 0 }, { 86, 180, 233 },
  { 60, 60, 60 },
}
function colors.of_series(i) return colors.series[(i - 1) % #colors.series + 1] end

-- Ten colours of viridis (van der Walt and Smith 2015, CC0), which grows evenly lighter; those between are mixed.
local viridis = {
  { 68, 1, 84 }, { 72, 40, 120 }, { 62, 74, 137 }, { 49, 104, 142 }, { 38, 130, 142 }, { 31, 158, 137 },
  { 53, 183, 121 },
  { 109, 205, 89 }, { 180, 222, 44 }, { 253, 231, 37 },
}

-- Red, green and blue, 0 to 255, of a share from 0 to 1.
function colors.of_share(share)
  local at = share * (#viridis - 1)
  local below = math.min(math.floor(at), #viridis - 2)
  local low, high, rest = viridis[below + 1], viridis[below + 2], at - below
  local function mixed(k) return math.floor(low[k] + (high[k] - low[k]) * rest + 0.5) end
  return mixed(1), mixed(2), mixed(3)
end

-- What a number that is nan or infinite looks like in a heat map of a file.
colors.none = { 225, 225, 225 }

return colors
