---@meta

---@class lutra.nn
local nn = {}

--- A layer that gives each channel of the last axis mean 0 and variance 1 over the batch, then scales and shifts it as it has
--- learned. Outside training it uses running means of both (Ioffe and Szegedy, ICML 2015). Under a strategy each replica takes
--- its own rows' mean and variance, and the running means move by the mean over all rows of theirs; synchronized takes those of
--- the whole batch, as one device does.
---@param options? table {momentum = 0.99; synchronized = false; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option; Unimplemented for a synchronized one that a replica of one's own training loop
---   trains.
--- Example:
---     local norm = lt.nn.BatchNorm {epsilon = 0}
---     print(norm(lt.constant {{1.0}, {3.0}}, true):totable()[2][1])  --> 1.0
--- Source: keras.layers.BatchNormalization
function nn.BatchNorm(options) end

--- A layer that gives each row of the last axis mean 0 and variance 1, then scales and shifts it as it has learned (Ba et al.,
--- 2016).
---@param options? table {epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.LayerNorm {epsilon = 0}(lt.constant {{1.0, 3.0}}):totable()[1][2])  --> 1.0
--- Source: keras.layers.LayerNormalization
function nn.LayerNorm(options) end

--- A layer that gives the channels of a group, over all places of a row, mean 0 and variance 1, then scales and shifts each channel
--- as it has learned (Wu and He, ECCV 2018).
---@param options? table {groups = 32: -1 makes one of each channel; epsilon = 1e-3; center = true; scale = true; gamma_initializer = "ones"; beta_initializer = "zeros"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for channels that groups cannot share.
--- Example:
---     local norm = lt.nn.GroupNorm {groups = 1, epsilon = 0}
---     print(norm(lt.constant {{{1.0}, {3.0}}}):flatten())  --> lutra.Tensor([-1.  1.], shape=(2,), dtype=float32)
--- Source: keras.layers.GroupNormalization
function nn.GroupNorm(options) end

nn.BatchNormalization = nn.BatchNorm
nn.LayerNormalization = nn.LayerNorm
nn.GroupNormalization = nn.GroupNorm
