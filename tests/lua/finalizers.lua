-- Finalizers within an op, at every allocation that it makes: tensors are released and devices reset after the op was
-- prepared. Then the op is prepared again, on the current devices, or raises an error that names what was removed. The
-- test is deterministic.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local collector = require "collector"
local expect = require "expect"
local config = lt.config

-- f() with `strike` called by a finalizer at the nth allocation of Lua's that f makes. Returns whether it was called, and
-- pcall's results.
local function struck_at(n, strike, f)
  local called, over = false, false
  collectgarbage()
  collectgarbage("stop")
  collector.at_each_collection(function(i)
    if over then return false end
    called = i == n
    if called then strike() end
    return not called
  end)
  local before = collector.tighten()
  local ok, result, second = pcall(f)
  over = true
  collector.loosen(before)
  return called, ok, result, second
end

-- Strikes at each allocation, one per run. make() gives a new {call, strike}; check(ok, result, second, n) judges. Returns how
-- often each message came.
local function strike_everywhere(what, make, check)
  local messages, n, called = {}, 0, nil
  repeat
    n = n + 1
    local call, strike = make()
    local ok, result, second
    called, ok, result, second = struck_at(n, strike, call)
    if not ok then
      assert(lt.iserror(result), ("%s, allocation %d: a plain error: %s"):format(what, n, tostring(result)))
      messages[result.message] = (messages[result.message] or 0) + 1
    end
    check(ok, result, second, n)
    collectgarbage()
    config.release_memory()
  until not called
  assert(n > 1, what .. ": the op allocated nothing")
  return messages
end

local again = ": a finalizer released an input while the op was being set up"
local storages = expect.storages()

-- An input is released. Only an op that is prepared a second time says it in the words of `again`.
config.set_simulated_gpus(2, { memory_limit = 64 })
local function on(device, f, ...) return lt.device(device, f, ...) end
local makers = {
  ["bytes of its own"] = function() return on("/CPU:0", lt.constant, { 1, 2, 3 }) end,
  ["a storage"] = function() return on("/CPU:0", lt.ones, { 3, 20 }) end,
  ["a GPU's storage"] = function() return on("/GPU:1", lt.ones, { 3, 20 }) end,
}
for kind, make in pairs(makers) do
  local ops = {
    add = function(x) return x + x end,
    neg = function(x) return -x end,
    reshape = function(x) return lt.reshape(x, { -1 }) end,
    unique = function(x) return lt.unique(x) end,
    concat = function(x) return lt.concat { x, x } end,
    sum = function(x) return x:sum() end,
    median = function(x) return x:median() end,
    hypot = function(x) return x:hypot(x) end,
    index = function(x) return x[{ { 2, 3 } }] end,
    gather = function(x) return lt.gather(x, { 1, 3 }) end,
    where = function(x) return lt.where(lt.constant(true), x, 2) end,
  }
  for name, op in pairs(ops) do
    local what = name .. " of " .. kind
    local wanted = tostring(op(make()))
    local messages = strike_everywhere(what, function()
      local victim = make()
      return function() return op(victim) end, function() victim:release() end
    end, function(ok, result, _, n)
      if ok then return expect.equal(tostring(result), wanted, what) end
      expect.equal(result.code, "FailedPrecondition", ("%s, allocation %d: %s"):format(what, n, result.message))
      assert(result.message:find("released", 1, true), result.message)
    end)
    local seen = 0
    for message, times in pairs(messages) do
      if message:find(again, 1, true) then seen = seen + times end
    end
    assert(seen >= 1, what .. ": no strike came between preparing and executing")
  end
end
expect.equal(expect.storages(), storages, "storages after releases")

-- A tensor that is no input is released: the op succeeds.
strike_everywhere("a bystander", function()
  local a, bystander = lt.ones { 40 }, lt.ones { 50 }
  return function() return (a + a):sum() end, function() bystander:release() end
end, function(ok, result) assert(ok and result:item() == 80, tostring(result)) end)

-- The devices are reset during an op in a GPU's scope with inputs on the CPU: it runs on the new devices. More
-- GPUs, fewer, none: the result is where the op would have run if the script had reset them before.
local function reset_to(gpus)
  config.reset()
  config.set_simulated_gpus(gpus, { memory_limit = 64 })
end
local long = {}
for i = 1, 30 do long[i] = i end
local a
for _, case in ipairs {
  { from = 2, to = 2, device = "GPU:0" }, { from = 2, to = 1, device = "GPU:0" }, { from = 1, to = 3, device = "GPU:0" },
  { from = 2, to = 0, device = "CPU:0" }, { from = 0, to = 2, device = "GPU:0" },
} do
  for _, values in ipairs { { 5, 6, 7 }, long } do
    local what = ("%d GPUs become %d, %d elements"):format(case.from, case.to, #values)
    local wanted = {}
    for i, v in ipairs(values) do wanted[i] = v * 2 end
    local struck = 0
    strike_everywhere(what, function()
      a = nil
      collectgarbage()
      reset_to(0)
      a = on("/CPU:0", lt.constant, values)
      reset_to(case.from)
      assert(#config.list_logical_devices("GPU") == case.from)
      return function() return a + a end, function() reset_to(case.to) struck = struck + 1 end
    end, function(ok, result, _, n)
      assert(ok, what .. ": " .. tostring(result))
      expect.equal(result:totable(), wanted, what)
      if n > 1 then return end
      expect.equal(result.device, "/job:localhost/replica:0/task:0/device:" .. case.device, what)
      -- Only what carries its bytes needs no finalizer.
      local stored = case.device ~= "CPU:0" or #values > 16
      expect.equal(debug.getmetatable(result).__gc ~= nil, stored, what .. ": has a finalizer")
    end)
    expect.equal(struck, 1, what .. ": allocations of a + a")
  end
end

-- The scope's device is gone: the error is the op's, as it would have been without a finalizer.
local messages = strike_everywhere("the scope's GPU goes", function()
  a = nil
  collectgarbage()
  reset_to(2)
  a = on("/CPU:0", lt.ones, { 30 })
  return function() local _ <close> = lt.device("/GPU:1") return a + a end, function() reset_to(1) end
end, function(ok, result)
  if ok then return expect.equal(result:sum():item(), 60) end
  expect.equal(result.code, "NotFound", result.message)
end)
local unknown = next(messages)
assert(unknown and unknown:find("device:GPU:1 unknown device. Here: ", 1, true), tostring(unknown))

a = nil
expect.equal(expect.storages(), storages, "storages after resets")

-- What nonzero finds is counted, then memory is allocated for it. When there is too little, garbage is collected, and a
-- finalizer assigns the variable that was counted: the count no longer holds.
config.reset()
config.set_simulated_gpus(0)
config.set_memory_limit("CPU:0", 64)
for _, case in ipairs { { to = 0, fails = true }, { to = 1, fails = false } } do
  local v, other, called = lt.Variable(lt.ones { 2000000 }), lt.fill({ 2000000 }, case.to):cast("float32"), false
  local garbage, sentinel = lt.ones { 10000000 }, setmetatable({}, { __gc = function() called = true v:assign(other) end })
  lt.ones { 100 }  -- comes after a collection, so that none is due before nonzero's own
  garbage, sentinel = nil, nil
  local ok, result = pcall(lt.nonzero, v)
  assert(called, "no finalizer was called")
  if case.fails then
    expect.equal(tostring(result.code), "FailedPrecondition")
    assert(result.message:find("nonzero: a finalizer assigned an input while the op was being set up", 1, true), result.message)
  else
    assert(ok and #result == 2000000, tostring(result))
  end
  v, other, result = nil, nil, nil
  collectgarbage()
  collectgarbage()
end

-- The same for memory that is allocated after the inputs were checked: for casts, for a kernel's workspace, for a variable
-- whose memory a read holds. The variable's memory is freed and overwritten by something else; the result is that of
-- its value before or after.
local n = 2 * 1024 * 1024  -- 8 MB in float32
local function full(value, dtype, size) return lt.fill({ size or n }, value, { dtype = dtype or "float32" }) end
for what, case in pairs {
  ["a cast input"] = { limit = 58, held = 2, results = { 101, 105 }, make = function()
    local ints = lt.fill({ n }, 100)
    return function(v) return (v + ints)[1]:item() end
  end },
  ["a kernel's scratch memory"] = { limit = 77, held = 1, dtype = "float16", size = 2 * n, results = { 4, 20 }, make = function()
    local factor = full(4 / (2 * n), "float16", 2 * n)
    return function(v) return lt.dot(v, factor):item() end
  end },
  ["an update's fresh memory"] = { limit = 58, held = 2, results = { 8, 12 }, make = function()
    local w = lt.Variable(full(7))
    local read = w:value()
    return function(v)
      w:assign_add(v)
      assert(read[1]:item() == 7, "what was read stays")
      return w[n]:item()
    end
  end },
} do
  config.reset()
  config.set_memory_limit("CPU:0", case.limit)
  local v, other = lt.Variable(full(1, case.dtype, case.size)), full(5, case.dtype, case.size)
  local op, held, called = case.make(), {}, false
  for i = 1, case.held do held[i] = full(7) end
  collectgarbage()
  collectgarbage("stop")
  setmetatable({ full(9) }, { __gc = function()
    called = true
    v:assign(other)
    other = nil
    held[#held + 1] = full(1000, case.dtype, case.size)
  end })
  collectgarbage("restart")
  local was = collectgarbage("incremental", 1000, 1)
  local result = op(v)
  collectgarbage(was)
  assert(called, what .. ": no finalizer was called")
  assert(result == case.results[1] or result == case.results[2], what .. ": " .. tostring(result))
  expect.equal(v[1]:item(), 5, what)
  v, held, op = nil, nil, nil
  collectgarbage()
  collectgarbage()
end

-- A variable that is fetched twice for one op on a GPU is the same both times.
config.reset()
config.set_simulated_gpus(1, { memory_limit = 34 })
do
  local v, other = on("/CPU:0", function() return lt.Variable(full(1)), full(5) end)
  local held, called = on("/GPU:0", full, 7), false
  collectgarbage()
  collectgarbage("stop")
  local garbage = on("/GPU:0", function() return { full(9), full(9) } end)
  setmetatable(garbage, { __gc = function()
    called = true
    v:assign(other)
  end })
  garbage = nil
  collectgarbage("restart")
  local was = collectgarbage("incremental", 1000, 1)
  local result = on("/GPU:0", lt.mul, v, v)[1]:item()
  collectgarbage(was)
  assert(called and held.size == n, "no finalizer was called")
  assert(result == 1 or result == 25, result)
end
print("ok")
