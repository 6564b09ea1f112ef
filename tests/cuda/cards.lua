-- The cards of the stub of NVIDIA's driver (tests/support/cuda_stub), as a script sees them: the list of devices, where
-- ops run, memory, late mistakes.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal

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

case("float32 products are rounded as the precision says, from one op to the next", function()
  local x = lt.device("/GPU:0", function() return lt.constant { { 1 + 0x1p-12 } } end)
  local before = lt.config.get_float32_matmul_precision()
  equal(before, "tf32")
  for _, step in ipairs { { "tf32", 1.0 }, { "fp32", 1 + 0x1p-12 }, { "bf16", 1.0 }, { "fp32", 1 + 0x1p-12 } } do
    lt.config.set_float32_matmul_precision(step[1])
    local y = lt.device("/GPU:0", function() return x:matmul(lt.ones { 1, 1 }) end)
    equal(y.device:match("GPU:%d"), "GPU:0")
    equal(y:item(), step[2])
    equal((x:cast("float64"):matmul(lt.ones({ 1, 1 }, { dtype = "float64" }))):item(), 1 + 0x1p-12)
  end
  lt.config.set_float32_matmul_precision(before)
end)

case("batches that no stride can express are multiplied all the same", function()
  local function numbers(shape)
    local count = 1
    for _, size in ipairs(shape) do count = count * size end
    return (lt.range(count) % 7 - 3):cast("float32"):reshape(shape)
  end
  for _, shapes in ipairs {
    { { 2, 1, 3, 4 }, { 5, 4, 2 } }, { { 5, 1, 3, 4 }, { 1, 2, 4, 2 } }, { { 3, 1, 2, 3, 4 }, { 1, 5, 1, 4, 2 } },
    { { 2, 3, 1, 2, 4 }, { 2, 1, 3, 4, 3 } },
  } do
    local a, b = lt.device("/CPU:0", numbers, shapes[1]), lt.device("/CPU:0", numbers, shapes[2])
    local wanted = lt.device("/CPU:0", function() return a:matmul(b) end)
    local got = lt.device("/GPU:0", function() return a:matmul(b) end)
    equal(lt.debugging.explain(got).op, "BatchMatMulV2")
    equal(got.device:match("GPU:%d"), "GPU:0")
    equal(got:to("/CPU:0"):eq(wanted):all():item(), true)
  end
end)

-- What the windows of these show takes more memory than is laid out at once, forwards or back. Whole numbers: sums are
-- exact in float32, and halves are rounded once.
case("convolutions that are computed piece by piece are those of the CPU", function()
  local function numbers(count, most, dtype, shape)
    return (lt.range(count) * 5 % 11 % (2 * most + 1) - most):cast(dtype):reshape(shape)
  end
  for _, dtype in ipairs { "float32", "float16" } do
    for _, channels in ipairs { { 8, 2 }, { 2, 8 } } do
      local from, to = table.unpack(channels)
      local x, w, dy = lt.device("/CPU:0", function()
        return numbers(240 * 240 * from, 1, dtype, { 1, 240, 240, from }), numbers(81 * from * to, 1, dtype, { 9, 9, from, to }),
          numbers(232 * 232 * to, 2, dtype, { 1, 232, 232, to })
      end)
      local results = {}
      for _, device in ipairs { "/CPU:0", "/GPU:0" } do
        results[#results + 1] = lt.device(device, function()
          local tape <close> = lt.GradientTape()
          tape:watch { x, w }
          local y = lt.conv2d(x, w)
          local slopes = tape:gradient(y, { x, w }, { output_gradients = dy })
          return { y, slopes[1], slopes[2] }
        end)
      end
      for i, wanted in ipairs(results[1]) do
        equal(results[2][i].device:match("GPU:%d"), "GPU:0")
        equal(results[2][i]:to("/CPU:0"):eq(wanted):all():item(), true)
      end
    end
  end
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
expect.end_of_cases()
