-- Thousands of unknown device names are forgotten again; names in use keep their meaning.
package.path = "tests/support/?.lua;" .. package.path
local lt = require "lutra"
local expect = require "expect"
lt.config.set_simulated_gpus(3)

local function where(t) return t.device:match("[CG]PU:%d+$") end
local function on(name, f, ...) return lt.device(name, f, ...) end

local function resident()
  for l in io.lines("/proc/self/statm") do return tonumber(l:match("^%d+ (%d+)")) * 4096 end
end
local _ <close> = lt.device("/GPU:1")
local late = on("/GPU:2", coroutine.wrap, function() return lt.ones { 2 } end)
local made = on("/gpu:*", lt.ones, { 2 })
local function make_up(first, last)
  for i = first, last do
    on("/GPU:" .. i, function() end)
    on(("/GPU:%08d"):format(i % 3), function() end)
    on("/job:worker" .. i .. "/cpu", pcall, lt.ones, { 2 })
  end
end
make_up(1, 5000)
collectgarbage()
local before = resident()
make_up(5001, 25000)
collectgarbage()
assert(expect.is_sanitized() or resident() - before < 8 << 20, "60,000 names: " .. resident() - before .. " bytes")
assert(where(lt.ones { 2 }) == "GPU:1" and where(on("/GPU:2", lt.ones, { 2 })) == "GPU:2" and where(on("cpu", lt.ones, { 2 })) == "CPU:0")
assert(where(late()) == "GPU:2", "a coroutine that starts late starts in its creator's scope")
expect.equal(lt.debugging.explain(made).requested, "/device:GPU:1")
print("ok")
