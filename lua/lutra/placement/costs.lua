-- Costs: what ops took on which device, as moving averages, and estimates where nothing was measured.
local lutra, tools, use = ...
local json = use "json"
local devices = use "placement.devices"
local checks = use "placement.checks"
local record = use "placement.recording"
local Class = use "class"

local kFormat = "lutra placement costs 1"
local kNewest = 0.2  -- the weight of the newest measurement
local kWarmUp = 3    -- of so many first measurements the least counts: the first may load libraries
local kLeastUs = 0.1

-- Sizes above 16 are rounded to a quarter of a power of two, so that nearly equal shapes share their times.
local function bucket_of(shapes)
  return (shapes:gsub("%d+", function(digits)
    local size = tonumber(digits)
    if size <= 16 then return digits end
    local step = 2 ^ (math.floor(math.log(size, 2)) - 2)
    return ("%d"):format(math.floor(size / step + 0.5) * step)
  end))
end

-- Of "(8, 4) float32, a number" and "(8, 4) float32": the dtypes are no sizes, and a number is as a scalar.
local function bucket(op)
  local shapes = (op.inputs .. " -> " .. op.outputs):gsub("a number", "()"):gsub(" %a+%d*", "")
  return bucket_of(shapes)
end

-- The same of a trace's "float32(8,4) float32() -> float32(8,4)".
local function bucket_of_trace(shapes)
  local plain = shapes:gsub("%a+%d*%(", "("):gsub(",", ", "):gsub("%((%d+)%)", "(%1,)"):gsub("%) %(", "), (")
  return bucket_of(plain)
end

local Costs = Class "placement.Costs"

function Costs:init()
  rawset(self, "entries", {})  -- by key
  rawset(self, "links", {})    -- by "from>to"
end

local function is_card(device) return device.is_gpu and not device.is_simulated end

local function key_of(op, kind) return table.concat({ op.name, bucket(op), op.dtype, kind }, "|") end

-- A measured time of an op on a device of that kind.
function Costs:add(name, shapes, dtype, kind, us, flops, bytes)
  local key = table.concat({ name, shapes, dtype, kind }, "|")
  local entry = self.entries[key]
  if not entry then
    self.entries[key] = { op = name, shapes = shapes, dtype = dtype, device = kind, us = us, count = 1, flops = flops,
      bytes = bytes }
  else
    entry.us = entry.count < kWarmUp and math.min(entry.us, us) or entry.us + kNewest * (us - entry.us)
    entry.count = entry.count + 1
  end
end

-- All ops of a recording that ran a kernel.
function Costs:learn(recorded)
  local all = devices.all()
  for _, op in ipairs(recorded.ops) do
    if op.launches > 0 and op.us > 0 then
      self:add(op.name, bucket(op), op.dtype, all[op.device].kind, op.us, op.flops, op.touched_bytes)
    end
  end
end

-- What tools.trace_times found in a trace.
function Costs:learn_trace(times)
  if #times == 0 then return end
  local all = devices.all()
  for _, each in ipairs(times) do
    local device, shapes = all[each.device], bucket_of_trace(each.shapes)
    for _, us in ipairs(device and not each.shapes:find "more" and each.us or {}) do
      if us > 0 then self:add(each.op, shapes, each.dtype, device.kind, us, each.flops, each.bytes) end
    end
  end
end

-- Flops and bytes per microsecond: the best that any measured op reached, if ops of some size were measured. A first run
-- may be slow for other reasons, so it says only that a device is faster than usual.
function Costs:speed(device)
  local usual, best, first = device.speed, {}, {}
  for _, entry in pairs(self.entries) do
    if entry.device == device.kind and entry.us >= 20 then
      local rates = entry.count > 1 and best or first
      for _, what in ipairs { "flops", "bytes" } do
        local amount = entry[what] or 0
        if amount > 0 then rates[what] = math.max(rates[what] or 0, amount / entry.us) end
      end
    end
  end
  local function rate(what) return math.max(best[what] or usual[what], first[what] or 0) end
  return { flops = rate "flops", bytes = rate "bytes", launch_us = usual.launch_us }
end

-- The host's cores compute for the CPU and for simulated GPUs, which use one thread. So what was measured on one of them
-- is an estimate for another; nil: nothing was. The CPU spreads ops of some size over its threads.
function Costs:measured_by_host(op, device, threads)
  local kSpreadUs = 50
  if device.is_gpu then
    local known = self.entries[key_of(op, "CPU")]
    if not known or known.count == 1 then return nil end
    return known.us > kSpreadUs and known.us * threads or known.us
  end
  local known = self.entries[key_of(op, "Simulated GPU")]
  return known and known.count > 1 and known.us or nil
end

-- A function that gives the time of a recorded op on a device, and how it is known: "measured", "simulated" (by the
-- device's set speed), "estimated".
function Costs:clock(all)
  local speeds, slowest, kinds = {}, {}, {}
  for _, device in ipairs(all) do kinds[device.kind] = device end
  -- What kernels on simulated cards really took, where that is more than the simulated time.
  for _, entry in pairs(self.entries) do
    local device = kinds[entry.device]
    if device and device.is_exact and entry.count > 1 then
      local simulated = math.max((entry.flops or 0) / device.speed.flops, (entry.bytes or 0) / device.speed.bytes)
      if entry.us > simulated * 1.05 + 5 then
        local key = table.concat({ entry.op, entry.shapes, entry.dtype }, "|")
        slowest[key] = math.max(slowest[key] or 0, entry.us)
      end
    end
  end
  return function(op, device)
    if op.launches == 0 then return 0, "simulated" end
    local known = self.entries[key_of(op, device.kind)]
    if device.is_exact then
      local us = math.max(op.flops / device.speed.flops, op.touched_bytes / device.speed.bytes)
      -- One measurement alone is not believed against the set speed.
      local real = known and known.count > 1 and known.us > us * 1.05 + 5 and known.us
        or slowest[table.concat({ op.name, bucket(op), op.dtype }, "|")]
      if real and real > us then return real, known and "measured" or "estimated" end
      return math.max(us, kLeastUs), "simulated"
    end
    local speed = speeds[device.kind]
    if not speed then
      speed = self:speed(device)
      speeds[device.kind] = speed
    end
    local estimated = op.flops / speed.flops + op.touched_bytes / speed.bytes + op.launches * speed.launch_us
    -- The first launch of a kernel may take milliseconds: a card loads it, the CPU makes code for products and
    -- convolutions. So one run alone is believed only if it is not far above the estimate, which is rough on the CPU.
    local most = is_card(device) and estimated or 3 * estimated + 100
    if known and (known.count > 1 or known.us <= most) then return math.max(known.us, kLeastUs), "measured" end
    if not is_card(device) then estimated = self:measured_by_host(op, device, all["CPU:0"].threads) or estimated end
    return math.max(estimated, kLeastUs), "estimated"
  end
end

function Costs:clear() self.entries, self.links = {}, {} end

local function sorted(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function path_of(who, path)
  if type(path) ~= "string" or path == "" then
    tools.fail("InvalidArgument", ("%s: path is %s, expected a file's name"):format(who, tools.what_is(path)))
  end
  return path
end

function Costs:save(path)
  path_of("costs:save", path)
  local lines = { "{", (' "format": %s,'):format(json.encode(kFormat)),
    (' "machine": %s,'):format(json.encode(devices.machine(devices.all()))), ' "costs": [' }
  local keys = sorted(self.entries)
  for i, key in ipairs(keys) do
    lines[#lines + 1] = "  " .. json.encode(self.entries[key]) .. (i < #keys and "," or "")
  end
  lines[#lines + 1] = ' ],\n "links": ['
  local pairs_ = sorted(self.links)
  for i, key in ipairs(pairs_) do
    lines[#lines + 1] = "  " .. json.encode(self.links[key]) .. (i < #pairs_ and "," or "")
  end
  lines[#lines + 1] = " ]\n}\n"
  tools.write_file(path, table.concat(lines, "\n"), "costs:save")
end

local function check(path, ok, what)
  if not ok then
    tools.fail("InvalidArgument", ("costs:load: %s is damaged, or no file of costs: %s"):format(path, what))
  end
end

local function is_number(value) return type(value) == "number" and value >= 0 and value < math.huge end

-- Adds the file's measurements to these; what both have is taken from the file.
function Costs:load(path)
  path_of("costs:load", path)
  local text = tools.read_text(path)
  local ok, read = pcall(json.decode, text, path)
  check(path, ok, ok or (lutra.iserror(read) and read.message or "it is no JSON"))
  check(path, type(read) == "table" and read.format == kFormat, ('"format" is not "%s"'):format(kFormat))
  check(path, type(read.costs) == "table" and type(read.links) == "table" and type(read.machine) == "string",
    '"machine", "costs" or "links" is missing')
  for i, entry in ipairs(read.costs) do
    check(path, type(entry) == "table" and type(entry.op) == "string" and type(entry.shapes) == "string" and
      type(entry.dtype) == "string" and type(entry.device) == "string" and is_number(entry.us) and
      math.type(entry.count) == "integer" and is_number(entry.flops) and is_number(entry.bytes),
      ("entry %d of \"costs\" lacks a field, or has a wrong one"):format(i))
  end
  for i, link in ipairs(read.links) do
    check(path, type(link) == "table" and type(link.from) == "string" and type(link.to) == "string" and
      is_number(link.latency_us) and is_number(link.bytes_per_us) and link.bytes_per_us > 0,
      ("entry %d of \"links\" lacks a field, or has a wrong one"):format(i))
  end
  local here = devices.machine(devices.all())
  if read.machine ~= here then
    tools.fail("FailedPrecondition", ("costs:load: %s was measured on another machine: %s; here: %s"):format(path,
      read.machine, here))
  end
  for _, entry in ipairs(read.costs) do
    self.entries[table.concat({ entry.op, entry.shapes, entry.dtype, entry.device }, "|")] = entry
  end
  for _, link in ipairs(read.links) do self.links[link.from .. ">" .. link.to] = link end
end

-- The time to copy `bytes` between two devices, the shortest of some.
local function time_copy(from, to, bytes)
  local best = math.huge
  for _ = 1, 5 do
    local source <close> = lutra.device(from.full_name, lutra.zeros, { bytes // 4 })
    lutra.synchronize()
    local start = lutra.time()
    local copy <close> = source:to(to.full_name)
    lutra.synchronize()
    best = math.min(best, lutra.time() - start)
  end
  return best * 1e6
end

-- Links whose speed is not set are measured once: latency and bandwidth by a small and a large copy.
function Costs:measure_links(all)
  local kSmall, kLarge = 4096, 1 << 22
  for _, from in ipairs(all) do
    for _, to in ipairs(all) do
      local key = from.name .. ">" .. to.name
      local card = from.is_gpu and from or to
      local is_set = card.is_simulated and (card.link_gbps or card.link_latency_us)
      if from ~= to and (from.is_gpu or to.is_gpu) and not is_set and not self.links[key] then
        local small, large = time_copy(from, to, kSmall), time_copy(from, to, kLarge)
        local per_byte = math.max((large - small) / (kLarge - kSmall), 1e-7)
        self.links[key] = { from = from.name, to = to.name, latency_us = math.max(small - kSmall * per_byte, 0),
          bytes_per_us = 1 / per_byte }
      end
    end
  end
end

local model = Costs()

-- Runs f(...) three times and learns what its ops take; and measures the links. Returns f's results of the last run.
local function measure(f, ...)
  checks.is_function("placement.measure", f)
  local args, results = table.pack(...), nil
  model:measure_links(devices.all())
  for _ = 1, 3 do
    local recorded
    recorded, results = record("placement.measure", f, args)
    model:learn(recorded)
  end
  return table.unpack(results, 1, results.n)
end

-- What users see of it.
local public = {
  save = function(_, path) model:save(path) end,
  load = function(_, path) model:load(path) end,
  clear = function() model:clear() end,
}

return { model = model, public = public, measure = measure }
