-- Models whose first layers take strings, against Keras' numbers (make_keras_texts.py); datasets of strings; files.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn, data = lt.nn, lt.data

lt.config.set_simulated_gpus(2)

local golden = dofile("tests/support/golden/keras_texts.lua")
local texts = { "The film was good, really good!", "bad film", "what a bad, bad plot", "good plot", "the film", "unseen words only" }
local labels = lt.constant { { 1.0 }, { 0.0 }, { 0.0 }, { 1.0 } }
local function first(list, n) return table.move(list, 1, n, 1, {}) end
local function noise(seed, shape)
  local size, list = 1, {}
  for _, n in ipairs(shape) do size = size * n end
  for i = 0, size - 1 do list[i + 1] = (((i * 7919 + seed * 104729) * (i + 31) % 16777213) / 8388606.5 - 1) * 0.5 end
  return lt.constant(list):reshape(shape)
end

local function set(model, weights)
  local list = {}
  for i, variable in ipairs(model:trainable_variables()) do
    list[i] = lt.constant(weights[i]):reshape(variable.shape)
  end
  model:set_weights(list)
end

-- Trains as Keras did, and compares.
local function compare(name, model, x, fitted)
  local wanted = golden[name]
  model:predict(x)
  set(model, wanted.weights)
  expect.close(model:predict(x):flatten(), wanted.before, 2e-6, name .. ": before")
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "binary_crossentropy" }
  local history = model:fit(fitted, labels, { epochs = 3, batch_size = 2, shuffle = false, verbose = 0 })
  expect.close(lt.constant(history.history.loss), wanted.losses, 2e-6, name .. ": losses")
  expect.close(model:predict(x, { batch_size = 4 }):flatten(), wanted.after, 5e-6, name .. ": after")
  for i, variable in ipairs(model:trainable_variables()) do
    expect.close(variable:flatten(), wanted.trained[i], 5e-6, name .. ": weight " .. i)
  end
end

local function sequential(vectorize)
  return nn.Sequential { vectorize, nn.Embedding(vectorize:vocabulary_size() - 1, 3, { mask_zero = true }),
    nn.GlobalAveragePooling1D(), nn.Dense(1, { activation = "sigmoid" }) }
end

expect.case("Sequential with TextVectorization on a table of strings", function()
  local model = sequential(nn.TextVectorization():adapt(first(texts, 4)))
  compare("ids", model, texts, first(texts, 4))
  expect.equal({ table.unpack(model(texts).shape) }, { 6, 1 })
  expect.close(model(texts), model:predict(texts):totable(), 1e-6)
  -- Rows are a text each, or a list of one.
  local rows = {}
  for i, text in ipairs(texts) do rows[i] = { text } end
  expect.close(model:predict(rows), model:predict(texts):totable(), 0)
  local loss = model:evaluate(first(texts, 4), labels, { verbose = 0 })
  expect.close(lt.constant(loss), model:test_on_batch(first(texts, 4), labels), 1e-6)
  -- Shuffled, with rows held back.
  local history = model:fit(first(texts, 4), labels, { validation_split = 0.25, batch_size = 1, verbose = 0, seed = 1 })
  assert(history.history.val_loss[1] > 0)
end)

expect.case("an Input of strings, rows of weights", function()
  local counts = nn.TextVectorization { output_mode = "tf_idf" }:adapt(first(texts, 4))
  local rows = {}
  for i, text in ipairs(texts) do rows[i] = { text } end
  local model = nn.Sequential { nn.Input({ 1 }, { dtype = "string" }), counts, nn.Dense(2, { activation = "tanh" }),
    nn.Dense(1, { activation = "sigmoid" }) }
  compare("tf_idf", model, rows, first(rows, 4))
end)

local function of_inputs()
  local title, kind = nn.Input({}, { dtype = "string", name = "title" }), nn.Input({ 1 }, { dtype = "string", name = "kind" })
  local price = nn.Input({ 2 }, { name = "price" })
  local hot = nn.TextVectorization { output_mode = "multi_hot", max_tokens = 6 }:adapt(first(texts, 4))
  local lookup = nn.StringLookup { vocabulary = { "film", "plot" }, output_mode = "one_hot" }
  local joined = nn.Concatenate() { hot(title), lookup(kind), price }
  return nn.Model { inputs = { title, kind, price }, outputs = nn.Dense(1, { activation = "sigmoid" })(joined) }
end
local function of_rows(n)
  local kinds = { "film", "film", "plot", "plot", "film", "none" }
  return { title = first(texts, n), kind = first(kinds, n), price = noise(3, { 6, 2 })[{ { 1, n } }] }
end

expect.case("a functional model of strings and numbers", function()
  compare("inputs", of_inputs(), of_rows(6), of_rows(4))
  local model, x = of_inputs(), of_rows(6)
  local by_name = model(x)
  expect.close(model { x.title, x.kind, x.price }, by_name:totable(), 0)
  expect.close(model:predict { x.title, x.kind, x.price }, by_name:totable(), 0)
end)

expect.case("fit, evaluate and predict of datasets of strings", function()
  local x, y = first(texts, 4), labels
  local function dataset() return data.Dataset.from_tensor_slices(x, y):batch(2) end
  local vectorize = nn.TextVectorization():adapt(data.Dataset.from_tensor_slices(x))
  expect.equal(vectorize:get_vocabulary(), nn.TextVectorization():adapt(x):get_vocabulary())
  local model = sequential(vectorize)
  model:predict(dataset():map(function(text) return text end))
  set(model, golden.ids.weights)
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "binary_crossentropy" }
  local history = model:fit(dataset(), { epochs = 3, verbose = 0 })
  expect.close(lt.constant(history.history.loss), golden.ids.losses, 2e-6)
  expect.close(model:predict(data.Dataset.from_tensor_slices(texts):batch(4)):flatten(), golden.ids.after, 5e-6)
  local loss = model:evaluate(dataset(), { verbose = 0 })
  expect.close(lt.constant(loss), model:evaluate(x, y, { verbose = 0 }), 1e-6)
  -- Ids by the layer in a map, for the rest of the model.
  local ids = dataset():map(function(text, label) return vectorize(text), label end)
  for a, b in ids:iterate() do expect.equal({ a.dtype, a.shape[1], b.shape[1] }, { "int64", 2, 2 }) end
end)

expect.case("datasets hold strings", function()
  local function all(ds)
    local list = {}
    for a, b in ds:iterate() do list[#list + 1] = { a, b and (type(b) == "userdata" and b:totable() or b) or nil } end
    return list
  end
  local slices = data.Dataset.from_tensor_slices
  expect.equal(all(slices({ "a", "b", "c" }, { 1, 2, 3 })), { { "a", 1 }, { "b", 2 }, { "c", 3 } })
  expect.equal(all(slices({ { "a", "b", "c" }, lt.constant { 1, 2, 3 } }):batch(2)), { { { "a", "b" }, { 1, 2 } }, { { "c" }, { 3 } } })
  expect.equal(all(slices({ { "a" }, { "b" } }):batch(2)), { { { { "a" }, { "b" } } } })
  expect.equal(all(slices({ "a", "b", "c" }):skip(1):repeat_(2):batch(3)), { { { "b", "c", "b" } }, { { "c" } } })
  local shuffled = all(slices({ "a", "b", "c", "d" }, { 1, 2, 3, 4 }):shuffle(4, { seed = 1 }):batch(4))[1]
  for i = 1, 4 do expect.equal(shuffled[1][i], ("abcd"):sub(shuffled[2][i], shuffled[2][i])) end
  expect.equal(all(slices({ "a", "b" }):map(function(text) return text:upper(), #text end)), { { "A", 1 }, { "B", 1 } })
  expect.equal(all(slices({ "a", "bb", "c" }):filter(function(text) return #text == 1 end):batch(9)), { { { "a", "c" } } })
  expect.equal(all(data.Dataset.zip(slices { "a", "b", "c" }, slices { 1, 2 })), { { "a", 1 }, { "b", 2 } })
  expect.equal(all(slices({ "a", "b", "c" }):batch(2):unbatch()), { { "a" }, { "b" }, { "c" } })
  expect.equal(all(slices({ "a", "b", "c" }):batch(2):prefetch(2)), { { { "a", "b" } }, { { "c" } } })
  expect.equal(all(data.Dataset.from_generator(function()
    local i = 0
    return function()
      i = i + 1
      if i < 3 then return "text " .. i, i end
    end
  end):batch(2)), { { { "text 1", "text 2" }, { 1, 2 } } })
  for row in slices({ title = { "a", "b" }, price = lt.constant { 1.0, 2.0 } }):batch(2):iterate() do
    expect.equal({ row.title, row.price:totable() }, { { "a", "b" }, { 1.0, 2.0 } })
  end
  expect.equal(all(data.Dataset.from_tensors({ "a", "b" })), { { { "a", "b" } } })
  expect.raises("InvalidArgument", "3 rows and value 2 2", slices, { "a", "b", "c" }, { 1, 2 })
  expect.raises("InvalidArgument", "value 1 is a string, expected rows", slices, "a")
end)

expect.case("a model keeps its vocabulary in its file", function()
  local path = expect.path ".safetensors"
  local model = sequential(nn.TextVectorization():adapt(first(texts, 4)))
  local wanted = model:predict(texts):totable()
  model:compile { optimizer = "adam", loss = "binary_crossentropy" }
  model:save(path)
  local again = nn.load_model(path)
  expect.equal(again.layers[1]:get_vocabulary(), model.layers[1]:get_vocabulary())
  expect.equal(again:predict(texts):totable(), wanted)
  again:fit(first(texts, 4), labels, { verbose = 0 })
  -- Into a model that has seen no texts; weights alone, too.
  local fresh = nn.Sequential { nn.TextVectorization(), nn.Embedding(10, 3, { mask_zero = true }), nn.GlobalAveragePooling1D(),
    nn.Dense(1, { activation = "sigmoid" }) }
  fresh:load(path)
  expect.equal(fresh:predict(texts):totable(), wanted)
  model:save_weights(path)
  local weights_only = nn.Sequential { nn.TextVectorization(), nn.Embedding(10, 3, { mask_zero = true }),
    nn.GlobalAveragePooling1D(), nn.Dense(1, { activation = "sigmoid" }) }
  weights_only:load_weights(path)
  expect.equal(weights_only:predict(texts):totable(), wanted)
  -- Shapes that depend on the vocabulary; its weights; tokens that are no UTF-8.
  local functional, x = of_inputs(), of_rows(6)
  wanted = functional:predict(x):totable()
  functional:save(path)
  expect.equal(nn.load_model(path):predict(x):totable(), wanted)
  local odd = { "caf\xe9 caf\xe9 th\xe9", "na\xefve", "plain" }
  model = nn.Sequential { nn.TextVectorization { output_mode = "tf_idf" }:adapt(odd), nn.Dense(1) }
  wanted = model:predict(odd):totable()
  model:save(path)
  again = nn.load_model(path)
  expect.equal(again:predict(odd):totable(), wanted)
  expect.equal(again.layers[1]:get_idf_weights(), model.layers[1]:get_idf_weights())
  -- The file of a vocabulary is not read again.
  local list = expect.path ".txt"
  local file = assert(io.open(list, "w"))
  file:write "good\nbad\n"
  file:close()
  model = nn.Sequential { nn.TextVectorization { vocabulary = list, output_mode = "multi_hot" }, nn.Dense(1) }
  wanted = model:predict(texts):totable()
  model:save(path)
  os.remove(list)
  expect.equal(nn.load_model(path):predict(texts):totable(), wanted)
  -- Boundaries that were learned.
  local bins = nn.Discretization { num_bins = 3 }:adapt(lt.constant { 1.0, 2.0, 3.0, 4.0 })
  model = nn.Sequential { nn.Input { 2 }, bins, nn.CategoryEncoding(3), nn.Dense(1) }
  local rows = lt.constant { { 1.0, 4.0 }, { 2.0, 3.0 } }
  wanted = model:predict(rows):totable()
  model:save(path)
  expect.equal(nn.load_model(path):predict(rows):totable(), wanted)
  os.remove(path)
end)

expect.case("a class with a text layer, replicas, mixed precision, own steps", function()
  local Net = nn.Model:extend "Net"
  function Net:init(vectorize)
    self.vectorize = vectorize
    self.embed, self.pool, self.out = nn.Embedding(20, 3, { mask_zero = true }), nn.GlobalAveragePooling1D(), nn.Dense(1)
  end
  function Net:call(x) return self.out(self.pool(self.embed(self.vectorize(x)))) end
  local vectorize = nn.TextVectorization():adapt(first(texts, 4))
  local net = Net(vectorize)
  net:compile { optimizer = "sgd", loss = "mse" }
  net:fit(first(texts, 4), labels, { batch_size = 2, verbose = 0 })
  expect.equal({ table.unpack(net:predict(texts).shape) }, { 6, 1 })
  local path = expect.path ".safetensors"
  net:save(path)
  local other = Net(nn.TextVectorization())
  other:load(path)
  expect.equal(other:predict(texts):totable(), net:predict(texts):totable())
  os.remove(path)

  local alone = sequential(vectorize)
  alone:predict(texts)
  alone:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "binary_crossentropy" }
  local strategy, shared = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }, nil
  strategy:scope(function()
    shared = sequential(vectorize)
    shared:compile { optimizer = lt.optim.SGD { learning_rate = 0.5 }, loss = "binary_crossentropy" }
  end)
  shared:predict(texts)
  shared:set_weights(alone:get_weights())
  for _, model in ipairs { alone, shared } do model:fit(first(texts, 4), labels, { epochs = 2, batch_size = 3, shuffle = false, verbose = 0 }) end
  expect.close(shared:predict(texts), alone:predict(texts):totable(), 1e-5)

  local half = sequential(vectorize)
  half:compile { optimizer = "sgd", loss = "binary_crossentropy", precision = "bf16" }
  half:fit(first(texts, 4), labels, { verbose = 0 })
  expect.equal(half:predict(texts).dtype, "float32")

  local Own = nn.Sequential:extend "Own"
  local seen
  function Own:train_step(given)
    seen = given[1]
    return nn.Sequential.train_step(self, given)
  end
  local own = Own { nn.TextVectorization():adapt(texts), nn.Embedding(20, 2, { mask_zero = true }), nn.GlobalAveragePooling1D(), nn.Dense(1) }
  own:compile { optimizer = "sgd", loss = "mse" }
  own:fit(first(texts, 4), labels, { shuffle = false, verbose = 0 })
  expect.equal(seen, first(texts, 4))
end)

expect.case("text layers where they cannot stand, and wrong rows", function()
  local v = nn.TextVectorization():adapt(texts)
  expect.raises("InvalidArgument", "the layer 'first' before it gives numbers, and it takes strings", nn.Sequential,
    { nn.Dense(3, { name = "first" }), v })
  expect.raises("InvalidArgument", "the model's Input gives numbers, and it takes strings", nn.Sequential, { nn.Input { 4 }, v })
  expect.raises("InvalidArgument", "the model's Input is strings, expected numbers: a text layer", nn.Sequential,
    { nn.Input({ 4 }, { dtype = "string" }), nn.Dense(1) })
  expect.raises("InvalidArgument", "its input 'a' gives numbers, and it takes strings", v, nn.Input({ 4 }, { name = "a" }))
  expect.raises("InvalidArgument", "its input 'a' is strings, expected numbers", nn.Dense(1), nn.Input({ 1 }, { name = "a", dtype = "string" }))
  expect.raises("InvalidArgument", "its input is strings, expected numbers", nn.Dense(1), { "a", "b" })
  expect.raises("InvalidArgument", "its input is strings, expected numbers", nn.Sequential { nn.Dense(1) }, { "a", "b" })
  local dense = nn.Sequential { nn.Dense(1, { input_shape = { 2 } }) }
  expect.raises("InvalidArgument", "its input is strings, expected numbers", dense.predict, dense, { "a", "b" })
  expect.raises("InvalidArgument", "it has no vocabulary yet", nn.Sequential { nn.TextVectorization { output_mode = "count" }, nn.Dense(1) },
    { "a" })
  local model = sequential(v)
  expect.raises("InvalidArgument", "x[2] is 3, expected a string", model.predict, model, { "a", 3 })
  expect.raises("InvalidArgument", "expected a tensor or a table of numbers or of strings", model.predict, model, "a")
  expect.raises("InvalidArgument", "its rows have the shape (3,), expected one text each", model.predict, model, lt.ones { 2, 3 })
  expect.raises("InvalidArgument", "expected a string or a table of strings", model, lt.ones { 2 })
  expect.raises("InvalidArgument", "expected one text each", sequential(v), { { "a", "b" }, { "c", "d" } })
  model:compile { optimizer = "sgd", loss = "mse" }
  expect.raises("InvalidArgument", "y has strings, expected numbers: lt.nn.StringLookup", model.fit, model, { "a" }, { "good" })
  expect.raises("InvalidArgument", "x has 2 rows and y 1", model.fit, model, { "a", "b" }, lt.constant { { 1.0 } })
  expect.raises("InvalidArgument", "adds up a row of strings, and its rows are one string each",
    nn.Sequential { nn.StringLookup { vocabulary = { "a" }, output_mode = "multi_hot" }, nn.Dense(1) }, { "a" })
  expect.raises("InvalidArgument", "with invert it gives strings", nn.StringLookup { vocabulary = { "a" }, invert = true },
    nn.Input { 1 })
  local functional = of_inputs()
  expect.raises("InvalidArgument", "the input 'price' is strings, expected a tensor", functional, { title = { "a" }, kind = { "b" },
    price = { "c" } })
  expect.raises("InvalidArgument", "the input 'title' is a tensor", functional, { title = lt.ones { 1 }, kind = { "b" }, price = lt.ones { 1, 2 } })
  -- StringLookup in rows.
  local hot = nn.StringLookup { vocabulary = { "a", "b" }, output_mode = "one_hot" }
  expect.equal(hot { { "a" }, { "z" } }:totable(), { { 0, 1, 0 }, { 1, 0, 0 } })
  expect.equal(hot { { "a", "b" } }:totable(), { { { 0, 1, 0 }, { 0, 0, 1 } } })
  local hashed = nn.Sequential { nn.Hashing(5), nn.Embedding(5, 2) }
  expect.equal({ table.unpack(hashed { "a", "b", "c" }.shape) }, { 3, 2 })
  expect.equal({ table.unpack(hashed(lt.constant { 5, 7 }).shape) }, { 2, 2 })
end)
