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

--- A layer around another one with a kernel or embeddings. Each call in training divides that weight by its largest
--- singular value, found by power iteration, before the layer computes (Miyato et al., ICLR 2018). The vector of the
--- iteration is a weight that training does not change.
---@param layer lutra.nn.Layer
---@param options? table {power_iterations = 1; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a value that is not a layer, and for a layer without kernel and embeddings.
--- Example:
---     local layer = lt.nn.SpectralNormalization(lt.nn.Dense(3), {power_iterations = 20})
---     layer(lt.random.normal {2, 4}, true)
---     print(("%.2f"):format(lt.matrix_norm(layer.layer.kernel, 2):item()))  --> 1.00
--- Source: keras.layers.SpectralNormalization
function nn.SpectralNormalization(layer, options) end
