-- A mixture of normal distributions, fitted by expectation-maximisation (EM).
--   lutra scripts/experiments/gaussian_mixture.lua [POINTS [STEPS]]
-- The points are drawn from three ellipses; the program prints the log-likelihood, which never falls, and what it finds.
local D = lt.distributions
lt.random.set_seed(3)

local count, steps = tonumber(arg[1]) or 3000, tonumber(arg[2]) or 200
local kinds = 3
local double = { dtype = "float64" }
local true_means = lt.constant({ { -2, 0 }, { 1, 2 }, { 2, -1.5 } }, double)
local true_factors = lt.constant({ { { 1, 0 }, { 0.5, 0.6 } }, { { 0.7, 0 }, { -0.3, 1 } }, { { 1.5, 0 }, { 0, 0.4 } } }, double)

local class = lt.random.categorical(lt.log(lt.constant({ { 0.5, 0.3, 0.2 } }, double)), count):squeeze(1)
local noise = lt.random.normal({ count, 2 }, double)
local x = true_means:gather(class) + lt.matmul(true_factors:gather(class), noise:expand_dims(3)):squeeze(3)

-- Begins at points of the data that are far apart: each is drawn with weights by the distance from those before
-- (k-means++, Arthur and Vassilvitskii, 2007).
local means = x[{ { 1 } }]:reshape { 1, 2 }
for _ = 2, kinds do
  local apart = lt.square(lt.cdist(x, means)):min(2)
  local next_one = lt.random.choice(count, {}, { p = apart / apart:sum() })
  means = lt.concat({ means, x:gather(next_one):reshape { 1, 2 } }, 1)
end
local weights = lt.fill({ kinds }, 1 / kinds):float64()
local covariances = lt.tile(lt.cov(x, { rowvar = false }):expand_dims(1), { kinds, 1, 1 })

local last
for step = 1, steps do
  -- How likely each point is under each kind, [points, kinds], and so which kind it came from.
  local logs = D.MultivariateNormal(means, covariances):log_prob(x:expand_dims(2)) + lt.log(weights)
  local total = lt.logsumexp(logs, 2, { keepdims = true })
  local shares = lt.exp(logs - total)
  local likelihood = total:mean():item()
  local is_done = step == steps or last and likelihood - last < 1e-9
  if step % 20 == 1 or is_done then print(("step %2d: log-likelihood %.6f"):format(step, likelihood)) end
  assert(not last or likelihood > last - 1e-12, "the likelihood never falls")
  if is_done then break end
  last = likelihood

  local mass = shares:sum(1)
  weights = mass / count
  means = lt.matmul(shares, x, { transpose_a = true }) / mass:expand_dims(2)
  local apart = x:expand_dims(2) - means
  covariances = lt.einsum("nk,nki,nkj->kij", shares, apart, apart) / mass:reshape { kinds, 1, 1 } + lt.eye(2, double) * 1e-6
end

-- Each kind beside the nearest true one.
local nearest = lt.cdist(means, true_means):argmin(2)
for kind = 1, kinds do
  local wanted = nearest[kind]:item()
  local off = lt.norm(means[kind] - true_means[wanted]):item()
  print(("weight %.3f, mean (%.3f, %.3f), off by %.3f; deviations %s"):format(weights[kind]:item(), means[{ kind, 1 }]:item(),
    means[{ kind, 2 }]:item(), off, lt.sqrt(lt.diag(covariances[kind]))))
end
