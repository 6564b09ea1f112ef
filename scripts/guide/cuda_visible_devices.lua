-- CUDA_VISIBLE_DEVICES acts below everything else: cards that it leaves out do not exist, and the others count from 0
-- in its order. Run it as
--   CUDA_VISIBLE_DEVICES=3,1 scripts/run --sim-gpus 4 scripts/guide/cuda_visible_devices.lua
print("CUDA_VISIBLE_DEVICES=" .. (os.getenv("CUDA_VISIBLE_DEVICES") or ""))
local gpus = lt.config.list_physical_devices("GPU")
print("Num GPUs Available: ", #gpus)
for _, gpu in ipairs(gpus) do print(gpu.name, gpu.device_type) end

-- set_visible_devices chooses among those.
lt.config.set_visible_devices({ gpus[2] }, "GPU")
for _, gpu in ipairs(lt.config.list_logical_devices("GPU")) do print(gpu.name) end
