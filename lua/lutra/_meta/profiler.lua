---@meta

--- Records what ran when, where and why: operations on the host, kernels and copies on each device, waits and
--- allocations, each with the line of the script.
---
--- Loaded on first use. [profiling.md](../profiling.md) answers questions with it. A trace keeps the last 1,000,000
--- events (some 80 MB); older ones are dropped, and the profile says how many. `lutra --trace FILE` and the prompt's
--- `:trace` record without a change of the script.
---@class lutra.profiler
local profiler = {}

--- One thing that happened. Fields that have no meaning for its kind are nil.
---@class lutra.profiler.Event
---@field kind string "op" (the host prepares, queues or computes an operation), "kernel" (a device computes), "copy", "wait" (the host waits for a device), "stream wait" (a device waits for another), "memory"
---@field name string the operation; of a copy why it was made ("input", "read", "constant", "moved"), of a wait what waits ("read", "synchronize", "full queue", "memory")
---@field device string full name of the device; of a copy, where it goes
---@field source? string of a copy: full name of the device that it comes from
---@field stream string "host", "compute" or "copy"
---@field start_us number microseconds since the trace began
---@field duration_us? number microseconds; nil if it had not ended
---@field line? string the script line, "train.lua:7"
---@field shapes? string dtypes and shapes, "float32(2,3) float32(3,4) -> float32(2,4)"
---@field bytes? integer copied, allocated (negative: freed), or touched by a kernel by the operation table's estimate
---@field flops? number of a kernel, by the operation table's estimate
---@field in_use? integer of memory: bytes in use on the device afterwards
---@field awaits? string of a wait: for what, "MatMul on GPU:0"
---@field reason? string of an operation or kernel: why it is on this device
---@field dtype? string of an operation or kernel: the dtype it is computed in
---@field failed? boolean true for an operation that raised an error

--- A recorded trace. `tostring` gives one line.
---@class lutra.profiler.Profile
---@field events lutra.profiler.Event[] all events; made when it is first read
local Profile = {}

--- Begins to record.
---@param options? table memory = record allocations (true); shapes = record dtypes and shapes (true); events = how many to keep (1000000)
--- Errors: FailedPrecondition if a trace is running that start began, InvalidArgument for a wrong option.
--- Example:
---     lt.profiler.start {memory = false}
---     local x = lt.ones {2, 2} + 1
---     local p = lt.profiler.stop()
---     print(p.events[1].name)  --> Fill
--- Source: tf.profiler.experimental.start
function profiler.start(options) end

--- Ends the trace that start began, after the devices have done all queued work.
---@param path? string where to save it: a name that ends in .json or .html
---@return lutra.profiler.Profile
--- Errors: FailedPrecondition if no trace is running; those of Profile:save.
--- Example:
---     lt.profiler.start()
---     local p = lt.profiler.stop()
---     print(#p.events)  --> 0
--- Source: tf.profiler.experimental.stop
function profiler.stop(path) end

--- Records one call.
---@param f function called with the other arguments
---@param ... any
---@return lutra.profiler.Profile
---@return any ... what f returned
--- Errors: those of f; the trace then ends.
--- Example:
---     local p, y = lt.profiler.run(lt.matmul, {{1.0, 2.0}}, {{3.0}, {4.0}})
---     print(y:item())  --> 11.0
function profiler.run(f, ...) end

--- Records until the end of a scope. `scope:close()` ends it early and returns the profile, which is also in
--- `scope.profile` afterwards.
---@param options? table those of start; path = where to save the trace (.json, .html)
---@return table scope for a `<close>` variable
--- Errors: InvalidArgument for a wrong option; at its end those of Profile:save.
--- Example:
---     local scope = lt.profiler.scope()
---     local x = lt.ones {2, 2}
---     print(#scope:close().events > 0)  --> true
function profiler.scope(options) end

--- Prints where the time went: Profile:summary of the trace that is running, so far, or of the last one.
---@param n? integer rows of each table, 10 by default
--- Errors: FailedPrecondition if nothing has been traced.
--- Example:
---     lt.profiler.start()
---     lt.profiler.stop()
---     lt.profiler.summary(3)
---     --> ...
function profiler.summary(n) end

--- Saves the trace that is running, so far, or the last one.
---@param path string a name that ends in .json or .html
--- Errors: FailedPrecondition if nothing has been traced; those of Profile:save.
--- Example:
---     local path = os.tmpname() .. ".json"
---     lt.profiler.start()
---     lt.profiler.save(path)
---     lt.profiler.stop()
---     print(io.open(path):read(1))  --> {
function profiler.save(path) end

--- Whether a trace is running that start began.
---@return boolean
--- Example:
---     print(lt.profiler.is_running())  --> false
function profiler.is_running() end

--- Prints tables: how the host's time was spent; each device; operations and lines, longest first, with time on the
--- device, time on the host, GFLOP/s, GB/s and the share of what the device could do at most; copies by line; and what
--- devices that had nothing to do were waiting for.
---
--- The limit of the CPU is measured the first time, in about a quarter of a second: float32 multiply-adds on all its
--- threads, and memory bandwidth for data of the same size. A simulated GPU's is its given speed, else one core's; a
--- card's comes from its clocks.
---@param n? integer rows of each table, 10 by default
--- Errors: InvalidArgument if n is no whole number above 0.
--- Example:
---     local p = lt.profiler.run(lt.ones, {2, 2})
---     p:summary(5)
---     --> ...
function Profile:summary(n) end

--- The numbers of summary, as a table: ops and lines (lists of {name, count, total_us, mean_us, longest_us, host_us,
--- gflops, gbps, copied_bytes, limit}; limit is a share, nil if not known), copies ({line, source, target, reason,
--- count, bytes, total_us}), gaps ({device, cause, line, count, total_us, longest_us}), devices ({name, kernels,
--- busy_us, copy_us, wait_us, copied_bytes, peak_bytes, of_others}; of_others: the time of a GPU's kernels as a multiple of
--- what other GPUs took for the same operations, nil if they computed none of them), length_us, host_op_us, host_kernel_us, host_wait_us, events,
--- dropped and limits (a text).
---@return table
--- Example:
---     local p = lt.profiler.run(lt.matmul, {{1.0, 2.0}}, {{3.0}, {4.0}})
---     print(p:totals().devices[1].kernels > 0)  --> true
function Profile:totals() end

--- Writes the trace to a file, whole or not at all: .json in Chrome's Trace Event Format, for ui.perfetto.dev and
--- chrome://tracing; .html a page that needs no network.
---@param path string
--- Errors: InvalidArgument for another extension; NotFound when the file's folder does not exist, FailedPrecondition when
---   it is not writable.
--- Example:
---     local p = lt.profiler.run(lt.ones, {2, 2})
---     local path = os.tmpname() .. ".html"
---     p:save(path)
---     print(io.open(path):read())  --> <!doctype html>
function Profile:save(path) end

return profiler
