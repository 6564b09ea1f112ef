-- One product of two small matrices: dispatch and the kernel for tiny sizes, by `scripts/dev count`.
local lt = require "lutra"
local a = lt.constant {{1.0, 2.0}, {3.0, 4.0}}
local b = lt.constant {{5.0, 6.0}, {7.0, 8.0}}
local matmul = lt.matmul
for _ = 1, assert(tonumber(arg[1])) do
  local _ = matmul(a, b)
end
