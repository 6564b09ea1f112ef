local spec = require "spec"
local statistics = require "statistics"
local golden = require "golden.composed_golden"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 4, 9 }, { 2, 2, 7 } }

spec "diff" {
  example = { { 1, 4, 9, 16 }, gives = { 3, 5, 7 }, dtype = "int32" },
  examples = {
    { matrix, gives = { { 3, 5 }, { 0, 5 } }, dtype = "int32" },
    { matrix, 1, gives = { { 1, -2, -2 } } },
    { matrix, { n = 2 }, gives = { { 2 }, { 5 } } },
    { matrix, 2, { n = 3 }, gives = { {}, {} }, shape = { 2, 0 } },
    { matrix, { axis = 1, n = 9 }, shape = { 0, 3 } },
    { matrix, { n = 0 }, gives = matrix },
    { { 5 }, gives = {}, shape = { 0 } },
    { zeros { 0, 3 }, 1, shape = { 0, 3 } },
    { zeros { 0, 3 }, 2, shape = { 0, 2 } },
    { int8 { 127, -128 }, gives = { 1 }, dtype = "int8" },
    { uint8 { 3, 1 }, gives = { 254 }, dtype = "uint8" },
    { float16 { 0.5, 2 }, gives = { 1.5 }, dtype = "float16" },
    { { 1, inf, inf, nan }, gives = { inf, nan, nan } },
  },
  rejects = {
    { args = { 5 }, says = "diff: x is a scalar, which has no axis" },
    { args = { matrix, 3 }, says = "diff: axis 3 is not there: x (2, 3) has 2 axes" },
    { args = { matrix, { axis = { 1, 2 } } }, says = "diff: axis is a list of 2, expected one axis" },
    { args = { matrix, { n = -1 } }, says = "diff: n is -1, expected 0 or more" },
    { args = { matrix, { n = 1.5 } }, says = "diff: n is" },
    { args = { bool { true, false } }, says = "diff: x is bool, expected a number" },
  },
  gradients = { { { 1.5, -2, 0.25, 4 } }, { { { 1.5, -2 }, { 0.25, 4 } }, 1 }, { { 1.5, -2, 0.25, 4 }, { n = 2 } }, { { 1.5 } } },
  check = function(t)
    local x = lt.constant(golden.plain, { dtype = "float64" }):reshape(golden.shape)
    for _, case in ipairs(golden.diff) do
      local got = x:diff(case.axis, { n = case.n })
      t.equal(got.shape, case.shape)
      t.close(got:reshape { -1 }, lt.constant(case.gives, { dtype = "float64" }), 1e-13)
    end
    t.equal(two.slope(lt.diff, lt.constant { 1.0, 2.0, 5.0 }), { -1, 0, 1 })
    t.equal(two.slope(function(v) return v:diff { n = 5 } end, lt.constant { 1.0, 2.0 }), { 0, 0 })
    t.equal(lt.range(100000):diff(), lt.ones({ 99999 }, { dtype = "int32" }))
  end,
}

spec "gradient" {
  example = { { 1, 4, 9, 16 }, gives = { 3.0, 4.0, 6.0, 7.0 }, dtype = "float32" },
  examples = {
    { { 1, 4, 9, 16 }, { edge_order = 2, dx = 0.5 }, gives = { 4, 8, 12, 16 } },
    { matrix, 0.5, { axis = 1 }, gives = { { 2, -4, -4 }, { 2, -4, -4 } } },
    { float16 { 0.5, 2 }, gives = { 1.5, 1.5 }, dtype = "float16" },
    { zeros { 0, 3 }, { axis = 2 }, shape = { 0, 3 } },
    { { 1, inf, 2 }, gives = { inf, 0.5, -inf } },
  },
  rejects = {
    { args = { 5 }, says = "gradient: x is a scalar, which has no axis; the gradient of a loss is tape:gradient" },
    { args = { { 1 } }, says = "gradient: x (1,) has 1 elements along axis 1, expected 2 or more" },
    { args = { { 1, 2 }, { edge_order = 2 } }, says = "gradient: x (2,) has 2 elements along axis 1, expected 3 or more" },
    { args = { { 1, 2 }, { edge_order = 3 } }, says = "gradient: edge_order is 3, expected 1 or 2" },
    { args = { { 1, 2 }, { dx = 0 } }, says = "gradient: dx is 0" },
    { args = { matrix, { axis = 3 } }, says = "gradient: axis 3 is not there" },
    { args = { bool { true, false } }, says = "gradient: x is bool, expected a number" },
  },
  gradients = { { { 1.5, -2, 0.25, 4 } }, { { { 1.5, -2 }, { 0.25, 4 }, { 1, 7 } }, 0.5, { edge_order = 2, axis = 1 } } },
  check = function(t) statistics.check(t, "gradient", 1e-13) end,
}
