-- Callbacks of fit, with Keras 3's names and defaults: those that end it, change the learning rate or write logs, and
-- those of checkpoint_callbacks.lua.
local lutra, tools, use = ...
local options, callback = use "options", use "nn.callbacks.callback"
local define, require_kind, remembers = callback.define, callback.require_kind, callback.remembers
local is_chief = use "distribute.ranks".is_chief
local set_direction, monitored, is_better = callback.set_direction, callback.monitored, callback.is_better

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
  if self.restore_best_weights and not self.best_weights then
    self.best_weights, self.best_epoch = model:get_weights(), epoch
  end
  if is_better(self, value, self.min_delta) then
    self.best, self.best_epoch = value, epoch
    if self.restore_best_weights then self.best_weights = model:get_weights() end
    -- An improvement that does not beat the baseline does not reset the wait.
    if not self.baseline or (value - self.baseline) * self.sign > self.min_delta then self.wait = 0 end
  elseif self.wait >= self.patience then
    self.stopped_epoch, model.stop_training = epoch, true
    if self.verbose > 0 then io.stderr:write(("Epoch %d: early stopping\n"):format(epoch)) end
  end
end
-- Restores the best weights at the end of any fit except one ended by Ctrl-C, which keeps the current weights.
function EarlyStopping:on_train_end(model)
  if self.best_weights and not model.history.interrupted then model:set_weights(self.best_weights) end
end

-- Sets the rate of each epoch to schedule(epoch, current rate).
local LearningRateScheduler = define("LearningRateScheduler", { "schedule" }, { verbose = 0 }, function(self)
  if not options.is_callable(self.schedule) then
    tools.fail("InvalidArgument",
      ("LearningRateScheduler: schedule is %s, expected a function of the epoch and the rate"):format(
      tools.what_is(self.schedule)))
  end
end)
function LearningRateScheduler:on_epoch_begin(epoch, model)
  local rate = self.schedule(epoch, model.optimizer.learning_rate)
  model.optimizer.learning_rate = options.number("LearningRateScheduler", "the schedule's result", rate, 0)
  if self.verbose > 0 then io.stderr:write(("Epoch %d: learning rate %g\n"):format(epoch, rate)) end
end

local ReduceLROnPlateau = define("ReduceLROnPlateau", {},
  { monitor = "val_loss", factor = 0.1, patience = 10, mode = "auto", min_delta = 1e-4, cooldown = 0, min_lr = 0.0,
    verbose = 0 },
  function(self)
    set_direction(self, "ReduceLROnPlateau")
    require_kind(self, "ReduceLROnPlateau", "number", "factor", "min_delta", "min_lr", "verbose")
    options.count("ReduceLROnPlateau", "patience", self.patience, 0)
    options.count("ReduceLROnPlateau", "cooldown", self.cooldown, 0)
    if not (self.factor >= 0 and self.factor < 1) then
      tools.fail("InvalidArgument",
        ("ReduceLROnPlateau: factor is %s, expected a number of 0 to 1, less than 1"):format(self.factor))
    end
  end)
local function require_rate(who, model)
  local rate = model.optimizer.learning_rate
  if type(rate) ~= "number" then
    tools.fail("InvalidArgument",
      ("%s: the optimizer's learning rate is a schedule, expected a number: the two would both set it"):format(who))
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
    if self.verbose > 0 then
      io.stderr:write(("Epoch %d: learning rate %g\n"):format(epoch, model.optimizer.learning_rate))
    end
  end
end

-- One line per epoch, below a line with all names that are ever logged.
-- Of several processes rank 0 alone writes.
local CSVLogger = define("CSVLogger", { "path" }, { separator = ",", append = false }, function(self)
  require_kind(self, "CSVLogger", "string", "path", "separator")
end)
-- By logger, and not a field: a script in a sandbox must not get hold of a file.
local files = setmetatable({}, { __mode = "k" })
local function written(self, ok, problem)
  if not ok then tools.fail("FailedPrecondition", ("CSVLogger: %s: %s"):format(self.path, problem)) end
end
function CSVLogger:on_train_begin(model)
  files[self], self.names, self.head = nil, nil, nil
  if not is_chief(model) then return end
  -- A file that is appended to has the line of names already.
  local before = self.append and io.open(self.path, "rb") or nil
  if before then
    self.head = before:read "l"
    before:close()
  end
  local file, problem = io.open(self.path, self.append and "a" or "w")
  if not file then tools.fail("FailedPrecondition", "CSVLogger: " .. problem) end
  files[self] = file
end
local function begin_table(self, logs, model)
  self.names = callback.told_names(logs, model)
  local head = table.concat({ "epoch", table.unpack(self.names) }, self.separator)
  if self.head and self.head:gsub("\r$", "") ~= head then
    tools.fail("FailedPrecondition",
      ("CSVLogger: %s has the columns '%s', and this fit logs '%s': append needs the same"):format(self.path,
      self.head, head))
  end
  if not self.head then written(self, files[self]:write(head, "\n")) end
end
function CSVLogger:on_epoch_end(epoch, logs, model)
  if not files[self] then return end
  if not self.names then begin_table(self, logs, model) end
  local words = { tostring(epoch) }
  for i, name in ipairs(self.names) do words[i + 1] = logs[name] and ("%.9g"):format(logs[name]) or "" end
  written(self, files[self]:write(table.concat(words, self.separator), "\n"))
  written(self, files[self]:flush())
end
function CSVLogger:on_train_end()
  if files[self] then files[self]:close() end
  files[self] = nil
end

-- Ends the training before a nan or inf loss would spoil the weights, and reports where it came from.
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

-- Computes the model once more and returns the first layer to finish with a result that is not finite. Inner layers
-- finish first, so it is the innermost one.
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

-- The name of the first layer whose result for `x` is not finite, or nil; and a text for the report.
local function first_bad_layer(model, x)
  if type(x) == "userdata" and not lutra.all(lutra.isfinite(x)):item() then return nil, "the input is not finite" end
  for _, variable in ipairs(model:variables()) do
    if not lutra.all(lutra.isfinite(variable)):item() then
      return nil, ("the variable '%s' is not finite"):format(variable.name)
    end
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

local checkpoints = use "nn.callbacks.checkpoint_callbacks"

return use "late".fields({
  Callback = callback.Callback, EarlyStopping = EarlyStopping, ModelCheckpoint = checkpoints.ModelCheckpoint,
  BackupAndRestore = checkpoints.BackupAndRestore, LearningRateScheduler = LearningRateScheduler,
  ReduceLROnPlateau = ReduceLROnPlateau,
  CSVLogger = CSVLogger, TerminateOnNaN = TerminateOnNaN,
}, { LambdaCallback = "nn.callbacks.writing_callbacks", TensorBoard = "nn.callbacks.writing_callbacks",
  SwapEMAWeights = "nn.callbacks.swapping" })
