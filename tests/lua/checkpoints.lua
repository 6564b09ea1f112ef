-- Models written to files and read back: every kind of model, what training goes on with, what is refused, and that a file
-- is replaced whole or not at all.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(1)

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir '" .. folder .. "'"))
local function at(name) return folder .. "/" .. name end
local path = at "model.safetensors"
local function read(name)
  local file <close> = assert(io.open(name, "rb"))
  return file:read("a")
end
local function write(name, bytes)
  local file <close> = assert(io.open(name, "wb"))
  file:write(bytes)
end
local function files()
  local pipe <close> = assert(io.popen("ls -A '" .. folder .. "'"))
  return pipe:read("a")
end

-- The bytes of all weights, in order.
local function bits(model)
  local list = {}
  for i, weight in ipairs(model:get_weights()) do list[i] = weight.dtype .. tostring(weight.shape) .. weight:bytes() end
  return table.concat(list)
end
local function slot_bits(model)
  local list = {}
  for i, variable in ipairs(model.optimizer:variables()) do list[i] = variable:value():bytes() end
  return table.concat(list)
end

local function rows(shape, classes)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return ((lt.range(size) * 7 % 11):float32() / 11):reshape(shape), classes and lt.range(shape[1]) % classes + 1
end

-- {name, model, rows}: one of each kind, with options of each kind.
local function models()
  local a, b = nn.Input { 4 }, nn.Input { 3 }
  local shared = nn.Dense(5, { activation = "tanh" })
  local graph = nn.Model {
    inputs = { a, b }, outputs = { nn.Add() { shared(a), nn.Dense(5)(b) }, nn.Dense(2, { name = "second" })(shared(a)) }, name = "graph",
  }
  local steps = nn.Input { 6, 4 }
  local sequence, state = table.unpack(nn.LSTM(3, { return_sequences = true, return_state = true })(steps))
  local recurrent = nn.Model { inputs = steps, outputs = { nn.Bidirectional(nn.GRU(2))(sequence), nn.Dense(2)(state) } }
  local attended = nn.MultiHeadAttention(2, 3)({ steps, steps }, { use_causal_mask = true })
  local input = rows { 5, 4 }
  return {
    { "dense", nn.Sequential { nn.Dense(3, { activation = "relu", kernel_initializer = nn.initializers.HeNormal { seed = 3 },
      kernel_regularizer = nn.regularizers.L1L2 { l1 = 0.1 }, input_shape = { 4 } }), nn.Dropout(0.5), nn.Dense(2, { activation = lt.softmax,
      use_bias = false }) }, input },
    { "built late", nn.Sequential { nn.Dense(3), nn.BatchNorm { momentum = 0.9 }, nn.LayerNorm() }, input },
    { "by an Input, nested", nn.Sequential { nn.Input { 4 }, nn.Sequential { nn.Dense(3, { name = "inner" }), nn.Activation "gelu" },
      nn.Dense(1) }, input },
    { "images", nn.Sequential { nn.Conv2D(4, 3, { padding = "same", input_shape = { 8, 8, 1 } }), nn.MaxPool2D(2), nn.AvgPool2D { strides = 1 },
      nn.Flatten(), nn.Reshape { -1, 4 } }, rows { 2, 8, 8, 1 } },
    { "lookups", nn.Sequential { nn.Embedding(10, 3), nn.Flatten() }, lt.constant { { 1, 10 }, { 3, 4 } } },
    { "graph", graph, { rows { 5, 4 }, rows { 5, 3 } } },
    { "recurrent", recurrent, rows { 5, 6, 4 } },
    { "attention", nn.Model { inputs = steps, outputs = nn.TimeDistributed(nn.Dense(2))(attended) }, rows { 5, 6, 4 } },
  }
end

local function outputs(model, x)
  local y = model:predict(x)
  local list = {}
  for i, tensor in ipairs(type(y) == "table" and y or { y }) do list[i] = tensor:bytes() end
  return table.concat(list)
end

expect.case("models of every kind come back as they were", function()
  for _, entry in ipairs(models()) do
    local name, model, x = table.unpack(entry)
    local wanted = outputs(model, x)
    lt.random.set_seed(1)
    model:save(path)
    local loaded = nn.load_model(path)
    expect.equal(outputs(loaded, x), wanted, name .. ": what it predicts")
    expect.equal(bits(loaded), bits(model), name .. ": its weights")
    expect.equal(loaded.name, model.name, name .. ": its name")
    for i, layer in ipairs(model.layers) do expect.equal(loaded.layers[i].name, layer.name, name .. ": a layer's name") end
    -- What is loaded is written as the same file again.
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

-- A model with everything random in it: weights, an order of rows, dropout.
local function trained(optimizer, epochs, how)
  lt.random.set_seed(5)
  local x, y = rows({ 40, 4 }, 3)
  local model = nn.Sequential {
    nn.Dense(8, { activation = "relu", input_shape = { 4 } }), nn.Dropout(0.3), nn.BatchNorm(), nn.Dense(3, { activation = "softmax" }),
  }
  model:compile { optimizer = optimizer, loss = "sparse_categorical_crossentropy", metrics = { "accuracy" } }
  local data = how and how(lt.data.Dataset.from_tensor_slices(x, y))
  local function fit(which, last, options)
    local given = { epochs = last, verbose = 0, table.unpack(options or {}) }
    for key, value in pairs(options or {}) do given[key] = value end
    if data then return which:fit(data, given) end
    given.batch_size = 7
    return which:fit(x, y, given)
  end
  fit(model, epochs)
  return model, fit
end

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
  -- Epochs that end within an iteration: the next one goes on there.
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

expect.case("another model's file names the first weight that differs", function()
  local model = nn.Sequential({ nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1), name = "mine" })
  model:save(path)
  local before = bits(model)
  for words, other in pairs {
    ["the weight 'layers.1.kernel' is float32 (4, 3) in the file and float32 (5, 3) in the model 'other'"] = { nn.Dense(3, { input_shape = { 5 } }), nn.Dense(1) },
    ["the weight 'layers.2.kernel' is float32 (3, 1) in the file and float32 (3, 2) in the model 'other'"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(2) },
    ["it has no weight 'layers.3.kernel', which is float32 (1, 1) in the model 'other'"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1), nn.Dense(1) },
    ["it has a weight 'layers.2.bias', float32 (1,), which the model 'other' does not have"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1, { use_bias = false }) },
  } do
    other.name = "other"
    local made = nn.Sequential(other)
    local was = bits(made)
    for _, method in ipairs { "load", "load_weights" } do
      local err = expect.raises("InvalidArgument", words, made[method], made, path)
      assert(err.message:find(path, 1, true), "the error names the file")
      expect.equal(bits(made), was, "nothing was taken")
    end
  end
  model:compile { optimizer = "adam", loss = "mse" }
  model:fit(rows { 5, 4 }, lt.zeros { 5, 1 }, { verbose = 0 })
  model:save(path)
  before = bits(model)
  model:compile { optimizer = "sgd", loss = "mse" }
  expect.raises("InvalidArgument", "its optimizer is Adam, and the model 'mine' is compiled with SGD", model.load, model, path)
  model:load_weights(path)
  expect.equal(bits(model), before)
end)

expect.case("damaged files, and files of others", function()
  local model = trained("adam", 1)
  model:save(path)
  local whole, before = read(path), bits(model)
  for cut = 0, #whole - 1, 97 do
    write(at "cut.safetensors", whole:sub(1, cut))
    expect.raises("InvalidArgument", "cut.safetensors", nn.load_model, at "cut.safetensors")
    expect.raises("InvalidArgument", "cut.safetensors", model.load, model, at "cut.safetensors")
  end
  expect.equal(bits(model), before, "the model is as it was")
  -- The description changed in one place, of the same length: an Error of ours or a model, never anything else.
  local first, last = whole:find('"lutra.model":".-[^\\]"')
  for place = first + 16, last - 2, 11 do
    for _, c in ipairs { "0", "[", "x" } do
      write(at "changed.safetensors", whole:sub(1, place - 1) .. c .. whole:sub(place + 1))
      local ok, err = pcall(nn.load_model, at "changed.safetensors")
      assert(ok or lt.iserror(err), ("byte %d: a plain error: %s"):format(place, tostring(err)))
    end
  end
  lt.save(at "tensors.safetensors", { a = lt.ones { 2 } })
  expect.raises("InvalidArgument", "holds tensors and no model; load_weights reads them", nn.load_model, at "tensors.safetensors")
  model:save_weights(at "weights.safetensors")
  expect.raises("InvalidArgument", "it holds weights alone", nn.load_model, at "weights.safetensors")
  lt.save(at "later.safetensors", { a = lt.ones { 2 } }, { metadata = { ["lutra.model"] = '{"format":2}' } })
  expect.raises("InvalidArgument", "its format is 2, and this version of Lutra reads up to 1", nn.load_model, at "later.safetensors")
  expect.raises("InvalidArgument", "expected one that ends in .safetensors", model.save, model, at "model.h5")
  expect.raises("NotFound", "there.safetensors", nn.load_model, at "not/there.safetensors")
end)

expect.case("a description that says something else", function()
  -- Each value in turn is replaced by others: reading ends in a model or in an Error of ours.
  local model, fit = trained("adam", 1)
  model:save(path)
  local graph = models()[6][2]
  graph:compile { optimizer = lt.optim.SGD { momentum = 0.5 }, loss = { "mse", "mae" } }
  graph:save(at "graph.safetensors")
  for _, name in ipairs { path, at "graph.safetensors" } do
    local tensors, metadata = lt.load(name)
    local text = metadata["lutra.model"]
    local tried, read_well = 0, 0
    for place in text:gmatch "[%[:,]()" do
      local value = text:match("^%b{}", place) or text:match("^%b[]", place) or text:match('^"[^"]*"', place) or text:match("^[%w%.%-+]+", place)
      for _, other in ipairs { "3", "-1", "0.5", '"x"', "[]", "{}", "null", "true", '[[1]]', '{"@":"layer"}' } do
        if value and value ~= other and (tried % 3 == 0 or #value < 8) then
          lt.save(at "other.safetensors", tensors, { metadata = { ["lutra.model"] = text:sub(1, place - 1) .. other .. text:sub(place + #value) } })
          local ok, err = pcall(function()
            local loaded = nn.load_model(at "other.safetensors", { resume = true })
            read_well = read_well + 1
            if name == path then fit(loaded, 2) end
          end)
          if not ok and not lt.iserror(err) then
            error(("%s in place of %s at %d of %s: a plain error: %s"):format(other, value:sub(1, 40), place, text:sub(place - 30, place + 30), tostring(err)))
          end
        end
        tried = tried + 1
      end
    end
    assert(tried > 500 and read_well > 0, ("%d tried, %d of them read"):format(tried, read_well))
  end
end)

expect.case("a full disk leaves the old file", function()
  local model = nn.Sequential { nn.Dense(200, { input_shape = { 200 } }) }
  model:save(path)
  local before, names = read(path), files()
  local script = ([[
    local lt = require "lutra"
    local model = lt.nn.Sequential { lt.nn.Dense(200, { input_shape = { 200 } }) }
    local ok, err = pcall(model.save, model, %q)
    print(ok, err.code, err.message)
  ]]):format(path)
  -- 64 blocks of 1024 or 512 bytes; the weights take 160,000.
  local text = expect.program(script, "", "ulimit -f 64;")
  assert(text:find("^false\tResourceExhausted\t") and text:find("cannot be written", 1, true), text)
  assert(read(path) == before, "the old file is gone")
  expect.equal(files(), names, "what lies in the folder")
  expect.raises("InvalidArgument", "is no regular file", function()
    os.execute(("ln -s /dev/full '%s'"):format(at "full.safetensors"))
    model:save(at "full.safetensors")
  end)
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
  os.execute(("rm '%s'/*"):format(folder))
  local model, keep, losses = fit(at "{epoch:02d}-{loss:.3f}.safetensors")
  local wanted = {}
  for i, loss in ipairs(losses) do wanted[i] = ("%02d-%.3f.safetensors\n"):format(i, loss) end
  expect.equal(files(), table.concat(wanted))
  expect.equal(bits(nn.load_model(keep.path)), bits(model), "the last one")
  expect.equal(nn.load_model(keep.path).optimizer.iterations, 9)
  os.execute(("rm '%s'/*"):format(folder))
  -- Only what is better: a loss that grows is saved once.
  fit(at "best-{epoch}.safetensors", { monitor = "loss", mode = "max", save_best_only = true, save_weights_only = true })
  expect.equal(files(), "best-1.safetensors\n")
  expect.raises("InvalidArgument", "it holds weights alone", nn.load_model, at "best-1.safetensors")
  fit(at "none-{epoch}.safetensors", { monitor = "loss", save_best_only = true, initial_value_threshold = 1e-9 })
  fit(at "step-{epoch}.safetensors", { save_freq = 5 })
  expect.equal(files(), "best-1.safetensors\nstep-2.safetensors\n", "9 batches, of which the fifth is in epoch 2")
  expect.raises("InvalidArgument", "ModelCheckpoint: path is 3, expected one that ends in .safetensors", nn.callbacks.ModelCheckpoint, 3)
  expect.raises("InvalidArgument", "save_freq is 0, expected a whole number, 1 or more", nn.callbacks.ModelCheckpoint, at "a.safetensors", { save_freq = 0 })
  expect.raises("InvalidArgument", "the path has {los}, which is not told (did you mean 'loss'?)", fit, at "{los}.safetensors")
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

os.execute(("rm -r '%s'"):format(folder))
expect.end_of_cases()
