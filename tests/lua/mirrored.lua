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

expect.end_of_cases()
