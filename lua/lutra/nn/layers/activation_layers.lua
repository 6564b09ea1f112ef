-- Activation functions as layers. Loaded when one is named.
local lutra, tools, use = ...
local options, define = use "options", use "nn.layers.define_layer"

local made = {}

local function add(kind, defaults, init, call)
  local Made = define(kind, defaults, 0, init)
  Made.takes_one, Made.supports_masking = true, true
  function Made:compute_output_shape(shape) return shape end
  Made.call = call
  made[kind] = Made
  return Made
end

-- Functions without options.
for kind, f in pairs {
  Sigmoid = lutra.sigmoid, Tanh = lutra.tanh, SELU = lutra.selu, SiLU = lutra.silu, Softplus = lutra.softplus,
  Softsign = lutra.softsign, ReLU6 = lutra.relu6, Mish = lutra.mish, HardSigmoid = lutra.hardsigmoid,
  HardSwish = lutra.hardswish, LogSigmoid = lutra.log_sigmoid,
} do
  add(kind, {}, nil, function(_, x) return f(x) end)
end

-- max_value: the largest result; below `threshold` the result is negative_slope (x - threshold).
add("ReLU", { max_value = false, negative_slope = 0.0, threshold = 0.0 }, function(self, read)
  if read.max_value then options.number("ReLU", "max_value", read.max_value, 0) end
  self.max_value = read.max_value or nil
  self.negative_slope = options.number("ReLU", "negative_slope", read.negative_slope, 0)
  self.threshold = options.number("ReLU", "threshold", read.threshold, 0)
end, function(self, x)
  local y
  if self.threshold == 0 then
    y = self.negative_slope == 0 and lutra.relu(x) or lutra.leaky_relu(x, { alpha = self.negative_slope })
  else
    y = lutra.where(x:ge(self.threshold), x, (x - self.threshold) * self.negative_slope)
  end
  return self.max_value and lutra.minimum(y, self.max_value) or y
end)

add("LeakyReLU", { negative_slope = 0.3 }, function(self, read)
  self.negative_slope = options.number("LeakyReLU", "negative_slope", read.negative_slope, 0)
end, function(self, x) return lutra.leaky_relu(x, { alpha = self.negative_slope }) end)

for kind, f in pairs { ELU = lutra.elu, CELU = lutra.celu } do
  add(kind, { alpha = 1.0 }, function(self, read) self.alpha = options.positive(kind, "alpha", read.alpha) end,
    function(self, x) return f(x, { alpha = self.alpha }) end)
end

add("GELU", { approximate = false }, function(self, read)
  self.approximate = options.boolean("GELU", "approximate", read.approximate)
end, function(self, x) return lutra.gelu(x, { approximate = self.approximate }) end)

-- Axes count the batch as the first, as in Keras. With a mask, elements that are false get no share.
local Softmax = add("Softmax", { axis = -1 }, function(self, read)
  self.axis = options.whole("Softmax", "axis", read.axis)
end, function(self, x, _, given)
  local mask = given and given.mask
  if mask then x = lutra.where(mask, x, -1e9) end
  return lutra.softmax(x, self.axis)
end)
Softmax.call_options = { mask = true }
add("LogSoftmax", { axis = -1 }, function(self, read)
  self.axis = options.whole("LogSoftmax", "axis", read.axis)
end, function(self, x) return lutra.log_softmax(x, self.axis) end)

-- A learned slope below 0: one for each element of a row, or along shared_axes one for all. Axes count the batch as the
-- first.
local PReLU = add("PReLU", { alpha_initializer = "zeros", alpha_regularizer = false, shared_axes = false },
  function(self, read)
    local shared = read.shared_axes or {}
    if type(shared) == "number" then shared = { shared } end
    for i, axis in ipairs(shared) do options.count("PReLU", ("shared_axes[%d]"):format(i), axis, 2) end
    self.read, self.shared = read, { table.unpack(shared) }
  end, function(self, x) return lutra.relu(x) - self.alpha * lutra.relu(-x) end)
function PReLU:build(shape)
  local sizes = { table.unpack(shape) }
  for _, axis in ipairs(self.shared) do
    if axis > #shape + 1 then self:refuse("its input has %d axes, and shared_axes has %d", #shape + 1, axis) end
    sizes[axis - 1] = 1
  end
  self.alpha = self:add_weight {
    name = "alpha", shape = sizes, initializer = self.read.alpha_initializer, regularizer = self.read.alpha_regularizer,
  }
end

return made
