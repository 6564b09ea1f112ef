-- Layers that wrap another one: in both directions, or on each step.
local lutra, tools, use = ...
local options, layers, masks = use "options", use "nn.layers.layer", use "nn.training.masks"
local Layer, compute = layers.Layer, layers.compute

-- How the results of both directions are merged.
local merges = {
  concat = function(a, b) return lutra.concat({ a, b }, -1) end,
  sum = function(a, b) return a + b end,
  mul = function(a, b) return a * b end,
  ave = function(a, b) return (a + b) / 2 end,
}

local Bidirectional = Layer:extend "Bidirectional"

function Bidirectional:init(layer, given)
  local read = self:read_options(given, { merge_mode = "concat", backward_layer = false })
  if not layers.is_layer(layer) or not layer.remade then
    tools.fail("InvalidArgument",
      "Bidirectional: layer is " .. (layers.is_layer(layer) and "a " .. layer.kind or tools.what_is(layer))
      .. ", expected a recurrent layer")
  end
  self.merge = read.merge_mode and options.word("Bidirectional", "merge_mode", read.merge_mode, merges)
  local back = read.backward_layer
  if back and (not layers.is_layer(back) or not back.remade) then
    tools.fail("InvalidArgument",
      "Bidirectional: backward_layer is " .. tools.what_is(back) .. ", expected a recurrent layer")
  end
  self.forward_layer = layer:remade { name = "forward_" .. layer.name }
  self.backward_layer = back
    or layer:remade { name = "backward_" .. layer.name, go_backwards = not layer.read.go_backwards }
  local there, here = self.backward_layer.read, layer.read
  if there.go_backwards == here.go_backwards then
    tools.fail("InvalidArgument", "Bidirectional: both layers have go_backwards = " .. tostring(here.go_backwards)
      .. ", expected one that goes backwards and one that does not")
  end
  for _, key in ipairs { "return_sequences", "return_state", "stateful" } do
    if here[key] ~= there[key] then
      tools.fail("InvalidArgument",
        ("Bidirectional: layer has %s = %s and backward_layer %s, expected the same"):format(key,
        tostring(here[key]), tostring(there[key])))
    end
  end
  -- A masked step would repeat its direction's previous output, which does not match the other direction: use zeros.
  for _, each in ipairs { self.forward_layer, self.backward_layer } do
    each.read.zero_output_for_mask = here.return_sequences
  end
  if not rawget(self, "input_shape") then self.input_shape = rawget(layer, "input_shape") end
end

-- Splits the list {x, state, ...} for the two directions: the first half of the states is for the forward layer.
local function parted(self, x)
  if type(x) ~= "table" then return x, x end
  local half = (#x - 1) // 2
  return { table.unpack(x, 1, half + 1) }, { x[1], table.unpack(x, half + 2) }
end

function Bidirectional:build(shape)
  if type(shape[1]) == "table" then shape = shape[1] end
  self.forward_layer:ensure_built(shape)
  self.backward_layer:ensure_built(shape)
end

function Bidirectional:compute_output_shape(shape)
  local forward, back = self.forward_layer:compute_output_shape(shape), self.backward_layer:compute_output_shape(shape)
  local has_states, merge = self.forward_layer.read.return_state, self.merge
  local y, z = has_states and forward[1] or forward, has_states and back[1] or back
  local out = { table.unpack(y) }
  if merge == merges.concat then out[#out] = y[#y] + z[#z] end
  if merge and not has_states then return out end
  local all = merge and { out } or { y, z }
  if has_states then
    table.move(forward, 2, #forward, #all + 1, all)
    table.move(back, 2, #back, #all + 1, all)
  end
  return all
end

local Recurrent = use "nn.layers.recurrent"
Bidirectional.__call, Bidirectional.call_options = Recurrent.__call, Recurrent.call_options
Bidirectional.mask_options, Bidirectional.only_merges_masks = Recurrent.mask_options, true
function Bidirectional:compute_mask(_, mask)
  local first = self.forward_layer.read.return_sequences and masks.first(mask) or nil
  return first and not self.merge and { first, first } or first
end

function Bidirectional:call(x, training, given)
  local read = self.forward_layer.read
  local there, back = parted(self, x)
  local y, z = compute(self.forward_layer, there, training, given), compute(self.backward_layer, back, training, given)
  local states = {}
  if read.return_state then
    table.move(y, 2, #y, 1, states)
    table.move(z, 2, #z, #states + 1, states)
    y, z = y[1], z[1]
  end
  if read.return_sequences then z = lutra.flip(z, 2) end
  local merge = self.merge
  if merge and not read.return_state then return merge(y, z) end
  if merge then return { merge(y, z), table.unpack(states) } end
  return { y, z, table.unpack(states) }
end

-- The layer sees each step as a separate row.
local TimeDistributed = Layer:extend "TimeDistributed"
TimeDistributed.takes_one, TimeDistributed.supports_masking = true, true

function TimeDistributed:init(layer, given)
  self:read_options(given, {})
  if not layers.is_layer(layer) then
    tools.fail("InvalidArgument", "TimeDistributed: layer is " .. tools.what_is(layer) .. ", expected a layer")
  end
  self.layer = layer
end

local function step_shape(self, shape)
  if #shape == 0 or type(shape[1]) == "table" then
    self:refuse("its input has the shape %s, expected (batch, steps, ...)", options.batch_text(shape))
  end
  return { table.unpack(shape, 2) }
end

function TimeDistributed:build(shape) self.layer:ensure_built(step_shape(self, shape)) end

function TimeDistributed:compute_output_shape(shape)
  return { shape[1], table.unpack(self.layer:compute_output_shape(step_shape(self, shape))) }
end

function TimeDistributed:call(x, training)
  local shape = x.shape
  local y = self.layer(lutra.reshape(x, { shape[1] * shape[2], table.unpack(shape, 3) }), training)
  return lutra.reshape(y, { shape[1], shape[2], table.unpack(y.shape, 2) })
end

return { Bidirectional = Bidirectional, TimeDistributed = TimeDistributed }
