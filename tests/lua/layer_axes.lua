-- Axes, channel orders, constraints and regularizers of layers that Keras gives them to.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
local function close(a, b, tolerance, what) expect.close(a:flatten():totable(), b:flatten():totable(), tolerance or 1e-5, what) end
local x = lt.random.normal({ 4, 3, 5, 6 }, { seed = 1, mean = 2, stddev = 3 })

expect.case("LayerNorm over a list of axes", function()
  for _, axis in ipairs { { 2, 4 }, { 4, 2 }, { -3, -1 }, { 2, 3, 4 }, { 3 } } do
    local axes = {}
    for i, each in ipairs(axis) do axes[i] = each < 0 and 5 + each or each end
    table.sort(axes)
    local layer = nn.LayerNorm { axis = axis, gamma_initializer = "random_normal", beta_initializer = "random_normal", epsilon = 0.01 }
    local y = layer(x)
    local sizes, own = {}, {}
    for k = 1, 4 do sizes[k] = 1 end
    for i, each in ipairs(axes) do sizes[each], own[i] = x.shape[each], x.shape[each] end
    expect.equal({ table.unpack(layer.gamma.shape) }, own)
    local mean = x:mean { axis = axes, keepdims = true }
    local variance = ((x - mean) ^ 2):mean { axis = axes, keepdims = true }
    close(y, (x - mean) / lt.sqrt(variance + 0.01) * layer.gamma:reshape(sizes) + layer.beta:reshape(sizes), 1e-5)
  end
  refused("axis lists 1, expected different axes from 2 to 4", nn.LayerNorm { axis = { 1, 2 } }, x)
  refused("axis lists -1, expected different axes", nn.LayerNorm { axis = { 4, -1 } }, x)
  refused("LayerNorm: axis[2] is 1.5", nn.LayerNorm, { axis = { 2, 1.5 } })
  local model = nn.Sequential { nn.LayerNorm { axis = { 2, 3 }, input_shape = { 3, 2 } } }
  local path = expect.path ".safetensors"
  model:save(path)
  local again = nn.load_model(path)
  os.remove(path)
  local rows = x[{ {}, {}, 1, { 1, 2 } }]
  close(again(rows), model(rows), 0)
end)

expect.case("RMSNormalization along another axis", function()
  local layer = nn.RMSNormalization { axis = 2 }
  local y = layer(x)
  layer.scale:assign { 1.0, 2.0, 3.0 }
  y = layer(x)
  close(y, x / lt.sqrt((x ^ 2):mean(2, { keepdims = true }) + 1e-6) * lt.constant({ 1.0, 2.0, 3.0 }):reshape { 1, 3, 1, 1 })
  refused("RMSNormalization: axis is false", nn.RMSNormalization, { axis = false })
end)

expect.case("Normalization of features along other axes, and of all numbers as one", function()
  for _, case in ipairs { { -1, { 1, 2, 3 } }, { 2, { 1, 3, 4 } }, { { 2, 4 }, { 1, 3 } }, { false, { 1, 2, 3, 4 } }, { {}, { 1, 2, 3, 4 } } } do
    local layer = nn.Normalization { axis = case[1] }
    layer:adapt(x)
    local mean = x:mean { axis = case[2], keepdims = true }
    local deviation = lt.sqrt(((x - mean) ^ 2):mean { axis = case[2], keepdims = true })
    close(layer(x), (x - mean) / deviation, 1e-4)
    close(nn.Normalization { axis = case[1], mean = 2, variance = 9 }(x), (x - 2) / 3, 1e-5)
    local back = nn.Normalization { axis = case[1], mean = 2, variance = 9, invert = true }
    close(back(x), x * 3 + 2, 1e-5)
  end
  close(nn.Normalization { axis = 2, mean = { 1, 2, 3 }, variance = { 1, 4, 9 } }(x),
    (x - lt.constant({ 1, 2, 3 }):reshape { 1, 3, 1, 1 }) / lt.constant({ 1, 2, 3 }):reshape { 1, 3, 1, 1 })
  local numbers = nn.Normalization { axis = false }
  numbers:adapt { 1.0, 3.0 }
  expect.close(numbers({ 5.0 }):totable(), { 3 }, 1e-6)
  refused("axis lists 1, expected different axes from 2 to 4", nn.Normalization { axis = 1 }, x)
  refused("Normalization: axis is \"last\"", nn.Normalization, { axis = "last" })
end)

expect.case("SpatialDropout of channels that come first", function()
  for axes = 2, 3 do
    local Layer = nn[("SpatialDropout%dD"):format(axes)]
    local shape = { 5, 8, 3, 2 }
    if axes == 3 then shape[5] = 2 end
    lt.random.set_seed(4)
    local y = Layer(0.5, { data_format = "channels_first", seed = 3 })(lt.ones(shape), true)
    -- All of a channel is 0 or 2.
    local flat = y:reshape { 5, 8, -1 }
    close(flat:min(3), flat:max(3), 0)
    local kept = flat:max(3):flatten():totable()
    local count = 0
    for _, value in ipairs(kept) do
      assert(value == 0 or value == 2, value)
      count = count + value / 2
    end
    assert(count > 5 and count < 35, count)
    lt.random.set_seed(4)
    -- The same channels as with the channels last.
    local order = axes == 2 and { 1, 3, 4, 2 } or { 1, 3, 4, 5, 2 }
    close(y:transpose(order), Layer(0.5, { seed = 3 })(lt.ones(shape):transpose(order), true), 0)
  end
  refused("data_format is \"NCHW\"", nn.SpatialDropout2D, 0.5, { data_format = "NCHW" })
end)

expect.case("constraints hold after training steps", function()
  local image, volume, steps = { 5, 5, 2 }, { 4, 4, 4, 2 }, { 5, 2 }
  for name, case in pairs {
    Conv3D = { volume, nn.Conv3D(3, 2, { kernel_constraint = "non_neg", bias_constraint = "non_neg" }), { "kernel", "bias" } },
    DepthwiseConv2D = { image, nn.DepthwiseConv2D(2, { depthwise_constraint = "non_neg", bias_constraint = "non_neg" }), { "kernel", "bias" } },
    DepthwiseConv1D = { steps, nn.DepthwiseConv1D(2, { depthwise_constraint = "non_neg" }), { "kernel" } },
    SeparableConv2D = { image, nn.SeparableConv2D(3, 2, { depthwise_constraint = "non_neg", pointwise_constraint = "non_neg" }),
      { "depthwise_kernel", "pointwise_kernel" } },
    Conv2DTranspose = { image, nn.Conv2DTranspose(3, 2, { kernel_constraint = "non_neg" }), { "kernel" } },
    Conv1DTranspose = { steps, nn.Conv1DTranspose(3, 2, { kernel_constraint = "non_neg" }), { "kernel" } },
    BatchNorm = { image, nn.BatchNorm { gamma_constraint = nn.constraints.MaxNorm { max_value = 0.5 }, beta_constraint = "non_neg" }, { "beta" } },
    LayerNorm = { image, nn.LayerNorm { beta_constraint = "non_neg" }, { "beta" } },
    GroupNorm = { image, nn.GroupNorm { groups = 1, beta_constraint = "non_neg" }, { "beta" } },
  } do
    local layer = case[2]
    local model = nn.Sequential { nn.Input(case[1]), layer, nn.Flatten(), nn.Dense(1) }
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "mse" }
    local shape = { 8, table.unpack(case[1]) }
    local rows = lt.random.normal(shape, { seed = 2 })
    model:fit(rows, lt.random.normal({ 8, 1 }, { seed = 3 }), { epochs = 2, verbose = 0 })
    for _, weight in ipairs(case[3]) do assert(layer[weight]:min():item() >= 0, name .. "." .. weight) end
    if name == "BatchNorm" then assert(lt.norm(layer.gamma):item() < 0.501) end
  end
  local attention = nn.MultiHeadAttention(2, 3, { kernel_constraint = "non_neg", bias_constraint = "non_neg" })
  local input = nn.Input { 4, 5 }
  local model = nn.Model { inputs = input, outputs = nn.Dense(1)(nn.Flatten()(attention({ input, input }))) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "mse" }
  model:fit(lt.random.normal({ 8, 4, 5 }, { seed = 2 }), lt.random.normal({ 8, 1 }, { seed = 3 }), { epochs = 2, verbose = 0 })
  for _, weight in ipairs { "query_kernel", "key_bias", "attention_output_kernel" } do assert(attention[weight]:min():item() >= 0, weight) end
end)

expect.case("regularizers of scale and offset", function()
  local layer = nn.LayerNorm { gamma_regularizer = nn.regularizers.L2 { l2 = 0.5 }, beta_regularizer = nn.regularizers.L1 { l1 = 1.0 }, beta_initializer = "ones" }
  layer(lt.ones { 2, 3 })
  local sum = 0
  for _, loss in ipairs(layer:losses()) do sum = sum + loss:item() end
  expect.close(sum, 0.5 * 3 + 3, 1e-6)
end)

expect.end_of_cases()
