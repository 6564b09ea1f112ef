local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

spec "cov" {
  example = { { { 1, 2, 3 }, { 3, 2, 1 } }, gives = { { 1.0, -1.0 }, { -1.0, 1.0 } }, dtype = "float32" },
  examples = {
    { { 1.0, 3.0 }, gives = 2.0, shape = {} },
    { { { 1.0 }, { 2.0 } }, gives = { { nan, nan }, { nan, nan } } },
    { zeros { 0, 3 }, shape = { 0, 0 } },
    { float16 { { 1, 2, 3 } }, gives = { { 1 } }, dtype = "float16" },
  },
  gradients = { { { { 1.5, 2, -3 }, { 4, 0.5, 6 } } }, { { { 1.5, 2, -3 }, { 4, 0.5, 6 } }, { rowvar = false, ddof = 0 } } },
  rejects = {
    { args = { 5 }, says = "cov: x () has 0 axes, expected a vector or a matrix" },
    { args = { zeros { 1, 1, 1 } }, says = "cov: x (1, 1, 1) has 3 axes" },
    { args = { bool { true } }, says = "cov: x is bool, expected a number" },
    { args = { { 1, 2 }, { rowvar = 1 } }, says = "cov: rowvar is" },
  },
  check = function(t) statistics.check(t, "cov") end,
}

spec "corrcoef" {
  example = { { { 1, 2, 3 }, { 3, 2, 1 } }, gives = { { 1.0, -1.0 }, { -1.0, 1.0 } }, dtype = "float32" },
  examples = {
    { { { 1.0, 2.0 }, { 5.0, 5.0 } }, gives = { { 1, nan }, { nan, nan } } },
    { zeros { 0 }, gives = nan, shape = {} },
    { zeros { 2, 0 }, gives = { { nan, nan }, { nan, nan } } },
  },
  rejects = { { args = { zeros { 1, 1, 1 } }, says = "corrcoef: x (1, 1, 1) has 3 axes" } },
  check = function(t) statistics.check(t, "corrcoef") end,
}

spec "allclose" {
  example = { { 1.0, 2.0 }, { 1.0, 2.0000001 }, gives = true, dtype = "bool" },
  examples = {
    { { 1.0, 2.0 }, { 1.0, 2.1 }, gives = false },
    { { 1.0, 2.0 }, 1.5, { atol = 0.6 }, gives = true },
    { { nan }, { nan }, gives = false },
    { { nan }, { nan }, { equal_nan = true }, gives = true },
    { zeros { 0 }, zeros { 0 }, gives = true },
  },
  rejects = {
    { args = { { 1, 2 }, { 1, 2, 3 } }, says = "allclose: a (2,) and b (3,) do not broadcast" },
    { args = { { 1 }, { 1 }, { rtol = -1 } }, says = "allclose: rtol is -1" },
  },
}

spec "array_equal" {
  example = { { 1, 2 }, { 1, 2 }, gives = true },
  examples = {
    { { 1, 2 }, { 1.0, 2.0 }, gives = true },
    { { 1, 2 }, { 1, 3 }, gives = false },
    { { 1, 2 }, { { 1, 2 } }, gives = false },
    { { 1, 1 }, 1, gives = false },
    { 1, 1, gives = true },
    { { nan }, { nan }, gives = false },
    { zeros { 0 }, zeros { 0 }, gives = true },
    { bool { true }, bool { true }, gives = true },
    { { nan, 1 }, { nan, 1 }, { equal_nan = true }, gives = true },
    { { nan, 1 }, { 1, nan }, { equal_nan = true }, gives = false },
    { { 1, 2 }, { 1, 2 }, { equal_nan = true }, gives = true },
  },
  rejects = { { args = { { 1 } }, says = "array_equal: 1 argument given" } },
}

spec "isin" {
  example = { { 1, 2, 3 }, { 3, 1 }, gives = { true, false, true }, dtype = "bool" },
  examples = {
    { { 1, 2, 3 }, { 3, 1 }, { invert = true }, gives = { false, true, false } },
    { { 1.0, nan }, { nan, 1 }, { invert = true }, gives = { false, true } },
    { { 1, 2 }, zeros { 0 }, { invert = true }, gives = { true, true } },
    { matrix, { { 6, 1 }, { 9, 9 } }, gives = { { true, false, false }, { false, false, true } } },
    { { 1, 2 }, zeros { 0 }, gives = { false, false } },
    { zeros { 0, 2 }, { 1 }, shape = { 0, 2 } },
    { { nan, 1.0 }, { nan, 1.0 }, gives = { false, true } },
    { { 1, 2 }, { 1.5, 2.0 }, gives = { false, true } },
    { bool { true, false }, bool { true }, gives = { true, false } },
    { { -0.0 }, { 0.0 }, gives = { true } },
  },
  rejects = { { args = { { 1 } }, says = "isin: 1 argument given, expected isin(x, values, [options])" } },
  check = function(t) statistics.check(t, "isin") end,
}

spec "histogram" {
  example = { { 1.0, 2.0, 1.5 }, 2, gives = { { 1, 2 }, { 1.0, 1.5, 2.0 } } },
  check = function(t)
    statistics.check(t, "histogram")
    local counts, edges = lt.histogram({ 1.0, 2.0, 1.5 }, 2)
    t.equal(counts, lt.constant({ 1, 2 }, { dtype = "int64" }))
    t.equal(edges, { 1, 1.5, 2 })
    counts, edges = lt.histogram(lt.constant { 1, 2, 3, 9 }, { bins = 2, min = 0, max = 4 })
    t.equal(counts, lt.constant({ 1, 2 }, { dtype = "int64" }))
    t.ok(edges.dtype == "float32")
    -- With a range, what is outside it is not counted.
    counts = lt.histogram({ nan, inf, -inf, 1 }, 4, { min = 0, max = 2 })
    t.equal(counts, lt.constant({ 0, 0, 1, 0 }, { dtype = "int64" }))
    local large = lt.range(100000) % 100
    t.equal((lt.histogram(large, 100)), lt.fill({ 100 }, 1000):cast("int64"))
  end,
  rejects = {
    { args = { { 1 }, 0 }, says = "histogram: bins is 0, expected 1 or more" },
    { args = { { 1 }, 3, { min = 1 } }, says = "histogram: max is missing: a range has both" },
    { args = { { -3e38, 0, 3e38 }, 2 }, says = "histogram: x has numbers further apart than its dtype can hold" },
    { args = { { 1 }, 3, { min = -3e38, max = 3e38 } }, says = "expected finite numbers in order, no further apart than float32 can hold" },
    { args = { { 1 }, 3, { min = 2, max = 1 } }, says = "histogram: the range is from 2 to 1, expected finite numbers in order" },
    { args = { { 1 }, 3, { min = 0, max = inf } }, says = "histogram: the range is from 0 to inf" },
    { args = { bool { true } }, says = "histogram: x is bool, expected a number" },
    { args = { { inf, 1 } }, says = "histogram: x has inf, and no range is given: write {min = , max = }" },
    { args = { { -inf, 1 } }, says = "histogram: x has -inf, and no range" },
    { args = { { 1, nan } }, says = "histogram: x has nan, and no range" },
  },
}

for _, op in ipairs { "nanmax", "nanmin" } do
  spec(op) {
    example = { { 1, nan, 2 }, gives = op == "nanmax" and 2.0 or 1.0 },
    examples = {
      { { nan, nan }, gives = nan },
      { { { nan, 1 }, { nan, nan } }, 2, gives = { 1, nan } },
      { matrix, 1, gives = op == "nanmax" and { 4, 5, 6 } or { 1, 2, 3 }, dtype = "int32" },
      { { -inf, inf, nan }, gives = op == "nanmax" and inf or -inf },
      { zeros { 0, 2 }, 2, shape = { 0 } },
    },
    gradients = { { { 1.5, 3, 2 } }, { { { 1.5, 3 }, { 4, 2 } }, 1 } },
    rejects = {
      { args = { zeros { 0 } }, says = op .. ": " },
      { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
      { args = { matrix, 3 }, says = op .. ": axis 3 is not there" },
    },
    check = function(t) statistics.check(t, op, 0) end,
  }
end

-- quantile and percentile are in the family of the median.
for op, most in pairs { quantile = 1, percentile = 100 } do
  spec(op) {
    example = { { 4, 1, 9, 2 }, 0.25 * most, gives = 1.75, dtype = "float32" },
    examples = {
      { matrix, 0.5 * most, 2, gives = { 2, 5 } },
      { { inf, inf }, 0.3 * most, gives = inf },
      { { 1, nan }, 0, gives = nan },
      { zeros { 0 }, 0.5 * most, gives = nan, shape = {} },
      { { 4, 1, 9, 2 }, 0.5 * most, { method = "lower" }, gives = 2 },
      { float16 { 60000, 65504 }, 0.5 * most, gives = 62752, dtype = "float16", tolerance = 0 },
    },
    gradients = { { { 1.5, 3, 2, 7 }, 0.3 * most }, { { { 1.5, 3 }, { 4, 2 } }, 0.9 * most, { axis = 1 } } },
    rejects = {
      { args = { { 1 }, -0.5 }, says = op .. ": q is -0.5, expected a number from 0 to " .. most },
      { args = { { 1 }, nan }, says = op .. ": q is " },
      { args = { { 1 }, 101 }, says = op .. ": q is 101" },
      { args = { { 1 }, 0.5, { method = "cubic" } }, says = op .. ': method is "cubic", expected "linear"' },
      { args = { matrix, 0.5, 3 }, says = op .. ": axis 3 is not there" },
      { args = { bool { true }, 0.5 }, says = op .. ": x is bool, expected a number" },
      { args = { { 1 } }, says = op .. ": 1 argument given" },
    },
    check = function(t) statistics.check(t, op) end,
  }
end
