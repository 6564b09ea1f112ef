-- Activations of layers, by Keras 3's names. All of them are operations of the module.
local lutra, tools, use = ...
local options = use "options"

local activations = {
  linear = function(x) return x end,
  relu = lutra.relu, relu6 = lutra.relu6, leaky_relu = lutra.leaky_relu, elu = lutra.elu, selu = lutra.selu,
  gelu = lutra.gelu, silu = lutra.silu, swish = lutra.silu, sigmoid = lutra.sigmoid, tanh = lutra.tanh,
  softmax = lutra.softmax, log_softmax = lutra.log_softmax, softplus = lutra.softplus, softsign = lutra.softsign,
  exponential = lutra.exp, mish = lutra.mish, hard_sigmoid = lutra.hardsigmoid, hard_silu = lutra.hardswish,
  hard_swish = lutra.hardswish, celu = lutra.celu, log_sigmoid = lutra.log_sigmoid,
  hard_tanh = lutra.hardtanh, hard_shrink = lutra.hardshrink, soft_shrink = lutra.softshrink, tanh_shrink = lutra.tanhshrink,
  squareplus = lutra.squareplus, sparse_plus = lutra.sparse_plus, sparse_sigmoid = lutra.sparse_sigmoid,
  sparsemax = lutra.sparsemax, glu = lutra.glu,
}

-- Internal: resolves a layer's option; nil if there is nothing to do.
local function get(who, value)
  if not value or value == "linear" or value == activations.linear then return nil end
  return options.resolve_callable(who, "activation", value, activations, "a name or a function")
end

return { public = activations, get = get }
