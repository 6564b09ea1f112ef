-- A pipeline over layers: parts of a batch go through layers one after the other; a plan puts the layers on three
-- simulated GPUs, so that one computes the second layers of a part while another has the first of the next.
--   lutra scripts/experiments/layer_pipeline.lua [PARTS]
local kParts = tonumber(arg[1]) or 8
local kRows, kWidth, kLayers = 32, 512, 6

lt.config.set_simulated_gpus(3, {gflops = 2, gbps = 20, link_gbps = 2, link_latency_us = 20})

local weights = {}
for i = 1, kLayers do
  weights[i] = lt.Variable(lt.random.normal({kWidth, kWidth}, {seed = i}) * (2 / kWidth) ^ 0.5, {name = "layer" .. i})
end

local function forward(parts)
  local results = {}
  for p, x in ipairs(parts) do
    for _, w in ipairs(weights) do x = lt.relu(x:matmul(w)) end
    results[p] = lt.mean(x)
  end
  return results
end

local parts = {}
for p = 1, kParts do parts[p] = lt.random.normal({kRows, kWidth}, {seed = 100 + p}) end

local plan = lt.placement.optimize(forward, {parts}, {devices = {"GPU:0", "GPU:1", "GPU:2"}, budget_ms = 300})
local alone = lt.placement.optimize(forward, {parts}, {devices = {"GPU:0"}})
local results = plan:run(parts)
local one, three = alone:time(4, parts), plan:time(4, parts)
print(("%d parts through %d layers"):format(kParts, kLayers))
print(("one GPU:    predicted %6.2f ms, measured %6.2f ms"):format(alone.makespan_us / 1e3, one / 1e3))
print(("three GPUs: predicted %6.2f ms, measured %6.2f ms"):format(plan.makespan_us / 1e3, three / 1e3))
for _, name in ipairs {"GPU:0", "GPU:1", "GPU:2"} do
  print(("%s is busy %.0f%% of the time"):format(name, 100 * plan.devices[name].busy_us / plan.makespan_us))
end
for p, result in ipairs(alone:run(parts)) do assert(result:item() == results[p]:item(), "the bits differ") end
print(("the same results, in %.0f%% of the time"):format(100 * three / one))
