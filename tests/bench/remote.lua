-- A device of another process beside a simulated GPU here: the time to queue an operation, of a read, of a matmul and its
-- read, and of a copy of 16 MB there and back. Prints names with microseconds here and there.
--   lutra serve & lutra tests/bench/remote.lua 127.0.0.1:7077
local lt = require "lutra"
lt.config.set_simulated_gpus(1)
lt.config.connect_to_cluster { worker = { (...) } }

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end
-- The median of `count` times of f(), divided by `per`.
local function microseconds(count, per, f, after)
  local list = {}
  for i = -2, count do
    local start = lt.time()
    f()
    if i > 0 then list[i] = (lt.time() - start) * 1e6 / per end
    if after then after() end
  end
  return median(list)
end

local function measure(device)
  local scope <close> = lt.device(device)
  local x, big = lt.ones { 4 }, lt.ones { 256, 256 }
  local host = lt.device("/job:localhost/CPU:0", lt.ones, { 4 << 20 })
  return {
    queue = microseconds(51, 200, function() for _ = 1, 200 do local _ = x + x end end, lt.synchronize),
    read = microseconds(201, 1, function() return x:sum():item() end),
    matmul = microseconds(51, 1, function() return big:matmul(big):sum():item() end),
    there_and_back = microseconds(21, 1, function() return (host + 0):to(device):to "/job:localhost/CPU:0" end),
  }
end
local here, there = measure "/job:localhost/GPU:0", measure "/job:worker/task:0/GPU:0"
for _, name in ipairs { "queue", "read", "matmul", "there_and_back" } do print(name, here[name], there[name]) end
