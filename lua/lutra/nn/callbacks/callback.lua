-- The base of callbacks: options, the monitored number, state kept between epochs.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local callback = {}

callback.Callback = class "nn.callbacks.Callback"

-- Defines a class of callbacks with positional arguments named `places`, followed by options.
function callback.define(name, places, defaults, init)
  local Made = class("nn.callbacks." .. name, callback.Callback)
  function Made:init(...)
    for i, place in ipairs(places) do self[place] = select(i, ...) end
    for key, value in pairs(options.read("callbacks." .. name, (select(#places + 1, ...)), defaults)) do
      self[key] = value
    end
    if init then init(self) end
  end
  return Made
end

function callback.require_kind(self, who, kind, ...)
  for _, name in ipairs { ... } do
    local value = self[name]
    if type(value) ~= kind then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a %s"):format(who, name, tools.what_is(value), kind))
    end
  end
end

-- Declares the state that BackupAndRestore saves: fields `names`, numbers or nil, and fields `lists`, lists of tensors
-- or nil.
function callback.remembers(Made, names, lists)
  function Made:get_state()
    local state = {}
    for _, name in ipairs(names) do state[name] = self[name] end
    for _, name in ipairs(lists or {}) do state[name] = self[name] end
    return state
  end
  function Made:set_state(state)
    local function check(name, is_right)
      if state[name] ~= nil and not is_right(state[name]) then
        tools.fail("InvalidArgument", ("%s: its state in the backup is damaged: %s is %s"):format(self.__name, name,
          tools.what_is(state[name])))
      end
    end
    for _, name in ipairs(names) do check(name, function(value) return type(value) == "number" end) end
    for _, name in ipairs(lists or {}) do
      check(name, function(value) return type(value) == "table" and (value[1] == nil or tools.is_tensor(value[1])) end)
    end
    for _, name in ipairs(names) do self[name] = state[name] end
    for _, name in ipairs(lists or {}) do self[name] = state[name] end
  end
end

-- Parts of names of numbers that should be large, and of those that should be small.
local rising = { "acc", "auc", "top_k", "precision", "recall", "correlation" }
local falling = { "loss", "error", "entropy", "mse", "mae" }
local function has_one(name, words)
  for _, word in ipairs(words) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

-- Sets the direction of improvement for the monitored name: -1 smaller is better, 1 larger is better, false unknown.
function callback.set_direction(self, who)
  callback.require_kind(self, who, "string", "monitor")
  local mode = self.mode
  options.resolve(who, "mode", mode, { auto = true, min = true, max = true })
  if mode == "auto" then mode = has_one(self.monitor, rising) and "max" or has_one(self.monitor, falling) and "min" end
  self.sign = mode and (mode == "max" and 1 or -1)
end

-- All names in the fit's logs, including those of validation; sorted.
function callback.told_names(logs, model)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then names[#names + 1], seen[name] = name, true end
  end
  for name in pairs(logs) do add(name) end
  for _, name in ipairs(model and model.history and model.history.params.metrics or {}) do add(name) end
  table.sort(names)
  return names, seen
end

-- Whether a value is better than the best so far by more than `delta`. nan is not better than anything.
function callback.is_better(self, value, delta)
  return value == value and (self.best == nil or (value - self.best) * self.sign > delta)
end

-- The monitored number; nil for a number of validation in an epoch without validation.
function callback.monitored(self, who, logs, model)
  local value = logs[self.monitor]
  if value ~= nil and self.sign then return value end
  local names, known = callback.told_names(logs, model)
  if not known[self.monitor] then
    tools.refuse_word(("%s: there is no '%s' to monitor"):format(who, options.quoted(self.monitor)), self.monitor,
      names)
  elseif not self.sign then
    tools.fail("InvalidArgument", ("%s: it is not known whether '%s' should be small or large: give mode = \"min\" or "
      .. "mode = \"max\""):format(who, self.monitor))
  end
end

return callback
