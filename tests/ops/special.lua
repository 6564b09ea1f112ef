local spec = require "spec"
local statistics = require "statistics"
local two = require "two_inputs"

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

-- By the power series, in plain Lua.
local function gammainc(a, x)
  if x == 0 then return 0 end
  local term, sum = 1, 1
  for n = 1, 400 do
    term = term * x / (a + n)
    sum = sum + term
  end
  return sum * math.exp(a * math.log(x) - x - lgamma(a + 1))
end
local function gammaincc(a, x) return 1 - gammainc(a, x) end
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

-- At the ends, as SciPy.
local ends = { { 0, 0, inf, 1, inf, -1, 2, nan, 0.5 }, { 0, 2, 1, inf, inf, 1, 0, 1, -1 } }
for name, form in pairs {
  gammainc = { reference = gammainc, sign = 1, ends = { nan, 1, 0, 1, nan, nan, 0, nan, nan },
    example = { { 1.0, 2.0 }, { 1.0, 2.0 }, gives = { 0.6321, 0.5940 } } },
  gammaincc = { reference = gammaincc, sign = -1, ends = { nan, 0, 1, 0, nan, nan, 1, nan, nan },
    example = { { 1.0, 2.0 }, { 1.0, 2.0 }, gives = { 0.3679, 0.4060 } } },
} do
  spec(name) {
    example = form.example,
    examples = {
      { ends[1], ends[2], gives = form.ends },
      { float16 { 1.5 }, float16 { 1.5 }, gives = { name == "gammainc" and 0.6084 or 0.3916 }, dtype = "float16", tolerance = 1e-3 },
      { 1, 2, gives = name == "gammainc" and 0.8647 or 0.1353, dtype = "float32", shape = {} },
    },
    reference = form.reference,
    samples = two.shapes,
    dtypes = { "float32", "float64", "int32" },
    domain = { { 1, 30 }, { 1, 40 } },
    tolerance = 2e-6,
    result = float_of,
    rejects = {
      { args = { zeros { 2 }, zeros { 3 } }, says = name .. ": a (2,) and x (3,) do not broadcast" },
      { args = { bool { true }, bool { true } }, says = name .. ": a is bool, expected a number" },
      { args = { { 1 } }, says = name .. ": 1 argument given, expected " .. name .. "(a, x)" },
    },
    check = function(t)
      statistics.check(t, name, 3e-13)
      local op = lt[name]
      -- The density, and its slope, by x.
      local a, x = float64s { 0.5, 1, 3, 1000 }, float64s { 2, 0, 1.5, 1010 }
      local density = { 0.053990966513188056, 1, 0.25102143016698353, 0.011884515036029953 }
      for i, d in ipairs(density) do density[i] = form.sign * d end
      t.close(two.slope(function(v) return op(a, v) end, x), density, 1e-12)
      t.close(two.second(function(v) return op(float64s { 3 }, v) end, float64s { 1.5 }), { form.sign * 0.08367381005566118 }, 1e-12)
      t.close(two.slope(function(v) return op(3, v) end, lt.constant { { 1.5 } }), { { density[3] } }, 1e-6)
      -- Not one by a, which would be wrong without a word; that by x is there beside it.
      t.raises("InvalidArgument", name .. ": there is no gradient by a", two.slope, function(v) return op(v, 2.0) end, float64s { 1 })
      t.close(two.slope(function(v) return op(lt.stop_gradient(v + 1.5), v) end, float64s { 1.5 }), { density[3] }, 1e-12)
    end,
  }
end
