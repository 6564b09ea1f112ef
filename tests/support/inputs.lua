-- Inputs that the specs of many ops use. Spec files see all of it by name (spec.lua, environment).
local samples = require "samples"
local made = require("spec").made

local inputs = {}

inputs.integers = { "int8", "uint8", "int16", "int32", "int64" }
inputs.floats = { "float16", "bfloat16", "float32", "float64" }
inputs.numbers = { "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" }
inputs.all_dtypes = { "bool", table.unpack(inputs.numbers) }

-- zeros({2, 3}, "int8") or zeros(2, 3): new tensors for each run. Likewise ones().
local function filled(fill)
  return function(shape, ...)
    local dtype = type(shape) == "table" and ... or nil
    if type(shape) ~= "table" then shape = { shape, ... } end
    return made(function() return lt[fill](shape, { dtype = dtype }) end)
  end
end
inputs.zeros, inputs.ones = filled "zeros", filled "ones"

-- 1, 2, 3 ... in the shape, float32 by default; a new tensor for each run.
function inputs.numbered(shape, dtype)
  return made(function() return lt.range(1, samples.size(shape) + 1):reshape(shape):cast(dtype or "float32") end)
end

-- 0, 1, ... most - 1, 0, 1 ... in the shape: exact in every dtype but bool, where it is odd or even.
function inputs.counted(shape, dtype, most)
  return (lt.range(samples.size(shape)) % (most or 97) % (dtype == "bool" and 2 or 97)):cast(dtype):reshape(shape)
end

-- A literal of any shape, numbers of no pattern from -2 to 2; a tensor of them.
function inputs.random(shape, seed)
  return samples.nest(samples.values(samples.size(shape), "float64", -2, 2, seed or 1), shape)
end
function inputs.random_tensor(shape, dtype, seed)
  return lt.constant(inputs.random(shape, seed), { dtype = dtype or "float64" })
end

-- The gradient of the sum of f(x) * weights. Weights that are a number are all the same.
function inputs.gradient_of(f, x, weights)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local y = f(x)
  if type(weights) == "number" then weights = lt.fill(y.shape, weights) end
  return tape:gradient(y, x, { output_gradients = lt.cast(weights, y.dtype) })
end

return inputs
