-- Would more GPUs be faster? The predicted time of a training step on several simulated GPUs that share a batch, beside the
-- measured one.
--   lutra scripts/experiments/scaling.lua [STEPS [ROWS]]
local kSteps, kRows = tonumber(arg[1]) or 6, tonumber(arg[2]) or 256
local kSizes = {256, 768, 768, 10}

lt.config.set_simulated_gpus(4, {gflops = 10, gbps = 20, link_gbps = 1, link_latency_us = 20})

local function compiled()
  local model = lt.nn.Sequential()
  for i = 2, #kSizes do
    model:add(lt.nn.Dense(kSizes[i], {activation = i < #kSizes and "relu" or nil, input_shape = i == 2 and {kSizes[1]} or nil}))
  end
  return model:compile {optimizer = "sgd", loss = lt.nn.losses.SparseCategoricalCrossentropy {from_logits = true}}
end

local function batch(rows)
  return lt.random.normal({rows, kSizes[1]}, {seed = 1}), lt.random.randint({rows}, 1, kSizes[#kSizes], {seed = 2})
end

local counts = {1, 2, 4}
local predicted = lt.placement.scaling(compiled(), {batch(kRows)}, counts)
print(predicted)

print("replicas  predicted   measured   error")
local x, y = batch(kRows * kSteps)
for _, n in ipairs(counts) do
  local names = {}
  for i = 1, n do names[i] = "/GPU:" .. i - 1 end
  local model = lt.distribute.MirroredStrategy(names):scope(compiled)
  local function step_us()
    lt.synchronize()
    local start = lt.time()
    model:fit(x, y, {batch_size = kRows, shuffle = false, verbose = 0})
    lt.synchronize()
    return (lt.time() - start) / kSteps * 1e6
  end
  step_us()  -- rows have crossed the links after it, and stay there
  local us = math.min(step_us(), step_us())
  print(("%8d  %6.2f ms  %6.2f ms  %5.1f%%"):format(n, predicted[n].step_us / 1e3, us / 1e3, 100 * (us / predicted[n].step_us - 1)))
end
