---@meta

--- Shows where operations ran, and why: the placement log, the origin of a tensor, the fallback for missing GPU
--- kernels.
---
--- The rules are in [docs/placement.md](../placement.md).
---@class lutra.debugging
local debugging = {}

--- The result of explain. `tostring` gives one sentence, with both devices if t:to(device) moved the tensor.
---@class lutra.Explanation
---@field op? string the operation that made it; nil if none did or it was too long ago
---@field requested? string the scope's merged name; "" without a scope
---@field chosen? string the device that the operation ran on
---@field device string the device that the tensor is on
---@field reason string why this device was chosen
---@field bytes integer
---@field line? string the script line, "train.lua:7"; known for tensors of 1 MB or more, and for others while a log or handler is on
---@field copies? lutra.Copy[] copies made for the operation; present when line is

--- What a log handler receives about an operation.
---@class lutra.PlacementEvent
---@field op string "MatMul"; "to" for a copy that t:to(device) made, which is not an operation
---@field device string the device's full name
---@field requested string the scope's merged name; "" without a scope
---@field reason string why this device was chosen
---@field line string the script line, "train.lua:7"
---@field copies lutra.Copy[] copies made for the operation

--- A copy of a tensor from one device to another.
---@class lutra.Copy
---@field source string full name of the device
---@field target string full name of the device
---@field shape lutra.Shape
---@field bytes integer

--- Prints a line on stderr for each operation: `Executing op MatMul in device ...`. Can change at any time.
---
--- `--log-placement` and LUTRA_LOG_PLACEMENT=1 switch it on from outside. A call replaces all earlier settings.
---@param on boolean
---@param options? table booleans, all false by default: reasons = add why the device was chosen; copies = print a line for each
---   copy between devices; once = print each distinct line once
--- Errors: InvalidArgument if on is not a boolean, or for an unknown option.
--- Example:
---     lt.debugging.set_log_device_placement(true, {reasons = true})
---     local x = lt.zeros {2}
---     --> Executing op Fill in device /job:localhost/replica:0/task:0/device:GPU:0 (no scope: GPU first)
--- Source: tf.debugging.set_log_device_placement
function debugging.set_log_device_placement(on, options) end

--- Whether the placement log is on.
---@return boolean
--- Example:
---     print(lt.debugging.get_log_device_placement())  --> false
--- Source: tf.debugging.get_log_device_placement
function debugging.get_log_device_placement() end

--- Sets a function that is called after each operation with its placement, also if the operation's kernel failed.
---
--- It is called whether the log is on or off; the log's lines go to it instead of stderr. An error in the function
--- removes it and is raised; the operation keeps its effect.
---@param handler function|nil called with a PlacementEvent; nil removes it
--- Errors: InvalidArgument if handler is neither a function nor nil.
--- Example:
---     lt.debugging.set_log_handler(function(event) print(event.op, event.reason) end)
---     local x = lt.zeros {2}  --> Fill	no scope: GPU first
---     lt.debugging.set_log_handler(nil)
function debugging.set_log_handler(handler) end

--- Sets what happens when a scope names a GPU and the operation has no kernel there. Except with "error", it runs on
--- the CPU.
---@param mode string "allow" (silently, the default), "warn" (a line on stderr) or "error"
--- Errors: InvalidArgument for another value.
--- Example:
---     lt.debugging.set_kernel_fallback("error")
---     print(pcall(lt.device, "/GPU:0", lt.unique, {1, 2, 1}) == false)  --> true
function debugging.set_kernel_fallback(mode) end

--- The value given to set_kernel_fallback.
---@return string # "allow", "warn" or "error"
--- Example:
---     print(lt.debugging.get_kernel_fallback())  --> allow
function debugging.get_kernel_fallback() end

--- Which operation made a tensor, where, and why there. The last 65,536 operations are remembered.
---@param tensor lutra.Tensor
---@return lutra.Explanation
--- Errors: InvalidArgument if it is not a tensor, FailedPrecondition if it has been released.
--- Example:
---     local x = lt.device("/GPU:1", lt.zeros, {2})
---     print(lt.debugging.explain(x))
---     --> Fill in /job:localhost/replica:0/task:0/device:GPU:1 (scope /device:GPU:1)
function debugging.explain(tensor) end

--- The number of storages (memory of tensors) in the process, over all interpreters. For tests that look for leaks. A
--- CPU tensor of at most 64 bytes has no storage.
---@return integer
--- Example:
---     local before = lt.debugging.live_storages()
---     local x = lt.device("/CPU:0", lt.zeros, {100})
---     print(lt.debugging.live_storages() - before)  --> 1
function debugging.live_storages() end

--- The largest live tensors, by the memory that they hold. CPU tensors of at most 64 bytes are not listed.
---@param options? table device = a device's name, of all devices by default; n = how many at most, all by default
---@return table list of {shape, dtype, device, bytes, op, line}, largest first. shape and dtype are nil if a slice or a
---   copy holds the memory; op and line if they are not known: the line is for tensors of 1 MB or more, or made while a log was on
--- Errors: NotFound for an unknown device, InvalidArgument for a wrong option.
--- Example:
---     local x = lt.device("/CPU:0", lt.zeros, {1024, 1024})
---     local first = lt.debugging.live_tensors {n = 1}[1]
---     print(first.shape, first.bytes, first.op)  --> (1024, 1024)	4194304	Fill
function debugging.live_tensors(options) end

--- Which lines copied how much between devices, since the start or reset_copies. Always counted.
---@return table list of {line, source, target, reason, count, bytes}, most bytes first. reason: "input" (an operation
---   needed it), "read" (the script read values), "constant" (Lua's numbers), "moved" (t:to(device), variables)
--- Example:
---     lt.debugging.reset_copies()
---     local x = lt.device("/GPU:0", lt.constant, {1.0, 2.0})
---     print(lt.debugging.copies()[1].bytes)  --> 8
function debugging.copies() end

--- Forgets the copies counted so far.
--- Example:
---     lt.debugging.reset_copies()
---     print(#lt.debugging.copies())  --> 0
function debugging.reset_copies() end

--- Makes the first operation that makes a nan or an inf an error: one whose result has a nan, or an inf, while none of
--- its inputs has one. Gradients and optimisers' steps are checked too.
---
--- The error names the operation, its line and how many nan and inf it made. It also has the range of each input, and
--- the operation before. Its fields are op, device, nan and inf. Each operation is waited for, so everything is slower.
---@param on boolean
--- Errors: InvalidArgument if on is not a boolean, and from then on from such operations.
--- Example:
---     lt.debugging.check_numerics(true)
---     print(select(2, pcall(lt.log, lt.constant {1.0, -1.0})).nan)  --> 1
---     lt.debugging.check_numerics(false)
--- Source: tf.debugging.enable_check_numerics
function debugging.check_numerics(on) end

return debugging
