-- A tensor from nested tables that are at hand, by `scripts/dev count`: making the tables is Lua's own work.
local lt = require "lutra"
local constant, t = lt.constant, {{1.0, 2.0}, {3.0, 4.0}}
for _ = 1, assert(tonumber(arg[1])) do
  local _ = constant(t)
end
