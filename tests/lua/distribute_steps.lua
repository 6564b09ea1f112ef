-- Replicas have the same bits after a thousand steps, whatever ran on the devices before. `lutra
-- tests/lua/distribute_steps.lua [STEPS]`, or LUTRA_TEST_STEPS: fewer steps where a sanitizer slows them down.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local replicas = dofile("tests/support/replicas.lua")
local nn = lt.nn
local kSteps = tonumber(arg[1] or os.getenv("LUTRA_TEST_STEPS")) or 1000

lt.config.set_simulated_gpus(4)
lt.config.set_logical_device_configuration("CPU:0", { {}, {} })
lt.random.set_seed(3)

local function make()
  local model = nn.Sequential {
    nn.Dense(24, { activation = "relu", input_shape = { 12 } }), nn.BatchNorm(), nn.Dropout(0.2), nn.Dense(3),
  }
  return model:compile {
    optimizer = lt.optim.Adam { learning_rate = 0.01, global_clipnorm = 1.0 },
    loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true },
  }
end

local x = lt.random.normal({ 230, 12 }, { seed = 1 })
local y = lt.argmax(x:matmul(lt.random.normal({ 12, 3 }, { seed = 2 })), -1)
for _, devices in ipairs { { "GPU:0", "GPU:1", "GPU:2", "GPU:3" }, { "CPU:0", "CPU:1" }, { "GPU:1", "CPU:0" } } do
  local strategy = lt.distribute.MirroredStrategy(devices)
  local model = strategy:scope(make)
  -- Ten steps an epoch, the last of 14 rows; the first strategy takes all of them.
  local epochs = math.max(1, (#devices == 4 and kSteps or kSteps // 10) // 10)
  local losses = model:fit(x, y, { batch_size = 24, epochs = epochs, verbose = 0 }).history.loss
  local list = replicas.variables(model)
  assert(#list > 12, "too few variables")
  replicas.check(strategy, list)
  expect.equal(model.optimizer.iterations, 10 * epochs, "steps")
  if epochs >= 10 then assert(losses[#losses] < 0.7 * losses[1], ("the loss falls from %g to %g"):format(losses[1], losses[#losses])) end
end
