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

expect.case("each layer beside itself with the channels last", function()
  local image, volume = lt.random.normal { 2, 6, 8, 3 }, lt.random.normal { 2, 4, 6, 8, 3 }
  local sequence = lt.random.normal { 2, 6, 3 }
  local function both(make, x)
    local order, back = { 1, x.rank }, { 1 }
    for axis = 2, x.rank - 1 do order[axis + 1], back[axis] = axis, axis + 1 end
    back[x.rank] = 2
    local last, first = make {}, make { data_format = "channels_first" }
    local wanted = last(x)
    local y = first(lt.transpose(x, order))
    if y.rank == x.rank then y = lt.transpose(y, back) end
    expect.equal(y.shape, wanted.shape, last.name)
    expect.close(y, wanted:totable(), 1e-6, last.name)
  end
  local function of(kind, ...)
    local value = { ... }
    return function(given)
      value[#value + 1] = given
      local made = nn[kind](table.unpack(value))
      value[#value] = nil
      return made
    end
  end
  for _, kind in ipairs { "UpSampling2D", "ZeroPadding2D", "MaxPool2D", "AvgPool2D" } do both(of(kind, 2), image) end
  for _, kind in ipairs { "UpSampling1D", "ZeroPadding1D", "Cropping1D", "MaxPool1D" } do both(of(kind, 2), sequence) end
  for _, kind in ipairs { "UpSampling3D", "ZeroPadding3D", "MaxPool3D", "AvgPool3D" } do both(of(kind, 2), volume) end
  both(of("Cropping2D", { { 1, 2 }, { 0, 3 } }), image)
  both(of("Cropping3D", 1), volume)
  for _, kind in ipairs { "GlobalAvgPool2D", "GlobalMaxPool2D", "Flatten" } do both(of(kind), image) end
  for _, kind in ipairs { "GlobalAvgPool3D", "GlobalMaxPool3D" } do both(of(kind), volume) end
  for _, kind in ipairs { "GlobalAvgPool1D", "GlobalMaxPool1D" } do both(of(kind), sequence) end
  local kept = nn.GlobalAvgPool2D { keepdims = true, data_format = "channels_first" }
  expect.equal({ table.unpack(kept(lt.ones { 2, 3, 4, 5 }).shape) }, { 2, 3, 1, 1 })
end)

-- The ops that run for f(), by name.
local function ops_of(f)
  local names = {}
  lt.debugging.set_log_handler(function(event) names[event.op] = (names[event.op] or 0) + 1 end)
  f()
  lt.debugging.set_log_handler(nil)
  return names
end

expect.case("which calls transpose", function()
  local x, w = lt.random.normal { 2, 3, 8, 8 }, lt.random.normal { 1, 1, 3, 4 }
  local first = { data_format = "channels_first" }
  expect.equal(ops_of(function() lt.conv2d(x, w, first) end).Transpose, nil)
  expect.equal(ops_of(function() nn.GlobalAvgPool2D(first)(x) end).Transpose, nil)
  expect.equal(ops_of(function() lt.conv2d(x, lt.ones { 3, 3, 3, 4 }, first) end).Transpose, 2)
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  local x, w = lt.ones { 1, 3, 4, 4 }, lt.ones { 2, 2, 3, 1 }
  refused("conv2d: data_format is \"NCHW\", which is not known", lt.conv2d, x, w, { data_format = "NCHW" })
  refused("conv2d: data_format is 1, expected a string", lt.conv2d, x, w, { data_format = 1 })
  refused("conv2d: x has the shape (4,), expected (batch, channels, height, width)", lt.conv2d, lt.ones { 4 }, w, { data_format = "channels_first" })
  refused("conv2d: unknown option 'strides'", lt.conv2d, x, w, { data_format = "channels_first", strides = 2 })
  refused("max_pool2d: data_format is \"NCHW\"", lt.max_pool2d, x, 2, { data_format = "NCHW" })
  refused("max_pool1d: data_format is \"NCHW\"", lt.max_pool1d, x, 2, { data_format = "NCHW" })
  refused("Conv2D: data_format is \"NCHW\", which is not known", nn.Conv2D, 2, 3, { data_format = "NCHW" })
  refused("BatchNorm: axis is a table, expected a whole number", nn.BatchNorm, { axis = { 1 } })
  refused("axis is 5, and its input has 4 axes with the batch", function() nn.LayerNorm { axis = 5 }(lt.ones { 2, 3, 4, 5 }) end)
  refused("axis is 1, and its input has 4 axes with the batch", function() nn.LayerNorm { axis = 1 }(lt.ones { 2, 3, 4, 5 }) end)
  refused("expected (height, width, channels)", function() nn.Conv2D(2, 3, { data_format = "channels_first" })(lt.ones { 2, 3 }) end)
end)

expect.end_of_cases()
