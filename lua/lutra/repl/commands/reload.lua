local _, _, use = ...
return {
  usage = "reload",
  help = "run the file of the last :load again, after forgetting modules that require read from files",
  prepare = function(session) return use "repl.files".reload(session) end,
}
