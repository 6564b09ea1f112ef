---@meta

---@class lutra.nn
local nn = {}

--- A layer that repeats each step of a sequence.
---@param size? integer (default 2)
---@param options? table {data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.UpSampling1D(3)(lt.zeros {1, 2, 4}).shape)  --> (1, 6, 4)
--- Source: keras.layers.UpSampling1D
function nn.UpSampling1D(size, options) end

--- A layer that enlarges images, by repeating pixels or by interpolating between them.
---@param size? integer|integer[] (default 2): one number, or height and width
---@param options? table {data_format = "channels_last" or "channels_first"; interpolation = "nearest" or "bilinear"; bilinear turns integers into float32; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.UpSampling2D(2, {interpolation = "bilinear"})(lt.constant {{{{0.0}, {4.0}}}})[{1, 1}]:flatten())  --> lutra.Tensor([0. 1. 3. 4.], shape=(4,), dtype=float32)
--- Source: keras.layers.UpSampling2D
function nn.UpSampling2D(size, options) end

--- A layer that puts zeros around sequences.
---@param padding? integer|integer[] at both ends, or {before, after}; (default 1)
---@param options? table {data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.ZeroPadding1D(1)(lt.zeros {1, 4, 2}).shape)  --> (1, 6, 2)
--- Source: keras.layers.ZeroPadding1D
function nn.ZeroPadding1D(padding, options) end

--- A layer that cuts off the ends of sequences.
---@param cropping? integer|integer[] at both ends, or {before, after}; (default 1)
---@param options? table {data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, or one that would have nothing left.
--- Example:
---     print(lt.nn.Cropping1D(1)(lt.zeros {1, 4, 2}).shape)  --> (1, 2, 2)
--- Source: keras.layers.Cropping1D
function nn.Cropping1D(cropping, options) end

--- A layer that puts zeros around images.
---@param padding? integer|table on all sides, {height, width}, or {{top, bottom}, {left, right}}; (default 1)
---@param options? table {data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.ZeroPadding2D({1, 0})(lt.zeros {1, 4, 4, 2}).shape)  --> (1, 6, 4, 2)
--- Source: keras.layers.ZeroPadding2D
function nn.ZeroPadding2D(padding, options) end

--- A layer that cuts off the edges of images.
---@param cropping? integer|table on all sides, {height, width}, or {{top, bottom}, {left, right}}; (default 0)
---@param options? table {data_format = "channels_last" or "channels_first"; input_shape; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, or one that would have nothing left.
--- Example:
---     print(lt.nn.Cropping2D({1, 0})(lt.zeros {1, 4, 4, 2}).shape)  --> (1, 2, 4, 2)
--- Source: keras.layers.Cropping2D
function nn.Cropping2D(cropping, options) end

--- A layer that permutes the axes of a row.
---@param dims integer[] the input axis for each axis of the result; axes of a row count from 1, without the batch
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument if dims is not a permutation, and, naming the layer, for an input of another rank.
--- Example:
---     print(lt.nn.Permute {2, 1}(lt.zeros {5, 3, 4}).shape)  --> (5, 4, 3)
--- Source: keras.layers.Permute
function nn.Permute(dims, options) end

--- A layer that turns each row into a sequence of n copies of it.
---@param n integer steps of the result
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank.
--- Example:
---     print(lt.nn.RepeatVector(3)(lt.zeros {5, 4}).shape)  --> (5, 3, 4)
--- Source: keras.layers.RepeatVector
function nn.RepeatVector(n, options) end
