-- Layers with the channels first: a whole net beside the same net with the channels last. Keras' numbers: keras_layers.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function net(format, axis, input)
  return nn.Sequential {
    nn.Input(input), nn.Conv2D(4, 3, { padding = "same", data_format = format }), nn.BatchNorm { axis = axis }, nn.ReLU(),
    nn.MaxPool2D(2, { data_format = format }), nn.SeparableConv2D(5, 2, { data_format = format }), nn.LayerNorm { axis = axis },
    nn.GlobalAvgPool2D { data_format = format }, nn.Dense(2),
  }
end

expect.case("a net", function()
  lt.random.set_seed(1)
  local x, y = lt.random.normal { 8, 6, 8, 3 }, lt.random.normal { 8, 2 }
  local last, first = net("channels_last", -1, { 6, 8, 3 }), net("channels_first", 2, { 3, 6, 8 })
  first:set_weights(last:get_weights())
  local turned = lt.transpose(x, { 1, 4, 2, 3 })
  expect.close(first(turned), last(x):totable(), 1e-5)
  expect.equal(first.layers[4]:compute_output_shape { 4, 6, 8 }, { 4, 3, 4 })
  for model, rows in pairs { [last] = x, [first] = turned } do
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse" }
    model:fit(rows, y, { epochs = 2, batch_size = 4, shuffle = false, verbose = 0 })
  end
  for i, weight in ipairs(last:get_weights()) do expect.close(first:get_weights()[i], weight:totable(), 1e-4) end
  local path = expect.path ".safetensors"
  first:save(path)
  expect.equal(nn.load_model(path)(turned):bytes(), first(turned):bytes())
  os.remove(path)
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("Conv2D: data_format is \"NCHW\", which is not known", nn.Conv2D, 2, 3, { data_format = "NCHW" })
  refused("BatchNorm: axis is a table, expected a whole number", nn.BatchNorm, { axis = { 1 } })
  refused("axis is 5, and its input has 4 axes with the batch", function() nn.LayerNorm { axis = 5 }(lt.ones { 2, 3, 4, 5 }) end)
  refused("axis is 1, and its input has 4 axes with the batch", function() nn.LayerNorm { axis = 1 }(lt.ones { 2, 3, 4, 5 }) end)
  refused("expected (height, width, channels)", function() nn.Conv2D(2, 3, { data_format = "channels_first" })(lt.ones { 2, 3 }) end)
end)

expect.end_of_cases()
