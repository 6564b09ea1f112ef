-- Costs of ops: measuring, files, estimates, and how well they predict.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local placement, costs = lt.placement, lt.placement.costs

lt.config.set_simulated_gpus(2, { gflops = { 0.5, 0.25 }, gbps = 5, link_gbps = 1, link_latency_us = 50 })
local x, w = lt.random.normal({ 64, 128 }, { seed = 1 }), lt.random.normal({ 128, 128 }, { seed = 2 })
local function f(a, b) return lt.tanh(a:matmul(b)):sum() end
local kFlops = 2 * 64 * 128 * 128

local path = os.tmpname()
local function read()
  local file <close> = assert(io.open(path))
  return file:read "a"
end
local function write(text)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

expect.case("measure returns the results and learns times", function()
  expect.equal(placement.measure(f, x, w):item(), f(x, w):item())
  costs:save(path)
  local text = read()
  assert(text:find('"format": "lutra placement costs 1"', 1, true) and text:find('"machine": "GPU:0 (Simulated GPU 500 flops/us 5000 bytes/us), GPU:1', 1, true)
    and text:find('"device":"Simulated GPU 500 flops/us 5000 bytes/us"', 1, true), text)
  local us = tonumber(text:match '"op":"MatMul","shapes":"%(64, 128%), %(128, 128%) %-> %(64, 128%)","us":([%d.e+-]+)')
  assert(us and us >= kFlops / 500, text)
  local _, entries = text:gsub('\n  {"', "")
  expect.equal(entries, 3, "one a line: a product, tanh, a sum; links have set speeds")
  expect.raises("InvalidArgument", "placement.measure: f is 3, expected a function", placement.measure, 3)
  local gone = { pcall(placement.measure, function() error "gone" end) }
  assert(not gone[1] and tostring(gone[2]):find "gone" and (x * 2).device:find "GPU:0")
end)

expect.case("what is not measured is estimated by the speed of the device", function()
  costs:clear()
  local slow = placement.optimize(f, { x, w }, { devices = { "GPU:1" } })
  local fast = placement.optimize(f, { x, w }, { devices = { "GPU:0" } })
  assert(fast.devices["GPU:0"].busy_us >= kFlops / 500 and slow.devices["GPU:1"].busy_us >= kFlops / 250)
  assert(tostring(fast:explain("MatMul#1")):find("time simulated", 1, true) or tostring(fast:explain("MatMul#1")):find("time measured", 1, true))
end)

expect.case("a trace that stops teaches what a recording does", function()
  local function keys()
    costs:save(path)
    local list = {}
    for device, dtype, op, shapes in read():gmatch '"device":"([^"]+)","dtype":"(%w+)","flops":[%d.]+,"op":"(%w+)","shapes":"([^"]*)"' do
      list[#list + 1] = table.concat({ op, shapes, dtype, device }, "|")
    end
    return list
  end
  local v = lt.Variable(lt.ones { 20, 40 })
  local optimizer = lt.optim.Adam()
  local function step(a)
    local tape <close> = lt.GradientTape()
    local product = a[{ {}, { 1, 20 } }]:matmul(v) * 2
    local loss = (lt.softmax(product) ^ 2):mean() + lt.zeros { 3 }:sum()
    optimizer:apply(tape:gradient(loss, { v }), { v })
    return lt.where(product:gt(0), product, 0)
  end
  step(x)
  for _, trace in ipairs {
    function() lt.profiler.run(step, x) end,
    function() lt.profiler.start() step(x) lt.profiler.stop() end,
  } do
    costs:clear()
    trace()
    local traced = keys()
    assert(#traced >= 10, #traced .. " entries")
    costs:clear()
    placement.optimize(step, { x })
    expect.equal(traced, keys())
  end
end)

expect.case("files are read again", function()
  costs:clear()
  placement.measure(f, x, w)
  costs:save(path)
  local before = read()
  costs:clear()
  costs:load(path)
  costs:save(path)
  expect.equal(read(), before)
end)

expect.case("files that are damaged or of another machine", function()
  costs:save(path)
  local good = read()
  for _, damaged in ipairs { "", "{", good:sub(1, #good // 2), "[]", '{"format": "lutra placement costs 1"}', (good:gsub('"us":', '"uss":', 1)),
    (good:gsub('"count":3', '"count":"x"', 1)), (good:gsub("costs 1", "costs 9")), "null" } do
    write(damaged)
    expect.raises("InvalidArgument", path .. " is damaged, or no file of costs", costs.load, costs, path)
  end
  write((good:gsub("500 flops", "700 flops")))
  local err = expect.raises("FailedPrecondition", "was measured on another machine: GPU:0 (Simulated GPU 700 flops", costs.load, costs, path)
  assert(err.message:find("; here: GPU:0 (Simulated GPU 500 flops", 1, true))
  -- Another processor, or another number of threads on the same.
  for _, other in ipairs { (good:gsub("CPU:0 %(.-, (%d+ threads)", "CPU:0 (Other CPU, %1")), (good:gsub("%d+ threads", "999 threads")) } do
    assert(other ~= good)
    write(other)
    expect.raises("FailedPrecondition", "was measured on another machine", costs.load, costs, path)
  end
  expect.raises("NotFound", "No such file", costs.load, costs, "/nowhere/costs.json")
  expect.raises("InvalidArgument", "costs:load: path is nil", costs.load, costs)
  expect.raises("InvalidArgument", "costs:save: path is 3", costs.save, costs, 3)
  expect.raises("NotFound", "costs:save: /nowhere/costs.json cannot be written", costs.save, costs, "/nowhere/costs.json")
end)

expect.case("a plan takes the time that simulated GPUs need, and predicts it", function()
  costs:clear()
  local a, b = lt.random.normal({ 256, 256 }, { seed = 3 }), lt.random.normal({ 256, 256 }, { seed = 4 })
  local function long(input)
    local left, right = input, input
    for _ = 1, 4 do left, right = left:matmul(a), right:matmul(b) end
    return (left + right):sum()
  end
  local plan = placement.optimize(long, { a }, { devices = { "GPU:0", "GPU:1" } })
  -- 2 * 256^3 flops are 67 ms on GPU:0: no machine computes that slowly itself.
  assert(plan.makespan_us > 4 * 67000, plan.makespan_us)
  assert(plan:time(2, a) > 4 * 67000)
end)

expect.case("equal devices share what was measured", function()
  x, w = nil, nil
  collectgarbage()
  collectgarbage()
  lt.config.reset()
  lt.config.set_simulated_gpus(2)
  costs:clear()
  local a, b = lt.random.normal({ 128, 128 }, { seed = 3 }), lt.random.normal({ 128, 128 }, { seed = 4 })
  assert(a.device:find "GPU:0")
  local function products(left, right) return left:matmul(right):matmul(right) end
  placement.measure(products, a, b)
  for _, device in ipairs { "GPU:0", "GPU:1" } do
    local plan = placement.optimize(products, { a, b }, { devices = { device } })
    assert(tostring(plan:explain("MatMul#1")):find("time measured", 1, true), tostring(plan:explain("MatMul#1")))
  end
  -- The host computes for simulated GPUs without set speeds: what it took is the estimate for them.
  costs:clear()
  local plan = placement.optimize(products, { a, b }, { devices = { "GPU:1" }, record = "CPU:0" })
  costs:save(path)
  local us = tonumber(read():match '"device":"CPU","dtype":"float32","flops":[%d.]+,"op":"MatMul","shapes":"[^"]*","us":([%d.e+-]+)')
  assert(us and plan.devices["GPU:1"].busy_us >= 2 * us, ("%s, measured %s"):format(plan.devices["GPU:1"].busy_us, us))
  assert(tostring(plan:explain("MatMul#1")):find("time estimated", 1, true), tostring(plan:explain("MatMul#1")))
end)

expect.case("one slow first run on the CPU is not believed", function()
  local a = lt.random.normal({ 128, 128 }, { seed = 3 })
  local function square(input) return input:matmul(input) end
  costs:clear()
  placement.optimize(square, { a }, { record = "CPU:0" })
  costs:save(path)
  local good = read()
  for count, how in ipairs { "estimated", "measured" } do
    write((good:gsub('"count":%d+', '"count":' .. count):gsub('"us":[%d.e+-]+', '"us":1e6')))
    costs:clear()
    costs:load(path)
    local plan = placement.optimize(square, { a }, { record = "GPU:0", devices = { "CPU:0" } })
    assert(tostring(plan:explain("MatMul#1")):find("time " .. how, 1, true), tostring(plan:explain("MatMul#1")))
    expect.equal(plan.devices["CPU:0"].busy_us >= 1e6, how == "measured")
  end
end)

expect.case("without a GPU, explain does not blame kernels", function()
  collectgarbage()
  collectgarbage()
  lt.config.reset()
  lt.config.set_simulated_gpus(0)
  lt.config.set_visible_devices({}, "GPU")
  local plan = placement.optimize(function(a) return (a * 2):sum() end, { lt.ones { 4 } })
  local text = tostring(plan:explain("Mul#1"))
  assert(text:find("why: the rules fix it (no scope: no GPU here)", 1, true), text)
  assert(not tostring(plan:explain()):find("no GPU kernel", 1, true), tostring(plan:explain()))
end)

os.remove(path)
print("ok")
