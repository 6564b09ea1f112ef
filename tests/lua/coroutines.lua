-- Coroutines behave as in stock Lua: results, errors, and the lines that errors name. Also run by stock lua5.4
-- (tests/embed/stock_lua.lua).
local lt = require "lutra"
local create, resume, wrap, close = coroutine.create, coroutine.resume, coroutine.wrap, coroutine.close
local file = debug.getinfo(1, "S").short_src

local function here() return ("%s:%d: "):format(file, debug.getinfo(2, "l").currentline) end
local function check(got, wanted)
  if got ~= wanted then error(("got %q, expected %q"):format(tostring(got), tostring(wanted)), 2) end
end
-- The error of f(...), which must fail.
local function failure(f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, "it did not fail")
  return err
end
-- A value that runs f(err) when it is closed.
local function closing(f) return setmetatable({}, { __close = function(_, err) f(err) end }) end

-- Errors through wrap.
check(failure(wrap(function() error("timeout", 0) end)), "timeout")
check(failure(wrap(function() error("timeout", 2) end)), "timeout")
check(failure(wrap(function() error "late" end)), here() .. "late")
check(failure(function() wrap(function() error("x", 0) end)() end), here() .. "x")
local object = {}
assert(failure(wrap(function() error(object) end)) == object)
check(failure(wrap(function() error(nil) end)), nil)
assert(lt.iserror(failure(wrap(function() lt.matmul(1, 2) end)), "InvalidArgument"))

-- Misuse names the caller's line.
check(failure(function() coroutine.create(1) end), here() .. "bad argument #1 to 'create' (function expected, got number)")
check(failure(function() coroutine.wrap "f" end), here() .. "bad argument #1 to 'wrap' (function expected, got string)")
check(failure(function() coroutine.resume(1) end), here() .. "bad argument #1 to 'resume' (thread expected, got number)")
check(failure(function() coroutine.close(nil) end), here() .. "bad argument #1 to 'close' (thread expected, got nil)")
check(failure(coroutine.create, 1), "bad argument #1 to 'coroutine.create' (function expected, got number)")
check(failure(function() close((coroutine.running())) end), here() .. "cannot close a running coroutine")
do
  local outer = coroutine.running()
  wrap(function() check(failure(function() close(outer) end), here() .. "cannot close a normal coroutine") end)()
  local ended = wrap(function() end)
  ended()
  check(failure(ended), "cannot resume dead coroutine")
  check(failure(function() ended() end), here() .. "cannot resume dead coroutine")
  local myself
  myself = create(function() return resume(myself) end)
  local ok, inner, err = resume(myself)
  assert(ok and not inner)
  check(err, "cannot resume non-suspended coroutine")
end

-- Pending variables are closed, with the coroutine's error, and an error in closing replaces it.
do
  local seen
  local failing = wrap(function()
    local _ <close> = closing(function(err) seen = err error("in close", 0) end)
    error("first", 0)
  end)
  check(failure(failing), "in close")
  check(seen, "first")
  local suspended = create(function()
    local _ <close> = closing(function(err) seen = err end)
    coroutine.yield()
  end)
  resume(suspended)
  assert(close(suspended) == true and seen == nil and coroutine.status(suspended) == "dead")
  suspended = create(function()
    local _ <close> = closing(function() error("x", 0) end)
    coroutine.yield()
  end)
  resume(suspended)
  local ok, err = close(suspended)
  assert(ok == false and err == "x")
end

-- Values, many of them, and tracebacks without frames of Lutra's.
check(select("#", wrap(function(...) return ... end)(table.unpack({}, 1, 250))), 250)
check(select("#", resume(create(function() return nil, nil end))), 3)
assert(not wrap(function() return debug.traceback() end)():find "lutra%.")
do
  local _ <close> = lt.device "CPU:0"
  check(failure(wrap(function() error("level 2", 2) end)), "level 2")
  local line = debug.getinfo(1, "l").currentline + 1
  check(wrap(function() local text = debug.traceback "t" return text end)(),
    ("t\nstack traceback:\n\t%s:%d: in function <%s:%d>"):format(file, line, file, line))
end

-- Each coroutine has its own layer call state: a model that yields inside a call does not change the others.
do
  local seen, pauses = {}, false
  local Pausing = lt.nn.Layer:extend "Pausing"
  function Pausing:call(x, training)
    if not pauses then return x end
    seen[#seen + 1] = training
    coroutine.yield(x)
    seen[#seen + 1] = training
    return lt.nn.Dropout(0.5)(x)
  end
  local model, plain = lt.nn.Sequential { Pausing() }, lt.nn.Dropout(0.5)
  local x = lt.ones { 4, 8 }
  model(x)
  pauses = true
  local train = wrap(function() return model(x, true) end)
  train()
  assert((plain(x) - x):abs():sum():item() == 0, "not in training outside the coroutine")
  local other = create(function() return plain(x) end)
  assert((select(2, resume(other)) - x):abs():sum():item() == 0, "nor in another one")
  assert((train() - x):abs():sum():item() > 0, "still in training inside")
  assert(seen[1] == true and seen[2] == true and #seen == 2)
end

-- An abandoned coroutine could not close its scope, so nobody is warned.
if os.getenv "LUTRA" and arg and arg[0] == "tests/lua/coroutines.lua" then
  local expect = dofile "tests/support/expect.lua"
  local text, ok = expect.program [[
    lt.config.set_simulated_gpus(1)
    for _ = 1, 3 do
      local f = coroutine.wrap(function()
        local outer <close> = lt.device "GPU:0"
        local inner <close> = lt.device "CPU:0"
        coroutine.yield()
      end)
      f()
      f = coroutine.wrap(function() local _ <close> = lt.device "GPU:0" error "x" end)
      coroutine.resume(coroutine.create(function() local _ <close> = lt.device "GPU:0" error "x" end))
    end
    collectgarbage() collectgarbage()
    print "done"]]
  assert(ok and text == "done\n", text)
end
print "ok"
