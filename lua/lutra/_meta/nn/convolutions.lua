---@meta

---@class lutra.nn
local nn = {}

--- A layer that moves windows over the steps of sequences of shape {steps, channels}. With padding = "causal" no step sees those
--- after it.
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same", or "causal"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.Conv1D(8, 3, {padding = "causal"})(lt.zeros {2, 6, 4}).shape)  --> (2, 6, 8)
--- Source: keras.layers.Conv1D
function nn.Conv1D(filters, kernel_size, options) end

--- A layer that moves windows over images of shape {height, width, channels}.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input that is no image or smaller than the window.
--- Example:
---     print(lt.nn.Conv2D(8, 3)(lt.zeros {2, 6, 6, 1}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.Conv2D
function nn.Conv2D(filters, kernel_size, options) end

--- A layer that goes back from what a convolution of sequences gives to what it takes: each place adds a window to the result, which is
--- `strides` times as large.
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = by how much the result is larger than the smallest one; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; for an output_padding of a stride or more.
--- Example:
---     print(lt.nn.Conv1DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 4}).shape)  --> (2, 12, 8)
--- Source: keras.layers.Conv1DTranspose
function nn.Conv1DTranspose(filters, kernel_size, options) end

--- A layer that goes back from what a convolution of images gives to what it takes: each place adds a window to the result, which is
--- `strides` times as large.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = by how much the result is larger than the smallest one; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; for an output_padding of a stride or more.
--- Example:
---     print(lt.nn.Conv2DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 12, 12, 8)
--- Source: keras.layers.Conv2DTranspose
function nn.Conv2DTranspose(filters, kernel_size, options) end

--- A layer that moves a window of its own over the steps of sequences for each channel.
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv1D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.DepthwiseConv1D
function nn.DepthwiseConv1D(kernel_size, options) end

--- A layer that moves a window of its own over the steps of sequences for each channel, and then puts all channels of a place together
--- (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; pointwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv1D(8, 3)(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.SeparableConv1D
function nn.SeparableConv1D(filters, kernel_size, options) end

--- A layer that moves a window of its own over images for each channel.
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv2D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.DepthwiseConv2D
function nn.DepthwiseConv2D(kernel_size, options) end

--- A layer that moves a window of its own over images for each channel, and then puts all channels of a place together
--- (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer|integer[] of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows a channel has; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer; pointwise_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv2D(8, 3)(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.SeparableConv2D
function nn.SeparableConv2D(filters, kernel_size, options) end
