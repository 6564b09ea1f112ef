-- Random numbers by rejection and by inversion: their moments, their dependence on the seed alone, and mistakes.
local spec = require "spec"

local nan, inf = 0 / 0, math.huge

-- Within five standard errors of the mean, and the variance within `apart` of itself.
local function moments(t, x, mean, variance, apart, what)
  x = x:float64():flatten()
  local n = x.size
  local got = x:mean():item()
  t.ok(math.abs(got - mean) <= 5 * math.sqrt(variance / n), ("%s: mean %g, expected %g"):format(what, got, mean))
  t.ok(math.abs(x:var():item() - variance) <= (apart or 0.05) * variance,
    ("%s: variance %g, expected %g"):format(what, x:var():item(), variance))
end

-- The same seed gives the same numbers, in any shape; two calls without one do not.
local function depends_on_seed(t, draw)
  local long, short = draw({ 3000 }, { seed = 7 }), draw({ 3, 7 }, { seed = 7 })
  t.equal(short, long[{ { 1, 21 } }]:reshape { 3, 7 })
  lt.random.set_seed(3)
  local first, second = draw({ 100 }, {}), draw({ 100 }, {})
  lt.random.set_seed(3)
  t.equal(draw({ 100 }, {}), first)
  t.equal(draw({ 100 }, {}), second)
  t.ok(not lt.array_equal(first, second):item(), "two calls give different numbers")
end

spec "random.gamma" {
  gpu = false,
  examples = {
    { { 0, 3 }, 2.0, shape = { 0, 3 } },
    { {}, 1, { seed = 1 }, shape = {} },
    { { 2 }, float16 { 1, 2 }, { seed = 1 }, shape = { 2 }, dtype = "float16" },
    { { 2, 3 }, int8 { { 1 }, { 2 } }, shape = { 2, 3 }, dtype = "float32" },
  },
  rejects = {
    { args = { { 2 }, 0 }, says = "random.gamma: an alpha or a beta is 0, negative or not finite" },
    { args = { { 2 }, { 1.0, nan } }, says = "random.gamma: an alpha or a beta is 0" },
    { args = { { 2 }, 1.0, { 1.0, inf } }, says = "random.gamma: an alpha or a beta is 0" },
    { args = { { 2 }, { 1, 2, 3 } }, says = "random.gamma: alpha (3,) does not broadcast to shape (2,)" },
    { args = { { 2 }, 1, { { 1 }, { 2 } } }, says = "random.gamma: beta (2, 1) does not broadcast to shape (2,)" },
    { args = { { -1 }, 1 }, says = "negative size" },
    { args = { { 2 } }, says = "random.gamma: 1 argument given" },
    { args = { { 2 }, bool { true, true } }, says = "random.gamma: alpha is bool, expected a number" },
    { args = { { 2 }, 1, { log = 1 } }, says = "random.gamma: log is 1, expected a boolean" },
  },
  check = function(t)
    depends_on_seed(t, function(shape, options) return lt.random.gamma(shape, 1.5, options) end)
    for _, dtype in ipairs { "float32", "float64" } do
      for _, alpha in ipairs { 0.3, 1, 2.5, 40 } do
        local x = lt.random.gamma({ 20000 }, lt.constant(alpha, { dtype = dtype }), { seed = 5 })
        t.ok(x.dtype == dtype and x:min():item() >= 0)
        moments(t, x, alpha, alpha, 0.12, "gamma of " .. alpha)
        -- The mean of the logarithm is digamma(alpha), its variance the next derivative.
        local log = lt.random.gamma({ 20000 }, lt.constant(alpha, { dtype = dtype }), { seed = 5, log = true })
        moments(t, log, lt.digamma(lt.constant(alpha, { dtype = "float64" })):item(), lt.polygamma(1, lt.constant(alpha, { dtype = "float64" })):item(), 0.12, "log")
        if alpha > 1 then t.close(lt.exp(log), x, 1e-4) end
      end
    end
    moments(t, lt.random.gamma({ 20000 }, 3.0, 2.0, { seed = 5 }), 1.5, 0.75, 0.1, "beta")
    local x = lt.random.gamma({ 5000, 2 }, { 1.0, 100.0 }, { seed = 5 })
    moments(t, x[{ {}, 2 }], 100, 100, 0.1, "parameters broadcast")
    t.ok(lt.random.gamma({ 100 }, lt.constant(1e-3), { seed = 1, log = true }):isfinite():all():item())
    -- A number depends on its place, its parameters and the seed, not on the numbers beside it.
    for _, dtype in ipairs { "float16", "float32", "float64" } do
      local alphas = { 0.01, 0.5, 0.99, 1, 3.25, 40 }
      local n = 137 * #alphas
      local every = lt.constant(alphas, { dtype = dtype }):reshape { 1, 6 }:broadcast_to { 137, 6 }:flatten()
      for _, log in ipairs { false, true } do
        local mixed = lt.random.gamma({ n }, every, { seed = 8, log = log })
        for k, alpha in ipairs(alphas) do
          local alone = lt.random.gamma({ n }, lt.constant(alpha, { dtype = dtype }), { seed = 8, log = log })
          t.equal(alone[{ { k, n, 6 } }], mixed[{ { k, n, 6 } }], dtype .. " " .. alpha)
          t.equal(lt.random.gamma({ 5 }, lt.constant(alpha, { dtype = dtype }), { seed = 8, log = log }), alone[{ { 1, 5 } }], dtype)
        end
      end
    end
  end,
}

spec "random.poisson" {
  gpu = false,
  examples = {
    { { 2 }, 0.0, gives = { 0, 0 }, dtype = "int64" },
    { { 0 }, 3, shape = { 0 } },
    { { 1, 1 }, float16 { { 5 } }, shape = { 1, 1 }, dtype = "int64" },
  },
  rejects = {
    { args = { { 2 }, -1.0 }, says = "random.poisson: a rate is negative, nan or above 2^62" },
    { args = { { 2 }, { 1.0, nan } }, says = "random.poisson: a rate is negative, nan" },
    { args = { { 2 }, 1e30 }, says = "random.poisson: a rate is negative, nan or above 2^62" },
    { args = { { 2 }, { 1, 2, 3 } }, says = "random.poisson: rate (3,) does not broadcast to shape (2,)" },
    { args = { { 2 } }, says = "random.poisson: 1 argument given" },
  },
  check = function(t)
    depends_on_seed(t, function(shape, options) return lt.random.poisson(shape, 30.0, options) end)
    for _, rate in ipairs { 0.2, 4, 9.9, 10, 25, 1000, 1e9 } do
      moments(t, lt.random.poisson({ 20000 }, lt.constant(rate, { dtype = "float64" }), { seed = 2 }), rate, rate, 0.08, "poisson of " .. rate)
    end
    -- The share of each count.
    for _, rate in ipairs { 2.0, 12.0 } do
      local counts = (lt.random.poisson({ 40000 }, rate, { seed = 2 }) + 1):bincount():totable()
      local chance = math.exp(-rate)
      for k = 0, 15 do
        local wanted = 40000 * chance
        t.ok(math.abs((counts[k + 1] or 0) - wanted) < 5 * math.sqrt(wanted) + 1, ("poisson of %g: %d of %d"):format(rate, counts[k + 1] or 0, k))
        chance = chance * rate / (k + 1)
      end
    end
  end,
}

spec "random.binomial" {
  gpu = false,
  examples = {
    { { 2 }, 5, 1.0, gives = { 5, 5 }, dtype = "int64" },
    { { 2 }, { 0, 7 }, 0, gives = { 0, 0 } },
    { { 0 }, 3, 0.5, shape = { 0 } },
  },
  rejects = {
    { args = { { 2 }, -1, 0.5 }, says = "random.binomial: an n is negative, or a p is not a probability" },
    { args = { { 2 }, 1, 1.5 }, says = "random.binomial: an n is negative, or a p is not a probability" },
    { args = { { 2 }, 1, nan }, says = "random.binomial: an n is negative" },
    { args = { { 2 }, 1.5, 0.5 }, says = "random.binomial: n is float32, expected" },
    { args = { { 2 }, { 1, 2, 3 }, 0.5 }, says = "random.binomial: n (3,) does not broadcast to shape (2,)" },
    { args = { { 2 }, 1 }, says = "random.binomial: 2 arguments given" },
  },
  check = function(t)
    depends_on_seed(t, function(shape, options) return lt.random.binomial(shape, 100, 0.4, options) end)
    for _, case in ipairs { { 10, 0.3 }, { 10, 0.95 }, { 1000, 0.002 }, { 100, 0.5 }, { 5000, 0.3 }, { 1000000, 0.7 } } do
      local n, p = case[1], case[2]
      moments(t, lt.random.binomial({ 20000 }, n, lt.constant(p, { dtype = "float64" }), { seed = 2 }), n * p, n * p * (1 - p), 0.08,
        ("binomial of %d, %g"):format(n, p))
    end
  end,
}

spec "random.multinomial" {
  gpu = false,
  examples = {
    { 7, { 0.0, 1.0, 0.0 }, gives = { 0, 7, 0 }, dtype = "int64" },
    { 3, { { 1, 0 }, { 0, 5 } }, gives = { { 3, 0 }, { 0, 3 } } },
    { 3, { 2 }, { 2, 2 }, gives = { { { 3 }, { 3 } }, { { 3 }, { 3 } } } },
    { 0, { 1, 1 }, gives = { 0, 0 } },
  },
  rejects = {
    { args = { -1, { 1 } }, says = "random.multinomial: n is -1, expected 0 or more" },
    { args = { 1, { 0.0, 0.0 } }, says = "random.multinomial: a row of p has a negative number, nan, inf or nothing but 0" },
    { args = { 1, { 1.0, -1.0 } }, says = "random.multinomial: a row of p has a negative number" },
    { args = { 1, { 1.0, nan } }, says = "random.multinomial: a row of p has a negative number, nan" },
    { args = { 1, 0.5 }, says = "random.multinomial: p is a scalar" },
    { args = { 1, zeros { 2, 0 } }, says = "random.multinomial: p (2, 0) has no classes" },
    { args = { 1 }, says = "random.multinomial: 1 argument given" },
  },
  check = function(t)
    local x = lt.random.multinomial(100, { 1, 2, 0, 7 }, { 4000 }, { seed = 3 })
    t.equal(x:sum(-1), lt.fill({ 4000 }, 100):cast("int64"))
    for k, p in ipairs { 0.1, 0.2, 0, 0.7 } do
      if p > 0 then moments(t, x[{ {}, k }], 100 * p, 100 * p * (1 - p), 0.12, "class " .. k) end
    end
    t.equal(x[{ {}, 3 }], lt.zeros({ 4000 }, { dtype = "int64" }))
    t.equal(lt.random.multinomial(9, { 1, 1 }, { seed = 1 }), lt.random.multinomial(9, { 1, 1 }, { seed = 1 }))
  end,
}

spec "random.beta" {
  gpu = false,
  examples = {
    { { 2, 2 }, 1e8, 1e8, { seed = 1 }, gives = { { 0.5, 0.5 }, { 0.5, 0.5 } }, tolerance = 1e-3, dtype = "float32" },
    { { 0 }, 1, 2, shape = { 0 } },
  },
  rejects = {
    { args = { { 2 }, 0, 1 }, says = "an alpha or a beta is 0, negative or not finite" },
    { args = { { 2 }, { 1, 2, 3 }, 1 }, says = "random.beta: a (3,) does not broadcast to shape (2,)" },
    { args = { { 2 }, 1 }, says = "random.beta: 2 arguments given" },
  },
  check = function(t)
    depends_on_seed(t, function(shape, options) return lt.random.beta(shape, 2.0, 3.0, options) end)
    moments(t, lt.random.beta({ 20000 }, 2.0, 3.0, { seed = 2 }), 0.4, 0.04, 0.08, "beta")
    -- Small parameters: nearly coins.
    local x = lt.random.beta({ 5000 }, 0.01, 0.01, { seed = 2 })
    t.ok(x:isfinite():all():item())
    moments(t, x, 0.5, 0.25 / 1.02, 0.08, "beta of 0.01")
  end,
}

spec "random.dirichlet" {
  gpu = false,
  examples = { { { 2 }, { 1.0 }, gives = { { 1 }, { 1 } } }, { {}, zeros { 0, 3 }, shape = { 0, 3 } } },
  rejects = {
    { args = { { 2 }, { 1, 0 } }, says = "an alpha or a beta is 0, negative or not finite" },
    { args = { { 2 }, 1 }, says = "random.dirichlet: alpha is a scalar" },
    { args = { { 2 }, zeros { 0 } }, says = "random.dirichlet: alpha (0,) has no components" },
  },
  check = function(t)
    local x = lt.random.dirichlet({ 10000 }, { 1.0, 2.0, 5.0 }, { seed = 4 })
    t.close(x:sum(-1), lt.ones { 10000 }, 1e-5)
    for k, a in ipairs { 1, 2, 5 } do
      moments(t, x[{ {}, k }], a / 8, a / 8 * (1 - a / 8) / 9, 0.08, "component " .. k)
    end
    t.ok(lt.random.dirichlet({ 100 }, { 1e-3, 1e-3 }, { seed = 4 }):isfinite():all():item())
  end,
}

local kinds = {
  exponential = { loc = false, mean = 1, variance = 1 },
  laplace = { loc = true, mean = 0, variance = 2 },
  cauchy = { loc = true },
}
for name, kind in pairs(kinds) do
  local op = "random." .. name
  spec(op) {
    examples = {
      { { 0, 3 }, shape = { 0, 3 }, dtype = "float32" },
      { { 2 }, { scale = 0 }, gives = { 0, 0 } },
      { { 2 }, { dtype = "float16" }, shape = { 2 }, dtype = "float16" },
      { {}, { dtype = "float64", seed = 1 }, shape = {}, dtype = "float64" },
    },
    rejects = {
      { args = { { 2 }, { scale = -1 } }, says = op .. ": scale is -1, expected 0 or a finite float32 above it" },
      { args = { { 2 }, { scale = nan } }, says = op .. ": scale is" },
      { args = { { 2 }, { dtype = "int32" } }, says = op .. ": dtype is int32, expected" },
      { args = { { -2 } }, says = "negative size" },
      { args = {}, says = op .. ": 0 arguments given" },
      kind.loc and { args = { { 2 }, { loc = inf } }, says = op .. ": loc is inf, expected a finite float32" }
        or { args = { { 2 }, { loc = 1 } }, says = "unknown option 'loc'" },
    },
    check = function(t)
      local draw = lt.random[name]
      depends_on_seed(t, function(shape, options) return draw(shape, options) end)
      for _, dtype in ipairs { "float32", "float64" } do
        local x = draw({ 40000 }, { seed = 8, dtype = dtype, scale = 2, loc = kind.loc and 3 or nil })
        t.ok(x:isfinite():all():item())
        if kind.mean then moments(t, x, 2 * kind.mean + (kind.loc and 3 or 0), 4 * kind.variance, 0.08, name)
        else
          -- Without moments: the quartiles are at loc - scale, loc, loc + scale.
          for share, at in pairs { [0.25] = 1, [0.5] = 3, [0.75] = 5 } do
            t.ok(math.abs(x:quantile(share):item() - at) < 0.15, ("cauchy's quantile %g is %g"):format(share, x:quantile(share):item()))
          end
        end
      end
    end,
  }
end
