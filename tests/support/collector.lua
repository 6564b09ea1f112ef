-- The collector at its most aggressive: a full collection at every allocation of Lua's, including those within an op,
-- which no hook of Lua's reaches. This is an incremental collector without a pause, whose one step is a whole cycle.
local collector = {}

-- From here until loosen(what it returned) every allocation collects.
function collector.tighten()
  local before = { mode = collectgarbage("incremental", 0, 1000, 100), pause = collectgarbage("setpause", 0) }
  collectgarbage("stop")
  collectgarbage("restart")  -- at once: what was allocated in advance is forgotten
  return before
end

function collector.loosen(before)
  collectgarbage("incremental", before.pause, 100, 13)
  collectgarbage(before.mode)
end

-- f(...) without collections, also while they are at their most aggressive.
function collector.in_peace(f, ...)
  local was_running = collectgarbage("isrunning")  -- not so within another's peace
  collectgarbage("stop")
  local results = table.pack(pcall(f, ...))
  if was_running then collectgarbage("restart") end
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- Calls f(n) from a finalizer, n = 1, 2, ...: at every allocation while the collector is tight. Ends when f returns false.
function collector.at_each_collection(f)
  local calls, meta = 0, nil
  meta = { __gc = function()
    calls = calls + 1
    if f(calls) ~= false then setmetatable({}, meta) end
  end }
  setmetatable({}, meta)
end

-- Whether this works depends on the Lua that runs it, so it is checked here.
do
  local seen = 0
  collector.at_each_collection(function(n) seen = n return n < 10 end)
  local before = collector.tighten()
  for _ = 1, 10 do local _ = {} end
  collector.loosen(before)
  assert(seen == 10, "ten allocations made " .. seen .. " collections")
end

return collector
