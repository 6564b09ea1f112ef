-- Naming a GPU that does not exist: the one after the last, on a machine with any number of GPUs, including none. Opening
-- the scope is no mistake; the first op in it raises an error, which lists the devices.
local missing = "/device:GPU:" .. #lt.config.list_logical_devices("GPU")
lt.debugging.set_log_device_placement(true)
local ok, err = pcall(function()
  local _ <close> = lt.device(missing)
  local a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
  local b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
  return lt.matmul(a, b)
end)
print(ok, err.code)
print(err.message)

-- A name that cannot be read is refused at once, by the scope.
ok, err = pcall(lt.device, "/GPU:two")
print(ok, err.code)
