-- Layers for images, normalisation layers and lookups: values from PyTorch, shapes, and what training changes.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

-- The numbers that PyTorch was given: (7 i % 11 - 5) / 4.
local function counted(shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return ((lt.range(size) * 7 % 11 - 5):float32() / 4):reshape(shape)
end

-- Compares the first numbers, as many as `wanted` has.
local function close(got, wanted, what)
  if type(wanted) == "table" then got = { table.unpack(got, 1, #wanted) } end
  expect.close(got, wanted, 5e-6, what)
end

-- Shape, sum, sum of squares, first elements.
local function is(layer, x, shape, sum, squares, first, what)
  local y = layer(x)
  expect.equal(tostring(y.shape), shape, what)
  local below = x.shape
  expect.equal({ table.unpack(y.shape, 2) }, layer:compute_output_shape { table.unpack(below, 2) }, what .. ": shape")
  close(y:sum():item(), sum, what .. ": sum")
  close(y:square():sum():item(), squares, what .. ": squares")
  close(y:flatten():totable(), first or {}, what)
end

local x = counted { 2, 5, 4, 3 }
local function kernel(shape) return counted(shape) end
local conv = { kernel_initializer = kernel, bias_initializer = kernel }
local function with(more)
  for name, value in pairs(conv) do more[name] = value end
  return more
end
is(nn.Conv2D(4, { 3, 2 }, with { strides = { 2, 1 } }), x, "(2, 2, 3, 4)", 28.625, 210.2109375, { -1.125, -0.5, 1.5 }, "conv")
is(nn.Conv2D(4, { 3, 2 }, with { padding = "same", activation = "relu" }), x, "(2, 5, 4, 4)", 157.25, 380.0234375, nil, "same")
is(nn.MaxPool2D(), x, "(2, 2, 2, 3)", 19.5, 20.5, nil, "max")
is(nn.AvgPool2D({ 3, 2 }, { strides = 1 }), x, "(2, 3, 3, 3)", -0.208333462, 1.68923604, nil, "average")
expect.equal(#nn.Conv2D(4, 3, { use_bias = false, input_shape = { 5, 4, 3 } }):variables(), 0)

-- In training the batch's own statistics, and running ones for later.
do
  local z = counted { 6, 3 } * lt.constant { 1.0, 2.0, 3.0 }
  local norm = nn.BatchNorm()
  local y = norm(z, true)
  close(y:flatten():totable(), { -2.05040336, 1.46284723, -0.299829483, 1.02520168 }, "batch norm in training")
  close(norm.moving_mean:totable(), { 0.00416666642, -0.0025, -0.00625 }, "moving mean")
  close(norm.moving_variance:totable(), { 0.99659723, 0.997291684, 1.07515621 }, "moving variance")
  close(norm(z):flatten():totable(), { -1.25567615, 1.00335741, -1.43992627 }, "batch norm later")
  expect.equal({ #norm:trainable_variables(), #norm:non_trainable_variables() }, { 2, 2 })
  close(nn.LayerNorm()(z):flatten():totable(), { -0.592764974, 1.40781689, -0.815051854, 0.941335022 }, "layer norm")
  expect.equal(#nn.LayerNorm({ scale = false, center = false, input_shape = { 3 } }):variables(), 0)
  -- Over images too: all axes but the last; the gradient goes through the statistics, so that a shift has none.
  local images = nn.BatchNorm { momentum = 0.5 }
  images(x)
  local shift = lt.Variable(lt.zeros { 3 })
  local tape <close> = lt.GradientTape()
  local loss = (images(x + shift, true) * counted { 2, 5, 4, 3 }):sum()
  local g = tape:gradient(loss, { shift, images.gamma })
  assert(lt.max(lt.abs(g[1])):item() < 1e-4 and lt.min(lt.abs(g[2])):item() > 1, "gradients of a batch norm")
  close(images.moving_mean:totable(), (lt.mean(x, { 1, 2, 3 }) / 2):totable(), "moving mean of images")
end

do
  local table_of = nn.Embedding(4, 2, { embeddings_initializer = kernel })
  expect.equal(table_of(lt.constant { { 4, 1 }, { 1, 2 } }):totable(),
    { { counted({ 4, 2 })[4]:totable(), counted({ 4, 2 })[1]:totable() }, { counted({ 4, 2 })[1]:totable(), counted({ 4, 2 })[2]:totable() } })
  expect.equal(table_of:compute_output_shape { 7 }, { 7, 2 })
end

-- Together they learn: which half of an image is bright.
do
  lt.random.set_seed(3)
  local images, labels = lt.random.uniform { 64, 6, 6, 1 }, lt.range(64) % 2 + 1
  local bright = lt.concat({ lt.ones { 1, 6, 3, 1 }, lt.zeros { 1, 6, 3, 1 } }, 3)
  local half = lt.where(labels:reshape({ 64, 1, 1, 1 }):eq(1), bright, 1 - bright)
  local model = nn.Sequential {
    nn.Input { 6, 6, 1 }, nn.Conv2D(4, 3, { activation = "relu" }), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten(), nn.Dropout(0.1),
    nn.Dense(2, { activation = "softmax" }),
  }
  expect.equal(model:count_params(), 40 + 16 + 34)
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.02 }, loss = "sparse_categorical_crossentropy", metrics = { "accuracy" } }
  local history = model:fit(images + half, labels, { epochs = 20, batch_size = 16, verbose = 0, seed = 1 }).history
  assert(history.accuracy[20] > 0.95 and history.loss[20] < history.loss[1] / 2, history.accuracy[20])
end

-- Refused arguments.
for words, f in pairs {
  ["layer 'c': its input has the shape (5, 4), expected (height, width, channels)"] = function()
    nn.Sequential { nn.Conv2D(1, 3, { name = "c", input_shape = { 5, 4 } }) }
  end,
  ["layer 'c': its input has the shape (2, 4, 1), which is smaller than its window of 3 x 3"] = function()
    nn.Sequential { nn.Conv2D(1, 3, { name = "c", input_shape = { 2, 4, 1 } }) }
  end,
  ["layer 'c': 3 channels and 4 filters cannot be divided into 2 groups"] = function()
    nn.Sequential { nn.Conv2D(4, 1, { name = "c", groups = 2, input_shape = { 2, 4, 3 } }) }
  end,
  ["Conv2D: padding is \"smae\", which is not known (did you mean 'same'?)"] = function() nn.Conv2D(1, 1, { padding = "smae" }) end,
  ["Conv2D: kernel_size has 3 numbers, expected one or two"] = function() nn.Conv2D(1, { 1, 1, 1 }) end,
  ["MaxPool2D: pool_size is 0, expected a whole number, 1 or more"] = function() nn.MaxPool2D(0) end,
} do
  expect.raises("InvalidArgument", words, f)
end
-- add_weight's shape is checked, whatever the initializer does with it.
for words, shape in pairs {
  ["add_weight: shape[1] is a table, expected a whole number"] = { { 3 }, 4 }, ['add_weight: shape is "a", expected a list of sizes'] = "a",
  ["add_weight: shape[2] is 1.5, expected a whole number"] = { 2, 1.5 }, ["add_weight: shape[1] is -2, expected a whole number"] = { -2 },
} do
  local Own = nn.Layer:extend "Own"
  function Own:build() self.kernel = self:add_weight { shape = shape } end
  function Own:call(x) return x end
  expect.raises("InvalidArgument", words, function() Own()(lt.ones { 2, 3 }) end)
end
expect.raises("OutOfRange", "id 5", function() return nn.Embedding(4, 2)(lt.constant { 5 }) end)

-- A layer that failed, in a call or in its build, is garbage once the program has it no more.
do
  local made = setmetatable({}, { __mode = "k" })
  local Breaks = nn.Layer:extend "Breaks"
  function Breaks:build()
    self.weight = self:add_weight { shape = { 3 } }
    error "no further"
  end
  local function remember(layer)
    made[layer] = true
    return layer
  end
  local wrong = lt.ones { 2, 9 }
  pcall(remember(nn.Dense(3, { input_shape = { 2 } })), wrong)
  do
    local built = remember(nn.Dense(3))
    built(lt.ones { 2, 2 })
    pcall(built, wrong)
    coroutine.resume(coroutine.create(function(x) return built(x) end), wrong)
    pcall(coroutine.wrap(function(x) return built(x) end), wrong)
  end
  local Silent = nn.Layer:extend "Silent"
  function Silent:call() error() end
  assert(not pcall(remember(Silent()), wrong))
  local ok, err = pcall(remember(Breaks()), wrong)
  assert(not ok and tostring(err):find "no further", err)
  pcall(function() remember(Breaks()):compute_output_shape { 2 } end)
  pcall(nn.Sequential, { remember(nn.Dense(3, { input_shape = { 4 } })), remember(nn.Conv2D(2, 3)) })
  collectgarbage()
  collectgarbage()
  local left = next(made)
  assert(left == nil, tostring(left) .. " is still there")
  -- The layer around one that failed is the one at work again.
  local Outer = nn.Layer:extend "Outer"
  function Outer:init() self.inner = nn.Dense(1, { name = "inner" }) end
  function Outer:call(x)
    self.inner(x)
    local refused, why = pcall(self.inner, lt.ones { 2, 9 })
    assert(not refused and why.message:find("layer 'inner'", 1, true))
    return x:matmul(lt.ones { 7, 7 })
  end
  expect.raises("InvalidArgument", "layer 'outer': matmul", Outer(), lt.ones { 2, 2 })
end
