-- Data-parallel training on 1, 2 and 4 simulated GPUs of a given speed: weak scaling, with the same rows per replica.
--   lutra scripts/experiments/data_parallel.lua [STEPS]
-- The measurement is compared with a model (docs/distribute.md): the gradients cross the links to the first replica all at
-- once, are added up there, and the sums cross back one after the other.
local kSteps = tonumber(arg[1]) or 12
local kRows, kSizes = 64, { 256, 768, 768, 10 }           -- rows a replica; numbers that go from layer to layer
local kGflops, kGbps, kLinkGbps, kLatencyUs = 10, 20, 1.0, 20

lt.config.set_simulated_gpus(4, {gflops = kGflops, gbps = kGbps, link_gbps = kLinkGbps, link_latency_us = kLatencyUs})

local function compiled()
  local model = lt.nn.Sequential()
  for i = 2, #kSizes do
    model:add(lt.nn.Dense(kSizes[i], {activation = i < #kSizes and "relu" or nil, input_shape = i == 2 and {kSizes[1]} or nil}))
  end
  return model:compile {optimizer = "sgd", loss = lt.nn.losses.SparseCategoricalCrossentropy {from_logits = true}}
end

local function seconds_a_step(devices)
  local strategy = lt.distribute.MirroredStrategy(devices)
  local model = strategy:scope(compiled)
  local rows = kRows * #devices
  local x = lt.random.normal({rows * kSteps, kSizes[1]}, {seed = 1})
  local y = lt.random.randint({rows * kSteps}, 1, kSizes[#kSizes], {seed = 2})
  local function epoch()
    local start = lt.time()
    model:fit(x, y, {batch_size = rows, shuffle = false, verbose = 0})
    lt.synchronize()
    return (lt.time() - start) / kSteps
  end
  epoch()                                                  -- rows have crossed the links after it, and stay there
  return math.min(epoch(), epoch()), model
end

local names, measured, model = {}, {}, nil
for _, count in ipairs {1, 2, 4} do
  for i = #names, count - 1 do names[#names + 1] = "/GPU:" .. i end
  measured[count], model = seconds_a_step(names)
end

-- The model: each variable is sent separately; small ones, the biases, together.
local large, sends = 0, 0
for _, variable in ipairs(model:trainable_variables()) do
  large = large + variable.nbytes
  if variable.nbytes > 65536 then sends = sends + 1 end
end
sends = sends + 1
local function paper(count)
  if count == 1 then return measured[1] end
  local crossing = sends * kLatencyUs * 1e-6 + large / (kLinkGbps * 1e9)
  local adding = (count + 1) * large / (kGbps * 1e9)
  return measured[1] + crossing + adding + (count - 1) * crossing
end

print(("%d numbers of float32 in %d variables, %d rows a replica"):format(model:count_params(), #model:trainable_variables(), kRows))
print("replicas  ms a step  on paper  rows a second  efficiency")
for _, count in ipairs {1, 2, 4} do
  print(("%8d  %9.2f  %8.2f  %13.0f  %9.0f%%"):format(count, measured[count] * 1e3, paper(count) * 1e3,
    count * kRows / measured[count], 100 * measured[1] / measured[count]))
end
