---@meta

---@class lutra.nn
local nn = {}

--- A layer that makes one axis of all but the first.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Flatten()(lt.zeros {2, 3, 4}).shape)  --> (2, 12)
--- Source: keras.layers.Flatten
function nn.Flatten(options) end

--- A layer that gives each row another shape.
---@param target_shape integer[] of a row, without the batch; one size may be -1
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, when a row's elements do not make the shape.
--- Example:
---     print(lt.nn.Reshape {2, -1}(lt.zeros {5, 6}).shape)  --> (5, 2, 3)
--- Source: keras.layers.Reshape
function nn.Reshape(target_shape, options) end

--- A layer that, in training only, sets a share of the elements to 0 and divides the others by 1 - rate.
---@param rate number the share, 0 to 1
---@param options? table {seed = of the masks, of which each call has its own; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a rate outside 0 to 1.
--- Example:
---     print(lt.nn.Dropout(0.5)(lt.ones {3}))  --> lutra.Tensor([1. 1. 1.], shape=(3,), dtype=float32)
--- Source: keras.layers.Dropout
function nn.Dropout(rate, options) end

--- A layer that finds the steps of [batch, steps, ...] that count: those with a number other than mask_value. The others become 0,
--- and the mask goes with the result to the layers that follow.
---@param options? table {mask_value = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a mask_value that is no number, or an input without steps.
--- Example:
---     local adding = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "linear"})
---     local x = lt.nn.Masking {mask_value = -1}(lt.constant {{{1.0}, {-1.0}, {4.0}}})
---     print(x:flatten(), adding(x):item())  --> lutra.Tensor([1. 0. 4.], shape=(3,), dtype=float32)	5.0
--- Source: keras.layers.Masking
function nn.Masking(options) end

--- A layer that applies a function to its input.
---@param activation string|function a name that Dense knows, or a function
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown name.
--- Example:
---     print(lt.nn.Activation "relu"(lt.constant {-1.0, 2.0}))  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Activation
function nn.Activation(activation, options) end

--- A layer that is a function of one's own. One that is not in `lt.nn` cannot be written to a file: a class that extends
--- lt.nn.Layer can.
---@param f function of the input, a tensor or a list of them
---@param options? table {output_shape = of a row, or a function that gives it of the input's; tried out unless told; mask = what the result's mask is, or a function of input and mask; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for what is no function.
--- Example:
---     print(lt.nn.Lambda(function(x) return x * 2 end)(lt.constant {1.0}):item())  --> 2.0
--- Source: keras.layers.Lambda
function nn.Lambda(f, options) end

--- A layer that gives what it gets, which costs: l1 times its magnitudes and l2 times its squares are added to the loss, a row.
---@param options? table {l1 = 0.0; l2 = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a number below 0.
--- Example:
---     local layer = lt.nn.ActivityRegularization {l1 = 0.5}
---     layer(lt.constant {{1.0, -2.0}, {3.0, 0.0}})
---     print(layer:losses()[1]:item())  --> 1.5
--- Source: keras.layers.ActivityRegularization
function nn.ActivityRegularization(options) end
