-- What the other scripts of this folder cost without their op: the loop, and the library loaded.
local lt = require "lutra"
local a = lt.constant {{1.0, 2.0}, {3.0, 4.0}}
for _ = 1, assert(tonumber(arg[1])) do
  local _ = a
end
