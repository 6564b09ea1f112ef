-- Convolutions and pools along one and three axes, by those of two; and pools whose results have a given size.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local windows = {}

local kSequence, kVolume = "(batch, steps, channels)", "(batch, depth, height, width, channels)"

-- "valid", "same", or numbers of elements on both sides of each axis.
local function read_padding(who, padding, n)
  if padding == "valid" or padding == "same" then return padding end
  if type(padding) == "string" then
    tools.fail("InvalidArgument", ("%s: padding is \"%s\", expected \"valid\", \"same\" or %s"):format(who, options.quoted(padding),
      n == 1 and "a number" or ("a list of %d numbers"):format(n)))
  end
  return arguments.sizes(who, "padding", padding, n, 0)
end

-- {1, ...} of an option for two axes.
local function flat(value) return type(value) == "table" and { 0, value[1] } or value end

-- conv1d(x, w[, {stride, padding, dilation, groups}])
function windows.conv1d(x, w, given)
  local who = "conv1d"
  x, w = arguments.tensor(who, "x", x, 3, kSequence), arguments.tensor(who, "w", w, 3, "(steps, channels / groups, out)")
  local read = options.read(who, given, { stride = 1, padding = "valid", dilation = 1, groups = 1 })
  local stride, dilation = arguments.sizes(who, "stride", read.stride, 1, 1), arguments.sizes(who, "dilation", read.dilation, 1, 1)
  local y = lutra.conv2d(lutra.expand_dims(x, 2), lutra.expand_dims(w, 1), {
    stride = { 1, stride[1] }, dilation = { 1, dilation[1] }, groups = options.count(who, "groups", read.groups, 1),
    padding = flat(read_padding(who, read.padding, 1)),
  })
  return lutra.squeeze(y, 2)
end

-- Zeros around the depth of a volume, for windows of `size` elements. Returns x and the number of results.
local function with_borders(who, x, size, stride, dilation, padding)
  local depth, span = x.shape[2], (size - 1) * dilation + 1
  local before, after = 0, 0
  if padding == "same" then
    local all = math.max(((depth + stride - 1) // stride - 1) * stride + span - depth, 0)
    before, after = all // 2, all - all // 2
  elseif padding ~= "valid" then
    before, after = padding[1], padding[1]
  end
  local count = (depth + before + after - span) // stride + 1
  if depth + before + after < span then
    tools.fail("InvalidArgument", ("%s: the window has %d elements along the depth, more than the %d of x%s"):format(who, span,
      depth + before + after, before + after > 0 and " with its padding" or ""))
  end
  if before + after > 0 then x = lutra.pad(x, { { 0, 0 }, { before, after }, { 0, 0 }, { 0, 0 }, { 0, 0 } }) end
  return x, count
end
local function rest_of(padding) return type(padding) == "table" and { padding[2], padding[3] } or padding end

-- conv3d(x, w[, {stride, padding, dilation, groups}]): the sum of convolutions of the depth's slices.
function windows.conv3d(x, w, given)
  local who = "conv3d"
  x = arguments.tensor(who, "x", x, 5, kVolume)
  w = arguments.tensor(who, "w", w, 5, "(depth, height, width, channels / groups, out)")
  local read = options.read(who, given, { stride = 1, padding = "valid", dilation = 1, groups = 1 })
  local stride, dilation = arguments.sizes(who, "stride", read.stride, 3, 1), arguments.sizes(who, "dilation", read.dilation, 3, 1)
  local padding, groups = read_padding(who, read.padding, 3), options.count(who, "groups", read.groups, 1)
  if w.shape[1] == 0 then tools.fail("InvalidArgument", ("%s: w has the shape %s, without depth"):format(who, tostring(w.shape))) end
  local count
  x, count = with_borders(who, x, w.shape[1], stride[1], dilation[1], padding)
  local n, _, height, width, channels = table.unpack(x.shape)
  local y
  for z = 1, w.shape[1] do
    local first = (z - 1) * dilation[1] + 1
    local slices = x[{ {}, { first, first + (count - 1) * stride[1], stride[1] } }]:reshape { n * count, height, width, channels }
    local part = lutra.conv2d(slices, w[z], {
      stride = { stride[2], stride[3] }, dilation = { dilation[2], dilation[3] }, groups = groups, padding = rest_of(padding),
    })
    y = y and y + part or part
  end
  return y:reshape { n, count, table.unpack(y.shape, 2) }
end

-- The window, its steps and the padding of a pool along n axes.
local function read_pool(who, size, given, n)
  local read = options.read(who, given, { stride = false, padding = "valid" })
  size = arguments.sizes(who, "size", size, n, 1)
  return size, read.stride and arguments.sizes(who, "stride", read.stride, n, 1) or size, read_padding(who, read.padding, n)
end

local function pool1d(who, pool)
  return function(x, size, given)
    x = arguments.tensor(who, "x", x, 3, kSequence)
    local window, stride, padding = read_pool(who, size, given, 1)
    return lutra.squeeze(pool(lutra.expand_dims(x, 2), { 1, window[1] }, { stride = { 1, stride[1] }, padding = flat(padding) }), 2)
  end
end
-- Pools of height and width, then of the depth. Means: the number of elements in a window is a product, too.
local function pool3d(who, pool)
  return function(x, size, given)
    x = arguments.tensor(who, "x", x, 5, kVolume)
    local window, stride, padding = read_pool(who, size, given, 3)
    local n, depth, height, width, channels = table.unpack(x.shape)
    local y = pool(x:reshape { n * depth, height, width, channels }, { window[2], window[3] },
      { stride = { stride[2], stride[3] }, padding = rest_of(padding) })
    local new_height, new_width = y.shape[2], y.shape[3]
    y = pool(y:reshape { n, depth, new_height * new_width, channels }, { window[1], 1 },
      { stride = { stride[1], 1 }, padding = type(padding) == "table" and { padding[1], 0 } or padding })
    return y:reshape { n, y.shape[2], new_height, new_width, channels }
  end
end
windows.max_pool1d, windows.avg_pool1d = pool1d("max_pool1d", lutra.max_pool2d), pool1d("avg_pool1d", lutra.avg_pool2d)
windows.max_pool3d, windows.avg_pool3d = pool3d("max_pool3d", lutra.max_pool2d), pool3d("avg_pool3d", lutra.avg_pool2d)

-- One axis in `count` parts, as PyTorch cuts it: element i is of floor(i n / count) to ceil((i + 1) n / count).
local function pooled(who, x, axis, count, reduce)
  local size = x.shape[axis]
  if size == count then return x end
  if size % count == 0 then
    local shape = { table.unpack(x.shape) }
    shape[axis] = count
    table.insert(shape, axis + 1, size // count)
    return reduce(x:reshape(shape), axis + 1)
  end
  -- A part of less than one element reaches into two at most.
  if count > size then
    options.require_memory(who, x.device, { 4, count }, "int64")
    local place = lutra.device(x.device, lutra.range, 0, count, { dtype = "int64" })
    local first, behind = place * size // count + 1, ((place + 1) * size + (count - 1)) // count
    return reduce(lutra.stack({ lutra.gather(x, first, axis), lutra.gather(x, behind, axis) }, 1), 1)
  end
  local key, parts = {}, {}
  for k = 1, x.rank do key[k] = {} end
  for i = 0, count - 1 do
    key[axis] = { i * size // count + 1, -(-(i + 1) * size // count) }
    parts[i + 1] = reduce(x[key], axis)
  end
  return lutra.stack(parts, axis)
end
local function adaptive(who, axes, form, reduce)
  return function(x, size, given)
    options.read(who, given, {})
    x = arguments.tensor(who, "x", x, axes + 2, form)
    local sizes = arguments.sizes(who, "size", size, axes, 1)
    for k = 1, axes do
      if x.shape[k + 1] == 0 then tools.fail("InvalidArgument", ("%s: x has the shape %s, without an element"):format(who, tostring(x.shape))) end
      x = pooled(who, x, k + 1, sizes[k], reduce)
    end
    return x
  end
end
local forms = { kSequence, "(batch, height, width, channels)", kVolume }
for axes = 1, 3 do
  for kind, reduce in pairs { avg = lutra.mean, max = lutra.max } do
    local name = ("adaptive_%s_pool%dd"):format(kind, axes)
    windows[name] = adaptive(name, axes, forms[axes], reduce)
  end
end

local with_format = use "functions.channels_first".with_format
for name, f in pairs(windows) do
  windows[name] = options.bounded(name, 3, with_format(name, tonumber(name:match "(%d)d$"), f), true)
end

return windows
