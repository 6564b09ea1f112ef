-- Converts layers, models and their constructor arguments to plain tables that JSON can hold, and back. An object is
-- described by its class and constructor arguments, which class.lua keeps, so a new kind of layer needs no code here.
local lutra, tools, use = ...
local json, options, layers = use "json", use "options", use "nn.layers.layer"

local config = {}

local function is_object(value)
  local kind = type(value) == "table" and getmetatable(value)
  return type(kind) == "table" and kind.remembers and rawget(value, "made_with") ~= nil
end

-- Modules whose functions have names in a file: operations used as activations, and loss functions.
local named_functions = { activations = "nn.layers.activations", losses = "nn.training.losses" }
local function name_of_function(f)
  for kind, module in pairs(named_functions) do
    for name, known in pairs(use(module).public) do
      if rawequal(known, f) then return kind, name end
    end
  end
end

-- "nn.initializers.Zeros" of an object.
local function class_name(object) return (getmetatable(object).__name:gsub("^lutra%.", "")) end

local encode

local function encode_list(who, list, count)
  local out = {}
  for i = 1, count do
    if list[i] == nil then out[i] = json.null else out[i] = encode(who, list[i]) end
  end
  return out
end

-- Checks a string, since JSON is UTF-8.
local function text(who, value)
  if utf8.len(value) then return value end
  local shown = options.quoted(value):gsub("[\128-\255]", "?")
  tools.fail("InvalidArgument", ("%s: \"%s\" is no UTF-8 and cannot be written down"):format(who, shown))
end

-- Encodes a constructor argument. Tables with both indices and names, and values that are not plain, are marked with
-- "@".
function encode(who, value)
  local kind = type(value)
  if kind == "string" then return text(who, value) end
  if kind == "number" or kind == "boolean" then return value end
  if layers.is_layer(value) then return { ["@"] = "layer", config = config.of_layer(value, who) } end
  if is_object(value) then
    return { ["@"] = "object", class = class_name(value),
      arguments = encode_list(who, value.made_with, value.made_with.n) }
  end
  if kind == "function" then
    local place, name = name_of_function(value)
    if place then return { ["@"] = place, name = name } end
  end
  if kind ~= "table" or getmetatable(value) ~= nil then
    tools.fail("InvalidArgument", ("%s: %s cannot be written down; names, options and objects of lt.nn can"):format(who,
      tools.what_is(value)))
  end
  local names, has_names = {}, false
  for key, entry in pairs(value) do
    if type(key) == "string" then
      names[text(who, key)], has_names = encode(who, entry), true
    elseif math.type(key) ~= "integer" or key < 1 or key > #value then
      tools.fail("InvalidArgument",
        ("%s: a table with the key %s cannot be written down"):format(who, tools.what_is(key)))
    end
  end
  if not has_names then return encode_list(who, value, #value) end
  if #value == 0 and names["@"] == nil then return names end
  return { ["@"] = "table", list = encode_list(who, value, #value), names = names }
end

local function wrong(who, what) tools.fail("InvalidArgument", ("%s: the model's description %s"):format(who, what)) end
local function expect_table(who, value, what)
  if type(value) ~= "table" or value == json.null then wrong(who, "lacks " .. what) end
  return value
end

-- The class of that name, among those that keep their arguments.
local function find_class(who, name, custom)
  if custom and type(name) == "string" and custom[name] then return custom[name] end
  local found = lutra
  for word in tostring(name):gmatch("[^.]+") do
    if type(found) ~= "table" then break end
    found = found[word]
  end
  if type(found) ~= "table" or not found.remembers or rawget(found, "__name") ~= "lutra." .. tostring(name) then
    wrong(who, ("has a %s, which lutra does not have; if it is a class of the program's, give it as custom_objects = {%s = the class}")
      :format(options.quoted(tostring(name):gsub("^nn%.", "")), options.quoted(tostring(name):match("[%w_]*$"))))
  end
  return found
end

local decode

local function decode_list(who, list, custom)
  local out = {}
  for i = 1, #list do
    if list[i] ~= json.null then out[i] = decode(who, list[i], custom) end
  end
  return out, #list
end

local function decode_names(who, names, custom)
  local out = {}
  for key, entry in pairs(names) do out[key] = decode(who, entry, custom) end
  return out
end

function decode(who, value, custom)
  if type(value) ~= "table" then return value end
  if value == json.null then return nil end
  local mark = value["@"]
  if mark == nil then
    if #value > 0 then return (decode_list(who, value, custom)) end
    return decode_names(who, value, custom)
  elseif mark == "layer" then
    return config.layer_from(who, value.config, custom)
  elseif mark == "object" then
    local given, count = decode_list(who, expect_table(who, value.arguments, "arguments"), custom)
    return find_class(who, value.class, custom)(table.unpack(given, 1, count))
  elseif named_functions[mark] then
    return options.resolve(who, mark, tostring(value.name), use(named_functions[mark]).public)
  elseif mark == "table" then
    local out = decode_list(who, expect_table(who, value.list, "a list"), custom)
    for key, entry in pairs(decode_names(who, expect_table(who, value.names, "names"), custom)) do out[key] = entry end
    return out
  end
  wrong(who, "has an unknown mark " .. tools.what_is(mark))
end
config.encode, config.decode = encode, decode

-- A model made of layers is described by its present layers, since `add` may have changed them.
local function encode_layers(who, list)
  local out = {}
  for i, layer in ipairs(list) do out[i] = config.of_layer(layer, who) end
  return out
end

-- The calls between inputs and outputs, by indices of layers and values (graph.lua).
local function graph_of(who, model)
  local numbers, inputs, steps = {}, {}, {}
  for i, layer in ipairs(model.layers) do numbers[layer] = i end
  for i, symbol in ipairs(model.input_symbols) do
    inputs[i] = { shape = encode(who, symbol.shape), name = symbol.name, dtype = symbol.dtype }
  end
  for i, step in ipairs(model.steps) do
    steps[i] = {
      layer = numbers[step.layer], from = step.from, to = step.to, given = step.given and encode(who, step.given),
      named = step.named and encode(who, step.named),
    }
  end
  return { inputs = inputs, steps = steps, results = model.results }
end

function config.of_layer(layer, who)
  local kind = getmetatable(layer)
  local out = { class = class_name(layer), name = layer.name }
  local place = ("%s: layer '%s'"):format(who, layer.name)
  if rawget(layer, "trainable") == false then out.trainable = false end
  if rawget(layer, "autocast") == false then out.autocast = false end
  out.state = layer.saved_state and layer:saved_state()
  if kind == lutra.nn.Sequential then
    out.layers = encode_layers(who, layer.layers)
    out.input_shape, out.input_dtype = rawget(layer, "shape") and encode(place, layer.shape),
      rawget(layer, "input_dtype")
  elseif kind == lutra.nn.Model then
    out.layers, out.graph = encode_layers(who, layer.layers), graph_of(place, layer)
  else
    out.arguments = encode_list(place, layer.made_with, layer.made_with.n)
  end
  return out
end

local function sequential_from(who, description, custom)
  local given = { name = description.name }
  if description.input_shape then
    given[1] = lutra.nn.Input { shape = decode(who, description.input_shape), dtype = description.input_dtype }
  end
  for _, layer in ipairs(expect_table(who, description.layers, "layers")) do
    given[#given + 1] = config.layer_from(who, layer, custom)
  end
  return lutra.nn.Sequential(given)
end

local function graph_from(who, description, custom)
  local made, values, inputs, outputs = {}, {}, {}, {}
  local plan = expect_table(who, description.graph, "a graph")
  for i, layer in ipairs(expect_table(who, description.layers, "layers")) do
    made[i] = config.layer_from(who, layer, custom)
  end
  local function value(place) return values[place] or wrong(who, "has a step before what it needs") end
  for i, input in ipairs(expect_table(who, plan.inputs, "inputs")) do
    if type(expect_table(who, input, "an input").name) ~= "string" then wrong(who, "has an input without a name") end
    inputs[i] = lutra.nn.Input { shape = decode(who, input.shape), name = input.name, dtype = input.dtype }
    values[i] = inputs[i]
  end
  for _, step in ipairs(expect_table(who, plan.steps, "steps")) do
    local x, given = {}, nil
    for i, place in ipairs(expect_table(who, expect_table(who, step, "a step").from, "places")) do
      x[i] = value(place)
    end
    if step.given then given = decode(who, expect_table(who, step.given, "options of a step"), custom) end
    for key, place in pairs(step.named and given and expect_table(who, step.named, "options of a step") or {}) do
      given[key] = value(place)
    end
    if #x == 0 then wrong(who, "has a step of nothing") end
    local layer = made[step.layer] or wrong(who, "has a step of no layer")
    local y = use "nn.models.graph".apply(layer, #x == 1 and x[1] or x, given)
    if y.is_symbol then y = { y } end
    for i, place in ipairs(expect_table(who, step.to, "places")) do values[place] = y[i] end
  end
  for i, place in ipairs(expect_table(who, plan.results, "results")) do outputs[i] = value(place) end
  return lutra.nn.Model { inputs = inputs, outputs = outputs, name = description.name }
end

-- What a layer remembers beside weights, such as a vocabulary, as its saved_state has given it.
function config.restore_state(who, layer, state)
  expect_table(who, state, "a layer's state")
  if not layer.restore_state then wrong(who, ("has a state of the layer '%s', which has none"):format(layer.name)) end
  layer:restore_state(state)
end

-- custom: the program's own classes, by name.
function config.layer_from(who, description, custom)
  expect_table(who, description, "a layer")
  if type(description.name) ~= "string" then wrong(who, "has a layer without a name") end
  local made
  if description.class == "nn.Sequential" then
    made = sequential_from(who, description, custom)
  elseif description.class == "nn.Model" then
    made = graph_from(who, description, custom)
  else
    local kind = custom and custom[tostring(description.class):match("[%w_]*$")]
      or find_class(who, description.class, custom)
    local given, count = decode_list(who, expect_table(who, description.arguments, "arguments"), custom)
    made = layers.with_name(description.name, function() return kind(table.unpack(given, 1, count)) end)
  end
  if description.trainable == false then made.trainable = false end
  if description.autocast == false then made.autocast = false end
  if description.state ~= nil then config.restore_state(who, made, description.state) end
  return made
end

return config
