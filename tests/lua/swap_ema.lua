-- callbacks.SwapEMAWeights against Keras 3.15's numbers (JAX): a dense layer that learns y = 2 x + 1 by
-- SGD(0.05, use_ema=True, ema_momentum=0.8), one batch of 4 rows, three epochs.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local x, y = lt.constant { { 1.0 }, { 2.0 }, { 3.0 }, { 4.0 } }, lt.constant { { 3.0 }, { 5.0 }, { 7.0 }, { 9.0 } }

local function model_with(options)
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 }, kernel_initializer = "zeros" }) }
  model:compile { optimizer = lt.optim.SGD(options or { learning_rate = 0.05, use_ema = true, ema_momentum = 0.8 }), loss = "mse" }
  return model
end
local function weights_of(model)
  local list = {}
  for i, weight in ipairs(model:get_weights()) do list[i] = weight:flatten()[1]:item() end
  return list
end

local golden = {
  [false] = { { 0, 0 }, { 1.75, 0.6 }, { 1.75, 0.6 }, { 2.0375, 0.7025 }, { 2.0375, 0.7025 }, { 2.08375, 0.722875 } },
  [true] = { { 0, 0 }, { 1.75, 0.6 }, { 1.75, 0.6 }, { 1.8075, 0.6205 }, { 2.0375, 0.7025 }, { 1.86275, 0.640975 } },
}

expect.case("weights and losses as Keras'", function()
  for swap, wanted in pairs(golden) do
    local model, seen = model_with(), {}
    local function see() seen[#seen + 1] = weights_of(model) end
    local history = model:fit(x, y, {
      batch_size = 4, epochs = 3, shuffle = false, verbose = 0, validation_data = { x, y },
      callbacks = { nn.callbacks.SwapEMAWeights { swap_on_epoch = swap },
        nn.callbacks.LambdaCallback { on_epoch_end = see, on_train_batch_begin = see } },
    }).history
    expect.close(lt.constant(seen), wanted, 1e-5, "weights seen by callbacks")
    expect.close(lt.constant(history.loss), { 41, 1.12875, 0.0432717 }, 1e-5)
    expect.close(lt.constant(history.val_loss), { 1.12875, 0.7872108, 0.5165613 }, 1e-5)
    expect.close(lt.constant(weights_of(model)), { 1.86275, 0.640975 }, 1e-5, "weights at the end")
  end
end)

expect.case("a fit that ends early has the averages, too", function()
  local model = model_with()
  model:fit(x, y, { batch_size = 4, epochs = 9, shuffle = false, verbose = 0, callbacks = {
    nn.callbacks.SwapEMAWeights { swap_on_epoch = true }, function(epoch, _, m) m.stop_training = epoch == 2 end } })
  expect.close(lt.constant(weights_of(model)), { 1.8075, 0.6205 }, 1e-5)
end)

expect.case("evaluate and predict", function()
  local model, swap = model_with(), nn.callbacks.SwapEMAWeights()
  model:fit(x, y, { batch_size = 4, epochs = 2, shuffle = false, verbose = 0 })
  -- Weights that differ from the averages.
  model:set_weights { lt.constant { { 5.0 } }, lt.constant { 0.0 } }
  expect.close(model:predict(x, { verbose = 0, callbacks = { swap } })[1], { 1.8075 + 0.6205 }, 1e-5)
  expect.close(model:evaluate(x, y, { verbose = 0, callbacks = { swap } }), 0.7872108, 1e-5)
  expect.equal(weights_of(model), { 5, 0 }, "the weights come back")
end)

expect.case("a fit that goes on from a backup at the end of an epoch", function()
  local path = expect.path ".safetensors"
  local function fit(epochs)
    local model = model_with()
    model:fit(x, y, { batch_size = 4, epochs = epochs, shuffle = false, verbose = 0, callbacks = {
      nn.callbacks.SwapEMAWeights { swap_on_epoch = true },
      nn.callbacks.BackupAndRestore(path, { delete_checkpoint = false }) } })
    return weights_of(model)
  end
  fit(2)
  local resumed = fit(3)
  os.remove(path)
  expect.close(lt.constant(resumed), { 1.86275, 0.640975 }, 1e-5)
end)

expect.case("refused", function()
  local function refuses(code, text, f) expect.raises(code, "callbacks.SwapEMAWeights: " .. text, f) end
  local told = { verbose = 0, callbacks = { nn.callbacks.SwapEMAWeights() } }
  refuses("InvalidArgument", "the optimizer keeps no averages", function() model_with({}):fit(x, y, told) end)
  refuses("FailedPrecondition", "the optimizer has taken no step", function() model_with():evaluate(x, y, told) end)
  refuses("InvalidArgument", "swap_on_epoch is 1, expected true or false", function()
    nn.callbacks.SwapEMAWeights { swap_on_epoch = 1 }
  end)
end)

expect.end_of_cases()
