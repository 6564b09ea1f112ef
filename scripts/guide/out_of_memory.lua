-- Running out of memory: the error tells who holds it, and the program goes on. The GPU is limited to 1 GB, so that
-- this happens on any card.
local gpus = lt.config.list_physical_devices("GPU")
lt.config.set_logical_device_configuration(gpus[1], { {memory_limit = 1024} })

-- 920 MB in six tensors; a row is 1 MB of float32.
local held, lines = {}, {}
for i, rows in ipairs { 80, 300, 90, 200, 100, 150 } do
  held[i] = lt.zeros {rows, 256, 1024}
  lines[i] = "out_of_memory.lua:" .. debug.getinfo(1, "l").currentline - 1
end

local ok, err = pcall(lt.ones, {210, 256, 1024})
print(ok, err.code, err.device)

-- The message has the requested size, and the five largest holders with the script line that made each.
print("asked for 210 MB: " .. tostring(err.message:find(tostring(210 << 20), 1, true) ~= nil))
for i, tensor in ipairs(held) do
  local named = err.message:find(tostring(tensor.shape), 1, true) ~= nil
  print(tostring(tensor.shape) .. " is named: " .. tostring(named))
  if named then assert(err.message:find(lines[i], 1, true), "but not its line") end
end
print("says what to do: " .. tostring(err.hint ~= nil and #err.hint > 0))

-- Nothing has changed: the tensors are there, and once the largest is released, the new one fits.
print("sum of the first: ", lt.sum(held[1]):item())
held[2] = nil
local ones = lt.ones {210, 256, 1024}
print(ones.device, lt.sum(ones):item() == ones.size)
