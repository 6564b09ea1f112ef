-- For custom training loops: scales a replica's losses so that the sum over all replicas is a mean over all rows.
-- TensorFlow's names (tf.nn).
local lutra, tools, use = ...
local options, losses = use "options", use "nn.training.losses"

-- The number of replicas, for code in one of them; 1 without a strategy.
local function replica_count(who)
  local context = use "distribute.context".get_replica_context()
  if context then return context.num_replicas_in_sync end
  tools.fail("FailedPrecondition",
    who .. ": it is called outside the replicas: call it in the function that strategy:run runs")
end

-- The sum of the rows' losses divided by the number of rows of all replicas.
local function compute_average_loss(per_example_loss, given)
  local who = "compute_average_loss"
  local read = options.read(who, given, { sample_weight = false, global_batch_size = false })
  local values = losses.tensor(who, "per_example_loss", per_example_loss)
  if values.rank == 0 then
    tools.fail("InvalidArgument",
      who .. ": per_example_loss is a scalar, expected one loss per row: reduction = \"none\" gives it")
  end
  if read.sample_weight then values = values * losses.row_weights(who, values, read.sample_weight) end
  local rows = read.global_batch_size
  if rows then options.positive(who, "global_batch_size", rows) else rows = #values * replica_count(who) end
  return values:sum() / rows
end

-- The regularisation loss divided by the number of replicas, since each replica adds it.
local function scale_regularization_loss(regularization_loss)
  local who = "scale_regularization_loss"
  return losses.tensor(who, "regularization_loss", regularization_loss):sum() / replica_count(who)
end

return { compute_average_loss = compute_average_loss, scale_regularization_loss = scale_regularization_loss }
