-- Training steps as graphs: the same weights as eager training, bit for bit, and as a computation by hand.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function data(rows, columns, seed)
  return lt.random.normal({ rows, columns }, { seed = seed }), lt.random.normal({ rows, 1 }, { seed = seed + 100 })
end

-- A net of two layers and a step of training, with its own optimizer.
local function net(optimizer, wide)
  wide = wide or 16
  local w1 = lt.Variable(lt.random.normal({ 2, wide }, { seed = 1 }))
  local b1 = lt.Variable(lt.zeros { wide })
  local w2 = lt.Variable(lt.random.normal({ wide, 1 }, { seed = 2 }))
  local b2 = lt.Variable(lt.zeros { 1 })
  local variables = { w1, b1, w2, b2 }
  return variables, function(x, y)
    local tape <close> = lt.GradientTape()
    local hidden = (x:matmul(w1) + b1):tanh()
    local loss = lt.mse(y, hidden:matmul(w2) + b2)
    optimizer:apply(tape:gradient(loss, variables), variables)
    return loss
  end
end

local function all_bytes(variables)
  local out = {}
  for i, v in ipairs(variables) do out[i] = v:value():bytes() end
  return out
end

-- Every optimizer, with schedules and clipping, against the same steps without a graph.
for name, make in pairs {
  sgd = function() return lt.optim.SGD { learning_rate = 0.1 } end,
  momentum = function() return lt.optim.SGD { learning_rate = 0.1, momentum = 0.9, nesterov = true } end,
  adam = function() return lt.optim.Adam { learning_rate = 0.01 } end,
  amsgrad = function() return lt.optim.Adam { amsgrad = true, weight_decay = 0.01 } end,
  adamw = function() return lt.optim.AdamW() end,
  rmsprop = function() return lt.optim.RMSprop { centered = true, momentum = 0.5 } end,
  adagrad = function() return lt.optim.Adagrad { clipvalue = 0.1 } end,
  lion = function() return lt.optim.Lion { clipnorm = 0.5 } end,
  scheduled = function()
    return lt.optim.Adam { learning_rate = lt.optim.schedules.ExponentialDecay(0.1, 3, 0.5), global_clipnorm = 0.7 }
  end,
  own_schedule = function() return lt.optim.SGD { learning_rate = function(step) return 0.1 / (1 + step) end } end,
  averaged = function() return lt.optim.SGD { learning_rate = 0.1, use_ema = true, ema_momentum = 0.9 } end,
} do
  local eager_optimizer, optimizer = make(), make()
  local wanted, step = net(eager_optimizer)
  local got, recorded = net(optimizer)
  local g = lt.graph(recorded)
  for i = 1, 8 do
    local x, y = data(4, 2, i)
    expect.equal(g(x, y):bytes(), step(x, y):bytes(), name .. ": loss of step " .. i)
    expect.equal(all_bytes(got), all_bytes(wanted), name .. ": weights after step " .. i)
    expect.equal(optimizer.iterations, eager_optimizer.iterations, name .. ": iterations")
    if i == 4 and type(optimizer.learning_rate) == "number" then
      optimizer.learning_rate, eager_optimizer.learning_rate = 0.003, 0.003
    end
    if i == 6 and optimizer.clipnorm then optimizer.clipnorm, eager_optimizer.clipnorm = 0.01, 0.01 end
  end
  for k, list in ipairs(optimizer.slots) do
    expect.equal(all_bytes(list), all_bytes(eager_optimizer.slots[k]), name .. ": slots " .. k)
  end
end

do -- by hand: one weight, y = w x, squared error, rate 0.1
  local w = lt.Variable { 1.0 }
  local optimizer = lt.optim.SGD { learning_rate = 0.125 }
  local g = lt.graph(function(x, y)
    local tape <close> = lt.GradientTape()
    local loss = ((x * w - y) ^ 2):sum()
    optimizer:apply(tape:gradient(loss, { w }), { w })
    return loss
  end)
  local by_hand = 1.0
  for _, pair in ipairs { { 1, 3 }, { 2, 1 }, { -1, 2 }, { 0.5, 0.5 }, { 1, 1 } } do
    local x, y = table.unpack(pair)
    local off = x * by_hand - y
    expect.close(g(lt.constant { x * 1.0 }, lt.constant { y * 1.0 }):item(), off * off, 1e-6, "loss")
    by_hand = by_hand - 0.125 * 2 * off * x
    expect.close(w:value():item(), by_hand, 1e-6, "weight")
  end
end

do -- two steps of one optimizer in a call
  local function make()
    local optimizer = lt.optim.Adam { learning_rate = 0.05 }
    local variables, step = net(optimizer)
    return variables, function(x, y)
      step(x, y)
      return step(x * 2, y)
    end, optimizer
  end
  local wanted, twice = make()
  local got, recorded, optimizer = make()
  local g = lt.graph(recorded)
  for i = 1, 4 do
    local x, y = data(4, 2, i)
    expect.equal(g(x, y):bytes(), twice(x, y):bytes(), "loss of two steps")
    expect.equal(all_bytes(got), all_bytes(wanted), "weights after two steps")
  end
  expect.equal(optimizer.iterations, 8, "iterations")
end

-- fit, with graphs and without, in programs of their own: LUTRA_GRAPH is read at start.
local program = [[
local lt = require "lutra"
lt.random.set_seed(7)
local model = lt.nn.Sequential { lt.nn.Dense(8, { activation = "relu" }), lt.nn.Dropout(0.25), lt.nn.BatchNorm(), lt.nn.Dense(3) }
model:compile { optimizer = lt.optim.Adam { learning_rate = 0.01 }, loss = lt.nn.losses.SparseCategoricalCrossentropy { from_logits = true }, metrics = { "accuracy" } }
local x = lt.random.normal { 150, 5 }
local y = lt.random.randint({ 150 }, 1, 3)
local calls = 0
debug.sethook(function() calls = calls + 1 end, "c")
local history = model:fit(x, y, { epochs = 12, batch_size = 32, verbose = 0, validation_split = 0.2 })
debug.sethook()
for _, name in ipairs { "loss", "accuracy", "val_loss" } do
  for _, value in ipairs(history.history[name]) do io.write(("%a "):format(value)) end
end
for _, v in ipairs(model:variables()) do
  for b in v:value():bytes():gmatch "." do io.write(("%02x"):format(b:byte())) end
end
io.stderr:write(calls, "\n")
io.write(" ", model.optimizer.iterations, " ", lt.random.uniform({ 1 }):item(), "\n")
]]
local path = os.tmpname()
local file = assert(io.open(path, "w"))
file:write(program)
file:close()
local counts = os.tmpname()
-- What the program prints, and how many functions were called in fit.
local function run(mode)
  local pipe = assert(io.popen(("LUTRA_GRAPH=%s %s %s 2>%s"):format(mode, os.getenv "LUTRA" or "lutra", path, counts)))
  local text = pipe:read "a"
  local told <close> = assert(io.open(counts))
  local calls = told:read "a"
  assert(pipe:close(), "the program failed with LUTRA_GRAPH=" .. mode .. ": " .. calls)
  return text, tonumber(calls)
end
local never, all_calls = run "never"
assert(#never > 100)
for _, mode in ipairs { "auto", "always" } do
  local text, calls = run(mode)
  expect.equal(text, never, "fit with LUTRA_GRAPH=" .. mode)
  assert(calls < all_calls * 0.8, ("LUTRA_GRAPH=%s: %d calls, %d without graphs: fit has not replayed"):format(mode, calls, all_calls))
end
os.remove(path)
os.remove(counts)
print "graph_training: ok"
