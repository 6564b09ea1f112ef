-- Memory growth: start with little of the card and take more as tensors need it.
local gpus = lt.config.list_physical_devices("GPU")
for _, gpu in ipairs(gpus) do
  lt.config.experimental.set_memory_growth(gpu, true)
end
local logical = lt.config.list_logical_devices("GPU")
print(#gpus .. " Physical GPUs, " .. #logical .. " Logical GPUs")
print("growth of GPU:0: " .. tostring(lt.config.get_memory_growth(gpus[1])))

-- `reserved` is what was taken from the card, `current` what tensors hold of it.
local before = lt.config.get_memory_info("GPU:0")
local x = lt.zeros {16, 1024, 1024}                      -- 64 MB
lt.synchronize()
local after = lt.config.get_memory_info("GPU:0")
print("starts small: " .. tostring(before.reserved < before.limit // 16))
print("has grown: " .. tostring(after.reserved > before.reserved and after.reserved >= x.nbytes))
print("holds the tensor: " .. tostring(after.current - before.current >= x.nbytes))

-- Growth can no longer be changed; setting it to what it is remains allowed.
lt.config.experimental.set_memory_growth(gpus[1], true)
local ok, err = pcall(lt.config.experimental.set_memory_growth, gpus[1], false)
print(err.code)
print(err.message:match("^[^\n]*"))
