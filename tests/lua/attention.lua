-- Multi-head attention: results, scores and gradients against the formulas computed head by head
-- (make_attention_reference.py), masks, graphs, and refused arguments.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, nn_cases = dofile("tests/support/expect.lua"), require "nn_cases"
local nn = lt.nn

local function close(got, wanted, what) expect.close(got:flatten(), wanted, 4e-6, what) end

local function noise(seed, shape, factor) return nn_cases.tensor(seed, shape, "float32", factor) end
local function sizes(shape) return { table.unpack(shape) } end
local function without_batch(shapes)
  local rows = {}
  for i, shape in ipairs(shapes) do rows[i] = { table.unpack(shape, 2) } end
  return #rows == 1 and rows[1] or rows
end

expect.case("results, scores and gradients are the formulas'", function()
  for number, case in ipairs(require "golden.attention_reference") do
    local what = "case " .. number
    local layer = nn.MultiHeadAttention(case.heads, case.key_dim, case.options)
    layer:ensure_built(without_batch(case.inputs))
    local values, names = {}, { query = 10, key = 12, value = 14, attention_output = 16 }
    for i, variable in ipairs(layer:variables()) do
      local part, kind = variable.name:match("([%w_]+)/(%w+)$")
      values[i] = noise(names[part] + (kind == "bias" and 1 or 0), sizes(variable.shape), kind == "bias" and 0.5 or 1)
    end
    layer:set_weights(values)
    local xs = {}
    for i, shape in ipairs(case.inputs) do xs[i] = noise(i, shape) end
    local tape <close> = lt.GradientTape()
    tape:watch(xs)
    local y, scores = table.unpack(layer(#xs == 1 and xs[1] or xs, {
      attention_mask = case.mask and noise(60, case.mask):gt(0) or nil, use_causal_mask = case.causal, return_attention_scores = true,
    }))
    close(y, case.gives, what .. ", result")
    close(scores, case.scores, what .. ", scores")
    local loss = (y * noise(50, sizes(y.shape))):sum() + (scores * noise(51, sizes(scores.shape))):sum()
    local sources = { table.unpack(xs) }
    local variables = layer:variables()
    table.move(variables, 1, #variables, #sources + 1, sources)
    for i, gradient in ipairs(tape:gradient(loss, sources)) do close(gradient, case.gradients[i], what .. ", gradient " .. i) end
    local shapes = layer:compute_output_shape(without_batch(case.inputs), { return_attention_scores = true })
    expect.equal(shapes, { { table.unpack(y.shape, 2) }, { table.unpack(scores.shape, 2) } }, what .. ": shapes")
  end
end)

expect.case("weights have Keras' names and shapes", function()
  local layer = nn.MultiHeadAttention(2, 3, { value_dim = 5, name = "a" })
  layer { lt.zeros { 1, 2, 4 }, lt.zeros { 1, 3, 6 } }
  local names = {}
  for i, variable in ipairs(layer:variables()) do names[i] = variable.name .. " " .. tostring(variable.shape) end
  expect.equal(names, { "a/query/kernel (4, 2, 3)", "a/query/bias (2, 3)", "a/key/kernel (6, 2, 3)", "a/key/bias (2, 3)",
    "a/value/kernel (6, 2, 5)", "a/value/bias (2, 5)", "a/attention_output/kernel (2, 5, 4)", "a/attention_output/bias (4,)" })
end)

expect.case("a causal mask hides what comes later", function()
  local layer = nn.MultiHeadAttention(2, 4)
  local x = noise(1, { 1, 5, 3 })
  local y = layer(x, { use_causal_mask = true })
  local changed = lt.concat({ x[{ {}, { 1, 3 } }], noise(2, { 1, 2, 3 }) }, 2)
  local z = layer(changed, { use_causal_mask = true })
  assert(lt.all(y[{ {}, { 1, 3 } }]:eq(z[{ {}, { 1, 3 } }])):item(), "the steps before")
  assert(not lt.any(y[{ {}, { 4, 5 } }]:eq(z[{ {}, { 4, 5 } }])):item(), "the steps after")
  -- A mask of numbers is true where they are not 0.
  local lower = lt.tril(lt.ones { 5, 5 })
  assert(lt.all(layer(x, { attention_mask = lower }):eq(y)):item(), "a mask of numbers")
end)

expect.case("steps along a given axis see their own places, as rows of their own would", function()
  local layer = nn.MultiHeadAttention(2, 4, { attention_axes = 2 })
  local x, allowed = noise(1, { 2, 3, 5, 4 }), noise(2, { 2, 3, 5 }):gt(-0.3)
  local function places(t) return lt.concat(lt.split(t, t.shape[3], 3)):squeeze(3) end
  local y = layer(x, { use_causal_mask = true, query_mask = allowed, value_mask = allowed })
  local plain = nn.MultiHeadAttention(2, 4)
  plain:ensure_built { 3, 4 }
  plain:set_weights(layer:get_weights())
  local rows = places(allowed)
  local wanted = plain(places(x), { use_causal_mask = true, query_mask = rows, value_mask = rows })
  close(places(y), wanted:flatten():totable(), "places")
  -- A mask with fewer axes applies to all elements of the missing ones.
  local whole = noise(3, { 2, 3 }):gt(0)
  local wide = whole:reshape({ 2, 3, 1 }):broadcast_to { 2, 3, 5 }
  assert(lt.all(layer(x, { value_mask = whole }):eq(layer(x, { value_mask = wide }))):item(), "a mask of the first axes")
  -- Over both axes at once, steps are those of an image laid out in a line.
  local image = nn.MultiHeadAttention(2, 4, { attention_axes = { 2, 3 } })
  image:ensure_built { 3, 5, 4 }
  image:set_weights(layer:get_weights())
  local line = plain(x:reshape { 2, 15, 4 }, { value_mask = allowed:reshape { 2, 15 } })
  close(image(x, { value_mask = allowed }), line:flatten():totable(), "a line")
end)

expect.case("dropout is in training only", function()
  local layer = nn.MultiHeadAttention(1, 4, { dropout = 0.5, seed = 3 })
  local x = noise(1, { 2, 50, 3 })
  local plain = layer(x, { return_attention_scores = true })
  assert(lt.all(layer(x):eq(plain[1])):item(), "outside training")
  local trained = layer(x, { return_attention_scores = true, training = true })
  assert(lt.all(trained[2]:eq(plain[2])):item(), "scores are told before dropout")
  assert(not lt.any(trained[1]:eq(plain[1])):item(), "in training")
  local function first()
    lt.random.set_seed(1)
    return layer(x, true)
  end
  assert(lt.all(first():eq(first())):item() and not lt.all(layer(x, true):eq(first())):item(), "by a seed, call by call")
end)

-- The task is to reverse a sequence: each step must attend to the one at the mirrored position.
expect.case("a graph with attention learns to turn a sequence round", function()
  lt.random.set_seed(5)
  local steps, words = 5, 6
  local ids = lt.random.randint({ 128, steps }, 1, words)
  local input = nn.Input { steps }
  local places = nn.Layer:extend "Places"
  function places:build(shape) self.table = self:add_weight { name = "table", shape = { shape[1], shape[2] } } end
  function places:call(x) return x + self.table end
  local x = places()(nn.Embedding(words, 16, { embeddings_initializer = "glorot_uniform" })(input))
  local attended, scores = table.unpack(nn.MultiHeadAttention(2, 8)({ x, x }, { return_attention_scores = true }))
  local model = nn.Model { inputs = input, outputs = nn.Dense(words)(nn.Add() { x, attended }) }
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.02 }, metrics = { "accuracy" },
    loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
  local history = model:fit(ids, lt.flip(ids, 2), { epochs = 40, verbose = 0, seed = 1 }).history
  assert(history.accuracy[40] > 0.95, history.accuracy[40])
  local weights = nn.Model { inputs = input, outputs = scores }(ids)
  expect.equal(sizes(weights.shape), { 128, 2, steps, steps })
  assert(lt.all(lt.abs(weights:sum(-1) - 1):lt(1e-5)):item(), "weights of a step add up to 1")
end)

expect.case("what does not fit is refused, by name", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  local layer = nn.MultiHeadAttention(2, 3, { name = "heads" })
  refused("layer 'heads': query has the shape (batch, 4), expected (batch, steps, features)", layer, lt.zeros { 2, 4 })
  refused("layer 'heads': value has 5 steps and key 6, expected as many", layer, { lt.zeros { 1, 3, 4 }, lt.zeros { 1, 5, 4 }, lt.zeros { 1, 6, 4 } })
  local x = lt.zeros { 2, 3, 4 }
  layer(x)
  refused("layer 'heads': query has the shape (2, 3, 5), expected (batch, steps, 4)", layer, lt.zeros { 2, 3, 5 })
  refused("layer 'heads': value has the shape (1, 3, 4), expected (2, steps, 4)", layer, { x, lt.zeros { 1, 3, 4 } })
  refused("layer 'heads': attention_mask has the shape (2, 3, 4), expected (2, 3, 3) or what broadcasts to it", layer, x,
    { attention_mask = lt.ones { 2, 3, 4 } })
  refused("layer 'heads': attention_mask has the shape (3,)", layer, x, { attention_mask = lt.ones { 3 } })
  for _, name in ipairs { "attention_mask", "query_mask" } do
    refused(("layer 'heads': %s is 1, expected a tensor"):format(name), layer, x, { [name] = 1 })
  end
  refused("layer 'heads': unknown option 'causal'", layer, x, { causal = true })
  local axes = nn.MultiHeadAttention(2, 3, { name = "axes", attention_axes = { 2, -2 } })
  refused("layer 'axes': attention_axes has -2, and its input has 3 axes: expected axes of 2 to 2, each once", axes, x)
  refused("layer 'axes': use_causal_mask is for steps along one axis, and there are 2", axes, lt.zeros { 1, 2, 3, 4 }, { use_causal_mask = true })
  refused("layer 'axes': query_mask has the shape (1, 3), expected (1, 2, 3)", axes, lt.zeros { 1, 2, 3, 4 }, { query_mask = lt.ones { 1, 3 } })
  refused("layer 'axes': attention_mask has the shape (3, 3), expected (1, 2, 3, 2, 3) or what broadcasts to it", axes, lt.zeros { 1, 2, 3, 4 },
    { attention_mask = lt.ones { 3, 3 } })
  local places = nn.MultiHeadAttention(2, 3, { name = "places", attention_axes = 2 })
  refused("layer 'places': query has 3 places along axis 3 and value 2, expected as many", places, { lt.zeros { 1, 2, 3, 4 }, lt.zeros { 1, 2, 2, 4 } })
  refused("layer 'places': value has the shape (batch, 2, 4), expected (batch, 2 axes of steps, features)", places,
    { lt.zeros { 1, 2, 3, 4 }, lt.zeros { 1, 2, 4 } })
  local deep = nn.MultiHeadAttention(1, 1, { name = "deep" })
  refused("layer 'deep': 4 axes of steps and 0 others make scores of 10 axes, expected 8 at most", deep, lt.zeros { 1, 1, 1, 1, 1, 1 })
  refused("attention_axes is 1.5, expected a whole number", nn.MultiHeadAttention, 2, 3, { attention_axes = 1.5 })
  refused("attention_axes is an empty list, expected an axis or a list of them", nn.MultiHeadAttention, 2, 3, { attention_axes = {} })
  refused("MultiHeadAttention: num_heads is 0, expected a whole number, 1 or more", nn.MultiHeadAttention, 0, 4)
  refused("MultiHeadAttention: key_dim is nil", nn.MultiHeadAttention, 2)
end)

expect.end_of_cases()
