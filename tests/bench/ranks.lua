-- Several processes: the time of a barrier, of sums of growing size, and of a training step against one process with all
-- rows. Rank 0 prints `barrier`, `sum_BYTES` and `step` with microseconds, `step` also with those of one process. Then a
-- larger model: `large_sums`, its gradients' sums alone; `large_alone`, a step of each process for itself; `large_after`, a step
-- with sums after the backward pass; `large_overlap`, with sums during it; and `hidden_percent`, the percentage of the sums' time that
-- the latter saves.
--   lutra launch -n 2 tests/bench/ranks.lua [TIMES [ROWS]]
-- ROWS: of each process in a step of the larger model.
local lt = require "lutra"
local times, large_rows = tonumber((...)) or 100, tonumber((select(2, ...))) or 64
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

local function large()
  local layers = { lt.nn.Dense(1024, { activation = "relu", input_shape = { 1024 } }) }
  for i = 2, 8 do layers[i] = lt.nn.Dense(1024, { activation = "relu" }) end
  layers[9] = lt.nn.Dense(10)
  return lt.nn.Sequential(layers):compile { optimizer = "sgd", loss = lt.nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
end
local after = d.MultiWorkerMirroredStrategy("CPU:0", { overlap = false })
local models = { large_alone = large(), large_after = after:scope(large), large_overlap = strategy:scope(large) }
rows = large_rows * d.size()
x, y = lt.random.normal({ rows, 1024 }, { seed = 1 }), lt.random.randint({ rows }, 1, 10, { seed = 2 })
local own_x, own_y = x[{ { 1, large_rows } }], y[{ { 1, large_rows } }]
local gradients = lt.ones { 8 * 1024 * 1025 + 10 * 1025 }
-- In turn, since other programs use the machine as well.
local steps, names = { large_sums = function() strategy:reduce("sum", gradients) end }, { "large_sums" }
for _, name in ipairs { "large_alone", "large_after", "large_overlap" } do
  local model, a, b = models[name], name == "large_alone" and own_x or x, name == "large_alone" and own_y or y
  names[#names + 1] = name
  steps[name] = function() model:train_on_batch(a, b) end
end
local lists = { large_sums = {}, large_alone = {}, large_after = {}, large_overlap = {} }
for i = -1, math.max(times // 5, 3) do
  for _, name in ipairs(names) do
    d.barrier()
    local start = lt.time()
    steps[name]()
    d.barrier()  -- what counts is the slowest rank
    if i > 0 then lists[name][i] = (lt.time() - start) * 1e6 end
  end
end
local medians = {}
for _, name in ipairs(names) do
  table.sort(lists[name])
  medians[name] = lists[name][(#lists[name] + 1) // 2]
  show(name, medians[name])
end
show("hidden_percent", 100 * (medians.large_after - medians.large_overlap) / (medians.large_after - medians.large_alone))
