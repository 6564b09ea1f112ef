-- Custom training loops: what they add to a loss, and each replica's share of it. Results are compared with `fit`.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(3)

local x = lt.random.normal({ 16, 3 }, { seed = 1 })
local y = lt.random.normal({ 16, 2 }, { seed = 2 })
local weight = lt.random.uniform({ 16 }, { seed = 3 })

local function make()
  return nn.Sequential {
    nn.Dense(4, { activation = "tanh", input_shape = { 3 }, kernel_initializer = nn.initializers.GlorotUniform { seed = 4 }, kernel_regularizer = "l2" }),
    nn.Sequential { nn.Dense(2, { kernel_initializer = nn.initializers.GlorotUniform { seed = 5 }, bias_regularizer = "l1" }) },
  }
end
local function near(model, wanted, what)
  for i, value in ipairs(model:get_weights()) do
    local apart = (value - wanted[i]):abs():max():item()
    assert(apart < 1e-5, ("%s: variable %d is %g apart"):format(what, i, apart))
  end
end

expect.case("what regularizers cost can be asked for, also of layers below", function()
  local layer = nn.Dense(2, { kernel_initializer = "ones", bias_initializer = "ones", kernel_regularizer = "l2", bias_regularizer = "l1" })
  expect.equal(#layer:losses(), 0)
  layer(lt.ones { 1, 3 })
  local costs = layer:losses()
  assert(#costs == 2 and math.abs(costs[1]:item() - 0.06) < 1e-7 and math.abs(costs[2]:item() - 0.02) < 1e-7)
  expect.equal(#make():losses(), 2)
  expect.equal(#nn.Dense(1):losses(), 0)
end)

expect.case("a loop in replicas goes where fit on one device goes, with weights of rows and of the model", function()
  local alone = make()
  alone:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse" }
  alone:fit(x, y, { sample_weight = weight, batch_size = 8, epochs = 3, shuffle = false, verbose = 0 })
  local rows_lost = nn.losses.MeanSquaredError { reduction = "none" }
  for count = 1, 3 do
    local strategy = lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, count) }
    local model, optimizer = strategy:scope(function() return make(), lt.optim.SGD { learning_rate = 0.1 } end)
    -- The last of three replicas has two rows, the others three.
    local rows = count == 3 and 8 or nil
    local function step(some_x, some_y, some_weight)
      local tape <close> = lt.GradientTape()
      local lost = rows_lost(some_y, model(some_x, { training = true }))
      local loss = nn.compute_average_loss(lost, { sample_weight = some_weight, global_batch_size = rows })
        + nn.scale_regularization_loss(lt.add_n(model:losses()))
      local variables = model:trainable_variables()
      optimizer:apply(tape:gradient(loss, variables), variables)
    end
    local batches = strategy:experimental_distribute_dataset(lt.data.Dataset.from_tensor_slices({ x, y, weight }):batch(8))
    for _ = 1, 3 do
      for some_x, some_y, some_weight in batches:iterate() do strategy:run(step, { some_x, some_y, some_weight }) end
    end
    near(model, alone:get_weights(), count .. " replicas")
  end
end)

expect.case("outside of a strategy the average is a mean, and between replicas there is none", function()
  expect.equal(nn.compute_average_loss({ 1.0, 2.0, 6.0 }):item(), 3)
  expect.equal(nn.compute_average_loss({ 1.0, 3.0 }, { sample_weight = { 1, 3 } }):item(), 5)
  expect.equal(nn.compute_average_loss({ 1.0, 3.0 }, { global_batch_size = 8 }):item(), 0.5)
  expect.equal(nn.scale_regularization_loss({ 1.0, 3.0 }):item(), 4)
  local strategy = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }
  for _, f in ipairs { nn.compute_average_loss, nn.scale_regularization_loss } do
    expect.raises("FailedPrecondition", "it is called outside the replicas: call it in", strategy.scope, strategy, f, { 1.0 })
  end
  expect.raises("InvalidArgument", "per_example_loss is a scalar, expected one loss per row", nn.compute_average_loss, 1.0)
  expect.raises("InvalidArgument", "global_batch_size is 0", nn.compute_average_loss, { 1.0 }, { global_batch_size = 0 })
  expect.raises("InvalidArgument", "sample_weight has the shape (2,)", nn.compute_average_loss, { 1.0 }, { sample_weight = { 1, 2 } })
end)

expect.end_of_cases()
