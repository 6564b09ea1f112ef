-- Several processes: the time of a barrier, of sums of growing size, and of a training step against one process with all
-- rows. Rank 0 prints `barrier`, `sum_BYTES` and `step` with microseconds, `step` also with those of one process.
--   lutra launch -n 2 tests/bench/ranks.lua [TIMES]
local lt = require "lutra"
local times = tonumber((...)) or 100
local d = lt.distribute
local strategy = d.MultiWorkerMirroredStrategy "CPU:0"
local function show(...)
  if d.rank() == 0 then print(...) end
end

-- The median of `count` times of f(), in microseconds.
local function microseconds(count, f)
  local list = {}
  for i = -2, count do
    local start = lt.time()
    f()
    if i > 0 then list[i] = (lt.time() - start) * 1e6 end
  end
  table.sort(list)
  return list[(count + 1) // 2]
end

show("barrier", microseconds(times, d.barrier))
for power = 10, 26, 4 do
  local x = lt.ones { (1 << power) // 4 }
  show("sum_" .. (1 << power), microseconds(power > 20 and math.max(times // 20, 1) or times, function() strategy:reduce("sum", x) end))
end

local rows = 64 * d.size()
local x, y = lt.random.normal({ rows, 784 }, { seed = 1 }), lt.random.randint({ rows }, 1, 10, { seed = 2 })
local function compiled()
  local model = lt.nn.Sequential { lt.nn.Dense(128, { activation = "relu", input_shape = { 784 } }), lt.nn.Dense(10) }
  return model:compile { optimizer = "sgd", loss = lt.nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
end
local shared, alone = strategy:scope(compiled), compiled()
local together = microseconds(times, function() shared:train_on_batch(x, y) end)
d.barrier()
-- The others sleep in the barrier meanwhile.
local single = d.rank() == 0 and microseconds(times, function() alone:train_on_batch(x, y) end)
d.barrier()
show("step", together, single)
