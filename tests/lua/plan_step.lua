-- lt.placement.step, fit under set_placement("auto"), and lt.placement.scaling.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2, { gflops = 0.4, gbps = 50, link_gbps = 10 })

-- Two equal branches: two GPUs halve the time.
local function weights(seed)
  local list = {}
  for i = 1, 2 do list[i] = lt.Variable(lt.random.normal({ 96, 96 }, { seed = seed + i }) * 0.1) end
  return list
end

expect.case("without a plan, explain says why", function()
  expect.raises("FailedPrecondition", "no plan of placement.step or fit has been taken; none has been looked for", lt.placement.explain)
  local x = lt.device("/CPU:0", lt.ones, { 2 })
  local step = lt.placement.step(function(input) return lt.device("/CPU:0", lt.exp, input) end)
  for _ = 1, 3 do step(x) end
  expect.raises("FailedPrecondition", "the best plan is 0% faster than what runs", lt.placement.explain, "Exp#1")
end)

expect.case("step plans after two recordings, and the results stay", function()
  local a, b = weights(1), weights(2)
  local calls = 0
  local function f(x)
    calls = calls + 1
    local left, right = x, x
    for i = 1, 2 do left, right = lt.tanh(left:matmul(a[i])), lt.tanh(right:matmul(b[i])) end
    return left + right, calls
  end
  local x, short = lt.random.normal({ 64, 96 }, { seed = 3 }), lt.random.normal({ 5, 96 }, { seed = 4 })
  local wanted, wanted_short = f(x):sum():item(), f(short):sum():item()
  local step = lt.placement.step(f)
  for i = 1, 8 do
    local result, count = step(x)
    expect.equal({ result:sum():item(), count }, { wanted, i + 2 })
  end
  assert(step.problem == nil, step.problem)
  -- The cards are slow: the CPU, and not the first GPU, has most of the work.
  local planned, count = 0, 0
  lt.debugging.set_log_handler(function(event)
    count = count + 1
    if event.reason == "the plan puts it there" then planned = planned + 1 end
  end)
  step(x)
  lt.debugging.set_log_handler(nil)
  assert(planned >= 9, planned .. " of " .. count)
  local why = lt.placement.explain("MatMul#1")
  assert(why.text:find "MatMul#1 runs on" and why.text:find "why: ", why.text)
  assert(tostring(lt.placement.explain()):find "critical path", tostring(lt.placement.explain()))
  expect.raises("NotFound", "no node is called 'Relu#1'", lt.placement.explain, "Relu#1")
  expect.equal(step(short):sum():item(), wanted_short, "other shapes run by the rules")
  expect.raises("InvalidArgument", "placement.step: f is nil", lt.placement.step)
end)

expect.case("a function that changes is run by the rules", function()
  local more = false
  local a, b = weights(5), weights(6)
  local function f(x)
    local left, right = x:matmul(a[1]), x:matmul(b[1])
    if more then left = lt.exp(left * 0.1) end
    return (left:matmul(a[2]) + right:matmul(b[2])):sum()
  end
  local x = lt.random.normal({ 64, 96 }, { seed = 7 })
  local step = lt.placement.step(f)
  for _ = 1, 5 do step(x) end
  more = true
  local wanted = f(x):item()
  for _ = 1, 3 do expect.equal(step(x):item(), wanted) end
  assert(step.problem and step.problem:find("op 3 is", 1, true), step.problem)
  local stops = true
  local failing = lt.placement.step(function(input) if stops then error "stop" end return input * 2 end)
  for _ = 1, 4 do assert(not pcall(failing, x)) end
  stops = false
  expect.equal(failing(x):sum():item(), (x * 2):sum():item())
end)

expect.case("fit gives the same weights under auto", function()
  local function trained(mode)
    lt.config.set_placement(mode)
    local inputs = lt.nn.Input { shape = { 64 } }
    local left = lt.nn.Dense(96, { activation = "tanh", kernel_initializer = lt.nn.initializers.GlorotUniform { seed = 1 } })(inputs)
    local right = lt.nn.Dense(96, { activation = "tanh", kernel_initializer = lt.nn.initializers.GlorotUniform { seed = 2 } })(inputs)
    local out = lt.nn.Dense(1, { kernel_initializer = lt.nn.initializers.GlorotUniform { seed = 3 } })(lt.nn.Concatenate()({ left, right }))
    local model = lt.nn.Model { inputs = inputs, outputs = out }
    model:compile { optimizer = lt.optim.Adam(), loss = "mse" }
    local x = lt.random.normal({ 88, 64 }, { seed = 4 })  -- the last batch is short
    local history = model:fit(x, lt.sum(x, { axis = 2, keepdims = true }) * 0.1, { epochs = 2, batch_size = 16, shuffle = false, verbose = 0 })
    lt.config.set_placement("rules")
    local bits = {}
    for i, v in ipairs(model:get_weights()) do bits[i] = v:reshape({ -1 }):totable() end
    return history.history.loss, bits
  end
  local losses, weights_by_rules = trained "rules"
  local planned_losses, planned_weights = trained "auto"
  expect.equal(planned_losses, losses)
  expect.equal(planned_weights, weights_by_rules)
  expect.equal(lt.config.get_placement(), "rules")
  expect.raises("InvalidArgument", 'set_placement: mode is "best", expected "rules" or "auto"', lt.config.set_placement, "best")
  expect.raises("InvalidArgument", "set_placement: mode is missing", lt.config.set_placement)
end)

expect.case("scaling divides the batch's work and adds the sums", function()
  local w = lt.Variable(lt.random.normal({ 128, 128 }, { seed = 8 }) * 0.1)
  local function step(x)
    local tape <close> = lt.GradientTape()
    local loss = lt.mean(lt.square(x:matmul(w)))
    w:assign_sub(tape:gradient(loss, { w })[1] * 0.01)
    return loss
  end
  local predicted = lt.placement.scaling(step, { lt.random.normal({ 512, 128 }, { seed = 9 }) }, { 1, 2, 4 })
  expect.equal(predicted.rows, 512)
  expect.equal(predicted[1].speedup, 1)
  assert(predicted[2].speedup > 1.6 and predicted[2].speedup <= 2, tostring(predicted))
  assert(predicted[4].compute_us < predicted[2].compute_us and predicted[4].sum_us > predicted[2].sum_us, tostring(predicted))
  assert(tostring(predicted):find("replicas", 1, true))
  local without = lt.placement.scaling(function(x) return x * 2 end, { lt.ones { 512, 128 } }, { 1, 2 })
  expect.equal({ without.sum_bytes, without[2].sum_us }, { 0, 0 }, "no gradients, no sums")
  expect.raises("InvalidArgument", "args has no tensor", lt.placement.scaling, step, { 3 })
  expect.raises("InvalidArgument", "counts has 0.5", lt.placement.scaling, step, { lt.ones { 2, 128 } }, { 0.5 })
  expect.raises("InvalidArgument", "expected a function or a compiled model", lt.placement.scaling, 3, {})
  local model = lt.nn.Sequential { lt.nn.Dense(4, { input_shape = { 8 } }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  local of_model = lt.placement.scaling(model, { lt.ones { 16, 8 }, lt.ones { 16, 4 } })
  expect.equal(#of_model.counts, 4)
end)

expect.case("scaling over hosts adds what their link takes", function()
  local model = lt.nn.Sequential { lt.nn.Dense(250, { input_shape = { 1000 } }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  local batch = { lt.ones { 16, 1000 }, lt.ones { 16, 250 } }
  local function sums(link, latency) return lt.placement.scaling(model, batch, { 1, 2, 4 }, { link = link, latency_us = latency }) end
  local slow, fast = sums("1Gb", 0), sums "10Gb"
  expect.equal(slow.sum_bytes, 1001000)
  expect.equal(slow[1].sum_us, 0)
  -- 2 S (N - 1) / N bytes at 125 bytes per microsecond, and some for messages and additions
  for n, share in pairs { [2] = 1, [4] = 1.5 } do
    local least = 1001000 * share / 125
    assert(slow[n].sum_us > least and slow[n].sum_us < least / 0.75 + 1500, tostring(slow))
    assert(fast[n].sum_us < slow[n].sum_us, tostring(fast))
  end
  -- each host has its own cores, and half of the rows
  assert(slow[2].compute_us < slow[1].compute_us and slow[2].step_us < slow[2].compute_us + slow[2].sum_us + slow[2].host_us)
  local added = sums("1Gb", 100)
  assert(math.abs(added[2].sum_us - slow[2].sum_us - 400) < 1)
  local bytes = sums("125MB/s", 0)
  assert(math.abs(bytes[2].sum_us - slow[2].sum_us) < 1)
  local refused = {
    { { link = "25" }, 'link is "25", expected bits or bytes per second, as in "25Gb" or "3GB"' },
    { { link = 25 }, "link is 25" }, { { link = "0Gb" }, 'link is "0Gb"' }, { { link = "1.2.3Gb" }, 'link is "1.2.3Gb"' },
    { { link = "1Gb", latency_us = -1 }, "latency_us is -1, expected microseconds" },
    { { latency_us = 3 }, "give link as well" }, { { speed = 3 }, "unknown option 'speed'" },
  }
  for _, each in ipairs(refused) do
    expect.raises("InvalidArgument", each[2], lt.placement.scaling, model, batch, { 2 }, each[1])
  end
end)
print("ok")
