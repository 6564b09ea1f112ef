-- A model: a layer that can be trained. It is made from inputs and outputs of a graph, from a list of layers
-- (sequential.lua), or by extending it. compile, fit and the other methods of training are in training.lua and
-- fitting.lua.
local lutra, tools, use = ...
local options, layers, graph, replicas = use "options", use "nn.layers.layer", use "nn.models.graph", use "distribute.replicas"
local precision, inputs, added = use "nn.training.precision", use "nn.models.inputs", use "nn.training.added_losses"
local texts, check_texts = use "texts", inputs.check_texts
local running, compute = layers.running, layers.compute

local Model = layers.Layer:extend "Model"

-- nn.Model {inputs = , outputs = , name = }
function Model:init(given, ...)
  if getmetatable(self) ~= Model and given == nil then return end
  if type(given) == "table" and given.is_symbol or select("#", ...) > 0 then
    tools.fail("InvalidArgument", "Model: inputs and outputs are given in a table: write nn.Model {inputs = x, outputs = y}")
  end
  local read = options.read("Model", given, { inputs = false, outputs = false, name = false })
  self:named(read.name)
  if not (read.inputs and read.outputs) then
    tools.fail("InvalidArgument", 'Model: inputs or outputs are missing: write nn.Model {inputs = x, outputs = y}; custom '
      .. 'models are made with lt.nn.Model:extend "Name"')
  end
  local function list(name, value)
    if type(value) ~= "table" then
      tools.fail("InvalidArgument", ("Model: %s is %s, expected a result of lt.nn.Input or of a layer, or a list"):format(name,
        tools.what_is(value)))
    end
    return value.is_symbol and { value } or value
  end
  local symbols, outputs = list("inputs", read.inputs), list("outputs", read.outputs)
  self.input_symbols = symbols
  local steps, results = graph.plan("Model", symbols, outputs)
  -- Set raw: self.layers holds the model's layers.
  rawset(self, "steps", steps)
  rawset(self, "results", results)
  self.output_symbols = outputs
  rawset(self, "inputs", symbols)
  rawset(self, "outputs", outputs)
  if #outputs > 1 then self.output_names = use "nn.models.outputs".names_of(outputs) end
  local seen = {}
  local chain = {}
  for _, step in ipairs(self.steps) do
    if not seen[step.layer] then chain[#chain + 1] = step.layer end
    seen[step.layer] = true
  end
  self.layers = chain
  self.built = true
end

function Model:compute_output_shape(shape)
  if not self.steps then return layers.Layer.compute_output_shape(self, shape) end
  if #self.output_symbols == 1 then return self.output_symbols[1].shape end
  local shapes = {}
  for i, symbol in ipairs(self.output_symbols) do shapes[i] = symbol.shape end
  return shapes
end

function Model:call(x, training)
  if not self.steps then self:refuse("the class %s has no call method: define call(self, x, training)", self.kind) end
  return graph.run(self.steps, self.results, inputs.of_graph(self, x), training)
end

-- The layer with this name or index.
function Model:get_layer(which)
  local list, names = rawget(self, "layers") or use "nn.layers.below".right_below(self), {}
  for i, layer in ipairs(list) do
    if i == which or layer.name == which then return layer end
    names[i] = layer.name
  end
  if type(which) == "string" then
    tools.refuse_word(("get_layer: '%s' has no layer '%s'"):format(self.name, options.quoted(which)), which, names)
  end
  self:refuse("it has no layer %s: expected a name or a number of 1 to %d", tools.what_is(which), #list)
end

-- The model's result for a batch. In mixed precision layers compute in bfloat16, and the result is float32.
function Model:compute(x, training, given)
  local outer <const>, entered <close> = running.layer, added.enter(self)
  running.layer = self
  local y = compute(self, x, training, given)
  running.layer = outer
  return running.dtype and precision.as(y, "float32") or y
end

local function ready_and_call(self, x, training, given)
  self:ensure_ready(x)
  running.training = training or nil
  return self:compute(x, training, given)
end

-- A call builds the model if needed; errors name the layer. `training` is as for a layer (layer.lua).
function Model:__call(x, training)
  local given
  training, given = layers.read_call(self, training)
  if type(x) == "table" and (x.is_symbol or type(x[1]) == "table" and x[1].is_symbol) then
    return graph.apply(self, x, given or training ~= nil and { training = training } or nil)
  end
  x = use "nn.training.tensor_batches".read(self.name, "x", x)
  if training == nil then training = running.training or false end
  return self:guarded(ready_and_call, self, x, training, given)
end

local function finish(is_open, layer, training, dtype, ok, ...)
  added.set_open(is_open)
  running.layer, running.output, running.training, running.dtype = layer, nil, training, dtype
  if not ok then error((...), 0) end
  return ...
end

-- Calls f(...); errors get the name of the running layer.
function Model:guarded(f, ...)
  local layer, dtype = running.layer, running.dtype
  running.layer, running.dtype = nil, rawget(self, "compute_dtype") or dtype
  return finish(added.is_open(), layer, running.training, dtype, xpcall(f, layers.name_error, ...))
end

-- Shapes and dtypes of rows, which a file stores (saving.lua).
local function inputs_of(x)
  local list = {}
  for i, rows in ipairs(type(x) == "table" and not texts.is(x) and x or { x }) do
    list[i] = { shape = layers.shape_below(rows), dtype = type(rows) == "table" and "string" or rows.dtype }
  end
  return list
end

local function one_or_all(list) return #list == 1 and list[1] or list end
local function shapes_like(inputs)
  local shapes = {}
  for i, input in ipairs(inputs) do shapes[i] = input.shape end
  return one_or_all(shapes)
end
local function rows_like(inputs)
  local rows = {}
  for i, input in ipairs(inputs) do
    local sizes = { 1, table.unpack(input.shape) }
    rows[i] = input.dtype == "string" and texts.empty(sizes) or lutra.ones(sizes, { dtype = input.dtype })
  end
  return one_or_all(rows)
end

-- Makes the weights of a model that takes its shapes from its first input: x, or the shapes in a file.
function Model:ensure_ready(x, inputs)
  if rawget(self, "ready") then return end
  local strategy = rawget(self, "strategy")
  if strategy and replicas.strategy() ~= strategy then return strategy:scope(self.ensure_ready, self, x, inputs) end
  if not self.built then
    check_texts(self, x)
    rawset(self, "first_input", inputs or inputs_of(x))
    self:ensure_built(inputs and shapes_like(inputs) or layers.shape_below(x))
  end
  -- An extended model makes its layers' weights by computing once. Ctrl-C may have interrupted that.
  local has_input = x ~= nil or inputs ~= nil
  for _, layer in ipairs(has_input and self:sublayers() or {}) do
    if not layer.built then
      self:compute(x ~= nil and x or rows_like(inputs), false)
      break
    end
  end
  rawset(self, "ready", has_input)
end

for _, part in ipairs { "nn.training.training", "nn.training.fitting", "nn.models.summary" } do
  for name, method in pairs(use(part)) do Model[name] = method end
end
for name, method in pairs(use "nn.files.saving".methods) do Model[name] = method end
use "colon"(Model, "m", "model", "compile fit evaluate predict train_on_batch test_on_batch predict_on_batch save load save_weights "
  .. "load_weights summary get_layer reset_metrics compute_output_shape")

return Model
