-- Functions that are written with ops, against PyTorch's results and gradients (make_functions_reference.py); blocks of
-- attention, dtypes, devices, refused calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)
lt.config.set_memory_limit("CPU:0", 4096)

local function noise(seed, shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local i = lt.range(size, { dtype = "int64" })
  return (((i + 17) * (i + 31 * seed + 7) * 7919) % 65521):float64():reshape(shape) / 32760.5 - 1
end
local function call_of(text) return load("local lt, noise, a, b, c = ... return lt." .. text) end

expect.case("PyTorch's results and gradients", function()
  for _, case in ipairs(dofile "tests/support/golden/functions_reference.lua") do
    local text, shapes, shape, wanted, slopes = table.unpack(case)
    local xs = {}
    for i, each in ipairs(shapes) do xs[i] = noise(i, each) end
    local tape <close> = lt.GradientTape()
    tape:watch(xs)
    local y = call_of(text)(lt, noise, table.unpack(xs))
    expect.equal({ table.unpack(y.shape) }, shape, text)
    expect.close(y:flatten():totable(), wanted, 1e-8, text)
    for i, slope in ipairs(tape:gradient((y * noise(50, shape)):sum(), xs)) do
      expect.close(slope:flatten():totable(), slopes[i], 1e-8, text .. ", gradient " .. i)
    end
  end
end)

expect.case("on a GPU, in float32 and in halves", function()
  for _, case in ipairs(dofile "tests/support/golden/functions_reference.lua") do
    local text, shapes, _, wanted = table.unpack(case)
    for dtype, tolerance in pairs { float32 = 3e-5, float16 = 4e-2 } do
      local scope <close> = lt.device("/GPU:0")
      local xs = {}
      for i, each in ipairs(shapes) do xs[i] = noise(i, each):cast(dtype) end
      if not text:find "ctc" or dtype == "float32" then
        local y = call_of(text)(lt, function(...) return noise(...):cast(dtype) end, table.unpack(xs))
        expect.equal(y.dtype, dtype, text)
        expect.close(y:float64():flatten():totable(), wanted, tolerance * (text:find "ctc" and 10 or 1), text .. ", " .. dtype)
      end
    end
  end
end)

expect.case("attention in blocks is the same, also its gradients", function()
  local function both(rows, columns, given)
    local q, k, v = noise(1, { 2, rows, 8 }), noise(2, { 2, columns, 8 }), noise(3, { 2, columns, 6 })
    local function exact(a, b, c)
      local scores = lt.matmul(a, b, { transpose_b = true }) * (given.scale or 1 / math.sqrt(8))
      if given.mask then scores = lt.where(given.mask, scores, -1e300) end
      if given.is_causal then
        scores = lt.where(lt.range(rows):reshape { rows, 1 }:ge(lt.range(columns):reshape { 1, columns }), scores, -1e300)
      end
      return lt.matmul(lt.softmax(scores, -1), c)
    end
    local results = {}
    for i, f in ipairs { exact, function(a, b, c) return lt.scaled_dot_product_attention(a, b, c, given) end } do
      local tape <close> = lt.GradientTape()
      tape:watch { q, k, v }
      local y = f(q, k, v)
      results[i] = { y, table.unpack(tape:gradient((y * noise(5, { 2, rows, 6 })):sum(), { q, k, v })) }
    end
    for i = 1, 4 do
      expect.close(lt.abs(results[1][i] - results[2][i]):max():item(), 0, 1e-9, ("%d x %d, %d"):format(rows, columns, i))
    end
  end
  both(1100, 1000, {})
  both(200, 200, { is_causal = true })
  both(129, 300, { is_causal = true })
  both(300, 129, { is_causal = true, mask = lt.logical_or(noise(7, { 1, 1, 129 }):gt(0), lt.range(129):eq(0)) })
  both(1030, 1030, { is_causal = true })
  both(900, 1300, { mask = noise(7, { 1, 900, 1300 }):gt(0), scale = 0.2 })
  both(1300, 900, { mask = lt.logical_or(noise(7, { 2, 1, 900 }):gt(0), lt.range(900):eq(0)), is_causal = true })
end)

expect.case("memory: never all scores", function()
  local q = lt.random.normal { 1, 1, 4096, 16 }
  lt.config.reset_memory_stats "CPU:0"
  local before = lt.config.get_memory_info("CPU:0").current
  local y = lt.scaled_dot_product_attention(q, q, q)
  local most = lt.config.get_memory_info("CPU:0").peak - before
  assert(most < 4096 * 4096 * 4 / 2, most)
  expect.equal({ table.unpack(y.shape) }, { 1, 1, 4096, 16 })
end)

expect.case("queries that see nothing, and samples of categories", function()
  local x = lt.ones { 2, 3 }
  local y = lt.scaled_dot_product_attention(x, x, x, { mask = { { true, false }, { false, false } } })
  expect.equal(y:totable(), { { 1, 1, 1 }, { 0, 0, 0 } })
  lt.random.set_seed(1)
  local logits = lt.log(lt.constant { 0.2, 0.5, 0.3 })
  local counts = lt.gumbel_softmax(lt.broadcast_to(logits, { 20000, 3 }), { hard = true }):mean(1)
  expect.close(counts, { 0.2, 0.5, 0.3 }, 0.02)
  expect.close(lt.gumbel_softmax(lt.zeros { 3, 4 }, { axis = 1 }):sum(1), { 1, 1, 1, 1 }, 1e-5)
  local hard = lt.gumbel_softmax(lt.zeros { 3, 4 }, { axis = 1, hard = true, seed = 2 })
  expect.equal(hard:bytes(), lt.gumbel_softmax(lt.zeros { 3, 4 }, { axis = 1, hard = true, seed = 2 }):bytes())
  expect.close(hard:sum(1), { 1, 1, 1, 1 }, 1e-6)
end)

expect.case("blocks of channels as TensorFlow has them", function()
  -- tf.nn.depth_to_space's own examples.
  expect.equal(lt.depth_to_space({ { { { 1, 2, 3, 4 } } } }, 2):totable(), { { { { 1 }, { 2 } }, { { 3 }, { 4 } } } })
  expect.equal(lt.depth_to_space({ { { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } } } }, 2):totable(),
    { { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 7, 8, 9 }, { 10, 11, 12 } } } })
  local x = noise(3, { 2, 4, 6, 3 })
  expect.equal(lt.depth_to_space(lt.space_to_depth(x, 2), 2):bytes(), x:bytes())
end)

expect.case("what is refused", function()
  local x = lt.ones { 1, 4, 4, 4 }
  local function refused(words, name, ...) expect.raises("InvalidArgument", words, lt[name], ...) end
  refused("query (2, 3), key (2, 4) and value (2, 4) do not match", "scaled_dot_product_attention", lt.ones { 2, 3 }, lt.ones { 2, 4 }, lt.ones { 2, 4 })
  refused("mask has the shape (3, 3), which does not broadcast to (2, 2)", "scaled_dot_product_attention", lt.ones { 2, 3 }, lt.ones { 2, 3 },
    lt.ones { 2, 3 }, { mask = lt.ones { 3, 3 } })
  refused("mask is int32, expected bool", "scaled_dot_product_attention", lt.ones { 2, 3 }, lt.ones { 2, 3 }, lt.ones { 2, 3 }, { mask = { { 1, 2 } } })
  refused("unknown option 'causal'; there are is_causal, mask, scale", "scaled_dot_product_attention", x, x, x, { causal = true })
  refused("query is nil, expected a tensor", "scaled_dot_product_attention")
  refused("conv1d: x has the shape (1, 4, 4, 4), expected (batch, steps, channels)", "conv1d", x, x)
  refused("conv1d: padding is \"full\"", "conv1d", lt.ones { 1, 4, 4 }, lt.ones { 2, 4, 4 }, { padding = "full" })
  refused("conv3d: the window has 5 elements along the depth, more than the 4 of x", "conv3d", lt.ones { 1, 4, 4, 4, 1 }, lt.ones { 5, 1, 1, 1, 1 })
  refused("conv3d: stride is a table, expected a number or a list of 3", "conv3d", lt.ones { 1, 4, 4, 4, 1 }, lt.ones { 1, 1, 1, 1, 1 }, { stride = { 1, 2 } })
  refused("max_pool3d: size is nil", "max_pool3d", lt.ones { 1, 4, 4, 4, 1 })
  refused("adaptive_avg_pool2d: size[2] is 0", "adaptive_avg_pool2d", x, { 1, 0 })
  refused("unfold: the window has 5 elements along the height", "unfold", x, { 5, 1 })
  refused("fold: patches have the shape (1, 4, 4, 4), expected (1, 3, 3, a multiple of 4)", "fold", x, 4, 2)
  refused("pixel_shuffle: 4 channels are no multiple of block_size^2, 9", "pixel_shuffle", x, 3)
  refused("space_to_depth: an image of 4 x 4 is no multiple of block_size, 3", "space_to_depth", x, 3)
  refused("group_norm: 4 channels cannot be divided into 3 groups", "group_norm", x, 3)
  refused("instance_norm: scale has 3 elements, and x 4 channels", "instance_norm", x, lt.ones { 3 })
  refused("gumbel_softmax: tau is 0", "gumbel_softmax", { 1.0 }, { tau = 0 })
  refused("kl_div: input has the shape (2,) and target (3,)", "kl_div", lt.ones { 2 }, lt.ones { 3 })
  refused("nll_loss: input has the shape (1, 4, 4, 4)", "nll_loss", x, { 1 })
  refused("ctc_loss: label_length[1] is 3, expected a whole number of 0 to 2", "ctc_loss", { { 2, 2 } }, lt.ones { 1, 4, 3 }, { 3 }, { 4 })
  refused("ctc_loss: labels are from 2 to 9, and there are 3 classes", "ctc_loss", { { 2, 9 } }, lt.ones { 1, 4, 3 }, { 2 }, { 4 })
end)

expect.case("sizes out of range", function()
  local x, volume = lt.ones { 1, 4, 4, 4 }, lt.ones { 1, 2, 2, 2, 1 }
  local w = lt.ones { 2, 1, 1, 1, 1 }
  local function refused(words, name, ...) expect.raises("InvalidArgument", words, lt[name], ...) end
  for _, name in ipairs { "depth_to_space", "pixel_shuffle", "space_to_depth", "pixel_unshuffle" } do
    refused(name .. ": block_size is 4294967296, expected at most 2147483647", name, x, 1 << 32)
  end
  refused("unfold: dilation[1] is 9223372036854775807, expected at most", "unfold", x, 2, { dilation = math.maxinteger })
  refused("unfold: padding[1] is 4611686018427387904, expected at most", "unfold", x, 2, { padding = 1 << 62 })
  refused("conv3d: dilation[1] is 9223372036854775807, expected at most", "conv3d", volume, w, { dilation = math.maxinteger })
  refused("conv3d: padding[1] is 4611686018427387904, expected at most", "conv3d", volume, w, { padding = 1 << 62 })
  refused("adaptive_avg_pool2d: size[1] is 1099511627776, expected at most", "adaptive_avg_pool2d", x, 1 << 40)
  refused("conv1d: x: ", "conv1d", { a = 1 }, w)
end)

-- Element i is of floor(i n / count) to ceil((i + 1) n / count), as PyTorch cuts an axis.
expect.case("adaptive pools with more parts than elements", function()
  local x = lt.constant { { { 1.0 }, { 2.0 }, { 4.0 } } }
  expect.equal(lt.adaptive_avg_pool1d(x, 5):flatten():totable(), { 1.0, 1.5, 2.0, 3.0, 4.0 })
  expect.equal(lt.adaptive_max_pool1d(x, 5):flatten():totable(), { 1.0, 2.0, 2.0, 4.0, 4.0 })
  expect.equal(lt.adaptive_max_pool1d(x, 6):flatten():totable(), { 1.0, 1.0, 2.0, 2.0, 4.0, 4.0 })
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  expect.equal(tape:gradient(lt.adaptive_max_pool1d(x, 5):sum(), x):flatten():totable(), { 1.0, 2.0, 2.0 })
end)

expect.case("results that do not fit in memory fail at once", function()
  local function refused(name, ...) expect.raises("ResourceExhausted", name .. ": out of memory", lt[name], ...) end
  refused("mirror_pad", { 1, 2 }, { { 1e9, 1e9 } })
  refused("adaptive_avg_pool1d", lt.ones { 1, 3, 1 }, (1 << 31) - 1)
  refused("adaptive_max_pool2d", lt.ones { 1, 3, 3, 1 }, (1 << 31) - 1)
end)

expect.case("what stands for a tensor", function()
  -- Tensors, numbers, booleans, tables of them, and shapes, in functions of all files.
  local shape = lt.ones({ 4, 2 }).shape
  expect.equal(lt.union1d(shape, 3):totable(), { 2, 3, 4 })
  expect.equal(lt.intersect1d({ true, false }, true):totable(), { true })
  expect.equal(lt.segment_sum(shape, { 1, 1 }):totable(), { 6 })
  expect.equal(lt.meshgrid(shape, 5):totable(), { { 4, 2 } })
  expect.equal(lt.mirror_pad(shape, { { 1, 0 } }):totable(), { 2, 4, 2 })
  expect.equal(lt.frame(shape, 1, 1):totable(), { { 4 }, { 2 } })
  expect.close(lt.rms_norm(shape), lt.rms_norm({ 4, 2 }):totable(), 0)
  expect.close(lt.kl_div(-1.0, 0.5), lt.kl_div(lt.constant(-1.0), lt.constant(0.5)):item(), 0)
  expect.equal(lt.random.choice({ 7 }, { 2 }, { p = lt.ones({ 1 }).shape }):totable(), { 7, 7 })
  expect.close(lt.distributions.Normal(shape, 1):log_prob(shape), { -0.918938533, -0.918938533 }, 1e-6)
  expect.close(lt.nn.losses.mae(shape, { 3, 3 }), 1, 1e-6)
  local refuses = { lt.union1d, lt.segment_sum, lt.meshgrid, lt.mirror_pad, lt.rms_norm, lt.kl_div, lt.conv1d, lt.image.flip_up_down }
  for _, f in ipairs(refuses) do
    for _, value in ipairs { "a", print, lt.nn.Dense(1), coroutine.create(print) } do
      expect.raises("InvalidArgument", "expected a tensor", f, value, { 1 })
    end
  end
end)

expect.case("shrinking activations and losses of pairs: limits and mistakes", function()
  local nan, inf = 0 / 0, math.huge
  expect.equal(lt.softshrink({ -inf, nan, inf, 0.5 }):totable(), { -inf, nan, inf, 0 })
  expect.equal(lt.hardshrink({ -inf, nan, inf, 0.5 }):totable(), { -inf, nan, inf, 0 })
  expect.equal(lt.threshold({ nan, 1 }, 1, 5):totable(), { nan, 5 })
  expect.equal(lt.sparsemax({ { 3.0, 3.0, 0.0 }, { 9.0, 1.0, 2.0 } }):totable(), { { 0.5, 0.5, 0 }, { 1, 0, 0 } })
  assert(lt.sparsemax({ nan, 1.0 }):isnan():any():item())
  -- Keras' words for layers.
  for word, f in pairs { hard_tanh = lt.hardtanh, hard_shrink = lt.hardshrink, soft_shrink = lt.softshrink,
    tanh_shrink = lt.tanhshrink, squareplus = lt.squareplus, sparse_plus = lt.sparse_plus, sparse_sigmoid = lt.sparse_sigmoid,
    sparsemax = lt.sparsemax, glu = lt.glu } do
    local x = noise(1, { 3, 4 }):float32() * 2
    expect.equal(lt.nn.Activation(word)(x):totable(), f(x):totable(), word)
  end
  local function refuses(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refuses("hardtanh: min is 2 and max is 1, expected min below max", lt.hardtanh, { 1 }, { min = 2 })
  refuses("softshrink: threshold is -1, expected a number of 0 or more", lt.softshrink, { 1 }, -1)
  refuses("hardshrink: unknown option 'lambd'", lt.hardshrink, { 1 }, { lambd = 1 })
  refuses("threshold: value is nil, expected a number", lt.threshold, { 1 }, 1)
  refuses("sparsemax: x is a scalar, which has no axis", lt.sparsemax, 1)
  refuses("squareplus: x is bool, expected a number", lt.squareplus, { true })
  refuses('triplet_margin_loss: reduction is "avg", which is not known', lt.triplet_margin_loss, { 1 }, { 1 }, { 1 }, { reduction = "avg" })
  refuses("cosine_embedding_loss: a is a scalar, expected vectors", lt.cosine_embedding_loss, 1, 1, 1)
  refuses("gaussian_nll_loss: variance is nil", lt.gaussian_nll_loss, { 1 }, { 1 })
  refuses("margin_ranking_loss: ", lt.margin_ranking_loss, { 1, 2 }, { 1, 2, 3 }, 1)
end)

expect.end_of_cases()
