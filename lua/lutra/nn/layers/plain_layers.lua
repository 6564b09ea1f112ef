-- Layers without weights and with one input: they reshape, drop, apply a function, or mask steps.
local lutra, tools, use = ...
local options, define, Layer = use "options", use "nn.layers.define_layer", use "nn.layers.layer".Layer
local activations, dropout, regularizers = use "nn.layers.activations", use "nn.layers.dropping",
  use "nn.layers.regularizers".public
local shape_text = options.shape_text

-- The number of elements of a row; -1 if unknown.
local function size_of(shape)
  local size = 1
  for i = 1, #shape do
    if shape[i] == -1 then return -1 end
    size = size * shape[i]
  end
  return size
end

local Flatten = define("Flatten", {}, 0)
Flatten.takes_one = true
function Flatten:compute_output_shape(shape) return { size_of(shape) } end
function Flatten:call(x) return lutra.reshape(x, { #x, -1 }) end
use "nn.layers.channel_order".data_format { Flatten }

local Reshape = define("Reshape", {}, 1, function(self, _, shape)
  if type(shape) ~= "table" then
    tools.fail("InvalidArgument", "Reshape: target_shape is " .. tools.what_is(shape) .. ", expected a list of sizes")
  end
  local open = 0
  for i = 1, #shape do
    if shape[i] == -1 then open = open + 1 else options.count("Reshape", ("target_shape[%d]"):format(i), shape[i],
      0) end
  end
  if open > 1 then
    tools.fail("InvalidArgument", "Reshape: target_shape has -1 more than once, expected one size left open at most")
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
  if size == -1 then return out end
  if open and known > 0 and size % known == 0 then out[open] = size // known end
  if size_of(out) ~= size then
    self:refuse("its input has the shape %s and %d elements per row, which do not fit %s", shape_text(shape), size,
      "(" .. table.concat(self.target_shape, ", ") .. ")")
  end
  return out
end
function Reshape:call(x)
  return lutra.reshape(x, { #x, table.unpack(self.target_shape) })
end

-- Active in training only. The mask comes from lutra.dropout, so set_seed makes it repeatable.
local Dropout = define("Dropout", { seed = false }, 1, function(self, read, rate)
  self.rate = options.number("Dropout", "rate", rate, 0, 1)
  self.seed = read.seed or nil
end)
Dropout.takes_one, Dropout.supports_masking = true, true
function Dropout:compute_output_shape(shape) return shape end
function Dropout:call(x, training)
  if not training or self.rate == 0 then return x end
  if self.rate == 1 then return lutra.zeros_like(x) end
  return dropout(x, self.rate, self.seed)
end

local Activation = define("Activation", {}, 1, function(self, _, activation)
  if activation == nil then
    tools.fail("InvalidArgument", "Activation: activation is nil, expected a name or a function")
  end
  self.activation = activations.get("Activation", activation)
end)
Activation.takes_one, Activation.supports_masking = true, true
function Activation:compute_output_shape(shape) return shape end
function Activation:call(x) return self.activation and self.activation(x) or x end

-- Returns its input and adds L1L2's penalty on it.
local ActivityRegularization = define("ActivityRegularization", { l1 = 0.0, l2 = 0.0 }, 0, function(self, read)
  self.activity_regularizer = regularizers.L1L2 { l1 = read.l1, l2 = read.l2 }
end)
ActivityRegularization.takes_one, ActivityRegularization.supports_masking = true, true
function ActivityRegularization:compute_output_shape(shape) return shape end
function ActivityRegularization:call(x) return x end

-- Calls a given function. Its output shape is found by a trial call unless output_shape is given.
local Lambda = define("Lambda", { output_shape = false, mask = false }, 1, function(self, read, f)
  if not options.is_callable(f) then
    tools.fail("InvalidArgument", "Lambda: function is " .. tools.what_is(f) .. ", expected a function")
  end
  self.f, self.mask, self.output_shape = f, read.mask, read.output_shape
  self.only_merges_masks = not read.mask
  if read.output_shape and not options.is_callable(read.output_shape) then
    self.output_shape = options.shape("Lambda", "output_shape", read.output_shape)
  end
end)
local function read_shapes(self, value)
  if type(value) ~= "table" or type(value[1]) ~= "table" then
    return options.shape(("layer '%s'"):format(self.name), "output_shape", value)
  end
  local shapes = {}
  for i, each in ipairs(value) do shapes[i] = read_shapes(self, each) end
  return shapes
end
function Lambda:compute_output_shape(shape)
  local told = self.output_shape
  if not told then return Layer.compute_output_shape(self, shape) end
  return options.is_callable(told) and read_shapes(self, told(shape)) or told
end
function Lambda:compute_mask(x, mask)
  if options.is_callable(self.mask) then return self.mask(x, mask) end
  return self.mask or nil
end
function Lambda:call(x) return self.f(x) end

-- Masks steps whose numbers all equal mask_value, and sets them to 0.
local Masking = define("Masking", { mask_value = 0.0 }, 0, function(self, read)
  if type(read.mask_value) ~= "number" then
    tools.fail("InvalidArgument", "Masking: mask_value is " .. tools.what_is(read.mask_value) .. ", expected a number")
  end
  self.mask_value = read.mask_value
end)
Masking.takes_one = true
function Masking:compute_output_shape(shape)
  if #shape < 2 then
    self:refuse("its input has the shape %s, expected (batch, steps, ...)", options.batch_text(shape))
  end
  return shape
end
function Masking:compute_mask(x) return lutra.any(lutra.ne(x, self.mask_value), -1) end
function Masking:call(x)
  return lutra.where(lutra.any(lutra.ne(x, self.mask_value), -1, { keepdims = true }), x, 0)
end

return {
  Flatten = Flatten, Reshape = Reshape, Dropout = Dropout, Activation = Activation,
  ActivityRegularization = ActivityRegularization,
  Lambda = Lambda, Masking = Masking,
}
