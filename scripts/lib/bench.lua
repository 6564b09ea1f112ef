-- scripts/lib/bench.lua [PATTERN] [--peers[=VENV]] [--pairs=N] [--patience=N] [--results] [--write]: times the workloads of
-- tests/bench/workloads.lua side by side. Run by `scripts/dev bench`, with the root of the tree as working directory.
--   --peers     also times NumPy, PyTorch and JAX: of VENV, else of the Python in LUTRA_PEERS_PYTHON, else of python3
--   --pairs     the number of rounds (default 9)
--   --patience  how often a run that other programs disturbed is repeated (default 2)
--   --results   compares results with the peers' and times nothing; exit status 77 when there are no peers
--   --write     puts the table into docs/benchmarks/workloads.md, between its markers
-- A round runs every system once, each in a fresh process on the same cores; the next round runs them in the opposite order
-- (A B C C B A ...). Ratios are taken within a round. Printed are their medians, with 95% bootstrap intervals.
-- LUTRA_BUILD is the build folder whose products run.
local cli = dofile("tests/bench/cli.lua")
local machine = dofile("tests/bench/machine.lua")
local statistics = dofile("tests/bench/statistics.lua")
local page = dofile("tests/bench/page.lua")
local median, text_of_limit, text_of_ratio = statistics.median, statistics.text_of_limit, statistics.text_of_ratio

local kTolerance = 1e-6

local build = os.getenv("LUTRA_BUILD") or "build/release"
local stop, quoted = cli.stop, cli.quoted

local function read_options()
  local options = {pairs = 9, patience = 2, pattern = ""}
  for _, word in ipairs(arg) do
    local key, value = word:match("^%-%-(%a+)=?(.*)$")
    if key == "pairs" or key == "patience" then
      options[key] = math.tointeger(tonumber(value)) or stop("--", key, " wants a number")
    elseif key == "peers" or key == "write" or key == "results" then
      options[key] = value
    elseif key then
      stop("scripts/dev bench has no option ", word)
    else
      options.pattern = word
    end
  end
  if options.write and (options.pairs < 9 or options.pattern ~= "") then
    stop("--write takes all workloads and at least 9 pairs")
  end
  return options
end

local options = read_options()
local function wanted(name) return name:find(options.pattern) ~= nil end
-- Systems ---------------------------------------------------------------------------------------------------------

local systems = {{key = "lutra", title = "Lutra"}}

local function add_module()
  local file = io.open(build .. "/lib/lua/lutra.so")
  if file then file:close() end
  if file and machine.output_of("command -v lua5.4") then
    table.insert(systems, {key = "module", title = "as a module"})
  end
end

local function add_peers()
  local python = cli.python_of(options.peers)
  for _, peer in ipairs {{key = "numpy", title = "NumPy"}, {key = "torch", title = "PyTorch"}, {key = "jax", title = "JAX"}} do
    local script = quoted("import numpy, " .. peer.key .. " as m; print(m.__version__)")
    local version = machine.output_of(quoted(python) .. " -c " .. script .. " 2>/dev/null")
    if version then
      peer.python, peer.version = quoted(python), version
      table.insert(systems, peer)
    end
  end
  if systems[#systems].python then return end
  print("no NumPy for " .. python .. ": LUTRA_PEERS_PYTHON or --peers=VENV names a Python that has it")
  if options.results then os.exit(77) end
end

-- The arguments for worker.lua or peers/worker.py, or nil. The module runs the same code as the program.
local function code(workload, system)
  local key = system.key
  if key == "module" then
    if not workload.module then return nil end
    key = "lutra"
  end
  local own = workload[key]
  if not own then return nil end
  local setup = {}
  if workload.setup then setup[1] = workload.setup[key] end
  if own.setup then setup[#setup + 1] = own.setup end
  return quoted(table.concat(setup, "; ")) .. " " .. quoted(own.run)
end

-- The command that runs a file of tests/bench, or its Python counterpart, with these arguments.
local function command(system, name, words)
  if system.key == "lutra" then return ("%s/bin/lutra tests/bench/%s.lua %s"):format(build, name, words) end
  if system.key == "module" then
    return ("LUA_CPATH_5_4=%s/lib/lua/?.so lua5.4 tests/bench/%s.lua %s"):format(build, name, words)
  end
  return ("%s tests/bench/peers/%s.py %s %s"):format(system.python, name, system.key, words)
end

-- Measuring -------------------------------------------------------------------------------------------------------

-- Each system's answers, {[key] = {answer...}}, one per round. The order of the systems is reversed in each round.
local function rounds(of, count, command_of)
  local answers = {disturbed = 0}
  for _, system in ipairs(of) do answers[system.key] = {} end
  for round = 1, count do
    local from, to, step = 1, #of, 1
    if round % 2 == 0 then from, to, step = #of, 1, -1 end
    local disturbed = false
    for i = from, to, step do
      local answer = machine.measure(command_of(of[i]), options.patience)
      disturbed = disturbed or answer.disturbed
      table.insert(answers[of[i].key], answer)
    end
    if disturbed then answers.disturbed = answers.disturbed + 1 end
  end
  return answers
end

local function column(answers, word)
  local values = {}
  for i, answer in ipairs(answers) do values[i] = answer[word][1] end
  return values
end

-- A system's figure divided by Lutra's, round by round.
local function ratio(answers, key, word)
  local ours, theirs, ratios = column(answers.lutra, word), column(answers[key], word), {}
  for i = 1, #ours do ratios[i] = theirs[i] / ours[i] end
  return statistics.interval(ratios)
end

-- Whether two results are the same. For random numbers: whether both are standard normal.
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

local function check_results(workload, able, answers)
  for _, system in ipairs(able) do
    for i, answer in ipairs(answers[system.key]) do
      local ours, theirs = answers.lutra[i].result, answer.result
      if not same_result(workload, ours, theirs) then
        error(("%s: %s has another result: %s against %s"):format(workload.name, system.title,
          table.concat(theirs, " "), table.concat(ours, " ")), 0)
      end
    end
  end
end

-- Showing ---------------------------------------------------------------------------------------------------------

-- Prints a line and keeps a row for the page.
local rows = {}
local function show(title, cells, disturbed)
  if disturbed and disturbed > 0 then
    title = ("%s (%d of %d rounds disturbed)"):format(title, disturbed, options.pairs)
  end
  -- Where other programs disturbed most rounds, no target is judged.
  if disturbed and 2 * disturbed > options.pairs then
    for key, cell in pairs(cells) do
      cells[key] = cell:gsub(" met%f[%W]", " unjudged"):gsub(" missed%f[%W]", " unjudged")
    end
  end
  local words = {}
  for _, system in ipairs(systems) do
    local cell = cells[system.key]
    if cell then words[#words + 1] = (system.key == "lutra" and "" or system.title .. " ") .. cell end
  end
  print(title .. ": " .. table.concat(words, "; "))
  io.stdout:flush()
  rows[#rows + 1] = {title = title, cells = cells}
end

local function limit_of(workload, system, ns, faults)
  if system.key == "module" then
    return text_of_limit(ns, workload.module_limit_ns, statistics.text_of_ns(workload.module_limit_ns or 0))
  elseif workload.faults then
    return text_of_limit(faults, 0, "0")
  elseif workload.limit_rate then
    return text_of_limit(-workload.work / ns, -workload.limit_rate, ("%g"):format(workload.limit_rate))
  end
  return text_of_limit(ns, workload.limit_ns, statistics.text_of_ns(workload.limit_ns or 0))
end

local function cell_of(workload, system, answers)
  local ns = median(column(answers[system.key], "ns"))
  local faults = median(column(answers[system.key], "faults"))
  local text = statistics.text_of_ns(ns)
  if workload.work then text = ("%s, %.0f %s/s"):format(text, workload.work / ns, workload.unit) end
  if workload.faults then text = ("%s, %.0f page faults"):format(text, faults) end
  if not system.python then return text .. limit_of(workload, system, ns, faults) end
  local target = workload[system.key].target
  return ("%s (%s)"):format(text, text_of_ratio(ratio(answers, system.key, "ns"), target, workload.starred))
end

-- Benchmarks ------------------------------------------------------------------------------------------------------

local function bench(workload)
  local able, cells = {}, {}
  for _, system in ipairs(systems) do
    if code(workload, system) then able[#able + 1] = system end
  end
  local answers = rounds(able, options.results and 1 or options.pairs, function(system)
    return command(system, "worker", code(workload, system))
  end)
  check_results(workload, able, answers)
  for _, system in ipairs(able) do
    cells[system.key] = options.results and "same result" or cell_of(workload, system, answers)
  end
  show(workload.title, cells, not options.results and answers.disturbed)
end

-- The time from the start of a process to its first printed tensor, and its memory.
local function bench_start()
  local able = {}
  for _, system in ipairs(systems) do
    if system.key ~= "module" then able[#able + 1] = system end
  end
  local function start(system) return "bash tests/bench/first_line.sh " .. command(system, "start", "") end
  rounds(able, 1, start) -- brings the files into the page cache
  local answers = rounds(able, options.pairs, start)
  local time, memory = {}, {}
  for _, system in ipairs(able) do
    local us, kib = median(column(answers[system.key], "us")), median(column(answers[system.key], "rss_kib"))
    local ms, mb = ("%.1f ms"):format(us / 1e3), ("%.1f MB"):format(kib / 1024)
    if system.python then
      local known = system.key == "torch"
      ms = ("%s (%s)"):format(ms, text_of_ratio(ratio(answers, system.key, "us"), known and 400))
      mb = ("%s (%s)"):format(mb, text_of_ratio(ratio(answers, system.key, "rss_kib"), known and 24))
    else
      ms, mb = ms .. text_of_limit(us, 6e3, "6 ms"), mb .. text_of_limit(kib, 20 * 1024, "20 MB")
    end
    time[system.key], memory[system.key] = ms, mb
  end
  show("start to first printed tensor", time, answers.disturbed)
  show("memory of that process", memory)
end

-- Two simulated GPUs from Lua, compared with two processes, whose speed-up is the machine's own limit.
local function bench_overlap()
  local answers = rounds({systems[1]}, options.pairs, function()
    return "LUTRA_SIM_GPUS=2 " .. command(systems[1], "overlap", "")
  end)
  local devices, processes = {}, {}
  for i, answer in ipairs(answers.lutra) do
    devices[i], processes[i] = table.unpack(answer.overlap)
  end
  local two = statistics.interval(devices)
  show("two simulated GPUs, a chain of matmuls each, against one", {
    lutra = ("%s, limit 1.9x %s; two processes %s"):format(text_of_ratio(two), two.low >= 1.9 and "met" or "missed",
      text_of_ratio(statistics.interval(processes))),
  }, answers.disturbed)
end

-- A step of four replicas against four steps of one device, on simulated GPUs from Lua.
local function bench_replicas()
  local answers = rounds({systems[1]}, options.pairs, function()
    return "LUTRA_SIM_GPUS=4 " .. command(systems[1], "replicas", "") .. " 2>/dev/null"
  end)
  for _, size in ipairs { {"few", 32}, {"many", 256} } do
    local ratios, steps = {}, {}
    for i, answer in ipairs(answers.lutra) do ratios[i], steps[i] = table.unpack(answer["replicas_" .. size[1]]) end
    local four = statistics.interval(ratios)
    show(("784-128-10: a step of 4 replicas, %d rows each, against 4 steps of one device"):format(size[2]), {
      lutra = ("%s, %.0f us; limit 1.3x %s"):format(text_of_ratio(four), statistics.interval(steps).middle,
        four.high <= 1.3 and "met" or "missed"),
    }, answers.disturbed)
  end
end

-- The programs of tests/bench/*_bench.cpp, which print their limits themselves.
local native = {}
local function bench_native()
  for path in (machine.output_of("ls " .. build .. "/bench/*_bench 2>/dev/null") or ""):gmatch("%S+") do
    if wanted(path:match("[^/]+$")) then
      local said = machine.output_of(machine.pin .. path) or error("failed: " .. path, 0)
      print(said)
      native[#native + 1] = said
    end
  end
end

-- The page --------------------------------------------------------------------------------------------------------

local function heading(before)
  local names = {"Lutra " .. require("lutra").version .. before.source}
  for _, system in ipairs(systems) do
    if system.version then names[#names + 1] = system.title .. " " .. system.version end
  end
  return ("%s, on %s: %s, %d threads each, %d pairs. Load average %s at the start, %s at the end."):format(
    os.date("!%Y-%m-%d %H:%M UTC"), machine.describe(), table.concat(names, ", "), #machine.cores, options.pairs,
    before.load, machine.load())
end

local function write_page(before)
  local head, rule = "| |", "|---|"
  for _, system in ipairs(systems) do
    head, rule = head .. " " .. system.title .. " |", rule .. "---|"
  end
  local lines = {heading(before), "", head, rule}
  for _, row in ipairs(rows) do
    local line = "| " .. row.title .. " |"
    for _, system in ipairs(systems) do line = line .. " " .. (row.cells[system.key] or "") .. " |" end
    lines[#lines + 1] = line
  end
  if #native > 0 then lines[#lines + 1] = "\n```\n" .. table.concat(native, "\n") .. "\n```" end
  page.write("docs/benchmarks/workloads.md", "scripts/dev bench --write", table.concat(lines, "\n"))
end

local before = {load = machine.load(), source = machine.source(build)}
if not options.results then add_module() end
if options.peers then add_peers() end
for _, workload in ipairs(dofile("tests/bench/workloads.lua")) do
  if wanted(workload.name) then bench(workload) end
end
if not options.results then
  if wanted("start") then bench_start() end
  if wanted("overlap") then bench_overlap() end
  if wanted("replicas") then bench_replicas() end
  bench_native()
end
if #rows == 0 and #native == 0 then stop("nothing in tests/bench matches ", options.pattern) end
if options.write then write_page(before) end
