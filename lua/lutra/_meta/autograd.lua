---@meta

--- A tensor that can be assigned, made by `lt.Variable`. It can be used wherever a tensor can, with all methods and
--- operators.
---
--- Shape, dtype and device never change. A GradientTape watches trainable variables when they are used. A value read
--- before an assignment is not changed by it. A variable prints as `<lutra.Variable 'w' shape=(2,) dtype=float32,
--- value=[1. 2.]>`.
---@class lutra.Variable: lutra.Tensor
---@field name string the name given to lt.Variable, else "Variable"
---@field trainable boolean whether tapes watch it automatically
local Variable = {}

--- The value as a tensor, which later assignments do not change. Logged as ReadVariableOp on the variable's device.
---@return lutra.Tensor
--- Errors: none of its own.
--- Example:
---     local v = lt.Variable({1.0, 2.0})
---     local before = v:value()
---     v:assign_add(1)
---     print(before:totable()[1], v:value():totable()[1])  --> 1.0	2.0
--- Source: tf.Variable.value
function Variable:value() end

--- Assigns a new value, on the variable's device regardless of the scope. Logged as AssignVariableOp.
---@param value lutra.Tensor|table|number|boolean of the variable's shape; a single number fills it; numbers and tables are converted to the variable's dtype
---@return lutra.Variable # itself
--- Errors: InvalidArgument for another shape, a tensor whose dtype does not promote to the variable's, or a number that
---   does not fit it.
--- Example:
---     local v = lt.Variable({1.0, 2.0}, {name = "v"})
---     v:assign {3.0, 4.0}
---     print(v)  --> <lutra.Variable 'v' shape=(2,) dtype=float32, value=[3. 4.]>
--- Source: tf.Variable.assign
function Variable:assign(value) end

--- Adds a value, in place if nothing else uses the variable's memory. Logged as AssignAddVariableOp.
---@param value lutra.Tensor|table|number of the variable's shape; a number applies to every element
---@return lutra.Variable # itself
--- Errors: as assign.
--- Example:
---     print(lt.Variable(1.5):assign_add(1):item())  --> 2.5
--- Source: tf.Variable.assign_add
function Variable:assign_add(value) end

--- Subtracts a value, in place if nothing else uses the variable's memory. Logged as AssignSubVariableOp.
---@param value lutra.Tensor|table|number of the variable's shape; a number applies to every element
---@return lutra.Variable # itself
--- Errors: as assign.
--- Example:
---     print(lt.Variable(1.5):assign_sub(1):item())  --> 0.5
--- Source: tf.Variable.assign_sub
function Variable:assign_sub(value) end

--- Always an error: the garbage collector frees a variable that nothing refers to.
--- Errors: InvalidArgument, always.
--- Example:
---     local v = lt.Variable(1.0)
---     local ok, err = pcall(v.release, v)
---     print(ok, err.code)  --> false	InvalidArgument
function Variable:release() end

--- Assigns a part: by all that `t[key]` takes. The value broadcasts to the part; of several values for one element the
--- last one stays. Logged as StridedSliceAssign, for index tensors and masks as TensorScatterUpdate or AdvancedIndexPut.
---@param key integer|table|lutra.Tensor
---@param value lutra.Tensor|table|number|boolean
--- Errors: OutOfRange for an index past an axis' end; InvalidArgument for a value that does not fit the part.
--- Example:
---     local v = lt.Variable(lt.zeros {3})
---     v[{ {1, 2} }] = 7
---     v[v:eq(0)] = -1
---     print(v:value())  --> lutra.Tensor([ 7.  7. -1.], shape=(3,), dtype=float32)
--- Source: tf.Variable's sliced assign
function Variable:__newindex(key, value) end

--- The text that print shows, with the variable's name.
---@return string
--- Example:
---     print(tostring(lt.Variable(2.0)))  --> <lutra.Variable 'Variable' shape=() dtype=float32, value=2.0>
function Variable:__tostring() end

--- Records what is computed from variables and watched tensors, for gradients; made by `lt.GradientTape`.
---
--- Recording starts when the tape is made. A tape that is not persistent computes gradients once, which ends the
--- recording. Gradients use the values that variables had when the operations ran. They are computed on the devices of
--- those operations, and are logged.
---@class lutra.GradientTape
local GradientTape = {}

--- Records what is computed from a tensor from now on. Trainable variables are watched automatically.
---@param tensor lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> of a float dtype
--- Errors: InvalidArgument for another dtype; FailedPrecondition when the recording has ended.
--- Example:
---     local x = lt.constant(3.0)
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:gradient(x * x, x))  --> lutra.Tensor(6.0, shape=(), dtype=float32)
--- Source: tf.GradientTape.watch
function GradientTape:watch(tensor) end

--- The gradient of a target with respect to its sources (reverse mode). A target with several elements counts as their
--- sum.
---
--- For a source that the target does not depend on, the gradient is nil (`false` in a list or table), or zeros with
--- `unconnected_gradients = "zero"`. Sources in a table by name, `{w = w, b = b}`, give a table of gradients with those
--- names.
---@param target lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> several count as their sum
---@param sources lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> variables, watched tensors, or tensors computed from them
---@param options? table {output_gradients = the gradient of each target to start from, instead of ones: a tensor, number or table of numbers, or for several targets these in the targets' form; unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil|(lutra.Tensor|false)[] # of the source's shape and dtype; for a list of sources a list, for a table by name a table
--- Errors: InvalidArgument for a target or source of an integer dtype or bool, and for a table that mixes indices and
---   names. FailedPrecondition for a second gradient of a tape that is not persistent, and after the tape is closed.
--- Example:
---     local w = lt.Variable({1.0, 2.0})
---     local tape <close> = lt.GradientTape()
---     local loss = (w * w):sum()
---     print(tape:gradient(loss, w))  --> lutra.Tensor([2. 4.], shape=(2,), dtype=float32)
--- Source: tf.GradientTape.gradient
function GradientTape:gradient(target, sources, options) end

--- The derivatives of each element of a target with respect to each element of its sources.
---
--- It is computed row by row: one gradient for each element of the target.
---@param target lutra.Tensor of any shape
---@param sources lutra.Tensor|lutra.Tensor[]|table<string, lutra.Tensor> as for gradient
---@param options? table {unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil|(lutra.Tensor|false)[] # the target's shape followed by the source's; several in the sources' form
--- Errors: as gradient; InvalidArgument if the two shapes have more than 8 axes together.
--- Example:
---     local x = lt.constant {1.0, 2.0}
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:jacobian(x * x, x):totable()[2][2])  --> 4.0
--- Source: tf.GradientTape.jacobian
function GradientTape:jacobian(target, sources, options) end

--- The derivatives of each row of a target with respect to the same row of a source, if rows are independent.
---
--- It takes one gradient for each element of a row, regardless of the number of rows.
---@param target lutra.Tensor shape [batch, ...]
---@param source lutra.Tensor shape [batch, ...]
---@param options? table {unconnected_gradients = "none" or "zero"}
---@return lutra.Tensor|nil # [batch], then the target's other axes, then the source's
--- Errors: as jacobian; InvalidArgument if the first axes differ.
--- Example:
---     local x = lt.constant {{1.0, 2.0}, {3.0, 4.0}}
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:batch_jacobian((x * x):sum(2), x):totable()[2][2])  --> 8.0
--- Source: tf.GradientTape.batch_jacobian
function GradientTape:batch_jacobian(target, source, options) end

--- Calls a function whose operations this tape does not record. Other tapes do.
---@param f function
---@param ... any its arguments
---@return any ... # its results
--- Errors: FailedPrecondition when the recording has ended; errors of f; the tape records again after them.
--- Example:
---     local x = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     local y = tape:stop_recording(function() return x * x end)
---     print(tape:gradient(y, x))  --> nil
--- Source: tf.GradientTape.stop_recording
function GradientTape:stop_recording(f, ...) end

--- Discards what was recorded and watched, and continues recording.
--- Errors: FailedPrecondition when the recording has ended.
--- Example:
---     local x = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     local y = x * x
---     tape:reset()
---     print(tape:gradient(y, x))  --> nil
--- Source: tf.GradientTape.reset
function GradientTape:reset() end

--- The watched variables: trainable ones that were used, and those given to `watch`.
---@return lutra.Variable[] # in the order in which they were made
--- Errors: FailedPrecondition after the gradient of a tape that is not persistent, or after it is closed.
--- Example:
---     local w, b = lt.Variable(3.0), lt.Variable(1.0)
---     local tape <close> = lt.GradientTape()
---     local y = w * 2 + b
---     print(#tape:watched_variables())  --> 2
--- Source: tf.GradientTape.watched_variables
function GradientTape:watched_variables() end

--- Ends the recording and discards it; `local tape <close>` does so at the end of the block.
--- Example:
---     local tape = lt.GradientTape()
---     tape:close()
---     print(pcall(tape.watch, tape, lt.ones {1}) == false)  --> true
function GradientTape:close() end
