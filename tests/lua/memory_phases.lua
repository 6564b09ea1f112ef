-- When results change their size, the new ones reuse the old ones' pages, and the pages can be given back. Page faults
-- are the process's own, from /proc/self/stat.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

if expect.is_sanitized() then
  print("ok: not with a sanitizer, whose own pages are counted too")
  return
end

local text, ok = expect.program([[
local function faults()
  local file <close> = assert(io.open("/proc/self/stat"))
  local fields = file:read("a"):match("%) (.*)")
  return tonumber((fields:match(("%S+ "):rep(7) .. "(%d+)")))
end
local function reserved() return lt.config.get_memory_info("CPU:0").reserved >> 20 end
local function resident()
  for line in io.lines("/proc/self/status") do
    local kb = line:match("^VmRSS:%s*(%d+) kB")
    if kb then return kb // 1024 end
  end
end

-- Five results at a time, freed by hand; the faults of all of them.
local function phase(calls, f)
  local before = faults()
  for _ = 1, calls // 5 do
    local results = {}
    for i = 1, 5 do results[i] = f() end
    for i = 1, 5 do results[i]:release() end
  end
  return faults() - before
end

local x = lt.ones {10 << 20}                         -- 40 MB
local a, b = lt.ones {256, 512}, lt.ones {512, 300}
local c, d, e = lt.ones {300, 1024}, lt.ones {100, 1}, lt.ones {1, 300}
local function large() return x + 1 end
local function product() return lt.matmul(a, b) end  -- 0.3 MB
local function gradient() return lt.matmul(a, a, {transpose_a = true}) end  -- 1 MB
local function medium() return c + 1 end             -- 1.2 MB
local function small() return d + e end              -- 120 kB, from slabs

-- Page faults of code and libraries that run for the first time must not count.
for _, f in ipairs {product, gradient, medium, small} do f():release() end
lt.config.release_memory("CPU:0")
phase(10, large)
local most = reserved()
for _, f in ipairs {product, gradient, medium, small} do print("faults", phase(40, f)) end
print("large again", phase(10, large))
print("reserved", reserved() - most)
local held = resident()
lt.config.release_memory("CPU:0")
print("given back", held - resident())
print("left", reserved())
]])
assert(ok, text)
-- 40 results in turns of five, of 120 kB to 1.2 MB, had 150 to 1500 faults when each size began with pages of its own.
for count in text:gmatch("faults\t(%d+)") do assert(tonumber(count) < 60, text) end
assert(tonumber(text:match("large again\t(%d+)")) < 60, text)
assert(tonumber(text:match("reserved\t(%-?%d+)")) <= 1, "the phases took more than the first left: " .. text)
assert(tonumber(text:match("given back\t(%-?%d+)")) > 180, "pages that release_memory gives back: " .. text)
assert(tonumber(text:match("left\t(%d+)")) < 50, "the 40 MB that live: " .. text)
print("ok")
