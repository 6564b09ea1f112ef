-- activation(x * kernel + bias).
local lutra, tools, use = ...
local options, define, activations = use "options", use "nn.layers.define_layer", use "nn.layers.activations"
local linear, matmul = lutra.linear, lutra.matmul

local Dense = define("Dense", {
  activation = false, use_bias = true, kernel_initializer = "glorot_uniform", bias_initializer = "zeros",
  kernel_regularizer = false, bias_regularizer = false, kernel_constraint = false, bias_constraint = false,
}, 1, function(self, read, units)
  self.units = options.count("Dense", "units", units, 1)
  self.activation = activations.get("Dense", read.activation)
  self.read = read
end)
Dense.takes_one, Dense.supports_masking = true, true

function Dense:build(shape)
  if #shape == 0 then self:refuse("its input has no axis but the batch, expected (..., features)") end
  local features, read = shape[#shape], self.read
  self.kernel = self:add_weight {
    name = "kernel", shape = { features, self.units }, initializer = read.kernel_initializer,
    regularizer = read.kernel_regularizer, constraint = read.kernel_constraint,
  }
  if not read.use_bias then return end
  self.bias = self:add_weight {
    name = "bias", shape = { self.units }, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
    constraint = read.bias_constraint,
  }
end

function Dense:compute_output_shape(shape)
  local out = { table.unpack(shape) }
  out[#out] = self.units
  return out
end

function Dense:call(x)
  local bias, activation = self.bias, self.activation
  local y = bias and linear(x, self.kernel, bias) or matmul(x, self.kernel)
  return activation and activation(y) or y
end

return Dense
