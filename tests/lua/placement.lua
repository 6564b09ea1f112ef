-- Where ops run and how it is reported: the rules (1) to (5) of docs/placement.md, the log with its options, the
-- handler, explain.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local golden = require "run.golden"
local expect = require "expect"
lt.config.set_simulated_gpus(3)

local prefix = "/job:localhost/replica:0/task:0/device:"
local function where(t) return t.device:sub(#prefix + 1) end
local function on(name, f, ...) return lt.device(name, f, ...) end
local add = function(t) return t + 1 end

-- (1) GPUs before CPUs, lowest number first, the first with a kernel.
local x = lt.ones { 2, 2 }
assert(where(x) == "GPU:0")
assert(where(on("/gpu:*", lt.ones, { 2 })) == "GPU:0" and where(on("/device:*:1", lt.ones, { 2 })) == "GPU:1")
assert(where(on("/cpu:*", lt.ones, { 2 })) == "CPU:0" and where(on("/job:localhost", lt.ones, { 2 })) == "GPU:0")
local narrow = on("CPU:0", lt.ones, { 100 }, { dtype = "int8" })
assert(where(lt.cast(narrow, "int32")) == "GPU:0")
-- (2) An unknown device is the op's error, not the scope's; soft placement takes the same type first.
do
  local _ <close> = lt.device("/GPU:5")
  local err = expect.raises("NotFound", prefix .. "GPU:5 unknown device. Here: ", add, x)
  assert(err.requested == "/device:GPU:5" and err.message:find(prefix .. "CPU:0", 1, true))
  lt.config.set_soft_device_placement(true)
  assert(lt.config.get_soft_device_placement())
  assert(where(add(x)) == "GPU:0")
  assert(where(on("/CPU:3", add, x)) == "CPU:0" and where(on("/device:TPU:0", add, x)) == "GPU:0")
  expect.raises("NotFound", "/job:worker/replica:0/task:0/device:GPU:5 unknown device.", on, "/job:worker", add, x)
  expect.raises("NotFound", "task:3", on, "/task:3", add, x)
  lt.config.set_soft_device_placement(false)
  expect.raises("NotFound", "unknown device", add, x)
end
-- (3) No kernel: CPU:0, whatever the scope says; set_kernel_fallback changes that.
local function unique() return (lt.unique { 3, 1, 3 }) end
assert(lt.debugging.get_kernel_fallback() == "allow")
assert(where(unique()) == "CPU:0" and where(on("/GPU:1", unique)) == "CPU:0")
lt.debugging.set_kernel_fallback("error")
local err = expect.raises("InvalidArgument", "unique: Unique has no GPU kernel", on, "/GPU:1", unique)
assert(err.requested == "/device:GPU:1", "requested: " .. tostring(err.requested))
assert(where(unique()) == "CPU:0" and where(on("/CPU:0", unique)) == "CPU:0", "nobody asked for a GPU")
lt.debugging.set_kernel_fallback("allow")
expect.raises("InvalidArgument", "mode", lt.debugging.set_kernel_fallback, "never")
-- (4) Inputs elsewhere are copied; the result stays.
local far = on("/GPU:2", lt.ones, { 2, 2 })
local mixed = on("/GPU:1", function() return x + far + on("CPU:0", lt.ones, { 2, 2 }) end)
assert(where(mixed) == "GPU:1" and where(x) == "GPU:0" and where(far) == "GPU:2")
expect.equal(mixed:totable(), { { 3, 3 }, { 3, 3 } })
assert(where(x:to("GPU:2")) == "GPU:2" and rawequal(x:to("GPU:0"), x))
expect.raises("NotFound", "No matching devices found for 'GPU:9'", x.to, x, "GPU:9")
expect.raises("NotFound", "No matching devices found for 'GPU:9'", lt.synchronize, "GPU:9")
lt.config.set_soft_device_placement(true)
assert(where(far:to("GPU:9")) == "GPU:0" and where(far:to("CPU:9")) == "CPU:0", "soft placement applies to `to` as to scopes")
expect.raises("NotFound", "unknown device", x.to, x, "/job:foreign/GPU:0")
lt.config.set_soft_device_placement(false)
expect.raises("InvalidArgument", "Multiple devices match", x.to, x, "GPU")
-- (5) What moves no data stays with its input, unless a scope says otherwise.
for _, f in ipairs { lt.identity, function(t) return t:reshape { 4 } end, function(t) return t:expand_dims(1) end,
  function(t) return t[1] end, function(t) return t[{ { 1, 2 } }] end, function(t) return t:reshape { 1, 4 }:squeeze() end } do
  assert(where(f(far)) == "GPU:2" and where(on("/GPU:1", f, far)) == "GPU:1" and where(on("/CPU:0", f, far)) == "CPU:0")
  expect.equal(on("/CPU:0", f, far):totable(), f(far):totable())
end
-- A reset may have retired the input's device. Then the current device of that name is used, or the first CPU.
do
  local text, ok = expect.program([[
lt.config.set_logical_device_configuration("CPU:0", { {}, {} })
local old = lt.device("/CPU:1", lt.ones, {5, 5})
local small = lt.device("/CPU:1", lt.ones, {2})
lt.config.reset()
print(old:reshape({25}).device, small[1].device, old[2].device, lt.identity(old).device)
print((lt.identity(old) + old):sum():item(), lt.debugging.explain(old:reshape {25}).device)
lt.config.reset()
lt.config.set_logical_device_configuration("CPU:0", { {}, {} })
print(lt.identity(old).device, lt.identity(small).device, old:to("CPU:0").device)
]])
  local cpu = prefix .. "CPU:"
  assert(ok and text == (cpu .. "0\t"):rep(4):sub(1, -2) .. "\n50.0\t" .. cpu .. "0\n" .. cpu .. "1\t" .. cpu .. "1\t" .. cpu .. "0\n", text)
end

-- The log, in order with the script's own output.
local function logs(script, wanted, options)
  local text, ok = expect.program(script, options or "--sim-gpus 2")
  assert(ok, text)
  local difference = golden.compare(golden.lines(wanted), golden.lines(text))
  assert(not difference, difference)
end
logs([[
lt.debugging.set_log_device_placement(true)
local a = lt.constant {1.0, 2.0}
io.write("between, ")
print(a[1]:item(), #a, a.shape, a)
local b = lt.device("/CPU:0", function() return lt.constant {1.0} + 1 end)   -- a constant on the CPU runs no op
a:reshape {2, 1}
a = a * 2 + a
pcall(lt.matmul, a, lt.ones {3})
pcall(lt.device, "/GPU:7", lt.ones, {3})
lt.debugging.set_log_device_placement(false)
a = a + 1
assert(not lt.debugging.get_log_device_placement())
]], [[
Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0
between, Executing op StridedSlice in device /job:localhost/replica:0/task:0/device:GPU:0
1.0	2	(2,)	lutra.Tensor([1. 2.], shape=(2,), dtype=float32)
Executing op AddV2 in device /job:localhost/replica:0/task:0/device:CPU:0
Executing op Reshape in device /job:localhost/replica:0/task:0/device:GPU:0
Executing op Mul in device /job:localhost/replica:0/task:0/device:GPU:0
Executing op AddV2 in device /job:localhost/replica:0/task:0/device:GPU:0
Executing op Fill in device /job:localhost/replica:0/task:0/device:GPU:0
]])
logs([[
lt.debugging.set_log_device_placement(true, {reasons = true, copies = true})
local one = lt.device("/CPU:0", lt.constant, 3.0)
local a = lt.device("/GPU:1", lt.ones, {20})
a = a * one                                          -- one element rides along
a = a * 2
lt.device("/GPU:1", lt.unique, a)
lt.reshape(a, {4, 5})
a:to("CPU:0")
]], [[
Executing op Fill in device /job:localhost/replica:0/task:0/device:GPU:1 (scope /device:GPU:1)
Copying tensor (20,) of 80 bytes from /job:localhost/replica:0/task:0/device:GPU:1 to /job:localhost/replica:0/task:0/device:GPU:0
Executing op Mul in device /job:localhost/replica:0/task:0/device:GPU:0 (no scope: GPU first)
Executing op Mul in device /job:localhost/replica:0/task:0/device:GPU:0 (no scope: GPU first)
Copying tensor (20,) of 80 bytes from /job:localhost/replica:0/task:0/device:GPU:0 to /job:localhost/replica:0/task:0/device:CPU:0
Executing op Unique in device /job:localhost/replica:0/task:0/device:CPU:0 (Unique has no GPU kernel)
Executing op Reshape in device /job:localhost/replica:0/task:0/device:GPU:0 (moves no data: stays on its input's device)
]])
-- The tensor that a table or a number becomes for an op is logged with the op; not when the op is refused.
logs([[
lt.debugging.set_log_device_placement(true, {copies = true})
local a, v = lt.device("/GPU:1", lt.ones, {20}), lt.device("/GPU:0", lt.Variable, {1, 2})
print "refused"
pcall(lt.matmul, lt.ones {2, 2}, 3.0)
pcall(lt.exp, {true})
pcall(lt.split, {1, 2}, 3)
pcall(lt.concat, { a, {1, 2}, {{1}} })
pcall(lt.add, a, {1, 2, 3})
pcall(v.assign, v, {1, 2, 3})
pcall(function() v[1] = {1, 2, 3} end)
pcall(lt.device, "/GPU:7", lt.exp, {1})
print "run"
lt.gather(a, 3)
lt.unstack {1, 2}
lt.concat { v, a, {3, 4}, {5} }
v:assign {3, 4}
v:assign_add {3, 4}
v[{}] = {5, 6}
lt.device("/CPU:0", lt.exp, {1})
]], ([[
Executing op Fill in device GPU:1
Executing op _EagerConst in device GPU:0
Executing op VarHandleOp in device GPU:0
Executing op AssignVariableOp in device GPU:0
refused
Executing op Fill in device GPU:0
run
Executing op _EagerConst in device GPU:0
Copying tensor (20,) of 80 bytes from GPU:1 to GPU:0
Executing op GatherV2 in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op Unpack in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op ReadVariableOp in device GPU:0
Executing op ConcatV2 in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op AssignVariableOp in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op AssignAddVariableOp in device GPU:0
Executing op _EagerConst in device GPU:0
Executing op StridedSliceAssign in device GPU:0
Executing op Exp in device CPU:0
]]):gsub("[GC]PU:%d", prefix .. "%0"), nil)
logs([[
lt.debugging.set_log_device_placement(true, {once = true})
for i = 1, 5 do local _ = lt.ones {2} + i end
print "again"
lt.debugging.set_log_device_placement(true, {once = true})
local _ = lt.ones {2}
]], [[
Executing op Fill in device /job:localhost/replica:0/task:0/device:GPU:0
Executing op AddV2 in device /job:localhost/replica:0/task:0/device:GPU:0
again
Executing op Fill in device /job:localhost/replica:0/task:0/device:GPU:0
]])
logs([[local _ = lt.ones {2} + 1]], [[
Executing op Fill in device /job:localhost/replica:0/task:0/device:CPU:0
Executing op AddV2 in device /job:localhost/replica:0/task:0/device:CPU:0
]], "--log-placement")
logs([[
lt.debugging.set_kernel_fallback("warn")
lt.device("/GPU:0", lt.unique, {1, 1})
lt.unique {1, 1}
]], [[
WARNING: Unique has no GPU kernel<*>/device:GPU:0<*>/job:localhost/replica:0/task:0/device:CPU:0
]])
for _, options in ipairs { 3, "x", { reason = true }, { reasons = 1 }, { true } } do
  expect.raises("InvalidArgument", "set_log_device_placement: ", lt.debugging.set_log_device_placement, true, options)
end
expect.raises("InvalidArgument", "did you mean", lt.debugging.set_log_device_placement, true, { reason = true })
assert(not lt.debugging.get_log_device_placement(), "a refused call changes nothing")

-- The handler gets every event instead, with all its fields.
local events = {}
local function listen(event) events[#events + 1] = event end
lt.debugging.set_log_handler(listen)
local on_cpu = on("/CPU:0", lt.ones, { 5, 5 })
local sum = on("/GPU:1", function() return on_cpu + 1 end)
local line = debug.getinfo(1, "l").currentline - 1
lt.debugging.set_log_handler(nil)
local _ = sum + 1
expect.equal(#events, 2, "events")
local event = events[2]
assert(event.op == "AddV2" and event.device == prefix .. "GPU:1" and event.requested == "/device:GPU:1")
assert(event.reason == "scope /device:GPU:1" and event.line == "tests/lua/placement.lua:" .. line, event.line)
assert(#event.copies == 1 and #events[1].copies == 0)
local copy = event.copies[1]
assert(copy.source == prefix .. "CPU:0" and copy.target == prefix .. "GPU:1" and copy.bytes == 100 and copy.shape == { 5, 5 })
assert(getmetatable(copy.shape) ~= nil and tostring(copy.shape) == "(5, 5)")

-- It may run ops itself, of which it does not hear; it hears of an op whose kernel failed.
events = {}
lt.debugging.set_log_handler(function(e)
  listen(e)
  assert((lt.ones { 2 } + 1)[1]:item() == 2)
  coroutine.wrap(function() assert(not on("/CPU:0", pcall, lt.floordiv, 1, 0)) end)()
end)
local failed = on("/CPU:0", pcall, lt.floordiv, on("/CPU:0", lt.constant, { 1 }), 0)
lt.add(1, 2)
lt.debugging.set_log_handler(nil)
assert(not failed and events[1].op == "FloorDiv" and events[2].op == "AddV2" and #events == 2, #events)

-- An error inside it fails in pcall without touching the op's own error, or the other way round.
lt.debugging.set_log_handler(function() pcall(lt.ones, "x") end)
err = expect.raises("InvalidArgument", "divided by zero", on, "/CPU:0", lt.floordiv, on("/CPU:0", lt.constant, { 1 }), 0)
-- An error in the handler is raised there and removes the handler; the op has still taken effect.
lt.debugging.set_log_handler(function() error("handler broke", 0) end)
local storages = expect.storages()
local ok, message = pcall(lt.ones, { 50 })
assert(not ok and message == "handler broke", tostring(message))
assert(lt.ones({ 50 }).size == 50, "the handler is gone")
assert(expect.storages() == storages)
lt.debugging.set_log_handler(function() error({ code = 1 }) end)
ok, message = pcall(add, x)
assert(not ok and message.code == 1)
lt.debugging.set_log_handler(function() lt.ones("x") end)
err = expect.raises("InvalidArgument", "ones: ", add, x)
-- Again and again, also for an op that fails: the handler's error is the one that is raised, nothing is kept, and the next
-- op fails with its own.
local broken = on("/CPU:0", lt.constant, { 1 })
local before = expect.storages()
for i = 1, 200 do
  lt.debugging.set_log_handler(function() error("broke " .. i, 0) end)
  ok, message = pcall(on, "/CPU:0", lt.floordiv, broken, 0)
  assert(not ok and message == "broke " .. i, tostring(message))
  expect.raises("InvalidArgument", "divided by zero", on, "/CPU:0", lt.floordiv, broken, 0)
end
expect.equal(expect.storages(), before, "storages")
-- It may remove or replace itself, and yields are refused.
lt.debugging.set_log_handler(function() lt.debugging.set_log_handler(listen) end)
events = {}
add(add(x))
assert(#events >= 1)
lt.debugging.set_log_handler(coroutine.yield)
coroutine.wrap(function() ok, message = pcall(add, x) end)()
assert(not ok and tostring(message):find("yield", 1, true), tostring(message))
for _, handler in ipairs { 1, "x", {}, true } do
  expect.raises("InvalidArgument", "handler", lt.debugging.set_log_handler, handler)
end
expect.raises("InvalidArgument", "handler", lt.debugging.set_log_handler)

-- explain.
local made = on("/GPU:1", function() return on_cpu * 3 end)
local told = lt.debugging.explain(made)
assert(told.op == "Mul" and told.device == prefix .. "GPU:1" and told.chosen == told.device)
assert(told.requested == "/device:GPU:1" and told.reason == "scope /device:GPU:1" and told.bytes == 100)
assert(tostring(told):find("Mul in " .. prefix .. "GPU:1 (scope /device:GPU:1)", 1, true), tostring(told))
told = lt.debugging.explain((lt.unique { 1, 1 }))
assert(told.op == "Unique" and told.reason == "Unique has no GPU kernel" and told.device == prefix .. "CPU:0")
told = lt.debugging.explain(on_cpu:to("GPU:2"))
assert(told.device == prefix .. "GPU:2")
assert(told.chosen == prefix .. "CPU:0" and tostring(told):find("Fill in " .. prefix .. "CPU:0 (scope /device:CPU:0)", 1, true)
  and tostring(told):find(", now on " .. prefix .. "GPU:2", 1, true), tostring(told))
expect.raises("InvalidArgument", "tensor", lt.debugging.explain, 3)
-- From 1 MB up everything is kept for life; of others the last 65,536 ops.
local big, line_of_big = lt.zeros { 512, 1024 }, debug.getinfo(1, "l").currentline
local small = lt.zeros { 3 }
for _ = 1, 65530 do lt.identity(small) end
assert(lt.debugging.explain(small).op == "Fill")
for _ = 1, 20 do lt.identity(small) end
told = lt.debugging.explain(small)
assert(told.op == nil and told.reason:find("65536", 1, true) and told.device == prefix .. "GPU:0", tostring(told))
told = lt.debugging.explain(big)
assert(told.op == "Fill" and told.line == "tests/lua/placement.lua:" .. line_of_big, tostring(told))

-- A constant used in a loop on another device crosses once.
events = {}
lt.debugging.set_log_handler(listen)
local constant = on("/CPU:0", lt.ones, { 30 })
on("/GPU:1", function() local y = lt.zeros { 30 } for _ = 1, 10 do y = y + constant end return y end)
lt.debugging.set_log_handler(nil)
local copies = 0
for _, e in ipairs(events) do copies = copies + #e.copies end
expect.equal(copies, 1, "copies of the constant")

-- t:to(device) is no op; its copy is logged all the same, once.
do
  local text = expect.program([[
    local x = lt.ones {3, 4}
    lt.debugging.set_log_device_placement(true, {copies = true})
    x:to("CPU:0")
    x:to("CPU:0")
    x:to("GPU:0")
    lt.debugging.set_log_device_placement(true)
    x:to("GPU:1")]], "--sim-gpus 2")
  expect.equal(text, ("Copying tensor (3, 4) of 48 bytes from %sGPU:0 to %sCPU:0\n"):format(prefix, prefix))
  events = {}
  local moved = on("/GPU:0", lt.ones, { 30 })
  lt.debugging.set_log_handler(listen)
  moved:to("GPU:1")
  moved:to("GPU:1")
  lt.debugging.set_log_handler(nil)
  expect.equal(#events, 1, "events of two moves")
  assert(events[1].op == "to" and events[1].device == prefix .. "GPU:1" and #events[1].copies == 1)
  assert(events[1].copies[1].source == prefix .. "GPU:0" and events[1].copies[1].bytes == 120)
end
print("ok")
