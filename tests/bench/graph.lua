-- `scripts/dev bench graph [--pairs=N]`: functions run eagerly and replayed (lutra.graph), side by side in one process,
-- one after the other in turn. Prints the median of the pairs' ratios and its 95% interval.
local lt = require "lutra"
local folder = arg[0]:match "^(.*)/[^/]*$"
local statistics = dofile(folder .. "/statistics.lua")

local pairs_wanted = 15
for _, word in ipairs(arg) do pairs_wanted = tonumber(word:match "^%-%-pairs=(%d+)$") or pairs_wanted end
assert(pairs_wanted >= 9, "--pairs: at least 9")

local function counted(shape, dtype)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return (lt.range(size, { dtype = dtype or "float32" }) % 5 - 2):reshape(shape) / 64
end

-- A training step of a net with one hidden layer.
local function training(sizes, rows, optimizer)
  local w1, b1 = lt.Variable(counted { sizes[1], sizes[2] }), lt.Variable(lt.zeros { sizes[2] })
  local w2, b2 = lt.Variable(counted { sizes[2], sizes[3] }), lt.Variable(lt.zeros { sizes[3] })
  local variables = { w1, b1, w2, b2 }
  local x, y = counted { rows, sizes[1] }, counted { rows, sizes[3] }
  return function(a, b)
    local tape <close> = lt.GradientTape()
    local loss = lt.mse(b, lt.relu(a:matmul(w1) + b1):matmul(w2) + b2)
    optimizer:apply(tape:gradient(loss, variables), variables)
    return loss
  end, x, y
end

local function inference()
  local sizes, layers = { 2, 64, 64, 4 }, {}
  for i = 1, 3 do layers[i] = { lt.Variable(counted { sizes[i], sizes[i + 1] }), lt.Variable(counted { sizes[i + 1] }) } end
  return function(x)
    for i, layer in ipairs(layers) do
      x = x:matmul(layer[1]) + layer[2]
      if i < 3 then x = lt.relu(x) end
    end
    return x
  end, counted { 1, 2 }
end

local x7 = counted { 10000000 }
local workloads = {
  { "training step, 2-16-1, 4 rows, SGD", 0.5, training({ 2, 16, 1 }, 4, lt.optim.SGD { learning_rate = 0 }) },
  { "training step, 2-16-1, 4 rows, Adam", 0.5, training({ 2, 16, 1 }, 4, lt.optim.Adam { learning_rate = 0 }) },
  { "training step, 784-128-10, 32 rows, SGD", 0.8, training({ 784, 128, 10 }, 32, lt.optim.SGD { learning_rate = 0 }) },
  { "inference, 2-64-64-4, one row", nil, inference() },
  { "8 elementwise ops, 1e7", 1 / 3, function(x)
    return ((((x * 2 + 1):abs() - 0.5) * x + 0.25):square() * 0.125):relu()
  end, x7 },
  { "gelu by tanh, 8 ops, 1e7", nil, function(x)
    return x * 0.5 * ((x + x * x * x * 0.044715) * 0.79788456):tanh() + x * 0.5
  end, x7 },
}

local now = lt.time
local function seconds(f, n, ...)
  local start, r = now(), nil
  for _ = 1, n do r = f(...) end
  lt.synchronize()
  return (now() - start) / n, r
end

print(("%-42s %12s %12s  %s"):format("", "eager", "replayed", "replayed / eager"))
for _, workload in ipairs(workloads) do
  local name, target, f, x, y = table.unpack(workload, 1, 5)
  local g = lt.graph(f)
  for _ = 1, 3 do f(x, y) g(x, y) end
  local n = 1
  while seconds(f, n, x, y) * n < 0.02 do n = n * 2 end
  local eager, replayed, ratios = {}, {}, {}
  for i = 1, pairs_wanted do
    -- A B, B A, A B ...
    local a, b
    if i % 2 == 1 then a = seconds(f, n, x, y) b = seconds(g, n, x, y) else b = seconds(g, n, x, y) a = seconds(f, n, x, y) end
    eager[i], replayed[i], ratios[i] = a, b, b / a
  end
  assert(f(x, y):bytes() == g(x, y):bytes() or y, name .. ": the results differ")
  local function microseconds(list) return ("%.2f us"):format(statistics.median(list) * 1e6) end
  local interval = statistics.interval(ratios)
  print(("%-42s %12s %12s  %.3f (%.3f to %.3f)%s"):format(name, microseconds(eager), microseconds(replayed),
    interval.middle, interval.low, interval.high, target and ("  target %.2f"):format(target) or ""))
end
