-- What a checkpoint holds: the objects of its table, by paths such as "model.layers.1.kernel".
local lutra, tools, use = ...
local options, below = use "options", use "nn.layers.below"

local objects = {}

local function is_variable(value) return type(value) == "userdata" and getmetatable(value) == "lutra.Variable" end
local function is_optimizer(value)
  return type(value) == "table" and type(value.all_slots) == "function" and math.type(value.iterations) == "integer"
end
local function has_state(value)
  local meta = getmetatable(value)
  return type(value) == "table" and meta ~= nil and options.is_callable(value.get_state)
    and options.is_callable(value.set_state)
end
local function is_plain(value)
  local kind = type(value)
  return kind == "number" and value == value or kind == "boolean" or kind == "string" and utf8.len(value) ~= nil
end
local function is_table(value) return type(value) == "table" and getmetatable(value) == nil end

local function keys_of(list)
  local keys = {}
  for i = 1, #list do keys[i] = i end
  for _, name in ipairs(options.sorted_names(list)) do keys[#keys + 1] = name end
  return keys
end

-- Adds what is in holder[key] to `found`.
local function visit(who, holder, key, path, found)
  local value = holder[key]
  if is_variable(value) then
    found:add_variable(value, path)
  elseif below.is_layer(value) then
    found.layers[path] = value
    local variables, paths = below.weights_with_paths(value)
    for i, variable in ipairs(variables) do found:add_variable(variable, path .. "." .. paths[i]) end
  elseif is_optimizer(value) then
    found.optimizers[path] = value
  elseif has_state(value) then
    found.states[path] = value
  elseif is_plain(value) then
    found.plain[path] = { holder = holder, key = key, value = value }
  elseif is_table(value) then
    if found.around[value] then
      tools.fail("InvalidArgument", ("%s: %s holds itself"):format(who, path))
    end
    found.around[value] = true
    for _, inner in ipairs(keys_of(value)) do visit(who, value, inner, path .. "." .. inner, found) end
    found.around[value] = nil
  else
    tools.fail("InvalidArgument",
      ("%s: %s is %s, expected a model, a layer, an optimizer, a Variable, a number, a string, a boolean, an object with "
      .. "get_state and set_state, or a table of these"):format(who, path, tools.what_is(value)))
  end
end

local Found = {}
Found.__index = Found

-- A variable that is in several objects is stored once, by its first path.
function Found:add_variable(variable, path)
  if self.path_of[variable] then return end
  self.path_of[variable] = path
  self.variables[#self.variables + 1] = variable
end

-- The objects of a checkpoint's table: `variables` in order and their paths, and by path `layers`, `optimizers`,
-- `states` (objects with get_state) and `plain` values with their places.
function objects.find(who, holds)
  local found = setmetatable(
    { variables = {}, path_of = {}, layers = {}, optimizers = {}, states = {}, plain = {}, around = {} }, Found)
  for _, name in ipairs(options.sorted_names(holds)) do visit(who, holds, name, name, found) end
  return found
end

-- Shapes and dtypes of rows for which a layer was built, or nil if it needs none.
function objects.input_of(layer)
  if layer.ensure_ready then return use "nn.files.saving".input_of(layer) end
  local shape = rawget(layer, "built_for")
  if not shape or type(shape[1]) == "table" then return nil end
  local sizes = {}
  for i = 1, #shape do sizes[i] = math.max(shape[i], 1) end
  return { { shape = sizes, dtype = "float32" } }
end

-- Makes the weights of a layer that has none yet, for such rows.
function objects.build(who, path, layer, tensors, input)
  if layer.ensure_ready then
    use "nn.files.saving".ensure_weights(who, path, layer, tensors, { input = input })
  elseif not rawget(layer, "built") then
    use "nn.files.expected_weights".during(who, path, tensors, layer.ensure_built, layer, input[1].shape)
  end
end

return objects
