-- Callbacks of a fit that validates in some epochs only, ends early, or gets an invalid callback; and the files they
-- write.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn
local made = nn.callbacks

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end
local function line(metrics)
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, kernel_initializer = "ones" }) }
  return model:compile { optimizer = lt.optim.SGD { learning_rate = 0.0 }, loss = "mse", metrics = metrics or {} }
end
local x, y = lt.ones { 4, 1 }, lt.zeros { 4, 1 }
local function fit(model, callbacks, given)
  given = given or {}
  given.verbose, given.callbacks = 0, callbacks
  return model:fit(x, y, given)
end
local function lines(path)
  local list = {}
  for text in io.lines(path) do list[#list + 1] = text end
  return list
end

expect.case("who watches validation waits for the epochs that have it", function()
  local stop, lower = made.EarlyStopping { patience = 1 }, made.ReduceLROnPlateau { patience = 1, factor = 0.5 }
  local path = expect.path ".safetensors"
  local keep = made.ModelCheckpoint(path, { save_best_only = true, save_weights_only = true })
  local model = line()
  model.optimizer.learning_rate = 1e-30
  local history = fit(model, { stop, lower, keep }, { epochs = 9, validation_freq = 2, validation_data = { x, y } })
  -- Epoch 2 sets what is best, epoch 4 is no better.
  expect.equal(history.epoch, { 1, 2, 3, 4 })
  expect.equal(#history.history.val_loss, 2)
  expect.equal(model.optimizer.learning_rate, 0.5e-30)
  expect.equal(keep.path, path)
  os.remove(path)
  refused("EarlyStopping: there is no 'val_los' to monitor (did you mean 'val_loss'?)", fit, line(), { made.EarlyStopping { monitor = "val_los" } },
    { validation_freq = 2, validation_data = { x, y } })
  refused("EarlyStopping: there is no 'val_loss' to monitor", fit, line(), made.EarlyStopping())
end)

expect.case("what a monitored number is to be, its name tells, or mode has to", function()
  for _, name in ipairs { "val_accuracy", "acc", "val_auc", "val_top_k", "val_sparse_top_k_categorical_accuracy" } do
    expect.equal(made.EarlyStopping({ monitor = name }).sign, 1, name)
  end
  for _, name in ipairs { "loss", "val_sum_loss", "mean_squared_error", "val_mae", "mse", "categorical_crossentropy" } do
    expect.equal(made.ReduceLROnPlateau({ monitor = name }).sign, -1, name)
  end
  local function f1() return lt.ones { 4 } end
  refused("EarlyStopping: it is not known whether 'metric_1' should be small or large: give mode", fit, line { f1 },
    made.EarlyStopping { monitor = "metric_1" })
  expect.equal(made.ModelCheckpoint("x.safetensors", { monitor = "val_f1", mode = "max" }).sign, 1)
end)

expect.case("the rate of an epoch may come from one of optim's schedules", function()
  local model, rates = line(), {}
  fit(model, { made.LearningRateScheduler(lt.optim.schedules.PiecewiseConstantDecay({ 2 }, { 0.5, 0.25 })),
    function() rates[#rates + 1] = model.optimizer.learning_rate end }, { epochs = 4 })
  expect.equal(rates, { 0.5, 0.5, 0.25, 0.25 })
  refused("LearningRateScheduler: schedule is 5, expected a function", made.LearningRateScheduler, 5)
end)

expect.case("callbacks hear what fit, evaluate and predict begin and end, in Keras' order", function()
  local told = {}
  local ear = made.Callback()
  for _, name in ipairs { "train", "epoch", "test", "predict", "train_batch", "test_batch", "predict_batch" } do
    for _, which in ipairs { "begin", "end" } do
      local method = ("on_%s_%s"):format(name, which)
      ear[method] = function(_, first) told[#told + 1] = method:sub(4) .. (type(first) == "number" and " " .. first or "") end
    end
  end
  local function heard(f)
    told = {}
    f()
    return table.concat(told, ", ")
  end
  local model = line()
  expect.equal(heard(function() fit(model, { ear }, { batch_size = 2, validation_split = 0.25 }) end),
    "train_begin, epoch_begin 1, train_batch_begin 1, train_batch_end 1, train_batch_begin 2, train_batch_end 2, test_begin, "
    .. "test_batch_begin 1, test_batch_end 1, test_end, epoch_end 1, train_end")
  expect.equal(heard(function() model:evaluate(x, y, { batch_size = 3, verbose = 0, callbacks = ear }) end),
    "test_begin, test_batch_begin 1, test_batch_end 1, test_batch_begin 2, test_batch_end 2, test_end")
  expect.equal(heard(function() model:predict(x, { batch_size = 4, callbacks = { ear } }) end),
    "predict_begin, predict_batch_begin 1, predict_batch_end 1, predict_end")
end)

expect.case("a callback gets the logs of what it hears, and the model", function()
  local model, seen = line { "mae" }, {}
  local function keep(name, at) return function(_, ...) seen[name] = { select(at, ...) } end end
  local ear = {
    on_train_batch_begin = keep("begin", 2), on_test_batch_end = keep("batch", 2), on_test_end = keep("test", 1),
    on_predict_batch_end = keep("predict", 2),
  }
  fit(model, { ear }, { validation_data = { x, y } })
  assert(seen.begin[1] == model and seen.batch[2] == model and seen.test[2] == model)
  expect.equal({ seen.batch[1].loss, seen.test[1].loss, seen.test[1].mae }, { 1.0, 1.0, 1.0 })
  model:predict(x, { callbacks = ear })
  expect.equal(seen.predict[1].outputs:totable(), x:totable())
  refused("predict: callbacks[1]: 'on_predict_ends' is never called (did you mean 'on_predict_end'?)", model.predict, model, x,
    { callbacks = { { on_predict_ends = print } } })
end)

-- A fit whose epochs report these numbers as 'score', and whose weight is the epoch's number. Returns the epoch where it
-- stopped, or 0, and the weight afterwards.
local function nothing() end
local function scored(values, options)
  local epoch = 0
  local model = line { { name = "score", reset_state = nothing, update_state = nothing, result = function() return values[epoch] end } }
  options.monitor, options.mode = "score", options.mode or "min"
  local stop = made.EarlyStopping(options)
  local count = { on_epoch_begin = function(_, at)
    epoch = at
    model:set_weights { lt.fill({ 1, 1 }, at + 0.0), lt.zeros { 1 } }
  end }
  fit(model, { count, stop }, { epochs = #values })
  return { stop.stopped_epoch, model:get_weights()[1]:item() }
end

expect.case("EarlyStopping gives the best weights back however the fit ends", function()
  expect.equal(scored({ 3, 1, 2 }, { patience = 5, restore_best_weights = true }), { 0, 2 })
  expect.equal(scored({ 3, 1, 2, 2 }, { patience = 1, restore_best_weights = true }), { 3, 2 })
  expect.equal(scored({ 1, 3, 2 }, { patience = 5, restore_best_weights = true, mode = "max" }), { 0, 2 })
  expect.equal(scored({ 3, 1, 2 }, { patience = 5 }), { 0, 3 })
end)

-- Keras 3.15's behaviour with the same numbers.
expect.case("a baseline that is not reached uses up the patience, and the best weights are the best so far", function()
  local function with(values, patience) return scored(values, { baseline = 2, patience = patience, restore_best_weights = true }) end
  expect.equal(with({ 3, 2.5, 2.6, 1 }, 3), { 3, 2 })
  expect.equal(with({ 3, 2.5, 2.25, 2.1 }, 1), { 0, 4 })
  expect.equal(with({ 3, 1, 1.5, 1.5, 1.5 }, 2), { 4, 2 })
end)

expect.case("a loss that is nan ends the fit in peace, and is printed without a sign", function()
  local text, ok = expect.program([[
    local lt = require "lutra"
    local nn, nan = lt.nn, 0 / 0
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 } }) }
    model:compile { loss = "mse" }
    local x = lt.constant { { 1.0 }, { nan } }
    local history = model:fit(x, x, { batch_size = 1, shuffle = false, epochs = 5, verbose = 2, validation_data = { x, x },
      callbacks = { nn.callbacks.TerminateOnNaN(), nn.callbacks.EarlyStopping(), nn.callbacks.CSVLogger "/dev/stdout" } })
    print(#history.epoch, history.history.loss[1], (model:evaluate(x, x, { verbose = 0 })), (model:test_on_batch(x, x)))
  ]])
  assert(ok and text:find("the loss is nan in epoch 1, step 2", 1, true), text)
  assert(text:find("loss: nan", 1, true) and text:find("\n1,nan,\n", 1, true) and text:find("1\tnan\tnan\tnan", 1, true), text)
  assert(not text:find("-nan", 1, true), text)
end)

expect.case("the table of CSVLogger has all columns, one head, and says when it cannot be written", function()
  local path = os.tmpname()
  os.remove(path)
  for round = 1, 2 do
    fit(line { "mae" }, made.CSVLogger(path, { append = true, separator = ";" }), { epochs = 2, validation_freq = 2, validation_data = { x, y } })
    expect.equal(#lines(path), 1 + 2 * round)
  end
  expect.equal(lines(path), { "epoch;loss;mae;val_loss;val_mae", "1;1;1;;", "2;1;1;1;1", "1;1;1;;", "2;1;1;1;1" })
  expect.raises("FailedPrecondition", "has the columns 'epoch;loss;mae;val_loss;val_mae', and this fit logs 'epoch;loss': append needs", fit,
    line(), made.CSVLogger(path, { append = true, separator = ";" }))
  fit(line(), made.CSVLogger(path))
  expect.equal(lines(path), { "epoch,loss", "1,1" })
  os.remove(path)
  local full = io.open("/dev/full", "w")
  if full then
    full:close()
    expect.raises("FailedPrecondition", "CSVLogger: /dev/full: ", fit, line(), made.CSVLogger "/dev/full")
  end
end)

expect.case("what is no callback, or none of its options, is refused", function()
  refused("CSVLogger: path is nil, expected a string", made.CSVLogger)
  refused("EarlyStopping: monitor is 5, expected a string", made.EarlyStopping, { monitor = 5 })
  refused('EarlyStopping: min_delta is "x", expected a number', made.EarlyStopping, { min_delta = "x" })
  refused('EarlyStopping: patience is "a", expected a whole number, 0 or more', made.EarlyStopping, { patience = "a" })
  refused("ReduceLROnPlateau: factor is 2, expected a number of 0 to 1", made.ReduceLROnPlateau, { factor = 2 })
  refused("ModelCheckpoint: monitor is true, expected a string", made.ModelCheckpoint, "a.safetensors", { monitor = true })
  local model = line()
  refused("fit: callbacks[1] is a class, expected an object: call it", fit, model, { made.EarlyStopping })
  refused("fit: callbacks[2]: on_epoch_end is 5, expected a function", fit, model, { made.Callback(), { on_epoch_end = 5 } })
  refused("fit: callbacks[1]: 'on_epoch_ends' is never called (did you mean 'on_epoch_end'?)", fit, model, { { on_epoch_ends = print } })
  local scheduled = line()
  scheduled:compile { optimizer = lt.optim.SGD { learning_rate = lt.optim.schedules.ExponentialDecay(0.1, 10, 0.5) }, loss = "mse" }
  refused("ReduceLROnPlateau: the optimizer's learning rate is a schedule, expected a number", fit, scheduled,
    { made.ReduceLROnPlateau { monitor = "loss" } })
  -- One alone need not lie in a list.
  local heard = 0
  fit(model, { on_epoch_end = function() heard = heard + 1 end }, { epochs = 2 })
  expect.equal(heard, 2)
end)

expect.case("metrics that would not be told are refused", function()
  refused('compile: metrics is "mae", expected a list of them, as in metrics = {"mae"}', line, "mae")
  refused("expected a list of them", line, nn.metrics.MeanAbsoluteError())
  refused("compile: metrics is a table by name, and the model has one output", line, { dense = "mae" })
end)

expect.case("a fit that waits in a coroutine, or never ends, leaves other models alone", function()
  local other = nn.Sequential { nn.Dropout(0.5, { input_shape = { 64 } }) }
  local rows, layer = lt.ones { 4, 64 }, nn.Dense(2)
  layer(rows)
  for _, method in ipairs { "on_train_begin", "on_epoch_begin", "on_train_batch_end", "on_epoch_end" } do
    local model = nn.Sequential { nn.Dropout(0.5, { input_shape = { 1 } }), nn.Dense(1) }
    model:compile { optimizer = "sgd", loss = "mse", precision = "bf16" }
    local waiting = coroutine.create(function() fit(model, { { [method] = function() coroutine.yield "waits" end } }) end)
    expect.equal(select(2, coroutine.resume(waiting)), "waits")
    expect.equal(lt.all(other(rows):eq(rows)):item(), true, method .. ": a call is inference")
    expect.equal(layer(rows).dtype, "float32", method .. ": a layer computes in its own dtype")
    expect.equal(coroutine.resume(waiting), true)
    expect.equal(coroutine.status(waiting), "dead")
    expect.equal(lt.all(other(rows):eq(rows)):item(), true, method .. ": and after it has ended")
  end
  -- The fit itself still trains after a callback: rows drop out, and the losses of its steps differ from those of inference.
  local dropping = nn.Sequential { nn.Dropout(0.5, { input_shape = { 64 } }), nn.Dense(1, { kernel_initializer = "ones" }) }
  dropping:compile { optimizer = lt.optim.SGD { learning_rate = 0.0 }, loss = "mse" }
  local losses = dropping:fit(rows, lt.zeros { 4, 1 }, { epochs = 3, verbose = 0, callbacks = { function() end } }).history.loss
  for _, loss in ipairs(losses) do assert(loss ~= 64 * 64, loss) end
  expect.equal(dropping:evaluate(rows, lt.zeros { 4, 1 }, { verbose = 0 }), 64.0 * 64)
end)

expect.case("a callback may compile the model anew", function()
  for _, method in ipairs { "on_train_begin", "on_epoch_begin", "on_train_batch_end", "on_epoch_end" } do
    local model, calls = line(), 0
    local history = fit(model, { { [method] = function(_, ...)
      calls = calls + 1
      if calls > 1 or method == "on_train_begin" then return end
      model:compile { optimizer = lt.optim.SGD { learning_rate = 0.25 }, loss = "mae", metrics = { "mse" } }
    end } }, { epochs = 2 })
    if method == "on_train_begin" then
      expect.equal(history.history.loss, { 1, 1 }, "unchanged")
    else
      local after = method == "on_epoch_begin" and 2 or 1
      expect.equal(model.optimizer.iterations, after, method)
      -- The gradient of the mean of |kernel + bias| is 1 for both.
      expect.equal(model:get_weights()[1]:item(), 1 - 0.25 * after, method)
      expect.equal(#history.history.mse > 0, true, method)
    end
  end
end)

expect.case("an error of a callback's own is no Ctrl-C, whatever it says", function()
  local function raising() error("my connection was interrupted!", 0) end
  for _, method in ipairs { "on_epoch_begin", "on_train_batch_end", "on_epoch_end" } do
    local ok, err = pcall(fit, line(), { { [method] = raising } })
    expect.equal({ ok, err }, { false, "my connection was interrupted!" }, method)
  end
end)

expect.end_of_cases()
