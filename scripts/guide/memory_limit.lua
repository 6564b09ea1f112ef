-- A hard limit: this process takes 1024 MB of the card and no more.
local gpus = lt.config.list_physical_devices("GPU")

-- An invalid limit is refused where it is set.
for _, limit in ipairs { 0, -1, 1e9 } do
  local ok, err = pcall(lt.config.set_logical_device_configuration, gpus[1], { {memory_limit = limit} })
  print(ok, err.code)
end

-- Growth and a limit go together: little at first, 1024 MB at most.
lt.config.set_memory_growth(gpus[1], true)
lt.config.set_logical_device_configuration(gpus[1], { {memory_limit = 1024} })
local logical = lt.config.list_logical_devices("GPU")
print(#gpus .. " Physical GPU, " .. #logical .. " Logical GPU")

local info = lt.config.get_memory_info("GPU:0")
print("limit: " .. info.limit // (1 << 20) .. " MB")
print("reserved less than that: " .. tostring(info.reserved < info.limit))

-- Nothing exceeds the limit: 2048 MB in one tensor are refused, 512 MB fit.
local ok, err = pcall(lt.zeros, {512, 1024, 1024})
print(err.code)
print(lt.zeros({128, 1024, 1024}).device)
