-- lt.to_dlpack and lt.from_dlpack between scripts; tests/embed/hosts/dlpack_host.c has the arrays of others.
local lt = require "lutra"

local function fails(code, text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and lt.iserror(err, code) and err.message:find(text, 1, true), tostring(err))
end

local dtypes = { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" }
local function on_cpu(...) return lt.device("CPU:0", ...) end

for _, dtype in ipairs(dtypes) do
  for _, shape in ipairs { {}, { 3 }, { 0, 4 }, { 7, 11, 13 } } do
    local t = on_cpu(lt.ones, shape, { dtype = dtype })
    for _, options in ipairs { {}, { copy = true } } do
      local back = lt.from_dlpack(lt.to_dlpack(t), options)
      assert(back.dtype == dtype and tostring(back.shape) == tostring(t.shape), dtype)
      assert(back:bytes() == t:bytes() and back.device:find "CPU:0")
    end
  end
end

-- A capsule is for one receiver.
local t = on_cpu(lt.range, 1000)
local capsule = lt.to_dlpack(t)
assert(lt.from_dlpack(capsule)[1000]:item() == t[1000]:item())
fails("FailedPrecondition", "from_dlpack: the capsule is empty", lt.from_dlpack, capsule)
do
  local closed <close> = lt.to_dlpack(t)
  capsule = closed
end
fails("FailedPrecondition", "the capsule is empty", lt.from_dlpack, capsule)

-- The tensor keeps the elements when all else is gone, and its variable has elements of its own.
local kept = lt.from_dlpack(lt.to_dlpack(on_cpu(lt.ones, { 5000 })))
collectgarbage()
collectgarbage()
assert(kept:sum():item() == 5000)
local variable = on_cpu(lt.Variable, kept)
variable:assign_add(on_cpu(lt.ones, { 5000 }))
assert(variable:sum():item() == 10000 and kept:sum():item() == 5000)
-- Many in a row hold no memory back.
for _ = 1, 2000 do lt.from_dlpack(lt.to_dlpack(kept)) end
lt.config.release_memory()
assert(lt.config.get_memory_info("CPU:0").current < 1e6)

fails("InvalidArgument", "capsule", lt.from_dlpack, 7)
fails("InvalidArgument", "capsule", lt.from_dlpack)
fails("InvalidArgument", "capsule", lt.from_dlpack, kept)
fails("InvalidArgument", "capsule", lt.from_dlpack, io.stdout)
fails("InvalidArgument", "tensor", lt.to_dlpack, 7)
fails("InvalidArgument", "copies", lt.from_dlpack, lt.to_dlpack(kept), { copies = true })
local released = on_cpu(lt.ones, { 100 })
released:release()
fails("FailedPrecondition", "released", lt.to_dlpack, released)

t, kept, variable, capsule, released = nil, nil, nil, nil, nil
lt.config.reset()
lt.config.set_simulated_gpus(1)
local gpu = lt.ones { 100 }
assert(gpu.device:find "GPU:0")
fails("InvalidArgument", "to_dlpack: the tensor is on /job:localhost/replica:0/task:0/device:GPU:0", lt.to_dlpack, gpu)
assert((lt.from_dlpack(lt.to_dlpack(gpu:to "CPU:0")) + gpu):sum():item() == 200)
