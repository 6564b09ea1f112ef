---@meta

---@class lutra.nn
local nn = {}

--- A layer that adds normal noise in training.
---@param stddev number 0 or more
---@param options? table {seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.GaussianNoise(0.5)(lt.ones {2}))  --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)
--- Source: keras.layers.GaussianNoise
function nn.GaussianNoise(stddev, options) end

--- A layer that multiplies by normal noise of mean 1 and variance rate / (1 - rate) in training.
---@param rate number 0 to below 1
---@param options? table {seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.GaussianDropout(0.5)(lt.ones {2}))  --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)
--- Source: keras.layers.GaussianDropout
function nn.GaussianDropout(rate, options) end

--- Dropout for selu: in training elements become selu's limit, and mean and variance stay (Klambauer et al., NIPS 2017).
---@param rate number 0 to 1
---@param options? table {seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.AlphaDropout(0.5)(lt.ones {2}))  --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)
--- Source: keras.layers.AlphaDropout
function nn.AlphaDropout(rate, options) end

--- A layer that in training sets whole channels to 0, for all steps of a row, and divides the others by 1 - rate.
---@param rate number 0 to 1
---@param options? table {seed; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.SpatialDropout1D(0.5)(lt.ones {2, 3, 4}).shape)  --> (2, 3, 4)
--- Source: keras.layers.SpatialDropout1D
function nn.SpatialDropout1D(rate, options) end

--- A layer that in training sets whole channels to 0, for all pixels of a row, and divides the others by 1 - rate.
---@param rate number 0 to 1
---@param options? table {seed; data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.SpatialDropout2D(0.5)(lt.ones {2, 3, 3, 4}).shape)  --> (2, 3, 3, 4)
--- Source: keras.layers.SpatialDropout2D
function nn.SpatialDropout2D(rate, options) end

--- A layer that in training sets whole channels to 0, for all voxels of a row, and divides the others by 1 - rate.
---@param rate number 0 to 1
---@param options? table {seed; data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.SpatialDropout3D(0.5)(lt.ones {2, 3, 3, 3, 4}).shape)  --> (2, 3, 3, 3, 4)
--- Source: keras.layers.SpatialDropout3D
function nn.SpatialDropout3D(rate, options) end
