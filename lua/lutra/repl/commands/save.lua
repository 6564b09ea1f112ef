local _, _, use = ...
return {
  usage = "save FILE",
  help = "write the entries that ran without an error to a Lua file",
  run = function(session, argument) use "repl.files".save(session, argument) end,
}
