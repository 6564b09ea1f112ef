---@meta

---@class lutra.nn
local nn = {}

--- A layer of relu: x where it is at least threshold, else negative_slope (x - threshold), and at most max_value.
---@param options? table {max_value; negative_slope = 0; threshold = 0; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.ReLU {max_value = 1} {-1.0, 0.5, 2.0})  --> lutra.Tensor([0.  0.5 1. ], shape=(3,), dtype=float32)
--- Source: keras.layers.ReLU
function nn.ReLU(options) end

--- A layer of leaky_relu: negative_slope x below 0.
---@param options? table {negative_slope = 0.3; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.LeakyReLU {negative_slope = 0.5} {-1.0, 2.0})  --> lutra.Tensor([-0.5  2. ], shape=(2,), dtype=float32)
--- Source: keras.layers.LeakyReLU
function nn.LeakyReLU(options) end

--- A layer with a learned slope below 0 for each element of a row (He et al., ICCV 2015). shared_axes have one slope for
--- all; axes count the batch as the first.
---@param options? table {alpha_initializer = "zeros"; alpha_regularizer; shared_axes; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.PReLU {alpha_initializer = "ones"} {{-1.0, 2.0}})  --> lutra.Tensor([[-1.  2.]], shape=(1, 2), dtype=float32)
--- Source: keras.layers.PReLU
function nn.PReLU(options) end

--- A layer of elu.
---@param options? table {alpha = 1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.ELU() {0.0, 2.0})  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.ELU
function nn.ELU(options) end

--- A layer of celu.
---@param options? table {alpha = 1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.CELU() {0.0, 2.0})  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: torch.nn.CELU
function nn.CELU(options) end

--- A layer of gelu.
---@param options? table {approximate = false; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.GELU() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.GELU
function nn.GELU(options) end

--- A layer of softmax along an axis, which counts the batch as the first. A call may have a mask: {mask = m}, true where an
--- element counts.
---@param options? table {axis = -1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.Softmax() {{1.0, 1.0}})  --> lutra.Tensor([[0.5 0.5]], shape=(1, 2), dtype=float32)
--- Source: keras.layers.Softmax
function nn.Softmax(options) end

--- A layer of log_softmax along an axis, which counts the batch as the first.
---@param options? table {axis = -1; name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option, or a number out of range.
--- Example:
---     print(lt.nn.LogSoftmax() {{5.0}})  --> lutra.Tensor([[0.]], shape=(1, 1), dtype=float32)
--- Source: torch.nn.LogSoftmax
function nn.LogSoftmax(options) end

--- A layer of selu.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.SELU() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.SELU
function nn.SELU(options) end

--- A layer of silu.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.SiLU() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.SiLU
function nn.SiLU(options) end

--- A layer of sigmoid.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Sigmoid() {0.0})  --> lutra.Tensor([0.5], shape=(1,), dtype=float32)
--- Source: torch.nn.Sigmoid
function nn.Sigmoid(options) end

--- A layer of tanh.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Tanh() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.Tanh
function nn.Tanh(options) end

--- A layer of softplus.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(("%.4f"):format(lt.nn.Softplus() {0.0}:item()))  --> 0.6931
--- Source: torch.nn.Softplus
function nn.Softplus(options) end

--- A layer of softsign.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Softsign() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.Softsign
function nn.Softsign(options) end

--- A layer of relu6.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.ReLU6() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.ReLU6
function nn.ReLU6(options) end

--- A layer of mish.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.Mish() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.Mish
function nn.Mish(options) end

--- A layer of hardsigmoid.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.HardSigmoid() {0.0})  --> lutra.Tensor([0.5], shape=(1,), dtype=float32)
--- Source: torch.nn.Hardsigmoid
function nn.HardSigmoid(options) end

--- A layer of hardswish.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(lt.nn.HardSwish() {0.0})  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
--- Source: torch.nn.Hardswish
function nn.HardSwish(options) end

--- A layer of log_sigmoid.
---@param options? table {name, input_shape}
---@return lutra.nn.Layer
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     print(("%.4f"):format(lt.nn.LogSigmoid() {0.0}:item()))  --> -0.6931
--- Source: torch.nn.LogSigmoid
function nn.LogSigmoid(options) end
