-- Losses of margins, with Keras 3's names, defaults and formulas (losses.lua). Loaded when one is named.
local lutra, _, use = ...
local losses = use "nn.training.losses"
local define, both = losses.define, losses.both

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

-- The classes and functions, for losses.lua.
return losses.public
