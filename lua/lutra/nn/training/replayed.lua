-- fit's steps as a graph (lutra.graph): the first steps are recorded, later ones replayed without Lua. Only for models
-- that consist of Lutra's own layers, loss, metrics and optimizer, whose steps do the same for each batch of a shape;
-- three recordings must be equal before the first replay. What the program defines runs as always: its Lua may do
-- something else at each step.
local lutra, tools, use = ...
local losses, metrics, optimizers = use "nn.training.losses", use "nn.training.metrics", use "optim.rules"
local schedules, callbacks = use "optim.schedules", use "nn.callbacks.callbacks"

-- Recording a step costs some milliseconds.
local kLeastSteps = 32

-- The classes in a table of classes, as a set.
local function set_of(classes)
  local set = {}
  for _, made in pairs(classes) do set[made] = true end
  return set
end

local own = {}
local function is_own(kind, classes, value)
  own[kind] = own[kind] or set_of(classes())
  return type(value) == "string" or own[kind][getmetatable(value)] ~= nil
end

-- Whether no function is among the arguments that an object was made with: one may be an activation or a regularizer.
local function has_no_function(value, depth)
  if type(value) == "function" then return false end
  if type(value) ~= "table" or getmetatable(value) ~= nil or depth > 3 then return true end
  for _, entry in pairs(value) do
    if not has_no_function(entry, depth + 1) then return false end
  end
  return true
end

-- Whether an object has methods of its own, in place of its class'.
local function has_own_methods(object)
  local class = getmetatable(object)
  for key, value in pairs(object) do
    if type(value) == "function" and class[key] ~= nil then return true end
  end
  return false
end

local function is_own_layer(layer)
  return is_own("layer", function()
    local nn, classes = lutra.nn, {}
    for _, made in pairs(nn) do
      if getmetatable(made) ~= nil and type(made) == "table" then classes[#classes + 1] = made end
    end
    return classes
  end, layer) and not has_own_methods(layer) and not rawget(layer, "stateful") and not layer.never_replayed
    and has_no_function(rawget(layer, "made_with"), 1)
end

local function has_own_layers(model)
  local all_own = is_own_layer(model)
  for _, layer in ipairs(model:sublayers()) do all_own = all_own and is_own_layer(layer) end
  return all_own
end

local function is_own_optimizer(optimizer)
  local rate = optimizer.learning_rate
  return is_own("optimizer", function() return optimizers.public end, optimizer) and not optimizer.use_ema
    and not optimizer.gradient_accumulation_steps
    and not has_own_methods(optimizer)
    and (type(rate) == "number" or is_own("schedule", function() return schedules end, rate))
end

local function are_own_metrics(list)
  for _, metric in ipairs(list) do
    if not is_own("metric", function() return metrics.public end, metric)
      or metric.add ~= metrics.Mean.add then return false end
  end
  return true
end

local function are_own_callbacks(list)
  for _, entry in ipairs(list.entries) do
    if not is_own("callback", function() return callbacks end, entry) or has_own_methods(entry) then return false end
  end
  return true
end

-- One step and the metrics' values of its batch: the loss, and a list of {metric, value, count}.
local function step_of(model)
  return function(x, y, weight)
    local added = {}
    local loss, predictions = model:take_train_step(x, y, weight)
    for i, metric in ipairs(model.metrics) do
      metric.add = function(_, value, count) added[#added + 1] = { i, value, count } end
    end
    local _ <close> = setmetatable({}, { __close = function()
      for _, metric in ipairs(model.metrics) do metric.add = nil end
    end })
    if #model.metrics > 0 then model:update_metrics(y, predictions, weight) end
    return loss, added
  end
end

-- The function that fit calls for each batch in place of train_step and update_metrics: step(x, y, weight) returns the
-- loss. Nil if the model's steps cannot be replayed. `told`: the callbacks; `steps`: how many steps there will be.
return function(model, told, steps)
  local mode = tools.graph_mode()
  local always = mode == "always"
  if mode == "never" or not always and steps < kLeastSteps then return nil end
  if model.strategy or model.stops_at_nan or model.compiled_outputs then return nil end
  if type(model.loss) == "table" and model.loss.never_replayed then return nil end
  local compiled = model.compiled_with
  if not (is_own("loss", function() return losses.public end, compiled.loss) and is_own_optimizer(model.optimizer)
      and are_own_metrics(model.metrics) and are_own_callbacks(told) and has_own_layers(model)) then
    return nil
  end
  local graph = tools.checked_graph(step_of(model), always and 1 or 3)
  return function(x, y, weight)
    local loss, added = graph(x, y, weight)
    for _, each in ipairs(added) do model.metrics[each[1]]:add(each[2], each[3]) end
    return loss
  end
end
