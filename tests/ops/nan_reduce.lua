local spec = require "spec"
local statistics = require "statistics"
local composed = require "composed"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, nan, 3 }, { 4, 5, nan } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local gradient_of = reductions.gradient_of

local function numbers_of(list)
  local numbers = {}
  for _, x in ipairs(list) do
    if x == x then numbers[#numbers + 1] = x end
  end
  return numbers
end

local function sum_of(list)
  local sum = 0
  for _, x in ipairs(numbers_of(list)) do sum = sum + x end
  return sum
end

local function mean_of(list) return sum_of(list) / #numbers_of(list) end

local function variance_of(list)
  local mean, squares = mean_of(list), 0
  for _, x in ipairs(numbers_of(list)) do squares = squares + (x - mean) ^ 2 end
  return squares / #numbers_of(list)
end

-- The slopes by elements that are nan are 0, and those of the others what they are among numbers.
local function check_slopes(t, op, plain, options)
  local x = lt.constant({ 1.5, nan, -2.0, 0.25, nan }, { dtype = "float64" })
  local wanted = gradient_of(plain, lt.constant({ 1.5, -2.0, 0.25 }, { dtype = "float64" }), options)
  local got = gradient_of(op, x, options)
  t.close(lt.gather(got, { 1, 3, 4 }), wanted, 1e-14)
  t.equal(lt.gather(got, { 2, 5 }), { 0, 0 })
end

local none = lt.constant { { nan, nan }, { 1.0, nan } }

spec "nansum" {
  example = { { 1, nan, 2 }, gives = 3.0, dtype = "float32", shape = {} },
  examples = {
    { matrix, 1, gives = { 5, 5, 3 } },
    { matrix, { axis = -1, keepdims = true }, gives = { { 4 }, { 9 } } },
    { matrix, { axis = {} }, gives = { { 1, 0, 3 }, { 4, 5, 0 } } },
    { { nan, nan }, gives = 0.0 },
    { { inf, nan, 1 }, gives = inf },
    { { inf, -inf }, gives = nan },
    { zeros { 0 }, gives = 0.0, shape = {} },
    { nan, gives = 0.0, shape = {} },
    { int8 { 127, 1 }, gives = 128, dtype = "int64" },
    { bool { true, true }, gives = 2, dtype = "int64" },
    { float16 { nan, 2048, 1, 1 }, gives = 2050, dtype = "float16" },
  },
  rejects = reductions.axis_rejects("nansum", { { 1, 2, 3 }, { 4, 5, 6 } }, { reductions.twice("nansum", { { 1, 2 } }) }),
  gradients = reductions.gradients(),
  check = reductions.all(
    reductions.against("nansum", sum_of, { dtypes = reductions.floats, tolerance = 2e-2 }),
    reductions.against("nansum", sum_of, { dtypes = { "float64", "int32", "int8" } }),
    function(t)
      composed.check_reductions(t, "nansum")
      check_slopes(t, "nansum", "sum")
    end),
}

spec "nanmean" {
  example = { { 1, nan, 2 }, gives = 1.5, dtype = "float32", shape = {} },
  examples = {
    { matrix, 1, gives = { 2.5, 5, 3 } },
    { matrix, { axis = -1, keepdims = true }, gives = { { 2 }, { 4.5 } } },
    { matrix, { axis = {} }, gives = matrix },
    { { nan, nan }, gives = nan },
    { { inf, nan, 1 }, gives = inf },
    { zeros { 0 }, gives = nan, shape = {} },
    { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    { 5, gives = 5.0, shape = {} },
    { int64 { 16777217, 16777219 }, gives = 16777218, tolerance = 0 },
    { float16 { 60000, 60000, nan }, gives = 60000, dtype = "float16", tolerance = 1e-3 },
    { bfloat16 { 3, nan, 5 }, gives = 4, dtype = "bfloat16" },
  },
  rejects = reductions.rejects "nanmean",
  gradients = reductions.gradients(),
  check = reductions.all(
    reductions.against("nanmean", mean_of, { dtypes = reductions.floats }),
    reductions.against("nanmean", mean_of, { dtypes = { "int16", "int64" }, low = -50, high = 90 }),
    function(t)
      composed.check_reductions(t, "nanmean")
      check_slopes(t, "nanmean", "mean")
      t.equal(gradient_of("nanmean", none, { axis = 2 }), { { 0, 0 }, { 1, 0 } })
    end),
}

local function spread(op, plain, root)
  local function value(x) return root and math.sqrt(x) or x end
  spec(op) {
    example = { { 1, nan, 3 }, gives = 1.0, dtype = "float32", shape = {} },
    examples = {
      { matrix, 1, gives = { value(2.25), 0, 0 } },
      { matrix, { axis = { 1, 2 }, keepdims = true }, gives = { { value(2.1875) } }, tolerance = 1e-6 },
      { matrix, 2, { ddof = 1 }, gives = { value(2), value(0.5) }, tolerance = 1e-6 },
      { matrix, 1, { ddof = 1 }, gives = { value(4.5), nan, nan }, tolerance = 1e-6 },
      { { 1, 3 }, { ddof = 7 }, gives = nan },
      { { 1, 3, nan }, { ddof = -2 }, gives = value(0.5), tolerance = 1e-6 },
      { { nan, nan }, gives = nan },
      { { 1, inf }, gives = nan },
      { { inf, nan }, gives = nan },
      { zeros { 0 }, gives = nan, shape = {} },
      { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
      { zeros { 0, 3 }, 2, shape = { 0 } },
      { 5, gives = 0.0, shape = {} },
      { int8 { 127, -128 }, gives = value(127.5 ^ 2), dtype = "float32", tolerance = 1e-6 },
      { bfloat16 { 3, nan, 5 }, gives = 1, dtype = "bfloat16" },
      { float64 { 1e8 + 1, nan, 1e8 + 3 }, gives = 1, dtype = "float64", tolerance = 1e-15 },
      { float32 { 1e30, -1e30, nan }, gives = root and 1e30 or inf, tolerance = 1e-6 },
    },
    rejects = reductions.rejects(op, { { args = { { 1, 2 }, { ddof = 0.5 } }, says = op .. ": ddof is" } }),
    gradients = reductions.gradients { { uneven, { ddof = 1 } }, { uneven, 2, { ddof = 1 } } },
    check = reductions.all(
      reductions.against(op, function(list) return value(variance_of(list)) end, { dtypes = reductions.floats }),
      function(t)
        composed.check_reductions(t, op)
        check_slopes(t, op, plain)
        check_slopes(t, op, plain, { ddof = 1 })
        -- The gradient where nothing varies.
        t.equal(gradient_of(op, lt.constant { 2.0, nan, 2.0 }), { 0, 0, 0 })
      end),
  }
end

spread("nanvar", "var", false)
spread("nanstd", "std", true)

spec "nanprod" {
  example = { { 3, nan, 2 }, gives = 6.0, dtype = "float32", shape = {} },
  examples = {
    { { { 2, nan }, { 3, 4 } }, 1, gives = { 6, 4 } },
    { { nan, nan }, gives = 1.0 },
    { zeros { 0 }, gives = 1.0, shape = {} },
    { int8 { 127, 2 }, gives = 254, dtype = "int64" },
    { bool { true, true }, gives = 1, dtype = "int64" },
  },
  rejects = { { args = { { 1, 2 }, 2 }, says = "nanprod: axis 2 is not there" } },
  gradients = reductions.gradients(),
  check = function(t)
    statistics.check(t, "nanprod", 1e-13)
    t.equal(gradient_of("nanprod", lt.constant { 3.0, nan, 2.0 }), { 2, 0, 3 })
  end,
}
