-- Layers that combine inputs, and layers that reduce each channel to one number: values worked out by hand, with
-- tensors and in graphs, with masks, in files.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end

local a, b = lt.constant { { 1.0, 4.0 }, { 3.0, -2.0 } }, lt.constant { { 2.0, 2.0 }, { 5.0, -8.0 } }

expect.case("two inputs, element by element", function()
  for kind, wanted in pairs {
    Add = { { 3, 6 }, { 8, -10 } }, Multiply = { { 2, 8 }, { 15, 16 } }, Average = { { 1.5, 3 }, { 4, -5 } }, Maximum = { { 2, 4 }, { 5, -2 } },
    Minimum = { { 1, 2 }, { 3, -8 } }, Subtract = { { -1, 2 }, { -2, 6 } },
  } do
    local left, right = nn.Input { 2 }, nn.Input { 2 }
    expect.equal(nn[kind]() { a, b }:totable(), wanted, kind)
    expect.equal(nn.Model { inputs = { left, right }, outputs = nn[kind]() { left, right } } { a, b }:totable(), wanted, kind)
  end
  expect.equal(nn.Average() { a, b, b, a }:totable(), { { 1.5, 3 }, { 4, -5 } })
end)

expect.case("a size of 1 stretches, and missing axes stand behind the batch", function()
  local steps = lt.constant { { { 1.0, 2.0 }, { 3.0, 4.0 } }, { { 5.0, 6.0 }, { 7.0, 8.0 } } }
  -- Row by row, though the batch is as long as the steps are.
  local wanted = { { { 2, 6 }, { 4, 8 } }, { { 8, 4 }, { 10, 6 } } }
  expect.equal(nn.Add() { steps, a }:totable(), wanted)
  expect.equal(nn.Add() { a, steps }:totable(), wanted)
  local left, right = nn.Input { 2, 2 }, nn.Input { 2 }
  local sum = nn.Add() { left, right }
  expect.equal(sum.shape, { 2, 2 })
  expect.equal(nn.Model { inputs = { left, right }, outputs = sum } { steps, a }:totable(), wanted)
  expect.equal(nn.Multiply() { nn.Input { 4, 1 }, nn.Input { 1, 3 }, nn.Input { 3 } }.shape, { 4, 3 })
  expect.equal(nn.Maximum() { nn.Input { -1, 3 }, nn.Input { 1, 3 } }.shape, { -1, 3 })
  expect.equal(nn.Maximum() { nn.Input { -1, 3 }, nn.Input { 5, 1 } }.shape, { 5, 3 })
  refused("layer 'm': its inputs have the shapes (4, 2) and (4, 3), expected one shape", nn.Minimum { name = "m" }, { nn.Input { 4, 2 }, nn.Input { 4, 3 } })
  refused("layer 'm': its inputs have 2 rows and 1, expected as many", nn.Minimum { name = "m" }, { a, lt.ones { 1, 2 } })
  refused("layer 'c': its inputs have the shapes (2, 3) and (2,), which differ in more than axis -1", nn.Concatenate { name = "c" },
    { nn.Input { 2, 3 }, nn.Input { 2 } })
  refused("layer 's': it has 3 inputs, expected two", nn.Subtract { name = "s" }, { a, a, a })
  refused("layer 's': it has 1 inputs, expected two", nn.Subtract { name = "s" }, { nn.Input { 2 } })
end)

expect.case("one number of each channel", function()
  local x = lt.constant { { { 1.0, 8.0 }, { 3.0, -6.0 }, { 8.0, 1.0 } } }
  local image = x:reshape { 1, 3, 1, 2 }
  for kind, wanted in pairs { Average = { { 4, 1 } }, Max = { { 8, 8 } } } do
    local sequence, picture = nn["Global" .. kind .. "Pooling1D"], nn["Global" .. kind .. "Pooling2D"]
    expect.equal(sequence()(x):totable(), wanted, kind)
    expect.equal(picture()(image):totable(), wanted, kind)
    expect.equal(sequence { keepdims = true }(x).shape, { 1, 1, 2 })
    expect.equal(sequence { keepdims = true }(nn.Input { -1, 2 }).shape, { 1, 2 })
    expect.equal(picture { keepdims = true }(nn.Input { 5, 5, 7 }).shape, { 1, 1, 7 })
    expect.equal(picture()(nn.Input { -1, -1, 7 }).shape, { 7 })
    refused("layer 'g': its input has the shape (1, 3, 2), expected (batch, height, width, channels)", picture { name = "g" }, x)
    refused("layer 'g': its input has the shape (batch, 5), expected (batch, steps, channels)", sequence { name = "g" }, nn.Input { 5 })
  end
  refused("GlobalAvgPool1D: keepdims is 1, expected true or false", nn.GlobalAvgPool1D, { keepdims = 1 })
end)

expect.case("masked steps do not count in a mean, and the mask ends there", function()
  local x, mask = lt.constant { { { 2.0 }, { 4.0 }, { 9.0 } }, { { 1.0 }, { 5.0 }, { 6.0 } } }, lt.constant { { true, true, false }, { false, true, true } }
  expect.equal(nn.GlobalAvgPool1D()(x, { mask = mask }):totable(), { { 3 }, { 5.5 } })
  local words = nn.Sequential {
    nn.Embedding(4, 1, { mask_zero = true, embeddings_initializer = function(shape) return lt.range(shape[1]):float32():reshape(shape) end }),
    nn.GlobalAvgPool1D(), nn.Dense(1, { kernel_initializer = "ones" }),
  }
  expect.equal(words(lt.constant { { 1, 3, 0 }, { 2, 0, 0 } }):totable(), { { 1 }, { 1 } })
end)

expect.case("they come back from a file", function()
  local path = expect.path ".safetensors"
  local left, right = nn.Input { 3, 2 }, nn.Input { 2 }
  local joined = nn.Average() { nn.Maximum() { left, right }, nn.Subtract() { left, right } }
  local model = nn.Model { inputs = { left, right }, outputs = nn.Dense(1)(nn.GlobalMaxPool1D()(joined)) }
  model:save(path)
  local rows = { lt.random.normal { 4, 3, 2 }, lt.random.normal { 4, 2 } }
  expect.equal(nn.load_model(path)(rows):bytes(), model(rows):bytes())
  os.remove(path)
end)

expect.case("what is no tensor among the inputs is named, before the layer is built and after that", function()
  local a, built = lt.ones { 2, 3 }, nn.Add()
  built { a, a }
  for _, layer in ipairs { nn.Add(), built, nn.Dense(2) } do refused("its input 2 is 2, expected a tensor", layer, { a, 2 }) end
  refused("its input 2 is a table, expected a tensor", built, { a, {} })
  refused("its input 2 is 5, expected a tensor", nn.LSTM(2), lt.ones { 2, 3, 4 }, { initial_state = 5 })
  refused("mask is 1, expected a bool tensor of shape (2, 3)", nn.LSTM(2), lt.ones { 2, 3, 4 }, { mask = 1 })
end)

expect.end_of_cases()
