-- Windows of images side by side, and channels as places.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local arranging = {}

local kImages = "(batch, height, width, channels)"

-- Sizes and steps of windows, and the zeros around: {before, after} of height and width.
local function read_windows(who, given, size, height, width)
  local read = options.read(who, given, { stride = 1, padding = "valid", dilation = 1 })
  local told = {
    size = arguments.sizes(who, "size", size, 2, 1), stride = arguments.sizes(who, "stride", read.stride, 2, 1),
    dilation = arguments.sizes(who, "dilation", read.dilation, 2, 1), borders = {}, count = {}, all = {},
  }
  for k, length in ipairs { height, width } do
    local span = (told.size[k] - 1) * told.dilation[k] + 1
    local before, after = 0, 0
    if read.padding == "same" then
      local all = math.max(((length + told.stride[k] - 1) // told.stride[k] - 1) * told.stride[k] + span - length, 0)
      before, after = all // 2, all - all // 2
    elseif type(read.padding) ~= "string" then
      before = arguments.sizes(who, "padding", read.padding, 2, 0)[k]
      after = before
    elseif read.padding ~= "valid" then
      tools.fail("InvalidArgument", ("%s: padding is \"%s\", expected \"valid\", \"same\" or {height, width}"):format(who,
        options.quoted(read.padding)))
    end
    told.borders[k], told.all[k] = { before, after }, length + before + after
    told.count[k] = (told.all[k] - span) // told.stride[k] + 1
    if told.all[k] < span then
      tools.fail("InvalidArgument", ("%s: the window has %d elements along the %s, more than the %d of the padded images"):format(who,
        span, k == 1 and "height" or "width", told.all[k]))
    end
  end
  return told
end

-- The first and last place of element (i, j) of all windows.
local function places(told, k, i)
  local first = (i - 1) * told.dilation[k] + 1
  return { first, first + (told.count[k] - 1) * told.stride[k], told.stride[k] }
end

-- unfold(x, size[, {stride, padding, dilation}]): {batch, rows, columns, height width channels of a window}.
function arranging.unfold(x, size, given)
  x = arguments.tensor("unfold", "x", x, 4, kImages)
  local told = read_windows("unfold", given, size, x.shape[2], x.shape[3])
  x = lutra.pad(x, { { 0, 0 }, told.borders[1], told.borders[2], { 0, 0 } })
  local parts = {}
  for i = 1, told.size[1] do
    for j = 1, told.size[2] do parts[#parts + 1] = x[{ {}, places(told, 1, i), places(told, 2, j) }] end
  end
  return lutra.concat(parts, 4)
end

-- Elements `step` apart along an axis, with zeros between and behind them: `step` times as many.
local function spread(x, axis, step)
  if step == 1 then return x end
  local shape, borders = { table.unpack(x.shape) }, {}
  table.insert(shape, axis + 1, 1)
  for k = 1, #shape do borders[k] = { 0, k == axis + 1 and step - 1 or 0 } end
  local y = lutra.pad(x:reshape(shape), borders)
  shape[axis] = shape[axis] * step
  table.remove(shape, axis + 1)
  return y:reshape(shape)
end

-- fold(patches, {height, width}, size[, {stride, padding, dilation}]): the sum of windows at their places.
function arranging.fold(patches, output_size, size, given)
  patches = arguments.tensor("fold", "patches", patches, 4, "(batch, rows, columns, elements of a window)")
  local output = arguments.sizes("fold", "output_size", output_size, 2, 1)
  local told = read_windows("fold", given, size, output[1], output[2])
  local elements = told.size[1] * told.size[2]
  if patches.shape[2] ~= told.count[1] or patches.shape[3] ~= told.count[2] or patches.shape[4] % elements ~= 0 then
    tools.fail("InvalidArgument", ("fold: patches have the shape %s, expected (%d, %d, %d, a multiple of %d)"):format(
      tostring(patches.shape), patches.shape[1], told.count[1], told.count[2], elements))
  end
  local parts, sum, n = lutra.split(patches, elements, 4), nil, 0
  for i = 1, told.size[1] do
    for j = 1, told.size[2] do
      n = n + 1
      local part = spread(spread(parts[n], 2, told.stride[1]), 3, told.stride[2])
      local borders, key = { { 0, 0 }, {}, {}, { 0, 0 } }, { {}, {}, {} }
      for k, at in ipairs { i, j } do
        local first = (at - 1) * told.dilation[k]
        local after = told.all[k] - first - part.shape[k + 1]
        borders[k + 1], key[k + 1] = { first, math.max(after, 0) }, { 1, told.all[k] }
      end
      part = lutra.pad(part, borders)[key]
      sum = sum and sum + part or part
    end
  end
  local top, left = told.borders[1][1], told.borders[2][1]
  return sum[{ {}, { top + 1, top + output[1] }, { left + 1, left + output[2] } }]
end

local function read_block(who, x, block)
  return arguments.tensor(who, "x", x, 4, kImages), options.count(who, "block_size", block, 1, options.kMostSize)
end
local function refuse_channels(who, x, block)
  tools.fail("InvalidArgument", ("%s: %d channels are no multiple of block_size^2, %d"):format(who, x.shape[4], block * block))
end
local function refuse_sides(who, x, block)
  tools.fail("InvalidArgument", ("%s: an image of %d x %d is no multiple of block_size, %d"):format(who, x.shape[2], x.shape[3], block))
end

-- Channels in the order of TensorFlow, {row, column, channel} of a block, or of PyTorch, {channel, row, column}.
local function to_space(who, x, block, is_torch)
  x, block = read_block(who, x, block)
  local n, height, width, channels = table.unpack(x.shape)
  if channels % (block * block) ~= 0 then refuse_channels(who, x, block) end
  local rest = channels // (block * block)
  local parts
  if is_torch then
    parts = lutra.transpose(x:reshape { n, height, width, rest, block, block }, { 1, 2, 5, 3, 6, 4 })
  else
    parts = lutra.transpose(x:reshape { n, height, width, block, block, rest }, { 1, 2, 4, 3, 5, 6 })
  end
  return parts:reshape { n, height * block, width * block, rest }
end
local function to_depth(who, x, block, is_torch)
  x, block = read_block(who, x, block)
  local n, height, width, channels = table.unpack(x.shape)
  if height % block ~= 0 or width % block ~= 0 then refuse_sides(who, x, block) end
  local parts = x:reshape { n, height // block, block, width // block, block, channels }
  parts = lutra.transpose(parts, is_torch and { 1, 2, 4, 6, 3, 5 } or { 1, 2, 4, 3, 5, 6 })
  return parts:reshape { n, height // block, width // block, channels * block * block }
end
function arranging.depth_to_space(x, block_size) return to_space("depth_to_space", x, block_size, false) end
function arranging.space_to_depth(x, block_size) return to_depth("space_to_depth", x, block_size, false) end
function arranging.pixel_shuffle(x, block_size) return to_space("pixel_shuffle", x, block_size, true) end
function arranging.pixel_unshuffle(x, block_size) return to_depth("pixel_unshuffle", x, block_size, true) end

for name, count in pairs { unfold = 3, fold = 4, depth_to_space = 2, space_to_depth = 2, pixel_shuffle = 2, pixel_unshuffle = 2 } do
  arranging[name] = options.bounded(name, count, arranging[name], true)
end

return arranging
