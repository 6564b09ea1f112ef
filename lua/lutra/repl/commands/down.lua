local _, _, use = ...
return {
  usage = "down",
  help = "after an error: show the called function's frame and its locals",
  run = function(session) use "repl.frames".move(session, -1) end,
}
