-- Times and sizes as people read them.
local units = {}

local function three_digits(value)
  return value >= 99.95 and ("%.0f"):format(value) or value >= 9.995 and ("%.1f"):format(value)
    or ("%.2f"):format(value)
end

function units.time(us)
  if us < 999.5 then return three_digits(us) .. " us" end
  if us < 999500 then return three_digits(us / 1e3) .. " ms" end
  return three_digits(us / 1e6) .. " s"
end

function units.bytes(count)
  local names, i = { "B", "KiB", "MiB", "GiB", "TiB" }, 1
  while count >= 1023.5 and i < #names do count, i = count / 1024, i + 1 end
  return i == 1 and ("%d B"):format(count) or three_digits(count) .. " " .. names[i]
end

function units.share(part)
  if not part or part ~= part then return "-" end
  return (part < 0.0995 and "%.1f%%" or "%.0f%%"):format(100 * part)
end

function units.rate(value) return value > 0 and three_digits(value) or "-" end

return units
