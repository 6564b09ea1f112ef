-- lutra tests/support/run_guide.lua NAME: runs scripts/guide/NAME.lua and compares what it prints, stdout and stderr in
-- order, with tests/guide/NAME.golden. The golden file's head says how to run it:
--   #: options --sim-gpus 4           before the script
--   #: args 256                       after the script
--   #: env CUDA_VISIBLE_DEVICES=1     one line a variable
--   #: exit 0                         the exit status (0 when nothing is said)
-- The rest is written from the documentation and is never taken from a run.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/?.lua;" .. package.path
local golden = require "golden"

local name = arg[1]
if not name then
  io.stderr:write("usage: lutra tests/support/run_guide.lua NAME\n")
  os.exit(2)
end
local path = "tests/guide/" .. name .. ".golden"

local head = { options = "", args = "", env = {}, exit = 0 }
local wanted = {}
for number, line in ipairs(golden.lines(golden.read(path))) do
  local key, value = line:match("^#: (%l+) (.+)$")
  if key == "env" then
    head.env[#head.env + 1] = value
  elseif key == "exit" then
    head.exit = assert(math.tointeger(tonumber(value)), path .. ": exit is no number")
  elseif key == "options" or key == "args" then
    head[key] = value
  elseif line:sub(1, 2) == "#:" then
    error(("%s:%d: the head has no '%s'"):format(path, number, line), 0)
  else
    wanted[#wanted + 1] = line
  end
end
assert(#wanted > 0, path .. " expects nothing")

local script = "scripts/guide/" .. name .. ".lua"
local output, status = golden.run(table.concat({ head.options, golden.quote(script), head.args }, " "), head.env)

local failed = 0
local difference = golden.compare(wanted, golden.lines(output))
if difference then
  failed = 1
  print(script .. " does not print what " .. path .. " says:")
  print(difference)
elseif output:sub(-1) ~= "\n" then
  failed = 1
  print(script .. ": the last line does not end")
end
if status ~= head.exit then
  failed = 1
  print(("%s: exit status %d, expected %d"):format(script, status, head.exit))
end
print(("%d passed, %d failed"):format(1 - failed, failed))
os.exit(failed == 0 and 0 or 1, true)
