-- Pretrained models: layers that are not trained, and calls that say whether the model is training.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(2)

local x, y = lt.random.normal({ 32, 3 }, { seed = 1, mean = 2.0 }), lt.random.normal({ 32, 1 }, { seed = 2 })

local function base() return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.BatchNorm(), nn.Dropout(0.5) } end
local function bits(model)
  local list = {}
  for i, value in ipairs(model:get_weights()) do list[i] = value:bytes() end
  return list
end
local function train(model)
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.01 }, loss = "mse" }
  model:fit(x, y, { epochs = 2, batch_size = 8, verbose = 0 })
end
local function ways_to_hold(below)
  local rows = nn.Input { 3 }
  local Net = nn.Model:extend "Net"
  function Net:init() self.below, self.head = below, nn.Dense(1) end
  function Net:call(input) return self.head(self.below(input)) end
  return {
    sequential = nn.Sequential { below, nn.Dense(1) }, graph = nn.Model { inputs = rows, outputs = nn.Dense(1)(below(rows)) }, class = Net(),
  }
end

expect.case("nothing in a frozen model moves, BatchNorm's statistics neither, and it uses those it has", function()
  for _, how in ipairs { "sequential", "graph", "class" } do
    local frozen = base()
    frozen.trainable = false
    local before, model = bits(frozen), ways_to_hold(frozen)[how]
    train(model)
    expect.equal(bits(frozen), before, how)
    expect.equal(#model:trainable_variables(), 2)
    -- Called with training = true: the dropout is active, and the statistics stay.
    expect.equal(bits(frozen), before)
    local normalised = nn.Sequential { frozen.layers[1], frozen.layers[2] }
    normalised.trainable = false
    expect.equal(normalised(x, true):bytes(), normalised(x, false):bytes(), how)
    assert(normalised.layers[2](x:matmul(lt.ones { 3, 4 }), true):mean():item() < 0.1, "thawed, it uses the batch's")
  end
end)

expect.case("what is not frozen goes on, also beside what is and after an error in it", function()
  local frozen, free = base(), base()
  frozen.trainable = false
  local rows = nn.Input { 3 }
  local before, free_before = bits(frozen), bits(free)
  train(nn.Model { inputs = rows, outputs = nn.Dense(1)(nn.Add() { frozen(rows), free(rows) }) })
  expect.equal(bits(frozen), before)
  for i, value in ipairs(bits(free)) do assert(value ~= free_before[i], "variable " .. i .. " has not moved") end
  local Broken = nn.Layer:extend "Broken"
  function Broken:call() error "broken" end
  local broken, norm = Broken(), nn.BatchNorm()
  broken.trainable = false
  assert(not pcall(broken, x))
  norm(x, true)
  assert(norm.moving_mean:value():mean():item() > 0, "BatchNorm has not noticed its batch")
end)

expect.case("a replica's frozen layers do not move either", function()
  local strategy = lt.distribute.MirroredStrategy()
  local frozen, model = strategy:scope(function()
    local below = base()
    below.trainable = false
    return below, nn.Sequential { below, nn.Dense(1) }
  end)
  local before = bits(frozen)
  strategy:scope(train, model)
  expect.equal(bits(frozen), before)
end)

expect.case("a frozen layer that is computed again for its gradient is still frozen", function()
  local frozen, before = base(), nil
  frozen.trainable, before = false, bits(frozen)
  local rows = lt.Variable(x)
  local function gradient(call)
    lt.random.set_seed(3)
    local tape <close> = lt.GradientTape()
    return tape:gradient(call(rows):square():sum(), rows)
  end
  local Outer = nn.Layer:extend "Outer"
  function Outer:init() self.below = nn.Sequential { frozen.layers[1], frozen.layers[2] } end
  function Outer:call(input) return lt.recompute_grad(function(z) return self.below(z) end)(input) end
  local outer = Outer()
  outer.trainable = false
  local plain = gradient(function(z) return outer.below(z, false) end)
  expect.equal(gradient(function(z) return outer(z, true) end):bytes(), plain:bytes())
  expect.equal(bits(frozen), before)
end)

expect.case("a graph can be ended at any of its layers, which it then shares", function()
  local rows = nn.Input { 3 }
  local hidden = nn.Dense(4, { activation = "relu", name = "hidden" })(rows)
  local steps = nn.LSTM(2, { name = "steps", return_state = true })(nn.Reshape({ 2, 2 })(hidden))
  local whole = nn.Model { inputs = rows, outputs = nn.Dense(1)(steps[1]) }
  local Named = nn.Layer:extend "Named"
  function Named:init() self.output = nn.Dense(2) end
  function Named:call(input) return self.output(input) end
  local named = Named()
  assert(named(rows) ~= named.output and named.output.units == 2, "the user's own field")
  local features = nn.Model { inputs = whole.inputs, outputs = { whole:get_layer("hidden").output, whole:get_layer("steps").output[3] } }
  train(whole)
  local told = features(x)
  expect.equal(told[1]:bytes(), whole.layers[1](x):bytes())
  expect.equal({ told[2].shape[1], told[2].shape[2] }, { 32, 2 })
  -- Something else on top of what was learned, which stays.
  local head = nn.Dense(1)
  for _, layer in ipairs(features.layers) do layer.trainable = false end
  local tuned = nn.Model { inputs = whole.inputs, outputs = head(whole:get_layer("hidden").output) }
  local before = bits(features)
  train(tuned)
  expect.equal(bits(features), before)
  expect.equal(#tuned:trainable_variables(), 2)
  expect.equal({ #whole.outputs, whole.outputs[1].shape[1] }, { 1, 1 })
end)

expect.case("what a call in a graph says of training holds, also from a file", function()
  local path = expect.path ".safetensors"
  local below, rows = base(), nn.Input { 3 }
  local model = nn.Model { inputs = rows, outputs = nn.Dense(1)(below(rows, { training = false })) }
  train(model)
  expect.equal(below.layers[2].moving_mean:value():totable(), { 0, 0, 0, 0 })
  assert(#model:trainable_variables() == 6)
  expect.equal(model(x, true):bytes(), model(x, false):bytes())
  model:save(path)
  local loaded = nn.load_model(path)
  expect.equal(loaded(x, true):bytes(), model(x, false):bytes())
  os.remove(path)
  -- Dropout that is always there.
  local always = nn.Model { inputs = rows, outputs = nn.Dropout(0.5)(rows, true) }
  assert(lt.any(always:predict(x):eq(0)):item())
  -- Layers of a class inside hear it too.
  local Twice = nn.Model:extend "Twice"
  function Twice:init() self.drop = nn.Dropout(0.5) end
  function Twice:call(input) return self.drop(input) end
  local still = nn.Model { inputs = rows, outputs = Twice()(rows, false) }
  expect.equal(still(x, true):bytes(), x:bytes())
end)

expect.end_of_cases()
