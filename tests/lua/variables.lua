-- Variables as users see them: text, fields, assignment, value semantics, devices, the placement log.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2)

-- Text, fields, operators: a variable can be used wherever a tensor can.
local v = lt.device("CPU:0", lt.Variable, { 1.0, 2.0 }, { name = "w" })
expect.equal(tostring(v), "<lutra.Variable 'w' shape=(2,) dtype=float32, value=[1. 2.]>")
expect.equal({ v.name, v.trainable, v.dtype, v.rank, v.size, v.nbytes }, { "w", true, "float32", 1, 2, 8 })
assert(v.shape == v:value().shape and v.device:find("CPU:0", 1, true))
expect.equal(lt.Variable(1.5, { trainable = false }).trainable, false)
expect.equal(lt.Variable(1.5).name, "Variable")
expect.equal(lt.Variable({ 1, 2 }, { dtype = "int8" }).dtype, "int8")
expect.equal(lt.Variable(lt.ones { 2 }, { dtype = "float64" }).dtype, "float64")
-- As for constant: a tensor of another dtype is cast, and a literal number must fit.
for name, make in pairs { Variable = lt.Variable, constant = lt.constant } do
  expect.equal(make(lt.constant { 1.5, -1.5 }, { dtype = "int32" }):totable(), { 1, -1 }, name)
  expect.raises("InvalidArgument", "1.5", make, { 1.5 }, { dtype = "int32" })
end
expect.equal((v + v * 2 - 1):totable(), { 2, 5 })
expect.equal(v:sum():item(), 3)
expect.equal(lt.stack { v, v }:totable(), { { 1, 2 }, { 1, 2 } })
expect.equal({ v[2]:item(), #v, "v = " .. v }, { 2, 2, "v = [1. 2.]" })
-- Every method of a tensor's is a variable's, casts too.
for name, value in pairs(lt) do
  local is_method = type(value) == "function" and pcall(function() return lt.ones { 1 }[name] end)
  assert(not is_method or v[name] ~= nil, name)
end
-- An assigned table is read in the variable's dtype: with all digits for float64.
for how, expected in pairs { assign = 0.1, assign_add = 0.6, assign_sub = 0.4 } do
  local exact = lt.Variable({ 0.5, 2 ^ 53 }, { dtype = "float64" })
  expect.equal(exact[how](exact, { 0.1, 1 }):value():totable()[1], expected, how)
end
do
  local exact = lt.Variable(lt.zeros({ 2, 2 }, { dtype = "float64" }))
  exact[2] = { 0.1, 1e300 }
  exact[{ 1, { 2, 2 } }] = { 2 ^ 53 - 1 }
  expect.equal(exact:value():totable(), { { 0, 2 ^ 53 - 1 }, { 0.1, 1e300 } })
  local wide = lt.Variable(lt.zeros({ 2 }, { dtype = "int64" }))
  expect.equal(wide:assign({ math.maxinteger, 1 }):value():totable(), { math.maxinteger, 1 })
  local narrow = lt.Variable({ 1, 2 }, { dtype = "uint8", name = "narrow" })
  expect.equal(narrow:assign({ 7, 255 }):value():totable(), { 7, 255 })
  narrow[1] = 9.0
  narrow[{ { 2, 2 } }] = { 3 }
  expect.equal(narrow:assign_add({ 1, 253 }):value():totable(), { 10, 0 }, "it wraps")
  local flags = lt.Variable { true, false }
  expect.equal(flags:assign({ 0, 1 }):value():totable(), { false, true })
  expect.raises("InvalidArgument", "assign: value has 256, which does not fit the variable 'narrow' of uint8 (0 to 255)",
                function() narrow:assign { 1, 256 } end)
  expect.raises("InvalidArgument", "assign_sub: value has 0.5, which does not fit the variable 'narrow' of uint8; a cast would",
                function() narrow:assign_sub { 1, 0.5 } end)
  expect.raises("InvalidArgument", "value: value has -1, which does not fit the variable 'narrow'",
                function() narrow[{ {} }] = { -1, 1 } end)
  expect.raises("InvalidArgument", "assign: value has 2, which does not fit the variable 'Variable", function() flags:assign { 0, 2 } end)
  expect.raises("InvalidArgument", "value is int32, which the variable", function() narrow:assign(lt.constant { 1, 2 }) end)
  expect.equal(narrow:value():totable(), { 10, 0 }, "after what was refused")
end

for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" } do
  local cast = v[dtype](v)
  expect.equal({ cast.dtype, cast:int32():totable() }, { dtype, dtype == "bool" and { 1, 1 } or { 1, 2 } })
end
local walked = {}
for i, x in pairs(v) do walked[i] = x:item() end
expect.equal(walked, { 1, 2 })
assert(v == v and v ~= lt.Variable { 1.0, 2.0 })

-- A value that was read does not change with later assignments, small or large, whole or in part.
for _, size in ipairs { 2, 20, 100000 } do
  for _, device in ipairs { "CPU:0", "GPU:0" } do
    local _ <close> = lt.device(device)
    local w = lt.Variable(lt.ones { size })
    local read, part, reshaped, sum = w:value(), w[{ { 1, 2 } }], w:reshape { size, 1 }, w + 0
    w:assign_add(1)
    w[1] = 7
    w:assign_sub(lt.ones { size })
    for _, before in ipairs { read, part, reshaped, sum } do
      assert(before:min():item() == 1 and before:max():item() == 1, device .. " " .. size)
    end
    expect.equal({ w[1]:item(), w[2]:item() }, { 6, 1 })
    -- And vice versa: an assigned tensor does not change with the variable.
    local source = lt.fill({ size }, 3.0)
    w:assign(source)
    w:assign_add(1)
    expect.equal({ source:max():item(), w:max():item() }, { 3, 4 })
    local twin = lt.Variable(w)
    twin:assign_add(1)
    expect.equal({ twin:max():item(), w:max():item() }, { 5, 4 })
  end
end

-- An update that nobody else looks at allocates nothing.
do
  local w = lt.device("CPU:0", lt.Variable, lt.zeros { 100000 })
  local step = lt.device("CPU:0", lt.ones, { 100000 })
  w:assign_add(step)
  collectgarbage()
  lt.config.reset_memory_stats("CPU:0")
  local before = lt.config.get_memory_info("CPU:0").peak
  for _ = 1, 10 do w:assign_add(step) end
  expect.equal(lt.config.get_memory_info("CPU:0").peak, before, "peak bytes of ten updates in place")
  expect.equal(w[1]:item(), 11)
end

-- Functions that make a tensor of a variable give its value.
do
  local w = lt.device("CPU:0", lt.Variable, lt.ones { 1000 })
  local tensors = { lt.constant(w), w:to("CPU:0"), w:identity(), w:reshape { 1000 }, w:value() }
  w:assign_add(1)
  for i, t in ipairs(tensors) do assert(tostring(t):find("^lutra.Tensor") and t:max():item() == 1, i) end
end

-- The out-of-memory report after variables have let go of memory that others still hold.
do
  local held = {}
  for _ = 1, 4 do
    local w = lt.device("GPU:0", lt.Variable, lt.ones { 1000, 1000 })
    held[#held + 1] = w:value()
    w:assign(lt.device("GPU:0", lt.zeros, { 1000, 1000 }))
  end
  collectgarbage()
  collectgarbage()
  local err = expect.raises("ResourceExhausted", "(1000, 1000) float32", lt.device, "GPU:0", lt.ones, { 1 << 20, 1 << 11 })
  assert(err.message:find("3.81MiB", 1, true), err.message)
  expect.equal(held[4]:max():item(), 1)
end

-- It stays on its device; a copy made for an op elsewhere is never stale.
do
  local w = lt.device("GPU:1", lt.Variable, lt.ones { 1000 })
  for i = 1, 5 do
    local _ <close> = lt.device("GPU:0")
    local y = w * 2
    assert(y.device:find("GPU:0", 1, true) and y:max():item() == 2 * i)
    w:assign_add(lt.ones { 1000 })
    assert(w.device:find("GPU:1", 1, true))
  end
  local on_cpu = lt.device("CPU:0", lt.Variable, lt.ones { 1000 })
  for i = 1, 5 do
    local y = lt.device("GPU:0", function() return on_cpu + 0 end)
    on_cpu:assign_add(1)
    expect.equal(y:max():item(), i)
  end
end

-- A mistake in values of a GPU comes when the variable is read, every time, until it is assigned anew.
do
  local _ <close> = lt.device("GPU:0")
  local w = lt.Variable(lt.zeros({ 2 }, { dtype = "int32" }))
  w:assign_add(lt.constant { 1, 2 } // lt.constant { 1, 0 })
  for _ = 1, 2 do expect.raises("InvalidArgument", "floordiv", function() return w:value():totable() end) end
  w:assign { 5, 6 }
  expect.equal(w:value():totable(), { 5, 6 })
end

-- The placement log: the variable's own device, whatever the scope; a read for every use.
do
  local lines = {}
  lt.debugging.set_log_handler(function(event) lines[#lines + 1] = event.op .. " " .. event.device:match("%u+:%d$") end)
  local w = lt.device("GPU:1", lt.Variable, 1.0)
  lt.device("GPU:0", function()
    w:assign_add(1.0)
    w:assign_sub(0.5)
    w:assign(lt.constant(2.0))
    local _ = w + w
    w:value()
    w[{}] = 1
  end)
  lt.debugging.set_log_handler(nil)
  expect.equal(lines, {
    "_EagerConst GPU:1", "VarHandleOp GPU:1", "AssignVariableOp GPU:1", "AssignAddVariableOp GPU:1", "AssignSubVariableOp GPU:1",
    "_EagerConst GPU:0", "AssignVariableOp GPU:1", "ReadVariableOp GPU:1", "ReadVariableOp GPU:1", "AddV2 GPU:0",
    "ReadVariableOp GPU:1", "StridedSliceAssign GPU:1",
  })
end

-- A value of 36 bytes carries its bytes itself, a slice of another tensor shares that one's: updates go from each to the
-- other, and what is booked goes along (under the address sanitizer this also sees a Runtime that was left behind).
do
  local function slice() return lt.ones { 17 }[{ { 1, 9 } }] end
  collectgarbage()
  collectgarbage()
  local start = lt.debugging.live_storages()
  for _, update in ipairs {
    function(w) w:assign(lt.ones { 9 }) end, function(w) w:assign(slice()) end, function(w) w:assign_add(1) end,
    function(w) w:assign(w + 1) end, function(w) w[{ { 1, 2 } }] = 3 end, function(w) w:assign(7) end,
  } do
    for _, initial in ipairs { slice(), lt.ones { 9 } } do
      local w = lt.Variable(initial)
      for _ = 1, 3 do
        update(w)
        update(w)
        w:assign(slice())
      end
      expect.equal((w * 1):totable(), { 1, 1, 1, 1, 1, 1, 1, 1, 1 })
    end
  end
  collectgarbage()
  collectgarbage()
  expect.equal(lt.debugging.live_storages(), start, "storages that variables left")
end

-- tidy leaves a variable be, whatever its size and what it became: it lives as long as anything refers to it.
do
  local small, large, became
  local outside = lt.Variable(lt.ones { 9 })
  lt.tidy(function()
    small, large, became = lt.Variable(1.0), lt.Variable(lt.ones { 20 }), lt.Variable(lt.ones { 9 })
    became:assign(lt.ones { 17 }[{ { 1, 9 } }])
    outside:assign(lt.ones { 17 }[{ { 1, 9 } }])
  end)
  for variable, sum in pairs { [small] = 1, [large] = 20, [became] = 9, [outside] = 9 } do
    expect.equal(variable:sum():item(), sum)
    expect.equal(variable:assign_add(1):sum():item(), sum + variable.size)
  end
end

-- Made by a finalizer, and then updated from without.
do
  local text, ok = expect.program([[
setmetatable({}, { __gc = function() v = lt.Variable(lt.ones { 17 }[{ { 1, 9 } }]) end })
collectgarbage()
v:assign(lt.ones { 9 })
v = nil
collectgarbage()
collectgarbage()
for i = 1, 1000 do local s = ("x"):rep(200 + i % 50) end
print("done")]])
  assert(ok, text)
  expect.equal(text, "done\n")
end

-- An initial value from another device is copied, and the log has that copy as any other; copies of an op that failed are
-- not logged again.
do
  local far = lt.device("GPU:1", lt.ones, { 30 })
  local events = {}
  lt.debugging.set_log_handler(function(event) events[#events + 1] = event end)
  pcall(lt.device, "CPU:0", lt.floordiv, lt.device("GPU:1", lt.constant, { 1 }), 0)
  events = {}
  local w = lt.device("GPU:0", lt.Variable, far)
  lt.device("GPU:1", lt.Variable, far)
  lt.debugging.set_log_handler(nil)
  local copies = {}
  for _, event in ipairs(events) do
    for _, copy in ipairs(event.copies) do
      copies[#copies + 1] = ("%s: %s of %d from %s to %s"):format(event.op, copy.shape, copy.bytes,
        copy.source:match("%u+:%d$"), copy.target:match("%u+:%d$"))
    end
  end
  expect.equal(#events, 4, "events")
  expect.equal(copies, { "AssignVariableOp: (30,) of 120 from GPU:1 to GPU:0" })
  expect.equal(w:sum():item(), 30.0)
end

-- Refused calls.
expect.raises("InvalidArgument", "Variable: initial is nil", lt.Variable)
expect.raises("InvalidArgument", "Variable: initial is a function", lt.Variable, print)
expect.raises("InvalidArgument", "trainabel", lt.Variable, 1, { trainabel = false })
expect.raises("InvalidArgument", "Variable: initial[2] has 1", lt.Variable, { { 1, 2 }, { 3 } })
expect.raises("InvalidArgument", "that can be set; v:assign(value)", function() v.name = "x" end)
expect.raises("InvalidArgument", "assign: value is a function", v.assign, v, print)
expect.raises("InvalidArgument", "assign: variable is a tensor, expected a Variable", v.assign, v:value(), 1)
expect.raises("InvalidArgument", "assign: 3 arguments given", v.assign, v, 1, 2)
expect.raises("InvalidArgument", "release: a Variable is released when", v.release, v)
expect.raises("InvalidArgument", "index 0", function() v[0] = 1 end)
expect.equal(v:value():totable(), { 1, 2 }, "after what was refused")

-- Nothing is left.
v = nil
print("ok")
