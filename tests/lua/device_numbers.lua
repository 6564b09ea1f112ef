-- An interpreter has 65,535 device numbers. Only new cards take one, and an error says when all are taken.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"
local config = lt.config

local parts = {}
for i = 1, 256 do parts[i] = { memory_limit = 1 } end
local function use(gpus)
  config.set_simulated_gpus(1, { memory_limit = 1000 + gpus })
  config.set_logical_device_configuration("GPU:0", parts)
  return config.list_logical_devices("GPU")
end

local old = lt.ones { 100 }
local made = 0
while true do
  config.reset()
  local ok, err = pcall(use, made + 1)
  if not ok then
    assert(lt.iserror(err, "ResourceExhausted") and err.message:find("no device number is left for /device:GPU:", 1, true), tostring(err))
    break
  end
  made = made + 1
end
expect.equal(made, 255, "configurations of 256 logical GPUs")

-- Devices keep working: a new one gives the same error again, and those with numbers can be used.
expect.raises("ResourceExhausted", "no device number is left", lt.ones, { 2 })
config.reset()
config.set_simulated_gpus(0)
assert((old + 1).device:find("CPU:0$") and (old + 1):sum():item() == 200)
print("ok")
