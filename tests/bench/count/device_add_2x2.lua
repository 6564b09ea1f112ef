-- A device scope around one small addition, by `scripts/dev count`.
local lt = require "lutra"
local a = lt.constant {{1.0, 2.0}, {3.0, 4.0}}
local b = lt.constant {{5.0, 6.0}, {7.0, 8.0}}
local device, add = lt.device, lt.add
for _ = 1, assert(tonumber(arg[1])) do
  local _ <close> = device("/CPU:0")
  local _ = add(a, b)
end
