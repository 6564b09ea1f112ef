local lutra, _, use = ...

local short_device = use "repl.names".short_device

local width = 20

local function mb(bytes) return ("%.1f"):format(bytes / 2 ^ 20) end

local function bar(part)
  local full = math.floor(math.min(math.max(part, 0), 1) * width + 0.5)
  return "[" .. ("#"):rep(full) .. ("."):rep(width - full) .. "]"
end

return {
  usage = "devices",
  help = "list the devices with their memory",
  more = "  Memory is in MB of 2^20 bytes: in use by tensors, the most so far, the limit. "
    .. "The bar is the share of the limit in use.",
  run = function(session)
    if not session.native.is_initialised() then
      for _, device in ipairs(lutra.config.list_physical_devices()) do
        session:print(("%-8s %s"):format(short_device(device.name), device.device_type))
      end
      return session:print "the first operation initialises them; until then their memory is not known"
    end
    local rows = { { "device", "kind", "in use, MB", "peak, MB", "limit, MB", "" } }
    for _, device in ipairs(lutra.config.list_logical_devices()) do
      local memory, name = lutra.config.get_memory_info(device), short_device(device.name)
      local share = memory.current / memory.limit
      rows[#rows + 1] = { name, device.device_type, mb(memory.current), mb(memory.peak), mb(memory.limit),
        (" %s %3.0f%%"):format(bar(share), 100 * share) }
    end
    local format = { least = { 8, 5, 10, 10, 10 }, right = { [3] = true, [4] = true, [5] = true }, optional = { 6, 2 } }
    for _, line in ipairs(use "terminal_text".table(rows, format)) do session:print((line:gsub(" +$", ""))) end
  end,
}
