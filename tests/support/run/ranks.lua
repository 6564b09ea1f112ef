-- Runs a program in several processes: `local ranks = dofile("tests/support/run/ranks.lua")`. Skips the test (status 77)
-- where there is no MPI.
local ranks = {}

local lutra = os.getenv("LUTRA") or "lutra"
local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- A file with this text, which is removed at the end.
local kept = {}
function ranks.file(text, suffix)
  local path = os.tmpname()
  os.remove(path)
  path = path .. (suffix or ".lua")
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
  kept[#kept + 1] = setmetatable({}, { __gc = function() os.remove(path) end })
  return path
end

-- Runs a shell command. Returns its exit status (124: it hung), and stdout and stderr together.
local function command(words)
  -- On SIGTERM `lutra launch` ends mpirun and its ranks, soon after mpirun has slept twice.
  local file = assert(io.popen(("timeout -k 30 240 %s 2>&1 </dev/null"):format(words)))
  local text = file:read("a")
  local _, _, status = file:close()
  return status, text
end

-- mpirun sleeps for some time when a rank fails, before it kills the others. Here they have ended by then. And no rank is
-- taken for lost because the machine is busy.
local defaults = "LUTRA_NUM_THREADS=1 OMPI_MCA_odls_base_sigkill_timeout=0 LUTRA_RANK_SILENCE=60"

-- `lutra launch` with these words before the script, which has the text `program`. `environment`: "A=1 B=2".
function ranks.launch(words, program, environment, arguments)
  return command(("env %s %s %s launch %s %s %s"):format(defaults, environment or "", quoted(lutra), words,
    quoted(ranks.file(program)), arguments or ""))
end

-- The program in one process, with these options.
function ranks.alone(words, program, environment, arguments)
  return command(("env LUTRA_NUM_THREADS=1 %s %s %s %s %s"):format(environment or "", quoted(lutra), words, quoted(ranks.file(program)),
    arguments or ""))
end

-- The end of the message about ranks that have been silent, which begins with `who`: "rank 2 on host b (last call at ...".
-- A busy machine notices it later than after `least` seconds.
function ranks.told_silence(text, least, who)
  for seconds, rest in text:gmatch "lutra: nothing has been heard for (%d+) s of ([^\n]*)" do
    if tonumber(seconds) >= least and rest:find(who, 1, true) == 1 then return rest end
  end
  error(("nothing tells that %s has been silent for %d s or more in: %s"):format(who, least, text), 2)
end

ranks.command = command
ranks.quoted, ranks.lutra = quoted, quoted(lutra)

local status, text = command(ranks.lutra .. " launch -n 1 -e 'print(1)'")
if text:find("MPI cannot be used", 1, true) or text:find("mpirun is not in PATH", 1, true) then
  print("skipped: " .. text)
  os.exit(77)
end
assert(status == 0 and text == "1\n", text)

return ranks
