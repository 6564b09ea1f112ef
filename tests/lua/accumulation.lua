-- Optimizers that add up gradients over several calls (gradient_accumulation_steps): n equal batches are one of n times
-- the rows, alone and in replicas.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local nn = lt.nn

lt.config.set_simulated_gpus(3)

case("every third call takes a step with the means", function()
  -- SGD with momentum, by hand.
  local w = lt.Variable { 1.0, -2.0 }
  local optimizer = lt.optim.SGD { learning_rate = 0.5, momentum = 0.5, gradient_accumulation_steps = 3 }
  local given = { { 1.0, 2.0 }, { 3.0, -2.0 }, { 2.0, 3.0 }, { 0.0, 6.0 }, { 3.0, 0.0 }, { 3.0, 0.0 } }
  local wanted = { { 1, -2 }, { 1, -2 }, { 0, -2.5 }, { 0, -2.5 }, { 0, -2.5 }, { -1.5, -3.75 } }
  for i, gradient in ipairs(given) do
    optimizer:apply({ lt.constant(gradient) }, { w })
    expect.close(w:totable(), wanted[i], 1e-6, "call " .. i)
    equal(optimizer.iterations, i // 3)
  end
end)

case("a variable without a gradient in some calls", function()
  local a, b = lt.Variable(1.0), lt.Variable(1.0)
  local optimizer = lt.optim.SGD { learning_rate = 1, gradient_accumulation_steps = 2 }
  optimizer:apply({ lt.constant(1.0), false }, { a, b })
  optimizer:apply({ false, false }, { a, b })
  expect.close(a:item(), 0.5, 1e-7)
  equal(b:item(), 1.0)
end)

case("batches of two rows are batches of eight, in any number of replicas", function()
  local x = lt.random.normal({ 24, 3 }, { seed = 1 })
  local y = x:sum(2, { keepdims = true }) + lt.random.normal({ 24, 1 }, { seed = 2 }) / 10
  local function trained(replicas, steps, how)
    local function make()
      lt.random.set_seed(4)
      local model = nn.Sequential { nn.Dense(5, { activation = "tanh", input_shape = { 3 } }), nn.Dense(1) }
      return model:compile { loss = "mse", optimizer = lt.optim.Adam { learning_rate = 0.05, global_clipnorm = 1,
        gradient_accumulation_steps = steps } }
    end
    local strategy = replicas > 0 and lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, replicas) }
    local model = strategy and strategy:scope(make) or make()
    model:fit(x, y, { batch_size = how, epochs = 12, shuffle = false, verbose = 0 })
    equal(model.optimizer.iterations, 36)
    return model:get_weights()
  end
  local wanted = trained(0, false, 8)
  for replicas = 0, 3 do
    for k, weight in ipairs(trained(replicas, 4, 2)) do
      expect.close(weight:reshape { -1 }:totable(), wanted[k]:reshape { -1 }:totable(), 1e-4, replicas .. " replicas, weight " .. k)
    end
  end
end)

-- Five batches are a step, and an epoch has twelve. `replicas`: 0 is without a strategy.
local data = lt.random.normal({ 24, 3 }, { seed = 1 })
local labels = data:sum(2, { keepdims = true })
local function compiled(replicas, steps)
  local function make()
    lt.random.set_seed(4)
    return nn.Sequential { nn.Dense(5, { activation = "tanh", input_shape = { 3 } }), nn.Dropout(0.2), nn.Dense(1) }:compile {
      loss = "mse", optimizer = lt.optim.Adam { learning_rate = 0.05, gradient_accumulation_steps = steps or 5 } }
  end
  if replicas == 0 then return make() end
  return lt.distribute.MirroredStrategy { table.unpack({ "GPU:0", "GPU:1", "GPU:2" }, 1, replicas) }:scope(make)
end
local function fit(model, last, callbacks)
  return model:fit(data, labels, { batch_size = 2, epochs = last, verbose = 0, callbacks = callbacks })
end
local function bits(model)
  local list = { tostring(model.optimizer.iterations) }
  for i, weight in ipairs(model:get_weights()) do list[i + 1] = weight:bytes() end
  return table.concat(list)
end
local path = expect.path ".safetensors"
local function has_held()
  for name in pairs(lt.load(path)) do
    if name:find("^optimizer/held/") then return true end
  end
  return false
end

case("a fit that goes on from a file between two steps has the bits of one that never stopped", function()
  for replicas = 0, 3 do
    local whole = compiled(replicas)
    fit(whole, 4)
    -- Killed in the third epoch, with two batches of a step taken in the second.
    local killed = { on_epoch_begin = function(_, epoch) if epoch == 3 then error "killed" end end }
    assert(not pcall(fit, compiled(replicas), 4, { nn.callbacks.BackupAndRestore(path), killed }))
    local again = compiled(replicas)
    fit(again, 4, { nn.callbacks.BackupAndRestore(path) })
    assert(bits(again) == bits(whole), replicas .. " replicas: BackupAndRestore")
    fit(compiled(replicas), 2, { nn.callbacks.ModelCheckpoint(path) })
    again = replicas == 0 and nn.load_model(path, { resume = true }) or compiled(replicas):load(path, { resume = true })
    fit(again, 4)
    assert(bits(again) == bits(whole), replicas .. " replicas: ModelCheckpoint")
    os.remove(path)
  end
end)

case("a file that is loaded and written again is the same", function()
  for replicas = 0, 3, 3 do
    local model = compiled(replicas)
    fit(model, 2)
    model:save(path)
    local first = lt.load(path)
    compiled(replicas):load(path):save(path)
    local held = 0
    for name, tensor in pairs(lt.load(path)) do
      equal(tensor:bytes(), first[name]:bytes(), name)
      if name:find "^optimizer/held/" then held = held + 1 end
    end
    equal(held, 4 * math.max(replicas, 1) - (replicas == 3 and 4 or 0))
  end
end)

case("a file of another number of replicas", function()
  local function made()
    return nn.Sequential { nn.Dense(1, { input_shape = { 3 }, kernel_initializer = "zeros" }) }:compile { loss = "mse",
      optimizer = lt.optim.SGD { learning_rate = 0.1, gradient_accumulation_steps = 2 } }
  end
  local three = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1", "GPU:2" }:scope(made)
  three:train_on_batch(data, labels)
  three:save(path)
  -- At weights of 0 the gradient is the mean of -2 x y, and then twice that: one step takes their mean.
  local wanted = (data * labels):mean(1) * 0.1 * (2 + 4) / 2
  for _, again in ipairs { made(), lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }:scope(made) } do
    again:load(path):train_on_batch(data * 2, labels)
    expect.close(again:get_weights()[1]:reshape { 3 }:totable(), wanted:totable(), 1e-5)
  end
end)

case("a file of another number of steps", function()
  local model = compiled(0)
  fit(model, 2)
  model:save(path)
  local again = compiled(0, 3):load(path)
  equal(again.optimizer.iterations, 4)
  for _ = 1, 2 do again:train_on_batch(data, labels) end
  equal(again.optimizer.iterations, 4, "it begins anew")
  again:train_on_batch(data, labels)
  equal(again.optimizer.iterations, 5)
end)

case("a file has no gradients after a complete step, and then the next begins anew", function()
  local model = compiled(0)
  fit(model, 2)
  model:save(path)
  equal(has_held(), true)
  model:save(path, { include_optimizer = false })
  equal(has_held(), false)
  model:train_on_batch(data, labels)
  model:save(path)
  equal(has_held(), false)
  model:train_on_batch(data, labels)
  model:load(path)
  for _ = 1, 4 do model:train_on_batch(data, labels) end
  equal(model.optimizer.iterations, 5)
  model:train_on_batch(data, labels)
  equal(model.optimizer.iterations, 6)
end)

case("a Checkpoint has them as well", function()
  local function loop()
    local w, alone = lt.Variable { 1.0, -2.0 }, lt.Variable(1.0)
    local optimizer = lt.optim.Adam { learning_rate = 0.5, gradient_accumulation_steps = 3 }
    local function step(i) optimizer:apply({ w * i, i == 2 and alone * 3 }, { w, alone }) end
    return lt.train.Checkpoint { w = w, optimizer = optimizer, alone = alone }, step, function() return w:bytes() .. alone:bytes() end
  end
  local whole, step, read = loop()
  for i = 1, 7 do
    step(i)
    if i == 5 then whole:save(path) end
  end
  for before = 0, 2 do
    local again, take, own = loop()
    for i = 1, before do take(i) end
    again:restore(path)
    again:save(path)
    for i = 6, 7 do take(i) end
    equal(again.optimizer.iterations, 2)
    assert(own() == read(), before .. " steps before: other bits")
  end
  -- Of an optimizer whose variables the Checkpoint does not hold.
  local optimizer, v = lt.optim.SGD { learning_rate = 1, gradient_accumulation_steps = 2 }, lt.Variable(0.0)
  local checkpoint = lt.train.Checkpoint { optimizer = optimizer }
  optimizer:apply({ lt.constant(2.0) }, { v })
  checkpoint:save(path)
  optimizer:apply({ lt.constant(4.0) }, { v })
  equal(v:item(), -3.0)
  checkpoint:restore(path)
  optimizer:apply({ lt.constant(0.0) }, { v })
  equal(v:item(), -4.0)
end)

case("damaged files", function()
  local model = compiled(0)
  fit(model, 2)
  model:save(path)
  local file <close> = assert(io.open(path, "rb"))
  local text = file:read "a"
  local function changed(from, to)
    local made, count = text:gsub(from, to)
    equal(count, 1, from)
    local out <close> = assert(io.open(path, "wb"))
    out:write(made)
  end
  for from, to in pairs { ['count\\":4'] = 'count\\":9', ['"steps\\":5'] = '"steps\\":4', ['replicas\\":1'] = 'replicas\\":0' } do
    changed(from, to)
    expect.raises("InvalidArgument", "'optimizer' has an invalid value", nn.load_model, path)
  end
  model:save(path)
  local tensors, metadata = lt.load(path)
  tensors["optimizer/held/1/layers.1.kernel"] = lt.ones { 2, 3 }
  lt.save(path, tensors, { metadata = metadata })
  expect.raises("InvalidArgument", "'optimizer/held/1/layers.1.kernel' is float32 (2, 3) in the file", nn.load_model, path)
end)
os.remove(path)

case("wrong numbers are refused", function()
  expect.raises("InvalidArgument", "gradient_accumulation_steps", lt.optim.SGD, { gradient_accumulation_steps = 0 })
  expect.raises("InvalidArgument", "gradient_accumulation_steps", lt.optim.Adam, { gradient_accumulation_steps = 1.5 })
end)

expect.end_of_cases()
