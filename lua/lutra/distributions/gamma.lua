-- The gamma distribution and the beta distribution. Samples have no gradients by the parameters.
local lutra, _, use = ...
local class = use "class"
local Distribution = use "distributions.distribution"
local parameter, check = Distribution.parameter, Distribution.check

local function log_beta(a, b) return lutra.lgamma(a) + lutra.lgamma(b) - lutra.lgamma(a + b) end

local Gamma = class("distributions.Gamma", Distribution)

function Gamma:init(concentration, rate, given)
  local who = "distributions.Gamma"
  local read = Distribution.options(who, given)
  concentration = parameter(who, "concentration", concentration)
  rate = parameter(who, "rate", rate == nil and 1.0 or rate)
  check(who, read, "concentration", concentration:gt(0), "above 0")
  check(who, read, "rate", rate:gt(0), "above 0")
  self.concentration, self.rate = Distribution.broadcast(concentration, rate)
  self.shape = self.rate.shape
end

function Gamma:sample(shape, given)
  local sizes = self:sizes(shape)
  return (lutra.random.gamma(sizes, self.concentration, self.rate, { seed = self:seed(given) }))
end
function Gamma:log_prob(x)
  local a, r = self.concentration, self.rate
  x = self:value(x)
  local is_outside = lutra.logical_or(x:lt(0), x:eq(math.huge))
  -- Elsewhere the logarithm and its gradient would be nan.
  x = lutra.where(is_outside, 1, x)
  return Distribution.outside(is_outside, lutra.xlogy(a - 1.0, x) - r * x + lutra.xlogy(a, r) - lutra.lgamma(a))
end
function Gamma:entropy()
  -- Of a large concentration the terms cancel: there their asymptotic series (DLMF 5.11.1 and 5.11.2).
  local a = self.concentration
  local is_large = a:gt(a.dtype == "float64" and 1e4 or 100)
  local small, large = lutra.where(is_large, 1, a), lutra.where(is_large, a, 1)
  local series = 0.5 * lutra.log(large) + (0.5 + 0.5 * math.log(2 * math.pi)) - 1 / (3 * large) - 1 / (12 * large) / large
  return lutra.where(is_large, series, small + lutra.lgamma(small) + (1.0 - small) * lutra.digamma(small)) - lutra.log(self.rate)
end
-- 0 below 0, where no slope reaches the parameters.
function Gamma:cdf(x)
  x = self:value(x)
  local is_below = x:lt(0)
  return (lutra.where(is_below, 0, lutra.gammainc(self.concentration, self.rate * lutra.where(is_below, 0, x))))
end
function Gamma:mean() return self.concentration / self.rate end
function Gamma:variance() return self.concentration / lutra.square(self.rate) end
function Gamma:divergence(other)
  local a, r, b, s = self.concentration, self.rate, other.concentration, other.rate
  return (a - b) * lutra.digamma(a) - lutra.lgamma(a) + lutra.lgamma(b) + b * lutra.log(r / s) + a * (s - r) / r
end

local Beta = class("distributions.Beta", Distribution)

function Beta:init(a, b, given)
  local who = "distributions.Beta"
  local read = Distribution.options(who, given)
  a, b = parameter(who, "a", a), parameter(who, "b", b)
  check(who, read, "a", a:gt(0), "above 0")
  check(who, read, "b", b:gt(0), "above 0")
  self.a, self.b = Distribution.broadcast(a, b)
  self.shape = self.a.shape
end

function Beta:sample(shape, given)
  local sizes = self:sizes(shape)
  return (lutra.random.beta(sizes, self.a, self.b, { seed = self:seed(given) }))
end
function Beta:log_prob(x)
  x = self:value(x)
  local is_outside = lutra.logical_or(x:lt(0), x:gt(1))
  x = lutra.where(is_outside, 0.5, x)
  return Distribution.outside(is_outside,
    lutra.xlogy(self.a - 1.0, x) + lutra.xlogy(self.b - 1.0, 1.0 - x) - log_beta(self.a, self.b))
end
function Beta:entropy()
  local a, b = self.a, self.b
  return log_beta(a, b) - (a - 1.0) * lutra.digamma(a) - (b - 1.0) * lutra.digamma(b)
    + (a + b - 2.0) * lutra.digamma(a + b)
end
function Beta:mean() return self.a / (self.a + self.b) end
function Beta:variance()
  local sum = self.a + self.b
  return self.a * self.b / (lutra.square(sum) * (sum + 1.0))
end
function Beta:divergence(other)
  local a, b, c, d = self.a, self.b, other.a, other.b
  return log_beta(c, d) - log_beta(a, b) + (a - c) * lutra.digamma(a) + (b - d) * lutra.digamma(b)
    + (c - a + d - b) * lutra.digamma(a + b)
end

return { Gamma = Distribution.finish_class(Gamma), Beta = Distribution.finish_class(Beta) }
