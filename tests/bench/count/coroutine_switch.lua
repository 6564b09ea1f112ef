-- One resume and one yield, by `scripts/dev count`: almost all of it is Lua's own work. The limit is 1.3 times stock Lua's.
local _ = require "lutra"
local resume, yield = coroutine.resume, coroutine.yield
local thread = coroutine.create(function() while true do yield() end end)
for _ = 1, assert(tonumber(arg[1])) do
  resume(thread)
end
