-- Functions of one element; activations are in activations.lua, sin and its kin in trigonometric.lua.
local spec = require "spec"
local forms = require "unary_forms"

local nan, inf = 0 / 0, math.huge
local fraction, same_dtype, golden, bends = forms.fraction, forms.same_dtype, forms.golden, forms.bends
local checks, refuses_bool, keeps_sign_of_zero = forms.checks, forms.refuses_bool, forms.keeps_sign_of_zero

-- Its slope is 0 wherever there is one, and the input stays connected.
local function is_flat(t, op)
  for _, dtype in ipairs(forms.floats) do
    local slope = forms.slopes(lt[op], { -1.25, 0.75, 3.5 }, dtype)
    t.equal(slope, { 0, 0, 0 })
    t.ok(slope.dtype == dtype, slope.dtype)
  end
end

spec "neg" (same_dtype {
  example = { { 1, -2 }, gives = { -1, 2 }, dtype = "int32" },
  examples = {
    { int8 { -128, 7 }, gives = { -128, -7 }, dtype = "int8" },
    { uint8 { 0, 1, 255 }, gives = { 0, 255, 1 }, dtype = "uint8" },
    { int16 { -32768, 32767 }, gives = { -32768, -32767 }, dtype = "int16" },
    { int32 { -2147483648, 7 }, gives = { -2147483648, -7 } },
    { int64 { math.mininteger }, gives = { math.mininteger } },
    { { inf, -inf, nan }, gives = { -inf, inf, nan } },
    { float16 { 65504, -inf, nan }, gives = { -65504, inf, nan }, dtype = "float16" },
    { 5, gives = -5, shape = {} },
  },
  reference = function(x) return -x end,
  dtypes = { "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" },
  gradients = { { { { 1.5, -2 }, { 0, 3 } } }, { {} } },
  rejects = {
    { args = { bool { true } }, says = "neg: x is bool, expected a number" },
    { args = { true }, says = "neg: x is true, expected a number" },
    { args = { "1" }, says = "neg: x is" },
    { args = { { 1 }, { axis = 1 } }, says = "neg: unknown option 'axis'" },
    { args = { { 1 }, 2 }, says = "neg: 2 arguments given, expected neg(x)" },
    { args = {}, says = "neg: 0 arguments given, expected neg(x)" },
  },
  check = function(t)
    t.equal(-lt.constant { 1.5, -2 }, { -1.5, 2 })
    t.raises("InvalidArgument", "neg: x is bool", function() return -lt.constant { true } end)
    t.ok(1 / lt.constant(0.0):neg():item() == -inf, "0 becomes -0")
    forms.half_slopes(t, lt.neg, { 1, 2 })
    forms.same_everywhere(t, lt.neg, -9, 9)
  end,
})

spec "abs" (same_dtype {
  example = { { 1, -2 }, gives = { 1, 2 }, dtype = "int32" },
  examples = {
    { int8 { -128, -127 }, gives = { -128, 127 }, dtype = "int8" },
    { uint8 { 255, 0 }, gives = { 255, 0 }, dtype = "uint8" },
    { int32 { -2147483648, -2147483647 }, gives = { -2147483648, 2147483647 } },
    { int64 { math.mininteger, -1 }, gives = { math.mininteger, 1 } },
    { { -inf, nan, -0.5 }, gives = { inf, nan, 0.5 } },
    { bfloat16 { -inf, nan, -0.5 }, gives = { inf, nan, 0.5 }, dtype = "bfloat16" },
  },
  reference = function(x) return math.abs(x) end,
  rejects = refuses_bool "abs",
  gradients = { { { { 1, -2 }, { 3, -0.25 } } } },
  check = function(t)
    t.ok(1 / lt.abs(lt.constant(-0.0)):item() == inf, "-0 becomes 0")
    t.equal(forms.slopes(lt.abs, { 0, -0.0, -3 }), { 0, 0, -1 }, "0 at the kink")
    forms.same_everywhere(t, lt.abs, -9, 9)
    bends(t, function(x) return lt.abs(x) * x end, { -2, 3 })
  end,
})

spec "sign" (same_dtype {
  example = { { -2.5, 0, 7 }, gives = { -1, 0, 1 }, dtype = "float32" },
  examples = {
    { { -3, 0, 9 }, gives = { -1, 0, 1 }, dtype = "int32" },
    { uint8 { 0, 255 }, gives = { 0, 1 }, dtype = "uint8" },
    { int64 { math.mininteger, math.maxinteger }, gives = { -1, 1 } },
    { { -inf, inf, nan, 1e-45, -1e-45 }, gives = { -1, 1, nan, 1, -1 } },
  },
  reference = function(x) return x > 0 and 1 or x < 0 and -1 or 0 end,
  rejects = refuses_bool "sign",
  gradients = { { { { 1, -2 }, { 3, -0.25 } } } },
  check = function(t)
    golden(t, "sign", lt.sign)
    is_flat(t, "sign")
    t.equal(forms.slopes(lt.sign, { 0 }), { 0 })
  end,
})

spec "square" (same_dtype {
  example = { { 3, -2 }, gives = { 9, 4 }, dtype = "int32" },
  examples = {
    { int8 { 11, 12, -128 }, gives = { 121, -112, 0 }, dtype = "int8" },
    { uint8 { 15, 16, 255 }, gives = { 225, 0, 1 }, dtype = "uint8" },
    { int16 { -1, 255, -32768, 300 }, gives = { 1, -511, 0, 24464 }, dtype = "int16" },
    { int32 { 65536, 46341 }, gives = { 0, -2147479015 } },
    { int64 { 1 << 32, 3037000500 }, gives = { 0, -9223372036709301616 } },
    { { -inf, nan, 1e30 }, gives = { inf, nan, inf } },
    { float16 { 255, 256 }, gives = { 65024, inf }, dtype = "float16" },
  },
  reference = function(x) return x * x end,
  rejects = refuses_bool "square",
  gradients = { { { { 1.5, -2 }, { 0, 3 } } }, { { { { 7 } } } } },
  check = function(t)
    bends(t, lt.square, { -2, 0, 3 })
    forms.same_everywhere(t, lt.square, -9, 9)
  end,
})

local roundings = {
  floor = { function(x) return math.floor(x) end, { -2, -1, -1, 0, 0, 1, 1, 2 } },
  ceil = { function(x) return math.ceil(x) end, { -1, 0, 0, 0, 1, 1, 2, 3 } },
  round = { function(x)
    local low = math.floor(x)
    local rest = x - low
    return rest < 0.5 and low or rest > 0.5 and low + 1 or low + low % 2
  end, { -2, -1, 0, 0, 0, 1, 2, 2 } },
  trunc = { function(x) return x < 0 and math.ceil(x) or math.floor(x) end, { -1, 0, 0, 0, 0, 1, 1, 2 } },
}
for _, op in ipairs { "floor", "ceil", "round", "trunc" } do
  local reference, wanted = table.unpack(roundings[op])
  local arguments = { -1.5, -0.75, -0.5, -0.0, 0.5, 1, 1.75, 2.5 }
  spec(op) (same_dtype {
    example = { arguments, gives = wanted, dtype = "float32" },
    examples = {
      { float16(arguments), gives = wanted, dtype = "float16" },
      { { inf, -inf, nan, 1e30, -3e38 }, gives = { inf, -inf, nan, 1e30, -3e38 } },
      -- The last floats that have a fraction, and the first that have none.
      { { 8388607.5, -8388607.5 }, gives = { reference(8388607.5), reference(-8388607.5) }, tolerance = 0 },
      { { 8388609.0, 16777217.0 }, gives = { 8388609, 16777216 }, tolerance = 0 },
      { float64 { 4503599627370495.5, -4503599627370497 }, gives = { reference(4503599627370495.5), -4503599627370497 },
        tolerance = 0, dtype = "float64" },
      { float64 { 0.49999999999999994, -0.49999999999999994 },
        gives = { reference(0.49999999999999994), reference(-0.49999999999999994) } },
      { int64 { math.mininteger, math.maxinteger }, gives = { math.mininteger, math.maxinteger }, dtype = "int64" },
      { uint8 { 0, 255 }, gives = { 0, 255 }, dtype = "uint8" },
      { { { 1, 2 }, { 3, -4 } }, gives = { { 1, 2 }, { 3, -4 } }, dtype = "int32" },
      { zeros(0), shape = { 0 }, dtype = "float32" },
    },
    reference = reference,
    domain = { -40, 40 },
    rejects = refuses_bool(op),
    gradients = { { { { 1.25, -2.75 }, { 3.1, -0.25 } } } },
    check = function(t)
      golden(t, op, lt[op])
      keeps_sign_of_zero(t, op)
      if op ~= "floor" then t.ok(1 / lt[op](lt.constant(-0.25)):item() == -inf, "-0.25 becomes -0") end
      is_flat(t, op)
      forms.same_everywhere(t, lt[op], -9, 9)
    end,
  })
end

-- Calls check(x) for float32 of every magnitude in order, with and without other numbers in between.
local function of_every_magnitude(check)
  local number = lt.range(6000, { dtype = "float64" })
  local x = lt.pow(2.0, number * 0.046 - 149):float32()
  check(x)
  for i, special in ipairs { 0.0, -0.0, inf, nan, -1.0, 1e-40 } do
    x = lt.where((number % 97):eq(i), lt.constant(special, { dtype = "float32" }), x)
  end
  check(x)
end

spec "sqrt" (fraction {
  example = { { 4, 2.25 }, gives = { 2.0, 1.5 } },
  examples = {
    { { 4, 9 }, gives = { 2.0, 3.0 }, dtype = "float32" },
    { { 0.0, inf, -1.0, nan }, gives = { 0, inf, nan, nan } },
    { 16, gives = 4.0, shape = {}, dtype = "float32" },
    { uint8 { 255 }, gives = { 15.9687 }, dtype = "float32" },
  },
  reference = function(x) return math.sqrt(x) end,
  domain = { 0, 1000 },
  rejects = refuses_bool "sqrt",
  gradients = { { { { 0.25, 2 }, { 3, 100 } } } },
  check = checks("sqrt", 0, 9, { 0.25, 2, 9 }, function(t)
    keeps_sign_of_zero(t, "sqrt")
    of_every_magnitude(function(x) t.equal(lt.sqrt(x), x:float64():sqrt():float32(), "the nearest float32") end)
    t.equal(forms.slopes(lt.sqrt, { 0, 4 }), { inf, 0.25 })
    forms.half_slopes(t, lt.sqrt, { 0.25, 4 })
  end),
})

spec "rsqrt" (fraction {
  example = { { 4, 0.25 }, gives = { 0.5, 2.0 } },
  examples = {
    { { 0.0, -0.0, inf, -1.0, nan }, gives = { inf, -inf, 0, nan, nan } },
    -- Neither the square root of the smallest number nor that of the largest leaves the range.
    { float32 { 1e-45, 3e38 }, gives = { 2.6713e22, 5.7735e-20 } },
    { float64 { 4.9406564584124654e-324, 1.7976931348623157e308 },
      gives = { 4.4989137945431964e161, 7.4583407312002067e-155 }, tolerance = 1e-15 },
    { float16 { 6e-8 }, gives = { 4096 }, dtype = "float16" },
    { int16 { 4 }, gives = { 0.5 }, dtype = "float32" },
  },
  reference = function(x) return 1 / math.sqrt(x) end,
  domain = { 1, 100 },
  rejects = refuses_bool "rsqrt",
  gradients = { { { { 0.25, 2 }, { 3, 100 } } } },
  check = checks("rsqrt", 0.01, 9, { 0.25, 2, 9 }, function(t)
    of_every_magnitude(function(x) t.equal(lt.rsqrt(x), 1 / x:float64():sqrt():float32(), "two roundings") end)
    forms.half_slopes(t, lt.rsqrt, { 0.25, 4 })
  end),
})

spec "reciprocal" (fraction {
  example = { { 4, -0.5 }, gives = { 0.25, -2.0 } },
  examples = {
    { { 0.0, -0.0, inf, -inf, nan }, gives = { inf, -inf, 0, 0, nan } },
    { { 2, 4 }, gives = { 0.5, 0.25 }, dtype = "float32" },
    { { 0, 1 }, gives = { inf, 1 }, dtype = "float32" },
  },
  reference = function(x) return 1 / x end,
  domain = { 1, 50 },
  rejects = refuses_bool "reciprocal",
  gradients = { { { { 0.25, -2 }, { 3, 10 } } } },
  check = checks("reciprocal", 0.01, 9, { 0.25, -2, 9 },
                 function(t) forms.half_slopes(t, lt.reciprocal, { 0.25, -4 }) end),
})

spec "exp" (fraction {
  example = { { 0.0, 1.0 }, gives = { 1.0, 2.7182818 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 89.0, -104.0 }, gives = { inf, 0, nan, inf, 0 } },
    -- Next to the largest number, and among the subnormal ones.
    { { 88.72, -100.0 }, gives = { 3.3937e38, 3.7835e-44 }, tolerance = 0.02 },
    { float64 { 709.7, -745.0, 710.0, -746.0 }, gives = { 1.6549840276802644e308, 4.9406564584124654e-324, inf, 0 },
      tolerance = 1e-12 },
    { float16 { 11, 12, -18 }, gives = { 59874.14, inf, 0 }, tolerance = 5e-4, dtype = "float16" },
    { bfloat16 { 88.5, 89 }, gives = { 2.723e38, inf }, tolerance = 5e-3, dtype = "bfloat16" },
    { int64 { 0, 1, -1 }, gives = { 1, 2.7182818, 0.36787944 }, dtype = "float32", tolerance = 1e-6 },
    { zeros(0), shape = { 0 }, dtype = "float32" },
  },
  reference = function(x) return math.exp(x) end,
  domain = { -10, 10 },
  rejects = refuses_bool "exp",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("exp", -20, 20, { 0.25, -2, 3 }),
})

spec "expm1" (fraction {
  example = { { 0.0, 1e-6 }, gives = { 0, 1.0000005e-6 }, tolerance = 1e-7 },
  examples = {
    { { inf, -inf, nan, 89.0, -104.0 }, gives = { inf, -1, nan, inf, -1 } },
    { float64 { 1e-12, -1e-300 }, gives = { 1.0000000000005e-12, -1e-300 }, tolerance = 1e-15 },
    { { 0, 1 }, gives = { 0, 1.7182818 }, dtype = "float32", tolerance = 1e-6 },
  },
  reference = function(x) return math.exp(x) - 1 end,
  domain = { -10, 10 },
  rejects = refuses_bool "expm1",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("expm1", -20, 20, { 0.25, -2, 3 }, function(t)
    keeps_sign_of_zero(t, "expm1")
    t.close(forms.slopes(lt.expm1, { -60 }), { 8.75651076269652e-27 }, 1e-13, "has digits where expm1 itself is -1")
  end),
})

spec "log" (fraction {
  example = { { 1.0, 10.0 }, gives = { 0.0, 2.302585 }, tolerance = 1e-6 },
  examples = {
    { { 0.0, -0.0, -1.0, inf, -inf, nan }, gives = { -inf, -inf, nan, inf, nan, nan } },
    { { 1e-40, 3e38 }, gives = { -92.1034, 88.5967 } },
    { float64 { 4.9406564584124654e-324, 1.7976931348623157e308 }, gives = { -744.4400719213812, 709.782712893384 },
      tolerance = 1e-14 },
    { { 1, 2 }, gives = { 0, 0.6931 }, dtype = "float32" },
    { uint8 { 0, 255 }, gives = { -inf, 5.5413 }, dtype = "float32" },
  },
  reference = function(x) return math.log(x) end,
  domain = { 1, 50 },
  rejects = refuses_bool "log",
  gradients = { { { { 0.25, 2 }, { 3, 100 } } } },
  check = checks("log", 0.001, 9, { 0.25, 2, 9 }, function(t)
    t.close(lt.log(lt.exp { -80.0, -1e-3, 0, 1e-3, 1, 80 }), { -80.0, -1e-3, 0, 1e-3, 1, 80 }, 1e-4)
  end),
})

spec "log1p" (fraction {
  example = { { 0.0, 1e-6 }, gives = { 0.0, 9.999995e-7 }, tolerance = 1e-7 },
  examples = {
    { { -1.0, -1.5, inf, -inf, nan }, gives = { -inf, nan, inf, nan, nan } },
    { float64 { 1e-12, -1e-300, 1e300 }, gives = { 9.999999999995e-13, -1e-300, 690.7755278982137 },
      tolerance = 1e-15 },
    { { 0, 1 }, gives = { 0, 0.6931 }, dtype = "float32" },
  },
  reference = function(x) return math.log(1 + x) end,
  domain = { 0, 50 },
  rejects = refuses_bool "log1p",
  gradients = { { { { 0.25, -0.5 }, { 3, 0 } } } },
  check = checks("log1p", -0.99, 9, { 0.25, -0.5, 9 }, function(t)
    keeps_sign_of_zero(t, "log1p")
    local x = { -2, -1e-9, 1e-9, 30 }
    t.close(lt.log1p(lt.expm1(lt.constant(x, { dtype = "float64" }))), x, 1e-14)
  end),
})

-- 2 / sqrt(pi) e^(-x^2) times the sum of 2^n x^(2n+1) / (1 3 ... (2n+1)), whose terms have one sign.
local function erf(x)
  local term, sum, n = x, 0, 0
  while math.abs(term) > 1e-18 * math.abs(sum) do
    sum, n = sum + term, n + 1
    term = term * 2 * x * x / (2 * n + 1)
  end
  return 2 / math.sqrt(math.pi) * math.exp(-x * x) * sum
end

spec "erf" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.0, 0.84270079 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 10, -10 }, gives = { 1, -1, nan, 1, -1 } },
    { { 0, 1 }, gives = { 0, 0.8427 }, dtype = "float32" },
    { float64 { 1e-300 }, gives = { 1.1283791670955126e-300 }, tolerance = 1e-15 },
  },
  reference = erf,
  domain = { -4, 4 },
  rejects = refuses_bool "erf",
  gradients = { { { { 0.25, -2 }, { 3, 0 } } } },
  check = checks("erf", -5, 5, { 0.25, -2, 3 }, function(t) keeps_sign_of_zero(t, "erf") end),
})

local questions = {
  isnan = { function(x) return x ~= x end, { false, false, false, false, true } },
  isinf = { function(x) return x == inf or x == -inf end, { false, false, true, true, false } },
  isfinite = { function(x) return x - x == 0 end, { true, true, false, false, false } },
}
for _, op in ipairs { "isnan", "isinf", "isfinite" } do
  local reference, wanted = table.unpack(questions[op])
  local arguments = { 0, -3.5, inf, -inf, nan }
  spec(op) (forms.question {
    example = { arguments, gives = wanted, dtype = "bool" },
    examples = {
      { float64(arguments), gives = wanted, dtype = "bool" },
      { float16(arguments), gives = wanted, dtype = "bool" },
      { bfloat16(arguments), gives = wanted, dtype = "bool" },
      { float64 { 1.7e308, 5e-324 }, gives = { op == "isfinite", op == "isfinite" } },
      { float16 { 65504, -6e-8 }, gives = { op == "isfinite", op == "isfinite" } },
      { int64 { math.mininteger, 0 }, gives = { op == "isfinite", op == "isfinite" }, dtype = "bool" },
      { 1, gives = op == "isfinite", shape = {} },
      { zeros(2, 0), shape = { 2, 0 }, dtype = "bool" },
    },
    reference = reference,
    rejects = refuses_bool(op),
    check = function(t)
      -- In a large tensor, each of a few odd ones out.
      local x = lt.cast(lt.range(40000), "float32")
      local odd = lt.where(lt.eq(lt.mod(x, 9999), 0), lt.constant(op == "isnan" and nan or inf), x)
      t.equal(lt.sum(lt[op](odd)):item(), op == "isfinite" and 39995 or 5)
      local tape <close> = lt.GradientTape()
      local y = lt.constant { 1.5 }
      tape:watch(y)
      t.ok(tape:gradient(lt[op](y):float32(), y) == nil, "no gradient leads through it")
    end,
  })
end

spec "logical_not" {
  example = { { true, false }, gives = { false, true }, dtype = "bool" },
  examples = { { true, gives = false, shape = {} } },
  reference = function(x) return not x end,
  samples = forms.sizes,
  dtypes = { "bool" },
  result = "bool",
  rejects = {
    { args = { { 1, 0 } }, says = "logical_not: x is int32, expected bool" },
    { args = { { 1.5 } }, says = "logical_not: x is float32, expected bool" },
  },
}

spec "bitwise_not" {
  example = { { 0, 5 }, gives = { -1, -6 }, dtype = "int32" },
  examples = {
    { uint8 { 0, 1, 255 }, gives = { 255, 254, 0 }, dtype = "uint8" },
    { int8 { -128, 127 }, gives = { 127, -128 }, dtype = "int8" },
    { int16 { -1, 256 }, gives = { 0, -257 }, dtype = "int16" },
    { int64 { math.mininteger, 1 }, gives = { math.maxinteger, -2 }, dtype = "int64" },
    { { true, false }, gives = { false, true }, dtype = "bool" },
    { true, gives = false, shape = {} },
    { 2.0, gives = -3, shape = {}, dtype = "int32" },
  },
  reference = function(x)
    if type(x) == "boolean" then return not x end
    return ~x
  end,
  samples = forms.sizes,
  dtypes = { "bool", "int8", "int16", "int32", "int64" },
  result = function(dtype) return dtype end,
  rejects = {
    { args = { { 1.5 } }, says = "bitwise_not: x is float32, expected an integer or bool; cast it first" },
    { args = { 2.5 }, says = "bitwise_not: x is the float 2.5, expected an integer or bool" },
    { args = { { 1 }, 2 }, says = "bitwise_not: 2 arguments given" },
  },
  check = function(t)
    local told = lt.debugging.explain(lt.bitwise_not { true })
    t.ok(told.op == "LogicalNot", "logged as " .. told.op)
    t.ok(lt.debugging.explain(lt.bitwise_not { 1 }).op == "Invert")
    t.equal(lt.bitwise_not { 2.0, 5 }, { -3, -6 })
    t.equal(lt.bitwise_not(lt.bitwise_not { 1, -7 }), { 1, -7 })
  end,
}
