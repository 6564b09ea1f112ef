-- lutra.distribute: one model on several devices. Documented in _meta/distribute.lua.
local lutra, tools, use = ...
local strategies = use "distribute.strategy"

local ranks = use "distribute.ranks"

return {
  rank = ranks.rank, size = ranks.size, barrier = ranks.barrier,
  MultiWorkerMirroredStrategy = use "distribute.workers",
  MirroredStrategy = strategies.MirroredStrategy, OneDeviceStrategy = strategies.OneDeviceStrategy,
  get_strategy = strategies.get_strategy, has_strategy = strategies.has_strategy,
  in_cross_replica_context = strategies.in_cross_replica_context,
  get_replica_context = use "distribute.context".get_replica_context,
  ReduceOp = { SUM = "sum", MEAN = "mean" },
}
