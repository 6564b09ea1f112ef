-- ConvLSTM1D, 2D and 3D against Keras' numbers (make_keras_reference.py conv_lstm), state kept between batches, dropout,
-- files, and refused arguments.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, keras_cases, nn_cases = dofile("tests/support/expect.lua"), require "keras_cases", require "nn_cases"
local nn = lt.nn

local function noise(seed, shape) return nn_cases.tensor(seed, shape, "float32") end
local function close(got, wanted, what) expect.close(got:flatten(), wanted:flatten():totable(), 2e-6, what) end

lt.config.set_logical_device_configuration("CPU:0", { {}, {} })

expect.case("Keras' numbers: results, losses, gradients; in graphs, from a config, in bf16 and in replicas", function()
  keras_cases.check("conv_lstms", lt.distribute.MirroredStrategy())
end)

expect.case("weights start as Keras has them", function()
  local layer = nn.ConvLSTM2D(3, { 2, 3 }, { name = "film" })
  layer:ensure_built { 4, 5, 6, 2 }
  local names = {}
  for i, variable in ipairs(layer:variables()) do names[i] = variable.name .. " " .. tostring(variable.shape) end
  expect.equal(names, { "film/kernel (2, 3, 2, 12)", "film/recurrent_kernel (2, 3, 3, 12)", "film/bias (12,)" })
  expect.equal(layer.bias:totable(), { 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0 })
  local plain = nn.ConvLSTM1D(1, 2, { unit_forget_bias = false, bias_initializer = "ones" })
  plain:ensure_built { 1, 3, 1 }
  expect.equal(plain.bias:totable(), { 1, 1, 1, 1 })
end)

-- One step with a window of one place is an LSTM at each place.
expect.case("a window of one place is an LSTM at each place", function()
  local film, lstm = nn.ConvLSTM2D(3, 1, { return_sequences = true }), nn.LSTM(3, { return_sequences = true })
  local x = noise(1, { 2, 4, 2, 3, 5 })
  film(x)
  lstm:ensure_built { 4, 5 }
  for i, variable in ipairs(lstm:variables()) do
    variable:assign(noise(10 + i, { table.unpack(variable.shape) }))
    film:variables()[i]:assign(variable:value():reshape(film:variables()[i].shape))
  end
  -- {batch, height, width, steps, channels} as rows of sequences.
  local rows = lstm(lt.transpose(x, { 1, 3, 4, 2, 5 }):reshape { 12, 4, 5 }):reshape { 2, 2, 3, 4, 3 }
  close(film(x), lt.transpose(rows, { 1, 4, 2, 3, 5 }), "at each place")
end)

expect.case("state is kept between batches, until it is reset", function()
  local x = noise(3, { 2, 4, 3, 3, 1 })
  for _, format in ipairs { "channels_last", "channels_first" } do
    local given = { padding = "same", return_sequences = true, data_format = format }
    local turned = format == "channels_last" and x or lt.transpose(x, { 1, 2, 5, 3, 4 })
    local whole = nn.ConvLSTM2D(2, 2, given)
    given.stateful = true
    local parts = nn.ConvLSTM2D(2, 2, given)
    local wanted = whole(turned)
    parts:ensure_built { 2, table.unpack(turned.shape, 3) }
    parts:set_weights(whole:get_weights())
    for _ = 1, 2 do
      local first, second = parts(turned[{ {}, { 1, 2 } }]), parts(turned[{ {}, { 3, 4 } }])
      close(lt.concat({ first, second }, 2), wanted, format)
      parts:reset_state()
    end
    parts(turned)
    local states = format == "channels_last" and "(2, 3, 3, 2), expected (1, 3, 3, 2)" or "(2, 2, 3, 3), expected (1, 2, 3, 3)"
    expect.raises("InvalidArgument", states .. ": the layer is stateful, so batches must be equally large, or reset_state called", parts,
      turned[{ { 1, 1 } }])
  end
end)

-- As Keras has it, the input has a mask for each gate, the same for all steps.
expect.case("dropout in training only, a mask of each gate for all steps", function()
  local layer = nn.ConvLSTM1D(1, 1, { dropout = 0.5, kernel_initializer = "ones", recurrent_initializer = "zeros", use_bias = false,
    activation = "linear", recurrent_activation = "linear", return_sequences = true, seed = 4 })
  local x = lt.ones { 1, 2, 4000, 1 }
  local function share(y, value) return lt.mean(lt.cast(y:eq(value), "float32")):item() end
  -- The first cell is i c', its output o i c': 8 where three masks are 1; then the cell is f c + i c'.
  expect.equal(share(layer(x)[{ {}, 1 }], 1), 1)
  local y = layer(x, true)
  local first, second = y[{ {}, 1 }], y[{ {}, 2 }]
  assert(math.abs(share(first, 8) - 1 / 8) < 0.02 and math.abs(share(first, 0) - 7 / 8) < 0.02, share(first, 8))
  -- The forget gate doubles the cell, or empties it.
  assert(math.abs(share(second, 24) - 1 / 16) < 0.02 and math.abs(share(second, 8) - 1 / 16) < 0.02, share(second, 24))
  expect.equal(lt.all(first:eq(0):eq(second:eq(0))):item(), true, "the same places at both steps")
  local carried = nn.ConvLSTM1D(1, 1, { recurrent_dropout = 0.5, kernel_initializer = "zeros", recurrent_initializer = "ones",
    use_bias = false, activation = "linear", recurrent_activation = "linear", seed = 5 })
  local start = { lt.ones { 1, 4000, 1 }, lt.zeros { 1, 4000, 1 } }
  y = carried(lt.zeros { 1, 1, 4000, 1 }, { initial_state = start, training = true })
  assert(math.abs(share(y, 8) - 1 / 8) < 0.02 and math.abs(share(y, 0) - 7 / 8) < 0.02, share(y, 8))
  expect.equal(carried(lt.zeros { 1, 1, 4000, 1 }, { initial_state = start })[{ 1, 1, 1 }]:item(), 1)
end)

expect.case("a model is trained, saved and loaded", function()
  lt.random.set_seed(2)
  local model, x = nn.Sequential {
    nn.ConvLSTM1D(4, 3, { padding = "same", return_sequences = true, input_shape = { 3, 4, 1 } }),
    nn.Bidirectional(nn.ConvLSTM1D(2, 2)), nn.Flatten(), nn.Dense(1),
  }, noise(1, { 16, 3, 4, 1 })
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.02 }, loss = "mse" }
  local losses = model:fit(x, lt.mean(x, { 2, 3 }), { epochs = 40, verbose = 0 }).history.loss
  assert(losses[40] < 0.3 * losses[1], losses[40])
  local path = expect.path ".safetensors"
  model:save(path)
  expect.equal(nn.load_model(path)(x):bytes(), model(x):bytes())
  os.remove(path)
  local layer = nn.ConvLSTM1D(2, 2)
  expect.equal(layer(lt.zeros { 0, 3, 4, 1 }).shape, { 0, 3, 2 })
  expect.equal(layer:compute_output_shape { 3, -1, 1 }, { -1, 2 })
end)

expect.case("what does not fit is refused, by name", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  local film = nn.ConvLSTM2D(2, 3, { name = "film" })
  refused("layer 'film': its input has the shape (batch, 4, 5), expected (batch, steps, height, width, channels)", film, lt.zeros { 3, 4, 5 })
  refused("layer 'film': its input has the shape (2, 5, 1), which is smaller than its window of 3 x 3", film, lt.zeros { 3, 4, 2, 5, 1 })
  film(lt.zeros { 3, 4, 5, 5, 1 })
  refused("layer 'film': its input has the shape (3, 4, 5, 5, 2), expected (batch, steps, height, width, 1)", film, lt.zeros { 3, 4, 5, 5, 2 })
  refused("layer 'film': its input has no steps: (3, 0, 5, 5, 1)", film, lt.zeros { 3, 0, 5, 5, 1 })
  refused("layer 'film': initial_state has 1 tensors, expected 2", film, lt.zeros { 3, 4, 5, 5, 1 }, { initial_state = lt.zeros { 3, 3, 3, 2 } })
  refused("layer 'film': its state has the shape (3, 5, 5, 2), expected (3, 3, 3, 2)", film, lt.zeros { 3, 4, 5, 5, 1 },
    { initial_state = { lt.zeros { 3, 5, 5, 2 }, lt.zeros { 3, 5, 5, 2 } } })
  local first = nn.ConvLSTM1D(2, 3, { name = "first", data_format = "channels_first" })
  first(lt.zeros { 3, 4, 1, 5 })
  refused("layer 'first': its input has the shape (3, 4, 5, 1), expected (batch, steps, 1, length)", first, lt.zeros { 3, 4, 5, 1 })
  refused("ConvLSTM2D: filters is 0, expected a whole number, 1 or more", nn.ConvLSTM2D, 0, 2)
  refused("ConvLSTM3D: kernel_size has 2 numbers, expected one or three", nn.ConvLSTM3D, 1, { 2, 2 })
  refused("ConvLSTM2D: kernel_size is nil, expected one number or two", nn.ConvLSTM2D, 1)
  refused('ConvLSTM1D: padding is "causal"', nn.ConvLSTM1D, 1, 2, { padding = "causal" })
  refused('ConvLSTM1D: data_format is "first"', nn.ConvLSTM1D, 1, 2, { data_format = "first" })
  refused("ConvLSTM2D: strides and dilation_rate are both above 1, expected 1 for one of them", nn.ConvLSTM2D, 1, 2,
    { strides = 2, dilation_rate = { 1, 2 } })
  refused("ConvLSTM1D: unknown option 'units'", nn.ConvLSTM1D, 1, 2, { units = 3 })
end)

expect.end_of_cases()
