return {
  usage = "mem",
  help = "list the largest live tensors, with the lines that made them",
  run = function(session)
    collectgarbage()
    local lines = session.native.largest()
    for _, line in ipairs(lines) do session:print(line) end
    if #lines == 0 then session:print "no device holds a tensor; the smallest lie in Lua's own memory" end
  end,
}
