local _, _, use = ...
return {
  usage = "edit [NAME]",
  help = "edit the last entry, a file, or the file of a function in $VISUAL or $EDITOR, then run it",
  prepare = function(session, argument) return use "repl.files".edit(session, argument) end,
}
