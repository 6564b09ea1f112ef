---@meta

--- Training on several devices at once, with TensorFlow's names (tf.distribute). More: [distribute](../distribute.md).
---
--- A strategy has a replica on each of its devices. Variables made in its scope are mirrored: each replica sees a component
--- of its own, and all components have the same bits at all times. Replicas count from 1, as lists do.
---@class lutra.distribute
---@field ReduceOp lutra.distribute.ReduceOp the words that `reduce` and `all_reduce` take
local distribute = {}

--- A strategy with a replica on each of the devices. It initialises the devices, and says on stderr which ones it uses.
---@param devices? (string|table)[] names as in {"/GPU:0", "/GPU:1"}, or logical devices; nil or {}: all logical GPUs, else all logical CPUs
---@param options? table {timeout = seconds that a replica may take between collectives, and its device for what one run has queued; without it LUTRA_REPLICA_TIMEOUT, else any time}
---@return lutra.distribute.Strategy
--- Errors: InvalidArgument for a device that stands there twice; NotFound for one that is not there; FailedPrecondition in
---   the scope of a strategy.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(strategy.num_replicas_in_sync)  --> 2
--- Source: tf.distribute.MirroredStrategy
function distribute.MirroredStrategy(devices, options) end

--- A strategy with one replica. Variables made in its scope, and what `run` runs, are on that device.
---@param device string|table a name as in "/GPU:0", or a logical device
---@param options? table {timeout}, as MirroredStrategy's
---@return lutra.distribute.Strategy
--- Errors: NotFound for a device that is not there.
--- Example:
---     local strategy = lt.distribute.OneDeviceStrategy "/GPU:1"
---     print(strategy:run(function() return lt.zeros({1}).device end))  --> /job:localhost/replica:0/task:0/device:GPU:1
--- Source: tf.distribute.OneDeviceStrategy
function distribute.OneDeviceStrategy(device, options) end

--- The strategy in whose scope, or replica, this is called. Outside of all of them a default one, whose `run` just calls.
---@return lutra.distribute.Strategy
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.get_strategy().num_replicas_in_sync)  --> 1
--- Source: tf.distribute.get_strategy
function distribute.get_strategy() end

--- Whether a strategy's scope is open here, or a replica runs.
---@return boolean
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.has_strategy())  --> false
--- Source: tf.distribute.has_strategy
function distribute.has_strategy() end

--- Whether this is called in a strategy's scope, but in no replica.
---@return boolean
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.OneDeviceStrategy("/GPU:0"):scope(lt.distribute.in_cross_replica_context))  --> true
--- Source: tf.distribute.in_cross_replica_context
function distribute.in_cross_replica_context() end

--- What the replica that runs can ask; nil in a strategy's scope outside of replicas.
---@return lutra.distribute.ReplicaContext?
--- Errors: none of its own.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       print(lt.distribute.get_replica_context().replica_id_in_sync_group)  --> 1
---     end)  --> 2
--- Source: tf.distribute.get_replica_context
function distribute.get_replica_context() end

--- The words that `reduce` and `all_reduce` take; a string in any case does as well.
---@class lutra.distribute.ReduceOp
---@field SUM string "sum"
---@field MEAN string "mean"
local ReduceOp = {}

--- Where a program's replicas run: what MirroredStrategy and OneDeviceStrategy give.
---@class lutra.distribute.Strategy
---@field num_replicas_in_sync integer how many replicas there are
---@field devices string[] the full names of their devices, in order
local Strategy = {}

--- Calls `f(...)`; variables made in it are the strategy's.
---@param f function
---@param ... any
---@return any ... # what f returns
--- Errors: FailedPrecondition in the scope of another strategy; whatever f raises.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local v = strategy:scope(lt.Variable, 1.5, {name = "v"})
---     print(v)  --> MirroredVariable:{
---     -->   1: <lutra.Variable 'v' shape=() dtype=float32, value=1.5>,
---     -->   2: <lutra.Variable 'v/replica_2' shape=() dtype=float32, value=1.5>
---     --> }
--- Source: tf.distribute.Strategy.scope
function Strategy:scope(f, ...) end

--- Calls `f` once for each replica, each in the scope of its device. Of PerReplica values among the arguments, also inside
--- tables, each gets its own. Replicas wait for each other where they have to: in all_reduce, merge_call, an optimizer's step.
---@param f function
---@param args? any[] the arguments, as a list
---@return any ... # what the replicas return: PerReplica values; one replica's result as it is
--- Errors: whatever a replica raises, with its number and device before the text, and in the field `replica`;
---   FailedPrecondition for replicas that do not take the same collectives, or yield, or run replicas themselves;
---   DeadlineExceeded for a replica, or a device, that takes longer than the strategy's timeout.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(strategy:run(function(x) return lt.constant(x) end, {3}))  --> PerReplica:{
---     -->   1: lutra.Tensor(3, shape=(), dtype=int32),
---     -->   2: lutra.Tensor(3, shape=(), dtype=int32)
---     --> }
--- Source: tf.distribute.Strategy.run
function Strategy:run(f, args) end

--- What replicas have, as one value on the first device. A mean over an axis weighs all elements alike, however many each
--- replica has.
---@param op string "sum" or "mean"
---@param value lutra.distribute.PerReplica|lutra.Tensor|number what `run` gave; any other value is every replica's
---@param axis? integer|integer[] axes to sum up within each replica, too
---@return lutra.Tensor|number
--- Errors: InvalidArgument for another op, values that are no tensors or numbers, or tensors of different shapes.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local values = strategy:run(function() return lt.constant {1.0, 2.0} end)
---     print(strategy:reduce("sum", values):totable()[2], strategy:reduce("mean", values, 1):item())  --> 4.0	1.5
--- Source: tf.distribute.Strategy.reduce
function Strategy:reduce(op, value, axis) end

--- The values of the replicas as a list.
---@param value lutra.distribute.PerReplica|lutra.Variable|any of a mirrored variable its components' values
---@return any[]
--- Errors: none of its own.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(#strategy:experimental_local_results(strategy:scope(lt.Variable, 1.0)))  --> 2
--- Source: tf.distribute.Strategy.experimental_local_results
function Strategy:experimental_local_results(value) end

--- A value for each replica.
---@param f function called with {replica_id_in_sync_group, num_replicas_in_sync} for each replica
---@return lutra.distribute.PerReplica
--- Errors: whatever f raises.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local ids = strategy:experimental_distribute_values_from_function(function(c) return c.replica_id_in_sync_group end)
---     print(ids.values[2])  --> 2
--- Source: tf.distribute.Strategy.experimental_distribute_values_from_function
function Strategy:experimental_distribute_values_from_function(f) end

--- The batches of a dataset, whose rows are shared out: of m rows each of R replicas gets ceil(m / R) in order, the last ones
--- what is left, which may be none.
---@param dataset function|table a function that gives a batch at each call, a list of batches, or an object with iterate(); batches are tensors, or tables or several values of them
---@return lutra.distribute.DistributedDataset
--- Errors: InvalidArgument for anything else, and for a batch that is a scalar.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     for batch in strategy:experimental_distribute_dataset({ lt.ones {3, 2} }):iterate() do
---       print(batch.values[1].shape, batch.values[2].shape)  --> (2, 2)	(1, 2)
---     end
--- Source: tf.distribute.Strategy.experimental_distribute_dataset
function Strategy:experimental_distribute_dataset(dataset) end

--- Batches shared out among replicas.
---@class lutra.distribute.DistributedDataset
local DistributedDataset = {}

--- A new pass: `for batch in distributed:iterate() do`.
---@return function # gives what the dataset gives, with PerReplica values in place of tensors
--- Errors: whatever the dataset raises.
--- Example:
---     local strategy = lt.distribute.OneDeviceStrategy "/GPU:0"
---     for x in strategy:experimental_distribute_dataset({ lt.zeros {2} }):iterate() do print(x.shape) end  --> (2,)
--- Source: iter(tf.distribute.DistributedDataset)
function DistributedDataset:iterate() end

--- A value that differs from replica to replica. It prints all of them.
---@class lutra.distribute.PerReplica
---@field values any[] a value for each replica
local PerReplica = {}

--- What code in a replica can ask.
---@class lutra.distribute.ReplicaContext
---@field replica_id_in_sync_group integer which replica this is, from 1
---@field num_replicas_in_sync integer how many there are
---@field strategy lutra.distribute.Strategy
local ReplicaContext = {}

--- The sum or mean of what all replicas give here. It is added up once, in the replicas' order, so all get the same bits.
--- To a tape it is a sum like any other: a replica's own part has the gradient 1.
---@param op string "sum" or "mean"
---@param value lutra.Tensor|number|table tables of them in the same form in all replicas
---@return lutra.Tensor|number|table # on the replica's device
--- Errors: InvalidArgument for tensors of different shapes or dtypes.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       print(lt.distribute.get_replica_context():all_reduce("sum", lt.constant(2.0)):item())  --> 4.0
---     end)  --> 4.0
--- Source: tf.distribute.ReplicaContext.all_reduce
function ReplicaContext:all_reduce(op, value) end

--- Calls `f(strategy, ...)` once for all replicas, outside of them, with what they give as PerReplica values.
---@param f function
---@param args? any[] the arguments, as a list
---@return any ... # what f returns; of PerReplica values each replica gets its own
--- Errors: whatever f raises.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       local context = lt.distribute.get_replica_context()
---       context:merge_call(function(_, ids) print(#ids.values) end, {context.replica_id_in_sync_group})  --> 2
---     end)
--- Source: tf.distribute.ReplicaContext.merge_call
function ReplicaContext:merge_call(f, args) end

return distribute
