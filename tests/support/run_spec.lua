-- lutra tests/support/run_spec.lua FILE [OP]: runs the specs of a file (spec.lua tells their form), or those of one op.
-- One line a failing case; the last line is "N passed, M failed", and the exit status 1 when M is not 0.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/?.lua;" .. package.path

local file, only = arg[1], arg[2]
if not file then
  io.stderr:write("usage: lutra tests/support/run_spec.lua FILE [OP]\n")
  os.exit(2)
end

-- Before the first op: afterwards the devices are settled.
if #lt.config.list_physical_devices("GPU") == 0 then lt.config.set_simulated_gpus(1) end

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
  if not only or entry.name == only then
    ran = ran + 1
    if entry.problem then
      report(("%s (line %d): %s"):format(entry.name, entry.line, entry.problem))
    else
      local ok, result = xpcall(cases.run, debug.traceback, entry, function(line) report(line) end)
      if ok then passed = passed + result else report(entry.name .. ": the runner: " .. tostring(result)) end
    end
  end
end
if ran == 0 then report(only and "has no spec " .. only or "has no spec") end

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1, true)
