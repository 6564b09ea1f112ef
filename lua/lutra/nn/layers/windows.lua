-- The base of layers that move windows over sequences, {steps, channels}, and images, {height, width, channels}.
-- Operations know only images: a sequence is an image of height 1.
local lutra, tools, use = ...
local options = use "options"

local windows = { paddings = { valid = "valid", same = "same" } }

-- Reads one number per axis, at least `least` (default 1): one number for all axes, or a list.
function windows.numbers(who, name, value, axes, least)
  local words = ({ "", " or two", " or three" })[axes]
  if type(value) ~= "table" and type(value) ~= "number" then
    tools.fail("InvalidArgument",
      ("%s: %s is %s, expected one number%s"):format(who, name, tools.what_is(value), words))
  end
  local is_list, numbers = type(value) == "table", {}
  if is_list and #value ~= axes then
    tools.fail("InvalidArgument", ("%s: %s has %d numbers, expected one%s"):format(who, name, #value, words))
  end
  for axis = 1, axes do numbers[axis] = options.count(who, name, is_list and value[axis] or value, least or 1) end
  return numbers
end

local function require_rank(layer, shape, axes)
  if #shape == axes + 1 and type(shape[1]) ~= "table" then return end
  local wanted = ({ "(steps, channels)", "(height, width, channels)", "(depth, height, width, channels)" })[axes]
  layer:refuse("its input has the shape %s, expected %s",
    (type(shape[1]) == "table" and options.batch_text or options.shape_text)(shape),
    wanted)
end
windows.require_rank = require_rank

-- The number of positions of a window of `size` along an axis.
local function places(length, size, stride, padding)
  if length == -1 then return -1 end
  if padding ~= "valid" then return (length + stride - 1) // stride end
  return (length - size) // stride + 1
end

-- The output shape of a row for a layer's window of these sizes, with so many channels.
function windows.output_shape(layer, shape, window, channels)
  require_rank(layer, shape, #window)
  local out = {}
  for axis, size in ipairs(window) do
    out[axis] = places(shape[axis], size, layer.strides[axis], layer.padding)
    if out[axis] < 1 and shape[axis] ~= -1 and layer.padding == "valid" then
      layer:refuse("its input has the shape %s, which is smaller than its window of %s", options.shape_text(shape),
        table.concat(window, " x "))
    end
  end
  out[#out + 1] = channels
  return out
end

-- Reads what a transposed convolution adds to its result along each axis: less than the stride there.
function windows.output_padding(kind, numbers, strides)
  for axis, size in ipairs(numbers) do
    if size >= strides[axis] then
      tools.fail("InvalidArgument",
        ("%s: output_padding is %d, and strides %d: expected less than that"):format(kind, size, strides[axis]))
    end
  end
  return numbers
end

-- The size of a transposed convolution's result along an axis. A convolution would map several sizes to the input's size;
-- this is the chosen one.
function windows.transposed_size(layer, axis, size)
  local stride, reach, more = layer.strides[axis], layer:window()[axis], layer.output_padding and layer.output_padding[axis]
  if layer.padding == "same" then
    return more and size > 0 and (size - 1) * stride + reach % 2 + more or size * stride
  end
  return (size - 1) * stride + reach + (more or math.max(stride - reach, 0))
end

-- The output shape of a row for a transposed convolution of so many axes.
function windows.transposed_shape(layer, shape, axes)
  require_rank(layer, shape, axes)
  local out = {}
  for axis = 1, axes do out[axis] = shape[axis] == -1 and -1 or windows.transposed_size(layer, axis, shape[axis]) end
  out[axes + 1] = layer.filters
  return out
end

-- Converts sizes or a shape to those of an image; and a sequence, and its result back.
function windows.for_image(sizes, axes) return axes == 1 and { 1, table.unpack(sizes) } or sizes end
function windows.to_image(x, axes) return axes == 1 and lutra.expand_dims(x, 2) or x end
function windows.from_image(y, axes) return axes == 1 and lutra.squeeze(y, 2) or y end

return windows
