-- lutra tests/support/run/refused_memory.lua REFUSER [--runs N] [--seed S] [--from] [--once] [NAME ...]
-- Runs programs while the system refuses them memory, at one call or from one call on (REFUSER is refuse_memory.cpp's
-- library). Whatever is refused, a program must end by itself, and when it fails, say why: no signal, no time-out, no
-- internal error of Lutra's. Calls are counted first. For each program and way N of them are tried, evenly spread and
-- offset by S. Without names: the programs of the guide and goes_on.lua. A NAME is one of these, or a file of
-- tests/ops, or a program with arguments, such as "./host 1".
package.path = arg[0]:match("^(.*)/[^/]*$") .. "/../?.lua;" .. package.path
local golden = require "run.golden"
local folder = dofile("tests/support/folder.lua")

local refuser, runs, seed, names, ways = nil, 8, 0, {}, { "once", "from" }
do
  local i = 1
  while arg[i] do
    if arg[i] == "--runs" then i, runs = i + 1, tonumber(arg[i + 1])
    elseif arg[i] == "--seed" then i, seed = i + 1, tonumber(arg[i + 1])
    elseif arg[i] == "--once" or arg[i] == "--from" then ways = { arg[i]:sub(3) }
    elseif not refuser then refuser = arg[i]
    else names[#names + 1] = arg[i]
    end
    i = i + 1
  end
end
assert(refuser and runs and seed, "usage: lutra tests/support/run/refused_memory.lua REFUSER [--runs N] [--seed S] [NAME ...]")

io.stdout:setvbuf "line"
local count_file = folder.at("count")

-- Text and exit status of `command` (after settings of its environment), with memory refused as `how` says.
-- The address sanitizer must accept a library preloaded before it; the loader's own blocks then look like leaks to it.
local function run(command, how)
  local line = ("timeout -k 1 120 env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=%s " ..
    "REFUSE_MEMORY=%s REFUSE_MEMORY_COUNT=%s %s 2>&1 < /dev/null"):format(golden.quote(refuser), how,
    golden.quote(count_file), command)
  local pipe = assert(io.popen(line))
  local output = pipe:read("a")
  local _, kind, status = pipe:close()
  return output, kind == "signal" and 128 + status or status
end

-- Words that a run must not print; it must not be ended by a signal either.
local bad_words = { "please report this", "terminate called", "Sanitizer", "runtime error:", "Assertion", "Fatal glibc" }

local function problem_of(output, status, way)
  if status == 124 or status == 137 then return "did not end" end
  if status ~= 0 and status ~= 1 then return "exit status " .. status end
  for _, words in ipairs(bad_words) do
    if output:find(words, 1, true) then return "says '" .. words .. "'" end
  end
  if status == 1 and not output:find("%S") then return "fails without a word" end
  -- tests/support/run/goes_on.lua, past its start.
  if way == "once" and output:find("^started\n") and not output:find("went on\n$") then return "does not go on" end
end

local function command_of(name)
  local lutra = golden.quote(golden.program())
  if name == "goes_on" then return lutra .. " --sim-gpus 2 tests/support/run/goes_on.lua" end
  if name:find("/", 1, true) then return name end
  local spec = io.open("tests/ops/" .. name .. ".lua")
  if spec then
    spec:close()
    return ("%s tests/support/run/run_spec.lua tests/ops/%s.lua"):format(lutra, name)
  end
  local options, args, env = "", "", {}
  for line in io.lines("tests/guide/" .. name .. ".golden") do
    local key, value = line:match("^#: (%l+) (.+)$")
    if key == "options" then options = value end
    if key == "args" then args = value end
    if key == "env" then env[#env + 1] = golden.quote(value) end
  end
  return ("%s %s %s scripts/guide/%s.lua %s"):format(table.concat(env, " "), lutra, options, name, args)
end

if #names == 0 then
  names[1] = "goes_on"
  local pipe <close> = assert(io.popen("ls tests/guide"))
  for file in pipe:lines() do names[#names + 1] = file:match("^(.*)%.golden$") end
end

local passed, failed = 0, 0
for _, name in ipairs(names) do
  local command = command_of(name)
  os.remove(count_file)
  run(command, "none")
  local count = assert(tonumber(folder.read(count_file)), name .. ": nothing was counted")
  local broken = 0
  for _, way in ipairs(ways) do
    local last
    for i = 0, runs - 1 do
      local n = 1 + math.floor(((i + (seed * 0.6180339887 + 0.5) % 1) / runs) * count)
      if n ~= last then
        local output, status = run(command, way .. ":" .. n)
        local problem = problem_of(output, status, way)
        if problem then
          broken = broken + 1
          print(("%s: %s:%d of %d: %s: %s"):format(name, way, n, count, problem, output:sub(-300)))
        else
          passed = passed + 1
        end
      end
      last = n
    end
  end
  failed = failed + broken
end
folder.remove()
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1, true)
