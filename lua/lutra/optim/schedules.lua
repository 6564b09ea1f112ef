-- Learning rate schedules: functions of the number of steps taken so far, with Keras 3's names and formulas.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local schedules = {}

-- Checks of arguments and options; the default is at_least_0.
local checks = {
  decay_steps = options.positive, first_decay_steps = options.positive, staircase = options.boolean,
  cycle = options.boolean,
  warmup_target = function(who, name, value) return value == false or options.number(who, name, value, 0) end,
  t_mul = function(who, name, value) return options.number(who, name, value, 1) end,
  boundaries = function() end, values = function() end, name = function() end,
}
local function at_least_0(who, name, value) return options.number(who, name, value, 0) end

-- schedules.NAME(places ..., options) makes a callable object: schedule(step) returns a rate.
local function define(name, places, defaults, rate, check)
  local Schedule = class("optim.schedules." .. name)
  Schedule.remembers = true
  defaults.name = false
  function Schedule:init(...)
    for i, place in ipairs(places) do
      self[place] = select(i, ...)
      if self[place] == nil then tools.fail("InvalidArgument", ("schedules.%s: %s is missing"):format(name, place)) end
    end
    local who = "schedules." .. name
    for key, value in pairs(options.read(who, (select(#places + 1, ...)), defaults)) do self[key] = value end
    for _, place in ipairs(places) do (checks[place] or at_least_0)(who, place, self[place]) end
    for key in pairs(defaults) do (checks[key] or at_least_0)(who, key, self[key]) end
    if check then check(self, who) end
  end
  function Schedule:__call(step) return rate(self, options.number("schedules." .. name, "step", step, 0)) end
  schedules[name] = Schedule
end

local function share(self, step)
  local times = step / self.decay_steps
  return self.staircase and math.floor(times) or times
end

define("ExponentialDecay", { "initial_learning_rate", "decay_steps", "decay_rate" }, { staircase = false },
  function(self, step)
  return self.initial_learning_rate * self.decay_rate ^ share(self, step)
end)
define("InverseTimeDecay", { "initial_learning_rate", "decay_steps", "decay_rate" }, { staircase = false },
  function(self, step)
  return self.initial_learning_rate / (1 + self.decay_rate * share(self, step))
end)
define("PolynomialDecay", { "initial_learning_rate", "decay_steps" },
  { end_learning_rate = 0.0001, power = 1.0, cycle = false }, function(self, step)
    local steps, start, last = self.decay_steps, self.initial_learning_rate, self.end_learning_rate
    if self.cycle then steps = steps * math.max(1, math.ceil(step / steps)) else step = math.min(step, steps) end
    return (start - last) * (1 - step / steps) ^ self.power + last
  end)
-- Decays along half a cosine to alpha times the initial rate; with warmup_target, first rises to that over warmup_steps
-- and decays from there (Loshchilov and Hutter, ICLR 2017).
define("CosineDecay", { "initial_learning_rate", "decay_steps" },
  { alpha = 0.0, warmup_target = false, warmup_steps = 0 },
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
-- The number of restarts so far, and the progress (0 to 1) since the last one. The first period takes 1, each further
-- one `longer` times the one before.
local function restarts(time, longer)
  if longer == 1 then return math.floor(time), time % 1 end
  local count, length = 0, 1
  while time >= length do time, length, count = time - length, length * longer, count + 1 end
  return count, time / length
end
define("CosineDecayRestarts", { "initial_learning_rate", "first_decay_steps" },
  { t_mul = 2.0, m_mul = 1.0, alpha = 0.0 },
  function(self, step)
    local count, come = restarts(step / self.first_decay_steps, self.t_mul)
    local down = 0.5 * self.m_mul ^ count * (1 + math.cos(math.pi * come))
    return self.initial_learning_rate * ((1 - self.alpha) * down + self.alpha)
  end)
-- values[i] up to and including step boundaries[i]; the last value after all boundaries.
define("PiecewiseConstantDecay", { "boundaries", "values" }, {}, function(self, step)
  for i, boundary in ipairs(self.boundaries) do
    if step <= boundary then return self.values[i] end
  end
  return self.values[#self.values]
end, function(self, who)
  for _, name in ipairs { "boundaries", "values" } do
    local list = self[name]
    if type(list) ~= "table" or getmetatable(list) ~= nil then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a list of numbers"):format(who, name, tools.what_is(list)))
    end
    for i = 1, #list do options.number(who, ("%s[%d]"):format(name, i), list[i], 0) end
  end
  for i = 2, #self.boundaries do
    if not (self.boundaries[i] > self.boundaries[i - 1]) then
      tools.fail("InvalidArgument",
        ("%s: boundaries[%d] is %g and the one before %g, expected increasing steps"):format(who, i,
        self.boundaries[i], self.boundaries[i - 1]))
    end
  end
  if #self.values ~= #self.boundaries + 1 then
    tools.fail("InvalidArgument",
      ("schedules.PiecewiseConstantDecay: %d values and %d boundaries, expected one value more"):format(
      #self.values, #self.boundaries))
  end
end)

return schedules
