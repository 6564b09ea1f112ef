-- Constraints of weights: functions of a weight, which give the weight that is kept after each step of the optimizer, with
-- Keras 3's names and defaults. Loaded when one is named.
local lutra, tools, use = ...
local options, class, constrained = use "options", use "class", use "optim.constrained"

local constraints, by_name = {}, {}

local function define(name, words, defaults, check, f)
  local Constraint = class("nn.constraints." .. name)
  Constraint.remembers = true
  function Constraint:init(given)
    for key, value in pairs(options.read("constraints." .. name, given, defaults)) do self[key] = value end
    check(self, "constraints." .. name)
  end
  function Constraint:__call(weight) return f(self, weight) end
  constraints[name] = Constraint
  for _, word in ipairs(words) do by_name[word] = Constraint end
end

local function length(self, weight)
  return lutra.sqrt(lutra.square(weight):sum(self.axis, { keepdims = true }))
end
local function check_axis(self, who)
  if type(self.axis) ~= "table" then options.whole(who, "axis", self.axis) end
end

-- Axes count from 1; a kernel of Dense has its units' weights along axis 1.
define("MaxNorm", { "max_norm" }, { max_value = 2.0, axis = 1 }, function(self, who)
  options.number(who, "max_value", self.max_value, 0)
  check_axis(self, who)
end, function(self, weight)
  local norms = length(self, weight)
  return weight * (lutra.clip(norms, 0, self.max_value) / (norms + 1e-7))
end)
define("NonNeg", { "non_neg" }, {}, function() end, function(_, weight) return lutra.where(weight:ge(0), weight, 0) end)
define("UnitNorm", { "unit_norm" }, { axis = 1 }, check_axis, function(self, weight)
  return weight / (length(self, weight) + 1e-7)
end)
define("MinMaxNorm", { "min_max_norm" }, { min_value = 0.0, max_value = 1.0, rate = 1.0, axis = 1 }, function(self, who)
  options.number(who, "min_value", self.min_value, 0)
  options.number(who, "max_value", self.max_value, 0)
  options.number(who, "rate", self.rate, 0, 1)
  check_axis(self, who)
end, function(self, weight)
  local norms = length(self, weight)
  local wanted = lutra.clip(norms, self.min_value, self.max_value) * self.rate + norms * (1 - self.rate)
  return weight * (wanted / (norms + 1e-7))
end)

-- Internal: resolves add_weight's option, and applies it after each step of an optimizer.
local function attach(who, what, variable, value)
  local found = options.resolve_callable(who, what, value, by_name, "a name, a constraint or a function of the weight")
  constrained.attach(variable, type(value) == "string" and found() or found)
end

-- `constraints` is lutra.nn.constraints (../init.lua).
return { constraints = constraints, attach = attach }
