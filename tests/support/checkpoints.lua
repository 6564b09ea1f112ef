-- Helpers for tests of checkpoints: `local checkpoints = dofile("tests/support/checkpoints.lua")` makes a folder for
-- their files.
local lt = require "lutra"
local nn = lt.nn

-- Their folder: at, read, write, list, clear, remove.
local folder = dofile("tests/support/folder.lua")
local checkpoints = { folder = folder, path = folder.at "model.safetensors" }

-- The bytes of all weights, in order.
function checkpoints.bits(model)
  local list = {}
  for i, weight in ipairs(model:get_weights()) do list[i] = weight.dtype .. tostring(weight.shape) .. weight:bytes() end
  return table.concat(list)
end
function checkpoints.slot_bits(model)
  local list = {}
  for i, variable in ipairs(model.optimizer:variables()) do list[i] = variable:value():bytes() end
  return table.concat(list)
end

-- Rows of this shape, and labels of so many classes.
local function rows(shape, classes)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return ((lt.range(size) * 7 % 11):float32() / 11):reshape(shape), classes and lt.range(shape[1]) % classes + 1
end
checkpoints.rows = rows

-- {name, model, rows}: one of each kind, with options of each kind.
function checkpoints.models()
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

-- A model with everything random in it (weights, an order of rows, dropout), and what trains it, or another, further: fit(model,
-- last_epoch). how(dataset) gives the dataset that it is trained on; without it that is tensors.
function checkpoints.trained(optimizer, epochs, how)
  lt.random.set_seed(5)
  local x, y = rows({ 40, 4 }, 3)
  local model = nn.Sequential {
    nn.Dense(8, { activation = "relu", input_shape = { 4 } }), nn.Dropout(0.3), nn.BatchNorm(), nn.Dense(3, { activation = "softmax" }),
  }
  model:compile { optimizer = optimizer, loss = "sparse_categorical_crossentropy", metrics = { "accuracy" } }
  local data = how and how(lt.data.Dataset.from_tensor_slices(x, y))
  local function fit(which, last)
    if data then return which:fit(data, { epochs = last, verbose = 0 }) end
    return which:fit(x, y, { epochs = last, verbose = 0, batch_size = 7 })
  end
  fit(model, epochs)
  return model, fit
end

return checkpoints
