local spec = require "spec"

local nan = 0 / 0

spec "gather" {
  example = { { 10, 20, 30 }, { 3, 1, -1 }, gives = { 30, 10, 30 } },
  examples = {
    { { 10, 20, 30 }, 2, gives = 20, shape = {} },
    { { 10, 20, 30 }, { { 1, 2 }, { 3, -3 } }, gives = { { 10, 20 }, { 30, 10 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 1, 2 }, gives = { { 4, 5, 6 }, { 1, 2, 3 }, { 4, 5, 6 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 1 }, 2, gives = { { 3, 1 }, { 6, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 1 }, { axis = -1 }, gives = { { 3, 1 }, { 6, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1 }, { 2 } }, 2, gives = { { { 1 }, { 2 } }, { { 4 }, { 5 } } } },
    { float64 { 1.5, 2.5 }, int64 { 2 }, gives = { 2.5 }, dtype = "float64" },
    { bool { true, false }, uint8 { 2, 1 }, gives = { false, true }, dtype = "bool" },
    { float16 { 1, 2 }, int8 { -1 }, gives = { 2 }, dtype = "float16" },
    { { 1, 2 }, made(function() return lt.zeros({ 0, 3 }, { dtype = "int32" }) end), shape = { 0, 3 } },
    { made(function() return lt.zeros { 0, 2 } end), made(function() return lt.zeros({ 0 }, { dtype = "int32" }) end),
      shape = { 0, 2 } },
  },
  rejects = {
    { args = { { 10, 20, 30 }, { 1, 0 } }, says = "gather: index 0; indices count from 1" },
    { args = { { 10, 20, 30 }, { 1, 4, 9 } }, says = "gather: index 4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { { 10, 20, 30 }, { -4 } }, says = "gather: index -4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { made(function() return lt.zeros { 0, 2 } end), { 1 } }, says = "gather: index 1 is past the axis' end (0)",
      code = "OutOfRange" },
    { args = { made(function() return lt.zeros { 3, 0 } end), { 4 } }, says = "gather: index 4 is past the axis' end (3)",
      code = "OutOfRange" },
    { args = { { 1, 2 }, { 1.0 } }, says = "gather: indices is float32, expected an integer" },
    { args = { { 1, 2 }, { 1 }, 2 }, says = "gather: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, { 1 }, 0 }, says = "axis 0" },
    { args = { { 1, 2 }, { 1 }, { axis = { 1 } } }, says = "gather: axis is a list" },
    { args = { 5, { 1 } }, says = "gather: x is a scalar" },
    { args = { made(function() return lt.zeros { 1, 1, 1, 1, 1, 1, 1, 1 } end), { { 1 } } }, says = "make 9 axes" },
  },
  check = function(t)
    -- More than one chunk of indices, and rows of more than one element.
    local x = lt.range(3000):reshape { 3, 500, 2 }
    local back = lt.range(500, 0, -1)
    t.equal(x:gather(back, 2), x[{ {}, { -1, 1, -1 } }])
    t.equal(x:reshape({ 3000 }):gather(lt.range(3000, 0, -1)), lt.range(2999, -1, -1))
    t.equal(x[lt.constant { 3, 1 }], lt.stack { x[3], x[1] })
  end,
}

spec "unique" {
  gpu = false,
  example = { { 3, 1, 3 }, gives = { { 1, 3 }, { 2, 1, 2 }, { 1, 2 } } },
  examples = {
    { { { 2, 1 }, { 1, 5 } }, gives = { { 1, 2, 5 }, { 2, 1, 1, 3 }, { 2, 1, 1 } } },
    { { nan, 1.5, nan, -1 / 0 }, gives = { { -1 / 0, 1.5, nan }, { 3, 2, 3, 1 }, { 1, 1, 2 } } },
    { { 0.0, -0.0 }, gives = { { 0.0 }, { 1, 1 }, { 2 } } },
    { bool { true, false, true }, gives = { { false, true }, { 2, 1, 2 }, { 1, 2 } } },
    { int64 { math.maxinteger, math.mininteger, math.maxinteger }, gives = { { math.mininteger, math.maxinteger }, { 2, 1, 2 }, { 1, 2 } } },
    { uint8 { 200, 3 }, gives = { { 3, 200 }, { 2, 1 }, { 1, 1 } } },
    { float16 { 2, -1, 2 }, gives = { { -1, 2 }, { 2, 1, 2 }, { 1, 2 } } },
    { 4, gives = { { 4 }, { 1 }, { 1 } } },
    { made(function() return lt.zeros { 0, 3 } end), gives = { {}, {}, {} } },
  },
  rejects = {
    { args = { "x" }, says = 'unique: x is "x", expected a tensor or a table' },
    { args = { { 1, 2 }, 2 }, says = "unique: 2 arguments given, expected unique(x)" },
    { args = { { 1, 2 }, { axis = 1 } }, says = "unique: unknown option 'axis'" },
  },
  check = function(t)
    local x = lt.range(1000) * 7 % 13
    local values, inverse, counts = x:unique()
    t.equal(values, lt.range(13))
    t.equal(values:gather(inverse), x)
    t.equal(counts[{ { 1, 3 } }], { 77, 77, 77 })
    t.ok(inverse.dtype == "int64" and counts.dtype == "int64")
  end,
}
