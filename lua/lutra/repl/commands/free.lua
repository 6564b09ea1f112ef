local lutra = ...
return {
  usage = "free",
  help = "collect garbage, and return memory that no tensor uses to the devices",
  run = function(session)
    collectgarbage()
    if not session.native.is_initialised() then return session:print "no device is in use yet" end
    local before, after = 0, 0
    local devices = lutra.config.list_logical_devices()
    for _, device in ipairs(devices) do before = before + lutra.config.get_memory_info(device).reserved end
    lutra.config.release_memory()
    for _, device in ipairs(devices) do after = after + lutra.config.get_memory_info(device).reserved end
    session:print(("returned %.1f MB, %.1f MB are kept"):format((before - after) / 2 ^ 20, after / 2 ^ 20))
  end,
}
