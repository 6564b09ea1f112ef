-- A list of workloads on GPU:0, in a fresh process: gpu_worker.lua FILE [trial], by scripts/lib/gpu_bench.lua. Its twin is
-- peers/gpu_worker.py. FILE has lines `wait NAME SETUP RUN` or `submit NAME SETUP RUN` of fields between tabs. Prints
-- `time NAME NANOSECONDS`, the median of batches: of a run till the card has done it, or of queueing it. With `trial` once.
local lt = require "lutra"

local kBatchSeconds, kWarmSeconds, kBatches, kQueued = 0.005, 0.05, 9, 256
if arg[2] == "trial" then kBatchSeconds, kWarmSeconds, kBatches, kQueued = 0, 0, 1, 1 end

local function median(times)
  table.sort(times)
  return times[(#times + 1) // 2]
end

local function time_of_waiting(work)
  local function batch(n)
    local start = lt.time()
    for _ = 1, n do work() end
    lt.synchronize()
    return lt.time() - start
  end
  local n, warm, times = 1, 0, {}
  while batch(n) < kBatchSeconds do n = n * 2 end
  while warm < kWarmSeconds do warm = warm + batch(n) end
  for i = 1, kBatches do times[i] = batch(n) / n end
  return median(times)
end

local function time_of_queueing(work)
  local times = {}
  for i = 1, 4 * kBatches do
    local start = lt.time()
    for _ = 1, kQueued do work() end
    times[i] = (lt.time() - start) / kQueued
    lt.synchronize()
  end
  return median(times)
end

local way = {wait = time_of_waiting, submit = time_of_queueing}

for line in io.lines(arg[1]) do
  local kind, name, setup, run = line:match("^(%l+)\t([^\t]+)\t([^\t]*)\t([^\t]+)$")
  local code = ("local lt = lutra %s local r return function() %s end"):format(setup, run)
  print(("time\t%s\t%.1f"):format(name, way[kind](assert(load(code, "=" .. name))()) * 1e9))
  collectgarbage()
end
