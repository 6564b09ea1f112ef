-- Replacements for lt.Variable and for functions of mirrored variables, installed once there is a strategy.
local lutra, tools, use = ...
local mirrored, replicas, sums = use "distribute.mirrored", use "distribute.replicas", use "distribute.sums"

local hooks = {}

function hooks.make(initial, options)
  local strategy = replicas.strategy()
  if not strategy or not strategy.mirrors then return tools.raw_variable(initial, options) end
  if not replicas.current then return mirrored.make(strategy, initial, options) end
  -- A collective: all replicas get the same new variable.
  return replicas.meet("Variable", function(_, brought, list)
    local made = mirrored.make(strategy, brought[1][1], brought[1][2])
    local answers = {}
    for i = 1, #list do answers[i] = { made, n = 1 } end
    return answers
  end, initial, options)
end

local function name_of(variable) return ("the variable '%s'"):format(variable.name) end

-- A table becomes a tensor of the variable's dtype, as outside replicas.
local function typed(strategy, variable, value, name)
  if type(value) ~= "table" then return value end
  return lutra.device(strategy.devices[1], tools.assigned_table, variable, value, name)
end

local function merge_assign(name, variable, assign)
  return function(strategy, brought, list)
    replicas.agree("assign", brought, list, 2, name_of)
    local values = {}
    for i = 1, #list do values[i] = typed(strategy, variable, brought[i][1], name) end
    local how = mirrored.of(variable).aggregation
    mirrored.write(variable, assign, how == "only_first_replica" and values[1] or sums.reduce(strategy, how, values))
    local answers = {}
    for i = 1, #list do answers[i] = { variable, n = 1 } end
    return answers
  end
end

local kValues = { userdata = true, table = true, number = true, boolean = true }

local function assign_by(name, assign)
  hooks[name] = function(variable, value, ...)
    local mirror = mirrored.of(variable)
    if not replicas.current or select("#", ...) > 0 then return mirrored.write(variable, assign, value, ...) end
    if mirror.aggregation == "none" then
      tools.fail("FailedPrecondition",
        ("%s: the mirrored variable '%s' is assigned in a replica, but has no aggregation to "
        .. "combine the replicas' values: make it with {aggregation = \"mean\"}, \"sum\" or \"only_first_replica\""):format(name,
        variable.name))
    end
    -- Another value gets the same error as outside replicas.
    if not kValues[type(value)] then return assign(variable, value) end
    return replicas.meet(name .. " of '" .. variable.name .. "'", merge_assign(name, variable, assign), value, variable)
  end
end
assign_by("assign", tools.raw_assign)
assign_by("assign_add", tools.raw_assign_add)
assign_by("assign_sub", tools.raw_assign_sub)

function hooks.assign_part(variable, key, value)
  if replicas.current then
    tools.fail("FailedPrecondition",
      ("v[...] = value: the mirrored variable '%s' is assigned a part in a replica; assign all of "
      .. "it, or do it outside of run"):format(variable.name))
  end
  mirrored.write(variable, tools.raw_assign_part, key, value)
end

function hooks.text(variable)
  if replicas.current then return tools.raw_text(variable) end
  return mirrored.text(variable)
end

return hooks
