-- Losses for rare classes: focal cross-entropies and overlaps, with Keras 3's names, defaults and formulas (losses.lua).
-- Loaded when one is named.
local lutra, _, use = ...
local options, losses = use "options", use "nn.training.losses"
local define, both, probabilities, kEpsilon = losses.define, losses.both, losses.probabilities, losses.kEpsilon

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
return losses.public
