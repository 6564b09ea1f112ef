-- What a trace costs per operation: the same loop without and with a trace, in turns, so that a busy machine slows both.
-- lutra tests/bench/trace_cost.lua [--sim-gpus 1 before it]; prints medians per operation.
local lt = require "lutra"

local rounds, loops = 21, 2000

local function per_op(f)
  local begin = lt.time()
  for _ = 1, loops do f() end
  lt.synchronize()
  return (lt.time() - begin) / loops * 1e6
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function measure(name, f)
  per_op(f)
  local off, on = {}, {}
  for round = 1, rounds do
    off[round] = per_op(f)
    lt.profiler.start()
    on[round] = per_op(f)
    lt.profiler.stop()
    collectgarbage()
  end
  local without, with = median(off), median(on)
  print(("%-28s %8.2f us without, %8.2f us with a trace: %+.2f us, %+.1f%%"):format(name, without, with, with - without,
    100 * (with / without - 1)))
end

for _, device in ipairs(#lt.config.list_logical_devices "GPU" > 0 and { "CPU:0", "GPU:0" } or { "CPU:0" }) do
  lt.device(device, function()
    local small, middle, large = lt.ones { 2, 2 }, lt.ones { 64, 64 }, lt.ones { 100, 100 }
    measure("add 2x2 on " .. device, function() return small + small end)
    measure("matmul 64 on " .. device, function() return middle:matmul(middle) end)
    measure("matmul 100 on " .. device, function() return large:matmul(large) end)
  end)
end
