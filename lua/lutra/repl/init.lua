-- lutra.repl: the prompt for other programs. Documented in _meta/repl.lua.
local _, tools, use = ...

local repl = { listen = tools.listen }

function repl.display(...)
  local session = tools.notebook_session
  if session then use "repl.rich".display(session, ...) else print(...) end
end

return repl
