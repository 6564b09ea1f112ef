---@meta

---@class lutra.nn
local nn = {}

--- A layer of convolutions of volumes {batch, depth, height, width, channels}.
---@param filters integer
---@param kernel_size integer|integer[] a number, or {depth, height, width}
---@param options? table {data_format = "channels_last" or "channels_first"; strides = 1; padding = "valid" or "same"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.Conv3D(8, 3)(lt.ones {1, 5, 5, 5, 2}).shape)  --> (1, 3, 3, 3, 8)
--- Source: keras.layers.Conv3D
function nn.Conv3D(filters, kernel_size, options) end

--- A layer of transposed convolutions of volumes: each position of the input adds a window to the result.
---@param filters integer
---@param kernel_size integer|integer[] a number, or {depth, height, width}
---@param options? table {data_format = "channels_last" or "channels_first"; strides = 1; padding = "valid" or "same"; output_padding, less than strides; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels}, or an option that is not valid.
--- Example:
---     print(lt.nn.Conv3DTranspose(8, 3, {strides = 2, padding = "same"})(lt.ones {1, 2, 3, 4, 2}).shape)  --> (1, 4, 6, 8, 8)
--- Source: keras.layers.Conv3DTranspose
function nn.Conv3DTranspose(filters, kernel_size, options) end

--- A layer that gives the largest element of each window of volumes. Also named MaxPooling3D.
---@param pool_size? integer|integer[] 2 by default; a number, or {depth, height, width}
---@param options? table {data_format = "channels_last" or "channels_first"; strides = pool_size; padding = "valid" or "same"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.MaxPool3D()(lt.ones {1, 4, 4, 4, 2}).shape)  --> (1, 2, 2, 2, 2)
--- Source: keras.layers.MaxPooling3D
function nn.MaxPool3D(pool_size, options) end

nn.MaxPooling3D = nn.MaxPool3D

--- A layer that gives the mean of each window of volumes. Also named AveragePooling3D.
---@param pool_size? integer|integer[] 2 by default; a number, or {depth, height, width}
---@param options? table {data_format = "channels_last" or "channels_first"; strides = pool_size; padding = "valid" or "same"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.AvgPool3D()(lt.ones {1, 4, 4, 4, 2}).shape)  --> (1, 2, 2, 2, 2)
--- Source: keras.layers.AveragePooling3D
function nn.AvgPool3D(pool_size, options) end

nn.AveragePooling3D = nn.AvgPool3D

--- A layer that gives each channel's largest element over a volume. Also named GlobalMaxPooling3D.
---@param options? table {data_format = "channels_last" or "channels_first"; keepdims = false; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.GlobalMaxPool3D()(lt.ones {1, 4, 4, 4, 2}).shape)  --> (1, 2)
--- Source: keras.layers.GlobalMaxPooling3D
function nn.GlobalMaxPool3D(options) end

nn.GlobalMaxPooling3D = nn.GlobalMaxPool3D

--- A layer that gives each channel's mean over a volume. Also named GlobalAveragePooling3D.
---@param options? table {data_format = "channels_last" or "channels_first"; keepdims = false; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.GlobalAvgPool3D()(lt.ones {1, 4, 4, 4, 2}).shape)  --> (1, 2)
--- Source: keras.layers.GlobalAveragePooling3D
function nn.GlobalAvgPool3D(options) end

nn.GlobalAveragePooling3D = nn.GlobalAvgPool3D

--- A layer that repeats the elements of volumes.
---@param size? integer|integer[] 2 by default; a number, or {depth, height, width}
---@param options? table {data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.UpSampling3D()(lt.ones {1, 2, 2, 2, 1}).shape)  --> (1, 4, 4, 4, 1)
--- Source: keras.layers.UpSampling3D
function nn.UpSampling3D(size, options) end

--- A layer that puts zeros around volumes.
---@param padding? integer|integer[]|integer[][] 1 by default; a number, one for each axis, or {before, after} for each axis
---@param options? table {data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.ZeroPadding3D()(lt.ones {1, 2, 2, 2, 1}).shape)  --> (1, 4, 4, 4, 1)
--- Source: keras.layers.ZeroPadding3D
function nn.ZeroPadding3D(padding, options) end

--- A layer that takes the borders of volumes away.
---@param cropping? integer|integer[]|integer[][] 1 by default; a number, one for each axis, or {before, after} for each axis
---@param options? table {data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an input that is not {batch, depth, height, width, channels} or too small, or an option that is not valid.
--- Example:
---     print(lt.nn.Cropping3D()(lt.ones {1, 4, 4, 4, 1}).shape)  --> (1, 2, 2, 2, 1)
--- Source: keras.layers.Cropping3D
function nn.Cropping3D(cropping, options) end
