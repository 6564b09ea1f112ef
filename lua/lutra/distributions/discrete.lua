-- Distributions of coins and of classes, by probabilities or by logits.
local lutra, _, use = ...
local class, options = use "class", use "options"
local Distribution = use "distributions.distribution"
local parameter, check = Distribution.parameter, Distribution.check

-- The probabilities or the logits of a constructor's arguments: (probs, options) or {probs =}, {logits =}.
local function read(who, first, given)
  local probs, logits, other = first, nil, {}
  if type(first) == "table" and getmetatable(first) == nil and #first == 0 then
    probs, logits = first.probs, first.logits
    for key, value in pairs(first) do if key ~= "probs" and key ~= "logits" then other[key] = value end end
    given = next(other) ~= nil and other or given
  end
  if (probs == nil) == (logits == nil) then Distribution.fail("%s: expected probabilities, or {logits = }", who) end
  return probs ~= nil and parameter(who, "probs", probs), logits ~= nil and parameter(who, "logits", logits),
    Distribution.options(who, given)
end

local Bernoulli = class("distributions.Bernoulli", Distribution)

function Bernoulli:init(first, given)
  local who = "distributions.Bernoulli"
  local probs, logits, options = read(who, first, given)
  if probs then check(who, options, "probs", lutra.logical_and(probs:ge(0), probs:le(1)), "a probability: 0 to 1") end
  self.logits = logits or nil
  self.probs = probs or lutra.sigmoid(logits)
  self.shape = self.probs.shape
end

function Bernoulli:sample(shape, given)
  local u = lutra.random.uniform(self:sizes(shape), { dtype = self.probs.dtype, seed = self:seed(given) })
  return (u:lt(self.probs):cast(self.probs.dtype))
end
function Bernoulli:log_prob(x)
  x = self:value(x)
  -- nan stays nan.
  local is_outside = lutra.logical_and(lutra.logical_and(x:ne(0), x:ne(1)), x:eq(x))
  x = lutra.where(is_outside, 0, x)
  if self.logits then
    return Distribution.outside(is_outside, x * self.logits - lutra.softplus(self.logits))
  end
  return Distribution.outside(is_outside, lutra.xlogy(x, self.probs) + lutra.xlogy(1.0 - x, 1.0 - self.probs))
end
function Bernoulli:entropy()
  local p = self.probs
  return -(lutra.xlogy(p, p) + lutra.xlogy(1.0 - p, 1.0 - p))
end
function Bernoulli:mean() return self.probs end
function Bernoulli:variance() return self.probs * (1.0 - self.probs) end
function Bernoulli:divergence(other)
  local p, q = self.probs, other.probs
  return lutra.xlogy(p, p / q) + lutra.xlogy(1.0 - p, (1.0 - p) / (1.0 - q))
end

local Categorical = class("distributions.Categorical", Distribution)

function Categorical:init(first, given)
  local who = "distributions.Categorical"
  local probs, logits, options = read(who, first, given)
  local given_as = probs or logits
  if given_as.rank == 0 or given_as.shape[given_as.rank] == 0 then
    Distribution.fail("%s: the shape is %s, expected at least one class along the last axis", who, tostring(given_as.shape))
  end
  if probs then
    check(who, options, "probs", probs:ge(0), "0 or more")
    self.probs = probs / probs:sum(-1, { keepdims = true })
    self.log_probs = lutra.log(self.probs)
  else
    self.log_probs = lutra.log_softmax(logits)
    self.probs = lutra.exp(self.log_probs)
  end
  self.classes = given_as.shape[given_as.rank]
  local batch = {}
  for i = 1, given_as.rank - 1 do batch[i] = given_as.shape[i] end
  self.shape = batch
end

-- Draws lie along the last axis of the op's result, and come first here.
function Categorical:sample(shape, given)
  local sizes, count = self:sizes(shape)
  local draws = 1
  for i = 1, count do draws = draws * sizes[i] end
  local drawn = lutra.random.categorical(self.log_probs, draws, { seed = self:seed(given) })
  local order = { drawn.rank }
  for i = 1, drawn.rank - 1 do order[i + 1] = i end
  return (drawn:transpose(order):reshape(sizes))
end
function Categorical:log_prob(x)
  x = options.tensor("distributions.Categorical:log_prob", "x", x)
  if not x.dtype:find("int") then
    Distribution.fail("distributions.Categorical:log_prob: x is %s, expected classes, whole numbers from 1 on", x.dtype)
  end
  local log_probs = self.log_probs
  if log_probs.rank == 1 then return (lutra.gather(log_probs, x)) end
  -- x's own axes before the batch's repeat the rows.
  local sizes = {}
  for i, size in ipairs(x.shape) do sizes[i] = size end
  sizes[#sizes + 1] = self.classes
  if x.rank < log_probs.rank - 1 then
    x = lutra.broadcast_to(x, self.shape)
    sizes = log_probs.shape
  end
  return (lutra.take_along_axis(lutra.broadcast_to(log_probs, sizes), x:expand_dims(-1), -1):squeeze(-1))
end
function Categorical:entropy() return -lutra.xlogy(self.probs, self.probs):sum(-1) end
function Categorical:divergence(other)
  return (lutra.xlogy(self.probs, self.probs / other.probs):sum(-1))
end
-- Classes are counted from 1.
function Categorical:mean()
  return (lutra.matmul(self.probs, lutra.range(1, self.classes + 1):cast(self.probs.dtype)))
end
function Categorical:variance()
  local class = lutra.range(1, self.classes + 1):cast(self.probs.dtype)
  return lutra.matmul(self.probs, class * class) - lutra.square(self:mean())
end

return { Bernoulli = Distribution.finish_class(Bernoulli), Categorical = Distribution.finish_class(Categorical) }
