-- lt.config's arguments: errors use the documented names, and distinguish physical devices from logical ones.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"
local config = lt.config
config.set_simulated_gpus(3, { memory_limit = 256 })
local gpus = config.list_physical_devices("GPU")

-- Every position, missing and of a wrong type.
local device, boolean, number = "expected a device's name or object", "expected a boolean", "expected a number"
local list = "expected a list like { {memory_limit = 1024} }"
for _, case in ipairs {
  { "list_physical_devices", {}, "device_type", "expected a string", optional = true }, { "list_logical_devices", {}, "device_type", "expected a string", optional = true },
  { "get_visible_devices", {}, "device_type", "expected a string", optional = true }, { "set_visible_devices", {}, "devices", "expected a list of devices" },
  { "set_visible_devices", { gpus }, "device_type", "expected a string", optional = true },
  { "set_memory_growth", {}, "device", device }, { "set_memory_growth", { gpus[1] }, "enable", boolean }, { "get_memory_growth", {}, "device", device },
  { "set_logical_device_configuration", {}, "device", device }, { "set_logical_device_configuration", { gpus[1] }, "logical_devices", list },
  { "get_logical_device_configuration", {}, "device", device },
  { "set_per_process_memory_fraction", {}, "device", device }, { "set_per_process_memory_fraction", { gpus[1] }, "fraction", number },
  { "set_memory_limit", {}, "device", device }, { "set_memory_limit", { "CPU:0" }, "memory_limit", number },
  { "set_soft_device_placement", {}, "enabled", boolean }, { "get_device_details", {}, "device", device },
  { "get_memory_info", {}, "device", device }, { "reset_memory_stats", {}, "device", device }, { "release_memory", {}, "device", device, optional = true },
  { "set_simulated_gpus", {}, "count", "expected an integer" }, { "set_simulated_gpus", { 1 }, "options", "expected a table of options", optional = true },
  { "set_float32_matmul_precision", {}, "precision", "expected a string" },
} do
  local name, before, argument, wanted = table.unpack(case)
  local function refuses(value, told)
    local arguments = table.move(before, 1, #before, 1, {})
    arguments[#before + 1] = value
    local words = ("%s: %s is %s, %s"):format(name, argument, told, wanted)
    expect.raises("InvalidArgument", words, config[name], table.unpack(arguments, 1, value == nil and #before or #before + 1))
  end
  if not case.optional then refuses(nil, "missing") end
  refuses(print, "a function")
end
for _, threads in ipairs { "2", 1.5, -1, 1025 } do
  expect.raises("InvalidArgument", "set_intra_op_parallelism_threads: threads is ", config.threading.set_intra_op_parallelism_threads, threads)
end
for _, getter in ipairs { config.get_soft_device_placement, config.get_float32_matmul_precision, config.reset, config.threading.get_intra_op_parallelism_threads,
  lt.debugging.get_log_device_placement, lt.debugging.get_kernel_fallback } do
  expect.raises("InvalidArgument", "1 argument given, none is taken", getter, 1)
end

-- Lists: invalid elements at each position.
expect.raises("InvalidArgument", "devices[2] is 3, expected a device's name or object", config.set_visible_devices, { gpus[1], 3 })
expect.raises("InvalidArgument", "devices has the key \"first\", expected a list of devices", config.set_visible_devices, { first = gpus[1] })
expect.raises("InvalidArgument", "logical_devices[2] is 64, expected a table like {memory_limit = 1024}", config.set_logical_device_configuration, gpus[1], { {}, 64 })

-- Options tables, of whatever function: one wording.
for _, case in ipairs {
  { config.set_simulated_gpus, { 1, { memory_limits = 1 } }, "set_simulated_gpus: unknown option 'memory_limits' (did you mean 'memory_limit'?); it takes memory_limit, gflops, gbps, link_gbps, link_latency_us, fail_at" },
  { config.set_simulated_gpus, { 1, { fail_at = 1.5 } }, "set_simulated_gpus: fail_at is 1.5, expected an integer" },
  { config.set_simulated_gpus, { 1, { gflops = "fast" } }, "set_simulated_gpus: gflops is \"fast\", expected a number" },
  { config.set_simulated_gpus, { 1, { 4 } }, "set_simulated_gpus: options has the key 1, expected the name of an option" },
  { config.set_logical_device_configuration, { gpus[1], { { limit = 1 } } }, "set_logical_device_configuration: unknown option 'limit'; it takes memory_limit" },
  { lt.debugging.set_log_device_placement, { false, { reason = true } }, "set_log_device_placement: unknown option 'reason' (did you mean 'reasons'?); it takes reasons, copies, once" },
  { lt.debugging.set_log_device_placement, { false, { [true] = true } }, "set_log_device_placement: options has the key true, expected the name of an option" },
  { lt.debugging.set_log_device_placement, { false, { once = 1 } }, "set_log_device_placement: once is 1, expected a boolean" },
  { lt.debugging.set_log_device_placement, { false, true }, "set_log_device_placement: options is true, expected a table of options" },
  { lt.constant, { 1, { dtyp = "int8" } }, "constant: unknown option 'dtyp' (did you mean 'dtype'?); it takes dtype" },
  { lt.constant, { 1, { ["dtype\0"] = "int8" } }, "constant: unknown option 'dtype\0' (did you mean 'dtype'?); it takes dtype" },
  { lt.set_print_options, { { precison = 3 } }, "set_print_options: unknown option 'precison' (did you mean 'precision'?); it takes precision, threshold, edge_items, line_width" },
  { lt.set_print_options, { { precision = 51 } }, "set_print_options: precision is 51, expected 0 to 50" },
  { lt.set_print_options, {}, "set_print_options: options is missing, expected a table of options" },
} do
  expect.equal(expect.raises("InvalidArgument", case[3], case[1], table.unpack(case[2])).message, case[3])
end

-- A physical device as the device of ops: the error recognises its name, and names the logical device.
config.set_logical_device_configuration(gpus[2], { { memory_limit = 64 }, { memory_limit = 64 } })
config.set_visible_devices({ gpus[2], gpus[3] }, "GPU")
local physical = "device: name is the physical device '/physical_device:GPU:1', expected a logical one; on it there is /device:GPU:0, /device:GPU:1"
expect.equal(expect.raises("InvalidArgument", physical, lt.device, gpus[2]).message, physical)
expect.raises("InvalidArgument", physical, lt.device, "/physical_device:GPU:1", lt.ones, { 2 })
config.set_memory_growth(gpus[2], true)  -- nothing was initialised by that
expect.raises("InvalidArgument", "on it there is /device:CPU:0", lt.device, config.list_physical_devices("CPU")[1])
expect.raises("InvalidArgument", "no logical device is on it: it is not visible (lutra.config.set_visible_devices), or it could not be opened", lt.device, gpus[1])
expect.raises("InvalidArgument", "Unrecognized device: '/physical_device:GPU:9'", lt.device, "/physical_device:GPU:9")
for _, f in ipairs { config.get_memory_info, config.reset_memory_stats, config.release_memory, lt.synchronize,
  function(gpu) return lt.ones({ 2 }):to(gpu) end } do
  expect.raises("InvalidArgument", "device is the physical device '/physical_device:GPU:2', expected a logical one; on it there is /device:GPU:2", f, gpus[3])
end

-- A logical device where a card is expected: the object is refused, while "GPU:1" is short for the card's name.
local logical = config.list_logical_devices("GPU")
for _, f in ipairs { config.get_device_details, config.get_memory_growth, config.get_logical_device_configuration,
  function(gpu) config.set_memory_growth(gpu, true) end } do
  expect.raises("InvalidArgument", "device is the logical device '/device:GPU:1', expected a physical one; it is on /physical_device:GPU:1", f, logical[2])
end
expect.raises("InvalidArgument", "devices[1] is the logical device '/device:GPU:2', expected a physical one; it is on /physical_device:GPU:2",
  config.set_visible_devices, { logical[3] })
assert(config.get_memory_growth("GPU:1") == true and config.get_memory_growth("/device:GPU:2") == nil)
assert(lt.device(logical[3], lt.ones, { 2 }).device:find("GPU:2$"))
print("ok")
