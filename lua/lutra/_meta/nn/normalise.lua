---@meta

---@class lutra.nn
local nn = {}

--- Batch normalisation: gives each channel of the last axis mean 0 and variance 1 over the batch, then applies a
--- learned scale and shift. Outside training it uses running means of both (Ioffe and Szegedy, ICML 2015). Under a
--- strategy each replica uses the mean and variance of its own rows, and the running means follow their mean over all
--- rows. With synchronized, all replicas use those of the whole batch, as one device would.
---@param options? table {momentum = 0.99; synchronized = false; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; gamma_regularizer, beta_regularizer, gamma_constraint, beta_constraint; axis = -1: of the channels, counts the batch as the first; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option; Unimplemented for a synchronized layer trained by a replica of a
---   custom training loop.
--- Example:
---     local norm = lt.nn.BatchNorm {epsilon = 0}
---     print(norm(lt.constant {{1.0}, {3.0}}, true):totable()[2][1])  --> 1.0
--- Source: keras.layers.BatchNormalization
function nn.BatchNorm(options) end

--- Layer normalisation: normalises along the last axis, or a list of axes, to mean 0 and variance 1, then applies a learned scale and shift
--- (Ba et al., 2016).
---@param options? table {epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; gamma_regularizer, beta_regularizer, gamma_constraint, beta_constraint; axis = -1: one or a list, counts the batch as the first; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.LayerNorm {epsilon = 0}(lt.constant {{1.0, 3.0}}):totable()[1][2])  --> 1.0
--- Source: keras.layers.LayerNormalization
function nn.LayerNorm(options) end

--- Group normalisation: gives each group of channels, over all positions of a row, mean 0 and variance 1, then applies
--- a learned scale and shift to each channel (Wu and He, ECCV 2018).
---@param options? table {groups = 32: -1 makes each channel a group; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; gamma_regularizer, beta_regularizer, gamma_constraint, beta_constraint; axis = -1: of the channels, counts the batch as the first; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, if groups does not divide the number of channels.
--- Example:
---     local norm = lt.nn.GroupNorm {groups = 1, epsilon = 0}
---     print(norm(lt.constant {{{1.0}, {3.0}}}):flatten())  --> lutra.Tensor([-1.  1.], shape=(2,), dtype=float32)
--- Source: keras.layers.GroupNormalization
function nn.GroupNorm(options) end

nn.BatchNormalization = nn.BatchNorm
nn.LayerNormalization = nn.LayerNorm
nn.GroupNormalization = nn.GroupNorm
