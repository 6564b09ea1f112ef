-- Layers, initialisers, losses and metrics: values worked out by hand or with NumPy, shapes, names, and refused
-- arguments.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function close(got, wanted, what) expect.close(got, wanted, 2e-6, what) end

-- Layers.
do
  local x = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 } }
  local dense = nn.Dense(3, { activation = "relu", kernel_initializer = function(shape) return lt.ones(shape) - 2 * lt.eye(2, 3) end,
    bias_initializer = nn.initializers.Constant { value = 0.5 } })
  close(dense(x), { { 1.5, 0, 3.5 }, { 1.5, 0, 7.5 } }, "dense")
  expect.equal(dense.kernel.shape, lt.zeros({ 2, 3 }).shape)
  expect.equal(dense:count_params(), 9)
  expect.equal(#nn.Dense(3, { use_bias = false }):variables(), 0, "weights before a shape is known")
  close(nn.Dense(1, { use_bias = false, kernel_initializer = "ones" })(x), { { 3 }, { 7 } }, "no bias")
  expect.equal(nn.Flatten()(lt.zeros { 2, 3, 4 }).shape[2], 12)
  expect.equal(tostring(nn.Reshape { 2, -1 }(lt.zeros { 5, 6 }).shape), "(5, 2, 3)")
  close(nn.Activation "tanh"(lt.constant { { 1.0 } }), { { 0.7615941559 } }, "activation")
  close(nn.Add()({ x, x, x }), { { 3, 6 }, { 9, 12 } }, "add")
  close(nn.Multiply()({ x, x }), { { 1, 4 }, { 9, 16 } }, "multiply")
  close(nn.Concatenate()({ x, x }), { { 1, 2, 1, 2 }, { 3, 4, 3, 4 } }, "concatenate")
  -- Dropout is still outside training, keeps the mean in it, and follows its seed.
  local ones = lt.ones { 4000 }
  close(nn.Dropout(0.5)(ones), ones:totable(), "dropout outside training")
  local dropped = nn.Dropout(0.25, { seed = 7 })(ones, true)
  close((lt.unique(dropped)), { 0, 4 / 3 }, "dropout's values")
  assert(math.abs(dropped:mean():item() - 1) < 0.05, "dropout's mean")
  lt.random.set_seed(1)
  dropped = nn.Dropout(0.25, { seed = 7 })(ones, true)
  lt.random.set_seed(2)
  assert(lt.all(nn.Dropout(0.25, { seed = 7 })(ones, true):eq(dropped)):item(), "dropout's seed")
end

-- Names: given, or the kind's with a number. Weights: in the order in which fields were set, each once.
do
  local Two = nn.Model:extend "TwoLayers"
  function Two:init()
    self.second = nn.Dense(1, { name = "b" })
    self.list = { nn.Dense(2, { name = "a" }) }
    self.again = self.second
    self.fixed = self:add_weight { name = "fixed", shape = {}, initializer = "ones", trainable = false }
  end
  function Two:call(x) return self.second(self.list[1](x)) * self.fixed end
  local one, two = Two(), Two()
  assert(one.name:match("^two_layers") and two.name == "two_layers_1", two.name)
  expect.equal(one(lt.ones { 1, 3 }).shape[2], 1)
  local names = {}
  for i, v in ipairs(one:variables()) do names[i] = v.name end
  expect.equal(names, { "b/kernel", "b/bias", "a/kernel", "a/bias", one.name .. "/fixed" })
  expect.equal({ #one:trainable_variables(), #one:non_trainable_variables() }, { 4, 1 })
  one.second.trainable = false
  expect.equal({ #one:trainable_variables(), #one:non_trainable_variables() }, { 2, 3 })
  local before = one:get_weights()
  two(lt.ones { 1, 3 })
  two:set_weights(before)
  close(two:get_weights()[3], before[3]:totable(), "set_weights")
  expect.raises("InvalidArgument", "set_weights: values is a list of 1, expected a list of 5 tensors", two.set_weights, two, { 1 })
end

-- A graph of two inputs and a layer used twice.
do
  local a, b = nn.Input({ 2 }, { name = "a" }), nn.Input { 2 }
  local shared = nn.Dense(2, { kernel_initializer = "identity" })
  local model = nn.Model { inputs = { a, b }, outputs = nn.Add() { shared(a), nn.Activation("relu")(shared(b)) } }
  close(model { lt.constant { { 1.0, -1.0 } }, lt.constant { { -5.0, 5.0 } } }, { { 1, 4 } }, "graph")
  expect.equal(#model:variables(), 2)
  expect.raises("InvalidArgument", "the outputs depend on the input 'a', which is not among inputs", nn.Model,
    { inputs = b, outputs = shared(a) })
  expect.raises("InvalidArgument", "Model: inputs[2] is 'a', which is among inputs already", nn.Model,
    { inputs = { a, a }, outputs = shared(a) })
  expect.raises("InvalidArgument", "Model: inputs is an empty list, expected results of lt.nn.Input", nn.Model,
    { inputs = {}, outputs = shared(a) })
  local lines = {}
  model:summary { print_fn = function(line) lines[#lines + 1] = line end }
  assert(lines[4]:match("^ a %(Input%) +%(batch, 2%) +0$"), lines[4])
  assert(lines[#lines - 2]:match("Total parameters: 6 %(24 B%)$"), lines[#lines - 2])
  -- Several outputs: a list of them.
  local both = nn.Model { inputs = a, outputs = { shared(a), a } }
  expect.equal(#both:predict(lt.ones { 5, 2 }, { batch_size = 2 }), 2)
  expect.equal(both:predict(lt.ones { 5, 2 }, { batch_size = 2 })[2].shape[1], 5)
end

-- Initialisers: limits and spreads from their definitions.
do
  local i = nn.initializers
  local shape = { 200, 300 }
  local function spread(init) return lt.std(init(shape)):item(), lt.max(lt.abs(init(shape))):item() end
  for _, case in ipairs {
    { i.GlorotUniform(), math.sqrt(2 / 500), math.sqrt(6 / 500) }, { i.HeUniform(), math.sqrt(2 / 200), math.sqrt(6 / 200) },
    { i.LecunUniform(), math.sqrt(1 / 200), math.sqrt(3 / 200) }, { i.RandomUniform(), 0.1 / math.sqrt(12), 0.05 },
    { i.GlorotNormal(), math.sqrt(2 / 500), 2 * math.sqrt(2 / 500) / 0.87962566 },
    { i.HeNormal(), math.sqrt(2 / 200), 2 * math.sqrt(2 / 200) / 0.87962566 },
    { i.LecunNormal(), math.sqrt(1 / 200), 2 * math.sqrt(1 / 200) / 0.87962566 },
    { i.TruncatedNormal { stddev = 1 }, 0.87962566, 2 }, { i.RandomNormal(), 0.05, 0.3 },
    { i.VarianceScaling { scale = 3, mode = "fan_out", distribution = "uniform" }, 0.1, math.sqrt(3 * 0.01) },
  } do
    local deviation, most = spread(case[1])
    assert(math.abs(deviation / case[2] - 1) < 0.02, case[1].__name .. ": deviation " .. deviation .. ", expected " .. case[2])
    assert(most <= case[3] * 1.0001 and most > case[3] * 0.6, case[1].__name .. ": at most " .. most)
  end
  assert(lt.all(i.GlorotUniform { seed = 5 }(shape):eq(i.GlorotUniform { seed = 5 }(shape))):item(), "a seed")
  local q = i.Orthogonal()({ 4, 6 })
  assert(lt.max(lt.abs(q:matmul(q, { transpose_b = true }) - lt.eye(4))):item() < 1e-5, "orthogonal")
  expect.equal(i.Identity { gain = 2 }({ 2, 3 }):totable(), { { 2, 0, 0 }, { 0, 2, 0 } })
  expect.raises("InvalidArgument", "layer 'Dense': kernel_initializer is", function()
    nn.Dense(1, { kernel_initializer = "glorot", name = "Dense" })(lt.ones { 1, 1 })
  end)
end

-- Losses, a number a row and one for all, by NumPy.
do
  local p = lt.constant { { 0.1, 0.2, 0.7 }, { 0.5, 0.25, 0.25 } }
  local l = nn.losses
  close(l.mse({ { 1.0, 2.0 } }, lt.constant { { 2.0, 4.0 } }), { 2.5 }, "mse")
  close(l.mae(lt.constant { { 1.0, 2.0 } }, lt.constant { { 2.0, 4.0 } }), { 1.5 }, "mae")
  close(l.huber(lt.constant { { 0.0, 0.0, 0.0 } }, lt.constant { { 0.5, -2.0, 1.0 } }), { (0.125 + 1.5 + 0.5) / 3 }, "huber")
  close(l.Huber { delta = 0.5 }(lt.constant { { 0.0 } }, lt.constant { { 2.0 } }), 0.875, "huber's delta")
  close(l.sparse_categorical_crossentropy(lt.constant { 3, 1 }, p), { 0.35667494, 0.69314718 }, "sparse")
  close(l.categorical_crossentropy(lt.constant { { 0.0, 0.0, 1.0 }, { 0.5, 0.5, 0.0 } }, p * 2), { 0.35667494, 1.03972077 }, "categorical")
  close(l.CategoricalCrossentropy { label_smoothing = 0.3 }(lt.constant { { 0.0, 0.0, 1.0 }, { 1.0, 0.0, 0.0 } }, p), 0.75415948, "smoothed")
  local z = lt.constant { { 2.0, -1.0 }, { 0.0, 300.0 } }
  close(l.binary_crossentropy(lt.constant { { 1, 0 }, { 1, 1 } }, z, { from_logits = true }),
    { (0.12692801 + 0.31326169) / 2, 0.69314718 / 2 }, "binary logits")
  close(l.binary_crossentropy(lt.constant { { 1.0 }, { 0.0 } }, lt.constant { { 0.8 }, { 1.0 } }), { 0.22314355, 15.942385 },
    "binary, in float32, where 1 - 1e-7 is 1 - 2^-23")
  close(l.SparseCategoricalCrossentropy { from_logits = true }(lt.constant { 1, 2 }, lt.constant { { 0.0, 0.0 }, { 0.0, 2.0 } }),
    (0.69314718 + 0.12692801) / 2, "sparse logits")
  close(l.MeanSquaredError { reduction = "sum" }(lt.zeros { 3, 2 }, lt.ones { 3, 2 }), 3, "sum")
  close(l.MeanSquaredError { reduction = "none" }(lt.zeros { 3, 2 }, lt.ones { 3, 2 }), { 1, 1, 1 }, "none")
  close(l.MeanSquaredError()(lt.zeros { 2, 1 }, lt.ones { 2, 1 }, lt.constant { 0.5, 1.0 }), 0.75, "weighted")
  close(l.MeanSquaredError()(lt.zeros { 2 }, lt.ones { 2, 1 }), 1, "labels without the axis of one")
end

-- Metrics, over batches of different sizes.
do
  local m = nn.metrics
  local function told(metric, ...)
    for _, batch in ipairs { ... } do metric:update_state(table.unpack(batch, 1, 3)) end
    return metric:result()
  end
  close(told(m.MeanSquaredError(), { lt.zeros { 3, 1 }, lt.ones { 3, 1 } }, { lt.zeros { 1, 1 }, lt.constant { { 3.0 } } }), 3, "mse")
  close(told(m.RootMeanSquaredError(), { lt.zeros { 2, 1 }, lt.fill({ 2, 1 }, 3.0) }), 3, "rmse")
  close(told(m.MeanAbsoluteError(), { lt.zeros { 2, 1 }, lt.constant { { 1.0 }, { -3.0 } }, lt.constant { 3.0, 1.0 } }), 1.5, "mae")
  local p = lt.constant { { 0.1, 0.2, 0.7 }, { 0.5, 0.25, 0.25 }, { 0.2, 0.5, 0.3 } }
  close(told(m.Accuracy(), { lt.constant { 3, 2, 2 }, p }), 2 / 3, "sparse accuracy")
  close(told(m.Accuracy(), { lt.one_hot({ 3, 2, 2 }, 3), p }), 2 / 3, "categorical accuracy")
  close(told(m.Accuracy(), { lt.constant { { 1 }, { 0 }, { 1 } }, lt.constant { { 0.6 }, { 0.5 }, { 0.2 } } }), 2 / 3, "binary accuracy")
  close(told(m.SparseTopKCategoricalAccuracy { k = 2 }, { lt.constant { 3, 1, 1 }, p }), 2 / 3, "top k")
  close(told(m.TopKCategoricalAccuracy { k = 2 }, { lt.one_hot({ 1, 3, 3 }, 3), p }), 2 / 3, "top k of distributions")
  -- Three of the four pairs of a positive and a negative row are in order.
  local labels, scores = lt.constant { 0, 0, 1, 1 }, lt.constant { 0.1, 0.4, 0.35, 0.8 }
  close(told(m.AUC(), { labels, scores }), 0.75, "auc")
  close(told(m.AUC(), { labels[{ { 1, 2 } }], scores[{ { 1, 2 } }] }, { labels[{ { 3, 4 } }], scores[{ { 3, 4 } }] }), 0.75, "auc in batches")
  close(told(m.AUC(), { labels, lt.constant { 0.0, 0.0, 1.0, 1.0 } }), 1, "auc of what is right")
  close(told(m.AUC(), { labels, lt.fill({ 4 }, 0.5) }), 0.5, "auc of a coin")
  -- In float32, as Keras' thresholds are: 0.3 lies on the one that 0.35 is above.
  close(told(m.AUC { num_thresholds = 11 }, { { 0, 1 }, { 0.3, 0.35 } }), 1, "auc of what lies on a threshold")
  -- Keras' own examples.
  local said, seen = { 0, 1, 1, 1 }, { 1, 0, 1, 1 }
  close(told(m.Precision(), { said, seen }), 2 / 3, "precision")
  close(told(m.Precision(), { said, seen, { 0, 0, 1, 0 } }), 1, "weighted precision")
  close(told(m.Precision(), { said, { 0, 0, 0, 0 } }), 0, "precision where nothing was said")
  close(told(m.Recall(), { said, seen }), 2 / 3, "recall")
  close(told(m.Recall(), { { 1, 0, 1 }, { 0.4, 0.9, 0.2 } }, { { 1 }, { 0.8 } }), 1 / 3, "recall in batches")
  close(told(m.Recall { thresholds = 0.3 }, { { 1, 0, 1 }, { 0.4, 0.9, 0.2 } }), 0.5, "recall's threshold")
  close(told(m.BinaryCrossentropy(), { { { 0, 1 }, { 0, 0 } }, { { 0.6, 0.4 }, { 0.4, 0.6 } } }), 0.81492424, "binary crossentropy")
  close(told(m.CategoricalCrossentropy(), { { { 0, 1, 0 }, { 0, 0, 1 } }, { { 0.05, 0.95, 0.0 }, { 0.1, 0.8, 0.1 } } }), 1.1769392,
    "categorical crossentropy")
  close(told(m.SparseCategoricalCrossentropy(), { { 2, 3 }, { { 0.05, 0.95, 0.0 }, { 0.1, 0.8, 0.1 } } }), 1.1769392,
    "sparse categorical crossentropy")
end

-- Numbers and tables of them are taken as tensors; other values are refused.
do
  local l, m = nn.losses, nn.metrics
  local y, p = { { 1.0, 2.0 }, { 3.0, 4.0 } }, { { 2.0, 4.0 }, { 3.0, 3.0 } }
  close(l.mse(y, p), { 2.5, 0.5 }, "rows")
  close(l.MeanSquaredError()(y, p, { 1.0, 2.0 }), 1.75, "weights in a table")
  close(l.MeanSquaredError()(y, p, 2), 3, "one weight")
  close(l.SparseCategoricalCrossentropy()({ 1 }, { { 0.5, 0.5 } }), 0.69314718, "classes")
  local mean, accuracy = m.Mean(), m.Accuracy()
  mean:update_state({ 1, 2, 3 }, { 1, 0, 1 })
  mean:update_state(5, 2)
  close(mean:result(), 3.5, "mean")
  accuracy:update_state({ 1, 2 }, { { 0.5, 0.4 }, { 0.2, 0.1 } }, { 1, 3 })
  close(accuracy:result(), 0.25, "accuracy")
  expect.raises("InvalidArgument", "mean_squared_error: y_true: ", l.mse, { a = 1 }, y)
  expect.raises("InvalidArgument", "mean_squared_error: y_pred is nil, expected a tensor or numbers", l.mse, y)
  expect.raises("InvalidArgument", 'mean_squared_error: y_true is "a", expected a tensor or numbers', l.MeanSquaredError(), "a", p)
  expect.raises("InvalidArgument", "sample_weight is true, expected a tensor or numbers", l.MeanSquaredError(), y, p, true)
  expect.raises("InvalidArgument", "auc: y_true is nil, expected a tensor or numbers", m.AUC.update_state, m.AUC())
end

-- A model that learns classes no straight line separates, and reports its accuracy.
do
  lt.random.set_seed(2)
  local x, y = lt.constant { { 0.0, 0.0 }, { 0.0, 1.0 }, { 1.0, 0.0 }, { 1.0, 1.0 } }, lt.constant { 1, 2, 2, 1 }
  local model = nn.Sequential { nn.Dense(16, { activation = "tanh", input_shape = { 2 } }), nn.Dense(2, { activation = "softmax" }) }
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.05 }, loss = "sparse_categorical_crossentropy", metrics = { "accuracy", "top_k" } }
  local history = model:fit(x, y, { epochs = 200, verbose = 0 }).history
  expect.equal(history.accuracy[200], 1)
  expect.equal(history.top_k[1], 1)
  assert(history.loss[200] < 0.05 and history.loss[200] < history.loss[1])
  local loss, accuracy = model:evaluate(x, y, { verbose = 0 })
  assert(loss <= history.loss[200] and accuracy == 1)
  expect.equal(model:evaluate(x, y, { verbose = 0, return_dict = true }).accuracy, 1)
end

-- Refused calls with their messages, which name the layer.
do
  local function model(...)
    local made = nn.Sequential { ... }
    made:compile { optimizer = "sgd", loss = "mse" }
    return made
  end
  local function refused(words, made, x, y)
    expect.raises("InvalidArgument", words, made.fit, made, x, y, { verbose = 0 })
  end
  local chain = model(nn.Dense(4, { name = "hidden", input_shape = { 3 } }), nn.Dense(1, { name = "out" }))
  refused("layer 'hidden': linear: x (2, 5) and w (3, 4) do not match", chain, lt.ones { 2, 5 }, lt.ones { 2, 1 })
  expect.raises("InvalidArgument", "layer 'hidden': linear: x (2, 5)", chain, lt.ones { 2, 5 })
  expect.raises("InvalidArgument", "layer 'hidden': linear: x (2, 5)", chain.predict, chain, lt.ones { 2, 5 })
  chain:fit(lt.ones { 2, 3 }, lt.ones { 2, 1 }, { verbose = 0 })
  refused("mse: labels (2, 3) and predictions (2, 2)", model(nn.Dense(2, { input_shape = { 3 } })), lt.ones { 2, 3 }, lt.ones { 2, 3 })
  expect.raises("InvalidArgument", "layer 'odd': its input has the shape (5,) and 5 elements per row, which do not fit (2, -1)",
    nn.Sequential, { nn.Dense(5, { input_shape = { 3 } }), nn.Reshape({ 2, -1 }, { name = "odd" }) })
  refused("fit: x has 3 rows and y 2", chain, lt.ones { 3, 3 }, lt.ones { 2, 1 })
  refused("fit: x is a scalar, expected rows", chain, lt.constant(1.0), lt.ones { 2, 1 })
  refused("fit: x is 1, expected a tensor or a table of numbers", chain, 1, lt.ones { 2, 1 })
  refused("fit: x has no rows", chain, lt.ones { 0, 3 }, lt.ones { 0, 1 })
  local classifier = nn.Sequential { nn.Dense(3, { activation = "softmax", input_shape = { 2 } }) }
  classifier:compile { optimizer = "adam", loss = "sparse_categorical_crossentropy" }
  local x = lt.ones { 2, 2 }
  refused("cross_entropy: labels is float32, expected an integer", classifier, x, lt.constant { 1.0, 2.0 })
  refused("label 0", classifier, x, lt.constant { 0, 1 })
  expect.raises("OutOfRange", "label 4", classifier.fit, classifier, x, lt.constant { 1, 4 }, { verbose = 0 })
  expect.raises("FailedPrecondition", "is not compiled: call model:compile", nn.Sequential().fit, nn.Sequential(), x, x)
  expect.raises("InvalidArgument", 'loss is "mes", which is not known (did you mean \'mse\'?)', classifier.compile, classifier, { loss = "mes" })
  expect.raises("InvalidArgument", 'optimizer is "adm"', classifier.compile, classifier, { loss = "mse", optimizer = "adm" })
  expect.raises("InvalidArgument", 'metrics[1] is "acuracy"', classifier.compile, classifier, { loss = "mse", metrics = { "acuracy" } })
  expect.raises("InvalidArgument", "compile: loss is missing", classifier.compile, classifier, { optimizer = "sgd" })
  expect.raises("InvalidArgument", "fit: unknown option 'epoch' (did you mean 'epochs'?)", chain.fit, chain, x, x, { epoch = 3 })
  expect.raises("InvalidArgument", "fit: batch_size is 0, expected a whole number, 1 or more", chain.fit, chain, x, x, { batch_size = 0 })
  expect.raises("InvalidArgument", "validation_split 0.9 of 2 rows leaves 0 to train on and 2 to validate with", chain.fit,
    chain, lt.ones { 2, 3 }, lt.ones { 2, 1 }, { validation_split = 0.9 })
  expect.raises("InvalidArgument", "Dense: units is 0, expected a whole number, 1 or more", nn.Dense, 0)
  expect.raises("InvalidArgument", 'Dense: activation is "rellu", which is not known (did you mean \'relu\'?)', nn.Dense, 1, { activation = "rellu" })
  expect.raises("InvalidArgument", "Sequential: layer 2 is 3, expected a layer", nn.Sequential, { nn.Dense(1), 3 })
  local inner = nn.Sequential { nn.Dense(3, { input_shape = { 2 } }) }
  for _, layer in ipairs { inner, nn.Sequential { inner } } do
    expect.raises("InvalidArgument", "it cannot be a layer of itself", inner.add, inner, layer)
  end
  expect.equal(#inner.layers, 1)
  expect.raises("InvalidArgument", "Dropout: rate is 1.5, expected a number of 0 to 1", nn.Dropout, 1.5)
  local Empty = nn.Layer:extend "Empty"
  expect.raises("InvalidArgument", "the class Empty has no call method", Empty(), x)
end

-- A model's call takes the option `training` as a layer's does, and weights are in Keras' order.
do
  local model = nn.Sequential { nn.BatchNorm { input_shape = { 2 } }, nn.Dropout(0.5) }
  local x = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 } }
  assert((model(x, { training = false }) - x / (1 + 1e-3) ^ 0.5):abs():max():item() < 1e-6, "told in a table")
  expect.equal(model.layers[1].moving_mean:totable(), { 0, 0 }, "not trained")
  expect.raises("InvalidArgument", ": unknown option 'trainin' (did you mean 'training'?)", model, x, { trainin = true })
  for _, layer in ipairs { nn.BatchNorm(), nn.LayerNorm() } do
    layer(x)
    local names = {}
    for i, variable in ipairs(layer:trainable_variables()) do names[i] = variable.name:match("[^/]+$") end
    expect.equal(names, { "gamma", "beta" })
  end
end
