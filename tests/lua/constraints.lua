-- Constraints of weights: Keras' numbers, and training with them, in graphs, replicas and files.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn
local C = nn.constraints

lt.config.set_simulated_gpus(2)

expect.case("Keras' numbers", function()
  local w = lt.constant { { 3.0, 0.1, -1.0 }, { 4.0, 0.1, 2.0 } }
  for i, case in ipairs {
    { C.MaxNorm { max_value = 1.0 }, { { 0.6000000238418579, 0.09999989718198776, -0.4472135901451111 }, { 0.800000011920929, 0.09999989718198776, 0.8944271802902222 } } },
    { C.MaxNorm { axis = 2 }, { { 1.896418571472168, 0.06321399658918381, -0.6321396231651306 }, { 1.7884074449539185, 0.044710200279951096, 0.8942037224769592 } } },
    { C.NonNeg(), { { 3.0, 0.10000000149011612, 0.0 }, { 4.0, 0.10000000149011612, 2.0 } } },
    { C.UnitNorm(), { { 0.6000000238418579, 0.7071061730384827, -0.4472135901451111 }, { 0.800000011920929, 0.7071061730384827, 0.8944271802902222 } } },
    { C.UnitNorm { axis = { 1, 2 } }, { { 0.547540009021759, 0.01825129985809326, -0.18251340091228485 }, { 0.7300534248352051, 0.01825129985809326, 0.36502671241760254 } } },
    { C.MinMaxNorm { min_value = 0.5, max_value = 2.0 }, { { 1.2000000476837158, 0.35355308651924133, -0.8944271802902222 }, { 1.600000023841858, 0.35355308651924133, 1.7888543605804443 } } },
    { C.MinMaxNorm { min_value = 0.5, max_value = 2.0, rate = 0.3, axis = 2 }, { { 2.6689257621765137, 0.08896420150995255, -0.8896418809890747 }, { 3.336522102355957, 0.08341310173273087, 1.6682610511779785 } } },
  } do
    expect.close(case[1](w), case[2], 1e-6, "case " .. i)
  end
end)

lt.random.set_seed(1)
local x, y = lt.random.normal { 32, 3 }, lt.random.normal { 32, 1 }
local function model_of(strategy)
  lt.random.set_seed(2)
  local function make()
    local model = nn.Sequential {
      nn.Dense(4, { kernel_constraint = "non_neg", bias_constraint = C.MaxNorm { max_value = 0.01 }, input_shape = { 3 } }),
      nn.Dense(1, { kernel_constraint = C.UnitNorm() }),
    }
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.1, momentum = 0.9 }, loss = "mse" }
    return model
  end
  return strategy and strategy:scope(make) or make()
end
local function check(model)
  local weights = model:get_weights()
  assert(weights[1]:min():item() >= 0 and weights[1]:max():item() > 0)
  assert(lt.norm(weights[2]):item() <= 0.0101)
  expect.close(lt.norm(weights[3]):item(), 1, 1e-5)
  return weights
end
local options = { epochs = 3, batch_size = 8, shuffle = false, verbose = 0 }

expect.case("in fit, also in replicas, from a file and with other optimizers", function()
  local model = model_of()
  model:fit(x, y, options)
  local weights = check(model)
  local both = model_of(lt.distribute.MirroredStrategy { "/GPU:0", "/GPU:1" })
  both:fit(x, y, options)
  for i, weight in ipairs(check(both)) do expect.close(weight, weights[i]:totable(), 1e-4) end
  local path = expect.path ".safetensors"
  model:save(path)
  local again = nn.load_model(path)
  os.remove(path)
  again:fit(x, y, options)
  check(again)
  local other = model_of()
  other.optimizer = nil
  other:compile { optimizer = "lamb", loss = "mse" }
  other:fit(x, y, options)
  check(other)
end)

expect.case("a function, layers of all kinds, and a loop of one's own", function()
  local made = {
    nn.Conv2D(2, 2, { kernel_constraint = "non_neg", input_shape = { 4, 4, 1 } }), nn.Embedding(3, 2, { embeddings_constraint = "unit_norm" }),
    nn.LSTM(2, { recurrent_constraint = "max_norm", input_shape = { 3, 2 } }),
  }
  for i, input in ipairs { lt.random.normal { 2, 4, 4, 1 }, lt.constant { { 1, 2 } }, lt.random.normal { 2, 3, 2 } } do
    local layer, optimizer = made[i], lt.optim.SGD { learning_rate = 1 }
    for _ = 1, 2 do
      local tape <close> = lt.GradientTape()
      local loss = layer(input):square():sum()
      local variables = layer:trainable_variables()
      optimizer:apply(tape:gradient(loss, variables), variables)
    end
  end
  assert(made[1].kernel:value():min():item() >= 0)
  expect.close(lt.square(made[2].embeddings:value()):sum(1), { 1, 1 }, 1e-5)
  assert(lt.sqrt(lt.square(made[3].recurrent_kernel:value()):sum(1)):max():item() <= 2.0001)
  local dense = nn.Dense(2, { kernel_constraint = function(w) return lt.clip(w, -0.25, 0.25) end })
  local optimizer = lt.optim.SGD { learning_rate = 1 }
  local tape <close> = lt.GradientTape()
  local loss = dense(x):sum()
  optimizer:apply(tape:gradient(loss, dense:trainable_variables()), dense:trainable_variables())
  assert(lt.abs(dense.kernel:value()):max():item() <= 0.25)
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("constraints.MaxNorm: max_value is -1", C.MaxNorm, { max_value = -1 })
  refused("constraints.MinMaxNorm: rate is 2, expected a number of 0 to 1", C.MinMaxNorm, { rate = 2 })
  refused("constraints.UnitNorm: axis is \"a\"", C.UnitNorm, { axis = "a" })
  refused("kernel_constraint is \"nonneg\", which is not known", function() nn.Dense(1, { kernel_constraint = "nonneg" })(x) end)
end)

expect.end_of_cases()
