-- Layers without weights: they reshape, drop, apply a function, or put inputs together.
local lutra, tools, use = ...
local options, layer = use "options", use "nn.layer"
local activations, dropout = use "nn.activations", use "nn.dropping"
local Layer, shape_text = layer.Layer, options.shape_text

local function size_of(shape)
  local size = 1
  for i = 1, #shape do size = size * shape[i] end
  return size
end

-- A class of layers: init(self, read, ...) gets the options read.
local function define(kind, defaults, places, init)
  local Made = Layer:extend(kind)
  defaults.name, defaults.input_shape = false, false
  function Made:init(...)
    local read = options.read(kind, (select(places + 1, ...)), defaults)
    self:named(read.name)
    self.input_shape = read.input_shape and options.shape(kind, "input_shape", read.input_shape)
    if init then init(self, read, ...) end
  end
  return Made
end

local Flatten = define("Flatten", {}, 0)
Flatten.takes_one = true
function Flatten:compute_output_shape(shape) return { size_of(shape) } end
function Flatten:call(x) return lutra.reshape(x, { #x, -1 }) end

local Reshape = define("Reshape", {}, 1, function(self, _, shape)
  if type(shape) ~= "table" then
    tools.fail("InvalidArgument", "Reshape: target_shape is " .. tools.what_is(shape) .. ", expected a list of sizes")
  end
  self.target_shape = shape
end)
Reshape.takes_one = true
function Reshape:compute_output_shape(shape)
  local out, open, known = {}, nil, 1
  for i, size in ipairs(self.target_shape) do
    out[i] = size
    if size == -1 then open = i else known = known * size end
  end
  local size = size_of(shape)
  if open and known > 0 and size % known == 0 then out[open] = size // known end
  if size_of(out) ~= size then
    self:refuse("its input has the shape %s and %d elements a row, which do not make %s", shape_text(shape), size,
      shape_text(self.target_shape))
  end
  return out
end
function Reshape:call(x)
  return lutra.reshape(x, { #x, table.unpack(self.target_shape) })
end

-- Active in training only; the mask is dropout's, so that set_seed makes it the same again.
local Dropout = define("Dropout", { seed = false }, 1, function(self, read, rate)
  self.rate = options.number("Dropout", "rate", rate, 0, 1)
  self.seed = read.seed or nil
end)
Dropout.takes_one = true
function Dropout:compute_output_shape(shape) return shape end
function Dropout:call(x, training)
  if not training or self.rate == 0 then return x end
  if self.rate == 1 then return lutra.zeros_like(x) end
  return dropout(x, self.rate, self.seed)
end

local Activation = define("Activation", {}, 1, function(self, _, activation)
  self.activation = activations.get("Activation", activation)
end)
Activation.takes_one = true
function Activation:compute_output_shape(shape) return shape end
function Activation:call(x) return self.activation and self.activation(x) or x end

-- Layers of several inputs: `join` makes one of two.
local function define_join(kind, join)
  local Made = define(kind, {}, 0)
  function Made:compute_output_shape(shapes)
    for i = 2, #shapes do
      if shape_text(shapes[i]) ~= shape_text(shapes[1]) then
        self:refuse("its inputs have the shapes %s and %s, expected one shape", shape_text(shapes[1]), shape_text(shapes[i]))
      end
    end
    return shapes[1]
  end
  function Made:call(inputs)
    local out = inputs[1]
    for i = 2, #inputs do out = join(out, inputs[i]) end
    return out
  end
  return Made
end

local Concatenate = define("Concatenate", { axis = -1 }, 0, function(self, read) self.axis = read.axis end)
function Concatenate:compute_output_shape(shapes)
  local axis, out = self.axis < 0 and #shapes[1] + 1 + self.axis or self.axis - 1, { table.unpack(shapes[1]) }
  for i = 2, #shapes do
    for at = 1, math.max(#out, #shapes[i]) do
      if at ~= axis and shapes[i][at] ~= out[at] then
        self:refuse("its inputs have the shapes %s and %s, which differ in more than axis %d", shape_text(shapes[1]),
          shape_text(shapes[i]), self.axis)
      end
    end
    out[axis] = out[axis] + shapes[i][axis]
  end
  return out
end
function Concatenate:call(inputs) return lutra.concat(inputs, self.axis) end

return {
  Flatten = Flatten, Reshape = Reshape, Dropout = Dropout, Activation = Activation, Concatenate = Concatenate,
  Add = define_join("Add", function(a, b) return a + b end),
  Multiply = define_join("Multiply", function(a, b) return a * b end),
}
