-- Cards whose driver has no virtual memory (tests/support/cuda_stub): the limit is one allocation, growth is refused
-- with a message, and everything else works as on other cards.
local program = dofile("tests/support/expect.lua").program

local function expect(script, ...)
  local told = program(script, "--no-init", "LUTRA_CUDA_STUB=random:1,no-vmm,memory:1024")
  for _, part in ipairs { ... } do
    if not told:find(part, 1, true) then error(("does not say %q:\n%s"):format(part, told), 2) end
  end
end

expect([[
lt.config.set_logical_device_configuration("GPU:0", { { memory_limit = 64 } })
local x = lt.ones { 1 << 20 } * 3
print("sum", x:sum():item(), x.device:match("GPU:%d"))
local info = lt.config.get_memory_info("GPU:0")
print("reserved", info.reserved >> 20, "current", info.current >> 20)
local held = {}
local ok, problem = pcall(function() for i = 1, 100 do held[i] = lt.zeros { 1 << 20 } end end)
print(ok, problem.code, problem.message)
lt.config.release_memory("GPU:0")
print("held", lt.config.get_memory_info("GPU:0").reserved >> 20)
for _, tensor in ipairs(held) do tensor:release() end
x:release()
lt.config.release_memory("GPU:0")
print("kept", lt.config.get_memory_info("GPU:0").reserved >> 20)
print("again", (lt.ones { 15 << 20 }):sum():item())
]], "sum\t3145728.0\tGPU:0\n", "reserved\t64\tcurrent\t", "false\tResourceExhausted\tzeros: out of memory on", "limit 64.00MiB",
  "held\t64\n", "kept\t0\n", "again\t15728640.0\n")

-- Nearly all, as one allocation: 225 MiB are kept back, and what is left is rounded down to whole pages of 2 MiB.
expect([[
print((lt.ones { 4 } + 1):sum():item(), lt.config.get_memory_info("GPU:0").reserved >> 20)
]], "8.0\t798\n")

expect([[
lt.config.set_memory_growth("GPU:0", true)
print(select(2, pcall(lt.ones, { 4 })))
]], "/physical_device:GPU:0: memory growth needs virtual memory, which this card's driver does not have. Leave growth off, and "
  .. "set a limit if others need the card too")
print("whole_memory passed")
