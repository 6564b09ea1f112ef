-- RNN with cells of the program's own, masks, states between batches, and refused calls. Keras' numbers: keras_layers.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.random.set_seed(1)
local x = lt.random.normal { 3, 5, 4 }

expect.case("a cell of the program's own, as in Keras' guide", function()
  local Minimal = nn.Layer:extend "MinimalCell"
  function Minimal:init(units) self.units, self.state_size = units, units end
  function Minimal:build(shapes)
    self.kernel = self:add_weight { name = "kernel", shape = { shapes[1][1], self.units } }
    self.recurrent_kernel = self:add_weight { name = "recurrent_kernel", shape = { self.units, self.units } }
  end
  function Minimal:call(inputs)
    local output = inputs[1]:matmul(self.kernel) + inputs[2]:matmul(self.recurrent_kernel)
    return { output, output }
  end
  local layer = nn.RNN(Minimal(6), { return_state = true })
  local y, state = table.unpack(layer(x))
  local h = lt.zeros { 3, 6 }
  for t = 1, 5 do h = x[{ {}, t }]:matmul(layer.cell.kernel) + h:matmul(layer.cell.recurrent_kernel) end
  expect.close(y, h:totable(), 1e-5)
  expect.equal(state:bytes(), y:bytes())
  local stacked = nn.Sequential { nn.RNN({ Minimal(4), Minimal(3) }, { input_shape = { 5, 4 } }), nn.Dense(1) }
  stacked:compile { optimizer = "sgd", loss = "mse" }
  expect.equal(#stacked:fit(x, lt.ones { 3, 1 }, { epochs = 2, verbose = 0 }).history.loss, 2)
end)

expect.case("the same as the layers of the cells' kinds", function()
  for _, kind in ipairs { "SimpleRNN", "LSTM", "GRU" } do
    local layer = nn[kind](3, { return_sequences = true, return_state = true })
    local rnn = nn.RNN(nn[kind .. "Cell"](3), { return_sequences = true, return_state = true })
    layer(x)
    rnn(x)
    rnn:set_weights(layer:get_weights())
    local mask = lt.constant { { true, true, true, false, false }, { true, false, true, true, true }, { false, true, true, true, false } }
    for _, given in ipairs { {}, { mask = mask }, { initial_state = kind == "LSTM" and { lt.ones { 3, 3 }, lt.ones { 3, 3 } * 0.5 } or { lt.ones { 3, 3 } } } } do
      local wanted, got = layer(x, given), rnn(x, given)
      expect.equal(#got, #wanted, kind)
      for i = 1, #got do expect.close(got[i], wanted[i]:totable(), 1e-6, kind .. " " .. i) end
    end
  end
  local kept = nn.RNN(nn.GRUCell(2), { stateful = true })
  local first = kept(x):totable()
  local second = kept(x):totable()
  assert(math.abs(first[1][1] - second[1][1]) > 1e-6, "the state is kept")
  kept:reset_state()
  expect.equal(kept(x):totable(), first)
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("RNN: cell is a Dense, expected a cell: a layer with state_size", nn.RNN, nn.Dense(2))
  refused("StackedRNNCells: cells is nil, expected a list of cells", nn.StackedRNNCells)
  refused("StackedRNNCells: cells[2] is a Dense", nn.StackedRNNCells, { nn.GRUCell(2), nn.Dense(2) })
  refused("LSTMCell: return_sequences is an option of LSTM and RNN, not of a cell", nn.LSTMCell, 2, { return_sequences = true })
  refused("expected (batch, steps, ...)", function() nn.RNN(nn.GRUCell(2))(lt.ones { 2 }) end)
  refused("initial_state has 1 tensors, expected 2", function() nn.RNN(nn.LSTMCell(2))(x, { initial_state = lt.ones { 3, 2 } }) end)
  local Bad = nn.Layer:extend "BadCell"
  Bad.state_size = 2
  function Bad:compute_output_shape(shapes) return shapes end
  function Bad:call(inputs) return inputs[1] end
  refused("its cell gives a tensor, expected a list of the output and 1 states", function() nn.RNN(Bad())(x) end)
end)

expect.end_of_cases()
