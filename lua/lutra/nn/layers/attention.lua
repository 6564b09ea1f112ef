-- Multi-head attention (Vaswani et al., NIPS 2017): each query step gets the values, weighted by how well its product
-- with their keys matches.
local lutra, tools, use = ...
local options, layers = use "options", use "nn.layers.layer"
local attention_masks, projections = use "nn.layers.attention_masks", use "nn.layers.attention_projections"
local names, three_of, add_projection, project = projections.names, projections.three_of, projections.add, projections.project
local Layer = layers.Layer
local einsum, reshape = lutra.einsum, lutra.reshape

local MultiHeadAttention = Layer:extend "MultiHeadAttention"

-- Reads attention_axes: one number or a list.
local function read_axes(value)
  local list = {}
  for i, axis in ipairs(type(value) == "table" and value or { value }) do
    list[i] = options.whole("MultiHeadAttention", "attention_axes", axis)
  end
  if #list == 0 then
    tools.fail("InvalidArgument",
      ("MultiHeadAttention: attention_axes is %s, expected an axis or a list of them"):format(
      type(value) == "table" and "an empty list" or tools.what_is(value)))
  end
  return list
end

function MultiHeadAttention:init(num_heads, key_dim, given)
  local read = self:read_options(given, {
    value_dim = false, dropout = 0.0, use_bias = true, output_shape = false, attention_axes = false,
    kernel_initializer = "glorot_uniform",
    bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false,
    kernel_constraint = false, bias_constraint = false, seed = false,
  })
  -- The regularizer applies to each product, not to the layer's result.
  self.product_regularizer, self.activity_regularizer = self.activity_regularizer, false
  self.num_heads = options.count("MultiHeadAttention", "num_heads", num_heads, 1)
  self.key_dim = options.count("MultiHeadAttention", "key_dim", key_dim, 1)
  self.value_dim = options.count("MultiHeadAttention", "value_dim", read.value_dim or key_dim, 1)
  self.output_dim = read.output_shape and options.count("MultiHeadAttention", "output_shape",
    type(read.output_shape) == "table" and #read.output_shape == 1 and read.output_shape[1] or read.output_shape, 1)
  options.number("MultiHeadAttention", "dropout", read.dropout, 0, 1)
  if read.attention_axes then self.axes_given = read_axes(read.attention_axes) end
  self.read = read
end

-- The axes of steps, for inputs with `rank` axes including the batch; by default all between batch and features.
local function axes_of(self, rank)
  local list, seen = {}, {}
  if not self.axes_given then
    for axis = 2, rank - 1 do list[#list + 1] = axis end
    return list
  end
  for i, axis in ipairs(self.axes_given) do
    local at = axis < 0 and rank + 1 + axis or axis
    if at < 2 or at > rank - 1 or seen[at] then
      self:refuse("attention_axes has %d, and its input has %d axes: expected axes of 2 to %d, each once", axis, rank,
        rank - 1)
    end
    list[i], seen[at] = at, true
  end
  return list
end

-- The axes of steps, and the other axes after the batch; each position on those attends only to its own steps.
local function layout_of(self, rank)
  local steps, others, taken = axes_of(self, rank), {}, {}
  for _, axis in ipairs(steps) do taken[axis] = true end
  for axis = 2, rank - 1 do
    if not taken[axis] then others[#others + 1] = axis end
  end
  if 2 + #others + 2 * #steps > 8 then
    self:refuse("%d axes of steps and %d others make scores of %d axes, expected 8 at most", #steps, #others,
      2 + #others + 2 * #steps)
  end
  return { steps = steps, others = others }
end

local function differ(a, b) return a ~= b and a ~= -1 and b ~= -1 end

-- Checks that the shapes of query, value and key (without the batch) match. Returns them and their layout.
local function fitted(self, shapes)
  local query, value, key = table.unpack(three_of(shapes))
  for i, shape in ipairs { query, value, key } do
    if #shape < 2 or #shape ~= #query then
      self:refuse("%s has the shape %s, expected (batch, %s)", names[i], options.batch_text(shape),
        i > 1 and #query > 2 and ("%d axes of steps, features"):format(#query - 1) or "steps, features")
    end
  end
  local layout = layout_of(self, #query + 1)
  for _, axis in ipairs(layout.steps) do
    if differ(value[axis - 1], key[axis - 1]) then
      self:refuse("value has %d steps and key %d, expected as many", value[axis - 1], key[axis - 1])
    end
  end
  for _, axis in ipairs(layout.others) do
    for i, shape in ipairs { query, value, key } do
      if differ(shape[axis - 1], query[axis - 1]) then
        self:refuse("query has %d places along axis %d and %s %d, expected as many", query[axis - 1], axis, names[i],
          shape[axis - 1])
      end
    end
  end
  return query, value, key, layout
end

local function shapes_of(self, shape) return fitted(self, type(shape[1]) == "table" and shape or { shape }) end

-- The einsum equations for the products of query and key, and of scores and value. Axes have letters, upper case for
-- the steps of value; y is the heads axis and z the axis within a head.
local function equations_of(layout, rank)
  local query, value, outer, from, to = {}, {}, "a", "", ""
  for axis = 1, rank - 1 do
    query[axis] = string.char(96 + axis)
    value[axis] = query[axis]
  end
  for _, axis in ipairs(layout.others) do outer = outer .. query[axis] end
  for _, axis in ipairs(layout.steps) do
    value[axis] = query[axis]:upper()
    from, to = from .. query[axis], to .. value[axis]
  end
  local of_query, of_value = table.concat(query) .. "yz", table.concat(value) .. "yz"
  local scores = outer .. "y" .. from .. to
  return { scores = of_query .. "," .. of_value .. "->" .. scores,
    result = scores .. "," .. of_value .. "->" .. of_query }
end

function MultiHeadAttention:build(shape)
  local query, value, key, layout = shapes_of(self, shape)
  local heads, features = self.num_heads, #query
  rawset(self, "equations", equations_of(layout, features + 1))
  self.output_dim = self.output_dim or query[features]
  add_projection(self, "query", { query[features], heads, self.key_dim }, { heads, self.key_dim })
  add_projection(self, "key", { key[features], heads, self.key_dim }, { heads, self.key_dim })
  add_projection(self, "value", { value[features], heads, self.value_dim }, { heads, self.value_dim })
  add_projection(self, "attention_output", { heads, self.value_dim, self.output_dim }, { self.output_dim })
end

projections.take_masks(MultiHeadAttention)

function MultiHeadAttention:compute_output_shape(shape, given)
  local query, value, _, layout = shapes_of(self, shape)
  local out, scores = { table.unpack(query) }, {}
  out[#out] = self.output_dim or query[#query]
  if not (given and given.return_attention_scores) then return out end
  for _, axis in ipairs(layout.others) do scores[#scores + 1] = query[axis - 1] end
  scores[#scores + 1] = self.num_heads
  for _, sizes in ipairs { query, value } do
    for _, axis in ipairs(layout.steps) do scores[#scores + 1] = sizes[axis - 1] end
  end
  return { out, scores }
end

-- Query, value and key of a call, checked against each other, and their layout.
local function inputs_of(self, x)
  local list = three_of(type(x) == "table" and x or { x })
  local query, shapes = list[1], {}
  for i, each in ipairs(list) do
    local features, rank = self[names[i] .. "_kernel"].shape[1], query.rank
    if each.rank < 3 or each.rank ~= rank or each.shape[rank] ~= features or #each ~= #query then
      self:refuse("%s has the shape %s, expected (%s, %s%d)", names[i], tostring(each.shape),
        i == 1 and "batch" or #query,
        ("steps, "):rep(math.max(rank - 2, 1)), features)
    end
    shapes[i] = { table.unpack(each.shape, 2) }
  end
  local _, _, _, layout = fitted(self, shapes)
  return list, layout
end

-- The heads of x without a transpose: [batch, steps ..., heads, size].
local function heads_of(self, name, x, size)
  local shape, rank = { table.unpack(x.shape) }, x.rank
  local y = project(self, name, x, shape[rank])
  shape[rank], shape[rank + 1] = self.num_heads, size
  return reshape(y, shape)
end

-- Softmax of the scores over the steps of the values, the last `axes` axes.
local function softmax(scores, axes)
  if axes == 1 then return lutra.softmax(scores) end
  local shape, flat = scores.shape, { table.unpack(scores.shape, 1, scores.rank - axes) }
  flat[#flat + 1] = -1
  return reshape(lutra.softmax(reshape(scores, flat)), shape)
end

function MultiHeadAttention:call(x, training, given)
  local rate = training and self.read.dropout or 0
  local list, layout = inputs_of(self, x)
  local query, value, key = table.unpack(list)
  local q = heads_of(self, "query", query, self.key_dim)
  local k, v = heads_of(self, "key", key, self.key_dim), heads_of(self, "value", value, self.value_dim)
  -- einsum reads the heads in place.
  local scores = einsum(self.equations.scores, q * (1 / math.sqrt(self.key_dim)), k)
  if given then scores = attention_masks(self, scores, given, layout, list) end
  scores = softmax(scores, #layout.steps)
  local kept = scores
  if rate > 0 then
    kept = rate < 1 and use "nn.layers.dropping"(scores, rate, self.read.seed or nil) or lutra.zeros_like(scores)
  end
  local width, joined = self.num_heads * self.value_dim, { table.unpack(query.shape) }
  joined[#joined] = width
  local y = project(self, "attention_output", reshape(einsum(self.equations.result, kept, v), joined), width)
  return given and given.return_attention_scores and { y, scores } or y
end

return { MultiHeadAttention = MultiHeadAttention }
