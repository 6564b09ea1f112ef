-- An op without a GPU kernel runs on the CPU, even inside a GPU scope; with `reasons` the log says why.
lt.debugging.set_log_device_placement(true, {reasons = true})
local x = lt.constant({3.0, 1.0, 3.0})

lt.device("/GPU:0", function()
  local values, inverse, counts = lt.unique(x)
  print(values, inverse, counts)
  print(values * 10)                                     -- and the next op is on the GPU again
end)

-- Without a scope GPUs come first, for those ops that have a kernel there.
local values = lt.unique(x)
print(values.device)

-- "warn" prints a warning without the log, "error" refuses the op.
lt.debugging.set_log_device_placement(false)
lt.debugging.set_kernel_fallback("warn")
lt.device("/GPU:0", lt.unique, x)

lt.debugging.set_kernel_fallback("error")
local ok, err = pcall(lt.device, "/GPU:0", lt.unique, x)
print(ok, lt.iserror(err))

-- In a CPU scope nothing falls back, so nothing is refused.
print((lt.device("/CPU:0", lt.unique, x)))
