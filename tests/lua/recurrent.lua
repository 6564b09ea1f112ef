-- Recurrent layers: results and gradients against the formulas computed in Python (make_recurrent_reference.py), state
-- kept between batches, wrappers, graphs with several results, and refused arguments.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, nn_cases = dofile("tests/support/expect.lua"), require "nn_cases"
local nn = lt.nn
local rows, steps, features, units = 2, 3, 4, 3

local function close(got, wanted, what, tolerance) expect.close(got:flatten(), wanted, tolerance or 2e-6, what) end

local function noise(seed, shape, factor) return nn_cases.tensor(seed, shape, "float32", factor) end
local function sizes(shape) return { table.unpack(shape) } end

-- Weights as the reference has them: kernel, recurrent kernel and bias, of each direction.
local function weights_for(layer)
  local values, at = {}, 0
  for i, variable in ipairs(layer:variables()) do
    if variable.name:find("/kernel$") then at = values[1] and 21 or 11 end
    local is_bias = variable.name:find("/bias$")
    values[i] = noise(at + (is_bias and 2 or variable.name:find("/recurrent") and 1 or 0), sizes(variable.shape), is_bias and 0.5 or 1)
  end
  return values
end

expect.case("results and gradients are the formulas'", function()
  local mask = lt.constant { { true, false, true }, { false, true, false } }
  for number, case in ipairs(require "golden.recurrent_reference") do
    local what = ("case %d, %s"):format(number, case.kind)
    local layer = nn[case.kind](units, case.options)
    if case.merge ~= nil then layer = nn.Bidirectional(layer, { merge_mode = case.merge }) end
    layer:ensure_built { steps, features }
    layer:set_weights(weights_for(layer))
    local x, starts = noise(1, { rows, steps, features }), {}
    for i = 1, case.initial or 0 do starts[i] = noise(39 + i, { rows, units }) end
    local tape <close> = lt.GradientTape()
    local sources = { x, table.unpack(layer:variables()) }
    table.move(starts, 1, #starts, #sources + 1, sources)
    tape:watch { x, table.unpack(starts) }
    local y = layer(x, { mask = case.masked and mask or nil, initial_state = case.initial and starts or nil })
    if type(y) ~= "table" then y = { y } end
    expect.equal(#y, #case.gives, what .. ": how many results")
    local loss = 0
    for i, part in ipairs(y) do
      close(part, case.gives[i], what .. ", result " .. i)
      loss = loss + (part * noise(49 + i, sizes(part.shape))):sum()
    end
    for i, gradient in ipairs(tape:gradient(loss, sources)) do
      close(gradient, case.gradients[i], what .. ", gradient " .. i, 5e-6)
    end
    -- The shapes predicted before computing are right.
    local shapes = layer:compute_output_shape { steps, features }
    if type(shapes[1]) ~= "table" then shapes = { shapes } end
    for i, shape in ipairs(shapes) do expect.equal(shape, { table.unpack(y[i].shape, 2) }, what .. ": shape " .. i) end
  end
end)

-- The tape's gradient of a model with all that is recurrent in it, beside differences of the loss.
expect.case("gradients are those of finite differences", function()
  local x = noise(5, { 2, 4, 3 })
  local model = nn.Sequential {
    nn.TimeDistributed(nn.Dense(3, { activation = "tanh", kernel_initializer = function(shape) return noise(6, shape) end })),
    nn.Bidirectional(nn.GRU(2, { return_sequences = true, kernel_initializer = function(shape) return noise(7, shape) end })),
    nn.LSTM(2, { kernel_initializer = function(shape) return noise(8, shape) end }),
  }
  local function loss() return model(x):square():sum() end
  loss()
  lt.random.set_seed(1)
  local tape <close> = lt.GradientTape()
  local gradients = tape:gradient(loss(), model:trainable_variables())
  for i, variable in ipairs(model:trainable_variables()) do
    local way, value, step = lt.random.normal(variable.shape), variable:value(), 1e-2
    variable:assign(value + way * step)
    local above = loss():item()
    variable:assign(value - way * step)
    local below = loss():item()
    variable:assign(value)
    local wanted, got = (above - below) / (2 * step), (gradients[i] * way):sum():item()
    assert(math.abs(got - wanted) <= 1e-3 + 5e-3 * math.abs(wanted), ("%s: %g, by differences %g"):format(variable.name, got, wanted))
  end
end)

expect.case("weights start as Keras has them", function()
  local lstm = nn.LSTM(3, { name = "lstm" })
  lstm(lt.zeros { 1, 2, 4 })
  local names = {}
  for i, variable in ipairs(lstm:variables()) do names[i] = variable.name .. " " .. tostring(variable.shape) end
  expect.equal(names, { "lstm/kernel (4, 12)", "lstm/recurrent_kernel (3, 12)", "lstm/bias (12,)" })
  expect.equal(lstm.bias:totable(), { 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0 })
  local kernel = lstm.recurrent_kernel:value()
  close(kernel:matmul(kernel, { transpose_b = true }), { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, "rows at right angles", 1e-5)
  local plain = nn.LSTM(1, { unit_forget_bias = false, bias_initializer = "ones" })
  plain(lt.zeros { 1, 1, 1 })
  expect.equal(plain.bias:totable(), { 1, 1, 1, 1 })
  local gru, before = nn.GRU(2), nn.GRU(2, { reset_after = false })
  gru:ensure_built { 5, 3 }
  before:ensure_built { 5, 3 }
  expect.equal({ sizes(gru.bias.shape), sizes(before.bias.shape) }, { { 2, 6 }, { 6 } })
  expect.equal(nn.SimpleRNN(2, { use_bias = false, input_shape = { 3, 4 } }).kind, "SimpleRNN")
end)

-- Sequences cut in two are one sequence to a stateful layer.
expect.case("state is kept between batches, until it is reset", function()
  local x = noise(3, { 2, 6, 4 })
  for _, kind in ipairs { "SimpleRNN", "LSTM", "GRU" } do
    local whole, parts = nn[kind](3, { return_sequences = true }), nn[kind](3, { return_sequences = true, stateful = true })
    local wanted = whole(x)
    parts:ensure_built { 3, 4 }
    parts:set_weights(whole:get_weights())
    for _ = 1, 2 do
      local first, second = parts(x[{ {}, { 1, 3 } }]), parts(x[{ {}, { 4, 6 } }])
      close(lt.concat({ first, second }, 2), wanted:flatten():totable(), kind .. " in two parts")
      parts:reset_state()
    end
    expect.equal(#parts:variables(), 3, "the state is no weight")
    parts(x)
    expect.raises("InvalidArgument", "expected (1, 3): the layer is stateful, so batches must be equally large, or reset_state called",
      parts, x[{ { 1, 1 } }])
    local model = nn.Sequential { parts }
    model:reset_state()
    close(model(x), wanted:flatten():totable(), kind .. " after reset_state of the model")
  end
end)

expect.case("dropout is one mask for all steps, in training only", function()
  local x = lt.ones { 3, 5, 200 }
  local layer = nn.SimpleRNN(1, { dropout = 0.5, kernel_initializer = "ones", recurrent_initializer = "zeros", activation = "linear",
    return_sequences = true, seed = 4 })
  close(layer(x)[1], { 200, 200, 200, 200, 200 }, "outside training")
  local y = layer(x, true)
  for row = 1, 3 do
    local values = y[row]:flatten():totable()
    expect.equal(values, { values[1], values[1], values[1], values[1], values[1] }, "a row's mask")
    assert(values[1] ~= 200 and math.abs(values[1] - 200) < 100, values[1])
  end
  assert(not lt.all(layer(x, true):eq(y)):item(), "a mask for each call")
  local carried = nn.SimpleRNN(100, { recurrent_dropout = 0.5, kernel_initializer = "ones", recurrent_initializer = "identity",
    activation = "linear", use_bias = false, return_sequences = true, seed = 5 })
  local sums = carried(lt.ones { 1, 3, 1 }, true)
  -- A unit that is dropped is 1 at each step, another doubles what was there and adds 1.
  for _, values in ipairs(sums[1]:transpose():totable()) do
    assert(values[2] == 1 and values[3] == 1 or values[2] == 3 and values[3] == 7, table.concat(values, " "))
  end
end)

expect.case("a step's layer is the same for all steps", function()
  local layer = nn.TimeDistributed(nn.Dense(2, { kernel_initializer = "ones" }))
  expect.equal(layer(lt.constant { { { 1.0, 2.0 }, { 3.0, 4.0 } } }):totable(), { { { 3, 3 }, { 7, 7 } } })
  local images = nn.Sequential { nn.TimeDistributed(nn.Conv2D(2, 3), { input_shape = { 5, 8, 8, 1 } }), nn.TimeDistributed(nn.Flatten()) }
  expect.equal(sizes(images(lt.zeros { 2, 5, 8, 8, 1 }).shape), { 2, 5, 72 })
  expect.equal(sizes(images:compute_output_shape { 5, 8, 8, 1 }), { 5, 72 })
end)

-- An encoder whose state a decoder begins with, as a graph, and trained.
expect.case("graphs take and give states", function()
  local source, target = nn.Input { 4, 3 }, nn.Input { 5, 2 }
  local _, h, c = table.unpack(nn.LSTM(6, { return_state = true, name = "encoder" })(source))
  local decoded = nn.LSTM(6, { return_sequences = true, name = "decoder" })(target, { initial_state = { h, c } })
  local model = nn.Model { inputs = { source, target }, outputs = nn.Dense(2)(decoded) }
  local x = { noise(1, { 8, 4, 3 }), noise(2, { 8, 5, 2 }) }
  expect.equal(sizes(model(x).shape), { 8, 5, 2 })
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.02 }, loss = "mse" }
  local history = model:fit(x, noise(3, { 8, 5, 2 }), { epochs = 60, verbose = 0 }).history.loss
  assert(history[60] < 0.5 * history[1], history[60])
  local lines = {}
  model:summary { print_fn = function(text) lines[#lines + 1] = text end }
  assert(table.concat(lines, "\n"):find("decoder %(LSTM%) +%(batch, 5, 6%)"), table.concat(lines, "\n"))
  -- A mask may be computed, too.
  local ids = nn.Input { 3, 1 }
  local Known = nn.Layer:extend "Known"
  function Known:call(rows_of) return lt.squeeze(rows_of:gt(0), 3) end
  local masked = nn.Model { inputs = ids, outputs = nn.GRU(2, { name = "g" })(ids, { mask = Known()(ids) }) }
  local y = masked(lt.constant { { { 1.0 }, { 2.0 }, { -1.0 } }, { { 1.0 }, { 2.0 }, { -7.0 } } })
  expect.equal(y[1]:totable(), y[2]:totable())
end)

-- A sum of steps: learned in a few seconds by each kind.
expect.case("they learn", function()
  lt.random.set_seed(3)
  local x = lt.random.uniform({ 64, 6, 1 }, { minval = -1 })
  local y = lt.mean(x, 2)
  for _, kind in ipairs { "SimpleRNN", "LSTM", "GRU" } do
    local model = nn.Sequential { nn[kind](8, { input_shape = { 6, 1 } }), nn.Dense(1) }
    model:compile { optimizer = lt.optim.Adam { learning_rate = 0.02 }, loss = "mse" }
    local losses = model:fit(x, y, { epochs = 30, verbose = 0, seed = 1 }).history.loss
    assert(losses[30] < 0.02 and losses[30] < 0.2 * losses[1], kind .. ": " .. losses[30])
  end
end)

-- As in Keras, with recurrent_dropout each gate has its own mask. Kept values are scaled to 2, dropped ones are 0.
expect.case("each gate drops what it likes of the state", function()
  local function eyes(shape) return lt.tile(lt.eye(shape[1]), { 1, shape[2] // shape[1] }) end
  local units = 4000
  local function layer(kind, more)
    local given = { activation = "linear", recurrent_activation = "linear", kernel_initializer = "zeros", recurrent_initializer = eyes,
      use_bias = false, recurrent_dropout = 0.5, seed = 7 }
    for key, value in pairs(more) do given[key] = value end
    return nn[kind](units, given)
  end
  local function share(y, value) return lt.mean(lt.cast(y:eq(value), "float32")):item() end
  -- Input, candidate and output gate are one product: an eighth of the units has all three.
  local small = 400
  units = small
  local lstm = layer("LSTM", { return_state = true })
  local start = { lt.ones { 8, small }, lt.zeros { 8, small } }
  local y, _, cell = table.unpack(lstm(lt.zeros { 8, 1, 1 }, { initial_state = start, training = true }))
  assert(math.abs(share(y, 8) - 1 / 8) < 0.03 and math.abs(share(y, 0) - 7 / 8) < 0.03, share(y, 8))
  assert(math.abs(share(cell, 4) - 1 / 4) < 0.03, share(cell, 4))
  -- h' = candidate + update * (h - candidate), candidate = reset * state: 4 or 0.
  for _, after in ipairs { true, false } do
    local gru = layer("GRU", { reset_after = after })
    y = gru(lt.zeros { 8, 1, 1 }, { initial_state = lt.ones { 8, small }, training = true })
    for value, wanted in pairs { [4] = 1 / 8, [-2] = 1 / 8, [0] = 3 / 8, [2] = 3 / 8 } do
      assert(math.abs(share(y, value) - wanted) < 0.04, ("%s: %d: %g"):format(after, value, share(y, value)))
    end
  end
  -- The input, too: four sums of what two of its numbers leave.
  local inputs = nn.LSTM(1, { activation = "linear", recurrent_activation = "linear", kernel_initializer = "ones", use_bias = false,
    dropout = 0.5, recurrent_dropout = 0.5, seed = 3 })
  y = inputs(lt.ones { 4000, 1, 1 }, true)
  assert(math.abs(share(y, 8) - 1 / 8) < 0.03, share(y, 8))
end)

expect.case("what does not fit is refused, by name", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  local lstm = nn.LSTM(2, { name = "cells" })
  refused("layer 'cells': its input has the shape (batch, 4), expected (batch, steps, features)", lstm, lt.zeros { 3, 4 })
  lstm(lt.zeros { 3, 4, 5 })
  refused("layer 'cells': its input has the shape (3, 4), expected (batch, steps, 5)", lstm, lt.zeros { 3, 4 })
  refused("layer 'cells': its input has no steps: (3, 0, 5)", lstm, lt.zeros { 3, 0, 5 })
  refused("layer 'cells': initial_state has 1 tensors, expected 2", lstm, lt.zeros { 3, 4, 5 }, { initial_state = lt.zeros { 3, 2 } })
  refused("layer 'cells': its state has the shape (3, 9), expected (3, 2)", lstm, lt.zeros { 3, 4, 5 },
    { initial_state = { lt.zeros { 3, 2 }, lt.zeros { 3, 9 } } })
  refused("layer 'cells': mask is a bool tensor of shape (3, 5), expected a bool one of shape (3, 4)", lstm, lt.zeros { 3, 4, 5 },
    { mask = lt.ones({ 3, 5 }, { dtype = "bool" }) })
  refused("layer 'cells': unknown option 'masks' (did you mean 'mask'?)", lstm, lt.zeros { 3, 4, 5 }, { masks = 1 })
  refused("layer 'cells': its input has the shape (3, 4, 6), expected (batch, steps, 5)", nn.Sequential { lstm }, lt.zeros { 3, 4, 6 })
  refused("LSTM: units is 0, expected a whole number, 1 or more", nn.LSTM, 0)
  refused("SimpleRNN: unknown option 'recurrent_activation'", nn.SimpleRNN, 2, { recurrent_activation = "tanh" })
  refused("GRU: dropout is 2, expected a number of 0 to 1", nn.GRU, 2, { dropout = 2 })
  refused("Bidirectional: layer is a Dense, expected a recurrent layer", nn.Bidirectional, nn.Dense(1))
  refused('Bidirectional: merge_mode is "add", which is not known', nn.Bidirectional, nn.GRU(1), { merge_mode = "add" })
  refused("Bidirectional: both layers have go_backwards = false", nn.Bidirectional, nn.GRU(1), { backward_layer = nn.GRU(1) })
  refused("Bidirectional: layer has return_sequences = false and backward_layer true, expected the same", nn.Bidirectional, nn.GRU(1),
    { backward_layer = nn.GRU(1, { go_backwards = true, return_sequences = true }) })
  refused("TimeDistributed: layer is 3, expected a layer", nn.TimeDistributed, 3)
end)

expect.end_of_cases()
