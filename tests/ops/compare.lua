local spec = require "spec"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local pairs_of_shapes = two.shapes
local function same(dtype) return dtype end

-- nan compares as in Lua: it differs from everything. false counts as 0, true as 1.
local function comparison(op, compare, of_false_and_true)
  local function number(x) return x == true and 1 or x == false and 0 or x end
  spec(op) {
    example = { { 1, 2, 3 }, 2, gives = { compare(1, 2), compare(2, 2), compare(3, 2) }, dtype = "bool" },
    examples = {
      { { nan, 1, inf, -inf }, { nan, nan, inf, inf },
        gives = { compare(nan, nan), compare(1, nan), compare(inf, inf), compare(-inf, inf) } },
      { { 1, 2 }, 1.5, gives = { compare(1, 1.5), compare(2, 1.5) } },
      { int64 { math.maxinteger }, int64 { math.maxinteger - 1 }, gives = { compare(1, 0) } },
      { bool { false, true }, bool { true, true }, gives = { of_false_and_true, compare(1, 1) } },
      { bool { false, true }, 1, gives = { compare(0, 1), compare(1, 1) } },
      { uint8 { 255 }, uint8 { 127 }, gives = { compare(255, 127) } },
      { uint8 { 255 }, int8 { -1 }, gives = { compare(255, -1) } },
      { int8 { -1 }, 127, gives = { compare(-1, 127) } },
      { float16 { 1, nan }, 2, gives = { compare(1, 2), compare(nan, 2) } },
      { 1, 2, gives = compare(1, 2), shape = {} },
      { zeros { 0, 2 }, 1, shape = { 0, 2 }, dtype = "bool" },
    },
    reference = function(a, b) return compare(number(a), number(b)) end,
    samples = pairs_of_shapes,
    dtypes = { "bool", table.unpack(numbers) },
    result = "bool",
    rejects = two.shape_rejects(op, "float32"),
    check = function(t)
      two.check_large(t, function(a, b) return lt[op](a, b):float32() end,
        function(a, b) return compare(a, b) and 1 or 0 end)
      local x = lt.constant { 1.0, 2.0 }
      t.ok(two.slope(function(v) return lt[op](v, 2):float32() end, x) == nil)
    end,
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
    rejects = two.shape_rejects(op, "bool", {
      { args = { { 1 }, { 0 } }, says = op .. ": a is int32, expected bool" },
      { args = { { true }, 1 }, says = op .. ": b is 1, expected bool" },
      { args = { { true }, { 0.5 } }, says = op .. ": b is float32, expected bool" },
      { args = { { true }, {} }, says = op .. ": b is float32, expected bool" },
    }),
    check = function(t)
      local x, y = (lt.range(100000) % 3):eq(0), (lt.range(100000) % 2):eq(0)
      for _, at in ipairs { 1, 2, 3, 6, 99999, 100000 } do
        t.equal(lt[op](x, y)[at], combine(x[at]:item(), y[at]:item()))
      end
    end,
  }
end

logic("logical_and", function(a, b) return a and b end)
logic("logical_or", function(a, b) return a or b end)
logic("logical_xor", function(a, b) return a ~= b end)

-- The op of integers, of bool tensors, and its operator.
local function bits(op, combine, combine_truths)
  spec(op) {
    example = { { 12, 10 }, 6, gives = { combine(12, 6), combine(10, 6) }, dtype = "int32" },
    examples = {
      { { -1, 7 }, { 5, -8 }, gives = { combine(-1, 5), combine(7, -8) } },
      { uint8 { 255, 1 }, uint8 { 129, 128 }, gives = { combine(255, 129), combine(1, 128) }, dtype = "uint8" },
      { int8 { -128 }, 127, gives = { combine(-128, 127) }, dtype = "int8" },
      { int64 { math.mininteger }, math.maxinteger, gives = { combine(math.mininteger, math.maxinteger) } },
      { uint8 { 255 }, int8 { -2 }, gives = { combine(255, -2) }, dtype = "int16" },
      { bool { true, true, false, false }, { true, false, true, false }, dtype = "bool",
        gives = { combine_truths(true, true), combine_truths(true, false), combine_truths(false, true),
          combine_truths(false, false) } },
      { bool { true, false }, { 3, 3 }, gives = { combine(1, 3), combine(0, 3) }, dtype = "int32" },
      { 12, 10, gives = combine(12, 10), shape = {} },
      { int8 { 12, 5 }, 10.0, gives = { combine(12, 10), combine(5, 10) }, dtype = "int8" },
      { true, false, gives = combine_truths(true, false), shape = {} },
    },
    reference = combine,
    samples = pairs_of_shapes,
    dtypes = integers,
    domain = { -100, 100 },
    result = same,
    rejects = {
      { args = { { 1.5 }, { 1 } }, says = op .. ": a is float32, expected" },
      { args = { { 1 }, 1.5 }, says = op .. ": b is the float 1.5, expected an integer or bool" },
      { args = { int8 { 1 }, 128.0 }, says = op .. ": b is 128, which does not fit int8" },
      { args = { { 1, 2 }, { 1, 2, 3 } }, says = op .. ": a (2,) and b (3,) do not broadcast" },
      { args = { int8 { 1 }, 128 }, says = op .. ": b is 128, which does not fit int8" },
      { args = { { 1 }, "1" }, says = op .. ": b is" },
    },
    check = function(t)
      local x, y = lt.range(100000) % 1000, lt.range(100000) % 77
      for _, at in ipairs { 1, 50001, 99999 } do
        t.equal(combine(x, y)[at], combine(x[at]:item(), y[at]:item()))
      end
      -- The operator: tensors, numbers and tables on either side, variables, bool.
      local a = lt.constant { 12, 10 }
      t.equal(combine(a, lt.constant { 6, 3 }), { combine(12, 6), combine(10, 3) })
      t.equal(combine(a, 6), { combine(12, 6), combine(10, 6) })
      t.equal(combine(6, a), { combine(6, 12), combine(6, 10) })
      t.equal(combine(a, { 6, 3 }), { combine(12, 6), combine(10, 3) })
      t.equal(combine(lt.Variable(a), 6), { combine(12, 6), combine(10, 6) })
      local b = lt.constant { true, false }
      t.equal(combine(b, true), { combine_truths(true, true), combine_truths(false, true) })
      t.equal(combine({ true, true }, b), { combine_truths(true, true), combine_truths(true, false) })
      t.raises("InvalidArgument", op .. ": b is the float 1.5", function() return combine(a, 1.5) end)
      t.raises("InvalidArgument", op .. ": a is float32", function() return combine(lt.constant { 1.5 }, a) end)
      t.ok(lt.debugging.explain(combine(b, b)).op:find("^Logical"), "the log's name for bool")
      t.ok(lt.debugging.explain(combine(a, b)).op:find("^Bitwise"), "the log's name for integers")
    end,
  }
end

bits("bitwise_and", function(a, b) return a & b end, function(a, b) return a and b end)
bits("bitwise_or", function(a, b) return a | b end, function(a, b) return a or b end)
bits("bitwise_xor", function(a, b) return a ~ b end, function(a, b) return a ~= b end)

local function shift_rejects(op)
  return {
    { args = { { 1, 2 }, { 1, -2 } }, says = op .. ": the count -2 is negative" },
    { args = { { 1 }, -1 }, says = op .. ": the count -1 is negative" },
    { args = { int8 { 1 }, int8 { -128 } }, says = op .. ": the count -128 is negative" },
    { args = { { 1.5 }, 1 }, says = op .. ": a is float32, expected an integer" },
    { args = { { 1 }, 1.5 }, says = op .. ": count is the float 1.5, expected an integer" },
    { args = { bool { true }, true }, says = op .. ": a is bool, expected an integer" },
    { args = { { 1, 2 }, { 1, 2, 3 } }, says = op .. ": a (2,) and count (3,) do not broadcast" },
  }
end

spec "left_shift" {
  example = { { 1, -3 }, 2, gives = { 4, -12 }, dtype = "int32" },
  examples = {
    { { 1, 1, 1, 3 }, { 0, 31, 32, 31 }, gives = { 1, -2147483648, 0, -2147483648 } },
    { int8 { 1, 1, -1, 64 }, int8 { 7, 8, 127, 1 }, gives = { -128, 0, 0, -128 }, dtype = "int8" },
    { uint8 { 1, 255, 1 }, uint8 { 7, 4, 200 }, gives = { 128, 240, 0 }, dtype = "uint8" },
    { int16 { 1, 1, -1 }, int16 { 15, 16, 3 }, gives = { -32768, 0, -8 }, dtype = "int16" },
    { int64 { 1, 1, 1 }, { 63, 64, 1000 }, gives = { math.mininteger, 0, 0 } },
    { bool { true }, 3, gives = { 8 }, dtype = "int32" },
  },
  reference = function(a, b) return a << b end,
  samples = pairs_of_shapes,
  dtypes = integers,
  domain = { { 0, 7 }, { 0, 4 } },
  result = same,
  rejects = shift_rejects("left_shift"),
  check = function(t)
    local x = lt.constant { 1, 2 }
    t.equal(x << 3, { 8, 16 })
    t.equal(1 << x, { 2, 4 })
    t.equal(x << 1.0, { 2, 4 })
    t.equal(lt.Variable(x) << { 1, 2 }, { 2, 8 })
    t.equal((lt.range(100000) << 2)[99999], 399992)
  end,
}

spec "right_shift" {
  example = { { 12, -3 }, 1, gives = { 6, -2 }, dtype = "int32" },
  examples = {
    { { -1, -2147483648, 5, -5, 2147483647 }, { 31, 31, 32, 100, 30 }, gives = { -1, -1, 0, -1, 1 } },
    { int8 { -128, -128, 127 }, int8 { 7, 8, 8 }, gives = { -1, -1, 0 }, dtype = "int8" },
    { uint8 { 255, 128, 255 }, uint8 { 4, 7, 8 }, gives = { 15, 1, 0 }, dtype = "uint8" },
    { int64 { math.mininteger, math.maxinteger }, { 63, 64 }, gives = { -1, 0 } },
    { bool { true }, 1, gives = { 0 }, dtype = "int32" },
  },
  reference = function(a, b) return a // (1 << b) end,
  samples = pairs_of_shapes,
  dtypes = integers,
  domain = { { -100, 100 }, { 0, 6 } },
  result = same,
  rejects = shift_rejects("right_shift"),
  check = function(t)
    local x = lt.constant { 9, -9 }
    t.equal(x >> 1, { 4, -5 })
    t.equal(256 >> lt.constant { 1, 2 }, { 128, 64 })
    t.equal((lt.range(100000) >> 2)[100000], 24999)
    -- It undoes a left shift that lost nothing.
    t.equal((x << 20) >> 20, x)
  end,
}
