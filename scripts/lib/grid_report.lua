-- The output of scripts/lib/grid.lua: printed tables, and docs/benchmarks/grid_*.csv.
local statistics = dofile("tests/bench/statistics.lua")
local report = {}

local kClose = 0.97 -- of PyTorch's speed: rows below are marked
local page = dofile("tests/bench/page.lua")

-- The shortest time in ns that the machine's rates allow, or nil. Workloads that read and write are compared with triad.
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

-- Adds a row for each timed workload of a class.
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

local kMeans = {"1e3", "1e5", "1e7", "shapes", "conv", false} -- classes; false: all of them but factorisations

-- The geometric mean of a system's ratios in the rows of one class, or of all but factorisations. The mean is of the medians,
-- the interval that of the rounds' means.
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
  return {middle = statistics.geometric_mean(middles), low = interval.low, high = interval.high, count = #middles}
end

local function lines_of_means(shown, systems)
  local lines = {}
  for _, system in ipairs(systems) do
    local parts = {}
    for _, class in ipairs(kMeans) do
      local mean = mean_of(shown.rows, system.key, class)
      if mean then
        parts[#parts + 1] = ("%s %.3f [%.3f, %.3f] of %d"):format(class or "all", mean.middle, mean.low, mean.high, mean.count)
      end
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

-- The first three columns to the left, figures to the right.
local function print_columns(lines)
  local widths = {}
  for _, cells in ipairs(lines) do
    for i, cell in ipairs(cells) do widths[i] = math.max(widths[i] or 0, #cell) end
  end
  for _, cells in ipairs(lines) do
    local padded = {}
    for i, cell in ipairs(cells) do
      local space = (" "):rep(widths[i] - #cell)
      padded[i] = i <= 3 and cell .. space or space .. cell
    end
    print((table.concat(padded, "  "):gsub("%s+$", "")))
  end
end

-- The rows beside another build of Lutra, those that lost most first.
local function print_against(shown, title)
  table.sort(shown.rows, function(a, b) return a.intervals.against.middle < b.intervals.against.middle end)
  local lines = {{"op", "size", "", "Lutra", title, "ratio"}}
  for _, row in ipairs(shown.rows) do
    local function time(key) return statistics.text_of_ns(row.medians[key]) end
    lines[#lines + 1] = {row.name, row.class, "", time("lutra"), time("against"), text_of_interval(row.intervals.against)}
  end
  print(("%d threads, %d of %d rounds disturbed"):format(shown.threads, shown.disturbed, shown.rounds))
  print_columns(lines)
end

function report.print(shown, systems)
  if systems[2] and systems[2].key == "against" then
    print_against(shown, systems[2].title)
  else
    sort_rows(shown.rows)
    local lines = {kHeads}
    for _, row in ipairs(shown.rows) do lines[#lines + 1] = cells_of(row) end
    print(heading(shown))
    print_columns(lines)
  end
  for _, line in ipairs(lines_of_means(shown, systems)) do print(line) end
  print()
end

-- Files -----------------------------------------------------------------------------------------------------------

local function csv_line(cells)
  local fields = {}
  for i, cell in ipairs(cells) do fields[i] = cell:find(",", 1, true) and '"' .. cell .. '"' or cell end
  return table.concat(fields, ",")
end

-- Four cells for each peer: its time, the ratio, and the interval's ends; empty where it was not measured.
local function csv_row(threads, row, peers)
  local torch = row.intervals.torch
  local cells = {tostring(threads), row.name, torch and torch.middle < kClose and "<" or ""}
  cells[#cells + 1] = statistics.text_of_ns(row.medians.lutra)
  for _, peer in ipairs(peers) do
    local interval = row.intervals[peer.key]
    cells[#cells + 1] = row.medians[peer.key] and statistics.text_of_ns(row.medians[peer.key]) or ""
    for _, key in ipairs {"middle", "low", "high"} do
      cells[#cells + 1] = interval and ("%.2f"):format(interval[key]) or ""
    end
  end
  cells[#cells + 1] = row.limit and statistics.text_of_ns(row.limit) or ""
  cells[#cells + 1] = row.limit and ("%.0f%%"):format(100 * row.limit / row.medians.lutra) or ""
  return csv_line(cells)
end

-- docs/benchmarks/grid_CLASS.csv, the smallest ratio to PyTorch first, and grid_means.csv, from which
-- scripts/lib/benchmark_chart.lua draws. `source` is the commit in brackets, or "".
function report.write(tables, systems, source, head)
  local names, peers = {}, {}
  for _, system in ipairs(systems) do
    if system.version then names[#names + 1] = system.title .. " " .. system.version end
    if system.key ~= "lutra" then peers[#peers + 1] = system end
  end
  local top = ("# %s %s. Command: scripts/dev bench grid --peers=path/to/venv --write"):format(head,
    table.concat(names, ", "))
  local columns = {"threads", "op", "below", "Lutra"}
  for _, peer in ipairs(peers) do
    for _, suffix in ipairs {"", " ratio", " low", " high"} do columns[#columns + 1] = peer.title .. suffix end
  end
  table.move({"limit", "reached"}, 1, 2, #columns + 1, columns)

  local means = {top}
  for _, shown in ipairs(tables) do means[#means + 1] = "# " .. heading(shown) .. "." end
  means[#means + 1] = '# Geometric means of a peer\'s time over Lutra\'s. "all" counts no factorisations.'
  means[#means + 1] = "threads,peer,size,ratio,low,high,workloads,commit"
  for _, shown in ipairs(tables) do
    for _, peer in ipairs(peers) do
      for _, class in ipairs(kMeans) do
        local mean = mean_of(shown.rows, peer.key, class)
        if mean then
          means[#means + 1] = ("%d,%s,%s,%.3f,%.3f,%.3f,%d,%s"):format(shown.threads, peer.title, class or "all",
            mean.middle, mean.low, mean.high, mean.count, source:match("%((.*)%)") or "")
        end
      end
    end
  end
  page.write_file("docs/benchmarks/grid_means.csv", means)

  local files = {}
  for _, shown in ipairs(tables) do
    for _, row in ipairs(shown.rows) do
      files[row.class] = files[row.class] or {top, csv_line(columns)}
      table.insert(files[row.class], csv_row(shown.threads, row, peers))
    end
  end
  for class, lines in pairs(files) do page.write_file(("docs/benchmarks/grid_%s.csv"):format(class), lines) end
  dofile("scripts/lib/benchmark_chart.lua")
end

return report
