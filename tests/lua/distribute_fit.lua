-- Models trained under a strategy give the same as on one device, for any number of replicas and rows.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, raises, equal = expect.case, expect.raises, expect.equal
local replicas = dofile("tests/support/replicas.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(4)
lt.config.set_logical_device_configuration("CPU:0", { {}, {}, {} })

local function close(got, wanted, tolerance, what)
  if not (math.abs(got - wanted) <= tolerance * (1 + math.abs(wanted))) then
    error(("%s: %.9g, expected %.9g"):format(what or "value", got, wanted), 2)
  end
end
local function flat(tensor) return tensor:to("CPU:0"):reshape({ -1 }):totable() end
local function all_close(got, wanted, tolerance, what)
  got, wanted = flat(got), flat(wanted)
  equal(#got, #wanted, what .. ": size")
  for i = 1, #got do close(got[i], wanted[i], tolerance, ("%s[%d]"):format(what, i)) end
end
local function check_replicas(strategy, model) replicas.check(strategy, replicas.variables(model)) end

local strategies = {}
for _, devices in ipairs {
  { "GPU:1" }, { "GPU:0", "GPU:1" }, { "GPU:0", "GPU:1", "GPU:2" }, { "GPU:0", "GPU:1", "GPU:2", "GPU:3" },
  { "CPU:0", "CPU:1" }, { "CPU:0", "CPU:1", "CPU:2" }, { "GPU:3", "CPU:1" },
} do
  strategies[#strategies + 1] = lt.distribute.MirroredStrategy(devices)
end
strategies[#strategies + 1] = lt.distribute.OneDeviceStrategy "GPU:2"
local two, four = strategies[2], strategies[4]

-- Rows x = i / 8, y = 3 x + 1, a kernel 1 and a bias 0.
local function line(rows)
  local x = lt.range(rows, { dtype = "float32" }):reshape { rows, 1 } / 8
  return x, x * 3 + 1
end

case("many steps' losses and weighted metrics, which are read some at a time, are all counted", function()
  local batches, rows = 150, 450
  local x, weights = lt.range(rows, { dtype = "float32" }):reshape { rows, 1 } / 64, {}
  for i = 1, rows do weights[i] = i % 5 end
  local weight = lt.constant(weights, { dtype = "float32" })
  for _, where in ipairs { two, strategies[6], strategies[#strategies], false } do
    local function made()
      local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
      return model:compile { optimizer = lt.optim.SGD { learning_rate = 0.0 }, loss = "mse", weighted_metrics = { "mae" } }
    end
    local model = where and where:scope(made) or made()
    -- The model gives x, and 0 is wanted: the losses are weight * x^2, over as many as there are rows.
    local total, absolute, sum = 0, 0, 0
    for i = 1, rows do
      local value = (i - 1) / 64
      total, absolute, sum = total + weights[i] * value * value, absolute + weights[i] * value, sum + weights[i]
    end
    local history = model:fit(x, x * 0, { sample_weight = weight, batch_size = rows // batches, shuffle = false, verbose = 0 }).history
    close(history.loss[1], total / rows, 1e-5, tostring(where) .. ", loss")
    close(history.mae[1], absolute / sum, 1e-5, tostring(where) .. ", mae")
  end
end)

case("the reference values, on one device and on many", function()
  for _, strategy in ipairs(strategies) do
    for _, wanted in ipairs {
      { rows = 8, kernel = 1.8260118, bias = 1.5296820, losses = { 2.5385876, 0.2775394 } },
      { rows = 7, kernel = 1.7251359, bias = 1.5006009 },
    } do
      local model = strategy:scope(function()
        local made = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
        return made:compile { optimizer = lt.optim.SGD { learning_rate = 0.2 }, loss = "mse", metrics = { "mae" } }
      end)
      local x, y = line(wanted.rows)
      local history = model:fit(x, y, { batch_size = 4, epochs = 2, shuffle = false, verbose = 0 }).history
      local what = ("%s, %d rows"):format(tostring(strategy), wanted.rows)
      close(model:get_weights()[1]:item(), wanted.kernel, 2e-7, what .. ": kernel")
      close(model:get_weights()[2]:item(), wanted.bias, 2e-7, what .. ": bias")
      for i, loss in ipairs(wanted.losses or {}) do close(history.loss[i], loss, 2e-7, what .. ": loss") end
      if strategy.kind == "MirroredStrategy" then check_replicas(strategy, model) end
    end
  end
end)

-- The same model and fit with and without each strategy: histories and weights are the same to rounding.
local function compare(name, make, data, options, tolerance, check)
  case(name, function()
    options.verbose = 0
    local function train(strategy)
      lt.random.set_seed(11)
      local model = strategy and strategy:scope(make) or lt.device("/GPU:0", make)
      local x, y, more = data()
      for key, value in pairs(more or {}) do options[key] = value end
      local history = model:fit(x, y, options).history
      return model, history, x, y
    end
    local single, right, x, y = train()
    for _, strategy in ipairs(strategies) do
      local model, history = train(strategy)
      local what = tostring(strategy)
      for key, list in pairs(right) do
        for i, value in ipairs(list) do close(history[key][i], value, tolerance, ("%s: %s[%d]"):format(what, key, i)) end
      end
      for i, weight in ipairs(single:get_weights()) do
        all_close(model:get_weights()[i], weight, tolerance, ("%s: weight %d"):format(what, i))
      end
      if strategy.kind == "MirroredStrategy" then check_replicas(strategy, model) end
      if check then check(strategy, model, single, x, y, what) end
    end
  end)
end

local function classes(rows)
  return function()
    local x = lt.random.normal({ rows, 6 }, { seed = 3 })
    return x, lt.argmax(x:matmul(lt.random.normal({ 6, 3 }, { seed = 4 })), -1)
  end
end
local function classifier(optimizer)
  return function()
    local model = nn.Sequential {
      nn.Dense(8, { activation = "relu", input_shape = { 6 }, kernel_regularizer = nn.regularizers.L2 { l2 = 0.01 } }),
      nn.Dense(3, { activation = "softmax" }),
    }
    return model:compile { optimizer = optimizer or "sgd", loss = "sparse_categorical_crossentropy", metrics = { "accuracy" } }
  end
end

compare("shuffled rows, a remainder, regularizers, validation", classifier(), classes(45),
  { batch_size = 10, epochs = 3, seed = 5, validation_split = 0.2 }, 2e-5, function(strategy, model, single, x, y, what)
    local loss, accuracy = model:evaluate(x, y, { verbose = 0, batch_size = 7 })
    local right_loss, right_accuracy = single:evaluate(x, y, { verbose = 0, batch_size = 7 })
    close(loss, right_loss, 2e-5, what .. ": evaluate")
    close(accuracy, right_accuracy, 2e-5, what .. ": accuracy")
    local kept = single:get_weights()
    local predicted = model:predict(x, { batch_size = 13 })
    equal(predicted.device, strategy.devices[1])
    all_close(predicted, single:predict(x), 2e-5, what .. ": predict")
    all_close(model:predict_on_batch(x), predicted, 1e-6, what .. ": predict_on_batch")
    close((model:test_on_batch(x, y)), (single:test_on_batch(x, y)), 2e-5, what .. ": test_on_batch")
    close((model:train_on_batch(x[{ { 1, 9 } }], y[{ { 1, 9 } }])), (single:train_on_batch(x[{ { 1, 9 } }], y[{ { 1, 9 } }])), 2e-5,
      what .. ": train_on_batch")
    single:set_weights(kept)
  end)
compare("adam, clipped gradients, weights of classes and rows", function()
  return classifier(lt.optim.Adam { learning_rate = 0.01, global_clipnorm = 0.5 })()
end, function()
  local x, y = classes(23)()
  return x, y, { class_weight = { [1] = 2.0, [3] = 0.5 }, sample_weight = lt.range(23, { dtype = "float32" }) / 11 }
end, { batch_size = 8, epochs = 2, shuffle = false }, 1e-4)
compare("a loss that adds up rows", function()
  local model = nn.Sequential { nn.Dense(2, { input_shape = { 6 }, bias_regularizer = nn.regularizers.L2 { l2 = 0.1 } }) }
  return model:compile { optimizer = lt.optim.SGD { learning_rate = 0.002 }, loss = nn.losses.MeanSquaredError { reduction = "sum" } }
end, function() return lt.random.normal({ 11, 6 }, { seed = 3 }), lt.random.normal({ 11, 2 }, { seed = 4 }) end,
  { batch_size = 5, epochs = 2, shuffle = false }, 2e-5)
for _, width in ipairs { 8, 5 } do
  compare(("dropout's mask is that of the row's place, %d numbers a row"):format(width), function()
    local model = nn.Sequential {
      nn.Dense(width, { input_shape = { 6 } }), nn.Dropout(0.4), nn.Dense(width), nn.Dropout(0.3, { seed = 9 }), nn.Dense(1),
    }
    return model:compile { optimizer = "sgd", loss = "mse" }
  end, function() return lt.random.normal({ 21, 6 }, { seed = 3 }), lt.random.normal({ 21, 1 }, { seed = 4 }) end,
    { batch_size = 8, epochs = 3, shuffle = true }, 2e-5)
end
compare("synchronized BatchNorm is one device's", function()
  local model = nn.Sequential {
    nn.Dense(4, { input_shape = { 6 } }), nn.BatchNorm { synchronized = true, momentum = 0.5 }, nn.Activation "relu",
    nn.BatchNorm { synchronized = true }, nn.Dense(1),
  }
  return model:compile { optimizer = "sgd", loss = "mse" }
end, function() return lt.random.normal({ 26, 6 }, { seed = 3 }), lt.random.normal({ 26, 1 }, { seed = 4 }) end,
  { batch_size = 9, epochs = 2, shuffle = false }, 1e-4)
compare("a graph of two inputs and a class of one's own", function()
  local left, right = nn.Input { 6 }, nn.Input { 2 }
  local Twice = nn.Layer:extend "Twice"
  function Twice:call(x) return x * 2 end
  local joined = nn.Concatenate() { nn.Dense(3)(left), Twice()(right) }
  local model = nn.Model { inputs = { left, right }, outputs = nn.Dense(1)(joined) }
  return model:compile { optimizer = "rmsprop", loss = "huber", metrics = { "mse", "auc" } }
end, function()
  local x = { lt.random.normal({ 10, 6 }, { seed = 3 }), lt.random.normal({ 10, 2 }, { seed = 5 }) }
  return x, lt.cast(lt.random.normal({ 10, 1 }, { seed = 4 }):gt(0), "float32")
end, { batch_size = 4, epochs = 2, shuffle = false }, 1e-4)
compare("a model that learns its shapes from its first batch, trained on a dataset", function()
  local model = nn.Sequential { nn.Dense(4, { activation = "tanh" }), nn.Dense(3) }
  return model:compile { optimizer = "adagrad", loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
end, function()
  local x, y = classes(14)()
  return lt.data.Dataset.from_tensor_slices({ x, y }):batch(4), nil
end, { epochs = 2 }, 2e-5)

local function two_outputs(reduction)
  return function()
    local input = nn.Input { 6 }
    local inner = nn.Dense(4, { activation = "tanh" })(input)
    local model = nn.Model { inputs = input, outputs = { nn.Dense(1, { name = "a" })(inner), nn.Dense(3, { name = "b" })(inner) } }
    return model:compile {
      optimizer = "sgd", loss = { a = nn.losses.MeanSquaredError { reduction = reduction }, b = "mae" }, metrics = { a = "mae" },
      loss_weights = { a = 0.5 },
    }
  end
end
local function two_labels()
  return lt.random.normal({ 10, 6 }, { seed = 3 }), { lt.random.normal({ 10, 1 }, { seed = 4 }), lt.random.normal({ 10, 3 }, { seed = 5 }) }
end
compare("two outputs", two_outputs("mean"), two_labels, { batch_size = 4, epochs = 2, shuffle = false }, 2e-5,
  function(_, model, single, x, _, what)
    for i, part in ipairs(model:predict(x)) do all_close(part, single:predict(x)[i], 2e-5, what .. ": output " .. i) end
  end)
compare("mixed precision", function()
  local model = nn.Sequential {
    nn.Dense(8, { activation = "relu", input_shape = { 6 } }), nn.BatchNorm { synchronized = true }, nn.Dropout(0.2), nn.Dense(3),
  }
  return model:compile { optimizer = "sgd", loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true }, precision = "bf16" }
end, classes(20), { batch_size = 8, epochs = 2, shuffle = false }, 2e-2)
compare("two outputs, one of them added up", two_outputs("sum"), two_labels, { batch_size = 4, epochs = 2, shuffle = false }, 2e-5)

case("BatchNorm of the replica's own rows", function()
  -- Each replica normalises by its own statistics, and the running mean moves by the mean of theirs.
  local model = two:scope(function()
    local made = nn.Sequential { nn.BatchNorm { momentum = 0.9, input_shape = { 2 } } }
    return made:compile { optimizer = lt.optim.SGD { learning_rate = 0 }, loss = "mse" }
  end)
  local x = lt.constant { { 1.0, 0.0 }, { 3.0, 4.0 }, { 10.0, 8.0 } }
  model:fit(x, x, { batch_size = 3, shuffle = false, verbose = 0 })
  local weights = model:get_weights()
  all_close(weights[3], lt.constant { 14 / 3 * 0.1, 4.0 * 0.1 }, 1e-6, "moving_mean")
  all_close(weights[4], lt.constant { 0.9 + 0.1 * 2 / 3, 0.9 + 0.1 * 8 / 3 }, 1e-6, "moving_variance")
  check_replicas(two, model)
  local layer = two:scope(function() return nn.BatchNorm { synchronized = true } end)
  raises("Unimplemented", "synchronized statistics need a tape around all replicas", two.run, two, function()
    return layer(lt.ones { 2, 2 }, true)
  end)
end)

case("a compiled model trained by hand goes the same way", function()
  local model = four:scope(function()
    return nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  end)
  local optimizer = lt.optim.SGD { learning_rate = 0.2 }
  local x, y = line(8)
  local batches = four:experimental_distribute_dataset { { x[{ { 1, 4 } }], y[{ { 1, 4 } }] }, { x[{ { 5, 8 } }], y[{ { 5, 8 } }] } }
  for _ = 1, 2 do
    for batch in batches:iterate() do
      four:run(function(rows, labels)
        local variables = model:trainable_variables()
        local tape <close> = lt.GradientTape()
        local loss = (model(rows, true) - labels):square():sum() / 4
        optimizer:apply(tape:gradient(loss, variables), variables)
      end, batch)
    end
  end
  close(model:get_weights()[1]:item(), 1.8260118, 2e-7, "kernel")
  close(model:get_weights()[2]:item(), 1.5296820, 2e-7, "bias")
end)

case("callbacks: weights are restored, a loss that is no number ends the fit", function()
  local model = four:scope(function()
    local made = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }), nn.Activation(lt.log) }
    return made:compile { optimizer = "sgd", loss = "mse" }
  end)
  local stop = nn.callbacks.TerminateOnNaN()
  local x = lt.constant { { 1.0 }, { 2.0 }, { 3.0 }, { -1.0 } }
  model:fit(x, x, { batch_size = 2, shuffle = false, verbose = 0, epochs = 3, callbacks = { stop } })
  equal({ stop.epoch, stop.step }, { 1, 2 })
  assert(lt.all(lt.isfinite(model:get_weights()[1])):item())
  check_replicas(four, model)
  local x8, y8 = line(8)
  local other = four:scope(function()
    local made = nn.Sequential { nn.Dense(1, { input_shape = { 1 } }) }
    return made:compile { optimizer = lt.optim.SGD { learning_rate = 3.0 }, loss = "mse" }
  end)
  local early = nn.callbacks.EarlyStopping { monitor = "loss", restore_best_weights = true }
  other:fit(x8, y8, { verbose = 0, epochs = 5, callbacks = { early } })
  check_replicas(four, other)
end)

case("a model saved by one strategy goes on under another", function()
  local name = os.tmpname()
  local path = name .. ".safetensors"
  local function make()
    local made = nn.Sequential { nn.Dense(3, { input_shape = { 1 }, activation = "tanh" }), nn.Dense(1) }
    return made:compile { optimizer = lt.optim.Adam { learning_rate = 0.05 }, loss = "mse" }
  end
  local x, y = line(8)
  local options = { verbose = 0, epochs = 3, shuffle = false, batch_size = 4 }
  lt.random.set_seed(5)
  local first = four:scope(make)
  first:fit(x, y, options)
  first:save(path)
  local second = two:scope(make)
  second:load(path)
  check_replicas(two, second)
  first:fit(x, y, options)
  second:fit(x, y, options)
  check_replicas(two, second)
  for i, weight in ipairs(first:get_weights()) do all_close(second:get_weights()[i], weight, 2e-5, "weight " .. i) end
  os.remove(path)
  os.remove(name)
end)

case("the default strategy's scope changes nothing", function()
  local function make()
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, kernel_initializer = "ones" }) }
    return model:compile { optimizer = "sgd", loss = "mse" }
  end
  local inside, outside = lt.distribute.get_strategy():scope(make), make()
  local x, y = line(8)
  local options = { epochs = 2, shuffle = false, verbose = 0 }
  equal(inside:fit(x, y, options).history.loss[2], outside:fit(x, y, options).history.loss[2])
end)

case("what cannot be trained under a strategy", function()
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, name = "outside" }) }
  two:scope(function() model:compile { optimizer = "sgd", loss = "mse" } end)
  local x, y = line(8)
  raises("FailedPrecondition", "fit: the variable 'outside/kernel' is not one of the strategy's", model.fit, model, x, y,
    { verbose = 0 })
  -- Compiled outside, a model of mirrored variables belongs to their strategy.
  local mirrored = two:scope(function() return nn.Sequential { nn.Dense(1, { input_shape = { 1 }, name = "d" }) } end)
  mirrored:compile { optimizer = "sgd", loss = "mse" }
  mirrored:fit(x, y, { verbose = 0 })
  check_replicas(two, mirrored)
  local err = raises("InvalidArgument", "replica 1 (GPU:0)", mirrored.fit, mirrored, x, lt.zeros { 8, 3 }, { verbose = 0 })
  equal(err.replica, 1)
  raises("InvalidArgument", "layer 'd'", mirrored.fit, mirrored, lt.zeros { 8, 2 }, y, { verbose = 0 })
  mirrored:fit(x, y, { verbose = 0 })
  check_replicas(two, mirrored)
end)

expect.end_of_cases()
