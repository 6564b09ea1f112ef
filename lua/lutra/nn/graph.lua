-- The functional form: lt.nn.Input gives a symbol, a layer called with symbols gives another, and a Model runs what lies
-- between two of them.
local lutra, tools, use = ...
local class, options, layers = use "class", use "options", use "nn.layer"

local Symbol = class "nn.Symbol"
Symbol.is_symbol = true

function Symbol:init(shape, layer, inputs, name)
  self.shape, self.layer, self.inputs, self.name = shape, layer, inputs, name
end
function Symbol:__tostring()
  return ("<lutra.nn.Symbol '%s' shape=(batch%s)>"):format(self.name, #self.shape > 0 and
    ", " .. table.concat(self.shape, ", ") or "")
end

local graph = {}

local inputs_made = 0

-- What a model is called with, of this shape without the batch.
function graph.input(shape, given)
  if type(shape) == "table" and shape.shape then given, shape = shape, shape.shape end
  local read = options.read("Input", given, { shape = false, name = false })
  inputs_made = inputs_made + 1
  local name = read.name or "input_" .. inputs_made
  return Symbol(options.shape("Input", "shape", shape), nil, {}, name)
end

function graph.apply(layer, x)
  local inputs = x.is_symbol and { x } or x
  local shapes = {}
  for i, input in ipairs(inputs) do
    if type(input) ~= "table" or not input.is_symbol then
      tools.fail("InvalidArgument", ("layer '%s': input %d is %s, and another one came from lt.nn.Input; all of them must"):format(
        layer.name, i, tools.what_is(input)))
    end
    shapes[i] = input.shape
  end
  local below = x.is_symbol and shapes[1] or shapes
  layer:ensure_built(below)
  return Symbol(layer:compute_output_shape(below), layer, inputs, layer.name)
end

-- The layers between inputs and outputs in an order in which they can run: {layer, from = places, to = place}, where a
-- place is a value's number.
function graph.plan(who, inputs, outputs)
  local steps, places, count = {}, {}, 0
  local function new_place(symbol)
    count = count + 1
    places[symbol] = count
    return count
  end
  for i, input in ipairs(inputs) do
    if type(input) ~= "table" or not input.is_symbol then
      tools.fail("InvalidArgument", ("%s: inputs[%d] is %s, expected what lt.nn.Input gives"):format(who, i, tools.what_is(input)))
    end
    new_place(input)
  end
  local function visit(symbol)
    if places[symbol] then return places[symbol] end
    if type(symbol) ~= "table" or not symbol.is_symbol then
      tools.fail("InvalidArgument", who .. ": outputs has " .. tools.what_is(symbol) .. ", expected what a layer gives for inputs")
    end
    if not symbol.layer then
      tools.fail("InvalidArgument", ("%s: the outputs depend on the input '%s', which is not among inputs"):format(who, symbol.name))
    end
    local from = {}
    for i, input in ipairs(symbol.inputs) do from[i] = visit(input) end
    steps[#steps + 1] = { layer = symbol.layer, from = from, to = new_place(symbol) }
    return places[symbol]
  end
  local results = {}
  for i, output in ipairs(outputs) do results[i] = visit(output) end
  return steps, results
end

local running = layers.running

-- Runs the steps on the values of the inputs; gives those of `results`.
function graph.run(steps, results, values, training)
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
    values[step.to] = layer:call(x, training)
  end
  running.layer = nil
  if #results == 1 then return values[results[1]] end
  local out = {}
  for i = 1, #results do out[i] = values[results[i]] end
  return out
end

return graph
