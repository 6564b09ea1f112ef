-- Layers that scale their input: by constants, by statistics of the data, to a length; and Identity. Loaded when one is
-- named.
local lutra, tools, use = ...
local options, define = use "options", use "nn.layers.define_layer"

local made = {}

local function add(kind, Made)
  Made.takes_one, Made.supports_masking = true, true
  function Made:compute_output_shape(shape) return shape end
  made[kind] = Made
  return Made
end

local Identity = add("Identity", define("Identity", {}, 0))
function Identity:call(x) return x end

-- x scale + offset: numbers, or one for each channel.
local function numbers(kind, name, value)
  if type(value) == "number" then return value end
  if type(value) ~= "table" and not tools.is_tensor(value) then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number or a list of them"):format(kind, name, tools.what_is(value)))
  end
  return value
end
local Rescaling = add("Rescaling", define("Rescaling", { offset = 0.0 }, 1, function(self, read, scale)
  rawset(self, "scale", numbers("Rescaling", "scale", scale))
  rawset(self, "offset", numbers("Rescaling", "offset", read.offset))
end))
local function as_tensor(value, x)
  if type(value) ~= "table" then return value end
  return lutra.device(x.device, lutra.constant, value, { dtype = x.dtype })
end
function Rescaling:call(x)
  x = options.as_float(x, self.kind, "x")
  return x * as_tensor(self.scale, x) + as_tensor(self.offset, x)
end

-- Divides by the root of the mean square over the axis, and multiplies with a learned scale (Zhang and Sennrich, 2019).
local RMSNormalization = add("RMSNormalization", define("RMSNormalization", { epsilon = 1e-6 }, 0, function(self, read)
  self.epsilon = options.number("RMSNormalization", "epsilon", read.epsilon, 0)
end))
RMSNormalization.needs_float32 = true
function RMSNormalization:build(shape)
  if #shape == 0 then self:refuse("its input has no axis but the batch, expected (..., features)") end
  self.scale = self:add_weight { name = "scale", shape = { shape[#shape] }, initializer = "ones" }
end
function RMSNormalization:call(x)
  local length = lutra.norm(x, -1, { keepdims = true })
  return x * lutra.rsqrt(length * length / x.shape[x.rank] + self.epsilon) * self.scale
end
use "nn.layers.channel_order".axis { RMSNormalization }

-- Rows of length 1 along the axis, which counts the batch as the first.
local UnitNormalization = add("UnitNormalization", define("UnitNormalization", { axis = -1 }, 0, function(self, read)
  self.axis = read.axis
end))
function UnitNormalization:call(x) return lutra.l2_normalize(x, self.axis) end

-- Mean 0 and variance 1 of each feature of the data that adapt has seen, or by given means and variances. Features are
-- the places along `axis`, one or several, which count the batch as the first; without one, all numbers are one feature.
local Normalization = add("Normalization", define("Normalization",
  { mean = false, variance = false, invert = false, axis = -1 }, 0, function(self, read)
    self.invert = options.boolean("Normalization", "invert", read.invert)
    if not read.mean ~= not read.variance then
      tools.fail("InvalidArgument", "Normalization: one of mean and variance is given, expected both or none")
    end
    rawset(self, "given", read.mean and {
      numbers("Normalization", "mean", read.mean), numbers("Normalization", "variance", read.variance),
    } or nil)
    local list = type(read.axis) == "table" and read.axis or read.axis and { read.axis } or {}
    local axes = {}
    for i, axis in ipairs(list) do axes[i] = options.whole("Normalization", "axis", axis) end
    rawset(self, "axes", axes)
  end))

-- The features' axes in order, and the others, from 1 on, of `rank` axes with the batch.
local function features_of(self, rank)
  local kept, others, is_kept = {}, {}, {}
  for _, axis in ipairs(self.axes) do
    local at = axis < 0 and rank + 1 + axis or axis
    if at < 2 or at > rank or is_kept[at] then self:refuse("axis lists %d, expected different axes from 2 to %d", axis, rank) end
    is_kept[at] = true
  end
  for axis = 1, rank do table.insert(is_kept[axis] and kept or others, axis) end
  return kept, others
end
function Normalization:build(shape)
  if #shape == 0 and #self.axes > 0 then
    self:refuse("its input has no axis but the batch, expected (..., features)")
  end
  local sizes = {}
  for i, axis in ipairs((features_of(self, #shape + 1))) do sizes[i] = shape[axis - 1] end
  if self.given then
    local function of(value) return lutra.broadcast_to(lutra.cast(lutra.constant(value), "float32"), sizes) end
    self.mean = lutra.Variable(of(self.given[1]), { name = self.name .. "/mean", trainable = false })
    self.variance = lutra.Variable(of(self.given[2]), { name = self.name .. "/variance", trainable = false })
    return
  end
  self.mean = self:add_weight { name = "mean", shape = sizes, initializer = "zeros", trainable = false }
  self.variance = self:add_weight { name = "variance", shape = sizes, initializer = "ones", trainable = false }
end
-- adapt(data): a tensor of rows, or a dataset of batches. Each call starts anew.
function Normalization:adapt(data)
  local sum, squares, count = nil, nil, 0
  local function add_rows(x)
    x = lutra.cast(tools.is_tensor(x) and x or lutra.constant(x), "float64")
    if x.rank < (#self.axes > 0 and 2 or 1) then
      self:refuse("adapt: its data has the shape %s, expected (rows, ..., features)", tostring(x.shape))
    end
    if not self.built then self:ensure_built { table.unpack(x.shape, 2) } end
    local kept, others = features_of(self, x.rank)
    local first, second, places = x:sum(others), lutra.square(x):sum(others), x.size
    for _, axis in ipairs(kept) do places = x.shape[axis] == 0 and 0 or places // x.shape[axis] end
    sum, squares, count = sum and sum + first or first, squares and squares + second or second, count + places
  end
  if options.is_dataset(data) then
    for x in data:iterate() do add_rows(x) end
  else
    add_rows(data)
  end
  if count == 0 then self:refuse("adapt: its data has no rows") end
  local mean = sum / count
  self.mean:assign(lutra.cast(mean, "float32"))
  self.variance:assign(lutra.cast(lutra.maximum(squares / count - mean * mean, 0), "float32"))
  return self
end
function Normalization:call(x)
  x = options.as_float(x, self.kind, "x")
  local mean, deviation = self.mean, lutra.maximum(lutra.sqrt(self.variance), 1e-7)
  local kept = features_of(self, x.rank)
  -- Features along the last axis broadcast as they are.
  if #kept > 0 and not (#kept == 1 and kept[1] == x.rank) then
    local sizes = {}
    for axis = 1, x.rank do sizes[axis] = 1 end
    for i, axis in ipairs(kept) do sizes[axis] = mean.shape[i] end
    mean, deviation = lutra.reshape(mean, sizes), lutra.reshape(deviation, sizes)
  end
  if self.invert then return x * deviation + mean end
  return (x - mean) / deviation
end

return made
