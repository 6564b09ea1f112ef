local _, _, use = ...

return {
  usage = "mem",
  help = "list the largest live tensors, with the lines that made them",
  run = function(session)
    collectgarbage()
    local lines = session.native.largest()
    local terminal_text, names = use "terminal_text", use "repl.names"
    for _, line in ipairs(lines) do
      line = terminal_text.harmless(line)
      local filled = terminal_text.filled(line)
      session:print(filled == line and line or line:find "^/" and names.short_device(line) or filled)
    end
    if #lines == 0 then session:print "no device holds a tensor; the smallest lie in Lua's own memory" end
  end,
}
