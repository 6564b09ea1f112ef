-- Layers without weights that combine several inputs, element by element or by concatenation.
local lutra, tools, use = ...
local options, define = use "options", use "nn.layers.define_layer"
local shape_text = options.shape_text

local function require_list(self, inputs)
  if type(inputs) ~= "table" or inputs[1] == nil then
    self:refuse("it is called with one tensor, expected a list of them: layer {a, b}")
  end
end
local function require_shapes(self, shapes)
  if type(shapes[1]) ~= "table" then
    self:refuse("it has one input, %s, expected a list of them: layer {a, b}", options.batch_text(shapes))
  end
end

-- Whether two sizes may be equal; -1 is any size.
local function alike(a, b) return a == b or a == -1 or b == -1 end

-- The broadcast size of two; nil if they do not broadcast.
local function stretched(a, b)
  if a == b or b == 1 then return a end
  if a == 1 or a == -1 then return b end
  return b == -1 and a or nil
end

-- The broadcast shape of two row shapes, aligned at the last axis.
local function joined(self, a, b)
  local long, short = #a < #b and b or a, #a < #b and a or b
  local out, before = { table.unpack(long) }, #long - #short
  for axis = 1, #short do
    local size = stretched(long[before + axis], short[axis])
    if not size then
      self:refuse("its inputs have the shapes %s and %s, expected one shape, or 1 where they differ", shape_text(a),
        shape_text(b))
    end
    out[before + axis] = size
  end
  return out
end

-- Gives all inputs the same rank: missing axes are inserted after the batch axis.
local function with_equal_ranks(self, inputs)
  local rank, out = 0, {}
  for i, input in ipairs(inputs) do
    if not tools.is_tensor(input) then self:refuse("its input %d is %s, expected a tensor", i, tools.what_is(input)) end
    rank = math.max(rank, input.rank)
  end
  for i, input in ipairs(inputs) do
    if #input ~= #inputs[1] then self:refuse("its inputs have %d rows and %d, expected as many", #inputs[1], #input) end
    for _ = input.rank + 1, rank do input = lutra.expand_dims(input, 2) end
    out[i] = input
  end
  return out
end

-- Defines a layer: `join` combines two inputs; `finish` gets the last result and the number of inputs.
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
  -- A step counts if it counts in any input.
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
    tools.fail("InvalidArgument",
      ("Concatenate: axis is %s, expected a number from 1, which is the batch's, or from -1, the last one's, "
      .. "on"):format(tools.what_is(read.axis)))
  end
  self.axis = read.axis
end)

-- The axis of a row along which inputs are concatenated.
local function joined_axis(self, shape)
  local axis = self.axis < 0 and #shape + 1 + self.axis or self.axis - 1
  if axis < 0 or axis > #shape then
    self:refuse("axis %d is not there: its inputs have the shape %s", self.axis, options.batch_text(shape))
  elseif axis == 0 then
    self:refuse("rows of a batch are put one after the other by lutra.concat; a layer of a graph keeps their number")
  end
  return axis
end

function Concatenate:compute_output_shape(shapes)
  require_shapes(self, shapes)
  local axis, out = joined_axis(self, shapes[1]), { table.unpack(shapes[1]) }
  for i = 2, #shapes do
    local shape = shapes[i]
    for at = 1, math.max(#out, #shape) do
      if #shape ~= #out or at ~= axis and not alike(out[at], shape[at]) then
        self:refuse("its inputs have the shapes %s and %s, which differ in more than axis %d", shape_text(shapes[1]),
          shape_text(shape),
          self.axis)
      end
    end
    for at, size in ipairs(out) do
      if at == axis then
        out[at] = (size == -1 or shape[at] == -1) and -1 or size + shape[at]
      elseif size == -1 then
        out[at] = shape[at]
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
-- The concatenated masks of the inputs, each broadcast to its input's shape; an input without a mask counts fully.
function Concatenate:compute_mask(inputs, mask)
  if not mask then return nil end
  local wide = {}
  for i, input in ipairs(inputs) do
    local own = mask[i] or lutra.ones(input.shape, { dtype = "bool" })
    wide[i] = own.rank < input.rank and lutra.broadcast_to(lutra.expand_dims(own, -1), input.shape) or own
  end
  return lutra.any(lutra.concat(wide, self.axis), -1)
end

return {
  Concatenate = Concatenate, Subtract = Subtract,
  Add = define_join("Add", function(a, b) return a + b end),
  Multiply = define_join("Multiply", function(a, b) return a * b end),
  Average = define_join("Average", function(a, b) return a + b end, function(sum, count) return sum / count end),
  Maximum = define_join("Maximum", lutra.maximum), Minimum = define_join("Minimum", lutra.minimum),
}
