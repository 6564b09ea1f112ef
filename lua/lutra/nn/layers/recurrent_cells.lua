-- One step of a recurrent layer as a layer of its own, and RNN, which goes through a sequence with such a cell. Loaded when
-- one is named. A cell has state_size, a number or a list, and is called with {x, state, ...}; it returns {output, state,
-- ...}.
local lutra, tools, use = ...
local options, layers, masks = use "options", use "nn.layers.layer", use "nn.training.masks"
local kinds, Recurrent = use "nn.layers.recurrent_layers", use "nn.layers.recurrent"
local Layer = layers.Layer

local made = {}

-- The sizes of a cell's states.
local function sizes_of(cell) return type(cell.state_size) == "table" and cell.state_size or { cell.state_size } end

-- Keras' cells: a step of the layer of that name.
for _, kind in ipairs { "SimpleRNN", "LSTM", "GRU" } do
  local Cell = Layer:extend(kind .. "Cell")
  function Cell:init(units, given)
    local own = {}
    for key, value in pairs(given or {}) do own[key] = value end
    local name = own.name
    own.name, own.return_sequences, own.return_state = nil, nil, nil
    self:named(name)
    for _, key in ipairs { "return_sequences", "return_state", "go_backwards", "stateful", "dropout", "recurrent_dropout" } do
      if given and given[key] ~= nil then
        tools.fail("InvalidArgument", ("%sCell: %s is an option of %s and RNN, not of a cell"):format(kind, key, kind))
      end
    end
    self.inner = kinds[kind](units, own)
    self.units = self.inner.units
    local sizes = {}
    for i = 1, self.inner.state_count do sizes[i] = self.units end
    rawset(self, "state_size", sizes)
  end
  function Cell:build(shape)
    if type(shape[1]) == "table" then shape = shape[1] end
    if #shape ~= 1 then self:refuse("its input has the shape %s, expected (batch, features)", options.batch_text(shape)) end
    self.inner:ensure_built { -1, shape[1] }
  end
  function Cell:compute_output_shape()
    local all = { { self.units } }
    for i = 1, #self.state_size do all[i + 1] = { self.units } end
    return all
  end
  function Cell:call(x)
    local inner = self.inner
    local bias = inner:input_bias()
    local input = bias and lutra.linear(x[1], inner.kernel, bias) or lutra.matmul(x[1], inner.kernel)
    local states = { inner:stepper(nil)(input, x[2], x[3]) }
    return { states[1], table.unpack(states) }
  end
  made[kind .. "Cell"] = Cell
end

-- Cells one above the other: the output of one is the input of the next; the states are those of all.
local StackedRNNCells = Layer:extend "StackedRNNCells"
made.StackedRNNCells = StackedRNNCells
local function require_cell(who, cell, name)
  if layers.is_layer(cell) and cell.state_size ~= nil then return cell end
  tools.fail("InvalidArgument", ("%s: %s is %s, expected a cell: a layer with state_size, such as lt.nn.LSTMCell(32)"):format(who, name,
    layers.is_layer(cell) and "a " .. cell.kind or tools.what_is(cell)))
end
function StackedRNNCells:init(cells, given)
  self:read_options(given, {})
  if type(cells) ~= "table" or getmetatable(cells) ~= nil or #cells == 0 then
    tools.fail("InvalidArgument", ("StackedRNNCells: cells is %s, expected a list of cells"):format(tools.what_is(cells)))
  end
  local sizes = {}
  for i, cell in ipairs(cells) do
    local own = sizes_of(require_cell("StackedRNNCells", cell, ("cells[%d]"):format(i)))
    table.move(own, 1, #own, #sizes + 1, sizes)
  end
  self.cells = { table.unpack(cells) }
  rawset(self, "state_size", sizes)
end
-- f(cell, shapes of its input and states) for each cell; the shape of the last output.
local function each_shape(self, shapes, f)
  local input, at = shapes[1], 2
  for _, cell in ipairs(self.cells) do
    local own = { input, table.unpack(shapes, at, at + #sizes_of(cell) - 1) }
    at = at + #sizes_of(cell)
    f(cell, own)
    input = cell:compute_output_shape(own)[1]
  end
  return input
end
function StackedRNNCells:build(shapes)
  each_shape(self, shapes, function(cell, own) cell:ensure_built(own) end)
end
function StackedRNNCells:compute_output_shape(shapes)
  return { each_shape(self, shapes, function() end), table.unpack(shapes, 2) }
end
function StackedRNNCells:call(x, training)
  local y, at, all = x[1], 2, {}
  for _, cell in ipairs(self.cells) do
    local own = sizes_of(cell)
    local results = cell({ y, table.unpack(x, at, at + #own - 1) }, training)
    y, at = results[1], at + #own
    table.move(results, 2, #results, #all + 1, all)
  end
  return { y, table.unpack(all) }
end

local RNN = Layer:extend "RNN"
made.RNN = RNN
RNN.only_merges_masks, RNN.__call, RNN.call_options = true, Recurrent.__call, Recurrent.call_options
RNN.mask_options = Recurrent.mask_options
-- A program's cell may do something else at each step.
RNN.never_replayed = true
function RNN:compute_mask(_, mask) return self.read.return_sequences and masks.first(mask) or nil end

function RNN:init(cell, given)
  local read = self:read_options(given, {
    return_sequences = false, return_state = false, go_backwards = false, stateful = false, zero_output_for_mask = false,
  })
  if type(cell) == "table" and getmetatable(cell) == nil and cell[1] then cell = StackedRNNCells(cell) end
  self.cell = require_cell("RNN", cell, "cell")
  for name in pairs(read) do
    if name:find "^return" or name == "go_backwards" or name == "stateful" then options.boolean("RNN", name, read[name]) end
  end
  self.read, self.sizes = read, sizes_of(cell)
end

-- A copy with other options and weights of its own, for Bidirectional.
function RNN:remade(changes)
  local given = {}
  for key, value in pairs(self.read) do given[key] = value end
  for key, value in pairs(changes) do given[key] = value end
  local cell = self.cell
  if not cell.remembers or not cell.made_with then
    tools.fail("InvalidArgument", ("Bidirectional: the cell '%s' cannot be made again"):format(cell.name))
  end
  local function copied(each)
    if layers.is_layer(each) then return getmetatable(each)(copied(each.made_with[1]), table.unpack(each.made_with, 2, each.made_with.n)) end
    if type(each) ~= "table" or getmetatable(each) ~= nil then return each end
    local list = {}
    for key, value in pairs(each) do list[key] = copied(value) end
    return list
  end
  return RNN(copied(cell), given)
end

local function sequence_of(shape) return type(shape[1]) == "table" and shape[1] or shape end

function RNN:build(shape)
  shape = sequence_of(shape)
  if #shape < 2 then
    self:refuse("its input has the shape %s, expected (batch, steps, ...)", options.batch_text(shape))
  end
  local shapes = { { table.unpack(shape, 2) } }
  for i, size in ipairs(self.sizes) do shapes[i + 1] = type(size) == "table" and size or { size } end
  self.cell:ensure_built(shapes)
end

function RNN:compute_output_shape(shape)
  shape = sequence_of(shape)
  local shapes = { { table.unpack(shape, 2) } }
  for i, size in ipairs(self.sizes) do shapes[i + 1] = type(size) == "table" and size or { size } end
  local results = self.cell:compute_output_shape(shapes)
  local y = { table.unpack(results[1]) }
  if self.read.return_sequences then table.insert(y, 1, shape[1]) end
  if not self.read.return_state then return y end
  return { y, table.unpack(shapes, 2) }
end

local function first_states(self, x, rows, dtype)
  local kept, states = rawget(self, "states"), {}
  if type(x) == "table" then
    if #x - 1 ~= #self.sizes then
      self:refuse("initial_state has %d tensors, expected %d", #x - 1, #self.sizes)
    end
    return { table.unpack(x, 2) }
  elseif kept then
    return kept
  end
  for i, size in ipairs(self.sizes) do
    states[i] = lutra.zeros({ rows, table.unpack(type(size) == "table" and size or { size }) }, { dtype = dtype })
  end
  return states
end

local function select_rows(mask, new, old)
  for _ = mask.rank + 1, new.rank do mask = lutra.expand_dims(mask, -1) end
  return lutra.where(mask, new, old)
end

function RNN:call(x, training, given)
  local read, sequence = self.read, type(x) == "table" and x[1] or x
  local mask = given and given.mask or nil
  if type(mask) == "table" then mask = lutra.constant(mask) end
  local states = first_states(self, x, sequence.shape[1], sequence.dtype)
  local steps, outputs, y = lutra.unstack(sequence, 2), {}, nil
  if #steps == 0 then self:refuse("its input has no steps: %s", tostring(sequence.shape)) end
  for i = 1, #steps do
    local at = read.go_backwards and #steps + 1 - i or i
    local results = self.cell({ steps[at], table.unpack(states) }, training)
    if type(results) ~= "table" or #results ~= #states + 1 then
      self:refuse("its cell gives %s, expected a list of the output and %d states",
        type(results) == "table" and #results .. " values" or tools.what_is(results), #states)
    end
    local out = results[1]
    if mask then
      local counts = mask[{ {}, at }]
      out = select_rows(counts, out, not read.zero_output_for_mask and y or lutra.zeros_like(out))
      for k = 1, #states do states[k] = select_rows(counts, results[k + 1], states[k]) end
    else
      states = { table.unpack(results, 2) }
    end
    y = out
    if read.return_sequences then outputs[i] = out end
  end
  if read.stateful then
    local kept = {}
    for i, state in ipairs(states) do kept[i] = lutra.stop_gradient(state) end
    rawset(self, "states", kept)
  end
  if read.return_sequences then y = lutra.stack(outputs, 2) end
  if not read.return_state then return y end
  return { y, table.unpack(states) }
end

return made
