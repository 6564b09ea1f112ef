-- Using only some of the GPUs. Visible GPUs count from 0 again: the third card becomes /device:GPU:0.
local gpus = lt.config.list_physical_devices("GPU")
print(gpus)

lt.config.set_visible_devices(gpus[3], "GPU")            -- one device, or a list of them
local logical = lt.config.list_logical_devices("GPU")
print(#gpus .. " Physical GPUs, " .. #logical .. " Logical GPU")
print(logical)

-- The ops see the one GPU there is.
print((lt.constant {1, 2} + 1).device)

-- Visible devices must be set before the devices are initialised, which list_logical_devices has done. The error's
-- first line is TensorFlow's; the second names the line that initialised them, and the remedy.
local ok, err = pcall(lt.config.set_visible_devices, gpus, "GPU")
print(err.code)
print(err.message:match("^[^\n]*"))
print("names the line: " .. tostring(err.message:find("visible_devices.lua:6", 1, true) ~= nil))

-- Starting over, once no tensor lives on a GPU.
lt.config.reset()
lt.config.set_visible_devices({ gpus[1], gpus[2] }, "GPU")
print(#lt.config.list_logical_devices("GPU") .. " Logical GPUs")
