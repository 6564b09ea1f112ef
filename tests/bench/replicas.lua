-- A step of four replicas with 4 n rows against four steps of one device with n rows, on as many simulated GPUs and the same
-- cores: 1 would be perfect, since the work is the same but for the sums of the gradients. Needs LUTRA_SIM_GPUS=4. Prints
-- `replicas_few` (n = 32) and `replicas_many` (n = 256): the median of the ratios of its pairs, and microseconds that either
-- takes; the target is at most 1.3.
--   LUTRA_SIM_GPUS=4 lutra tests/bench/replicas.lua [STEPS [PAIRS]]
local lt = require "lutra"
local kSteps, kPairs, kReplicas = tonumber(arg[1]) or 100, tonumber(arg[2]) or 5, 4

local function compiled()
  local model = lt.nn.Sequential { lt.nn.Dense(128, { activation = "relu", input_shape = { 784 } }), lt.nn.Dense(10) }
  return model:compile { optimizer = "sgd", loss = lt.nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
end

local function seconds(model, x, y, batch_size)
  lt.synchronize()
  local start = lt.time()
  model:fit(x, y, { batch_size = batch_size, shuffle = false, verbose = 0 })
  lt.synchronize()
  return lt.time() - start
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

for name, n in pairs { few = 32, many = 256 } do
  local steps = math.max(1, kSteps * 32 // n)
  local rows = steps * kReplicas * n
  local x, y = lt.random.normal({ rows, 784 }, { seed = 1 }), lt.random.randint({ rows }, 1, 10, { seed = 2 })
  local strategy = lt.distribute.MirroredStrategy()
  assert(strategy.num_replicas_in_sync == kReplicas, "LUTRA_SIM_GPUS is to be 4")
  local mirrored, single = strategy:scope(compiled), lt.device("/GPU:0", compiled)
  seconds(mirrored, x, y, kReplicas * n)
  seconds(single, x, y, n)
  local ratios, ones, fours = {}, {}, {}
  for pair = 1, kPairs do
    local first = pair % 2 == 1
    local four = first and seconds(mirrored, x, y, kReplicas * n)
    ones[pair] = seconds(single, x, y, n)
    fours[pair] = four or seconds(mirrored, x, y, kReplicas * n)
    ratios[pair] = fours[pair] / ones[pair]
  end
  print("replicas_" .. name, median(ratios), median(fours) / steps * 1e6, median(ones) / steps * 1e6)
end
