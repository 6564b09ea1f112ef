---@meta

--- A layer: weights, and what is computed with them. It is called with a tensor, or a list of them; then, or not, with whether
--- it is trained: a boolean, or a table of that and what else its kind takes, {training = true, mask = m}; any other option is
--- an error. One of several results gives a list. Variables and layers in its fields, and in tables there, are its own. All kinds
--- take the options name, trainable, input_shape = of the rows that come in, for the first layer, and activity_regularizer = what its
--- result costs: a name ("l1", "l2", "l1_l2"), a regularizer or a function, whose number is divided by the rows and added to the loss.
---@class lutra.nn.Layer
---@field name string given, or the kind's with a number: "dense", "dense_1"
---@field trainable boolean whether training changes its weights; can be set
---@field built boolean whether its weights are made
---@field supports_masking boolean|nil whether the mask of its input is that of what it gives
---@field activity_regularizer function|nil what its result costs
---@field autocast boolean|nil set it to false, and the layer and those in it compute in float32 where the model computes in bfloat16
local Layer = {}

--- A new class of layers or models on top of this one.
---@param name string of the kind
---@return table # a class: called, it makes an object and hands its arguments to `init`
--- Errors: InvalidArgument for what is no name.
--- Example:
---     local Twice = lt.nn.Layer:extend "Twice"
---     function Twice:call(x) return 2 * x end
---     print(Twice(), Twice()(lt.constant {1.0}):item())  --> <lutra.nn.Twice 'twice'>	2.0
--- Source: subclassing keras.Layer
function Layer:extend(name) end

--- How the layer was made, as a table that JSON can hold: its class, its name and the arguments of its constructor.
---@return table # {class, name, arguments}, of models {class, name, layers, ...}
--- Errors: InvalidArgument for an argument that cannot be written down, such as a function of the program's.
--- Example:
---     print(lt.nn.Dense(3, {name = "first"}):get_config().arguments[1])  --> 3
--- Source: keras.Layer.get_config
function Layer:get_config() end

--- A new layer, made as get_config says; its weights are new.
---@param config table of get_config
---@param custom_objects? table classes of the program's own, by name
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no such table, or a class that is not there.
--- Example:
---     print(lt.nn.Layer.from_config(lt.nn.Dense(3, {name = "first"}):get_config()))  --> <lutra.nn.Dense 'first'>
--- Source: keras.Layer.from_config
function Layer.from_config(config, custom_objects) end

--- A new weight, to be set in a field.
---@param options table {name; shape = {}; initializer = "glorot_uniform"; trainable = true; dtype = "float32"; regularizer}
---@return lutra.Variable
--- Errors: InvalidArgument for an unknown option or initializer.
--- Example:
---     local layer = lt.nn.Layer:extend "Kept"()
---     print(layer:add_weight {name = "w", initializer = "ones"}.name)  --> kept/w
--- Source: keras.Layer.add_weight
function Layer:add_weight(options) end

--- Its variables and those of the layers below, in the order in which fields were set.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     print(#model:variables(), model:variables()[1].name)  --> 2	dense/kernel
--- Source: keras.Layer.variables
function Layer:variables() end

--- Those variables that training changes.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     local dense = lt.nn.Dense(1, {input_shape = {2}})
---     dense(lt.ones {1, 2})
---     dense.trainable = false
---     print(#dense:trainable_variables())  --> 0
--- Source: keras.Layer.trainable_variables
function Layer:trainable_variables() end

--- Those variables that training leaves alone.
---@return lutra.Variable[]
--- Errors: none of its own.
--- Example:
---     print(#lt.nn.Flatten():non_trainable_variables())  --> 0
--- Source: keras.Layer.non_trainable_variables
function Layer:non_trainable_variables() end

--- How many numbers its variables hold.
---@return integer
--- Errors: none of its own.
--- Example:
---     print(lt.nn.Sequential { lt.nn.Dense(3, {input_shape = {2}}) }:count_params())  --> 9
--- Source: keras.Layer.count_params
function Layer:count_params() end

--- What the layer and those below have added to the loss in their last call (add_loss, activity_regularizer), and what regularizers
--- make of the weights that are trained, a scalar of each, for a loop of one's own to add to its loss; `fit` adds them by itself.
---@return lutra.Tensor[]
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.Dense(2, {kernel_initializer = "ones", kernel_regularizer = "l2"})
---     layer(lt.ones {1, 3})
---     print(#layer:losses(), ("%.2f"):format(layer:losses()[1]:item()))  --> 1	0.06
--- Source: keras.Layer.losses
function Layer:losses() end

--- In `call` of a layer or a model of one's own: adds to the loss that training makes small. It is taken for a mean over the rows:
--- where replicas share a batch, theirs count by the rows they have.
---@param loss lutra.Tensor|lutra.Tensor[] a scalar; the elements of a larger one are added up
--- Errors: InvalidArgument, which names the layer, for what is no tensor; Unimplemented inside lutra.recompute_grad.
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

--- Gives its variables new values.
---@param values (lutra.Tensor|table|number)[] one a variable, in get_weights' order
--- Errors: InvalidArgument for another number of values, or another shape.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     model:set_weights { {{1.0}, {2.0}}, {3.0} }
---     print(model(lt.ones {1, 2}):item())  --> 6.0
--- Source: keras.Layer.set_weights
function Layer:set_weights(values) end

--- Forgets the state that recurrent layers keep from one batch to the next, in it and in the layers below.
--- Errors: none of its own.
--- Example:
---     local layer = lt.nn.SimpleRNN(1, {stateful = true, kernel_initializer = "ones", recurrent_initializer = "ones", activation = "relu"})
---     local x = lt.ones {1, 2, 1}
---     print(layer(x):item(), layer(x):item())  --> 2.0	4.0
---     layer:reset_state()
---     print(layer(x):item())  --> 2.0
--- Source: keras.layers.RNN.reset_state
function Layer:reset_state() end
