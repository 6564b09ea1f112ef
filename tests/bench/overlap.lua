-- Two simulated GPUs, each with its own chain of matmuls, against one with one: 2 would be perfect on two free cores.
-- Needs LUTRA_SIM_GPUS=2. Prints `overlap`, the median of its pairs, and beside it what the machine makes of two
-- processes with one chain each; with the argument `chain` it is such a process, and prints its `seconds`.
local lt = require "lutra"
local kSize, kSteps, kPairs = 384, 60, 5
local devices = {"/GPU:0", "/GPU:1"}
local step = {}
for i, name in ipairs(devices) do
  local _ <close> = lt.device(name)
  step[i] = lt.eye(kSize)
end

-- Seconds for a chain on each of the first `count` devices; the chains are queued turn by turn, as a script would.
local function chains(count)
  local x = {}
  for i = 1, count do
    local _ <close> = lt.device(devices[i])
    x[i] = lt.ones {kSize, kSize}
  end
  lt.synchronize()
  local start = lt.time()
  for _ = 1, kSteps do
    for i = 1, count do
      local _ <close> = lt.device(devices[i])
      x[i] = lt.matmul(x[i], step[i])
    end
  end
  lt.synchronize()
  local seconds = lt.time() - start
  for i = 1, count do
    assert(x[i].device:find(devices[i]:sub(2), 1, true), x[i].device)
    assert(lt.sum(x[i]):item() == kSize * kSize)
  end
  return seconds
end

chains(1)
if arg[1] == "chain" then
  print(chains(1))
  return
end
chains(2)

-- Seconds of `count` processes with a chain each, at the same time; the slowest one's.
local function processes(count)
  local running, slowest = {}, 0
  for i = 1, count do running[i] = assert(io.popen(("exec '%s' '%s' chain"):format(arg[-1], arg[0]))) end
  for _, process in ipairs(running) do
    slowest = math.max(slowest, tonumber(process:read("l")))
    process:close()
  end
  return slowest
end

local function median_overlap(seconds)
  local ratios = {}
  for pair = 1, kPairs do
    local first, second = seconds(pair % 2 + 1), seconds(2 - pair % 2)
    local one, two = first, second
    if pair % 2 == 1 then one, two = second, first end
    ratios[pair] = 2 * one / two
  end
  table.sort(ratios)
  return ratios[(kPairs + 1) // 2]
end

print("overlap", median_overlap(chains), median_overlap(processes))
