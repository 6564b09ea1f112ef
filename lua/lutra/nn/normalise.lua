-- Layers that shift and scale their input to mean 0 and variance 1, and then as they have learned.
local lutra, tools, use = ...
local options, Layer = use "options", use "nn.layer".Layer

-- The last axis' scale and offset, where they are wanted.
local function add_scale(self, features)
  local read = self.read
  local made = {}
  if read.scale then made.gamma = self:add_weight { name = "gamma", shape = { features }, initializer = read.gamma_initializer } end
  if read.center then made.beta = self:add_weight { name = "beta", shape = { features }, initializer = read.beta_initializer } end
  self.gamma, self.beta = made.gamma, made.beta
  self.ones = read.scale and self.gamma or lutra.ones { features }
  self.zeros = read.center and self.beta or lutra.zeros { features }
end

local function define(kind, defaults, build)
  local Made = Layer:extend(kind)
  for name, value in pairs {
    epsilon = 1e-3, center = true, scale = true, gamma_initializer = "ones", beta_initializer = "zeros", name = false,
    input_shape = false, trainable = true,
  } do
    defaults[name] = value
  end
  function Made:init(given)
    local read = options.read(kind, given, defaults)
    self:named(read.name)
    self.read, self.trainable = read, read.trainable
    self.input_shape = read.input_shape and options.shape(kind, "input_shape", read.input_shape)
  end
  function Made:build(shape)
    if #shape == 0 then self:refuse("its input has no axis but the batch, expected (..., features)") end
    add_scale(self, shape[#shape])
    if build then build(self, shape[#shape]) end
  end
  function Made:compute_output_shape(shape) return shape end
  return Made
end

local LayerNorm = define("LayerNorm", {})
function LayerNorm:call(x) return lutra.layer_norm(x, self.ones, self.zeros, { epsilon = self.read.epsilon }) end

-- In training the batch's own mean and variance, and a running mean of them kept for later (Ioffe and Szegedy, ICML 2015).
local BatchNorm = define("BatchNorm", { momentum = 0.99 }, function(self, features)
  self.moving_mean = self:add_weight { name = "moving_mean", shape = { features }, initializer = "zeros", trainable = false }
  self.moving_variance = self:add_weight { name = "moving_variance", shape = { features }, initializer = "ones", trainable = false }
end)

local function move(variable, value, momentum)
  variable:assign(variable * momentum + value * (1 - momentum))
end

function BatchNorm:call(x, training)
  local read = self.read
  if not training or not self.trainable then
    return lutra.batch_norm(x, self.moving_mean, self.moving_variance, self.ones, self.zeros, { epsilon = read.epsilon })
  end
  local axes = {}
  for axis = 1, x.rank - 1 do axes[axis] = axis end
  local mean, variance = lutra.mean(x, axes), lutra.var(x, axes)
  move(self.moving_mean, mean, read.momentum)
  move(self.moving_variance, variance, read.momentum)
  return lutra.batch_norm(x, mean, variance, self.ones, self.zeros, { epsilon = read.epsilon })
end

return { LayerNorm = LayerNorm, BatchNorm = BatchNorm }
