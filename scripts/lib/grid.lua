-- scripts/lib/grid.lua [PATTERN] [options]: times every op of tests/bench/grid.lua in Lutra, PyTorch and NumPy, side by
-- side. Run by `scripts/dev bench grid`, with the root of the tree as working directory. PATTERN is a Lua pattern of names.
--   --size=1e5,shapes   some of 1e3, 1e5, 1e7, shapes, conv, factorisations (default: all)
--   --threads=1         1, 2 or both (2,1); default: both, where there are two cores
--   --rounds=9          the number of rounds (default 9)
--   --without=numpy     leaves a system out
--   --peers=VENV        the peers' Python; default: the one in LUTRA_PEERS_PYTHON, else python3
--   --against=BUILD     in place of the peers: another build of Lutra, such as the commit before; a command may stand before
--                       the folder, as in "env LUTRA_CPU_LEVEL=avx2 build/release"
--   --results           compares results and times nothing, by default without 1e7; exit status 77 when there are no peers
--   --write             writes docs/benchmarks/grid_*.csv
-- In each round one process per system and size runs all its workloads; the next round takes the systems in the opposite
-- order (A B C C B A ...). Ratios are taken within a round. Printed are medians, with 95% bootstrap intervals. Exit status 1
-- when results differ.
local cli = dofile("tests/bench/cli.lua")
local machine = dofile("tests/bench/machine.lua")
local statistics = dofile("tests/bench/statistics.lua")
local report = dofile("scripts/lib/grid_report.lua")
local grid = dofile("tests/bench/grid.lua")

local build = os.getenv("LUTRA_BUILD") or "build/release"
local stop, quoted = cli.stop, cli.quoted
local kClasses = {"1e3", "1e5", "1e7", "shapes", "conv", "factorisations"}

local function words_of(text)
  local words = {}
  for word in text:gmatch("[^,]+") do words[#words + 1] = word end
  return words
end

local function read_options()
  local options = {pattern = "", rounds = 9, without = ""}
  for _, word in ipairs(arg) do
    local key, value = word:match("^%-%-(%a+)=?(.*)$")
    if key == "rounds" then
      options.rounds = math.tointeger(tonumber(value)) or stop("--rounds wants a whole number")
    elseif key == "size" or key == "threads" then
      options[key] = words_of(value)
    elseif key == "without" or key == "peers" or key == "results" or key == "write" or key == "against" then
      options[key] = value
    elseif key then
      stop("scripts/dev bench grid has no option ", word)
    else
      options.pattern = word
    end
  end
  local known = "," .. table.concat(kClasses, ",") .. ","
  for _, size in ipairs(options.size or {}) do
    if not known:find("," .. size .. ",", 1, true) then
      stop("--size wants some of ", known:sub(2, -2), ", not ", size)
    end
  end
  if options.write and (options.rounds < 9 or options.pattern ~= "" or options.size or options.threads) then
    stop("--write takes all of the grid and at least 9 rounds")
  end
  if options.results then
    options.rounds = 1
    options.size = options.size or {"1e3", "1e5", "shapes", "conv", "factorisations"}
    options.threads = options.threads or {"2"}
  end
  options.size = options.size or kClasses
  options.threads = options.threads or (#machine.cores > 1 and {"2", "1"} or {"1"})
  for i, count in ipairs(options.threads) do
    options.threads[i] = math.tointeger(tonumber(count)) or stop("--threads wants whole numbers, not ", count)
  end
  return options
end

local options = read_options()

local function find_systems()
  local worker = "/bin/lutra tests/bench/grid_worker.lua "
  local systems = {{key = "lutra", title = "Lutra", command = build .. worker}}
  if options.against then
    systems[2] = {key = "against", code = "lutra", title = options.against, command = options.against .. worker}
    return systems
  end
  local python = cli.python_of(options.peers)
  local peers = {
    {key = "torch", title = "PyTorch"}, {key = "numpy", title = "NumPy"},
    {key = "onnx", title = "ONNX Runtime", package = "onnxruntime", needs = "onnx"},
  }
  for _, peer in ipairs(peers) do
    if options.without ~= peer.key then
      local script = ("from importlib.metadata import version; import numpy%s; print(version(%q))")
        :format(peer.needs and ", " .. peer.needs or "", peer.package or peer.key)
      peer.version = machine.output_of(quoted(python) .. " -c " .. quoted(script) .. " 2>/dev/null")
      peer.command = ("%s tests/bench/peers/grid_worker.py %s "):format(quoted(python), peer.key)
      if peer.version then systems[#systems + 1] = peer end
    end
  end
  if #systems == 1 then
    print("no NumPy for " .. python .. ": LUTRA_PEERS_PYTHON or --peers=VENV names a Python that has it")
    if options.results then os.exit(77) end
  end
  if not options.results and options.without ~= "onednn" then
    systems[#systems + 1] = {key = "onednn", title = "oneDNN", command = build .. "/bench/grid_product "}
  end
  return systems
end

local systems = find_systems()

-- Shows progress when stderr is a terminal.
local watched = os.execute("test -t 2")
local function tell(text)
  if watched then io.stderr:write(("\r%-50s\r"):format(text), text) end
end

-- Jobs ------------------------------------------------------------------------------------------------------------

-- The class with those of its entries whose name matches; nil when none does.
local function class_of(name)
  local class = {name = name, entries = {}}
  for _, size in ipairs(grid.sizes) do
    if size.name == name then class.size = size end
  end
  for _, entry in ipairs(grid.entries) do
    if (entry.class or class.size and name) == name and entry.name:find(options.pattern) then
      table.insert(class.entries, entry)
    end
  end
  return #class.entries > 0 and class or nil
end

-- Writes the file that a worker reads, and returns its name.
local function write_job(class, system, compare)
  local function filled(code)
    return (code:gsub("%$(%u+)", class.size or {}))
  end
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "w"))
  file:write("compare\t", compare and 1 or 0, "\ntime\t", options.results and 0 or 1, "\n")
  local key = system.code or system.key
  if class.size then
    for _, input in ipairs(grid.inputs) do
      file:write("input\t", input[1], "\t", filled(key == "lutra" and input[2] or input[3]), "\n")
    end
  end
  for _, entry in ipairs(class.entries) do
    local run = entry[key]
    if run then
      local setup = entry.setup and entry.setup[key] or ""
      local check = entry.check and entry.check[key] or ""
      local fields = {"work", entry.name, entry.inputs or "", filled(setup), filled(run), filled(check)}
      file:write(table.concat(fields, "\t"), "\n")
    end
  end
  return path
end

-- Comparing -------------------------------------------------------------------------------------------------------

-- Whether random numbers have the mean and variance they must have, within six standard errors.
local function moments_hold(result, mean, variance)
  local n = result[1]
  local seen = result[2] / n
  local spread = result[4] / n - seen ^ 2
  return math.abs(seen - mean) <= 6 * math.sqrt(variance / n) and
    math.abs(spread - variance) <= 6 * variance * math.sqrt(2 / n) + variance * 1e-3
end

-- {count, sum, sum of magnitudes, of squares, weighted sum, sample...}
local function same_result(entry, ours, theirs)
  local tolerance = entry.tolerance or 1e-5
  if ours[1] ~= theirs[1] then return false end
  if type(entry.random) == "table" then
    return moments_hold(ours, table.unpack(entry.random)) and moments_hold(theirs, table.unpack(entry.random))
  end
  if ours[1] == 0 then return true end
  local magnitude = theirs[3]
  local typical = math.sqrt(theirs[4] / theirs[1])
  local function near(k, allowed) return math.abs(ours[k] - theirs[k]) <= tolerance * allowed end
  local sums = near(2, magnitude) and near(3, magnitude) and near(4, 2 * theirs[4])
  if entry.random == "shuffled" then return sums end
  if not (sums and near(5, 97 * magnitude)) then return false end
  for k = 6, #theirs do
    if not near(k, math.max(typical, math.abs(theirs[k]))) then return false end
  end
  return true
end

local function compare(class, results, complaints)
  for _, entry in ipairs(class.entries) do
    local ours = results.lutra[entry.name]
    for _, system in ipairs(systems) do
      local theirs = results[system.key] and results[system.key][entry.name]
      if ours and theirs and system.key ~= "lutra" and not same_result(entry, ours, theirs) then
        local function shown(result) return table.concat(result, " ", 1, math.min(#result, 9)) end
        complaints[#complaints + 1] = ("%s %s: %s has another result: %s; Lutra's: %s"):format(entry.name, class.name,
          system.title, shown(theirs), shown(ours))
      end
    end
  end
end

-- Measuring -------------------------------------------------------------------------------------------------------

local complaints = {}

local function run(class, system, threads, compared, times, results)
  local job = write_job(class, system, compared)
  local disturbed = machine.run(system.command .. job, threads, function(word, name, ...)
    if word == "time" then
      times[name] = times[name] or {}
      times[name][system.key] = times[name][system.key] or {}
      table.insert(times[name][system.key], tonumber((...)))
    elseif word == "result" then
      local figures = {...}
      for i, figure in ipairs(figures) do figures[i] = tonumber(figure) or 0 / 0 end
      results[system.key][name] = figures
    elseif word == "failed" then
      complaints[#complaints + 1] = ("%s %s: %s failed: %s"):format(name, class.name, system.title, (...))
    end
  end)
  os.remove(job)
  return disturbed
end

-- oneDNN knows only products.
local function has_work(class, system)
  for _, entry in ipairs(class.entries) do
    if entry[system.code or system.key] then return true end
  end
  return false
end

-- {[entry's name] = {[system] = {ns...}}} and how many rounds were disturbed.
local function measure(class, threads)
  local times, disturbed = {}, 0
  for round = 1, options.rounds do
    tell(("%s, %d threads, round %d of %d"):format(class.name, threads, round, options.rounds))
    local from, to, step = 1, #systems, 1
    if round % 2 == 0 then from, to, step = #systems, 1, -1 end
    local results, any = {}, false
    for _, system in ipairs(systems) do results[system.key] = {} end
    for i = from, to, step do
      any = has_work(class, systems[i]) and run(class, systems[i], threads, round == 1, times, results) or any
    end
    if any then disturbed = disturbed + 1 end
    if round == 1 then compare(class, results, complaints) end
  end
  tell("")
  return times, disturbed
end

-- The machine's own rates: {fma = GFLOP/s, [class] = {read =, write =, triad = GB/s}}.
local function measure_peaks(threads, classes)
  local peaks, sizes = {}, ""
  for _, class in ipairs(classes) do
    if class.size then
      sizes = sizes .. " " .. class.size.N
      peaks[tostring(class.size.N)] = {}
    end
  end
  local said = machine.output_of(("%s%s/bench/grid_peak %d%s"):format(machine.pin, build, threads, sizes))
  for line in (said or ""):gmatch("[^\n]+") do
    local kind, elements, rate = line:match("^(%l+) (%d+) %d+ ([%d.]+) GB/s$")
    if kind then peaks[elements][kind] = tonumber(rate) end
    peaks.fma = peaks.fma or tonumber(line:match("^fma %d+ ([%d.]+) "))
  end
  for _, class in ipairs(classes) do
    if class.size then peaks[class.name] = peaks[tostring(class.size.N)] end
  end
  return peaks
end

-- Keeps the higher of two measurements: other programs can only lower a rate.
local function raise(peaks, again)
  for key, rate in pairs(again) do
    if type(rate) == "table" then raise(peaks[key], rate)
    else peaks[key] = math.max(peaks[key] or 0, rate) end
  end
end

local before = {load = machine.load(), source = machine.source(build)}
local tables = {}
for _, threads in ipairs(options.threads) do
  local classes = {}
  for _, name in ipairs(options.size) do classes[#classes + 1] = class_of(name) end
  if #classes == 0 then stop("nothing in tests/bench/grid.lua matches ", options.pattern) end
  local shown = {threads = threads, rows = {}, disturbed = 0, rounds = options.rounds * #classes}
  shown.peaks = options.results and {} or measure_peaks(threads, classes)
  local times = {}
  for i, class in ipairs(classes) do
    local disturbed
    times[i], disturbed = measure(class, threads)
    shown.disturbed = shown.disturbed + disturbed
  end
  if not options.results then
    raise(shown.peaks, measure_peaks(threads, classes))
    for i, class in ipairs(classes) do report.add_rows(shown, class, times[i]) end
    report.print(shown, systems)
    tables[#tables + 1] = shown
  else
    local count = 0
    for _, class in ipairs(classes) do count = count + #class.entries end
    print(("%d workloads compared with %d threads"):format(count, threads))
  end
end
if options.write then
  report.write(tables, systems, before.source,
    ("%s, on %s. Lutra %s%s, %d rounds; load average %s at the start, %s at the end."):format(
      os.date("!%Y-%m-%d %H:%M UTC"), machine.describe(), require("lutra").version, before.source, options.rounds,
      before.load, machine.load()))
end
for _, complaint in ipairs(complaints) do print(complaint) end
os.exit(#complaints == 0 and 0 or 1)
