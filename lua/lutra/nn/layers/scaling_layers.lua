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

-- Rows of length 1 along the axis, which counts the batch as the first.
local UnitNormalization = add("UnitNormalization", define("UnitNormalization", { axis = -1 }, 0, function(self, read)
  self.axis = read.axis
end))
function UnitNormalization:call(x) return lutra.l2_normalize(x, self.axis) end

-- Mean 0 and variance 1 of each feature of the data that adapt has seen, or by given means and variances.
local Normalization = add("Normalization", define("Normalization", { mean = false, variance = false, invert = false }, 0,
  function(self, read)
    self.invert = options.boolean("Normalization", "invert", read.invert)
    if not read.mean ~= not read.variance then
      tools.fail("InvalidArgument", "Normalization: one of mean and variance is given, expected both or none")
    end
    rawset(self, "given", read.mean and {
      numbers("Normalization", "mean", read.mean), numbers("Normalization", "variance", read.variance),
    } or nil)
  end))
function Normalization:build(shape)
  if self.given then
    local function of(value) return lutra.broadcast_to(lutra.cast(lutra.constant(value), "float32"), { shape[#shape] }) end
    self.mean = lutra.Variable(of(self.given[1]), { name = self.name .. "/mean", trainable = false })
    self.variance = lutra.Variable(of(self.given[2]), { name = self.name .. "/variance", trainable = false })
    return
  end
  if #shape == 0 then self:refuse("its input has no axis but the batch, expected (..., features)") end
  self.mean = self:add_weight { name = "mean", shape = { shape[#shape] }, initializer = "zeros", trainable = false }
  self.variance = self:add_weight { name = "variance", shape = { shape[#shape] }, initializer = "ones", trainable = false }
end
-- adapt(data): a tensor of rows, or a dataset of batches. Each call starts anew.
function Normalization:adapt(data)
  local sum, squares, count = nil, nil, 0
  local function add_rows(x)
    x = lutra.cast(tools.is_tensor(x) and x or lutra.constant(x), "float64")
    if x.rank < 2 then
      self:refuse("adapt: its data has the shape %s, expected (rows, ..., features)", tostring(x.shape))
    end
    if not self.built then self:ensure_built { table.unpack(x.shape, 2) } end
    local rows = x:reshape { -1, x.shape[x.rank] }
    local first, second = rows:sum(1), lutra.square(rows):sum(1)
    sum, squares, count = sum and sum + first or first, squares and squares + second or second, count + rows.shape[1]
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
  local deviation = lutra.maximum(lutra.sqrt(self.variance), 1e-7)
  if self.invert then return x * deviation + self.mean end
  return (x - self.mean) / deviation
end

return made
