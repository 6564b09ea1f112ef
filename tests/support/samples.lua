-- Generated inputs, the same on every machine, and a reference's results for them. They are made without collections:
-- only ops are tested under the aggressive collector.
local collector = require "collector"

local samples = {}

local limits = {
  int8 = { -128, 127 }, uint8 = { 0, 255 }, int16 = { -32768, 32767 }, int32 = { -2147483648, 2147483647 },
  int64 = { math.mininteger, math.maxinteger },
}
local significant_bits = { float16 = 11, bfloat16 = 8 }

-- Knuth's 64-bit linear congruential generator; its high bits as a number in [0, 1).
local function generator(seed)
  local state = seed * 2862933555777941757 + 3037000493
  return function()
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 11) * 2.0 ^ -53
  end
end

-- The nearest value that the dtype has, so that the reference sees what the op sees.
local function representable(value, dtype)
  if dtype == "float32" then return (string.unpack("<f", string.pack("<f", value))) end
  local bits = significant_bits[dtype]
  if not bits or value == 0 then return value end
  local unit = 2.0 ^ (math.floor(math.log(math.abs(value), 2)) - bits + 1)
  return math.floor(value / unit + 0.5) * unit
end

local function values_of(count, dtype, low, high, seed)
  local draw, values = generator(seed), {}
  local range = limits[dtype]
  if range then
    low = math.max(math.ceil(low), range[1])
    high = math.min(math.floor(high), range[2])
    assert(low <= high, "the domain has no " .. dtype)
  end
  for i = 1, count do
    if dtype == "bool" then
      values[i] = draw() < 0.5
    elseif range then
      values[i] = low + math.tointeger(draw() * (high - low + 1) // 1)
    else
      values[i] = representable(low + draw() * (high - low), dtype)
    end
  end
  return values
end

-- `count` values of the dtype in [low, high]; integers for integer dtypes, booleans for bool.
function samples.values(...) return collector.in_peace(values_of, ...) end

function samples.size(shape)
  local size = 1
  for i = 1, #shape do size = size * shape[i] end
  return size
end

local function nested(values, shape)
  local at = 0
  local function level(axis)
    if axis > #shape then
      at = at + 1
      return values[at]
    end
    local list = {}
    for i = 1, shape[axis] do list[i] = level(axis + 1) end
    return list
  end
  return level(1)
end

-- Row-major values as nested tables.
function samples.nest(values, shape) return collector.in_peace(nested, values, shape) end

-- A tensor of this literal in the scope's device. A literal cannot show every shape without elements; zeros can.
function samples.tensor(literal, shape, dtype)
  if samples.size(shape) == 0 then return lt.zeros(shape, { dtype = dtype }) end
  return lt.constant(literal, { dtype = dtype })
end

-- NumPy's rule: aligned at the last axis, an axis of 1 stretches.
function samples.broadcast(shapes)
  local rank = 0
  for _, shape in ipairs(shapes) do rank = math.max(rank, #shape) end
  local result = {}
  for axis = 1, rank do
    result[axis] = 1
    for _, shape in ipairs(shapes) do
      local size = shape[axis - rank + #shape]
      if size and size ~= 1 then
        assert(result[axis] == 1 or result[axis] == size, "the samples' shapes do not broadcast")
        result[axis] = size
      end
    end
  end
  return result
end

-- reference(x[i], y[i], ...) for every element of the broadcast shape, in row-major order.
function samples.evaluate(reference, inputs, shapes, shape)
  local rank, size, results = #shape, samples.size(shape), {}
  local strides = {}
  for k, input_shape in ipairs(shapes) do
    strides[k] = {}
    local stride = 1
    for axis = rank, 1, -1 do
      local extent = input_shape[axis - rank + #input_shape]
      strides[k][axis] = (extent and extent ~= 1) and stride or 0
      stride = stride * (extent or 1)
    end
  end
  local arguments = {}
  for i = 0, size - 1 do
    for k, input in ipairs(inputs) do
      local rest, offset = i, 0
      for axis = rank, 1, -1 do
        offset = offset + rest % shape[axis] * strides[k][axis]
        rest = rest // shape[axis]
      end
      arguments[k] = input[offset + 1]
    end
    results[i + 1] = reference(table.unpack(arguments, 1, #inputs))
  end
  return results
end

-- The spec's samples, ready to run: a list of {what, dtype, inputs, shapes, shape, wanted}.
function samples.cases(form)
  local count = debug.getinfo(form.reference, "u").nparams
  assert(count > 0, "the reference takes no arguments")
  local domain = form.domain or { -3, 3 }
  local cases = {}
  for _, dtype in ipairs(form.dtypes or { "float32", "float64" }) do
    for number, sample in ipairs(form.samples) do
      local case = { what = ("sample %d %s"):format(number, dtype), dtype = dtype, inputs = {}, shapes = {} }
      local each = type(sample[1]) == "table"
      assert(not each or #sample == count, "a sample needs one shape an input of the reference")
      for k = 1, count do
        local bounds = type(domain[1]) == "table" and assert(domain[k], "domain needs a pair an input") or domain
        case.shapes[k] = each and sample[k] or sample
        case.inputs[k] = samples.values(samples.size(case.shapes[k]), dtype, bounds[1], bounds[2], number * 97 + k)
      end
      case.shape = samples.broadcast(case.shapes)
      case.wanted = samples.evaluate(form.reference, case.inputs, case.shapes, case.shape)
      cases[#cases + 1] = case
    end
  end
  return cases
end

return samples
