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

local before, result
local measured = {}
local next_batch = dofile("tests/bench/batches.lua")(
  { batch = 0.005, warm = 0.1, seconds = 0.4, fewest = 5, most = 51, warmed = function() before = page_faults() end }, measured)
local function report(seconds, r)
  local n = next_batch(seconds)
  if not n then measured.faults, result = (page_faults() - before) / measured.runs, r end
  return n
end

assert(load(source, "=workload"))(lt, report)
local flat = lt.reshape(lt.cast(result, "float64"), {-1})
print("ns", measured.ns)
print("faults", measured.faults)
print("result", #flat, flat[1]:item(), flat[-1]:item(), lt.sum(flat):item(), lt.sum(flat * flat):item())
