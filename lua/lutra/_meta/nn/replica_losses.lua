---@meta

---@class lutra.nn
local nn = {}

--- A replica's part of the mean loss, in a loop of one's own: the sum of a loss a row over as many rows as all replicas have. The
--- gradients of these parts add up to that of the mean.
---@param per_example_loss lutra.Tensor|table a loss a row, as losses with reduction = "none" give it
---@param options? table {sample_weight = a number a row; global_batch_size = rows of all replicas together, where they do not have equally many}
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for a scalar, or weights that do not match; FailedPrecondition between replicas.
--- Example:
---     print(lt.nn.compute_average_loss({1.0, 3.0}, {global_batch_size = 8}):item())  --> 0.5
--- Source: tf.nn.compute_average_loss
function nn.compute_average_loss(per_example_loss, options) end

--- A replica's part of what weights cost, in a loop of one's own: their sum over the number of replicas.
---@param regularization_loss lutra.Tensor|table
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for what is no number; FailedPrecondition between replicas.
--- Example:
---     print(lt.nn.scale_regularization_loss({1.0, 3.0}):item())  --> 4.0
--- Source: tf.nn.scale_regularization_loss
function nn.scale_regularization_loss(regularization_loss) end
