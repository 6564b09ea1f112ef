-- Replicas that do not come back: the run ends after the strategy's timeout, and names the replica.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, raises, equal = expect.case, expect.raises, expect.equal
local replicas = dofile("tests/support/replicas.lua")
local id = replicas.id

lt.config.set_simulated_gpus(2)

case("a replica that does not come back is named after a while", function()
  -- Time for the device's thread, too, which shares the cores with whatever else the machine does.
  local limited = lt.distribute.MirroredStrategy({ "GPU:0", "GPU:1" }, { timeout = 1.5 })
  local v = limited:scope(lt.Variable, { 1.0 }, { name = "v" })
  local err = raises("DeadlineExceeded", "replica 2 (GPU:1): it has come to no collective, nor to its end, in 1.5 seconds",
    limited.run, limited, function()
      if id() == 2 then while true do end end
    end)
  equal(err.replica, 2)
  -- Also one that catches errors in what it calls, there and in coroutines.
  local brief = lt.distribute.MirroredStrategy({ "GPU:0", "GPU:1" }, { timeout = 0.2 })
  for _, f in ipairs {
    function() while true do end end,
    function() pcall(function() while true do end end) while true do end end,
    function() coroutine.wrap(function() while true do end end)() end,
  } do
    raises("DeadlineExceeded", "replica 1 (GPU:0): it has come to no collective, nor to its end, in 0.2 seconds",
      brief.run, brief, function() while true do pcall(f) end end)
  end
  replicas.check(limited, { v })
  for _ = 1, 3 do limited:run(function() return v * 2 end) end
  raises("InvalidArgument", "timeout is -1", lt.distribute.MirroredStrategy, nil, { timeout = -1 })
  -- A device that takes seconds for its work: a product of 2 * 10^9 flops at 10^9 a second.
  local text, ok = expect.program([[
    lutra.config.set_simulated_gpus(2, { gflops = 1 })
    local strategy = lutra.distribute.MirroredStrategy(nil, { timeout = 0.1 })
    local x = lutra.device("/CPU:0", lutra.ones, { 1000, 1000 })
    local function slow()
      if lutra.distribute.get_replica_context().replica_id_in_sync_group == 2 then lutra.matmul(x, x) end
    end
    strategy:run(slow)
    local ok, err = pcall(strategy.run, strategy, function() end)
    print(ok, err.code, err.message)
    print(strategy:reduce("sum", strategy:run(function() return 1 end)))
  ]], "")
  assert(ok, text)
  equal(text:gsub("^INFO[^\n]*\n", ""), "false\tDeadlineExceeded\treplica 2 (GPU:1): its device has not finished the "
    .. "work of the previous run within 0.1 seconds\n2\n")
  text = expect.program("lutra.distribute.MirroredStrategy()", "", "LUTRA_REPLICA_TIMEOUT=soon")
  assert(text:find("LUTRA_REPLICA_TIMEOUT is 'soon', expected a number of seconds", 1, true), text)
end)

expect.end_of_cases()
