-- The optimisers, with Keras 3's names and defaults. Their formulas are in kernels/element/optimisers.h.
local lutra, tools, use = ...
local class, options, Optimizer = use "class", use "options", use "optim.optimizer"

local optimizers = {}

local function define(kind, op, defaults, set_numbers, more)
  local Made = class("optim." .. kind, Optimizer)
  Made.kind, Made.op, Made.set_numbers = kind, op, set_numbers
  Made.defaults = {}
  for key, value in pairs(Optimizer.defaults) do Made.defaults[key] = value end
  for key, value in pairs(defaults) do Made.defaults[key] = value end
  for key, value in pairs(more or {}) do Made[key] = value end
  optimizers[kind] = Made
end

define("SGD", "ResourceApplyGradientDescent", { learning_rate = 0.01, momentum = 0.0, nesterov = false },
  function(self, numbers, rate)
    numbers.learning_rate, numbers.momentum, numbers.nesterov = rate, self.momentum, self.nesterov
  end, {
    check = function(self, who)
      options.number(who, "momentum", self.momentum, 0, 1)
      options.boolean(who, "nesterov", self.nesterov)
      if self.momentum > 0 then self.op, self.slot_list = "ResourceApplyKerasMomentum", { "momentum" } end
    end,
  })

-- Corrects the bias of means that start at 0 (Kingma and Ba, ICLR 2015).
local function adam_numbers(self, numbers, rate)
  local step = self.iterations + 1
  numbers.learning_rate = rate * math.sqrt(1 - self.beta_2 ^ step) / (1 - self.beta_1 ^ step)
  numbers.beta_1, numbers.beta_2, numbers.epsilon = self.beta_1, self.beta_2, self.epsilon
end
local function adam_slots(self)
  return self.amsgrad and { "momentum", "velocity", "velocity_hat" } or { "momentum", "velocity" }
end
local function check_betas(self, who)
  options.number(who, "beta_1", self.beta_1, 0, 1)
  options.number(who, "beta_2", self.beta_2, 0, 1)
end
-- A mean that never moves would be divided by 0.
local function check_below_1(self, who, ...)
  for _, name in ipairs { ... } do
    local beta = self[name]
    if type(beta) ~= "number" or not (beta >= 0 and beta < 1) then
      tools.fail("InvalidArgument",
        ("%s: %s is %s, expected a number from 0 to below 1"):format(who, name, tools.what_is(beta)))
    end
  end
end
local function check_adam(self, who)
  check_below_1(self, who, "beta_1", "beta_2")
  options.boolean(who, "amsgrad", self.amsgrad)
end
local adam = { learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7, amsgrad = false }
define("Adam", "ResourceApplyAdam", adam, adam_numbers, { slot_names = adam_slots, check = check_adam })
adam.weight_decay = 0.004
define("AdamW", "ResourceApplyAdam", adam, adam_numbers, { slot_names = adam_slots, check = check_adam })

define("RMSprop", "ResourceApplyRMSProp",
  { learning_rate = 0.001, rho = 0.9, momentum = 0.0, epsilon = 1e-7, centered = false }, function(self, numbers, rate)
    numbers.learning_rate, numbers.rho, numbers.epsilon = rate, self.rho, self.epsilon
    numbers.momentum, numbers.centered = self.momentum, self.centered
  end, {
    slot_names = function(self)
      local names = { "velocity" }
      if self.centered then names[#names + 1] = "average_gradient" end
      if self.momentum > 0 then names[#names + 1] = "momentum" end
      return names
    end,
    check = function(self, who)
      options.number(who, "rho", self.rho, 0, 1)
      options.number(who, "momentum", self.momentum, 0, 1)
      options.boolean(who, "centered", self.centered)
    end,
  })

define("Adagrad", "ResourceApplyAdagrad", { learning_rate = 0.001, initial_accumulator_value = 0.1, epsilon = 1e-7 },
  function(self, numbers, rate) numbers.learning_rate, numbers.epsilon = rate, self.epsilon end,
  {
    slot_list = { "accumulator" }, slot_values = { accumulator = "initial_accumulator_value" },
    check = function(self, who) options.number(who, "initial_accumulator_value", self.initial_accumulator_value, 0) end,
  })

define("Lion", "ResourceApplyLion", { learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.99 },
  function(self, numbers, rate)
  numbers.learning_rate, numbers.beta_1, numbers.beta_2 = rate, self.beta_1, self.beta_2
end, { slot_list = { "momentum" }, check = check_betas })

-- The product of the momenta of Nadam's first n steps; it is kept for the next step.
local function nadam_momentum(self, step) return self.beta_1 * (1 - 0.5 * 0.96 ^ step) end
local function nadam_product(self, n)
  if self.product_of ~= n - 1 then
    self.product, self.product_of = 1.0, 0
    for step = 1, n - 1 do self.product = self.product * nadam_momentum(self, step) end
  end
  self.product, self.product_of = self.product * nadam_momentum(self, n), n
  return self.product
end
define("Nadam", "ResourceApplyNadam", { learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7 },
  function(self, numbers, rate)
    local step = self.iterations + 1
    local now, next, product = nadam_momentum(self, step), nadam_momentum(self, step + 1), nadam_product(self, step)
    numbers.learning_rate, numbers.epsilon, numbers.beta_1, numbers.beta_2 = rate, self.epsilon, self.beta_1, self.beta_2
    numbers.mean_factor, numbers.gradient_factor = next / (1 - product * next), (1 - now) / (1 - product)
    numbers.square_factor = 1 / (1 - self.beta_2 ^ step)
  end, {
    slot_list = { "momentum", "velocity" },
    check = function(self, who) check_below_1(self, who, "beta_1", "beta_2") end,
  })

define("Adamax", "ResourceApplyAdaMax", { learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7 },
  function(self, numbers, rate)
    numbers.learning_rate = rate / (1 - self.beta_1 ^ (self.iterations + 1))
    numbers.beta_1, numbers.beta_2, numbers.epsilon = self.beta_1, self.beta_2, self.epsilon
  end, {
    slot_list = { "momentum", "norm" },
    check = function(self, who)
      check_below_1(self, who, "beta_1")
      options.number(who, "beta_2", self.beta_2, 0, 1)
    end,
  })

define("Adadelta", "ResourceApplyAdadelta", { learning_rate = 0.001, rho = 0.95, epsilon = 1e-7 },
  function(self, numbers, rate)
    numbers.learning_rate, numbers.rho, numbers.epsilon = rate, self.rho, self.epsilon
  end, {
    slot_list = { "accumulated_grad", "accumulated_delta_var" },
    check = function(self, who) check_below_1(self, who, "rho") end,
  })

local ftrl = {
  learning_rate = 0.001, learning_rate_power = -0.5, initial_accumulator_value = 0.1, l1_regularization_strength = 0.0,
  l2_regularization_strength = 0.0, l2_shrinkage_regularization_strength = 0.0, beta = 0.0,
}
define("Ftrl", "ResourceApplyFtrlV2", ftrl, function(self, numbers, rate)
  if rate == 0 then
    tools.fail("InvalidArgument", "optim.Ftrl: the learning rate is 0, expected a number above 0: the step divides by it")
  end
  numbers.learning_rate, numbers.power, numbers.l1 = rate, self.learning_rate_power, self.l1_regularization_strength
  numbers.l2 = self.l2_regularization_strength + self.beta / (2 * rate)
  numbers.l2_shrinkage = self.l2_shrinkage_regularization_strength
end, {
  slot_list = { "accumulator", "linear" }, slot_values = { accumulator = "initial_accumulator_value" },
  check = function(self, who)
    options.number(who, "learning_rate_power", self.learning_rate_power)
    if not (self.learning_rate_power <= 0) then
      tools.fail("InvalidArgument", ("%s: learning_rate_power is %s, expected a number of 0 or less"):format(who,
        self.learning_rate_power))
    end
    for _, name in ipairs(options.sorted_names(ftrl)) do
      if name ~= "learning_rate" and name ~= "learning_rate_power" then options.number(who, name, self[name], 0) end
    end
  end,
})

for kind, Made in pairs(use "optim.composed_rules") do optimizers[kind] = Made end

-- Internal: resolves compile's option.
local by_name = {}
for kind, Made in pairs(optimizers) do by_name[kind:lower()] = Made end

local function get(who, value)
  if type(value) == "string" then return options.resolve(who, "optimizer", value:lower(), by_name)() end
  options.refuse_class(who, "optimizer", value)
  if type(value) == "table" and value.apply and value.iterations then return value end
  tools.fail("InvalidArgument",
    ("%s: optimizer is %s, expected a name or an optimizer"):format(who, tools.what_is(value)))
end

return { public = optimizers, get = get }
