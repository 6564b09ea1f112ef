-- Integers that float32 cannot represent, in ops that make float32 of integers: the result is float64's, rounded once,
-- as in NumPy.
local lt = require "lutra"
lt.config.set_simulated_gpus(1)

local function int64(values) return lt.constant(values, { dtype = "int64" }) end
local function as_float32(x) return string.unpack("f", string.pack("f", x)) end
local function totable(x)
  local values = x:flatten():totable()
  return type(values) == "table" and values or { values }
end
-- `off`: by which share results may be off; none where float64's result is right to the last bit of float32.
local function expect(what, got, dtype, wanted, off)
  assert(got.dtype == dtype, what .. ": " .. got.dtype)
  for i, value in ipairs(totable(got)) do
    local right = wanted[i]
    local close = value == right or (off and math.abs(value - right) <= off * math.abs(right))
    assert(close, ("%s, element %d: %s, not %s"):format(what, i, value, right))
  end
end

-- NumPy 1.26: numpy.float32 of each op of x = numpy.array([16777217, 16777219]), b = numpy.array([16777216, 16777216]).
local rounding = 2 ^ -23
local function small_cases()
  local x, b = int64 { 16777217, 16777219 }, int64 { 16777216, 16777216 }
  local rows = x:reshape { 1, 2 }
  expect("mean", lt.mean(int64 { 16777217, 16777219, 16777221, 16777223 }), "float32", { 16777220 })
  expect("var", lt.var(x), "float32", { 1 })
  expect("std", lt.std(x, { ddof = 1 }), "float32", { as_float32(2 ^ 0.5) })
  expect("var of rows", lt.var(rows, 2), "float32", { 1 })
  expect("var of int32", lt.var(x:int32()), "float32", { 1 })
  expect("mse", lt.mse(x, b), "float32", { 5 })
  expect("mae", lt.mae(x, b), "float32", { 2 })
  expect("softmax", lt.softmax(x), "float32", { 0.11920291930437088, 0.8807970881462097 }, rounding)
  expect("log_softmax", lt.log_softmax(x), "float32", { -2.1269280910491943, -0.12692801654338837 }, rounding)
  expect("sin", lt.sin(x), "float32", { 0.10583256930112839, 0.8601489067077637 }, rounding)
  expect("reciprocal", lt.reciprocal(x), "float32", { 5.9604641222676946e-08, 5.960463411724959e-08 })
  expect("/", x / int64 { 16777215, 16777213 }, "float32", { 1.0000001192092896, 1.0000003576278687 })
  -- A Lua float beside integers
  expect("/ a number", x / 16777215.0, "float32", { 1.0000001192092896, 1.000000238418579 })
  expect("-", x - 16777216.0, "float32", { 1, 3 })
  expect("%", x % 4.0, "float32", { 1, 3 })
  expect("eq", x:eq(16777216.0), "bool", { false, false })
  expect("gt", x:gt(16777217.5), "bool", { false, true })
  expect("le", x:le(16777216.5), "bool", { false, false })
  -- One alone among many, at any place, and numbers that float32 does not hold
  for _, n in ipairs { 1, 100, 128, 129, 1000 } do
    for _, wide in ipairs { 16777217, -16777217, 1 << 40 | 1 } do
      for _, place in ipairs { 1, n } do
        local many = lt.scatter_add(lt.zeros({ n }, { dtype = "int64" }), lt.constant { place }, int64 { wide })
        expect(n .. " with " .. wide, many:eq(wide - 1.0):any():reshape { 1 }, "bool", { false })
        expect(n .. " with " .. wide, many:eq(wide + 0.0):any():reshape { 1 }, "bool", { true })
      end
    end
  end
  local three = int64 { 3, 4 }
  expect("eq", three:eq(3.0000000001), "bool", { false, false })
  expect("lt", three:lt(1e300), "bool", { true, true })
  expect("% inf", three % math.huge, "float32", { 3, 4 })
  expect("of one element", lt.sin(int64 { 16777217 }), "float32", { 0.10583256930112839 }, rounding)
  -- Beside a float tensor integers take its dtype, and it is computed in that.
  expect("a float tensor", x - lt.constant { 16777216.0 }, "float32", { 0, 4 })
  expect("a float64 tensor", x - lt.constant({ 16777216 }, { dtype = "float64" }), "float64", { 1, 3 })
end

-- Enough elements to be computed in several chunks, against float64's result.
local function large_cases()
  local n = 3 << 20
  local x = lt.range(n, { dtype = "int64" }) * 5 + 16777217
  local wide = x:float64()
  for what, op in pairs {
    sqrt = lt.sqrt,
    cos = lt.cos,
    log = lt.log,
    ["/"] = function(v) return v / 3 end,
    ["*"] = function(v) return v * 0.7 end,
    maximum = function(v) return v:maximum(2e7) end,
    var = lt.var,
    ["std of columns"] = function(v) return lt.std(v:reshape { n // 64, 64 }, 1) end,
    ["mean of rows"] = function(v) return lt.mean(v:reshape { 64, n // 64 }, 2) end,
    softmax = function(v) return lt.softmax(v:reshape { n // 2, 2 }) end,
    norm = lt.norm,
    ["conv2d"] = function(v)
      return lt.conv2d(v[{ { 1, 1024 } }]:reshape { 1, 32, 32, 1 }, lt.ones({ 3, 3, 1, 2 }, { dtype = v.dtype }))
    end,
  } do
    local got, wanted = op(x), op(wide):float32()
    assert(got.dtype == "float32" and got.shape == wanted.shape, what)
    assert(got:bytes() == wanted:bytes(), what)
  end
end

-- Draws do not depend on how their numbers are held.
local function random_cases()
  local x = lt.range(1, 1001, { dtype = "int64" })
  local dropped = lt.dropout(x, 0.5, { seed = 3 })
  assert(dropped.dtype == "float32")
  assert(dropped:bytes() == lt.dropout(x:float32(), 0.5, { seed = 3 }):bytes())
  local logits = lt.constant { { 3, 1, 2, 0 } }
  local drawn = lt.random.categorical(logits, 200, { seed = 3 })
  assert(drawn.dtype == "int64")
  assert(drawn:bytes() == lt.random.categorical(logits:float32(), 200, { seed = 3 }):bytes())
end

-- A variable of integers does not become one of floats.
local function variables()
  local v = lt.Variable(lt.constant { 16777217, 16777219 })
  expect("a variable", v - 16777216.0, "float32", { 1, 3 })
  assert(v.dtype == "int32" and not pcall(v.assign_add, v, lt.sqrt(v)))
  expect("as it was", v:value(), "int32", { 16777217, 16777219 })
end

for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  lt.device(device, function()
    small_cases()
    large_cases()
    random_cases()
    variables()
  end)
end
print("ok")
