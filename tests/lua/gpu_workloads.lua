-- The copy that scripts/dev gpu-bench times moves bytes on a GPU, and leaves the memory in use unchanged.
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(1)

local kCount <const> = 1 << 12
local copy
for _, work in ipairs(dofile("tests/bench/gpu_workloads.lua")(kCount, 64)) do
  if work.name == "copy" then copy = work end
end
local run, x, v = load(("local lt = lutra %s return function() %s end, x, v"):format(copy.setup.lutra, copy.run.lutra))()
local function current() return lt.config.get_memory_info("GPU:0").current end

collectgarbage()
local before = current()
for _ = 1, 3 do
  run()
  expect.equal(current(), before)
end
expect.equal(x.device:match("GPU:%d"), "GPU:0")
expect.equal(copy.bytes, 2 * 4 * kCount)
expect.equal((v:value() - x):abs():max():item(), 0.0)
print("gpu_workloads passed")
