-- Soft placement: where the device asked for is not there, one that exists is taken instead, and the log says so.
lt.config.set_soft_device_placement(true)
lt.debugging.set_log_device_placement(true, {reasons = true})

local a, b
do
  local _ <close> = lt.device("/device:GPU:9")
  a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
  b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
  print(lt.matmul(a, b))
end

-- A device of the type asked for comes first; of a type that nobody has, the default order decides.
lt.device("/CPU:7", function() print((a + a).device) end)
lt.device("/device:TPU:0", function() print((a + a).device) end)

-- A machine that is not part of this program stays an error.
local ok, err = pcall(lt.device, "/job:worker/device:GPU:0", function() return a + a end)
print(ok, err.code)

-- It can be switched off again at any time.
lt.config.set_soft_device_placement(false)
ok, err = pcall(lt.device, "/device:GPU:9", function() return a + a end)
print(ok, err.code)
