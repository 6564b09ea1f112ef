local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local numbers = { "float32", "float64", "int32", "int64" }
local function same(dtype) return dtype end

-- Equal shapes, a number's, rows, columns, both ways, and nothing.
local pairs_of_shapes = shapes {
  {}, { 1 }, { 3, 23 }, { 3, 0 }, { { 4, 5 }, {} }, { {}, { 4, 5 } }, { { 4, 5 }, { 5 } }, { { 4, 1 }, { 4, 5 } },
  { { 2, 1, 5 }, { 3, 1 } }, { { 3, 1, 2, 1 }, { 1, 4, 1, 5 } }, { { 0, 3 }, { 1, 3 } }, { { 1 }, { 0 } },
}

local function zeros(shape, dtype)
  return made(function() return lt.zeros(shape, { dtype = dtype }) end)
end

local function with(rejects, more)
  for _, reject in ipairs(more or {}) do rejects[#rejects + 1] = reject end
  return rejects
end

local function shape_rejects(op, more)
  local dtype = op:find("^logical") and "bool" or "float32"
  return with({
    { args = { zeros({ 2 }, dtype), zeros({ 3 }, dtype) }, says = op .. ": a (2,) and b (3,) do not broadcast" },
    { args = { zeros({ 2, 2 }, dtype), zeros({ 1, 3 }, dtype) }, says = op .. ": a (2, 2) and b (1, 3) do not broadcast" },
    { args = { { 1, 2 } }, says = op .. ": 1 argument given, expected " .. op .. "(a, b)" },
    { args = { { 1, 2 }, 1, 2 }, says = op .. ": 3 arguments given" },
    { args = { { 1, 2 }, "1" }, says = op .. ": b is" },
    { args = { { 1, 2 }, 1, { axis = 1 } }, says = op .. ": unknown option 'axis'" },
  }, more)
end

local function arithmetic_rejects(op, more)
  return shape_rejects(op, with({
    { args = { bool { true }, bool { false } }, says = op .. ": a is bool, expected a number; cast it first" },
    { args = { bool { true }, true }, says = op .. ": a is bool" },
    { args = { int8 { 1 }, 1000 }, says = op .. ": b is 1000, which does not fit int8 (-128 to 127)" },
    { args = { int32 { 1 }, 1 << 40 }, says = op .. ": b is 1099511627776, which does not fit int32" },
  }, more))
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
    { { inf, nan }, { -inf, 1 }, gives = { nan, nan } },
    { zeros { 0 }, 1, shape = { 0 } },
    { zeros { 2, 1, 1, 1, 1, 1, 1, 1 }, { 1, 2 }, shape = { 2, 1, 1, 1, 1, 1, 1, 2 } },
  },
  reference = function(a, b) return a + b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("add", {
    { args = { float16 { 1 }, 1 }, says = "add: no kernel for float16; there is one for int32, int64, float32 or float64" },
    { args = { uint8 { 1 }, int8 { 1 } }, says = "add: no kernel for int16" },
  }),
  check = function(t)
    local x = lt.constant { 1, 2 }
    t.equal(x + x, { 2, 4 })
    t.equal(x + 1, { 2, 3 })
    t.equal(1 + x, { 2, 3 })
    t.equal(x + { 10, 20 }, { 11, 22 })
    -- More than one thread's share, plain and broadcast.
    local big = lt.range(100000):reshape { 100, 1000 }
    t.equal((big + big)[100], (lt.range(1000) + 99000) * 2)
    t.equal((big + lt.range(1000))[2], lt.range(1000) * 2 + 1000)
    t.equal((big + lt.range(100):reshape { 100, 1 })[{ {}, 1 }], lt.range(100) * 1001)
  end,
}

spec "sub" {
  example = { { 1, 2 }, 3, gives = { -2, -1 }, dtype = "int32" },
  examples = {
    { 3, { 1, 2 }, gives = { 2, 1 } },
    { int32 { -2147483648 }, 1, gives = { 2147483647 } },
    { { inf }, { inf }, gives = { nan } },
  },
  reference = function(a, b) return a - b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("sub"),
  check = function(t) t.equal(10 - lt.constant { 1, 2 }, { 9, 8 }) end,
}

spec "mul" {
  example = { { 1, 2 }, 3, gives = { 3, 6 }, dtype = "int32" },
  examples = {
    { int32 { 65536 }, 65536, gives = { 0 } },
    { int64 { 1 << 62 }, 3, gives = { 3 << 62 } },
    { { 0.0, 1e38 }, { inf, 10 }, gives = { nan, inf } },
  },
  reference = function(a, b) return a * b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("mul"),
  check = function(t) t.equal(2 * lt.constant { 1, 2 } * { 3, 4 }, { 6, 16 }) end,
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
  result = function(dtype) return dtype == "float64" and "float64" or "float32" end,
  rejects = shape_rejects("div", { { args = { bool { true }, bool { true } }, says = "div: a is bool, expected a number" } }),
  check = function(t) t.equal(1 / lt.constant { 2, 4 }, { 0.5, 0.25 }) end,
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
    { { 1.0, -1.0, 0.0, inf, nan, 1.0, -1.0 }, { 0, 0, 0, 1, 1, inf, inf }, gives = { inf, -inf, nan, nan, nan, 0, -1 } },
    { int32 { -2147483648 }, -1, gives = { -2147483648 } },
    { int64 { math.mininteger, math.mininteger }, { -1, 2 }, gives = { math.mininteger, math.mininteger // 2 } },
    { zeros({ 0 }, "int32"), 0, shape = { 0 } },
  },
  reference = floor_div,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { -20, 20 }, { 1, 6 } },
  result = same,
  rejects = arithmetic_rejects("floordiv", {
    { args = { { 7, 8 }, { 1, 0 } }, says = "floordiv: an integer is divided by zero" },
    { args = { { 7 }, 0 }, says = "floordiv: an integer is divided by zero" },
    { args = { int64 { 7 }, 0 }, says = "floordiv: an integer is divided by zero" },
  }),
  check = function(t)
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
  },
  reference = floor_mod,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { -20, 20 }, { 1, 6 } },
  result = same,
  rejects = arithmetic_rejects("mod", {
    { args = { { 7, 8 }, { 1, 0 } }, says = "mod: an integer is divided by zero" },
    { args = { { 7 }, 0 }, says = "mod: an integer is divided by zero" },
  }),
  check = function(t) t.equal(lt.constant { 7, -7 } % 3, { 1, 2 }) end,
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
    { { 1e20 }, 2, gives = { inf } },
  },
  reference = function(a, b) return a ^ b end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  domain = { { 1, 6 }, { 0, 5 } },
  result = same,
  rejects = arithmetic_rejects("pow", {
    { args = { { 2, 3 }, -1 }, says = "pow: an integer to the negative power -1 is a fraction" },
    { args = { { 2, 3 }, { 2, -3 } }, says = "pow: an integer to the negative power -3 is a fraction" },
  }),
  check = function(t)
    t.equal(lt.constant { 2, 3 } ^ 2, { 4, 9 })
    t.equal(2 ^ lt.constant { 1, 2 }, { 2, 4 })
  end,
}

spec "maximum" {
  example = { { 1, 5 }, 3, gives = { 3, 5 }, dtype = "int32" },
  examples = {
    { { nan, 1, -inf }, { 1, nan, inf }, gives = { nan, nan, inf } },
    { { 1, 2 }, 1.5, gives = { 1.5, 2 }, dtype = "float32" },
  },
  reference = function(a, b) return math.max(a, b) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("maximum"),
}

spec "minimum" {
  example = { { 1, 5 }, 3, gives = { 1, 3 }, dtype = "int32" },
  examples = {
    { { nan, 1, -inf }, { 1, nan, inf }, gives = { nan, nan, -inf } },
    { { 1, 2 }, 1.5, gives = { 1, 1.5 }, dtype = "float32" },
  },
  reference = function(a, b) return math.min(a, b) end,
  samples = pairs_of_shapes,
  dtypes = numbers,
  result = same,
  rejects = arithmetic_rejects("minimum"),
}

-- nan compares as in Lua: it differs from everything.
local function comparison(op, compare, of_false_and_true)
  spec(op) {
    example = { { 1, 2, 3 }, 2, gives = { compare(1, 2), compare(2, 2), compare(3, 2) }, dtype = "bool" },
    examples = {
      { { nan, 1, inf, -inf }, { nan, nan, inf, inf },
        gives = { compare(nan, nan), compare(1, nan), compare(inf, inf), compare(-inf, inf) } },
      { { 1, 2 }, 1.5, gives = { compare(1, 1.5), compare(2, 1.5) } },
      { int64 { math.maxinteger }, int64 { math.maxinteger - 1 }, gives = { compare(1, 0) } },
      { bool { false, true }, bool { true, true }, gives = { of_false_and_true, compare(1, 1) } },
      { bool { false, true }, 1, gives = { compare(0, 1), compare(1, 1) } },
      { 1, 2, gives = compare(1, 2), shape = {} },
      { zeros { 0, 2 }, 1, shape = { 0, 2 }, dtype = "bool" },
    },
    reference = compare,
    samples = pairs_of_shapes,
    dtypes = numbers,
    result = "bool",
    rejects = shape_rejects(op),
  }
end

comparison("eq", function(a, b) return a == b end, false)
comparison("ne", function(a, b) return a ~= b end, true)
comparison("lt", function(a, b) return a < b end, true)
comparison("le", function(a, b) return a <= b end, true)
comparison("gt", function(a, b) return a > b end, false)
comparison("ge", function(a, b) return a >= b end, false)

local function logic(op, combine)
  spec(op) {
    example = { { true, true, false, false }, { true, false, true, false }, dtype = "bool",
      gives = { combine(true, true), combine(true, false), combine(false, true), combine(false, false) } },
    examples = {
      { { true, false }, true, gives = { combine(true, true), combine(false, true) } },
      { true, false, gives = combine(true, false), shape = {} },
    },
    reference = combine,
    samples = pairs_of_shapes,
    dtypes = { "bool" },
    result = "bool",
    rejects = shape_rejects(op, {
      { args = { { 1 }, { 0 } }, says = op .. ": a is int32, expected bool" },
      { args = { { true }, 1 }, says = op .. ":" },
    }),
  }
end

logic("logical_and", function(a, b) return a and b end)
logic("logical_or", function(a, b) return a or b end)
logic("logical_xor", function(a, b) return a ~= b end)
