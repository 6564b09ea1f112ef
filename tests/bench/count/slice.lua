-- A range of rows and one column of a small matrix, by `scripts/dev count`; the tables that say so are at hand.
local lt = require "lutra"
local a = lt.constant {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}}
local part = {{1, 2}, 3}
for _ = 1, assert(tonumber(arg[1])) do
  local _ = a[part]
end
