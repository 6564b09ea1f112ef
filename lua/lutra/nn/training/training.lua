-- Methods of a model for one batch: compile, train_on_batch, test_on_batch, predict_on_batch.
local lutra, tools, use = ...
local options, layers, losses, metrics = use "options", use "nn.layers.layer", use "nn.training.losses", use "nn.training.metrics"
local read_tensors, class_weights = use "nn.training.tensor_batches".read, use "nn.training.class_weights"
local outputs, optimizers, replicas = use "nn.models.outputs", use "optim.rules", use "distribute.replicas"
local precision, added = use "nn.training.precision", use "nn.training.added_losses"
local own_steps = use "nn.training.own_steps"
local GradientTape, running = lutra.GradientTape, layers.running

local training = {}

-- The loss and the metrics of a model with one output; metrics without row weights come first.
local function compile_one(read)
  local list = {}
  for _, name in ipairs { "metrics", "weighted_metrics" } do
    for i, metric in ipairs(read[name]) do list[#list + 1] = metrics.get("compile", metric, i, name) end
  end
  if read.loss_weights then
    tools.fail("InvalidArgument", "compile: loss_weights are for models of several outputs, and this one has one loss")
  end
  return losses.get("compile", read.loss), list, #read.weighted_metrics
end

local function check_metrics(name, value, names)
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    tools.fail("InvalidArgument", ('compile: %s is %s, expected a list of them, as in %s = {"mae"}'):format(name, tools.what_is(value),
      name))
  end
  if not names and value[1] == nil and next(value) ~= nil then
    tools.fail("InvalidArgument", ('compile: %s is a table by name, and the model has one output: expected a list, as in %s = {"mae"}')
      :format(name, name))
  end
end

-- Names of the reported numbers: "loss", then the metrics; a repeated name gets a number.
local function names_of(list)
  local names, seen = { "loss" }, {}
  for i, metric in ipairs(list) do
    local name, count = metric.name, seen[metric.name]
    seen[name] = (count or 0) + 1
    names[i + 1] = count and ("%s_%d"):format(name, count) or name
  end
  return names
end

-- compile {optimizer = , loss = , metrics = {}}
function training:compile(given)
  local read = options.read("compile", given,
    { optimizer = "rmsprop", loss = false, metrics = {}, weighted_metrics = {}, loss_weights = false, precision = false })
  -- A class with a step of its own may compute its loss there.
  local is_own = own_steps.find(self, "train_step") ~= nil
  if not read.loss and is_own then
    read.loss = function() tools.fail("FailedPrecondition", "the model is compiled without a loss: write compile {loss = ...}") end
  end
  if not read.loss then tools.fail("InvalidArgument", 'compile: loss is missing: write model:compile {optimizer = "adam", loss = "mse"}') end
  local optimizer, names = optimizers.get("compile", read.optimizer), outputs.names_for(self, read)
  local dtype = precision.read("compile", read.precision)
  check_metrics("metrics", read.metrics, names)
  check_metrics("weighted_metrics", read.weighted_metrics, names)
  local loss, list, weighted
  if names then loss, list, weighted = outputs.compile("compile", names, read) else loss, list, weighted = compile_one(read) end
  rawset(self, "compute_dtype", dtype)
  rawset(self, "optimizer", optimizer)
  rawset(self, "loss", loss)
  rawset(self, "compiled_outputs", names)
  rawset(self, "compiled_with", {
    loss = read.loss, metrics = read.metrics, weighted_metrics = read.weighted_metrics, loss_weights = read.loss_weights,
    precision = read.precision,
  })
  rawset(self, "metrics", list)
  rawset(self, "metric_names", names_of(list))
  -- The number of unweighted metrics, which come first.
  rawset(self, "plain_metrics", #list - weighted)
  rawset(self, "step_variables", false)
  rawset(self, "known_costs", nil)
  -- The strategy whose replicas train it; false if there is none. The default strategy has no devices of its own.
  local strategy = replicas.strategy()
  rawset(self, "strategy", strategy and #strategy.devices > 0 and strategy or false)
  return self
end

function training:require_compiled(who)
  if not rawget(self, "loss") then
    tools.fail("FailedPrecondition", ("%s: the model '%s' is not compiled: call model:compile {optimizer = , loss = } first"):format(
      who, self.name))
  end
end

-- Before the first step: makes the weights and the optimizer's slots, in the strategy's scope.
function training:ensure_trainable(x)
  if self.step_variables then return end
  local strategy = rawget(self, "strategy")
  if strategy and replicas.strategy() ~= strategy then return strategy:scope(self.ensure_trainable, self, x) end
  self:ensure_ready(x)
  local variables = self:trainable_variables()
  if #variables == 0 then
    tools.fail("FailedPrecondition", "fit: the model '" .. self.name .. "' has no trainable variables")
  end
  local whose = use "nn.replicas.replicated".strategy_of(self, variables)
  if whose and not strategy then return whose:scope(self.ensure_trainable, self, x) end
  if not self.optimizer.built_for then self.optimizer:build(variables) end
  rawset(self, "step_variables", variables)
end

-- The loss, the weights' penalties and the losses added by layers; `share` scales the latter two.
function training:total_loss(y, predictions, sample_weight, share)
  if type(predictions) == "table" and not self.compiled_outputs then
    tools.fail("InvalidArgument", ("the model '%s' gives %d outputs, and compile has one loss: expected a list of them"):format(self.name,
      #predictions))
  end
  local loss = self.loss(y, predictions, sample_weight)
  local costs = rawget(self, "known_costs")
  if not costs then
    costs = self:weight_costs()
    rawset(self, "known_costs", costs)
  end
  for i = 1, #costs do
    local cost = costs[i].cost(costs[i].weight)
    loss = loss + (share and cost * share or cost)
  end
  if added.used then
    for _, value in ipairs(added.of(self)) do loss = loss + (share and value * share or value) end
  end
  return loss
end

-- Takes one step. Returns the loss, a one-element tensor, and the predictions. If a callback checks for it
-- (TerminateOnNaN) and the loss is nan or inf, it takes no step and returns the loss alone.
function training:take_train_step(x, y, sample_weight)
  if self.strategy then return use "nn.replicas.replicated".train_step(self, x, y, sample_weight) end
  local variables, before = self.step_variables, running.training
  running.training = true
  local tape <close> = GradientTape()
  local predictions = self:compute(x, true)
  local loss = self:total_loss(y, predictions, sample_weight)
  -- The caller handles errors (Model:guarded).
  running.training = before
  if self.stops_at_nan and not lutra.isfinite(loss):item() then return loss end
  self.optimizer:apply(tape:gradient(loss, variables), variables)
  return loss, predictions
end

function training:take_test_step(x, y, sample_weight)
  if self.strategy then return use "nn.replicas.replicated".test_step(self, x, y, sample_weight) end
  running.training = nil
  local predictions = self:compute(x, false)
  return self:total_loss(y, predictions, sample_weight), predictions
end

function training:update_metrics(y, predictions, sample_weight)
  local list, plain = self.metrics, self.plain_metrics
  for i = 1, #list do
    if self.strategy and not replicas.current then
      use "nn.replicas.replicated".update_metric(list[i], predictions, i > plain)
    else
      list[i]:update_state(y, predictions, i > plain and sample_weight or nil)
    end
  end
end

-- What a class may define instead: train_step(self, data) and test_step(self, data) get {x, y, sample_weight} and return
-- numbers by name (own_steps.lua). These are those of all models.
local function logs_of(self, loss, y, predictions, sample_weight)
  self:update_metrics(y, predictions, sample_weight)
  return self:read_metrics(metrics.plain(loss:item()))
end
function training:train_step(data)
  if not self.step_variables then self:ensure_trainable(data[1]) end
  local loss, predictions = self:take_train_step(data[1], data[2], data[3])
  return logs_of(self, loss, data[2], predictions, data[3])
end
function training:test_step(data)
  local loss, predictions = self:take_test_step(data[1], data[2], data[3])
  return logs_of(self, loss, data[2], predictions, data[3])
end

-- For such steps: the compiled loss, the weights' penalties and added losses; the metrics' values after this batch.
function training:compute_loss(_, y, y_pred, sample_weight) return self:total_loss(y, y_pred, sample_weight) end
function training:compute_metrics(_, y, y_pred, sample_weight)
  self:update_metrics(y, y_pred, sample_weight)
  local logs = self:read_metrics()
  logs.loss = nil
  return logs
end

function training:reset_metrics()
  for _, metric in ipairs(self.metrics) do metric:reset_state() end
end

-- The values of the loss and the metrics, by name.
function training:read_metrics(loss)
  local logs = { loss = loss }
  local names = self.metric_names
  if self.strategy and self.strategy.ranks and #self.metrics > 0 then
    use "nn.replicas.merged_metrics"(self.metrics, function(metric, i) logs[names[i + 1]] = metrics.plain(metric:result()) end)
    return logs
  end
  for i, metric in ipairs(self.metrics) do logs[names[i + 1]] = metrics.plain(metric:result()) end
  return logs
end

local function batch_values(self, loss, y, predictions, sample_weight)
  if #self.metrics == 0 then return metrics.plain(loss:item()) end
  self:reset_metrics()
  self:update_metrics(y, predictions, sample_weight)
  local logs, values = self:read_metrics(metrics.plain(loss:item())), {}
  for i, name in ipairs(self.metric_names) do values[i] = logs[name] end
  return table.unpack(values)
end

local function weights_of(self, who, given, y)
  if not given then return nil end
  local read = options.read(who, given, { sample_weight = false, class_weight = false })
  outputs.prepare(self, who, nil, read)
  local weight = read.sample_weight and read_tensors(who, "sample_weight", read.sample_weight) or nil
  return read.class_weight and class_weights.of_rows(who, y, weight, read.class_weight, self.loss) or weight
end

local function own_values(logs)
  local numbers, names = own_steps.numbers(logs)
  for i, name in ipairs(names) do names[i] = numbers[name] end
  return table.unpack(names)
end

local function train_one(self, x, y, given)
  self:require_compiled("train_on_batch")
  x, y = read_tensors("train_on_batch", "x", x), read_tensors("train_on_batch", "y", outputs.labels(self, "train_on_batch", y, "y"))
  losses.check_batch("train_on_batch", y, self.loss)
  local weight = weights_of(self, "train_on_batch", given, y)
  if not self.step_variables then self:ensure_trainable(x) end
  local step = own_steps.find(self, "train_step")
  if step then return own_values(own_steps.call(self, "train_step", step, x, y, weight)) end
  local loss, predictions = self:take_train_step(x, y, weight)
  return batch_values(self, loss, y, predictions, weight)
end

local function test_one(self, x, y, given)
  self:require_compiled("test_on_batch")
  x, y = read_tensors("test_on_batch", "x", x), read_tensors("test_on_batch", "y", outputs.labels(self, "test_on_batch", y, "y"))
  losses.check_batch("test_on_batch", y, self.loss)
  local weight = weights_of(self, "test_on_batch", given, y)
  self:ensure_ready(x)
  local step = own_steps.find(self, "test_step")
  if step then return own_values(own_steps.call(self, "test_step", step, x, y, weight)) end
  local loss, predictions = self:take_test_step(x, y, weight)
  return batch_values(self, loss, y, predictions, weight)
end

function training:train_on_batch(x, y, given) return self:guarded(train_one, self, x, y, given) end
function training:test_on_batch(x, y, given) return self:guarded(test_one, self, x, y, given) end
function training:predict_on_batch(x) return self(x, false) end

return training
