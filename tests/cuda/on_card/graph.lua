-- Graphs replayed on one GPU, where their kernels are queued together: run on the stub of NVIDIA's driver, and on real
-- cards (gpu.graph). The results are the eager function's, bit for bit.
-- Stub: random:1

local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local nn = lt.nn

local function same(a, b, what)
  assert(lt.array_equal(a, b):item(), ("%s: %s is not %s"):format(what or "result", a, b))
end

case("a replay equals the eager call, for new arguments and for the same ones", function()
  local w = lt.Variable(lt.random.normal({ 3, 3 }, { seed = 1 }))
  local function f(x) return lt.softmax(lt.relu(lt.matmul(x, w) + 1) * 2), x:sum(2) end
  local g = lt.graph(f)
  local kept = {}
  for i = 1, 12 do
    local x = lt.random.normal({ 4, 3 }, { seed = i // 3 })
    for _ = 1, 3 do
      local a, b = g(x)
      local c, d = f(x)
      same(a, c)
      same(b, d)
      kept[#kept + 1] = { a, c }
    end
    if i % 4 == 0 then w:assign_add(lt.ones { 3, 3 }) end
  end
  for _, pair in ipairs(kept) do same(pair[1], pair[2], "a result that was kept") end
  equal(g.records, 1)
end)

local function train(optimizer, layers, is_recorded)
  lt.random.set_seed(5)
  local model = nn.Sequential(layers())
  local x, y = lt.random.normal({ 32, 6 }, { seed = 2 }), lt.random.normal({ 32, 2 }, { seed = 3 })
  model(x)
  local rate = lt.optim[optimizer] { learning_rate = 0.05 }
  local function step(a, b)
    local tape <close> = lt.GradientTape()
    local loss = ((model(a, { training = true }) - b) ^ 2):mean()
    local variables = model:trainable_variables()
    rate:apply(tape:gradient(loss, variables), variables)
    return loss
  end
  local run = is_recorded and lt.graph(step) or step
  local losses = {}
  for i = 1, 12 do
    local from = (i % 4) * 8
    losses[i] = run(x[{ { from + 1, from + 8 } }], y[{ { from + 1, from + 8 } }])
    if i == 8 then rate.learning_rate = 0.01 end
  end
  return losses, model:get_weights()
end

for _, optimizer in ipairs { "SGD", "Adam" } do
  for name, layers in pairs {
    dense = function() return { nn.Dense(5, { activation = "tanh" }), nn.Dense(2) } end,
    dropout = function() return { nn.Dense(5, { activation = "relu" }), nn.Dropout(0.3), nn.Dense(2) } end,
  } do
    case(("training by %s with %s layers takes the eager steps"):format(optimizer, name), function()
      local losses, weights = train(optimizer, layers, true)
      local eager_losses, eager_weights = train(optimizer, layers, false)
      for i, loss in ipairs(losses) do same(loss, eager_losses[i], "loss " .. i) end
      for i, weight in ipairs(weights) do same(lt.constant(weight), lt.constant(eager_weights[i]), "weight " .. i) end
    end)
  end
end

case("a wrong index is reported with the line that was recorded, and later calls are right", function()
  local rows = lt.random.normal({ 5, 2 }, { seed = 1 })
  local function f(i) return ((lt.gather(rows, i, { axis = 1 }) + 1) * 2):exp() + 3 end
  local g = lt.graph(f)
  local good, bad = lt.constant({ 1, 5, 2 }, { dtype = "int32" }), lt.constant({ 1, 9, 2 }, { dtype = "int32" })
  for _ = 1, 3 do
    same(g(good), f(good))
    local result = g(bad)
    local ok, problem = pcall(result.totable, result)
    assert(not ok and tostring(problem):find("graph.lua:", 1, true), problem)
    same(g(good), f(good))
  end
end)

case("a number that is an argument takes its value at each call", function()
  local function f(x, k) return ((x * k + 1) * k):exp() - k end
  local g = lt.graph(f)
  local x = lt.random.normal({ 8 }, { seed = 4 })
  for i = 1, 6 do
    local k = lt.device("/CPU:0", lt.constant, i / 4)
    same(g(x, k), f(x, k), "k = " .. i / 4)
  end
end)

case("a variable that is read by a copy keeps the bits that it had", function()
  local v = lt.Variable(lt.zeros { 4 })
  local g = lt.graph(function(x)
    for _ = 1, 4 do v:assign_add(x) end
    return v:value() * 1
  end)
  local x = lt.ones { 4 }
  local seen = {}
  for i = 1, 8 do
    g(x)
    seen[i] = lt.device("/CPU:0", function() return v:value() + 0 end)
  end
  for i = 1, 8 do same(seen[i], lt.fill({ 4 }, 4.0 * i), "after call " .. i) end
end)

-- The functions of Lua that a fit calls. A callback of the program's own keeps fit from replaying its steps.
local function calls_of_fit(callbacks)
  lt.random.set_seed(7)
  local model = nn.Sequential { nn.Embedding(9, 4), nn.Flatten(), nn.Dense(8, { activation = "relu" }), nn.Dense(3) }
  model:compile { optimizer = "adam", loss = nn.losses.SparseCategoricalCrossentropy { from_logits = true } }
  local x, y = lt.random.randint({ 64, 3 }, 1, 9, { seed = 1 }), lt.random.randint({ 64 }, 1, 3, { seed = 2 })
  local calls = 0
  debug.sethook(function() calls = calls + 1 end, "c")
  local history = model:fit(x, y, { epochs = 20, batch_size = 16, verbose = 0, callbacks = callbacks })
  debug.sethook()
  return calls, history.history.loss
end

case("fit replays its steps though errors of labels and indices come late", function()
  local eager, losses = calls_of_fit { { on_epoch_end = function() end } }
  local replayed, same_losses = calls_of_fit {}
  assert(replayed < 0.6 * eager, ("%d calls, %d without graphs"):format(replayed, eager))
  for i, loss in ipairs(losses) do equal(same_losses[i], loss, "loss of epoch " .. i) end
end)
