---@meta

---@class lutra.nn
local nn = {}

--- A layer that gives its input.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Identity() {1.0})  --> lutra.Tensor([1.], shape=(1,), dtype=float32)
--- Source: keras.layers.Identity
function nn.Identity(options) end

--- A layer that gives x scale + offset, such as images of bytes as numbers from 0 to 1.
---@param scale number|number[] one, or one for each channel
---@param options? table {offset = 0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a scale or an offset that is no number or list.
--- Example:
---     print(lt.nn.Rescaling(1 / 256) {0, 64, 128})  --> lutra.Tensor([0.   0.25 0.5 ], shape=(3,), dtype=float32)
--- Source: keras.layers.Rescaling
function nn.Rescaling(scale, options) end

--- A layer that divides rows by the root of their mean square, and multiplies with a learned scale (Zhang and Sennrich,
--- NeurIPS 2019).
---@param options? table {epsilon = 1e-6; axis = -1: counts the batch as the first; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(("%.4f"):format(lt.nn.RMSNormalization() {{3.0, -3.0}}:max():item()))  --> 1.0000
--- Source: keras.layers.RMSNormalization
function nn.RMSNormalization(options) end

--- A layer that divides by the length along an axis, which counts the batch as the first, or several.
---@param options? table {axis = -1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.UnitNormalization() {{3.0, 4.0}})  --> lutra.Tensor([[0.6 0.8]], shape=(1, 2), dtype=float32)
--- Source: keras.layers.UnitNormalization
function nn.UnitNormalization(options) end

--- A layer that makes each feature's mean 0 and variance 1: by the mean and variance given, or those of the data that
--- layer:adapt(data) has seen, a tensor of rows or a dataset of batches. With invert it computes the reverse.
---@param options? table {mean, variance = numbers or lists; invert = false; axis = -1: of the features, one, a list, or false, which makes all numbers one feature; the batch is axis 1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument if only one of mean and variance is given, or for data without rows.
--- Example:
---     local layer = lt.nn.Normalization()
---     layer:adapt {{1.0}, {3.0}}
---     print(layer {{5.0}})  --> lutra.Tensor([[3.]], shape=(1, 1), dtype=float32)
--- Source: keras.layers.Normalization
function nn.Normalization(options) end
