---@meta

---@class lutra.nn
local nn = {}

--- A simple recurrent layer: at each step of [batch, steps, features], h = activation(x * kernel + h * recurrent_kernel
--- + bias).
---
--- Call it with rows and, optionally, a table of {initial_state = a tensor of shape [batch, units]; mask = a bool
--- tensor of shape [batch, steps]: steps where it is false are skipped; training}.
---@param units integer size of a step's result
---@param options? table {activation = "tanh"; use_bias = true; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its product; each gate then has its own masks; return_sequences = false: return all steps, [batch, steps, units], instead of the last, [batch, units]; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for an input of another rank, or a state or mask of another shape;
---   InvalidArgument for an unknown option.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu", return_sequences = true})
---     print(layer(lt.constant {{{1.0}, {2.0}, {3.0}}}):flatten())  --> lutra.Tensor([1. 3. 6.], shape=(3,), dtype=float32)
--- Source: keras.layers.SimpleRNN
function nn.SimpleRNN(units, options) end

--- Long short-term memory: a recurrent layer whose state is h and a cell, with gates that decide what is written to the
--- cell, erased from it and output (Hochreiter and Schmidhuber, 1997). Kernels hold the matrices of the input gate, the
--- forget gate, the candidate and the output gate side by side.
---
--- Called like SimpleRNN; initial_state is a list, {h, cell}.
---@param units integer size of a step's result
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid": activation of the gates; use_bias = true; unit_forget_bias = true: the forget gate's bias starts at 1; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its product; each gate then has its own masks; return_sequences = false: return all steps, [batch, steps, units], instead of the last, [batch, units]; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as for SimpleRNN.
--- Example:
---     local y, h, cell = table.unpack(lt.nn.LSTM(3, {return_sequences = true, return_state = true})(lt.zeros {2, 5, 4}))
---     print(y.shape, h.shape, cell.shape)  --> (2, 5, 3)	(2, 3)	(2, 3)
--- Source: keras.layers.LSTM
function nn.LSTM(units, options) end

--- Gated recurrent units: a recurrent layer whose new state mixes the old one with a candidate (Cho et al., EMNLP
--- 2014). Kernels hold the matrices of the update gate, the reset gate and the candidate side by side.
---
--- Called like SimpleRNN.
---@param units integer size of a step's result
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid": activation of the gates; use_bias = true; reset_after = true: apply the reset gate after the state's product, which then has its own bias, the second row of bias; dropout = 0: fraction of the input dropped in training; recurrent_dropout = 0: fraction of the state dropped before its product; each gate then has its own masks; return_sequences = false: return all steps, [batch, steps, units], instead of the last, [batch, units]; return_state = false: return a list, the output and the state; go_backwards = false; stateful = false: a batch starts with the final state of the one before; zero_output_for_mask = false; seed = seed of the dropout masks; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer; recurrent_regularizer; bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: as for SimpleRNN.
--- Example:
---     local gru = lt.nn.GRU(3)
---     print(gru(lt.zeros {2, 5, 4}).shape, gru.bias.shape)  --> (2, 3)	(2, 9)
--- Source: keras.layers.GRU
function nn.GRU(units, options) end
