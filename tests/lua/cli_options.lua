-- The program seen from outside: options, exit status, output on stdout and on stderr. LUTRA is its path.
local program = os.getenv("LUTRA") or "lutra"
local count = 0

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

-- Runs the program with the words (a list) as its arguments. given: stdin = text, env = "NAME=value ...".
-- Returns stdout, stderr, exit status.
local function run(words, given)
  given = given or {}
  local input, errors = os.tmpname(), os.tmpname()
  write(input, given.stdin or "")
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = quote(word) end
  local command = ("env %s %s %s < %s 2> %s"):format(
    given.env or "", quote(program), table.concat(quoted, " "), quote(input), quote(errors))
  local pipe = assert(io.popen(command))
  local output = pipe:read("a")
  local _, _, status = pipe:close()
  local said = read(errors)
  os.remove(input)
  os.remove(errors)
  return output, said, status
end

-- Runs and compares: out and err are the whole text, or a list of plain parts that it holds; err is "" unless said.
local function expect(what, words, wanted)
  local out, err, status = run(words, wanted)
  local function fail(stream, got, want)
    error(("%s: %s is\n%s\nexpected\n%s"):format(what, stream, got, want), 3)
  end
  local function compare(stream, got, want)
    if type(want) == "string" then
      if got ~= want then fail(stream, got, want) end
      return
    end
    for _, part in ipairs(want) do
      if not got:find(part, 1, true) then fail(stream, got, "something with: " .. part) end
    end
  end
  compare("stderr", err, wanted.err or "")
  compare("stdout", out, wanted.out or "")
  if status ~= (wanted.status or 0) then fail("exit status", status, wanted.status or 0) end
  count = count + 1
end

local script = os.tmpname()
local function with_script(text, what, words, wanted)
  write(script, text)
  expect(what, words, wanted)
end

local banner = run({ "--version" })
assert(banner:match("^Lutra %d+%.%d+%.%d+, Lua 5%.4%.%d+\n$"), banner)

-- Statements, libraries, versions.
expect("-e", { "-e", "print(1)", "-eprint(2)" }, { out = "1\n2\n" })
expect("lutra and lt are there", { "-e", "print(lutra == lt, lt == require 'lutra')" }, { out = "true\ttrue\n" })
expect("-l", { "-l", "string", "-lm=math", "-e", "print(m == math, string.len('ab'))" }, { out = "true\t2\n" })
expect("-l that is not there", { "-l", "no_such_module" }, {
  status = 1, err = { "lutra: module 'no_such_module' not found:", "stack traceback:" } })
expect("-v", { "-v" }, { out = banner })
expect("-v and -e", { "-v", "-e", "print(1)" }, { out = banner .. "1\n" })
expect("--help", { "--help" }, { out = { "usage: lutra", "-e stat", "--sim-gpus N[:MB]", "--log-placement[=FILE]" } })
expect("an error ends the options", { "-e", "error('boo')", "-e", "print('not reached')" }, {
  status = 1, err = { "lutra: (command line):1: boo\nstack traceback:\n" } })
expect("a syntax error has no traceback", { "-e", "x = = 1" }, {
  status = 1, err = "lutra: (command line):1: unexpected symbol near '='\n" })

-- Scripts and arg.
with_script("print(...) print(#arg, arg[0], arg[-1], arg[-2])", "arg", { "-W", "--", script, "p q", "" }, {
  out = "p q\t\n2\t" .. script .. "\t--\t-W\n" })
expect("arg without a script", { "-e", "print(arg[0] == os.getenv('LUTRA'), arg[1], arg[-1])" }, {
  out = "true\t-e\tnil\n", env = "LUTRA=" .. quote(program) })
with_script("print(...)", "-e may change arg", { "-e", "arg = {'x', 'y'}", script, "z" }, { out = "x\ty\n" })
with_script("", "arg must stay a table", { "-e", "arg = 1", script }, { status = 1, err = "lutra: 'arg' is not a table\n" })
expect("a script that is not there", { "no/such.lua" }, {
  status = 1, err = "lutra: cannot open no/such.lua: No such file or directory\n" })
with_script("local function f() error('deep') end\nf()", "a traceback", { script }, {
  status = 1, err = { "lutra: " .. script .. ":1: deep\nstack traceback:\n", "in local 'f'", ":2: in main chunk" } })
with_script("local a = lt.zeros{2, 3}\nlt.matmul(a, a)", "an op's error", { script }, {
  status = 1,
  err = { "lutra: " .. script .. ":2: matmul: a (2, 3) and b (2, 3) do not match", "stack traceback:",
    ":2: in main chunk" } })
with_script("error(setmetatable({}, {__tostring = function() return 'an object' end}))", "an error object", { script }, {
  status = 1, err = "lutra: an object\n" })
with_script("error {}", "an error table", { script }, { status = 1, err = { "lutra: (error object is a table value)\n" } })
with_script("os.exit(7)", "os.exit", { script }, { status = 7 })
with_script("os.exit(false, true)", "os.exit closing", { script }, { status = 1 })
with_script("x <close> = nil", "no attribute on globals", { script }, { status = 1, err = { ":1: " } })

-- A module as the script.
do
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. quote(folder))
  write(folder .. "/tool.lua", "print(arg[0], arg[1], #arg, ...)")
  local env = "LUA_PATH=" .. quote(folder .. "/?.lua")
  expect("-m", { "-m", "tool", "-a", "b" }, { env = env, out = folder .. "/tool.lua\t-a\t2\t-a\tb\n" })
  expect("-m in one word", { "-e", "print(1)", "-mtool" }, { env = env, out = "1\n" .. folder .. "/tool.lua\tnil\t0\n" })
  expect("-m that is not there", { "-m", "tools" }, { env = env, status = 1,
    err = { "lutra: '-m': module 'tools' not found:\n\tno file '" .. folder .. "/tools.lua'\n" } })
  os.execute("rm -r " .. quote(folder))
end

-- stdin.
expect("stdin", {}, { stdin = "print('from stdin', ...)", out = "from stdin\n" })
expect("-", { "-", "a" }, { stdin = "print(arg[0], ...)", out = "-\ta\n" })
expect("an error on stdin", {}, { stdin = "error 'x'", status = 1, err = { "lutra: stdin:1: x\nstack traceback:" } })
expect("-e leaves stdin to the script", { "-e", "print(io.read())" }, { stdin = "line\n", out = "line\n" })

-- Warnings.
expect("warnings are off", { "-e", "warn('w')" }, {})
expect("-W", { "-W", "-e", "warn('a', 'b') warn('@off') warn('no') warn('@on') warn('c')" }, {
  err = "Lua warning: ab\nLua warning: c\n" })

-- LUA_INIT.
expect("LUA_INIT", { "-e", "print(2)" }, { env = "LUA_INIT='print(1)'", out = "1\n2\n" })
expect("LUA_INIT_5_4 goes first", { "-e", "print(2)" }, {
  env = "LUA_INIT='print(0)' LUA_INIT_5_4='print(1)'", out = "1\n2\n" })
with_script("print('file')", "LUA_INIT=@file", { "-e", "print(2)" }, { env = "LUA_INIT=@" .. script, out = "file\n2\n" })
expect("an error in LUA_INIT", { "-e", "print(2)" }, {
  env = "LUA_INIT=\"error('bad')\"", status = 1, err = { "lutra: LUA_INIT:1: bad\n" } })
expect("-E", { "-E", "-e", "print(package.path:find('mine', 1, true))" }, {
  env = "LUA_INIT='print(1)' LUA_PATH=mine", out = "nil\n" })
expect("--no-init", { "--no-init", "-e", "print(package.path)" }, { env = "LUA_INIT='print(1)' LUA_PATH=mine", out = "mine\n" })

-- The prompt, which begins with where to ask.
local greeting = banner:gsub("\n", "; lt.help() tells what there is\n")
expect("-i", { "-i" }, {
  stdin = "x = 2\nx, x + 1\n=x\nfor i = 1, 2 do\nprint(i)\nend\nnil\nlocal y = 1; y\n",
  err = { "stdin:1: syntax error near <eof>" }, out = greeting .. "> > 2\t3\n> 2\n> >> >> 1\n2\n> nil\n> >> > \n" })
expect("errors at the prompt", { "-i" }, {
  stdin = "error('boo')\nlt.zeros{2, 3}:matmul(lt.zeros{2, 3})\nx = )\n7\n",
  err = { "stdin:1: boo\nstack traceback:\n", "\nstdin:1: matmul: a (2, 3)", "\nstdin:1: unexpected symbol near ')'" },
  out = greeting .. "> > > > 7\n> \n" })
with_script("print('file')", "-i after a script", { "-i", "-e", "x = 5", script }, { stdin = "x\n", out = greeting .. "file\n> 5\n> \n" })
expect("_PROMPT", { "-e", "_PROMPT, _PROMPT2 = 'a:', 'b:'", "-i" }, {
  stdin = "do\nend\n", out = greeting .. "a:b:a:\n" })
expect("the prompt prints with print", { "-e", "function print(...) io.write('<', ..., '>\\n') end", "-i" }, {
  stdin = "1\n", out = greeting .. "> <1>\n> \n" })
expect("the prompt outlives print", { "-e", "print = nil", "-i" }, {
  stdin = "1\nio.write('x\\n')\n", err = { "error calling 'print'" }, out = { "x\n" } })

-- Invalid options.
local help = "usage: lutra [options] [script [args]]\nlutra --help lists the options\n"
for _, case in ipairs {
  { { "-x" }, "unrecognized option '-x'" },
  { { "-ix" }, "unrecognized option '-ix'" },
  { { "-E-" }, "unrecognized option '-E-'" },
  { { "-e" }, "'-e' needs argument" },
  { { "-m" }, "'-m' needs argument" },
  { { "-l", "-v" }, "'-l' needs argument" },
  { { "--sim-gpu=2" }, "unrecognized option '--sim-gpu=2' (did you mean '--sim-gpus'?)" },
  { { "--log-plcement" }, "unrecognized option '--log-plcement' (did you mean '--log-placement'?)" },
  { { "--quux" }, "unrecognized option '--quux'" },
  { { "--device" }, "'--device' needs argument" },
  { { "--strict=yes" }, "'--strict' takes no argument" },
  { { "--sim-gpus", "many" }, "'--sim-gpus' is 'many', expected N or N:MB, N from 0 to 64, MB above 0" },
  { { "--sim-gpus", "1:1e300" }, "'--sim-gpus' is '1:1e300', expected N or N:MB, N from 0 to 64, MB above 0" },
  { { "--sim-gpus", "2:-1" }, "'--sim-gpus' is '2:-1', expected N or N:MB, N from 0 to 64, MB above 0" },
  { { "--memory-limit=0" }, "'--memory-limit' is '0', expected a number of MB above 0" },
  { { "--color=blue" }, "'--color' is 'blue', expected auto, always or never" },
} do
  expect(table.concat(case[1], " "), case[1], { status = 1, err = "lutra: " .. case[2] .. "\n" .. help })
end
with_script("print('file')", "options end at the script", { script, "--quux", "-x" }, { out = "file\n" })

-- Devices.
local list = "for _, d in ipairs(lt.config.list_logical_devices('GPU')) do print(d.name, lt.config.get_memory_info(d.name).limit / 2^20) end"
local where = "print((lt.zeros({2}) + 1).device)"
local full = "/job:localhost/replica:0/task:0/device:"
expect("--sim-gpus", { "--sim-gpus", "2", "-e", list }, { out = "/device:GPU:0\t4096.0\n/device:GPU:1\t4096.0\n" })
expect("--sim-gpus=N:MB", { "--sim-gpus=1:64", "-e", list }, { out = "/device:GPU:0\t64.0\n" })
expect("no GPU unasked", { "-e", list }, {})
expect("--virtual-gpus", { "--sim-gpus=1:100", "--virtual-gpus", "2", "-e", list }, {
  out = "/device:GPU:0\t50.0\n/device:GPU:1\t50.0\n" })
expect("--virtual-gpus of --memory-limit", { "--sim-gpus=1", "--virtual-gpus=2", "--memory-limit=32", "-e", list }, {
  out = "/device:GPU:0\t32.0\n/device:GPU:1\t32.0\n" })
expect("--memory-limit above the card's", { "--sim-gpus=1:100", "--memory-limit=200", "-e", list }, {
  status = 1, err = { "lutra: memory_limit is 200 MB, more than the 100 MB of /physical_device:GPU:0" } })
expect("--virtual-gpus without a GPU", { "--virtual-gpus=2", "-e", list }, {
  status = 1, err = { "there is no GPU here to split" } })
expect("--memory-growth", { "--sim-gpus=1", "--memory-growth", "-e",
  "print(lt.config.get_memory_growth(lt.config.list_physical_devices('GPU')[1]))" }, { out = "true\n" })
expect("--device", { "--sim-gpus=2", "--device", "GPU:1", "-e", where }, { out = full .. "GPU:1\n" })
expect("--device of a malformed name", { "--device=nonsense", "-e", where }, {
  status = 1, err = { "lutra: malformed device name 'nonsense'" } })
expect("--device that is not there", { "--sim-gpus=1", "--device=GPU:5", "-e", where }, {
  status = 1, err = { full .. "GPU:5 unknown device." } })
expect("--soft-placement", { "--sim-gpus=1", "--device=GPU:5", "--soft-placement", "-e", where }, {
  out = full .. "GPU:0\n" })

-- The placement log.
local log = "Executing op Fill in device " .. full .. "GPU:0\nExecuting op AddV2 in device " .. full .. "GPU:0\n"
expect("--log-placement", { "--sim-gpus=1", "--log-placement", "-e", where }, { out = full .. "GPU:0\n", err = log })
local log_file = os.tmpname()
expect("--log-placement=FILE", { "--sim-gpus=1", "--log-placement=" .. log_file, "-e", where }, {
  out = full .. "GPU:0\n" })
assert(read(log_file) == log, read(log_file))
os.remove(log_file)
expect("a log that cannot be written", { "--log-placement=/no/such/folder/log", "-e", where }, {
  status = 1, err = "lutra: '--log-placement': cannot open /no/such/folder/log: No such file or directory\n" })
expect("a log for which there is no room", { "--sim-gpus=1", "--log-placement=/dev/full", "-e", where .. where }, {
  status = 1, out = (full .. "GPU:0\n"):rep(2),
  err = "lutra: '--log-placement': cannot write /dev/full: No space left on device; the rest of the log is lost\n" })
expect("a log without a line loses none", { "--log-placement=/dev/full", "-e", "print(1)" }, { out = "1\n" })
expect("the log at the prompt", { "--sim-gpus=1", "--log-placement", "-i" }, {
  stdin = "t = lt.zeros{1}\n", err = "Executing op Fill in device " .. full .. "GPU:0\n", out = greeting .. "> > \n" })

-- --strict and colours.
expect("--strict reads", { "--strict", "-e", "known = nil print(known) print(rawget(_G, 'typo'), typo)" }, {
  status = 1, out = "nil\n", err = { "lutra: (command line):1: global 'typo' is not declared\n" } })
expect("--strict sets", { "--strict", "-e", "a = 1 local function f() a = 2 b = 3 end f()" }, {
  status = 1, err = { "global 'b' is not declared" } })
expect("--strict and other methods of strings", { "--strict", "-e",
  "getmetatable('').__index = {} a = 1 print(a) local function f() return typo end f()" }, {
  status = 1, out = "1\n", err = { "global 'typo' is not declared" } })
expect("--strict leaves the program alone", { "--strict", "-l", "m=math", "-i" }, {
  stdin = "x = m.pi > 3\nx\n", out = greeting .. "> > true\n> \n" })
expect("--color=always", { "--color=always", "-e", "error('red', 0)" }, { status = 1, err = { "\27[31mlutra: red\27[0m\n" } })

expect("--color=always colours plots", { "--color=always", "-e", "io.write(tostring(lt.plot.heat {{1, 2}, {3, 4}}):find('\27', 1, true) and 'colours' or 'none')" }, { out = "colours" })
-- On a terminal.
local function in_terminal(words, environment)
  local command = ("TERM=xterm %s '%s' %s"):format(environment, os.getenv "LUTRA" or "lutra", words)
  local pipe = assert(io.popen(("script -qec %s /dev/null < /dev/null"):format("'" .. command:gsub("'", "'\\''") .. "'")))
  local text = pipe:read "a"
  pipe:close()
  return text
end
if os.execute "command -v script > /dev/null" then
  local words = [[-e "lt.debugging.set_log_device_placement(true) lt.ones {9} print(lt.plot.heat {{1, 2}, {3, 4}}) error('red', 0)"]]
  local function has_colors(...)
    local text = in_terminal(...)
    assert(text:find("Executing op", 1, true) and text:find("lutra: red", 1, true), text)
    return text:find("\27[", 1, true) ~= nil
  end
  assert(has_colors(words, ""))
  assert(not has_colors("--color=never " .. words, ""))
  assert(not has_colors(words, "TERM=dumb"))
  assert(not has_colors(words, "NO_COLOR=1"))
  assert(has_colors("--color=always " .. words, "NO_COLOR=1"))
end

-- doctor: a word of its own at the script's place. What it finds on cards is tests/cuda/doctor.lua's.
local usage = "usage: lutra [options] [script [args]]\nlutra --help lists the options\n"
local well = "All that is here works.\n"
local no_driver = "env -u LUTRA_CUDA_STUB LUTRA_CUDA_DRIVER=none"
expect("doctor", { "doctor" }, { env = no_driver, out = { "ok      trial CPU:0      matmul gives the right result", well } })
expect("doctor says how many threads", { "doctor" }, {
  env = no_driver .. " LUTRA_NUM_THREADS=3", out = { "ok      threads          3 for large loops: set by LUTRA_NUM_THREADS\n" } })
if os.execute("taskset -V >/dev/null 2>&1") then
  local core = io.open("/proc/self/status"):read("a"):match("Cpus_allowed_list:%s*(%d+)")
  expect("doctor sees the affinity mask", { "doctor" }, {
    env = "env -u LUTRA_NUM_THREADS -u LUTRA_CUDA_STUB LUTRA_CUDA_DRIVER=none taskset -c " .. core,
    out = { "ok      threads          1 for large loops: the process may run on 1 core\n" } })
end
expect("doctor on simulated GPUs", { "--sim-gpus", "2", "doctor", "--json" }, {
  env = no_driver, out = { '"device": "GPU:1"', '"text": "Simulated GPU: matmul gives the right result' } })
expect("doctor takes no script's arguments", { "doctor", "x" }, {
  status = 1, err = "lutra: 'doctor' takes '--json' and nothing else, not 'x'\n" .. usage })
expect("doctor runs nothing else", { "-i", "doctor" }, {
  status = 1, err = "lutra: 'doctor' runs nothing else: -e, -l, -i, -v and -W have no meaning before it\n" .. usage })
expect("a file named doctor, after --", { "--", "doctor" }, {
  status = 1, err = "lutra: cannot open doctor: No such file or directory\n" })
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir " .. quote(folder))
write(folder .. "/doctor", "print('a file', ...)")
expect("a file named doctor, by its path", { folder .. "/doctor", "x" }, { out = "a file\tx\n" })
os.execute("rm -r " .. quote(folder))
os.remove(script)
print(("cli_options: %d cases"):format(count))
