-- EinsumDense, GroupQueryAttention and SpectralNormalization beside what tests/lua/keras_layers.lua compares with Keras:
-- training, files, masks, initial weights, and refused arguments.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, nn_cases, folder = dofile("tests/support/expect.lua"), require "nn_cases", require "folder"
local nn = lt.nn

lt.config.set_logical_device_configuration("CPU:0", { {}, {} })

local function noise(seed, shape, factor) return nn_cases.tensor(seed, shape, "float32", factor or 1) end
local function close(got, wanted, what) expect.close(got:flatten():totable(), wanted, 4e-6, what) end

-- Layers whose weights a call changes in training, by Keras' numbers.
local function check_spectral(around)
  for number, case in ipairs((require "golden.keras_layers").spectral_training) do
    local what = "case " .. number
    local layer = case.make(nn)
    layer:ensure_built { table.unpack(case.inputs[1], 2) }
    local values = {}
    for i, variable in ipairs(layer:variables()) do values[i] = noise(9 + i, { table.unpack(variable.shape) }, 0.5) end
    layer:set_weights(values)
    local x = noise(1, case.inputs[1])
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local y = around(layer, x)
    close(y, case.gives[1], what)
    local weights = layer:trainable_variables()
    local gradients = tape:gradient((y * noise(50, case.shapes[1])):sum(), { x, table.unpack(weights) })
    for i, gradient in ipairs(gradients) do close(gradient, case.gradients[i], what .. ", gradient " .. i) end
  end
end

expect.case("SpectralNormalization in training, as Keras'", function()
  check_spectral(function(layer, x) return layer(x, true) end)
end)

expect.case("SpectralNormalization bounds the largest singular value", function()
  local layer = nn.SpectralNormalization(nn.Dense(6), { power_iterations = 30 })
  layer(noise(1, { 2, 5 }), true)
  local _, s = lt.svd(layer.layer.kernel)
  local largest = (s.rank == 1 and s or lt.svd(layer.layer.kernel, { compute_uv = false })):max():item()
  expect.close({ largest }, { 1 }, 1e-4)
  local before = layer:get_weights()
  layer(noise(1, { 2, 5 }))
  for i, each in ipairs(layer:get_weights()) do expect.equal(each:totable(), before[i]:totable(), "kept outside training") end
  -- A kernel of zeros stays, and so does the vector.
  local zeros = nn.SpectralNormalization(nn.Dense(2, { kernel_initializer = "zeros" }))
  zeros(lt.ones { 1, 3 }, true)
  expect.equal(zeros.layer.kernel:totable(), { { 0, 0 }, { 0, 0 }, { 0, 0 } })
  expect.equal(zeros.vector_u:isfinite():all():item(), true)
  -- Embeddings have no kernel but rows.
  local embedding = nn.SpectralNormalization(nn.Embedding(5, 3))
  local rows = embedding(lt.constant { { 1, 2 } }, true)
  expect.equal(rows.shape, lt.zeros({ 1, 2, 3 }).shape)
end)

expect.case("SpectralNormalization in replicas, graphs and mixed precision", function()
  local function trained(strategy, precision)
    local function make()
      lt.random.set_seed(3)
      local model = nn.Sequential { nn.SpectralNormalization(nn.Dense(4, { input_shape = { 3 } })), nn.Dense(1) }
      model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse", precision = precision }
      return model
    end
    local model = strategy and strategy:scope(make) or make()
    model:fit(noise(1, { 4, 3 }), noise(2, { 4, 1 }), { epochs = 3, batch_size = 4, shuffle = false, verbose = 0 })
    return model:get_weights()
  end
  local alone, together = trained(), trained(lt.distribute.MirroredStrategy())
  for i, weight in ipairs(alone) do expect.close(together[i]:flatten():totable(), weight:flatten():totable(), 1e-5) end
  for i, weight in ipairs(trained(nil, "bf16")) do
    expect.close(weight:flatten():totable(), alone[i]:flatten():totable(), 5e-2, "bf16")
  end
end)

expect.case("models of these layers are saved and loaded", function()
  local x = noise(1, { 2, 3, 4 })
  local input = nn.Input { 3, 4 }
  local y = nn.EinsumDense("abc,cd->abd", { -1, 6 }, { bias_axes = "d", activation = "gelu" })(input)
  y = nn.GroupQueryAttention(2, 4, 2, { use_gate = true })({ y, y }, { use_causal_mask = true })
  y = nn.SpectralNormalization(nn.Dense(2), { power_iterations = 2 })(y)
  local model = nn.Model { inputs = input, outputs = y }
  model:compile { optimizer = "adam", loss = "mse" }
  model:fit(x, noise(2, { 2, 3, 2 }), { epochs = 2, verbose = 0 })
  local path = folder.at "added.safetensors"
  model:save(path)
  local loaded = nn.load_model(path)
  expect.equal(loaded(x):totable(), model(x):totable())
  expect.equal(#loaded:get_weights(), #model:get_weights())
end)

expect.case("initial weights count inputs and results of the equation", function()
  lt.random.set_seed(1)
  local layer = nn.EinsumDense("abc,chd->abhd", { -1, 8, 100 })
  layer:ensure_built { 2, 300 }
  local limit = math.sqrt(6 / (300 + 800))
  local largest = lt.abs(layer.kernel):max():item()
  expect.equal(largest <= limit and largest > 0.99 * limit, true, "glorot_uniform: " .. largest)
  local square = nn.EinsumDense("abc,cd->abd", { -1, 3 }, { kernel_initializer = "orthogonal" })
  square:ensure_built { 2, 3 }
  expect.close(lt.matmul(square.kernel, square.kernel, { transpose_a = true }):flatten():totable(), { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 1e-5)
end)

expect.case("masks of the inputs reach GroupQueryAttention", function()
  local x = lt.constant { { { 1.0, 2.0 }, { 3.0, -1.0 }, { 0.0, 0.0 } } }
  local attention = nn.GroupQueryAttention(2, 2, 1)
  local masked = attention({ nn.Masking()(x), nn.Masking()(x) }, { return_attention_scores = true })[2]
  expect.equal(masked[{ 1, 1, 1, 3 }]:item(), 0)
  local by_hand = attention({ x, x }, { value_mask = { { true, true, false } }, return_attention_scores = true })[2]
  expect.close(masked[{ 1, 1, { 1, 2 } }]:flatten():totable(), by_hand[{ 1, 1, { 1, 2 } }]:flatten():totable(), 1e-6)
  local dropped = nn.GroupQueryAttention(2, 2, 1, { dropout = 1 })({ x, x }, true)
  expect.equal(dropped:flatten():totable(), { 0, 0, 0, 0, 0, 0 })
end)

expect.case("mistakes", function()
  local E, G, S = nn.EinsumDense, nn.GroupQueryAttention, nn.SpectralNormalization
  local x = lt.ones { 2, 3, 4 }
  for says, f in pairs {
    ['EinsumDense: equation is "abc", expected letters of input, kernel and result'] = function() E("abc", 3) end,
    ["EinsumDense: equation is 3, expected a string"] = function() E(3, 3) end,
    ['EinsumDense: equation is "abb,bc->ac", and the input has the letter b twice'] = function() E("abb,bc->ac", 3) end,
    ['and the kernel has the letter d, which neither input nor result has'] = function() E("ab,bcd->ac", 3) end,
    ['and the result has the letter e, which neither input nor kernel has'] = function() E("ab,b->ae", 3) end,
    ["EinsumDense: bias_axes has z, expected letters of the result, ac"] = function() E("ab,bc->ac", 3, { bias_axes = "z" }) end,
    ["EinsumDense: output_shape is nil, expected a list of sizes"] = function() E "ab,bc->ac" end,
    ["its input has the shape (batch, 3, 4), expected 2 axes, those of ab,bc->ac"] = function() E("ab,bc->ac", 3)(x) end,
    ["output_shape is (3,), expected a size for each of the result's axes without the batch and the ellipsis, 2"] = function()
      E("abc,cd->abd", 3)(x)
    end,
    ["output_shape has 5 for b, and its input (batch, 3, 4) has 3"] = function() E("abc,cd->abd", { 5, 3 })(x) end,
    ["its weight 'kernel' depends on an input size that is not fixed"] = function() E("abc,cd->abd", { 3, -1 })(x) end,
    ["GroupQueryAttention: num_query_heads is 3, expected a multiple of num_key_value_heads, 2"] = function() G(2, 3, 2) end,
    ["GroupQueryAttention: num_key_value_heads is nil, expected a whole number, 1 or more"] = function() G(2, 3) end,
    ["GroupQueryAttention: sliding_window is 0, expected a whole number, 1 or more"] = function() G(2, 2, 2, { sliding_window = 0 }) end,
    ["query has the shape (batch, 4), expected (batch, steps, features)"] = function() G(2, 2, 2)(lt.ones { 2, 4 }) end,
    ["value has 5 steps and key 6, expected as many"] = function() G(2, 2, 2) { x, lt.ones { 2, 5, 4 }, lt.ones { 2, 6, 4 } } end,
    ["attention_mask has the shape (7,), expected"] = function() G(2, 2, 2)(x, { attention_mask = lt.ones { 7 } }) end,
    ["unknown option 'causal'"] = function() G(2, 2, 2)(x, { causal = true }) end,
    ['regularizers.OrthogonalRegularizer: mode is "row", which is not known'] = function()
      nn.regularizers.OrthogonalRegularizer { mode = "row" }
    end,
    ["regularizers.OrthogonalRegularizer: the weight has the shape (2,), expected two axes"] = function()
      nn.regularizers.OrthogonalRegularizer()(lt.ones { 2 })
    end,
    ["SpectralNormalization: layer is 3, expected a layer"] = function() S(3) end,
    ["SpectralNormalization: power_iterations is 0, expected a whole number, 1 or more"] = function()
      S(nn.Dense(2), { power_iterations = 0 })
    end,
    ["a Flatten, has no weight named kernel or embeddings"] = function() S(nn.Flatten())(x) end,
  } do
    expect.raises("InvalidArgument", says, f)
  end
end)

expect.end_of_cases()
