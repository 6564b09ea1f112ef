-- Methods of a model that process all rows of its data: fit, evaluate, predict.
local lutra, tools, use = ...
local options, layers, metrics, outputs = use "options", use "nn.layers.layer", use "nn.training.metrics", use "nn.models.outputs"
local tensor_batches, DatasetBatches, class_weights = use "nn.training.tensor_batches", use "nn.training.dataset_batches", use "nn.training.class_weights"
local Progress, CallbackList, History = use "nn.training.progress", use "nn.callbacks.callback_list", use "nn.training.history"
local is_chief, running, own_steps = use "distribute.ranks".is_chief, layers.running, use "nn.training.own_steps"

local fitting = {}

-- `read` has the sample weights and the loss, which may check labels.
local function arrays_of(who, x, y, read)
  local arrays = { x = tensor_batches.read(who, "x", x) }
  if y ~= nil or not read.own_step then arrays.y = tensor_batches.read(who, "y", y) end
  if read.sample_weight then arrays.sample_weight = tensor_batches.read(who, "sample_weight", read.sample_weight) end
  if read.class_weight then
    arrays.sample_weight = class_weights.of_rows(who, arrays.y, arrays.sample_weight, read.class_weight, read.loss)
  end
  local rows, loss = tensor_batches.rows(who, arrays), read.loss
  if type(loss) == "table" and loss.check_labels then loss:check_labels(who, arrays.y, true) end
  return arrays, rows
end

-- The loss and the metrics over all batches, without a step.
local function evaluate_all(self, batches, told, progress)
  local loss_mean, hears = metrics.Mean(), told.hears
  self:reset_metrics()
  told:on_test_begin()
  if progress then progress:begin_epoch(1) end
  local own, last = own_steps.find(self, "test_step"), nil
  for i, x, y, weight, rows in batches:each(own and "any" or true) do
    if hears.on_test_batch_begin then told:on_test_batch_begin(i) end
    if own then
      last = own_steps.call(self, "test_step", own, x, y, weight)
      if hears.on_test_batch_end then told:on_test_batch_end(i, (own_steps.numbers(last))) end
    else
      local loss, predictions = self:take_test_step(x, y, weight)
      loss_mean:add(loss, rows)
      self:update_metrics(y, predictions, weight)
      if hears.on_test_batch_end then told:on_test_batch_end(i, self:read_metrics(loss_mean:result())) end
    end
  end
  local logs, names
  if own then logs, names = own_steps.numbers(last) else logs, names = self:read_metrics(loss_mean:result()), self.metric_names end
  if progress then progress:end_epoch(batches.count, names, logs) end
  told:on_test_end(logs)
  return logs, names
end

-- Of several ranks: fails if their weights differ. is_cheap: see equal_weights.lua.
local function require_equal_weights(who, model, is_cheap)
  if model.strategy and model.strategy.ranks then use "nn.replicas.equal_weights"(who, model, is_cheap) end
end

-- Progress is shown by rank 0 only.
local function verbose_of(self, verbose) return is_chief(self) and verbose or 0 end

local function is_interrupt(err)
  local text = lutra.iserror(err, "Cancelled") and err.message or err
  return type(text) == "string" and text:find("interrupted!$") ~= nil
end

-- The function that takes a step; under lt.config.set_placement("auto") one that plans where its ops run.
local planned = setmetatable({}, { __mode = "k" })
local function step_of(self)
  if self.strategy or lutra.config.get_placement() ~= "auto" then return self.take_train_step end
  if not planned[self] then
    -- The model is weak here too: the function must not keep it.
    local model = setmetatable({ self }, { __mode = "v" })
    local step = use "placement.step".step(function(x, y, weight) return model[1]:take_train_step(x, y, weight) end)
    planned[self] = function(_, x, y, weight) return step(x, y, weight) end
  end
  return planned[self]
end

-- One epoch by the class's own step. The logs are those of its last batch.
local function run_own_epoch(self, batches, run, epoch)
  local progress, told, hears = run.progress, run.callbacks, run.callbacks.hears
  self:reset_metrics()
  progress:begin_epoch(epoch)
  local steps, last = 0, nil
  for i, x, y, weight in batches:each "any" do
    if hears.on_train_batch_begin then told:on_train_batch_begin(i) end
    last, steps = own_steps.call(self, "train_step", run.own_step, x, y, weight), i
    if hears.on_train_batch_end then told:on_train_batch_end(i, (own_steps.numbers(last))) end
    if progress:wants_step() then
      local logs, names = own_steps.numbers(last)
      progress:step(i, names, logs)
    end
    if self.stop_training then break end
  end
  local logs, names = own_steps.numbers(last)
  run.names = names
  return logs, steps
end

-- One epoch over the batches. Returns the logs, or nothing if a loss that is not finite ended it.
local function run_epoch(self, batches, run, epoch)
  local loss_mean, progress, told, hears = run.loss_mean, run.progress, run.callbacks, run.callbacks.hears
  loss_mean:reset_state()
  self:reset_metrics()
  progress:begin_epoch(epoch)
  local steps, train_step = 0, step_of(self)
  for i, x, y, weight, rows in batches:each(true) do
    if hears.on_train_batch_begin then told:on_train_batch_begin(i) end
    -- A callback may have recompiled the model: training continues with the new settings.
    if not self.step_variables then self:ensure_trainable(x) end
    local loss, predictions
    if run.replayed then loss, predictions = run.replayed(x, y, weight), true
    else loss, predictions = train_step(self, x, y, weight) end
    steps = i
    loss_mean:add(loss, rows)
    if predictions == nil then
      told:on_nan(epoch, i, metrics.plain(loss:item()), x)
      break
    end
    if #self.metrics > 0 and not run.replayed then self:update_metrics(y, predictions, weight) end
    if hears.on_train_batch_end then told:on_train_batch_end(i, self:read_metrics(loss_mean:result())) end
    if progress:wants_step() then
      -- With several ranks all would have to read at the same time.
      local is_alone = not (self.strategy and self.strategy.ranks)
      progress:step(i, self.metric_names, is_alone and self:read_metrics(loss_mean:result()) or {})
    end
    if self.stop_training then break end
  end
  return self:read_metrics(loss_mean:result()), steps
end

local function run_epochs(self, batches, run)
  local read, told = run.read, run.callbacks
  for epoch = run.first_epoch, read.epochs do
    told:on_epoch_begin(epoch)
    if read.shuffle then batches:shuffle(read.seed and read.seed + epoch or nil) end
    local logs, steps = (run.own_step and run_own_epoch or run_epoch)(self, batches, run, epoch)
    if run.validation and not self.stop_training and epoch % read.validation_freq == 0 then
      local held, names = evaluate_all(self, run.validation, told)
      for name, value in pairs(held) do logs["val_" .. name] = value end
      if run.own_step then
        for _, name in ipairs(names) do table.insert(run.names, "val_" .. name) end
      end
    end
    for name, value in pairs(logs) do
      local list = run.history.history[name] or {}
      list[#list + 1] = value
      run.history.history[name] = list
    end
    table.insert(run.history.epoch, epoch)
    run.progress:end_epoch(steps, run.names, logs)
    told:on_epoch_end(epoch, logs)
    if self.stop_training then break end
  end
end

-- The validation data: a dataset, {x, y[, sample_weight]}, or the last rows.
local function validation_of(read, arrays, rows)
  local given = read.validation_data
  if tensor_batches.is_dataset(given) then
    return arrays, rows, DatasetBatches("fit: validation_data", given, "validation_steps", read.validation_steps, nil, read.loss)
  elseif given then
    if type(given) ~= "table" or given[1] == nil or given[2] == nil then
      tools.fail("InvalidArgument", "fit: validation_data is " .. tools.what_is(given) .. ", expected a dataset or {x, y}")
    end
    local held, count = arrays_of("fit: validation_data", given[1], given[2], { sample_weight = given[3] or false, loss = read.loss })
    return arrays, rows, tensor_batches.Batches(held, count, math.min(read.validation_batch_size or read.batch_size, count))
  elseif read.validation_split > 0 then
    local kept, first, held, count = tensor_batches.split("fit", arrays, rows, read.validation_split)
    return kept, first, tensor_batches.Batches(held, count, math.min(read.validation_batch_size or read.batch_size, count))
  end
  return arrays, rows
end

-- The batches for training, and those for validation, if any.
local function sources_of(x, y, read)
  if tensor_batches.is_dataset(x) then
    local _, _, validation = validation_of(read)
    return DatasetBatches("fit", x, "steps_per_epoch", read.steps_per_epoch, read.class_weight, read.loss), validation
  end
  if read.steps_per_epoch then
    tools.fail("InvalidArgument", "fit: steps_per_epoch is for datasets, and x is " .. tools.what_is(x))
  end
  local all, all_rows = arrays_of("fit", x, y, read)
  local arrays, rows, validation = validation_of(read, all, all_rows)
  return tensor_batches.Batches(arrays, rows, math.min(read.batch_size, rows)), validation
end

-- The first epoch: when a file is resumed, the one after the epoch in which it was written, as if training had not
-- stopped.
local function first_epoch(self, batches, read)
  local resumed = rawget(self, "resumed")
  if not resumed then return read.initial_epoch + 1 end
  rawset(self, "resumed", nil)
  batches:restore(resumed.data)
  tools.set_random_state(resumed.random[1], resumed.random[2])
  return math.max(resumed.epoch, read.initial_epoch) + 1
end

local function fit(self, x, y, given)
  self:require_compiled("fit")
  -- As Keras' keyword arguments.
  if y == nil and given == nil and type(x) == "table" and getmetatable(x) == nil and x.x ~= nil and (x.y ~= nil or x.epochs ~= nil) then
    tools.fail("InvalidArgument", "fit: x, y and options are in one table: write model:fit(x, y, {epochs = 1})")
  end
  if tensor_batches.is_dataset(x) then y, given = nil, DatasetBatches.options_of("fit", y, given) end
  local read = options.read("fit", given, {
    epochs = 1, batch_size = 32, verbose = "auto", callbacks = {}, validation_split = 0.0, validation_data = false,
    shuffle = true, class_weight = false, sample_weight = false, initial_epoch = 0, validation_batch_size = false,
    validation_freq = 1, seed = false, steps_per_epoch = false, validation_steps = false,
  })
  for name, least in pairs { epochs = 0, batch_size = 1, initial_epoch = 0, validation_freq = 1 } do
    read[name] = options.count("fit", name, read[name], least)
  end
  options.number("fit", "validation_split", read.validation_split, 0, 1)
  read.own_step = own_steps.find(self, "train_step")
  if y ~= nil or not read.own_step then y = outputs.prepare(self, "fit", y, read) end
  read.loss = self.loss
  local batches, validation = sources_of(x, y, read)
  local _ <close> = batches.dataset and batches
  local _ <close> = validation and validation.dataset and validation
  local run = {
    read = read, loss_mean = metrics.Mean(), history = setmetatable({ history = {}, epoch = {}, model = self }, History),
    progress = Progress("fit", verbose_of(self, read.verbose), read.epochs, batches.count), names = { table.unpack(self.metric_names) },
    callbacks = CallbackList("fit", read.callbacks, self),
    validation = validation, own_step = read.own_step,
  }
  if validation then
    for _, name in ipairs(self.metric_names) do table.insert(run.names, "val_" .. name) end
  end
  run.history.params = {
    epochs = read.epochs, steps = batches.count, verbose = read.verbose, metrics = run.names, validation_freq = read.validation_freq,
  }
  rawset(self, "history", run.history)
  rawset(self, "stop_training", false)
  rawset(self, "stops_at_nan", run.callbacks.stops_at_nan)
  if run.own_step then self:ensure_ready(batches:first_x())
  elseif not self.step_variables then self:ensure_trainable(batches:first_x()) end
  rawset(self, "batches", batches)
  run.callbacks:on_train_begin()
  run.first_epoch = first_epoch(self, batches, read)
  require_equal_weights("fit", self, false)
  run.replayed = not run.own_step and lutra.config.get_placement() ~= "auto" and use "nn.training.replayed"(self, run.callbacks, (batches.count or math.huge) * read.epochs)
  local ok, err = pcall(run_epochs, self, batches, run)
  if not ok then
    if run.callbacks.own_error or not is_interrupt(err) then error(err, 0) end
    run.history.interrupted = true
    -- Drop an epoch that was only partly recorded.
    for _, list in pairs(run.history.history) do list[#run.history.epoch + 1] = nil end
    io.stderr:write(("\nfit: interrupted in epoch %d; the model keeps what it has learned\n"):format(#run.history.epoch
      + run.first_epoch))
  end
  self.optimizer:finalize_variable_values()
  run.callbacks:on_train_end()
  return run.history
end

local function evaluate(self, x, y, given)
  self:require_compiled("evaluate")
  if tensor_batches.is_dataset(x) then y, given = nil, DatasetBatches.options_of("evaluate", y, given) end
  local read = options.read("evaluate", given,
    { batch_size = 32, verbose = "auto", sample_weight = false, class_weight = false, return_dict = false, steps = false, callbacks = {} })
  read.own_step = own_steps.find(self, "test_step")
  if y ~= nil or not read.own_step then y = outputs.prepare(self, "evaluate", y, read) end
  read.loss = self.loss
  local batches
  if tensor_batches.is_dataset(x) then
    batches = DatasetBatches("evaluate", x, "steps", read.steps, read.class_weight, read.loss)
  else
    local arrays, rows = arrays_of("evaluate", x, y, read)
    batches = tensor_batches.Batches(arrays, rows, math.min(options.count("evaluate", "batch_size", read.batch_size, 1), rows))
  end
  local _ <close> = batches.dataset and batches
  if not rawget(self, "ready") then self:ensure_ready(batches:first_x()) end
  require_equal_weights("evaluate", self, true)
  local told = CallbackList("evaluate", read.callbacks, self)
  local logs, names = evaluate_all(self, batches, told, Progress("evaluate", verbose_of(self, read.verbose), nil, batches.count))
  if read.return_dict then return logs end
  local values = {}
  for i, name in ipairs(names) do values[i] = logs[name] end
  return table.unpack(values)
end

-- The model's results for each batch.
local function predict_all(self, batches, told, progress)
  local parts, hears = {}, told.hears
  told:on_predict_begin()
  progress:begin_epoch(1)
  for i, part in batches:each() do
    if hears.on_predict_batch_begin then told:on_predict_batch_begin(i) end
    if i == 1 then
      self:ensure_ready(part)
      require_equal_weights("predict", self, true)
    end
    parts[i] = self.strategy and use "nn.replicas.replicated".predict(self, part) or self:compute(part, false)
    if hears.on_predict_batch_end then told:on_predict_batch_end(i, { outputs = parts[i] }) end
    if progress:wants_step() then progress:step(i, {}, {}) end
  end
  progress:end_epoch(#parts, {}, {})
  told:on_predict_end()
  return parts
end

local function predict(self, x, given)
  local is_dataset = tensor_batches.is_dataset(x)
  if is_dataset then given = DatasetBatches.options_of("predict", nil, given) end
  local read = options.read("predict", given, { batch_size = 32, steps = false, callbacks = {}, verbose = 0 })
  local batches
  if is_dataset then
    batches = DatasetBatches("predict", x, "steps", read.steps)
  else
    local arrays = { x = tensor_batches.read("predict", "x", x) }
    local rows = tensor_batches.rows("predict", arrays)
    batches = tensor_batches.Batches(arrays, rows, math.min(options.count("predict", "batch_size", read.batch_size, 1), rows))
  end
  local _ <close> = batches.dataset and batches
  running.training = nil
  local told = CallbackList("predict", read.callbacks, self)
  local parts = predict_all(self, batches, told, Progress("predict", verbose_of(self, read.verbose), nil, batches.count))
  if #parts == 1 then return parts[1] end
  local function join(list)
    if self.strategy then return lutra.device(self.strategy.devices[1], lutra.concat, list) end
    return lutra.concat(list)
  end
  if type(parts[1]) ~= "table" then return join(parts) end
  local joined = {}
  for k = 1, #parts[1] do
    local list = {}
    for i, part in ipairs(parts) do list[i] = part[k] end
    joined[k] = join(list)
  end
  return joined
end

function fitting:fit(x, y, given) return self:guarded(fit, self, x, y, given) end
function fitting:evaluate(x, y, given) return self:guarded(evaluate, self, x, y, given) end
function fitting:predict(x, given) return self:guarded(predict, self, x, given) end

return fitting
