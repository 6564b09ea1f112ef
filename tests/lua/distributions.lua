-- lutra.distributions against SciPy: the data of make_numerics_golden.py.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "golden.numerics_golden"
local D = lt.distributions

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
local function tensor(given)
  if type(given) ~= "table" then return lt.constant(given, { dtype = "float64" }) end
  return lt.constant(table.move(given, 1, #given, 1, {}), { dtype = "float64" }):reshape(given.shape)
end
local function near(got, wanted, tolerance, what)
  wanted = tensor(wanted)
  assert(got.shape == wanted.shape, ("%s: %s, expected %s"):format(what, got.shape, wanted.shape))
  assert(lt.allclose(got, wanted, { rtol = tolerance, atol = tolerance }):item(), ("%s: %s, expected %s"):format(what, got, wanted))
end
-- How many of a golden case's arguments the constructor takes.
local taken = { Normal = 2, Beta = 2, Gamma = 2, Bernoulli = 1, MultivariateNormal = 2 }

expect.case("densities, entropies, means and divergences are SciPy's", function()
  local count = 0
  for _, case in ipairs(golden) do
    local class, method = case.op:match("^(%u%w*)%.([%w_]+)$")
    if class then
      count = count + 1
      local args = {}
      for i, arg in ipairs(case.args) do args[i] = tensor(arg) end
      local n = taken[class]
      local made = D[class](table.unpack(args, 1, n))
      local got
      if method == "kl" then
        local other = D[class](table.unpack(args, n + 1, 2 * n))
        got = made:kl(other)
        near(D.kl_divergence(made, other), case.gives[1], 1e-6, case.op)
      else
        got = made[method](made, table.unpack(args, n + 1))
      end
      assert(got.dtype == "float64", case.op)
      near(got, case.gives[1], method == "kl" and 1e-6 or 1e-11, case.op)
    end
  end
  assert(count >= 20, count)
end)

expect.case("samples have the moments", function()
  local function moments(p, what)
    local x = p:sample({ 20000 }, { seed = 5 }):float64()
    local mean, variance = p:mean():float64(), p:variance():float64()
    local off = (lt.abs(x:mean(1) - mean) / lt.sqrt(variance / 20000)):max():item()
    assert(off < 5, what .. ": the mean is off by " .. off)
    local spread = (lt.abs(x:var(1) - variance) / variance):max():item()
    assert(spread < 0.12, what .. ": the variance is off by " .. spread)
    assert(p:sample().shape == lt.zeros(p.shape).shape and p:sample({ 2, 3 }).rank == 2 + #p.shape, what)
    assert(p:stddev():allclose(lt.sqrt(p:variance())):item())
  end
  moments(D.Normal({ 0, 10 }, { 1, 3 }), "Normal")
  moments(D.Normal(), "a standard normal")
  moments(D.Bernoulli { 0.2, 0.9 }, "Bernoulli")
  moments(D.Bernoulli { logits = { 0.5, -1 } }, "Bernoulli of logits")
  moments(D.Categorical { { 1, 2, 3 }, { 5, 1, 1 } }, "Categorical")
  moments(D.Beta({ 2, 0.5 }, 3), "Beta")
  moments(D.Gamma({ 2, 0.5 }, { 1, 4 }), "Gamma")
  moments(D.MultivariateNormal({ 1, -1 }, { { 4, 1 }, { 1, 2 } }), "MultivariateNormal")
  local x = D.MultivariateNormal({ 1, -1 }, { { 4, 1 }, { 1, 2 } }):sample({ 40000 }, { seed = 2 })
  assert(lt.abs(lt.cov(x:transpose()) - lt.constant { { 4.0, 1.0 }, { 1.0, 2.0 } }):max():item() < 0.12)
  local generator = lt.random.Generator(3)
  local first = D.Normal():sample({ 3 }, { generator = generator })
  expect.equal(D.Normal():sample({ 3 }, { generator = lt.random.Generator(3) }):totable(), first:totable())
end)

expect.case("classes count from 1, and batches broadcast", function()
  local p = D.Categorical { { 1, 1, 2 }, { 0, 1, 0 } }
  expect.equal(lt.exp(p:log_prob { 3, 2 }):totable(), { 0.5, 1.0 })
  expect.equal(p:prob({ { 1, 1 }, { 3, 2 } }):totable(), { { 0.25, 0.0 }, { 0.5, 1.0 } })
  expect.equal(p:prob(2):totable(), { 0.25, 1.0 })
  expect.equal(D.Categorical({ 1, 3 }):prob({ 1, 2, 2 }):totable(), { 0.25, 0.75, 0.75 })
  near(p:entropy(), { shape = { 2 }, 1.5 * math.log(2), 0 }, 1e-6, "entropy")
  near(p:kl(D.Categorical { { 1, 1, 1 }, { 1, 1, 2 } }), { shape = { 2 }, math.log(3) - 1.5 * math.log(2), math.log(4) }, 1e-6, "kl")
  local x = p:sample { 4, 5 }
  assert(x.shape == lt.zeros({ 4, 5, 2 }).shape and x.dtype == "int64" and x[{ {}, {}, 2 }]:eq(2):all():item())
  near(D.Normal({ { 0 }, { 1 } }, { 1, 2, 3 }):log_prob(0):float64(), tensor({ shape = { 2, 3 }, -0.9189385, -1.6120857, -2.0175508, -1.4189385,
    -1.7370857, -2.0731064 }) and { shape = { 2, 3 }, -0.9189385, -1.6120857, -2.0175508, -1.4189385, -1.7370857, -2.0731064 }, 1e-6, "batch")
  near(D.Bernoulli({ logits = { 2.0, -1.0 } }):log_prob({ 1, 0 }):float64(), { shape = { 2 }, -0.126928, -0.3132617 }, 1e-6, "logits")
  -- scipy.stats.gamma.cdf([-1, 0, 0.5, 3], 2.5, scale = 1 / 1.5)
  near(D.Gamma(2.5, 1.5):cdf({ -1.0, 0.0, 0.5, 3.0 }):float64(), { shape = { 4 }, 0.0, 0.0, 0.08693018545560456, 0.8909358420502275 }, 1e-6, "cdf of Gamma")
  near(D.Normal(1, 2):icdf(D.Normal(1, 2):cdf({ -3.0, 0.5, 4.0 })):float64(), { shape = { 3 }, -3.0, 0.5, 4.0 }, 1e-5, "icdf")
  local scale = lt.constant { { 2.0, 0.0 }, { 0.5, 1.3228757 } }
  near(D.MultivariateNormal({ 0, 0 }, { scale_tril = scale }):covariance():float64(), { shape = { 2, 2 }, 4, 1, 1, 2 }, 1e-6, "covariance")
end)

expect.case("gradients reach the parameters, through samples of normal numbers too", function()
  local loc, scale = lt.Variable(1.0), lt.Variable(2.0)
  local tape <close> = lt.GradientTape { persistent = true }
  local p = D.Normal(loc, scale)
  local log_prob, sample = p:log_prob(3.0), p:sample({ 1000 }, { seed = 1 })
  local divergence = p:kl(D.Normal(0, 1))
  expect.equal(tape:gradient(log_prob, loc):item(), 0.5)
  expect.equal(tape:gradient(sample, loc):item(), 1000.0)
  expect.equal(tape:gradient(divergence, { loc, scale })[2]:item(), 1.5)
  local a = lt.Variable(2.0)
  local density = D.Gamma(a, 1):log_prob(3.0)
  local slope = tape:gradient(density, a):item()
  assert(math.abs(slope - (math.log(3) - (1 - 0.5772156649))) < 1e-5, slope)
end)

expect.case("outside of the support the density is 0", function()
  local x, huge = { -2, 3, math.huge }, math.huge
  for _, case in ipairs {
    { D.Gamma(1, 1), { -huge, -3, -huge } }, { D.Gamma(2, 1), { -huge, math.log(3) - 3, -huge } },
    { D.Beta(1, 1), { -huge, -huge, -huge } }, { D.Bernoulli(0.3), { -huge, -huge, -huge } },
    { D.Bernoulli { logits = 0.3 }, { -huge, -huge, -huge } },
  } do
    local made, wanted = table.unpack(case)
    local got = made:log_prob(x):totable()
    for i = 1, 3 do
      assert(got[i] == wanted[i] or math.abs(got[i] - wanted[i]) < 1e-6, ("%s at %s: %s"):format(made.__name, x[i], got[i]))
      if wanted[i] == -huge then expect.equal(made:prob(x):totable()[i], 0.0, made.__name) end
    end
  end
  local a = lt.Variable(2.0)
  local tape <close> = lt.GradientTape()
  local sum = D.Gamma(a, 1):log_prob({ -1, 3 })[2]
  local slope = tape:gradient(sum, a):item()
  assert(math.abs(slope - (math.log(3) - (1 - 0.5772156649))) < 1e-5, slope)
end)

-- By mpmath, with 40 digits: a + loggamma(a) + (1 - a) digamma(a).
expect.case("the entropy of large concentrations", function()
  local wanted = { [150] = 3.9220302510512169, [2e4] = 6.3706656425977354, [1e30] = 35.957714928314090 }
  for a, entropy in pairs(wanted) do
    expect.close(D.Gamma(a, 1):entropy():item(), entropy, 1e-6, "float32")
    expect.close(D.Gamma(lt.constant(a, { dtype = "float64" }), 1):entropy():item(), entropy, 1e-11, "float64")
  end
end)

expect.case("mistakes", function()
  for name, method in pairs { Normal = "log_prob", Gamma = "prob", Beta = "sample", Bernoulli = "entropy", Categorical = "mean" } do
    local made = name == "Categorical" and D[name] { 1, 1 } or D[name](0.5, name ~= "Bernoulli" and 0.5 or nil)
    refuses(("write d:%s(...) with a colon"):format(method), made[method], 3)
  end
  local M = D.MultivariateNormal
  refuses("covariance has a number that is not equal to the one across the diagonal", M, { 0, 0 }, { { 1, 0.5 }, { 0, 1 } })
  refuses("scale_tril has a number that is not 0 above the diagonal", M, { 0, 0 }, { scale_tril = { { 1, 2 }, { 0, 1 } } })
  refuses("scale_tril has a number that is not above 0 on the diagonal", M, { 0, 0 }, { scale_tril = { { 1, 0 }, { 1, -1 } } })
  refuses("distributions.Normal: scale has a number that is not above 0", D.Normal, 0, { 1, 0 })
  D.Normal(0, -1, { validate_args = false })
  refuses("distributions.Normal: loc is \"a\", expected a tensor or a number", D.Normal, "a")
  refuses("distributions.Normal: unknown option 'validate'", D.Normal, 0, 1, { validate = false })
  refuses("distributions.Bernoulli: probs has a number that is not a probability: 0 to 1", D.Bernoulli, 1.5)
  refuses("distributions.Bernoulli: expected probabilities, or {logits = }", D.Bernoulli)
  refuses("distributions.Bernoulli: expected probabilities, or {logits = }", D.Bernoulli, { probs = 0.5, logits = 0 })
  refuses("distributions.Categorical: probs has a number that is not 0 or more", D.Categorical, { 1, -1 })
  refuses("distributions.Categorical: the shape is (), expected at least one class", D.Categorical, 1)
  refuses("distributions.Beta: b has a number that is not above 0", D.Beta, 1, -1)
  refuses("distributions.Gamma: concentration has a number that is not above 0", D.Gamma, 0)
  refuses("distributions.MultivariateNormal: cholesky: the matrix is not positive definite", D.MultivariateNormal, { 0, 0 }, { { 1, 2 }, { 2, 1 } })
  refuses("distributions.MultivariateNormal: loc (3,) and the covariance's shape (2, 2) do not match", D.MultivariateNormal,
    { 0, 0, 0 }, { { 1, 0 }, { 0, 1 } })
  refuses("distributions.MultivariateNormal: expected a covariance", D.MultivariateNormal, { 0, 0 })
  refuses("distributions.Categorical:log_prob: x is float32, expected classes", D.Categorical { 1, 1 }.log_prob, D.Categorical { 1, 1 }, 1.5)
  local coin = D.Categorical { 1, 1 }
  refuses("distributions.Categorical:log_prob: gather: index 0; indices count from 1", coin.log_prob, coin, 0)
  refuses("distributions.Categorical:entropy: 2 arguments given, at most 1", coin.entropy, coin, 1)
  refuses("log_prob: called with a dot", coin.log_prob, 1)
  local p = D.Normal()
  refuses("distributions.Normal:kl: other is", p.kl, p, D.Gamma(1))
  refuses("distributions.Normal:sample: shape[1] is -1, expected 0 or more", p.sample, p, { -1 })
  refuses("distributions.Normal:sample: unknown option 'rng'", p.sample, p, { 1 }, { rng = 1 })
  refuses("distributions.Normal:sample: generator is 5, expected a lutra.random.Generator", p.sample, p, {}, { generator = 5 })
  refuses("distributions.MultivariateNormal: options is 5, expected a table", D.MultivariateNormal, { 0 }, { { 1 } }, 5)
  refuses("kl_divergence: p is no distribution", D.kl_divergence, 5, p)
  refuses("kl_divergence: p is no distribution", D.kl_divergence, D.Gamma, D.Gamma)
end)
print("distributions passed")
