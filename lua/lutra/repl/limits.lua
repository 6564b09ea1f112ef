-- What the machine reaches on the device of the running scope, for :bench: measured once per device.
local lutra, tools, use = ...

local limits = {}

-- The best rate of some runs of f, which does `work`.
local function rate(work, f)
  f()
  lutra.synchronize()
  local best = math.huge
  for _ = 1, 5 do
    local begin = lutra.time()
    f()
    lutra.synchronize()
    best = math.min(best, lutra.time() - begin)
  end
  return work / best, best
end

-- Operations a second of the fastest of several square products of float32.
local function product_rate()
  local best = 0
  for _, size in ipairs { 512, 1024, 2048, 4096 } do
    local a = lutra.ones { size, size }
    local reached, seconds = rate(2 * size ^ 3, function() a:matmul(a) end)
    best = math.max(best, reached)
    if seconds > 0.005 then break end
  end
  return best
end

-- Bytes a second that a large sum of float32 reads and writes.
local function sum_rate()
  local count = 1 << 23
  local a, b = lutra.ones { count }, lutra.zeros { count }
  return (rate(3 * 4 * count, function() return a + b end))
end

local known = {}
-- Operations and bytes a second; nil if there is too little memory to measure them.
function limits.of_device()
  local device = lutra.zeros({ 1 }).device
  if known[device] == nil then
    local has_flops, flops = pcall(product_rate)
    local has_bytes, bytes = pcall(sum_rate)
    -- An interruption is the user's, and goes on.
    if not has_flops and tostring(flops):find("interrupted!", 1, true) then error(flops, 0) end
    if not has_bytes and tostring(bytes):find("interrupted!", 1, true) then error(bytes, 0) end
    known[device] = has_flops and has_bytes and { flops = flops, bytes = bytes } or false
  end
  return known[device] or nil
end

local function share(text, value, limit, what)
  return ("%s, %.0f%% of %s"):format(text, value / limit * 100, what)
end

local units = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } }
local function amount(value, unit)
  for _, each in ipairs(units) do
    if value >= each[1] or each[1] == 1 then return ("%.3g %s%s"):format(value / each[1], each[2], unit) end
  end
end

-- What an entry that took `seconds` reached, or nil if it computed nothing.
function limits.text(flops, bytes, seconds)
  if flops == 0 and bytes == 0 or seconds <= 0 then return nil end
  local limit = limits.of_device()
  local rates = { amount(flops / seconds, "FLOP/s"), amount(bytes / seconds, "B/s") }
  if not limit then return table.concat(rates, ", ") end
  return share(rates[1], flops / seconds, limit.flops, "a large product's") .. "; "
    .. share(rates[2], bytes / seconds, limit.bytes, "a large sum's")
end

return limits
