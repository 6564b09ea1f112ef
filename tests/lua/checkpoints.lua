-- Models written to files and read back: every kind of model, and the state that training resumes from. For refused
-- files see damaged_checkpoints.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local checkpoints = dofile("tests/support/checkpoints.lua")
local folder, path, bits, slot_bits = checkpoints.folder, checkpoints.path, checkpoints.bits, checkpoints.slot_bits
local at, read, rows, trained = folder.at, folder.read, checkpoints.rows, checkpoints.trained
local nn = lt.nn

lt.config.set_simulated_gpus(1)

local function outputs(model, x)
  local y = model:predict(x)
  local list = {}
  for i, tensor in ipairs(type(y) == "table" and y or { y }) do list[i] = tensor:bytes() end
  return table.concat(list)
end

expect.case("models of every kind come back as they were", function()
  for _, entry in ipairs(checkpoints.models()) do
    local name, model, x = table.unpack(entry)
    local wanted = outputs(model, x)
    lt.random.set_seed(1)
    model:save(path)
    local loaded = nn.load_model(path)
    expect.equal(outputs(loaded, x), wanted, name .. ": what it predicts")
    expect.equal(bits(loaded), bits(model), name .. ": its weights")
    expect.equal(loaded.name, model.name, name .. ": its name")
    for i, layer in ipairs(model.layers) do expect.equal(loaded.layers[i].name, layer.name, name .. ": a layer's name") end
    -- A loaded model is saved as the same file again.
    local before = read(path)
    lt.random.set_seed(1)
    loaded:save(path)
    assert(read(path) == before, name .. ": saved again, the file differs")
    -- Weights alone go into another model of the same form.
    model:save_weights(at "weights.safetensors")
    local other = nn.load_model(path)
    for _, variable in ipairs(other:variables()) do variable:assign(variable * 0) end
    other:load_weights(at "weights.safetensors")
    expect.equal(bits(other), bits(model), name .. ": its weights alone")
  end
end)

expect.case("a file's names are the fields' paths", function()
  local model = nn.Sequential { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1, { use_bias = false }) }
  model:save(path)
  local names = {}
  for name in pairs((lt.load(path))) do names[#names + 1] = name end
  table.sort(names)
  expect.equal(names, { "layers.1.bias", "layers.1.kernel", "layers.2.kernel" })
end)

expect.case("layers that were frozen stay so", function()
  local model = nn.Sequential { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1) }
  model.layers[1].trainable = false
  model:save(path)
  expect.equal(#nn.load_model(path):trainable_variables(), 2)
end)

-- A model of the program's own.
local Residual = nn.Model:extend "Residual"
function Residual:init(units)
  self.blocks = { nn.Dense(units, { activation = "tanh" }), nn.Dense(units) }
  self.scale = lt.Variable(0.5, { name = "scale" })
end
function Residual:call(x)
  for _, block in ipairs(self.blocks) do x = x + block(x) * self.scale end
  return x
end

expect.case("classes of the program's own", function()
  local model, x = Residual(4), rows { 5, 4 }
  local wanted = outputs(model, x)
  model:save(path)
  assert(lt.load(path)["blocks.2.kernel"] and lt.load(path).scale, "names of a class' fields")
  expect.raises("InvalidArgument", "has a Residual, which lutra does not have; if it is a class of the program's, give it as custom_objects",
    nn.load_model, path)
  expect.equal(outputs(nn.load_model(path, { custom_objects = { Residual = Residual } }), x), wanted, "with custom_objects")
  -- An instance that never saw a row.
  local fresh = Residual(4)
  expect.equal(outputs(fresh:load(path), x), wanted, "into an instance")
  expect.equal(outputs(Residual(4):load_weights(path), x), wanted, "weights into an instance")
  -- A layer among others, and options that no file can hold.
  local Scale = nn.Layer:extend "Scale"
  function Scale:init(f) self.f = f end
  function Scale:build() self.factor = self:add_weight { name = "factor", initializer = "ones" } end
  function Scale:compute_output_shape(shape) return shape end
  function Scale:call(y) return self.f(y) * self.factor end
  local chain = nn.Sequential { nn.Dense(2, { input_shape = { 4 } }), Scale(lt.relu) }
  chain:save(path)
  expect.equal(outputs(nn.load_model(path, { custom_objects = { Scale = Scale } }), x), outputs(chain, x), "a layer of one's own")
  chain = nn.Sequential { nn.Dense(2, { input_shape = { 4 } }), Scale(function(y) return y end) }
  chain:save(path)
  expect.raises("InvalidArgument", "a function cannot be written down", nn.load_model, path, { custom_objects = { Scale = Scale } })
  expect.raises("InvalidArgument", "make one and call load(path)", nn.load_model, path)
  for _, told in ipairs { "caf\xe9", { { ["caf\xe9"] = 1 } } } do
    chain = nn.Sequential { nn.Dense(2, { input_shape = { 4 } }), Scale(lt.relu, told) }
    chain:save(path)
    expect.raises("InvalidArgument", ("layer '%s': \"caf?\" is no UTF-8 and cannot be written down"):format(chain.layers[2].name), nn.load_model,
      path, { custom_objects = { Scale = Scale } })
  end
  expect.equal(bits(nn.Sequential { nn.Dense(2, { input_shape = { 4 } }), Scale(lt.relu) }:load(path)), bits(chain))
end)

expect.case("get_config and from_config", function()
  local dense = nn.Dense(3, { activation = "relu", name = "first" })
  local config = dense:get_config()
  expect.equal(config, { class = "nn.Dense", name = "first", arguments = { 3, { activation = "relu", name = "first" } } })
  local made = nn.Layer.from_config(config)
  expect.equal({ made.kind, made.name, made.units }, { "Dense", "first", 3 })
  expect.raises("InvalidArgument", "has a Dens, which lutra does not have", nn.Layer.from_config, { class = "nn.Dens", name = "x", arguments = {} })
  expect.raises("InvalidArgument", "lutra does not have", nn.Layer.from_config, { class = "config.reset", name = "x", arguments = {} })
  expect.raises("InvalidArgument", "lacks a layer", nn.Layer.from_config, 3)
end)

expect.case("training goes on with the same bits", function()
  local schedule = lt.optim.schedules.ExponentialDecay(0.05, 5, 0.9)
  local optimizers = {
    function() return lt.optim.SGD { learning_rate = 0.1, momentum = 0.9 } end, function() return "adam" end,
    function() return lt.optim.RMSprop { centered = true, momentum = 0.5 } end, function() return lt.optim.Lion() end,
    function() return lt.optim.AdamW { learning_rate = schedule, amsgrad = true } end, function() return lt.optim.Adagrad() end,
  }
  for i, optimizer in ipairs(optimizers) do
    local wanted = trained(optimizer(), 5)
    local model, fit = trained(optimizer(), 2)
    model:save(path)
    lt.random.set_seed(i)
    local loaded = nn.load_model(path, { resume = true })
    local history = fit(loaded, 5)
    expect.equal(history.epoch, { 3, 4, 5 }, "which epochs are left")
    expect.equal(bits(loaded), bits(wanted), "weights, optimizer " .. i)
    expect.equal(slot_bits(loaded), slot_bits(wanted), "slots, optimizer " .. i)
    expect.equal(loaded.optimizer.iterations, wanted.optimizer.iterations)
    -- The same into a model that has been trained otherwise since.
    model = trained(optimizer(), 3)
    model:load(path, { resume = true })
    fit(model, 5)
    expect.equal(bits(model), bits(wanted), "into another, optimizer " .. i)
  end
end)

expect.case("training on datasets goes on with the same bits", function()
  for name, how in pairs {
    ["shuffled by a seed"] = function(data) return data:shuffle(40, { seed = 4 }):batch(7) end,
    ["shuffled without one"] = function(data) return data:shuffle(10):batch(7) end,
    ["in one order"] = function(data) return data:shuffle(40, { reshuffle_each_iteration = false }):batch(7) end,
    ["mapped"] = function(data)
      return data:map(function(x, y) return x + lt.random.normal(x.shape) * 0.01, y end):shuffle(9, { seed = 2 }):batch(7)
    end,
  } do
    local wanted = trained("adam", 4, how)
    trained("adam", 2, how):save(path)
    local _, fit = trained("sgd", 0, how)
    local loaded = nn.load_model(path, { resume = true })
    fit(loaded, 4)
    expect.equal(bits(loaded), bits(wanted), name)
  end
  -- Epochs that end within an iteration over the dataset: the next epoch continues from there.
  lt.random.set_seed(1)
  local x, y = rows({ 40, 4 }, 3)
  local function endless() return lt.data.Dataset.from_tensor_slices(x, y):shuffle(40):repeat_():batch(7) end
  local function fresh()
    lt.random.set_seed(2)
    local model = nn.Sequential { nn.Dense(3, { activation = "softmax", input_shape = { 4 } }) }
    model:compile { optimizer = "adam", loss = "sparse_categorical_crossentropy" }
    return model
  end
  local wanted, first = fresh(), nil
  wanted:fit(endless(), { epochs = 5, steps_per_epoch = 4, verbose = 0 })
  first = fresh()
  first:fit(endless(), { epochs = 2, steps_per_epoch = 4, verbose = 0 })
  first:save(path)
  lt.random.set_seed(77)
  local loaded = nn.load_model(path, { resume = true })
  loaded:fit(endless(), { epochs = 5, steps_per_epoch = 4, verbose = 0 })
  expect.equal(bits(loaded), bits(wanted), "with steps_per_epoch")
  expect.raises("InvalidArgument", "the dataset has 0 shuffles, and the one that the saved fit went through had 1", function()
    nn.load_model(path, { resume = true }):fit(lt.data.Dataset.from_tensor_slices(x, y):batch(7), { epochs = 5, verbose = 0 })
  end)
end)

expect.case("without resume, nothing but the model comes from the file", function()
  local model, fit = trained("adam", 2)
  model:save(path)
  lt.random.set_seed(3)
  local wanted = lt.random.uniform({ 3 }):totable()
  lt.random.set_seed(3)
  model:load(path)
  expect.equal(lt.random.uniform({ 3 }):totable(), wanted, "set_seed's sequence")
  expect.equal(fit(model, 1).epoch, { 1 })
  model:save(path, { include_optimizer = false })
  expect.equal(rawget(nn.load_model(path), "loss"), nil, "not compiled")
end)

expect.case("files are neutral about devices", function()
  local x = rows { 5, 4 }
  local wanted
  for _, device in ipairs { "/CPU:0", "/GPU:0" } do
    lt.device(device, function()
      lt.random.set_seed(8)
      local model = nn.Sequential { nn.Dense(3, { input_shape = { 4 }, name = "only" }), name = "model" }
      model:compile { optimizer = "adam", loss = "mse" }
      model:fit(x, lt.zeros { 5, 3 }, { verbose = 0 })
      model:save(at(device:sub(2, 4) .. ".safetensors"))
      wanted = wanted or bits(model)
    end)
  end
  assert(read(at "CPU.safetensors") == read(at "GPU.safetensors"), "the file tells where the model lay")
  lt.device("/GPU:0", function()
    local model = nn.load_model(at "CPU.safetensors")
    expect.equal(bits(model), wanted)
    expect.equal(model:variables()[1].device, lt.zeros({ 1 }).device, "where it lies now")
  end)
end)

expect.case("what is compiled with what no file can hold", function()
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 4 } }) }
  model:compile { optimizer = "adam", loss = function(a, b) return lt.mse(a, b) end }
  model:fit(rows { 5, 4 }, lt.zeros { 5, 1 }, { verbose = 0 })
  model:save(path)
  local loaded = nn.load_model(path)
  expect.equal(rawget(loaded, "loss"), nil, "not compiled")
  loaded:compile { optimizer = "adam", loss = "mse" }
  loaded:load(path)
  expect.equal(slot_bits(loaded), slot_bits({ optimizer = loaded.optimizer }))
  expect.equal(loaded.optimizer.iterations, 1)
end)

expect.case("a model of several outputs, and one of several devices", function()
  local input = nn.Input { 4 }
  local model = nn.Model { inputs = input, outputs = { nn.Dense(1, { name = "a" })(input), nn.Dense(3, { name = "b", activation = "softmax" })(input) } }
  model:compile { optimizer = "adam", loss = { a = "mse", b = nn.losses.SparseCategoricalCrossentropy() }, loss_weights = { a = 2, b = 0.5 },
    metrics = { b = "accuracy" }, precision = "bf16" }
  local x, labels = rows({ 12, 4 }, 3)
  local y = { a = lt.zeros { 12, 1 }, b = labels }
  model:fit(x, y, { verbose = 0 })
  model:save(path)
  local loaded = nn.load_model(path)
  expect.equal({ loaded:evaluate(x, y, { verbose = 0 }) }, { model:evaluate(x, y, { verbose = 0 }) }, "what is compiled")
  expect.equal(slot_bits(loaded), slot_bits(model))

  local strategy = lt.distribute.MirroredStrategy { "/GPU:0", "/CPU:0" }
  local function fresh()
    lt.random.set_seed(4)
    return strategy:scope(function()
      local made = nn.Sequential { nn.Dense(5, { activation = "tanh", input_shape = { 4 } }), nn.Dense(1) }
      made:compile { optimizer = "adam", loss = "mse" }
      return made
    end)
  end
  local options = { epochs = 2, batch_size = 5, verbose = 0 }
  local mirrored = fresh()
  mirrored:fit(x, y.a, options)
  mirrored:save(path)
  mirrored:fit(x, y.a, { epochs = 4, initial_epoch = 2, batch_size = 5, verbose = 0 })
  lt.random.set_seed(99)
  for what, other in pairs { ["made by load_model"] = strategy:scope(nn.load_model, path, { resume = true }), ["loaded into"] = fresh() } do
    other:load(path, { resume = true })
    options.epochs = 4
    other:fit(x, y.a, options)
    expect.equal(bits(other), bits(mirrored), "mirrored, " .. what)
    expect.equal(slot_bits(other), slot_bits(mirrored), "slots, " .. what)
  end
  expect.equal(bits(nn.load_model(path)) == "", false, "on one device")
end)

expect.case("ModelCheckpoint", function()
  local x, y = rows { 12, 4 }, lt.ones { 12, 1 }
  local function fit(save, options, epochs)
    lt.random.set_seed(2)
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 4 } }) }
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "mse" }
    local keep = nn.callbacks.ModelCheckpoint(save, options)
    local history = model:fit(x, y, { epochs = epochs or 3, batch_size = 4, verbose = 0, callbacks = { keep } })
    return model, keep, history.history.loss
  end
  folder.clear()
  local model, keep, losses = fit(at "{epoch:02d}-{loss:.3f}.safetensors")
  local wanted = {}
  for i, loss in ipairs(losses) do wanted[i] = ("%02d-%.3f.safetensors\n"):format(i, loss) end
  expect.equal(folder.list(), table.concat(wanted))
  expect.equal(bits(nn.load_model(keep.path)), bits(model), "the last one")
  expect.equal(nn.load_model(keep.path).optimizer.iterations, 9)
  folder.clear()
  -- Only what is better: a loss that grows is saved once.
  fit(at "best-{epoch}.safetensors", { monitor = "loss", mode = "max", save_best_only = true, save_weights_only = true })
  expect.equal(folder.list(), "best-1.safetensors\n")
  expect.raises("InvalidArgument", "it holds weights alone", nn.load_model, at "best-1.safetensors")
  fit(at "none-{epoch}.safetensors", { monitor = "loss", save_best_only = true, initial_value_threshold = 1e-9 })
  fit(at "step-{epoch}.safetensors", { save_freq = 5 })
  expect.equal(folder.list(), "best-1.safetensors\nstep-2.safetensors\n", "9 batches, of which the fifth is in epoch 2")
  expect.raises("InvalidArgument", "ModelCheckpoint: path is 3, expected one that ends in .safetensors", nn.callbacks.ModelCheckpoint, 3)
  expect.raises("InvalidArgument", "save_freq is 0, expected a whole number, 1 or more", nn.callbacks.ModelCheckpoint, at "a.safetensors", { save_freq = 0 })
  expect.raises("InvalidArgument", "the path has {los}, which is not in the logs (did you mean 'loss'?)", fit, at "{los}.safetensors")
  expect.raises("InvalidArgument", "the path has {loss:s}, expected a form such as 02d or .3f", fit, at "{loss:s}.safetensors")
end)

expect.case("metadata of safetensors files", function()
  lt.save(path, { a = lt.ones { 2 } }, { metadata = { format = "np", ["quote\"d"] = "é\n" } })
  local tensors, metadata = lt.load(path)
  expect.equal(metadata, { format = "np", ["quote\"d"] = "é\n" })
  expect.equal(tensors.a:totable(), { 1, 1 })
  lt.save(path, { a = lt.ones { 2 } })
  expect.equal(select("#", lt.load(path)), 1, "results of a file without")
  expect.raises("InvalidArgument", "metadata", lt.save, path, { a = lt.ones { 2 } }, { metadata = { 3 } })
  expect.raises("InvalidArgument", "is no UTF-8", lt.save, path, { a = lt.ones { 2 } }, { metadata = { a = "\255" } })
end)

folder.remove()
expect.end_of_cases()
