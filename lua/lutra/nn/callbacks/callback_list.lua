-- The callbacks of a fit as one object. A callback is a table with some of the methods below, or a function called as
-- f(epoch, logs, model) after each epoch.
local lutra, tools, use = ...
local class, options, layers = use "class", use "options", use "nn.layers.layer"

local CallbackList = class "nn.CallbackList"

local methods = {
  "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_nan", "on_test_begin", "on_test_end",
  "on_predict_begin",
  "on_predict_end", "on_train_batch_begin", "on_train_batch_end", "on_test_batch_begin", "on_test_batch_end",
  "on_predict_batch_begin", "on_predict_batch_end",
}

-- Checks callbacks before training starts.
local function check_callback(who, entry)
  local meta = getmetatable(entry)
  if type(meta) == "table" and meta.__name == "lutra.Class" then
    tools.fail("InvalidArgument",
      ("%s is a class, expected an object: call it, as in lt.nn.callbacks.EarlyStopping()"):format(who))
  end
  local known = {}
  for _, name in ipairs(methods) do
    known[name] = true
    if entry[name] ~= nil and not options.is_callable(entry[name]) then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a function"):format(who, name, tools.what_is(entry[name])))
    end
  end
  for name in pairs(entry) do
    if type(name) == "string" and name:find "^on_" and not known[name] then
      tools.refuse_word(("%s: '%s' is never called"):format(who, options.quoted(name)), name, methods)
    end
  end
end

function CallbackList:init(who, given, model)
  if type(given) ~= "table" or getmetatable(given) ~= nil or given[1] == nil and next(given) ~= nil then
    given = { given }
  end
  -- `hears` has the names of the methods that any callback defines.
  self.model, self.entries, self.hears = model, {}, {}
  for i, entry in ipairs(given) do
    if type(entry) == "function" then
      local f = entry
      entry = { on_epoch_end = function(_, epoch, logs) return f(epoch, logs, model) end }
    elseif type(entry) ~= "table" then
      tools.fail("InvalidArgument",
        ("%s: callbacks[%d] is %s, expected a callback or a function"):format(who, i, tools.what_is(entry)))
    end
    check_callback(("%s: callbacks[%d]"):format(who, i), entry)
    self.entries[i] = entry
    for _, name in ipairs(methods) do self.hears[name] = self.hears[name] or entry[name] ~= nil end
    if entry.stops_at_nan then self.stops_at_nan = true end
  end
end

-- Callbacks are called outside the layer call state: what they compute is inference, in its own dtype. They may also
-- yield, or never return, without affecting other models. The caller handles errors (Model:guarded).
local running = layers.running
local function noted(err)
  layers.note_interrupt(err)
  return err
end
local function forward(name)
  CallbackList[name] = function(self, ...)
    local training, layer, dtype = running.training, running.layer, running.dtype
    if name ~= "on_nan" then running.training, running.layer, running.dtype = nil, nil, nil end
    for _, entry in ipairs(self.entries) do
      local method = entry[name]
      if method then
        local arguments = table.pack(...)
        arguments[arguments.n + 1] = self.model
        tools.interrupt = nil
        local interrupts = tools.interrupts()
        local ok, err = xpcall(method, noted, entry, table.unpack(arguments, 1, arguments.n + 1))
        if not ok then
          -- Only a real Ctrl-C, which may also have come in a coroutine of the callback, ends the fit normally; an
          -- error of the callback with the same text does not.
          self.own_error = type(err) == "string" and tools.interrupt ~= err and tools.interrupts() == interrupts
          error(err, 0)
        end
      end
    end
    running.training, running.layer, running.dtype = training, layer, dtype
  end
end
for _, name in ipairs(methods) do forward(name) end

-- The states of those callbacks that have one, in order.
function CallbackList:states()
  local states = {}
  for _, entry in ipairs(self.entries) do
    if entry.get_state then
      states[#states + 1] = { kind = entry.__name or "a callback of the program's", state = entry:get_state() }
    end
  end
  return states
end

local function kinds_text(states)
  local kinds = {}
  for i, each in ipairs(states) do kinds[i] = each.kind end
  return #kinds > 0 and table.concat(kinds, ", ") or "none"
end

function CallbackList:restore(states)
  local now = self:states()
  if kinds_text(now) ~= kinds_text(states) then
    tools.fail("InvalidArgument",
      ("fit: the backup has the state of these callbacks: %s; those given now with a state are: %s. "
      .. "Give the same in the same order, or remove the file"):format(kinds_text(states), kinds_text(now)))
  end
  local i = 0
  for _, entry in ipairs(self.entries) do
    if entry.get_state then
      i = i + 1
      entry:set_state(states[i].state)
    end
  end
end

-- Callbacks reset their state when a fit begins, unless it resumes one.
local begin, end_epoch = CallbackList.on_train_begin, CallbackList.on_epoch_end
function CallbackList:on_train_begin()
  begin(self)
  local resumed = rawget(self.model, "resumed")
  if resumed and resumed.is_backup and resumed.callbacks then self:restore(resumed.callbacks) end
end
function CallbackList:on_epoch_end(...)
  end_epoch(self, ...)
  for _, entry in ipairs(self.entries) do
    if entry.back_up then entry:back_up(self.model, self:states()) end
  end
end

CallbackList.methods = methods

return CallbackList
