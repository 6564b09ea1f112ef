-- What fit calls between steps and epochs, with Keras 3's names and defaults. A callback is a table with some of the methods
-- below, or a function, called as f(epoch, logs, model) after each epoch.
local lutra, tools, use = ...
local class, options, layers = use "class", use "options", use "nn.layer"

local callbacks = {}

local Callback = class "nn.callbacks.Callback"
callbacks.Callback = Callback

local function define(name, places, defaults, init)
  local Made = class("nn.callbacks." .. name, Callback)
  function Made:init(...)
    for i, place in ipairs(places) do self[place] = select(i, ...) end
    for key, value in pairs(options.read("callbacks." .. name, (select(#places + 1, ...)), defaults)) do self[key] = value end
    if init then init(self) end
  end
  callbacks[name] = Made
  return Made
end

local function require_kind(self, who, kind, ...)
  for _, name in ipairs { ... } do
    local value = self[name]
    if type(value) ~= kind then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a %s"):format(who, name, tools.what_is(value), kind))
    end
  end
end

-- What a callback remembers from epoch to epoch, which BackupAndRestore keeps: fields that are numbers or nil, and those of
-- `lists` that are lists of tensors or nil.
local function remembers(Made, names, lists)
  function Made:get_state()
    local state = {}
    for _, name in ipairs(names) do state[name] = self[name] end
    for _, name in ipairs(lists or {}) do state[name] = self[name] end
    return state
  end
  function Made:set_state(state)
    local function check(name, is_right)
      if state[name] ~= nil and not is_right(state[name]) then
        tools.fail("InvalidArgument", ("%s: its memory in the backup is damaged: %s is %s"):format(self.__name, name,
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

-- What names of numbers have in them that are to be large, and those that are to be small.
local rising, falling = { "acc", "auc", "top_k", "precision", "recall" }, { "loss", "error", "entropy", "mse", "mae" }
local function has_one(name, words)
  for _, word in ipairs(words) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

-- Whether a value of the monitored name is better than the best so far where it is less (-1), where it is more (1), or nobody
-- can tell (false).
local function set_direction(self, who)
  require_kind(self, who, "string", "monitor")
  local mode = self.mode
  options.resolve(who, "mode", mode, { auto = true, min = true, max = true })
  if mode == "auto" then mode = has_one(self.monitor, rising) and "max" or has_one(self.monitor, falling) and "min" end
  self.sign = mode and (mode == "max" and 1 or -1)
end

-- All names that the fit tells, those of validation with them; sorted.
local function told_names(logs, model)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then names[#names + 1], seen[name] = name, true end
  end
  for name in pairs(logs) do add(name) end
  for _, name in ipairs(model and model.history and model.history.params.metrics or {}) do add(name) end
  table.sort(names)
  return names, seen
end

-- Whether a value is better than the best so far, by more than `delta`. One that is no number is not better than anything.
local function is_better(self, value, delta)
  return value == value and (self.best == nil or (value - self.best) * self.sign > delta)
end

-- The monitored number; nil in an epoch without validation, where it is one that validation tells.
local function monitored(self, who, logs, model)
  local value = logs[self.monitor]
  if value ~= nil and self.sign then return value end
  local names, known = told_names(logs, model)
  if not known[self.monitor] then
    tools.refuse_word(("%s: there is no '%s' to monitor"):format(who, options.quoted(self.monitor)), self.monitor, names)
  elseif not self.sign then
    tools.fail("InvalidArgument", ("%s: the name '%s' does not tell whether less or more of it is better: give mode = \"min\" or "
      .. "mode = \"max\""):format(who, self.monitor))
  end
end

local EarlyStopping = define("EarlyStopping", {}, {
  monitor = "val_loss", min_delta = 0, patience = 0, mode = "auto", baseline = false, restore_best_weights = false,
  start_from_epoch = 0, verbose = 0,
}, function(self)
  set_direction(self, "EarlyStopping")
  require_kind(self, "EarlyStopping", "number", "min_delta", "verbose")
  options.count("EarlyStopping", "patience", self.patience, 0)
  options.count("EarlyStopping", "start_from_epoch", self.start_from_epoch, 0)
  if self.baseline then require_kind(self, "EarlyStopping", "number", "baseline") end
  self.min_delta = math.abs(self.min_delta)
end)
remembers(EarlyStopping, { "best", "wait", "best_epoch", "stopped_epoch" }, { "best_weights" })
function EarlyStopping:on_train_begin()
  self.best, self.wait, self.best_weights, self.best_epoch, self.stopped_epoch = nil, 0, nil, 0, 0
end
function EarlyStopping:on_epoch_end(epoch, logs, model)
  if epoch <= self.start_from_epoch then return end
  local value = monitored(self, "EarlyStopping", logs, model)
  if value == nil then return end
  self.wait = self.wait + 1
  if self.restore_best_weights and not self.best_weights then self.best_weights, self.best_epoch = model:get_weights(), epoch end
  if is_better(self, value, self.min_delta) then
    self.best, self.best_epoch = value, epoch
    if self.restore_best_weights then self.best_weights = model:get_weights() end
    -- Patience is for those who have not reached the baseline, too.
    if not self.baseline or (value - self.baseline) * self.sign > self.min_delta then self.wait = 0 end
  elseif self.wait >= self.patience then
    self.stopped_epoch, model.stop_training = epoch, true
    if self.verbose > 0 then io.stderr:write(("Epoch %d: early stopping\n"):format(epoch)) end
  end
end
-- The best weights come back however the fit has ended, but for Ctrl-C, which keeps what is there.
function EarlyStopping:on_train_end(model)
  if self.best_weights and not model.history.interrupted then model:set_weights(self.best_weights) end
end

use "nn.checkpoint_callbacks"(define, set_direction, monitored, remembers, is_better)

-- The rate of each epoch: schedule(epoch, rate so far).
local LearningRateScheduler = define("LearningRateScheduler", { "schedule" }, { verbose = 0 }, function(self)
  if not options.is_callable(self.schedule) then
    tools.fail("InvalidArgument", ("LearningRateScheduler: schedule is %s, expected a function of the epoch and the rate"):format(
      tools.what_is(self.schedule)))
  end
end)
function LearningRateScheduler:on_epoch_begin(epoch, model)
  local rate = self.schedule(epoch, model.optimizer.learning_rate)
  model.optimizer.learning_rate = options.number("LearningRateScheduler", "the schedule's result", rate, 0)
  if self.verbose > 0 then io.stderr:write(("Epoch %d: learning rate %g\n"):format(epoch, rate)) end
end

local ReduceLROnPlateau = define("ReduceLROnPlateau", {},
  { monitor = "val_loss", factor = 0.1, patience = 10, mode = "auto", min_delta = 1e-4, cooldown = 0, min_lr = 0.0, verbose = 0 },
  function(self)
    set_direction(self, "ReduceLROnPlateau")
    require_kind(self, "ReduceLROnPlateau", "number", "factor", "min_delta", "min_lr", "verbose")
    options.count("ReduceLROnPlateau", "patience", self.patience, 0)
    options.count("ReduceLROnPlateau", "cooldown", self.cooldown, 0)
    if not (self.factor >= 0 and self.factor < 1) then
      tools.fail("InvalidArgument", ("ReduceLROnPlateau: factor is %s, expected a number of 0 to 1, less than 1"):format(self.factor))
    end
  end)
local function require_rate(who, model)
  local rate = model.optimizer.learning_rate
  if type(rate) ~= "number" then
    tools.fail("InvalidArgument", ("%s: the optimizer's learning rate is a schedule, expected a number: the two would both set it"):format(who))
  end
  return rate
end
remembers(ReduceLROnPlateau, { "best", "wait", "rest" })
function ReduceLROnPlateau:on_train_begin(model)
  require_rate("ReduceLROnPlateau", model)
  self.best, self.wait, self.rest = nil, 0, 0
end
function ReduceLROnPlateau:on_epoch_end(epoch, logs, model)
  local value = monitored(self, "ReduceLROnPlateau", logs, model)
  if value == nil then return end
  if self.rest > 0 then self.rest, self.wait = self.rest - 1, 0 end
  if is_better(self, value, self.min_delta) then
    self.best, self.wait = value, 0
  elseif self.rest <= 0 then
    self.wait = self.wait + 1
    local rate = require_rate("ReduceLROnPlateau", model)
    if self.wait < self.patience or rate <= self.min_lr then return end
    model.optimizer.learning_rate = math.max(rate * self.factor, self.min_lr)
    self.rest, self.wait = self.cooldown, 0
    if self.verbose > 0 then io.stderr:write(("Epoch %d: learning rate %g\n"):format(epoch, model.optimizer.learning_rate)) end
  end
end

-- A line an epoch, with a head of names: all that are ever told.
local CSVLogger = define("CSVLogger", { "path" }, { separator = ",", append = false }, function(self)
  require_kind(self, "CSVLogger", "string", "path", "separator")
end)
local function written(self, ok, problem)
  if not ok then tools.fail("FailedPrecondition", ("CSVLogger: %s: %s"):format(self.path, problem)) end
end
function CSVLogger:on_train_begin()
  self.file, self.names, self.head = nil, nil, nil
  -- What is appended to has a head already.
  local before = self.append and io.open(self.path, "rb") or nil
  if before then
    self.head = before:read "l"
    before:close()
  end
  local file, problem = io.open(self.path, self.append and "a" or "w")
  if not file then tools.fail("FailedPrecondition", "CSVLogger: " .. problem) end
  self.file = file
end
local function begin_table(self, logs, model)
  self.names = told_names(logs, model)
  local head = table.concat({ "epoch", table.unpack(self.names) }, self.separator)
  if self.head and self.head:gsub("\r$", "") ~= head then
    tools.fail("FailedPrecondition", ("CSVLogger: %s has the columns '%s', and this fit tells '%s': append wants the same"):format(self.path,
      self.head, head))
  end
  if not self.head then written(self, self.file:write(head, "\n")) end
end
function CSVLogger:on_epoch_end(epoch, logs, model)
  if not self.names then begin_table(self, logs, model) end
  local words = { tostring(epoch) }
  for i, name in ipairs(self.names) do words[i + 1] = logs[name] and ("%.9g"):format(logs[name]) or "" end
  written(self, self.file:write(table.concat(words, self.separator), "\n"))
  written(self, self.file:flush())
end
function CSVLogger:on_train_end()
  if self.file then self.file:close() end
  self.file = nil
end

-- Ends the training before the step of a loss that is nan or inf would spoil the weights, and says where it came up.
local TerminateOnNaN = define("TerminateOnNaN", {}, {})
TerminateOnNaN.stops_at_nan = true
local function is_finite(x)
  if type(x) == "table" then
    for i = 1, #x do
      if not is_finite(x[i]) then return false end
    end
    return true
  end
  return lutra.all(lutra.isfinite(x)):item()
end

-- Computes once more, with an ear to each layer; gives the first that makes of finite numbers others, which lies in no other
-- one that does.
local function listen(model, x)
  local found, own = nil, {}
  local restore <close> = setmetatable({}, { __close = function()
    for _, layer in ipairs(model:sublayers()) do rawset(layer, "call", own[layer]) end
  end })
  for _, layer in ipairs(model:sublayers()) do
    local call = layer.call
    own[layer] = rawget(layer, "call")
    rawset(layer, "call", function(...)
      local y = call(...)
      if not found and not is_finite(y) then found = layer end
      return y
    end)
  end
  model:compute(x, false)
  return found
end

-- The name of the first layer that gives something that is not finite for `x`, or nil.
local function first_bad_layer(model, x)
  if type(x) == "userdata" and not lutra.all(lutra.isfinite(x)):item() then return nil, "the input is not finite" end
  for _, variable in ipairs(model:variables()) do
    if not lutra.all(lutra.isfinite(variable)):item() then return nil, ("the variable '%s' is not finite"):format(variable.name) end
  end
  local layer = listen(model, x)
  if layer then return layer.name, ("the layer '%s' gives it first"):format(layer.name) end
  return nil, "all layers give finite numbers, and the loss makes it"
end
function TerminateOnNaN:on_nan(epoch, step, loss, x, model)
  local layer, says = first_bad_layer(model, x)
  self.epoch, self.step, self.layer = epoch, step, layer
  model.stop_training = true
  io.stderr:write(("TerminateOnNaN: the loss is %s in epoch %d, step %d%s; training ends, and the step is not taken\n"):format(
    tostring(loss), epoch, step, says and ": " .. says or ""))
end

-- Not for users: the callbacks of a fit as one object.
local List = class "nn.callbacks.List"

local methods = {
  "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_nan", "on_test_begin", "on_test_end", "on_predict_begin",
  "on_predict_end", "on_train_batch_begin", "on_train_batch_end", "on_test_batch_begin", "on_test_batch_end",
  "on_predict_batch_begin", "on_predict_batch_end",
}

-- A table that is no callback fails here, and not in the midst of training.
local function check_callback(who, entry)
  local meta = getmetatable(entry)
  if type(meta) == "table" and meta.__name == "lutra.Class" then
    tools.fail("InvalidArgument", ("%s is a class, expected an object: call it, as in lt.nn.callbacks.EarlyStopping()"):format(who))
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

function List:init(who, given, model)
  if type(given) ~= "table" or getmetatable(given) ~= nil or given[1] == nil and next(given) ~= nil then given = { given } end
  -- `hears` has the names of the methods that somebody has.
  self.model, self.entries, self.hears = model, {}, {}
  for i, entry in ipairs(given) do
    if type(entry) == "function" then
      local f = entry
      entry = { on_epoch_end = function(_, epoch, logs) return f(epoch, logs, model) end }
    elseif type(entry) ~= "table" then
      tools.fail("InvalidArgument", ("%s: callbacks[%d] is %s, expected a callback or a function"):format(who, i, tools.what_is(entry)))
    end
    check_callback(("%s: callbacks[%d]"):format(who, i), entry)
    self.entries[i] = entry
    for _, name in ipairs(methods) do self.hears[name] = self.hears[name] or entry[name] ~= nil end
    if entry.stops_at_nan then self.stops_at_nan = true end
  end
end

-- Callbacks are called as by themselves: what they compute is inference, in its own dtype. They may also wait, in a coroutine,
-- or never come back, and no other model is to notice. An error is seen to by who called (Model:guarded).
local running = layers.running
local function noted(err)
  layers.note_interrupt(err)
  return err
end
local function forward(name)
  List[name] = function(self, ...)
    local training, layer, dtype = running.training, running.layer, running.dtype
    if name ~= "on_nan" then running.training, running.layer, running.dtype = false, nil, nil end
    for _, entry in ipairs(self.entries) do
      local method = entry[name]
      if method then
        local arguments = table.pack(...)
        arguments[arguments.n + 1] = self.model
        running.interrupt = nil
        local ok, err = xpcall(method, noted, entry, table.unpack(arguments, 1, arguments.n + 1))
        if not ok then
          -- It may read as Ctrl-C's, and end the fit in peace, only where it is.
          self.own_error = type(err) == "string" and running.interrupt ~= err
          error(err, 0)
        end
      end
    end
    running.training, running.layer, running.dtype = training, layer, dtype
  end
end
for _, name in ipairs(methods) do forward(name) end

-- What those callbacks remember that tell it, in their order.
function List:states()
  local states = {}
  for _, entry in ipairs(self.entries) do
    if entry.get_state then states[#states + 1] = { kind = entry.__name or "a callback of the program's", state = entry:get_state() } end
  end
  return states
end

local function kinds_text(states)
  local kinds = {}
  for i, each in ipairs(states) do kinds[i] = each.kind end
  return #kinds > 0 and table.concat(kinds, ", ") or "none"
end

function List:restore(states)
  local now = self:states()
  if kinds_text(now) ~= kinds_text(states) then
    tools.fail("InvalidArgument", ("fit: the backup has the memory of these callbacks: %s; and these are given that have one: %s. Give the "
      .. "same in the same order, or remove the file"):format(kinds_text(states), kinds_text(now)))
  end
  local i = 0
  for _, entry in ipairs(self.entries) do
    if entry.get_state then
      i = i + 1
      entry:set_state(states[i].state)
    end
  end
end

-- Callbacks forget at the beginning of a fit, but for one that goes on.
local begin, end_epoch = List.on_train_begin, List.on_epoch_end
function List:on_train_begin()
  begin(self)
  local resumed = rawget(self.model, "resumed")
  if resumed and resumed.is_backup and resumed.callbacks then self:restore(resumed.callbacks) end
end
function List:on_epoch_end(...)
  end_epoch(self, ...)
  for _, entry in ipairs(self.entries) do
    if entry.back_up then entry:back_up(self.model, self:states()) end
  end
end

return { public = callbacks, list = List }
