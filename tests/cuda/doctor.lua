-- `lutra doctor` on the cards of the stub of NVIDIA's driver (tests/support/cuda_stub): two cards, a quarter of whose
-- memory is taken by others.
local program = os.getenv("LUTRA") or "lutra"

local function run(environment, words)
  local pipe = assert(io.popen(("env %s '%s' %s 2>&1"):format(environment, program, words)))
  local told = pipe:read("a")
  local _, _, status = pipe:close()
  return told, status
end

local function expect(environment, words, status, ...)
  local told, got = run(environment, words)
  if got ~= status then error(("doctor ends with %d, expected %d:\n%s"):format(got, status, told), 2) end
  for _, part in ipairs { ... } do
    if not told:find(part, 1, true) then error(("doctor does not say %q:\n%s"):format(part, told), 2) end
  end
  return told
end

expect("A=", "doctor", 0, "the driver is for CUDA 13.0 and shows 2 cards", "ok      card GPU:1       Stub 1",
  "3.00GiB of 4.00GiB are free", "ok      trial CPU:0", "ok      trial GPU:0      Stub 0: ", "ok      trial GPU:1      Stub 1: ",
  "matmul gives the right result", "sum gives the right result", "conv2d gives the right result", "All that is here works.")

expect("LUTRA_CUDNN=0", "doctor", 0, "note    cudnn            LUTRA_CUDNN is 0: convolutions are laid out and multiplied by cuBLASLt\n")
expect("A=", "doctor", 0, ("ok      cudnn            %s/libcudnn.so.9 is version 9, for convolutions\n"):format(os.getenv("LUTRA_PLUGIN_PATH")))

-- One that is found and does not start: convolutions go on without it, and the doctor says why.
local environment, remove, other = dofile("tests/support/false_library.lua")("libcudnn.so.9")
expect(environment, "doctor", 0, ("note    cudnn GPU:1      %s/libcudnn.so.9 has no cudnn"):format(other),
  "so convolutions are laid out and multiplied by cuBLASLt\n", "conv2d gives the right result")
expect(environment, "doctor --json", 0, '"check": "cudnn",\n      "status": "note",\n      "device": "GPU:0"')
remove()

expect("A=", "doctor", 0, ("ok      nccl             %s/libnccl.so.2 is version 2, for sums over cards\n"):format(os.getenv("LUTRA_PLUGIN_PATH")))
assert(not expect("LUTRA_CUDA_STUB=inline,cards:1", "doctor", 0, "shows 1 card"):find("nccl", 1, true))

-- What ran on the CPU for want of a kernel is said; what has one ran on its card.
local json = expect("A=", "doctor --json", 0, '"ok": true', '"check": "plugin"', '"matmul": "GPU:0"', '"sum": "GPU:0"')
local trials = select(2, json:gsub('"check": "trial"', ""))
assert(trials == 3, json)

expect("LUTRA_CUDA_STUB=inline,cards:2,taken:4000", "doctor --json", 1, '"ok": false', '"check": "memory"',
  '"free_bytes": "100663296"')
expect("LUTRA_PLUGIN_PATH=/nowhere", "doctor", 1,
  "failed  plugin           this Lutra came without liblutra_cuda.so", "/nowhere/liblutra_cuda.so")
expect("CUDA_VISIBLE_DEVICES=-1", "doctor", 1, "CUDA_VISIBLE_DEVICES is '-1' and hides all GPUs", "1 finding failed.")
expect("LUTRA_CUDA_DRIVER=libm.so.6", "doctor", 1, "libm.so.6 has no cuInit")
expect("LUTRA_CUDA_DRIVER=none", "doctor", 0, "note    driver_library   LUTRA_CUDA_DRIVER is none", "ok      trial CPU:0")

-- A card that fails in the trial is reported with its own error, and the others are still tried.
expect("LUTRA_CUDA_STUB=inline,cards:2,memory:16", "doctor", 1, "failed  trial GPU:0      Stub 0: ",
  "failed  trial GPU:1      Stub 1: ", "ok      trial CPU:0")

-- A card that is left out is reported, and the others keep the numbers that scripts use.
expect("LUTRA_CUDA_STUB=inline,cards:3,old:0,closed:1", "doctor", 1,
  "failed  card             Stub 0, compute capability 7.0, PCI 0000:00:00.0: left out, for the plugin has no code for it (it has host)",
  "ok      card GPU:0       Stub 1, compute capability 9.0", "failed  memory GPU:0     the card gives no context: CUDA_ERROR_DEVICE_UNAVAILABLE",
  "another program has the card to itself", "ok      card GPU:1       Stub 2, compute capability 9.0",
  "failed  trial GPU:0      Stub 1: the card gives no context: CUDA_ERROR_DEVICE_UNAVAILABLE",
  "ok      trial GPU:1      Stub 2: matmul gives the right result")

-- A library of another build: its entry is there, its table is not ours.
local folder = os.tmpname()
os.remove(folder)
assert(os.execute(("mkdir '%s' && cp '%s' '%s/liblutra_cuda.so'"):format(folder, os.getenv("LUTRA_CUDA_DRIVER"), folder)))
expect("LUTRA_PLUGIN_PATH=" .. folder, "doctor", 1, folder .. "/liblutra_cuda.so is of another build of Lutra")

-- A cuBLASLt that is none: it is found by its name, and products fail with the reason.
local plugin = os.getenv("LUTRA_PLUGIN_PATH") .. "/liblutra_cuda.so"
assert(os.execute(("cp '%s' '%s/' && cp '%s' '%s/libcublasLt.so.13'"):format(plugin, folder, os.getenv("LUTRA_CUDA_DRIVER"), folder)))
expect("LUTRA_PLUGIN_PATH=" .. folder, "doctor", 1, "ok      cublasLt         " .. folder .. "/libcublasLt.so.13 is version 13",
  "failed  trial GPU:0      Stub 0: ", "matmul: " .. folder .. "/libcublasLt.so.13 has no cublasLtCreate: it is no cuBLASLt",
  "ok      trial CPU:0")

-- An older driver does not look at it: the one of its own CUDA is taken.
assert(os.execute(("cp '%s/libcublasLt.so.13' '%s/libcublasLt.so.12'"):format(os.getenv("LUTRA_PLUGIN_PATH"), folder)))
expect(("LUTRA_PLUGIN_PATH=%s LUTRA_CUDA_STUB=inline,driver:12040"):format(folder), "doctor", 0,
  ("ok      cublasLt         %s/libcublasLt.so.12 is version 12; major version 12 is needed by a driver for "
    .. "CUDA 12.4, so these were ignored: %s/libcublasLt.so.13\n"):format(folder, folder), "ok      trial GPU:0      Stub 0: matmul gives the right result;")
os.execute(("rm -r '%s'"):format(folder))

-- Simulated cards come before the machine's own, and are tried in their place.
expect("LUTRA_SIM_GPUS=1", "doctor", 0, "ok      trial GPU:0      Simulated GPU: matmul gives the right result; sum gives the right result; conv2d gives the right result\n")
print("doctor passed")
