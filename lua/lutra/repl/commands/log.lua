local lutra, _, use = ...

-- Counts of operations by name and device, in the order of their first run.
local function summary(session)
  local counts, order = {}, {}
  lutra.debugging.set_log_handler(function(event)
    local key = ("%s on %s"):format(event.op, use "repl.names".short_device(event.device))
    if not counts[key] then order[#order + 1] = key end
    counts[key] = (counts[key] or 0) + 1
  end)
  session.after_entry = function()
    if #order == 0 then return end
    local words = {}
    for i, key in ipairs(order) do words[i] = ("%d %s"):format(counts[key], key) end
    counts, order = {}, {}
    session:note("placement: " .. table.concat(words, ", "))
  end
end

return {
  usage = "log [on|off|summary|why]",
  help = "log where each operation runs; why adds the reason, summary counts after each entry",
  run = function(session, argument)
    if argument == "" then
      -- A script may have changed it since the last :log.
      local is_on = lutra.debugging.get_log_device_placement()
      local state = is_on and (session.log == "why" and "why" or "on") or session.after_entry and "summary" or "off"
      return session:print("the placement log is " .. state)
    end
    local word = use "repl.command".choice(session, argument, { "on", "off", "summary", "why" })
    if not word then return end
    session.log_before = session.log_before or { is_on = lutra.debugging.get_log_device_placement() }
    if session.after_entry then
      session.after_entry = nil
      lutra.debugging.set_log_handler(nil)
    end
    lutra.debugging.set_log_device_placement(word == "on" or word == "why", { reasons = word == "why" })
    if word == "summary" then summary(session) end
    session.log = word
  end,
}
