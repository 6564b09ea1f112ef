-- Layers over sequences and images, and a function as a layer: sizes that are not fixed, masks, refused arguments.
-- Keras' numbers for them are tested by keras_layers.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end
local function sizes(shape) return { table.unpack(shape) } end

expect.case("sizes that may be any stay so, and fit what comes", function()
  for _, case in ipairs {
    { nn.Conv1D(5, 3, { strides = 2, padding = "same" }), { -1, 4 }, { -1, 5 }, { 2, 7, 4 }, { 2, 4, 5 } },
    { nn.SeparableConv2D(5, 3), { -1, 6, 2 }, { -1, 4, 5 }, { 2, 7, 6, 2 }, { 2, 5, 4, 5 } },
    { nn.DepthwiseConv2D(3), { 6, -1, 2 }, { 4, -1, 2 }, { 2, 6, 3, 2 }, { 2, 4, 1, 2 } },
    { nn.Conv2DTranspose(5, 3, { strides = 2 }), { -1, 2, 3 }, { -1, 5, 5 }, { 2, 3, 2, 3 }, { 2, 7, 5, 5 } },
    { nn.MaxPool1D(), { -1, 3 }, { -1, 3 }, { 1, 7, 3 }, { 1, 3, 3 } },
    { nn.UpSampling2D(2), { -1, 3, 1 }, { -1, 6, 1 }, { 2, 2, 3, 1 }, { 2, 4, 6, 1 } },
    { nn.ZeroPadding1D(2), { -1, 3 }, { -1, 3 }, { 2, 1, 3 }, { 2, 5, 3 } },
    { nn.Cropping2D(1), { -1, 3, 1 }, { -1, 1, 1 }, { 2, 4, 3, 1 }, { 2, 2, 1, 1 } },
    { nn.Permute { 2, 1 }, { -1, 3 }, { 3, -1 }, { 2, 4, 3 }, { 2, 3, 4 } },
    { nn.GroupNorm { groups = 2 }, { -1, 4 }, { -1, 4 }, { 2, 3, 4 }, { 2, 3, 4 } },
    { nn.Lambda(function(x) return x:sum(2) end), { -1, 3 }, { 3 }, { 2, 4, 3 }, { 2, 3 } },
  } do
    local layer, open, out, shape, wanted = table.unpack(case)
    local input = nn.Input(open)
    local symbol = layer(input)
    expect.equal(symbol.shape, out, layer.name)
    expect.equal(sizes(nn.Model { inputs = input, outputs = symbol }(lt.ones(shape)).shape), wanted, layer.name)
  end
end)

expect.case("whole numbers are put elsewhere as they are", function()
  local ids = lt.constant { { 1, 2 }, { 3, 4 } }
  expect.equal(nn.RepeatVector(2)(ids):totable(), { { { 1, 2 }, { 1, 2 } }, { { 3, 4 }, { 3, 4 } } })
  expect.equal(nn.Permute { 2, 1 }(ids:reshape { 1, 2, 2 }):totable(), { { { 1, 3 }, { 2, 4 } } })
  expect.equal(nn.Cropping1D { 1, 0 }(ids:reshape { 1, 2, 2 }):totable(), { { { 3, 4 } } })
  expect.equal(nn.UpSampling1D()(ids:reshape { 1, 2, 2 }).dtype, "int32")
end)

expect.case("between whole numbers bilinear finds those that are none, and between the largest floats no infinity", function()
  local function stretched(x, size) return nn.UpSampling2D({ 1, size or 2 }, { interpolation = "bilinear" })(x):flatten() end
  for _, dtype in ipairs { "int32", "uint8", "int64" } do
    local y = stretched(lt.constant({ { { { 0 }, { 5 } } } }, { dtype = dtype }))
    expect.equal(y.dtype, "float32", dtype)
    expect.equal(y:totable(), { 0, 1.25, 3.75, 5 }, dtype)
    expect.equal(stretched(lt.ones({ 1, 1, 2, 1 }, { dtype = dtype }), 1).dtype, "float32", dtype)
  end
  local y = stretched(lt.constant { { { { 3e38 }, { -3e38 } } } }):totable()
  for i, wanted in ipairs { 3e38, 1.5e38, -1.5e38, -3e38 } do assert(math.abs(y[i] - wanted) < 1e32, y[i]) end
end)

expect.case("what has no rows, no steps or no places keeps its other sizes", function()
  for _, case in ipairs {
    { nn.GroupNorm { groups = 2 }, { 0, 4, 6 }, { 0, 4, 6 } }, { nn.GroupNorm { groups = 3 }, { 2, 0, 6 }, { 2, 0, 6 } },
    { nn.Conv1D(3, 2, { padding = "same" }), { 1, 0, 2 }, { 1, 0, 3 } },
    { nn.Conv1D(3, 4, { padding = "causal" }), { 2, 0, 2 }, { 2, 0, 3 } },
    { nn.SeparableConv2D(3, 2, { padding = "same" }), { 1, 4, 0, 2 }, { 1, 4, 0, 3 } },
    { nn.MaxPool1D(2, { padding = "same" }), { 1, 0, 2 }, { 1, 0, 2 } },
    { nn.Conv1DTranspose(3, 2, { strides = 2, padding = "same", output_padding = 0 }), { 1, 0, 2 }, { 1, 0, 3 } },
    { nn.Conv1DTranspose(3, 2, { strides = 2, padding = "same", output_padding = 0 }), { 1, 1, 2 }, { 1, 0, 3 } },
  } do
    local layer, shape, wanted = table.unpack(case)
    local y = layer(lt.zeros(shape))
    expect.equal(sizes(y.shape), wanted, layer.name)
    expect.equal(layer:compute_output_shape { table.unpack(shape, 2) }, { table.unpack(wanted, 2) }, layer.name)
  end
  -- After rows without steps come others.
  local layer = nn.Conv1D(1, 2, { padding = "causal", kernel_initializer = "ones" })
  layer(lt.zeros { 1, 0, 1 })
  expect.equal(layer(lt.constant { { { 1.0 }, { 2.0 }, { 4.0 } } }):flatten():totable(), { 1, 3, 6 })
end)

expect.case("a function as a layer says what its mask and its shape are", function()
  local ids = lt.constant { { 3, 2, 0 } }
  local embedding = nn.Embedding(4, 2, { mask_zero = true })
  local function mean_of(layer) return nn.GlobalAvgPool1D()(layer(embedding(ids))):flatten():totable() end
  local function double(x) return 2 * x end
  local handed_on, dropped = nn.Lambda(double, { mask = function(_, mask) return mask end }), nn.Lambda(double)
  local masked, plain = mean_of(handed_on), mean_of(dropped)
  for i = 1, 2 do assert(math.abs(masked[i] * 2 - plain[i] * 3) < 1e-6) end
  refused("layer 'm': its mask is 3, expected a bool tensor", nn.Lambda(double, { name = "m", mask = function() return 3 end }), lt.ones { 2, 3, 4 })
  expect.equal(nn.Lambda(double, { output_shape = 7 })(nn.Input { 3 }).shape, { 7 })
  for words, told in pairs { ['output_shape is "x", expected a list'] = "x", ["output_shape[1] is nil"] = { nil, 3 } } do
    refused("layer 's': " .. words, nn.Lambda(double, { name = "s", output_shape = function() return told end }), nn.Input { 3 })
  end
  local both = nn.Lambda(function(x) return { x, x } end, { output_shape = function(shape) return { shape, { 5 } } end })(nn.Input { 3 })
  expect.equal(both[2].shape, { 5 })
  expect.equal(nn.Lambda(double, { output_shape = function(shape) return { shape[1] + 1 } end })(nn.Input { 3 }).shape, { 4 })
  refused("Lambda: function is 3, expected a function", nn.Lambda, 3)
  for words, f in pairs { nothing = function() end, ["3"] = function() return 3 end } do
    local said = "layer 'l': its call gives " .. words .. ", expected a tensor or a list of them"
    local function lambda() return nn.Lambda(f, { name = "l" }) end
    refused(said, lambda(), lt.ones { 2, 3 })
    refused(said, lambda(), nn.Input { 3 })
    refused(said, nn.Sequential { lambda(), nn.Dense(1) }, lt.ones { 2, 3 })
    refused(said, function() nn.Sequential { nn.Dense(3), lambda() }:predict(lt.ones { 2, 3 }, { verbose = 0 }) end)
  end
  refused("a function cannot be written down", function() nn.Lambda(double):get_config() end)
end)

expect.case("groups of channels in halves are computed in float32", function()
  local model = nn.Sequential { nn.GroupNorm { groups = 1, input_shape = { 4 } } }
  model:compile { loss = "mse", precision = "bf16" }
  local y = model(lt.constant { { 1.0, 2.0, 3.0, 1000.0 } })
  assert(math.abs(y:sum():item()) < 0.02, y)
end)

expect.case("rows of another rank, or of other channels, are refused in later calls too", function()
  local sequence, image = "(steps, channels)", "(height, width, channels)"
  for _, case in ipairs {
    { nn.RepeatVector(2), { 1, 2 }, { 1, 2, 3 }, "(batch, 2, 3), expected (batch, features)" },
    { nn.Permute { 2, 1 }, { 1, 2, 3 }, { 1, 2 }, "(batch, 2), and dims has 2 axes of a row" },
    { nn.UpSampling1D(2), { 1, 2, 3 }, { 1, 2, 3, 1 }, "(2, 3, 1), expected " .. sequence },
    { nn.UpSampling2D(2), { 1, 2, 3, 1 }, { 1, 2, 3 }, "(2, 3), expected " .. image },
    { nn.ZeroPadding1D(2), { 1, 2, 3 }, { 1, 2 }, "(2,), expected " .. sequence },
    { nn.Cropping2D(1), { 1, 3, 3, 1 }, { 1, 3, 3 }, "(3, 3), expected " .. image },
    { nn.GroupNorm { groups = 2 }, { 1, 4 }, { 1, 1 }, "(1, 1), expected (batch, ..., 4)" },
  } do
    local layer, first, later, words = table.unpack(case)
    layer(lt.ones(first))
    refused(("layer '%s': its input has the shape %s"):format(layer.name, words), layer, lt.ones(later))
  end
end)

expect.case("what does not fit is refused, by name", function()
  local image, sequence = lt.ones { 1, 3, 3, 4 }, lt.ones { 1, 3, 4 }
  for words, f in pairs {
    ["layer 'c': its input has the shape (3, 3, 4), expected (steps, channels)"] = function() nn.Conv1D(1, 2, { name = "c" })(image) end,
    ["layer 's': its input has the shape (3, 4), which is smaller than its window of 5"] = function() nn.SeparableConv1D(1, 5, { name = "s" })(sequence) end,
    ["layer 'd': its input has the shape (3, 4), expected (height, width, channels)"] = function() nn.DepthwiseConv2D(1, { name = "d" })(sequence) end,
    ["DepthwiseConv1D: padding is \"causal\", which is not known"] = function() nn.DepthwiseConv1D(1, { padding = "causal" }) end,
    ["Conv1D: kernel_size has 2 numbers, expected one"] = function() nn.Conv1D(1, { 1, 1 }) end,
    ["layer 't': its input has the shape (3, 4), expected (height, width, channels)"] = function() nn.Conv2DTranspose(1, 1, { name = "t" })(sequence) end,
    ["Conv1DTranspose: output_padding is 2, and strides 2: expected less than that"] = function()
      nn.Conv1DTranspose(1, 1, { strides = 2, output_padding = 2 })
    end,
    ["DepthwiseConv2D: depth_multiplier is 0"] = function() nn.DepthwiseConv2D(1, { depth_multiplier = 0 }) end,
    ["layer 'u': its input has the shape (3, 4), expected (height, width, channels)"] = function() nn.UpSampling2D(2, { name = "u" })(sequence) end,
    ["UpSampling2D: interpolation is \"cubic\", which is not known"] = function() nn.UpSampling2D(2, { interpolation = "cubic" }) end,
    ["UpSampling1D: unknown option 'interpolation'"] = function() nn.UpSampling1D(2, { interpolation = "nearest" }) end,
    ["ZeroPadding2D: padding is -1, expected a whole number, 0 or more"] = function() nn.ZeroPadding2D(-1) end,
    ["ZeroPadding2D: padding has 3 entries, expected a number, one for each axis, or two for each"] = function() nn.ZeroPadding2D { 1, 1, 1 } end,
    ["ZeroPadding1D: padding has 3 numbers for axis 1, expected two"] = function() nn.ZeroPadding1D { 1, 1, 1 } end,
    ["layer 'e': its input has the shape (batch, 3, 4), and cropping leaves nothing along axis 2"] = function() nn.Cropping1D({ 2, 1 }, { name = "e" })(sequence) end,
    ["Permute: dims is {1, 3}, expected each of 1 to the number of a row's axes once"] = function() nn.Permute { 1, 3 } end,
    ["Permute: dims is nil"] = function() nn.Permute() end,
    ["Permute: dims[1] is a table, expected a whole number, 1 or more"] = function() nn.Permute { { 1 }, 2 } end,
    ["Permute: dims[2] is true, expected a whole number, 1 or more"] = function() nn.Permute { 1, true } end,
    ["layer 'f': its input has the shape (batch, 3, 4), and cropping leaves nothing along axis 2"] = function()
      nn.Cropping1D(math.maxinteger, { name = "f" })(sequence)
    end,
    ["layer 'z': its input has the shape (3, 0), expected a channel or more"] = function() nn.DepthwiseConv1D(2, { name = "z" })(lt.ones { 1, 3, 0 }) end,
    ["layer 'y': its input has the shape (0, 4), which is smaller than its window of 2"] = function() nn.MaxPool1D(2, { name = "y" })(lt.ones { 1, 0, 4 }) end,
    ["layer 'h': 0 channels cannot be divided into 0 groups"] = function() nn.GroupNorm({ groups = -1, name = "h" })(lt.ones { 1, 3, 0 }) end,
    ["layer 'p': its input has the shape (batch, 3, 4), and dims has 3 axes of a row"] = function() nn.Permute({ 1, 2, 3 }, { name = "p" })(sequence) end,
    ["layer 'r': its input has the shape (batch, 3, 4), expected (batch, features)"] = function() nn.RepeatVector(2, { name = "r" })(sequence) end,
    ["RepeatVector: n is 0, expected a whole number, 1 or more"] = function() nn.RepeatVector(0) end,
    ["layer 'g': 4 channels cannot be divided into 3 groups"] = function() nn.GroupNorm({ groups = 3, name = "g" })(sequence) end,
    ["layer 'k': random.uniform: the shape (4611686018427387904, 4, 1)"] = function() nn.Conv1D(1, 1 << 62, { padding = "same", name = "k" })(sequence) end,
    ["GroupNorm: groups is 0, expected a whole number, 1 or more"] = function() nn.GroupNorm { groups = 0 } end,
  } do
    refused(words, f)
  end
end)

expect.end_of_cases()
