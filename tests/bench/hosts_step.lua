-- A training step whose gradients are summed over hosts. The GPU is simulated, so that many hosts fit on few cores.
-- Prints {predicted = {[n] = us}} as lines "N US" for the counts, or, in a launch, "measured US".
--   lutra tests/bench/hosts_step.lua LINK LATENCY_US N...
--   lutra launch -n N tests/bench/hosts_step.lua
local lt = require "lutra"
local link, latency = ...
local d, nn = lt.distribute, lt.nn
local kRows, kSize, kSteps = 512, 640, 12

lt.config.set_simulated_gpus(1, { gflops = 20, gbps = 20, link_gbps = 4, link_latency_us = 20 })
local function compiled()
  local model = nn.Sequential()
  for i = 1, 4 do model:add(nn.Dense(kSize, { activation = "relu", input_shape = i == 1 and { kSize } or nil })) end
  model:add(nn.Dense(10))
  return model:compile { optimizer = "sgd", loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
end
local x, y = lt.random.normal({ kRows, kSize }, { seed = 1 }), lt.random.randint({ kRows }, 1, 10, { seed = 2 })

if link then
  local counts = {}
  for i, word in ipairs { select(3, ...) } do counts[i] = math.tointeger(tonumber(word)) end
  local predicted = lt.placement.scaling(compiled(), { x, y }, counts, { link = link, latency_us = tonumber(latency) })
  for _, n in ipairs(counts) do print(n, predicted[n].step_us) end
else
  local model = d.MultiWorkerMirroredStrategy():scope(compiled)
  local times = {}
  for i = -2, kSteps do
    d.barrier()
    local start = lt.time()
    model:train_on_batch(x, y)
    lt.synchronize()
    d.barrier()
    if i > 0 then times[i] = (lt.time() - start) * 1e6 end
  end
  table.sort(times)
  if d.rank() == 0 then print("measured", times[kSteps // 2]) end
end
