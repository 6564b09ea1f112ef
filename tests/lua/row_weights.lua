-- How losses and metrics treat weights of rows, labels and predictions whose shapes only seem to fit, and nan.
-- References are Keras 3's formulas, written out.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn
local losses, metrics = nn.losses, nn.metrics

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end
local function close(got, wanted, what) expect.close(got, wanted, 1e-5, what) end
local function trained(loss, given)
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, kernel_initializer = "ones" }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = loss, metrics = { "mae" }, weighted_metrics = { "mae" } }
  given.verbose, given.shuffle, given.batch_size = 0, false, 4
  local history = model:fit(lt.constant { { 1.0 }, { 2.0 }, { 3.0 }, { 4.0 } }, lt.constant { { 0.0 }, { 4.0 }, { 3.0 }, { 7.0 } }, given).history
  close(history.mae[1], 6 / 4, "metrics take no account of weights")
  return { history.loss[1], history.mae_1[1], model:get_weights()[1]:item(), model:get_weights()[2]:item() }
end

-- Predictions are x: errors 1, -2, 0, -3 with weights 1, 2, 3, 0.
expect.case("weights of rows are {n} or {n, 1}, for losses by name and of one's own", function()
  local loss, mae = (1 * 1 + 2 * 4) / 4, (1 * 1 + 2 * 2) / 6
  local slope, level = 2 * (1 * 1 * 1 - 2 * 2 * 2) / 4, 2 * (1 * 1 - 2 * 2) / 4
  local wanted = { loss, mae, 1 - 0.1 * slope, 0 - 0.1 * level }
  local flat, column = lt.constant { 1.0, 2.0, 3.0, 0.0 }, lt.constant { { 1.0 }, { 2.0 }, { 3.0 }, { 0.0 } }
  for name, fn in pairs {
    word = "mse", object = losses.MeanSquaredError(), rows = function(y, p) return ((y - p) ^ 2):mean(-1) end,
    elements = function(y, p) return (y - p) ^ 2 end,
  } do
    for shape, weight in pairs { flat = flat, column = column } do
      for i, got in ipairs(trained(fn, { sample_weight = weight })) do close(got, wanted[i], ("%s, %s, %d"):format(name, shape, i)) end
    end
  end
  refused("the loss function gives one number for the batch, which cannot be weighted by rows", trained, function(y, p)
    return ((y - p) ^ 2):mean()
  end, { sample_weight = flat })
  refused("the loss function: sample_weight has the shape (4,), and there are losses of the shape (1, 4)", trained, function(y, p)
    return lt.reshape((y - p) ^ 2, { 1, 4 })
  end, { sample_weight = flat })
  refused("sample_weight has the shape (1,), and there are losses of the shape (2,)", losses.MeanSquaredError(), lt.ones { 2, 1 },
    lt.ones { 2, 1 }, lt.ones { 1 })
end)

expect.case("metrics of rows of several values, and where no row has a weight", function()
  local mean = metrics.Mean()
  expect.equal(mean:result(), 0.0, "before anything")
  mean:update_state(lt.constant { 3.0, 5.0 }, lt.constant { 0.0, 0.0 })
  expect.equal(mean:result(), 0.0, "weights of 0 alone")
  mean:update_state(lt.constant { 3.0, 5.0 }, lt.constant { { 1.0 }, { 3.0 } })
  expect.equal(mean:result(), 4.5, "a batch without weight counts nothing")
  mean:reset_state()
  mean:update_state(lt.constant { { 1.0, 3.0 }, { 5.0, 9.0 } }, lt.constant { 1.0, 3.0 })
  expect.equal(mean:result(), (4 + 42) / 8, "two values a row")
  mean:reset_state()
  mean:update_state(2.0, lt.constant { 1.0, 2.0 })
  mean:update_state(lt.constant(6.0), lt.constant { 1.0, 0.0 })
  expect.equal(mean:result(), 3.0, "one number for the batch")
  local mae = metrics.MeanAbsoluteError()
  mae:update_state(lt.zeros { 2, 3 }, lt.constant { { 1.0, 2.0, 3.0 }, { 5.0, 5.0, 5.0 } }, lt.constant { { 1.0 }, { 3.0 } })
  expect.equal(mae:result(), (2 + 3 * 5) / 4)
end)

expect.case("the area of predictions of several columns, with weights of rows", function()
  local y, p = lt.constant { { 1.0, 0.0 }, { 0.0, 1.0 } }, lt.constant { { 0.9, 0.8 }, { 0.4, 0.3 } }
  local whole, weighted = metrics.AUC(), metrics.AUC()
  -- Row 2 twice is row 2 with the weight 2.
  whole:update_state(lt.concat { y, y[{ { 2, 2 } }] }, lt.concat { p, p[{ { 2, 2 } }] })
  weighted:update_state(y, p, lt.constant { 1.0, 2.0 })
  close(weighted:result(), whole:result(), "auc")
  -- Hits 0.9 and twice 0.3, false alarms 0.8 and twice 0.4: of nine pairs three are in order.
  close(weighted:result(), 3 / 9, "pairs in order")
end)

expect.case("labels and predictions are of one shape, not of as many numbers", function()
  for name, f in pairs { mse = losses.mse, mae = losses.mae, huber = losses.huber, binary_crossentropy = losses.binary_crossentropy } do
    refused(name .. ": labels (1, 4) and predictions (4, 1) do not match: expected one shape", f, lt.ones { 1, 4 }, lt.ones { 4, 1 })
  end
  refused("categorical_crossentropy: labels (3, 2) and predictions (2, 3) do not match", losses.categorical_crossentropy, lt.ones { 3, 2 },
    lt.ones { 2, 3 })
  local numbers = lt.constant { { 1 }, { 2 } }
  for name, metric in pairs { categorical_accuracy = metrics.CategoricalAccuracy(), top_k_categorical_accuracy = metrics.TopKCategoricalAccuracy() } do
    refused(name .. ": labels (2, 1) and predictions (2, 3) do not match: expected a number for each class", metric.update_state, metric,
      numbers, lt.ones { 2, 3 })
    refused(name .. ": labels (1, 3) and predictions (2, 3) do not match", metric.update_state, metric, lt.ones { 1, 3 }, lt.ones { 2, 3 })
  end
end)

expect.case("a row that is nan is not among the first k", function()
  local nan = 0 / 0
  for k, wanted in pairs { [1] = 1 / 3, [2] = 1 / 3, [3] = 2 / 3, [9] = 2 / 3 } do
    local top = metrics.SparseTopKCategoricalAccuracy { k = k }
    top:update_state(lt.constant { 2, 1, 3 }, lt.constant { { nan, nan, nan }, { 3.0, 2.0, 1.0 }, { 5.0, nan, 1.0 } })
    close(top:result(), wanted, "k = " .. k)
  end
end)

expect.case("weights by class, of two classes 0 and 1", function()
  local x = lt.constant { { 0.0 }, { 1.0 }, { 2.0 } }
  local function loss_of(y, given, dataset)
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, activation = "sigmoid", kernel_initializer = "ones" }) }
    model:compile { optimizer = "sgd", loss = "binary_crossentropy" }
    given.verbose = 0
    if dataset then
      return model:evaluate(lt.data.Dataset.from_tensor_slices({ x, y }):batch(3), given)
    end
    return model:evaluate(x, y, given)
  end
  local function p(value) return 1 / (1 + math.exp(-value)) end
  local wanted = -(3 * math.log(p(0)) + 0.5 * math.log(1 - p(1)) + 3 * math.log(p(2))) / 3
  local weights = { [0] = 0.5, [1] = 3.0 }
  for what, y in pairs { integers = lt.constant { 1, 0, 1 }, floats = lt.constant { { 1.0 }, { 0.0 }, { 1.0 } },
    booleans = lt.constant { true, false, true } } do
    close(loss_of(y, { class_weight = weights }), wanted, what)
    close(loss_of(y, { class_weight = weights }, true), wanted, what .. " in a dataset")
    close(loss_of(y, { class_weight = weights, sample_weight = lt.constant { { 2.0 }, { 2.0 }, { 2.0 } } }), 2 * wanted, what .. ", both")
  end
  close(loss_of(lt.constant { 1, 0, 1 }, { class_weight = { [0] = 0.5 } }),
    -(math.log(p(0)) + 0.5 * math.log(1 - p(1)) + math.log(p(2))) / 3, "a class that is not named")
  refused("class_weight holds 2 = 3, expected classes' numbers from 0 to 1", loss_of, lt.constant { 1, 0, 1 }, { class_weight = { 1, 3 } })
  refused("class_weight is for classes' numbers, and y has numbers that are not whole", loss_of, lt.constant { 1.0, 0.25, 1.0 },
    { class_weight = weights })
end)

expect.case("weights by class are held against what they should be, and labels are not sizes", function()
  local model = nn.Sequential { nn.Dense(3, { input_shape = { 2 }, activation = "softmax" }) }
  model:compile { loss = "sparse_categorical_crossentropy" }
  local function fit(y, class_weight) return model:fit(lt.ones { 2, 2 }, y, { verbose = 0, class_weight = class_weight }) end
  local y = lt.constant { 1, 2 }
  refused("fit: class_weight is 5, expected classes' numbers from 1 and weights", fit, y, 5)
  refused("fit: class_weight is \"balanced\", expected", fit, y, "balanced")
  refused('fit: class_weight holds "a" = 1, expected', fit, y, { a = 1 })
  refused("fit: class_weight holds 1 = nan, expected", fit, y, { 0 / 0 })
  refused("fit: class_weight holds 99999999999 = 2, expected", fit, y, { [99999999999] = 2 })
  local before = lt.config.get_memory_info("CPU:0").peak
  expect.raises("OutOfRange", "label 2000000000000 is not there", fit, lt.constant({ 1, 2000000000000 }, { dtype = "int64" }), { [1] = 2.0 })
  assert(lt.config.get_memory_info("CPU:0").peak - before < 1 << 20)
end)

expect.end_of_cases()
