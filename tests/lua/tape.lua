-- Gradients as users see them: what a tape records, when it can be asked, where gradients run.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2)

-- A step of linear regression, as the contract writes it.
do
  local x, y = lt.constant { { 1.0, 0.0 }, { 0.0, 1.0 }, { 1.0, 1.0 } }, lt.constant { { 1.0 }, { 2.0 }, { 4.0 } }
  local w = lt.Variable(lt.zeros { 2, 1 }, { name = "w" })
  for _ = 1, 300 do
    local tape <close> = lt.GradientTape()
    local loss = ((x:matmul(w) - y) ^ 2):mean()
    w:assign_sub(0.5 * tape:gradient(loss, w))
  end
  -- The normal equations' answer.
  assert(math.abs(w[1]:item() - 4 / 3) < 1e-4 and math.abs(w[2]:item() - 7 / 3) < 1e-4, tostring(w))
end

-- Lists, intermediate sources, several targets, seeds; what is unconnected.
do
  local a, b = lt.Variable(2.0), lt.Variable(3.0)
  local idle = lt.Variable { 1.0, 2.0 }
  local tape <close> = lt.GradientTape { persistent = true }
  local product = a * b
  local sum = product + a
  local both = tape:gradient(sum, { a, b, idle, product })
  expect.equal({ both[1]:item(), both[2]:item(), both[3], both[4]:item() }, { 4, 2, false, 1 })
  assert(tape:gradient(sum, idle) == nil)
  expect.equal(tape:gradient(sum, { idle }, { unconnected_gradients = "zero" })[1]:totable(), { 0, 0 })
  expect.equal(tape:gradient({ product, sum }, a):item(), 7)
  expect.equal(tape:gradient(sum, a, { output_gradients = lt.constant(10.0) }):item(), 40)
  expect.equal(tape:gradient(sum, a, { output_gradients = 10 }):item(), 40)
  expect.equal(tape:gradient(sum * idle, a, { output_gradients = { 1, 0.5 } }):item(), 8)
  local seeds = { 10, { 1, 0.5 }, lt.constant(2.0) }
  expect.equal(tape:gradient({ sum, sum * idle, product }, a, { output_gradients = seeds }):item(), 10 * 4 + 8 + 2 * 3)
  expect.equal(seeds[1], 10, "the caller's list stays as it is")
  expect.raises("InvalidArgument", "output_gradients (3,) of float32 does not match its target () of float32", tape.gradient, tape,
    { sum, product }, a, { output_gradients = { 1, { 1, 2, 3 } } })
  expect.raises("InvalidArgument", "output_gradients[2][1] is \"x\"", tape.gradient, tape, { sum, product }, a,
    { output_gradients = { 1, { "x" } } })
  expect.raises("InvalidArgument", "output_gradients[1] is false, expected a tensor", tape.gradient, tape, { sum, product }, a,
    { output_gradients = { false, 1 } })
  expect.equal(#tape:gradient(sum, {}), 0)
end

-- Tables by name: gradients have their sources' names, as TensorFlow's dictionaries do.
do
  local w, b, idle, step = lt.Variable { 1.0, 2.0 }, lt.Variable(3.0), lt.Variable(1.0), lt.Variable(2, { name = "step" })
  local tape <close> = lt.GradientTape { persistent = true }
  local loss, other = (w * w):sum() + b, b * 2
  local g = tape:gradient(loss, { w = w, b = b, idle = idle })
  expect.equal({ g.w:totable(), g.b:item(), g.idle }, { { 2, 4 }, 1, false })
  local count = 0
  for name in pairs(g) do count = count + (({ w = 1, b = 1, idle = 1 })[name] or 10) end
  expect.equal(count, 3, "the names of the gradients")
  expect.equal(tape:gradient({ loss = loss, other = other }, b):item(), 3)
  local seeds = { other = lt.constant(10.0), loss = lt.constant(1.0) }
  expect.equal(tape:gradient({ loss = loss, other = other }, { b = b }, { output_gradients = seeds }).b:item(), 21)
  expect.equal(tape:gradient({ loss = loss, other = other }, b, { output_gradients = { loss = 1, other = 10 } }):item(), 21)
  expect.equal(tape:gradient(loss, { idle = idle }, { unconnected_gradients = "zero" }).idle:item(), 0)
  for _, case in ipairs {
    { { w = w, b }, "sources has both places and names" }, { { [1.5] = w }, "sources has the key 1.5" },
    { { w = w, [false] = b }, "sources has the key false" }, { { w = 3 }, "sources.w is 3, expected a tensor" },
    { { layer = { w = w } }, "sources.layer is a table, expected a tensor" },
  } do
    expect.raises("InvalidArgument", case[2], tape.gradient, tape, loss, case[1])
  end
  expect.raises("InvalidArgument", "target has both", tape.gradient, tape, { loss, other = other }, w)
  expect.raises("InvalidArgument", "both take the same form", tape.gradient, tape, { loss = loss }, w, { output_gradients = { b } })
  expect.raises("InvalidArgument", "output_gradients.loss is nil", tape.gradient, tape, { loss = loss }, w, { output_gradients = { los = b } })
  -- Integers have no gradients, and nil would hide that.
  local integers = "is int32, expected a float or complex dtype: only functions of these have gradients"
  expect.raises("InvalidArgument", 'sources (the Variable "step") ' .. integers, tape.gradient, tape, loss, step)
  expect.raises("InvalidArgument", 'sources[2] (the Variable "step") ' .. integers, tape.gradient, tape, loss, { w, step })
  expect.raises("InvalidArgument", "target " .. integers, tape.gradient, tape, loss:int32(), w)
  expect.raises("InvalidArgument", "target.n is bool", tape.gradient, tape, { n = loss:gt(0) }, w)
  local x = lt.constant(3.0)
  tape:watch { x = x }
  expect.equal(tape:gradient(x * x, x):item(), 6, "watched by name")
  expect.raises("InvalidArgument", "tensors.n is int32", tape.watch, tape, { n = lt.constant(1) })
end

-- Trainable variables are watched automatically, tensors and other variables by tape:watch.
do
  local fixed, x = lt.Variable(2.0, { trainable = false }), lt.constant(3.0)
  local tape <close> = lt.GradientTape { persistent = true }
  assert(tape:gradient(fixed * x, { fixed, x })[1] == false)
  tape:watch { fixed, x }
  local y = fixed * x * x
  local g = tape:gradient(y, { fixed, x })
  expect.equal({ g[1]:item(), g[2]:item() }, { 9, 12 })
  assert(tape:gradient(lt.stop_gradient(x) * 2, x) == nil, "stop_gradient")
  expect.equal(tape:gradient(x * lt.stop_gradient(x), x):item(), 3)
  assert(tape:gradient(x:gt(1):cast("float32"), x) == nil, "comparisons have no gradient")
  expect.raises("InvalidArgument", "watch: tensor is int32, expected a float or complex dtype", tape.watch, tape, lt.constant(1))
  local quiet = lt.Variable(1.0)
  local shy <close> = lt.GradientTape { watch_accessed_variables = false }
  assert(shy:gradient(quiet * 2, quiet) == nil)
end

-- Values are those at recording time, whatever is assigned afterwards.
for _, size in ipairs { 1, 5, 5000 } do
  local w = lt.Variable(lt.fill({ size }, 3.0))
  local tape <close> = lt.GradientTape()
  local y = (w * w):sum()
  w:assign(lt.fill({ size }, 100.0))
  w[1] = 7
  local g = tape:gradient(y, w)
  expect.equal({ g:min():item(), g:max():item() }, { 6, 6 }, "size " .. size)
end

-- Copies between devices pass gradients on; they run where the forward ops ran, and are logged there.
do
  local w = lt.device("CPU:0", lt.Variable, lt.ones { 100 })
  local lines = {}
  local tape <close> = lt.GradientTape()
  local y = lt.device("GPU:1", function() return w * 3 end):to("GPU:0")
  local z = lt.device("GPU:0", function() return lt.square(y):sum() end)
  lt.debugging.set_log_handler(function(event) lines[event.op .. " " .. event.device:match("%u+:%d$")] = event.reason end)
  local g = tape:gradient(z, w)
  lt.debugging.set_log_handler(nil)
  expect.equal(g:max():item(), 18)
  expect.equal(lines["Mul GPU:1"], "where the op ran whose gradient it is part of")
  assert(lines["Mul GPU:0"] and lines["OnesLike GPU:0"])
end

-- Nested tapes: the outer one sees the inner one's gradient.
do
  local x = lt.Variable(3.0)
  local outer <close> = lt.GradientTape()
  local slope
  do
    local inner <close> = lt.GradientTape()
    slope = inner:gradient(x * x * x, x)
  end
  expect.equal(outer:gradient(slope, x):item(), 18)
end

-- Inner tapes that come and go leave nothing to an outer one but what it watches itself.
do
  local x, y = lt.Variable(3.0), lt.Variable(5.0)
  local outer <close> = lt.GradientTape { watch_accessed_variables = false }
  outer:watch(x)
  local kept = x * x
  for _ = 1, 100 do
    local inner <close> = lt.GradientTape()
    expect.equal(inner:gradient(kept * y * y, { x, y })[2]:item(), 90)
  end
  local after <close> = lt.GradientTape()
  assert(after:gradient(kept, x) == nil, "made before the tape was opened")
  expect.equal(outer:gradient(kept, { x, y })[1]:item(), 6)
end

-- A seed that another tape watches becomes known to the ledger while the gradient is being set up.
for _, size in ipairs { 2, 100 } do
  local outer <close> = lt.GradientTape { persistent = true }
  local v, w = lt.Variable(lt.fill({ size }, 3.0)), lt.Variable(lt.fill({ size }, 5.0))
  local inner <close> = lt.GradientTape()
  local y = v * v
  local g = inner:gradient({ y, w }, { v }, { output_gradients = { w, v } })[1]
  expect.equal({ g:min():item(), g:max():item() }, { 30, 30 }, "2 v w")
  local second = outer:gradient(g, { v, w })
  expect.equal({ second[1][1]:item(), second[2][1]:item() }, { 10, 6 }, "its own gradients")
end

-- When a tape may be asked.
do
  local x = lt.Variable(3.0)
  local once <close> = lt.GradientTape()
  local y = x * x
  expect.equal(once:gradient(y, x):item(), 6)
  expect.raises("FailedPrecondition", "a tape that is not persistent can compute gradients only once", once.gradient, once, y, x)
  expect.raises("FailedPrecondition", "the tape has stopped recording", once.watch, once, lt.constant(1.0))
  local closed = lt.GradientTape()
  closed:close()
  closed:close()
  expect.raises("FailedPrecondition", "the tape is closed", closed.gradient, closed, y, x)
  expect.raises("FailedPrecondition", "the tape is closed", closed.watch, closed, y)
  local tapes = {}
  for i = 1, 62 do tapes[i] = lt.GradientTape() end
  local more = {}
  local err = expect.raises("ResourceExhausted", "64 tapes are open", function() for i = 1, 5 do more[i] = lt.GradientTape() end end)
  for _, tape in ipairs(tapes) do tape:close() end
  for _, tape in ipairs(more) do tape:close() end
end
for _, case in ipairs {
  { "GradientTape: options is 3", lt.GradientTape, 3 },
  { "persistant", lt.GradientTape, { persistant = true } },
  { "gradient: target is 3, expected a tensor", function(t) t:gradient(3, lt.constant(1.0)) end },
  { "gradient: sources is nil", function(t) t:gradient(lt.constant(1.0), nil) end },
  { "gradient: sources[2] is \"x\"", function(t) t:gradient(lt.constant(1.0), { lt.Variable(1.0), "x" }) end },
  { "gradient: 5 arguments given, at most 3 are taken", function(t) t:gradient(lt.constant(1.0), lt.constant(1.0), {}, 1, 2) end },
  { "unconnected_gradients is \"nought\"", function(t) t:gradient(lt.constant(1.0), lt.constant(1.0), { unconnected_gradients = "nought" }) end },
  { "output_gradients has 2 entries, and there are 1 targets", function(t) t:gradient({ lt.constant(1.0) }, lt.constant(1.0), { output_gradients = { 1, 2 } }) end },
  { "output_gradients (2,) of float32 does not match its target () of float32", function(t)
    local x = lt.Variable(1.0)
    t:gradient(x * 2, x, { output_gradients = lt.ones { 2 } })
  end },
} do
  local words, f, argument = table.unpack(case)
  if argument == nil then argument = lt.GradientTape() end
  expect.raises("InvalidArgument", words, f, argument)
end

-- A loop keeps nothing: records go with their tape, also when it is only collected.
local w = lt.Variable(lt.ones { 1000 })
local function step(closes)
  local tape = lt.GradientTape()
  local x = w
  for _ = 1, 20 do x = x * 1.01 end
  if closes then tape:gradient(x:sum(), w) end
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

-- Tapes that nobody holds any more are in nobody's way, and what they have saved is found in time.
for _ = 1, 200 do local _ = lt.GradientTape() end
-- Here tapes grow old before they are garbage, and record everything until they are found.
local text, ok = expect.program([[
local w, x = lt.Variable(lt.zeros { 1000, 2000 }), lt.ones { 4, 1000 }
local held, most = {}, 0
for i = 1, 200 do
  local tape = lt.GradientTape { persistent = true }
  held[i % 5] = tape
  tape:gradient((x:matmul(w) ^ 2):mean(), w)
  w:assign_add(1e-3)
  most = math.max(most, lt.debugging.live_storages())
end
print(most, lt.config.get_memory_info("CPU:0").peak // 2 ^ 20)
]])
assert(ok, text)
local storages, mb = text:match("^(%d+)\t(%d+)")
assert(tonumber(storages) < 300 and tonumber(mb) < 300, "tapes without <close>: storages, MB " .. text)

-- A mistake in what is asked leaves the tape as it was.
do
  local x = lt.device("CPU:0", lt.Variable, lt.ones { 4 })
  local tape <close> = lt.GradientTape()
  local y = lt.device("GPU:0", function() return x * 2 end)
  lt.config.set_soft_device_placement(false)
  expect.raises("InvalidArgument", "output_gradients", tape.gradient, tape, y, x, { output_gradients = lt.ones { 3 } })
  expect.equal(tape:gradient(y, x):totable(), { 2, 2, 2, 2 })
end

-- An error in the middle, for want of memory, closes the tape, or leaves a persistent one as it was; nothing is lost. A tape
-- that a finalizer closes in the middle says so, also when the finalizer opens another.
local text, ok = expect.program([[
lt.config.set_memory_limit("CPU:0", 40)
local n = 1 << 20  -- 4 MB
local x = lt.Variable(lt.fill({ n }, 2.0))
local function ask(tape, y)
  local ok, result = pcall(tape.gradient, tape, y, x)
  return ok and result[1]:item() or result.code .. ": " .. result.message:gsub("\n.*", "")
end
for _, persistent in ipairs { false, true } do
  collectgarbage() collectgarbage()
  local before = lt.debugging.live_storages()
  do
    local tape <close> = lt.GradientTape { persistent = persistent }
    local y = x * x * x
    local filler = lt.zeros { 5 * n }
    collectgarbage() collectgarbage()
    print((ask(tape, y):gsub(" on .*", "")))
    filler:release()
    print((tostring(ask(tape, y)):gsub(";.*", "")))
  end
  collectgarbage() collectgarbage()
  print(lt.debugging.live_storages() - before)
end
for _, opens in ipairs { false, true } do
  local tape, other = lt.GradientTape { persistent = true }, nil
  local y = x * x * x
  local filler = lt.zeros { 5 * n }
  local _ = lt.ones { 100 }  -- the collection that is due comes now, and not when gradient makes its results
  collectgarbage("stop")
  setmetatable({}, { __gc = function()
    tape:close()
    filler:release()
    if opens then
      other = lt.GradientTape()
      other:watch(x)
    end
  end })
  collectgarbage("restart")
  local was = collectgarbage("incremental", 1000, 1)
  print(ask(tape, y))
  print((ask(tape, y):gsub(";.*", "")))
  collectgarbage(was)
  if other then print(ask(other, x * x)) end
end
]])
assert(ok, text)
expect.equal(text, [[
ResourceExhausted: mul: out of memory
FailedPrecondition: gradient: a tape that is not persistent can compute gradients only once
0
ResourceExhausted: mul: out of memory
12.0
0
FailedPrecondition: gradient: the tape was closed while it computed gradients, by a finalizer or a gradient function
FailedPrecondition: gradient: the tape is closed
FailedPrecondition: gradient: the tape was closed while it computed gradients, by a finalizer or a gradient function
FailedPrecondition: gradient: the tape is closed
4.0
]])
print("ok")
