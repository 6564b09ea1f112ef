-- A model's steps under a strategy: the batch's rows are split among the replicas, each computes with its share, and
-- one tape sees all of them. All rows have the same weight, so the mean of a share is weighted by its number of rows.
local lutra, tools, use = ...
local class, layers, replicas = use "class", use "nn.layers.layer", use "distribute.replicas"
local values, steps, mirrored = use "distribute.values", use "distribute.steps", use "distribute.mirrored"
local waiting, texts = use "nn.training.waiting", use "texts"
local GradientTape, running = lutra.GradientTape, layers.running

local replicated = {}

-- The shares of a batch with the model's results: metrics are updated share by share.
local Shares = class "nn.Shares"
function Shares:init(list) self.list = list end

local function rows_of(x)
  while type(x) == "table" and not texts.is(x) do x = x[next(x)] end
  return #x
end

local function slice(value, share)
  if type(value) == "table" and not texts.is(value) then
    local out = {}
    for key, entry in pairs(value) do out[key] = slice(entry, share) end
    return out
  end
  return value and texts.slice(value, share.first, share.last)
end

-- Splits a batch. Returns the shares that have rows, {id, x, y, weight, rows, share}, and the replicas' numbers.
local function split(strategy, x, y, weight)
  local place, own = values.placed(x), rows_of(x)
  local whole = place and place.whole or own
  local list, ids, began = {}, {}, {}
  for id, share in ipairs(place and place.shares or values.shares_of(strategy, whole)) do
    local here = share.last - share.first + 1
    if here > 0 then
      local all = here == own
      local at = share.from and { first = share.from, last = share.from + here - 1 } or share
      list[#list + 1] = {
        id = id, x = all and x or slice(x, at), y = all and y or slice(y, at),
        weight = all and weight or slice(weight, at), share = here / whole, device = strategy.devices[id],
        rows = { first = share.first, count = here, whole = whole, began = began, draws = 0 },
      }
      ids[#ids + 1] = id
    end
  end
  if strategy.ranks and #list == 0 then
    -- This rank has no rows, but the others' replicas wait for it where all meet. It runs one row and adds nothing.
    local share = { first = 1, last = 1 }
    list[1] = {
      id = 1, x = slice(x, share), y = slice(y, share), weight = slice(weight, share), share = 0.0, device = strategy.devices[1],
      rows = { first = 1, count = 1, whole = whole, began = began, draws = 0 }, is_silent = true,
    }
    ids[1] = 1
  end
  return list, ids
end

-- The shares that count: none if this rank has no rows.
local function counted(list) return list[1].is_silent and {} or list end

-- Runs f(share) in the replicas that have rows; its results become share.loss and share.predictions.
local function run(strategy, f, list, ids)
  local arguments = {}
  for i, share in ipairs(list) do arguments[i] = { share, n = 1 } end
  local results = replicas.run(strategy, function(share)
    local replica = replicas.current
    replica.rows, replica.places, replica.share, replica.is_silent = share.rows, share.rows, share.share, share.is_silent
    return f(share)
  end, arguments, ids)
  for i, share in ipairs(list) do share.loss, share.predictions = results[i][1], results[i][2] end
end

-- The loss of a batch: the weighted sum of its shares' losses.
local function shared_loss(strategy, list, is_sum)
  local losses, weights = {}, {}
  for i, share in ipairs(counted(list)) do losses[i], weights[i] = share.loss, is_sum and 1.0 or share.share end
  return waiting.Parts(losses, weights, strategy.ranks ~= nil)
end

-- Whether the loss is a sum over rows, so that the shares' losses are added up; any other loss counts as a mean over
-- rows. For several outputs outputs.lua handles this.
local function is_sum(model)
  local loss = model.loss
  return not model.compiled_outputs and type(loss) == "table" and loss.reduction == "sum"
end

local function forward(model, training)
  local sum = is_sum(model)
  return function(share)
    local before = running.training
    running.training = training or nil
    local predictions = model:compute(share.x, training)
    local loss = model:total_loss(share.y, predictions, share.weight, sum and share.share or nil)
    running.training = before
    return loss, predictions
  end
end

-- Initial gradients of the shares' losses: their weights as constants.
local seeds = setmetatable({}, { __mode = "v" })
local function seed_of(weight, dtype)
  local key = ("%.17g %s"):format(weight, dtype)
  seeds[key] = seeds[key] or lutra.device("/CPU:0", lutra.constant, weight, { dtype = dtype })
  return seeds[key]
end

-- The gradients of all shares' losses with respect to each replica's components: one list per replica, of false if it
-- has none.
local function gradients_of(strategy, tape, variables, list, weights)
  local targets, sources, starts = {}, {}, {}
  for i, share in ipairs(list) do
    targets[i], starts[i] = share.loss, seed_of(weights[i], share.loss.dtype)
    for _, variable in ipairs(variables) do
      sources[#sources + 1] = strategy.mirrors and mirrored.component(variable, share.id) or variable
    end
  end
  local flat = #targets > 0 and tape:gradient(targets, sources, { output_gradients = starts }) or {}
  local gradients = {}
  for id = 1, #strategy.devices do gradients[id] = {} end
  for i, share in ipairs(list) do table.move(flat, (i - 1) * #variables + 1, i * #variables, 1, gradients[share.id]) end
  for id = 1, #strategy.devices do
    for k = 1, #variables do gradients[id][k] = gradients[id][k] or false end
  end
  return gradients
end

-- A loss as compile got it, in words.
local function loss_words(loss)
  if type(loss) ~= "table" then return type(loss) == "string" and loss or "a function of its own" end
  local meta = getmetatable(loss)
  if meta then return (tostring(rawget(meta, "__name")):gsub("^lutra%.", "")) end
  local words = {}
  for key, entry in pairs(loss) do words[#words + 1] = ("%s: %s"):format(key, loss_words(entry)) end
  table.sort(words)
  return table.concat(words, ", ")
end

local function dtype_words(value)
  if not value then return "none" end
  if texts.is(value) then return "strings" end
  if tools.is_tensor(value) then return value.dtype end
  local words = {}
  for key, entry in pairs(value) do words[#words + 1] = ("%s: %s"):format(key, dtype_words(entry)) end
  table.sort(words)
  return "{" .. table.concat(words, ", ") .. "}"
end

-- What all ranks must agree in for a step on the batch.
local function batch_words(model, list, x, y)
  local with = rawget(model, "compiled_with")
  return (" on %d rows of %s with labels of %s and the loss %s, with the random state %d/%d,"):format(list[1].rows.whole,
    dtype_words(x), dtype_words(y), loss_words(with and with.loss), tools.random_state())
end

-- As Model:train_step.
function replicated.train_step(model, x, y, weight)
  local strategy, variables = model.strategy, model.step_variables
  local list, ids = split(strategy, x, y, weight)
  local on = strategy.ranks and batch_words(model, list, x, y)
  local tape <close> = GradientTape()
  strategy.sums_in_gradients = nil
  run(strategy, forward(model, true), list, ids)
  local loss = shared_loss(strategy, list, is_sum(model))
  -- Other ranks' gradients wait for a replica that adds nothing, where they are sums over all.
  local silent = list[1].is_silent and strategy.sums_in_gradients and list
  list = counted(list)
  if model.stops_at_nan then
    local is_finite = true
    for _, share in ipairs(list) do is_finite = is_finite and lutra.isfinite(share.loss):item() end
    if strategy.ranks then is_finite = select(2, use "distribute.ranks".meet("a look for losses that are not finite", "", is_finite)) end
    if not is_finite then return loss end
  end
  if silent then gradients_of(strategy, tape, variables, silent, { 0.0 }) end
  local early <close> = steps.begin(strategy, model.optimizer, variables, tape, on)
  local gradients = gradients_of(strategy, tape, variables, list, loss.weights)
  steps.take(strategy, model.optimizer, gradients, on, early)
  return loss, Shares(list)
end

function replicated.test_step(model, x, y, weight)
  local list, ids = split(model.strategy, x, y, weight)
  if model.strategy.ranks then use "distribute.ranks".meet("a batch of evaluate" .. batch_words(model, list, x, y)) end
  run(model.strategy, forward(model, false), list, ids)
  return shared_loss(model.strategy, list, is_sum(model)), Shares(counted(list))
end

-- A step that the model's class defines, called in each replica with its rows. Numbers are means over the replicas,
-- weighted by their rows, as are the gradients that the step gives to an optimizer; those of compiled metrics are their
-- values after all replicas.
function replicated.own_step(model, step, x, y, weight)
  local list, ids = split(model.strategy, x, y, weight)
  local sum = is_sum(model)
  run(model.strategy, function(share)
    replicas.current.gradient_share = sum and 1.0 or share.share
    return step { share.x, share.y, share.weight }
  end, list, ids)
  local logs = {}
  for name in pairs(list[1].loss) do
    logs[name] = lutra.device(list[1].device, function()
      local mean
      for _, share in ipairs(list) do
        local value = share.loss[name]
        if value == nil then
          tools.fail("InvalidArgument", ("the step of the model '%s' gives %s in one replica and not in another"):format(model.name, name))
        end
        if tools.is_tensor(value) and value.rank > 0 then value = lutra.reshape(value, {}) end
        local part = value * share.share
        mean = mean and mean + part or part
      end
      return mean
    end)
  end
  if #model.metrics > 0 then
    for name, value in pairs(model:read_metrics()) do
      if logs[name] ~= nil then logs[name] = value end
    end
  end
  return logs
end

-- The model's result for all rows, on the first device.
function replicated.predict(model, x)
  local list, ids = split(model.strategy, x)
  run(model.strategy, function(share)
    running.training = nil
    return nil, model:compute(share.x, false)
  end, list, ids)
  local first, far = list[1].predictions, model.strategy.ranks
  if #list == 1 and not far then return first end
  local function joined(pick)
    local parts = {}
    for i, share in ipairs(counted(list)) do parts[i] = pick(share.predictions) end
    if far then
      -- All ranks get all rows.
      local device = list[1].device
      local own = #parts > 0 and lutra.device(device, lutra.concat, parts) or nil
      local what = ("a batch of predict on %d rows of %s"):format(list[1].rows.whole, dtype_words(x))
      parts = use "distribute.ranks".gather_tensors(what, own, device)
    end
    return lutra.device(list[1].device, lutra.concat, parts)
  end
  if type(first) ~= "table" then return joined(function(part) return part end) end
  local out = {}
  for k = 1, #first do out[k] = joined(function(part) return part[k] end) end
  return out
end

-- Updates a metric with the shares, each on its device, with or without sample weights.
function replicated.update_metric(metric, shares, is_weighted)
  for _, share in ipairs(shares.list) do
    lutra.device(share.device, metric.update_state, metric, share.y, share.predictions, is_weighted and share.weight or nil)
  end
end

-- The strategy of a model: the one in whose scope it was compiled, or the one of its variables.
function replicated.strategy_of(model, variables)
  local strategy = rawget(model, "strategy")
  local mirror = mirrored.of(variables[1])
  if not strategy then
    strategy = mirror and mirror.strategy or false
    rawset(model, "strategy", strategy)
  end
  if strategy then steps.require_mirrored(strategy, "fit", model:variables()) end
  return strategy
end

return replicated
