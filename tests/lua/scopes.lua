-- Device scopes: how names merge, every way to leave a scope, one stack per coroutine.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(3)

local prefix = "/job:localhost/replica:0/task:0/device:"
local function here() return lt.ones { 2 }.device:sub(#prefix + 1) end
local function outside() assert(expect.scope() == "", "a scope is open: " .. expect.scope()) end

-- Both forms, and every spelling of a name.
for _, name in ipairs { "/job:localhost/replica:0/task:0/device:GPU:1", "/GPU:1", "/gpu:1", "GPU:1", "/device:gpu:1", "Gpu:1" } do
  do
    local _ <close> = lt.device(name)
    assert(here() == "GPU:1", name)
  end
  outside()
  assert(lt.device(name, here) == "GPU:1", name)
  outside()
end
expect.equal({ lt.device("cpu", function(...) return here(), ... end, 1, nil, 3) }, { "CPU:0", 1, nil, 3 }, "results")
for _, gpu in ipairs(lt.config.list_logical_devices("GPU")) do
  assert(lt.device(gpu, here) == gpu.name:match("GPU:%d"), "a logical device object stands for its name")
end
assert(lt.device(setmetatable({}, { __call = function() return here() end }) and "GPU:2", here) == "GPU:2")
assert(lt.device("GPU:2", setmetatable({}, { __call = function() return here() end })) == "GPU:2", "a callable object")

-- Merging: the inner name wins, what it leaves out comes from outside, another type drops the outer number.
local function nested(...)
  local names, at = { ... }, 0
  local function inner()
    at = at + 1
    if at > #names then return expect.scope() end
    return lt.device(names[at], inner)
  end
  return inner()
end
for _, case in ipairs {
  { "/device:GPU:1", "/gpu:1", "" }, { "/device:GPU:1", "/gpu:1", "/gpu:*" }, { "/device:CPU:0", "/gpu:1", "/cpu:0" },
  { "/device:GPU:2", "/gpu:*", "/device:*:2" }, { "/job:localhost/device:GPU:1", "/job:localhost", "/gpu:1" },
  { "", "/gpu:1", false }, { "/device:GPU:2", "/gpu:1", false, "/gpu:2" }, { "/device:GPU:1", "/task:0/gpu:1", false, "/gpu:1" },
  { "/replica:0/task:0/device:GPU:1", "/replica:0/gpu:1", "/task:0" }, { "/device:CPU:*", "/gpu:1", "/cpu:*" },
} do
  local got = nested(table.unpack(case, 2))
  assert(got == case[1], ("%s: got %q, wanted %q"):format(
    table.concat({ tostring(case[2]), tostring(case[3]), tostring(case[4]) }, " > "), got, case[1]))
end
assert(lt.device("/gpu:1", lt.device, "/cpu:*", here) == "CPU:0", "/cpu:* inside /gpu:1 is any CPU")
assert(lt.device("/device:*:2", lt.device, "gpu", here) == "GPU:2")

-- Bad names fail at the scope and quote what is wrong; a name that only does not exist fails at the op.
for _, case in ipairs {
  { "/", "'/': it has a '/' too many" }, { "TPU:0", "TPU" }, { "/gpu:x", "x" }, { "/gpu:-1", "-1" }, { "gpu:99999999999", "99999999999" }, { "/foo:1", "foo" },
  { "/gpu:0/cpu:0", "cpu:0" }, { "/job:1", "1" }, { "/gpu:0/", "'/' too many" }, { "//gpu:0", "'/' too many" },
  { " gpu:0", " gpu" }, { "/gpu:0\0", "gpu:0\\x00" },
} do
  expect.raises("InvalidArgument", case[2], lt.device, case[1])
  outside()
end
expect.raises("InvalidArgument", "lutra.device(false)", lt.device, nil)
expect.raises("InvalidArgument", "lutra.device(false)", lt.device)
expect.raises("InvalidArgument", "function", lt.device, "GPU:0", nil, 1)
expect.raises("InvalidArgument", "expected a function", lt.device, "GPU:0", 5)
expect.raises("InvalidArgument", "device", lt.device, true)
local err = expect.raises("NotFound", "unknown device.", lt.device, "/GPU:7", here)
assert(err.message:find("^/job:localhost/replica:0/task:0/device:GPU:7 unknown device%."), err.message)
assert(err.message:find(prefix .. "GPU:2", 1, true) and err.requested == "/device:GPU:7", err.message)
err = expect.raises("NotFound", "device:TPU:0 unknown device.", lt.device, "/device:tpu:0", here)
err = expect.raises("NotFound", "/job:worker/replica:0/task:0 unknown device.", lt.device, "/job:worker", here)
outside()

-- Every way out.
local function thrower(value)
  local _ <close> = lt.device("/GPU:1")
  error(value)
end
for _, value in ipairs { "x", {}, false } do
  assert(not pcall(thrower, value))
  outside()
  assert(not pcall(lt.device, "/GPU:2", error, value))
  outside()
end
for _ = 1, 3 do
  local _ <close> = lt.device("/GPU:1")
  if here() == "GPU:1" then break end
end
outside()
local function returns() local _ <close> = lt.device("/GPU:1") return here() end
assert(returns() == "GPU:1")
outside()
do
  for i = 1, 2 do
    local _ <close> = lt.device("/GPU:" .. i)
    if i == 1 then goto continue end
    assert(here() == "GPU:2")
    ::continue::
  end
end
outside()

-- A pcall in a coroutine in a scope: the stack is as it was (the issue's words).
do
  local _ <close> = lt.device("/GPU:0")
  local co = coroutine.create(function()
    local _ <close> = lt.device("/GPU:1")
    local ok = pcall(function()
      local _ <close> = lt.device("/GPU:2")
      local _ <close> = lt.device("/CPU:0")
      error("inside")
    end)
    assert(not ok and here() == "GPU:1", here())
    coroutine.yield(here())
    return here()
  end)
  expect.equal({ coroutine.resume(co) }, { true, "GPU:1" })
  assert(here() == "GPU:0", "the coroutine's scope is its own")
  expect.equal({ coroutine.resume(co) }, { true, "GPU:1" })
  assert(here() == "GPU:0")
end
outside()

-- A scope opened in a pcall in a coroutine, which is left by an error, by a yield or not at all: the stack is as it was.
for _, outer in ipairs { "", "/CPU:0", "/GPU:2" } do
  local _ <close> = lt.device(outer)
  local before = expect.scope()
  local co = coroutine.wrap(function()
    assert(expect.scope() == before)
    local ok, problem = pcall(function()
      local _ <close> = lt.device("/GPU:0")
      assert(here() == "GPU:0")
      coroutine.yield("in the scope")
      assert(here() == "GPU:0")
      error("out", 0)
    end)
    assert(not ok and problem == "out" and expect.scope() == before, problem)
    ok, problem = pcall(lt.device, "/GPU:0", lt.matmul, lt.ones { 2, 3 }, lt.ones { 2, 3 })
    assert(not ok and problem.code == "InvalidArgument" and expect.scope() == before, tostring(problem))
    ok, problem = pcall(lt.device, "/GPU:0", function() return coroutine.yield(here()) end)
    assert(ok and problem == "back" and expect.scope() == before, tostring(problem))
    return "done"
  end)
  for _, step in ipairs { { "in the scope" }, { "GPU:0" }, { "done", "back" } } do
    expect.equal(co(step[2]), step[1])
    assert(expect.scope() == before, "outside the coroutine: " .. expect.scope())
  end
end
outside()

-- A coroutine starts in its creator's scope, also when resumed elsewhere and when made by a coroutine.
local made, wrapped
do
  local _ <close> = lt.device("/GPU:2")
  made, wrapped = coroutine.create(here), coroutine.wrap(function(...)
    coroutine.yield(here(), ...)
    return coroutine.wrap(here)()
  end)
end
outside()
expect.equal({ lt.device("/GPU:1", coroutine.resume, made) }, { true, "GPU:2" })
expect.equal({ wrapped("a", nil, "c") }, { "GPU:2", "a", nil, "c" })
assert(lt.device("/CPU:0", wrapped) == "GPU:2")
outside()
assert(coroutine.status(coroutine.create(here)) == "suspended")
assert(select(2, pcall(coroutine.create, 3)):find("function expected", 1, true), "create says what Lua's own says")
assert(not pcall(coroutine.create, 3) and not pcall(coroutine.wrap, nil))

-- Yielding inside device(name, f) and tidy(f).
local steps = coroutine.wrap(function()
  return lt.device("/GPU:1", function(first)
    local second = coroutine.yield(here() .. first)
    return lt.tidy(function()
      local third = coroutine.yield(here() .. second)
      return here() .. third
    end)
  end, "a")
end)
assert(steps() == "GPU:1a")
assert(here() == "GPU:0")
assert(lt.device("/GPU:2", steps, "b") == "GPU:1b")
outside()
assert(steps("c") == "GPU:1c")
outside()

-- A coroutine that is closed, or dies, ends its scopes; nothing of it is seen outside.
local left = coroutine.create(function()
  local _ <close> = lt.device("/GPU:1")
  coroutine.yield()
end)
coroutine.resume(left)
assert(coroutine.close(left))
outside()
local dead = coroutine.create(function() local _ <close> = lt.device("/GPU:1") error("x") end)
assert(not coroutine.resume(dead))
coroutine.close(dead)
outside()

-- Closing out of order, and in another coroutine.
local function close(scope, ...)
  local closer <close> = setmetatable({}, { __close = function() local _ <close> = scope end })
  return ...
end
local a, b, line = lt.device("/GPU:1"), lt.device("/GPU:2"), nil
err = expect.raises("FailedPrecondition", "was closed while one opened inside it was still open", close, a)
assert(err.message:find("tests/lua/scopes.lua:%d+"), err.message)
assert(here() == "GPU:2", "the inner scope goes on")
close(b)
outside()
close(a)
close(b)
outside()
-- A scope that another coroutine closes has ended, and the error says so.
a = lt.device("/GPU:1")
line = debug.getinfo(1, "l").currentline - 1
coroutine.wrap(function()
  local _ <close> = lt.device("/GPU:2")
  err = expect.raises("FailedPrecondition", "was closed in another coroutine than the one that opened it", close, a)
  assert(err.message:find("tests/lua/scopes.lua:" .. line, 1, true), err.message)
  assert(here() == "GPU:2")
  close(a)
end)()
outside()
local opened = coroutine.wrap(function() coroutine.yield(lt.device("/GPU:1")) return here() end)
a = opened()
expect.raises("FailedPrecondition", "in another coroutine", close, a)
assert(opened() == "GPU:0", "ended where it was opened")
outside()
assert(type(getmetatable(a)) == "string" and getmetatable(lt.device("")) == "lutra.DeviceScope", "not for scripts")
collectgarbage()

-- Deep nesting.
local function deep(n) return n == 0 and here() or lt.device(n % 2 == 0 and "/gpu:1" or "/cpu:0", deep, n - 1) end
assert(deep(50) == "CPU:0")
outside()
local many = {}
for i = 1, 5000 do many[i] = lt.device("/gpu:" .. i % 3) end
assert(here() == "GPU:" .. 5000 % 3)
for i = 5000, 1, -1 do close(many[i]) end
outside()

-- A scope that nobody closes ends when it is collected, with a warning that names its line.
local text, ok = expect.program([[
lt.config.set_simulated_gpus(2)
lt.device("/GPU:1")
collectgarbage()
print(lt.ones{1}.device)
do local scope = lt.device("/GPU:1") end
coroutine.wrap(function() local inner = lt.device("/GPU:1") end)()
collectgarbage()
collectgarbage()
print(lt.ones{1}.device)
]])
assert(ok, text)
expect.equal(select(2, text:gsub("device:GPU:0\n", "")), 2, "printed devices in " .. text)
for _, line in ipairs { 2, 5, 6 } do
  assert(text:find("WARNING: the device scope opened at SCRIPT:" .. line .. " was never closed", 1, true), text)
end

-- Finalizers that open scopes and run ops disturb nobody, in whichever coroutine they happen to run.
local runs = 0
local function trap()
  setmetatable({}, { __gc = function()
    runs = runs + 1
    local _ <close> = lt.device("/GPU:2")
    assert(here() == "GPU:2")
    coroutine.wrap(function() local _ <close> = lt.device("/CPU:0") assert(here() == "CPU:0") end)()
    pcall(lt.device, "/GPU:9", here)
  end })
end
for i = 1, 300 do
  trap()
  local name = i % 2 == 0 and "GPU:1" or "CPU:0"
  local got = coroutine.wrap(function() return lt.device(name, function() collectgarbage("step") return here() end) end)()
  assert(got == name, ("expected %s, got %s"):format(name, got))
end
collectgarbage()
assert(runs == 300, "finalizers run: " .. runs)
outside()
print("ok")
