---@meta

---@class lutra.nn
local nn = {}

--- activation(einsum(equation, x, kernel) + bias): a dense layer over chosen axes. The equation names the axes of input,
--- kernel and result, "abc,cd->abd"; the first is the batch. An ellipsis stands for further axes, on the left,
--- "...x,xy->...y", or on the right, "ab...,bc->ac...".
---@param equation string letters of input, kernel and result
---@param output_shape integer|integer[] sizes of the result's axes, without the batch and the ellipsis; -1: that of the input's axis of the same letter
---@param options? table {activation; bias_axes = letters of the result that the bias has (default: no bias); kernel_initializer = "glorot_uniform"; bias_initializer = "zeros"; kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint; activity_regularizer; input_shape; name; trainable = true}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an equation of another form, and for bias_axes that the result lacks; when the layer is
---   called, for sizes that do not match.
--- Example:
---     local layer = lt.nn.EinsumDense("abc,cd->abd", {-1, 6}, {bias_axes = "d", activation = "relu"})
---     print(layer(lt.ones {2, 3, 4}).shape, layer.kernel.shape)  --> (2, 3, 6)	(4, 6)
---     print(lt.nn.EinsumDense("...x,xy->...y", 6)(lt.ones {2, 5, 3, 4}).shape)  --> (2, 5, 3, 6)
--- Source: keras.layers.EinsumDense
function nn.EinsumDense(equation, output_shape, options) end
