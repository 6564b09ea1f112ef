---@meta

---@class lutra.nn
local nn = {}

--- A layer that takes the mean over the steps of a sequence, for each channel. Masked steps do not count.
---@param options? table {keepdims = false: keep the axes, with size 1; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalAvgPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 2.0
--- Source: keras.layers.GlobalAveragePooling1D
function nn.GlobalAvgPool1D(options) end

--- A layer that takes the maximum over the steps of a sequence, for each channel.
---@param options? table {keepdims = false: keep the axes, with size 1; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalMaxPool1D()(lt.constant {{{1.0}, {3.0}}}):item())  --> 3.0
--- Source: keras.layers.GlobalMaxPooling1D
function nn.GlobalMaxPool1D(options) end

--- A layer that takes the mean over the pixels of an image, for each channel.
---@param options? table {keepdims = false: keep the axes, with size 1; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalAvgPool2D()(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 3)
--- Source: keras.layers.GlobalAveragePooling2D
function nn.GlobalAvgPool2D(options) end

--- A layer that takes the maximum over the pixels of an image, for each channel.
---@param options? table {keepdims = false: keep the axes, with size 1; data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.GlobalMaxPool2D {keepdims = true}(lt.zeros {2, 6, 6, 3}).shape)  --> (2, 1, 1, 3)
--- Source: keras.layers.GlobalMaxPooling2D
function nn.GlobalMaxPool2D(options) end

nn.GlobalAveragePooling1D = nn.GlobalAvgPool1D
nn.GlobalMaxPooling1D = nn.GlobalMaxPool1D
nn.GlobalAveragePooling2D = nn.GlobalAvgPool2D
nn.GlobalMaxPooling2D = nn.GlobalMaxPool2D
