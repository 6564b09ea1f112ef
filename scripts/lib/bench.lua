-- scripts/lib/bench.lua [PATTERN] [--peers[=VENV]] [--pairs=N] [--results] [--write]: the side-by-side benchmarks of
-- tests/bench/workloads.lua. Run by `scripts/dev bench`, with the root of the tree as working directory.
--   --peers     NumPy and PyTorch too: of VENV, else of the Python in LUTRA_PEERS_PYTHON, else of python3
--   --results   compares what comes out with the peers and times nothing; exit status 77 when there are none
--   --write     puts the table into docs/benchmarks.md, between its markers
-- A round runs every system once, each in a fresh process on the same cores, and the next round in the opposite order
-- (A B C C B A ...). A ratio is taken within a round; what is shown is the median, with its 95% bootstrap interval.
-- LUTRA_BUILD is the build folder whose products run; LUTRA_BENCH_CORES what they run on, as taskset takes it.

local kTolerance = 1e-6
local kResamples = 4000
local kPage = "docs/benchmarks.md"
local kBegin, kEnd = "<!-- scripts/dev bench --write: begin -->", "<!-- scripts/dev bench --write: end -->"

local build = os.getenv("LUTRA_BUILD") or "build/release"
local options = {pairs = 9, pattern = ""}
for _, word in ipairs(arg) do
  local key, value = word:match("^%-%-(%a+)=?(.*)$")
  if key == "pairs" then
    options.pairs = math.tointeger(tonumber(value)) or error("--pairs wants a number")
  elseif key == "peers" or key == "write" or key == "results" then
    options[key] = value
  elseif key then
    error("unknown option " .. word)
  else
    options.pattern = word
  end
end
if options.write and (options.pairs < 9 or options.pattern ~= "") then error("--write takes all workloads and 9 pairs or more") end

local function quoted(word) return "'" .. word:gsub("'", [['\'']]) .. "'" end

-- What a command prints, or nil.
local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  return pipe:close() and text:gsub("%s+$", "") or nil
end

-- Machine ---------------------------------------------------------------------------------------------------------

local function first_line(path, pattern)
  for line in io.lines(path) do
    local found = line:match(pattern)
    if found then return found end
  end
end

-- The first two cores we may use, unless told: the limits were set on two.
local function choose_cores()
  local told = os.getenv("LUTRA_BENCH_CORES")
  local allowed = told or first_line("/proc/self/status", "^Cpus_allowed_list:%s*(%S+)")
  local cores = {}
  for from, to in allowed:gmatch("(%d+)%-?(%d*)") do
    for core = from, to == "" and from or to do cores[#cores + 1] = math.tointeger(core) end
  end
  if not told then cores = {cores[1], cores[2]} end
  return cores
end

local cores = choose_cores()
local pin = output_of("command -v taskset") and "taskset -c " .. table.concat(cores, ",") .. " " or ""
local environment = ("env -u LUA_INIT -u LUA_INIT_5_4 -u LUTRA_SIM_GPUS -u LUTRA_LOG_PLACEMENT LUTRA_NUM_THREADS=%d "
  .. "OMP_NUM_THREADS=%d MKL_NUM_THREADS=%d OPENBLAS_NUM_THREADS=%d "):gsub("%%d", #cores)

-- Runs a command in a fresh, pinned process; what it says comes as {word = {fields...}}.
local function measure(command)
  local said = {}
  local pipe = assert(io.popen(pin .. environment .. command))
  for line in pipe:lines() do
    local word, rest = line:match("^(%l[%l_]*)%s+(.*)$")
    if word then
      said[word] = {}
      for field in rest:gmatch("%S+") do table.insert(said[word], tonumber(field) or field) end
    end
  end
  return pipe:close() and said or error("failed: " .. command, 0)
end

-- Systems ---------------------------------------------------------------------------------------------------------

local systems = {{key = "lutra", title = "Lutra"}}

local function add_module()
  local library = build .. "/lib/lua/lutra.so"
  local file = io.open(library)
  if file then file:close() end
  if file and output_of("command -v lua5.4") then
    table.insert(systems, {key = "module", title = "as a module", cpath = build .. "/lib/lua/?.so"})
  end
end

local function add_peers()
  local python = os.getenv("LUTRA_PEERS_PYTHON") or "python3"
  if options.peers ~= "" then python = options.peers .. "/bin/python" end
  for _, peer in ipairs {{key = "numpy", title = "NumPy"}, {key = "torch", title = "PyTorch"}} do
    local version = output_of(quoted(python) .. " -c 'import numpy, " .. peer.key .. " as m; print(m.__version__)' 2>/dev/null")
    if version then
      peer.python, peer.version = python, version
      table.insert(systems, peer)
    end
  end
  if systems[#systems].python then return end
  print("no NumPy for " .. python .. ": LUTRA_PEERS_PYTHON or --peers=VENV names a Python that has it")
  if options.results then os.exit(77) end
end

-- The code of a workload for a system, or nil: a module runs what the program runs.
local function code(workload, system)
  local key = system.key == "module" and "lutra" or system.key
  local own = workload[key]
  if not own or (system.key == "module" and not workload.module_limit_ns) then return nil end
  local setup = {}
  if workload.setup then setup[1] = workload.setup[key] end
  if own.setup then setup[#setup + 1] = own.setup end
  return quoted(table.concat(setup, "; ")) .. " " .. quoted(own.run)
end

local function worker(workload, system)
  local words = code(workload, system)
  if system.key == "lutra" then return build .. "/bin/lutra tests/bench/worker.lua " .. words end
  if system.key == "module" then return "LUA_CPATH_5_4=" .. system.cpath .. " lua5.4 tests/bench/worker.lua " .. words end
  return quoted(system.python) .. " tests/bench/peers/worker.py " .. system.key .. " " .. words
end

-- Statistics ------------------------------------------------------------------------------------------------------

local function median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

-- {middle, low, high}: the median and its 95% bootstrap interval.
local function interval(values)
  math.randomseed(1)
  local medians, sample = {}, {}
  for i = 1, kResamples do
    for k = 1, #values do sample[k] = values[math.random(#values)] end
    medians[i] = median(sample)
  end
  table.sort(medians)
  return {middle = median(values), low = medians[kResamples * 25 // 1000], high = medians[kResamples * 975 // 1000]}
end

-- Whether two results are the same; of random numbers, whether both are standard normal ones.
local function same_result(workload, ours, theirs)
  if ours[1] ~= theirs[1] then return false end
  if workload.random then
    for _, result in ipairs {ours, theirs} do
      local n, mean, square = result[1], result[4] / result[1], result[5] / result[1]
      if math.abs(mean) > 5 / n ^ 0.5 or math.abs(square - 1) > 5 * (2 / n) ^ 0.5 then return false end
    end
    return true
  end
  for i = 2, 5 do
    if math.abs(ours[i] - theirs[i]) > kTolerance * math.max(1, math.abs(theirs[i])) then return false end
  end
  return true
end

-- Measuring -------------------------------------------------------------------------------------------------------

-- run(system) -> {value, ...}; gives each system its rounds' answers, {[key] = {answer...}}.
local function rounds(of, count, run)
  local answers = {}
  for _, system in ipairs(of) do answers[system.key] = {} end
  for round = 1, count do
    local from, to, step = 1, #of, 1
    if round % 2 == 0 then from, to, step = #of, 1, -1 end
    for i = from, to, step do table.insert(answers[of[i].key], (run(of[i]))) end
  end
  return answers
end

local function column(answers, word)
  local values = {}
  for i, answer in ipairs(answers) do values[i] = answer[word][1] end
  return values
end

-- How many times as much as Lutra a system takes, round by round.
local function ratio(answers, key, word)
  local ours, theirs, ratios = column(answers.lutra, word), column(answers[key], word), {}
  for i = 1, #ours do ratios[i] = theirs[i] / ours[i] end
  return interval(ratios)
end

local function text_of_ns(ns)
  if ns < 1000 then return ("%.0f ns"):format(ns) end
  if ns < 1e6 then return ("%.2f us"):format(ns / 1e3) end
  return ("%.2f ms"):format(ns / 1e6)
end

local function text_of_ratio(r, target, starred)
  local text = ("%.2fx [%.2f, %.2f]"):format(r.middle, r.low, r.high)
  if not target then return text end
  local met = r.low >= (starred and math.min(target, 0.97) or target)
  return ("%s, target %gx%s %s"):format(text, target, starred and "*" or "", met and "met" or "missed")
end

local function against(value, limit, text)
  if not limit then return "" end
  return (", limit %s %s"):format(text, value <= limit and "met" or "missed")
end

-- A line for the screen and a row for the page.
local rows = {}
local function show(title, cells)
  local words = {}
  for _, system in ipairs(systems) do
    local cell = cells[system.key]
    if cell then words[#words + 1] = (system.key == "lutra" and "" or system.title .. " ") .. cell end
  end
  print(title .. ": " .. table.concat(words, "; "))
  io.stdout:flush()
  rows[#rows + 1] = {title = title, cells = cells}
end

local function describe(workload, system, answers)
  local ns = median(column(answers[system.key], "ns"))
  local text = text_of_ns(ns)
  if workload.work then text = text .. (", %.0f %s/s"):format(workload.work / ns, workload.unit) end
  if workload.faults then text = text .. (", %.1f page faults"):format(median(column(answers[system.key], "faults"))) end
  if system.key == "lutra" then
    if workload.faults then
      text = text .. against(median(column(answers.lutra, "faults")), 0, "0")
    elseif workload.limit_rate then
      text = text .. against(-workload.work / ns, -workload.limit_rate, ("%g"):format(workload.limit_rate))
    else
      text = text .. against(ns, workload.limit_ns, workload.limit_ns and text_of_ns(workload.limit_ns))
    end
    return text
  end
  if system.key == "module" then return text .. against(ns, workload.module_limit_ns, text_of_ns(workload.module_limit_ns)) end
  return ("%s (%s)"):format(text, text_of_ratio(ratio(answers, system.key, "ns"), workload[system.key].target, workload.starred))
end

local function bench(workload)
  local able = {}
  for _, system in ipairs(systems) do
    if code(workload, system) then able[#able + 1] = system end
  end
  local answers = rounds(able, options.results and 1 or options.pairs, function(system)
    return measure(worker(workload, system))
  end)
  local cells = {}
  for _, system in ipairs(able) do
    for i, answer in ipairs(answers[system.key]) do
      if not same_result(workload, answers.lutra[i].result, answer.result) then
        error(("%s: %s has another result: %s against %s"):format(workload.name, system.title,
          table.concat(answer.result, " "), table.concat(answers.lutra[i].result, " ")), 0)
      end
    end
    cells[system.key] = options.results and "same result" or describe(workload, system, answers)
  end
  show(workload.title, cells)
end

-- From the start of the process to its first printed tensor, and the memory it took.
local function bench_start()
  local able = {}
  for _, system in ipairs(systems) do
    if system.key ~= "module" then able[#able + 1] = system end
  end
  local function start(system)
    local command = system.key == "lutra" and build .. "/bin/lutra tests/bench/start.lua"
      or quoted(system.python) .. " tests/bench/peers/start.py " .. system.key
    return measure("bash tests/bench/first_line.sh " .. command)
  end
  rounds(able, 1, start) -- the files are in memory from here on
  local answers = rounds(able, options.pairs, start)
  local time, memory = {}, {}
  for _, system in ipairs(able) do
    local us, kib = median(column(answers[system.key], "us")), median(column(answers[system.key], "rss_kib"))
    time[system.key], memory[system.key] = ("%.1f ms"):format(us / 1e3), ("%.1f MB"):format(kib / 1024)
    if system.key == "lutra" then
      time.lutra = time.lutra .. against(us, 6e3, "6 ms")
      memory.lutra = memory.lutra .. against(kib, 20 * 1024, "20 MB")
    else
      local target = system.key == "torch"
      time[system.key] = ("%s (%s)"):format(time[system.key], text_of_ratio(ratio(answers, system.key, "us"), target and 400))
      memory[system.key] = ("%s (%s)"):format(memory[system.key],
        text_of_ratio(ratio(answers, system.key, "rss_kib"), target and 24))
    end
  end
  show("start to first printed tensor", time)
  show("memory of that process", memory)
end

-- Two simulated GPUs from Lua; the machine's own figure is what two processes reach.
local function bench_overlap()
  local devices, machine = {}, {}
  for i = 1, options.pairs do
    local said = measure("LUTRA_SIM_GPUS=2 " .. build .. "/bin/lutra tests/bench/overlap.lua")
    devices[i], machine[i] = said.overlap[1], said.overlap[2]
  end
  local two, most = interval(devices), interval(machine)
  show("two simulated GPUs, a chain of matmuls each, against one", {
    lutra = ("%s, limit 1.9 %s; two processes on this machine %s"):format(text_of_ratio(two),
      two.low >= 1.9 and "met" or "missed", text_of_ratio(most)),
  })
end

-- The programs of tests/bench/*_bench.cpp, which print their limits themselves.
local native = {}
local function bench_native(pattern)
  for path in (output_of("ls " .. build .. "/bench/*_bench 2>/dev/null") or ""):gmatch("%S+") do
    if path:match("[^/]+$"):find(pattern) then
      local said = output_of(pin .. path) or error("failed: " .. path, 0)
      print("== " .. path:match("[^/]+$") .. "\n" .. said)
      native[#native + 1] = said
    end
  end
end

-- The page --------------------------------------------------------------------------------------------------------

local function heading()
  local lutra = require "lutra"
  local virtual = first_line("/proc/cpuinfo", "^flags.* hypervisor") and ", a virtual machine" or ""
  local names = {"Lutra " .. lutra.version}
  local commit = output_of("git rev-parse --short HEAD 2>/dev/null")
  if commit then
    local changed = output_of("git status --porcelain --untracked-files=no 2>/dev/null") ~= ""
    names[1] = names[1] .. " (" .. commit .. (changed and " and changes" or "") .. ")"
  end
  for _, system in ipairs(systems) do
    if system.version then names[#names + 1] = system.title .. " " .. system.version end
  end
  return ("%s. %s, %d cores of it used%s; %s. %s on %d threads; %d pairs. Load average %s at the start, %s at the end.")
    :format(os.date("!%Y-%m-%d %H:%M UTC"), first_line("/proc/cpuinfo", "^model name%s*:%s*(.*)"), #cores, virtual,
      pin == "" and "not pinned" or "pinned", table.concat(names, ", "), #cores, options.pairs, options.load,
      first_line("/proc/loadavg", "^%S+"))
end

local function write_page()
  local lines = {kBegin, heading(), ""}
  local head, rule = "| |", "|---|"
  for _, system in ipairs(systems) do
    head, rule = head .. " " .. system.title .. " |", rule .. "---|"
  end
  table.move({head, rule}, 1, 2, #lines + 1, lines)
  for _, row in ipairs(rows) do
    local line = "| " .. row.title .. " |"
    for _, system in ipairs(systems) do line = line .. " " .. (row.cells[system.key] or "") .. " |" end
    lines[#lines + 1] = line
  end
  if #native > 0 then lines[#lines + 1] = "\n```\n" .. table.concat(native, "\n") .. "\n```" end
  lines[#lines + 1] = kEnd
  local file = assert(io.open(kPage))
  local page = file:read("a")
  file:close()
  local from, to = page:find(kBegin, 1, true), select(2, page:find(kEnd, 1, true))
  if not (from and to) then error(kPage .. " has lost its markers", 0) end
  file = assert(io.open(kPage, "w"))
  file:write(page:sub(1, from - 1), table.concat(lines, "\n"), page:sub(to + 1))
  file:close()
end

options.load = first_line("/proc/loadavg", "^%S+")
if not options.results then add_module() end
if options.peers then add_peers() end
for _, workload in ipairs(dofile("tests/bench/workloads.lua")) do
  if workload.name:find(options.pattern) then bench(workload) end
end
if not options.results then
  if ("start"):find(options.pattern) then bench_start() end
  if ("overlap"):find(options.pattern) then bench_overlap() end
  bench_native(options.pattern)
end
if options.write then write_page() end
