-- What layers of attention in heads share: their inputs, and products with weights for all heads.
local lutra, _, use = ...
local added, initializers = use "nn.training.added_losses", use "nn.layers.initializers"
local linear, matmul, reshape = lutra.linear, lutra.matmul, lutra.reshape

local projections = { names = { "query", "value", "key" } }

-- Query, value and key from a list: one tensor counts as all three, two as query and value = key.
function projections.three_of(list)
  local value = list[2] or list[1]
  return { list[1], value, list[3] or value }
end

-- Initializers that count inputs and results count those of the product, as Keras' EinsumDense does: from the heads if
-- their axes come first.
local function counted(self, shape, inputs)
  local made = initializers.get(self.kind, "kernel_initializer", self.read.kernel_initializer)
  if not initializers.is_scaled(made) then return made end
  return function()
    local into, out = 1, 1
    for axis, size in ipairs(shape) do
      if axis <= inputs then into = into * size else out = out * size end
    end
    return reshape(made { into, out }, shape)
  end
end

-- Adds the weights of a projection to all heads, in the shape that Keras uses. With one size, `to` is not heads.
function projections.add(self, name, from, to)
  local read = self.read
  self[name .. "_kernel"] = self:add_weight {
    name = name .. "/kernel", shape = from, initializer = counted(self, from, #from - #to),
    regularizer = read.kernel_regularizer, constraint = read.kernel_constraint,
  }
  if not read.use_bias then return end
  self[name .. "_bias"] = self:add_weight {
    name = name .. "/bias", shape = to, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
    constraint = read.bias_constraint,
  }
end

-- The product of x's last axis, of `inner` elements, with a projection.
function projections.project(self, name, x, inner)
  local kernel, bias = self[name .. "_kernel"], self[name .. "_bias"]
  local width = kernel.size // inner
  kernel = reshape(kernel, { inner, width })
  local y = bias and linear(x, kernel, reshape(bias, { width })) or matmul(x, kernel)
  if self.product_regularizer then added.regularize(self, self.product_regularizer, y) end
  return y
end

return projections
