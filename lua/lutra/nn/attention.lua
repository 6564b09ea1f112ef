-- Attention in several heads (Vaswani et al., NIPS 2017): each step of the query weighs the steps of the values by how its
-- product with their keys compares.
local lutra, tools, use = ...
local options, layers, masks = use "options", use "nn.layer", use "nn.masks"
local Layer = layers.Layer
local linear, matmul, einsum, reshape = lutra.linear, lutra.matmul, lutra.einsum, lutra.reshape

local MultiHeadAttention = Layer:extend "MultiHeadAttention"

function MultiHeadAttention:init(num_heads, key_dim, given)
  local read = options.read("MultiHeadAttention", given, {
    value_dim = false, dropout = 0.0, use_bias = true, output_shape = false, kernel_initializer = "glorot_uniform",
    bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false, seed = false, name = false,
    input_shape = false, trainable = true,
  })
  self:named(read.name)
  self.num_heads = options.count("MultiHeadAttention", "num_heads", num_heads, 1)
  self.key_dim = options.count("MultiHeadAttention", "key_dim", key_dim, 1)
  self.value_dim = options.count("MultiHeadAttention", "value_dim", read.value_dim or key_dim, 1)
  self.output_dim = read.output_shape and options.count("MultiHeadAttention", "output_shape",
    type(read.output_shape) == "table" and #read.output_shape == 1 and read.output_shape[1] or read.output_shape, 1)
  options.number("MultiHeadAttention", "dropout", read.dropout, 0, 1)
  self.read, self.trainable = read, read.trainable
  self.input_shape = read.input_shape and options.shape("MultiHeadAttention", "input_shape", read.input_shape)
end

-- The shapes of query, value and key, of which one stands for all and two for a key that is the value.
local function shapes_of(self, shape)
  local list = type(shape[1]) == "table" and shape or { shape }
  local query = list[1]
  local value = list[2] or query
  local key = list[3] or value
  for i, each in ipairs { query, value, key } do
    if #each ~= 2 then
      self:refuse("%s has the shape %s, expected (batch, steps, features)", ({ "query", "value", "key" })[i], options.batch_text(each))
    end
  end
  if value[1] ~= key[1] and value[1] ~= -1 and key[1] ~= -1 then
    self:refuse("value has %d steps and key %d, expected as many", value[1], key[1])
  end
  return query, value, key
end

-- A product that gives each head its part, kept in the shape that Keras keeps it in.
local function add_projection(self, name, from, to)
  local read = self.read
  self[name .. "_kernel"] = self:add_weight {
    name = name .. "/kernel", shape = from, initializer = read.kernel_initializer, regularizer = read.kernel_regularizer,
  }
  if not read.use_bias then return end
  self[name .. "_bias"] = self:add_weight {
    name = name .. "/bias", shape = to, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
  }
end

function MultiHeadAttention:build(shape)
  local query, value, key = shapes_of(self, shape)
  local heads = self.num_heads
  self.output_dim = self.output_dim or query[2]
  add_projection(self, "query", { query[2], heads, self.key_dim }, { heads, self.key_dim })
  add_projection(self, "key", { key[2], heads, self.key_dim }, { heads, self.key_dim })
  add_projection(self, "value", { value[2], heads, self.value_dim }, { heads, self.value_dim })
  add_projection(self, "attention_output", { heads, self.value_dim, self.output_dim }, { self.output_dim })
end

MultiHeadAttention.only_merges_masks = true
MultiHeadAttention.call_options = {
  attention_mask = true, use_causal_mask = true, return_attention_scores = true, query_mask = true, value_mask = true, key_mask = true,
}

-- The masks of query, value and key; that of one tensor that is all of them is both the query's and the value's.
function MultiHeadAttention:mask_options(mask)
  if type(mask) ~= "table" then mask = { mask, mask } end
  return { query_mask = mask[1], value_mask = mask[2], key_mask = mask[3] }
end
function MultiHeadAttention:compute_mask(_, mask) return masks.first(mask) end

function MultiHeadAttention:compute_output_shape(shape, given)
  local query, value = shapes_of(self, shape)
  local out = { query[1], self.output_dim or query[2] }
  if not (given and given.return_attention_scores) then return out end
  return { out, { self.num_heads, query[1], value[1] } }
end

-- x's product with a projection, the last axis of x joined over `inner` numbers: [batch, steps, outer ...].
local function project(self, name, x, inner)
  local kernel, bias = self[name .. "_kernel"], self[name .. "_bias"]
  local width = kernel.size // inner
  kernel = reshape(kernel, { inner, width })
  return bias and linear(x, kernel, reshape(bias, { width })) or matmul(x, kernel)
end

-- What is given as a mask as one of bool.
local function as_bool(self, name, mask)
  if type(mask) == "table" then mask = lutra.constant(mask) end
  if not tools.is_tensor(mask) then self:refuse("%s is %s, expected a tensor", name, tools.what_is(mask)) end
  return mask.dtype == "bool" and mask or mask:ne(0)
end

-- A mask's form for scores of this shape: heads share a mask of three axes.
local function mask_for(self, shape, mask)
  local given = as_bool(self, "attention_mask", mask)
  local allowed = given
  if allowed.rank == 3 then allowed = lutra.expand_dims(allowed, 2) end
  local fits = allowed.rank >= 2 and allowed.rank <= 4
  for axis = 1, fits and allowed.rank or 0 do
    local size = allowed.shape[axis]
    fits = fits and (size == 1 or size == shape[4 - allowed.rank + axis])
  end
  if not fits then
    self:refuse("attention_mask has the shape %s, expected (%d, %d, %d) or what broadcasts to it", tostring(given.shape), shape[1],
      shape[3], shape[4])
  end
  return allowed
end

-- The mask of a sequence's steps for scores of this shape: along the queries' axis, 3, or the values', 4.
local function steps_mask(self, name, shape, mask, axis)
  local allowed = as_bool(self, name, mask)
  if allowed.rank ~= 2 or allowed.shape[1] ~= shape[1] or allowed.shape[2] ~= shape[axis] then
    self:refuse("%s has the shape %s, expected (%d, %d)", name, tostring(allowed.shape), shape[1], shape[axis])
  end
  return reshape(allowed, axis == 3 and { shape[1], 1, shape[3], 1 } or { shape[1], 1, 1, shape[4] })
end

-- Scores where a query's step may look, and what no softmax lets through where it may not.
local function masked(self, scores, given)
  local shape, allowed = scores.shape, nil
  local function restrict(own) allowed = allowed and lutra.logical_and(allowed, own) or own end
  if given.attention_mask then restrict(mask_for(self, shape, given.attention_mask)) end
  if given.query_mask then restrict(steps_mask(self, "query_mask", shape, given.query_mask, 3)) end
  for _, name in ipairs { "value_mask", "key_mask" } do
    if given[name] then restrict(steps_mask(self, name, shape, given[name], 4)) end
  end
  if given.use_causal_mask then restrict(lutra.expand_dims(lutra.range(shape[3]), -1):ge(lutra.range(shape[4]))) end
  if not allowed then return scores end
  return lutra.where(allowed, scores, scores.dtype == "float16" and -3e4 or -1e9)
end

-- Query, value and key of what the layer is called with, which must go together.
local function inputs_of(self, x)
  local list = type(x) == "table" and x or { x }
  local query = list[1]
  local value = list[2] or query
  local key = list[3] or value
  for i, each in ipairs { query, value, key } do
    local name = ({ "query", "value", "key" })[i]
    local features = self[name .. "_kernel"].shape[1]
    if each.rank ~= 3 or each.shape[3] ~= features or #each ~= #query then
      self:refuse("%s has the shape %s, expected (%s, steps, %d)", name, tostring(each.shape), i == 1 and "batch" or #query, features)
    end
  end
  if value.shape[2] ~= key.shape[2] then
    self:refuse("value has %d steps and key %d, expected as many", value.shape[2], key.shape[2])
  end
  return query, value, key
end

-- x's heads, as they stand: [batch, steps, heads, size].
local function heads_of(self, name, x, size)
  return reshape(project(self, name, x, x.shape[3]), { #x, x.shape[2], self.num_heads, size })
end

function MultiHeadAttention:call(x, training, given)
  local rate = training and self.read.dropout or 0
  local query, value, key = inputs_of(self, x)
  local q = heads_of(self, "query", query, self.key_dim) * (1 / math.sqrt(self.key_dim))
  local k, v = heads_of(self, "key", key, self.key_dim), heads_of(self, "value", value, self.value_dim)
  -- The sums of products read the heads where they stand.
  local scores = einsum("bthd,bshd->bhts", q, k)
  scores = lutra.softmax(given and masked(self, scores, given) or scores)
  local kept = scores
  if rate > 0 then
    kept = rate < 1 and use "nn.dropping"(scores, rate, self.read.seed or nil) or lutra.zeros_like(scores)
  end
  local width = self.num_heads * self.value_dim
  local joined = reshape(einsum("bhts,bshd->bthd", kept, v), { #query, query.shape[2], width })
  local y = project(self, "attention_output", joined, width)
  return given and given.return_attention_scores and { y, scores } or y
end

return { MultiHeadAttention = MultiHeadAttention }
