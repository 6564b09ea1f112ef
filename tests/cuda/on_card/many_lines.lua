-- More lines than a card has blocks at once, so that blocks continue with another line: ops that read a line twice or
-- keep part of it in shared memory. Whole numbers where sums must not depend on their order; otherwise the CPU's
-- results within rounding.
-- Stub: random:1
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal

local kLines <const>, kLength <const> = 5000, 45
local numbers = lt.device("/CPU:0", function() return (lt.range(kLines * kLength) * 7919 % 31 - 15):reshape { kLines, kLength } end)

local function both(f, dtype, tolerance)
  local x = lt.device("/CPU:0", function() return numbers:cast(dtype) end)
  local wanted = lt.device("/CPU:0", f, x)
  local got = lt.device("/GPU:0", f, x)
  equal(got.device:match("GPU:%d"), "GPU:0")
  got = got:to("/CPU:0")
  equal(got.dtype, wanted.dtype)
  local far = lt.device("/CPU:0", function() return (got:float64() - wanted:float64()):abs():max():item() end)
  assert(far <= tolerance, ("%s: %g from the CPU's"):format(dtype, far))
end

for _, dtype in ipairs { "float32", "float64" } do
  local close = dtype == "float32" and 1e-5 or 1e-13
  case("softmax of many lines, " .. dtype, function() both(function(x) return lt.softmax(x / 4) end, dtype, close) end)
  case("log_softmax of many lines, " .. dtype, function() both(function(x) return lt.log_softmax(x / 4) end, dtype, 8 * close) end)
  case("cross entropy of many lines, " .. dtype, function()
    local labels = lt.device("/CPU:0", function() return lt.range(kLines) % kLength + 1 end)
    both(function(x) return lt.cross_entropy(labels, x / 4) end, dtype, 8 * close)
  end)
  case("layer norm of many lines, " .. dtype, function()
    both(function(x) return lt.layer_norm(x, lt.ones({ kLength }, { dtype = dtype }), lt.zeros({ kLength }, { dtype = dtype })) end, dtype, 8 * close)
  end)
end
case("running sums of many lines", function()
  both(function(x) return lt.cumsum(x, 2) end, "int32", 0)
  both(function(x) return lt.cumsum(x, 2) end, "float32", 0)
end)
case("sums, largest places and sorts of many lines", function()
  both(function(x) return x:sum(2) end, "int64", 0)
  both(function(x) return lt.argmax(x, 2) end, "float32", 0)
  both(function(x) return lt.sort(x) end, "float32", 0)
end)

expect.end_of_cases()
