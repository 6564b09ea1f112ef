-- Losses that fewer programs use, with Keras 3's names, defaults and formulas (losses.lua). Loaded when one is named.
local lutra, tools, use = ...
local options, losses = use "options", use "nn.training.losses"
local define, fitted, unhalved, probabilities, kEpsilon = losses.define, losses.fitted, losses.unhalved,
  losses.probabilities, losses.kEpsilon

-- Labels as floats of the predictions' dtype, in their shape.
local function both(who, y_true, y_pred)
  y_pred = unhalved(y_pred)
  return lutra.cast(fitted(who, y_true, y_pred), y_pred.dtype), y_pred
end

-- Labels of 0 and 1 become -1 and 1; which they are is decided on the device.
local function signs(y_true)
  local is_binary = lutra.all(lutra.logical_or(y_true:eq(0), y_true:eq(1)))
  return lutra.where(is_binary, 2 * y_true - 1, y_true)
end

define("Hinge", { "hinge" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("hinge", y_true, y_pred)
  return lutra.relu(1 - signs(y_true) * y_pred):mean(-1)
end)
define("SquaredHinge", { "squared_hinge" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("squared_hinge", y_true, y_pred)
  return lutra.square(lutra.relu(1 - signs(y_true) * y_pred)):mean(-1)
end)
-- Labels have a 1 for the right class and 0 for the others.
define("CategoricalHinge", { "categorical_hinge" }, {}, function(_, y_true, y_pred)
  y_true, y_pred = both("categorical_hinge", y_true, y_pred)
  return lutra.relu(((1 - y_true) * y_pred):max(-1) - (y_true * y_pred):sum(-1) + 1)
end)

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

local function check_focus(self, who)
  options.number(who, "alpha", self.alpha, 0, 1)
  options.number(who, "gamma", self.gamma, 0)
end
local focal = { alpha = 0.25, gamma = 2.0, from_logits = false, label_smoothing = 0.0 }
local function focal_options(more)
  for key, value in pairs(focal) do more[key] = value end
  return more
end
-- Cross-entropy that counts rows less the more certain they are already (Lin et al., ICCV 2017).
define("BinaryFocalCrossentropy", { "binary_focal_crossentropy" }, focal_options { apply_class_balancing = false },
  function(self, y_true, y_pred)
    check_focus(self, "losses.BinaryFocalCrossentropy")
    options.boolean("losses.BinaryFocalCrossentropy", "apply_class_balancing", self.apply_class_balancing)
    y_true, y_pred = both("binary_focal_crossentropy", y_true, y_pred)
    if self.label_smoothing > 0 then y_true = y_true * (1 - self.label_smoothing) + 0.5 * self.label_smoothing end
    local p = self.from_logits and lutra.sigmoid(y_pred) or y_pred
    local entropy
    if self.from_logits then
      entropy = lutra.softplus(y_pred) - y_true * y_pred
    else
      local inside = probabilities(p)
      entropy = -(y_true * lutra.log(inside) + (1 - y_true) * lutra.log(1 - inside))
    end
    local right = y_true * p + (1 - y_true) * (1 - p)
    local loss = entropy * (1 - right) ^ self.gamma
    if self.apply_class_balancing then loss = loss * (y_true * self.alpha + (1 - y_true) * (1 - self.alpha)) end
    return loss:mean(-1)
  end)
define("CategoricalFocalCrossentropy", { "categorical_focal_crossentropy" }, focal_options {}, function(self, y_true, y_pred)
  check_focus(self, "losses.CategoricalFocalCrossentropy")
  y_true, y_pred = both("categorical_focal_crossentropy", y_true, y_pred)
  if self.label_smoothing > 0 then
    y_true = y_true * (1 - self.label_smoothing) + self.label_smoothing / y_pred.shape[y_pred.rank]
  end
  local p = self.from_logits and lutra.softmax(y_pred) or y_pred
  p = probabilities(p / p:sum(-1, { keepdims = true }))
  return (self.alpha * (1 - p) ^ self.gamma * y_true * -lutra.log(p)):sum(-1)
end)

-- One number for the whole batch, or with `axis` one for each index of the other axes.
local function axis_of(who, axis)
  if axis and type(axis) ~= "table" then return { options.whole(who, "axis", axis) } end
  return axis or nil
end
local function overlap(who, self, y_true, y_pred, weigh)
  y_true, y_pred = both(who, y_true, y_pred)
  local axis = axis_of(who, self.axis)
  local function sum(x) return axis and x:sum(axis) or x:sum() end
  return weigh(sum, y_true, y_pred)
end
define("Dice", { "dice" }, { axis = false }, function(self, y_true, y_pred)
  return overlap("dice", self, y_true, y_pred, function(sum, y, p)
    return 1 - 2 * sum(y * p) / (sum(y) + sum(p) + kEpsilon)
  end)
end)
define("Tversky", { "tversky" }, { alpha = 0.5, beta = 0.5, axis = false }, function(self, y_true, y_pred)
  options.number("losses.Tversky", "alpha", self.alpha, 0)
  options.number("losses.Tversky", "beta", self.beta, 0)
  return overlap("tversky", self, y_true, y_pred, function(sum, y, p)
    local both_of = sum(y * p)
    return 1 - both_of / (both_of + sum((1 - p) * y) * self.alpha + sum(p * (1 - y)) * self.beta + kEpsilon)
  end)
end)

-- The classes and functions, for losses.lua.
local made = {}
for name, value in pairs(losses.public) do made[name] = value end
made.cosine = nil

return made
