-- Layers that draw: noise, dropout of channels, random changes of images. What they draw, seeds, replicas, inference; and
-- Normalization's adapt.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(2)
local images = lt.random.uniform({ 8, 6, 5, 3 }, { seed = 5 })

local layers = {
  { "GaussianNoise(0.5, { seed = %s })", images }, { "GaussianDropout(0.3, { seed = %s })", images },
  { "AlphaDropout(0.3, { seed = %s })", images }, { "SpatialDropout1D(0.5, { seed = %s })", lt.ones { 8, 4, 6 } },
  { "SpatialDropout2D(0.5, { seed = %s })", images }, { "SpatialDropout3D(0.5, { seed = %s })", lt.ones { 8, 2, 2, 2, 6 } },
  { "RandomFlip { seed = %s }", images }, { "RandomCrop(3, 4, { seed = %s })", images }, { "RandomRotation(0.3, { seed = %s })", images },
  { "RandomTranslation(0.3, 0.2, { seed = %s })", images }, { "RandomZoom(0.4, { seed = %s })", images },
  { "RandomBrightness(0.4, { value_range = { 0, 1 }, seed = %s })", images },
  { "RandomContrast(0.4, { value_range = { 0, 1 }, seed = %s })", images },
}
local function made(text, seed) return load("return lutra.nn." .. text:format(seed), text, "t", { lutra = lt })() end

expect.case("seeds, training and inference", function()
  for _, each in ipairs(layers) do
    local text, x = table.unpack(each)
    for _, seed in ipairs { "3", "false" } do
      local function drawn(n)
        lt.random.set_seed(n)
        local layer = made(text, seed)
        return layer(x, true):bytes(), layer(x, true):bytes()
      end
      local first, second = drawn(1)
      local again = drawn(1)
      assert(first == again, text .. ": not the same by set_seed")
      assert(first ~= second, text .. ": a second call draws the same")
      assert(seed ~= "false" or first ~= drawn(2), text .. ": another seed draws the same")
    end
    local layer = made(text, "false")
    local y = layer(x)
    if not text:find "Crop" then expect.equal(y:bytes(), x:bytes(), text .. ": in inference") end
    expect.equal(layer:compute_output_shape { table.unpack(x.shape, 2) }, { table.unpack(y.shape, 2) }, text)
    local copy = nn.Layer.from_config(layer:get_config())
    lt.random.set_seed(1)
    local one = layer(x, true):bytes()
    lt.random.set_seed(1)
    expect.equal(copy(x, true):bytes(), one, text .. ": made anew")
  end
end)

expect.case("replicas draw what one device would", function()
  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" }
  for _, each in ipairs(layers) do
    local text, x = table.unpack(each)
    local function trained(scope)
      lt.random.set_seed(4)
      local model
      local function make()
        model = nn.Sequential { nn.Input { table.unpack(x.shape, 2) }, made(text, "false"), nn.Flatten(), nn.Dense(1) }
        model:compile { optimizer = "sgd", loss = "mse" }
      end
      if scope then scope:scope(make) else make() end
      return model:fit(x, lt.ones { 8, 1 }, { epochs = 2, batch_size = 4, shuffle = false, verbose = 0 }).history.loss
    end
    if not text:find "RandomCrop" then expect.close(trained(strategy), trained(), 1e-4, text) end
  end
end)

expect.case("the same in fit with graphs", function()
  -- Steps that draw are never replayed with what one of them drew.
  local model = nn.Sequential { nn.Input { 4 }, nn.GaussianNoise(1.0) , nn.Dense(1, { kernel_initializer = "ones", trainable = false }), nn.Dense(1) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.0 }, loss = "mse" }
  local losses = model:fit(lt.zeros { 64, 4 }, lt.zeros { 64, 1 }, { epochs = 40, batch_size = 32, verbose = 0 }).history.loss
  local seen = {}
  for _, loss in ipairs(losses) do seen[loss] = true end
  local count = 0
  for _ in pairs(seen) do count = count + 1 end
  expect.equal(count, #losses, "epochs with a loss of their own")
end)

expect.case("what they draw", function()
  lt.random.set_seed(9)
  local x = lt.ones { 200, 50 }
  local noise = nn.GaussianNoise(0.5)(x, true) - x
  expect.close({ noise:mean():item(), noise:std():item() }, { 0, 0.5 }, 0.02)
  local factor = nn.GaussianDropout(0.2)(x, true)
  expect.close({ factor:mean():item(), factor:std():item() }, { 1, 0.5 }, 0.02)
  local y = nn.AlphaDropout(0.3)(lt.random.normal { 400, 50 }, true)
  expect.close({ y:mean():item(), y:std():item() }, { 0, 1 }, 0.03)
  local dropped = nn.SpatialDropout1D(0.4)(lt.ones { 100, 6, 30 }, true)
  expect.equal(dropped[{ {}, 1 }]:bytes(), dropped[{ {}, 5 }]:bytes(), "channels together")
  expect.close(dropped:mean():item(), 1, 0.05)
  local turned = nn.RandomRotation({ 0.25, 0.25 })(images, true)
  expect.close(turned[{ {}, { 2, 5 } }], lt.image.rotate(images, math.pi / 2, { padding_mode = "reflection" })[{ {}, { 2, 5 } }]:totable(), 1e-5)
  local moved = nn.RandomTranslation({ 0.5, 0.5 }, { 0, 0 }, { fill_mode = "constant" })(images, true)
  expect.close(moved[{ {}, { 4, 6 } }], images[{ {}, { 1, 3 } }]:totable(), 1e-5)
  expect.close(moved[{ {}, { 1, 3 } }]:max():item(), 0, 1e-6)
  local near = nn.RandomZoom { -0.5, -0.5 }(images, true)
  expect.close(near:mean():item(), images[{ {}, { 2, 5 }, { 2, 4 } }]:mean():item(), 0.1)
end)

expect.case("Normalization", function()
  local x = lt.random.normal({ 40, 3 }, { mean = 5, stddev = 2, seed = 1 })
  local layer = nn.Normalization():adapt(x)
  local y = layer(x)
  expect.close({ y:mean(1):totable(), y:std(1):totable() }, { { 0, 0, 0 }, { 1, 1, 1 } }, 1e-3)
  local by_batches = nn.Normalization():adapt(lt.data.Dataset.from_tensor_slices(x):batch(7))
  expect.close(by_batches(x), y:totable(), 1e-5)
  expect.close(nn.Normalization { mean = 1, variance = 4 } { { 3.0, 5.0 } }, { { 1, 2 } }, 1e-6)
  expect.close(nn.Normalization { mean = { 1, 2 }, variance = { 4, 1 }, invert = true } { { 1.0, 2.0 } }, { { 3, 4 } }, 1e-6)
  local model = nn.Sequential { nn.Input { 3 }, layer, nn.Dense(1) }
  local path = expect.path ".safetensors"
  model:save(path)
  expect.equal(nn.load_model(path)(x):bytes(), model(x):bytes())
  os.remove(path)
  expect.equal(#layer:trainable_variables(), 0)
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("GaussianNoise: stddev is -1", nn.GaussianNoise, -1)
  refused("AlphaDropout: rate is 2, expected a number of 0 to 1", nn.AlphaDropout, 2)
  refused("expected 3 axes: the batch, steps and channels", function() nn.SpatialDropout1D(0.5)(images) end)
  refused("expected (batch, height, width, channels)", function() nn.RandomFlip()(lt.ones { 2, 3 }) end)
  refused("RandomFlip: mode is \"diagonal\", which is not known", nn.RandomFlip, { mode = "diagonal" })
  refused("RandomRotation: factor is nil, expected a number or {lower, upper}", nn.RandomRotation)
  refused("RandomZoom: height_factor is {1, 0}, expected the lower one first", nn.RandomZoom, { 1, 0 })
  refused("RandomContrast: factor is \"a\"", nn.RandomContrast, "a")
  refused("Resizing: width is nil, expected a whole number", nn.Resizing, 3)
  refused("Resizing: interpolation is \"best\"", nn.Resizing, 3, 4, { interpolation = "best" })
  refused("ReLU: max_value is -1", nn.ReLU, { max_value = -1 })
  refused("PReLU: shared_axes[1] is 1, expected a whole number, 2 or more", nn.PReLU, { shared_axes = 1 })
  refused("Normalization: one of mean and variance is given", nn.Normalization, { mean = 1 })
  refused("adapt: its data has the shape (3,)", function() nn.Normalization():adapt { 1, 2, 3 } end)
  refused("Dot: axes is nil", nn.Dot)
  refused("its inputs have 3 and 4 elements along axes", function() nn.Dot(2) { lt.ones { 2, 3 }, lt.ones { 2, 4 } } end)
  refused("input 1 has the shape (batch, 3), which has no axis 4", function() nn.Dot(4) { lt.ones { 2, 3 }, lt.ones { 2, 3 } } end)
  refused("expected a list: {query, value} or {query, value, key}", function() nn.Attention()(lt.ones { 2, 3, 4 }) end)
end)

expect.end_of_cases()
