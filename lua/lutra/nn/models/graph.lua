-- The functional form: lt.nn.Input returns a symbol, a layer called with symbols returns another, and a Model runs the
-- layers between two of them.
local lutra, tools, use = ...
local class, options, layers = use "class", use "options", use "nn.layers.layer"
local model_inputs = use "nn.models.inputs"

local Symbol = class "nn.Symbol"
Symbol.is_symbol = true

-- `node` is the call that made it: {layer, inputs, given = options, named = {option = symbol}, outputs = symbols}.
function Symbol:init(shape, node, name)
  self.shape, self.node, self.layer, self.name = shape, node, node and node.layer, name
end
function Symbol:__tostring()
  return ("<lutra.nn.Symbol '%s' shape=%s>"):format(self.name, options.batch_text(self.shape))
end

local graph = {}

local inputs_made = 0

-- A symbol for a model's input, with this shape without the batch axis; -1 is any size. The input is cast to the dtype
-- option, if given; "string": its rows are strings.
function graph.input(shape, given)
  if type(shape) == "table" and shape.shape then given, shape = shape, shape.shape end
  local read = options.read("Input", given, { shape = false, name = false, dtype = false })
  if read.dtype and read.dtype ~= "string" and (type(read.dtype) ~= "string" or rawget(lutra, read.dtype) ~= read.dtype) then
    tools.fail("InvalidArgument",
      ("Input: dtype is %s, expected one such as \"float32\" or \"int32\", or \"string\""):format(tools.what_is(read.dtype)))
  end
  inputs_made = inputs_made + 1
  local name = read.name or "input_" .. inputs_made
  local made = Symbol(options.shape("Input", "shape", shape), nil, name)
  made.dtype = read.dtype or nil
  return made
end

-- Splits the options of a call into plain ones and symbols.
local function sorted_out(given)
  local plain, named = nil, nil
  for key, value in pairs(given or {}) do
    if type(value) == "table" and value.is_symbol then
      named = named or {}
      named[key] = value
    else
      plain = plain or {}
      plain[key] = value
    end
  end
  return plain or named and {}, named
end

-- The result of calling a layer with symbols: a symbol, or a list of them.
function graph.apply(layer, x, given)
  local inputs = x.is_symbol and { x } or x
  local shapes = {}
  for i, input in ipairs(inputs) do
    if type(input) ~= "table" or not input.is_symbol then
      tools.fail("InvalidArgument", ("layer '%s': input %d is %s, but another one is a symbol of lt.nn.Input; all of "
        .. "them must be"):format(
        layer.name, i, tools.what_is(input)))
    end
    model_inputs.check_kind(layer, i, input.dtype == "string", ("its input '%s'"):format(input.name))
    shapes[i] = input.shape
  end
  local below = x.is_symbol and shapes[1] or shapes
  layer:ensure_built(below)
  local node = { layer = layer, inputs = inputs, outputs = {} }
  node.given, node.named = sorted_out(given)
  local out = layer:compute_output_shape(below, node.given)
  local several = type(out[1]) == "table"
  for i, shape in ipairs(several and out or { out }) do
    node.outputs[i] = Symbol(shape, node, several and layer.name .. ":" .. i or layer.name)
  end
  local y = several and { table.unpack(node.outputs) } or node.outputs[1]
  -- layer.output, for models that end there. A model has its own outputs, and a field set by the user is kept.
  if not layer.fit and rawget(layer, "output") == nil then rawset(layer, "output", y) end
  return y
end

-- The layers between inputs and outputs in an executable order: {layer, shapes, from = values, to = values, given =
-- options, named = values of options}; values are given by number.
function graph.plan(who, inputs, outputs)
  local steps, places, count = {}, {}, 0
  local function new_place(symbol)
    count = count + 1
    places[symbol] = count
    return count
  end
  for i, input in ipairs(inputs) do
    if type(input) ~= "table" or not input.is_symbol then
      tools.fail("InvalidArgument",
        ("%s: inputs[%d] is %s, expected a result of lt.nn.Input"):format(who, i, tools.what_is(input)))
    end
    if places[input] then
      tools.fail("InvalidArgument",
        ("%s: inputs[%d] is '%s', which is among inputs already"):format(who, i, input.name))
    end
    new_place(input)
  end
  if count == 0 then
    tools.fail("InvalidArgument", who .. ": inputs is an empty list, expected results of lt.nn.Input")
  end
  local function visit(symbol)
    if places[symbol] then return places[symbol] end
    if type(symbol) ~= "table" or not symbol.is_symbol then
      tools.fail("InvalidArgument",
        who .. ": outputs has " .. tools.what_is(symbol) .. ", expected a layer's result for the inputs")
    end
    if not symbol.layer then
      tools.fail("InvalidArgument",
        ("%s: the outputs depend on the input '%s', which is not among inputs"):format(who, symbol.name))
    end
    local node, from, to, named = symbol.node, {}, {}, nil
    for i, input in ipairs(node.inputs) do from[i] = visit(input) end
    for key, input in pairs(node.named or {}) do
      named = named or {}
      named[key] = visit(input)
    end
    for i, output in ipairs(node.outputs) do to[i] = new_place(output) end
    local shapes = {}
    for i, output in ipairs(node.outputs) do shapes[i] = output.shape end
    steps[#steps + 1] = { layer = node.layer, shapes = shapes, from = from, to = to, given = node.given, named = named }
    return places[symbol]
  end
  local results = {}
  for i, output in ipairs(outputs) do results[i] = visit(output) end
  return steps, results
end

local running, compute = layers.running, layers.compute

-- A step's options, with computed values filled in.
local function options_of(step, values)
  if not step.named then return step.given end
  local given = {}
  for key, value in pairs(step.given) do given[key] = value end
  for key, place in pairs(step.named) do given[key] = values[place] end
  return given
end

-- Calls a layer for which the user set `training` in the functional call; that applies to its sublayers as well.
local function compute_as_told(layer, x, given)
  local before = running.training
  running.training = given.training or nil
  local y = compute(layer, x, given.training, given)
  running.training = before
  return y
end

-- Runs the steps on the input values; returns the values of `results`.
function graph.run(steps, results, values, training)
  local outer = running.layer
  for i = 1, #steps do
    local step = steps[i]
    local layer, from, x = step.layer, step.from, nil
    if #from == 1 then
      x = values[from[1]]
    else
      x = {}
      for k = 1, #from do x[k] = values[from[k]] end
    end
    running.layer = layer
    local given, to, y = step.given and options_of(step, values), step.to, nil
    if given and given.training ~= nil then y = compute_as_told(layer, x, given) else y = compute(layer, x, training,
      given) end
    if #to == 1 then
      values[to[1]] = y
    else
      for k = 1, #to do values[to[k]] = y[k] end
    end
  end
  running.layer = outer
  if #results == 1 then return values[results[1]] end
  local out = {}
  for i = 1, #results do out[i] = values[results[i]] end
  return out
end

return graph
