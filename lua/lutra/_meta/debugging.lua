---@meta

--- Where operations ran, and why: the placement log, the story of one tensor, what happens without a GPU kernel.
---
--- The rules are in [docs/placement.md](../placement.md).
---@class lutra.debugging
local debugging = {}

--- What explain says of a tensor. `tostring` makes one sentence of it, with both devices where t:to(device) moved it.
---@class lutra.Explanation
---@field op? string the operation that made it; nil when none did, or too long ago
---@field requested? string the scope's merged name; "" without a scope
---@field chosen? string the device the operation ran on
---@field device string the device it is on
---@field reason string why that device
---@field bytes integer
---@field line? string the script line, "train.lua:7"; for tensors from 1 MB up, others while a log or handler is on
---@field copies? lutra.Copy[] what was copied for it; when line is known

--- What a log handler is told of an operation.
---@class lutra.PlacementEvent
---@field op string "MatMul"; "to" for a copy that t:to(device) made, which is no operation
---@field device string its full name
---@field requested string the scope's merged name; "" without a scope
---@field reason string why that device
---@field line string the script line, "train.lua:7"
---@field copies lutra.Copy[] what was copied for it

--- A tensor that went from one device to another.
---@class lutra.Copy
---@field source string full name of the device
---@field target string full name of the device
---@field shape lutra.Shape
---@field bytes integer

--- Prints a line on stderr for each operation: `Executing op MatMul in device ...`. Can change at any time.
---
--- `--log-placement` and LUTRA_LOG_PLACEMENT=1 switch it on from outside. What was said before is replaced as a whole.
---@param on boolean
---@param options? table booleans: reasons = why the device was chosen; copies = a line for each copy between devices;
---   once = each distinct line once (all false)
--- Errors: InvalidArgument if on is no boolean, or for an unknown option.
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

--- Hands each operation's placement to a function, after the operation, also when its kernel failed.
---
--- It is called with the log on or off; the log's lines go to it instead of stderr. An error in it removes it and is
--- raised; the operation's effect stands.
---@param handler function|nil called with a PlacementEvent; nil removes it
--- Errors: InvalidArgument if handler is neither a function nor nil.
--- Example:
---     lt.debugging.set_log_handler(function(event) print(event.op, event.reason) end)
---     local x = lt.zeros {2}  --> Fill	no scope: GPU first
---     lt.debugging.set_log_handler(nil)
function debugging.set_log_handler(handler) end

--- What happens when a scope asks for a GPU and the operation has no kernel there. It runs on the CPU in any case but
--- "error".
---@param mode string "allow" (silently, the default), "warn" (a line on stderr) or "error"
--- Errors: InvalidArgument for another word.
--- Example:
---     lt.debugging.set_kernel_fallback("error")
---     print(pcall(lt.device, "/GPU:0", lt.unique, {1, 2, 1}) == false)  --> true
function debugging.set_kernel_fallback(mode) end

--- What set_kernel_fallback said.
---@return string # "allow", "warn" or "error"
--- Example:
---     print(lt.debugging.get_kernel_fallback())  --> allow
function debugging.get_kernel_fallback() end

--- Which operation made a tensor, where, and why there. The last 65,536 operations are remembered.
---@param tensor lutra.Tensor
---@return lutra.Explanation
--- Errors: InvalidArgument if it is no tensor, FailedPrecondition if it has been released.
--- Example:
---     local x = lt.device("/GPU:1", lt.zeros, {2})
---     print(lt.debugging.explain(x))
---     --> Fill in /job:localhost/replica:0/task:0/device:GPU:1 (scope /device:GPU:1)
function debugging.explain(tensor) end

--- How many storages (the bytes behind tensors) the process holds, those of all interpreters together. For tests that
--- look for leaks. A CPU tensor of at most 64 bytes has none.
---@return integer
--- Example:
---     local before = lt.debugging.live_storages()
---     local x = lt.device("/CPU:0", lt.zeros, {100})
---     print(lt.debugging.live_storages() - before)  --> 1
function debugging.live_storages() end

return debugging
