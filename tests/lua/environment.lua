-- Environment variables: simulated GPUs, visible cards, growth, the log, threads; and that invalid values are reported.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"

local function run(environment, script, options)
  local text, ok = expect.program(script, options, environment)
  assert(ok, text)
  return text
end

-- Which cards there are.
local function names(environment, options)
  return run(environment, "for _, d in ipairs(lt.config.list_physical_devices('GPU')) do io.write(d.name:match('%d+'), ' ') end "
    .. "io.write(#lt.config.list_logical_devices('GPU'))", options)
end
for _, case in ipairs {
  { "LUTRA_SIM_GPUS=2", "0 1 2" }, { "LUTRA_SIM_GPUS=0", "0" }, { "LUTRA_SIM_GPUS=4 CUDA_VISIBLE_DEVICES=3,2", "0 1 2" },
  { "LUTRA_SIM_GPUS=4 CUDA_VISIBLE_DEVICES=", "0" }, { "LUTRA_SIM_GPUS=4 CUDA_VISIBLE_DEVICES=-1", "0" },
  { "LUTRA_SIM_GPUS=4 CUDA_VISIBLE_DEVICES=1,9,2", "0 1" }, { "LUTRA_SIM_GPUS=4 CUDA_VISIBLE_DEVICES=0,1,2,3", "0 1 2 3 4" },
  { "LUTRA_SIM_GPUS=1:64", "0 1" },
} do
  expect.equal(names(case[1]), case[2], case[1])
end
expect.equal(names("CUDA_VISIBLE_DEVICES=1", "--sim-gpus 3"), "0 1")
expect.equal(names("LUTRA_SIM_GPUS=2", "--sim-gpus 0"), "0", "the option is the last word")

-- Growth.
local reserved = "local before = lt.ones {2} print(lt.config.get_memory_info('GPU:0').reserved < 100 << 20)"
expect.equal(run("LUTRA_SIM_GPUS=1 TF_FORCE_GPU_ALLOW_GROWTH=true", reserved), "true\n")
expect.equal(run("LUTRA_SIM_GPUS=1 LUTRA_FORCE_GPU_ALLOW_GROWTH=true", reserved), "true\n")
expect.equal(run("LUTRA_SIM_GPUS=1", reserved), "false\n")
local unread = 'WARNING: The %s environment variable is set but could not be parsed: "1". Valid values are "true" or "false". '
  .. "Using original config value of false.\n"
local twice = "lt.ones {2} lt.ones {2}"
expect.equal(run("LUTRA_SIM_GPUS=1 TF_FORCE_GPU_ALLOW_GROWTH=1", twice), unread:format("TF_FORCE_GPU_ALLOW_GROWTH"))
expect.equal(run("LUTRA_FORCE_GPU_ALLOW_GROWTH=1", twice), unread:format("LUTRA_FORCE_GPU_ALLOW_GROWTH"), "also without a GPU")
expect.equal(run("TF_FORCE_GPU_ALLOW_GROWTH=1", twice), "", "TensorFlow's own, without a GPU")

-- The log.
for value, is_on in pairs { ["1"] = true, ["true"] = true, on = true, yes = true, ["0"] = false, off = false, ["false"] = false, no = false, [""] = false } do
  local text = run("LUTRA_LOG_PLACEMENT=" .. value, "lt.ones {2}")
  assert((text:find("Executing op Fill in device", 1, true) ~= nil) == is_on, value .. ": " .. text)
end

-- A value that nobody can read ends the program at its start, whether it would have mattered or not.
for setting, wanted in pairs {
  ["LUTRA_SIM_GPUS=many"] = "LUTRA_SIM_GPUS is 'many', expected a number up to 64 as in 4, or 4:1024 for 1024 MB each",
  ["LUTRA_SIM_GPUS=65"] = "LUTRA_SIM_GPUS is '65', expected", ["LUTRA_SIM_GPUS=2:-1"] = "LUTRA_SIM_GPUS is '2:-1', expected",
  ["LUTRA_NUM_THREADS=all"] = "LUTRA_NUM_THREADS is 'all', expected a whole number from 0 (as many as there are cores) to 1024",
  ["LUTRA_NUM_THREADS=-1"] = "LUTRA_NUM_THREADS is '-1', expected", ["LUTRA_NUM_THREADS=2x"] = "LUTRA_NUM_THREADS is '2x', expected",
  ["LUTRA_NUM_THREADS=1025"] = "LUTRA_NUM_THREADS is '1025', expected",
  ["LUTRA_CPU_LEVEL=avx"] = "LUTRA_CPU_LEVEL is 'avx', expected baseline, avx2 or avx512",
  ["LUTRA_REPLICA_TIMEOUT=nan"] = "LUTRA_REPLICA_TIMEOUT is 'nan', expected a number of seconds, 0 for any time",
  ["LUTRA_REPLICA_TIMEOUT=-1"] = "LUTRA_REPLICA_TIMEOUT is '-1', expected",
  ["LUTRA_REPLICA_TIMEOUT=inf"] = "LUTRA_REPLICA_TIMEOUT is 'inf', expected",
  ["LUTRA_SIM_SCHEDULE=foo"] = "LUTRA_SIM_SCHEDULE is 'foo', expected random:SEED with a whole number, as in random:42",
  ["LUTRA_LOG_PLACEMENT=please"] = "LUTRA_LOG_PLACEMENT is 'please', expected 1 or 0 (or true, on, yes, false, off, no)",
} do
  local text, ok = expect.program("print('it ran')", "", setting)
  assert(not ok and text:find(wanted, 1, true) and not text:find("it ran", 1, true), setting .. ": " .. text)
end
for _, setting in ipairs { "LUTRA_SIM_GPUS=", "LUTRA_NUM_THREADS=", "LUTRA_NUM_THREADS=0", "LUTRA_NUM_THREADS=1024", "LUTRA_SIM_SCHEDULE=",
  "LUTRA_CPU_LEVEL=", "LUTRA_CPU_LEVEL=baseline" } do
  expect.equal(run(setting, "print(lt.ones({2}):sum():item())"), "2.0\n", setting)
end
expect.equal(run("LUTRA_SIM_GPUS=many LUTRA_LOG_PLACEMENT=please", "print(1)", "-E"), "1\n", "-E reads none of it")
print("ok")
