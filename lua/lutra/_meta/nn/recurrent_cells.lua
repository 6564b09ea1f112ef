---@meta

---@class lutra.nn
local nn = {}

--- A layer that goes through sequences {batch, steps, ...} with a cell: a layer with `state_size`, the size of its state or a
--- list of sizes, which is called with {x, state, ...} and returns {output, state, ...}. A list of cells is stacked. A call
--- may have {mask, initial_state}.
---@param cell lutra.nn.Layer|lutra.nn.Layer[]
---@param options? table {return_sequences = false; return_state = false; go_backwards = false; stateful = false; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a layer without state_size, an input without steps, or a cell that returns something else.
--- Example:
---     print(lt.nn.RNN(lt.nn.LSTMCell(6))(lt.ones {2, 5, 3}).shape)  --> (2, 6)
--- Source: keras.layers.RNN
function nn.RNN(cell, options) end

--- One step of SimpleRNN, activation(x kernel + h recurrent_kernel + bias), for RNN.
---@param units integer
---@param options? table {activation = "tanh"; use_bias = true; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; name}, as for SimpleRNN
---@return lutra.nn.Layer # called with {x, state, ...}, gives {output, state, ...}
--- Errors: InvalidArgument for an option that is not valid.
--- Example:
---     print(#lt.nn.SimpleRNNCell(6) {lt.ones {2, 3}, lt.zeros {2, 6}})  --> 2
--- Source: keras.layers.SimpleRNNCell
function nn.SimpleRNNCell(units, options) end

--- One step of LSTM, for RNN.
---@param units integer
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid"; use_bias = true; unit_forget_bias = true; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; name}, as for LSTM
---@return lutra.nn.Layer # called with {x, state, ...}, gives {output, state, ...}
--- Errors: InvalidArgument for an option that is not valid.
--- Example:
---     print(#lt.nn.LSTMCell(6) {lt.ones {2, 3}, lt.zeros {2, 6}, lt.zeros {2, 6}})  --> 3
--- Source: keras.layers.LSTMCell
function nn.LSTMCell(units, options) end

--- One step of GRU, for RNN.
---@param units integer
---@param options? table {activation = "tanh"; recurrent_activation = "sigmoid"; use_bias = true; reset_after = true; kernel_initializer = "glorot_uniform"; recurrent_initializer = "orthogonal"; bias_initializer = "zeros"; kernel_regularizer, recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint; name}, as for GRU
---@return lutra.nn.Layer # called with {x, state, ...}, gives {output, state, ...}
--- Errors: InvalidArgument for an option that is not valid.
--- Example:
---     print(#lt.nn.GRUCell(6) {lt.ones {2, 3}, lt.zeros {2, 6}})  --> 2
--- Source: keras.layers.GRUCell
function nn.GRUCell(units, options) end

--- Cells one above the other as one cell: the output of one is the next one's input.
---@param cells lutra.nn.Layer[]
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a layer without state_size.
--- Example:
---     local cell = lt.nn.StackedRNNCells {lt.nn.GRUCell(4), lt.nn.GRUCell(5)}
---     print(lt.nn.RNN(cell)(lt.ones {2, 3, 6}).shape)  --> (2, 5)
--- Source: keras.layers.StackedRNNCells
function nn.StackedRNNCells(cells, options) end
