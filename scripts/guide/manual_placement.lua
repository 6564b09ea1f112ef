-- Choosing the device yourself: a scope around some lines, a scope around a function, and scopes inside scopes.
lt.debugging.set_log_device_placement(true)

-- Place tensors on the CPU. A constant made under a CPU scope is no op, so nothing is logged.
local a, b
do
  local _ <close> = lt.device("/CPU:0")
  a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
  b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
end

-- Run on the GPU: without a scope the first GPU is taken, and the inputs are copied there.
local c = lt.matmul(a, b)
print(c)

-- The function form returns what the function returns.
local product = lt.device("/GPU:1", function() return lt.matmul(a, b) end)
print("the product is on " .. product.device)

-- Nested scopes merge: the inner one says what it names, the rest comes from outside.
lt.device("/GPU:1", function()
  local doubled = c + c                                  -- GPU:1
  lt.device("/CPU:0", function() return c + c end)       -- another type: the outer index is forgotten
  lt.device("/gpu:*", function() return c + c end)       -- no index named: the outer one, GPU:1
  lt.device("/cpu:*", function() return c + c end)       -- any CPU
  lt.device("", function() return c + c end)             -- nothing named, nothing changed: GPU:1
  lt.device(false, function() return lt.exp(c) end)      -- lifts every scope: GPU:0 again
  print(doubled.device)
end)

-- A scope ends on every way out, an error too.
local ok, err = pcall(function()
  local _ <close> = lt.device("/GPU:1")
  error("stop")
end)
print(ok)
print((c * c).device)                                    -- no scope any more: GPU:0
