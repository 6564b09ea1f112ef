---@meta

--- Training on several devices at once, with TensorFlow's names (tf.distribute). More: [distribute](../distribute.md).
---
--- A strategy has one replica per device. Variables made in its scope are mirrored: each replica has its own component,
--- and all components have the same bits at all times. Replicas count from 1.
---@class lutra.distribute
---@field ReduceOp lutra.distribute.ReduceOp operations for `reduce` and `all_reduce`
local distribute = {}

--- A strategy with a replica on each of the devices. The call initialises the devices and prints on stderr which it
--- uses.
---@param devices? (string|table)[] names as in {"/GPU:0", "/GPU:1"}, or logical devices; nil or {}: all logical GPUs, else all logical CPUs
---@param options? table {timeout = most seconds that a replica may take between collectives, and its device for the work queued by one run; default LUTRA_REPLICA_TIMEOUT, else no limit}
---@return lutra.distribute.Strategy
--- Errors: InvalidArgument for a device that is listed twice; NotFound for a missing device; FailedPrecondition inside
---   the scope of a strategy.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(strategy.num_replicas_in_sync)  --> 2
--- Source: tf.distribute.MirroredStrategy
function distribute.MirroredStrategy(devices, options) end

--- A strategy over all processes of a launch ([several hosts](../several-hosts.md)), each with its own devices: their
--- replicas train one model. Without a launcher it is a MirroredStrategy. All processes call it, and whatever makes or
--- changes its variables, in the same order.
---@param devices? (string|table)[] this process' devices, as for MirroredStrategy
---@param options? table {timeout, overlap = true, shard_optimizer = false}. timeout as for MirroredStrategy: also the most seconds that processes wait for each other in each collective from then on. overlap: gradients are summed during the backward pass where that is possible. shard_optimizer: each process has only its part of an optimizer's state; files of it are saved by all processes together
---@return lutra.distribute.Strategy # with `cluster_resolver`: {task_type = "worker", task_id = this process' rank, cluster_spec = {worker = the hosts}}
--- Errors: those of MirroredStrategy; InvalidArgument for other options; FailedPrecondition if MPI is missing, or if TF_CONFIG lists workers and no launcher
---   started the process (the error has the command); Aborted, DeadlineExceeded and InvalidArgument as for barrier.
--- Example:
---     local strategy = lt.distribute.MultiWorkerMirroredStrategy()  --> INFO: Using MultiWorkerMirroredStrategy with 1 worker<*>
---     print(strategy.cluster_resolver.task_id)  --> 0
--- Source: tf.distribute.MultiWorkerMirroredStrategy
function distribute.MultiWorkerMirroredStrategy(devices, options) end

--- This process' number in its launch, from 0; 0 without a launcher.
---@return integer
--- Errors: FailedPrecondition if a launcher started the process and MPI cannot be used.
--- Example:
---     print(lt.distribute.rank())  --> 0
--- Source: MPI_Comm_rank
function distribute.rank() end

--- The number of processes of the launch; 1 without a launcher.
---@return integer
--- Errors: FailedPrecondition if a launcher started the process and MPI cannot be used.
--- Example:
---     print(lt.distribute.size())  --> 1
--- Source: MPI_Comm_size
function distribute.size() end

--- Waits until all processes of the launch have called it.
---@param seconds? number the most to wait; default: the timeout of the last MultiWorkerMirroredStrategy, else no limit
--- Errors: InvalidArgument on all processes if one calls something else, with both lines; Aborted if one has failed or
---   ended, with the fields rank, host and line; DeadlineExceeded on all after `seconds`, naming those that are missing.
--- Example:
---     print(pcall(lt.distribute.barrier, 10))  --> true
--- Source: MPI_Barrier
function distribute.barrier(seconds) end

--- A strategy with one replica. Variables made in its scope, and functions called by `run`, use that device.
---@param device string|table a name as in "/GPU:0", or a logical device
---@param options? table {timeout}, as for MirroredStrategy
---@return lutra.distribute.Strategy
--- Errors: NotFound for a missing device.
--- Example:
---     local strategy = lt.distribute.OneDeviceStrategy "/GPU:1"
---     print(strategy:run(function() return lt.zeros({1}).device end))  --> /job:localhost/replica:0/task:0/device:GPU:1
--- Source: tf.distribute.OneDeviceStrategy
function distribute.OneDeviceStrategy(device, options) end

--- The strategy whose scope is open or whose replica is running. Otherwise a default strategy, whose `run` just calls
--- the function.
---@return lutra.distribute.Strategy
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.get_strategy().num_replicas_in_sync)  --> 1
--- Source: tf.distribute.get_strategy
function distribute.get_strategy() end

--- Whether a strategy's scope is open or a replica is running.
---@return boolean
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.has_strategy())  --> false
--- Source: tf.distribute.has_strategy
function distribute.has_strategy() end

--- Whether this is called in a strategy's scope, outside its replicas.
---@return boolean
--- Errors: none of its own.
--- Example:
---     print(lt.distribute.OneDeviceStrategy("/GPU:0"):scope(lt.distribute.in_cross_replica_context))  --> true
--- Source: tf.distribute.in_cross_replica_context
function distribute.in_cross_replica_context() end

--- The context of the running replica; nil in a strategy's scope outside its replicas.
---@return lutra.distribute.ReplicaContext?
--- Errors: none of its own.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       print(lt.distribute.get_replica_context().replica_id_in_sync_group)  --> 1
---     end)  --> 2
--- Source: tf.distribute.get_replica_context
function distribute.get_replica_context() end

--- Operations for `reduce` and `all_reduce`. Strings work as well, in upper or lower case.
---@class lutra.distribute.ReduceOp
---@field SUM string "sum"
---@field MEAN string "mean"
local ReduceOp = {}

--- A set of replicas and their devices, made by MirroredStrategy, OneDeviceStrategy or MultiWorkerMirroredStrategy.
---@class lutra.distribute.Strategy
---@field num_replicas_in_sync integer number of replicas, those of other processes too
---@field devices string[] the full names of the devices of this process' replicas, in order
local Strategy = {}

--- Calls `f(...)` in the strategy's scope: variables made in it belong to the strategy.
---@param f function
---@param ... any
---@return any ... # f's results
--- Errors: FailedPrecondition in the scope of another strategy; errors of f.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local v = strategy:scope(lt.Variable, 1.5, {name = "v"})
---     print(v)  --> MirroredVariable:{
---     -->   1: <lutra.Variable 'v' shape=() dtype=float32, value=1.5>,
---     -->   2: <lutra.Variable 'v/replica_2' shape=() dtype=float32, value=1.5>
---     --> }
--- Source: tf.distribute.Strategy.scope
function Strategy:scope(f, ...) end

--- Calls `f` once per replica, in the scope of the replica's device. Each replica gets its own value of a PerReplica
--- argument, also inside tables. Replicas wait for each other where they must: in all_reduce, merge_call and an
--- optimizer's step.
---@param f function
---@param args? any[] the arguments, as a list
---@return any ... # the replicas' results as PerReplica values; with one replica its plain results
--- Errors: errors of a replica, with its number and device before the text and in the field `replica`;
---   FailedPrecondition for replicas that do not make the same collective calls, that yield, or that run replicas
---   themselves; DeadlineExceeded for a replica or a device that takes longer than the strategy's timeout.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(strategy:run(function(x) return lt.constant(x) end, {3}))  --> PerReplica:{
---     -->   1: lutra.Tensor(3, shape=(), dtype=int32),
---     -->   2: lutra.Tensor(3, shape=(), dtype=int32)
---     --> }
--- Source: tf.distribute.Strategy.run
function Strategy:run(f, args) end

--- Combines the replicas' values into one value on the first device. A mean over an axis weights all elements equally,
--- even if replicas have different numbers of them.
---@param op string "sum" or "mean"
---@param value lutra.distribute.PerReplica|lutra.Tensor|number a result of `run`; any other value counts as every replica's value
---@param axis? integer|integer[] axes to reduce within each replica as well
---@return lutra.Tensor|number
--- Errors: InvalidArgument for another op, values that are not tensors or numbers, or tensors of different shapes.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local values = strategy:run(function() return lt.constant {1.0, 2.0} end)
---     print(strategy:reduce("sum", values):totable()[2], strategy:reduce("mean", values, 1):item())  --> 4.0	1.5
--- Source: tf.distribute.Strategy.reduce
function Strategy:reduce(op, value, axis) end

--- The values of the replicas as a list.
---@param value lutra.distribute.PerReplica|lutra.Variable|any for a mirrored variable the values of its components
---@return any[]
--- Errors: none of its own.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(#strategy:experimental_local_results(strategy:scope(lt.Variable, 1.0)))  --> 2
--- Source: tf.distribute.Strategy.experimental_local_results
function Strategy:experimental_local_results(value) end

--- The tensors of all replicas, those of other processes too, one after the other along an axis, on the first device.
---@param value lutra.distribute.PerReplica|lutra.Tensor a result of `run`
---@param axis? integer default 1
---@return lutra.Tensor
--- Errors: InvalidArgument for values that are not tensors with that axis, or whose other axes differ.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     print(strategy:gather(strategy:run(function() return lt.ones {2, 3} end)).shape)  --> (4, 3)
--- Source: tf.distribute.Strategy.gather
function Strategy:gather(value, axis) end

--- Makes a PerReplica value by calling a function for each replica.
---@param f function called with {replica_id_in_sync_group, num_replicas_in_sync} for each replica
---@return lutra.distribute.PerReplica
--- Errors: those of f.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local ids = strategy:experimental_distribute_values_from_function(function(c) return c.replica_id_in_sync_group end)
---     print(ids.values[2])  --> 2
--- Source: tf.distribute.Strategy.experimental_distribute_values_from_function
function Strategy:experimental_distribute_values_from_function(f) end

--- Splits the rows of each batch of a dataset among the replicas: of m rows each of R replicas gets ceil(m / R), in
--- order; the last ones get fewer rows or none.
---@param dataset function|table a function that returns a batch at each call, a list of batches, or an object with iterate(); a batch is one or several tensors or tables of tensors
---@return lutra.distribute.DistributedDataset
--- Errors: InvalidArgument for anything else, and for a batch that is a scalar.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     for batch in strategy:experimental_distribute_dataset({ lt.ones {3, 2} }):iterate() do
---       print(batch.values[1].shape, batch.values[2].shape)  --> (2, 2)	(1, 2)
---     end
--- Source: tf.distribute.Strategy.experimental_distribute_dataset
function Strategy:experimental_distribute_dataset(dataset) end

--- The batches of a dataset that each process makes for itself, as from its own files. Each element is one replica's
--- batch: a step takes as many as the process has replicas. `fit` and `evaluate` take the result as well. Batches may
--- differ in their numbers of rows; a process whose batches have ended takes part without rows until all have ended.
---@param f fun(context: lutra.distribute.InputContext): any called once: returns a Dataset, or what experimental_distribute_dataset takes
---@return lutra.distribute.DistributedDataset
--- Errors: InvalidArgument for something else, for batches without rows, and for a process without any batch; those of f.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     local files = { lt.ones {4, 2}, lt.zeros {4, 2} }  -- in place of names of files
---     local batches = strategy:distribute_datasets_from_function(function(context)
---       local own = {}
---       for i, file in ipairs(files) do
---         if (i - 1) % context.num_input_pipelines == context.input_pipeline_id then own[#own + 1] = file end
---       end
---       return own
---     end)
---     for x in batches:iterate() do print(x.values[1].shape, x.values[2].shape) end  --> (4, 2)	(4, 2)
--- Source: tf.distribute.Strategy.distribute_datasets_from_function
function Strategy:distribute_datasets_from_function(f) end

--- What distribute_datasets_from_function calls its function with.
---@class lutra.distribute.InputContext
---@field num_input_pipelines integer how many processes there are
---@field input_pipeline_id integer this one's number, from 0
---@field num_replicas_in_sync integer the number of all replicas
local InputContext = {}

--- A replica's part of a batch.
---@param global_batch_size integer the rows of all replicas' batches
---@return integer
--- Errors: InvalidArgument unless it is a multiple of the number of replicas.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:distribute_datasets_from_function(function(context)
---       print(context:get_per_replica_batch_size(8))  --> 4
---       return {}
---     end)
--- Source: tf.distribute.InputContext.get_per_replica_batch_size
function InputContext:get_per_replica_batch_size(global_batch_size) end

--- A dataset whose batches are split among replicas.
---@class lutra.distribute.DistributedDataset
local DistributedDataset = {}

--- Starts a new pass: `for batch in distributed:iterate() do`.
---@return function # returns the dataset's elements with PerReplica values in place of tensors
--- Errors: those of the dataset.
--- Example:
---     local strategy = lt.distribute.OneDeviceStrategy "/GPU:0"
---     for x in strategy:experimental_distribute_dataset({ lt.zeros {2} }):iterate() do print(x.shape) end  --> (2,)
--- Source: iter(tf.distribute.DistributedDataset)
function DistributedDataset:iterate() end

--- One value per replica. It prints all of them.
---@class lutra.distribute.PerReplica
---@field values any[] the values, in the replicas' order
local PerReplica = {}

--- Information about the running replica, and calls that involve all replicas.
---@class lutra.distribute.ReplicaContext
---@field replica_id_in_sync_group integer number of this replica, from 1
---@field num_replicas_in_sync integer number of replicas
---@field strategy lutra.distribute.Strategy
local ReplicaContext = {}

--- The sum or mean of the values that all replicas pass. It is computed once, in the replicas' order, so all get the
--- same bits. For a tape it is a sum like any other: the gradient with respect to a replica's own value is 1.
---@param op string "sum" or "mean"
---@param value lutra.Tensor|number|table tables of them, with the same form in all replicas
---@return lutra.Tensor|number|table # on the replica's device
--- Errors: InvalidArgument for tensors of different shapes or dtypes.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       print(lt.distribute.get_replica_context():all_reduce("sum", lt.constant(2.0)):item())  --> 4.0
---     end)  --> 4.0
--- Source: tf.distribute.ReplicaContext.all_reduce
function ReplicaContext:all_reduce(op, value) end

--- Calls `f(strategy, ...)` once for all replicas, outside of them, with their arguments as PerReplica values.
---@param f function
---@param args? any[] the arguments, as a list
---@return any ... # f's results; of a PerReplica result each replica gets its own value
--- Errors: those of f.
--- Example:
---     local strategy = lt.distribute.MirroredStrategy()  --> INFO: Using MirroredStrategy with devices <*>
---     strategy:run(function()
---       local context = lt.distribute.get_replica_context()
---       context:merge_call(function(_, ids) print(#ids.values) end, {context.replica_id_in_sync_group})  --> 2
---     end)
--- Source: tf.distribute.ReplicaContext.merge_call
function ReplicaContext:merge_call(f, args) end

return distribute
