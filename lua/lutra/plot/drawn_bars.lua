-- Bars in a terminal: one line each, to the right of their labels.
local lutra, tools, use = ...
local scale, words, screen, frame = use "plot.scale", use "plot.words", use "plot.screen", use "plot.frame"

local kMost = 100
-- Blocks that fill one to seven eighths of a character from the left.
local eighths = { "▏", "▎", "▍", "▌", "▋", "▊", "▉" }
local fills = { [false] = { "█", "▒", "▓", "░" }, [true] = { "#", "=", "+", "-" } }

local function fill_of(shown, series)
  local list = fills[shown.is_ascii]
  return list[(shown.has_colors and 0 or series - 1) % #list + 1]
end

-- A bar from `zero` to `to`, places in columns from 0 on.
local function bar_text(shown, series, zero, to, is_exact)
  local fill = fill_of(shown, series)
  if to < zero then
    local from = math.floor(to + 0.5)
    local cells = math.floor(zero + 0.5) - from
    return (" "):rep(from) .. screen.paint(shown, series, fill:rep(cells))
  end
  local first = math.floor(zero + 0.5)
  local length = to - first
  local cells = is_exact and math.floor(length + 1 / 16) or math.floor(length + 0.5)
  local eighth = is_exact and math.floor((length - cells) * 8 + 0.5) or 0
  return (" "):rep(first) .. screen.paint(shown, series, fill:rep(math.max(cells, 0)) .. (eighths[eighth] or ""))
end

local function legend_of(chart, shown)
  if not chart.series[1] or not chart.series[1].name then return {} end
  local out = {}
  for i, series in ipairs(chart.series) do
    out[i] = screen.paint(shown, i, fill_of(shown, i)) .. " " .. words.clean(series.name, shown.is_ascii)
  end
  return { table.concat(out, "   ") }
end

return function(chart, shown)
  local width, value_width, labels, texts = 0, 1, {}, {}
  for c, name in ipairs(chart.categories) do
    labels[c] = words.cut(words.clean(name, shown.is_ascii), math.max(shown.columns // 3, 4), shown.is_ascii)
    width = math.max(width, words.width(labels[c]))
    for i, series in ipairs(chart.series) do
      texts[i] = texts[i] or {}
      texts[i][c] = series.values[c] and scale.number(series.values[c]) or ""
      value_width = math.max(value_width, #texts[i][c])
    end
  end
  local left = width + 2
  local room = math.max(shown.columns - left - value_width - 1, 4)
  local low, high = chart.y_limits[1], chart.y_limits[2]
  local zero = scale.share(0, low, high) * room
  local axis, out, drawn = shown.is_ascii and "|" or "┤", {}, 0
  local above, below = frame.around(chart, shown, left, room, legend_of(chart, shown))
  for c, label in ipairs(labels) do
    for i, series in ipairs(chart.series) do
      local value = series.values[c]
      if value and drawn < kMost then
        drawn = drawn + 1
        local bar = bar_text(shown, i, zero, scale.share(value, low, high) * room,
          not shown.is_ascii and fill_of(shown, i) == "█")
        out[#out + 1] = words.right(label, width) .. " " .. axis .. bar .. " " .. texts[i][c]
        label = ""
      elseif value then
        drawn = drawn + 1
      end
    end
  end
  if drawn > kMost then out[#out + 1] = ("... and %d more bars"):format(drawn - kMost) end
  table.move(out, 1, #out, #above + 1, above)
  return table.concat(table.move(below, 1, #below, #above + 1, above), "\n")
end
