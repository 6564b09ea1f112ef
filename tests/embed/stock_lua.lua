-- The module in the interpreter that Debian ships: lua5.4 tests/embed/stock_lua.lua, LUA_CPATH_5_4 pointing to lutra.so.
assert(lutra == nil and lt == nil, "the module sets no globals by being there")
local lt = require "lutra"
assert(lt == require "lutra" and lutra == nil)

local a = lt.constant({ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } })
local b = lt.constant({ { 1.0, 2.0 }, { 3.0, 4.0 }, { 5.0, 6.0 } })
local c = lt.matmul(a, b)
assert(tostring(c) == "lutra.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)", tostring(c))
assert(c:totable()[2][1] == 49)

local ok, err = pcall(lt.matmul, a, a)
assert(not ok and lt.iserror(err, "InvalidArgument"))
assert(tostring(err):find("matmul: a (2, 3) and b (2, 3) do not match", 1, true), tostring(err))

-- GPUs can be simulated here too, once the devices of the first half are forgotten.
lt.config.reset()
lt.config.set_simulated_gpus(2)
local total = lt.device("/GPU:1", function()
  local total = lt.zeros({ 256, 256 })
  for _ = 1, 50 do total = total + 1 end
  return total
end)
assert(total.device:find("GPU:1", 1, true) and total[256][256]:item() == 50)
collectgarbage()

-- Modules that are loaded on first use.
local model = lt.nn.Sequential { lt.nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "mse" }
assert(model:fit({ { 0.0 }, { 1.0 } }, { { 1.0 }, { 2.0 } }, { verbose = 0 }).history.loss[1] == 1)

-- The prompt over a socket; tests/repl/attach_test.py attaches to it.
local path = os.tmpname()
os.remove(path)
local listener = lt.repl.listen(path)
assert(listener:poll() == 0 and not listener:is_attached())
listener:close()
assert(not io.open(path))

print(c)
dofile "tests/lua/coroutines.lua"
