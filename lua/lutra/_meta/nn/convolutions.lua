---@meta

---@class lutra.nn
local nn = {}

--- A convolution over sequences of shape {steps, channels}. With padding = "causal" a step does not depend on later
--- ones.
---@param filters integer channels of the result
---@param kernel_size integer size of the window
---@param options? table {strides = 1; padding = "valid" or "same", or "causal"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.Conv1D(8, 3, {padding = "causal"})(lt.zeros {2, 6, 4}).shape)  --> (2, 6, 8)
--- Source: keras.layers.Conv1D
function nn.Conv1D(filters, kernel_size, options) end

--- A convolution over images of shape {height, width, channels}.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] size of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; groups = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input that is not an image or is smaller than the window.
--- Example:
---     print(lt.nn.Conv2D(8, 3)(lt.zeros {2, 6, 6, 1}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.Conv2D
function nn.Conv2D(filters, kernel_size, options) end

--- A transposed convolution over sequences: each step of the input adds a window to the result, which is `strides`
--- times as long. It maps a Conv1D's output shape back to its input shape.
---@param filters integer channels of the result
---@param kernel_size integer size of the window
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = how much larger than the smallest possible size the result is; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; InvalidArgument for an output_padding
---   not below the stride.
--- Example:
---     print(lt.nn.Conv1DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 4}).shape)  --> (2, 12, 8)
--- Source: keras.layers.Conv1DTranspose
function nn.Conv1DTranspose(filters, kernel_size, options) end

--- A transposed convolution over images: each pixel of the input adds a window to the result, whose height and width
--- are `strides` times as large. It maps a Conv2D's output shape back to its input shape.
---@param filters integer channels of the result
---@param kernel_size integer|integer[] size of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; output_padding = how much larger than the smallest possible size the result is; dilation_rate = 1; activation; use_bias = true; kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank; InvalidArgument for an output_padding
---   not below the stride.
--- Example:
---     print(lt.nn.Conv2DTranspose(8, 3, {strides = 2, padding = "same"})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 12, 12, 8)
--- Source: keras.layers.Conv2DTranspose
function nn.Conv2DTranspose(filters, kernel_size, options) end

--- A depthwise convolution over sequences: each channel has its own windows.
---@param kernel_size integer size of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows per channel; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer, bias_regularizer, depthwise_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv1D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.DepthwiseConv1D
function nn.DepthwiseConv1D(kernel_size, options) end

--- A separable convolution over sequences: a depthwise convolution, then a product that combines the channels of each
--- step (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer size of the window
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows per channel; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer, pointwise_regularizer, bias_regularizer, depthwise_constraint, pointwise_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv1D(8, 3)(lt.zeros {2, 6, 4}).shape)  --> (2, 4, 8)
--- Source: keras.layers.SeparableConv1D
function nn.SeparableConv1D(filters, kernel_size, options) end

--- A depthwise convolution over images: each channel has its own windows.
---@param kernel_size integer|integer[] size of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows per channel; activation; use_bias = true; depthwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer, bias_regularizer, depthwise_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.DepthwiseConv2D(3, {depth_multiplier = 2})(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.DepthwiseConv2D
function nn.DepthwiseConv2D(kernel_size, options) end

--- A separable convolution over images: a depthwise convolution, then a product that combines the channels of each
--- pixel (Chollet, CVPR 2017).
---@param filters integer channels of the result
---@param kernel_size integer|integer[] size of the window: one number, or height and width
---@param options? table {strides = 1; padding = "valid" or "same"; dilation_rate = 1; depth_multiplier = 1: windows per channel; activation; use_bias = true; depthwise_initializer, pointwise_initializer = "glorot_uniform"; bias_initializer = "zeros"; depthwise_regularizer, pointwise_regularizer, bias_regularizer, depthwise_constraint, pointwise_constraint, bias_constraint; activity_regularizer; data_format = "channels_last" or "channels_first"; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or one smaller than the window.
--- Example:
---     print(lt.nn.SeparableConv2D(8, 3)(lt.zeros {2, 6, 6, 4}).shape)  --> (2, 4, 4, 8)
--- Source: keras.layers.SeparableConv2D
function nn.SeparableConv2D(filters, kernel_size, options) end
