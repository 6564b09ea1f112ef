-- The number of the process's threads: a setting lasts until reset, and a reset ends the threads of what it removes.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local config = lt.config

-- The number this process has now, its first one included.
local function threads()
  for line in io.lines("/proc/self/status") do
    local count = line:match("^Threads:%s*(%d+)")
    if count then return tonumber(count) end
  end
end
-- A thread that is ending stays visible for a moment.
local function settled(is_right)
  local till = lt.time() + 20
  while not is_right(threads()) and lt.time() < till do io.popen("sleep 0.01"):close() end
  return threads()
end

local function compute()  -- loops and products that are worth several threads
  local _ <close> = lt.device("/CPU:0")
  local x = lt.ones { 600, 600 }
  assert((lt.matmul(x, x) + lt.exp(x - 1)):sum():item() == 601 * 360000)
end
local function use_gpus(count)
  for i = 0, count - 1 do
    local _ <close> = lt.device("/GPU:" .. i)
    assert(((lt.ones { 50 } + 1):to("CPU:0")):sum():item() == 100)
  end
end

-- One thread is one thread, whatever is computed.
config.threading.set_intra_op_parallelism_threads(1)
expect.equal(config.threading.get_intra_op_parallelism_threads(), 1)
local alone = threads()
compute()
expect.equal(threads(), alone, "threads of a process that may use one")

-- After a reset another number holds.
config.reset()
config.threading.set_intra_op_parallelism_threads(3)
compute()
local computing = threads()
config.reset()
expect.equal(config.threading.get_intra_op_parallelism_threads(), 0, "a reset takes the setting back")
config.threading.set_intra_op_parallelism_threads(3)
for _ = 1, 20 do
  compute()
  config.reset()
  config.threading.set_intra_op_parallelism_threads(3)
end
local left = settled(function(count) return count <= computing end)
assert(left <= computing, "threads after resets: " .. left .. ", before " .. computing)

-- A simulated GPU has two, from its first command on; a reset ends them.
local before = threads()
for round = 1, 30 do
  config.reset()
  config.set_simulated_gpus(3)
  config.threading.set_intra_op_parallelism_threads(3)
  use_gpus(3)
  local now = threads()
  assert(now > before and now <= before + 6, ("round %d: %d threads, %d before"):format(round, now, before))
  collectgarbage()
  config.reset()
  config.set_simulated_gpus(0)
  expect.equal(settled(function(count) return count == before end), before, "threads after reset " .. round)
end
print("ok")
