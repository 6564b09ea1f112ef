-- `lutra plan-hosts`: what a script returns is planned for several hosts, and bad input is named.
local expect = dofile("tests/support/expect.lua")
local lutra = os.getenv("LUTRA") or "lutra"

local path = os.tmpname()
local function script(text)
  local file <close> = assert(io.open(path, "w"))
  assert(file:write(text))
end
local function run(words)
  local pipe = assert(io.popen(("%s plan-hosts %s 2>&1 </dev/null"):format(lutra, words)))
  local text = pipe:read "a"
  return text, pipe:close() == true
end
local function refuses(words, message)
  local text, ok = run(words)
  assert(not ok and text:find(message, 1, true), text)
end

local kModel = [[
assert(#arg == 0 and select("#", ...) == 0)
local model = lt.nn.Sequential { lt.nn.Dense(100, {input_shape = {1000}}) }
model:compile {optimizer = "sgd", loss = "mse"}
return model, {lt.ones {64, 1000}, lt.ones {64, 100}}
]]

expect.case("a line for each number of hosts", function()
  script(kModel)
  local text, ok = run("--link 1Gb --hosts 6 " .. path .. " --latency-us=50")
  assert(ok, text)
  assert(text:find("64 rows a batch, 0.400 MB of gradients; hosts like this one (CPU:0), links of 1Gb and 50 us", 1, true), text)
  local hosts, steps, sums = {}, {}, {}
  for count, step, sum in text:gmatch "\n +(%d+) +([%d.]+) us +[%d.]+ us +([%d.]+) us" do
    hosts[#hosts + 1], steps[#steps + 1], sums[#sums + 1] = tonumber(count), tonumber(step), tonumber(sum)
  end
  expect.equal(hosts, { 1, 2, 4, 6 })
  expect.equal(sums[1], 0.0)
  -- 0.4004 MB cross once, or 2 (N - 1) / N times, at 125 bytes a microsecond, and four messages take 50 us each
  for i, share in ipairs { 0, 1, 1.5, 2 * 5 / 6 } do
    if i > 1 then
      local least = 0.4004e6 * share / 125 + 200
      assert(sums[i] > least and sums[i] < least / 0.75 + 500, text)
      assert(steps[i] > sums[i], text)
    end
  end
  local listed = run(path .. " --hosts 3,2")
  assert(listed:find "\n +3 .*\n +2 ", listed)
  assert(listed:find("links of 10Gb and 30 us", 1, true), listed)
end)

expect.case("a function is a step, too", function()
  script [[
    local w = lt.Variable(lt.ones {10, 10})
    return function(x) return w:assign_sub(lt.matmul(x, x, {transpose_a = true}) * 1e-6) end, {lt.ones {8, 10}}]]
  local text, ok = run(path)
  assert(ok and text:find("8 rows a batch, 0.000 MB", 1, true), text)
end)

expect.case("what is wrong is named", function()
  refuses("", "'plan-hosts' needs a script")
  refuses("a.lua b.lua", "takes one script, not 'b.lua' as well")
  refuses(path .. " --hosts", "'plan-hosts --hosts' needs a value")
  refuses(path .. " --hosts 0", "'plan-hosts --hosts' has '0', expected numbers from 1 to 65536")
  refuses(path .. " --hosts 2,,3", "'plan-hosts --hosts' has ''")
  refuses(path .. " --latency-us x", "'plan-hosts --latency-us' is 'x'")
  refuses(path .. " --speed 3", "takes --hosts, --link and --latency-us, not '--speed'")
  refuses(path .. ".missing", "No such file")
  script "print 'here'"
  refuses(path, "returns nothing, expected a model and its batch: return model, {x, y}")
  script "return lt.nn.Dense(3)"
  refuses(path, "returns no batch, expected a model and its batch")
  script(kModel)
  refuses(path .. " --link 3", 'link is "3", expected bits or bytes per second')
  script "error 'by the script'"
  refuses(path, "by the script")
  script "return 3, {lt.ones {2}}"
  refuses(path, "placement.scaling: f is 3, expected a function or a compiled model")
end)
os.remove(path)
print("ok")
