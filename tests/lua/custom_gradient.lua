-- Functions with custom gradients, and functions whose results are recomputed instead of kept.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local function near(got, wanted, tolerance, what)
  local off = (got - wanted):abs():max():item()
  assert(off <= tolerance, ("%s: off by %g: %s, expected %s"):format(what, off, got, wanted))
end

-- log(1 + e^x), whose gradient by the rules is nan where e^x overflows: the example of TensorFlow's documentation.
local log1pexp = lt.custom_gradient(function(x)
  local e = x:exp()
  return lt.log(1 + e), function(upstream) return upstream * (1 - 1 / (1 + e)) end
end)
for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  local scope <close> = lt.device(device)
  local x = lt.constant { 0.5, 100.0 }
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local inner <close> = lt.GradientTape()
  inner:watch(x)
  local slope = inner:gradient(log1pexp(x), x)
  near(slope, lt.sigmoid(x), 1e-6, "gradient")
  -- What the function for gradients computes is recorded by the tapes around, also by way of what it holds.
  local s = lt.sigmoid(x[1]):item()
  near(outer:gradient(slope[1], x)[1], lt.constant(s * (1 - s)), 1e-6, "second derivative")
end

-- Several arguments and results; results that nothing depends on come with zeros; nil is no gradient.
do
  local seen
  local f = lt.custom_gradient(function(a, b, name)
    expect.equal(name, "label")
    return a * b, a + b, function(dp, ds)
      seen = { dp:totable(), ds:totable() }
      return dp * 10, nil
    end
  end)
  local a, b = lt.constant { 1.0, 2.0 }, lt.constant { 3.0, 4.0 }
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch { a, b }
  local product, sum = f(a, b, "label")
  expect.equal({ product:totable(), sum:totable() }, { { 3, 8 }, { 4, 6 } })
  local gradients = tape:gradient(product, { a, b })
  expect.equal({ gradients[1]:totable(), gradients[2] }, { { 10, 10 }, false })
  expect.equal(seen, { { 1, 1 }, { 0, 0 } })
  expect.equal(tape:gradient({ product, 2 * sum, a }, a):totable(), { 11, 11 })
  expect.equal(seen, { { 1, 1 }, { 2, 2 } })
end

-- Straight-through: a step with the gradient of the identity, inside a net.
do
  local round = lt.custom_gradient(function(x) return x:round(), function(dy) return dy end end)
  local w = lt.Variable { 0.4, 1.6 }
  local tape <close> = lt.GradientTape()
  expect.equal(tape:gradient((round(w * 2) * lt.constant { 3.0, 5.0 }):sum(), w):totable(), { 6, 10 })
end

-- Variables that it uses without being given them: their gradients come after the arguments'.
do
  local w, fixed = lt.Variable({ 2.0, 3.0 }, { name = "w" }), lt.Variable({ 7.0, 7.0 }, { trainable = false })
  local scale = lt.custom_gradient(function(x)
    return w * x * fixed, function(dy, variables)
      assert(#variables == 1 and rawequal(variables[1], w))
      return dy * 100, dy * 1000
    end
  end)
  local x = lt.constant { 1.0, 1.0 }
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local gradients = tape:gradient(scale(x), { x, w })
  expect.equal({ gradients[1]:totable(), gradients[2]:totable() }, { { 100, 100 }, { 1000, 1000 } })
  local forgets = lt.custom_gradient(function(v) return w * v, function(dy) return dy end end)
  local again <close> = lt.GradientTape()
  again:watch(x)
  expect.raises("InvalidArgument", "returned 1 values, expected 1 for the arguments that are tensors and 1 for the variables 'w'",
    again.gradient, again, forgets(x), x)
  -- Given as an argument it is one.
  local given = lt.custom_gradient(function(v) return v * 2, function(dy) return dy * 3 end end)
  local third <close> = lt.GradientTape()
  expect.equal(third:gradient(given(w), w):totable(), { 3, 3 })
end

-- Without a tape, and inside a scope: the function and its gradient run where the scope says.
do
  local devices = {}
  local f = lt.custom_gradient(function(x)
    return x * 2, function(dy)
      local dx = dy * 2
      devices[#devices + 1] = dx.device:match "%u+:%d$"
      return dx
    end
  end)
  expect.equal(f(lt.constant(3.0)):item(), 6)
  local x = lt.constant(3.0)
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(x)
  local y = lt.device("/GPU:0", f, x)
  local z = lt.device("/CPU:0", f, x)
  tape:gradient(y, x)
  lt.device("/GPU:0", tape.gradient, tape, z, x)
  expect.equal(devices, { "GPU:0", "CPU:0" })
end

-- Errors.
do
  local x = lt.constant { 1.0, 2.0 }
  local function ask(gradient)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    tape:gradient(lt.custom_gradient(function(v) return v * 2, gradient end)(x), x)
  end
  expect.raises("InvalidArgument", "custom_gradient: f is 3, expected a function", lt.custom_gradient, 3)
  expect.raises("InvalidArgument", "recompute_grad: f is nil, expected a function", lt.recompute_grad)
  expect.raises("InvalidArgument", "returned a tensor last, expected its results and then a function",
    lt.custom_gradient(function(v) return v end), x)
  expect.raises("InvalidArgument", "the function returned no tensor", lt.custom_gradient(function() return print end), x)
  expect.raises("InvalidArgument", "result 2 is 3, expected a tensor", lt.custom_gradient(function(v) return v, 3, print end), x)
  expect.raises("InvalidArgument", "argument 1 is a table with a tensor at 2", log1pexp, { 1, x })
  expect.raises("InvalidArgument", "gradient 1 is () of float32, expected (2,) of float32", ask,
    function(dy) return dy:sum() end)
  expect.raises("InvalidArgument", "gradient 1 is (2,) of float64", ask, function(dy) return dy:cast "float64" end)
  expect.raises("InvalidArgument", "gradient 1 is 3, expected a tensor, nil or false", ask, function() return 3 end)
  expect.raises("InvalidArgument", "returned 2 values, expected 1 for the arguments that are tensors", ask,
    function(dy) return dy, dy end)
  -- An error of one's own arrives as it is; a tape that is not persistent has been asked then.
  local reason = {}
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local y = lt.custom_gradient(function(v) return v * 2, function() error(reason) end end)(x)
  local ok, raised = pcall(tape.gradient, tape, y, x)
  assert(not ok and rawequal(raised, reason))
  expect.raises("FailedPrecondition", "can compute gradients only once", tape.gradient, tape, y, x)
  -- The tape that is asked cannot be closed from within, nor can the function yield: each says so.
  local closing
  closing = lt.GradientTape { persistent = true }
  closing:watch(x)
  y = lt.custom_gradient(function(v) return v * 2, function(dy) closing:close() return dy end end)(x)
  expect.raises("FailedPrecondition", "the tape was closed while it computed gradients", closing.gradient, closing, y, x)
  local yields = lt.GradientTape()
  yields:watch(x)
  y = lt.custom_gradient(function(v) return v * 2, function(dy) coroutine.yield() return dy end end)(x)
  ok, raised = coroutine.resume(coroutine.create(function() yields:gradient(y, x) end))
  assert(not ok and tostring(raised):find("yield across a C-call boundary", 1, true), tostring(raised))
end

-- A tape that nobody asks, and that its own function refers to, is still garbage.
do
  local made = setmetatable({}, { __mode = "k" })
  local function leave()
    local x, tape = lt.ones { 1000 }, lt.GradientTape()
    tape:watch(x)
    local f = lt.custom_gradient(function(v) return v * 2, function(dy) return tape and dy end end)
    f(x)
    made[tape] = true
  end
  leave()
  collectgarbage()
  collectgarbage()
  assert(next(made) == nil, "the tape is still there")
end

-- Recomputed: the same numbers to the bit, variables found by themselves, random numbers drawn again. To rounding where two
-- blocks share a variable: each then has a product of its own, where otherwise there is one of all rows.
for _, device in ipairs { "/CPU:0", "/GPU:0" } do
  local scope <close> = lt.device(device)
  local w, v = lt.Variable(lt.random.normal({ 20, 20 }, { seed = 1 })), lt.Variable(lt.random.normal({ 20, 20 }, { seed = 3 }))
  local x = lt.random.normal({ 30, 20 }, { seed = 2 })
  local function run(first, second)
    lt.random.set_seed(5)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local y = second(first(x))
    local after = lt.random.uniform { 3 }
    local gradients = tape:gradient((y * y):sum(), { x, w, v })
    return {
      y:totable(), gradients[1]:totable(), gradients[2]:totable(), gradients[3] and gradients[3]:totable(), after:totable(),
      lt.random.uniform({ 3 }):totable(),
    }, gradients[2]
  end
  local function block(by) return function(rows) return lt.dropout(lt.tanh(rows:matmul(by)), 0.5) end end
  local again = lt.recompute_grad
  expect.equal((run(again(block(w)), again(block(v)))), (run(block(w), block(v))), "recomputed on " .. device)
  local _, shared = run(again(block(w)), again(block(w)))
  local _, wanted = run(block(w), block(w))
  local apart = (shared - wanted):abs():max():item()
  assert(apart < 1e-5 * wanted:abs():max():item(), ("recomputed on %s: %g apart"):format(device, apart))
end

-- Also in the second order, with several results, arguments that are no floats, and one that is a variable.
do
  local function float64(list) return lt.constant(list, { dtype = "float64" }) end
  local v = lt.Variable(float64 { 0.3, -0.4 })
  local function f(x, places, scale, variable)
    return (x * variable):sin():gather(places), (scale * x * x):sum(), places
  end
  local places = lt.constant { 2, 1, 2 }
  local function second(g)
    local x = float64 { 0.5, 0.25 }
    local outer <close> = lt.GradientTape()
    outer:watch(x)
    local slopes
    do
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local a, b = g(x, places, 3, v)
      slopes = inner:gradient((a ^ 3):sum() * b, { x, v })
    end
    local found = outer:gradient((slopes[1] * float64 { 1.0, 2.0 }):sum() + slopes[2]:sum(), { x, v })
    return lt.stack { slopes[1], slopes[2], found[1], found[2] }
  end
  near(second(lt.recompute_grad(f)), second(f), 1e-12, "second order, recomputed")
end

-- The values are those of when it ran, whatever is assigned later, by a step, in part or by the function itself.
do
  local function values(again)
    local w, frozen = lt.Variable { 2.0, 3.0 }, lt.Variable({ 5.0, 7.0 }, { trainable = false })
    local calls = lt.Variable(1.0, { trainable = false })
    local f = again(function(x)
      calls:assign_add(1.0)
      return x * w * frozen * calls
    end)
    local x = lt.constant { 1.0, 10.0 }
    local tape <close> = lt.GradientTape { persistent = true }
    tape:watch(x)
    local y = f(f(x))
    w:assign { 100.0, 200.0 }
    lt.optim.SGD { learning_rate = 1.0 }:apply({ lt.ones { 2 } }, { w })
    frozen[{ { 1, 1 } }] = 11.0
    local found = { tape:gradient(y, x):totable(), tape:gradient(y, w):totable() }
    local second = tape:gradient(y, { x, w })
    found[3], found[4] = second[1]:totable(), second[2]:totable()
    found[5], found[6], found[7], found[8] = w:totable(), frozen:totable(), calls:item(), y:totable()
    return found
  end
  local got = values(lt.recompute_grad)
  -- y = x (5w)(2)(5w)(3) for the first element.
  expect.equal(got[1], { 2 * 5 * 2 * 2 * 5 * 3, 3 * 7 * 2 * 3 * 7 * 3 })
  expect.equal(got[2], { 2 * 1 * 2 * 25 * 6, 2 * 10 * 3 * 49 * 6 })
  expect.equal({ got[5], got[6], got[7] }, { { 99, 199 }, { 11, 7 }, 3 })
  expect.equal(got, values(function(f) return f end))
  -- When no tape is open, a step writes in place again.
  local w = lt.Variable(lt.ones { 100000 })
  local f, sgd = lt.recompute_grad(function(x) return (x * w):sum() end), lt.optim.SGD()
  collectgarbage()
  collectgarbage()
  collectgarbage "stop"
  local before
  for _ = 1, 4 do
    local tape = lt.GradientTape()
    local gradients = { tape:gradient(f(3.0), w) }
    before = lt.debugging.live_storages()
    sgd:apply(gradients, { w })
    expect.equal(lt.debugging.live_storages(), before, "storages")
    gradients[1]:release()
  end
  collectgarbage "restart"
end

-- A function that gives something else the second time.
do
  local x = lt.constant { 1.0, 2.0 }
  local function asked(words, ...)
    local results, turn = { ... }, 0
    local f = lt.recompute_grad(function(v)
      turn = turn + 1
      if turn == 1 then return v * 2 end
      local given = results[1](v)
      return table.unpack(given, 1, given.n or #given)
    end)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local y = f(x)
    expect.raises("InvalidArgument", words, tape.gradient, tape, y, x)
  end
  asked("returned 2 values when it ran again for the gradient, and 1 the first time", function(v) return { v, v } end)
  asked("returned 0 values when it ran again", function() return {} end)
  asked("result 1 is nil when it runs again for the gradient, and was (2,) of float32 the first time", function() return { nil, n = 1 } end)
  asked("result 1 is (1,) of float32 when it runs again", function(v) return { v[{ { 1, 1 } }] } end)
end

-- A recomputed layer gets the same call arguments as the first time.
do
  lt.random.set_seed(1)
  local layer = lt.nn.Dropout(0.5)
  local again = lt.recompute_grad(function(x) return layer(x) end)
  local net = lt.nn.Model:extend "Net"
  function net:call(x) return again(x) end
  local x = lt.ones { 1000 }
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local y = net()(x, true)
  local zeros = y:eq(0):cast("float32"):sum():item()
  assert(zeros > 300 and zeros < 700, "dropped: " .. zeros)
  expect.equal(tape:gradient(y, x):totable(), y:totable(), "its mask")
end

-- A layer's moving statistics are updated once.
do
  local x = lt.random.normal({ 50, 3 }, { seed = 1, mean = 2 })
  local function moved(wrap)
    local layer = lt.nn.BatchNorm()
    local f = wrap(function(v) return layer(v, true) end)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local slope = tape:gradient((f(x) ^ 3):sum(), x)
    return { slope:totable(), layer.moving_mean:totable(), layer.moving_variance:totable() }
  end
  expect.equal(moved(lt.recompute_grad), moved(function(f) return f end))
end

-- Memory that is kept: ten blocks of eight operations on 4 MB.
do
  local n = 1 << 20
  local function block(x)
    for _ = 1, 8 do x = lt.tanh(x) end
    return x
  end
  local function peak(f)
    collectgarbage()
    collectgarbage()
    local x = lt.device("/GPU:0", lt.ones, { n })
    lt.config.reset_memory_stats("GPU:0")
    local before = lt.config.get_memory_info("GPU:0").current
    local slope = lt.device("/GPU:0", function()
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      local y = x
      for _ = 1, 10 do y = lt.tidy(f, y) end
      return tape:gradient(y, x)
    end)
    return (lt.config.get_memory_info("GPU:0").peak - before) // (4 * n), slope[1]:item()
  end
  local plain, slope = peak(block)
  local recomputed, same = peak(lt.recompute_grad(block))
  expect.equal(same, slope)
  assert(plain >= 80, "remembered: " .. plain .. " tensors of 4 MB")
  assert(recomputed <= 40, "recomputed: " .. recomputed .. " tensors of 4 MB")
end

-- Nothing is left behind.
do
  local w = lt.Variable(lt.ones { 1000 })
  local f = lt.recompute_grad(function(x) return lt.tanh(x * w) * 2 end)
  local function step(asks)
    local tape = lt.GradientTape()
    local y = f(f(log1pexp(w)))
    if asks then tape:gradient(y, w) end
  end
  step(true)
  step(false)
  collectgarbage()
  collectgarbage()
  local before = lt.debugging.live_storages()
  for i = 1, 50 do step(i % 2 == 0) end
  collectgarbage()
  collectgarbage()
  expect.equal(lt.debugging.live_storages(), before, "storages alive after a loop")
end
print "ok"
