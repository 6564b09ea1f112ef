-- Normal distributions, of numbers and of vectors.
local lutra, _, use = ...
local class = use "class"
local Distribution = use "distributions.distribution"
local parameter, check = Distribution.parameter, Distribution.check

local kHalfLogTwoPi = 0.5 * math.log(2 * math.pi)

local Normal = class("distributions.Normal", Distribution)

function Normal:init(loc, scale, given)
  local who = "distributions.Normal"
  local read = Distribution.options(who, given)
  loc, scale = parameter(who, "loc", loc == nil and 0.0 or loc), parameter(who, "scale", scale == nil and 1.0 or scale)
  check(who, read, "scale", scale:gt(0), "above 0")
  self.loc, self.scale = Distribution.broadcast(loc, scale)
  self.shape = self.loc.shape
end

function Normal:sample(shape, given)
  local z = lutra.random.normal(self:sizes(shape), { dtype = self.loc.dtype, seed = self:seed(given) })
  return self.loc + self.scale * z
end
function Normal:log_prob(x)
  return (lutra.square((self:value(x) - self.loc) / self.scale) * -0.5 - lutra.log(self.scale) - kHalfLogTwoPi)
end
function Normal:entropy() return lutra.log(self.scale) + (0.5 + kHalfLogTwoPi) end
function Normal:mean() return self.loc end
function Normal:variance() return (lutra.square(self.scale)) end
function Normal:cdf(x)
  return lutra.erfc((self.loc - self:value(x)) / self.scale * math.sqrt(0.5)) * 0.5
end
function Normal:icdf(p)
  return self.loc + self.scale * lutra.erfinv(self:value(p) * 2.0 - 1.0) * math.sqrt(2)
end
function Normal:divergence(other)
  local ratio = lutra.square(self.scale / other.scale)
  return (ratio + lutra.square((self.loc - other.loc) / other.scale) - 1.0 - lutra.log(ratio)) * 0.5
end

local MultivariateNormal = class("distributions.MultivariateNormal", Distribution)

local function transposed(x)
  local order = {}
  for i = 1, x.rank do order[i] = i end
  order[x.rank - 1], order[x.rank] = x.rank, x.rank - 1
  return x:transpose(order)
end

function MultivariateNormal:init(loc, covariance, given)
  local who = "distributions.MultivariateNormal"
  local is_plain = type(covariance) == "table" and getmetatable(covariance) == nil
  if is_plain and (covariance.scale_tril ~= nil or covariance.validate_args ~= nil) then
    covariance, given = nil, covariance
  end
  local scale, rest = nil, given
  if type(given) == "table" and getmetatable(given) == nil then
    rest = {}
    for key, value in pairs(given) do if key ~= "scale_tril" then rest[key] = value end end
    scale = given.scale_tril
  end
  local read = Distribution.options(who, rest)
  loc = parameter(who, "loc", loc)
  if (covariance == nil) == (scale == nil) then
    Distribution.fail("%s: expected a covariance, or {scale_tril = its Cholesky factor}", who)
  end
  local is_covariance = covariance ~= nil
  if is_covariance then scale = parameter(who, "covariance", covariance) else scale = parameter(who, "scale_tril", scale) end
  local n = loc.rank > 0 and loc.shape[loc.rank] or -1
  if scale.rank < 2 or scale.shape[scale.rank] ~= n or scale.shape[scale.rank - 1] ~= n then
    Distribution.fail("%s: loc %s and the covariance's shape %s do not match: expected [..., n] and [..., n, n]", who,
      tostring(loc.shape), tostring(scale.shape))
  end
  if is_covariance then
    local apart = lutra.abs(scale - transposed(scale))
    check(who, read, "covariance", apart:le(lutra.abs(scale):max { axis = { -2, -1 }, keepdims = true } * 1e-5),
      "equal to the one across the diagonal")
    scale = lutra.cholesky(scale)
  else
    check(who, read, "scale_tril", (scale - lutra.tril(scale)):eq(0), "0 above the diagonal")
    local is_diagonal = lutra.eye(n, { dtype = scale.dtype }):gt(0)
    check(who, read, "scale_tril", lutra.where(is_diagonal, scale, 1):gt(0), "above 0 on the diagonal")
    scale = lutra.tril(scale)
  end
  self.n = n
  -- The batch axes of both.
  local sum = scale:sum(-1) + loc
  self.loc, self.scale = lutra.broadcast_to(loc, sum.shape):cast(sum.dtype), scale:cast(sum.dtype)
  self.shape = sum.shape
end

function MultivariateNormal:log_diagonal()
  return (lutra.log((self.scale * lutra.eye(self.n, { dtype = self.scale.dtype })):sum(-1)):sum(-1))
end
-- The squared length of l^-1 x.
function MultivariateNormal:squared(x)
  return (lutra.square(lutra.triangular_solve(self.scale, x:expand_dims(-1))):sum { axis = { -2, -1 } })
end
function MultivariateNormal:sample(shape, given)
  local z = lutra.random.normal(self:sizes(shape), { dtype = self.loc.dtype, seed = self:seed(given) })
  return self.loc + lutra.matmul(self.scale, z:expand_dims(-1)):squeeze(-1)
end
function MultivariateNormal:log_prob(x)
  return self:squared(self:value(x) - self.loc) * -0.5 - self:log_diagonal() - self.n * kHalfLogTwoPi
end
function MultivariateNormal:entropy() return self:log_diagonal() + self.n * (0.5 + kHalfLogTwoPi) end
function MultivariateNormal:mean() return self.loc end
function MultivariateNormal:variance() return (lutra.square(self.scale):sum(-1)) end
function MultivariateNormal:covariance() return (lutra.matmul(self.scale, self.scale, { transpose_b = true })) end
function MultivariateNormal:divergence(other)
  local trace = lutra.square(lutra.triangular_solve(other.scale, self.scale)):sum { axis = { -2, -1 } }
  return (trace + other:squared(other.loc - self.loc) - self.n) * 0.5 + other:log_diagonal() - self:log_diagonal()
end

return {
  Normal = Distribution.finish_class(Normal), MultivariateNormal = Distribution.finish_class(MultivariateNormal),
}
