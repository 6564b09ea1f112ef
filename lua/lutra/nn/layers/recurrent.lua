-- The base of recurrent layers: options, weights, the loop over the steps, and the state kept between batches. A kind
-- (recurrent_layers.lua) defines how many matrices its kernels hold side by side and what a step computes. Its products
-- are of rows and matrices; a kind whose steps are images (conv_lstm.lua) defines products, shapes and kernels, too.
local lutra, tools, use = ...
local options, layers, activations, masks = use "options", use "nn.layers.layer", use "nn.layers.activations",
  use "nn.training.masks"
local Layer = layers.Layer
local linear, matmul = lutra.linear, lutra.matmul

local Recurrent = Layer:extend "Recurrent"
Recurrent.only_merges_masks = true
Recurrent.call_options = { mask = true, initial_state = true }
function Recurrent:mask_options(mask) return { mask = masks.first(mask) } end
function Recurrent:compute_mask(_, mask) return self.read.return_sequences and masks.first(mask) or nil end

local defaults = {
  activation = "tanh", use_bias = true, kernel_initializer = "glorot_uniform", recurrent_initializer = "orthogonal",
  bias_initializer = "zeros", kernel_regularizer = false, recurrent_regularizer = false, bias_regularizer = false,
  kernel_constraint = false, recurrent_constraint = false, bias_constraint = false,
  dropout = 0.0, recurrent_dropout = 0.0, seed = false, return_sequences = false, return_state = false,
  go_backwards = false,
  stateful = false, zero_output_for_mask = false,
}

-- Defines a kind of recurrent layer: {gates = matrices in a kernel, states = tensors of its state, defaults = more
-- options}.
function Recurrent.define(kind, facts)
  local Made = Recurrent:extend(kind)
  Made.gates, Made.state_count, Made.defaults = facts.gates, facts.states, {}
  for _, list in ipairs { defaults, facts.defaults or {} } do
    for key, value in pairs(list) do Made.defaults[key] = value end
  end
  return Made
end

Recurrent.size_name = "units"

function Recurrent:init(units, given)
  local read = self:read_options(given, self.defaults)
  self.units = options.count(self.kind, self.size_name, units, 1)
  self.activation = activations.get(self.kind, read.activation)
  if read.recurrent_activation then
    self.recurrent_activation = activations.get(self.kind, read.recurrent_activation)
  end
  options.number(self.kind, "dropout", read.dropout, 0, 1)
  options.number(self.kind, "recurrent_dropout", read.recurrent_dropout, 0, 1)
  self.read = read
end

-- A new layer of this kind and size.
function Recurrent:with_options(given) return getmetatable(self)(self.units, given) end

-- A copy of the layer with other options and its own weights, for Bidirectional.
function Recurrent:remade(changes)
  local given = {}
  for key, value in pairs(self.read) do given[key] = value end
  for key, value in pairs(changes) do given[key] = value end
  return self:with_options(given)
end

-- How an error writes the shape of the input; `features` is the number it must have, or nil.
function Recurrent:input_text(features) return ("(batch, steps, %s)"):format(features or "features") end
-- How an error writes a shape of the input or of a state, with the batch axis.
function Recurrent:shape_text(shape) return options.shape_text(shape) end
-- The axes of the input, without the batch.
function Recurrent:input_rank() return 2 end

-- The shape of the sequence, which is given alone or before those of initial states.
local function sequence_shape(self, shape)
  local first = type(shape[1]) == "table" and shape[1] or shape
  if #first ~= self:input_rank() then
    self:refuse("its input has the shape %s, expected %s", options.batch_text(first), self:input_text())
  end
  return first
end

-- The shape of a row's state, for sequences of this shape.
function Recurrent:state_shape(_) return { self.units } end

-- The shapes of the kernels for the input and for the state.
function Recurrent:kernel_shapes(features)
  local width = self.gates * self.units
  return { features, width }, { self.units, width }
end

function Recurrent:bias_shape() return { self.gates * self.units } end
function Recurrent:bias_start() return self.read.bias_initializer end

function Recurrent:build(shape)
  local read, sequence = self.read, sequence_shape(self, shape)
  local from_input, from_state = self:kernel_shapes(sequence[#sequence])
  self.kernel = self:add_weight {
    name = "kernel", shape = from_input, initializer = read.kernel_initializer,
    regularizer = read.kernel_regularizer, constraint = read.kernel_constraint,
  }
  self.recurrent_kernel = self:add_weight {
    name = "recurrent_kernel", shape = from_state, initializer = read.recurrent_initializer,
    regularizer = read.recurrent_regularizer, constraint = read.recurrent_constraint,
  }
  if not read.use_bias then return end
  self.bias = self:add_weight {
    name = "bias", shape = self:bias_shape(), initializer = self:bias_start(), regularizer = read.bias_regularizer,
    constraint = read.bias_constraint,
  }
end

function Recurrent:compute_output_shape(shape)
  local sequence, read = sequence_shape(self, shape), self.read
  local state = self:state_shape(sequence)
  local out = read.return_sequences and { sequence[1], table.unpack(state) } or state
  if not read.return_state then return out end
  local all = { out }
  for i = 1, self.state_count do all[i + 1] = { table.unpack(state) } end
  return all
end

-- A call with {initial_state = } is converted to one with the list {x, state, ...}.
function Recurrent:__call(x, training)
  local start = type(training) == "table" and training.initial_state
  if start then
    local given = {}
    for key, value in pairs(training) do given[key] = key ~= "initial_state" and value or nil end
    if type(x) == "table" and not x.is_symbol then x = lutra.constant(x) end
    if type(start) ~= "table" or start.is_symbol then start = { start } end
    x, training = { x, table.unpack(start) }, given
  end
  return Layer.__call(self, x, training)
end

-- A dropout mask: 0 for dropped elements, else 1 / (1 - rate); the same for all steps (Gal and Ghahramani, NIPS 2016).
local function mask_of(self, rate, shape, dtype, place)
  local seed = self.read.seed and self.read.seed + place or nil
  if rate == 1 then return lutra.zeros(shape, { dtype = dtype }) end
  return use "nn.layers.dropping"(lutra.ones(shape, { dtype = dtype }), rate, seed)
end

-- The dropout masks of a state of this shape for each gate's product, or nil.
local function state_masks(self, shape, dtype, training)
  local rate, list = training and self.read.recurrent_dropout or 0, {}
  if rate == 0 then return nil end
  for k = 1, self.gates do list[k] = mask_of(self, rate, shape, dtype, self.gates + k - 1) end
  return list
end

-- The product of all steps {steps, batch, ...} with a kernel, plus the bias if there is one; and that of a state.
function Recurrent:input_product(steps, kernel, bias)
  return bias and linear(steps, kernel, bias) or matmul(steps, kernel)
end
function Recurrent:state_product(h, kernel) return matmul(h, kernel) end

-- Whether each gate has its own dropout mask for the input: as in Keras, with recurrent dropout.
function Recurrent:masks_inputs_by_gate() return self.read.recurrent_dropout > 0 end

-- The input's contribution to all steps, as one product.
local function input_products(self, steps, rows, training)
  local read, bias = self.read, self:input_bias()
  local function mask(place)
    return mask_of(self, read.dropout, { rows, table.unpack(steps.shape, 3) }, steps.dtype, place)
  end
  if not (training and read.dropout > 0) or not self:masks_inputs_by_gate() then
    if training and read.dropout > 0 then steps = steps * mask(0) end
    return self:input_product(steps, self.kernel, bias)
  end
  local parts = lutra.split(self.kernel, self.gates, -1)
  for k, kernel in ipairs(parts) do parts[k] = self:input_product(steps * mask(k - 1), kernel) end
  local product = lutra.concat(parts, -1)
  return bias and product + bias or product
end

local function have_shape(tensor, shape)
  if tensor.rank ~= #shape then return false end
  for axis, size in ipairs(shape) do
    if tensor.shape[axis] ~= size then return false end
  end
  return true
end

-- The state before the first step, of this shape: given, kept from the previous batch, or zeros.
local function first_states(self, x, shape, dtype)
  local states, kept = {}, rawget(self, "states")
  if type(x) == "table" then
    if #x - 1 ~= self.state_count then
      self:refuse("initial_state has %d tensors, expected %d", #x - 1, self.state_count)
    end
    table.move(x, 2, #x, 1, states)
  elseif kept then
    table.move(kept, 1, #kept, 1, states)
  else
    for i = 1, self.state_count do states[i] = lutra.zeros(shape, { dtype = dtype }) end
  end
  for _, state in ipairs(states) do
    if not have_shape(state, shape) then
      self:refuse("its state has the shape %s, expected %s%s", self:shape_text(state.shape), self:shape_text(shape),
        states[1] == (kept and kept[1])
          and ": the layer is stateful, so batches must be equally large, or reset_state called" or "")
    end
  end
  return states
end

-- Rows with a false mask keep their state and output.
local function masked(self, mask, states, new_states, before)
  local kept = {}
  for i = 1, #states do kept[i] = lutra.where(mask, new_states[i], states[i]) end
  local otherwise = not self.read.zero_output_for_mask and before or lutra.zeros_like(new_states[1])
  return kept, lutra.where(mask, new_states[1], otherwise)
end

-- The masks of the steps, each of shape (batch, 1, ...), with as many axes as a state.
local function step_masks(self, mask, rows, count, rank)
  if type(mask) == "table" then mask = lutra.constant(mask) end
  if not tools.is_tensor(mask) then
    self:refuse("mask is %s, expected a bool tensor of shape (%d, %d)", tools.what_is(mask), rows, count)
  end
  if mask.rank ~= 2 or mask.shape[1] ~= rows or mask.shape[2] ~= count or mask.dtype ~= "bool" then
    self:refuse("mask is a %s tensor of shape %s, expected a bool one of shape (%d, %d)", mask.dtype,
      tostring(mask.shape), rows, count)
  end
  mask = lutra.transpose(mask)
  for _ = 2, rank do mask = lutra.expand_dims(mask, -1) end
  return lutra.unstack(mask)
end

-- The order of the axes of {batch, steps, ...} with the steps first.
local function steps_first(rank)
  local order = { 2, 1 }
  for axis = 3, rank do order[axis] = axis end
  return order
end

-- The outputs of all steps, the last output, and the state after it. The input's contribution to all steps is one
-- product, with the steps as first axis, so that each step is contiguous.
local function run(self, x, states, shape, training, mask)
  local read, rows, steps = self.read, shape[1], lutra.transpose(x, steps_first(x.rank))
  local count = #steps
  if count == 0 then self:refuse("its input has no steps: %s", tostring(x.shape)) end
  local inputs = lutra.unstack(input_products(self, steps, rows, training))
  local step, outputs, y = self:stepper(state_masks(self, shape, inputs[1].dtype, training)), {}, nil
  local counts = mask and step_masks(self, mask, rows, count, #shape)
  for i = 1, count do
    local at = read.go_backwards and count + 1 - i or i
    local new_states = { step(inputs[at], states[1], states[2]) }
    if counts then
      states, y = masked(self, counts[at], states, new_states, y)
    else
      states, y = new_states, new_states[1]
    end
    if read.return_sequences then outputs[i] = y end
  end
  return outputs, y, states
end

function Recurrent:input_bias() return self.bias end

function Recurrent:call(x, training, given)
  local read = self.read
  local mask = given and given.mask or nil
  local sequence = type(x) == "table" and x[1] or x
  local rank, kernel = self:input_rank() + 1, self.kernel.shape
  local features = kernel[#kernel - 1]
  if sequence.rank ~= rank or sequence.shape[rank] ~= features then
    self:refuse("its input has the shape %s, expected %s", self:shape_text(sequence.shape), self:input_text(features))
  end
  local shape = { #sequence, table.unpack(self:state_shape { table.unpack(sequence.shape, 2) }) }
  local states = first_states(self, x, shape, sequence.dtype)
  local outputs, y, last = run(self, sequence, states, shape, training, mask)
  if read.stateful then
    local kept = {}
    for i, state in ipairs(last) do kept[i] = lutra.stop_gradient(state) end
    rawset(self, "states", kept)
  end
  if read.return_sequences then y = lutra.stack(outputs, 2) end
  if not read.return_state then return y end
  return { y, table.unpack(last) }
end

return Recurrent
