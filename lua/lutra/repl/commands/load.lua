local _, _, use = ...
return {
  usage = "load FILE",
  help = "run a Lua file as an entry: its top-level locals stay",
  prepare = function(session, argument) return use "repl.files".load(session, argument) end,
}
