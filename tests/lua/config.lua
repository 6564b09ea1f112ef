-- lt.config: each setter before and after the devices are initialised, with TensorFlow's messages; reset.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"
local config = lt.config
config.set_simulated_gpus(3, { memory_limit = 256 })
local cpu_limit = config.get_memory_info("CPU:0").limit
config.reset()

-- Lists, entries, and how they print.
local gpus = config.list_physical_devices("GPU")
local cpu = config.list_physical_devices("cpu")[1]
assert(#gpus == 3 and #config.list_physical_devices() == 4 and #config.list_physical_devices("TPU") == 0)
assert(gpus[2].name == "/physical_device:GPU:1" and gpus[2].device_type == "GPU")
expect.equal(tostring(gpus[1]), "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')")
expect.equal(tostring(config.list_physical_devices("CPU")), "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]")
assert(gpus[1] == config.list_physical_devices("gpu")[1] and gpus[1] ~= gpus[2])
assert(type(config.get_device_details(gpus[1])) == "table")

-- Before: everything can be said, and taken back.
config.set_visible_devices({ gpus[3], gpus[1] }, "GPU")
expect.equal(tostring(config.get_visible_devices("GPU")), "[PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU'), "
  .. "PhysicalDevice(name='/physical_device:GPU:2', device_type='GPU')]")
config.set_visible_devices({ cpu, gpus[2] })
expect.equal(#config.get_visible_devices(), 2)
config.set_visible_devices({}, "GPU")
assert(#config.get_visible_devices("GPU") == 0)
config.set_visible_devices(gpus, "GPU")
expect.raises("InvalidArgument", "No CPU devices are available in this process", config.set_visible_devices, gpus)
expect.raises("InvalidArgument", "No CPU devices are available in this process", config.set_visible_devices, {}, "CPU")
expect.raises("InvalidArgument", "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU') is no CPU",
  config.set_visible_devices, gpus, "CPU")
expect.raises("InvalidArgument", "Unrecognized device", config.set_visible_devices, { "GPU:9" })
assert(#config.get_visible_devices("GPU") == 3, "what was refused changed nothing")

assert(config.get_memory_growth(gpus[1]) == nil)
config.set_memory_growth(gpus[1], true)
config.experimental.set_memory_growth("GPU:1", false)
assert(config.get_memory_growth("GPU:0") == true and config.experimental.get_memory_growth(gpus[2]) == false)
expect.raises("InvalidArgument", "Cannot set memory growth on non-GPU and non-Pluggable devices", config.set_memory_growth, cpu, true)
expect.raises("InvalidArgument", "set_memory_growth: enable is missing", config.set_memory_growth, gpus[1])

config.set_logical_device_configuration(gpus[1], { { memory_limit = 64 }, { memory_limit = 100 } })
expect.equal(config.get_logical_device_configuration(gpus[1]), { { memory_limit = 64 }, { memory_limit = 100 } })
assert(config.get_logical_device_configuration(gpus[3]) == nil)
for _, case in ipairs {
  { gpus[1], { { memory_limit = 0 } }, "memory_limit is 0 MB" }, { gpus[1], { { memory_limit = -1 } }, "memory_limit is -1 MB" },
  { gpus[1], { { memory_limit = 0.05 } }, "memory_limit is 0.05 MB; /physical_device:GPU:0 gives memory in pages of 0.0625 MB, and needs one at least" },
  { gpus[1], { { memory_limit = 0 / 0 } }, "nan MB" }, { gpus[1], { { memory_limit = 1 / 0 } }, "memory_limit is" },
  { gpus[1], { { memory_limit = 257 } }, "more than the 256 MB of" }, { gpus[1], { { memory_limit = 200 }, { memory_limit = 57 } }, "add up to 257 MB" },
  { gpus[1], { {}, {} }, "Setting memory limit is required for GPU virtual devices" },
  { cpu, { { memory_limit = 64 } }, "Setting memory limit on CPU virtual devices is currently not supported" },
  { cpu, {}, "No CPU devices are available in this process" }, { gpus[1], { { memory_limits = 3 } }, "did you mean" },
  { gpus[1], { 3 }, "logical_devices[1]" }, { gpus[1], { x = {} }, "logical_devices has the key" }, { gpus[1], { { memory_limit = "1" } }, "a number" },
} do
  expect.raises("InvalidArgument", case[3], config.set_logical_device_configuration, case[1], case[2])
end
local exclusive = "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set."
expect.raises("InvalidArgument", exclusive, config.set_per_process_memory_fraction, gpus[1], 0.5)
config.set_logical_device_configuration(gpus[2], { { memory_limit = 100 } })
expect.raises("InvalidArgument", exclusive, config.set_per_process_memory_fraction, gpus[2], 0.5)
config.set_logical_device_configuration(gpus[2], {})
config.set_per_process_memory_fraction(gpus[3], 0.5)
for _, fraction in ipairs { 0, -1, 1.5, 0 / 0, 1 / 0 } do
  expect.raises("InvalidArgument", "set_per_process_memory_fraction", config.set_per_process_memory_fraction, gpus[3], fraction)
end
expect.raises("InvalidArgument", exclusive .. " /physical_device:GPU:2 has a fraction of 0.5", config.set_logical_device_configuration, gpus[3], { { memory_limit = 100 } })
config.set_logical_device_configuration(cpu, { {}, {} })
config.set_memory_limit("CPU:0", 300)
expect.raises("InvalidArgument", "is no CPU; lutra.config.set_logical_device_configuration(device, { {memory_limit = MB} })", config.set_memory_limit, "GPU:0", 10)
for _, limit in ipairs { 0, -1, 0 / 0, 1 / 0, -1 / 0, 1e12, cpu_limit / 2 ^ 20 * 2 } do
  expect.raises("InvalidArgument", "set_memory_limit: memory_limit is", config.set_memory_limit, cpu, limit)
end
config.threading.set_intra_op_parallelism_threads(2)
expect.raises("InvalidArgument", "threads is -1", config.threading.set_intra_op_parallelism_threads, -1)

-- None of these calls, scopes or queries has initialised the devices.
config.get_soft_device_placement()
lt.debugging.set_log_device_placement(false)
lt.random.set_seed(3)
do local _ <close> = lt.device("/GPU:0") end
config.set_memory_growth(gpus[1], false)
config.set_memory_growth(gpus[1], true)

-- Initialised: by the list of logical devices.
local logical = config.list_logical_devices("GPU")
local by = debug.getinfo(1, "l").currentline - 1
expect.equal(tostring(logical), "[LogicalDevice(name='/device:GPU:0', device_type='GPU'), LogicalDevice(name='/device:GPU:1', device_type='GPU'), "
  .. "LogicalDevice(name='/device:GPU:2', device_type='GPU'), LogicalDevice(name='/device:GPU:3', device_type='GPU')]")
expect.equal(#config.list_logical_devices("CPU"), 2)
assert(lt.device("/CPU:1", lt.ones, { 2 }).device:find("CPU:1$"))
local MB = 1 << 20
local limits = {}
for i, device in ipairs(logical) do limits[i] = config.get_memory_info(device).limit / MB end
expect.equal(limits, { 64, 100, 256, 128 }, "limits")
assert(config.get_memory_info("CPU:0").limit == 300 * MB)

-- After: what changes something is refused in TensorFlow's words; a second line says who initialised and what to do.
local function frozen(words, f, ...)
  local err = expect.raises("FailedPrecondition", words, f, ...)
  local first, second = err.message:match("^([^\n]*)\n(.*)$")
  assert(first == words, err.message)
  assert(second:find("tests/lua/config.lua:" .. by, 1, true) and second:find("lutra.config.reset()", 1, true), err.message)
end
local visible, physical, virtual = "Visible devices cannot be modified after being initialized",
  "Physical devices cannot be modified after being initialized", "Virtual devices cannot be modified after being initialized"
frozen(visible, config.set_visible_devices, { gpus[1] }, "GPU")
frozen(visible, config.set_visible_devices, { cpu })
frozen(physical, config.set_memory_growth, gpus[1], false)
frozen(physical, config.set_memory_growth, gpus[3], true)
frozen(virtual, config.set_logical_device_configuration, gpus[1], { { memory_limit = 10 } })
frozen(virtual, config.set_logical_device_configuration, cpu, { {} })
frozen(physical, config.set_per_process_memory_fraction, gpus[3], 0.25)
frozen(physical, config.set_memory_limit, "CPU:0", 301)
expect.raises("FailedPrecondition", "Intra op parallelism cannot be modified after initialization.", config.threading.set_intra_op_parallelism_threads, 1)
expect.raises("FailedPrecondition", "cannot be modified after being initialized", config.set_simulated_gpus, 4)
-- Setting the same value again is allowed; arguments are checked first; two settings can still be changed.
config.set_visible_devices(gpus, "GPU")
config.set_memory_growth(gpus[1], true)
config.set_logical_device_configuration(gpus[1], { { memory_limit = 64 }, { memory_limit = 100 } })
config.set_per_process_memory_fraction(gpus[3], 0.5)
config.set_memory_limit("CPU:0", 300)
config.threading.set_intra_op_parallelism_threads(2)
config.set_simulated_gpus(3, { memory_limit = 256 })
expect.raises("InvalidArgument", "Cannot set memory growth on non-GPU and non-Pluggable devices", config.set_memory_growth, cpu, true)
expect.raises("InvalidArgument", "memory_limit is 0 MB", config.set_logical_device_configuration, gpus[1], { { memory_limit = 0 } })
config.set_soft_device_placement(true)
config.set_soft_device_placement(false)
for _, mode in ipairs { "fp32", "bf16", "tf32" } do config.set_float32_matmul_precision(mode) end
expect.raises("InvalidArgument", "precision", config.set_float32_matmul_precision, "fp8")

-- Devices by name in get_memory_info.
for _, name in ipairs { "GPU:0", "/GPU:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0", logical[1] } do
  assert(config.get_memory_info(name).limit == 64 * MB)
end
expect.raises("NotFound", "No matching devices found for 'GPU:7'", config.get_memory_info, "GPU:7")
expect.raises("InvalidArgument", "Multiple devices match the provided string '/device:GPU:*'", config.get_memory_info, "/device:GPU:*")
expect.raises("InvalidArgument", "get_memory_info: device is missing", config.get_memory_info)
config.reset_memory_stats("CPU:0")

-- reset: refused while tensors live on a GPU, then everything starts over.
local held = lt.ones { 2 }
local err = expect.raises("FailedPrecondition", "on /job:localhost/replica:0/task:0/device:GPU:0", config.reset)
frozen(physical, config.set_memory_growth, gpus[3], true)
held = nil
local on_cpu = lt.device("/CPU:1", lt.ones, { 100 })
local mirrored = lt.device("/GPU:1", function() return (on_cpu + 1):sum():item() end)
assert(mirrored == 200)
config.set_soft_device_placement(true)
config.reset()
assert(config.get_soft_device_placement(), "soft placement is kept")
assert(config.get_memory_info("CPU:0").limit == cpu_limit, "the CPU's limit is its own again")
config.reset()
config.set_soft_device_placement(false)
assert(config.get_memory_growth(gpus[1]) == nil and config.get_logical_device_configuration(gpus[1]) == nil)
expect.equal(#config.list_physical_devices("GPU"), 3, "simulated GPUs are kept")
expect.equal(on_cpu:sum():item(), 100, "CPU tensors live on")
config.reset()
config.set_visible_devices({ gpus[2] }, "GPU")
config.set_memory_growth(gpus[2], true)
expect.equal(#config.list_logical_devices("GPU"), 1)
assert(lt.ones({ 2 }).device:find("GPU:0$") and (on_cpu + 1).device:find("GPU:0$"))
expect.raises("NotFound", "device:GPU:1 unknown device", lt.device, "/GPU:1", lt.ones, { 2 })
collectgarbage()
config.reset()
config.set_simulated_gpus(0)
assert(#config.list_physical_devices("GPU") == 0 and lt.ones({ 2 }).device:find("CPU:0$"))
expect.raises("NotFound", "device:GPU:0 unknown device", lt.device, "/GPU:0", lt.ones, { 2 })
config.reset()
for i = 1, 300 do
  config.set_simulated_gpus(1 + i % 3)
  assert(#config.list_logical_devices("GPU") == 1 + i % 3)
  config.reset()
end

-- However often the same devices are initialised, they are the same; what a tensor of before says stays true.
config.set_simulated_gpus(2)
config.set_logical_device_configuration(cpu, { {}, {} })
local kept = lt.device("/CPU:1", lt.ones, { 3 })
for i = 1, 20000 do  -- 70,000 devices, more than there are numbers
  config.reset()
  if i % 2 == 0 then config.set_logical_device_configuration(cpu, { {}, {} }) end
  config.list_logical_devices()
end
assert(kept.device:find("CPU:1$") and lt.device("/GPU:1", function() return (kept + 1):totable()[3] end) == 2)
collectgarbage()
config.reset()
-- A scope that is open goes over to the new devices.
config.set_simulated_gpus(2)
do
  local _ <close> = lt.device("/GPU:1")
  assert(lt.ones({ 2 }).device:find("GPU:1$"))
  collectgarbage()
  config.reset()
  config.set_simulated_gpus(1)
  expect.raises("NotFound", "unknown device", lt.ones, { 2 })
end
config.reset()
for _, options in ipairs { 3, { memory_limits = 1 }, { memory_limit = 0 }, { memory_limit = -1 }, { memory_limit = 0 / 0 }, { gflops = -1 },
  { gbps = 1 / 0 }, { fail_at = 1.5 }, { fail_at = -1 }, { link_latency_us = "x" } } do
  expect.raises("InvalidArgument", "set_simulated_gpus: ", config.set_simulated_gpus, 1, options)
end
for _, count in ipairs { -1, 1000, 1.5, "2", {} } do expect.raises("InvalidArgument", "set_simulated_gpus: count is", config.set_simulated_gpus, count) end

err = nil
print("ok")
