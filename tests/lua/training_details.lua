-- Rare cases in long trainings: layers in tables by name, dropout in custom loops, a first value that is nan, Ctrl-C
-- while the optimizer is built.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn
lt.config.set_simulated_gpus(3)

expect.case("layers in tables with names are their owner's", function()
  local Net = nn.Model:extend "Net"
  function Net:init()
    self.blocks = { right = { nn.Dense(2), nn.Dense(3) }, left = nn.Dense(4), depth = 2 }
    self.scale = {}
    self.own = { b = lt.Variable({ 1.0 }, { name = "b" }), a = lt.Variable({ 2.0 }, { name = "a" }) }
  end
  function Net:call(x) return self.blocks.right[2](self.blocks.right[1](self.blocks.left(x))) * self.own.a + self.own.b end
  local model = Net()
  model:compile { optimizer = lt.optim.SGD { learning_rate = 0.01 }, loss = "mse" }
  local x, y = lt.ones { 4, 2 }, lt.zeros { 4, 3 }
  local before = model:evaluate(x, y, { verbose = 0 })
  model:fit(x, y, { epochs = 3, verbose = 0 })
  assert(model:evaluate(x, y, { verbose = 0 }) < before)
  expect.equal(#model:trainable_variables(), 8)
  expect.equal(#model:sublayers(), 3)
  expect.equal(model:count_params(), 2 * 4 + 4 + 4 * 2 + 2 + 2 * 3 + 3 + 2)
  local path = expect.path ".safetensors"
  model:save_weights(path)
  local names = {}
  for name in pairs(lt.load(path)) do names[#names + 1] = name end
  table.sort(names)
  expect.equal(names, { "blocks.left.bias", "blocks.left.kernel", "blocks.right.1.bias", "blocks.right.1.kernel", "blocks.right.2.bias",
    "blocks.right.2.kernel", "own.a", "own.b" })
  local other = Net()
  other(x)
  other:load_weights(path)
  expect.equal(other(x):totable(), model(x):totable())
  os.remove(path)
  -- The order is that of the names, whatever that of the table.
  expect.equal(model:variables()[1].shape[1], 2, "left comes before right")
  expect.equal({ model:variables()[7].name, model:variables()[8].name }, { "a", "b" })
  local mixed = Net():compile { optimizer = "sgd", loss = "mse", precision = "bf16" }
  mixed:fit(x, y, { verbose = 0 })
  expect.equal(mixed.own.a.dtype, "float32")
end)

-- The mask that one device has of seven rows, whatever replicas share them.
expect.case("dropout in a loop of one's own is that of the row's place", function()
  local x = lt.ones { 7, 5 }
  for _, seed in ipairs { false, 11 } do
    local function masks(strategy)
      local layer = nn.Dropout(0.5, { seed = seed or nil })
      lt.random.set_seed(4)
      local list = {}
      if not strategy then
        for i = 1, 2 do list[i] = layer(x, true):totable() end
        return list
      end
      for batch in strategy:experimental_distribute_dataset({ x, x }):iterate() do
        local parts = strategy:experimental_local_results(strategy:run(function(rows) return layer(rows, true) end, { batch }))
        for i, part in ipairs(parts) do parts[i] = part:to("CPU:0") end
        list[#list + 1] = lt.concat(parts):totable()
      end
      return list
    end
    local wanted = masks()
    for count = 2, 3 do
      local devices = {}
      for i = 1, count do devices[i] = "GPU:" .. i - 1 end
      expect.equal(masks(lt.distribute.MirroredStrategy(devices)), wanted, ("%d replicas, seed %s"):format(count, tostring(seed)))
    end
  end
  -- Rows that come from somewhere else: each replica has its own mask, with a seed too.
  local strategy, layer = lt.distribute.MirroredStrategy(), nn.Dropout(0.5, { seed = 3 })
  local function masks()
    lt.random.set_seed(4)
    local parts = strategy:experimental_local_results(strategy:run(function() return layer(lt.ones { 4, 5 }, true) end))
    for i, part in ipairs(parts) do parts[i] = part:to("CPU:0"):bytes() end
    return parts
  end
  local parts = masks()
  for i = 2, #parts do assert(parts[i] ~= parts[1] and parts[i] ~= parts[i - 1], "replica " .. i .. " has another one's mask") end
  expect.equal(masks(), parts)
end)

expect.case("a first value that is no number is not the best one", function()
  local values
  local model = nn.Sequential { nn.Dense(1, { input_shape = { 1 } }) }
  model:compile { optimizer = lt.optim.SGD { learning_rate = 1.0 }, loss = "mse" }
  local function told(callback)
    local tell = { on_epoch_end = function(_, epoch, logs) logs.told = values[epoch] end }
    return #model:fit(lt.ones { 1, 1 }, lt.ones { 1, 1 }, { epochs = #values, verbose = 0, callbacks = { tell, callback } }).epoch
  end
  local nan = 0 / 0
  values = { nan, 5, 4, 4, 4, 3 }
  local stop = nn.callbacks.EarlyStopping { monitor = "told", mode = "min", patience = 2 }
  expect.equal(told(stop), 5, "epochs")
  expect.equal({ stop.best, stop.best_epoch, stop.stopped_epoch }, { 4, 3, 5 })
  values = { nan, nan, nan, 1 }
  expect.equal(told(nn.callbacks.EarlyStopping { monitor = "told", mode = "min", patience = 2 }), 2, "nothing but nan, with patience 2")
  values = { nan, 5, 4, 3, 2 }
  told(nn.callbacks.ReduceLROnPlateau { monitor = "told", mode = "min", patience = 2 })
  expect.equal(model.optimizer.learning_rate, 1.0)
end)

-- Calls f and interrupts it after so many instructions; returns whether it was interrupted.
local function broken_off(instructions, f, ...)
  local arguments = table.pack(...)
  return not pcall(function()
    debug.sethook(function()
      debug.sethook()
      error("interrupted!", 0)
    end, "", instructions)
    f(table.unpack(arguments, 1, arguments.n))
    debug.sethook()
  end)
end

expect.case("an optimizer that Ctrl-C breaks off in its first step takes it later", function()
  local function steps(optimizer, variables, broken_after)
    local gradients = { lt.constant { 1.0, -2.0 }, lt.constant { 0.5 } }
    local broken = broken_after and broken_off(broken_after, optimizer.build, optimizer, variables)
    for _ = 1, 2 do optimizer:apply(gradients, variables) end
    return variables[1]:value():totable(), variables[2]:value():totable(), broken
  end
  local function new() return lt.optim.Adam { learning_rate = 0.1 }, { lt.Variable { 1.0, 2.0 }, lt.Variable { 3.0 } } end
  local one, two = steps(new())
  local count = 0
  for n = 1, 2000 do
    local optimizer, variables = new()
    local a, b, broken = steps(optimizer, variables, n)
    expect.equal({ a, b }, { one, two }, "broken off after " .. n)
    if not broken then break end
    count = n
  end
  assert(count > 50 and count < 2000, count)
  -- Slots that were loaded from a file are kept, too.
  local restored = { momentum = { lt.constant { 9.0, 9.0 }, lt.constant { 9.0 } }, velocity = { lt.zeros { 2 }, lt.zeros { 1 } } }
  for n = 1, count, 7 do
    local optimizer, variables = new()
    optimizer:restore(restored)
    broken_off(n, optimizer.build, optimizer, variables)
    optimizer:ensure_built(variables)
    expect.equal(optimizer.slots[1][2]:totable(), { 9 }, "broken off after " .. n)
  end
end)

expect.case("a model whose first call is broken off has all its weights later, and what they cost once", function()
  local Net = nn.Model:extend "Net"
  function Net:init()
    self.first = nn.Dense(2, { kernel_regularizer = nn.regularizers.L2 { l2 = 1.0 }, kernel_initializer = "ones" })
    self.second = nn.LSTM(2)
    self.third = nn.Dense(1)
  end
  function Net:call(x) return self.third(self.second(lt.expand_dims(self.first(x), -1))) end
  local x, broken, last = lt.ones { 4, 2 }, 0, 1
  for n = 5, 60000, 61 do
    local model = Net():compile { optimizer = "sgd", loss = "mse" }
    if not broken_off(n, model, x) then break end
    broken, last = broken + 1, n
    model:fit(x, lt.ones { 4, 1 }, { verbose = 0, epochs = 1 })
    expect.equal(#model.step_variables, 7, "broken off after " .. n)
    expect.equal(#model:weight_costs(), 1, "costs, broken off after " .. n)
  end
  assert(broken > 30 and last < 59000, broken .. " times")
end)

expect.case("a summary tells what is right below, or all", function()
  local function told(model, given)
    local lines = {}
    given = given or {}
    function given.print_fn(line) lines[#lines + 1] = line:gsub("%s+", " ") end
    model:summary(given)
    return table.concat(lines, "\n", 4, #lines - 3)
  end
  local inner = nn.Sequential { nn.Dense(2, { name = "one" }), nn.Dense(3, { name = "two" }), name = "inner" }
  local chain = nn.Sequential { nn.Dense(4, { input_shape = { 5 }, name = "first" }), inner }
  expect.equal(told(chain), " first (Dense) (batch, 4) 24\n inner (Sequential) (batch, 3) 19")
  expect.equal(told(chain, { expand_nested = true }),
    " first (Dense) (batch, 4) 24\n inner (Sequential) (batch, 3) 19\n one (Dense) (batch, 2) 10\n two (Dense) (batch, 3) 9")
  local Net = nn.Model:extend "Net"
  function Net:init()
    self.first = nn.Dense(2, { name = "f" })
    self.rest = { inner = nn.Sequential { nn.Dense(3, { name = "deep" }), name = "tail" } }
  end
  function Net:call(x) return self.rest.inner(self.first(x)) end
  local net = Net()
  expect.equal(told(net), " f (Dense) ? 0\n tail (Sequential) ? 0", "before there are weights")
  net(lt.ones { 1, 4 })
  expect.equal(told(net), " f (Dense) (batch, 2) 10\n tail (Sequential) (batch, 3) 9")
  local input, shared = nn.Input({ 2 }, { name = "in" }), nn.Dense(2, { name = "shared" })
  local both = nn.Model { inputs = input, outputs = { shared(shared(input)), nn.Dense(1, { name = "out" })(input) }, name = "both" }
  expect.equal(told(both), " in (Input) (batch, 2) 0\n shared (Dense) (batch, 2) 6\n out (Dense) (batch, 1) 3")
  expect.equal(told(nn.Model { inputs = input, outputs = both(input) }), " in (Input) (batch, 2) 0\n both (Model) {(batch, 2), (batch, 1)} 9")
  expect.raises("InvalidArgument", "summary: expand_nested is 1, expected true or false", chain.summary, chain, { expand_nested = 1 })
end)

expect.end_of_cases()
