-- Optimisers' steps of replicas: the gradients' sums, and the same step for all components of the variables.
local lutra, tools, use = ...
local mirrored, replicas, Optimizer = use "distribute.mirrored", use "distribute.replicas", use "optim.optimizer"

local steps = {}

function steps.require_mirrored(strategy, who, variables)
  for _, variable in ipairs(variables) do
    local mirror = mirrored.of(variable)
    if strategy.mirrors and (not mirror or mirror.strategy ~= strategy) then
      tools.fail("FailedPrecondition", ("%s: the variable '%s' is not one of the strategy's, so its replicas would change it "
        .. "one after the other: make it in strategy:scope"):format(who, variable.name))
    end
  end
end

-- One step down the sums of gradients[id], of each replica. A step that breaks off leaves all components equal.
function steps.take(strategy, optimizer, gradients)
  -- Of our own optimisers it is known that they read the sums in their step, and then no more.
  local lends = optimizer.take_step == Optimizer.take_step
  local sums = tools.all_reduce(gradients, strategy.devices, "sum", lends)
  optimizer:begin_step()
  local ok, err = pcall(function()
    for id, device in ipairs(strategy.devices) do
      if id > 1 and not strategy.alike then break end
      mirrored.swap(strategy, id)
      local ok, err = pcall(lutra.device, device, optimizer.take_step, optimizer, sums[id])
      mirrored.swap(strategy, id)
      if not ok then error(replicas.named(err, { id = id, device = device }), 0) end
    end
    -- Different kinds of devices round differently: the first one's values are everybody's.
    if not strategy.alike then mirrored.spread_all(strategy) end
  end)
  if lends then tools.take_back(strategy.devices) end
  if not ok then
    mirrored.spread_all(strategy)
    error(err, 0)
  end
  optimizer.iterations = optimizer.iterations + 1
end

local function merge_apply(strategy, brought, list)
  local optimizer, variables = brought[1][1], brought[1][3]
  if variables then steps.require_mirrored(strategy, "apply", variables) end
  optimizer:ensure_built(variables)
  local gradients = {}
  for id = 1, #strategy.devices do
    gradients[id] = {}
    for k = 1, #brought[1][2] do gradients[id][k] = false end
  end
  for i, replica in ipairs(list) do gradients[replica.id] = brought[i][2] end
  steps.take(strategy, optimizer, gradients)
  return replicas.no_answers(list)
end

function steps.apply(optimizer, gradients, variables)
  replicas.meet("apply of the optimizer '" .. optimizer.name .. "'", merge_apply, optimizer, gradients, variables)
end

return steps
