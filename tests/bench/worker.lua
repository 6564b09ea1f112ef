-- One workload in a fresh process: worker.lua SETUP RUN, by scripts/lib/bench.lua. peers/worker.py does the same in Python.
-- Prints `ns` (median of batches, per run), `faults` (page faults per run) and `result` (what the last run made).
local lt = require "lutra"

-- The loop's variables are locals of the chunk, as they are in a script.
local source = table.concat({
  "local lt, report = ...",
  "local now, r = lt.time",
  arg[1],
  "local n = report()",
  "while n do",
  "  local start = now()",
  "  for _ = 1, n do " .. arg[2] .. " end",
  "  n = report(now() - start, r)",
  "end",
}, "\n")

-- Of the whole process: fields 10 and 12 of its stat line, counted behind the name in brackets.
local function page_faults()
  local fields = {}
  local file <close> = assert(io.open("/proc/self/stat"))
  for word in file:read("a"):match("^.*%) (.*)$"):gmatch("%S+") do fields[#fields + 1] = word end
  return tonumber(fields[8]) + tonumber(fields[10])
end

local kBatchSeconds, kWarmSeconds, kSeconds, kFewest, kMost = 0.005, 0.1, 0.4, 5, 51
local n, warm, total, times = nil, 0, 0, {}
local faults, result

-- Says how many runs the next batch has; nil ends the measurement.
local function report(seconds, r)
  if not seconds then
    n = 1
  elseif seconds < kBatchSeconds and warm == 0 then
    n = n * 2
  elseif warm < kWarmSeconds then
    warm = warm + seconds
    faults = page_faults()
  else
    times[#times + 1] = seconds / n * 1e9
    total = total + seconds
    if #times >= kMost or (#times >= kFewest and total >= kSeconds) then
      faults = (page_faults() - faults) / (#times * n)
      result = r
      return nil
    end
  end
  return n
end

assert(load(source, "=workload"))(lt, report)
table.sort(times)
local flat = lt.reshape(lt.cast(result, "float64"), {-1})
print("ns", times[(#times + 1) // 2])
print("faults", faults)
print("result", #flat, flat[1]:item(), flat[-1]:item(), lt.sum(flat):item(), lt.sum(flat * flat):item())
