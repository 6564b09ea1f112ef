-- One GPU as two logical ones of 1024 MB each, to try multi-GPU code with. It has to be said before the first op.
local gpus = lt.config.list_physical_devices("GPU")
local ok, err = pcall(function()
  lt.config.set_logical_device_configuration(gpus[1], { {memory_limit = 1024}, {memory_limit = 1024} })
  local logical = lt.config.list_logical_devices("GPU")
  print(#gpus .. " Physical GPU, " .. #logical .. " Logical GPUs")           --> 1 Physical GPU, 2 Logical GPUs
end)
if not ok then print(err) end
