---@meta

--- A layer: weights, and a computation with them. Call it with a tensor or a list of tensors; then optionally with the
--- training flag, a boolean, or a table of options, {training = true, mask = m}. An option that the kind of layer does
--- not take is an error. A layer with several results returns a list. Variables and layers in its fields, and in tables
--- there, belong to it. All kinds take the options name, trainable, input_shape = shape of an input row, for the first
--- layer, and activity_regularizer = penalty on the result: a name ("l1", "l2", "l1_l2"), a regularizer or a function;
--- the loss grows by its value divided by the number of rows.
---@class lutra.nn.Layer
---@field name string the given name, or the kind's name with a number: "dense", "dense_1"
---@field trainable boolean whether training changes its weights; can be set
---@field built boolean whether its weights exist
---@field supports_masking boolean|nil whether the input's mask is also the result's
---@field activity_regularizer function|nil penalty on the result
---@field autocast boolean|nil false: the layer and its sublayers compute in float32 in a bfloat16 model
local Layer = {}

--- A new class of layers or models that inherits from this one.
---@param name string the new class's name
---@return table # a class; calling it makes an object and passes the arguments to `init`
--- Errors: InvalidArgument if name is not a non-empty string.
--- Example:
---     local Twice = lt.nn.Layer:extend "Twice"
---     function Twice:call(x) return 2 * x end
---     print(Twice(), Twice()(lt.constant {1.0}):item())  --> <lutra.nn.Twice 'twice'>	2.0
--- Source: subclassing keras.Layer
function Layer:extend(name) end

--- Describes how the layer was made, as a table that can be written as JSON: its class, name and constructor arguments.
---@return table # {class, name, arguments}; for a model {class, name, layers, ...}
--- Errors: InvalidArgument for an argument that cannot be serialised, such as a Lua function.
--- Example:
---     print(lt.nn.Dense(3, {name = "first"}):get_config().arguments[1])  --> 3
--- Source: keras.Layer.get_config
function Layer:get_config() end

--- Makes a new layer from get_config's table, with new weights.
---@param config table from get_config
---@param custom_objects? table the program's own classes, by name
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an invalid table or an unknown class.
--- Example:
---     print(lt.nn.Layer.from_config(lt.nn.Dense(3, {name = "first"}):get_config()))  --> <lutra.nn.Dense 'first'>
--- Source: keras.Layer.from_config
function Layer.from_config(config, custom_objects) end

--- Makes a new weight. Set it as a field of the layer.
---@param options table {name; shape = {}; initializer = "glorot_uniform"; trainable = true; dtype = "float32"; regularizer}
---@return lutra.Variable
--- Errors: InvalidArgument for an unknown option or initializer.
--- Example:
---     local layer = lt.nn.Layer:extend "Kept"()
---     print(layer:add_weight {name = "w", initializer = "ones"}.name)  --> kept/w
--- Source: keras.Layer.add_weight
function Layer:add_weight(options) end

--- The variables of the layer and its sublayers, in the order in which fields were set.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     print(#model:variables(), model:variables()[1].name)  --> 2	dense/kernel
--- Source: keras.Layer.variables
function Layer:variables() end

--- The variables that training changes.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local dense = lt.nn.Dense(1, {input_shape = {2}})
---     dense(lt.ones {1, 2})
---     dense.trainable = false
---     print(#dense:trainable_variables())  --> 0
--- Source: keras.Layer.trainable_variables
function Layer:trainable_variables() end

--- The variables that training does not change.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     print(#lt.nn.Flatten():non_trainable_variables())  --> 0
--- Source: keras.Layer.non_trainable_variables
function Layer:non_trainable_variables() end

--- The number of elements in its variables.
---@return integer
--- Errors: none of its own.
--- Example:
---     print(lt.nn.Sequential { lt.nn.Dense(3, {input_shape = {2}}) }:count_params())  --> 9
--- Source: keras.Layer.count_params
function Layer:count_params() end

--- The losses that the layer and its sublayers added in their last call (add_loss, activity_regularizer), and the
--- regularizers' penalties on trainable weights, one scalar each. A custom training loop adds them to its loss; `fit`
--- does so itself.
---@return lutra.Tensor[]
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.Dense(2, {kernel_initializer = "ones", kernel_regularizer = "l2"})
---     layer(lt.ones {1, 3})
---     print(#layer:losses(), ("%.2f"):format(layer:losses()[1]:item()))  --> 1	0.06
--- Source: keras.Layer.losses
function Layer:losses() end

--- For `call` of a custom layer or model: adds to the loss that training minimises. The value counts as a mean over the
--- rows: when replicas share a batch, each replica's value is weighted by its number of rows.
---@param loss lutra.Tensor|lutra.Tensor[] a scalar; the elements of a larger tensor are summed
--- Errors: InvalidArgument, which names the layer, for a value that is not a tensor; Unimplemented inside
---   lutra.recompute_grad.
--- Example:
---     local Small = lt.nn.Layer:extend "Small"
---     function Small:call(x)
---       self:add_loss(0.1 * x:square():mean())
---       return x
---     end
---     local small = Small()
---     small(lt.constant {{1.0, 3.0}})
---     print(("%.2f"):format(small:losses()[1]:item()))  --> 0.50
--- Source: keras.Layer.add_loss
function Layer:add_loss(loss) end

--- The values of its variables. Later training does not change these tensors.
---@return lutra.Tensor[]
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     print(model:get_weights()[1].shape)  --> (2, 1)
--- Source: keras.Layer.get_weights
function Layer:get_weights() end

--- Assigns new values to its variables.
---@param values (lutra.Tensor|table|number)[] one per variable, in get_weights' order
--- Errors: InvalidArgument for a wrong number of values or a wrong shape.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     model:set_weights { {{1.0}, {2.0}}, {3.0} }
---     print(model(lt.ones {1, 2}):item())  --> 6.0
--- Source: keras.Layer.set_weights
function Layer:set_weights(values) end

--- Clears the state that recurrent layers keep between batches, in the layer and its sublayers.
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {stateful = true, kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu"})
---     local x = lt.ones {1, 2, 1}
---     print(layer(x):item(), layer(x):item())  --> 2.0	4.0
---     layer:reset_state()
---     print(layer(x):item())  --> 2.0
--- Source: keras.layers.RNN.reset_state
function Layer:reset_state() end
