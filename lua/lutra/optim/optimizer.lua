-- The base class of optimisers: learning rate, slots of variables, clipping of gradients, one kernel for many
-- variables.
local lutra, tools, use = ...
local class, options, replicas = use "class", use "options", use "distribute.replicas"
local journal, mirrored, constrained = use "variable_journal", use "distribute.mirrored", use "optim.constrained"

local Optimizer = class "optim.Optimizer"
Optimizer.remembers = true

-- Options of all optimisers; false means none.
Optimizer.defaults = {
  weight_decay = false, clipnorm = false, clipvalue = false, global_clipnorm = false, use_ema = false,
  ema_momentum = 0.99,
  ema_overwrite_frequency = false, gradient_accumulation_steps = false, name = false,
}

function Optimizer:init(given)
  local who = "optim." .. self.kind
  for key, value in pairs(options.read(who, given, self.defaults)) do self[key] = value end
  self.name = self.name or self.kind:lower()
  if type(self.name) ~= "string" then
    tools.fail("InvalidArgument", ("%s: name is %s, expected a string"):format(who, tools.what_is(self.name)))
  end
  self:check_rate()
  local clips = 0
  for _, key in ipairs { "clipnorm", "clipvalue", "global_clipnorm" } do
    if self[key] then
      clips = clips + 1
      options.positive(who, key, self[key])
    end
  end
  if clips > 1 then
    tools.fail("InvalidArgument", who .. ": only one of clipnorm, clipvalue and global_clipnorm can be given")
  end
  options.boolean(who, "use_ema", self.use_ema)
  options.number(who, "ema_momentum", self.ema_momentum, 0, 1)
  if self.ema_overwrite_frequency then
    options.count(who, "ema_overwrite_frequency", self.ema_overwrite_frequency, 1)
  end
  if self.gradient_accumulation_steps then
    options.count(who, "gradient_accumulation_steps", self.gradient_accumulation_steps, 1)
  end
  if self.weight_decay then options.number(who, "weight_decay", self.weight_decay, 0) end
  if self.epsilon ~= nil then options.number(who, "epsilon", self.epsilon, 0) end
  self.iterations = 0
  -- The step's options: one table that each step updates.
  self.numbers = setmetatable({}, { repeated = function() return self:repeated() end })
  if self.check then self:check(who) end
end

-- Checked again at each step, since the field may be set.
function Optimizer:check_rate()
  local rate = self.learning_rate
  if options.is_callable(rate) or type(rate) == "number" and rate >= 0 then return end
  tools.fail("InvalidArgument",
    ("optim.%s: learning_rate is %s, expected a number of 0 or more, a schedule or a function of the "
    .. "steps taken"):format(self.kind, tools.what_is(rate)))
end

-- The rate of the next step: the number, or the schedule's value for the steps taken so far.
function Optimizer:rate()
  local rate = self.learning_rate
  if type(rate) == "number" and rate >= 0 then return rate end
  self:check_rate()
  rate = rate(self.iterations)
  if type(rate) == "number" and rate >= 0 then return rate end
  tools.fail("InvalidArgument",
    ("optim.%s: learning_rate gives %s after %d steps, expected a number of 0 or more"):format(self.kind,
    tools.what_is(rate), self.iterations))
end

-- Assigns the restored values to the slots.
local function fill(optimizer, slots)
  for k, slot in ipairs(optimizer:all_slots()) do
    for i, variable in ipairs(slots[k]) do
      if variable then variable:assign(optimizer.restored[slot][i]) end
    end
  end
end

-- Makes the slots: per slot name a list of Variables, on the devices of the trained variables, mirrored if those are;
-- false where another rank has the slot (distribute/sharded.lua).
function Optimizer:build(variables)
  -- The caller's list may change.
  variables = table.move(variables, 1, #variables, 1, {})
  local slots, of_strategy = {}, nil
  for _, variable in ipairs(variables) do of_strategy = of_strategy or mirrored.of(variable) end
  local shard = of_strategy and use "distribute.sharded".share_out(of_strategy.strategy, variables)
  for k, slot in ipairs(self:all_slots()) do
    local list = {}
    for i, variable in ipairs(variables) do
      local initial = self.slot_values and self.slot_values[slot]
      list[i] = (not shard or shard.owners[i] == shard.rank) and lutra.device(variable.device, function()
        local shape = self:slot_shape(slot, variable)
        local start = initial and lutra.fill(shape, self[initial], { dtype = variable.dtype })
          or lutra.zeros(shape, { dtype = variable.dtype })
        local own, mirror = { name = variable.name .. "/" .. slot, trainable = false }, mirrored.of(variable)
        return mirror and mirrored.make(mirror.strategy, start, own, shard ~= nil) or tools.raw_variable(start, own)
      end)
    end
    slots[k] = list
  end
  if self.restored then fill(self, slots) end
  -- Set only now, so that an interrupted build, as by Ctrl-C, leaves nothing half built.
  self.slots, self.mirror, self.shard = slots, of_strategy, shard
  self.rule_slots = { table.unpack(slots, 1, #self:slot_names()) }
  self.built_for = variables
  self.restored = nil
end

-- Takes slot values from a file, {slot = {one tensor per variable}}, now or as soon as the slots are built.
function Optimizer:restore(values)
  self.restored = values
  if not self.built_for then return end
  fill(self, self.slots)
  self.restored = nil
end

-- Slots of the kind's rule. all_slots adds the averages of use_ema.
function Optimizer:slot_names() return self.slot_list or {} end
function Optimizer:slot_shape(_, variable) return variable.shape end
function Optimizer:all_slots()
  local names = { table.unpack(self:slot_names()) }
  if self.use_ema then names[#names + 1] = "average" end
  return names
end

-- Its own variables: the slots, in order, that this process has.
function Optimizer:variables()
  local all = {}
  for _, list in ipairs(self.slots or {}) do
    for _, slot in ipairs(list) do
      if slot then all[#all + 1] = slot end
    end
  end
  return all
end

-- The slots for a file. nil where another process writes it, which needs this call on all of them.
function Optimizer:whole_slots()
  if self.shard then return use "distribute.sharded".whole_slots(self) end
  return self.slots
end

local function clipped_by_norm(gradient, most)
  return gradient * most / lutra.maximum(lutra.norm(gradient), most)
end

-- Gradients in a list of their own; false where a variable has none.
function Optimizer:clipped(gradients)
  if not (self.clipvalue or self.clipnorm) then return gradients end
  local out = {}
  for i = 1, #gradients do
    local gradient = gradients[i]
    if gradient and self.clipvalue then gradient = lutra.clip(gradient, -self.clipvalue, self.clipvalue) end
    if gradient and self.clipnorm then gradient = clipped_by_norm(gradient, self.clipnorm) end
    out[i] = gradient
  end
  return out
end

-- The factor for all gradients that limits their joint norm to global_clipnorm: one number, on the device of the first
-- gradient. The step's kernel multiplies with it. Nil without global_clipnorm.
function Optimizer:shared_scale(gradients)
  local most, norms, device = self.global_clipnorm, {}, nil
  if not most then return nil end
  for i = 1, #gradients do
    local gradient = gradients[i]
    if tools.is_tensor(gradient) then
      local own = gradient.device
      device = device or own
      norms[#norms + 1] = lutra.device(own, lutra.norm, gradient)
    end
  end
  if self.shard then
    device = self.built_for[1].device
    norms = use "distribute.sharded".norms(self, gradients, device)
  end
  if not norms[1] then return nil end
  local scope <close> = lutra.device(device)
  local norm = #norms == 1 and norms[1] or lutra.norm(lutra.stack(norms))
  return most / lutra.maximum(norm, most)
end

local function require_list(who, name, value, of)
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a list of %s"):format(who, name, tools.what_is(value), of))
  end
end

-- Whether two lists hold the same variables.
local function same(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if not rawequal(a[i], b[i]) then return false end
  end
  return true
end

-- Builds slots for these variables; later calls must pass the same ones.
function Optimizer:ensure_built(variables)
  local known = self.built_for
  if variables ~= nil or known == nil then require_list("apply", "variables", variables, "Variables") end
  if known == nil then
    self:build(variables)
  elseif variables ~= nil and not same(variables, known) then
    tools.fail("FailedPrecondition",
      ("apply: the optimizer was built for %d variables, and these are others: make a new "
      .. "optimizer for them"):format(#known))
  end
end

-- Updates the options for the next step.
function Optimizer:begin_step()
  local numbers, rate = self.numbers, self:rate()
  numbers.decay = self.weight_decay and self.weight_decay * rate or nil
  self:set_numbers(numbers, rate)
end

-- For lutra.graph, which calls the result before each replay of a step: it sets the numbers of the next step and counts
-- it, or with `undo` takes that back. It returns false if a setting has changed that the recorded launches depend on.
function Optimizer:repeated()
  local op, clipnorm, clipvalue, global = self.op, self.clipnorm, self.clipvalue, self.global_clipnorm
  return function(undo)
    if undo then
      self.iterations = self.iterations - 1
      return true
    end
    if self.op ~= op or self.clipnorm ~= clipnorm or self.clipvalue ~= clipvalue or self.global_clipnorm ~= global
      or self.use_ema or self.gradient_accumulation_steps then
      return false
    end
    self:begin_step()
    self.iterations = self.iterations + 1
    return true
  end
end

function Optimizer:take_step(gradients)
  journal.note_all(self.built_for)
  self:update(gradients)
  if constrained.used then self:constrain(gradients) end
end

-- Corrects the variables that have a constraint (nn/layers/constraints.lua).
function Optimizer:constrain(gradients)
  local paused <close> = tools.pause()
  for i, variable in ipairs(self.built_for) do
    local variable <const>, f <const> = variable, constrained.of[variable]
    if f and gradients[i] then
      lutra.device(variable.device, function() tools.raw_assign(variable, f(variable:value())) end)
    end
  end
end

-- Changes the variables by their gradients: with the kind's kernel, unless the kind has a way of its own.
function Optimizer:update(gradients)
  local scale, clipped = self:shared_scale(gradients), self:clipped(gradients)
  local variables, slots = self.built_for, self.rule_slots
  if self.shard then variables, clipped, slots = use "distribute.sharded".own(self, clipped) end
  if variables then tools.apply(self.op, self.numbers, variables, clipped, scale, slots) end
end

-- After a step: moves the averages towards the variables' new values (Polyak and Juditsky, 1992), and assigns them to
-- the variables every ema_overwrite_frequency steps.
function Optimizer:average()
  tools.refuse_recording("the optimizer keeps averages (use_ema), whose steps differ from call to call")
  local momentum, averages = self.iterations > 1 and self.ema_momentum or 0, self.slots[#self.slots]
  for i, variable in ipairs(self.built_for) do
    local average <const> = averages[i]
    if average then
      lutra.device(variable.device, function() average:assign(average * momentum + variable * (1 - momentum)) end)
    end
  end
  local every = self.ema_overwrite_frequency
  if every and self.iterations % every == 0 then self:finalize_variable_values() end
end

-- Assigns the averages, if kept, to the variables. Called at the end of training.
function Optimizer:finalize_variable_values()
  if not (self.use_ema and self.slots and self.iterations > 0) then return end
  for i, variable in ipairs(self.built_for) do
    local average = self.slots[#self.slots][i]
    if average then variable:assign(average:value()) end
  end
  if self.shard then use "distribute.sharded".spread(self, true) end
end

-- Takes one step: updates variables[i] with gradients[i]. Every step must pass all variables; the first step fixes
-- which. In a replica this is a collective, and the step uses the sums of the replicas' gradients. Outside replicas
-- mirrored variables take the step on all devices.
function Optimizer:apply(gradients, variables)
  require_list("apply", "gradients", gradients, "tensors, as many as there are variables; false where there is none")
  if replicas.current then return use "distribute.steps".apply(self, gradients, variables) end
  self:ensure_built(variables)
  if self.mirror then return use "distribute.steps".apply_outside(self, gradients) end
  if self.gradient_accumulation_steps then
    local means = use "optim.accumulation".add(self, { gradients })
    if not means then return end
    gradients = means[1]
  end
  self:begin_step()
  self:take_step(gradients)
  self.iterations = self.iterations + 1
  if self.use_ema then self:average() end
end

-- The same with pairs, as in Keras: {{gradient, variable}, ...}.
function Optimizer:apply_gradients(pairs_of)
  local gradients, variables = {}, {}
  require_list("apply_gradients", "pairs_of", pairs_of, "{gradient, variable}")
  for i, pair in ipairs(pairs_of) do
    require_list("apply_gradients", ("pairs_of[%d]"):format(i), pair, "two: {gradient, variable}")
    gradients[i], variables[i] = pair[1] or false, pair[2]
  end
  return self:apply(gradients, variables)
end

function Optimizer:__tostring()
  local rate = self.learning_rate
  return ("<lutra.optim.%s learning_rate=%s, iterations=%d>"):format(self.kind,
    type(rate) == "number" and rate or "a schedule",
    self.iterations)
end

use "colon"(Optimizer, "optimizer", "optimizer", "apply apply_gradients finalize_variable_values variables")

return Optimizer
