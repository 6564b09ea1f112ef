-- lutra tests/support/run/run_session.lua FILE [--accept]: types a session's lines at the prompt of the program LUTRA
-- and compares the answers. --accept writes the new answers into the file: look at the diff.
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/../?.lua;" .. package.path
local golden = require "run.golden"
local session = require "run.session"

local file, accept
for _, word in ipairs(arg) do
  if word == "--accept" then accept = true else file = word end
end
if not file then
  io.stderr:write("usage: lutra tests/support/run/run_session.lua FILE [--accept]\n")
  os.exit(2)
end

local function play()
  local parsed = session.parse(golden.read(file))
  if parsed.in_terminal and not session.python() then
    print "skipped: python3-pexpect is missing, by which a terminal is typed in"
    os.exit(77)
  end
  local transcript = session.play(parsed)
  local difference = golden.compare(parsed.lines, transcript)
  if difference and accept then
    local head = #parsed.head > 0 and table.concat(parsed.head, "\n") .. "\n" or ""
    local out <close> = assert(io.open(file, "wb"))
    out:write(head, table.concat(transcript, "\n"), "\n")
    print(file .. " rewritten")
    return nil
  end
  return difference
end

local ok, problem = pcall(play)
if problem then print(file .. ": " .. (ok and "answered differently\n" or "") .. problem) end
local failed = problem and 1 or 0
print(("%d passed, %d failed"):format(1 - failed, failed))
os.exit(failed == 0 and 0 or 1, true)
