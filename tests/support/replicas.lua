-- Helpers for tests of strategies: `local replicas = dofile("tests/support/replicas.lua")`.
local lt = require "lutra"
local equal = dofile("tests/support/expect.lua").equal
local replicas = {}

-- The number of this replica, from 1.
function replicas.id() return lt.distribute.get_replica_context().replica_id_in_sync_group end

function replicas.bits(tensor) return tensor:to("CPU:0"):bytes() end

-- Each component of each of these variables is on its replica's device, and has the first one's bits.
function replicas.check(strategy, variables, what)
  for _, variable in ipairs(variables) do
    local name = (what and what .. ": " or "") .. variable.name
    local values = strategy:experimental_local_results(variable)
    equal(#values, strategy.num_replicas_in_sync, name .. ": components")
    for i, value in ipairs(values) do
      equal(value.device, strategy.devices[i], ("%s: the device of component %d"):format(name, i))
      equal(replicas.bits(value), replicas.bits(values[1]), ("%s: component %d"):format(name, i))
    end
  end
end

-- A compiled model's variables, and its optimizer's.
function replicas.variables(model)
  local list, slots = model:variables(), model.optimizer:variables()
  return table.move(slots, 1, #slots, #list + 1, list)
end

return replicas
