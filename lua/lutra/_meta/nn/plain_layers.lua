---@meta

---@class lutra.nn
local nn = {}

--- A layer that flattens all axes but the first into one.
---@param options? table {data_format = "channels_last" or "channels_first"; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Flatten()(lt.zeros {2, 3, 4}).shape)  --> (2, 12)
--- Source: keras.layers.Flatten
function nn.Flatten(options) end

--- A layer that gives each row another shape.
---@param target_shape integer[] of a row, without the batch axis; one size may be -1
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, when a row does not have as many elements as the shape.
--- Example:
---     print(lt.nn.Reshape {2, -1}(lt.zeros {5, 6}).shape)  --> (5, 2, 3)
--- Source: keras.layers.Reshape
function nn.Reshape(target_shape, options) end

--- A layer that, in training only, sets a fraction of the elements to 0 and divides the others by 1 - rate.
---@param rate number the fraction, 0 to 1
---@param options? table {seed = seed of the masks; each call draws a new mask; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a rate outside 0 to 1.
--- Example:
---     print(lt.nn.Dropout(0.5)(lt.ones {3}))  --> lutra.Tensor([1. 1. 1.], shape=(3,), dtype=float32)
--- Source: keras.layers.Dropout
function nn.Dropout(rate, options) end

--- A layer that masks steps of [batch, steps, ...] whose numbers all equal mask_value. Masked steps become 0, and the
--- mask is passed on with the result to the next layers.
---@param options? table {mask_value = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a mask_value that is not a number, or an input without steps.
--- Example:
---     local adding = lt.nn.SimpleRNN(1, {kernel_initializer = "ones", recurrent_initializer = "ones", activation = "linear"})
---     local x = lt.nn.Masking {mask_value = -1}(lt.constant {{{1.0}, {-1.0}, {4.0}}})
---     print(x:flatten(), adding(x):item())  --> lutra.Tensor([1. 0. 4.], shape=(3,), dtype=float32)	5.0
--- Source: keras.layers.Masking
function nn.Masking(options) end

--- A layer that applies a function to its input.
---@param activation string|function a name, as for Dense, or a function
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown name.
--- Example:
---     print(lt.nn.Activation "relu"(lt.constant {-1.0, 2.0}))  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Activation
function nn.Activation(activation, options) end

--- A layer that calls a given function. A function that is not from `lt.nn` cannot be saved to a file; use a class that
--- extends lt.nn.Layer for that.
---@param f function takes the input, a tensor or a list of tensors
---@param options? table {output_shape = of a row, or a function of the input's shape (default: found by a trial call); mask = the result's mask, or a function of input and mask; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument if f is not a function.
--- Example:
---     print(lt.nn.Lambda(function(x) return x * 2 end)(lt.constant {1.0}):item())  --> 2.0
--- Source: keras.layers.Lambda
function nn.Lambda(f, options) end

--- A layer that returns its input unchanged and adds a penalty to the loss: per row, l1 times the sum of the absolute
--- values and l2 times the sum of the squares.
---@param options? table {l1 = 0.0; l2 = 0.0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for a number below 0.
--- Example:
---     local layer = lt.nn.ActivityRegularization {l1 = 0.5}
---     layer(lt.constant {{1.0, -2.0}, {3.0, 0.0}})
---     print(layer:losses()[1]:item())  --> 1.5
--- Source: keras.layers.ActivityRegularization
function nn.ActivityRegularization(options) end
