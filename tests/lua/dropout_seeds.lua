-- Dropout with a seed: another mask at each call, and the same masks when a program runs again.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local x = lt.ones { 4, 6, 5 }
local function layers()
  return {
    dropout = nn.Dropout(0.5, { seed = 3 }), lstm = nn.LSTM(8, { dropout = 0.3, recurrent_dropout = 0.3, seed = 3 }), gru = nn.GRU(8, { dropout = 0.5, seed = 3 }),
    attention = nn.MultiHeadAttention(2, 4, { dropout = 0.5, seed = 3 }),
  }
end

expect.case("each call has a mask of its own, and set_seed begins anew", function()
  for name, layer in pairs(layers()) do
    layer(x)
    local function two()
      lt.random.set_seed(9)
      return layer(x, true):bytes(), layer(x, true):bytes()
    end
    local first, second = two()
    assert(first ~= second, name .. ": the same mask twice")
    expect.equal({ two() }, { first, second }, name)
    expect.equal(layer(x):bytes(), layer(x):bytes(), name)
  end
  lt.random.set_seed(9)
  local three = nn.Dropout(0.5, { seed = 3 })(x, true):bytes()
  lt.random.set_seed(9)
  assert(nn.Dropout(0.5, { seed = 4 })(x, true):bytes() ~= three, "another seed, the same mask")
end)

expect.case("the seed alone makes the masks of a program the same again", function()
  local script = [[
    local lt = require "lutra"
    local dropout = lt.nn.Dropout(0.5, { seed = 3 })
    for _ = 1, 3 do print(dropout(lt.ones { 12 }, true)) end
    print(lt.nn.Dropout(0.5)(lt.ones { 64 }, true))
  ]]
  local one, other = expect.program(script), expect.program(script)
  local function seeded(text) return text:match "^(.-shape=%(12,%).-shape=%(12,%).-shape=%(12,%))" end
  assert(seeded(one) and seeded(one) == seeded(other), one .. other)
  assert(one ~= other, "without a seed they are others")
end)

expect.case("in a fit every input is seen at some time, and fit resumes with the masks that were to come", function()
  local rows, labels = lt.random.normal({ 40, 30 }, { seed = 1 }), lt.ones { 40, 1 }
  local function new()
    local model = nn.Sequential { nn.Dropout(0.5, { seed = 1, input_shape = { 30 } }), nn.Dense(1, { kernel_initializer = "zeros" }) }
    return model:compile { optimizer = lt.optim.SGD { learning_rate = 0.01 }, loss = "mse" }
  end
  local model = new()
  model:fit(rows, labels, { batch_size = 1, verbose = 0 })
  assert(not lt.any(model:get_weights()[1]:eq(0)):item(), "an input was never seen")
  local path = expect.path ".safetensors"
  local function begun()
    lt.random.set_seed(5)
    return new()
  end
  local whole, part = begun(), nil
  whole:fit(rows, labels, { epochs = 4, verbose = 0 })
  part = begun()
  part:fit(rows, labels, { epochs = 2, verbose = 0 })
  part:save(path)
  local loaded = nn.load_model(path, { resume = true })
  loaded:fit(rows, labels, { epochs = 4, verbose = 0 })
  expect.equal(loaded:get_weights()[1]:bytes(), whole:get_weights()[1]:bytes())
  os.remove(path)
end)

expect.end_of_cases()
