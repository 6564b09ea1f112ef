-- Optimizers that add up gradients over several calls (gradient_accumulation_steps): n equal batches are one of n times
-- the rows, alone and in replicas.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local nn = lt.nn

lt.config.set_simulated_gpus(3)

case("every third call takes a step with the means", function()
  -- SGD with momentum, by hand.
  local w = lt.Variable { 1.0, -2.0 }
  local optimizer = lt.optim.SGD { learning_rate = 0.5, momentum = 0.5, gradient_accumulation_steps = 3 }
  local given = { { 1.0, 2.0 }, { 3.0, -2.0 }, { 2.0, 3.0 }, { 0.0, 6.0 }, { 3.0, 0.0 }, { 3.0, 0.0 } }
  local wanted = { { 1, -2 }, { 1, -2 }, { 0, -2.5 }, { 0, -2.5 }, { 0, -2.5 }, { -1.5, -3.75 } }
  for i, gradient in ipairs(given) do
    optimizer:apply({ lt.constant(gradient) }, { w })
    expect.close(w:totable(), wanted[i], 1e-6, "call " .. i)
    equal(optimizer.iterations, i // 3)
  end
end)

case("a variable without a gradient in some calls", function()
  local a, b = lt.Variable(1.0), lt.Variable(1.0)
  local optimizer = lt.optim.SGD { learning_rate = 1, gradient_accumulation_steps = 2 }
  optimizer:apply({ lt.constant(1.0), false }, { a, b })
  optimizer:apply({ false, false }, { a, b })
  expect.close(a:item(), 0.5, 1e-7)
  equal(b:item(), 1.0)
end)

case("batches of two rows are batches of eight, in any number of replicas", function()
  local x = lt.random.normal({ 24, 3 }, { seed = 1 })
  local y = x:sum(2, { keepdims = true }) + lt.random.normal({ 24, 1 }, { seed = 2 }) / 10
  local function trained(replicas, steps, how)
    local function make()
      lt.random.set_seed(4)
      local model = nn.Sequential { nn.Dense(5, { activation = "tanh", input_shape = { 3 } }), nn.Dense(1) }
      return model:compile { loss = "mse", optimizer = lt.optim.Adam { learning_rate = 0.05, global_clipnorm = 1,
        gradient_accumulation_steps = steps } }
    end
    local strategy = replicas > 0 and lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, replicas) }
    local model = strategy and strategy:scope(make) or make()
    model:fit(x, y, { batch_size = how, epochs = 12, shuffle = false, verbose = 0 })
    equal(model.optimizer.iterations, 36)
    return model:get_weights()
  end
  local wanted = trained(0, false, 8)
  for replicas = 0, 3 do
    for k, weight in ipairs(trained(replicas, 4, 2)) do
      expect.close(weight:reshape { -1 }:totable(), wanted[k]:reshape { -1 }:totable(), 1e-4, replicas .. " replicas, weight " .. k)
    end
  end
end)

case("wrong numbers are refused", function()
  expect.raises("InvalidArgument", "gradient_accumulation_steps", lt.optim.SGD, { gradient_accumulation_steps = 0 })
  expect.raises("InvalidArgument", "gradient_accumulation_steps", lt.optim.Adam, { gradient_accumulation_steps = 1.5 })
end)

expect.end_of_cases()
