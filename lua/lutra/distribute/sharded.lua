-- Optimizers whose state is shared out over ranks (shard_optimizer; ZeRO-1 of Rajbhandari et al., 2020): each variable has
-- a rank that owns it. The owner alone has its slots, gets the sum of its gradients and takes its steps; all ranks then get
-- its new value.
local lutra, tools, use = ...
local ranks, mirrored = use "distribute.ranks", use "distribute.mirrored"

local sharded = {}

-- What an optimizer of these variables keeps as `shard`: `owners`, the ranks by variable, and `rank`, this process'. nil
-- if the strategy shares nothing out. Large variables first, each to the rank that has the least so far.
function sharded.share_out(strategy, variables)
  local far = strategy.ranks
  if not (far and far.shards) then return nil end
  local order, loads, owners = {}, {}, {}
  for i = 1, #variables do order[i] = i end
  table.sort(order, function(a, b)
    local one, other = variables[a].nbytes, variables[b].nbytes
    return one > other or one == other and a < b
  end)
  for r = 0, far.size - 1 do loads[r] = 0 end
  for _, i in ipairs(order) do
    local owner = 0
    for r = 1, far.size - 1 do
      if loads[r] < loads[owner] then owner = r end
    end
    owners[i], loads[owner] = owner, loads[owner] + variables[i].nbytes
  end
  return { owners = owners, rank = far.rank, strategy = strategy }
end

-- This rank's variables that have a gradient, with these and their slots, as lists; nil if there are none.
function sharded.own(optimizer, gradients)
  local variables, own, slots = {}, {}, {}
  for k = 1, #optimizer.rule_slots do slots[k] = {} end
  for i, variable in ipairs(optimizer.built_for) do
    if optimizer.shard.owners[i] == optimizer.shard.rank and gradients[i] then
      local at = #variables + 1
      variables[at], own[at] = variable, gradients[i]
      for k, list in ipairs(optimizer.rule_slots) do slots[k][at] = list[i] end
    end
  end
  if #variables > 0 then return variables, own, slots end
end

-- The norms of all gradients in order, those of other ranks' variables too, on this device.
function sharded.norms(optimizer, gradients, device)
  local numbers, norms, of = {}, {}, {}
  for i = 1, #gradients do
    if gradients[i] then
      numbers[#numbers + 1] = i
      numbers[#numbers + 1] = lutra.device(gradients[i].device, lutra.norm, gradients[i]):item()
    end
  end
  for _, list in ipairs(ranks.gather_numbers("the norms of gradients", numbers)) do
    for k = 1, #list, 2 do of[list[k]] = list[k + 1] end
  end
  for i, variable in ipairs(optimizer.built_for) do
    if of[i] then norms[#norms + 1] = lutra.device(device, lutra.constant, of[i], { dtype = variable.dtype }) end
  end
  return norms
end

-- After a step, or another change of each rank's own variables: all ranks get all values. has_changed: whether this rank
-- has changed one.
function sharded.spread(optimizer, has_changed)
  local shard, variables = optimizer.shard, optimizer.built_for
  local strategy, far = shard.strategy, shard.strategy.ranks
  local what = ("the new weights of the optimizer '%s'"):format(optimizer.name)
  local lists, has_none = tools.gather_owned({ variables }, strategy.devices, not has_changed, nil, far.firsts, what, "", ranks.limit,
    shard.owners)
  if has_none then
    tools.fail("InvalidArgument", "apply: none of the variables has a gradient: the loss depends on none of them")
  end
  for id = 1, #strategy.devices do
    for k, variable in ipairs(variables) do
      local value = lists[id][k]
      if value then tools.raw_assign(mirrored.component(variable, id), value) end
    end
  end
end

-- The whole state for a file, as lists of tensors by slot: on rank 0, and nil on others, which must call it as well.
function sharded.whole_slots(optimizer)
  local shard, slots = optimizer.shard, {}
  local what = ("the state of the optimizer '%s', for a file,"):format(optimizer.name)
  for k, slot in ipairs(optimizer:all_slots()) do
    slots[k] = {}
    for i, variable in ipairs(optimizer.built_for) do
      local own = optimizer.slots[k][i]
      local bytes = ranks.gather(what, own and own:value():to("/CPU:0"):bytes() or "")[shard.owners[i] + 1]
      if shard.rank == 0 then
        local shape = { table.unpack(optimizer:slot_shape(slot, variable)) }
        slots[k][i] = lutra.device("/CPU:0", lutra.from_bytes, bytes, variable.dtype, shape)
      end
    end
  end
  if shard.rank == 0 then return slots end
end

return sharded
