-- The cards of the stub of NVIDIA's driver (tests/support/cuda_stub), as a script sees them: what is listed, where ops run,
-- what memory says, late mistakes.
local tests = 0
local function case(name, test)
  tests = tests + 1
  local ok, problem = xpcall(test, debug.traceback)
  if not ok then
    print(("FAILED %s: %s"):format(name, problem))
    os.exit(1)
  end
end
local function equal(got, wanted)
  if got ~= wanted then error(("got %s, expected %s"):format(tostring(got), tostring(wanted)), 2) end
end

case("the cards are listed in order, with their details", function()
  local cards = lt.config.list_physical_devices("GPU")
  equal(#cards, 2)
  equal(cards[1].name, "/physical_device:GPU:0")
  equal(cards[2].name, "/physical_device:GPU:1")
  local details = lt.config.get_device_details(cards[2])
  equal(details.device_name, "Stub 1")
  equal(details.compute_capability, "9.0")
  equal(details.pci_bus_id, "0000:01:00.0")
end)

case("two programs' limits and growth are this card's to keep", function()
  local cards = lt.config.list_physical_devices("GPU")
  lt.config.set_logical_device_configuration(cards[1], { { memory_limit = 512 }, { memory_limit = 256 } })
  lt.config.set_logical_device_configuration(cards[2], { { memory_limit = 4096 } })  -- another program has 1024 of it
  lt.config.set_memory_growth(cards[2], true)
  equal(#lt.config.list_logical_devices("GPU"), 3)
end)

case("an op runs where it is asked to, on one card or across two", function()
  local x = lt.device("/GPU:0", function() return lt.ones { 1000 } + 1 end)
  equal(x.device:match("GPU:%d"), "GPU:0")
  local y = lt.device("/GPU:2", function() return x * 3 end)
  equal(y.device:match("GPU:%d"), "GPU:2")
  equal(y[{ 7 }]:item(), 6.0)
  local z = lt.device("/GPU:1", function() return x - y end)
  equal(z[{ 1000 }]:item(), -4.0)
end)

case("an op without a kernel runs on the CPU and says so", function()
  local x = lt.device("/GPU:0", function() return lt.inv(lt.eye(10)) end)
  equal(x[{ 10, 10 }]:item(), 1.0)
  local told = lt.debugging.explain(x)
  equal(told.reason, told.op .. " has no GPU kernel")
end)

case("memory comes with the first tensor when growing, and goes when it is released", function()
  local info = lt.config.get_memory_info("GPU:2")
  local before = info.current
  local x = lt.device("/GPU:2", function() return lt.zeros { 1 << 20 } end)
  equal(lt.config.get_memory_info("GPU:2").current - before, 4 << 20)
  x:release()
  equal(lt.config.get_memory_info("GPU:2").current, before)
end)

case("a limit is kept, and the report has the driver's words when the card is full", function()
  local ok, problem = pcall(lt.device, "/GPU:1", function() return lt.zeros { 80 << 20 } end)
  equal(ok, false)
  equal(problem.code, "ResourceExhausted")
  local all = {}
  ok, problem = pcall(lt.device, "/GPU:2", function()
    for i = 1, 10 do all[i] = lt.zeros { 160 << 20 } end
  end)
  equal(ok, false)
  if not tostring(problem):find("from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory", 1, true) then error(problem) end
  for _, tensor in ipairs(all) do tensor:release() end
  lt.config.release_memory("GPU:2")
end)

case("a mistake in values is told by the first wait, with its op and its line, every time", function()
  local a = lt.device("/GPU:0", function() return lt.constant({ 7, 8 }, { dtype = "int32" }) end)
  local b = lt.device("/GPU:0", function() return a // lt.constant({ 1, 0 }, { dtype = "int32" }) end)
  for _ = 1, 2 do
    local ok, problem = pcall(function() return (b + 1):totable() end)
    equal(ok, false)
    if not tostring(problem):find("divided by zero.*queued at .*cards.lua:%d+ on .*GPU:0") then error(problem) end
  end
  equal(a[{ 2 }]:item(), 8)
end)

case("a variable is updated in place on its card", function()
  local v = lt.device("/GPU:0", function() return lt.Variable(lt.ones { 100, 3 }) end)
  for _ = 1, 50 do v:assign_add(lt.ones { 100, 3 }) end
  equal(v[{ 100, 3 }]:item(), 51.0)
end)

case("one-hot vectors are those of the CPU", function()
  for _, axis in ipairs { 1, 2, 3 } do
    local rows = {}
    for _, device in ipairs { "/CPU:0", "/GPU:0" } do
      rows[#rows + 1] = lt.device(device, function()
        return lt.one_hot(lt.range(600):reshape { 20, 30 } % 7, 5, axis, { dtype = "int32" })
      end)
    end
    equal(rows[2].device:match("GPU:%d"), "GPU:0")
    equal(rows[1]:eq(rows[2]:to("/CPU:0")):all():item(), true)
  end
end)

case("large copies go there and back", function()
  local numbers = lt.device("/CPU:0", function() return lt.range(3 << 20) end)
  local there = lt.device("/GPU:0", function() return lt.identity(numbers:to("/GPU:0")) end)
  local back = there:to("/CPU:0")
  equal(back:eq(numbers):all():item(), true)
end)

lt.synchronize()
print(tests .. " passed")
