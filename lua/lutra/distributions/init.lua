-- lutra.distributions: probability distributions. Documented in _meta/distributions.lua.
local lutra, _, use = ...

local distributions = {}
for _, name in ipairs { "Normal", "Bernoulli", "Categorical", "Beta", "Gamma", "MultivariateNormal" } do
  distributions[name] = use("distributions." .. ({ Normal = "normal", MultivariateNormal = "normal", Bernoulli = "discrete",
    Categorical = "discrete", Beta = "gamma", Gamma = "gamma" })[name])[name]
end

function distributions.kl_divergence(p, q)
  if type(p) ~= "table" or rawget(p, "shape") == nil or type(p.divergence) ~= "function" then
    use("distributions.distribution").fail("kl_divergence: p is no distribution")
  end
  return (p:kl(q))
end

return distributions
