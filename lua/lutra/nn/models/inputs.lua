-- Checks the inputs of a model's call before its layers run.
local lutra, tools, use = ...
local options, masks, texts = use "options", use "nn.training.masks", use "texts"

local inputs = {}

-- Whether a layer's input, of several the one with this number, is strings: of a text layer, or of a model that begins
-- with one.
function inputs.is_text(layer, number)
  local symbols, chain = rawget(layer, "input_symbols"), rawget(layer, "layers")
  if symbols then return symbols[number or 1] ~= nil and symbols[number or 1].dtype == "string" end
  if chain and layer.is_chain and chain[1] then return inputs.is_text(chain[1]) end
  return layer.takes_texts == true
end

-- Fails unless a layer takes what stands before it: strings, or numbers. `before` names it.
function inputs.check_kind(layer, number, are_strings, before)
  if are_strings == inputs.is_text(layer, number) or layer.takes_texts == "too" then return end
  if are_strings then
    -- A class of the program may have a text layer inside.
    if layer.is_the_programs then return end
    layer:refuse("%s is strings, expected numbers: a text layer such as lt.nn.TextVectorization makes them", before)
  end
  layer:refuse("%s gives numbers, and it takes strings: a text layer is the first layer of a model, or called with "
    .. "lt.nn.Input({1}, {dtype = \"string\"})", before)
end

-- Casts rows to the dtype of an Input, if it has one.
local function cast(x, dtype)
  if not dtype or not tools.is_tensor(x) or x.dtype == dtype then return x end
  local made = lutra.cast(x, dtype)
  masks.carry(x, made)
  return made
end

-- Adjusts the rank of rows: as in Keras, a last axis of size 1 may be missing or superfluous.
local function ranked(x, wanted, last)
  if x.rank == wanted then return x end
  if x.rank == wanted - 1 and last == 1 then return lutra.expand_dims(x, -1) end
  if x.rank == wanted + 1 and x.shape[x.rank] == 1 then return lutra.squeeze(x, -1) end
end

-- Fails for strings given to a list of layers that does not begin with a text layer.
function inputs.check_texts(model, x)
  local chain = rawget(model, "layers")
  if texts.is(x) and model.is_chain and chain[1] then inputs.check_kind(chain[1], nil, true, "its input") end
end

local function refuse(model, what, x, shape)
  model:refuse("%s has the shape %s, expected %s", what,
    type(x) == "table" and options.shape_text(texts.sizes(x)) or tostring(x.shape), options.batch_text(shape))
end

local function shaped(model, what, x, shape)
  return texts.shaped(x, shape) or refuse(model, what, x, shape)
end

-- Checks the rows of one input of a graph, whose shape is fixed.
local function fitted(model, symbol, x)
  local shape = symbol.shape
  local wanted = symbol.dtype == "string" and "a table of strings" or "a tensor"
  if symbol.dtype == "string" then
    if texts.is(x) then return shaped(model, ("the input '%s'"):format(symbol.name), x, shape) end
  else
    x = cast(x, symbol.dtype)
    if tools.has_rows(x, shape) then return x end
  end
  if not tools.is_tensor(x) or symbol.dtype == "string" then
    model:refuse("the input '%s' is %s, expected %s", symbol.name, texts.is(x) and "strings" or tools.what_is(x), wanted)
  end
  local rows = ranked(x, #shape + 1, shape[#shape])
  local sizes = rows and rows.shape
  for axis = 1, #shape do
    local fits = sizes and (shape[axis] == -1 or sizes[axis + 1] == shape[axis])
    if not fits then refuse(model, ("the input '%s'"):format(symbol.name), x, shape) end
  end
  return rows
end

-- Converts a table by input name to a list in the inputs' order.
local function by_name(model, symbols, x)
  local list, names, known = {}, {}, {}
  for i, symbol in ipairs(symbols) do
    names[i], known[symbol.name] = symbol.name, true
    list[i] = x[symbol.name]
  end
  for name in pairs(x) do
    if not known[name] then
      tools.refuse_word(("layer '%s': it has no input '%s'"):format(model.name, options.quoted(name)), name, names)
    end
  end
  for i, name in ipairs(names) do
    if list[i] == nil then model:refuse("its input '%s' is missing", name) end
  end
  return list
end

-- The values of a graph's inputs, in order, from a tensor, a list, or a table by name.
function inputs.of_graph(model, x)
  local symbols = model.input_symbols
  if type(x) ~= "table" or #symbols == 1 and texts.is(x) then
    if #symbols > 1 then
      model:refuse("it has %d inputs, and %s is given, expected a list", #symbols, tools.what_is(x))
    end
    return { fitted(model, symbols[1], x) }
  end
  local list = x[1] == nil and next(x) ~= nil and by_name(model, symbols, x) or x
  if #list ~= #symbols then
    model:refuse("it has %d input%s, and a list of %d is given", #symbols, #symbols == 1 and "" or "s", #list)
  end
  local values = {}
  for i, symbol in ipairs(symbols) do values[i] = fitted(model, symbol, list[i]) end
  return values
end

-- Checks the rows for a list of layers. As in Keras, the layers check the sizes, each as it was built.
function inputs.of_layers(model, x, shape)
  local dtype = rawget(model, "input_dtype")
  if texts.is(x) then return shaped(model, "its input", x, shape) end
  if dtype and dtype ~= "string" then x = cast(x, dtype) end
  if tools.has_rank(x, #shape + 1) or type(x) == "table" or type(shape[1]) == "table" then return x end
  return ranked(x, #shape + 1, shape[#shape]) or refuse(model, "its input", x, shape)
end

return inputs
