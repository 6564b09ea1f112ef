-- What layers of attention in heads share: their inputs and masks, and products with weights for all heads.
local lutra, _, use = ...
local added, masks, initializers = use "nn.training.added_losses", use "nn.training.masks", use "nn.layers.initializers"
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

-- The masks of query, value and key. If one tensor is all three, its mask is the query's and the value's.
local function mask_options(_, mask)
  if type(mask) ~= "table" then mask = { mask, mask } end
  return { query_mask = mask[1], value_mask = mask[2], key_mask = mask[3] }
end
local function compute_mask(_, _, mask) return masks.first(mask) end

-- Gives a class the options of its calls, and what it does with masks.
function projections.take_masks(class)
  class.only_merges_masks, class.mask_options, class.compute_mask = true, mask_options, compute_mask
  class.call_options = {
    attention_mask = true, use_causal_mask = true, return_attention_scores = true, query_mask = true, value_mask = true,
    key_mask = true,
  }
end

return projections
