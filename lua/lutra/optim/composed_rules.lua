-- Optimisers whose steps need more than a variable's element and those of its slots: norms of whole variables, means
-- over axes, products. They are computed by ordinary ops, variable by variable.
local lutra, tools, use = ...
local class, options, Optimizer = use "class", use "options", use "optim.optimizer"

local optimizers = {}

-- step(self, i, w, g, rate): the new value of the variable i, whose value is w after weight decay, by its gradient. It
-- assigns the slots by `set`.
local function define(kind, defaults, step, more)
  local Made = class("optim." .. kind, Optimizer)
  Made.kind, Made.step = kind, step
  Made.defaults = {}
  for _, from in ipairs { Optimizer.defaults, defaults } do
    for key, value in pairs(from) do Made.defaults[key] = value end
  end
  for key, value in pairs(more) do Made[key] = value end
  function Made:set_numbers(numbers, rate) numbers.learning_rate = rate end
  function Made:update(gradients)
    tools.refuse_recording("the optimizer " .. kind .. " computes with the number of its step, which differs from call to call")
    local paused <close> = tools.pause()
    local scale, rate, has_any = self:shared_scale(gradients), self.numbers.learning_rate, false
    gradients = self:clipped(gradients)
    for i, variable in ipairs(self.built_for) do
      local gradient <const> = gradients[i]
      if gradient then
        has_any = true
        if gradient.shape ~= variable.shape or gradient.dtype ~= variable.dtype then
          tools.fail("InvalidArgument", ("apply: the gradient of the variable '%s' is %s %s, and the variable %s %s"):format(
            variable.name, gradient.dtype, tostring(gradient.shape), variable.dtype, tostring(variable.shape)))
        end
        lutra.device(variable.device, function()
          local g, w, decay = gradient, variable:value(), self:decay_of(i)
          if scale then g = g * lutra.cast(scale, g.dtype) end
          if decay then w = w - w * (decay * rate) end
          tools.raw_assign(variable, self:step(i, w, g, rate))
        end)
      end
    end
    if not has_any and #self.built_for > 0 and not self.shard then
      tools.fail("InvalidArgument", "apply: none of the variables has a gradient: the loss depends on none of them")
    end
  end
  optimizers[kind] = Made
end

function Optimizer:decay_of() return self.weight_decay or nil end

-- Sets slot k of the variable i, and returns its value.
local function set(self, k, i, value)
  tools.raw_assign(self.slots[k][i], value)
  return value
end
local function moved(self, k, i, towards, share)
  local slot = self.slots[k][i]:value()
  return set(self, k, i, slot + (towards - slot) * share)
end

local function below_1(who, name, value)
  if type(value) == "number" and value >= 0 and value < 1 then return end
  tools.fail("InvalidArgument", ("%s: %s is %s, expected a number from 0 to below 1"):format(who, name,
    tools.what_is(value)))
end

-- Adam's step, in proportion to the variable's norm (You et al., ICLR 2020).
define("Lamb", { learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7 }, function(self, i, w, g, rate)
  local step = self.iterations + 1
  local m = moved(self, 1, i, g, 1 - self.beta_1)
  local v = moved(self, 2, i, g * g, 1 - self.beta_2)
  local update = m / (1 - self.beta_1 ^ step) / (lutra.sqrt(v / (1 - self.beta_2 ^ step)) + self.epsilon)
  local size, length = lutra.norm(w), lutra.norm(update)
  local is_both = lutra.logical_and(size:gt(0), length:gt(0))
  return w - lutra.where(is_both, size / lutra.where(is_both, length, 1), 1) * update * rate
end, {
  slot_list = { "momentum", "velocity" },
  check = function(self, who)
    below_1(who, "beta_1", self.beta_1)
    below_1(who, "beta_2", self.beta_2)
  end,
})

local function root_mean_square(x) return lutra.sqrt((x * x):mean()) end

-- Second moments of matrices by the means of their rows and columns (Shazeer and Stern, ICML 2018).
define("Adafactor", {
  learning_rate = 0.001, beta_2_decay = -0.8, epsilon_1 = 1e-30, epsilon_2 = 1e-3, clip_threshold = 1.0, relative_step = true,
}, function(self, i, w, g, rate)
  local step = self.iterations + 1
  local most = 1 / math.sqrt(step)
  if type(self.learning_rate) == "number" and self.relative_step then rate = math.min(rate, most) end
  local alpha = lutra.maximum(root_mean_square(w), self.epsilon_2) * math.min(rate, most)
  local square, fresh = g * g + self.epsilon_1, step ^ self.beta_2_decay
  local v
  if w.rank >= 2 then
    local r = moved(self, 1, i, square:mean(-1), fresh)
    local c = moved(self, 2, i, square:mean(-2), fresh)
    v = lutra.expand_dims(r / r:mean(-1, { keepdims = true }), -1) * lutra.expand_dims(c, -2)
  else
    v = moved(self, 3, i, square, fresh)
  end
  local update = g / lutra.sqrt(v)
  return w - alpha * update / lutra.maximum(root_mean_square(update) / self.clip_threshold, 1)
end, {
  slot_list = { "row", "column", "velocity" },
  -- A slot that a variable does not use is a scalar.
  slot_shape = function(self, slot, variable)
    local shape = { table.unpack(variable.shape) }
    if slot == "row" or slot == "column" then
      if #shape < 2 then return lutra.zeros({}).shape end
      table.remove(shape, slot == "row" and #shape or #shape - 1)
      return lutra.zeros(shape).shape
    end
    return slot == "velocity" and #shape >= 2 and lutra.zeros({}).shape or variable.shape
  end,
  check = function(self, who)
    if type(self.beta_2_decay) ~= "number" or not (self.beta_2_decay < 0) then
      tools.fail("InvalidArgument", ("%s: beta_2_decay is %s, expected a number below 0"):format(who,
        tools.what_is(self.beta_2_decay)))
    end
    options.number(who, "epsilon_1", self.epsilon_1, 0)
    options.number(who, "epsilon_2", self.epsilon_2, 0)
    options.positive(who, "clip_threshold", self.clip_threshold)
    options.boolean(who, "relative_step", self.relative_step)
  end,
})

-- The orthogonal matrix nearest to x, about, by Newton and Schulz' iteration.
local function orthogonal(self, x)
  local is_tall = x.shape[1] > x.shape[2]
  if is_tall then x = x:transpose() end
  x = x / (lutra.norm(x) + 1e-7)
  for _ = 1, self.ns_steps do
    local a = lutra.matmul(x, x, { transpose_b = true })
    local b = self.muon_b * a + self.muon_c * lutra.matmul(a, a)
    x = self.muon_a * x + lutra.matmul(b, x)
  end
  return is_tall and x:transpose() or x
end

-- Matrices move by an orthogonal matrix (Jordan et al., 2024), in the scale of Liu et al. (2025); the others by AdamW.
define("Muon", {
  learning_rate = 0.001, adam_beta_1 = 0.9, adam_beta_2 = 0.999, adam_weight_decay = 0.004, epsilon = 1e-7,
  weight_decay = 0.004, exclude_layers = false, exclude_embeddings = true, muon_a = 3.4445, muon_b = -4.7750,
  muon_c = 2.0315, adam_lr_ratio = 1, momentum = 0.95, ns_steps = 5, nesterov = true, rms_rate = 0.2,
}, function(self, i, w, g, rate)
  if self:uses_adam(self.built_for[i]) then
    local step = self.iterations + 1
    local m = moved(self, 1, i, g, 1 - self.adam_beta_1)
    local v = moved(self, 2, i, g * g, 1 - self.adam_beta_2)
    local factor = rate * self.adam_lr_ratio * math.sqrt(1 - self.adam_beta_2 ^ step) / (1 - self.adam_beta_1 ^ step)
    return w - m * factor / (lutra.sqrt(v) + self.epsilon)
  end
  local m = set(self, 1, i, self.slots[1][i] * self.momentum + g)
  local update = orthogonal(self, self.nesterov and g + m * self.momentum or m)
  local scale = self.rms_rate and math.sqrt(math.max(w.shape[1], w.shape[2])) * self.rms_rate or 1
  return w - update * (rate * scale)
end, {
  slot_list = { "momentum", "velocity" },
  slot_shape = function(self, slot, variable)
    return slot == "velocity" and not self:uses_adam(variable) and lutra.zeros({}).shape or variable.shape
  end,
  uses_adam = function(self, variable)
    if variable.rank ~= 2 then return true end
    if self.exclude_embeddings and variable.name:lower():find("embedding", 1, true) then return true end
    for _, pattern in ipairs(self.exclude_layers or {}) do
      if variable.name:find(pattern) then return true end
    end
    return false
  end,
  decay_of = function(self, i)
    if self:uses_adam(self.built_for[i]) then return self.adam_weight_decay or nil end
    return self.weight_decay or nil
  end,
  check = function(self, who)
    below_1(who, "adam_beta_1", self.adam_beta_1)
    below_1(who, "adam_beta_2", self.adam_beta_2)
    below_1(who, "momentum", self.momentum)
    if self.adam_weight_decay then options.number(who, "adam_weight_decay", self.adam_weight_decay, 0) end
    for _, name in ipairs { "muon_a", "muon_b", "muon_c" } do options.number(who, name, self[name]) end
    options.number(who, "adam_lr_ratio", self.adam_lr_ratio, 0)
    options.count(who, "ns_steps", self.ns_steps, 1)
    options.boolean(who, "nesterov", self.nesterov)
    options.boolean(who, "exclude_embeddings", self.exclude_embeddings)
    if self.rms_rate then options.positive(who, "rms_rate", self.rms_rate) end
    if self.exclude_layers and type(self.exclude_layers) ~= "table" then
      tools.fail("InvalidArgument", ("%s: exclude_layers is %s, expected a list of patterns of variables' names"):format(who,
        tools.what_is(self.exclude_layers)))
    end
  end,
})

optimizers.LAMB = optimizers.Lamb

return optimizers
