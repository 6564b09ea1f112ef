-- The interface of code in a replica: which replica it is, and calls that involve all replicas.
local lutra, tools, use = ...
local class, replicas = use "class", use "distribute.replicas"
local sums, strategies = use "distribute.sums", use "distribute.strategy"

local ReplicaContext = class "distribute.ReplicaContext"

function ReplicaContext:init(strategy, id, device)
  self.strategy, self.device = strategy, device
  self.replica_id_in_sync_group = (strategy.ranks and strategy.ranks.first or 0) + id
  self.num_replicas_in_sync = strategy.num_replicas_in_sync
end

function ReplicaContext:__tostring()
  local id, count = self.replica_id_in_sync_group, self.num_replicas_in_sync
  return ("<lutra.distribute.ReplicaContext replica %d of %d>"):format(id, count)
end

-- The sum or mean of the values that all replicas pass, on each replica's device.
function ReplicaContext:all_reduce(op, value)
  local how = sums.op("all_reduce", op)
  if not replicas.current then return value end
  return replicas.meet("all_reduce", function(strategy, brought, list)
    replicas.agree("all_reduce", brought, list, 2)
    return sums.all_reduce(strategy, how, brought, list)
  end, value, how)
end

-- Runs f(strategy, ...) once, outside of the replicas; their arguments become PerReplica values. All replicas get its
-- results.
function ReplicaContext:merge_call(f, arguments)
  if not replicas.current then return f(self.strategy, table.unpack(arguments or {})) end
  return replicas.meet("merge_call", function(strategy, brought, list)
    local values = use "distribute.values"
    local merged, count = {}, brought[1][2]
    for k = 1, count do
      local column = {}
      for i = 1, #list do column[i] = brought[i][1][k] end
      merged[k] = values.regroup(column, #list)
    end
    local results = table.pack(f(strategy, table.unpack(merged, 1, count)))
    local answers = {}
    for i, replica in ipairs(list) do
      answers[i] = { n = results.n }
      for k = 1, results.n do answers[i][k] = values.select(results[k], replica.id) end
    end
    return answers
  end, arguments or {}, arguments and #arguments or 0)
end

-- The context of the running replica; outside any strategy that of the default strategy's only replica; nil in
-- cross-replica context.
local function get_replica_context()
  local replica = replicas.current
  if replica then
    replica.context = replica.context or ReplicaContext(replica.strategy, replica.id, replica.device)
    return replica.context
  end
  if strategies.has_strategy() then return nil end
  return ReplicaContext(strategies.get_strategy(), 1)
end

return { get_replica_context = get_replica_context, ReplicaContext = ReplicaContext }
