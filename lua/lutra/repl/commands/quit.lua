return {
  usage = "quit",
  help = "leave; exit and Ctrl-D do too",
  prepare = function() return "quit" end,
}
