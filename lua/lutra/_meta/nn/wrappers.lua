---@meta

---@class lutra.nn
local nn = {}

--- Runs a recurrent layer in both directions, with two layers that have their own weights: one like the given layer,
--- named forward_..., and one that goes backwards, named backward_.... It is called like them; the first half of
--- initial_state is for the forward layer.
---@param layer lutra.nn.Layer a SimpleRNN, LSTM or GRU
---@param options? table {merge_mode = "concat", "sum", "mul", "ave", or false: return a list of both results; backward_layer = the layer to use backwards; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a layer that is not recurrent, and for two incompatible layers.
--- Example:
---     print(lt.nn.Bidirectional(lt.nn.GRU(3, {return_sequences = true}))(lt.zeros {2, 5, 4}).shape)  --> (2, 5, 6)
--- Source: keras.layers.Bidirectional
function nn.Bidirectional(layer, options) end

--- A layer that applies another one to each step of [batch, steps, ...].
---@param layer lutra.nn.Layer
---@param options? table {input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a value that is not a layer, or an input without steps.
--- Example:
---     print(lt.nn.TimeDistributed(lt.nn.Flatten())(lt.zeros {2, 5, 4, 3}).shape)  --> (2, 5, 12)
--- Source: keras.layers.TimeDistributed
function nn.TimeDistributed(layer, options) end
