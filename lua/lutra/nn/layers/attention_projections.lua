-- What layers of attention in heads share: their inputs, and products with weights for all heads.
local lutra, _, use = ...
local added = use "nn.training.added_losses"
local linear, matmul, reshape = lutra.linear, lutra.matmul, lutra.reshape

local projections = { names = { "query", "value", "key" } }

-- Query, value and key from a list: one tensor counts as all three, two as query and value = key.
function projections.three_of(list)
  local value = list[2] or list[1]
  return { list[1], value, list[3] or value }
end

-- Adds the weights of a projection to all heads, in the shape that Keras uses.
function projections.add(self, name, from, to)
  local read = self.read
  self[name .. "_kernel"] = self:add_weight {
    name = name .. "/kernel", shape = from, initializer = read.kernel_initializer,
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
