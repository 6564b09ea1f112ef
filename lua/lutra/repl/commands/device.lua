local lutra, tools, use = ...

-- Whether a scope of lt.device was opened after :device and is still open. One that nobody holds ends when it is
-- collected.
local function has_inner(session)
  if not session.scope or tools.is_innermost_scope(session.scope) then return false end
  collectgarbage()
  return not tools.is_innermost_scope(session.scope)
end

local function told(session)
  local now = tools.current_scope()
  local inner = has_inner(session)
  if session.scope and not inner then return "device " .. session.scope_name end
  if now == "" then return "no device is set" end
  return ("device %s, by a scope of lt.device that is open%s"):format(use "repl.names".short_device(now) or now,
    inner and " inside :device " .. session.scope_name or "")
end

return {
  usage = "device [NAME|off]",
  help = "run the entries that follow on a device, as inside lt.device(NAME)",
  run = function(session, argument)
    if argument == "" then
      return session:print(told(session))
    end
    if has_inner(session) then
      return session:fail(("a scope of lt.device is open inside :device %s; close it first, as d:close(); "
        .. "nothing changed"):format(session.scope_name))
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
