-- Learning rates that change: functions of the number of steps taken so far, with Keras 3's names and formulas.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local schedules = {}

-- schedules.NAME(places ..., options) is an object that can be called: schedule(step) gives a number.
local function define(name, places, defaults, rate, check)
  local Schedule = class("optim.schedules." .. name)
  Schedule.remembers = true
  defaults.name = false
  function Schedule:init(...)
    for i, place in ipairs(places) do
      self[place] = select(i, ...)
      if self[place] == nil then tools.fail("InvalidArgument", ("schedules.%s: %s is missing"):format(name, place)) end
    end
    for key, value in pairs(options.read("schedules." .. name, (select(#places + 1, ...)), defaults)) do self[key] = value end
    if check then check(self) end
  end
  function Schedule:__call(step) return rate(self, step) end
  schedules[name] = Schedule
end

local function share(self, step)
  local times = step / self.decay_steps
  return self.staircase and math.floor(times) or times
end

define("ExponentialDecay", { "initial_learning_rate", "decay_steps", "decay_rate" }, { staircase = false }, function(self, step)
  return self.initial_learning_rate * self.decay_rate ^ share(self, step)
end)
define("InverseTimeDecay", { "initial_learning_rate", "decay_steps", "decay_rate" }, { staircase = false }, function(self, step)
  return self.initial_learning_rate / (1 + self.decay_rate * share(self, step))
end)
define("PolynomialDecay", { "initial_learning_rate", "decay_steps" },
  { end_learning_rate = 0.0001, power = 1.0, cycle = false }, function(self, step)
    local steps, start, last = self.decay_steps, self.initial_learning_rate, self.end_learning_rate
    if self.cycle then steps = steps * math.max(1, math.ceil(step / steps)) else step = math.min(step, steps) end
    return (start - last) * (1 - step / steps) ^ self.power + last
  end)
-- Down a half cosine to alpha times the first rate; before that, with warmup_steps, up to warmup_target (Loshchilov and
-- Hutter, ICLR 2017).
define("CosineDecay", { "initial_learning_rate", "decay_steps" }, { alpha = 0.0, warmup_target = false, warmup_steps = 0 },
  function(self, step)
    local start = self.initial_learning_rate
    if self.warmup_target then
      if step < self.warmup_steps then return start + (self.warmup_target - start) * step / self.warmup_steps end
      start, step = self.warmup_target, step - self.warmup_steps
    end
    step = math.min(step, self.decay_steps)
    local down = 0.5 * (1 + math.cos(math.pi * step / self.decay_steps))
    return start * ((1 - self.alpha) * down + self.alpha)
  end)
-- values[i] up to and with the step boundaries[i], the last one after them.
define("PiecewiseConstantDecay", { "boundaries", "values" }, {}, function(self, step)
  for i, boundary in ipairs(self.boundaries) do
    if step <= boundary then return self.values[i] end
  end
  return self.values[#self.values]
end, function(self)
  if #self.values ~= #self.boundaries + 1 then
    tools.fail("InvalidArgument", ("schedules.PiecewiseConstantDecay: %d values and %d boundaries, expected one value more"):format(
      #self.values, #self.boundaries))
  end
end)

return schedules
