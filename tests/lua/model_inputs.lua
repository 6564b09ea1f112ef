-- Arguments of calls of models and layers: rows checked against the inputs, inputs by name, options of each kind of
-- layer.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function refused(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end
local function sizes(t) return { table.unpack(t.shape) } end

expect.case("a graph wants rows of its inputs' shapes", function()
  local input = nn.Input({ 2 }, { name = "rows" })
  local model = nn.Model { inputs = input, outputs = nn.Dense(3, { name = "d" })(input), name = "graph" }
  local outer = nn.Sequential { nn.Activation "relu", model, name = "outer" }
  for _, shape in ipairs { { 4, 3 }, { 4 }, { 4, 5, 2 }, {} } do
    local x = lt.ones(shape)
    local words = ("layer 'graph': the input 'rows' has the shape %s, expected (batch, 2)"):format(tostring(x.shape))
    refused(words, model, x)
    if #shape == 2 then refused(words, outer, x) end
  end
  refused("layer 'graph': it has 1 input, and a list of 2 is given", model, { lt.ones { 1, 2 }, lt.ones { 1, 2 } })
  expect.equal(sizes(model { lt.ones { 4, 2 } }), { 4, 3 }, "a list of one")
  expect.equal(sizes(model { { 1.0, 2.0 } }), { 1, 3 }, "numbers")
end)

expect.case("an axis of one number may be left out, or be too many, as in Keras", function()
  local function graph(shape)
    local input = nn.Input(shape)
    return nn.Model { inputs = input, outputs = nn.Activation "linear"(input) }
  end
  local function chain(shape) return nn.Sequential { nn.Activation("linear", { input_shape = shape }) } end
  for name, make in pairs { graph = graph, chain = chain } do
    expect.equal(sizes(make { 1 }(lt.ones { 5 })), { 5, 1 }, name .. ", left out")
    expect.equal(sizes(make { 3 }(lt.ones { 5, 3, 1 })), { 5, 3 }, name .. ", too many")
  end
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, kernel_initializer = "ones" }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  expect.equal(model:evaluate({ 1.0, 2.0 }, { 1.0, 2.0 }, { verbose = 0 }), 0.0)
  refused("its input has the shape (5, 3), expected (batch, 2, 2)", chain { 2, 2 }, lt.ones { 5, 3 })
  -- A chain without an input shape checks inputs against the rank that it was built for.
  local late = nn.Sequential { nn.Dense(2, { name = "first" }), name = "late" }
  late(lt.ones { 4, 3 })
  refused("layer 'late': its input has the shape (4, 4, 3), expected (batch, 3)", late, lt.ones { 4, 4, 3 })
  refused("layer 'first': linear: x (4, 5) and w (3, 2) do not match", late, lt.ones { 4, 5 })
end)

-- -1 stands for any size, as None does in Keras.
expect.case("an axis may have any size", function()
  local input = nn.Input({ -1 }, { name = "ids" })
  expect.equal(tostring(input), "<lutra.nn.Symbol 'ids' shape=(batch, any)>")
  local words = nn.Embedding(20, 8, { mask_zero = true })(input)
  local read = nn.Bidirectional(nn.GRU(4, { return_sequences = true }))(words)
  local attended = nn.Add() { read, nn.LayerNorm()(nn.MultiHeadAttention(2, 4)(read)) }
  local model = nn.Model { inputs = input, outputs = nn.Dense(3, { activation = "softmax" })(attended), name = "reader" }
  local function ids(rows, steps) return lt.random.randint({ rows, steps }, 1, 20, { seed = 1 }) end
  for _, steps in ipairs { 1, 5, 9 } do expect.equal(sizes(model(ids(2, steps))), { 2, steps, 3 }) end
  refused("layer 'reader': the input 'ids' has the shape (2, 5, 3), expected (batch, any)", model, lt.ones({ 2, 5, 3 }, { dtype = "int32" }))
  -- The amount of padding makes no difference.
  local short = ids(1, 3)
  local long = lt.concat({ short, lt.zeros({ 1, 4 }, { dtype = "int64" }) }, 2)
  assert((model(long)[{ {}, { 1, 3 } }] - model(short)):abs():max():item() < 1e-5)
  model:compile { optimizer = "adam", loss = "sparse_categorical_crossentropy" }
  for _, batch in ipairs { ids(4, 3), ids(4, 6) } do assert(model:train_on_batch(batch, lt.ones(batch.shape, { dtype = "int32" })) > 0) end
  local chain = nn.Sequential { nn.LSTM(3, { input_shape = { -1, 4 } }), nn.Dense(2) }
  local path = expect.path ".safetensors"
  for _, each in ipairs { model, chain } do
    each:save(path)
    local x = each == chain and lt.ones { 1, 7, 4 } or ids(1, 7)
    expect.equal(nn.load_model(path)(x):totable(), each(x):totable())
  end
  os.remove(path)
end)

expect.case("shapes of what comes of it", function()
  local function shape_of(symbol) return symbol.shape end
  local Mean, Sum = nn.Layer:extend "Mean", nn.Layer:extend "Sum"
  function Mean:call(x) return x:mean(2) end
  function Sum:init() self.words = nn.Embedding(5, 2) end
  function Sum:call(x) return self.words(x):sum(2) end
  for _, case in ipairs {
    { nn.Conv2D(4, 3)(nn.Input { -1, -1, 3 }), { -1, -1, 4 } }, { nn.MaxPool2D(2)(nn.Input { -1, 8, 3 }), { -1, 4, 3 } },
    { nn.Flatten()(nn.Input { -1, 3 }), { -1 } }, { nn.Reshape { -1, 2 }(nn.Input { -1, 4 }), { -1, 2 } },
    { nn.TimeDistributed(nn.Dense(2))(nn.Input { -1, 3 }), { -1, 2 } }, { nn.Masking()(nn.Input { -1, 3 }), { -1, 3 } },
    { nn.Concatenate { axis = 2 } { nn.Input { -1, 3 }, nn.Input { 4, 3 } }, { -1, 3 } },
    { nn.Concatenate() { nn.Input { -1, 3 }, nn.Input { 4, 3 } }, { 4, 6 } }, { nn.Add() { nn.Input { -1, 3 }, nn.Input { 4, -1 } }, { 4, 3 } },
    -- Those of layers of one's own, which are tried, with whole numbers where they want those.
    { Mean()(nn.Input { -1, 4 }), { 4 } }, { Mean()(nn.Input { 3, -1 }), { -1 } }, { Sum()(nn.Input { 7 }), { 2 } }, { Sum()(nn.Input { -1 }), { 2 } },
  } do
    expect.equal(shape_of(case[1]), case[2], case[1].name)
  end
  local words = "its weight 'kernel' depends on an input size that is not fixed"
  refused(words, nn.Dense(2), nn.Input { 3, -1 })
  refused(words, nn.Dense(2), nn.Flatten()(nn.Input { 3, -1 }))
  refused("its inputs have the shapes (any, 3) and (4, 2), expected one shape", nn.Add(), { nn.Input { -1, 3 }, nn.Input { 4, 2 } })
  refused("Input: shape[1] is -2, expected a whole number", nn.Input, { -2 })
end)

local function named_model()
  local a, b = nn.Input({ 1 }, { name = "a" }), nn.Input({ 2 }, { name = "b" })
  local joined = nn.Concatenate() { a, b }
  return nn.Model { inputs = { a, b }, outputs = nn.Dense(1, { kernel_initializer = "ones" })(joined), name = "two" }
end

expect.case("inputs may be given by name, wherever rows are", function()
  local a, b, y = lt.constant { { 1.0 }, { 2.0 }, { 3.0 } }, lt.constant { { 4.0, 0.0 }, { 5.0, 0.0 }, { 6.0, 1.0 } }, lt.ones { 3, 1 }
  local by_name, as_list = named_model(), named_model()
  for _, model in ipairs { by_name, as_list } do model:compile { optimizer = "sgd", loss = "mse" } end
  expect.equal(by_name { b = b, a = a }:flatten():totable(), { 5, 7, 10 })
  expect.equal(by_name:predict({ a = a, b = b }, { batch_size = 2 }):flatten():totable(), { 5, 7, 10 })
  expect.equal(by_name:evaluate({ b = b, a = a:totable() }, y, { verbose = 0 }), as_list:evaluate({ a, b }, y, { verbose = 0 }))
  local options = { epochs = 2, batch_size = 2, verbose = 0, shuffle = true, seed = 1, validation_split = 0.3 }
  expect.equal(by_name:fit({ a = a, b = b }, y, options).history, as_list:fit({ a, b }, y, options).history)
  expect.equal(by_name:train_on_batch({ b = b, a = a }, y), as_list:train_on_batch({ a, b }, y))
  expect.equal(by_name:test_on_batch({ b = b, a = a }, y), as_list:test_on_batch({ a, b }, y))
  local batches = lt.data.Dataset.from_tensor_slices({ a = a, b = b }, y):batch(2)
  local lists = lt.data.Dataset.from_tensor_slices({ a, b }, y):batch(2)
  expect.equal(by_name:fit(batches, { verbose = 0, validation_data = batches }).history, as_list:fit(lists, { verbose = 0, validation_data = lists }).history)
  refused("layer 'two': it has no input 'c' (did you mean", by_name, { a = a, c = b })
  refused("layer 'two': its input 'b' is missing", by_name, { a = a })
  refused("fit: x['b'] is \"x\", expected a tensor or a table of numbers", by_name.fit, by_name, { a = a, b = "x" }, y)
  refused("the first axes must be equally long", by_name.fit, by_name, { a = a, b = lt.ones { 2, 2 } }, y)
  refused("layer 'two': it has 2 inputs, and a list of 1 is given", by_name, { a })
end)

expect.case("and by replicas, in mixed precision, and by a class of one's own", function()
  local text, ok = expect.program([[
    local x = { left = lt.ones { 5, 2 }, right = lt.ones { 5, 2 } }
    local Both = lt.nn.Model:extend "Both"
    function Both:init() self.dense = lt.nn.Dense(1, { kernel_initializer = "ones" }) end
    function Both:call(rows) return self.dense(rows.left + rows.right) end
    local strategy = lt.distribute.MirroredStrategy()
    local model = strategy:scope(function() return Both():compile { optimizer = "sgd", loss = "mse", precision = "bf16" } end)
    print(model:fit(x, lt.ones { 5, 1 }, { verbose = 0, batch_size = 4, shuffle = false }).history.loss[1] > 0)
    print(model:predict(x).shape)
  ]], "--sim-gpus 2")
  assert(ok and text:find "true\n%(5, 1%)\n$", text)
end)

-- Options of a call were passed over in silence: a dropout that was to train did not.
expect.case("a call's options are those its kind of layer knows", function()
  local x = lt.ones { 2, 3 }
  refused("layer 'drop': unknown option 'trainin' (did you mean 'training'?); there is training", nn.Dropout(0.5, { name = "drop" }), x,
    { trainin = true })
  local image = lt.ones { 1, 4, 4, 1 }
  for kind, each in pairs {
    Dense = { nn.Dense(2), x }, Activation = { nn.Activation "relu", x }, Flatten = { nn.Flatten(), x }, Conv2D = { nn.Conv2D(1, 2), image },
    MaxPool2D = { nn.MaxPool2D(), image }, BatchNorm = { nn.BatchNorm(), x }, LayerNorm = { nn.LayerNorm(), x },
    Embedding = { nn.Embedding(3, 2), lt.constant { 1, 2 } }, Add = { nn.Add(), { x, x } }, Concatenate = { nn.Concatenate(), { x, x } },
    LSTM = { nn.LSTM(2), lt.ones { 1, 2, 3 } }, Bidirectional = { nn.Bidirectional(nn.GRU(2)), lt.ones { 1, 2, 3 } },
    TimeDistributed = { nn.TimeDistributed(nn.Dense(2)), lt.ones { 1, 2, 3 } }, MultiHeadAttention = { nn.MultiHeadAttention(1, 2), lt.ones { 1, 2, 3 } },
    Sequential = { nn.Sequential { nn.Dense(1) }, x },
  } do
    local layer, rows = table.unpack(each)
    refused("unknown option 'trainig' (did you mean 'training'?)", layer, rows, { trainig = true })
    layer(rows, { training = true })
    layer(rows, true)
    assert(layer.kind == kind, layer.kind)
  end
  local symbol = nn.Input { 3 }
  refused("unknown option 'trainig' (did you mean 'training'?)", nn.Dropout(0.5), symbol, { trainig = true })
  -- Several inputs that are given one by one.
  refused("layer 'plus': its second argument is a tensor, expected true or false, or a table of options; several inputs are one list",
    nn.Add { name = "plus" }, x, x)
  refused("several inputs are one list", nn.Add(), symbol, symbol)
  refused("it has one input, (batch, 3), expected a list of them: layer {a, b}", nn.Add(), symbol)
  refused("it is called with one tensor, expected a list of them", nn.Concatenate(), x)
end)

expect.case("a class of one's own says what its call takes", function()
  local Scale = nn.Layer:extend "Scale"
  Scale.call_options = { factor = true }
  function Scale:call(x, _, given) return x * (given and given.factor or 1) end
  expect.equal(Scale()(lt.constant { 2.0 }, { factor = 3 }):item(), 6.0)
  refused("unknown option 'facto' (did you mean 'factor'?)", Scale(), lt.constant { 2.0 }, { facto = 3 })
  local Plain = nn.Layer:extend "Plain"
  function Plain:call(x) return x end
  refused("unknown option 'factor': its class takes no option but training; Plain.call_options = {factor = true} tells of one, "
    .. "which call(self, x, training, given) gets as given.factor", Plain(), lt.constant { 2.0 }, { factor = 3 })
  local Net = nn.Model:extend "Net"
  Net.call_options = { factor = true }
  function Net:init() self.scale = Scale() end
  function Net:call(x, _, given) return self.scale(x, given) end
  expect.equal(Net()(lt.constant { 2.0 }, { factor = 3 }):item(), 6.0)
end)

expect.case("rows are cast to the dtype that an Input tells, also in a model from a file", function()
  local rows = nn.Input({ 2 }, { dtype = "int32" })
  local graph = nn.Model { inputs = rows, outputs = nn.Lambda(function(x) return x end)(rows) }
  expect.equal(graph(lt.constant { { 1.7, 2.0 } }).dtype, "int32")
  local input = nn.Input { shape = { 2 }, dtype = "float64" }
  for name, model in pairs {
    list = nn.Sequential { input, nn.Reshape { 2, 1 } }, graph = nn.Model { inputs = input, outputs = nn.Reshape({ 2, 1 })(input) },
  } do
    local path = expect.path ".safetensors"
    model:save(path)
    local again = nn.load_model(path)
    os.remove(path)
    for _, each in ipairs { model, again } do
      local y = each(lt.constant { { 1, 2 } })
      expect.equal({ y.dtype, y:totable() }, { "float64", { { { 1 }, { 2 } } } }, name)
    end
  end
  local plain = nn.Sequential { nn.Input { 2 }, nn.Flatten() }
  expect.equal(plain(lt.constant { { 1, 2 } }).dtype, "int32")
  for _, wrong in ipairs { "flot32", "sum", 32 } do
    expect.raises("InvalidArgument", 'expected one such as "float32"', nn.Input, { 2 }, { dtype = wrong })
  end
end)

expect.end_of_cases()
