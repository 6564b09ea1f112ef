local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge
local function float_of(dtype) return dtype:find("float") and dtype or "float32" end
local function slopes_of(f, x)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(f(x), x)
end

-- By series and by products, in plain Lua.
local function erfc(x)
  local sum, term = x, x
  for n = 1, 120 do
    term = -term * x * x / n
    sum = sum + term / (2 * n + 1)
  end
  return 1 - 2 / math.sqrt(math.pi) * sum
end
local function lgamma(x)
  local shift = 0
  while x < 20 do
    shift, x = shift + math.log(x), x + 1
  end
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x ^ 3)
    + 1 / (1260 * x ^ 5) - 1 / (1680 * x ^ 7) - shift
end
local function digamma(x)
  local shift = 0
  while x < 20 do
    shift, x = shift + 1 / x, x + 1
  end
  return math.log(x) - 1 / (2 * x) - 1 / (12 * x ^ 2) + 1 / (120 * x ^ 4) - 1 / (252 * x ^ 6) - shift
end

local function special(op, form)
  form.samples = form.reference and shapes { {}, { 1 }, { 3, 0 }, { 17, 65 } }
  form.dtypes = form.reference and { "float32", "float64", "int32" }
  form.result = form.reference and float_of
  form.rejects = {
    { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
    { args = { { 1 }, 2 }, says = op .. ": 2 arguments given" },
  }
  spec(op)(form)
end

special("erfc", {
  example = { { 0.0, 1.0, 5.0 }, gives = { 1.0, 0.157299, 1.5375e-12 } },
  examples = {
    { { 1, -1 }, gives = { 0.1573, 1.8427 }, dtype = "float32" },
    { float16 { 1.5, 6 }, gives = { 0.0339, 0 }, dtype = "float16" },
    -- The smallest floats that are not 0.
    { float32 { 9, 10.05, 11 }, gives = { 4.1370318e-37, 7.7e-46, 0 }, tolerance = 1 },
  },
  reference = erfc,
  domain = { -2, 2 },
  tolerance = 1e-5,
  gradients = { { { 0.5, -1.25, 2 } } },
  check = function(t) statistics.check(t, "erfc", 1e-15) end,
})

special("erfinv", {
  example = { { 0.0, 0.5, 1.0 }, gives = { 0.0, 0.4769, inf } },
  examples = {
    { { -1.0, 2.0, nan }, gives = { -inf, nan, nan } },
    { float16 { 0.5 }, gives = { 0.477 }, dtype = "float16" },
  },
  gradients = { { { 0.5, -0.25, 0.9 } } },
  check = function(t)
    statistics.check(t, "erfinv", 1e-15)
    -- -0.0 stays.
    t.ok(1 / lt.erfinv(lt.constant { -0.0 }):item() == -inf)
    -- The inverse of erf, in both dtypes.
    local x = lt.linspace(-0.999, 0.999, 2001)
    t.close(lt.erf(lt.erfinv(x)), x, 1e-6)
    t.close(lt.erf(lt.erfinv(x:float64())), x:float64(), 1e-15)
  end,
})

special("lgamma", {
  example = { { 1.0, 5.0, 0.5 }, gives = { 0.0, 3.1781, 0.5724 } },
  examples = {
    { { 0.0, -1.0, -2.5, inf, -inf, nan }, gives = { inf, inf, -0.0562, inf, inf, nan } },
    { { 3, 4 }, gives = { 0.6931, 1.7918 }, dtype = "float32" },
    { float16 { 10 }, gives = { 12.8 }, dtype = "float16", tolerance = 1e-3 },
  },
  reference = lgamma,
  domain = { 1, 30 },
  tolerance = 2e-6,
  gradients = { { { 0.5, 1.25, 7, 12, -0.75 } } },
  check = function(t)
    statistics.check(t, "lgamma", 1e-14)
    t.close(slopes_of(lt.lgamma, lt.constant({ 1, 0.5 }, { dtype = "float64" })), { -0.5772156649015329, -1.9635100260214235 }, 1e-14)
  end,
})

special("digamma", {
  example = { { 1.0, 2.0, 10.0 }, gives = { -0.5772, 0.4228, 2.2518 } },
  examples = {
    { { 0.0, -1.0, inf, nan }, gives = { -inf, nan, inf, nan } },
    { { 1 }, gives = { -0.5772 }, dtype = "float32" },
  },
  reference = digamma,
  domain = { 2, 30 },
  tolerance = 2e-6,
  gradients = { { { 0.5, 1.25, 7, 12, -0.75 } } },
  check = function(t)
    statistics.check(t, "digamma", 2e-13)
    -- pi^2 / 6.
    t.close(slopes_of(lt.digamma, lt.constant({ 1 }, { dtype = "float64" })), { math.pi ^ 2 / 6 }, 1e-14)
  end,
})

spec "polygamma" {
  example = { 1, { 1.0, 2.0 }, gives = { 1.6449, 0.6449 } },
  examples = {
    { 0, { 1.0 }, gives = { -0.5772 } },
    { 1, { 0.0, -1.0, inf, nan }, gives = { inf, inf, 0, nan } },
    { 2, { 1, 2 }, gives = { -2.4041, -0.4041 }, dtype = "float32" },
    { 3, float16 { 1 }, gives = { 6.4922 }, dtype = "float16", tolerance = 1e-3 },
    { 1, zeros { 0, 2 }, shape = { 0, 2 } },
  },
  gradients = { { 1, { 0.5, 1.25, 7 } }, { 3, { 2, 6 } } },
  rejects = {
    { args = { -1, { 1 } }, says = "polygamma: n is -1, expected 0 to 100" },
    { args = { 101, { 1 } }, says = "polygamma: n is 101" },
    { args = { 1, bool { true } }, says = "polygamma: x is bool, expected a number" },
    { args = { 1 }, says = "polygamma: 1 argument given" },
  },
  check = function(t) statistics.check(t, "polygamma", 1e-13) end,
}
