-- lutra.debugging.check_numerics: the op that first made a nan or inf, on every device; copies() and live_tensors().
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(1)

local function check(device)
  local _ <close> = lt.device(device)
  lt.debugging.check_numerics(true)
  local x = lt.constant { 1.0, 0.0, -3.0 }
  local shifted = x - 1
  local err = expect.raises("InvalidArgument", "log: Log made 1 nan and 1 inf among 3 elements, float32 (3,) at tests/lua/check_numerics.lua:11", function() local _ = lt.log(x) end)
  expect.equal({ err.op, err.nan, err.inf }, { "Log", 1, 1 })
  assert(err.device:find(device, 1, true))
  assert(err.message:find("inputs: x float32 (3,) from -3 to 1;", 1, true), err.message)
  assert(err.message:find("the op before it: Sub at tests/lua/check_numerics.lua:10", 1, true), err.message)

  -- Numbers are inputs too, and a range of one element is its value.
  expect.raises("InvalidArgument", "b is 0", function() return x / 0 end)

  -- What only passes on a nan or inf has made none.
  lt.debugging.check_numerics(false)
  local bad, infinite = lt.log(x), lt.constant { -1 / 0, 1.0, 2.0 }
  lt.debugging.check_numerics(true)
  assert(tostring(bad + 1):find "nan")
  assert(tostring(lt.softmax(infinite)):find "0")
  -- But a nan among inputs with only an inf is new.
  expect.raises("InvalidArgument", "made 1 nan and 0 inf", function() return infinite - infinite end)
  expect.raises("InvalidArgument", "with 0 nan and 1 inf", function() return infinite - infinite end)

  -- In gradients: the derivative of sqrt at 0 is infinite.
  local v = lt.Variable { 0.0, 4.0 }
  local tape = lt.GradientTape()
  local root = lt.sqrt(v):sum()
  local err = expect.raises("InvalidArgument", "1 inf", function() local _ = tape:gradient(root, v) end)
  assert(err.op == "SqrtGrad" and err.message:find("check_numerics.lua:34", 1, true), err.message)

  -- In a variable that is overwritten, and in an optimiser's step of several variables.
  local w = lt.Variable { 3e38 }
  local err = expect.raises("InvalidArgument", "made 0 nan and 1 inf", w.assign_add, w, { 3e38 })
  assert(err.message:find("variable float32 (1,) is 3e+38", 1, true), err.message)
  local model = lt.nn.Sequential { lt.nn.Dense(4), lt.nn.Dense(1) }
  model:compile { loss = "mse", optimizer = lt.optim.SGD { learning_rate = 1e38 } }
  expect.raises("InvalidArgument", "inf", model.fit, model, lt.ones { 8, 3 } * 100, lt.ones { 8, 1 }, { epochs = 3, verbose = 0 })

  -- Half precision, float64, empty tensors, integers.
  expect.raises("InvalidArgument", "1 inf", function() return lt.constant({ 60000 }, { dtype = "float16" }) * 2 end)
  expect.raises("InvalidArgument", "float32", function() return lt.constant({ 1e300 }, { dtype = "float64" }):cast "float32" end)
  local _ = lt.zeros { 0, 3 } / 0
  local _ = lt.constant { 1, 2 } + 1
  lt.debugging.check_numerics(false)
  assert(tostring(lt.log(x)):find "nan", "off again")

  -- Of complex numbers, either part counts.
  lt.debugging.check_numerics(true)
  local zero = lt.complex(lt.constant { 0.0, 1.0 }, lt.constant { 0.0, 2.0 })
  local quotient = expect.raises("InvalidArgument", "RealDiv made 1 nan and 0 inf among 2 elements, complex64 (2,)", function() return zero / zero end)
  assert(quotient.message:find("a complex64 (2,) with parts from 0 to 2", 1, true), quotient.message)
  local large = lt.complex(lt.constant { 0.0 }, lt.constant { 1e30 })
  expect.raises("InvalidArgument", "Mul made 0 nan and 1 inf", function() return large * lt.complex(lt.constant { 0.0 }, lt.constant { -1e30 }) end)
  lt.debugging.check_numerics(false)
  local undefined = zero / zero
  lt.debugging.check_numerics(true)
  local _ = undefined * 2, lt.abs(undefined), lt.real(undefined)
  lt.debugging.check_numerics(false)
end
check "CPU:0"
check "GPU:0"
lt.debugging.check_numerics(false)
expect.raises("InvalidArgument", "on", lt.debugging.check_numerics)

-- Copies by line.
lt.debugging.reset_copies()
local x = lt.device("/GPU:0", lt.constant, { 1.0, 2.0, 3.0 })
for _ = 1, 3 do x:totable() end
local host = lt.device("/CPU:0", lt.ones, { 100 })
local sum = lt.device("/GPU:0", function() return host + host end)
local list = lt.debugging.copies()
expect.equal(#list, 3)
local input, read, constant = list[1], list[2], list[3]
expect.equal({ input.reason, input.count, input.bytes }, { "input", 1, 400 })
expect.equal({ read.reason, read.count, read.bytes }, { "read", 3, 36 })
expect.equal({ constant.reason, constant.count, constant.bytes }, { "constant", 1, 12 })
assert(read.line:find "check_numerics.lua:%d+$" and read.source:find "GPU:0" and read.target:find "CPU:0")
lt.debugging.reset_copies()
expect.equal(#lt.debugging.copies(), 0)

-- Live tensors, largest first.
local big = lt.device("/GPU:0", lt.zeros, { 512, 1024 })
local small = lt.device("/GPU:0", lt.ones, { 10, 10 })
local list = lt.debugging.live_tensors { device = "/GPU:0", n = 1 }
expect.equal(#list, 1)
expect.equal({ tostring(list[1].shape), list[1].dtype, list[1].bytes, list[1].op }, { "(512, 1024)", "float32", 2097152, "Fill" })
assert(list[1].line:find("check_numerics.lua", 1, true) and list[1].device:find("GPU:0", 1, true))
local all = lt.debugging.live_tensors()
for i = 2, #all do assert(all[i].bytes <= all[i - 1].bytes) end
expect.raises("NotFound", "GPU:7", lt.debugging.live_tensors, { device = "/GPU:7" })
expect.raises("InvalidArgument", "unknown option", lt.debugging.live_tensors, { count = 3 })
print "ok"
