-- Masks of time steps: which layers make, pass on and use them. References compute only the steps that count
-- (make_mask_reference.py).
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, nn_cases, reference = dofile("tests/support/expect.lua"), require "nn_cases", require "golden.mask_reference"
local nn = lt.nn
lt.config.set_simulated_gpus(2)

local ids = lt.constant { { 1, 4, 2, 0, 0 }, { 3, 3, 1, 5, 2 }, { 5, 0, 2, 0, 0 } }
local labels = lt.constant { { 1, 2, 3, 1, 1 }, { 4, 1, 2, 2, 3 }, { 2, 1, 4, 3, 3 } }
local weights = lt.constant { 0.5, 2.0, 1.0 }

local function close(got, wanted, what, tolerance)
  got, wanted = type(got) == "number" and { got } or got:flatten(), type(wanted) == "number" and { wanted } or wanted
  expect.close(got, wanted, tolerance or 5e-6, what)
end
local function noise(seed, shape) return nn_cases.tensor(seed, shape, "float32") end
-- The weights that training changes, as the reference has them.
local function filled(model, seed)
  for i, variable in ipairs(model:trainable_variables()) do variable:assign(noise(seed + i - 1, { table.unpack(variable.shape) })) end
  return model
end
-- The mean of the squares of what counts.
local function seen(y)
  local metric = nn.metrics.MeanSquaredError()
  metric:update_state(lt.zeros(y.shape), y)
  return metric:result()
end

local function tagger()
  return filled(nn.Sequential {
    nn.Embedding(5, 4, { mask_zero = true, input_shape = { 5 } }), nn.LSTM(3, { return_sequences = true }), nn.Dropout(0),
    nn.TimeDistributed(nn.Dense(4)), nn.Activation "softmax",
  }, 10)
end

expect.case("an LSTM behind an embedding: results, losses, metrics, gradients", function()
  local wanted, model = reference.tagger, tagger()
  model:compile { loss = "sparse_categorical_crossentropy", optimizer = "sgd", metrics = { "accuracy" }, weighted_metrics = { "accuracy" } }
  close(model(ids), wanted.gives, "predictions")
  local loss, accuracy = model:test_on_batch(ids, labels)
  close(loss, wanted.loss, "loss")
  close(accuracy, wanted.accuracy, "accuracy")
  local weighted, plain, by_weight = model:test_on_batch(ids, labels, { sample_weight = weights })
  close(weighted, wanted.weighted, "loss with weights")
  close(plain, wanted.accuracy, "accuracy without weights")
  close(by_weight, wanted.weighted_accuracy, "accuracy with weights")
  local tape <close> = lt.GradientTape()
  local gradients = tape:gradient(nn.losses.SparseCategoricalCrossentropy()(labels, model(ids)), model:trainable_variables())
  for i, gradient in ipairs(gradients) do close(gradient, wanted.gradients[i], "gradient " .. i) end
  local own = nn.Sequential { table.unpack(model.layers) }
  own:compile { optimizer = "sgd", loss = function(y, p) return nn.losses.sparse_categorical_crossentropy(y, p) end }
  close(own:evaluate(ids, labels, { verbose = 0 }), wanted.loss, "a function of rows as the loss")
  local sum = nn.losses.SparseCategoricalCrossentropy { reduction = "sum" }
  close(sum(labels, model(ids)):item(), wanted.loss * 10, "a sum, over 10 steps that count")
end)

expect.case("the same as a graph, as a class, on a GPU, and in one's own loop", function()
  local wanted, model = reference.tagger, tagger()
  local input = nn.Input { 5 }
  local x = input
  for _, layer in ipairs(model.layers) do x = layer(x) end
  local Own = nn.Model:extend "Own"
  function Own:init() self.inner = model end
  function Own:call(rows) return self.inner(rows) end
  for name, each in pairs { graph = nn.Model { inputs = input, outputs = x }, class = Own(), inside = nn.Sequential { model } } do
    each:compile { loss = "sparse_categorical_crossentropy", optimizer = lt.optim.SGD { learning_rate = 0 } }
    close(each:evaluate(ids, labels, { verbose = 0 }), wanted.loss, name)
    close(each:train_on_batch(ids, labels), wanted.loss, name .. ", trained")
  end
  lt.device("/GPU:0", function()
    local there = tagger()
    there:compile { loss = "sparse_categorical_crossentropy" }
    close((there:test_on_batch(ids, labels)), wanted.loss, "on a GPU")
  end)
end)

-- A mean over the steps that count in the whole batch, whatever the shares' own are.
expect.case("replicas weigh all steps that count alike", function()
  local function trained(strategy)
    local model
    local function make()
      model = tagger()
      model:compile { loss = "sparse_categorical_crossentropy", optimizer = lt.optim.SGD { learning_rate = 0.5 }, metrics = { "accuracy" },
        weighted_metrics = { "accuracy" } }
    end
    if strategy then strategy:scope(make) else make() end
    local history = model:fit(ids, labels, { batch_size = 3, shuffle = false, epochs = 2, verbose = 0, sample_weight = weights }).history
    return model, history
  end
  local alone, first = trained()
  local shared, second = trained(lt.distribute.MirroredStrategy())
  for epoch = 1, 2 do
    close(second.loss[epoch], first.loss[epoch], "loss")
    close(second.accuracy[epoch], first.accuracy[epoch], "accuracy")
    close(second.accuracy_1[epoch], first.accuracy_1[epoch], "accuracy by weight")
  end
  for i, weight in ipairs(shared:get_weights()) do close(weight, alone:get_weights()[i]:flatten():totable(), "weight " .. i) end
end)

expect.case("a mean over steps takes those that count; of a row without any it is nan, as Keras'", function()
  local x = lt.constant { { { 1.0, 2.0 }, { 3.0, 0 / 0 } }, { { 5.0, 6.0 }, { 7.0, 8.0 } }, { { 1.0, 1.0 }, { 1.0, 1.0 } } }
  local mask = lt.constant { { true, false }, { true, true }, { false, false } }
  local y = nn.GlobalAvgPool1D()(x, { mask = mask })
  expect.equal({ y[1]:totable(), y[2]:totable() }, { { 1, 2 }, { 6, 7 } })
  assert(lt.all(lt.isnan(y[3])):item())
  expect.equal({ table.unpack(nn.GlobalAvgPool1D { keepdims = true }(x, { mask = mask }).shape) }, { 3, 1, 2 })
end)

expect.case("attention and a batch norm of what counts", function()
  local wanted = reference.attention
  local input = nn.Input { 5 }
  local words = nn.Embedding(5, 4, { mask_zero = true })(input)
  local norm = nn.BatchNorm()
  local y = nn.Dense(1)(norm(nn.MultiHeadAttention(1, 3)(words)))
  local model = filled(nn.Model { inputs = input, outputs = y }, 30)
  local tape <close> = lt.GradientTape()
  local out = model(ids, true)
  close(out, wanted.gives, "results")
  local loss = nn.losses.MeanSquaredError()(noise(60, { 3, 5, 1 }), out)
  close(loss:item(), wanted.loss, "loss")
  for i, gradient in ipairs(tape:gradient(loss, model:trainable_variables())) do
    close(gradient, wanted.gradients[i], "gradient of " .. model:trainable_variables()[i].name)
  end
  close(norm.moving_mean, wanted.moving_mean, "the running mean")
end)

-- Squares of 1 where a step counts and of 10 where it does not: a mean of 1 shows that the right mask was used.
local padded = lt.constant { { { 1.0 }, { 1.0 }, { 10.0 } }, { { 1.0 }, { 10.0 }, { 10.0 } } }
local mask = lt.constant { { true, true, false }, { true, false, false } }
local other = lt.constant { { false, true, false }, { true, true, false } }
local Marked = nn.Layer:extend "Marked"
function Marked:init(own) self.own = own end
function Marked:call(x) return x * 1 end
function Marked:compute_mask() return self.own end

expect.case("who hands a mask on, and who does not", function()
  local x = Marked(mask)(padded)
  close(seen(x), 1, "the layer itself")
  local relu = nn.Activation "relu"
  for name, layer in pairs {
    dropout = nn.Dropout(0.5), activation = relu, dense = nn.Dense(1, { kernel_initializer = "ones" }),
    distributed = nn.TimeDistributed(relu), model = nn.Sequential { relu, nn.Dropout(0) }, norm = nn.BatchNorm { epsilon = 0 },
    recurrent = nn.SimpleRNN(1, { return_sequences = true, kernel_initializer = "ones", recurrent_initializer = "zeros", activation = "relu" }),
  } do
    close(seen(layer(x)), 1, name)
  end
  local Plain = nn.Layer:extend "Plain"
  function Plain:call(rows) return rows + 0 end
  close(seen(Plain()(x)), (3 + 300) / 6, "a layer of one's own does not")
  Plain.supports_masking = true
  close(seen(Plain()(x)), 1, "unless it says so")
  local gone = nn.Reshape { 3, 1 }(x)
  close(seen(gone), (3 + 300) / 6, "Reshape does not")
  local y = nn.Add() { x, Marked(other)(padded) }
  close(seen(y / 2), (3 + 300) / 6, "arithmetic of one's own does not")
  -- Steps that count in one of both: 1, 1 and 1, 10.
  close(seen(y), (3 * 4 + 400) / 4, "Add")
  close(seen(nn.Multiply() { x, Marked(other)(padded) }), (3 * 1 + 1e4) / 4, "Multiply")
  close(seen(nn.Add() { x, padded }), (3 * 4 + 3 * 400) / 6, "with one that has none")
  local joined = nn.Concatenate { axis = 2 } { x, Marked(other)(padded) }
  close(seen(joined), (3 * 1 + 2 * 1 + 1 * 100) / 6, "one after the other")
  local wide = nn.Concatenate() { x, padded }
  close(seen(wide), (3 + 300) / 6, "side by side with one that has none")
  local both = nn.Bidirectional(nn.SimpleRNN(1, { return_sequences = true, kernel_initializer = "ones", recurrent_initializer = "zeros",
    activation = "relu" }))
  close(seen(both(x)), 1, "in both directions")
end)

expect.case("Masking finds the steps that hold one number only", function()
  local x = lt.constant { { { 1.0, 2.0 }, { -1.0, -1.0 }, { -1.0, 3.0 } } }
  local y = nn.Masking { mask_value = -1.0 }(x)
  expect.equal(y:totable(), { { { 1, 2 }, { 0, 0 }, { -1, 3 } } })
  close(seen(y), (1 + 4 + 1 + 9) / 2 / 2, "of two steps")
  -- A recurrent layer uses the mask of its input, and an explicit mask instead of that one.
  local layer = nn.SimpleRNN(1, { kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu" })
  expect.equal(layer(y):item(), 5.0)
  expect.equal(layer(y, { mask = lt.constant { { true, false, false } } }):item(), 3.0)
  local model = nn.Sequential { nn.Masking { input_shape = { 3, 2 } }, layer }
  local path = expect.path ".safetensors"
  model:save(path)
  local rows = lt.constant { { { 1.0, 2.0 }, { 0.0, 0.0 }, { 3.0, 1.0 } } }
  expect.equal(nn.load_model(path)(rows):item(), 7.0)
  os.remove(path)
  expect.raises("InvalidArgument", "Masking: mask_value is \"x\", expected a number", nn.Masking, { mask_value = "x" })
  expect.raises("InvalidArgument", "its input has the shape (batch, 3), expected (batch, steps, ...)", nn.Sequential, { nn.Masking { input_shape = { 3 } } })
end)

expect.case("an id of 0 has no row", function()
  local layer = nn.Embedding(2, 3, { mask_zero = true, embeddings_initializer = "ones" })
  local tape <close> = lt.GradientTape()
  local y = layer(lt.constant { { 1, 0 } })
  expect.equal(y:totable(), { { { 1, 1, 1 }, { 0, 0, 0 } } })
  expect.equal(tape:gradient(y:sum(), layer.embeddings):totable(), { { 1, 1, 1 }, { 0, 0, 0 } })
  for _, id in ipairs { 3, -1 } do
    expect.raises("OutOfRange", ("id %d is not there"):format(id), function() return layer(lt.constant { { 0, id } }):totable() end)
  end
  expect.raises("InvalidArgument", "Embedding: mask_zero is 1, expected true or false", nn.Embedding, 2, 3, { mask_zero = 1 })
end)

expect.case("in bfloat16 as well", function()
  local model = tagger()
  model:compile { loss = "sparse_categorical_crossentropy", optimizer = "sgd", precision = "bf16" }
  close((model:test_on_batch(ids, labels)), reference.tagger.loss, "loss", 2e-2)
end)

expect.case("rows without a step that counts have no loss", function()
  local loss = nn.losses.MeanSquaredError()
  local none = Marked(lt.zeros({ 2, 3 }, { dtype = "bool" }))(padded)
  expect.equal(loss(lt.zeros { 2, 3, 1 }, none):item(), 0.0)
  expect.raises("InvalidArgument", "the predictions' mask has the shape (2, 3), and there are losses of the shape (2,)", loss, lt.zeros { 2, 3 },
    Marked(mask)(lt.zeros { 2, 3 }))
end)

expect.end_of_cases()
