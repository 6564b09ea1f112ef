-- Ops that are composed of others are ops like any: one line in the log, one name in explain, inputs of any kind, gradients by a
-- rule of their own or by their inner ops, late errors.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"
lt.config.set_simulated_gpus(1)

local prefix = "/job:localhost/replica:0/task:0/device:"
local nan = 0 / 0

-- The events of f(), as "op device".
local function events_of(f)
  local lines = {}
  lt.debugging.set_log_handler(function(event) lines[#lines + 1] = event.op .. " " .. event.device:sub(#prefix + 1) end)
  local ok, err = pcall(f)
  lt.debugging.set_log_handler(nil)
  assert(ok, err)
  return lines
end

local x = lt.constant { 1.0, nan, 5.0, 2.0 }
local v = lt.Variable { 1.0, 2.0, 5.0, 4.0 }
expect.equal(events_of(function() lt.nanstd(x) end), { "NanStd GPU:0" })
expect.equal(events_of(function() lt.device("CPU:0", lt.nanstd, x) end), { "NanStd CPU:0" })
expect.equal(events_of(function() lt.hypot({ 3.0 }, 4) end), { "_EagerConst GPU:0", "Hypot GPU:0" })
expect.equal(events_of(function() v:median() end), { "ReadVariableOp GPU:0", "Median GPU:0" })
-- Composed of ops that are composed.
local told = lt.debugging.explain(lt.nanstd(x))
assert(told.op == "NanStd" and told.device == prefix .. "GPU:0" and told.reason == "no scope: GPU first", told.op)
told = lt.debugging.explain(lt.device("/CPU:0", function() return lt.random.normal({ 1000, 400 }):l2_normalize() end))
assert(told.op == "L2Normalize" and told.reason == "scope /device:CPU:0", told.op)
-- What keeps an input's memory does not rename the input.
local whole = lt.device("/CPU:0", lt.zeros, { 1000, 400 }, { dtype = "int32" })
local kept = lt.device("/CPU:0", whole.nan_to_num, whole)
assert(lt.debugging.explain(kept).op == "NanToNum" and lt.debugging.explain(whole).op ~= "NanToNum")

-- Gradients: by inner ops, by an own rule, of variables, of the second order, and on the device of the op.
for _, name in ipairs { "median", "nanvar", "logit", "l2_normalize" } do
  local p = lt.Variable { 0.25, 0.5, 0.75 }
  local outer <close> = lt.GradientTape()
  local slope
  do
    local inner <close> = lt.GradientTape()
    slope = inner:gradient((lt.device("/CPU:0", lt[name], p) * 3):sum(), p)
  end
  assert(slope and slope.device == prefix .. "CPU:0", name)
  local bend = outer:gradient(slope:square():sum(), p)
  assert(name == "median" or bend and bend:isfinite():all():item(), name)
end
-- An op with a rule of its own keeps for it what its entry says, and nothing of its inner ops.
do
  local p, q = lt.ones { 10000 }, lt.ones { 10000 }
  local tape <close> = lt.GradientTape()
  tape:watch { p, q }
  collectgarbage()
  local before = lt.debugging.live_storages()
  local y = lt.logaddexp(p, q)
  collectgarbage()
  assert(lt.debugging.live_storages() == before + 1, lt.debugging.live_storages() - before)
end

-- A released input, and a wrong one.
local gone = lt.ones { 100 }
gone:release()
expect.raises("FailedPrecondition", "released", lt.median, gone)
expect.raises("InvalidArgument", "median: axis 2 is not there", lt.median, x, 2)

-- The result of a failed launch of an inner op says so wherever it is read.
local text = expect.program([[
lt.config.set_simulated_gpus(1, { fail_at = 3 })
local y = lt.constant({ 1.0, 2.0, 5.0 }):median()
print(pcall(y.item, y))
]])
assert(text:find("^false\t") and text:find("queued at", 1, true) and text:find("GPU:0", 1, true), text)
print "ok"
