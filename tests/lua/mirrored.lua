-- Mirrored variables always have the same bits on all devices: with many variables, steps outside of replicas, and
-- steps that fail halfway. Strategies as programs use them: distribute.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, raises, equal = expect.case, expect.raises, expect.equal
local replicas = dofile("tests/support/replicas.lua")
local bits, check, id = replicas.bits, replicas.check, replicas.id
local nn = lt.nn

lt.config.set_simulated_gpus(3)

local three = lt.distribute.MirroredStrategy()

case("a model of more variables than the list of them is first made for", function()
  local model = three:scope(function()
    local layers = { nn.Dense(2, { input_shape = { 2 } }) }
    for i = 2, 33 do layers[i] = nn.Dense(2) end
    return nn.Sequential(layers):compile { optimizer = lt.optim.Adam { learning_rate = 0.01 }, loss = "mse" }
  end)
  local x, y = lt.random.normal({ 9, 2 }, { seed = 1 }), lt.random.normal({ 9, 2 }, { seed = 2 })
  local before = bits(model:variables()[1])
  model:fit(x, y, { epochs = 2, batch_size = 4, verbose = 0 })
  equal(#replicas.variables(model), 3 * 66)
  check(three, replicas.variables(model), "after a fit")
  assert(bits(model:variables()[1]) ~= before, "the first variable is trained")
end)

case("variables are forgotten, and those that stay keep their components", function()
  local kept = {}
  for i = 1, 300 do
    local variable = three:scope(lt.Variable, { 1.0 * i }, { name = "v" .. i })
    if i % 7 == 0 then kept[#kept + 1] = variable end
    if i % 50 == 0 then collectgarbage() end
  end
  local devices = three:run(function()
    local list = {}
    for i, variable in ipairs(kept) do list[i] = variable.device .. " " .. variable:item() end
    return list
  end)
  for i, variable in ipairs(kept) do
    for r = 1, 3 do equal(devices[i].values[r], three.devices[r] .. " " .. 7.0 * i, "in replica " .. r) end
    equal(variable:item(), 7.0 * i)
  end
  check(three, kept, "kept")
end)

-- f breaks off at instruction n, as Ctrl-C's hook does it. False: it had ended before.
local function interrupted(n, f, ...)
  local fired, count = false, select("#", ...)
  local arguments = { ... }
  local ok, err = pcall(function()
    debug.sethook(function()
      debug.sethook()
      fired = true
      error("interrupted!", 0)
    end, "", n)
    f(table.unpack(arguments, 1, count))
    debug.sethook()
  end)
  assert(ok or tostring(err):find("interrupted!", 1, true), tostring(err))
  return fired
end

case("a step in replicas that is interrupted anywhere leaves components equal and in their places", function()
  local two = lt.distribute.MirroredStrategy { "GPU:1", "GPU:2" }
  local mixed = lt.distribute.MirroredStrategy { "GPU:1", "CPU:0" }
  for _, strategy in ipairs { two, mixed } do
    local v = strategy:scope(lt.Variable, { 1.0, 2.0 }, { name = "v" })
    local optimizer = lt.optim.SGD { learning_rate = 0.01, momentum = 0.5 }
    local closed, begun = 0, 0
    local function step()
      begun = begun + 1
      local guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
      optimizer:apply({ lt.constant { 1.0 * id(), 2.0 } }, { v })
      return v:sum():item()
    end
    strategy:run(step)
    local n, left = 1, true
    while left do
      left = interrupted(n, function() return strategy:scope(strategy.run, strategy, step) end)
      local what = "interrupted at instruction " .. n
      check(strategy, { v, optimizer:variables()[1] }, what)
      equal(lt.distribute.has_strategy(), false, what)
      equal(closed, begun, what .. ": closed variables")
      n = n + 1
    end
    assert(n > 200, "interrupted " .. n .. " times")
    strategy:run(step)
    check(strategy, { v }, "a step after them")
  end
end)

case("a fit that is interrupted, and then goes on", function()
  local two = lt.distribute.MirroredStrategy { "GPU:1", "GPU:2" }
  local model = two:scope(function()
    local made = nn.Sequential { nn.Dense(2, { input_shape = { 2 } }), nn.BatchNorm(), nn.Dense(1) }
    return made:compile { optimizer = lt.optim.SGD { learning_rate = 0.01, momentum = 0.5 }, loss = "mse" }
  end)
  local x, y = lt.random.normal({ 6, 2 }, { seed = 1 }), lt.random.normal({ 6, 1 }, { seed = 2 })
  model:fit(x, y, { verbose = 0 })
  local n, times = 1, 0
  while interrupted(n, model.fit, model, x, y, { verbose = 0, epochs = 2, batch_size = 3 }) do
    check(two, replicas.variables(model), "interrupted at instruction " .. n)
    n, times = n + 37, times + 1
  end
  assert(times > 50, "interrupted " .. times .. " times")
  local before = bits(model:variables()[1])
  model:fit(x, y, { verbose = 0 })
  assert(bits(model:variables()[1]) ~= before, "trained")
  check(two, replicas.variables(model), "in the end")
end)

case("an assignment that breaks off changes all components or none", function()
  local v = three:scope(lt.Variable, { 1.0, 2.0 }, { name = "v" })
  for _, change in ipairs {
    function() v:assign { 1.0, 2.0 } v:assign { 5.0, 6.0 } end, function() v:assign_add { 0.5, 0.5 } end, function() v[1] = 9.0 end,
    function() v:assign_sub(v) end,
  } do
    local n = 1
    while interrupted(n, change) do
      check(three, { v }, "interrupted at instruction " .. n)
      n = n + 1
    end
    assert(n > 10, "interrupted " .. n .. " times")
    check(three, { v }, "in the end")
  end
  equal(v:totable(), { 0.0, 0.0 })
end)

case("an assignment for which a replica has no memory changes nothing", function()
  local text, ok = expect.program([[
    lutra.config.set_simulated_gpus(2)
    lutra.config.set_logical_device_configuration("GPU:1", { { memory_limit = 20 } })
    local strategy = lutra.distribute.MirroredStrategy()
    local v = strategy:scope(lutra.Variable, lutra.zeros { 2000000 })
    local hog = lutra.device("/GPU:1", lutra.ones, { 2000000 })
    local ones = lutra.device("/CPU:0", lutra.ones, { 2000000 })
    for _, how in ipairs { "assign", "assign_add", "assign_sub" } do
      local ok, err = pcall(v[how], v, ones)
      local values = strategy:experimental_local_results(v)
      print(ok, err.code, values[1][1]:item(), values[2][1]:item())
    end
    hog = nil
    collectgarbage()
    v:assign(ones)
    local values = strategy:experimental_local_results(v)
    print(values[1][7]:item(), values[2][7]:item(), values[1].device == values[2].device)
  ]], "")
  assert(ok, text)
  local refused = "false\tResourceExhausted\t0.0\t0.0\n"
  equal(text:gsub("^INFO[^\n]*\n", ""), refused:rep(3) .. "1.0\t1.0\tfalse\n")
end)

-- The step of replica 2 wants memory, and so does what is to make its components equal again: the first ones lose nothing, nobody
-- sees the others before there is memory for them.
case("a step that breaks off where there is no memory to set it right loses nothing", function()
  local text, ok = expect.program([[
    lutra.config.set_simulated_gpus(2)
    lutra.config.set_logical_device_configuration("GPU:1", { { memory_limit = 20 } })
    local strategy = lutra.distribute.MirroredStrategy()
    local v = strategy:scope(lutra.Variable, lutra.zeros { 2000000 })
    local optimizer = lutra.optim.SGD { learning_rate = 1.0 }
    optimizer:build { v }
    local held
    strategy:run(function()
      -- While somebody holds a value, the step writes to other memory.
      if lutra.distribute.get_replica_context().replica_id_in_sync_group == 2 then held = v:value() end
    end)
    local hog = lutra.device("/GPU:1", lutra.ones, { 1500000 })
    local gradient = lutra.device("/GPU:0", lutra.fill, { 2000000 }, -1.0)
    local function told(f, ...)
      local ok, err = pcall(f, ...)
      return ok and "fine" or err.code
    end
    print(told(optimizer.apply, optimizer, { gradient }, { v }), v[1]:item())
    print(told(strategy.experimental_local_results, strategy, v), told(tostring, v), told(optimizer.apply, optimizer, { gradient }, { v }),
      told(strategy.run, strategy, function() return v:sum() end), v[1]:item(), optimizer.iterations)
    held, hog = nil, nil
    collectgarbage()
    for _ = 1, 2 do
      local values = strategy:experimental_local_results(v)
      print(values[1][7]:item(), values[2][7]:item(), values[1].device == values[2].device)
      optimizer:apply({ gradient }, { v })
    end
  ]], "")
  assert(ok, text)
  local refused = "ResourceExhausted"
  equal(text:gsub("^INFO[^\n]*\n", ""), refused .. "\t1.0\n" .. (refused .. "\t"):rep(4) .. "1.0\t0\n1.0\t1.0\tfalse\n2.0\t2.0\tfalse\n")
end)

case("an optimizer's step outside of replicas is taken by all components", function()
  for _, devices in ipairs { { "GPU:0", "GPU:1", "GPU:2" }, { "GPU:1", "CPU:0" } } do
    local strategy = lt.distribute.MirroredStrategy(devices)
    for _, kind in ipairs { "SGD", "Adam", "Lion" } do
      local v, alone = strategy:scope(lt.Variable, { 1.0, -2.0 }, { name = kind }), lt.Variable { 1.0, -2.0 }
      local optimizer, single = lt.optim[kind] { global_clipnorm = 4.0 }, lt.optim[kind] { global_clipnorm = 4.0 }
      local function step(k, how)
        local gradients = { lt.constant { 1.0 * k, -3.0 } }
        how(function() optimizer:apply(gradients, { v }) end)
        single:apply(gradients, { alone })
        local what = kind .. ", step " .. k
        equal(bits(v), bits(alone), what)
        check(strategy, { v, table.unpack(optimizer:variables()) }, what)
        equal(optimizer.iterations, k)
      end
      step(1, function(f) f() end)
      step(2, function(f) strategy:scope(f) end)
      step(3, function(f)
        strategy:run(function() lt.distribute.get_replica_context():merge_call(f) end)
      end)
      -- In replicas, what the second and later ones give is zero here.
      step(4, function()
        strategy:run(function() optimizer:apply({ id() == 1 and lt.constant { 4.0, -3.0 } or lt.zeros { 2 } }, { v }) end)
      end)
      step(5, function(f) f() end)
    end
    local mine, plain = strategy:scope(lt.Variable, { 1.0 }, { name = "mine" }), lt.Variable({ 1.0 }, { name = "plain" })
    raises("FailedPrecondition", "'plain' is not one of the strategy's", function()
      lt.optim.SGD():apply({ lt.ones { 1 }, lt.ones { 1 } }, { mine, plain })
    end)
  end
  -- A plain variable's slots are plain, also where a scope is open.
  local plain, optimizer = lt.Variable { 1.0 }, lt.optim.Adam()
  three:scope(function() optimizer:apply({ lt.ones { 1 } }, { plain }) end)
  equal(#three:experimental_local_results(optimizer:variables()[1]), 1)
end)

case("what is no value is refused in replicas, too", function()
  for _, aggregation in ipairs { "mean", "sum", "only_first_replica" } do
    local v = three:scope(lt.Variable, { 1.0 }, { name = "v", aggregation = aggregation })
    for _, how in ipairs { "assign", "assign_add", "assign_sub" } do
      raises("InvalidArgument", "replica 1 (GPU:0): " .. how .. ": value is nil", three.run, three, function() v[how](v, nil) end)
      raises("InvalidArgument", "replica 2 (GPU:1): " .. how .. ": value is ", three.run, three, function()
        v[how](v, id() == 1 and 1.0 or "one")
      end)
    end
    check(three, { v }, "after them")
    equal(v:item(), 1.0)
  end
end)

case("a table is read in the variable's dtype, in replicas and outside", function()
  for how, expected in pairs { mean = 0.7, sum = 1.1, only_first_replica = 0.6 } do
    local exact = three:scope(lt.Variable, { 0.0 }, { dtype = "float64", aggregation = how })
    exact:assign { 0.5 }
    three:run(function() exact:assign_add { 0.1 * id() } end)
    check(three, { exact }, how)
    assert(math.abs(exact:item() - expected) < 1e-15, how)
  end
  local narrow = three:scope(lt.Variable, { 1 }, { name = "narrow", dtype = "uint8", aggregation = "sum" })
  narrow:assign { 10 }
  three:run(function() narrow:assign_add { id() } end)
  equal(narrow:item(), 16)
  raises("InvalidArgument", "assign: value has 300, which does not fit the variable 'narrow'", three.run, three, function() narrow:assign { 300 } end)
  equal(narrow:item(), 16)
end)

case("replicas that bring different things to one collective", function()
  local v, w = three:scope(lt.Variable, { 1.0 }, { name = "v" }), three:scope(lt.Variable, { 1.0 }, { name = "w" })
  local function refused(text, f) raises("FailedPrecondition", text .. ": all replicas must pass the same", three.run, three, f) end
  local sgd, other = lt.optim.SGD { learning_rate = 0.5 }, lt.optim.SGD { learning_rate = 0.25 }
  local ones = lt.ones { 1 }
  refused("apply: replica 1 (GPU:0) passes 'v' as variable 1, and replica 2 (GPU:1) 'w'", function()
    sgd:apply({ ones }, { id() == 2 and w or v })
  end)
  refused("apply: replica 1 (GPU:0) passes 1 variables, and replica 3 (GPU:2) 2", function()
    sgd:apply({ ones }, id() == 3 and { v, w } or { v })
  end)
  refused("apply: replica 1 (GPU:0) passes <lutra.optim.SGD learning_rate=0.5, iterations=0>, and replica 2 (GPU:1) "
    .. "<lutra.optim.SGD learning_rate=0.25, iterations=0>", function()
    (id() == 1 and sgd or other):apply({ ones }, { v })
  end)
  refused("and replica 2 (GPU:1) another one like it", function() lt.optim.SGD():apply({ ones }, { v }) end)
  refused("all_reduce: replica 1 (GPU:0) passes sum, and replica 3 (GPU:2) mean", function()
    lt.distribute.get_replica_context():all_reduce(id() == 3 and "mean" or "sum", 1.0)
  end)
  local a = three:scope(lt.Variable, 0.0, { name = "total", aggregation = "sum" })
  local b = three:scope(lt.Variable, 0.0, { name = "total", aggregation = "sum" })
  refused("assign: replica 1 (GPU:0) passes the variable 'total', and replica 2 (GPU:1) another one like it", function()
    (id() == 1 and a or b):assign(1.0)
  end)
  for _, variable in ipairs { v, w, a, b } do check(three, { variable }, "after them") end
  equal({ v:item(), w:item(), a:item(), b:item() }, { 1.0, 1.0, 0.0, 0.0 })
  sgd:apply({ ones }, { v })
  equal(v:item(), 0.5, "the optimizer knows no variables of the steps that were refused")
end)

case("a replica that goes on for ever in a coroutine of its own is stopped, too", function()
  local limited = lt.distribute.MirroredStrategy({ "GPU:0", "GPU:1" }, { timeout = 0.2 })
  local words = "replica 2 (GPU:1): it has come to no collective, nor to its end, in 0.2 seconds"
  local began = lt.time()
  local function for_ever() while lt.time() - began < 20 do end end
  raises("DeadlineExceeded", words, limited.run, limited, function()
    if id() == 2 then coroutine.wrap(for_ever)() end
  end)
  -- Made before a collective, and one that does not look at what its own ends with.
  raises("DeadlineExceeded", words, limited.run, limited, function()
    local inner = coroutine.create(for_ever)
    lt.distribute.get_replica_context():all_reduce("sum", 1)
    while id() == 2 and lt.time() - began < 20 do coroutine.resume(inner) end
  end)
  assert(lt.time() - began < 10, ("stopped after %g seconds"):format(lt.time() - began))
  -- One that outlives the run is its maker's again.
  local left = limited:run(function()
    return coroutine.wrap(function()
      for i = 1, 2000000 do if i % 1000000 == 0 then coroutine.yield(i) end end
    end)
  end)
  lt.time()
  equal(left.values[2](), 1000000)
end)

case("an empty batch is told as such", function()
  local batches = three:experimental_distribute_dataset { lt.zeros { 0, 3 } }
  raises("InvalidArgument", "a batch is empty: its shape is (0, 3), expected one row or more", batches:iterate())
end)

expect.end_of_cases()
