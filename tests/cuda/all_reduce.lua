-- Who adds up over cards: NCCL, or the first card. The stub of NCCL (tests/support/cuda_stub) adds from the last
-- replica to the first, so that numbers of very different size show which one did it: (1e8 + 1) - 1e8 is 0 in float32.
local expect = dofile("tests/support/expect.lua")

local script = [[
local devices = {}
for i, gpu in ipairs(lt.config.list_logical_devices("GPU")) do devices[i] = i <= 3 and gpu.name or nil end
local strategy = lt.distribute.MirroredStrategy(devices)
local parts = { 1e8, -1e8, 1 }
local function told(op, dtype)
  local sums = strategy:run(function()
    local context = lt.distribute.get_replica_context()
    local number = lt.constant({ parts[context.replica_id_in_sync_group] }, { dtype = dtype })
    local large = lt.fill({ 200000 }, parts[context.replica_id_in_sync_group]):cast(dtype)
    local all = context:all_reduce(op, { number, number, large })
    return table.concat({ all[1]:item(), all[2]:item(), all[3]:max():item(), all[3]:min():item() }, " ")
  end)
  local lines = strategy:experimental_local_results(sums)
  for i = 2, #lines do assert(lines[i] == lines[1], lines[i]) end
  return lines[1]
end
print(told("sum", "float32"), told("sum", "int32"))
print(("%.3f"):format(tonumber(told("mean", "float32"):match("^%S+"))))
]]

-- The script's own lines; MirroredStrategy's are beside them.
local function run(text, environment)
  local told = expect.program(text, "--no-init", "LUTRA_CUDA_STUB=random:3,cards:3 " .. environment)
  return (told:gsub("INFO:[^\n]*\n", ""))
end
local equal = expect.equal

-- From the last: 1 - 1e8 is -1e8, and 1e8 more is 0.
local by_nccl, by_first = "0.0 0.0 0.0 0.0\t1 1 1 1\n0.000\n", "1.0 1.0 1.0 1.0\t1 1 1 1\n0.333\n"
equal(run(script, ""), by_nccl)
equal(run(script, "LUTRA_NCCL=1"), by_nccl)
equal(run(script, "LUTRA_NCCL=0"), by_first)

-- Two replicas on one card share its memory: NCCL is not asked.
local shared = 'lt.config.set_logical_device_configuration("GPU:0", { { memory_limit = 64 }, { memory_limit = 64 } })\n'
equal(run(shared .. script, ""), by_first)

-- One that is none, and one that does not start: sums are made all the same, and why so is said once.
local function warning(why)
  return ("WARNING: NCCL is not used over GPU:0, GPU:1, GPU:2: %s; sums over cards are made on the first of them and copied\n"):format(why)
end
local environment, remove, folder = dofile("tests/support/false_library.lua")("libnccl.so.2")
equal(run(script, environment), warning(folder .. "/libnccl.so.2 has no ncclCommInitAll: it is no NCCL, or one older than 2.4") .. by_first)
remove()
equal(run(script, "LUTRA_CUDA_STUB_FAILS=ncclCommInitAll"), warning("NCCL does not start on these cards (unhandled cuda error)") .. by_first)
print("all_reduce passed")
