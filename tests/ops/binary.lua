local spec = require "spec"
local two = require "two_inputs"
local golden = require "golden.binary_golden"

local nan, inf = 0 / 0, math.huge
local integers, numbers, pairs_of_shapes = integers, numbers, two.shapes
local check_large, slope, second = two.check_large, two.slope, two.second
local function same(dtype) return dtype end
-- For an op whose result is a fraction.
local function fraction(dtype) return dtype:find("float") and dtype or "float32" end
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

local function shape_rejects(op, more) return two.shape_rejects(op, "float32", more) end

local function arithmetic_rejects(op, more)
  return shape_rejects(op, two.with({
    { args = { bool { true }, bool { false } }, says = op .. ": a is bool, expected a number; cast it first" },
    { args = { bool { true }, true }, says = op .. ": a is bool" },
    { args = { false, bool { true } }, says = op .. ': b is bool, expected a number; cast it first: b:cast("int32")' },
    { args = { false, true }, says = op .. ": a is false, expected a number" },
    { args = { int8 { 1 }, 1000 }, says = op .. ": b is 1000, which does not fit int8 (-128 to 127)" },
    { args = { int32 { 1 }, 1 << 40 }, says = op .. ": b is 1099511627776, which does not fit int32" },
  }, more))
end

-- 1 / x shows the sign of 0.
local function check_golden(t, name)
  local op, values = lt[name], golden[name]
  local n = #golden.special
  for _, dtype in ipairs { "float32", "float64" } do
    local special = lt.constant(golden.special, { dtype = dtype })
    local got = op(special:reshape { n, 1 }, special):reshape { -1 }
    local wanted = lt.constant(values[dtype], { dtype = dtype })
    t.close(got, wanted, dtype == "float32" and 2e-7 or 4e-16)
    t.equal(1 / lt.where(got:eq(0), got, 1), 1 / lt.where(wanted:eq(0), wanted, 1))
  end
  t.close(op(float64s(values.a), float64s(values.b)), float64s(values.gives), 6e-16)
end

spec "add" {
  example = { { 1, 2 }, 3, gives = { 4, 5 }, dtype = "int32" },
  examples = {
    { { 1, 2 }, 0.5, gives = { 1.5, 2.5 }, dtype = "float32" },
    { 0.5, { 1, 2 }, gives = { 1.5, 2.5 }, dtype = "float32" },
    { { 1.5 }, 1, gives = { 2.5 }, dtype = "float32" },
    { 2, 3, gives = 5, dtype = "int32", shape = {} },
    { 2, 3.5, gives = 5.5, dtype = "float32", shape = {} },
    { 1 << 40, 1, gives = (1 << 40) + 1, dtype = "int64" },
    { bool { true, false }, 1, gives = { 2, 1 }, dtype = "int32" },
    { bool { true, false }, 1.5, gives = { 2.5, 1.5 }, dtype = "float32" },
    { bool { true, false }, int64 { 1, 2 }, gives = { 2, 2 }, dtype = "int64" },
    { int32 { 1 }, int64 { 1 << 40 }, gives = { (1 << 40) + 1 }, dtype = "int64" },
    { int64 { 1 }, float32 { 0.5 }, gives = { 1.5 }, dtype = "float32" },
    { float32 { 1 }, float64 { 0.1 }, gives = { 1.1 }, dtype = "float64", tolerance = 1e-15 },
    { int8 { 100 }, int32 { 100 }, gives = { 200 }, dtype = "int32" },
    { float16 { 1.5 }, bfloat16 { 2 }, gives = { 3.5 }, dtype = "float32" },
    { int32 { 2147483647 }, 1, gives = { -2147483648 } },
    { int64 { math.maxinteger }, 1, gives = { math.mininteger } },
    { int8 { 127, -128 }, int8 { 1, -1 }, gives = { -128, 127 }, dtype = "int8" },
    { uint8 { 255, 200 }, uint8 { 1, 100 }, gives = { 0, 44 }, dtype = "uint8" },
    { int16 { 32767 }, 1, gives = { -32768 }, dtype = "int16" },
    { float16 { 1 }, 1, gives = { 2 }, dtype = "float16" },
    { float16 { 60000 }, 60000, gives = { inf }, dtype = "float16" },
    { float16 { 2048 }, 1, gives = { 2048 }, dtype = "float16" },
    { bfloat16 { 256 }, 1, gives = { 256 }, dtype = "bfloat16" },
    { uint8 { 255 }, int8 { -1 }, gives = { 254 }, dtype = "int16" },
    { { inf, nan }, { -inf, 1 }, gives = { nan, nan } },
    { zeros { 0 }, 1, shape = { 0 } },
    { zeros { 2, 1, 1, 1, 1, 1, 1, 1 }, { 1, 2 }, shape = { 2, 1, 1, 1, 1, 1, 1, 2 } },
  },
  reference = function(a, b) return a + b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("add"),
  gradients = {
    { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 5, 6, 7 } } }, { { { 1 }, { 2 } }, { 3, 4, 5 } }, { { 2, 3 }, 4.0 },
  },
  check = function(t)
    local x = lt.constant { 1, 2 }
    t.equal(x + x, { 2, 4 })
    t.equal(x + 1, { 2, 3 })
    t.equal(1 + x, { 2, 3 })
    t.equal(x + { 10, 20 }, { 11, 22 })
    check_large(t, lt.add, function(a, b) return a + b end)
    -- Many short rows.
    local big = lt.range(120000):reshape { 40000, 3 }
    t.equal((big + { 1, 2, 3 })[30001], { 90001, 90003, 90005 })
    t.equal((big + lt.range(40000):reshape { 40000, 1 })[39999], { 159992, 159993, 159994 })
  end,
}

spec "sub" {
  example = { { 1, 2 }, 3, gives = { -2, -1 }, dtype = "int32" },
  examples = {
    { 3, { 1, 2 }, gives = { 2, 1 } },
    { int32 { -2147483648 }, 1, gives = { 2147483647 } },
    { uint8 { 1, 0 }, uint8 { 2, 255 }, gives = { 255, 1 }, dtype = "uint8" },
    { int8 { -128 }, 1, gives = { 127 }, dtype = "int8" },
    { int16 { -32768 }, 1, gives = { 32767 }, dtype = "int16" },
    { { inf }, { inf }, gives = { nan } },
  },
  reference = function(a, b) return a - b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { 3, 9 }, { -3, 3 } },  -- never below 0, where uint8 wraps
  result = same,
  rejects = arithmetic_rejects("sub"),
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 5, 6, 7 } } }, { 2.5, { 1, 2 } } },
  check = function(t)
    t.equal(10 - lt.constant { 1, 2 }, { 9, 8 })
    check_large(t, lt.sub, function(a, b) return a - b end)
  end,
}

spec "mul" {
  example = { { 1, 2 }, 3, gives = { 3, 6 }, dtype = "int32" },
  examples = {
    { int32 { 65536 }, 65536, gives = { 0 } },
    { int64 { 1 << 62 }, 3, gives = { 3 << 62 } },
    { int8 { -128, 16 }, int8 { -1, 17 }, gives = { -128, 16 }, dtype = "int8" },
    { uint8 { 255 }, uint8 { 255 }, gives = { 1 }, dtype = "uint8" },
    { int16 { -32768, 300 }, int16 { -32768, 300 }, gives = { 0, 24464 }, dtype = "int16" },
    { { 0.0, 1e38 }, { inf, 10 }, gives = { nan, inf } },
  },
  reference = function(a, b) return a * b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("mul"),
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 5, 6, 7 } } }, { { 2, 3 }, 4.0 } },
  check = function(t)
    t.equal(2 * lt.constant { 1, 2 } * { 3, 4 }, { 6, 16 })
    check_large(t, lt.mul, function(a, b) return a * b end)
    local x = float64s { 1.5, -2 }
    t.close(second(function(v) return v * v * v end, x), { 9, -12 })
  end,
}

spec "div" {
  example = { { 1, 2 }, 4, gives = { 0.25, 0.5 }, dtype = "float32" },
  examples = {
    { { 1, -1, 0 }, 0, gives = { inf, -inf, nan }, dtype = "float32" },
    { int64 { 1 }, int64 { 3 }, gives = { 0.3333 }, dtype = "float32" },
    { float64 { 1 }, 3, gives = { 1 / 3 }, dtype = "float64", tolerance = 1e-15 },
    { 1, 2, gives = 0.5, shape = {} },
  },
  reference = function(a, b) return a / b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { -9, 9 }, { 1, 9 } },
  result = fraction,
  rejects = shape_rejects("div", {
    { args = { bool { true }, bool { true } }, says = "div: a is bool, expected a number" },
  }),
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 5, 6, 7 } } }, { 2.0, { 1.5, -4 } }, { { 1.5, -4 }, 3 } },
  check = function(t)
    t.equal(1 / lt.constant { 2, 4 }, { 0.5, 0.25 })
    check_large(t, lt.div, function(a, b) return a / b end)
    t.close(second(function(v) return 1 / v end, float64s { 2, -0.5 }), { 0.25, -16 })
    -- Integers count in gradients as the floats that they are divided as.
    local x = lt.constant { 2.0, 4.0 }
    t.equal(slope(function(v) return lt.constant { 8, 16 } / v end, x), { -2, -1 })
  end,
}

-- NumPy's: from the exact remainder.
local function floor_div(a, b)
  if math.type(a) == "integer" then return a // b end
  local rest = math.fmod(a, b)
  local quotient = (a - rest) / b
  if rest ~= 0 and (b < 0) ~= (rest < 0) then quotient = quotient - 1 end
  return math.floor(quotient + 0.5)
end
local function floor_mod(a, b)
  if math.type(a) == "integer" then return a % b end
  local rest = math.fmod(a, b)
  return rest ~= 0 and (b < 0) ~= (rest < 0) and rest + b or rest
end

spec "floordiv" {
  example = { { 7, -7 }, 2, gives = { 3, -4 }, dtype = "int32" },
  examples = {
    { { 7, -7, 7, -7 }, { 2, 2, -2, -2 }, gives = { 3, -4, -4, 3 } },
    { { 6, -6 }, 3, gives = { 2, -2 } },
    { { 7.5, -7.5 }, 2, gives = { 3, -4 }, dtype = "float32" },
    { { 1.0 }, 0.1, gives = { 9 } },
    { { 1.0, -1.0, 0.0, inf, nan, 1.0, -1.0 }, { 0, 0, 0, 1, 1, inf, inf },
      gives = { inf, -inf, nan, nan, nan, 0, -1 } },
    { int32 { -2147483648 }, -1, gives = { -2147483648 } },
    { int64 { math.mininteger, math.mininteger }, { -1, 2 }, gives = { math.mininteger, math.mininteger // 2 } },
    { zeros({ 0 }, "int32"), 0, shape = { 0 } },
    { int8 { -128, -128, 127, -7 }, int8 { -1, 127, -128, -7 }, gives = { -128, -2, -1, 1 }, dtype = "int8" },
    { uint8 { 255, 254, 7 }, uint8 { 255, 255, 2 }, gives = { 1, 0, 3 }, dtype = "uint8" },
    { int16 { -32768, -32768, 32767 }, int16 { -1, 32767, -32768 }, gives = { -32768, -2, -1 }, dtype = "int16" },
    { int32 { -2147483648, 2147483647, -2147483648, 2147483647 }, int32 { 2147483647, -2147483648, 3, -3 },
      gives = { -2, -1, -715827883, -715827883 } },
    { { 2147483646, 2147483645, -2147483646 }, 2147483647, gives = { 0, 0, -1 } },
  },
  reference = floor_div,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { -20, 20 }, { 1, 6 } },
  gradients = { { { 1.5, 2.2, 5.3 }, { 2.1, 0.8, 0.9 } } },
  result = same,
  rejects = arithmetic_rejects("floordiv", {
    { args = { { 7, 8 }, { 1, 0 } }, says = "floordiv: an integer is divided by zero" },
    { args = { { 7 }, 0 }, says = "floordiv: an integer is divided by zero" },
    { args = { int64 { 7 }, 0 }, says = "floordiv: an integer is divided by zero" },
    { args = { uint8 { 7, 8 }, uint8 { 3, 0 } }, says = "floordiv: an integer is divided by zero" },
    { args = { int8 { 7 }, { { 1 }, { 0 } } }, says = "floordiv: an integer is divided by zero" },
  }),
  check = function(t)
    check_golden(t, "floordiv")
    check_large(t, lt.floordiv, function(a, b) return a // b end)
    t.equal(lt.constant { 7, -7 } // 2, { 3, -4 })
    t.equal(7 // lt.constant { 2, -2 }, { 3, -4 })
    -- A failed op leaves what there was, and the device usable.
    local x = lt.constant { 7, 8 }
    t.raises("InvalidArgument", "divided by zero", function() return (x // 0):totable() end)
    t.equal(x // 2, { 3, 4 })
  end,
}

spec "mod" {
  example = { { 7, -7 }, 3, gives = { 1, 2 }, dtype = "int32" },
  examples = {
    { { 7, -7, 7, -7 }, { 3, 3, -3, -3 }, gives = { 1, 2, -2, -1 } },
    { { 7.5, -7.5 }, 2, gives = { 1.5, 0.5 }, dtype = "float32" },
    { { 1.0, 0.0, inf, 5.0, -5.0 }, { 0, 0, 1, inf, inf }, gives = { nan, nan, nan, 5, inf } },
    { int32 { -2147483648 }, -1, gives = { 0 } },
    { int64 { math.mininteger }, -1, gives = { 0 } },
    { int8 { -128, -128, 127, -7 }, int8 { -1, 127, -128, -7 }, gives = { 0, 126, -1, 0 }, dtype = "int8" },
    { uint8 { 255, 254, 7 }, uint8 { 255, 255, 2 }, gives = { 0, 254, 1 }, dtype = "uint8" },
    { int32 { -2147483648, 2147483647, -2147483648, 2147483647 }, int32 { 2147483647, -2147483648, 3, -3 },
      gives = { 2147483646, -1, 1, -2 } },
  },
  reference = floor_mod,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { -20, 20 }, { 1, 6 } },
  gradients = { { { 1.5, 2.2, 5.3 }, { 2.1, 0.8, 0.9 } }, { { 1.5, -2.2 }, 0.8 } },
  result = same,
  rejects = arithmetic_rejects("mod", {
    { args = { { 7, 8 }, { 1, 0 } }, says = "mod: an integer is divided by zero" },
    { args = { { 7 }, 0 }, says = "mod: an integer is divided by zero" },
  }),
  check = function(t)
    t.equal(lt.constant { 7, -7 } % 3, { 1, 2 })
    check_golden(t, "mod")
    -- Long rows are divided in blocks, those with a large quotient, inf or 0 in another way: no element knows it.
    local a = lt.random.normal({ 5000 }, { seed = 1 }) * lt.exp(lt.random.normal({ 5000 }, { seed = 2 }) * 5)
    local b = lt.random.normal({ 5000 }, { seed = 3 })
    local rest, quotient = lt.mod(a, b), a // b
    local far_a, far_b = lt.concat { a, lt.constant { 1e30, inf, 1 } }, lt.concat { b, lt.constant { 1e-3, 1, inf } }
    t.equal(lt.mod(far_a, far_b)[{ { 1, 5000 } }], rest)
    t.equal((far_a // far_b)[{ { 1, 5000 } }], quotient)
    for i = 4000, 5000 do
      local x, y = a[i]:item(), b[i]:item()
      local left = math.fmod(x, y)
      if left ~= 0 and (left < 0) ~= (y < 0) then left = left + y end
      t.equal(rest[i]:item(), string.unpack("f", string.pack("f", left)))
      t.equal(quotient[i]:item(), (lt.constant(x, { dtype = "float64" }) // y):float32():item())
    end
    check_large(t, lt.mod, function(a, b) return a % b end)
    -- a is b times the quotient and the remainder, in every integer dtype.
    for _, dtype in ipairs(integers) do
      local a = lt.range(-40, 40):cast(dtype):reshape { 80, 1 }
      local b = lt.constant({ -7, -3, -2, -1, 1, 2, 5, 11 }, { dtype = "int64" }):cast(dtype)
      t.equal(a // b * b + a % b, a + b * 0)
    end
  end,
}

spec "pow" {
  example = { { 2, 3 }, 2, gives = { 4, 9 }, dtype = "int32" },
  examples = {
    { { 2, 3 }, { 0, 5 }, gives = { 1, 243 } },
    { { 2.0, 3.0 }, -1, gives = { 0.5, 0.3333 } },
    { { 4, 9 }, 0.5, gives = { 2, 3 }, dtype = "float32" },
    { 2, { 1, 2, 3 }, gives = { 2, 4, 8 } },
    { { -8.0 }, 1 / 3, gives = { nan } },
    { { 0.0, nan, 1.0 }, { 0, 0, nan }, gives = { 1, 1, 1 } },
    { int32 { 3, 2, -3 }, { 21, 31, 3 }, gives = { 1870418611, -2147483648, -27 } },
    { int64 { 2, 3 }, 63, gives = { math.mininteger, -3237885987332494933 } },
    { int8 { 2, -2, 3, 5 }, int8 { 7, 7, 5, 0 }, gives = { -128, -128, -13, 1 }, dtype = "int8" },
    { uint8 { 3, 2 }, uint8 { 6, 8 }, gives = { 217, 0 }, dtype = "uint8" },
    { int16 { 7, -2 }, 15, gives = { -23497, -32768 }, dtype = "int16" },
    { int16 { -3, 200 }, 3, gives = { -27, 4608 }, dtype = "int16" },
    { float16 { 3, 300 }, 2, gives = { 9, inf }, dtype = "float16" },
    { bfloat16 { 3, 0.5 }, 1.5, gives = { 5.1875, 0.353515625 }, dtype = "bfloat16" },
    { { 1e20 }, 2, gives = { inf } },
    -- A number, and the same in a tensor.
    { { -0.0, -inf, 4, -4, nan }, 0.5, gives = { 0, inf, 2, nan, nan } },
    { { -0.0, -inf, 4, -4, nan }, { 0.5, 0.5, 0.5, 0.5, 0.5 }, gives = { 0, inf, 2, nan, nan } },
    { { -0.0, -inf, 4, nan }, -1, gives = { -inf, 0, 0.25, nan } },
    { { -2.0, inf, -inf, nan }, 3, gives = { -8, inf, -inf, nan } },
    { { -2.0, inf, nan }, 0, gives = { 1, 1, 1 } },
    { { { 1.0, 2.0 } }, { { { 2 } } }, gives = { { { 1, 4 } } } },
  },
  reference = function(a, b) return math.type(a) == "integer" and math.tointeger(a ^ b) or a ^ b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { 1, 3 }, { 0, 4 } },
  result = same,
  rejects = arithmetic_rejects("pow", {
    { args = { { 2, 3 }, -1 }, says = "pow: an integer to the negative power -1 is a fraction" },
    { args = { { 2, 3 }, { 2, -3 } }, says = "pow: an integer to the negative power -3 is a fraction" },
    { args = { int8 { 2, 3 }, int8 { -128, 2 } }, says = "pow: an integer to the negative power -128 is a fraction" },
  }),
  gradients = {
    { { 1.5, 2, 0.3 }, { { 2, 3, 4 }, { -5, 6, 7 } } },
    { { 2.0, -3.0 }, 3 }, { { 2.0, -3.0 }, 2 }, { { 2.0, -3.0 }, 1 },
    { { 2.0, -3.0 }, 0 }, { { 2.0, -3.0 }, -1 }, { { 2.0, 0.3 }, 0.5 }, { { 2.0, 0.3 }, -2.5 }, { 2.0, { 1.5, -2 } },
    { { { 2.0 }, { 3 } }, { 1.5 } },
  },
  check = function(t)
    t.equal(lt.constant { 2, 3 } ^ 2, { 4, 9 })
    t.equal(2 ^ lt.constant { 1, 2 }, { 2, 4 })
    check_golden(t, "pow")
    check_large(t, function(a, b) return lt.pow(a, b / 30) end, function(a, b) return a ^ (b / 30) end)
    -- Results that do not depend on the exponent's form.
    local x = float64s { 0.1, -0.7, 3.3, 1e-200, -1e120 }
    for _, exponent in ipairs { 1, 2, 3, -1 } do t.close(x ^ exponent, x ^ (x * 0 + exponent), 5e-16) end
    -- 0 where the base is 0, or less for the exponent's slope; with an exponent of 0 nothing depends on the base.
    t.equal(slope(function(v) return v ^ 2 end, float64s { 0, 3 }), { 0, 6 })
    t.equal(slope(function(v) return v ^ 0 end, float64s { 0, 3 }), { 0, 0 })
    t.equal(slope(function(v) return v ^ float64s { 0, 0, 2 } end, float64s { 0, 3, 0 }), { 0, 0, 0 })
    t.equal(slope(function(v) return float64s { 0, -2, 1 } ^ v end, float64s { 2, 2, 5 }), { 0, 0, 0 })
    t.equal(slope(function(v) return 0 ^ v end, float64s { 2, 3 }), { 0, 0 })
    t.close(second(function(v) return v ^ 3 end, float64s { 2, -1.5, 0 }), { 12, -9, 0 })
    t.close(second(function(v) return v ^ 2.5 end, float64s { 4 }), { 2.5 * 1.5 * 2 })
    t.close(second(function(v) return 2 ^ v end, float64s { 3 }), { 8 * math.log(2) ^ 2 })
    -- An integer base counts in the float it is computed in.
    local seven = lt.constant({ 7 }, { dtype = "int64" })
    t.close(slope(function(v) return seven ^ v end, float64s { 1 }), { 7 * math.log(7) }, 1e-12)
  end,
}

spec "maximum" {
  example = { { 1, 5 }, 3, gives = { 3, 5 }, dtype = "int32" },
  examples = {
    { { nan, 1, -inf }, { 1, nan, inf }, gives = { nan, nan, inf } },
    { { 1, 2 }, 1.5, gives = { 1.5, 2 }, dtype = "float32" },
    { int8 { -128, 127 }, 0, gives = { 0, 127 }, dtype = "int8" },
    { uint8 { 255, 0 }, 128, gives = { 255, 128 }, dtype = "uint8" },
    { float16 { nan, 2 }, 1, gives = { nan, 2 }, dtype = "float16" },
  },
  reference = function(a, b) return math.max(a, b) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("maximum"),
  gradients = {
    { { 1.5, 2.2, 5.3 }, { 2.1, 0.8, 7 } }, { { { 1.5 }, { 2.2 } }, { 2.1, 0.8, 7 } }, { { 1.5, 4 }, 2 },
    { 2, { 1.5, 4 } },
  },
  check = function(t)
    check_large(t, lt.maximum, math.max)
    -- Half to each where they are equal, none to a number's share; nothing from nan.
    local a, b = float64s { 1, 2, 3, nan }, float64s { 2, 2, 2, 1 }
    local tape <close> = lt.GradientTape()
    tape:watch { a, b }
    local da, db = table.unpack(tape:gradient(lt.maximum(a, b) * float64s { 1, 10, 100, 1000 }, { a, b }))
    t.equal(da, { 0, 5, 100, 0 })
    t.equal(db, { 1, 5, 0, 0 })
    t.equal(slope(function(v) return lt.maximum(v, 2) end, a), { 0, 0.5, 1, 0 })
    t.equal(second(function(v) return lt.maximum(v, b) * v end, float64s { 1, 2, 3, 4 }), { 0, 1, 2, 2 })
  end,
}

spec "minimum" {
  example = { { 1, 5 }, 3, gives = { 1, 3 }, dtype = "int32" },
  examples = {
    { { nan, 1, -inf }, { 1, nan, inf }, gives = { nan, nan, -inf } },
    { { 1, 2 }, 1.5, gives = { 1, 1.5 }, dtype = "float32" },
    { int8 { -128, 127 }, 0, gives = { -128, 0 }, dtype = "int8" },
    { uint8 { 255, 0 }, 128, gives = { 128, 0 }, dtype = "uint8" },
    { bfloat16 { nan, 2 }, 1, gives = { nan, 1 }, dtype = "bfloat16" },
  },
  reference = function(a, b) return math.min(a, b) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("minimum"),
  gradients = {
    { { 1.5, 2.2, 5.3 }, { 2.1, 0.8, 7 } }, { { { 1.5 }, { 2.2 } }, { 2.1, 0.8, 7 } }, { { 1.5, 4 }, 2 },
    { 2, { 1.5, 4 } },
  },
  check = function(t)
    check_large(t, lt.minimum, math.min)
    -- Half to each where they are equal, none to a number's share; nothing from nan.
    local a, b = float64s { 1, 2, 3, nan }, float64s { 2, 2, 2, 1 }
    local tape <close> = lt.GradientTape()
    tape:watch { a, b }
    local da, db = table.unpack(tape:gradient(lt.minimum(a, b) * float64s { 1, 10, 100, 1000 }, { a, b }))
    t.equal(da, { 1, 5, 0, 0 })
    t.equal(db, { 0, 5, 100, 0 })
    t.equal(slope(function(v) return lt.minimum(v, 2) end, a), { 1, 0.5, 0, 0 })
    t.equal(second(function(v) return lt.minimum(v, b) * v end, float64s { 1, 2, 3, 4 }), { 2, 1, 0, 0 })
  end,
}

spec "squared_difference" {
  example = { { 1, 5 }, 3, gives = { 4, 4 }, dtype = "int32" },
  examples = {
    { { 1.5, -2 }, { 1, 1 }, gives = { 0.25, 9 }, dtype = "float32" },
    { int8 { -128 }, 127, gives = { 1 }, dtype = "int8" },
    { uint8 { 1 }, uint8 { 17 }, gives = { 0 }, dtype = "uint8" },
    { int16 { -32768 }, 32767, gives = { 1 }, dtype = "int16" },
    { { inf, nan }, { inf, 1 }, gives = { nan, nan } },
  },
  reference = function(a, b) return (a - b) * (a - b) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("squared_difference"),
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 5, 6, 7 } } }, { { 2, 3 }, 4.5 }, { 0.5, { 2, 3 } } },
  check = function(t)
    check_large(t, lt.squared_difference, function(a, b) return (a - b) ^ 2 end)
    t.equal(second(function(v) return lt.squared_difference(v, 3) end, float64s { 1, 3 }), { 2, 2 })
  end,
}

spec "atan2" {
  example = { { 1.0, 0.0 }, { 1.0, -1.0 }, gives = { 0.7854, 3.1416 }, dtype = "float32" },
  examples = {
    { { 1, -1 }, { 0, 0 }, gives = { 1.5708, -1.5708 }, dtype = "float32" },
    { 1, 1, gives = math.pi / 4, shape = {} },
    { { 1e-30, -1e-30 }, { -1, -1 }, gives = { math.pi, -math.pi } },
    { float64 { 1e308, 1e-320 }, float64 { 1e308, 1 }, gives = { math.pi / 4, 1e-320 }, tolerance = 1e-15 },
    { float16 { 1 }, float16 { -1 }, gives = { 2.35546875 }, dtype = "float16" },
  },
  reference = function(y, x) return math.atan(y, x) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = fraction,
  rejects = {
    { args = { zeros { 2 }, zeros { 3 } }, says = "atan2: y (2,) and x (3,) do not broadcast" },
    { args = { bool { true }, bool { true } }, says = "atan2: y is bool, expected a number" },
    { args = { { 1, 2 } }, says = "atan2: 1 argument given, expected atan2(y, x)" },
    { args = { { 1, 2 }, "1" }, says = "atan2: x is" },
  },
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, -4 }, { -5, 6, 7 } } }, { { 1.5, -2 }, 3 }, { -1, { 2, -3 } } },
  check = function(t)
    check_golden(t, "atan2")
    check_large(t, lt.atan2, math.atan)
    -- The angle of a point turned by a quarter.
    local y, x = float64s { 0.3, -2, 5 }, float64s { 1, 0.7, -0.2 }
    t.close(lt.atan2(x, -y) - lt.atan2(y, x), { math.pi / 2, math.pi / 2, -1.5 * math.pi }, 1e-14)
  end,
}
