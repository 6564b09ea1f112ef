-- The globals of Lutra's own Lua: the standard library as it is when Lutra is opened, whatever scripts do to theirs, as in
-- `type = "cnn"`. `_G` is the table of the user's globals.
local copy = { _G = _G, _VERSION = _VERSION, package = package }

for name in ([[assert collectgarbage error getmetatable ipairs load next pairs pcall print rawequal rawget rawlen rawset
  require select setmetatable tonumber tostring type xpcall]]):gmatch("%a+") do copy[name] = _G[name] end

for name in ("coroutine debug io math os string table utf8"):gmatch("%w+") do
  copy[name] = {}
  for key, value in next, _G[name] or {} do copy[name][key] = value end
end

-- Whoever replaces print gets what Lutra prints, too.
local first, globals = print, _G
local rawget, type = rawget, type
function copy.print(...)
  local now = rawget(globals, "print")
  if type(now) ~= "function" then now = first end
  now(...)
end

return copy
