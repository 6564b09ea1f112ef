-- lutra.graph on simulated GPUs: placement, copies between devices, late errors, memory limits, resets.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2, { memory_limit = 64 })
local function on(device, f, ...) return lt.device(device, f, ...) end

do -- on a GPU, with arguments from the CPU and from GPUs, and constants from both
  local bias = on("/CPU:0", lt.random.normal, { 64 }, { seed = 1 })
  local scale = on("/GPU:1", lt.random.normal, { 64 }, { seed = 2 })
  local w = on("/GPU:0", function() return lt.Variable(lt.random.normal({ 64, 64 }, { seed = 3 })) end)
  local twin = on("/GPU:0", function() return lt.Variable(w:value()) end)
  local function make(weights)
    return function(x)
      local y = on("/GPU:0", function() return (x:matmul(weights) + bias):relu() end)
      local z = on("/GPU:1", function() return (y * scale):sum() end)
      local c = on("/CPU:0", function() return z + y[{ 1, 1 }] end)
      on("/GPU:0", function() weights:assign_sub(weights * 0.01 * c) end)
      return y, z, c
    end
  end
  local f, g = make(twin), lt.graph(make(w))
  for i = 1, 6 do
    local where = i % 2 == 0 and "/CPU:0" or "/GPU:1"
    local x = on(where, lt.random.normal, { 8, 64 }, { seed = 10 + i })
    local wanted, got = table.pack(f(x)), table.pack(g(x))
    for k = 1, 3 do
      expect.equal(got[k]:bytes(), wanted[k]:bytes(), ("call %d, result %d"):format(i, k))
      expect.equal(got[k].device, wanted[k].device, "device")
    end
    expect.equal(w:value():bytes(), twin:value():bytes(), "variable")
  end
  expect.equal(g.records, 2, "records: one for each device of the argument")
  local y = g(on("/GPU:1", lt.random.normal, { 8, 64 }, { seed = 1 }))
  assert(lt.debugging.explain(y).reason:find("GPU:0", 1, true))
end

do -- the scope around the call is part of the signature
  local g = lt.graph(function() return lt.zeros { 3 } end)
  for _ = 1, 2 do
    assert(on("/GPU:1", g).device:find("GPU:1", 1, true))
    assert(on("/CPU:0", g).device:find("CPU:0", 1, true))
    assert(g().device:find("GPU:0", 1, true))
  end
  expect.equal(g.records, 3, "records")
end

do -- an error that comes late names the op and the line where it was recorded
  local g = lt.graph(function(x, i) return (x:gather(i) * 2):sum() end)
  local x = lt.constant { 1.0, 2.0, 3.0 }
  for _ = 1, 2 do expect.equal(g(x, lt.constant { 1, 2, 3 }):item(), 12.0, "right indices") end
  local bad = g(x, lt.constant { 1, 2, 9 })
  local good = g(x, lt.constant { 3, 3, 3 })
  local err = expect.raises("OutOfRange", "gather: index 9", bad.item, bad)
  assert(err.message:find("graph_devices.lua:%d+"), err.message)
  expect.equal(good:item(), 18.0, "the next replay")
end

do -- casts within ops hand errors on
  local g = lt.graph(function(x, i) return x:gather(i) / 3 + lt.constant { 1.5 } end)
  local x = lt.constant { 1, 2, 3 }
  for _ = 1, 2 do g(x, lt.constant { 1 }):item() end
  local bad = g(x, lt.constant { 7 })
  expect.raises("OutOfRange", "index 7", bad.item, bad)
end

do -- training on a GPU, bit for bit as without a graph
  local function make()
    local optimizer = lt.optim.Adam { learning_rate = 0.01 }
    local w, b = lt.Variable(lt.random.normal({ 20, 4 }, { seed = 1 })), lt.Variable(lt.zeros { 4 })
    return { w, b }, function(x, y)
      local tape <close> = lt.GradientTape()
      local loss = lt.cross_entropy(y, lt.dropout(x, 0.2):matmul(w) + b):mean()
      optimizer:apply(tape:gradient(loss, { w, b }), { w, b })
      return loss
    end
  end
  local function run(wrap)
    lt.random.set_seed(3)
    local variables, step = make()
    step = wrap(step)
    local out = {}
    for i = 1, 10 do
      local x, y = lt.random.normal({ 16, 20 }, { seed = i }), lt.random.randint({ 16 }, 1, 4, { seed = i })
      out[i] = step(x, y)
    end
    for i, loss in ipairs(out) do out[i] = loss:item() end
    for _, v in ipairs(variables) do out[#out + 1] = v:value():bytes() end
    return out
  end
  expect.equal(run(lt.graph), run(function(f) return f end), "training on a GPU")
end

do -- memory: a graph needs less than eager calls, and out of memory is an error that leaves it usable
  collectgarbage() collectgarbage()
  local function f(x)
    for _ = 1, 12 do x = (x + 1):reshape { -1 } end
    return x:sum()
  end
  local g = lt.graph(f)
  local x = lt.zeros { 1 << 20 } -- 4 MB
  for _ = 1, 3 do expect.equal(g(x):item(), 12.0 * (1 << 20), "sum") end
  local planned = g:summary():match "planned on [^\n]-: ([%d%.]+)MiB %([%d%.]+MiB without reuse%)"
  assert(planned and tonumber(planned) < 10, g:summary())
  local big = lt.graph(function(y) return lt.concat({ y, y, y, y, y, y, y, y, y, y, y, y, y, y, y, y }, 1) end)
  expect.raises("ResourceExhausted", "GPU:0", big, x)
  expect.equal(g(x):item(), 12.0 * (1 << 20), "after out of memory")
  -- Its block is given back when memory is short, and taken again.
  local before = lt.config.get_memory_info("GPU:0").current
  collectgarbage()
  lt.config.release_memory("GPU:0")
  assert(lt.config.get_memory_info("GPU:0").current < before)
  expect.equal(g(x):item(), 12.0 * (1 << 20), "after its block was given back")
end

do -- a reset of the devices: graphs do not keep them, and record again
  local g = lt.graph(function(x) return x * 2 + lt.constant { 1.0, 1.0 } end)
  do
    local x <close> = lt.constant { 1.0, 2.0 }
    for _ = 1, 2 do
      local y <close> = g(x)
      expect.equal(y:totable(), { 3.0, 5.0 }, "before the reset")
    end
  end
  collectgarbage() collectgarbage()
  lt.config.reset()
  lt.config.set_simulated_gpus(1)
  for _ = 1, 3 do expect.equal(g(lt.constant { 1.0, 2.0 }):totable(), { 3.0, 5.0 }, "after the reset") end
  expect.raises("FailedPrecondition", "being recorded", lt.graph(function() lt.config.reset() end))
  -- One that is refused takes no graph with it.
  local v, runs = lt.device("/GPU:0", lt.Variable, { 1.0, 2.0 }), 0
  local step = lt.graph(function(x)
    runs = runs + 1
    v:assign_add(x)
    return v * 2
  end)
  expect.equal(step(lt.constant { 1.0, 1.0 }):totable(), { 4.0, 6.0 })
  expect.equal(step(lt.constant { 1.0, 1.0 }):totable(), { 6.0, 8.0 })
  expect.raises("FailedPrecondition", "tensors live on", lt.config.reset)
  for i = 1, 3 do expect.equal(step(lt.constant { 1.0, 1.0 }):totable(), { 6.0 + 2 * i, 8.0 + 2 * i }, "after a refused reset") end
  expect.equal({ runs, step.records }, { 2, 1 }, "it was recorded once more")
end
print "graph_devices: ok"
