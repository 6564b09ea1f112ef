-- Models with several outputs: a loss, its weight, metrics and labels for each, in lists and by name; refused
-- arguments.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function close(got, wanted, what) expect.close(got, wanted, 2e-6, what) end

-- Two outputs of one input: `twice` begins as the sum of a row's two numbers, `kind` as three equal classes.
local function two_outputs()
  local x = nn.Input { 2 }
  return nn.Model { inputs = x, outputs = {
    nn.Dense(1, { name = "twice", kernel_initializer = "ones" })(x),
    nn.Dense(3, { name = "kind", kernel_initializer = "zeros", activation = "softmax" })(x),
  } }
end

local x = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 }, { 5.0, 6.0 } }
local twice, kind = lt.constant { { 4.0 }, { 7.0 }, { 13.0 } }, lt.constant { 1, 3, 1 }
-- By hand: errors 1, 0, 2 give a mean square of 5/3; three equal classes cost log 3.
local mse, entropy = 5 / 3, math.log(3)

expect.case("a loss is the weighted sum of the outputs' losses", function()
  for _, form in ipairs {
    { loss = { "mse", "sparse_categorical_crossentropy" }, weights = { 0.5, 2 }, y = { twice, kind } },
    { loss = { kind = "sparse_categorical_crossentropy", twice = nn.losses.MeanSquaredError() }, weights = { kind = 2, twice = 0.5 },
      y = { kind = kind, twice = twice } },
  } do
    local model = two_outputs()
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.01 }, loss = form.loss, loss_weights = form.weights,
      metrics = { twice = { "mae" }, kind = "accuracy" } }
    expect.equal(model.metric_names, { "loss", "twice_loss", "kind_loss", "twice_mae", "kind_accuracy" })
    local told = model:evaluate(x, form.y, { verbose = 0, batch_size = 2, return_dict = true })
    close(told.loss, 0.5 * mse + 2 * entropy, "loss")
    close(told.twice_loss, mse, "twice_loss")
    close(told.kind_loss, entropy, "kind_loss")
    close(told.twice_mae, 1, "twice_mae")
    close(told.kind_accuracy, 2 / 3, "kind_accuracy")
    expect.equal({ model:test_on_batch(x, form.y) }, { model:evaluate(x, form.y, { verbose = 0 }) })
    -- One step on all rows: the gradient of 0.5 mse by the kernel is the mean of error times row.
    local values = { model:train_on_batch(x, form.y) }
    close(values[1], 0.5 * mse + 2 * entropy, "train_on_batch")
    local kernel = model:get_weights()[1]:flatten():totable()
    close(kernel[1], 1 + 0.01 * (1 * 1 + 2 * 5) / 3, "kernel[1]")
    close(kernel[2], 1 + 0.01 * (1 * 2 + 2 * 6) / 3, "kernel[2]")
  end
end)

expect.case("one loss is every output's; fit tells of each", function()
  local model = two_outputs()
  model:compile { optimizer = "adam", loss = "mse" }
  local y = { twice, lt.one_hot(kind, 3) }
  local history = model:fit(x, y, { epochs = 2, batch_size = 2, verbose = 0, validation_data = { x, y } }).history
  for _, name in ipairs { "loss", "twice_loss", "kind_loss", "val_loss", "val_twice_loss", "val_kind_loss" } do
    expect.equal(#history[name], 2, name)
  end
  for epoch = 1, 2 do close(history.loss[epoch], history.twice_loss[epoch] + history.kind_loss[epoch], "their sum") end
  expect.equal(#model:fit(x, y, { verbose = 0, validation_split = 0.4 }).history.val_kind_loss, 1)
  local text = expect.program([[
    local nn, x = lt.nn, lt.nn.Input {1}
    local model = nn.Model {inputs = x, outputs = {nn.Dense(1, {name = "a"})(x), nn.Dense(1, {name = "b"})(x)}}
    model:compile {loss = "mae", metrics = {b = "mse"}}
    model:fit(lt.ones {4, 1}, {a = lt.ones {4, 1}, b = lt.ones {4, 1}}, {verbose = 2})
  ]])
  assert(text:find(" %- loss: [%d.e-]+ %- a_loss: [%d.e-]+ %- b_loss: [%d.e-]+ %- b_mse: [%d.e-]+\n"), text)
end)

expect.case("rows weigh as is said for all outputs, or for each", function()
  local model = two_outputs()
  model:compile { loss = { twice = "mse", kind = "sparse_categorical_crossentropy" } }
  local y = { twice, kind }
  local weight = lt.constant { 3.0, 1.0, 0.0 }
  local function told(given)
    given.verbose, given.return_dict = 0, true
    return model:evaluate(x, y, given)
  end
  local all, one = told { sample_weight = weight }, told { sample_weight = { twice = weight } }
  close(all.twice_loss, 3 * 1 / 3, "all: twice")
  close(all.kind_loss, entropy * 4 / 3, "all: kind")
  close(one.twice_loss, 1, "each: twice")
  close(one.kind_loss, entropy, "each: kind")
  close(told({ sample_weight = { 3.0, 1.0, 0.0 } }).loss, all.loss, "numbers")
end)

expect.case("classes of an output weigh as is said for it", function()
  local model = two_outputs()
  model:compile { optimizer = "sgd", loss = { twice = "mse", kind = "sparse_categorical_crossentropy" }, weighted_metrics = { kind = "accuracy" } }
  local y, names = { twice, kind }, table.concat(model.metric_names, " ")
  expect.equal(names, "loss twice_loss kind_loss kind_accuracy")
  local function told(given)
    given.verbose, given.return_dict = 0, true
    local logs = model:evaluate(x, y, given)
    return { logs.twice_loss, logs.kind_loss }
  end
  local by_row = lt.gather(lt.constant { 2.0, 0.5, 7.0 }, kind)
  local wanted = told { sample_weight = { kind = by_row } }
  local classes = { [1] = 2.0, [2] = 0.5, [3] = 7.0 }
  expect.equal(told { class_weight = { kind = classes } }, wanted, "by name")
  expect.equal(told { class_weight = { false, classes } }, wanted, "as a list")
  local both = told { class_weight = { kind = classes }, sample_weight = lt.constant { 3.0, 1.0, 0.0 } }
  expect.equal(both, told { sample_weight = { lt.constant { 3.0, 1.0, 0.0 }, by_row * lt.constant { 3.0, 1.0, 0.0 } } }, "beside weights of rows")
  local batches = lt.data.Dataset.from_tensor_slices(x, y):batch(2)
  local logs = model:evaluate(batches, { class_weight = { kind = classes }, verbose = 0, return_dict = true })
  close(logs.kind_loss, wanted[2], "of a dataset")
  expect.raises("InvalidArgument", "class_weight has 'knd', which is no output (did you mean 'kind'?)", model.fit, model, x, y, { class_weight = { knd = classes } })
  expect.raises("InvalidArgument", "output 'kind': class_weight holds 0 = 2", model.fit, model, x, y, { class_weight = { kind = { [0] = 2 } } })
end)

expect.case("the one output of a model may be named, too", function()
  local input = nn.Input { 2 }
  for _, model in ipairs {
    nn.Model { inputs = input, outputs = nn.Dense(1, { name = "only", kernel_initializer = "ones" })(input) },
    nn.Sequential { nn.Dense(1, { name = "only", kernel_initializer = "ones", input_shape = { 2 } }) },
  } do
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0 }, loss = { only = "mse" } }
    local weight = lt.constant { 3.0, 1.0, 0.0 }
    close(model:evaluate(x, { only = twice }, { verbose = 0 }), mse)
    close(model:evaluate(x, { only = twice }, { verbose = 0, sample_weight = { only = weight } }), 1)
    close((model:train_on_batch(x, { only = twice })), mse)
    close(model:fit(x, { only = twice }, { verbose = 0, validation_data = { x, { only = twice } } }).history.val_loss[1], mse)
    expect.raises("InvalidArgument", "y has the name 'onyl', expected labels", model.fit, model, x, { onyl = twice }, { verbose = 0 })
  end
end)

expect.case("an output may have no loss, and then needs no labels", function()
  local model = two_outputs()
  model:compile { optimizer = "sgd", loss = { twice = "mse" } }
  expect.equal(model.metric_names, { "loss", "twice_loss" })
  local before = model:get_weights()
  model:fit(x, { twice = twice }, { verbose = 0, batch_size = 2 })
  local after = model:get_weights()
  assert(lt.all(after[3]:eq(before[3])):item() and not lt.all(after[1]:eq(before[1])):item(), "weights of an output without a loss")
  close(model:evaluate(x, { twice, false }, { verbose = 0 }), model:evaluate(x, { twice, kind }, { verbose = 0 }), "labels not looked at")
end)

expect.case("a model of one's own gives a list", function()
  local Pair = nn.Model:extend "Pair"
  function Pair:init() self.a, self.b = nn.Dense(1, { kernel_initializer = "ones" }), nn.Dense(1, { kernel_initializer = "zeros" }) end
  function Pair:call(rows) return { self.a(rows), self.b(rows) } end
  local model = Pair()
  model:compile { loss = { "mse", "mae" }, metrics = { {}, { "mse" } } }
  expect.equal(model.metric_names, { "loss", "output_1_loss", "output_2_loss", "output_2_mse" })
  local told = model:evaluate(x, { twice, twice }, { verbose = 0, return_dict = true })
  close(told.loss, mse + 8, "loss")
  close(told.output_2_mse, (16 + 49 + 169) / 3, "mse")
  local one = Pair()
  one:compile { loss = "mse" }
  expect.raises("InvalidArgument", "gives 2 outputs, and compile has one loss: expected a list of them", one.fit, one, x, twice, { verbose = 0 })
  expect.raises("InvalidArgument", "have none: expected a list", one.compile, one, { loss = { a = "mse", b = "mse" } })
end)

expect.case("a list or a table may name the loss of one output", function()
  local input = nn.Input { 2 }
  local model = nn.Model { inputs = input, outputs = nn.Dense(1, { name = "only", kernel_initializer = "ones" })(input) }
  for _, loss in ipairs { "mse", { "mse" }, { only = "mse" } } do
    close(model:compile({ loss = loss }):evaluate(x, twice, { verbose = 0 }), mse)
  end
  expect.raises("InvalidArgument", "loss_weights are for models of several outputs", model.compile, model, { loss = "mse", loss_weights = { 1 } })
end)

expect.case("datasets give labels in lists and by name", function()
  local model = two_outputs()
  model:compile { loss = { twice = "mse", kind = "sparse_categorical_crossentropy" } }
  local wanted = model:evaluate(x, { twice, kind }, { verbose = 0 })
  for _, y in ipairs { { twice, kind }, { twice = twice, kind = kind } } do
    local rows = lt.data.Dataset.from_tensor_slices({ x, y }):batch(2)
    close(model:evaluate(rows, { verbose = 0 }), wanted, "a dataset")
  end
end)

expect.case("what does not fit is refused, by the output's name", function()
  local model = two_outputs()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, model, ...) end
  refused("compile: loss is a list of 3, and the model has 2 outputs: twice, kind", model.compile, { loss = { "mse", "mse", "mse" } })
  refused("compile: loss has 'twise', which is no output (did you mean 'twice'?)", model.compile, { loss = { twise = "mse" } })
  refused("compile: metrics is a list of 1, and the model has 2 outputs", model.compile, { loss = "mse", metrics = { "mae" } })
  refused("compile: metrics of 'kind': metrics[1] is \"acc2\"", model.compile, { loss = "mse", metrics = { {}, { "acc2" } } })
  refused("compile: the loss weight of 'kind' is \"1\", expected a number", model.compile, { loss = "mse", loss_weights = { 1, "1" } })
  refused("compile: no output has a loss", model.compile, { loss = { false, false } })
  model:compile { loss = { "mse", "sparse_categorical_crossentropy" } }
  refused("fit: y is a tensor, and the model has 2 outputs: expected a list, or a table by name", model.fit, x, twice)
  refused("fit: y is a list of 1, and the model has 2 outputs", model.fit, x, { twice })
  refused("fit: y has 'kinds', which is no output (did you mean 'kind'?)", model.fit, x, { twice = twice, kinds = kind })
  refused("fit: x has 3 rows and y[2] 2", model.fit, x, { twice, kind[{ { 1, 2 } }] })
  refused("output 'kind': cross_entropy: labels is float32, expected an integer", model.fit, x, { twice, lt.ones { 3 } }, { verbose = 0 })
  refused("output 'kind': it has a loss but no labels", model.fit, x, { twice = twice }, { verbose = 0 })
  refused("output 'twice': mse: labels (3, 4) and predictions (3, 1)", model.train_on_batch, x, { lt.ones { 3, 4 }, kind })
end)

expect.end_of_cases()
