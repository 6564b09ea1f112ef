-- A coroutine made and run to its end, by `scripts/dev count`. The limit is 1.3 times stock Lua's.
local _ = require "lutra"
local create, resume = coroutine.create, coroutine.resume
local function f() end
for _ = 1, assert(tonumber(arg[1])) do
  resume(create(f))
end
