-- The terminal's view of a trace: lines of text.
local _, _, use = ...
local units = use "profiler.units"

-- Rows of texts below their titles; the first `left` columns are flush left. Columns are as wide as they must be.
local function add_table(lines, titles, rows, left)
  local widths = {}
  for i, title in ipairs(titles) do
    widths[i] = #title
    for _, row in ipairs(rows) do widths[i] = math.max(widths[i], utf8.len(row[i]) or #row[i]) end
  end
  local function line_of(cells)
    local parts = {}
    for i, cell in ipairs(cells) do
      local padding = (" "):rep(widths[i] - (utf8.len(cell) or #cell))
      parts[i] = i <= left and cell .. padding or padding .. cell
    end
    return (table.concat(parts, "  "):gsub("%s+$", ""))
  end
  lines[#lines + 1] = line_of(titles)
  for _, row in ipairs(rows) do lines[#lines + 1] = line_of(row) end
end

local function first_rows(list, most, make)
  local rows = {}
  for i = 1, math.min(#list, most) do rows[i] = make(list[i]) end
  return rows
end

local function add_more(lines, list, most)
  if #list > most then lines[#lines + 1] = ("and %d more"):format(#list - most) end
end

local function kernel_rows(list, most, whole)
  return first_rows(list, most, function(row)
    return { row.name, ("%d"):format(row.count), units.time(row.total_us),
      row.count > 0 and units.time(row.mean_us) or "-",
      units.share(row.total_us / whole), units.time(row.host_us), units.rate(row.gflops), units.rate(row.gbps),
      units.share(row.limit) }
  end)
end

local function sum_of(list)
  local sum = 0
  for _, row in ipairs(list) do sum = sum + row.total_us end
  return sum > 0 and sum or 1
end

-- Of those that computed the same operations as others, such as replicas; nil if none did.
local function slowest_gpu(devices)
  local slowest
  for _, device in ipairs(devices) do
    if device.of_others and device.of_others > (slowest and slowest.of_others or 0) then slowest = device end
  end
  return slowest
end

local columns = { "kernels", "total", "mean", "share", "host side", "GFLOP/s", "GB/s", "of limit" }

return function(totals, most)
  local length, lines = math.max(totals.length_us, 1e-3), {}
  local function add(...) lines[#lines + 1] = (...):format(select(2, ...)) end
  add("Trace of %s, %d events%s", units.time(length), totals.events,
    totals.dropped > 0 and ("; %d older ones were dropped"):format(totals.dropped) or "")
  local rest = math.max(0, length - totals.host_op_us - totals.host_kernel_us - totals.host_wait_us)
  add("The host: %s computing on the CPU, %s preparing and queuing ops, %s waiting for devices, %s Lua and the rest",
    units.share(totals.host_kernel_us / length), units.share(totals.host_op_us / length),
    units.share(totals.host_wait_us / length),
    units.share(rest / length))
  if #totals.ops == 0 then
    add "No operation ran"
    return lines
  end

  add ""
  add_table(lines, { "device", "kernels", "busy", "computing", "copying", "copied", "most memory" },
    first_rows(totals.devices, 64, function(row)
      return { row.name, ("%d"):format(row.kernels), units.share(row.busy_us / length), units.time(row.busy_us),
        units.time(row.copy_us),
        units.bytes(row.copied_bytes), row.peak_bytes and units.bytes(row.peak_bytes) or "-" }
    end), 1)
  local slowest = slowest_gpu(totals.devices)
  if slowest then
    add("The GPUs that computed the same operations: %s", slowest.of_others < 1.05 and "all were equally fast" or
      ("%s was the slowest, with %.2f times the others' time"):format(slowest.name, slowest.of_others))
  end
  add ""
  add_table(lines, { "operation", table.unpack(columns) }, kernel_rows(totals.ops, most, sum_of(totals.ops)), 1)
  add_more(lines, totals.ops, most)
  add ""
  add_table(lines, { "line", table.unpack(columns) }, kernel_rows(totals.lines, most, sum_of(totals.lines)), 1)
  add_more(lines, totals.lines, most)
  if #totals.copies > 0 then
    add ""
    add_table(lines, { "copies by line", "from", "to", "why", "copies", "bytes", "total" },
      first_rows(totals.copies, most, function(row)
      return { row.line or "(no script)", row.source, row.target, row.reason, ("%d"):format(row.count),
        units.bytes(row.bytes),
        units.time(row.total_us) }
    end), 4)
    add_more(lines, totals.copies, most)
  end
  if #totals.gaps > 0 then
    add ""
    add_table(lines, { "idle device", "because", "until line", "gaps", "total", "longest" },
      first_rows(totals.gaps, most, function(row)
      return { row.device, row.cause, row.line or "(no script)", ("%d"):format(row.count), units.time(row.total_us),
        units.time(row.longest_us) }
    end), 3)
    add_more(lines, totals.gaps, most)
  end
  add ""
  add("limits: %s. Above 100%%: the bytes that the op table counts stayed in a cache.", totals.limits or "not known")
  return lines
end
