-- Common mistakes in training: shapes between layers, labels, weights of rows, custom losses. Each error names the
-- layer or the expected value, and the model can be used afterwards.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end
local function compiled(model, loss, metrics) return model:compile { optimizer = "sgd", loss = loss or "mse", metrics = metrics or {} } end
local function classifier(loss, metrics)
  return compiled(nn.Sequential { nn.Dense(3, { activation = "softmax", input_shape = { 2 } }) }, loss, metrics)
end
local function fit(model, x, y, given)
  given = given or {}
  given.verbose = 0
  return model:fit(x, y, given)
end
local x = lt.ones { 2, 2 }

expect.case("shapes that do not go together name the layer, when a model is put together", function()
  local dense = nn.Dense(3, { input_shape = { 4 } })
  refused("layer 'c': its input has the shape (3,), expected (height, width, channels)", nn.Sequential, { dense, nn.Conv2D(2, 3, { name = "c" }) })
  refused("layer 'd': its input is a list of 3, {(batch, 3), (batch, 3), (batch, 3)}, expected one of them", nn.Sequential,
    { nn.LSTM(3, { return_state = true, input_shape = { 4, 2 } }), nn.Dense(1, { name = "d" }) })
  local Mine = nn.Layer:extend "Mine"
  function Mine:call(rows) return rows:matmul(lt.ones { 9, 2 }) end
  refused("layer 'mine': matmul: a (1, 3) and b (9, 2) do not match", nn.Sequential, { nn.Dense(3, { input_shape = { 4 } }), Mine() })
  refused("layer 'plus': its inputs have the shapes (2,) and (3,), expected one shape", function()
    return nn.Add { name = "plus" } { nn.Input { 2 }, nn.Input { 3 } }
  end)
end)

expect.case("and when it computes, however deep the layer lies", function()
  local alone = nn.Dense(3, { name = "alone" })
  alone(lt.ones { 2, 3 })
  refused("layer 'alone': linear: x (2, 4) and w (3, 3) do not match", alone, lt.ones { 2, 4 })
  local input = nn.Input({ 2 }, { name = "rows" })
  local graph = compiled(nn.Model { inputs = input, outputs = nn.Dense(1, { name = "d" })(input), name = "graph" })
  for _, method in ipairs { "fit", "evaluate", "train_on_batch", "test_on_batch" } do
    refused("layer 'graph': the input 'rows' has the shape (3, 5), expected (batch, 2)", graph[method], graph, lt.ones { 3, 5 }, lt.ones { 3, 1 })
  end
  refused("layer 'graph': the input 'rows' has the shape (3, 5), expected (batch, 2)", graph.predict, graph, lt.ones { 3, 5 })
  -- A model of one's own is named where it is to blame, and not a layer that it called before.
  local Own = nn.Model:extend "Own"
  function Own:init() self.first, self.second = nn.Dense(3, { name = "first" }), nn.Sequential { nn.Dense(4, { name = "second" }) } end
  function Own:call(rows) return self.second(self.first(rows)):matmul(rows) end
  refused("layer 'own': matmul: a (2, 4) and b (2, 2) do not match", fit, compiled(Own()), x, x)
  refused("layer 'outer': matmul: a (1, 4) and b (1, 2) do not match", fit, compiled(nn.Sequential { (function()
    local own = Own()
    rawset(own, "name", "outer")
    return own
  end)() }), x, x)
  local ids = compiled(nn.Sequential { nn.Embedding(5, 2, { name = "words", input_shape = { 2 } }), nn.Flatten(), nn.Dense(1) })
  refused("layer 'words': embedding: id 0; ids count from 1", fit, ids, lt.constant { { 0, 1 } }, lt.ones { 1, 1 })
  refused("layer 'words': embedding: ids is float32, expected an integer", fit, ids, lt.constant { { 0.5, 1.0 } }, lt.ones { 1, 1 })
end)

expect.case("labels of a wrong kind or shape", function()
  local sparse = "sparse_categorical_crossentropy"
  refused("cross_entropy: labels is float32, expected an integer", fit, classifier(sparse), x, lt.constant { 1.0, 2.0 })
  refused('labels is bool, expected an integer; cast it first: labels:cast("int32")', fit, classifier(sparse), x, lt.constant { true, false })
  refused("labels (2, 3) and logits (2, 3) do not match: expected a label for each row of logits, (2,)", fit, classifier(sparse), x,
    lt.one_hot({ 1, 2 }, 3, { dtype = "int32" }):cast "int32")
  refused("for classes' numbers there is sparse_categorical_crossentropy", fit, classifier "categorical_crossentropy", x, lt.constant { 1, 2 })
  refused("categorical_crossentropy: labels (2, 4) and predictions (2, 3) do not match: expected one shape", fit,
    classifier "categorical_crossentropy", x, lt.ones { 2, 4 })
  for _, loss in ipairs { "mse", "mae", "huber", "binary_crossentropy" } do
    refused(loss .. ": labels (2, 1) and predictions (2, 3) do not match: expected one shape", fit, classifier(loss), x, lt.ones { 2, 1 })
    refused(loss .. ": labels (2,) and predictions (2, 3) do not match: expected one shape", fit, classifier(loss), x, lt.ones { 2 })
  end
  refused("accuracy: labels (2, 3, 1) and predictions (2, 3) do not match", function()
    local metric = nn.metrics.SparseCategoricalAccuracy()
    metric:update_state(lt.ones { 2, 3, 1 }, lt.ones { 2, 3 })
  end)
end)

expect.case("labels out of range", function()
  local sparse = "sparse_categorical_crossentropy"
  refused("cross_entropy: label 0; labels count from 1", fit, classifier(sparse), x, lt.constant { 0, 1 })
  for _, label in ipairs { 4, -1 } do
    expect.raises("OutOfRange", ("cross_entropy: label %d is not there: there are 3 classes"):format(label), fit, classifier(sparse), x,
      lt.constant { 1, label })
  end
  -- On a GPU, by the first who reads what came of it.
  local text = expect.program([[
    local model = lt.nn.Sequential { lt.nn.Dense(3, {activation = "softmax", input_shape = {2}}) }
    model:compile {loss = "sparse_categorical_crossentropy"}
    print(select(2, pcall(model.fit, model, lt.ones {2, 2}, lt.constant {1, 4}, {verbose = 0})).message)
  ]], "--sim-gpus 1")
  assert(text:find("label 4 is not there: there are 3 classes", 1, true), text)
  local words = "labels are from 1 to 2, and binary_crossentropy takes those of 0 to 1; for classes' numbers there is sparse"
  local two = nn.Sequential { nn.Dense(1, { activation = "sigmoid", input_shape = { 2 } }) }
  compiled(two, "binary_crossentropy")
  refused("fit: " .. words, fit, two, x, lt.constant { 1, 2 })
  refused("evaluate: " .. words, two.evaluate, two, x, lt.constant { 1, 2 })
  refused("train_on_batch: " .. words, two.train_on_batch, two, x, lt.constant { 1, 2 })
  refused("test_on_batch: " .. words, two.test_on_batch, two, x, lt.constant { 1, 2 })
  local batches = lt.data.Dataset.from_tensor_slices(lt.ones { 4, 2 }, lt.constant { 0, 1, 1, 2 }):batch(2)
  refused("fit: " .. words, two.fit, two, batches, { verbose = 0 })
  refused("fit: validation_data: " .. words, fit, two, x, lt.constant { 0, 1 }, { validation_data = batches })
  refused("fit: validation_data: " .. words, fit, two, x, lt.constant { 0, 1 }, { validation_data = { x, lt.constant { 1, 2 } } })
  fit(two, x, lt.constant { true, false })
  fit(two, x, lt.constant { 0.25, 1.0 })
  local input = nn.Input { 2 }
  local several = compiled(nn.Model { inputs = input, outputs = { nn.Dense(1, { name = "a" })(input), nn.Dense(1, { name = "b" })(input) } },
    { "mse", "binary_crossentropy" })
  refused("fit: output 'b': " .. words, fit, several, x, { lt.ones { 2 }, lt.constant { 1, 2 } })
end)

expect.case("weights of rows and of classes", function()
  refused("mean_squared_error: sample_weight has the shape (2, 2), and there are losses of the shape (2,): expected a number for each row",
    fit, classifier "mse", x, lt.ones { 2, 3 }, { sample_weight = lt.ones { 2, 2 } })
  refused("fit: x has 2 rows and sample_weight 3", fit, classifier "mse", x, lt.ones { 2, 3 }, { sample_weight = { 1, 2, 3 } })
  refused("fit: class_weight is for classes' numbers, which count from 1, and y has 0", fit, classifier "mse", x, lt.constant { 0, 1 },
    { class_weight = { 2 } })
end)

expect.case("losses of one's own", function()
  refused("the loss function gives nil, expected a tensor: one number per row, or their mean", fit, classifier(function() end), x, x)
  refused("the loss function gives 3, expected a tensor", fit, classifier(function() return 3 end), x, x)
  refused("gradient: target is int64, expected a float or complex dtype", fit, classifier(function(_, p) return lt.cast(p, "int32"):sum() end), x, x)
  refused("none of the variables has a gradient: the loss depends on none of them", fit, classifier(function(y) return y:sum() end), x, x)
end)

expect.case("a batch larger than the data is all of it, for whoever asks", function()
  local model = classifier "mse"
  local y = lt.ones { 2, 3 }
  expect.equal(fit(model, x, y, { batch_size = 1000, validation_split = 0.5, validation_batch_size = 1000 }).params.steps, 1)
  expect.equal(model:evaluate(x, y, { verbose = 0, batch_size = 1000 }), model:evaluate(x, y, { verbose = 0, batch_size = 2 }))
  expect.equal(#model:predict(x, { batch_size = 1000 }), 2)
  refused("fit: the dataset has no elements", model.fit, model,
    lt.data.Dataset.from_tensor_slices({ x, y }):batch(10, { drop_remainder = true }), { verbose = 0 })
end)

expect.case("arguments of another kind than is wanted", function()
  local model = classifier "mse"
  local y = lt.ones { 2, 3 }
  local function told(given) return pcall(model.fit, model, x, y, given) end
  for words, given in pairs {
    ['fit: verbose is "loud", expected "auto", 0, 1 or 2'] = { verbose = "loud" }, ["fit: verbose is 7"] = { verbose = 7 },
    ["fit: shuffle is 3, expected true or false"] = { shuffle = 3, verbose = 0 },
    ['fit: seed is "a", expected a whole number'] = { seed = "a", verbose = 0 },
  } do
    local ok, err = told(given)
    assert(not ok and err.message:find(words, 1, true), tostring(err))
  end
  refused("fit: y has the name 'verbose', expected labels", model.fit, model, x, { verbose = 0 })
  -- Classes where objects are wanted.
  refused("compile: loss is a class, expected an object: call it, as in nn.losses.MeanSquaredError()", model.compile, model,
    { loss = nn.losses.MeanSquaredError })
  refused("compile: optimizer is a class, expected an object: call it, as in optim.SGD()", model.compile, model, { loss = "mse", optimizer = lt.optim.SGD })
  refused("compile: metrics[1] is a class, expected an object: call it, as in nn.metrics.AUC()", model.compile, model,
    { loss = "mse", metrics = { nn.metrics.AUC } })
  refused("Sequential: layer 1 is a class, expected an object: call it, as in nn.Dense()", nn.Sequential, { nn.Dense })
  refused("Model: inputs is a tensor, expected a result of lt.nn.Input or of a layer", nn.Model, { inputs = x, outputs = x })
  -- Layers that are called with nothing, and that give nothing.
  refused("layer 'empty': its input is nil, expected a tensor", nn.Dense(3, { name = "empty" }))
  refused("layer 'empty': its input is \"x\", expected a tensor", nn.Dense(3, { name = "empty" }), "x")
  local Silent = nn.Model:extend "Silent"
  function Silent:init() self.inner = nn.Dense(1) end
  function Silent:call(rows) self.inner(rows) end
  refused("its call gives nothing, expected a tensor", fit, compiled(Silent()), x, x)
  -- What layers are made with.
  refused("Dense: name is 3, expected a string", nn.Dense, 1, { name = 3 })
  refused("layer 'd': kernel_initializer gives the shape (3,), expected (2, 3)", nn.Dense(3, { name = "d", kernel_initializer = function()
    return lt.ones { 3 }
  end }), x)
  refused("layer 'd': kernel_initializer gives nil, expected a tensor of shape (2, 3)", nn.Dense(3, { name = "d", kernel_initializer = function() end }), x)
  refused("Conv2D: groups is 0", nn.Conv2D, 1, 2, { groups = 0 })
  refused("Reshape: target_shape has -1 more than once", nn.Reshape, { -1, -1 })
  refused('Reshape: target_shape[1] is "a"', nn.Reshape, { "a" })
  refused("Activation: activation is nil", nn.Activation)
  refused('BatchNorm: epsilon is "a", expected a number of 0 or more', nn.BatchNorm, { epsilon = "a" })
  refused("BatchNorm: momentum is 2, expected a number of 0 to 1", nn.BatchNorm, { momentum = 2 })
  refused("Concatenate: axis is 0, expected a number from 1", nn.Concatenate, { axis = 0 })
  refused("layer 'j': axis 9 is not there: its inputs have the shape (batch, 3)", nn.Concatenate { axis = 9, name = "j" }, { nn.Input { 3 }, nn.Input { 3 } })
  refused("a layer of a graph keeps their number", nn.Concatenate { axis = 1 }, { nn.Input { 3 }, nn.Input { 3 } })
end)

-- TerminateOnNaN names the layer in graphs and in models of one's own, however deep it lies.
expect.case("a loss that is nan is traced to its layer", function()
  local Root = nn.Layer:extend "Root"
  function Root:call(rows) return rows:sqrt() end
  local Inner = nn.Model:extend "Inner"
  function Inner:init() self.first, self.root = nn.Dense(2, { kernel_initializer = "identity" }), Root() end
  function Inner:call(rows) return self.root(self.first(rows)) end
  local input = nn.Input { 2 }
  local root = Root()
  for _, each in ipairs {
    { nn.Model { inputs = input, outputs = nn.Dense(2)(root(nn.Activation "linear"(input))) }, root.name },
    { nn.Sequential { Inner(), nn.Dense(2) } }, { Inner() },
  } do
    local model = compiled(each[1])
    local nan = nn.callbacks.TerminateOnNaN()
    local rows = lt.constant { { 1.0, 4.0 }, { -1.0, 4.0 } }
    fit(model, rows, rows, { batch_size = 1, shuffle = false, callbacks = { nan } })
    expect.equal(nan.step, 2)
    assert(nan.layer and nan.layer:find "^root", nan.layer)
    expect.equal(rawget(root, "call"), nil, "the layer is as it was")
  end
end)

expect.case("a model goes on after all that", function()
  local model = classifier "sparse_categorical_crossentropy"
  pcall(fit, model, lt.ones { 2, 5 }, lt.constant { 1, 2 })
  pcall(fit, model, x, lt.constant { 1, 9 })
  local losses = fit(model, x, lt.constant { 1, 1 }, { epochs = 50 }).history.loss
  assert(losses[50] < losses[1], losses[50])
end)

expect.case("options of the wrong type are refused where they are given", function()
  local sequence = nn.GRU(2)
  for words, make in pairs {
    ["Dense: name is 5, expected a string"] = function() nn.Dense(2, { name = 5 }) end,
    ["Dense: use_bias is 1, expected true or false"] = function() nn.Dense(2, { use_bias = 1 }) end,
    ["Dropout: seed is 2.5, expected a whole number"] = function() nn.Dropout(0.5, { seed = 2.5 }) end,
    ['Conv2D: groups is "x", expected a whole number, 1 or more'] = function() nn.Conv2D(2, 2, { groups = "x" }) end,
    ["Conv2D: padding is 1, expected a string"] = function() nn.Conv2D(2, 2, { padding = 1 }) end,
    ["Conv2D: filters is a table, expected a whole number, 1 or more; arguments go by their order, only options have names: "
      .. "write Conv2D(4, ...)"] = function() nn.Conv2D { filters = 4, kernel_size = 3 } end,
    ["Dense: units is a table, expected a whole number, 1 or more; arguments go by their order"] = function() nn.Dense { units = 5 } end,
    ["Conv2D: kernel_size is nil, expected one number or two"] = function() nn.Conv2D(4) end,
    ["BatchNorm: momentum is 2, expected a number of 0 to 1"] = function() nn.BatchNorm { momentum = 2 } end,
    ['LayerNorm: epsilon is "x", expected a number of 0 or more'] = function() nn.LayerNorm { epsilon = "x" } end,
    ["Bidirectional: merge_mode is 3, expected a string"] = function() nn.Bidirectional(sequence, { merge_mode = 3 }) end,
    ['losses.BinaryCrossentropy: label_smoothing is "x", expected a number of 0 to 1'] = function()
      nn.losses.BinaryCrossentropy { label_smoothing = "x" }
    end,
    ["losses.CategoricalCrossentropy: from_logits is 1, expected true or false"] = function()
      nn.losses.categorical_crossentropy(x, x, { from_logits = 1 })
    end,
    ["losses.Huber: delta is 0, expected a number above 0"] = function() nn.losses.Huber { delta = 0 } end,
    ["losses.Huber: reduction is 5, expected a string"] = function() nn.losses.Huber { reduction = 5 } end,
    ["metrics.BinaryCrossentropy: label_smoothing is 2, expected a number of 0 to 1"] = function()
      nn.metrics.BinaryCrossentropy { label_smoothing = 2 }
    end,
    ['initializers.Constant: value is "x", expected a number'] = function() nn.initializers.Constant { value = "x" } end,
    ["initializers.RandomNormal: stddev is -1, expected a number of 0 or more"] = function() nn.initializers.RandomNormal { stddev = -1 } end,
    ["initializers.VarianceScaling: scale is 0, expected a number above 0"] = function() nn.initializers.VarianceScaling { scale = 0 } end,
    ['initializers.VarianceScaling: mode is "fan", which is not known'] = function() nn.initializers.VarianceScaling { mode = "fan" } end,
    ["initializers.VarianceScaling: distribution is false, expected a string"] = function()
      nn.initializers.VarianceScaling { distribution = false }
    end,
    ["train_on_batch: x is 3, expected a tensor"] = function() classifier("mse"):train_on_batch(3, x) end,
  } do
    refused(words, make)
  end
end)

expect.case("weights of another shape are refused, and then none is taken", function()
  local function initial(f) return nn.Dense(3, { name = "d", kernel_initializer = f }) end
  expect.equal(initial(function() return { { 1, 1, 1 }, { 2, 2, 2 } } end)(x):totable()[1], { 3, 3, 3 })
  local model = nn.Sequential { nn.Dense(2, { input_shape = { 1 }, kernel_initializer = "ones" }), nn.Dense(1) }
  local weights = model:get_weights()
  weights[1], weights[4] = lt.zeros { 1, 2 }, lt.ones { 9 }
  refused("assign: value has the shape (9,), and the variable", model.set_weights, model, weights)
  weights[4] = lt.ones({ 1 }, { dtype = "float64" })
  refused("assign: value is float64, which the variable", model.set_weights, model, weights)
  expect.equal(model:get_weights()[1]:totable(), { { 1, 1 } })
  model:set_weights { lt.ones({ 1, 2 }, { dtype = "int32" }), 1, { { 2 }, { 3 } }, { 4 } }
  expect.equal(model({ { 1 } }):item(), 14)
end)

expect.case("a Sequential that has changed since it was compiled does not train a part of itself in silence", function()
  local model = compiled(nn.Sequential { nn.Dense(2, { name = "a", input_shape = { 2 } }) })
  fit(model, x, lt.ones { 2, 2 })
  model:add(nn.Dense(1, { name = "b", kernel_initializer = "ones" }))
  expect.raises("FailedPrecondition", "make a new optimizer for them", fit, model, x, lt.zeros { 2, 1 })
  compiled(model)
  fit(model, x, lt.fill({ 2, 1 }, 5.0))
  assert(not lt.all(model:get_layer("b"):get_weights()[1]:eq(1)):item(), "b has not been trained")
  expect.equal({ model:pop().name, #model.layers, model(x).shape[2] }, { "b", 1, 2 })
  refused("get_layer: 'sequential", model.get_layer, model, "b")
  expect.equal(model:get_layer(1), model:get_layer "a")
  refused("it has no layer 2: expected a name or a number of 1 to 1", model.get_layer, model, 2)
  model:pop()
  refused("it has no layers to remove", model.pop, model)
end)

expect.case("of a long word errors quote the beginning", function()
  local long = ("x"):rep(1 << 20)
  local input = nn.Input { 3 }
  local model = nn.Model { inputs = input, outputs = nn.Dense(1)(input) }
  model:compile { loss = "mse" }
  local rows = lt.ones { 2, 3 }
  for what, f in pairs {
    ["an option"] = function() nn.Dense(1, { [long] = 1 }) end,
    ["an option of a call"] = function() nn.Dense(1)(rows, { [long] = 1 }) end,
    ["a name of an activation"] = function() nn.Dense(1, { activation = long }) end,
    ["a layer"] = function() model:get_layer(long) end,
    ["an input"] = function() model { [long] = rows } end,
    ["a name of labels"] = function() model:fit(rows, { [long] = lt.ones { 2, 1 } }, { verbose = 0 }) end,
    ["a number to watch"] = function()
      model:fit(rows, lt.ones { 2, 1 }, { verbose = 0, callbacks = { nn.callbacks.EarlyStopping { monitor = long, mode = "min" } } })
    end,
    ["an option of an optimizer"] = function() lt.optim.SGD { [long] = 1 } end,
    ["an option of a dataset"] = function() lt.data.Dataset.from_tensor_slices(rows):batch(2, { [long] = 1 }) end,
  } do
    local err = refused("x" .. "...", f)
    assert(#err.message < 800, what .. ": " .. #err.message)
  end
end)

expect.case("a field may have the name of what layers have inside", function()
  local Net = nn.Model:extend "Net"
  function Net:init()
    self.named = {}
    self.dense = nn.Dense(1, { name = "inner" })
  end
  function Net:call(rows) return self.dense(rows) end
  local net = Net()
  expect.equal({ net(x).shape[2], #net:trainable_variables(), net:get_layer("inner").units }, { 1, 2, 1 })
end)

expect.end_of_cases()
