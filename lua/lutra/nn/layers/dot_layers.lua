-- Products of inputs: Dot, and attention without weights of its own kinds. Loaded when one is named.
local lutra, tools, use = ...
local options, define, masks = use "options", use "nn.layers.define_layer", use "nn.training.masks"

local made = {}

-- The product of two inputs along one axis of each, which counts the batch as the first.
local Dot = define("Dot", { normalize = false }, 1, function(self, read, axes)
  if type(axes) == "number" then axes = { axes, axes } end
  if type(axes) ~= "table" or #axes ~= 2 then
    tools.fail("InvalidArgument", ("Dot: axes is %s, expected an axis, or one for each of two inputs"):format(tools.what_is(axes)))
  end
  self.axes = { options.whole("Dot", "axes[1]", axes[1]), options.whole("Dot", "axes[2]", axes[2]) }
  self.normalize = options.boolean("Dot", "normalize", read.normalize)
end)
made.Dot = Dot
function Dot:build(shapes)
  if type(shapes[1]) ~= "table" or #shapes ~= 2 then
    self:refuse("it has %s, expected a list of two inputs", type(shapes[1]) == "table" and #shapes .. " inputs" or "one input")
  end
  for i, shape in ipairs(shapes) do
    local axis = self.axes[i]
    local at = axis < 0 and #shape + 2 + axis or axis
    if at < 2 or at > #shape + 1 then
      self:refuse("input %d has the shape %s, which has no axis %d beside the batch", i, options.batch_text(shape), axis)
    end
  end
end
function Dot:call(inputs)
  local sides = {}
  for i = 1, 2 do
    local x, axis = inputs[i], self.axes[i]
    if axis < 0 then axis = x.rank + 1 + axis end
    if self.normalize then x = lutra.l2_normalize(x, axis) end
    -- {batch, others, summed}
    local order, size, kept = { 1 }, 1, {}
    for k = 2, x.rank do
      if k ~= axis then
        order[#order + 1], size = k, size * x.shape[k]
        kept[#kept + 1] = x.shape[k]
      end
    end
    order[#order + 1] = axis
    sides[i] = { lutra.transpose(x, order):reshape { x.shape[1], size, x.shape[axis] }, kept }
  end
  local a, b = sides[1][1], sides[2][1]
  if a.shape[3] ~= b.shape[3] then
    self:refuse("its inputs have %d and %d elements along axes, expected as many", a.shape[3], b.shape[3])
  end
  local shape = { a.shape[1] }
  for i = 1, 2 do table.move(sides[i][2], 1, #sides[i][2], #shape + 1, shape) end
  if #shape == 1 then shape[2] = 1 end
  return lutra.matmul(a, b, { transpose_b = true }):reshape(shape)
end

-- Attention of queries {batch, steps, size} to values and keys: inputs {query, value[, key]}. `score` has no weights but
-- with use_scale one number, or one for each feature.
local function define_attention(kind, defaults, init, build, score)
  local Made = define(kind, defaults, 0, function(self, read)
    self.dropout_rate = options.number(kind, "dropout", read.dropout, 0, 1)
    self.seed = read.seed or nil
    init(self, read)
  end)
  Made.call_options = { mask = true, use_causal_mask = true, return_attention_scores = true }
  Made.only_merges_masks = true
  function Made:build(shapes)
    if type(shapes[1]) ~= "table" or #shapes < 2 or #shapes > 3 then
      self:refuse("it has %s, expected a list: {query, value} or {query, value, key}",
        type(shapes[1]) == "table" and #shapes .. " inputs" or "one input")
    end
    for i, shape in ipairs(shapes) do
      if #shape ~= 2 then self:refuse("input %d has the shape %s, expected (batch, steps, features)", i, options.batch_text(shape)) end
    end
    if build then build(self, shapes) end
  end
  function Made:compute_mask(_, mask) return type(mask) == "table" and mask[1] or nil end
  function Made:call(inputs, training, given)
    given = given or {}
    local query, value = inputs[1], inputs[2]
    local key = inputs[3] or value
    local scores = score(self, query, key)
    -- True where a query may look.
    local seen
    local told = given.mask or { masks.of(query) or false, masks.of(value) or false }
    if told[2] then seen = lutra.expand_dims(lutra.cast(told[2], "bool"), 2) end
    if given.use_causal_mask then
      local rows, columns = scores.shape[2], scores.shape[3]
      local past = lutra.range(rows):reshape { 1, rows, 1 }:ge(lutra.range(columns):reshape { 1, 1, columns })
      seen = seen and lutra.logical_and(seen, past) or past
    end
    if seen then scores = lutra.where(seen, scores, scores - (scores.dtype == "float16" and 65504 or 1e9)) end
    local weights = lutra.softmax(scores, -1)
    if training and self.dropout_rate > 0 then weights = use "nn.layers.dropping"(weights, self.dropout_rate, self.seed) end
    local result = lutra.matmul(weights, value)
    if told[1] then result = result * lutra.cast(lutra.expand_dims(told[1], -1), result.dtype) end
    if given.return_attention_scores then return { result, weights } end
    return result
  end
  made[kind] = Made
end

define_attention("Attention", { use_scale = false, score_mode = "dot", dropout = 0.0, seed = false }, function(self, read)
  self.use_scale = options.boolean("Attention", "use_scale", read.use_scale)
  options.word("Attention", "score_mode", read.score_mode, { dot = true, concat = true })
  self.score_mode = read.score_mode
end, function(self)
  if self.use_scale then self.scale = self:add_weight { name = "scale", shape = {}, initializer = "ones" } end
  if self.score_mode == "concat" then
    self.concat_score_weight = self:add_weight { name = "concat_score_weight", shape = {}, initializer = "ones" }
  end
end, function(self, query, key)
  if self.score_mode == "dot" then
    local scores = lutra.matmul(query, key, { transpose_b = true })
    return self.use_scale and scores * self.scale or scores
  end
  local both = lutra.expand_dims(query, 3) + lutra.expand_dims(key, 2)
  if self.use_scale then both = both * self.scale end
  return self.concat_score_weight * lutra.tanh(both):sum(-1)
end)

-- Scores by the sum of tanh(query + key) (Bahdanau, Cho and Bengio, ICLR 2015).
define_attention("AdditiveAttention", { use_scale = true, dropout = 0.0, seed = false }, function(self, read)
  self.use_scale = options.boolean("AdditiveAttention", "use_scale", read.use_scale)
end, function(self, shapes)
  if self.use_scale then
    self.scale = self:add_weight { name = "scale", shape = { shapes[1][2] }, initializer = "glorot_uniform" }
  end
end, function(self, query, key)
  local both = lutra.tanh(lutra.expand_dims(query, 3) + lutra.expand_dims(key, 2))
  return (self.use_scale and both * self.scale or both):sum(-1)
end)

return made
