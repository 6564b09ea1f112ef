-- Copies between devices: with `copies` the log has a line for each copy, before the op that needed it.
lt.debugging.set_log_device_placement(true, {copies = true})

local weights = lt.device("/CPU:0", lt.constant, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
local scale = lt.device("/CPU:0", lt.constant, {2.0})

-- A tensor from the CPU that a loop uses crosses once: the GPU keeps a mirror of it. One element is passed in the
-- kernel's arguments, which is no copy.
local y
for step = 1, 3 do
  print("step " .. step)
  y = lt.device("/GPU:0", function() return weights * scale end)
end

-- Results stay where they were made until an op elsewhere needs them.
print("another GPU")
lt.device("/GPU:1", function() return y + y end)
print("the CPU")
lt.device("/CPU:0", function() return lt.exp(y) end)

-- Reading is no op: item, totable and print log nothing.
print(y)
