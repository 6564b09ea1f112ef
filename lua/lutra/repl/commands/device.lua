local lutra = ...

return {
  usage = "device [NAME|off]",
  help = "run the entries that follow on a device, as inside lt.device(NAME)",
  run = function(session, argument)
    if argument == "" then
      return session:print(session.scope and "device " .. session.scope_name or "no device is set")
    end
    local name = argument:match('^"(.*)"$') or argument:match("^'(.*)'$") or argument
    if name == "off" then return session:close_scope() end
    -- A wrong name must leave the device as it is: it fails in a scope of its own, on an operation.
    local ok, problem = pcall(lutra.device, name, lutra.zeros, { 1 })
    if not ok then return session:fail(lutra.iserror(problem) and problem.message or tostring(problem)) end
    session:close_scope()
    session.scope, session.scope_name = lutra.device(name), name
  end,
}
