-- init.lua of the prompt: it runs in a terminal, its locals stay, an error in it is told, and options skip it.
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"
local session = require "run.session"
local folder = dofile("tests/support/folder.lua")

local python = session.python()
if not python then
  print "skipped: python3-pexpect is missing, by which a terminal is typed in"
  os.exit(77)
end

local config = folder.path
os.execute("mkdir -p " .. golden.quote(config .. "/lutra"))

local function run(init, options, typed)
  local file = assert(io.open(config .. "/lutra/init.lua", "wb"))
  file:write(init)
  file:close()
  local input = os.tmpname()
  do
    local out <close> = assert(io.open(input, "wb"))
    out:write(typed)
  end
  local words = ("%s -e %s -i < %s"):format(options, golden.quote [[_PROMPT = "\30> "]], golden.quote(input))
  local output, status = golden.run(words, { "LUTRA_HISTORY=", "TERM=dumb", "NO_COLOR=1", "XDG_CONFIG_HOME=" .. config },
    python .. " tests/support/run/terminal.py")
  os.remove(input)
  return (output:gsub("^[^\n]*\n", "")), status
end

local function check(what, output, wanted)
  if output ~= wanted then error(("%s: printed\n%s\nexpected\n%s"):format(what, output, wanted), 2) end
end

check("its locals stay", run("local answer = 42\nname = 'global'\n", "", "answer, name\n"), "\30> 42\tglobal\n\30> \n")
check("--no-init", run("local answer = 42\n", "--no-init", "answer\n"), "\30> nil\n\30> \n")
check("-E", run("local answer = 42\n", "-E", "answer\n"), "\30> nil\n\30> \n")
local output, status = run("local answer = 42\nerror('in init')\n", "", "answer\n")
assert(output:find("init.lua:2: in init\n    error('in init')\n", 1, true) and output:find("\30> 42\n", 1, true) and status == 0, output)
output = run("x = = 1\n", "", "1\n")
assert(output:find("init.lua:1: unexpected symbol near '='\n    x = = 1\n", 1, true) and output:find("\30> 1\n", 1, true), output)
folder.remove()
print "cli_prompt_init: five starts"
