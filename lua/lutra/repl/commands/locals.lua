local _, _, use = ...
return {
  usage = "locals [on|off]",
  help = "keep top-level locals for later entries or, off, do as lua; alone: the last error's locals",
  more = "  A function that uses a local of its own entry keeps its own copy of it.",
  run = function(session, argument)
    if argument == "" then
      if not session.frames or #session.frames == 0 then
        local are = session.locals_on and "kept" or "not kept"
        return session:print("locals are " .. are .. "; there is no error to look at")
      end
      session.frame = session.frame or 1
      return use "repl.frames".show(session, session.frame, true)
    end
    local word = use "repl.command".choice(session, argument, { "on", "off" })
    if word then session.locals_on = word == "on" end
  end,
}
