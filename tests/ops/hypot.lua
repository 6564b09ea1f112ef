local spec = require "spec"
local composed = require "composed"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local slope, second = two.slope, two.second
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end
local function fraction(dtype) return dtype:find("float") and dtype or "float32" end
local function rejects(op)
  return two.shape_rejects(op, "float32", { { args = { bool { true }, bool { true } }, says = op .. ": a is bool, expected a number" } })
end

spec "hypot" {
  example = { { 3, 5 }, { 4, 12 }, gives = { 5, 13 }, dtype = "float32" },
  examples = {
    { { 0, -0.0, 3, 0 }, { 0, 0, 0, -4 }, gives = { 0, 0, 3, 4 } },
    { { inf, nan, -inf, nan, 1 }, { nan, inf, -inf, 1, nan }, gives = { inf, inf, inf, nan, nan } },
    { float32 { 3e30, 3e-30, 2e38 }, float32 { 4e30, 4e-30, 2e38 }, gives = { 5e30, 5e-30, 2.82842712e38 }, tolerance = 2e-7 },
    { float64 { 3e200, 3e-200, 1e308 }, float64 { 4e200, 4e-200, 1 }, gives = { 5e200, 5e-200, 1e308 }, tolerance = 5e-16 },
    { float64 { 5e-324 }, float64 { 0 }, gives = { 5e-324 }, tolerance = 0 },
    { float16 { 300, 3e-5 }, float16 { 400, 4e-5 }, gives = { 500, 5e-5 }, dtype = "float16", tolerance = 1e-2 },
    { float64 { 0.5 }, 0.1, gives = { 0.5099019513592785 }, tolerance = 4e-16 },
    { 3, 4, gives = 5.0, dtype = "float32", shape = {} },
    { int64 { 16777217 }, int64 { 0 }, gives = { 16777216 }, dtype = "float32", tolerance = 0 },
  },
  reference = function(a, b) return math.sqrt(a * a + b * b) end,
  samples = two.shapes,
  dtypes = numbers,
  result = fraction,
  rejects = rejects "hypot",
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 0.5, -6, 7 } } }, { { 1.5, -2 }, 3 }, { -1, { 2, 0.3 } } },
  check = function(t)
    composed.check_pairs(t, "hypot", 3e-7, 6e-16)
    two.check_large(t, lt.hypot, function(a, b) return math.sqrt(a * a + b * b) end)
    t.equal(slope(function(v) return v:hypot(0) end, float64s { 0, -2, 3 }), { 0, -1, 1 })
    t.close(slope(function(v) return v:hypot(float64s { 4e200, 4e-200 }) end, float64s { 3e200, 3e-200 }), { 0.6, 0.6 }, 1e-15)
    t.close(slope(function(v) return v:hypot(lt.constant({ 400 }, { dtype = "float16" })) end,
                  lt.constant({ 300 }, { dtype = "float16" })), { 0.6 }, 1e-3)
    t.close(second(function(v) return v:hypot(float64s { 4 }) end, float64s { 3 }), { 16 / 125 }, 1e-14)
  end,
}

spec "logaddexp" {
  example = { { 0, 1000 }, { 0, 1000 }, gives = { 0.6931, 1000.6931 }, dtype = "float32" },
  examples = {
    { { inf, -inf, inf, -inf, nan, 1 }, { inf, -inf, -inf, 2, 1, nan }, gives = { inf, -inf, inf, 2, nan, nan } },
    { float64 { -800, 0, 1 }, float64 { -800, -40, -1e20 },
      gives = { -799.306852819440054690, 4.248354255291588e-18, 1 }, tolerance = 4e-16 },
    { float16 { 20 }, float16 { 20 }, gives = { 20.6931 }, dtype = "float16", tolerance = 1e-3 },
    { 0, 0, gives = 0.6931, dtype = "float32", shape = {} },
  },
  reference = function(a, b) return math.max(a, b) + math.log(1 + math.exp(-math.abs(a - b))) end,
  samples = two.shapes,
  dtypes = numbers,
  result = fraction,
  rejects = rejects "logaddexp",
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 0.3 }, { 0.5, -2, 7 } } }, { { 1.5, -2 }, 1.5 }, { -1, { 2, 0.3 } } },
  check = function(t)
    composed.check_pairs(t, "logaddexp", 3e-7, 6e-16)
    local function by_a(a, b) return slope(function(v) return v:logaddexp(b) end, float64s { a }):item() end
    for _, case in ipairs { { 0, 0, 0.5 }, { 1e6, -1e6, 1 }, { -1e6, 1e6, 0 }, { inf, inf, 0.5 }, { -inf, -inf, 0.5 }, { -inf, 3, 0 } } do
      t.close(by_a(case[1], float64s { case[2] }), case[3], 1e-15)
      t.close(by_a(case[1], case[2]), case[3], 1e-15)
    end
    -- Twice, where both are equal.
    t.close(second(function(v) return v:logaddexp(float64s { 2 }) end, float64s { 2 }), { 0.25 }, 1e-15)
  end,
}
