-- Losses that layers add while they compute: which ones `losses` lists, and how training uses them, alone and in
-- replicas.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(3)

local x, y = lt.random.normal({ 12, 3 }, { seed = 1 }), lt.random.normal({ 12, 2 }, { seed = 2 })

local function near(got, wanted, what) expect.close(got, wanted, 2e-6, what) end
local function near_all(got, wanted, what)
  expect.equal(#got, #wanted, what)
  for i, tensor in ipairs(got) do near((tensor - wanted[i]):abs():max():item(), 0, ("%s, %d"):format(what, i)) end
end

-- Adds the mean of what it gets, twice, and hands it on.
local Watched = nn.Layer:extend "Watched"
function Watched:call(input)
  self:add_loss(0.5 * input:mean())
  self:add_loss { input:square():sum(-1) / #input }
  return input
end

local function dense(units, seed, more)
  local given = { kernel_initializer = nn.initializers.GlorotUniform { seed = seed } }
  for name, value in pairs(more or {}) do given[name] = value end
  return nn.Dense(units, given)
end
local function graph()
  local input = nn.Input { 3 }
  local hidden = dense(4, 3, { activation = "tanh", kernel_regularizer = "l2" })(input)
  return nn.Model { inputs = input, outputs = dense(2, 4, { activity_regularizer = "l1" })(Watched { name = "watched" }(hidden)) }
end
local Net = nn.Model:extend "Net"
function Net:init()
  self.first = dense(4, 3, { activation = "tanh", kernel_regularizer = "l2" })
  self.watched = Watched()
  self.last = dense(2, 4)
end
function Net:call(input)
  local out = self.last(self.watched(self.first(input)))
  self:add_loss(0.01 * out:abs():sum() / #input)
  return out
end

-- One training step, written out.
local function by_hand(model, rate)
  local w, b, v, c = table.unpack(model:trainable_variables())
  local tape <close> = lt.GradientTape()
  local hidden = lt.tanh(lt.linear(x, w, b))
  local out = lt.linear(hidden, v, c)
  local loss = (out - y):square():mean() + 0.5 * hidden:mean() + hidden:square():sum() / #x + 0.01 * out:abs():sum() / #x
    + 0.01 * w:square():sum()
  local gradients, moved = tape:gradient(loss, { w, b, v, c }), {}
  for i, variable in ipairs { w, b, v, c } do moved[i] = variable - rate * gradients[i] end
  return loss:item(), moved
end

expect.case("fit and evaluate tell them, and steps go down them", function()
  for _, make in ipairs { graph, Net } do
    local model = make()
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse", metrics = { "mse" } }
    model(x)
    local loss, moved = by_hand(model, 0.1)
    local told, error_alone = model:evaluate(x, y, { verbose = 0, batch_size = 12 })
    near(told, loss, "evaluate")
    assert(error_alone < told, "metrics are without them")
    near(model:fit(x, y, { verbose = 0, batch_size = 12 }).history.loss[1], loss, "fit")
    near_all(model:get_weights(), moved, "a step")
  end
end)

expect.case("replicas of any number go where one device goes, row by row", function()
  local function trained(count, precision)
    local strategy = count > 0 and lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, count) }
    local function make() return Net():compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse", precision = precision } end
    local model = strategy and strategy:scope(make) or make()
    -- Batches of 5, 5 and 2 rows: shares are not alike, and one may have none.
    local history = model:fit(x, y, { epochs = 2, batch_size = 5, shuffle = false, verbose = 0 }).history
    return model:get_weights(), history.loss
  end
  local weights, losses = trained(0)
  for count = 1, 3 do
    local here, told = trained(count)
    near_all(here, weights, count .. " replicas")
    for epoch = 1, 2 do near(told[epoch], losses[epoch], "loss") end
  end
  local _, in_bf16 = trained(0, "bf16")
  assert(math.abs(in_bf16[1] - losses[1]) < 0.02 * losses[1], "in bf16")
end)

expect.case("losses() has what the last call added, own ones first, then those below and of weights", function()
  local model = Net()
  expect.equal(#model:losses(), 0)
  model(x)
  model(x[{ { 1, 4 } }])
  local out = model(x)
  local list = model:losses()
  expect.equal(#list, 4)
  near(list[1]:item(), (0.01 * out:abs():sum() / 12):item(), "own")
  near(list[2]:item(), (0.5 * model.first(x):mean()):item(), "below")
  near(list[4]:item(), (0.01 * model.first.kernel:square():sum()):item(), "of weights")
  expect.equal(#model.watched:losses(), 2)
  -- A call of one layer is about that one.
  model.watched(lt.ones { 1, 2 })
  near(model.watched:losses()[2]:item(), 2)
  expect.equal(#model:losses(), 4)
  -- A layer that is called twice adds twice; one that is not called adds nothing.
  local Twice = nn.Model:extend "Twice"
  function Twice:init() self.list = { Watched(), Watched() } end
  function Twice:call(input) return self.list[1](self.list[1](input)) end
  local twice = Twice()
  for _ = 1, 3 do twice(x) end
  expect.equal(#twice:losses(), 4)
  -- Shapes are found by trying, which adds nothing, and an error in a call leaves nothing behind.
  expect.equal(#graph():losses(), 1)
  assert(not pcall(model, lt.ones { 2, 7 }))
  model(x)
  expect.equal(#model:losses(), 4)
end)

expect.case("in a loop of one's own each replica has its own", function()
  local strategy = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }
  local model = strategy:scope(function() return Net() end)
  model(x)
  local whole = lt.add_n(model:losses()):item()
  local parts = strategy:run(function()
    local id = lt.distribute.get_replica_context().replica_id_in_sync_group
    model(x[{ { id * 6 - 5, id * 6 } }])
    expect.equal(#model:losses(), 4)
    return lt.add_n(model:losses()) / 2
  end)
  near(strategy:reduce("sum", parts):item(), whole, "of both halves")
end)

-- Hands its input on from a coroutine that stops in the middle, having added its sum.
local Stopping = nn.Layer:extend "Stopping"
function Stopping:init(stops) self.stops = stops end
function Stopping:compute_output_shape(shape) return shape end
function Stopping:call(input)
  self:add_loss(input:sum())
  if self.stops then coroutine.yield() end
  self:add_loss(input:sum())
  return input
end

expect.case("a call that stops in a coroutine is around no other, until it goes on and when it is dropped", function()
  local function sums_of(model)
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.0 }, loss = "mse" }
    return model:fit(lt.ones { 1, 3 }, lt.zeros { 1, 3 }, { epochs = 3, verbose = 0 }).history.loss
  end
  local function other() return nn.Sequential { Stopping(false), nn.Dense(3, { kernel_initializer = "zeros" }) } end
  local stopping = Stopping(true)
  local thread = coroutine.create(function(input) return stopping(input) end)
  assert(coroutine.resume(thread, lt.ones { 2, 3 }))
  expect.equal(sums_of(other()), { 6, 6, 6 }, "while it waits")
  local model = nn.Sequential { stopping, Stopping(false) }
  local wrapped = coroutine.wrap(function(input) return model(input) end)
  wrapped(lt.ones { 1, 3 })
  expect.equal(sums_of(other()), { 6, 6, 6 }, "while two wait")
  wrapped()
  expect.equal(#model:losses(), 4, "of the one that went on")
  assert(coroutine.close(thread))
  local dropped = coroutine.wrap(function(input) return stopping(input) end)
  dropped(lt.ones { 2, 3 })
  dropped = nil
  expect.equal(sums_of(other()), { 6, 6, 6 }, "after one was dropped")
  collectgarbage()
  expect.equal(sums_of(other()), { 6, 6, 6 }, "after it was collected")
  -- Shapes that are tried out in a coroutine of which nothing more is heard.
  coroutine.wrap(function() nn.Layer.compute_output_shape(stopping, { 3 }) end)()
  expect.equal(sums_of(other()), { 6, 6, 6 }, "after shapes were tried")
end)

expect.case("a call that stops takes along whether it trains, what it computes in and what is frozen", function()
  local stopping = Stopping(true)
  local told
  local Told = nn.Layer:extend "Told"
  Told.compute_output_shape = stopping.compute_output_shape
  function Told:call(input, training)
    told = { tostring(training), input.dtype }
    return input
  end
  local model = nn.Sequential { stopping, Told() }:compile { loss = "mse", precision = "bf16" }
  local function alone()
    Told()(lt.ones { 1, 2 })
    return told
  end
  local thread = coroutine.create(function() model(lt.ones { 1, 2 }, true) end)
  assert(coroutine.resume(thread))
  expect.equal(alone(), { "false", "float32" })
  assert(coroutine.resume(thread))
  expect.equal(told, { "true", "bfloat16" }, "it goes on")
  expect.equal(alone(), { "false", "float32" })
  local wrapped = coroutine.wrap(function() model(lt.ones { 1, 2 }, true) end)
  wrapped()
  expect.equal(alone(), { "false", "float32" })
  wrapped()
  expect.equal(told, { "true", "bfloat16" }, "a wrapped one goes on")
  thread = coroutine.create(function() model(lt.ones { 1, 2 }, true) end)
  assert(coroutine.resume(thread))
  assert(coroutine.close(thread))
  coroutine.wrap(function() stopping(lt.ones { 1, 2 }, true) end)()
  expect.equal(alone(), { "false", "float32" }, "closed, or left")
end)

expect.case("a call that starts coroutines is around what they call", function()
  local Inside = nn.Layer:extend "Inside"
  function Inside:init() self.one = Stopping(false) end
  function Inside:call(input)
    for _ = 1, 2 do input = coroutine.wrap(function() return self.one(input) end)() end
    return input
  end
  local layer = Inside()
  for _ = 1, 2 do layer(lt.ones { 1, 3 }) end
  expect.equal(#layer:losses(), 4)
end)

expect.case("activity_regularizer is an option, and a field of layers of one's own; files keep it", function()
  local Own = nn.Layer:extend "Own"
  function Own:init() self.activity_regularizer = nn.regularizers.L2 { l2 = 0.5 } end
  function Own:call(input) return { input, 2 * input } end
  local own = Own()
  own(lt.ones { 4, 2 })
  near(own:losses()[1]:item(), 1)
  near(own:losses()[2]:item(), 4)
  local ids = lt.constant { { 1, 2, 1 }, { 3, 3, 3 } }
  local model = nn.Sequential { nn.Embedding(3, 2, { activity_regularizer = nn.regularizers.L1 { l1 = 1.0 }, input_shape = { 3 } }) }
  local path = expect.path ".safetensors"
  model:save(path)
  local again = nn.load_model(path)
  os.remove(path)
  local out = again(ids)
  near(again:losses()[1]:item(), (out:abs():sum() / 2):item())
  expect.raises("InvalidArgument", "Dense: activity_regularizer is \"l3\", which is not known", nn.Dense, 1, { activity_regularizer = "l3" })
end)

expect.case("with several outputs they are in the sum of the losses", function()
  local input = nn.Input { 3 }
  local hidden = Watched()(input)
  local model = nn.Model { inputs = input, outputs = { dense(2, 1, { name = "a" })(hidden), dense(2, 2, { name = "b" })(hidden) } }
  model:compile { optimizer = "sgd", loss = "mse" }
  local told = model:evaluate(x, { y, y }, { verbose = 0, return_dict = true })
  near(told.loss, told.a_loss + told.b_loss + (0.5 * x:mean() + x:square():sum() / 12):item())
end)

expect.case("the weights of a layer that is not trained cost nothing", function()
  local layer = nn.Dense(1, { kernel_regularizer = "l2", input_shape = { 3 } })
  local model = nn.Sequential { layer, nn.Dense(2) }
  expect.equal(#model:losses(), 1)
  layer.trainable = false
  expect.equal(#model:losses(), 0)
  model:compile { optimizer = "sgd", loss = "mse", metrics = { "mse" } }
  local loss, metric = model:evaluate(x, y, { verbose = 0 })
  near(loss, metric)
end)

expect.case("what cannot be added is refused", function()
  local Wrong = nn.Layer:extend "Wrong"
  function Wrong:init(loss) self.loss = loss end
  function Wrong:call(input)
    self:add_loss(self.loss)
    return input
  end
  expect.raises("InvalidArgument", "layer 'wrong': add_loss: loss is 1, expected a tensor", Wrong({ 1 }), x)
  expect.raises("InvalidArgument", "layer 'wrong_1': add_loss: loss is", Wrong(nn.Input { 3 }), x)
  for words, cost in pairs { ["gives nil"] = function() end, ["gives 3"] = function() return 3 end } do
    local layer = nn.Dense(1, { activity_regularizer = cost, name = "d" })
    expect.raises("InvalidArgument", "layer 'd': its activity_regularizer " .. words .. ", expected a tensor", layer, x)
  end
  for words, cost in pairs { ["gives nil"] = function() end, ["gives false"] = function() return false end } do
    local model = nn.Sequential { nn.Dense(2, { kernel_regularizer = cost, name = "d" }) }
    model:compile { loss = "mse" }
    expect.raises("InvalidArgument", "layer 'd': its kernel_regularizer " .. words .. ", expected a tensor", model.train_on_batch, model, x, y)
    expect.raises("InvalidArgument", "layer 'd': its kernel_regularizer " .. words, model.losses, model)
  end
  local watched = Watched()
  expect.raises("Unimplemented", "it adds a loss inside lutra.recompute_grad", function() return lt.recompute_grad(function(input)
    return watched(input)
  end)(x) end)
  watched(x)
  expect.equal(#watched:losses(), 2)
end)

expect.end_of_cases()
