-- Averages of weights that optimizers keep (use_ema), compared with Keras 3's numbers: alone, in replicas and from a
-- file.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(3)

local x = lt.range(8):float32():reshape { 8, 1 } / 8
local y = 3 * x + 1

local function near(got, wanted, what)
  if not (math.abs(got - wanted) <= 2e-6) then error(("%s: %.9g, expected %.9g"):format(what, got, wanted), 2) end
end

local function make(every)
  local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  return model:compile { loss = "mse", optimizer = lt.optim.SGD { learning_rate = 0.1, momentum = 0.5, use_ema = true, ema_momentum = 0.8,
    ema_overwrite_frequency = every } }
end
local function fit(model, more)
  local given = { batch_size = 3, epochs = 2, shuffle = false, verbose = 0 }
  for name, value in pairs(more or {}) do given[name] = value end
  return model:fit(x, y, given).history.loss
end
local function is(model, kernel, bias, what)
  local weights = model:get_weights()
  near(weights[1]:item(), kernel, what .. ": kernel")
  near(weights[2]:item(), bias, what .. ": bias")
end

expect.case("training ends with the averages, or takes them every so many steps, on any number of devices", function()
  for count = 0, 3 do
    local strategy = count > 0 and lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, count) }
    local function made(every) return strategy and strategy:scope(make, every) or make(every) end
    local model = made()
    local losses = fit(model)
    near(losses[1], 2.4814341, "loss 1")
    near(losses[2], 0.03010834, "loss 2")
    is(model, 1.53428614, 1.10956693, count .. " replicas")
    model = made(2)
    losses = fit(model)
    near(losses[1], 2.97793889, "loss 1, taken every second step")
    near(losses[2], 0.87187576, "loss 2, taken every second step")
    is(model, 1.43458319, 0.90290987, count .. " replicas, every second step")
  end
end)

expect.case("a file keeps them", function()
  local path = expect.path ".safetensors"
  local model = make()
  model:train_on_batch(x, y)
  model:train_on_batch(x, y)
  model:save(path)
  local again = nn.load_model(path)
  os.remove(path)
  for _, each in ipairs { model, again } do
    each:train_on_batch(x, y)
    each.optimizer:finalize_variable_values()
  end
  is(again, model:get_weights()[1]:item(), model:get_weights()[2]:item(), "loaded")
end)

expect.case("a loop of one's own keeps them too, and takes them when it says so", function()
  local w = lt.Variable { 4.0 }
  local sgd = lt.optim.SGD { learning_rate = 1.0, use_ema = true, ema_momentum = 0.75 }
  sgd:finalize_variable_values()
  for _ = 1, 3 do sgd:apply({ lt.ones { 1 } }, { w }) end
  expect.equal(w:totable(), { 1 })
  sgd:finalize_variable_values()
  expect.equal(w:totable(), { 0.75 * (0.75 * 3 + 0.25 * 2) + 0.25 * 1 })
  expect.equal(#sgd:variables(), 1)
  local strategy = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }
  local shared, optimizer = strategy:scope(function()
    return lt.Variable { 4.0 }, lt.optim.SGD { learning_rate = 0.5, use_ema = true, ema_momentum = 0.75 }
  end)
  for _ = 1, 3 do strategy:run(function() optimizer:apply({ lt.ones { 1 } }, { shared }) end) end
  optimizer:finalize_variable_values()
  expect.equal(shared:totable(), w:totable())
end)

expect.case("what is no option is refused", function()
  for words, given in pairs {
    ["optim.SGD: use_ema is 1, expected true or false"] = { use_ema = 1 },
    ["optim.SGD: ema_momentum is 1.5, expected a number of 0 to 1"] = { ema_momentum = 1.5 },
    ["optim.SGD: ema_overwrite_frequency is 0, expected a whole number, 1 or more"] = { ema_overwrite_frequency = 0 },
  } do
    expect.raises("InvalidArgument", words, lt.optim.SGD, given)
  end
end)

expect.end_of_cases()
