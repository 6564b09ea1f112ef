-- A convolution reuses the memory that the last one freed. Weights in the library's own order were once fresh memory
-- from the system in every call, and touching it took a third of the time.
package.path = "tests/support/?.lua;" .. package.path
local expect = require "expect"

local script = [[
  local function faults()
    local file <close> = assert(io.open("/proc/self/stat"))
    return tonumber(file:read("a"):match("^.*%) %S+ %S+ %S+ %S+ %S+ %S+ %S+ (%d+)"))
  end
  local x, w = lt.ones {1, 7, 7, 256}, lt.ones {3, 3, 256, 256}
  for _ = 1, 20 do lt.conv2d(x, w, {padding = "same"}) end
  local before = faults()
  for _ = 1, 20 do lt.conv2d(x, w, {padding = "same"}) end
  print((faults() - before) // 20)
]]
-- The weights are 576 pages. What is given back to the C library goes back to the system.
for threads = 1, 2 do
  local text, ok = expect.program(script, "", "MALLOC_MMAP_THRESHOLD_=65536 LUTRA_NUM_THREADS=" .. threads)
  assert(ok, text)
  assert(tonumber(text) < 100, ("%d threads: %s page faults in each convolution"):format(threads, text))
end
