-- Models with several outputs: a loss and metrics for each, and labels and sample weights as lists or by output name.
-- The losses are combined into one loss object and the metrics wrapped, so that a training step need not know.
local lutra, tools, use = ...
local options, class, layers, losses, metrics = use "options", use "class", use "nn.layers.layer",
  use "nn.training.losses", use "nn.training.metrics"
local tensor_batches, class_weights = use "nn.training.tensor_batches", use "nn.training.class_weights"
local replicas, running = use "distribute.replicas", layers.running

local outputs = {}

-- The names of a graph's outputs, from the layers that made them; unique.
function outputs.names_of(symbols)
  local names, seen = {}, {}
  for i, symbol in ipairs(symbols) do
    local name = symbol.name:gsub(":", "_")
    names[i] = seen[name] and name .. "_" .. i or name
    seen[names[i]] = true
  end
  return names
end

local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end

-- Spreads an option to the outputs (false = none): a list in the outputs' order, or a table by name.
local function spread(who, what, given, names)
  local list = {}
  if given[1] ~= nil or next(given) == nil then
    if #given ~= #names then
      tools.fail("InvalidArgument",
        ("%s: %s is a list of %d, and the model has %d outputs: %s"):format(who, what, #given, #names,
        table.concat(names, ", ")))
    end
    return given
  end
  local places = {}
  for i, name in ipairs(names) do places[name], list[i] = i, false end
  for name, value in pairs(given) do
    if not places[name] then
      tools.refuse_word(("%s: %s has '%s', which is no output"):format(who, what, options.quoted(name)), name, names)
    end
    list[places[name]] = value
  end
  return list
end

-- An output's labels or weights; a single tensor applies to all outputs.
local function part_of(values, place, name)
  if type(values) ~= "table" then return values end
  local value = values[place]
  if value == nil then value = values[name] end
  return value or nil
end

local Losses = class "nn.OutputLosses"

function Losses:init(names, list, weights)
  self.names, self.losses, self.weights = names, list, weights
  -- The outputs' losses by a step's predictions, for the metrics of the same step.
  self.known = setmetatable({}, { __mode = "k" })
end

-- The loss of one output.
function Losses:of(place, y, predictions, sample_weight)
  local name = self.names[place]
  running.output = name
  local labels = part_of(y, place, name)
  if labels == nil then tools.fail("InvalidArgument", "it has a loss but no labels") end
  local loss, replica = self.losses[place], replicas.current
  local value = loss(labels, predictions[place], part_of(sample_weight, place, name))
  running.output = nil
  -- A replica's loss is later weighted by its share of the rows, which is wrong for a sum over rows.
  local share = replica and replica.share
  return share and type(loss) == "table" and loss.reduction == "sum" and value / share or value
end

function Losses:check_labels(who, y, waits)
  for place, loss in ipairs(self.losses) do
    local labels = part_of(y, place, self.names[place])
    if labels and type(loss) == "table" and loss.check_labels then
      loss:check_labels(("%s: output '%s'"):format(who, self.names[place]), labels, waits)
    end
  end
end

-- Sample weights from the classes of the outputs' labels, multiplied with given ones; a list or a table by name.
function Losses:weights_by_class(who, y, sample_weight, class_weight)
  local given, list = spread(who, "class_weight", class_weight, self.names), {}
  for place, name in ipairs(self.names) do
    local own, labels = part_of(sample_weight, place, name), part_of(y, place, name)
    local loss = self.losses[place]
    if given[place] and labels and loss then
      own = class_weights.of_rows(("%s: output '%s'"):format(who, name), labels, own, given[place], loss)
    end
    list[place] = own or false
  end
  return list
end

-- The weighted sum of the outputs' losses.
function Losses:__call(y, predictions, sample_weight)
  if type(predictions) ~= "table" or #predictions ~= #self.names then
    tools.fail("InvalidArgument", ("compile has losses for %d outputs, and the model gives %s"):format(#self.names,
      type(predictions) == "table" and #predictions or "one tensor"))
  end
  if type(y) ~= "table" then
    tools.fail("InvalidArgument",
      ("y is one tensor, and the model has %d outputs: expected a list, or a table by name"):format(#self.names))
  end
  local total, values = nil, {}
  for place, loss in ipairs(self.losses) do
    if loss then
      local value = self:of(place, y, predictions, sample_weight)
      values[place] = value
      if self.weights[place] then value = value * self.weights[place] end
      total = total and total + value or value
    end
  end
  self.known[predictions] = values
  return total
end

-- An output's loss as a metric, for reports.
local OutputLoss = class("nn.OutputLoss", metrics.Mean)

function OutputLoss:init(all, place)
  self.all, self.place, self.name = all, place, all.names[place] .. "_loss"
  self:reset_state()
end

function OutputLoss:update_state(y, predictions, sample_weight)
  local known = self.all.known[predictions]
  self:add(known and known[self.place] or self.all:of(self.place, y, predictions, sample_weight),
    #predictions[self.place])
end

-- A metric of one output.
local OutputMetric = class "nn.OutputMetric"

function OutputMetric:init(metric, place, output)
  self.metric, self.place, self.output, self.name = metric, place, output, output .. "_" .. metric.name
end

function OutputMetric:update_state(y, predictions, sample_weight)
  running.output = self.output
  self.metric:update_state(part_of(y, self.place, self.output), predictions[self.place],
    part_of(sample_weight, self.place, self.output))
  running.output = nil
end

function OutputMetric:result() return self.metric:result() end
function OutputMetric:reset_state() self.metric:reset_state() end

local function metrics_of(who, what, given, names, list)
  if next(given) == nil then return end
  for place, wanted in ipairs(spread(who, what, given, names)) do
    if not is_plain(wanted) or wanted.update_state then wanted = wanted and { wanted } or {} end
    for i, metric in ipairs(wanted) do
      list[#list + 1] = OutputMetric(metrics.get(("%s: %s of '%s'"):format(who, what, names[place]), metric, i, what),
        place, names[place])
    end
  end
end

-- compile's options for a model with these output names: the loss, the metrics, and how many of the metrics, the last
-- ones, are weighted.
function outputs.compile(who, names, read)
  local list, weights, told = {}, {}, {}
  for place, loss in ipairs(is_plain(read.loss) and spread(who, "loss", read.loss, names) or names) do
    list[place] = loss and losses.get(who, is_plain(read.loss) and loss or read.loss)
  end
  if read.loss_weights then
    weights = spread(who, "loss_weights", is_plain(read.loss_weights) and read.loss_weights or { read.loss_weights },
      names)
  end
  for place, name in ipairs(names) do
    local weight = weights[place]
    if weight and type(weight) ~= "number" then
      tools.fail("InvalidArgument",
        ("%s: the loss weight of '%s' is %s, expected a number"):format(who, name, tools.what_is(weight)))
    end
  end
  local all = Losses(names, list, weights)
  for place, loss in ipairs(list) do
    if loss then told[#told + 1] = OutputLoss(all, place) end
  end
  if #told == 0 then tools.fail("InvalidArgument", who .. ": no output has a loss") end
  metrics_of(who, "metrics", read.metrics, names, told)
  local plain = #told
  metrics_of(who, "weighted_metrics", read.weighted_metrics, names, told)
  return all, told, #told - plain
end

-- The name of a single output of a graph or a list of layers: the layer's name.
local function name_of_one(model)
  local symbols, chain = rawget(model, "output_symbols"), rawget(model, "layers") or {}
  return symbols and outputs.names_of(symbols)[1] or chain[1] and chain[#chain].name
end

-- The outputs' names for compile, or nil for a model with one output. An extended model has as many as losses.
function outputs.names_for(model, read)
  local known = rawget(model, "output_names")
  if known then return known end
  if not is_plain(read.loss) then return nil end
  local name = name_of_one(model)
  if #read.loss == 1 or rawget(model, "output_symbols") or name and read.loss[1] == nil then
    read.loss = spread("compile", "loss", read.loss, { name or "output" })[1]
    return nil
  end
  if read.loss[1] == nil then
    tools.fail("InvalidArgument",
      ("compile: loss is a table by name, and the outputs of '%s' have none: expected a list"):format(model.name))
  end
  local names = {}
  for i = 1, #read.loss do names[i] = "output_" .. i end
  return names
end

-- The value of an option for a model with one output, which may be given by name.
local function of_one(model, given)
  if not is_plain(given) or type(next(given)) ~= "string" or next(given, (next(given))) ~= nil then return given end
  local name = name_of_one(model)
  local value = name and given[name]
  return value ~= nil and value or given
end

-- Labels as a list of tensors in the outputs' order (false = none); for a single output unchanged.
function outputs.labels(model, who, y, name)
  local names = rawget(model, "compiled_outputs")
  if tensor_batches.is_dataset(y) then return y end
  if not names then return of_one(model, y) end
  if not is_plain(y) then
    tools.fail("InvalidArgument",
      ("%s: %s is %s, and the model has %d outputs: expected a list, or a table by name"):format(who, name,
      tools.what_is(y), #names))
  end
  local list = {}
  for place, value in ipairs(spread(who, name, y, names)) do
    list[place] = value and tensor_batches.read(who, ("%s of '%s'"):format(name, names[place]), value)
  end
  return list
end

-- Sample weights: one tensor for all outputs, or one per output.
function outputs.weights(model, who, weights)
  if not rawget(model, "compiled_outputs") then return of_one(model, weights) end
  if not is_plain(weights) or type(weights[1]) == "number" then return weights end
  return outputs.labels(model, who, weights, "sample_weight")
end

-- The same for the arguments of fit and evaluate: y, and in `read` the weights and validation data.
function outputs.prepare(model, who, y, read)
  local held = read.validation_data
  if is_plain(held) and held[2] ~= nil then
    local labels = outputs.labels(model, who .. ": validation_data", held[2], "y")
    read.validation_data = { held[1], labels, outputs.weights(model, who, held[3]) }
  end
  read.sample_weight = outputs.weights(model, who, read.sample_weight)
  return y and outputs.labels(model, who, y, "y")
end

return outputs
