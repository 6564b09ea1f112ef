---@meta

---@class lutra.nn
local nn = {}

--- An LSTM of sequences in time, [batch, steps, length, channels]: its products are convolutions, so that a gate sees the
--- neighbourhood of its place (Shi et al., NIPS 2015).
---
--- Called like LSTM; initial_state is a list, {h, cell}, each with the shape of a step's result.
---@param filters integer channels of a step's result
---@param kernel_size integer|integer[]
---@param options? table {strides = 1, padding = "valid" or "same": of the input's convolution; the state's has strides of 1 and keeps its size; data_format = "channels_last" or "channels_first"; dilation_rate = 1: of the input's convolution; activation = "tanh"; recurrent_activation = "sigmoid": activation of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its convolution; each gate has its own masks, the same for all steps; return_sequences = false: return all steps instead of the last; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank or smaller than the window, or a state or mask of
---   another shape; InvalidArgument for an option that is not valid, or for both strides and dilation_rate above 1.
--- Example:
---     print(lt.nn.ConvLSTM1D(8, 3, {padding = "same", return_sequences = true})(lt.ones {2, 5, 7, 3}).shape)  --> (2, 5, 7, 8)
--- Source: keras.layers.ConvLSTM1D
function nn.ConvLSTM1D(filters, kernel_size, options) end

--- An LSTM of images in time, [batch, steps, height, width, channels]: its products are convolutions, so that a gate sees
--- the neighbourhood of its place (Shi et al., NIPS 2015).
---
--- Called like LSTM; initial_state is a list, {h, cell}, each with the shape of a step's result.
---@param filters integer channels of a step's result
---@param kernel_size integer|integer[] a number, or {height, width}
---@param options? table {strides = 1, padding = "valid" or "same": of the input's convolution; the state's has strides of 1 and keeps its size; data_format = "channels_last" or "channels_first"; dilation_rate = 1: of the input's convolution; activation = "tanh"; recurrent_activation = "sigmoid": activation of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its convolution; each gate has its own masks, the same for all steps; return_sequences = false: return all steps instead of the last; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as for ConvLSTM1D.
--- Example:
---     print(lt.nn.ConvLSTM2D(8, 3, {padding = "same", return_sequences = true})(lt.ones {2, 5, 7, 6, 3}).shape)  --> (2, 5, 7, 6, 8)
--- Source: keras.layers.ConvLSTM2D
function nn.ConvLSTM2D(filters, kernel_size, options) end

--- An LSTM of volumes in time, [batch, steps, depth, height, width, channels]: its products are convolutions, so that a
--- gate sees the neighbourhood of its place (Shi et al., NIPS 2015).
---
--- Called like LSTM; initial_state is a list, {h, cell}, each with the shape of a step's result.
---@param filters integer channels of a step's result
---@param kernel_size integer|integer[] a number, or {depth, height, width}
---@param options? table {strides = 1, padding = "valid" or "same": of the input's convolution; the state's has strides of 1 and keeps its size; data_format = "channels_last" or "channels_first"; dilation_rate = 1: of the input's convolution; activation = "tanh"; recurrent_activation = "sigmoid": activation of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its convolution; each gate has its own masks, the same for all steps; return_sequences = false: return all steps instead of the last; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as for ConvLSTM1D.
--- Example:
---     print(lt.nn.ConvLSTM3D(8, 3, {padding = "same", return_sequences = true})(lt.ones {1, 2, 3, 4, 5, 3}).shape)  --> (1, 2, 3, 4, 5, 8)
--- Source: keras.layers.ConvLSTM3D
function nn.ConvLSTM3D(filters, kernel_size, options) end
