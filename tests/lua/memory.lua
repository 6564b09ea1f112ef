-- Memory as a script sees it: <close>, tidy, limits, growth, giving memory back, and a loop of garbage that stays
-- small.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local MB = 1 << 20

lt.config.set_simulated_gpus(4, { memory_limit = 1024 })
lt.config.set_memory_limit("CPU:0", 512)
lt.config.set_memory_growth("GPU:1", true)
lt.config.set_logical_device_configuration("GPU:2", { { memory_limit = 32 }, { memory_limit = 64 } })
-- GPU:0 whole, GPU:1 grows, GPU:2 and GPU:3 are slices of one card, GPU:4 whole.
expect.equal(#lt.config.list_logical_devices("GPU"), 5, "logical GPUs")

local function info(device) return lt.config.get_memory_info(device or "GPU:0") end
local function mega(n, device)  -- a tensor of n MB
  return lt.device(device or "GPU:0", lt.zeros, { n, MB // 4 })
end

-- <close> and release give the memory back at once; a second use is a sentence.
collectgarbage()
local before = info().current
do
  local t <close> = mega(8)
  assert(info().current == before + 8 * MB and info().peak >= 8 * MB)
  local part = t[2]
  assert(part.nbytes == MB)
end
collectgarbage()
assert(info().current == before, "closed")
local t = mega(1)
local row = t[1][{ { 1, 100 } }]
t:release()
t:release()
assert(row.size == 100 and row:sum():item() == 0, "a slice outlives what it was cut from")
expect.raises("FailedPrecondition", "released", function() return t + 1 end)
row = nil
lt.config.reset_memory_stats("GPU:0")
collectgarbage()
lt.config.reset_memory_stats("GPU:0")
assert(info().peak == info().current)
assert(info().limit == 1024 * MB and info().reserved >= info().current)

-- tidy frees what its function made and did not return.
local function live() return expect.storages() end
local start = live()
local kept, list, number = lt.tidy(function()
  local a, b, c = mega(1), mega(2), mega(3)
  local _ = a + 1
  return b, { c, deep = { lt.ones { 50 } }, self = nil }, 3
end)
assert(kept.size == 2 * MB // 4 and list[1].size == 3 * MB // 4 and list.deep[1].size == 50 and number == 3)
expect.equal(lt.debugging.live_storages() - start, 3, "storages that tidy kept")
kept, list = nil, nil
expect.equal(live(), start)
local leaked
collectgarbage("stop")
lt.tidy(function() leaked = mega(1) end)
assert(lt.debugging.live_storages() == start, "freed without the collector")
expect.raises("FailedPrecondition", "released", function() return leaked + 1 end)
local inside
assert(not pcall(lt.tidy, function() inside = mega(1) error("x") end))
assert(lt.debugging.live_storages() == start, "freed by an error")
expect.raises("FailedPrecondition", "released", function() return inside:item() end)
-- Nested: what the inner one returns belongs to the outer one.
local outer = lt.tidy(function()
  local first = lt.tidy(function() local _ = mega(1) return mega(1) end)
  assert(lt.debugging.live_storages() == start + 1)
  local second = lt.tidy(function() return mega(1), mega(1) end)
  assert(first.size > 0 and second.size > 0 and lt.debugging.live_storages() == start + 3)
  return second
end)
assert(lt.debugging.live_storages() == start + 1 and outer.size > 0)
outer:release()
collectgarbage("restart")
expect.equal({ lt.tidy(function(...) return select("#", ...), ... end, nil, 2, nil) }, { 3, nil, 2, nil })
expect.raises("InvalidArgument", "expected a function", lt.tidy, 5)
expect.raises("InvalidArgument", "expected a function", lt.tidy)
-- A table that contains itself.
local knot = lt.tidy(function() local k = { mega(1) } k.k = k return k end)
assert(knot.k[1].size > 0)
knot = nil
-- Variables are no part of it: they live as long as anything refers to them, as what an optimizer remembers does.
local weight = lt.Variable { 1.0, 2.0 }
local adam = lt.optim.Adam { learning_rate = 0.1 }
for _ = 1, 3 do
  lt.tidy(function()
    local tape <close> = lt.GradientTape()
    adam:apply(tape:gradient((weight * weight):sum(), { weight }), { weight })
  end)
end
assert(weight:isfinite():all():item() and adam.iterations == 3)
local made
lt.tidy(function() made = lt.Variable(lt.ones { 1000 }) end)
expect.equal(made:sum():item(), 1000, "a variable made inside a tidy")
made, weight, adam = nil, nil, nil

-- A tidy that is suspended by a yield takes nothing from those who run meanwhile.
local step = coroutine.wrap(function()
  return lt.tidy(function()
    local mine = mega(1)
    coroutine.yield(mine)
    return mine + 1
  end)
end)
local theirs = step()
local ours = mega(2)
local result = step()
assert(ours.size == 2 * MB // 4 and ours:sum():item() == 0, "made outside while the tidy was suspended")
assert(result[1][1]:item() == 1)
expect.raises("FailedPrecondition", "released", function() return theirs + 1 end)
-- One coroutine inside another's tidy, and two tidies that end in the order they began.
local outside
lt.tidy(function()
  coroutine.wrap(function() outside = mega(1) end)()
end)
expect.raises("FailedPrecondition", "released", function() return outside + 1 end)
local function suspended() return coroutine.wrap(function() return lt.tidy(function() coroutine.yield() return mega(1) end) end) end
local one, two = suspended(), suspended()
one() two()
local first = one()
local second = two()
assert(first.size > 0 and second.size > 0)
-- Dropped, or dead, in the middle: nobody's tensors are held or freed.
ours, theirs, result, first, second, one, two, step, outside, inside, leaked, t = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
start = live()
coroutine.wrap(function() lt.tidy(coroutine.yield) end)()
coroutine.resume(coroutine.create(function() lt.tidy(function() local _ = mega(1) error("x") end) end))
for _ = 1, 20 do mega(1) end
expect.equal(live(), start, "after tidies that were dropped")
ours = mega(1)
assert(ours:sum():item() == 0)
ours = nil
-- Garbage made inside a tidy is collected before its end.
lt.tidy(function()
  for _ = 1, 60 do mega(32) end
end)

-- Small tensors that stay while large ones come and go do not keep these apart.
do
  local losses = {}
  for step = 1, 10 do
    local activations = {}
    for i = 1, 7 do
      activations[i] = mega(8, "GPU:3")
      losses[#losses + 1] = lt.device("GPU:3", lt.constant, { step, i })
    end
    activations = nil
    collectgarbage()
    local all <close> = mega(60, "GPU:3")
    assert(all.size == 60 * MB // 4)
  end
  expect.equal(losses[70]:totable(), { 10, 7 })
end
collectgarbage()

-- A limit is hard; the error names the holders of the memory, and the program can continue.
local function hold(device, sizes)
  local held = {}
  for i, n in ipairs(sizes) do held[i] = mega(n, device) end
  return held
end
local held = hold("GPU:0", { 100, 300, 50, 200, 150, 20 })
local named = lt.device("GPU:0", lt.ones, { 10, 10 * MB // 4 })
local line = debug.getinfo(1, "l").currentline - 1
local err = expect.raises("ResourceExhausted", "out of memory on /job:localhost/replica:0/task:0/device:GPU:0", mega, 300)
expect.equal({ err.bytes, err.limit, err.in_use }, { 300 * MB, info().limit, info().current }, "the error's numbers")
expect.equal(err.largest_free, info().largest_free)
assert(err.largest_free < 300 * MB and err.largest_free > 0)
assert(err.message:find("^zeros: ") and err.message:find("314572800", 1, true), err.message)
assert(err.message:find(tostring(1024 * MB), 1, true) and err.message:find("largest free piece", 1, true), err.message)
assert(err.message:find(tostring(info().current), 1, true), "bytes in use: " .. err.message)
assert(err.device:find("device:GPU:0$") and #err.hint > 0, "fields")
local holders = {}
for size in err.message:gmatch("\n  ([%d.]+) ?MiB  %(") do holders[#holders + 1] = tonumber(size) end
expect.equal(holders, { 300, 200, 150, 100, 100 }, "the five largest holders in\n" .. err.message)
assert(err.message:find("(10, 2621440) float32  made by Fill at tests/lua/memory.lua:" .. line, 1, true), err.message)
held[2]:release()
assert(mega(300).size > 0, "goes on working")
err = expect.raises("ResourceExhausted", "larger than the device's limit", mega, 1025)
held, named = nil, nil

-- Tensors below 1 MB are listed too, with their shapes; the lines that made them are not recorded.
collectgarbage()
local crowd = {}
err = expect.raises("ResourceExhausted", "device:GPU:2", function()
  for i = 1, 100 do crowd[i] = lt.device("GPU:2", lt.ones, { 100, 1200 + i % 7 }) end
end)
crowd = nil
local alike = ("\n  471.1KiB  (100, 1206) float32  made by Fill"):rep(5)
assert(err.message:find("\nLargest live tensors:" .. alike .. "\nRelease", 1, true), err.message)
local fill = lt.device("CPU:0", lt.ones, { 3 * MB })  -- 12 MB
crowd = {}
err = expect.raises("ResourceExhausted", "device:CPU:0", function()
  for i = 1, 1000 do crowd[i] = lt.device("CPU:0", function() return fill[{ { 1, 250000 } }] + i end) end
end)
assert(err.message:find("\n  12.00MiB  (3145728,) float32  made by Fill at ", 1, true), err.message)
assert(err.message:find(("\n  976.6KiB  (250000,) float32  made by AddV2"):rep(4), 1, true), err.message)
crowd, fill = nil, nil

-- A loop that drops its tensors never fails, however little memory there is; also when the garbage is many small tensors.
for _ = 1, 100 do mega(5, "GPU:2") end
for i = 1, 20000 do lt.device("GPU:2", lt.zeros, { 1 + i % 7000 }) end
local chain = mega(4, "GPU:2")
for _ = 1, 100 do chain = chain + 1 end
assert(chain[4][1]:item() == 100)
chain = nil

-- Slices of one card have limits of their own.
collectgarbage()
err = expect.raises("ResourceExhausted", "device:GPU:2", hold, "GPU:2", { 20, 20 })
local fits = hold("GPU:3", { 20, 20 })
assert(info("GPU:2").limit == 32 * MB and info("GPU:3").limit == 64 * MB and fits[2].size > 0)
fits = nil

-- Growth starts small; release_memory gives pages back.
assert(info("GPU:1").reserved < 64 * MB, "growth starts small: " .. info("GPU:1").reserved)
held = hold("GPU:1", { 100, 100 })
assert(info("GPU:1").reserved >= 200 * MB)
held = nil
lt.config.release_memory("GPU:1")
assert(info("GPU:1").reserved < 20 * MB and info("GPU:1").current == 0, "given back: " .. info("GPU:1").reserved)
mega(1)
lt.config.release_memory()
mega(1, "GPU:1")

-- The CPU has a limit too.
local cpu = info("CPU:0")
assert(cpu.limit == 512 * MB and cpu.peak >= cpu.current)
held = {}
err = expect.raises("ResourceExhausted", "device:CPU:0", function()
  for i = 1, 20 do held[i] = mega(64, "CPU:0") end
end)
assert(#held >= 6 and #held <= 8, "64 MB tensors within 512 MB: " .. #held)
assert(err.message:find("Largest live tensors", 1, true), err.message)
held = nil
for _ = 1, 10 do mega(200, "CPU:0") end
lt.config.release_memory("CPU:0")
assert(info("CPU:0").reserved < 100 * MB, "the CPU's pool gives back: " .. info("CPU:0").reserved)
err = expect.raises("ResourceExhausted", "device:CPU:0", mega, 513, "CPU:0")

-- Small tensors that tidy frees are free for the next ones; the pool keeps up to 64 MB of them until it is asked.
collectgarbage()
lt.config.release_memory("CPU:0")
local empty = info("CPU:0")
lt.tidy(function()
  local many = {}
  for i = 1, 500 do many[i] = lt.device("CPU:0", lt.ones, { 100, 100 }) end
  assert(info("CPU:0").current - empty.current == 500 * 40000, "in use")
end)
local after = info("CPU:0")
assert(after.current == empty.current, "tidy frees small tensors: " .. after.current - empty.current)
assert(after.reserved - empty.reserved > 500 * 40000, "the pool keeps them")
lt.config.release_memory("CPU:0")
assert(info("CPU:0").reserved <= empty.reserved, "release_memory gives them back")
-- One of at most 64 bytes has nothing to free: it is its own copy, and outlives the tidy.
local tiny
lt.tidy(function() tiny = lt.device("CPU:0", lt.ones, { 16 }) end)
assert(tiny:sum():item() == 16)

-- Copies kept for reuse do not make an allocation fail.
local source = mega(200, "CPU:0")
local filler = mega(500)
local _ = lt.device("GPU:0", function() return source + filler[{ { 1, 200 } }] end)
_ = nil
collectgarbage()
assert(info().current >= 700 * MB, "the copy is kept")
local rest = mega(450)
assert(rest.size > 0)
source, filler, rest = nil, nil, nil

-- Copies on two GPUs, of a CPU's tensor and of each other's, are given back at once or GPU by GPU; the tensors stay.
local on_cpu, on_0, on_1 = mega(2, "CPU:0"), mega(3, "GPU:0"), mega(4, "GPU:1")
local function use_everywhere()
  for _, device in ipairs { "GPU:0", "GPU:1" } do
    local sum = lt.device(device, function() return on_cpu:sum() + on_0:sum() + on_1:sum() end)
    assert(sum.device:find(device, 1, true) and sum:item() == 0)
  end
end
lt.config.release_memory()
local at_0, at_1 = info("GPU:0").current, info("GPU:1").current
for _, order in ipairs { { false }, { "GPU:0", "GPU:1" }, { "GPU:1", "GPU:0" }, { "CPU:0", false } } do
  use_everywhere()
  collectgarbage()
  expect.equal({ info("GPU:0").current - at_0, info("GPU:1").current - at_1 }, { 6 * MB, 5 * MB }, "copies are kept")
  for _, device in ipairs(order) do
    lt.config.release_memory(device or nil)
    if device == "CPU:0" then expect.equal(info("GPU:0").current - at_0, 6 * MB, "not the CPU's to give back") end
    if device == "GPU:0" then assert(info("GPU:0").current == at_0) end
    if device == "GPU:1" then assert(info("GPU:1").current == at_1) end
  end
  expect.equal({ info("GPU:0").current, info("GPU:1").current }, { at_0, at_1 }, "after release_memory")
end
use_everywhere()
on_cpu, on_0 = nil, nil  -- with copies of them still there
collectgarbage()
expect.equal({ info("GPU:0").current, info("GPU:1").current }, { at_0 + MB, at_1 }, "copies go with their tensors")
on_1 = nil
collectgarbage()
lt.config.release_memory()

-- A tensor that goes to and fro leaves a long chain of copies; freeing it is no deep recursion.
collectgarbage("stop")
local moved = lt.device("GPU:0", lt.ones, { 2 })
for i = 1, 40000 do moved = moved:to(i % 2 == 0 and "GPU:0" or "GPU:1") end
assert(moved:sum():item() == 2)
moved = nil
collectgarbage("restart")
collectgarbage()

-- Results that are needed for a while grow old before they are garbage, and so do tables beside them: both stay bounded.
local text, ok = expect.program([[
local x = lt.ones { 100000 }
local held, tables, most, most_kb = {}, {}, 0, 0
for i = 1, 6000 do
  held[i % 7] = x + 1
  local row = {}
  for k = 1, 20 do row[k] = { i } end
  tables[i % 50] = row
  most = math.max(most, lt.debugging.live_storages())
  most_kb = math.max(most_kb, collectgarbage("count"))
end
print(most, most_kb // 1)
]])
assert(ok, text)
local storages, kb = text:match("^(%d+)\t(%d+)")
assert(tonumber(storages) < 200, "results of 400 kB alive at once: " .. tostring(text))
assert(tonumber(kb) < 8000, "Lua's own memory: " .. tostring(text))

-- Results that go together as a list live through a small budget's collections; the budget grows until they do not.
text, ok = expect.program([[
local x, parts, most = lt.ones { 250, 400 }, nil, 0
local start = lt.config.get_memory_info("CPU:0").current
for _ = 1, 4000 do
  parts = lt.split(x, 4, 2)
  most = math.max(most, lt.config.get_memory_info("CPU:0").current - start)
end
print(most // 1000)
]])
assert(ok, text)
assert(tonumber(text) < 7000, "kB in lists of four times 100 kB: " .. tostring(text))

-- A program that kept a result now and then, and then seven at a time, has as few alive together as any other once they
-- are garbage at once: more would not fit in a core's cache.
-- Also where results take long, and there is time for full collections.
for _, seconds in ipairs { 0, 2e-4 } do
  text, ok = expect.program("local kSeconds = " .. seconds .. [[

local x, y, kept, ring, most = lt.ones { 100000 }, nil, {}, {}, 0
for i = 1, 1000 do
  y = x + 1
  if i % 50 == 0 then kept[i] = y end
end
for i = 1, 300 do ring[i % 7] = x + 1 end
kept, ring = nil, nil
collectgarbage()
local before = lt.debugging.live_storages()
for i = 1, 1000 do
  local till = lt.time() + kSeconds
  y = x + 1
  if i > 900 then most = math.max(most, lt.debugging.live_storages() - before) end
  while lt.time() < till do end
end
print(most)
]])
  assert(ok, text)
  assert(tonumber(text) <= 3, "results of 400 kB alive in a simple loop: " .. tostring(text))
end

-- A result reuses the memory of earlier garbage, so that 4 MB tensors alternate between few blocks. Views count for
-- nothing and cause no collections; the memory that they hold still counts when its first owner is gone.
text, ok = expect.program([[
local function reserved() return lt.config.get_memory_info("CPU:0").reserved end
local x, y = lt.ones { 1000000 }, nil
local before = reserved()
for _ = 1, 100 do y = x + 1 end
local rest, collected = reserved() - before, 0
setmetatable({}, { __gc = function(self) collected = collected + 1 setmetatable({}, getmetatable(self)) end })
collectgarbage("stop")
collectgarbage("restart")
local at = collected
for _ = 1, 300 do y = x:reshape { 1000, 1000 } end
local by_views = collected - at
local most = 0
for _ = 1, 300 do
  y = (x + 1):reshape { 1000, 1000 }
  most = math.max(most, lt.debugging.live_storages())
end
print(rest // 1000000, by_views, most)
]])
assert(ok, text)
local rest, by_views, most = text:match("^(%d+)\t(%d+)\t(%d+)")
assert(tonumber(rest) < 20, "4 MB results in turn: " .. tostring(text))
assert(tonumber(by_views) < 20, "collections that views brought: " .. tostring(text))
assert(tonumber(most) < 60, "storages that only views hold: " .. tostring(text))

-- A loop of 4 MB tensors stays small; LUTRA_LOOP_SECONDS=60 is the issue's minute.
local sanitized = expect.is_sanitized()

-- When the system refuses memory within the limit, the error says so.
if not sanitized and os.execute("prlimit --version >/dev/null 2>&1") then
  local said, ran = expect.program([[
lt.config.set_memory_limit("CPU:0", 2000)
local held = lt.ones {1000, 1000}
local ok, err = pcall(lt.zeros, {30000, 10000})
print(ok, err.code, err.message)
print(pcall(lt.device, "/CPU:0", lt.ones, {1000, 1000}))
]], "", "prlimit --as=1000000000")
  assert(ran, said)
  assert(said:find("false\tResourceExhausted\tzeros: out of memory on ", 1, true), said)
  assert(said:find("1.12GiB (1200000000 bytes) asked for", 1, true), said)
  assert(said:find("the limit leaves room, but the system gave this process no 1.12GiB more (mmap failed).", 1, true), said)
  assert(said:find("\n  3.81MiB  (1000, 1000) float32  made by Fill at SCRIPT:2\n", 1, true), said)
  assert(said:find("ulimit -v", 1, true) and said:find("true\tlutra.Tensor(", 1, true), said)
end
local text, ok = expect.program([[
local lt = require "lutra"
local till = lt.time() + (tonumber(os.getenv("LUTRA_LOOP_SECONDS")) or 3)
local n, x = 0, lt.ones { 1024, 1024 }
while lt.time() < till do
  local y = x + 1
  n = n + 1
end
for l in io.lines("/proc/self/status") do
  local kb = l:match("^VmHWM:%s*(%d+) kB")
  if kb then print(kb // 1024, n) end
end
]])
assert(ok, text)
local resident, rounds = text:match("^(%d+)\t(%d+)")
assert(tonumber(resident) < (sanitized and 700 or 300), "the loop held " .. tostring(text) .. " MB")
assert(tonumber(rounds) > (sanitized and 5 or 50), text)
-- A limit is kept to, however small.
for _, size in ipairs { 1, 0.5, 3, 5.3 } do
  for _, growth in ipairs { true, false } do
    local text, ok = expect.program(([[
      lutra.config.set_logical_device_configuration("GPU:0", { { memory_limit = %s } })
      if %s then lutra.config.set_memory_growth("GPU:0", true) end
      local kept = {}
      local ok, err = pcall(function() while true do kept[#kept + 1] = lutra.zeros { 100, 250 } end end)
      local info = lutra.config.get_memory_info "GPU:0"
      assert(info.limit <= %s * 2 ^ 20 and info.limit > %s * 2 ^ 20 - 2 ^ 16, info.limit)
      assert(info.reserved <= info.limit and info.current > info.limit - 2 * 100000, info.reserved .. " reserved")
      print(err.code)
    ]]):format(size, growth, size, size), "--sim-gpus 1")
    assert(ok and text == "ResourceExhausted\n", text)
  end
end
print("ok")
