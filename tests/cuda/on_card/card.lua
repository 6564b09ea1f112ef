-- Memory and late mistakes on GPU:0 of any kind: run on the stub of NVIDIA's driver, and on real cards (gpu.card).
-- Stub: random:1
local kMiB = 1 << 20

local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local function on(device, f, ...) return lt.device(device, f, ...) end

lt.config.set_logical_device_configuration("GPU:0", { { memory_limit = 512 }, { memory_limit = 256 } })
lt.config.set_memory_growth("GPU:0", true)

case("one card is two logical GPUs, with their own limits", function()
  local names = {}
  for i, gpu in ipairs(lt.config.list_logical_devices("GPU")) do names[i] = gpu.name end
  equal(names[1] .. " " .. names[2], "/device:GPU:0 /device:GPU:1")
  equal(lt.config.get_memory_info("GPU:0").limit, 512 * kMiB)
  equal(lt.config.get_memory_info("GPU:1").limit, 256 * kMiB)
end)

case("memory comes with tensors, and goes back to the card when it is asked to", function()
  local x = on("/GPU:0", function() return lt.zeros { 10 * kMiB } end)
  local info = lt.config.get_memory_info("GPU:0")
  equal(info.current, 40 * kMiB)
  assert(info.reserved >= 40 * kMiB and info.reserved <= 72 * kMiB, info.reserved)
  x:release()
  lt.config.release_memory("GPU:0")
  equal(lt.config.get_memory_info("GPU:0").reserved, 0)
end)

case("the tensor too many is refused with a report, and work goes on", function()
  local held = {}
  local ok, problem = pcall(on, "/GPU:1", function()
    for i = 1, 100 do held[i] = lt.zeros { 5 * kMiB } + i end
  end)
  equal(ok, false)
  equal(problem.code, "ResourceExhausted")
  for _, words in ipairs { "256.0", "GPU:1", "(5242880,)", "card.lua:" } do
    if not tostring(problem):find(words, 1, true) then error(words .. " is not in: " .. tostring(problem)) end
  end
  equal(held[1][{ 7 }]:item(), 1.0)
  for _, tensor in ipairs(held) do tensor:release() end
  equal(on("/GPU:1", function() return (lt.ones { 20 * kMiB } * 2)[{ 20 * kMiB }] end):item(), 2.0)
end)

case("results cross between GPUs and the CPU", function()
  local x = on("/GPU:0", function() return lt.range(100000) end)
  local y = on("/GPU:1", function() return x * 2 end)
  local sum = on("/CPU:0", function() return (x + y):sum() end)
  equal(sum:item(), 3 * 99999 * 100000 // 2)
end)

case("a mistake in values is told by who waits for it, every time, and by nobody else", function()
  local labels = on("/GPU:0", function() return lt.constant { 1, 9 } end)
  local rows = on("/GPU:0", function() return lt.gather(lt.eye(3), labels) end)
  local after = on("/GPU:0", function() return rows * 2 end)
  local other = on("/GPU:0", function() return lt.eye(3) + 1 end)
  for _, wrong in ipairs { rows, after, rows } do
    local ok, problem = pcall(wrong.totable, wrong)
    equal(ok, false)
    equal(problem.code, "OutOfRange")
    if not tostring(problem):find("gather", 1, true) then error(tostring(problem)) end
    if not tostring(problem):find("card.lua:", 1, true) then error(tostring(problem)) end
  end
  equal(other[{ 1, 1 }]:item(), 2.0)
end)

case("a loop keeps its memory", function()
  local v = on("/GPU:0", function() return lt.Variable(lt.zeros { kMiB }) end)
  for _ = 1, 50 do v:assign_add(on("/GPU:0", function() return lt.ones { kMiB } end)) end
  equal(v[{ kMiB }]:item(), 50.0)
  assert(lt.config.get_memory_info("GPU:0").peak <= 128 * kMiB, lt.config.get_memory_info("GPU:0").peak)
end)

expect.end_of_cases()
