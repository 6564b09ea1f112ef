-- Weights that a script has assigned on one rank alone: fit, evaluate and predict tell which, before they compute.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

local head = [==[
  local nn, d = lt.nn, lt.distribute
  lt.random.set_seed(3)
  local strategy = d.MultiWorkerMirroredStrategy()
  local model = strategy:scope(function()
    return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.BatchNorm { momentum = 0.5 }, nn.Dropout(0.2), nn.Dense(1) }:compile {
      loss = "mse", optimizer = "adam", metrics = { "mae" } }
  end)
  local x = lt.random.normal({ 22, 3 }, { seed = 1 })
  local y = x:sum(2, { keepdims = true })
  local function fit() model:fit(x, y, { batch_size = 4, epochs = 2, verbose = 0, validation_split = 0.2 }) end
  local function told(what, f, ...)
    local ok, err = pcall(f, ...)
    print(what, ok, err.code, err.message)
  end
]==]

case("a weight of one rank", function()
  local status, text = ranks.launch("-n 3", head .. [[
    fit()
    local weights = model:get_weights()
    if d.rank() == 1 then
      weights[1] = weights[1] + 1
      model:set_weights(weights)
    end
    told("fit", fit)
    told("evaluate", model.evaluate, model, x, y, { verbose = 0 })
    told("predict", model.predict, model, x)
    -- All take rank 0's.
    local all = {}
    for i, weight in ipairs(weights) do all[i] = strategy:gather(weight:reshape { 1, -1 }, 1)[1]:reshape(weight.shape) end
    model:set_weights(all)
    fit()
    print "went on"
    -- The sign of a zero is a difference as well.
    local bias = model.layers[4].bias
    bias:assign(lt.constant { d.rank() == 0 and -0.0 or 0.0 })
    model.layers[2].moving_mean:assign(lt.fill({ 4 }, 1.0 * d.rank()))
    told("two", model.predict, model, x)
  ]])
  equal(status, 0, text)
  local words = ": ranks have different weights: rank 1 has other values of 'layers.1.kernel' than rank 0, rank 2: set_weights, "
    .. "assign and load must be called with the same values on all ranks"
  for _, what in ipairs { "fit", "evaluate", "predict" } do
    for _, prefix in ipairs { "", "[1] ", "[2] " } do has(text, ("\n%s%s\tfalse\tInvalidArgument\t%s%s\n"):format(prefix, what, what, words)) end
  end
  has(text, "\nwent on\n")
  has(text, "two\tfalse\tInvalidArgument\tpredict: ranks have different weights: rank 1, rank 2 have other values of "
    .. "'layers.2.moving_mean' and 1 other weight than rank 0")
end)

case("what differs between ranks or replicas on purpose is no error", function()
  -- 22 rows of 4: in the last batch some replicas have no rows; BatchNorm's moments and the metrics are each replica's.
  for _, words in ipairs { "-n 2 --sim-gpus 2", "-n 3" } do
    local status, text = ranks.launch(words, head .. [[
      if d.rank() == 0 then lt.Variable { 1.0 }:assign { 2.0 } end
      for _ = 1, 2 do
        fit()
        model:evaluate(x, y, { batch_size = 5, verbose = 0 })
        model:predict(x, { batch_size = 5 })
      end
      model:set_weights(model:get_weights())
      fit()
      print "ended"
    ]])
    equal(status, 0, text)
    local _, count = text:gsub("ended", "")
    equal(count, tonumber(words:match "%d"), text)
  end
end)

case("a backup that all take makes them equal again", function()
  local path = expect.path ".safetensors"
  local status, text = ranks.launch("-n 2", head .. [[
    local path = ...
    fit()
    if d.rank() == 0 then model:save(path) end
    d.barrier()
    if d.rank() == 1 then model.layers[1].kernel:assign(model.layers[1].kernel * 2) end
    model:fit(x, y, { epochs = 3, verbose = 0, callbacks = { nn.callbacks.BackupAndRestore(path) } })
    print "ended"
  ]], nil, path)
  equal(status, 0, text)
  has(text, "[1] ended")
end)

expect.end_of_cases()
