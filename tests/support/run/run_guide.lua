-- lutra tests/support/run/run_guide.lua NAME [--cards | --stub]: runs scripts/guide/NAME.lua and compares what it prints,
-- stdout and stderr in order, with tests/guide/NAME.golden. With --cards NVIDIA's cards take the place of simulated GPUs,
-- with --stub those of the stub; exit status 77, which skips the test, where there are too few. The golden file's head
-- says how to run it:
--   #: options --sim-gpus 4           before the script
--   #: args 256                       after the script
--   #: env CUDA_VISIBLE_DEVICES=1     one line a variable
--   #: exit 0                         the exit status (0 when nothing is said)
-- The rest is written from the documentation and is never taken from a run.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/../?.lua;" .. package.path
local golden = require "run.golden"

local name = arg[1]
if not name then
  io.stderr:write("usage: lutra tests/support/run/run_guide.lua NAME [--cards | --stub]\n")
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

-- Exactly as many cards as the golden file has simulated GPUs.
if arg[2] then
  local gpus = 0
  head.options = head.options:gsub("%-%-sim%-gpus (%d+)", function(count)
    gpus = tonumber(count)
    return ""
  end)
  local picks = table.concat(head.env, " "):find("CUDA_VISIBLE_DEVICES", 1, true)
  if arg[2] == "--stub" then
    if picks then
      print("the stub does not know CUDA_VISIBLE_DEVICES, which is the driver's to read")
      os.exit(77)
    end
    table.insert(head.env, "LUTRA_CUDA_STUB=random:1,cards:" .. gpus)
  else
    local visible = os.getenv("CUDA_VISIBLE_DEVICES")
    if picks and visible then
      print("the program picks cards by their numbers, and CUDA_VISIBLE_DEVICES has done that already")
      os.exit(77)
    end
    local there = #lt.config.list_physical_devices("GPU")
    if there < gpus then
      print(("%d GPUs here, %d wanted"):format(there, gpus))
      os.exit(77)
    end
    local numbers = {}
    for name in (visible or ""):gmatch("[^,]+") do
      if #numbers < gpus then numbers[#numbers + 1] = name end
    end
    for i = #numbers + 1, gpus do numbers[i] = i - 1 end
    if not picks then table.insert(head.env, "CUDA_VISIBLE_DEVICES=" .. table.concat(numbers, ",")) end
  end
end

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
