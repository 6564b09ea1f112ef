-- Training as users see it: numbers worked out by hand or elsewhere, and refused arguments.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(1)

local function close(got, wanted, tolerance, what)
  if not (math.abs(got - wanted) <= tolerance) then
    error(("%s: %.9g, expected %.9g"):format(what or "value", got, wanted), 2)
  end
end

-- Rows x = i / 8, y = 3 x + 1, and a model of one kernel 1 and one bias 0.
local function line(rows)
  local x = lt.range(rows, { dtype = "float32" }):reshape { rows, 1 } / 8
  local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.2 }, loss = "mse" }
  return model, x, x * 3 + 1
end

for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  lt.device(device, function()
    local model, x, y = line(8)
    local history = model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
    close(history.history.loss[1], 2.5385876, 5e-7, device .. " loss 1")
    close(history.history.loss[2], 0.2775394, 5e-7, device .. " loss 2")
    local weights = model:get_weights()
    close(weights[1]:item(), 1.8260118, 5e-7, device .. " kernel")
    close(weights[2]:item(), 1.5296820, 5e-7, device .. " bias")
    expect.equal(weights[1].device, lt.zeros({ 1 }).device, "a weight's device")
    -- The last batch has three rows, which weigh as much in it as four do in theirs.
    model, x, y = line(7)
    model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
    weights = model:get_weights()
    close(weights[1]:item(), 1.7251359, 5e-7, device .. " kernel of 7 rows")
    close(weights[2]:item(), 1.5006009, 5e-7, device .. " bias of 7 rows")
  end)
end

-- The same by a tape and an optimizer, by train_on_batch, and as a graph and an extended model.
do
  local _, x, y = line(8)
  local Line = nn.Model:extend "Line"
  function Line:init() self.dense = nn.Dense(1, { kernel_initializer = "ones" }) end
  function Line:call(rows) return self.dense(rows) end
  local input = nn.Input { 1 }
  local models = {
    line(8), Line(), nn.Model { inputs = input, outputs = nn.Dense(1, { kernel_initializer = "ones" })(input) },
  }
  for i, model in ipairs(models) do
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.2 }, loss = "mse" }
    for _ = 1, 2 do
      for first = 1, 5, 4 do
        local rows = { { first, first + 3 } }
        model:train_on_batch(x[rows], y[rows])
      end
    end
    close(model:get_weights()[1]:item(), 1.8260118, 5e-7, "kernel of model " .. i)
  end
  local w, b, sgd = lt.Variable { { 1.0 } }, lt.Variable { 0.0 }, lt.optim.SGD { learning_rate = 0.2 }
  for _ = 1, 2 do
    for first = 1, 5, 4 do
      local rows = { { first, first + 3 } }
      local tape <close> = lt.GradientTape()
      local loss = nn.losses.MeanSquaredError()(y[rows], x[rows]:matmul(w) + b)
      sgd:apply(tape:gradient(loss, { w, b }), { w, b })
    end
  end
  close(w:item(), 1.8260118, 5e-7, "kernel by a tape")
end

-- The penalty on large weights is in the loss and in the gradient.
do
  local x, y = lt.constant { { 1.0 }, { 1.0 } }, lt.constant { { 2.0 }, { 2.0 } }
  local r = nn.regularizers
  local inner = nn.Dense(1, { kernel_initializer = "ones", use_bias = false, kernel_regularizer = r.L2 { l2 = 0.5 }, input_shape = { 1 } })
  local model = nn.Sequential {
    nn.Sequential { inner }, nn.Dense(1, { kernel_initializer = "ones", kernel_regularizer = "l1",
      bias_regularizer = function(b) return (b * 3):sum() end }),
  }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1 }, loss = "mse" }
  -- (1 - 2)^2 + 0.5 * 1 + 0.01 * 1 + 0
  close(model:evaluate(x, y, { verbose = 0 }), 1.51, 1e-6, "evaluate")
  close(model:train_on_batch(x, y), 1.51, 1e-6, "the loss")
  local weights = model:get_weights()
  close(weights[1]:item(), 1 - 0.1 * (-2 + 1), 1e-6, "inner kernel")
  close(weights[2]:item(), 1 - 0.1 * (-2 + 0.01), 1e-6, "outer kernel")
  close(weights[3]:item(), -0.1 * (-2 + 3), 1e-6, "bias")
  expect.raises("InvalidArgument", "kernel_regularizer is \"l3\", which is not known", function()
    nn.Dense(1, { kernel_regularizer = "l3" })(x)
  end)
  expect.raises("InvalidArgument", "regularizers.L2: l2 is -1, expected a number of 0 or more", r.L2, { l2 = -1 })
end

-- With a collection at every allocation, and finalizers that run ops and read variables in the middle of each step.
do
  package.path = "tests/support/?.lua;" .. package.path
  local collector = require "collector"
  local model, x, y = line(8)
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.1 }, loss = "mse", metrics = { "mae" } }
  local other = line(8)
  other:compile { optimizer = lt.optim.Adam { learning_rate = 0.1 }, loss = "mse" }
  other:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
  local kept = {}
  collector.at_each_collection(function(n)
    if n % 5 == 0 then kept[n % 7] = model:variables()[1]:value() + 1 end
    return n < 4000
  end)
  local before = collector.tighten()
  model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
  collector.loosen(before)
  expect.equal(model:get_weights()[1]:item(), other:get_weights()[1]:item(), "kernel under a hostile collector")
  expect.equal(model:get_weights()[2]:item(), other:get_weights()[2]:item(), "bias under a hostile collector")
end

-- Weights of rows, by themselves and by class; of labels as numbers and as distributions.
do
  local model, x, y = line(4)
  -- One step down the gradient of sum(w e^2) / 4 from kernel 1, bias 0: e = -2 x - 1.
  model:fit(x, y, { batch_size = 4, verbose = 0, shuffle = false, sample_weight = { 1.0, 0.0, 2.0, 0.0 } })
  -- e = -1, -1.25, -1.5, -1.75: bias gradient 2 (-1 - 3) / 4 = -2, kernel 2 (2 * -1.5 * 0.25) / 4 = -0.375.
  close(model:get_weights()[2]:item(), 0.4, 1e-6, "bias by sample_weight")
  close(model:get_weights()[1]:item(), 1.075, 1e-6, "kernel by sample_weight")
  local logits = lt.constant { { 0.0, 0.0 }, { 0.0, 0.0 } }
  local function trained(labels, loss, given)
    local chain = nn.Sequential { nn.Dense(2, { kernel_initializer = "zeros", input_shape = { 2 } }) }
    chain:compile { optimizer = lt.optim.SGD { learning_rate = 1 }, loss = loss }
    given.verbose, given.shuffle = 0, false
    chain:fit(logits + 1, labels, given)
    return chain:get_weights()[2]:totable()
  end
  local sparse = nn.losses.SparseCategoricalCrossentropy { from_logits = true }
  local dense = nn.losses.CategoricalCrossentropy { from_logits = true }
  expect.equal(trained(lt.constant { 1, 2 }, sparse, { class_weight = { 1, 3 } }), { -0.5, 0.5 })
  expect.equal(trained({ { 1.0, 0.0 }, { 0.0, 1.0 } }, dense, { class_weight = { [2] = 3 } }), { -0.5, 0.5 })
  expect.equal(trained(lt.constant { { 1 }, { 1 } }, sparse, {}), { 0.5, -0.5 })
end

-- Validation: the last rows, before shuffling, or rows of their own. evaluate weighs rows alike.
do
  local model, x, y = line(8)
  local history = model:fit(x, y, { batch_size = 3, epochs = 3, verbose = 0, validation_split = 0.25 })
  expect.equal(#history.history.val_loss, 3)
  local rows = { { 7, 8 } }
  close(model:evaluate(x[rows], y[rows], { verbose = 0 }), history.history.val_loss[3], 1e-7, "validation_split")
  local other = line(8)
  history = other:fit(x, y, { verbose = 0, validation_data = { x[rows], y[rows] }, epochs = 2, validation_freq = 2 })
  expect.equal(#history.history.val_loss, 1)
  local all, parts = model:evaluate(x, y, { verbose = 0 }), model:evaluate(x, y, { verbose = 0, batch_size = 3 })
  close(parts, all, 1e-6, "evaluate in batches")
  local prediction = model:predict(x, { batch_size = 3 })
  expect.equal(prediction.shape[1], 8)
  assert(lt.all(prediction:eq(model(x))):item(), "predict")
end

-- A seed is a shuffle's; every row comes once an epoch.
do
  local function orders(given)
    local seen = {}
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 } }) }
    model:compile { optimizer = "sgd", loss = function(y, p) seen[#seen + 1] = y:flatten():totable() return (p - y):square():mean() end }
    local y = lt.range(1, 7, { dtype = "float32" }):reshape { 6, 1 }
    given.verbose, given.batch_size, given.epochs = 0, 4, 2
    model:fit(y / 8, y, given)
    local words = {}
    for epoch = 0, 1 do
      local rows = { table.unpack(seen[2 * epoch + 1]) }
      table.move(seen[2 * epoch + 2], 1, 2, 5, rows)
      words[epoch + 1] = table.concat(rows, " ")
      table.sort(rows)
      expect.equal(rows, { 1, 2, 3, 4, 5, 6 })
    end
    return table.concat(words, ", ")
  end
  local first = orders { seed = 3 }
  expect.equal(orders { seed = 3 }, first)
  assert(orders { seed = 4 } ~= first or orders { seed = 5 } ~= first, "another seed, another order")
  local e1, e2 = first:match("^(.-), (.*)$")
  assert(e1 ~= e2, "another epoch, another order")
  expect.equal(orders { shuffle = false }, "1.0 2.0 3.0 4.0 5.0 6.0, 1.0 2.0 3.0 4.0 5.0 6.0")
end

-- A batch larger than the data is all of it.
do
  local a, x, y = line(8)
  local b = line(8)
  local one = a:fit(x, y, { batch_size = 1000, verbose = 0, shuffle = false })
  b:fit(x, y, { batch_size = 8, verbose = 0, shuffle = false })
  expect.equal(one.params.steps, 1)
  expect.equal(a:get_weights()[1]:item(), b:get_weights()[1]:item())
end

-- Callbacks.
do
  local model, x, y = line(8)
  local heard, saved = {}, {}
  local stop = nn.callbacks.EarlyStopping { monitor = "loss", patience = 2, min_delta = 100, restore_best_weights = true }
  model:fit(x, y, {
    verbose = 0, epochs = 10, shuffle = false, callbacks = {
      function(epoch, logs, which) heard[#heard + 1] = { epoch, type(logs.loss), which == model } end, stop,
      nn.callbacks.ModelCheckpoint(function(_, epoch) saved[#saved + 1] = epoch end, { monitor = "loss", save_best_only = true }),
    },
  })
  expect.equal(heard, { { 1, "number", true }, { 2, "number", true }, { 3, "number", true } })
  expect.equal({ stop.stopped_epoch, stop.best_epoch }, { 3, 1 })
  expect.equal(saved, { 1, 2, 3 })
  local again = line(8)
  again:fit(x, y, { verbose = 0, shuffle = false })
  expect.equal(model:get_weights()[1]:item(), again:get_weights()[1]:item(), "the best weights")
  local rates = {}
  model:fit(x, y, { verbose = 0, epochs = 3, callbacks = {
    nn.callbacks.LearningRateScheduler(function(epoch, rate) return epoch == 1 and rate or rate / 2 end),
    function() rates[#rates + 1] = model.optimizer.learning_rate end,
  } })
  expect.equal(rates, { 0.2, 0.1, 0.05 })
  local plateau = nn.callbacks.ReduceLROnPlateau { monitor = "loss", patience = 1, min_delta = 100, factor = 0.5 }
  model:fit(x, y, { verbose = 0, epochs = 3, callbacks = plateau })
  expect.equal(model.optimizer.learning_rate, 0.0125)
  local path = os.tmpname()
  model:fit(x, y, { verbose = 0, epochs = 2, validation_split = 0.5, callbacks = { nn.callbacks.CSVLogger(path) } })
  local lines = {}
  for text in io.lines(path) do lines[#lines + 1] = text end
  os.remove(path)
  expect.equal({ #lines, lines[1] }, { 3, "epoch,loss,val_loss" })
  assert(lines[3]:match("^2,[%d.e-]+,[%d.e-]+$"), lines[3])
  expect.raises("InvalidArgument", "EarlyStopping: there is no 'val_los' to monitor (did you mean 'val_loss'?)", model.fit, model, x,
    y, { verbose = 0, validation_split = 0.5, callbacks = nn.callbacks.EarlyStopping { monitor = "val_los" } })
  expect.raises("InvalidArgument", "callbacks[1] is 7, expected a callback or a function", model.fit, model, x, y, { callbacks = { 7 } })
end

-- A loss that is nan ends the training before it spoils the weights, and says where it came up.
do
  local text, ok = expect.program([[
    local nn = lt.nn
    local Root = nn.Layer:extend "Root"
    function Root:call(x) return x:sqrt() end
    local model = nn.Sequential { nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}), Root(),
      nn.Dense(1, {kernel_initializer = "ones"}) }
    model:compile {optimizer = "sgd", loss = "mse"}
    local x = lt.constant {{1.0}, {4.0}, {9.0}, {-16.0}}
    local nan = nn.callbacks.TerminateOnNaN()
    local history = model:fit(x, x, {batch_size = 1, epochs = 5, shuffle = false, verbose = 0, callbacks = {nan}})
    print(nan.epoch, nan.step, nan.layer, lt.isfinite(model:get_weights()[1]):item(), #history.epoch)
  ]])
  assert(ok, text)
  assert(text:find("TerminateOnNaN: the loss is %-?nan in epoch 1, step 4: the layer 'root' gives it first; training ends"), text)
  assert(text:find("1\t4\troot\ttrue\t1", 1, true), text)
end

-- One plain line an epoch where stderr is no terminal.
do
  local text = expect.program([[
    local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
    model:compile {optimizer = "sgd", loss = "mse", metrics = {"mae"}}
    local x = lt.ones {10, 1}
    model:fit(x, x, {epochs = 2, batch_size = 4, validation_split = 0.2})
  ]])
  local lines = {}
  for each in text:gmatch("[^\n]+") do lines[#lines + 1] = each end
  expect.equal(#lines, 2, text)
  for epoch, each in ipairs(lines) do
    assert(each:match(("^Epoch %d/2 %%- 2/2 %%- %%d+%%a+ %%- %%d+%%a+/step %%- loss: [%%d.e-]+ %%- mae: [%%d.e-]+ %%- val_loss: "
      .. "[%%d.e-]+ %%- val_mae: [%%d.e-]+$"):format(epoch)), each)
  end
end

-- The bar, as it is drawn on a terminal.
do
  local text = expect.program([[
    local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
    model:compile {optimizer = "sgd", loss = "mse"}
    model:fit(lt.ones {10, 1}, lt.ones {10, 1}, {epochs = 2, batch_size = 4, verbose = 1})
  ]])
  local bar = ("━"):rep(20)
  local last = text:match("([^\r]*)\n$")
  assert(last:match("^\27%[K3/3 " .. bar .. " %d+%a+ %d+%a+/step %- loss: [%d.e-]+$"), last)
  assert(text:match("^Epoch 1/2\n") and text:match("\nEpoch 2/2\n"), text)
end

-- Layers within layers know whether they are trained, whoever says so.
do
  local Block = nn.Layer:extend "Block"
  function Block:init() self.drop = nn.Dropout(0.5) end
  function Block:call(x) return self.drop(x) end
  local x = lt.ones { 1, 1000 }
  local function drops(f, ...) return lt.any(f(x, ...):eq(0)):item() end
  local block, chain = Block(), nn.Sequential { Block() }
  expect.equal({ drops(block), drops(block, true), drops(block), drops(block, false) }, { false, true, false, false })
  expect.equal({ drops(chain), drops(chain, true), drops(chain), drops(chain, false) }, { false, true, false, false })
  local Wrong = nn.Layer:extend "Wrong"
  function Wrong:call(rows) return rows:matmul(rows) end
  pcall(Wrong(), x, true)
  expect.equal(drops(block), false, "after an error")
end

-- After an interrupted or invalid call the model can be trained further.
do
  local model, x, y = line(8)
  expect.raises("InvalidArgument", "fit: y is nil, expected a tensor or a table of numbers", model.fit, model, x)
  expect.raises("InvalidArgument", "layer 'dense", model.fit, model, lt.ones { 8, 2 }, y, { verbose = 0 })
  model:fit(x, y, { batch_size = 4, shuffle = false, epochs = 2, verbose = 0 })
  close(model:get_weights()[1]:item(), 1.8260118, 5e-7, "kernel after errors")
end
