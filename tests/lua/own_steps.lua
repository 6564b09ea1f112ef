-- Models with train_step and test_step of their own, as Keras documents them: in fit, evaluate and train_on_batch.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(2)
lt.random.set_seed(1)
local x = lt.random.normal { 32, 4 }
local y = x:sum(-1, { keepdims = true })

-- Keras' guide "Customizing what happens in fit()": the same step as that of all models.
local Custom = nn.Model:extend "Custom"
function Custom:init() self.dense = nn.Dense(1) end
function Custom:call(rows) return self.dense(rows) end
function Custom:train_step(data)
  local rows, labels = data[1], data[2]
  local tape <close> = lt.GradientTape()
  local predictions = self(rows, true)
  local loss = self:compute_loss(rows, labels, predictions, data[3])
  local variables = self:trainable_variables()
  self.optimizer:apply(tape:gradient(loss, variables), variables)
  local logs = self:compute_metrics(rows, labels, predictions, data[3])
  logs.loss = loss
  return logs
end

local Plain = nn.Model:extend "Plain"
Plain.init, Plain.call = Custom.init, Custom.call

local function trained(Class, options)
  lt.random.set_seed(2)
  local model = Class()
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.1 }, loss = "mse", metrics = { "mae" } }
  local history = model:fit(x, y, options)
  return model, history
end

expect.case("the same step as that of all models", function()
  local options = { epochs = 3, batch_size = 16, shuffle = false, verbose = 0 }
  local custom, history = trained(Custom, options)
  local plain, plain_history = trained(Plain, options)
  for i, weight in ipairs(plain:get_weights()) do expect.equal(custom:get_weights()[i]:bytes(), weight:bytes()) end
  expect.equal(#history.history.loss, 3)
  expect.close(history.history.mae, plain_history.history.mae, 1e-5)
  -- As in Keras, the loss is what the last step gave.
  assert(history.history.loss[3] ~= plain_history.history.loss[3])
  expect.close(custom:evaluate(x, y, { verbose = 0 }), plain:evaluate(x, y, { verbose = 0 }), 1e-6)
end)

expect.case("datasets, weights, validation, callbacks, train_on_batch", function()
  local Weighted = Custom:extend "Weighted"
  local seen = {}
  function Weighted:train_step(data)
    seen[#seen + 1] = #data
    return Custom.train_step(self, data)
  end
  function Weighted:test_step(data)
    return { distance = lt.abs(self(data[1], false) - data[2]):mean() }
  end
  local model = Weighted()
  model:compile { optimizer = "sgd", loss = "mse", metrics = { "mae" } }
  local names
  local ds = lt.data.Dataset.from_tensor_slices(x, y, lt.ones { 32 }):batch(16)
  local history = model:fit(ds, { epochs = 2, verbose = 0, validation_data = { x, y },
    callbacks = { function(_, logs)
      names = {}
      for name in pairs(logs) do names[#names + 1] = name end
      table.sort(names)
    end } }).history
  expect.equal(names, { "loss", "mae", "val_distance" })
  expect.equal(#history.val_distance, 2)
  expect.equal(seen, { 3, 3, 3, 3 })
  expect.close(model:evaluate(x, y, { verbose = 0 }), history.val_distance[2], 1e-6)
  expect.close(model:evaluate(x, y, { verbose = 0, return_dict = true }).distance, history.val_distance[2], 1e-6)
  local loss, mae = model:train_on_batch(x, y)
  assert(loss > 0 and mae > 0)
  expect.close(model:test_on_batch(x, y), model:evaluate(x, y, { verbose = 0 }), 1e-6)
  local text = expect.program([[
    local nn = lt.nn
    local Net = nn.Model:extend "Net"
    function Net:init() self.dense = nn.Dense(1) end
    function Net:call(x) return self.dense(x) end
    function Net:train_step(data) return { loss = 2.5, score = lt.constant { 0.5 } } end
    local net = Net()
    net:compile {}
    net:fit({ { 1.0 } }, { { 1.0 } }, { verbose = 2 })
  ]])
  assert(text:find("loss: 2.5000 - score: 0.5000", 1, true), text)
end)

expect.case("without labels and without a loss: two optimizers, as of a GAN", function()
  local Pair = nn.Model:extend "Pair"
  function Pair:init()
    self.maker, self.judge = nn.Dense(4), nn.Dense(1)
    self.maker_step, self.judge_step = lt.optim.Adam(), lt.optim.Adam()
  end
  function Pair:call(rows) return self.judge(self.maker(rows)) end
  function Pair:train_step(data)
    local rows = data[1]
    assert(data[2] == nil)
    local losses = {}
    for name, part in pairs { judge = self.judge, maker = self.maker } do
      local tape <close> = lt.GradientTape()
      local loss = (self(rows, true) - (name == "judge" and 1 or 0)):square():mean()
      local variables = part:trainable_variables()
      self[name .. "_step"]:apply(tape:gradient(loss, variables), variables)
      losses[name .. "_loss"] = loss
    end
    return losses
  end
  for _, data in ipairs { x, lt.data.Dataset.from_tensor_slices(x):batch(8) } do
    local pair = Pair()
    pair:compile {}
    local history = pair:fit(data, nil, { epochs = 2, verbose = 0 }).history
    expect.equal({ #history.judge_loss, #history.maker_loss }, { 2, 2 })
    expect.equal(pair.maker_step.iterations, pair.judge_step.iterations)
    assert(pair.maker_step.iterations > 0)
  end
end)

expect.case("in replicas", function()
  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
  local options = { epochs = 3, batch_size = 10, shuffle = false, verbose = 0 }
  local function in_scope(Class) return strategy:scope(trained, Class, options) end
  local alone, alone_history = trained(Plain, options)
  local custom, history = in_scope(Custom)
  -- The last batch has 2 rows, and 9 rows make unequal shares.
  for i, weight in ipairs(alone:get_weights()) do expect.close(custom:get_weights()[i], weight:totable(), 1e-5) end
  expect.close(history.history.mae, alone_history.history.mae, 1e-5)
  expect.equal(custom.optimizer.iterations, alone.optimizer.iterations)
  local single, single_history = trained(Custom, options)
  expect.close(history.history.loss, single_history.history.loss, 1e-5)
  expect.close(custom:train_on_batch(x[{ { 1, 9 } }], y[{ { 1, 9 } }]), (single:train_on_batch(x[{ { 1, 9 } }], y[{ { 1, 9 } }])), 1e-5)
  for i, weight in ipairs(single:get_weights()) do expect.close(custom:get_weights()[i], weight:totable(), 1e-5) end
  expect.close(custom:evaluate(x, y, { verbose = 0 }), single:evaluate(x, y, { verbose = 0 }), 1e-5)
  local Tested = Custom:extend "Tested"
  function Tested:test_step(data) return { distance = lt.abs(self(data[1], false) - data[2]):mean(), rows = #data[1] } end
  local tested = in_scope(Tested)
  local found = tested:evaluate(x, y, { batch_size = 32, verbose = 0, return_dict = true })
  expect.close(found.distance, lt.abs(tested(x) - y):mean():item(), 1e-5)
  expect.equal(found.rows, 16)
  local Uneven = Custom:extend "Uneven"
  function Uneven:train_step(data) return { [lt.distribute.get_replica_context().replica_id_in_sync_group == 1 and "a" or "b"] = #data[1] } end
  strategy:scope(function()
    local model = Uneven()
    model:compile { loss = "mse" }
    expect.raises("InvalidArgument", "in one replica and not in another", model.fit, model, x, y, { verbose = 0 })
  end)
end)

expect.case("what is refused", function()
  local function wrong(step, words, code)
    local Net = Custom:extend "Net"
    Net.train_step = step
    local net = Net()
    net:compile { loss = "mse" }
    expect.raises(code or "InvalidArgument", words, net.fit, net, x, y, { verbose = 0 })
  end
  wrong(function() end, "train_step of the model 'net': it gives nil, expected a table of numbers by name, as in {loss = loss}")
  wrong(function() return { loss = "a" } end, "loss is \"a\", expected a number by a name")
  wrong(function() return { 1 } end, "1 is 1, expected a number by a name")
  wrong(function(self, data) return { loss = self:compute_loss(data[1], data[2], lt.ones { 3, 2 }) } end, "do not match")
  expect.raises("InvalidArgument", "compile: loss is missing", Plain().compile, Plain(), {})
  local Bare = nn.Model:extend "Bare"
  Bare.init, Bare.call = Custom.init, Custom.call
  function Bare:train_step(data) return { loss = self:compute_loss(data[1], data[2], self(data[1])) } end
  local bare = Bare()
  bare:compile {}
  expect.raises("FailedPrecondition", "the model is compiled without a loss", bare.fit, bare, x, y, { verbose = 0 })
end)

expect.end_of_cases()
