-- Mistakes in values on a GPU are reported late: each time somebody waits for the tensor, and to nobody else.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(2)

local function on(device, f, ...) return lt.device(device, f, ...) end
local x = on("GPU:0", lt.constant, { 10, 20, 30 })
local zero = on("GPU:0", lt.constant, { 1, 0, 1 })
local far = on("GPU:0", lt.constant, { 1, 9 })

-- On the CPU the call itself raises.
expect.raises("InvalidArgument", "divided by zero", on, "CPU:0", lt.floordiv, x, zero)
expect.raises("OutOfRange", "index 9", on, "CPU:0", lt.gather, x, far)

local cases = {
  { "InvalidArgument", "floordiv: an integer is divided by zero", function() return x // zero end },
  { "InvalidArgument", "mod: an integer is divided by zero", function() return x % zero end },
  { "OutOfRange", "gather: index 9 is past the axis' end (3)", function() return lt.gather(x, far) end },
  { "InvalidArgument", "gather: index 0; indices count from 1", function() return lt.gather(x, on("GPU:0", lt.constant, { 0, 1 })) end },
  { "OutOfRange", "gather: index -4", function() return lt.gather(x, on("GPU:0", lt.constant, { -4, 1 })) end },
}
for _, case in ipairs(cases) do
  local code, words, make = table.unpack(case)
  local bystander = x + 1
  local bad = make()
  assert(bad.shape and bad.dtype == "int32", "the tensor is there")
  local dependent = (bad + 1) * 2
  local reshaped, slice = bad:reshape { bad.size, 1 }, bad[1]
  local elsewhere = on("GPU:1", function() return dependent + 1 end)
  local after = x * 2

  -- Every point that waits for it, or for anything made from it, each time.
  for _ = 1, 2 do
    for _, t in ipairs { bad, dependent, reshaped, slice, elsewhere } do
      local first = t
      while first.rank > 0 do first = first[1] end
      for _, wait in ipairs {
        t.totable, tostring, t.bytes, function() return "" .. t end, function() return t:to("CPU:0") end,
        function() return on("CPU:0", function() return t + 1 end) end, function() return first:item() end,
        function() return on("CPU:0", lt.identity, t) end, function() return (t * 2):totable() end,
      } do
        expect.raises(code, words, wait, t)
      end
      local err = expect.raises(code, words, t.totable, t)
      assert(err.message:find("device:GPU:0", 1, true) and err.device:find("device:GPU:0$"), err.message)
      assert(err.message:find("tests/lua/late_errors.lua:", 1, true), "the line that queued it: " .. err.message)
      err = expect.raises(code, words, print, t)
    end
    expect.raises(code, words, lt.synchronize)
    expect.raises(code, words, lt.synchronize, "GPU:0")
  end

  -- Nobody else is hit, before or after.
  expect.equal(bystander:totable(), { 11, 21, 31 })
  expect.equal(after:totable(), { 20, 40, 60 })
  expect.equal(on("GPU:1", function() return x + 3 end):totable(), { 13, 23, 33 })
  expect.equal(on("GPU:0", lt.ones, { 3 }):totable(), { 1, 1, 1 })
  expect.equal(x:totable(), { 10, 20, 30 })
  expect.equal(lt.zeros_like(bad).size, bad.size, "its shape can be used")

  -- Gone with its tensors.
  bad, dependent, reshaped, slice, elsewhere = nil, nil, nil, nil, nil
  collectgarbage()
  lt.config.release_memory()
  lt.synchronize()
end

-- Two ops fail: each tensor reports its own error.
do
  local a, b = x // zero, lt.gather(x, far)
  expect.raises("InvalidArgument", "floordiv", a.totable, a)
  expect.raises("OutOfRange", "gather", b.totable, b)
  local both = a[{ { 1, 2 } }] + b
  local ok, err = pcall(both.totable, both)
  assert(not ok and (lt.iserror(err, "InvalidArgument") or lt.iserror(err, "OutOfRange")), tostring(err))
end
collectgarbage()
lt.config.release_memory()
lt.synchronize()

-- The first good value after many checked launches is good: sets become empty again.
local y = x
for _ = 1, 3000 do y = lt.gather(y, on("GPU:0", lt.constant, { 3, 2, 1 })) end
expect.equal(y:totable(), { 10, 20, 30 })
for _ = 1, 70000 do local _ = x // 3 end
expect.equal((x // 3):totable(), { 3, 6, 10 })
-- More than 2^16 tensors alive at once, some of them failed: each reports its own error and no other's.
local many, kept = {}, 70000
for i = 1, kept do many[i] = x // (i % 1000 == 7 and zero or i) end
for i = 1, kept, 331 do
  if i % 1000 ~= 7 then expect.equal(many[i]:totable(), { 10 // i, 20 // i, 30 // i }, "result " .. i) end
end
for _, i in ipairs { 7, 1007, 65007, 66007, 69007 } do
  expect.raises("InvalidArgument", "divided by zero", many[i].totable, many[i])
  expect.raises("InvalidArgument", "divided by zero", function() return (many[i] + many[i + 1]):sum():item() end)
  expect.equal((many[i + 1] + many[i - 1]):totable(), { 10 // (i + 1) + 10 // (i - 1), 20 // (i + 1) + 20 // (i - 1),
    30 // (i + 1) + 30 // (i - 1) }, "the neighbours of " .. i)
end
many = nil
collectgarbage()
lt.config.release_memory()
lt.synchronize()

-- A command that fails on the device, at any position in the queue: reported the same way, and the device keeps working.
for n = 1, 12 do
  local text, ok = expect.program(([[
local lt = require "lutra"
lt.config.set_simulated_gpus(2, {fail_at = %d})
local out = {}
for i = 1, 6 do
  local ok, t = pcall(function() return lt.ones {40} * i + 1 end)   -- two launches and a constant's copy
  assert(ok, ok or tostring(t))
  out[i] = t
end
local failed = {}
for i = 1, 6 do
  for _ = 1, 2 do
    local ok, err = pcall(out[i].totable, out[i])
    if not ok then
      assert(lt.iserror(err) and err.message:find("the command failed on the device", 1, true), tostring(err))
      assert(err.message:find("SCRIPT", 1, true) or err.message:find("%%.?lua_%%w+:%%d+"), err.message)
      failed[i] = true
    else
      assert(err[1] == i + 1 and err[40] == i + 1, "value of " .. i)
    end
  end
end
local count = 0
for _ in pairs(failed) do count = count + 1 end
print("failed", count)
out = nil
collectgarbage()
lt.config.release_memory()
lt.synchronize()
assert((lt.ones {40} + 1):totable()[1] == 2)
]]):format(n))
  assert(ok, ("fail_at = %d:\n%s"):format(n, text))
  expect.equal(text, "failed\t1\n", "fail_at = " .. n)
end
print("ok")
