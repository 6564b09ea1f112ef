-- Names, speeds and links of the devices here. A plan names a device "GPU:0".
local lutra, tools, use = ...
local quoted = use "options".quoted

local devices = {}

-- What a device is taken for until its ops have been measured, per microsecond: the threads of a CPU, one of which also
-- computes for each simulated GPU; a middling card.
local kCoreFlops = 4e4
local kUsual = {
  simulated = { flops = kCoreFlops, bytes = 1e4, launch_us = 4 },
  GPU = { flops = 5e6, bytes = 5e5, launch_us = 4 },
}
local function usual_cpu(threads) return { flops = kCoreFlops * threads, bytes = 1e4, launch_us = 1 } end
local kUsualLink = { latency_us = 15, bytes_per_us = 6000 }

-- By short name, and as a list in the order of placement. speed: flops and bytes per microsecond; is_exact: the device
-- is simulated, with these speeds. kind: devices that differ in nothing but their number have the same, and share what
-- was measured.
function devices.all()
  local list = {}
  for i, facts in ipairs(tools.device_facts()) do
    local is_simulated = facts.device_name == "Simulated GPU"
    local usual = is_simulated and kUsual.simulated or facts.is_gpu and kUsual.GPU or usual_cpu(tonumber(facts.threads))
    local gflops, gbps = tonumber(facts.gflops), tonumber(facts.gbps)
    local made = {
      name = facts.name, full_name = facts.full_name, is_gpu = facts.is_gpu, memory = facts.memory,
      is_simulated = is_simulated, speed = usual,
      link_latency_us = tonumber(facts.link_latency_us), link_gbps = tonumber(facts.link_gbps),
      about = facts.device_name or "CPU", cpu_model = facts.cpu_model, threads = tonumber(facts.threads),
    }
    if made.is_simulated and (gflops or gbps) then
      made.is_exact = true
      made.speed = { flops = gflops and gflops * 1e3 or math.huge, bytes = gbps and gbps * 1e3 or math.huge,
        launch_us = 0 }
    end
    made.kind = made.about .. (made.is_exact and (" %.6g flops/us %.6g bytes/us"):format(made.speed.flops, made.speed.bytes) or "")
    list[i] = made
    list[made.name] = made
  end
  return list
end

-- "/GPU:0", "gpu:0", a full name or a device object: its entry in `all`. Fails (NotFound) if it is not here.
function devices.find(who, all, given)
  local text = type(given) == "table" and given.name or given
  if type(text) == "string" then
    local kind, number = text:match("([%a]+):(%d+)$")
    local found = kind and all[kind:upper() .. ":" .. tonumber(number)]
    if found then return found end
    if all[text:upper() .. ":0"] then return all[text:upper() .. ":0"] end
  end
  local names = {}
  for i, device in ipairs(all) do names[i] = device.name end
  tools.fail("NotFound", ("%s: device %s is not here; there are %s"):format(who,
    type(text) == "string" and '"' .. quoted(text) .. '"' or tools.what_is(given), table.concat(names, ", ")))
end

-- The time of a copy between two entries: as simulated, as measured, or as usual.
function devices.link(from, to, measured)
  local card = from.is_gpu and from or to  -- a card's own queue copies what leaves it, and what comes from the host
  local link = { from = from.name, to = to.name, latency_us = kUsualLink.latency_us,
    bytes_per_us = kUsualLink.bytes_per_us }
  local known = measured[from.name .. ">" .. to.name]
  if card.is_simulated and (card.link_gbps or card.link_latency_us) then
    link.latency_us = card.link_latency_us or 0
    link.bytes_per_us = card.link_gbps and card.link_gbps * 1e3 or 1e9
  elseif known then
    link.latency_us, link.bytes_per_us = known.latency_us, known.bytes_per_us
  end
  return link
end

-- What tells this machine from others, for files of costs.
function devices.machine(all)
  local words = {}
  for i, device in ipairs(all) do
    local about = device.cpu_model and ("%s, %d threads"):format(device.cpu_model, device.threads) or device.kind
    words[i] = ("%s (%s)"):format(device.name, about)
  end
  return table.concat(words, ", ")
end

return devices
