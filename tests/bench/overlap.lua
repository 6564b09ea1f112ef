-- Two simulated GPUs, each with its own chain of matmuls, against one with one: 2 would be perfect on two free cores.
-- Needs --sim-gpus 2 and the threads that LUTRA_NUM_THREADS leaves them; prints `overlap`, the median of its pairs.
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
chains(2)
local ratios = {}
for pair = 1, kPairs do
  local one, two
  if pair % 2 == 1 then
    one = chains(1)
    two = chains(2)
  else
    two = chains(2)
    one = chains(1)
  end
  ratios[pair] = 2 * one / two
end
table.sort(ratios)
print("overlap", ratios[(kPairs + 1) // 2])
