local _, _, use = ...
return {
  usage = "up",
  help = "after an error: show the caller's frame and its locals",
  run = function(session) use "repl.frames".move(session, 1) end,
}
