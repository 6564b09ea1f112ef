local spec = require "spec"

local nan, inf = 0 / 0, math.huge

local function zeros(shape, dtype)
  return made(function() return lt.zeros(shape, { dtype = dtype }) end)
end

spec "where" {
  example = { { true, false }, { 1, 2 }, 0, gives = { 1, 0 }, dtype = "int32" },
  examples = {
    { { true, false }, 1, 0, gives = { 1, 0 }, dtype = "int32" },
    { { true, false }, 1, 0.5, gives = { 1, 0.5 }, dtype = "float32" },
    { { true, false }, true, { false, false }, gives = { true, false }, dtype = "bool" },
    { true, { 1, 2 }, { 3, 4 }, gives = { 1, 2 } },
    { { { true }, { false } }, { 1, 2 }, { 10, 20 }, gives = { { 1, 2 }, { 10, 20 } } },
    { { true, false }, { { 1 }, { 2 } }, { { { 7 } } }, gives = { { { 1, 7 }, { 2, 7 } } } },
    { { true, false, true }, { nan, nan, 1 }, { 5, inf, 6 }, gives = { nan, inf, 1 } },
    { { true, false }, int8 { 1, 2 }, int8 { 3, 4 }, gives = { 1, 4 }, dtype = "int8" },
    { { true, false }, int16 { 1, 2 }, int16 { 3, 4 }, gives = { 1, 4 }, dtype = "int16" },
    { { true, false }, bfloat16 { 1, 2 }, bfloat16 { 3, 4 }, gives = { 1, 4 }, dtype = "bfloat16" },
    { { true, false }, int64 { math.mininteger, 2 }, int64 { 3, math.maxinteger },
      gives = { math.mininteger, math.maxinteger }, dtype = "int64" },
    { { true, false }, { 1, 2 }, float64 { 0.5, 0.25 }, gives = { 1, 0.25 }, dtype = "float64" },
    { { true, false }, bool { true, true }, { 5, 6 }, gives = { 1, 6 }, dtype = "int32" },
    { { true }, 1, zeros { 0 }, shape = { 0 } },
    { zeros({ 0, 3 }, "bool"), { 1, 2, 3 }, 0, shape = { 0, 3 } },
  },
  rejects = {
    { args = { { true, false } }, says = "nonzero(cond)" },
    { args = { { true, false }, 1 }, says = "where: y is missing" },
    { args = { { 1, 0 }, 1, 2 }, says = "where: cond is int32, expected bool" },
    { args = { { true, false }, { 1, 2, 3 }, 0 }, says = "where: cond (2,) and x (3,) do not broadcast" },
    { args = { { true, false }, 1, { 1, 2, 3 } }, says = "where: cond (2,) and y (3,) do not broadcast" },
    { args = { { true }, "a", 1 }, says = "where: x is" },
    { args = { { true }, uint8 { 1 }, 300 }, says = "where: y is 300, which does not fit uint8" },
  },
  check = function(t)
    -- Several rows and more than one thread's share.
    local x = lt.range(40000):reshape { 4, 100, 100 }
    local column = lt.range(100):reshape { 100, 1 }
    local odd = (column % 2):eq(1)
    local got = lt.where(odd, x, -1)
    t.equal(got[{ 3, 2 }], x[{ 3, 2 }])
    t.equal(got[{ 3, 1 }], lt.fill({ 100 }, -1))
    t.equal(got:sum(), (lt.where(odd, x, 0)):sum():item() - 20000)
  end,
}

spec "clip" {
  example = { { -1, 2, 9 }, 0, 5, gives = { 0, 2, 5 }, dtype = "int32" },
  examples = {
    { { -1, 2, 9 }, 0.5, 5, gives = { 0.5, 2, 5 }, dtype = "float32" },
    { { -1.5, 2.5, 9.5 }, 0, 5, gives = { 0, 2.5, 5 }, dtype = "float32" },
    { int64 { -1, 9 }, 0, 5, gives = { 0, 5 }, dtype = "int64" },
    { { 1, 5, 9 }, 7, 3, gives = { 3, 3, 3 } },
    { { nan, inf, -inf }, -1, 1, gives = { nan, 1, -1 } },
    { { 1.0, 5.0 }, nan, 3, gives = { nan, nan } },
    { { 1.0, 5.0 }, 0, nan, gives = { nan, nan } },
    { { 1, 5, 9 }, { 2, 2, 2 }, { 4, 6, 8 }, gives = { 2, 5, 8 } },
    { { 1, 5, 9 }, { { 2 }, { 6 } }, 8, gives = { { 2, 5, 8 }, { 6, 6, 8 } } },
    { { 1, 5 }, float64 { 2.5, 0 }, 4, gives = { 2.5, 4 }, dtype = "float64" },
    { 7, 0, 5, gives = 5, shape = {} },
    { zeros { 3, 0 }, 0, 1, shape = { 3, 0 } },
  },
  reference = function(x, low, high) return math.min(math.max(x, low), high) end,
  samples = shapes { {}, { 17, 65 }, { { 3, 5 }, { 5 }, { 3, 1 } }, { { 2, 1 }, { 4 }, {} }, { { 0, 3 }, { 3 }, { 1, 1 } } },
  dtypes = { "float32", "float64", "int32", "int64" },
  domain = { -20, 20 },
  result = function(dtype) return dtype end,
  rejects = {
    { args = { bool { true }, false, true }, says = "clip: x is bool, expected a number" },
    { args = { { 1, 2 }, 0 }, says = "clip: 2 arguments given, expected clip(x, min, max)" },
    { args = { { 1, 2 }, { 1, 2, 3 }, 5 }, says = "clip: x (2,) and min (3,) do not broadcast" },
    { args = { { 1, 2 }, 0, "5" }, says = "clip: max is" },
    { args = { int32 { 1 }, 0, 1 << 40 }, says = "clip: max is 1099511627776, which does not fit int32" },
  },
}

spec "add_n" {
  example = { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, gives = { 9, 12 }, dtype = "int32" },
  examples = {
    { { { 1, 2 } }, gives = { 1, 2 } },
    { { 1, 2, 3 }, gives = 6, shape = {} },
    { { { 1, 2 }, float64 { 0.5, 0.25 } }, gives = { 1.5, 2.25 }, dtype = "float64" },
    { { int32 { 2147483647 }, int32 { 1 } }, gives = { -2147483648 }, dtype = "int32" },
    { { { inf }, { -inf } }, gives = { nan } },
    { { zeros { 0, 2 }, zeros { 0, 2 } }, shape = { 0, 2 } },
  },
  rejects = {
    { args = { {} }, says = "add_n: tensors is empty, expected at least one tensor" },
    { args = { { { 1, 2 }, { 3, 4 }, { 5, 6, 7 } } },
      says = "add_n: tensors[1] (2,) and tensors[3] (3,) differ: all must have the same shape" },
    { args = { { { 1, 2 }, 3 } }, says = "add_n: tensors[1] (2,) and tensors[2] () differ" },
    { args = { { bool { true }, bool { false } } }, says = "add_n: tensors is bool, expected a number" },
    { args = { { { 1 }, "x" } }, says = "add_n: tensors[2] is" },
    { args = { 5 }, says = "add_n: tensors is" },
  },
  check = function(t)
    -- Longer than a stretch, and more tensors than fit a small call.
    local list, x = {}, lt.range(5000)
    for i = 1, 20 do list[i] = x * i end
    t.equal(lt.add_n(list), x * 210)
  end,
}
