-- Attention in which groups of query heads share the heads of keys and values (Ainslie et al., EMNLP 2023). Loaded when it
-- is named.
local lutra, tools, use = ...
local options, layers = use "options", use "nn.layers.layer"
local attention_masks, projections = use "nn.layers.attention_masks", use "nn.layers.attention_projections"
local added = use "nn.training.added_losses"
local reshape, einsum = lutra.reshape, lutra.einsum

local GroupQueryAttention = layers.Layer:extend "GroupQueryAttention"

function GroupQueryAttention:init(head_dim, num_query_heads, num_key_value_heads, given)
  local read = self:read_options(given, {
    dropout = 0.0, use_bias = true, use_gate = false, sliding_window = false, kernel_initializer = "glorot_uniform",
    bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false, kernel_constraint = false,
    bias_constraint = false, seed = false,
  })
  local who = "GroupQueryAttention"
  self.head_dim = options.count(who, "head_dim", head_dim, 1)
  self.num_query_heads = options.count(who, "num_query_heads", num_query_heads, 1)
  self.num_key_value_heads = options.count(who, "num_key_value_heads", num_key_value_heads, 1)
  if num_query_heads % num_key_value_heads ~= 0 then
    tools.fail("InvalidArgument", ("%s: num_query_heads is %d, expected a multiple of num_key_value_heads, %d"):format(who,
      num_query_heads, num_key_value_heads))
  end
  options.number(who, "dropout", read.dropout, 0, 1)
  options.boolean(who, "use_gate", read.use_gate)
  if read.sliding_window then options.count(who, "sliding_window", read.sliding_window, 1) end
  -- As in Keras, the regularizer applies to each product, and to the layer's result.
  self.product_regularizer = self.activity_regularizer
  self.read = read
end

-- Query, value and key, whose shapes are without the batch.
local function shapes_of(self, shape)
  local list = projections.three_of(type(shape[1]) == "table" and shape or { shape })
  for i, each in ipairs(list) do
    if #each ~= 2 then
      self:refuse("%s has the shape %s, expected (batch, steps, features)", projections.names[i], options.batch_text(each))
    end
  end
  local value, key = list[2][1], list[3][1]
  if value ~= key and value ~= -1 and key ~= -1 then
    self:refuse("value has %d steps and key %d, expected as many", value, key)
  end
  return list
end

function GroupQueryAttention:build(shape)
  local query, value, key = table.unpack(shapes_of(self, shape))
  local size, heads, groups = self.head_dim, self.num_query_heads, self.num_key_value_heads
  local function add(name, from, count) projections.add(self, name, { from[2], count, size }, { count, size }) end
  add("query", query, heads)
  add("key", key, groups)
  if self.read.use_gate then add("gate", query, heads) end
  add("value", value, groups)
  projections.add(self, "attention_output", { heads, size, query[2] }, { query[2] })
end

projections.take_masks(GroupQueryAttention)

function GroupQueryAttention:compute_output_shape(shape, given)
  local query, value = table.unpack(shapes_of(self, shape))
  local out = { table.unpack(query) }
  if not (given and given.return_attention_scores) then return out end
  return { out, { self.num_query_heads, query[1], value[1] } }
end

local function inputs_of(self, x)
  local list, shapes = projections.three_of(type(x) == "table" and x or { x }), {}
  for i, each in ipairs(list) do
    local name = projections.names[i]
    local features = self[name .. "_kernel"].shape[1]
    if each.rank ~= 3 or each.shape[3] ~= features or each.shape[1] ~= list[1].shape[1] then
      self:refuse("%s has the shape %s, expected (%s, steps, %d)", name, tostring(each.shape),
        i == 1 and "batch" or list[1].shape[1], features)
    end
    shapes[i] = { table.unpack(each.shape, 2) }
  end
  shapes_of(self, shapes)
  return list
end

-- Steps no further apart than the window.
local function windowed(scores, window)
  local rows, columns = scores.shape[3], scores.shape[4]
  local apart = lutra.abs(lutra.range(rows):reshape { rows, 1 } - lutra.range(columns))
  return lutra.where(apart:lt(window), scores, scores.dtype == "float16" and -3e4 or -1e9)
end

function GroupQueryAttention:call(x, training, given)
  local rate, size, groups = training and self.read.dropout or 0, self.head_dim, self.num_key_value_heads
  local heads = self.num_query_heads
  local list = inputs_of(self, x)
  local query, value, key = table.unpack(list)
  local batch, steps, keys = query.shape[1], query.shape[2], value.shape[2]
  local shared = { batch, steps, groups, heads // groups, size }
  local function heads_of(name, from) return projections.project(self, name, from, from.shape[3]) end
  local q = heads_of("query", query) * (1 / math.sqrt(size))
  local k = reshape(heads_of("key", key), { batch, keys, groups, size })
  local gate = self.read.use_gate and lutra.sigmoid(heads_of("gate", query)) or nil
  local v = reshape(heads_of("value", value), { batch, keys, groups, size })
  -- Query heads of a group are rows of one product with its keys.
  local scores = einsum("bqgrh,bkgh->bgrqk", reshape(q, shared), k)
  scores = reshape(scores, { batch, heads, steps, keys })
  if given then scores = attention_masks(self, scores, given, { steps = { 2 }, others = {} }, list) end
  if self.read.sliding_window then scores = windowed(scores, self.read.sliding_window) end
  scores = lutra.softmax(scores)
  local kept = scores
  if rate > 0 then
    kept = rate < 1 and use "nn.layers.dropping"(scores, rate, self.read.seed or nil) or lutra.zeros_like(scores)
  end
  kept = reshape(kept, { batch, groups, heads // groups, steps, keys })
  local joined = reshape(einsum("bgrqk,bkgh->bqgrh", kept, v), { batch, steps, heads * size })
  if gate then joined = joined * gate end
  local y = projections.project(self, "attention_output", joined, heads * size)
  return given and given.return_attention_scores and { y, scores } or y
end

return { GroupQueryAttention = GroupQueryAttention }
