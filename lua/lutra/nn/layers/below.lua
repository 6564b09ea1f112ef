-- Weights and sublayers of a layer: in its fields and in tables there. Fields are visited in the order in which they
-- were first set; string keys of a table have no order and are visited alphabetically.
local lutra, tools, use = ...
local options = use "options"

local below = {}

local function is_layer(value)
  local kind = type(value) == "table" and getmetatable(value)
  return type(kind) == "table" and type(rawget(value, "_fields")) == "table"
end
below.is_layer = is_layer

local function path_of(path, key) return path and path .. "." .. key or tostring(key) end

-- Calls on_layer(layer, path) and on_weight(variable, is_trainable, path) for everything in `value`, in order, each once.
-- If on_layer returns true, the layer's contents are skipped. A path consists of fields and indices: "layers.1.kernel".
local function walk(value, trainable, seen, on_weight, on_layer, path)
  if type(value) == "userdata" then
    if getmetatable(value) == "lutra.Variable" and not seen[value] then
      seen[value] = true
      on_weight(value, trainable and value.trainable, path)
    end
  elseif type(value) == "table" and not seen[value] then
    seen[value] = true
    if is_layer(value) then
      if on_layer and on_layer(value, path) then return end
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

-- All variables, in order, and their paths.
function below.weights_with_paths(layer)
  local list, paths = {}, {}
  walk(layer, true, {}, function(variable, _, path) list[#list + 1], paths[#paths + 1] = variable, path end)
  return list, paths
end

-- All variables; with `wanted` true only those that training changes, with false only the others.
function below.weights(layer, wanted)
  local list = {}
  walk(layer, true, {}, function(variable, is_trainable)
    if wanted == nil or wanted == is_trainable then list[#list + 1] = variable end
  end)
  return list
end

local function ignore() end

-- The sublayers at any depth by path.
function below.layers_by_path(layer)
  local found = {}
  walk(layer, true, {}, ignore, function(each, path)
    if path then found[path] = each end
  end)
  return found
end

-- All sublayers of a layer at any depth, each once.
function below.layers(layer)
  local list = {}
  walk(layer, true, {}, ignore, function(found)
    if found ~= layer then list[#list + 1] = found end
  end)
  return list
end

-- The direct sublayers, in order, each once.
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
