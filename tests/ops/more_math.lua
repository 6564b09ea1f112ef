local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge
local function float_of(dtype) return dtype:find("float") and dtype or "float32" end

local function unary(op, example, domain, reference, points, slopes)
  spec(op) {
    example = example,
    reference = reference,
    samples = shapes { {}, { 1 }, { 3, 0 }, { 17, 65 } },
    domain = domain,
    dtypes = numbers,
    result = float_of,
    gradients = { { points } },
    rejects = {
      { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
      { args = { { 1 }, 2 }, says = op .. ": 2 arguments given" },
    },
    check = function(t)
      statistics.check(t, op, 4e-15)
      for point, slope in pairs(slopes) do
        local x = lt.constant({ point }, { dtype = "float64" })
        local tape <close> = lt.GradientTape()
        tape:watch(x)
        t.close(tape:gradient(lt[op](x), x), { slope }, 1e-14)
      end
    end,
  }
end

-- Slopes by hand.
unary("asinh", { { 0.0, 1.0 }, gives = { 0.0, 0.8814 } }, { -9, 9 },
  function(x) return x < 0 and -math.log(-x + math.sqrt(x * x + 1)) or math.log(x + math.sqrt(x * x + 1)) end,
  { 0.5, -2.5, 40, 0.01 }, { [0.75] = 0.8, [1e200] = 1e-200 })
unary("acosh", { { 1.0, 2.0 }, gives = { 0.0, 1.3170 } }, { 2, 9 }, function(x) return math.log(x + math.sqrt(x * x - 1)) end,
  { 1.5, 2.5, 40 }, { [1.25] = 4 / 3, [1e200] = 1e-200 })
unary("atanh", { { 0.0, 0.5 }, gives = { 0.0, 0.5493 } }, { 0, 0 }, function(x) return 0.5 * math.log((1 + x) / (1 - x)) end,
  { 0.5, -0.9, 0.01 }, { [0.5] = 4 / 3 })
unary("log2", { { 1.0, 8.0 }, gives = { 0.0, 3.0 } }, { 1, 9 }, function(x) return math.log(x, 2) end, { 0.5, 3, 40 },
  { [2.0] = 1 / (2 * math.log(2)) })
unary("log10", { { 1.0, 1000.0 }, gives = { 0.0, 3.0 } }, { 1, 9 }, function(x) return math.log(x, 10) end, { 0.5, 3, 40 },
  { [2.0] = 1 / (2 * math.log(10)) })

spec "frac" {
  example = { { 1.75, -2.5 }, gives = { 0.75, -0.5 } },
  examples = { { { 3, -2 }, gives = { 0, 0 }, dtype = "float32" }, { { inf, nan }, gives = { nan, nan } }, { float16 { 2.5 }, gives = { 0.5 }, dtype = "float16" } },
  gradients = { { { 1.25, -2.5 } } },
  rejects = { { args = { bool { true } }, says = "frac: x is bool, expected a number" } },
}

spec "fmod" {
  example = { { 5, -5 }, 3, gives = { 2, -2 }, dtype = "int32" },
  examples = {
    { { 5, -5, 6, -6 }, -3, gives = { 2, -2, 0, 0 } },
    { int8 { -128, 127 }, int8 { 3, -128 }, gives = { -2, 127 }, dtype = "int8" },
    { uint8 { 250 }, uint8 { 7 }, gives = { 5 }, dtype = "uint8" },
    { int64 { math.mininteger }, 10, gives = { -8 } },
    { float64 { -1e-20, 1e30 }, 3.0, gives = { -1e-20, 1e30 % 3.0 }, tolerance = 0 },
    { 7.5, { 2.0, inf }, gives = { 1.5, 7.5 } },
    { zeros { 0, 2 }, 3, shape = { 0, 2 } },
  },
  gradients = { { { 5.5, -7.25 }, { 2, 3 } } },
  rejects = {
    { args = { { 1, 2 }, 0 }, says = "mod: an integer is divided by zero" },
    { args = { { 1, 2 }, { 1, 2, 3 } }, says = "fmod: a (2,) and b (3,) do not broadcast" },
    { args = { bool { true }, bool { true } }, says = "fmod: a is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "fmod", 0) end,
}

spec "lerp" {
  example = { { 0.0, 10.0 }, { 1.0, 20.0 }, 0.25, gives = { 0.25, 12.5 } },
  examples = {
    { { 1, 2 }, 5, { { 0.0 }, { 1.0 } }, gives = { { 1, 2 }, { 5, 5 } }, dtype = "float32" },
    { 0, 1, { -1, 2 }, gives = { -1, 2 }, dtype = "float32" },
    -- Exact at both ends.
    { float64 { 0.1, 1e10 }, float64 { 0.7, 0.3 }, float64 { 1, 1 }, gives = { 0.7, 0.3 }, tolerance = 0 },
  },
  gradients = { { { 0.5, 10 }, { 1, 20 }, { 0.25, 0.75 } }, { { 0.5 }, { 1 }, { { 0.25 }, { 2 } } } },
  rejects = {
    { args = { { 1, 2 }, { 1, 2, 3 }, 0.5 }, says = "lerp: " },
    { args = { { 1 }, { 2 } }, says = "lerp: 2 arguments given" },
  },
}

spec "heaviside" {
  example = { { -1.5, 0.0, 2.0 }, 0.5, gives = { 0.0, 0.5, 1.0 } },
  examples = {
    { { -1, 0, 2 }, 7, gives = { 0, 7, 1 }, dtype = "int32" },
    { { nan, -0.0 }, { 5.0, 6.0 }, gives = { nan, 6 } },
  },
  rejects = { { args = { bool { true }, bool { true } }, says = "heaviside: x is bool, expected a number" } },
  check = function(t) statistics.check(t, "heaviside", 0) end,
}
