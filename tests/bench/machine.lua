-- The machine as benchmarks see it: which cores they run on, fresh processes pinned to them, and whether anybody else
-- computed meanwhile. LUTRA_BENCH_CORES names the cores, as taskset takes them.
local machine = {}

local kDisturbed = 0.05 -- the share of our cores' time that others may take before a measurement counts as disturbed

-- The output of a command, without the last line end; nil when it fails.
function machine.output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  return pipe:close() and (text:gsub("%s+$", "")) or nil
end

-- The first match in the lines of a file.
function machine.find(path, pattern)
  for line in io.lines(path) do
    local found = line:match(pattern)
    if found then return found end
  end
end

-- By default the first two cores that we may use: the limits were set on two.
local function choose_cores()
  local told = os.getenv("LUTRA_BENCH_CORES")
  local cores = {}
  for from, to in (told or machine.find("/proc/self/status", "^Cpus_allowed_list:%s*(%S+)")):gmatch("(%d+)%-?(%d*)") do
    for core = math.tointeger(from), math.tointeger(to == "" and from or to) do cores[#cores + 1] = core end
  end
  return told and cores or {cores[1], cores[2]}
end

machine.cores = choose_cores()
machine.pin = machine.output_of("command -v taskset") and "taskset -c " .. table.concat(machine.cores, ",") .. " " or ""

-- The environment of a process that computes on so many threads, as a word of its command.
function machine.environment(threads)
  local words = ("env -u LUA_INIT -u LUA_INIT_5_4 -u LUTRA_SIM_GPUS -u LUTRA_LOG_PLACEMENT LUTRA_NUM_THREADS=N "
    .. "OMP_NUM_THREADS=N MKL_NUM_THREADS=N OPENBLAS_NUM_THREADS=N "):gsub("N ", threads .. " ")
  return words
end

-- The command prefix that gives a process so many threads and as many of our cores; by default all of them.
local function prefix(threads)
  threads = threads or #machine.cores
  local pin = machine.pin
  if pin ~= "" and threads < #machine.cores then
    pin = "taskset -c " .. table.concat(machine.cores, ",", 1, threads) .. " "
  end
  return pin .. machine.environment(threads)
end

-- Seconds that our cores were busy for any program, including a hypervisor's other guests, and for our own children.
local function busy_seconds()
  local wanted, ticks = {}, 0
  for _, core in ipairs(machine.cores) do wanted["cpu" .. core] = true end
  for line in io.lines("/proc/stat") do
    local name, user, nice, system, irq, softirq, steal =
      line:match("^(cpu%d+) (%d+) (%d+) (%d+) %d+ %d+ (%d+) (%d+) (%d+)")
    if wanted[name] then ticks = ticks + user + nice + system + irq + softirq + steal end
  end
  local file <close> = assert(io.open("/proc/self/stat"))
  local user, system = file:read("a"):match("^.*%)" .. (" %S+"):rep(13) .. " (%d+) (%d+)")
  return ticks / 100, (user + system) / 100
end

-- The lines `word field...` that a command prints in a fresh, pinned process, as {word = {field...}}.
local function run_once(command)
  local said = {}
  local pipe = assert(io.popen(prefix() .. command))
  for line in pipe:lines() do
    local word, rest = line:match("^(%l[%l_]*)%s+(.*)$")
    if word then
      said[word] = {}
      for field in rest:gmatch("%S+") do table.insert(said[word], tonumber(field) or field) end
    end
  end
  return pipe:close() and said or error("failed: " .. command, 0)
end

-- The same, and said.disturbed: whether others took more than 5% of the cores. A disturbed run is repeated up to
-- `patience` times, and the least disturbed one counts.
function machine.measure(command, patience)
  local best, least
  for attempt = 0, patience do
    if attempt > 0 then os.execute("sleep 0.5") end
    local started = tonumber(machine.find("/proc/uptime", "^%S+"))
    local all, ours = busy_seconds()
    local said = run_once(command)
    local all_after, ours_after = busy_seconds()
    local seconds = (tonumber(machine.find("/proc/uptime", "^%S+")) - started) * #machine.cores
    -- Ticks are 10 ms, too coarse for the share of a very short process.
    local others = math.max(0, (all_after - all) - (ours_after - ours) - 0.02) / math.max(seconds, 0.02)
    said.disturbed = others > kDisturbed
    if not least or others < least then best, least = said, others end
    if not best.disturbed then break end
  end
  return best
end

-- Runs a command that prints `start CPU-SECONDS` and `end CPU-SECONDS` around what it does, with so many threads; each
-- line's fields, between tabs, go to `take`. Returns whether others took more than 5% of the cores in between.
function machine.run(command, threads, take)
  local all, started, own = 0, 0, 0
  local others
  local pipe = assert(io.popen(prefix(threads) .. command))
  for line in pipe:lines() do
    local fields = {}
    for field in line:gmatch("[^\t]+") do fields[#fields + 1] = field end
    if fields[1] == "start" or fields[1] == "end" then
      local busy, now = busy_seconds(), tonumber(machine.find("/proc/uptime", "^%S+"))
      if fields[1] == "end" then
        others = (busy - all) - (tonumber(fields[2]) - own)
        others = math.max(0, others - 0.02) / math.max(0.02, (now - started) * #machine.cores)
      end
      all, started, own = busy, now, tonumber(fields[2])
    else
      take(table.unpack(fields))
    end
  end
  if not pipe:close() or not others then error("failed: " .. command, 0) end
  return others > kDisturbed
end

-- One line for a page: model, cores, load.
function machine.describe()
  local virtual = machine.find("/proc/cpuinfo", "^flags.* hypervisor") and ", a virtual machine" or ""
  local model = machine.find("/proc/cpuinfo", "^model name%s*:%s*(.*)") or "unknown CPU"
  return ("%s%s, %s %d of %s cores"):format(model, virtual, machine.pin == "" and "not pinned," or "pinned to",
    #machine.cores, machine.output_of("getconf _NPROCESSORS_ONLN"))
end

-- " (COMMIT)" of the program under test, or "" for another build folder than ours. To be called before measuring: writing
-- the results changes the tree.
function machine.source(build)
  local commit = build == "build/release" and machine.output_of("git rev-parse --short HEAD 2>/dev/null")
  if not commit then return "" end
  local changed = machine.output_of("git status --porcelain --untracked-files=no 2>/dev/null") ~= ""
  return (" (%s%s)"):format(commit, changed and " with changes" or "")
end

function machine.load() return machine.find("/proc/loadavg", "^%S+") end

return machine
