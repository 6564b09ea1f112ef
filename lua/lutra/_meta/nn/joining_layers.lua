---@meta

---@class lutra.nn
local nn = {}

--- A layer that adds its inputs, a list of one shape; a size of 1 stretches to the others', and missing axes stand behind the batch.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of different shapes.
--- Example:
---     print(lt.nn.Add() {lt.ones {2}, lt.ones {2}})  --> lutra.Tensor([2. 2.], shape=(2,), dtype=float32)
--- Source: keras.layers.Add
function nn.Add(options) end

--- A layer that multiplies its inputs, a list of one shape, element by element.
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
--- Errors: InvalidArgument, which names the layer, for shapes that do not go together, or another number of inputs.
--- Example:
---     print(lt.nn.Subtract() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Subtract
function nn.Subtract(options) end

--- A layer that takes the mean of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Average() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 2.0
--- Source: keras.layers.Average
function nn.Average(options) end

--- A layer that takes the largest of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Maximum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 3.0
--- Source: keras.layers.Maximum
function nn.Maximum(options) end

--- A layer that takes the least of its inputs, a list, element by element.
---@param options? table {name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for inputs of shapes that do not go together.
--- Example:
---     print(lt.nn.Minimum() {lt.constant {3.0}, lt.constant {1.0}}:item())  --> 1.0
--- Source: keras.layers.Minimum
function nn.Minimum(options) end

--- A layer that puts its inputs, a list, one after the other along an axis.
---@param options? table {axis = -1, which counts the batch as axis 1; name}
---@return lutra.nn.Layer
--- Errors: InvalidArgument, which names the layer, for shapes that differ along another axis.
--- Example:
---     print(lt.nn.Concatenate() {lt.ones {2, 1}, lt.zeros {2, 3}}.shape)  --> (2, 4)
--- Source: keras.layers.Concatenate
function nn.Concatenate(options) end
