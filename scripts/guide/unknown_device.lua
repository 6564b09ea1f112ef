-- Naming a GPU that is not there. Opening the scope is no mistake; the first op in it raises, and tells what there is.
lt.debugging.set_log_device_placement(true)
local ok, err = pcall(function()
  local _ <close> = lt.device("/device:GPU:2")
  local a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
  local b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
  return lt.matmul(a, b)
end)
print(ok, err.code)
print(err.message)

-- A name that cannot be read is refused at once, by the scope.
ok, err = pcall(lt.device, "/GPU:two")
print(ok, err.code)
