-- Mirrored variables have the same bits on all devices at all times: many of them, steps outside of replicas, what breaks
-- off in the middle. Strategies as programs use them: distribute.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, raises, equal = expect.case, expect.raises, expect.equal
local nn = lt.nn

lt.config.set_simulated_gpus(3)

local function bits(tensor) return tensor:to("CPU:0"):bytes() end
local three = lt.distribute.MirroredStrategy()
local function id() return lt.distribute.get_replica_context().replica_id_in_sync_group end

-- Each component has its own device, and the first one's bits.
local function check(strategy, list, what)
  for _, variable in ipairs(list) do
    local values = strategy:experimental_local_results(variable)
    equal(#values, strategy.num_replicas_in_sync, what .. ": components of " .. variable.name)
    for i, value in ipairs(values) do
      equal(value.device, strategy.devices[i], ("%s: the device of component %d of %s"):format(what, i, variable.name))
      equal(bits(value), bits(values[1]), ("%s: component %d of %s"):format(what, i, variable.name))
    end
  end
end

local function all_variables(model)
  local list = model:variables()
  local slots = model.optimizer:variables()
  return table.move(slots, 1, #slots, #list + 1, list)
end

case("a model of more variables than the list of them is first made for", function()
  local model = three:scope(function()
    local layers = { nn.Dense(2, { input_shape = { 2 } }) }
    for i = 2, 33 do layers[i] = nn.Dense(2) end
    return nn.Sequential(layers):compile { optimizer = lt.optim.Adam { learning_rate = 0.01 }, loss = "mse" }
  end)
  local x, y = lt.random.normal({ 9, 2 }, { seed = 1 }), lt.random.normal({ 9, 2 }, { seed = 2 })
  local before = bits(model:variables()[1])
  model:fit(x, y, { epochs = 2, batch_size = 4, verbose = 0 })
  equal(#all_variables(model), 3 * 66)
  check(three, all_variables(model), "after a fit")
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
    check(two, all_variables(model), "interrupted at instruction " .. n)
    n, times = n + 37, times + 1
  end
  assert(times > 50, "interrupted " .. times .. " times")
  local before = bits(model:variables()[1])
  model:fit(x, y, { verbose = 0 })
  assert(bits(model:variables()[1]) ~= before, "trained")
  check(two, all_variables(model), "in the end")
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

expect.end_of_cases()
