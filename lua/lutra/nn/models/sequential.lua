-- A model that is a stack of layers.
local lutra, tools, use = ...
local options, layers, Model, inputs = use "options", use "nn.layers.layer", use "nn.models.model",
  use "nn.models.inputs"
local running, compute = layers.running, layers.compute

local Sequential = Model:extend "Sequential"
Sequential.is_chain = true

-- nn.Sequential {layer, layer, ..., name = }; the first entry may be an Input.
function Sequential:init(given)
  local read = options.read("Sequential", given, { name = false }, true)
  self:named(read.name)
  self.layers = {}
  for i = 1, #(given or {}) do self:add(given[i]) end
end

-- Called after its layers have changed: checks that they fit, and discards what depends on the variables.
local function changed(self)
  self:compute_output_shape(self.shape)
  rawset(self, "step_variables", false)
  rawset(self, "known_costs", nil)
end

-- Appends a layer.
function Sequential:add(layer)
  if type(layer) == "table" and layer.is_symbol and not layer.layer and #self.layers == 0 then
    self.shape, self.input_dtype = layer.shape, layer.dtype
    return self
  end
  options.refuse_class("Sequential", ("layer %d"):format(#self.layers + 1), layer)
  if not layers.is_layer(layer) then
    tools.fail("InvalidArgument",
      ("Sequential: layer %d is %s, expected a layer"):format(#self.layers + 1, tools.what_is(layer)))
  end
  local is_itself = layer == self
  for _, below in ipairs(layer:sublayers()) do is_itself = is_itself or below == self end
  if is_itself then self:refuse("it cannot be a layer of itself") end
  local chain = self.layers
  for _, other in ipairs(chain) do
    if other == layer then self:refuse("the layer '%s' is in it already", layer.name) end
  end
  if #chain > 0 then inputs.check_kind(layer, nil, false, ("the layer '%s' before it"):format(chain[#chain].name))
  elseif self.shape then inputs.check_kind(layer, nil, self.input_dtype == "string", "the model's Input") end
  if #chain == 0 and rawget(layer, "input_shape") then self.shape = layer.input_shape end
  chain[#chain + 1] = layer
  -- Make the weights as soon as the shapes are known.
  if self.built then
    changed(self)
  elseif self.shape then
    self:ensure_built(self.shape)
  end
  return self
end

-- Removes the last layer and returns it.
function Sequential:pop()
  local layer = table.remove(self.layers)
  if not layer then self:refuse("it has no layers to remove") end
  if self.built then changed(self) end
  return layer
end

function Sequential:build(shape)
  rawset(self, "shape", shape)
  if inputs.is_text(self) then self.input_dtype = "string" end
  self:compute_output_shape(shape)
end

-- Builds the layers on the way.
function Sequential:compute_output_shape(shape)
  for _, layer in ipairs(self.layers) do
    layer:ensure_built(shape)
    shape = layer:compute_output_shape(shape)
  end
  return shape
end

function Sequential:call(x, training)
  local chain, outer = self.layers, running.layer
  inputs.check_texts(self, x)
  if self.shape then x = inputs.of_layers(self, x, self.shape) end
  for i = 1, #chain do
    local layer = chain[i]
    running.layer = layer
    x = compute(layer, x, training)
  end
  running.layer = outer
  return x
end

use "colon"(Sequential, "m", "model", "add pop compute_output_shape")

return Sequential
