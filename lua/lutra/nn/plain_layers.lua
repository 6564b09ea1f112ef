-- Layers without weights: they reshape, drop, apply a function, or put inputs together.
local lutra, tools, use = ...
local options, layer = use "options", use "nn.layer"
local activations, dropout = use "nn.activations", use "nn.dropping"
local Layer, shape_text = layer.Layer, options.shape_text

-- Elements of a row; -1 where they may be any number.
local function size_of(shape)
  local size = 1
  for i = 1, #shape do
    if shape[i] == -1 then return -1 end
    size = size * shape[i]
  end
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
  local open = 0
  for i = 1, #shape do
    if shape[i] == -1 then open = open + 1 else options.count("Reshape", ("target_shape[%d]"):format(i), shape[i], 0) end
  end
  if open > 1 then tools.fail("InvalidArgument", "Reshape: target_shape has -1 more than once, expected one size left open at most") end
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
    self:refuse("its input has the shape %s and %d elements a row, which do not make %s", shape_text(shape), size,
      "(" .. table.concat(self.target_shape, ", ") .. ")")
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
Dropout.takes_one, Dropout.supports_masking = true, true
function Dropout:compute_output_shape(shape) return shape end
function Dropout:call(x, training)
  if not training or self.rate == 0 then return x end
  if self.rate == 1 then return lutra.zeros_like(x) end
  return dropout(x, self.rate, self.seed)
end

local Activation = define("Activation", {}, 1, function(self, _, activation)
  if activation == nil then tools.fail("InvalidArgument", "Activation: activation is nil, expected a name or a function") end
  self.activation = activations.get("Activation", activation)
end)
Activation.takes_one, Activation.supports_masking = true, true
function Activation:compute_output_shape(shape) return shape end
function Activation:call(x) return self.activation and self.activation(x) or x end

local function require_list(self, inputs)
  if type(inputs) ~= "table" or inputs[1] == nil then self:refuse("it is called with one tensor, expected a list of them: layer {a, b}") end
end
local function require_shapes(self, shapes)
  if type(shapes[1]) ~= "table" then self:refuse("it has one input, %s, expected a list of them: layer {a, b}", options.batch_text(shapes)) end
end

-- Whether two sizes may be one.
local function alike(a, b) return a == b or a and b and (a == -1 or b == -1) end

-- The size that two make where one stretches to the other; nil where neither does.
local function stretched(a, b)
  if a == b or b == 1 then return a end
  if a == 1 or a == -1 then return b end
  return b == -1 and a or nil
end

-- The shape of a row that rows of two shapes make; their last axes go together.
local function joined(self, a, b)
  local long, short = #a < #b and b or a, #a < #b and a or b
  local out, before = { table.unpack(long) }, #long - #short
  for axis = 1, #short do
    local size = stretched(long[before + axis], short[axis])
    if not size then self:refuse("its inputs have the shapes %s and %s, expected one shape, or 1 where they differ", shape_text(a), shape_text(b)) end
    out[before + axis] = size
  end
  return out
end

-- The inputs with as many axes each: missing ones stand behind the batch.
local function with_equal_ranks(self, inputs)
  local rank, out = 0, {}
  for _, input in ipairs(inputs) do rank = math.max(rank, input.rank) end
  for i, input in ipairs(inputs) do
    if #input ~= #inputs[1] then self:refuse("its inputs have %d rows and %d, expected as many", #inputs[1], #input) end
    for _ = input.rank + 1, rank do input = lutra.expand_dims(input, 2) end
    out[i] = input
  end
  return out
end

-- Layers of several inputs: `join` makes one of two, and `finish` of that and the number of inputs what the layer gives.
local function define_join(kind, join, finish)
  local Made = define(kind, {}, 0)
  function Made:compute_output_shape(shapes)
    require_shapes(self, shapes)
    local out = shapes[1]
    for i = 2, #shapes do out = joined(self, out, shapes[i]) end
    return { table.unpack(out) }
  end
  function Made:call(inputs)
    require_list(self, inputs)
    inputs = with_equal_ranks(self, inputs)
    local out = inputs[1]
    for i = 2, #inputs do out = join(out, inputs[i]) end
    return finish and finish(out, #inputs) or out
  end
  Made.only_merges_masks = true
  -- A step counts where it does in one of them.
  function Made:compute_mask(_, mask)
    local out = mask and mask[1]
    for i = 2, mask and #mask or 0 do out = out and mask[i] and lutra.logical_or(out, mask[i]) end
    return out or nil
  end
  return Made
end

local Subtract = define_join("Subtract", function(a, b) return a - b end)
local subtract_all, subtract_shapes = Subtract.call, Subtract.compute_output_shape
local function require_two(self, inputs)
  if type(inputs) == "table" and #inputs ~= 2 then self:refuse("it has %d inputs, expected two", #inputs) end
end
function Subtract:compute_output_shape(shapes)
  require_shapes(self, shapes)
  require_two(self, shapes)
  return subtract_shapes(self, shapes)
end
function Subtract:call(inputs)
  require_two(self, inputs)
  return subtract_all(self, inputs)
end

local Concatenate = define("Concatenate", { axis = -1 }, 0, function(self, read)
  if math.type(read.axis) ~= "integer" or read.axis == 0 then
    tools.fail("InvalidArgument", ("Concatenate: axis is %s, expected a number from 1, which is the batch's, or from -1, the last one's, on"):format(
      tools.what_is(read.axis)))
  end
  self.axis = read.axis
end)
function Concatenate:compute_output_shape(shapes)
  require_shapes(self, shapes)
  local axis, out = self.axis < 0 and #shapes[1] + 1 + self.axis or self.axis - 1, { table.unpack(shapes[1]) }
  if axis < 0 or axis > #out then
    self:refuse("axis %d is not there: its inputs have the shape %s", self.axis, options.batch_text(shapes[1]))
  elseif axis == 0 then
    self:refuse("rows of a batch are put one after the other by lutra.concat; a layer of a graph keeps their number")
  end
  for i = 2, #shapes do
    for at = 1, math.max(#out, #shapes[i]) do
      if at ~= axis and not alike(out[at], shapes[i][at]) then
        self:refuse("its inputs have the shapes %s and %s, which differ in more than axis %d", shape_text(shapes[1]),
          shape_text(shapes[i]), self.axis)
      end
    end
    for at = 1, #out do
      local size = shapes[i][at]
      if at == axis then
        out[at] = (out[at] == -1 or size == -1) and -1 or out[at] + size
      elseif out[at] == -1 then
        out[at] = size
      end
    end
  end
  return out
end
function Concatenate:call(inputs)
  require_list(self, inputs)
  return lutra.concat(inputs, self.axis)
end
Concatenate.only_merges_masks = true
-- That of the inputs' masks one after the other, as wide as they are; one without a mask counts.
function Concatenate:compute_mask(inputs, mask)
  if not mask then return nil end
  local wide = {}
  for i, input in ipairs(inputs) do
    local own = mask[i] or lutra.ones(input.shape, { dtype = "bool" })
    wide[i] = own.rank < input.rank and lutra.broadcast_to(lutra.expand_dims(own, -1), input.shape) or own
  end
  return lutra.any(lutra.concat(wide, self.axis), -1)
end

-- Steps count that have a number other than mask_value; the others become 0.
local Masking = define("Masking", { mask_value = 0.0 }, 0, function(self, read)
  if type(read.mask_value) ~= "number" then
    tools.fail("InvalidArgument", "Masking: mask_value is " .. tools.what_is(read.mask_value) .. ", expected a number")
  end
  self.mask_value = read.mask_value
end)
Masking.takes_one = true
function Masking:compute_output_shape(shape)
  if #shape < 2 then self:refuse("its input has the shape %s, expected (batch, steps, ...)", options.batch_text(shape)) end
  return shape
end
function Masking:compute_mask(x) return lutra.any(lutra.ne(x, self.mask_value), -1) end
function Masking:call(x)
  return lutra.where(lutra.any(lutra.ne(x, self.mask_value), -1, { keepdims = true }), x, 0)
end

return {
  Flatten = Flatten, Reshape = Reshape, Dropout = Dropout, Activation = Activation, Concatenate = Concatenate, Masking = Masking,
  Add = define_join("Add", function(a, b) return a + b end),
  Multiply = define_join("Multiply", function(a, b) return a * b end),
  Average = define_join("Average", function(a, b) return a + b end, function(sum, count) return sum / count end),
  Maximum = define_join("Maximum", lutra.maximum), Minimum = define_join("Minimum", lutra.minimum), Subtract = Subtract,
}
