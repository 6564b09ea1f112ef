---@meta

--- Plans that say where the operations of a function run. More: [placement-plans](../placement-plans.md).
---
--- Loaded on first use. A plan changes where operations run, never what they compute. Times are microseconds, memory is
--- bytes, and a device is named as in "GPU:0".
---@class lutra.placement
---@field costs lutra.placement.costs what operations took here, as moving averages
local placement = {}

--- Plans a graph on a machine, both given as tables. No device is used: the machine need not exist.
---
--- A device has a name, a type and `memory` (bytes; unlimited if left out). A node has a name, `inputs` (names of nodes),
--- `time_us` (a number, or numbers by type of device; a type without one cannot run it), `bytes` of its result, and
--- optionally `device` (a device's name or a type), `colocate` (nodes that must be on the same device), `resident = true`
--- (in memory all the time) and `keep = true` (needed until the end). Policies: "greedy" is the TensorFlow whitepaper's
--- placer, "m-etf" Baechi's; both free no memory. "best", the default, also tries each device alone and other ways, and
--- improves the best of them by local search for `budget_ms` milliseconds (0: not at all). The same graph gives the same
--- plan, unless the time ends the search earlier.
---@param problem table {devices = {{name=, type=, memory=}, ...}, links = {latency_us=, bytes_per_us=, {from=, to=, ...}, ...}, nodes = {...}, outputs = {names}, policy =, budget_ms =}
---@return table # {makespan_us, placement = {node = device}, schedule = {{node=, device=, start=, finish=}, ...}, peak_bytes = {device = bytes}, devices, copies, critical_path, alternatives = {device = makespan or reason}, candidates, policy, ignored}
--- Errors: InvalidArgument for an unknown or repeated name, a cycle (with its nodes), a negative or undefined number,
---   constraints that contradict each other, a node that no device can run. ResourceExhausted, with the missing bytes, if
---   nothing fits.
--- Example:
---     local plan = lt.placement.simulate {
---       devices = {{name = "a", type = "GPU"}, {name = "b", type = "GPU"}}, links = {latency_us = 5, bytes_per_us = 1000},
---       nodes = {{name = "x", time_us = 10, bytes = 1000}, {name = "left", inputs = {"x"}, time_us = 50},
---                {name = "right", inputs = {"x"}, time_us = 50}}}
---     print(plan.makespan_us, plan.placement.left == plan.placement.right)  --> 66.0	false
--- Source: TensorFlow whitepaper (2015), 3.2.1; Baechi (Jeon et al., SoCC 2020)
function placement.simulate(problem) end

--- Runs `f` once, records its operations, and plans on which device each should run.
---
--- The recorded run is an ordinary one: its results are in plan.results, and variables are changed. If it made variables,
--- such as an optimizer's moments, `f` runs once more and that run is planned. Times come from what
--- was measured (`measure`, earlier recordings), from the set speed of simulated GPUs, or are estimated. Scopes of
--- lt.device are constraints. A variable moves with everything that writes it. Tensors of before stay where they are.
---@param f function
---@param args? table its arguments: {x, y}
---@param options? table devices = {"GPU:0", "GPU:1"}: those that operations may use (default: all GPUs and CPU:0); memory = {["GPU:0"] = bytes}: limits (default: the devices'); fixed = {[variable or name] = device}, with names as in "MatMul#3" and "layer1/kernel"; budget_ms: for local search; record = "CPU:0": the device of the recorded run, if no other could hold it
---@return lutra.placement.Plan
--- Errors: NotFound for a missing device; InvalidArgument for a function without operations, an unknown option, `fixed`
---   with an unknown name or contradictory constraints; ResourceExhausted, with the missing bytes, if nothing fits;
---   FailedPrecondition inside a function that is being planned.
--- Example:
---     local w = lt.Variable(lt.ones {4, 4})
---     local plan = lt.placement.optimize(function(x) return x:matmul(w) end, {lt.ones {2, 4}}, {devices = {"GPU:0"}})
---     print(plan:run(lt.ones {2, 4}):sum():item(), plan.ops[1].name, plan.ops[1].device)  --> 32.0	MatMul#1	GPU:0
function placement.optimize(f, args, options) end

--- Reads a plan that plan:save wrote. Its first run records `f` by the rules and compares it with the plan; later runs
--- are placed.
---@param path string
---@param f? function the function that was planned; without it the plan can be looked at, not run
---@return lutra.placement.Plan
--- Errors: NotFound for a missing file, InvalidArgument for a damaged one.
--- Example:
---     local path = os.tmpname()
---     local function f(x) return x + 1 end
---     lt.placement.optimize(f, {lt.ones {3}}):save(path)
---     local plan = lt.placement.load(path, f)
---     print(plan:run(lt.ones {3}):sum():item(), os.remove(path))  --> 6.0	true
function placement.load(path, f) end

--- Runs f(...) three times, measures its operations and the links between the devices, and adds what it finds to
--- `costs`.
---@param f function
---@param ... any its arguments
---@return ... # what the last run returned
--- Errors: InvalidArgument if f is no function; what f raises.
--- Example:
---     print(lt.placement.measure(function(x) return (x * 2):sum():item() end, lt.ones {8}))  --> 16.0
function placement.measure(f, ...) end

--- A function that does what `f` does, with its operations placed by plans. For each combination of the arguments'
--- shapes the first call runs by the rules, the second and third are recorded; later ones run as planned if the plan is
--- at least 10% faster by simulation, both times. Every 200 calls it looks again. What a plan does not know, the rules
--- place.
---@param f function
---@return function # callable; its field `problem` says why there is no plan, if there is a reason
--- Errors: InvalidArgument if f is no function.
--- Example:
---     local double = lt.placement.step(function(x) return x * 2 end)
---     print(double(lt.ones {2}):sum():item())  --> 4.0
function placement.step(f) end

--- Explains the plan that `step`, or `fit` under lt.config.set_placement("auto"), took last, as plan:explain does: why
--- an operation is where it is, or all of them.
---@param op? string|integer "MatMul#3", or the number of an operation; default: all
---@return table # text, and its numbers; prints itself
--- Errors: FailedPrecondition if no plan has been taken, with the reason; NotFound for an unknown operation.
--- Example:
---     print(pcall(lt.placement.explain, "MatMul#1"))  --> false	<*>
function placement.explain(op) end

--- Predicts the time of a step on several replicas that share a batch, as under lt.distribute.MirroredStrategy.
---
--- The step runs twice on this machine; the second run is recorded. Work that has the batch's rows is divided by the
--- number of replicas, the rest is not; gradients of trainable variables are summed over links like those here.
---@param f function|lutra.nn.Model a function that takes a step, or a compiled model
---@param args table its arguments, batches: {x, y}
---
--- With `link`, replicas are processes, each on a host like this one, as under MultiWorkerMirroredStrategy; the sums
--- begin after the backward pass. `lutra plan-hosts` does this for a script.
---@param counts? integer[] numbers of replicas, {1, 2, 4, 8} by default
---@param options? table link: the rate of each host's link, "25Gb" (bits per second) or "3GB" (bytes); latency_us: of a message between two hosts (30)
---@return table # [n] = {step_us, compute_us, sum_us, host_us, speedup, rows}, and sum_bytes, rows, device; prints itself as a table
--- Errors: InvalidArgument for arguments without tensors or with different numbers of rows, wrong counts, or a link that
---   is no rate.
--- Example:
---     local w = lt.Variable(lt.ones {64, 64})
---     local function step(x) return w:assign_sub(lt.matmul(x, x, {transpose_a = true}) * 1e-6) end
---     print(lt.placement.scaling(step, {lt.ones {32, 64}}, {1, 2})[1].speedup)  --> 1.0
function placement.scaling(f, args, counts, options) end

--- What operations took on the devices of this machine: moving averages by operation, shapes, dtype and kind of device, where
--- sizes above 16 are rounded to a quarter of a power of two; and the links between devices. Plans use and extend them.
---@class lutra.placement.costs
local costs = {}

--- Writes them as JSON, one entry a line, with a description of the machine: its processor, the number of threads, its
--- devices with their set speeds.
---@param path string
--- Errors: NotFound or FailedPrecondition if the file cannot be written.
--- Example:
---     local path = os.tmpname()
---     lt.placement.measure(function(x) return x:matmul(x) end, lt.ones {32, 32})
---     lt.placement.costs:save(path)
---     lt.placement.costs:load(path)
---     print(os.remove(path))  --> true
function costs:save(path) end

--- Adds the entries of a file that save wrote.
---@param path string
--- Errors: InvalidArgument for a damaged file (nothing is taken from it), FailedPrecondition for one of another machine,
---   NotFound for a missing one.
--- Example:
---     print(pcall(lt.placement.costs.load, lt.placement.costs, "/dev/null"))  --> false	<*>
function costs:load(path) end

--- Forgets everything.
--- Errors: none of its own.
--- Example:
---     lt.placement.costs:clear()
---     print(pcall(lt.placement.costs.clear, lt.placement.costs))  --> true
function costs:clear() end

--- Where each operation of a function runs.
---@class lutra.placement.Plan
---@field makespan_us number predicted time of a run
---@field devices table<string, table> by name: {busy_us, peak_bytes}
---@field critical_path string[] nodes, each of which starts when the one before lets it
---@field alternatives table<string, number|string> what a device alone would take, or why it cannot
---@field placement table<string, string> node to device
---@field ops table[] the operations in order: {name, op, inputs, device}
---@field policy string which candidate won
---@field recorded_us number what the recorded run took
---@field results table what it returned, packed
local Plan = {}

--- Runs the function with its operations placed as planned. The first run moves the variables.
---@param ... any arguments with the shapes of the recorded run
---@return ... # what the function returns
--- Errors: FailedPrecondition if the function runs other operations or shapes than when it was recorded, and says which;
---   NotFound if a device is not here any more; what the function raises.
--- Example:
---     local plan = lt.placement.optimize(function(x) return x * 3 end, {lt.ones {2}})
---     print(plan:run(lt.ones {2}):sum():item())  --> 6.0
function Plan:run(...) end

--- The shortest of several runs, with all devices waited for.
---@param times integer
---@param ... any the function's arguments
---@return number # microseconds
--- Errors: as run.
--- Example:
---     local plan = lt.placement.optimize(function(x) return x * 3 end, {lt.ones {2}})
---     print(plan:time(2, lt.ones {2}) > 0)  --> true
function Plan:time(times, ...) end

--- Why things are where they are. Without an argument: of all devices and operations. Of one: where it runs and when,
--- what constrains it, and what the run would take with it on each other device.
---@param op? string|integer a node's name, "MatMul#3", or an operation's number
---@return table # prints itself; of a node: {node, device, start_us, finish_us, alternatives, constraint, line, text}
--- Errors: NotFound for an unknown name; FailedPrecondition for a loaded plan before its first run.
--- Example:
---     local plan = lt.placement.optimize(function(x) return x * 3 end, {lt.ones {2}}, {devices = {"GPU:0"}})
---     print(plan:explain("Mul#1").device)  --> GPU:0
function Plan:explain(op) end

--- Writes the plan as JSON, for lt.placement.load.
---@param path string
--- Errors: NotFound or FailedPrecondition if the file cannot be written.
--- Example:
---     local path = os.tmpname()
---     lt.placement.optimize(function(x) return x * 3 end, {lt.ones {2}}):save(path)
---     print(os.remove(path))  --> true
function Plan:save(path) end

--- Runs the function once as planned, measures it, and writes an HTML page with two lanes per device: the simulated
--- timeline and the measured one. Without the function's arguments nothing runs, and the page has the simulated one alone.
---@param path string
---@param ... any the function's arguments
---@return number? # microseconds that the measured run took
--- Errors: as run; NotFound or FailedPrecondition if the file cannot be written.
--- Example:
---     local path = os.tmpname()
---     local plan = lt.placement.optimize(function(x) return x * 3 end, {lt.ones {2}})
---     print(plan:trace(path, lt.ones {2}) > 0, os.remove(path))  --> true	true
function Plan:trace(path, ...) end
