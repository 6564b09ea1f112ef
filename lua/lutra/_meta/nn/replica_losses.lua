---@meta

---@class lutra.nn
local nn = {}

--- A replica's contribution to the mean loss, for a custom training loop: the sum of the losses of its rows, divided by
--- the number of rows of all replicas. The gradients of the contributions add up to the gradient of the mean.
---@param per_example_loss lutra.Tensor|table one loss per row, as losses with reduction = "none" return it
---@param options? table {sample_weight = one number per row; global_batch_size = number of rows of all replicas together, if replicas have different numbers}
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for a scalar, or weights that do not match; FailedPrecondition in cross-replica context.
--- Example:
---     print(lt.nn.compute_average_loss({1.0, 3.0}, {global_batch_size = 8}):item())  --> 0.5
--- Source: tf.nn.compute_average_loss
function nn.compute_average_loss(per_example_loss, options) end

--- A replica's contribution to the regularisation loss, for a custom training loop: the sum divided by the number of
--- replicas.
---@param regularization_loss lutra.Tensor|table
---@return lutra.Tensor # a scalar
--- Errors: InvalidArgument for a value that is not a number; FailedPrecondition in cross-replica context.
--- Example:
---     print(lt.nn.scale_regularization_loss({1.0, 3.0}):item())  --> 4.0
--- Source: tf.nn.scale_regularization_loss
function nn.scale_regularization_loss(regularization_loss) end
