-- Losses of distances between labels and predictions, with Keras 3's names, defaults and formulas (losses.lua). Loaded when
-- one is named.
local lutra, _, use = ...
local options, losses = use "options", use "nn.training.losses"
local define, both, kEpsilon = losses.define, losses.both, losses.kEpsilon

define("KLDivergence", { "kl_divergence", "kld" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("kl_divergence", y_true, y_pred)
  y_true, y_pred = lutra.clip(y_true, kEpsilon, 1), lutra.clip(y_pred, kEpsilon, 1)
  return (y_true * lutra.log(y_true / y_pred)):sum(-1)
end)
define("Poisson", { "poisson" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("poisson", y_true, y_pred)
  return (y_pred - y_true * lutra.log(y_pred + kEpsilon)):mean(-1)
end)
-- log(cosh(x)) without the overflow of cosh.
define("LogCosh", { "log_cosh", "logcosh" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("log_cosh", y_true, y_pred)
  local apart = y_pred - y_true
  return (apart + lutra.softplus(-2 * apart) - math.log(2)):mean(-1)
end)
define("MeanAbsolutePercentageError", { "mean_absolute_percentage_error", "mape" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("mean_absolute_percentage_error", y_true, y_pred)
  return 100 * lutra.abs((y_true - y_pred) / lutra.maximum(lutra.abs(y_true), kEpsilon)):mean(-1)
end)
define("MeanSquaredLogarithmicError", { "mean_squared_logarithmic_error", "msle" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("mean_squared_logarithmic_error", y_true, y_pred)
  return lutra.square(lutra.log1p(lutra.maximum(y_pred, kEpsilon)) - lutra.log1p(lutra.maximum(y_true, kEpsilon))):mean(-1)
end)

local function unit(x, axis) return x / lutra.sqrt(lutra.maximum(lutra.square(x):sum(axis, { keepdims = true }), 1e-12)) end
local function cosine(who, y_true, y_pred, axis)
  y_true, y_pred = both(who, y_true, y_pred)
  return (unit(y_true, axis) * unit(y_pred, axis)):sum(axis)
end
-- From -1, the same direction, to 1.
define("CosineSimilarity", { "cosine_similarity" }, { axis = -1 }, function(self, y_true, y_pred)
  return -cosine("cosine_similarity", y_true, y_pred, options.whole("losses.CosineSimilarity", "axis", self.axis))
end)

-- The classes and functions, for losses.lua.
return losses.public
