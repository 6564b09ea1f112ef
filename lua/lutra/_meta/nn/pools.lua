---@meta

---@class lutra.nn
local nn = {}

--- A layer that takes the maximum of each window of steps of a sequence, for each channel.
---@param pool_size? integer (default 2)
---@param options? table {strides = pool_size; padding = "valid" or "same"; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.MaxPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 3.0
--- Source: keras.layers.MaxPooling1D
function nn.MaxPool1D(pool_size, options) end

--- A layer that takes the mean of each window of steps of a sequence, for each channel.
---@param pool_size? integer (default 2)
---@param options? table {strides = pool_size; padding = "valid" or "same"; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.AvgPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 2.0
--- Source: keras.layers.AveragePooling1D
function nn.AvgPool1D(pool_size, options) end

--- A layer that takes the maximum of each window of an image, for each channel.
---@param pool_size? integer|integer[] (default 2)
---@param options? table {strides = pool_size; padding = "valid" or "same"; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: as for Conv2D.
--- Example:
---     print(lt.nn.MaxPool2D()(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 3, 3, 3)
--- Source: keras.layers.MaxPool2D
function nn.MaxPool2D(pool_size, options) end

--- A layer that takes the mean of each window of an image, for each channel.
---@param pool_size? integer|integer[] (default 2)
---@param options? table {strides = pool_size; padding = "valid" or "same"; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: as for Conv2D.
--- Example:
---     print(lt.nn.AvgPool2D()(lt.ones {1, 2, 2, 1}):item())  --> 1.0
--- Source: keras.layers.AvgPool2D
function nn.AvgPool2D(pool_size, options) end

nn.MaxPooling1D = nn.MaxPool1D
nn.AveragePooling1D = nn.AvgPool1D
nn.MaxPooling2D = nn.MaxPool2D
nn.AveragePooling2D = nn.AvgPool2D
