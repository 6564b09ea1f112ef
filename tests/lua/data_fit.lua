-- lutra.data: fit, evaluate and predict on datasets give what they give on tensors.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn, Dataset = lt.nn, lt.data.Dataset

lt.config.set_simulated_gpus(1)

-- Rows x = i / 8, y = 3 x + 1 (tests/lua/training.lua): losses and weights are those of the issue.
local function line(rows)
  local x = lt.range(rows, { dtype = "float32" }):reshape { rows, 1 } / 8
  local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.2 }, loss = "mse", metrics = { "mae" } }
  return model, x, x * 3 + 1
end
local function close(got, wanted, what)
  assert(math.abs(got - wanted) <= 5e-7, ("%s: %.9g, expected %.9g"):format(what, got, wanted))
end

expect.case("fit on a dataset is fit on its tensors", function()
  local model, x, y = line(8)
  local rows = Dataset.from_tensor_slices(x, y)
  local history = model:fit(rows:batch(4), { epochs = 2, verbose = 0 })
  close(history.history.loss[1], 2.5385876, "loss 1")
  close(history.history.loss[2], 0.2775394, "loss 2")
  close(model:get_weights()[1]:item(), 1.8260118, "kernel")
  close(model:get_weights()[2]:item(), 1.5296820, "bias")
  expect.equal(history.params.steps, 2)
  -- Weights of rows are a third value; a last batch that is smaller weighs less; labels weigh by class.
  for _, how in ipairs { "sample_weight", "class_weight" } do
    local other = line(7)
    model, x, y = line(7)
    local weight, classes = lt.constant { 1.0, 2, 1, 2, 1, 2, 1 }, lt.constant { 1, 2, 1, 2, 1, 2, 1 }
    if how == "sample_weight" then
      model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0, sample_weight = weight })
      other:fit(Dataset.from_tensor_slices(x, y, weight):batch(4), nil, { epochs = 2, verbose = 0 })
    else
      model:fit(x, classes, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0, class_weight = { 1, 2 } })
      other:fit(Dataset.from_tensor_slices(x, classes):batch(4), { epochs = 2, verbose = 0, class_weight = { 1, 2 } })
    end
    expect.equal(other:get_weights()[1]:item(), model:get_weights()[1]:item(), how)
  end
end)

expect.case("evaluate, predict and validation_data take datasets", function()
  local model, x, y = line(8)
  local loss, mae = model:evaluate(x, y, { batch_size = 3, verbose = 0 })
  local batches = Dataset.from_tensor_slices(x, y):batch(3)
  local from_rows, mae_from_rows = model:evaluate(batches, { verbose = 0 })
  expect.equal({ from_rows, mae_from_rows }, { loss, mae }, "evaluate")
  expect.equal(model:predict(batches):totable(), model:predict(x):totable(), "predict, labels left out")
  expect.equal(model:predict(Dataset.from_tensor_slices(x):batch(5), { steps = 1 }).shape[1], 5, "steps")
  local history = model:fit(batches, { epochs = 3, verbose = 0, validation_data = batches:repeat_(), validation_steps = 3 })
  local again = line(8)
  local wanted = again:fit(x, y, { batch_size = 3, shuffle = false, epochs = 3, verbose = 0, validation_data = { x, y } })
  expect.equal(history.history, wanted.history, "with validation")
end)

expect.case("steps_per_epoch, unknown lengths, and data that ends early", function()
  local model, x, y = line(8)
  local rows = Dataset.from_tensor_slices(x, y)
  local history = model:fit(rows:repeat_():batch(4), { epochs = 4, steps_per_epoch = 1, verbose = 0 })
  local other = line(8)
  other:fit(rows:batch(4), { epochs = 2, verbose = 0 })
  expect.equal(model:get_weights()[1]:item(), other:get_weights()[1]:item(), "an epoch goes on where the last one ended")
  expect.equal(#history.history.loss, 4)
  model = line(8)
  model:fit(rows:batch(4), { epochs = 1, steps_per_epoch = 4, verbose = 0 })
  expect.equal(model:get_weights()[1]:item(), other:get_weights()[1]:item(), "what ends early begins anew")
  model = line(8)
  model:fit(rows:filter(function() return true end):batch(4), { epochs = 2, verbose = 0 })
  expect.equal(model:get_weights()[1]:item(), other:get_weights()[1]:item(), "of unknown length")
  -- A model that knows no shapes takes them from the first batch, which is trained on all the same.
  local starts = 0
  local late = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones" }) }
  late:compile { optimizer = lt.optim.SGD { learning_rate = 0.2 }, loss = "mse" }
  late:fit(Dataset.from_generator(function() starts = starts + 1 return rows:batch(4):iterate() end), { epochs = 2, verbose = 0 })
  expect.equal(late:get_weights()[1]:item(), other:get_weights()[1]:item(), "weights made late")
  expect.equal(starts, 2, "iterations of two epochs")
  -- fit, evaluate and predict close what a generator opened when they end early.
  local closed = 0
  local source = Dataset.from_generator(function()
    local next = rows:batch(4):iterate()
    return next, nil, nil, setmetatable({}, { __close = function() closed = closed + 1 end })
  end)
  late:fit(source, { epochs = 1, steps_per_epoch = 1, validation_data = source, validation_steps = 1, verbose = 0 })
  expect.equal(closed, 2, "after a fit")
  late:evaluate(source, nil, { steps = 1, verbose = 0 })
  late:predict(source, { steps = 1 })
  expect.equal(closed, 4, "after evaluate and predict")
end)

expect.case("what fit refuses of datasets", function()
  local model, x, y = line(8)
  local batches = Dataset.from_tensor_slices(x, y):batch(4)
  for words, attempt in pairs {
    ["batch_size cannot be given with a dataset"] = { batches, { batch_size = 4 } },
    ["validation_split cannot be given with a dataset"] = { batches, { validation_split = 0.5 } },
    ["sample_weight cannot be given with a dataset"] = { batches, { sample_weight = x } },
    ["fit: y is a tensor, and x is a dataset"] = { batches, y },
    ["the dataset is infinite: set the number of batches with steps_per_epoch"] = { batches:repeat_() },
    ["fit: validation_data: the dataset is infinite: set the number of batches with validation_steps"] = {
      batches, { validation_data = batches:repeat_(), verbose = 0 } },
    ["steps_per_epoch is for datasets"] = { x, y, { steps_per_epoch = 2 } },
    ["the dataset's elements have one value, expected rows and labels"] = { Dataset.from_tensor_slices(x):batch(2), { verbose = 0 } },
    ["fit: the dataset has no elements"] = { batches:take(0), { verbose = 0 } },
    ["the dataset's elements are scalars"] = { Dataset.from_tensor_slices(y:flatten(), y:flatten()), { verbose = 0 } },
    ["unknown option 'epoch'"] = { batches, { epoch = 2 } },
  } do
    expect.raises("InvalidArgument", words, model.fit, model, table.unpack(attempt))
  end
end)

expect.case("several inputs", function()
  local a, b = nn.Input { 1 }, nn.Input { 1 }
  local model = nn.Model { inputs = { a, b }, outputs = nn.Add() { nn.Dense(1)(a), nn.Dense(1)(b) } }
  model:compile { loss = "mse" }
  local x, y = lt.ones { 6, 1 }, lt.zeros { 6, 1 }
  model:fit(Dataset.from_tensor_slices({ x, x }, y):shuffle(6):batch(4), { verbose = 0 })
  expect.equal(model:predict(Dataset.from_tensor_slices({ x, x }, y):batch(4)).shape[1], 6)
end)

expect.end_of_cases()
