local lutra, _, use = ...

local function list(session)
  local command, filled = use "repl.command", use "terminal_text".filled
  session:print "Commands:"
  for _, name in ipairs(command.names(session)) do
    local each = command.find(session, name)
    session:print(filled(("  %-26s %s"):format(":" .. each.usage, each.help)))
  end
  session:print(filled(("  %-26s %s"):format("?name", "describe a name of Lutra's or of yours")))
  session:print(filled(("  %-26s %s"):format("??word", "search names and summaries")))
  session:print(filled "lt.help() lists what Lutra has.")
end

return {
  usage = "help [word]",
  help = "list the commands, or describe one or a name",
  run = function(session, argument)
    if argument == "" then return list(session) end
    local found = use "repl.command".find(session, (argument:gsub("^:", "")))
    local more = found and found.more and "\n" .. found.more or ""
    if found then
      return session:print(use "terminal_text".filled((":%s\n  %s%s"):format(found.usage, found.help, more)))
    end
    use "repl.question".help(session, argument)
  end,
}
