-- The weights of a resized axis: for each new place the old places that count there, and how much. Centres of elements
-- are at 1/2, 3/2, ... (half-pixel centres), as in TensorFlow 2, PyTorch and Pillow.
local lutra = ...

-- Kernels by distance, and the distance from which they are 0.
local kernels = {
  bilinear = { 1, function(x) return math.max(1 - x, 0) end },
  -- Keys, 1981, with a = -1/2.
  bicubic = { 2, function(x)
    if x < 1 then return (1.5 * x - 2.5) * x * x + 1 end
    return x < 2 and ((-0.5 * x + 2.5) * x - 4) * x + 2 or 0
  end },
  mitchellcubic = { 2, function(x)
    if x < 1 then return ((7 * x - 12) * x * x + 16 / 3) / 6 end
    return x < 2 and (((-7 / 3 * x + 12) * x - 20) * x + 32 / 3) / 6 or 0
  end },
  gaussian = { 1.5, function(x) return x < 1.5 and math.exp(-2 * x * x) or 0 end },
}
for size = 3, 5, 2 do
  kernels["lanczos" .. size] = { size, function(x)
    if x >= size then return 0 end
    if x < 1e-8 then return 1 end
    local angle = math.pi * x
    return size * math.sin(angle) * math.sin(angle / size) / (angle * angle)
  end }
end

-- The old places from `first` on with their weights, which add up to 1.
local function kernel_row(kernel, at, scale, count)
  local radius, f = kernel[1] * scale, kernel[2]
  local centre = at
  local from, to = math.max(math.ceil(centre - radius - 0.5), 0), math.min(math.floor(centre + radius - 0.5), count - 1)
  local row, sum = {}, 0
  for i = from, to do
    local weight = f(math.abs(i + 0.5 - centre) / scale)
    row[#row + 1], sum = weight, sum + weight
  end
  if #row == 0 or sum == 0 then return math.min(math.max(math.floor(centre), 0), count - 1), { 1 } end
  for i = 1, #row do row[i] = row[i] / sum end
  return from, row
end

-- Old elements count as much as they overlap the new one.
local function area_row(at, count, ratio)
  local low, high = at * ratio, (at + 1) * ratio
  local from, to = math.floor(low), math.min(math.ceil(high), count) - 1
  local row = {}
  for i = from, to do row[#row + 1] = (math.min(i + 1, high) - math.max(i, low)) / ratio end
  return from, row
end

-- For each of `to` new places the first old place, from 0, and the list of weights from there on; and the longest list.
return function(from, to, method, antialias)
  local firsts, rows, longest = {}, {}, 1
  local ratio = from / to
  for i = 0, to - 1 do
    local first, row
    if method == "nearest" then
      first, row = math.min(math.floor((i + 0.5) * ratio), from - 1), { 1 }
    elseif method == "area" then
      first, row = area_row(i, from, ratio)
    else
      first, row = kernel_row(kernels[method], (i + 0.5) * ratio, antialias and math.max(ratio, 1) or 1, from)
    end
    firsts[i + 1], rows[i + 1], longest = first, row, math.max(longest, #row)
  end
  return firsts, rows, longest
end
