-- How scripts/lib/grid.lua shows what it measured: on the screen, and in docs/benchmarks.md.
local statistics = dofile("tests/bench/statistics.lua")
local report = {}

local kClose = 0.97 -- of PyTorch's speed: rows below are marked
local page = dofile("tests/bench/page.lua")

-- The shortest time the machine could take, in ns, or nil: what reads and writes is held against triad.
local function limit_of(entry, class, peaks)
  if entry.flops then return peaks.fma and entry.flops / peaks.fma end
  local rates, read, write = peaks[class.name], entry.read or 0, entry.write or 0
  if not (class.size and rates) or read + write == 0 then return nil end
  local rate = rates[write == 0 and "read" or read == 0 and "write" or "triad"]
  return rate and (read + write) * class.size.N / rate
end

local function ratios_of(times, key)
  local ratios = {}
  for i, ours in ipairs(times.lutra) do ratios[i] = times[key] and times[key][i] and times[key][i] / ours end
  return #ratios > 0 and ratios or nil
end

-- Adds a row for each workload of a class that was timed.
function report.add_rows(shown, class, measured)
  for _, entry in ipairs(class.entries) do
    local times = measured[entry.name]
    if times and times.lutra then
      local row = {name = entry.name, class = class.name, medians = {}, ratios = {}, intervals = {}}
      for key, values in pairs(times) do
        row.medians[key] = statistics.median(values)
        if key ~= "lutra" then
          row.ratios[key] = ratios_of(times, key)
          row.intervals[key] = row.ratios[key] and statistics.interval(row.ratios[key])
        end
      end
      row.limit = limit_of(entry, class, shown.peaks)
      table.insert(shown.rows, row)
    end
  end
end

local function sort_rows(rows)
  local function key(row) return row.intervals.torch and row.intervals.torch.middle or math.huge end
  table.sort(rows, function(a, b)
    if key(a) ~= key(b) then return key(a) < key(b) end
    return a.class .. a.name < b.class .. b.name
  end)
end

local function text_of_interval(interval)
  return interval and ("%.2f [%.2f, %.2f]"):format(interval.middle, interval.low, interval.high) or "-"
end

local function cells_of(row)
  local function time(key) return row.medians[key] and statistics.text_of_ns(row.medians[key]) or "-" end
  local torch, numpy, onnx, onednn = row.intervals.torch, row.intervals.numpy, row.intervals.onnx, row.intervals.onednn
  return {
    torch and torch.middle < kClose and "<" or "",
    row.name, row.class, time("lutra"), time("torch"), text_of_interval(torch), time("numpy"),
    numpy and ("%.2f"):format(numpy.middle) or "-", time("onnx"), text_of_interval(onnx), time("onednn"), text_of_interval(onednn),
    row.limit and ("%s, %.0f%%"):format(statistics.text_of_ns(row.limit), 100 * row.limit / row.medians.lutra) or "-",
  }
end

local kHeads = {"", "op", "size", "Lutra", "PyTorch", "ratio", "NumPy", "ratio", "ONNX Runtime", "ratio", "oneDNN", "ratio", "limit, reached"}

-- The geometric mean of all ratios to a system in rows of one class, or of all but factorisations: over the medians,
-- with the interval of the rounds' means.
local function mean_of(rows, key, class)
  local middles, rounds = {}, {}
  for _, row in ipairs(rows) do
    if row.intervals[key] and (class and row.class == class or not class and row.class ~= "factorisations") then
      middles[#middles + 1] = row.intervals[key].middle
      for i, ratio in ipairs(row.ratios[key]) do
        rounds[i] = rounds[i] or {}
        table.insert(rounds[i], ratio)
      end
    end
  end
  if #middles == 0 then return nil end
  for i, ratios in ipairs(rounds) do rounds[i] = statistics.geometric_mean(ratios) end
  local interval = statistics.interval(rounds)
  return ("%.3f [%.3f, %.3f] of %d"):format(statistics.geometric_mean(middles), interval.low, interval.high, #middles)
end

local function lines_of_means(shown, systems)
  local lines = {}
  for _, system in ipairs(systems) do
    local parts = {}
    for _, class in ipairs {"1e3", "1e5", "1e7", "shapes", "conv", false} do
      local text = mean_of(shown.rows, system.key, class or nil)
      if text then parts[#parts + 1] = (class or "all") .. " " .. text end
    end
    if #parts > 0 then
      local all = table.concat(parts, "; ")
      lines[#lines + 1] = ("geometric mean of %s's time over Lutra's: %s"):format(system.title, all)
    end
  end
  return lines
end

local function text_of_peaks(peaks)
  local parts = {}
  if peaks.fma then parts[1] = ("%.0f GFLOP/s"):format(peaks.fma) end
  for _, class in ipairs {"1e3", "1e5", "1e7"} do
    local rates = peaks[class]
    if rates then
      parts[#parts + 1] = ("%s: triad %.0f, read %.0f, write %.0f GB/s"):format(class, rates.triad, rates.read,
        rates.write)
    end
  end
  return table.concat(parts, "; ")
end

local function heading(shown)
  local count, below = 0, 0
  for _, row in ipairs(shown.rows) do
    if row.intervals.torch then
      count = count + 1
      if row.intervals.torch.middle < kClose then below = below + 1 end
    end
  end
  return ("%d thread%s: %d of %d below %.2f of PyTorch (<); %d of %d rounds disturbed; limits: %s"):format(
    shown.threads, shown.threads == 1 and "" or "s", below, count, kClose, shown.disturbed, shown.rounds,
    text_of_peaks(shown.peaks))
end

function report.print(shown, systems)
  sort_rows(shown.rows)
  local widths, lines = {}, {kHeads}
  for _, row in ipairs(shown.rows) do lines[#lines + 1] = cells_of(row) end
  for _, cells in ipairs(lines) do
    for i, cell in ipairs(cells) do widths[i] = math.max(widths[i] or 0, #cell) end
  end
  print(heading(shown))
  for _, cells in ipairs(lines) do
    local padded = {}
    for i, cell in ipairs(cells) do
      local space = (" "):rep(widths[i] - #cell)
      padded[i] = i <= 3 and cell .. space or space .. cell
    end
    print((table.concat(padded, "  "):gsub("%s+$", "")))
  end
  for _, line in ipairs(lines_of_means(shown, systems)) do print(line) end
  print()
end

-- Between the page's own markers, shortest ratio first.
function report.write(tables, systems, head)
  local names = {}
  for _, system in ipairs(systems) do
    if system.version then names[#names + 1] = system.title .. " " .. system.version end
  end
  local lines = {head .. " Beside it " .. table.concat(names, " and ") .. "."}
  for _, shown in ipairs(tables) do
    lines[#lines + 1] = "\n" .. heading(shown) .. "."
    for _, line in ipairs(lines_of_means(shown, systems)) do lines[#lines + 1] = "\n" .. line .. "." end
    lines[#lines + 1] = "\n| " .. table.concat(kHeads, " | ") .. " |\n|" .. ("---|"):rep(#kHeads)
    for _, row in ipairs(shown.rows) do lines[#lines + 1] = "| " .. table.concat(cells_of(row), " | ") .. " |" end
  end
  page.write("docs/benchmarks.md", "scripts/dev bench grid --write", table.concat(lines, "\n"))
end

return report
