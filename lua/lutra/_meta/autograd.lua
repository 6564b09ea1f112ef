---@meta

--- A tensor that can be assigned, as `lt.Variable` makes it. It stands wherever a tensor does, with all methods and operators.
---
--- It keeps its shape, dtype and device. Trainable ones are watched by a GradientTape when they are used. Its tensors are
--- values: what was read before an assignment stays what it was. It prints as
--- `<lutra.Variable 'w' shape=(2,) dtype=float32, value=[1. 2.]>`.
---@class lutra.Variable: lutra.Tensor
---@field name string as given to lt.Variable, else "Variable"
---@field trainable boolean whether tapes watch it by themselves
local Variable = {}

--- Its value as a tensor. Later assignments do not change that tensor. Logged as ReadVariableOp on the variable's device.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     local v = lt.Variable({1.0, 2.0})
---     local before = v:value()
---     v:assign_add(1)
---     print(before:totable()[1], v:value():totable()[1])  --> 1.0	2.0
--- Source: tf.Variable.value
function Variable:value() end

--- Gives it a new value, on its own device whatever the scope. Logged as AssignVariableOp.
---@param value lutra.Tensor|table|number|boolean of the variable's shape; a number goes to every element, and numbers, also those of a table, become the variable's dtype
---@return lutra.Variable # itself
--- Errors: InvalidArgument for another shape, a tensor's dtype that the variable's does not take in, or a number that does not fit it.
--- Example:
---     local v = lt.Variable({1.0, 2.0}, {name = "v"})
---     v:assign {3.0, 4.0}
---     print(v)  --> <lutra.Variable 'v' shape=(2,) dtype=float32, value=[3. 4.]>
--- Source: tf.Variable.assign
function Variable:assign(value) end

--- Adds to it, in place when nothing else holds its memory. Logged as AssignAddVariableOp.
---@param value lutra.Tensor|table|number of the variable's shape; a number goes to every element
---@return lutra.Variable # itself
--- Errors: as assign.
--- Example:
---     print(lt.Variable(1.5):assign_add(1):item())  --> 2.5
--- Source: tf.Variable.assign_add
function Variable:assign_add(value) end

--- Subtracts from it, in place when nothing else holds its memory. Logged as AssignSubVariableOp.
---@param value lutra.Tensor|table|number of the variable's shape; a number goes to every element
---@return lutra.Variable # itself
--- Errors: as assign.
--- Example:
---     print(lt.Variable(1.5):assign_sub(1):item())  --> 0.5
--- Source: tf.Variable.assign_sub
function Variable:assign_sub(value) end

--- Refused: the collector frees a variable that nothing refers to.
--- Errors: InvalidArgument, always.
--- Example:
---     local v = lt.Variable(1.0)
---     local ok, err = pcall(v.release, v)
---     print(ok, err.code)  --> false	InvalidArgument
function Variable:release() end

--- Assigns a part: an index, or entries per axis as in `t[key]`. The value broadcasts to the part. Logged as
--- StridedSliceAssign.
---@param key integer|table
---@param value lutra.Tensor|table|number|boolean
--- Errors: OutOfRange for an index past an axis' end; InvalidArgument for a value that does not fit the part.
--- Example:
---     local v = lt.Variable(lt.zeros {3})
---     v[{ {1, 2} }] = 7
---     print(v:value():totable()[2])  --> 7.0
--- Source: tf.Variable's sliced assign
function Variable:__newindex(key, value) end

--- The variable's text, with its name.
---@return string
--- Example:
---     print(tostring(lt.Variable(2.0)))  --> <lutra.Variable 'Variable' shape=() dtype=float32, value=2.0>
function Variable:__tostring() end

--- A recording of what is computed from variables and watched tensors, as `lt.GradientTape` makes it.
---
--- It records from the moment it is made. Unless it is persistent it can be asked once, which ends the recording. Gradients
--- are of the values that were there when the operations ran; they run on the devices where those ran, and are logged.
---@class lutra.GradientTape
local GradientTape = {}

--- Records what is computed from a tensor from here on. Trainable variables need no watching.
---@param tensor lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> of a float dtype
--- Errors: InvalidArgument for another dtype; FailedPrecondition when the recording has ended.
--- Example:
---     local x = lt.constant(3.0)
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:gradient(x * x, x))  --> lutra.Tensor(6.0, shape=(), dtype=float32)
--- Source: tf.GradientTape.watch
function GradientTape:watch(tensor) end

--- The gradient of a target by its sources (reverse mode). Of a target with several elements it is that of their sum.
---
--- Of what a target does not depend on it is nil, and `false` in a list or table; with `unconnected_gradients = "zero"` zeros.
--- Sources in a table by name, `{w = w, b = b}`, give a table of gradients with the same names.
---@param target lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> several count as their sum
---@param sources lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> watched tensors, variables, or what was computed from them
---@param options? table {output_gradients = tensor, number or table of numbers for a single target, or as many of them as targets in the same form: what each target's gradient starts with, instead of ones; unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil|(lutra.Tensor|false)[] # of the source's shape and dtype; for a list of sources a list, for a table of names a table
--- Errors: InvalidArgument for a target or source of an integer dtype or bool, and for a table with both places and names.
---   FailedPrecondition for a second question to a tape that is not persistent, and after it is closed.
--- Example:
---     local w = lt.Variable({1.0, 2.0})
---     local tape <close> = lt.GradientTape()
---     local loss = (w * w):sum()
---     print(tape:gradient(loss, w))  --> lutra.Tensor([2. 4.], shape=(2,), dtype=float32)
--- Source: tf.GradientTape.gradient
function GradientTape:gradient(target, sources, options) end

--- The derivatives of each element of a target by each element of its sources.
---
--- It is found row by row: a gradient is asked for each element of the target.
---@param target lutra.Tensor of any shape
---@param sources lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> as for gradient
---@param options? table {unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil|(lutra.Tensor|false)[] # of the target's shape followed by the source's; in the sources' form
--- Errors: as gradient; InvalidArgument where the two shapes have more than 8 axes together.
--- Example:
---     local x = lt.constant {1.0, 2.0}
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:jacobian(x * x, x):totable()[2][2])  --> 4.0
--- Source: tf.GradientTape.jacobian
function GradientTape:jacobian(target, sources, options) end

--- The derivatives of each row of a target by the same row of a source, where rows do not depend on others.
---
--- A gradient is asked for each element of a row, whatever the number of rows.
---@param target lutra.Tensor shape [batch, ...]
---@param source lutra.Tensor shape [batch, ...]
---@param options? table {unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil # [batch], then the target's other axes, then the source's
--- Errors: as jacobian; InvalidArgument where the first axes differ.
--- Example:
---     local x = lt.constant {{1.0, 2.0}, {3.0, 4.0}}
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:batch_jacobian((x * x):sum(2), x):totable()[2][2])  --> 8.0
--- Source: tf.GradientTape.batch_jacobian
function GradientTape:batch_jacobian(target, source, options) end

--- Calls a function whose operations this tape does not record; others do.
---@param f function
---@param ... any its arguments
---@return any ... # what it returns
--- Errors: FailedPrecondition when the recording has ended; what f raises, after which the tape records again.
--- Example:
---     local x = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     local y = tape:stop_recording(function() return x * x end)
---     print(tape:gradient(y, x))  --> nil
--- Source: tf.GradientTape.stop_recording
function GradientTape:stop_recording(f, ...) end

--- Forgets what was recorded and watched, and records on.
--- Errors: FailedPrecondition when the recording has ended.
--- Example:
---     local x = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     local y = x * x
---     tape:reset()
---     print(tape:gradient(y, x))  --> nil
--- Source: tf.GradientTape.reset
function GradientTape:reset() end

--- The variables that it watches: trainable ones that were used, and those that it was told to watch.
---@return lutra.Variable[] # in the order in which they were made
--- Errors: FailedPrecondition once a tape that is not persistent has been asked, or is closed.
--- Example:
---     local w, b = lt.Variable(3.0), lt.Variable(1.0)
---     local tape <close> = lt.GradientTape()
---     local y = w * 2 + b
---     print(#tape:watched_variables())  --> 2
--- Source: tf.GradientTape.watched_variables
function GradientTape:watched_variables() end

--- Ends the recording and forgets it; `local tape <close>` does so at the end of the block.
--- Example:
---     local tape = lt.GradientTape()
---     tape:close()
---     print(pcall(tape.watch, tape, lt.ones {1}) == false)  --> true
function GradientTape:close() end
