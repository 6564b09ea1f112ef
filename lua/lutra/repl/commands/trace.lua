return {
  usage = "trace on|off|FILE",
  help = "record a trace; this version of Lutra cannot",
  run = function(session)
    session:fail "this version of Lutra records no traces; :log and :time show where operations run and how long"
  end,
}
