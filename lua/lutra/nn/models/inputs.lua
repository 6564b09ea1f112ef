-- Checks the inputs of a model's call before its layers run.
local lutra, tools, use = ...
local options, masks = use "options", use "nn.training.masks"

local inputs = {}

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

local function refuse(model, what, x, shape)
  model:refuse("%s has the shape %s, expected %s", what, tostring(x.shape), options.batch_text(shape))
end

-- Checks the rows of one input of a graph, whose shape is fixed.
local function fitted(model, symbol, x)
  local shape = symbol.shape
  x = cast(x, symbol.dtype)
  if tools.has_rows(x, shape) then return x end
  if not tools.is_tensor(x) then
    model:refuse("the input '%s' is %s, expected a tensor", symbol.name, tools.what_is(x))
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
  if type(x) ~= "table" then
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
  if dtype then x = cast(x, dtype) end
  if tools.has_rank(x, #shape + 1) or type(x) == "table" or type(shape[1]) == "table" then return x end
  return ranked(x, #shape + 1, shape[#shape]) or refuse(model, "its input", x, shape)
end

return inputs
