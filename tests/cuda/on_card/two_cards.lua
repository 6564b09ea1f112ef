-- Two cards: copies between them byte by byte, ops whose inputs come from both, and sums over replicas. Run on the stub of
-- NVIDIA's driver, and on real cards (gpu.two_cards) where there are two; exit status 77 where there are not.
-- Stub: random:1,cards:2
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
if #lt.config.list_physical_devices("GPU") < 2 then
  print("fewer than two GPUs here")
  os.exit(77)
end
local function on(device, f, ...) return lt.device(device, f, ...) end

case("every byte arrives on the other card, and back", function()
  for _, count in ipairs { 1, 65, 4097, (5 << 20) + 3 } do
    local bytes = on("/CPU:0", function() return (lt.range(count) * 7919 // 13 % 256):cast("uint8") end)
    local first = on("/GPU:0", function() return lt.identity(bytes:to("/GPU:0")) end)
    local second = on("/GPU:1", function() return lt.bitwise_xor(first:to("/GPU:1"), lt.constant(255, { dtype = "uint8" })) end)
    equal(second.device:match("GPU:%d"), "GPU:1")
    local back = on("/GPU:0", function() return lt.bitwise_xor(second:to("/GPU:0"), lt.constant(255, { dtype = "uint8" })) end)
    equal(back:to("/CPU:0"):eq(bytes):all():item(), true)
  end
end)

case("memory that is freed and used again on one card waits for the other's copy of it", function()
  for step = 1, 100 do
    local x = on("/GPU:0", function() return lt.fill({ 1 << 18 }, step) end)
    local y = on("/GPU:1", function() return x:to("/GPU:1") + 0 end)
    x:release()
    local z = on("/GPU:0", function() return lt.fill({ 1 << 18 }, -1) end)
    equal(y:min():item(), step + 0.0)
    equal(y:max():item(), step + 0.0)
    z:release()
    y:release()
  end
end)

case("replicas add up over the cards, and have the same", function()
  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
  for _, dtype in ipairs { "float32", "float16", "int32" } do
    for _, count in ipairs { 3, 100003 } do
      local sums = strategy:run(function()
        local context = lt.distribute.get_replica_context()
        local part = (lt.range(count) % 11 * context.replica_id_in_sync_group):cast(dtype)
        return context:all_reduce("sum", { part })[1]
      end)
      for _, sum in ipairs(strategy:experimental_local_results(sums)) do
        local wanted = on("/CPU:0", function() return (lt.range(count) % 11 * 3):cast(dtype) end)
        equal(sum:to("/CPU:0"):eq(wanted):all():item(), true)
      end
    end
  end
end)

lt.synchronize()
expect.end_of_cases()
