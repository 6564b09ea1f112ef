---@meta

---@class lutra.nn
local nn = {}

--- A recurrent layer: at each step of [batch, steps, features], h = activation(x kernel + h recurrent_kernel + bias).
---
--- It is called with rows, and with a table of {initial_state = a tensor of shape [batch, units]; mask = a bool tensor of shape
--- [batch, steps]: where it is false, the step is skipped; training}.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; use_bias = true; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, a state or a mask of another shape; for an
---   unknown option.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu", return_sequences = true})
---     print(layer(lt.constant {{{1.0}, {2.0}, {3.0}}}):flatten())  --> lutra.Tensor([1. 3. 6.], shape=(3,), dtype=float32)
--- Source: keras.layers.SimpleRNN
function nn.SimpleRNN(units, options) end

--- Long short-term memory: a recurrent layer whose state is h and a cell, which gates fill, empty and show (Hochreiter and
--- Schmidhuber, 1997). Kernels hold the matrices of the input, the forget gate, the candidate and the output side by side.
---
--- It is called as SimpleRNN is; initial_state is a list, {h, cell}.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid", of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as SimpleRNN.
--- Example:
---     local y, h, cell = table.unpack(lt.nn.LSTM(3, {return_sequences = true, return_state = true})(lt.zeros {2, 5, 4}))
---     print(y.shape, h.shape, cell.shape)  --> (2, 5, 3)	(2, 3)	(2, 3)
--- Source: keras.layers.LSTM
function nn.LSTM(units, options) end

--- Gated recurrent units: a recurrent layer that mixes its state with a candidate (Cho et al., EMNLP 2014). Kernels hold the
--- matrices of the update gate, the reset gate and the candidate side by side.
---
--- It is called as SimpleRNN is.
---@param units integer numbers a step gives
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid", of the gates; use_bias = true; reset_after = true: the reset gate stands behind the state's product, which has a bias of its own, so that the bias has two rows; dropout = 0: the share of the input that is dropped, in training only; recurrent_dropout = 0: of the state where it goes into a product, and each gate then has masks of its own; return_sequences = false: whether all steps are given, [batch, steps, units], or the last one, [batch, units]; return_state = false: gives a list, the output and the state; go_backwards = false; stateful = false: a batch begins with the state that the one before left; zero_output_for_mask = false; seed = of the masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as SimpleRNN.
--- Example:
---     local gru = lt.nn.GRU(3)
---     print(gru(lt.zeros {2, 5, 4}).shape, gru.bias.shape)  --> (2, 3)	(2, 9)
--- Source: keras.layers.GRU
function nn.GRU(units, options) end
