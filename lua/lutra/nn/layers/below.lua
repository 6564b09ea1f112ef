-- What lies below a layer: weights and other layers, in its fields and in tables there, found by walking the fields in the order in
-- which they were first set; names in a table have no order of their own, and go by the alphabet.
local lutra, tools, use = ...
local options = use "options"

local below = {}

local function is_layer(value)
  local kind = type(value) == "table" and getmetatable(value)
  return type(kind) == "table" and type(rawget(value, "_fields")) == "table"
end
below.is_layer = is_layer

local function path_of(path, key) return path and path .. "." .. key or tostring(key) end

-- Calls on_layer(layer) and on_weight(variable, is_trainable, path) for what lies below `value`, in order, each once; not for what
-- lies below a layer of which on_layer says true. A path is made of fields and places: "layers.1.kernel".
local function walk(value, trainable, seen, on_weight, on_layer, path)
  if type(value) == "userdata" then
    if getmetatable(value) == "lutra.Variable" and not seen[value] then
      seen[value] = true
      on_weight(value, trainable and value.trainable, path)
    end
  elseif type(value) == "table" and not seen[value] then
    seen[value] = true
    if is_layer(value) then
      if on_layer and on_layer(value) then return end
      for _, key in ipairs(value._fields) do
        walk(rawget(value, key), trainable and value.trainable, seen, on_weight, on_layer, path_of(path, key))
      end
    elseif getmetatable(value) == nil then
      for i = 1, #value do walk(value[i], trainable, seen, on_weight, on_layer, path_of(path, i)) end
      for _, name in ipairs(options.sorted_names(value)) do
        walk(value[name], trainable, seen, on_weight, on_layer, path_of(path, name))
      end
    end
  end
end

-- All variables below, in order, and their paths.
function below.weights_with_paths(layer)
  local list, paths = {}, {}
  walk(layer, true, {}, function(variable, _, path) list[#list + 1], paths[#paths + 1] = variable, path end)
  return list, paths
end

-- All variables; with `wanted` those that training changes, or the others.
function below.weights(layer, wanted)
  local list = {}
  walk(layer, true, {}, function(variable, is_trainable)
    if wanted == nil or wanted == is_trainable then list[#list + 1] = variable end
  end)
  return list
end

local function ignore() end

-- The layers below a layer, each once.
function below.layers(layer)
  local list = {}
  walk(layer, true, {}, ignore, function(found)
    if found ~= layer then list[#list + 1] = found end
  end)
  return list
end

-- Those right below it, in order, each once.
function below.right_below(layer)
  local list = {}
  walk(layer, true, {}, ignore, function(found)
    if found == layer then return false end
    list[#list + 1] = found
    return true
  end)
  return list
end

return below
