---@meta

---@class lutra.nn
local nn = {}

--- A layer that adds its inputs, a list of tensors of the same shape. An axis of size 1 is repeated to match the
--- others; missing axes are inserted after the batch axis.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of different shapes.
--- Example:
---     print(lt.nn.Add() {lt.ones {2}, lt.ones {2}})  --> lutra.Tensor([2. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Add
function nn.Add(options) end

--- A layer that multiplies its inputs, a list of tensors of the same shape, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of different shapes.
--- Example:
---     local x = lt.constant {2.0, 3.0}
---     print(lt.nn.Multiply() {x, x})  --> lutra.Tensor([4. 9.], shape=(2,), dtype=float32)
--- Source: keras.layers.Multiply
function nn.Multiply(options) end

--- A layer that subtracts the second of its two inputs, a list, from the first.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for shapes that do not match, or if there are not two inputs.
--- Example:
---     print(lt.nn.Subtract() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Subtract
function nn.Subtract(options) end

--- A layer that takes the mean of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs whose shapes do not match.
--- Example:
---     print(lt.nn.Average() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Average
function nn.Average(options) end

--- A layer that takes the maximum of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs whose shapes do not match.
--- Example:
---     print(lt.nn.Maximum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 3.0
--- Source: keras.layers.Maximum
function nn.Maximum(options) end

--- A layer that takes the minimum of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs whose shapes do not match.
--- Example:
---     print(lt.nn.Minimum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 1.0
--- Source: keras.layers.Minimum
function nn.Minimum(options) end

--- A layer that concatenates its inputs, a list, along an axis.
---@param options? table {axis = -1; the batch is axis 1; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for shapes that differ along another axis.
--- Example:
---     print(lt.nn.Concatenate() {lt.ones {2, 1}, lt.zeros {2, 3}}.shape)  --> (2, 4)
--- Source: keras.layers.Concatenate
function nn.Concatenate(options) end
