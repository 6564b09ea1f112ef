---@meta

--- Configures devices: which ones are used, how much memory they may take, and what happens when one is missing.
---
--- Devices go through three stages: physical (on the machine), visible (allowed to this program), logical (what
--- operations run on). The first operation, or the first query that needs them, creates the logical devices. From then
--- on setters of devices, memory and threads raise FailedPrecondition, unless they set the value that is already set;
--- `reset()` starts over. A physical device may be given as its object or its name ("GPU:0", "/physical_device:GPU:0"),
--- a logical one as its object or any name that matches one ("GPU:0", "/device:CPU:0"). MB are 2^20 bytes.
---@class lutra.config
local config = {}

--- A card or the CPU, as list_physical_devices returns it. Two are equal if their names are.
---@class lutra.PhysicalDevice
---@field name string "/physical_device:GPU:0"
---@field device_type string "CPU" or "GPU"

--- A device that operations run on: a physical device or a slice of one.
---@class lutra.LogicalDevice
---@field name string "/device:GPU:0"
---@field device_type string "CPU" or "GPU"

--- The result of get_memory_info, in bytes.
---@class lutra.MemoryInfo
---@field current integer used by tensors, including rounding up by the allocator
---@field peak integer highest value of current since the start or reset_memory_stats
---@field limit integer most that may be taken
---@field reserved integer taken from the device, including free memory kept for later tensors
---@field largest_free integer the largest tensor that fits now: free memory of a GPU may be in pieces

--- The devices of this machine. The call initialises nothing.
---@param device_type? string "CPU" or "GPU" in any case (default both)
---@return lutra.PhysicalDevice[] # CPU first; prints like TensorFlow's list
--- Errors: InvalidArgument if device_type is not a string. A type without devices gives an empty list.
--- Example:
---     print("Num GPUs Available: ", #lt.config.list_physical_devices("GPU"))  --> Num GPUs Available: 	2
---     print(lt.config.list_physical_devices("CPU"))
---     --> [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
--- Source: tf.config.list_physical_devices
function config.list_physical_devices(device_type) end

--- The devices that operations run on. The call initialises them.
---@param device_type? string "CPU" or "GPU" in any case (default both)
---@return lutra.LogicalDevice[] # CPUs first
--- Errors: InvalidArgument if device_type is not a string.
--- Example:
---     for _, gpu in ipairs(lt.config.list_logical_devices("GPU")) do print(gpu.name) end
---     --> /device:GPU:0
---     --> /device:GPU:1
--- Source: tf.config.list_logical_devices
function config.list_logical_devices(device_type) end

--- Sets which physical devices this program uses. Visible GPUs are numbered from 0 again.
---@param devices table|string a device or a list of them; {} is none
---@param device_type? string the type whose devices the list replaces; without it the list replaces all devices, including the CPU
--- Errors: InvalidArgument for an unknown device, one of another type, or a list that leaves no CPU. FailedPrecondition
---   once the devices are initialised.
--- Example:
---     local gpus = lt.config.list_physical_devices("GPU")
---     lt.config.set_visible_devices(gpus[2], "GPU")
---     print(#lt.config.list_logical_devices("GPU"))  --> 1
--- Source: tf.config.set_visible_devices
function config.set_visible_devices(devices, device_type) end

--- The physical devices this program uses.
---@param device_type? string "CPU" or "GPU" in any case (default both)
---@return lutra.PhysicalDevice[] # in physical order
--- Errors: InvalidArgument if device_type is not a string.
--- Example:
---     lt.config.set_visible_devices({}, "GPU")
---     print(#lt.config.get_visible_devices("GPU"), #lt.config.get_visible_devices("CPU"))  --> 0	1
--- Source: tf.config.get_visible_devices
function config.get_visible_devices(device_type) end

--- Sets whether a GPU's memory starts small and grows, instead of being taken whole at the first allocation.
---
--- GPUs may have different settings, also together with a limit. TF_FORCE_GPU_ALLOW_GROWTH=true or false (and
--- LUTRA_FORCE_GPU_ALLOW_GROWTH) overrides the setting of all GPUs.
---@param device string|lutra.PhysicalDevice a GPU
---@param enable boolean
--- Errors: InvalidArgument for an unknown device or one that is not a GPU. FailedPrecondition once the devices are
---   initialised.
--- Example:
---     lt.config.set_memory_growth("GPU:0", true)
---     print(lt.config.get_memory_info("GPU:0").reserved)  --> 0
--- Source: tf.config.experimental.set_memory_growth
function config.set_memory_growth(device, enable) end

--- The value given to set_memory_growth. As in TensorFlow it ignores TF_FORCE_GPU_ALLOW_GROWTH.
---@param device string|lutra.PhysicalDevice
---@return boolean|nil # nil if it was not set
--- Errors: InvalidArgument for an unknown device.
--- Example:
---     print(lt.config.get_memory_growth("GPU:0"))  --> nil
---     lt.config.set_memory_growth("GPU:0", true)
---     print(lt.config.get_memory_growth("GPU:0"))  --> true
--- Source: tf.config.experimental.get_memory_growth
function config.get_memory_growth(device) end

--- Limits a GPU's memory, or makes several logical devices of one physical device.
---@param device string|lutra.PhysicalDevice
---@param logical_devices table a list with one {memory_limit = MB} per logical device, or {} for one without a limit.
---   The CPU accepts only {} entries: `{ {}, {} }` makes two CPUs
--- Errors: InvalidArgument for a limit of zero, below zero or above the card's memory, limits that add up to more than
---   that, several GPUs without limits, a limit on the CPU, or no CPU. FailedPrecondition once the devices are
---   initialised.
--- Example:
---     local gpus = lt.config.list_physical_devices("GPU")
---     lt.config.set_logical_device_configuration(gpus[1], { {memory_limit = 1024}, {memory_limit = 512} })
---     print(#lt.config.list_logical_devices("GPU"))  --> 3
---     print(lt.config.get_memory_info("GPU:1").limit >> 20)  --> 512
--- Source: tf.config.set_logical_device_configuration
function config.set_logical_device_configuration(device, logical_devices) end

--- The value given to set_logical_device_configuration.
---@param device string|lutra.PhysicalDevice
---@return table|nil # the list of {memory_limit = MB}, which prints like TensorFlow's; nil if it was not set
--- Errors: InvalidArgument for an unknown device.
--- Example:
---     lt.config.set_logical_device_configuration("GPU:0", { {memory_limit = 256} })
---     print(lt.config.get_logical_device_configuration("GPU:0")[1].memory_limit)  --> 256
--- Source: tf.config.get_logical_device_configuration
function config.get_logical_device_configuration(device) end

--- Limits a GPU's memory to a fraction of the card's.
---@param device string|lutra.PhysicalDevice a GPU with one logical device
---@param fraction number above 0, at most 1
--- Errors: InvalidArgument for a fraction out of range, for the CPU, or for a card with several logical devices.
---   FailedPrecondition once the devices are initialised.
--- Example:
---     lt.config.set_per_process_memory_fraction("GPU:0", 0.25)
---     print(lt.config.get_memory_info("GPU:0").limit >> 20)  --> 1024
--- Source: tf.compat.v1.GPUOptions.per_process_gpu_memory_fraction
function config.set_per_process_memory_fraction(device, fraction) end

--- Limits the CPU's memory. The default is nine tenths of RAM or of the control group's limit. A GPU's limit is set
--- with set_logical_device_configuration.
---@param device string|lutra.PhysicalDevice
---@param memory_limit number MB
--- Errors: InvalidArgument for a GPU, and for a limit of zero, below zero or above the machine's memory.
---   FailedPrecondition once the devices are initialised.
--- Example:
---     lt.config.set_memory_limit("CPU:0", 100)
---     print(lt.config.get_memory_info("CPU:0").limit)  --> 104857600
function config.set_memory_limit(device, memory_limit) end

--- A device's memory use, in bytes. The call initialises the devices.
---@param device string|lutra.LogicalDevice a logical device, including the CPU
---@return lutra.MemoryInfo # prints like {'current': 0, 'peak': 0, 'limit': 1048576, 'reserved': 0}
--- Errors: NotFound for a missing device, InvalidArgument for a name that matches several.
--- Example:
---     local x = lt.zeros {256, 1024}
---     print(lt.config.get_memory_info("GPU:0").current)  --> 1048576
--- Source: tf.config.experimental.get_memory_info
function config.get_memory_info(device) end

--- Sets the device's `peak` to its `current`.
---@param device string|lutra.LogicalDevice
--- Errors: NotFound for a missing device, InvalidArgument for a name that matches several.
--- Example:
---     lt.zeros({256, 1024}):release()
---     lt.config.reset_memory_stats("GPU:0")
---     print(lt.config.get_memory_info("GPU:0").peak)  --> 0
--- Source: tf.config.experimental.reset_memory_stats
function config.reset_memory_stats(device) end

--- What the driver reports about a physical device.
---@param device string|lutra.PhysicalDevice
---@return table # strings: device_name and compute_capability of a GPU; empty for the CPU
--- Errors: InvalidArgument for an unknown device.
--- Example:
---     print(lt.config.get_device_details("GPU:0").device_name)  --> Simulated GPU
--- Source: tf.config.experimental.get_device_details
function config.get_device_details(device) end

--- Collects garbage, drops copies kept for reuse, and returns memory that no tensor uses to the device.
---@param device? string|lutra.LogicalDevice only this one (default all)
--- Errors: NotFound for a missing device, InvalidArgument for a name that matches several.
--- Example:
---     lt.zeros({256, 1024}):release()
---     lt.config.release_memory("GPU:0")
---     print(lt.config.get_memory_info("GPU:0").reserved)  --> 0
function config.release_memory(device) end

--- Makes simulated GPUs, with their own memory, queues, and the kernels that real GPUs have. They replace the real
--- GPUs.
---
--- `lutra --sim-gpus 4` and LUTRA_SIM_GPUS=4 do the same. If speeds are set, an operation or a copy takes at least the
--- time they imply; 0, the default, means as fast as the host. CUDA_VISIBLE_DEVICES selects among them.
---@param count integer 0 to 64
---@param options? table memory_limit = MB per GPU (4096); gflops = 10^9 operations per second; gbps = memory bandwidth, 10^9
---   bytes per second; link_gbps and link_latency_us = bandwidth and latency of copies; fail_at = the n-th operation on
---   each GPU fails late, for tests. All but fail_at may be a list with a number for each GPU: gflops = {100, 25}
--- Errors: InvalidArgument for a count out of range, an unknown option, a negative speed. FailedPrecondition once the
---   devices are initialised.
--- Example:
---     lt.config.set_simulated_gpus(4, {memory_limit = 512})
---     print(#lt.config.list_physical_devices("GPU"), lt.config.get_memory_info("GPU:3").limit >> 20)  --> 4	512
function config.set_simulated_gpus(count, options) end

--- Takes the GPUs of other processes, which run `lutra serve`, into this program. More:
--- [several hosts](../several-hosts.md#devices-of-other-processes).
---
--- Task i of a job, counted from 0, is the process at the i-th address. Its devices are used where a name has a job or a
--- task: "/job:worker/task:1/GPU:0". Without them a name means this process' devices, and operations without a scope
--- run on those. In a launch of several processes the job `worker` has these, so others need another name. Both ends must
--- be the same build of Lutra.
---@param jobs table addresses by job: {worker = {"host:7077", "other:7077"}}
---@param options? table {timeout = 10: the most seconds to wait for each process; token: the file with the token that
---   `lutra serve --token FILE` asks for}
--- Errors: InvalidArgument for a malformed address or job; NotFound for an unknown host; Aborted, with the field `host`, if
---   nobody answers; FailedPrecondition for another build, a wrong token, a job that is connected already, in a sandbox, or once the
---   devices are initialised. Aborted later, where a result is read, if the process is lost.
--- Example:
---     print(pcall(lt.config.connect_to_cluster, {worker = {"no port"}}))  --> false	<*>expected HOST:PORT
--- Source: tf.config.experimental_connect_to_cluster
function config.connect_to_cluster(jobs, options) end

--- Sets who places the steps of `fit`: the rules of placement.md, or plans (lutra.placement.step), which are made and
--- renewed while it runs. Models in the scope of a strategy keep to the rules. Results are the same bits where the devices
--- compute the same bits.
---@param mode string "rules" (the default) or "auto"
--- Errors: InvalidArgument for another word.
--- Example:
---     lt.config.set_placement("auto")
---     print(lt.config.get_placement())  --> auto
function config.set_placement(mode) end

--- The value given to set_placement.
---@return string # "rules" by default
--- Errors: none of its own.
--- Example:
---     print(lt.config.get_placement())  --> rules
function config.get_placement() end

--- Sets whether a scope for a missing device uses an existing one instead of raising an error. Off by default; can
--- change at any time.
---@param enabled boolean
--- Errors: InvalidArgument if enabled is not a boolean.
--- Example:
---     lt.config.set_soft_device_placement(true)
---     print(lt.device("/GPU:7", lt.zeros, {2}).device)  --> /job:localhost/replica:0/task:0/device:GPU:0
--- Source: tf.config.set_soft_device_placement, whose default is on
function config.set_soft_device_placement(enabled) end

--- The value given to set_soft_device_placement.
---@return boolean # default false
--- Example:
---     print(lt.config.get_soft_device_placement())  --> false
--- Source: tf.config.get_soft_device_placement
function config.get_soft_device_placement() end

--- Sets how exactly NVIDIA cards multiply float32 matrices, including in convolutions: operands are rounded to tf32 (11
--- bits), to bf16 (8 bits) or not at all, and summed in float32. The CPU and simulated GPUs compute in fp32. Can change
--- at any time.
---@param precision string "tf32" (the default), "fp32" or "bf16"
--- Errors: InvalidArgument for another value.
--- Example:
---     lt.config.set_float32_matmul_precision("fp32")
---     print(lt.config.get_float32_matmul_precision())  --> fp32
--- Source: tf.config.experimental.enable_tensor_float_32_execution
function config.set_float32_matmul_precision(precision) end

--- The value given to set_float32_matmul_precision.
---@return string # default "tf32"
--- Example:
---     print(lt.config.get_float32_matmul_precision())  --> tf32
--- Source: tf.config.experimental.tensor_float_32_execution_enabled
function config.get_float32_matmul_precision() end

--- Discards the logical devices and the settings of devices, memory and threads, so that they can be set again.
---
--- Garbage is collected first. Soft placement, the log and simulated GPUs are kept.
--- Errors: FailedPrecondition while there are tensors on a GPU.
--- Example:
---     print(#lt.config.list_logical_devices("GPU"))  --> 2
---     lt.config.reset()
---     lt.config.set_visible_devices({}, "GPU")
---     print(#lt.config.list_logical_devices("GPU"))  --> 0
function config.reset() end

--- The number of threads for loops on the CPU.
---@class lutra.config.threading
config.threading = {}

--- Sets how many threads one operation on the CPU may use. Results do not depend on it, except for the last bits of
--- large float32 products and convolutions, whose sums oneDNN splits among the threads.
---@param threads integer 0 (as many as the machine offers, or LUTRA_NUM_THREADS) to 1024
--- Errors: InvalidArgument for a number out of range. FailedPrecondition once the devices are initialised.
--- Example:
---     lt.config.threading.set_intra_op_parallelism_threads(1)
---     print(lt.config.threading.get_intra_op_parallelism_threads())  --> 1
--- Source: tf.config.threading.set_intra_op_parallelism_threads
function config.threading.set_intra_op_parallelism_threads(threads) end

--- The value given to set_intra_op_parallelism_threads.
---@return integer # 0: automatic
--- Example:
---     print(lt.config.threading.get_intra_op_parallelism_threads())  --> 0
--- Source: tf.config.threading.get_intra_op_parallelism_threads
function config.threading.get_intra_op_parallelism_threads() end

--- The same functions under TensorFlow's names in tf.config.experimental.
---@class lutra.config.experimental
config.experimental = {}

config.experimental.set_memory_growth = config.set_memory_growth
config.experimental.get_memory_growth = config.get_memory_growth
config.experimental.get_memory_info = config.get_memory_info
config.experimental.reset_memory_stats = config.reset_memory_stats
config.experimental.get_device_details = config.get_device_details
config.experimental.list_physical_devices = config.list_physical_devices
config.experimental.list_logical_devices = config.list_logical_devices
config.experimental.set_visible_devices = config.set_visible_devices
config.experimental.get_visible_devices = config.get_visible_devices
config.experimental.set_virtual_device_configuration = config.set_logical_device_configuration
config.experimental.get_virtual_device_configuration = config.get_logical_device_configuration

return config
