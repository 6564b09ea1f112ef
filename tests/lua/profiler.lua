-- lutra.profiler: what a trace holds, on the CPU and on simulated GPUs, and that nothing that fails breaks it.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local folder = dofile("tests/support/folder.lua")
lt.config.set_simulated_gpus(2)

local function where(level) return ("profiler.lua:%d"):format(debug.getinfo(level or 2, "l").currentline) end

-- Events of a kind, by name if given.
local function of(profile, kind, name)
  local found = {}
  for _, event in ipairs(profile.events) do
    if event.kind == kind and (not name or event.name == name) then found[#found + 1] = event end
  end
  return found
end
local function only(profile, kind, name)
  local found = of(profile, kind, name)
  expect.equal(#found, 1, ("events of kind %s called %s"):format(kind, name))
  return found[1]
end
local function ends(event) return event.start_us + event.duration_us end

-- On the CPU: an op with its kernel inside, the line, shapes, reason, and the op table's flops and bytes.
local a, b = lt.device("CPU:0", function() return lt.ones { 20, 30 }, lt.ones { 30, 40 } end)
local line
lt.profiler.start()
expect.equal(lt.profiler.is_running(), true)
lt.device("/CPU:0", function()
  line = where() local _ = a:matmul(b)
end)
local p = lt.profiler.stop()
local op, kernel = only(p, "op", "MatMul"), only(p, "kernel", "MatMul")
for _, event in ipairs { op, kernel } do
  assert(event.line:find(line, 1, true), event.line)
  expect.equal(event.shapes, "float32(20,30) float32(30,40) -> float32(20,40)")
  expect.equal(event.reason, "scope /device:CPU:0")
  expect.equal(event.device, "/job:localhost/replica:0/task:0/device:CPU:0")
  expect.equal(event.dtype, "float32")
end
expect.equal({ op.stream, kernel.stream }, { "host", "compute" })
assert(op.start_us <= kernel.start_us and ends(kernel) <= ends(op) + 1e-6, "the kernel ran within its op")  -- rounded sums
expect.equal(kernel.flops, 2 * 20 * 30 * 40)
expect.equal(kernel.bytes, 4 * (20 * 30 + 30 * 40 + 20 * 40))
local memory = only(p, "memory", "matmul")
expect.equal(memory.bytes, 20 * 40 * 4)
assert(memory.in_use >= memory.bytes)

-- On simulated GPUs: kernels on the device that ran them, after their op began; copies with their bytes; waits.
local p, sum = lt.profiler.run(function()
  local total
  for number = 0, 1 do
    lt.device("/GPU:" .. number, function()
      local x = lt.constant(a:totable())
      total = (x * 2):sum():item() -- a comment
    end)
  end
  return total
end)
expect.equal(sum, 1200.0)
for number = 0, 1 do
  local device = "/job:localhost/replica:0/task:0/device:GPU:" .. number
  local kernels, last = {}, 0
  for _, event in ipairs(p.events) do
    if event.kind == "kernel" and event.device == device then
      kernels[#kernels + 1] = event.name
      expect.equal(event.stream, "compute")
      assert(event.start_us >= last, "a stream runs one command at a time")
      last = ends(event)
    end
  end
  expect.equal(kernels, { "Mul", "Sum" })
end
local muls, mul_kernels = of(p, "op", "Mul"), of(p, "kernel", "Mul")
for i = 1, 2 do assert(mul_kernels[i].start_us >= muls[i].start_us, "a kernel begins after its op") end
local constants, reads = of(p, "copy", "constant"), of(p, "copy", "read")
expect.equal({ #constants, #reads }, { 2, 2 })
expect.equal({ constants[1].bytes, reads[1].bytes }, { 20 * 30 * 4, 4 })
expect.equal(constants[2].device, "/job:localhost/replica:0/task:0/device:GPU:1")
expect.equal({ reads[2].source, reads[2].device },
  { "/job:localhost/replica:0/task:0/device:GPU:1", "/job:localhost/replica:0/task:0/device:CPU:0" })

-- Other simulated devices from here on.
local function restart(count, each)
  for _ = 1, 3 do collectgarbage() end
  lt.config.reset()
  lt.config.set_simulated_gpus(count, each)
end

-- The host waits for a device that is slow: so slow that a busy machine comes to wait in time.
a, b = nil, nil
restart(1, { gflops = 0.00002 })
local x = lt.device("/GPU:0", lt.ones, { 5000 })
lt.synchronize()
local p = lt.profiler.run(function()
  local y = x * 2 -- 5000 operations take 250 ms
  y:totable()
  local z = x + y
  lt.synchronize()
end)
local read = only(p, "wait", "read")
assert(read.duration_us > 2000, read.duration_us)
assert(read.awaits:find("read (copy) on GPU:0", 1, true), read.awaits)
local synchronize = only(p, "wait", "synchronize")
expect.equal(synchronize.awaits, "AddV2 on GPU:0")
assert(only(p, "kernel", "Mul").duration_us >= 250000)
local waited = of(p, "stream wait")
assert(#waited >= 1 and waited[1].stream == "copy" and waited[1].awaits == "Mul on GPU:0", "the copy stream waits for the kernel")
local totals = p:totals()
expect.equal({ totals.devices[1].name, totals.devices[1].kernels }, { "GPU:0", 2 })
for _, row in ipairs(totals.ops) do
  if row.name == "Mul on GPU" then
    assert(row.limit > 0.5 and row.limit < 1.01, "a simulated device runs at its given speed: " .. row.limit)
  end
end
assert(totals.limits:find("GPU:0: 2e-05 GFLOP/s of float32, as simulated", 1, true), totals.limits)

-- Gaps: the device had nothing to do while the script waited for it and computed.
local p = lt.profiler.run(function()
  local y = x * 2
  y:totable()
  local until_time = lt.time() + 0.02
  while lt.time() < until_time do end
  local z = x + 1
  lt.synchronize()
end)
local last = 0
for _, event in ipairs(p.events) do
  if event.stream == "compute" then
    assert(event.start_us >= last, "simulated times do not overlap")
    last = ends(event)
  end
end
local gap = p:totals().gaps[1]
expect.equal({ gap.device, gap.cause, gap.count }, { "GPU:0", "the host runs Lua", 1 })
assert(gap.total_us >= 20000 and gap.line:find("profiler.lua", 1, true))

-- Gradients and optimisers' steps, which run below the script, have its lines.
x = nil
restart(1)
local model = lt.nn.Sequential { lt.nn.Dense(8, { activation = "relu" }), lt.nn.Dense(1) }
model:compile { loss = "mse", optimizer = "adam" }
local inputs, targets = lt.random.normal { 32, 4 }, lt.random.normal { 32, 1 }
local p = lt.profiler.run(function()
  line = where() model:fit(inputs, targets, { epochs = 1, batch_size = 16, verbose = 0 })
end)
local names, reasons = {}, {}
for _, event in ipairs(of(p, "kernel")) do
  names[event.name] = (names[event.name] or 0) + 1
  assert(event.line and event.line:find(line, 1, true), ("%s at %s"):format(event.name, tostring(event.line)))
  reasons[event.reason] = true
end
assert(names.Linear and names.MatMul and names.ReluGrad, "the forward and the backward pass")
assert(reasons["where the op ran whose gradient it is part of"] and reasons["on its variable's device"])
local step = false
for name in pairs(names) do step = step or name:find("Adam") ~= nil end
assert(step, "the optimiser's step")

-- Ops that fail, in the call or late, leave a whole trace.
lt.profiler.start()
expect.raises("InvalidArgument", "divided by zero", lt.device, "/CPU:0", lt.floordiv, lt.constant { 1, 2 }, lt.constant { 1, 0 })
local late = lt.device("/GPU:0", function() return lt.constant { 1, 2 } // lt.constant { 1, 0 } end)
expect.raises("InvalidArgument", "divided by zero", late.totable, late)
local fine = lt.ones { 2 }:totable()
local p = lt.profiler.stop()
local failed = {}
for _, event in ipairs(of(p, "op")) do failed[#failed + 1] = event.failed and event.name or nil end
expect.equal(failed, { "FloorDiv" }, "ops that failed")
expect.equal(#of(p, "kernel", "FloorDiv"), 1, "kernels that ended")
assert(#of(p, "op", "Fill") == 1)
late = nil

-- An op that is composed of others contains them.
local p = lt.profiler.run(lt.device, "/CPU:0", lt.logit, lt.constant { 0.5, 0.25 })
local outer = of(p, "op", "Logit")[1]
if outer then
  local inner = 0
  for _, event in ipairs(of(p, "op")) do
    if event ~= outer and event.start_us >= outer.start_us and ends(event) <= ends(outer) then inner = inner + 1 end
  end
  assert(inner > 0, "ops within logit")
end

-- Sessions within each other each have what ran since they began.
lt.profiler.start()
lt.ones { 2 }
local scope = lt.profiler.scope { path = folder.at "inner.json" }
lt.add(lt.zeros { 2 }, 1)
expect.equal(#of(scope:close(), "op"), 2)
assert(rawequal(scope.profile, scope:close()), "closing again gives the same")
local p = lt.profiler.stop(folder.at "outer.html")
expect.equal(#of(p, "op"), 3)
assert(folder.read(folder.at "inner.json"):find('"traceEvents"', 1, true))
local page = folder.read(folder.at "outer.html")
assert(page:find("^<!doctype html>") and not page:find("https?://") and page:find('"name":"CPU:0"', 1, true))
do
  local closing <close> = lt.profiler.scope { path = folder.at "closed.json" }
  lt.ones { 2 }
end
assert(folder.read(folder.at "closed.json"):find("Fill", 1, true))

-- A trace is bounded: the last events stay.
lt.profiler.start { events = 100, memory = false }
for _ = 1, 500 do lt.ones { 2 } end
local last = lt.zeros { 3 } * 2
local p = lt.profiler.stop()
assert(#p.events <= 100)
expect.equal(p.events[#p.events].kind, "kernel")
assert(#of(p, "op", "Mul") == 1 and p:totals().dropped > 800, p:totals().dropped)
expect.equal(#of(p, "memory"), 0)

-- Without shapes there are none.
lt.profiler.start { shapes = false }
lt.ones { 2 }
expect.equal(of(lt.profiler.stop(), "op", "Fill")[1].shapes, nil)

-- A function's error goes on, and the trace ends.
local err = select(2, pcall(lt.profiler.run, function() error({ "mine" }) end))
expect.equal(err, { "mine" })
local p, one, none, three = lt.profiler.run(function(...) return ... end, 1, nil, 3)
expect.equal({ one, none, three }, { 1, nil, 3 })
assert(tostring(p):find("^lutra.Profile: 0 events in "))

-- Devices that come and go while a trace runs.
model, inputs, targets = nil, nil, nil
lt.profiler.start()
lt.device("/GPU:0", lt.ones, { 4 }):totable()
fine, last = nil, nil
restart(2)
local again = lt.device("/GPU:1", lt.zeros, { 4 }):totable()
local p = lt.profiler.stop()
expect.equal(#of(p, "kernel", "Fill"), 2)
expect.equal(of(p, "kernel", "Fill")[2].device, "/job:localhost/replica:0/task:0/device:GPU:1")

-- Mistakes.
expect.raises("FailedPrecondition", "stop: no trace is running", lt.profiler.stop)
lt.profiler.start()
expect.raises("FailedPrecondition", "start: a trace is running", lt.profiler.start)
lt.profiler.stop()
expect.raises("InvalidArgument", "start: unknown option 'shape' (did you mean 'shapes'?)", lt.profiler.start, { shape = true })
expect.raises("InvalidArgument", "start: memory is", lt.profiler.start, { memory = 1 })
expect.raises("InvalidArgument", "start: events is", lt.profiler.start, { events = 0 })
expect.raises("InvalidArgument", "stop takes it", lt.profiler.start, { path = "x.json" })
expect.raises("InvalidArgument", "expected a function", lt.profiler.run, 3)
expect.raises("InvalidArgument", "summary: n is", p.summary, p, 0)
expect.raises("InvalidArgument", "write p:save", p.save, "x.json")
expect.raises("InvalidArgument", "expected a name that ends in .json", p.save, p, folder.at "trace.txt")
expect.raises("NotFound", "nowhere", p.save, p, folder.at "nowhere/trace.json")
expect.equal(lt.profiler.is_running(), false)

folder.remove()
print "ok"
