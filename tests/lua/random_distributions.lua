-- Distributions of lutra.random that are made of others: shares below given numbers against the distribution functions,
-- moments, parameters that broadcast, seeds, and refused calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local R = lt.random

local kDraws = 40000

-- The shares of numbers up to each x are within 4.5 standard errors of cdf(x).
local function check(what, draws, cdf, xs)
  draws = draws:float64()
  for _, x in ipairs(xs) do
    local p, got = cdf(x), draws:le(x):float64():mean():item()
    assert(p > 0.001 and p < 0.999, ("%s: %g"):format(what, p))
    assert(math.abs(got - p) <= 4.5 * math.sqrt(p * (1 - p) / kDraws), ("%s: %g up to %g, expected %g"):format(what, got, x, p))
  end
end

local function normal_cdf(x) return 0.5 * (1 + lt.erf(lt.constant(x / math.sqrt(2), { dtype = "float64" })):item()) end

expect.case("shares below numbers", function()
  for _, dtype in ipairs { "float32", "float64" } do
    local how = { seed = 11, dtype = dtype }
    local function with(more)
      for k, v in pairs(how) do more[k] = v end
      return more
    end
    check("gumbel", R.gumbel({ kDraws }, with { loc = 1, scale = 2 }), function(x) return math.exp(-math.exp(-(x - 1) / 2)) end, { -1, 0.5, 2, 6 })
    check("logistic", R.logistic({ kDraws }, with { loc = -1, scale = 0.5 }), function(x) return 1 / (1 + math.exp(-(x + 1) / 0.5)) end, { -2.5, -1, 0, 1 })
    check("lognormal", R.lognormal({ kDraws }, with { mean = 0.5, sigma = 0.25 }), function(x) return normal_cdf((math.log(x) - 0.5) / 0.25) end, { 1, 1.5, 2, 2.7 })
    check("rayleigh", R.rayleigh({ kDraws }, with { scale = 3 }), function(x) return 1 - math.exp(-x * x / 18) end, { 0.5, 2, 4, 8 })
    check("weibull", R.weibull({ kDraws }, 1.5, how), function(x) return 1 - math.exp(-x ^ 1.5) end, { 0.1, 0.5, 1, 2 })
    check("pareto", R.pareto({ kDraws }, 2.5, how), function(x) return 1 - (1 + x) ^ -2.5 end, { 0.05, 0.3, 1, 3 })
    -- With two degrees of freedom the distribution functions are elementary.
    check("chisquare", R.chisquare({ kDraws }, 2, how), function(x) return 1 - math.exp(-x / 2) end, { 0.1, 1, 3, 7 })
    check("standard_t", R.standard_t({ kDraws }, 2, how), function(x) return 0.5 + x / (2 * math.sqrt(2 + x * x)) end, { -3, -0.5, 0, 1, 4 })
    check("triangular", R.triangular({ kDraws }, -1, 0, 3, how), function(x)
      return x < 0 and (x + 1) ^ 2 / 4 or 1 - (3 - x) ^ 2 / 12
    end, { -0.7, -0.1, 0, 1, 2.5 })
  end
  check("geometric", R.geometric({ kDraws }, 0.3, { seed = 2 }), function(x) return 1 - 0.7 ^ x end, { 1, 2, 3, 7 })
  expect.equal(R.geometric({ 50 }, 1, { seed = 1 }):totable(), lt.ones({ 50 }, { dtype = "int64" }):totable())
  assert(R.geometric({ 100 }, 1e-12, { seed = 1 }):float64():mean():item() > 1e11)
  expect.equal({ R.triangular({ 2 }, 0, 0, 1).dtype, R.triangular({ 2 }, 0, 1, 1).shape[1] }, { "float32", 2 })
end)

expect.case("normal numbers of several dimensions", function()
  local covariance = { { 2.0, 0.6, 0.0 }, { 0.6, 1.0, -0.3 }, { 0.0, -0.3, 0.5 } }
  local x = R.multivariate_normal({ 200, 200 }, { 1.0, -2.0, 3.0 }, covariance, { seed = 4 })
  expect.equal({ x.dtype, x.shape[1], x.shape[2], x.shape[3] }, { "float32", 200, 200, 3 })
  local rows = x:float64():reshape { kDraws, 3 }
  expect.close(rows:mean(1):totable(), { 1, -2, 3 }, 0.03)
  expect.close(lt.cov(rows:transpose()):totable(), covariance, 0.04)
  -- A matrix without an inverse: both numbers are one.
  local same = R.multivariate_normal({ 100 }, { 0.0, 0.0 }, { { 1.0, 1.0 }, { 1.0, 1.0 } }, { seed = 4 })
  expect.close(same[{ {}, 1 }]:totable(), same[{ {}, 2 }]:totable(), 1e-5)
  expect.equal(#R.multivariate_normal(nil, { 0, 0 }, { { 1, 0 }, { 0, 1 } }), 2)
  expect.equal(R.multivariate_normal({ 3 }, { 0.0 }, { { 0.0 } }):totable(), { { 0 }, { 0 }, { 0 } })
end)

expect.case("parameters that are tensors, and seeds", function()
  local scales = lt.constant({ { 0.0 }, { 1.0 }, { 100.0 } }, { dtype = "float64" })
  local x = R.rayleigh({ 3, 1000 }, { scale = scales, seed = 1 })
  expect.equal(x.dtype, "float64")
  expect.equal(x[1]:max():item(), 0)
  expect.close({ x[3]:mean():item() }, { 100 * math.sqrt(math.pi / 2) }, 5)
  expect.close((x[3] / 100):sort()[500]:item(), math.sqrt(2 * math.log(2)), 0.1)
  local df = R.chisquare({ 2, 20000 }, { { 1.0 }, { 30.0 } }, { seed = 3 }):mean(2)
  expect.close(df:totable(), { 1, 30 }, 0.05)
  for name, args in pairs { gumbel = {}, logistic = {}, lognormal = {}, rayleigh = {}, weibull = { 2 }, pareto = { 2 },
    chisquare = { 3 }, standard_t = { 3 }, geometric = { 0.4 }, triangular = { 0, 1, 2 } } do
    local function draw(given)
      local all = { { 40 }, table.unpack(args) }
      all[#all + 1] = given
      return R[name](table.unpack(all)):totable()
    end
    expect.equal(draw { seed = 5 }, draw { seed = 5 }, name)
    R.set_seed(6)
    local first, second = draw {}, draw {}
    assert(not pcall(expect.equal, first, second), name)
    R.set_seed(6)
    expect.equal({ draw {}, draw {} }, { first, second }, name)
    local generator = R.Generator(3)
    local all = { { 40 }, table.unpack(args) }
    assert(#generator[name](generator, table.unpack(all)) == 40, name)
    if name ~= "geometric" then
      all[#all + 1] = { dtype = "float16" }
      expect.equal(R[name](table.unpack(all)).dtype, "float16", name)
    end
  end
end)

expect.case("mistakes", function()
  local function refuses(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refuses("random.weibull: a is 0, expected a number above 0", R.weibull, { 2 }, 0)
  refuses("random.weibull: a is nil", R.weibull, { 2 })
  refuses("random.geometric: p is 1.5, expected a number above 0, 1 at most", R.geometric, { 2 }, 1.5)
  refuses("random.geometric: dtype is float32, and the numbers are counts, int64", R.geometric, { 2 }, 0.5, { dtype = "float32" })
  refuses("random.rayleigh: scale is -1, expected a number of 0 or more", R.rayleigh, { 2 }, { scale = -1 })
  refuses("random.chisquare: df is no good in some places, expected a number above 0", R.chisquare, { 2 }, { 1.0, 0.0 })
  refuses("random.chisquare: df (3,) does not broadcast to shape (2,)", R.chisquare, { 2 }, { 1.0, 2.0, 3.0 })
  refuses("random.triangular: expected left <= mode <= right and left < right", R.triangular, { 2 }, 1, 0, 2)
  refuses("random.gumbel: unknown option 'location'", R.gumbel, { 2 }, { location = 1 })
  refuses('random.gumbel: dtype is "int32", which is not known', R.gumbel, { 2 }, { dtype = "int32" })
  refuses("random.logistic: shape[1] is -1, expected 0 or more", R.logistic, { -1 })
  refuses("random.multivariate_normal: covariance has the shape (2,), expected (2, 2)", R.multivariate_normal, { 1 }, { 0, 0 }, { 1, 1 })
  refuses("covariance is not symmetric", R.multivariate_normal, { 1 }, { 0, 0 }, { { 1, 1 }, { 0, 1 } })
  refuses("covariance is not positive semidefinite", R.multivariate_normal, { 1 }, { 0, 0 }, { { 1, 2 }, { 2, 1 } })
end)

expect.end_of_cases()
