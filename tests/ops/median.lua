local spec = require "spec"
local statistics = require "statistics"
local composed = require "composed"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local gradient_of = reductions.gradient_of

local function middle(list)
  local sorted = table.move(list, 1, #list, 1, {})
  for _, x in ipairs(sorted) do
    if x ~= x then return nan end
  end
  table.sort(sorted)
  local n = #sorted
  if n == 0 then return nan end
  return n % 2 == 1 and sorted[(n + 1) // 2] or (sorted[n // 2] + sorted[n // 2 + 1]) / 2
end

spec "median" {
  example = { { 4, 1, 9, 2 }, gives = 3.0, dtype = "float32", shape = {} },
  examples = {
    { matrix, 1, gives = { 2.5, 3.5, 4.5 } },
    { matrix, -1, gives = { 2, 5 }, dtype = "float32" },
    { matrix, { axis = { 1, 2 }, keepdims = true }, gives = { { 3.5 } } },
    { matrix, { axis = {} }, gives = matrix, dtype = "float32" },
    { 5, gives = 5.0, shape = {} },
    { zeros { 0 }, gives = nan, shape = {} },
    { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    { { 1, nan, 3 }, gives = nan },
    { { { 1, nan }, { 2, 4 } }, 2, gives = { nan, 3 } },
    { { -inf, 2, inf }, gives = 2 },
    { { 1, inf }, gives = inf },
    { { -inf, inf }, gives = nan },
    { { inf, inf, inf, 1 }, gives = inf },
    { int8 { 127, 127 }, gives = 127, dtype = "float32" },
    { int64 { 16777217, 16777219 }, gives = 16777218, tolerance = 0 },
    { float16 { 60000, 65504 }, gives = 62752, dtype = "float16", tolerance = 0 },
    { bfloat16 { 3, 5 }, gives = 4, dtype = "bfloat16" },
    { float32 { 3e38, 3.2e38 }, gives = 3.1e38, tolerance = 1e-6 },
    { float64 { 5e-324, 5e-324 }, gives = 5e-324, tolerance = 0 },
  },
  rejects = reductions.rejects "median",
  gradients = reductions.gradients(),
  check = reductions.all(
    reductions.against("median", middle, { dtypes = reductions.floats }),
    reductions.against("median", middle, { dtypes = { "uint8", "int32" }, low = 0, high = 90 }),
    function(t)
      composed.check_reductions(t, "median")
      -- The slope goes to the middle element, or half of it to each of the middle two; to the nan if there is one.
      t.equal(gradient_of("median", lt.constant { 9.0, 1.0, 4.0 }), { 0, 0, 1 })
      t.equal(gradient_of("median", lt.constant { 9.0, 1.0, 4.0, 5.0 }), { 0, 0, 0.5, 0.5 })
      t.equal(gradient_of("median", lt.constant { 9.0, nan, 4.0 }), { 0, 1, 0 })
      t.equal(gradient_of("median", lt.zeros { 0, 2 }, { axis = 2 }), lt.zeros { 0, 2 })
    end),
}

spec "nanmedian" {
  example = { { 4, nan, 9, 2 }, gives = 4.0, dtype = "float32" },
  examples = {
    { { 4, 1, 9, 2 }, gives = 3.0 },
    { { { 1, nan }, { nan, nan } }, 2, gives = { 1, nan } },
    { { inf, inf, nan }, gives = inf },
    { zeros { 0 }, gives = nan, shape = {} },
    { float16 { 60000, 65504, nan }, gives = 62752, dtype = "float16", tolerance = 0 },
  },
  rejects = {
    { args = { { 1, 2 }, 2 }, says = "nanmedian: axis 2 is not there" },
    { args = { bool { true } }, says = "nanmedian: x is bool, expected a number" },
  },
  gradients = { { { 1.5, 3, 2, 7 } }, { { { 1.5, 3 }, { 4, 2 } }, 1 } },
  check = function(t) statistics.check(t, "nanmedian", 1e-14) end,
}
