-- Methods of a layer about its variables and those of its sublayers: making them, their values, penalties on them.
local lutra, tools, use = ...
local options, initializers, regularizers, below = use "options", use "nn.layers.initializers",
  use "nn.layers.regularizers", use "nn.layers.below"
local expected = use "nn.files.expected_weights"

local weights = {}

-- All variables; the trainable ones; the others.
function weights:variables() return below.weights(self) end
function weights:trainable_variables() return below.weights(self, true) end
function weights:non_trainable_variables() return below.weights(self, false) end

-- All sublayers, each once.
function weights:sublayers() return below.layers(self) end

function weights:count_params()
  local count = 0
  for _, variable in ipairs(self:variables()) do count = count + variable.size end
  return count
end

-- Values of all variables, as tensors that later training does not change.
function weights:get_weights()
  local list = self:variables()
  for i, variable in ipairs(list) do list[i] = variable:value() end
  return list
end

-- Whether `assign` accepts the value.
local function fits(value, variable)
  if type(value) == "number" or type(value) == "boolean" then return true end
  if not tools.have_one_shape(value, variable) then return false end
  local function nothing(dtype) return lutra.zeros({ 0 }, { dtype = dtype }) end
  return value.dtype == variable.dtype or (nothing(value.dtype) + nothing(variable.dtype)).dtype == variable.dtype
end
function weights:set_weights(values)
  local list = self:variables()
  if type(values) ~= "table" or #values ~= #list then
    tools.fail("InvalidArgument",
      ("set_weights: values is %s, expected a list of %d tensors, one per variable of '%s'"):format(
      type(values) == "table" and "a list of " .. #values or tools.what_is(values), #list, self.name))
  end
  -- All or none: check every value before assigning any.
  for i, variable in ipairs(list) do
    local value = values[i]
    if type(value) == "table" and getmetatable(value) == nil then value = lutra.constant(value) end
    if not fits(value, variable) then variable:assign(value) end
  end
  for i, variable in ipairs(list) do variable:assign(values[i]) end
end

-- Checks the result of an initializer, which may be the program's own.
local function check_initial(layer, name, initial, wanted)
  if not tools.is_tensor(initial) then
    layer:refuse("%s_initializer gives %s, expected a tensor of shape %s", name, tools.what_is(initial),
      options.shape_text(wanted))
  end
  local shape = initial.shape
  local is_same = #shape == #wanted
  for axis = 1, is_same and #wanted or 0 do is_same = is_same and shape[axis] == wanted[axis] end
  if not is_same then
    layer:refuse("%s_initializer gives the shape %s, expected %s", name, tostring(shape), options.shape_text(wanted))
  end
end

-- Makes a function for the regularizer's penalty on a weight, which checks the result: the regularizer may be the
-- program's own.
local function cost_of(layer, name, regularizer)
  return function(weight)
    local cost = regularizer(weight)
    if not tools.is_tensor(cost) and type(cost) ~= "number" then
      layer:refuse("its %s_regularizer gives %s, expected a tensor", name, tools.what_is(cost))
    end
    return cost
  end
end

-- Makes a new weight, to be set as a field: self.kernel = self:add_weight {name = "kernel", shape = {2, 3}}.
function weights:add_weight(given)
  local read = options.read("add_weight", given,
    { name = "weight", shape = {}, initializer = "glorot_uniform", trainable = true, dtype = "float32",
      regularizer = false, constraint = false })
  local who = "layer '" .. use "nn.layers.layer".Layer.named(self) .. "'"
  read.shape = options.shape("add_weight", "shape", tools.is_shape(read.shape) and { table.unpack(read.shape) } or read.shape)
  for axis = 1, #read.shape do
    if read.shape[axis] == -1 then
      self:refuse("its weight '%s' depends on an input size that is not fixed: give the size, or remove the axis in an "
        .. "earlier layer", read.name)
    end
  end
  expected.take(self, read.name, read.shape)
  local initial = initializers.get(who, read.name .. "_initializer", read.initializer)(read.shape)
  if type(initial) == "table" then initial = lutra.constant(initial) end
  check_initial(self, read.name, initial, read.shape)
  local made = lutra.Variable(initial,
    { name = self.name .. "/" .. read.name, trainable = read.trainable, dtype = read.dtype })
  local cost = regularizers.get(who, read.name .. "_regularizer", read.regularizer)
  if cost then table.insert(self.costs, { cost = cost_of(self, read.name, cost), weight = made }) end
  if read.constraint then use "nn.layers.constraints".attach(who, read.name .. "_constraint", made, read.constraint) end
  return made
end

-- The regularizers' penalties on trainable weights of the layer and its sublayers: a list of {cost = function of the
-- weight, weight = variable}.
function weights:weight_costs()
  local all, changing, list = { table.unpack(self.costs) }, {}, {}
  for _, layer in ipairs(self:sublayers()) do table.move(layer.costs, 1, #layer.costs, #all + 1, all) end
  if #all == 0 then return all end
  for _, variable in ipairs(self:trainable_variables()) do changing[variable] = true end
  for _, each in ipairs(all) do
    if changing[each.weight] then list[#list + 1] = each end
  end
  return list
end

return weights
