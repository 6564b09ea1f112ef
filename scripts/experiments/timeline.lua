-- Where the time of a training step goes: three variants of one step on two simulated GPUs of a given speed, traced.
--   lutra scripts/experiments/timeline.lua [FILE.html|FILE.json]
-- The first reads the loss in every step, the second every tenth, the third also uses batches of four times the size. The
-- summaries show how long each device waited, and for what; FILE gets the last variant's timeline.
local kSteps, kSizes = 20, { 128, 256, 256, 10 }

lt.config.set_simulated_gpus(2, { gflops = 4, gbps = 8, link_gbps = 2, link_latency_us = 20 })
lt.random.set_seed(1)

local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
local model, optimizer, loss_of = strategy:scope(function()
  local made = lt.nn.Sequential()
  for i = 2, #kSizes do
    made:add(lt.nn.Dense(kSizes[i], { activation = i < #kSizes and "relu" or nil, input_shape = i == 2 and { kSizes[1] } or nil }))
  end
  return made, lt.optim.SGD { learning_rate = 0.05 }, lt.nn.losses.MeanSquaredError { reduction = "none" }
end)

-- One replica's part of a step: its mean loss over the whole batch.
local function replica_step(x, y, rows)
  local tape = lt.GradientTape()
  local loss = loss_of(y, model(x)):sum() / rows
  local variables = model:trainable_variables()
  optimizer:apply(tape:gradient(loss, variables), variables)
  return loss
end

local function train(rows, read_every)
  local x, y = lt.random.normal { rows // 2, kSizes[1] }, lt.random.normal { rows // 2, kSizes[#kSizes] }
  for step = 1, kSteps do
    local losses = strategy:run(replica_step, { x, y, rows })
    local loss = strategy:reduce("sum", losses)
    if step % read_every == 0 then loss:item() end -- waits for both devices
  end
  lt.synchronize()
end

local function busy(profile)
  local totals, words = profile:totals(), {}
  for _, device in ipairs(totals.devices) do
    if device.kernels > 0 then words[#words + 1] = ("%s %.0f%%"):format(device.name, 100 * device.busy_us / totals.length_us) end
  end
  return table.concat(words, ", "), totals
end

train(64, 1) -- makes the variables
local last
for _, variant in ipairs { { "the loss is read in each step", 64, 1 }, { "in every tenth step", 64, 10 }, { "and batches are larger", 256, 10 } } do
  local name, rows, read_every = table.unpack(variant)
  last = lt.profiler.run(train, rows, read_every)
  local words, totals = busy(last)
  print(("%-30s %7.1f us a step and row, devices busy: %s"):format(name, totals.length_us / kSteps / rows, words))
  for i = 1, math.min(2, #totals.gaps) do
    local gap = totals.gaps[i]
    print(("    %s idle for %.0f us a step: %s"):format(gap.device, gap.total_us / kSteps, gap.cause))
  end
end
print ""
last:summary(5)
if arg[1] then
  last:save(arg[1])
  print("\nwrote " .. arg[1])
end
