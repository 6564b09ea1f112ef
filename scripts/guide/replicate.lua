-- The same product on every GPU, added up on the CPU: add_n's inputs are copied there by themselves.
local a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
local b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})

local c = {}
for _, gpu in ipairs(lt.config.list_logical_devices("GPU")) do
  local _ <close> = lt.device(gpu.name)
  c[#c + 1] = lt.matmul(a, b)
end
if #c > 0 then lt.device("/CPU:0", function() print(lt.add_n(c)) end) end                       --> four GPUs: [[ 88. 112.] [196. 256.]]
