-- lutra tests/support/run/run_spec.lua FILE [OP ...]: runs the specs of a file (spec.lua describes their form), or
-- those of some ops. Prints a line for each failing case; the last line is "N passed, M failed", and the exit status 1
-- when M is not 0.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/../?.lua;" .. package.path

local file, only = arg[1], arg[2] and {}
for i = 2, #arg do only[arg[i]] = true end
if not file then
  io.stderr:write("usage: lutra tests/support/run/run_spec.lua FILE [OP ...]\n")
  os.exit(2)
end

-- Before the first op, which initialises the devices. When real cards are required, a simulated one would prove nothing.
if #lt.config.list_physical_devices("GPU") == 0 then
  local driver = os.getenv("LUTRA_CUDA_DRIVER") or "none"
  assert(driver == "none", "no GPU by LUTRA_CUDA_DRIVER=" .. driver)
  lt.config.set_simulated_gpus(1)
end

-- Specifications need float32; a real card would round products to tf32, which has three digits.
lt.config.set_float32_matmul_precision("fp32")

local spec = require "spec"
local cases = require "cases"

local passed, failed = 0, 0
local function report(line)
  failed = failed + 1
  print(file .. ": " .. line)
end

local chunk, problem = loadfile(file, "t", spec.environment())
if chunk then
  -- Tensors made while the file is read are on the CPU.
  local ok, raised = xpcall(lt.device, debug.traceback, "/CPU:0", chunk)
  if not ok then report(tostring(raised)) end
else
  report(problem)
end

local ran = 0
for _, entry in ipairs(spec.all) do
  if not only or only[entry.name] then
    if only then only[entry.name] = "ran" end
    ran = ran + 1
    if entry.problem then
      report(("%s (line %d): %s"):format(entry.name, entry.line, entry.problem))
    else
      local ok, result = xpcall(cases.run, debug.traceback, entry, function(line) report(line) end)
      if ok then passed = passed + result else report(entry.name .. ": the runner: " .. tostring(result)) end
    end
  end
end
for name, state in pairs(only or {}) do
  if state ~= "ran" then report("has no spec " .. name) end
end
if ran == 0 then report("has no spec") end

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1, true)
