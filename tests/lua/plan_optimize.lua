-- lt.placement.optimize: recorded functions, placed and run again on unequal simulated GPUs.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local optimize = lt.placement.optimize

expect.raises("InvalidArgument", "gflops is a list of 1, expected a number, or a list of 2 numbers", lt.config.set_simulated_gpus, 2,
  { gflops = { 1 } })
expect.raises("InvalidArgument", "gbps is a list of 3", lt.config.set_simulated_gpus, 2, { gbps = { 1, 2, 3 } })
expect.raises("InvalidArgument", "gflops is \"x\", expected a number, or a list", lt.config.set_simulated_gpus, 2, { gflops = { 1, "x" } })
lt.config.set_simulated_gpus(2, { gflops = { 0.1, 0.05 }, gbps = { 20, 10 }, link_gbps = 4, link_latency_us = 10, memory_limit = { 64, 32 } })
expect.equal(lt.config.get_memory_info("GPU:1").limit >> 20, 32)
expect.equal(lt.config.get_device_details("GPU:1").gflops, "0.05")

local function weights(seed, n, size)
  local list = {}
  for i = 1, n do list[i] = lt.Variable(lt.random.normal({ size, size }, { seed = seed + i }) * size ^ -0.5, { name = "w" .. seed .. "/" .. i }) end
  return list
end
local function through(list, x)
  for _, w in ipairs(list) do x = lt.tanh(x:matmul(w)) end
  return x
end
local function bytes(t) return lt.to_bytes and lt.to_bytes(t) or table.concat(t:reshape({ -1 }):totable(), ",") end

-- Two branches that join.
local function branches()
  local a, b = weights(10, 3, 64), weights(20, 2, 64)
  return function(x) return lt.sum(through(a, x) * through(b, x)) end, a, b
end
local x = lt.random.normal({ 32, 64 }, { seed = 1 })

expect.case("a plan gives the bits that the rules give", function()
  local f = branches()
  local by_rules = f(x):item()
  for _, devices in ipairs { { "GPU:0" }, { "GPU:1" }, { "CPU:0" }, { "GPU:0", "GPU:1" }, { "GPU:0", "GPU:1", "CPU:0" } } do
    local plan = optimize(f, { x }, { devices = devices })
    expect.equal(plan.results[1]:item(), by_rules)
    for _ = 1, 3 do expect.equal(plan:run(x):item(), by_rules, table.concat(devices, "+")) end
    for _, op in ipairs(plan.ops) do
      local allowed = false
      for _, name in ipairs(devices) do allowed = allowed or op.device == name end
      assert(allowed, op.name .. " on " .. op.device)
    end
  end
end)

expect.case("two unequal GPUs are planned faster than each alone", function()
  lt.placement.costs:clear()
  local f = branches()
  -- Recorded on the CPU: the GPUs' times are estimates, which do not depend on what else this machine does.
  local plan = optimize(f, { x }, { devices = { "GPU:0", "GPU:1" }, record = "CPU:0" })
  local first, second = plan.alternatives["GPU:0"], plan.alternatives["GPU:1"]
  assert(type(first) == "number" and second > 1.3 * first, tostring(second))
  assert(plan.makespan_us < 0.95 * first, plan.makespan_us)
  assert(plan.devices["GPU:1"].busy_us > 0)
  -- The ops run where the plan says.
  local ran = {}
  lt.debugging.set_log_handler(function(event) ran[#ran + 1] = { event.op, event.device:match "device:(.*)", event.reason } end)
  plan:run(x)
  lt.debugging.set_log_handler(nil)
  local i = 0
  for _, event in ipairs(ran) do
    if event[3] == "the plan puts it there" then
      i = i + 1
      expect.equal({ event[1], event[2] }, { plan.ops[i].op, plan.ops[i].device })
    end
  end
  expect.equal(i, #plan.ops)
end)

expect.case("training steps: variables move with what writes them, bits stay", function()
  local function made()
    local a, b = weights(30, 2, 48), weights(40, 2, 48)
    local variables = { a[1], a[2], b[1], b[2] }
    local optimizer = lt.optim.SGD { learning_rate = 0.1, momentum = 0.9 }
    return function(input)
      local tape <close> = lt.GradientTape()
      local loss = lt.mean(lt.square(through(a, input) + through(b, input)))
      optimizer:apply(tape:gradient(loss, variables), variables)
      return loss
    end, variables
  end
  local input = lt.random.normal({ 16, 48 }, { seed = 5 })
  local f, by_rules = made()
  local losses = {}
  for i = 1, 5 do losses[i] = f(input):item() end
  local g, planned = made()
  g(input)  -- makes the optimiser's state
  local plan = optimize(g, { input }, { devices = { "GPU:0", "GPU:1" } })
  expect.equal(plan.results[1]:item(), losses[2])
  for i = 3, 5 do expect.equal(plan:run(input):item(), losses[i]) end
  for i, variable in ipairs(by_rules) do expect.equal(bytes(variable), bytes(planned[i])) end
  local name = "variable " .. planned[1].name
  assert(planned[1].device:find(plan.placement[name], 1, true), plan.placement[name])
  for _, op in ipairs(plan.ops) do assert(plan.placement[op.name] == op.device) end
end)

expect.case("a plan of an optimiser's first step is one of its later steps", function()
  local function made()
    local list = weights(50, 3, 48)
    local optimizer = lt.optim.Adam()
    return function(input)
      local tape <close> = lt.GradientTape()
      local loss = lt.mean(lt.square(through(list, input)))
      optimizer:apply(tape:gradient(loss, list), list)
      return loss
    end, list
  end
  local input = lt.random.normal({ 16, 48 }, { seed = 5 })
  local f, by_rules = made()
  local losses = {}
  for i = 1, 4 do losses[i] = f(input):item() end
  local g, planned = made()
  local plan = optimize(g, { input }, { devices = { "GPU:0", "GPU:1" } })
  expect.equal(plan.results[1]:item(), losses[2], "the function ran twice, since its first run made variables")
  for i = 3, 4 do expect.equal(plan:run(input):item(), losses[i]) end
  for i, variable in ipairs(by_rules) do expect.equal(bytes(variable), bytes(planned[i])) end
  for _, op in ipairs(plan.ops) do assert(op.op ~= "Fill", op.name) end
  -- The same from a file, in a program that has just started.
  local path = os.tmpname()
  plan:save(path)
  local loaded = lt.placement.load(path, (made()))
  for i = 1, 4 do expect.equal(loaded:run(input):item(), losses[i]) end
  assert(loaded:explain("MatMul#1").device == plan.placement["MatMul#1"])
  local traced = lt.placement.load(path, (made()))
  assert(traced:trace(path, input) > 0)
  os.remove(path)
  -- Errors name an op as the plan does.
  local ends = false
  local other = optimize(function(a)
    local y = a * 2
    return ends and y or y + lt.zeros { 16, 48 }
  end, { input })
  ends = true
  expect.raises("FailedPrecondition", "the next was to be Fill#2; optimise", other.run, other, input)
end)

expect.case("what t:to(device) makes depends on what made the original", function()
  local of_result = optimize(function(input) return lt.tanh(input):to("/GPU:1"):matmul(x, { transpose_b = true }) end, { x })
  expect.equal(of_result.critical_path, { "argument 1", "Tanh#1", "MatMul#2" })
  local of_argument = optimize(function(input) return input:to("/GPU:1") * 2 end, { lt.device("/GPU:0", function() return x * 1 end) })
  expect.equal(of_argument.critical_path, { "argument 1", "Mul#1" })
end)

expect.case("scopes, fixed and memory are constraints", function()
  local w = lt.Variable(lt.ones { 64, 64 }, { name = "fixed" })
  local function f(input)
    local y = input:matmul(w)
    local z = lt.device("/GPU:1", lt.tanh, y)
    return z + lt.device("/CPU:0", lt.exp, y)
  end
  local plan = optimize(f, { x })
  for _, op in ipairs(plan.ops) do
    if op.op == "Tanh" then expect.equal(op.device, "GPU:1") end
    if op.op == "Exp" then expect.equal(op.device, "CPU:0") end
  end
  assert(tostring(plan:explain("Tanh#2")):find("why: scope", 1, true), tostring(plan:explain("Tanh#2")))
  for _, key in ipairs { w, "fixed", "MatMul#1" } do
    local fixed = optimize(function(input) return input:matmul(w) end, { x }, { devices = { "GPU:0", "GPU:1" }, fixed = { [key] = "/GPU:1" } })
    expect.equal(fixed.placement[key == "MatMul#1" and key or "variable fixed"], "GPU:1")
    fixed:run(x)
    if key ~= "MatMul#1" then assert(w.device:find "GPU:1$", w.device) end
  end
  expect.raises("InvalidArgument", "fixed names 'MatMul#7', which is neither a variable", optimize, f, { x }, { fixed = { ["MatMul#7"] = "GPU:0" } })
  expect.raises("NotFound", 'device "GPU:7" is not here; there are GPU:0, GPU:1, CPU:0', optimize, f, { x }, { fixed = { fixed = "GPU:7" } })
  expect.raises("InvalidArgument", "'variable fixed' runs on 'GPU:0', and 'AssignSubVariableOp#2' runs on 'GPU:1': no device meets all of that",
    optimize, function() w:assign_sub(w:matmul(w)) end, {}, { fixed = { [w] = "GPU:0", ["AssignSubVariableOp#2"] = "GPU:1" } })
  expect.raises("ResourceExhausted", "too little", optimize, branches(), { x }, { devices = { "GPU:0" }, memory = { ["GPU:0"] = 1000 } })
end)

expect.case("the policy names the device that has all", function()
  local plan = optimize(function(input) return lt.device("/GPU:1", function() return lt.exp(input * 2) end) end, { x }, { budget_ms = 0 })
  expect.equal({ plan.policy, plan.ops[1].device, plan.ops[2].device }, { "all on GPU:1", "GPU:1", "GPU:1" })
end)

expect.case("what is fixed where it cannot run is refused", function()
  local function unique(input) return (lt.unique(input)) end
  local list = lt.constant { 1.0, 2.0 }
  expect.raises("InvalidArgument", ") on GPU:0, which cannot be: Unique has no GPU kernel",
    optimize, unique, { list }, { fixed = { ["Unique#1"] = "GPU:0" } })
  expect.equal(optimize(unique, { list }, { fixed = { ["Unique#1"] = "CPU:0" } }).ops[1].device, "CPU:0")
  local function scoped(input) return lt.device("/GPU:0", function() return input * 2 end) + lt.device("/GPU:*", lt.exp, input) end
  expect.raises("InvalidArgument", ") on GPU:1, which cannot be: the script runs it in scope /device:GPU:0",
    optimize, scoped, { x }, { fixed = { ["Mul#1"] = "GPU:1" } })
  local plan = optimize(scoped, { x }, { fixed = { ["Mul#1"] = "GPU:0", ["Exp#2"] = "GPU:1" } })
  expect.equal({ plan.ops[1].device, plan.ops[2].device }, { "GPU:0", "GPU:1" })
  plan:run(x)
  local function on_cpu(input) return lt.device("/CPU:0", lt.exp, input) * 2 end
  expect.raises("InvalidArgument", "fixed puts Exp#1", optimize, on_cpu, { x }, { fixed = { ["Exp#1"] = "GPU:1" } })
end)

expect.case("functions that change are told", function()
  local which = 1
  local function f(input)
    if which == 2 then return input * 2 + 1 end
    if which == 3 then return lt.exp(input) end
    if which == 4 then return input end
    return input * 2
  end
  local plan = optimize(f, { x })
  expect.equal(plan:run(x):sum():item(), f(x):sum():item())
  expect.raises("FailedPrecondition", "op 1 is Mul of (8, 64) float32, a number, and the plan has Mul#1 of (32, 64) float32, a number there",
    plan.run, plan, x[{ { 1, 8 } }])
  which = 2
  expect.raises("FailedPrecondition", "the function runs AddV2 after the 1 ops of the plan", plan.run, plan, x)
  which = 3
  expect.raises("FailedPrecondition", "op 1 is Exp of (32, 64) float32, and the plan has Mul#1", plan.run, plan, x)
  which = 4
  expect.raises("FailedPrecondition", "ran 0 of the 1 ops", plan.run, plan, x)
  which = 1
  plan:run(x)  -- it is as good as before
  assert((x + 1).device:find "GPU:0", "ops outside a plan keep to the rules")
end)

expect.case("an error in the function ends the plan's hold", function()
  local stops = false
  local function f(input)
    local y = input * 2
    if stops then error("stop here") end
    return y + 1
  end
  local plan = optimize(f, { x }, { devices = { "GPU:1" } })
  stops = true
  local ok, message = pcall(plan.run, plan, x)
  assert(not ok and tostring(message):find "stop here")
  assert((x * 2).device:find "GPU:0")
  assert(not pcall(optimize, f, { x }))
  assert((x * 2).device:find "GPU:0")
  stops = false
  assert(plan:run(x).device:find "GPU:1")
  -- Other coroutines keep to the rules while a plan runs.
  local other = coroutine.create(function() coroutine.yield((x * 3).device) end)
  local seen
  local with_other = optimize(function(input)
    local y = input * 2
    if seen == nil then seen = false else _, seen = coroutine.resume(other) end
    return y
  end, { x }, { devices = { "GPU:1" } })
  with_other:run(x)
  assert(seen:find "GPU:0", seen)
end)

expect.case("plans do not nest", function()
  local inner = optimize(function(input) return input * 2 end, { x })
  expect.raises("FailedPrecondition", "these do not nest", optimize, function(input) return inner:run(input) end, { x })
  expect.raises("FailedPrecondition", "these do not nest", optimize, function(input) return optimize(function(y) return y + 1 end, { input }) end, { x })
end)

expect.case("wrong arguments", function()
  expect.raises("InvalidArgument", "placement.optimize: f is nil, expected a function", optimize)
  local graph = lt.graph(function(input) return input * 2 end)
  for _, f in ipairs { optimize, lt.placement.measure, lt.placement.step, lt.placement.scaling } do
    expect.raises("InvalidArgument", "f is a graph, which replays its ops where they were recorded; give the function that lt.graph was given", f, graph, { x })
  end
  expect.raises("InvalidArgument", "args is 3, expected a list", optimize, print, 3)
  expect.raises("InvalidArgument", "unknown option 'device'", optimize, print, {}, { device = "GPU:0" })
  expect.raises("InvalidArgument", "budget_ms is -1", optimize, print, {}, { budget_ms = -1 })
  expect.raises("InvalidArgument", "devices is 3, expected a list", optimize, function() return x * 2 end, {}, { devices = 3 })
  expect.raises("InvalidArgument", "devices is a table, expected a list", optimize, function() return x * 2 end, {}, { devices = {} })
  expect.raises("InvalidArgument", "memory is 5, expected bytes by device", optimize, function() return x * 2 end, {}, { memory = 5 })
  expect.raises("InvalidArgument", "memory of GPU:0 is -5", optimize, function() return x * 2 end, {}, { memory = { ["GPU:0"] = -5 } })
  expect.raises("InvalidArgument", "the function runs no op", optimize, function() return 1 end)
  expect.raises("NotFound", "device \"GPU:9\" is not here", optimize, function() return x * 2 end, {}, { devices = { "GPU:9" } })
  local plan = optimize(function() return x * 2 end, {}, { budget_ms = 0 })
  expect.raises("NotFound", "no node is called 'Mul#9'; plan:explain() lists them", plan.explain, plan, "Mul#9")
  expect.raises("NotFound", "there are Mul#1", plan.explain, plan, "Mul")
  expect.raises("InvalidArgument", "path is nil", plan.save, plan)
  expect.raises("NotFound", "plan:save: /nowhere/plan.json cannot be written", plan.save, plan, "/nowhere/plan.json")
end)

expect.case("explain answers why an op is there, for each op", function()
  local f = branches()
  local plan = optimize(f, { x }, { devices = { "GPU:0", "GPU:1" }, budget_ms = 100 })
  for i, op in ipairs(plan.ops) do
    local answer = plan:explain(op.name)
    expect.equal({ answer.device, answer.node }, { op.device, op.name })
    assert(answer.text:find("why: ", 1, true) and answer.line:find "plan_optimize.lua:%d", answer.text)
    for _, us in pairs(answer.alternatives) do assert(type(us) == "string" or us >= plan.makespan_us - 1e-6, answer.text) end
    expect.equal(plan:explain(i).node, op.name)
  end
  local all = tostring(plan:explain())
  for _, word in ipairs { "predicted", "GPU:0", "GPU:1", "critical path: ", "copies: ", "MatMul#1" } do assert(all:find(word, 1, true), all) end
end)

expect.case("plans are saved and loaded", function()
  local path = os.tmpname()
  local f = branches()
  local plan = optimize(f, { x }, { devices = { "GPU:0", "GPU:1" } })
  local result = plan:run(x):item()
  plan:save(path)
  local loaded = lt.placement.load(path, f)
  expect.equal({ loaded.makespan_us, loaded.policy }, { plan.makespan_us, plan.policy })
  expect.equal(loaded.placement, plan.placement)
  expect.raises("FailedPrecondition", "knows its graph after its first run", loaded.explain, loaded)
  for _ = 1, 3 do expect.equal(loaded:run(x):item(), result) end
  for i, op in ipairs(loaded.ops) do expect.equal(op.device, plan.ops[i].device) end
  assert(loaded:explain("MatMul#1").device == plan.placement["MatMul#1"])
  -- It still knows how it was found, what each device alone would take, and which devices it was made for.
  expect.equal(loaded.policy, plan.policy)
  for _, device in ipairs { "GPU:0", "GPU:1" } do assert(type(loaded.alternatives[device]) == "number", loaded.alternatives[device]) end
  for i in ipairs(loaded.ops) do
    for device in pairs(loaded:explain(i).alternatives) do assert(device:find "^GPU", loaded:explain(i).text) end
  end
  -- Arguments may be elsewhere than when it was made; what was fixed still is.
  local fixed = optimize(f, { x }, { devices = { "GPU:0", "GPU:1" }, fixed = { ["MatMul#1"] = "GPU:1" }, memory = { ["/GPU:0"] = 1e7 } })
  fixed:save(path)
  local again = lt.placement.load(path, f)
  expect.equal(again:run(lt.device("/GPU:1", function() return x * 1 end)):item(), result)
  assert(tostring(again:explain("MatMul#1")):find("GPU:1 .*why: fixed by the caller"), again:explain("MatMul#1").text)
  expect.raises("NotFound", "plan: MatMul#1 runs on GPU:9, which is not here; there are GPU:0, GPU:1, CPU:0: optimise it again", function()
    local file <close> = assert(io.open(path))
    local other = file:read("a"):gsub('"MatMul#1":"GPU:1"', '"MatMul#1":"GPU:9"')
    local out <close> = assert(io.open(path, "w"))
    out:write(other)
    out:close()
    lt.placement.load(path, f):run(x)
  end)
  plan:save(path)
  expect.raises("FailedPrecondition", "loaded without its function", function() lt.placement.load(path):run(x) end)
  expect.raises("FailedPrecondition", "it is the plan of another function or of other shapes", function()
    lt.placement.load(path, function(input) return input + 1 end):run(x)
  end)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  for _, damaged in ipairs { "", "{", text:sub(1, -20), '{"format": "x"}', (text:gsub('"ops":', '"opps":')), (text:gsub('"MatMul#1":"GPU:%d",', "")),
    (text:gsub('"devices":%["GPU:0"', '"devices":[0')) } do
    local out <close> = assert(io.open(path, "w"))
    out:write(damaged)
    out:close()
    expect.raises("InvalidArgument", "is damaged, or no plan", lt.placement.load, path, f)
  end
  os.remove(path)
  expect.raises("NotFound", "No such file", lt.placement.load, path)
end)

expect.case("a trace shows both timelines", function()
  local path = os.tmpname()
  local plan = optimize(branches(), { x }, { devices = { "GPU:0", "GPU:1" } })
  local us = plan:trace(path, x)
  local file <close> = assert(io.open(path))
  local html = file:read "a"
  os.remove(path)
  assert(us > 0 and html:find("GPU:0 simulated", 1, true) and html:find("GPU:1 measured", 1, true) and html:find("MatMul#1", 1, true))
  -- Without arguments nothing runs.
  expect.equal(plan:trace(path), nil)
  local simulated <close> = assert(io.open(path))
  html = simulated:read "a"
  os.remove(path)
  assert(html:find("GPU:0 simulated", 1, true) and not html:find("GPU:1 measured", 1, true) and html:find("MatMul#1", 1, true))
end)

expect.case("a device that disappears is told", function()
  local function f(input) return input * 2 end
  local small = lt.ones { 4 }
  local plan = optimize(f, { small }, { devices = { "GPU:1" } })
  local used = optimize(f, { small }, { devices = { "GPU:1" } })
  used:run(small)
  plan.results, used.results, small = nil, nil, nil
  collectgarbage()
  collectgarbage()
  x = nil
  collectgarbage()
  lt.config.reset()
  lt.config.set_simulated_gpus(1)
  expect.raises("NotFound", "Mul#1 runs on GPU:1, which is not here any more; there are GPU:0, CPU:0: optimise it again", plan.run, plan, lt.ones { 4 })
  expect.raises("FailedPrecondition", "device:GPU:1, where op 1 (Mul) runs, is not here any more; optimise it again", used.run, used, lt.ones { 4 })
end)
print("ok")
