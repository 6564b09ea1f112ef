---@meta

--- An array of numbers or booleans on one device. A tensor never changes; operations make new ones.
---
--- Elements are in row-major order; there are at most 8 axes. Indices and axes count from 1, negative ones from the
--- end. Operations that take a tensor first are also methods: `x:sum(1)` is `lt.sum(x, 1)`, one of the [ops](ops.md).
--- So are casts and arithmetic (`a + b`, `-a`). Comparisons are methods only (`a:eq(b)`, `a:lt(b)`); `==` compares
--- identity. A tensor prints like a NumPy array, with shape and dtype; `lt.set_print_options` changes the layout.
---@class lutra.Tensor
---@field shape lutra.Shape sizes of the axes
---@field rank integer number of axes, 0 to 8
---@field size integer number of elements
---@field dtype string "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64" or "complex128"
---@field nbytes integer bytes of the elements
---@field device string full name: "/job:localhost/replica:0/task:0/device:GPU:0"
local Tensor = {}

--- The sizes of a tensor's axes: a list that prints as `(2, 3)` and equals any list with the same numbers. Axes count
--- from 1, and -1 is the last: `x.shape[-1]`. Index 0 raises InvalidArgument, a missing axis OutOfRange.
---@class lutra.Shape
---@field [integer] integer size of an axis

--- The number or boolean of a one-element tensor. Waits for the tensor and raises errors of the work that computes it.
---@return number|integer|boolean # an integer for integer dtypes, a boolean for bool, else a float; of a complex element, its real part
---@return number? # of a complex element, its imaginary part
--- Errors: InvalidArgument unless the tensor has exactly one element; FailedPrecondition when it has been released.
--- Example:
---     print(lt.constant({1.5, 2.5}):sum():item())  --> 4.0
--- Source: numpy.ndarray.item
function Tensor:item() end

--- The elements as nested Lua tables; for a scalar the number itself. A complex element is {re, im}. Waits as item does.
---@return table|number|boolean
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     local rows = lt.constant({{1, 2}, {3, 4}}):totable()
---     print(#rows, rows[2][1])  --> 2	3
--- Source: numpy.ndarray.tolist
function Tensor:totable() end

--- The elements as a string of bytes: row-major, little-endian. `lt.from_bytes` reads it. Waits as item does.
---@return string # nbytes long
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     local x = lt.constant {1, 258}
---     print(x:bytes() == "\1\0\0\0\2\1\0\0")  --> true
--- Source: numpy.ndarray.tobytes
function Tensor:bytes() end

--- Moves a tensor to a device: returns itself if it is there already, else a copy. This is not an operation: the
--- placement log shows only the copy, with `{copies = true}`. Under soft placement an existing device replaces a
--- missing one.
---@param device string|lutra.LogicalDevice a name that matches one device
---@return lutra.Tensor
--- Errors: NotFound for a missing device, InvalidArgument for a name that matches several; ResourceExhausted when the
---   device is full.
--- Example:
---     local x = lt.device("/GPU:1", lt.ones, {2})
---     print(x:to("CPU:0").device)  --> /job:localhost/replica:0/task:0/device:CPU:0
---     print(x:to("GPU:1") == x)  --> true
--- Source: tf.identity in a device scope
function Tensor:to(device) end

--- Frees the tensor now instead of leaving it to the garbage collector. A second call does nothing; any other use of
--- the tensor is an error.
---
--- Memory shared with other tensors (reshapes, slices) is freed with the last of them.
--- Errors: InvalidArgument if it is not a tensor.
--- Example:
---     local x = lt.ones {2}
---     x:release()
---     print(x)  --> lutra.Tensor(released)
function Tensor:release() end

--- lt.index_put as a method. Of a variable it gives a tensor too, and leaves the variable as it is.
---@param index integer|table|lutra.Tensor what `t[...]` takes
---@param values lutra.Tensor|table|number broadcasts to what the index picks
---@param options? table {accumulate = false: adds the values to the elements instead}
---@return lutra.Tensor
--- Errors: as lt.index_put.
--- Example:
---     print(lt.constant({1, 2, 3}):index_put(2, 5))  --> lutra.Tensor([1 5 3], shape=(3,), dtype=int32)
--- Source: torch.Tensor.index_put
function Tensor:index_put(index, values, options) end

--- Draws the tensor: one axis as a line, two as a heat map, and {height, width, 1 to 4 channels} as a picture.
---@param options? table those of [lt.plot](plot.md)
---@return lutra.plot.Plot|nil # prints as the plot; nil with `file`
--- Errors: InvalidArgument for another shape or an unknown option; those of lt.plot.line for its file.
--- Example:
---     print(lt.constant({1, 3, 2}):plot({width = 24, height = 5, ascii = true}))
---     -->   |        ..'''....
---     --> 2 +    ..''         '''
---     -->   |..''
---     -->   ++---------+--------+
---     -->    1         2        3
function Tensor:plot(options) end

--- The numbers that one asks of a tensor first: how many, least and most, mean, standard deviation, quartiles, how many
--- are nan, infinite or zero, and a histogram in one line. Waits for one copy to the CPU; no operation runs.
---@return lutra.plot.Description # prints as a list
--- Errors: InvalidArgument if it is not a tensor, or has been released.
--- Example:
---     print(lt.constant({1, 2, 3, 4}):describe())
---     --> lutra.Description(shape=(4,), dtype=int32)
---     -->   device  /job:localhost/replica:0/task:0/device:GPU:0
---     -->   count   4
---     -->   zeros   0
---     -->   mean    2.5
---     -->   std     1.11803
---     -->   min     1
---     -->   25%     1.75
---     -->   50%     2.5
---     -->   75%     3.25
---     -->   max     4
---     -->   1 █         █          █         █ 4
---     print(lt.constant({1.0, 0/0}):describe().nan)  --> 1
--- Source: pandas.DataFrame.describe
function Tensor:describe() end

--- Selects part of the tensor: `t[i]`, `t[{...}]` with one entry per axis, `t[indices]`, `t[mask]`.
---
--- A number selects one index and drops the axis: `t[2]`, `t[-1]`, `t[{1, 2}]`. In `t[{...}]` an entry `{first, last,
--- step}` keeps that range, both ends included (step defaults to 1, `{first}` is one index), and `{}` keeps the whole
--- axis, as do missing entries. An integer tensor gathers along the first axis. A bool tensor with the sizes of the
--- leading axes keeps the slices where it is true, in order. A string is a field or a method.
---
--- Entries may also be integer tensors, lists of indices within a table (`{{3, 1, 2}}`), masks (`{true, false}` or bool
--- tensors), `lt.newaxis`, and `"..."` for all axes that no other entry takes: docs/indexing.md.
---@param key integer|table|lutra.Tensor|string
---@return lutra.Tensor # a slice along the first axis shares the tensor's memory; logged as StridedSlice, GatherV2, BooleanMask or AdvancedIndex
--- Errors: InvalidArgument for index 0, too many entries, a mask of other sizes, an unknown field; OutOfRange for an
---   index past the end.
--- Example:
---     local t = lt.constant {{1, 2, 3}, {4, 5, 6}}
---     print(t[2])  --> lutra.Tensor([4 5 6], shape=(3,), dtype=int32)
---     print(t[{1, -1}]:item())  --> 3
---     print(t[{ {}, {2, 3} }])
---     --> lutra.Tensor(
---     --> [[2 3]
---     -->  [5 6]], shape=(2, 2), dtype=int32)
---     print(t[{ {}, {{3, 1}} }])
---     --> lutra.Tensor(
---     --> [[3 1]
---     -->  [6 4]], shape=(2, 2), dtype=int32)
---     print(t[t:gt(2)])  --> lutra.Tensor([3 4 5 6], shape=(4,), dtype=int32)
--- Source: tf.Tensor.__getitem__, tf.boolean_mask
function Tensor:__index(key) end

--- Always an error: tensors do not change. Build a new one with index_put, where, concat or stack.
---@param key any
---@param value any
--- Errors: InvalidArgument.
--- Example:
---     local t = lt.zeros {2}
---     print(pcall(function() t[1] = 5 end) == false)  --> true
function Tensor:__newindex(key, value) end

--- The size of the first axis.
---@return integer
--- Errors: InvalidArgument for a scalar.
--- Example:
---     print(#lt.zeros {2, 5})  --> 2
--- Source: len of a tf.Tensor
function Tensor:__len() end

--- Always an error: elements are indexed in brackets, t[i], and rows are visited by `for i, row in pairs(t) do`.
---@param ... any
--- Errors: InvalidArgument.
--- Example:
---     print(pcall(lt.zeros {2}, 1) == false)  --> true
function Tensor:__call(...) end

--- Joins the elements' text with a string or a number.
---@param a string|number|lutra.Tensor
---@param b string|number|lutra.Tensor
---@return string
--- Errors: InvalidArgument for anything else.
--- Example:
---     print("x = " .. lt.constant {1.0, 2.5})  --> x = [1.  2.5]
--- Source: f"{x}" of a tf.Tensor
function Tensor:__concat(a, b) end

--- Iterates over the first axis: `for i, row in pairs(t) do`.
---@return function # returns 1, t[1], then 2, t[2], ...
--- Errors: InvalidArgument for a scalar.
--- Example:
---     for i, row in pairs(lt.constant {{1, 2}, {3, 4}}) do print(i, row:sum():item()) end
---     --> 1	3
---     --> 2	7
--- Source: iteration over a tf.Tensor
function Tensor:__pairs() end

--- The text that print shows. Only the elements that are shown are copied to the host.
---@return string
--- Example:
---     print(tostring(lt.constant(3.0)))  --> lutra.Tensor(3.0, shape=(), dtype=float32)
--- Source: str of a tf.Tensor
function Tensor:__tostring() end

--- Frees the tensor at the end of the block, as release does.
--- Example:
---     local kept
---     do
---       local t <close> = lt.zeros {2}
---       kept = t
---     end
---     print(kept)  --> lutra.Tensor(released)
function Tensor:__close() end

--- Always an error, since Lua converts the result to one boolean. Compare with `a:lt(b)` and `a:gt(b)`; in an `if`
--- use `a:lt(b):item()`.
---@param a any
---@param b any
--- Errors: InvalidArgument.
--- Example:
---     print(lt.constant({1, 5}):lt(3))  --> lutra.Tensor([ True False], shape=(2,), dtype=bool)
function Tensor:__lt(a, b) end

--- Always an error, since Lua converts the result to one boolean. Compare with `a:le(b)` and `a:ge(b)`; in an `if`
--- use `a:le(b):item()`.
---@param a any
---@param b any
--- Errors: InvalidArgument.
--- Example:
---     print(lt.constant({1, 5}):ge(5))  --> lutra.Tensor([False  True], shape=(2,), dtype=bool)
function Tensor:__le(a, b) end

--- The same values as float32: `cast(t, "float32")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):float32())  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float32)
--- Source: tf.cast
function Tensor:float32() end

--- The same values as float64: `cast(t, "float64")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):float64())  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float64)
--- Source: tf.cast
function Tensor:float64() end

--- The same values as complex64: `cast(t, "complex64")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):complex64())  --> lutra.Tensor([0.+0.j 2.+0.j], shape=(2,), dtype=complex64)
--- Source: tf.cast
function Tensor:complex64() end

--- The same values as complex128: `cast(t, "complex128")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):complex128())  --> lutra.Tensor([0.+0.j 2.+0.j], shape=(2,), dtype=complex128)
--- Source: tf.cast
function Tensor:complex128() end

--- The same values as float16: `cast(t, "float16")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):float16())  --> lutra.Tensor([0. 2.], shape=(2,), dtype=float16)
--- Source: tf.cast
function Tensor:float16() end

--- The same values as bfloat16: `cast(t, "bfloat16")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):bfloat16())  --> lutra.Tensor([0. 2.], shape=(2,), dtype=bfloat16)
--- Source: tf.cast
function Tensor:bfloat16() end

--- The same values as int8: `cast(t, "int8")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({1.7, -1.7}):int8())  --> lutra.Tensor([ 1 -1], shape=(2,), dtype=int8)
--- Source: tf.cast
function Tensor:int8() end

--- The same values as uint8: `cast(t, "uint8")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({1.7, 255.0}):uint8())  --> lutra.Tensor([  1 255], shape=(2,), dtype=uint8)
--- Source: tf.cast
function Tensor:uint8() end

--- The same values as int16: `cast(t, "int16")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({1.7, -1.7}):int16())  --> lutra.Tensor([ 1 -1], shape=(2,), dtype=int16)
--- Source: tf.cast
function Tensor:int16() end

--- The same values as int32: `cast(t, "int32")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({1.7, -1.7}):int32())  --> lutra.Tensor([ 1 -1], shape=(2,), dtype=int32)
--- Source: tf.cast
function Tensor:int32() end

--- The same values as int64: `cast(t, "int64")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({1.7, -1.7}):int64())  --> lutra.Tensor([ 1 -1], shape=(2,), dtype=int64)
--- Source: tf.cast
function Tensor:int64() end

--- The same values as bool: `cast(t, "bool")`.
---@return lutra.Tensor
--- Errors: FailedPrecondition when the tensor has been released.
--- Example:
---     print(lt.constant({0, 2}):bool())  --> lutra.Tensor([False  True], shape=(2,), dtype=bool)
--- Source: tf.cast
function Tensor:bool() end

return Tensor
