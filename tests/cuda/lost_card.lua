-- A card that is lost to a fault: every use of it raises an error with op and line. Work on the other card, on the CPU
-- and between them continues, and the program ends normally. The cards are those of the stub of NVIDIA's driver
-- (tests/support/cuda_stub); the fault is the N-th kernel or copy on GPU:0.
local expect = dofile("tests/support/expect.lua")

local script = [[
local function on(device, f) return lt.device(device, f) end
local kept = on("/GPU:1", function() return lt.range(1000) end)
local x = on("/GPU:0", function() return lt.ones { 64, 64 } end)
local y = x
local function told(problem)
  assert(lt.iserror(problem), problem)
  assert(problem.code == "Internal", tostring(problem))
  return (tostring(problem):gsub("\n.*", ""))
end

local ok, problem
for step = 1, 400 do
  ok, problem = pcall(on, "/GPU:0", function() y = (y + x) / 2 end)  -- line 13
  if ok and step % 50 == 0 then ok, problem = pcall(y.totable, y) end  -- line 14
  if not ok then break end
end
print(ok, told(problem))
print(select(2, pcall(function() return told(select(2, pcall(y.totable, y))) end)))
print(told(select(2, pcall(on, "/GPU:0", function() return x * 2 end))))  -- line 19
print(told(select(2, pcall(lt.synchronize))))
x, y = nil, nil
collectgarbage()
print("left on GPU:0", lt.config.get_memory_info("GPU:0").current)

print("GPU:1", on("/GPU:1", function() return (kept * 2):sum():item() end))
local there = on("/CPU:0", function() return lt.ones { 500000 } end)
local z = on("/GPU:1", function() return there:to("/GPU:1") + 1 end)
print("CPU:0", on("/CPU:0", function() return (z + there):sum():item() end))
lt.synchronize("GPU:1")
local v = on("/GPU:1", function() return lt.Variable(lt.zeros { 10 }) end)
for _ = 1, 100 do v:assign_add(on("/GPU:1", function() return lt.ones { 10 } end)) end
print("variable", v[{ 3 }]:item())
]]

local function run(text, options)
  return expect.program(text, "--no-init", ("LUTRA_CUDA_STUB=%s,cards:2,faulty:0"):format(options))
end

local kLost <const> = "GPU:0 was lost %(%w+: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered%): its tensors are gone, "
  .. "and only a new process can use it again%. Other devices keep working"
for _, way in ipairs { "inline", "random:1", "random:2" } do
  for _, at in ipairs { 1, 2, 5, 60, 317 } do
    local options = ("%s,fault-at:%d"):format(way, at)
    local told, ended_well = run(script, options)
    local lines = {}
    for line in told:gmatch("[^\n]+") do lines[#lines + 1] = line end
    local function says(number, pattern)
      if not (lines[number] or ""):find(pattern) then
        error(("%s: line %d does not match %q:\n%s"):format(options, number, pattern, told), 2)
      end
    end
    says(1, "^false\t.*:1[34]: .*" .. kLost)
    says(2, kLost)
    says(3, ":19: .*" .. kLost)
    says(4, kLost)
    says(5, "^left on GPU:0\t0$")
    says(6, "^GPU:1\t999000$")
    says(7, "^CPU:0\t1500000.0$")
    says(8, "^variable\t100.0$")
    if #lines ~= 8 or not ended_well then error(("%s: does not end well:\n%s"):format(options, told)) end
  end
end

-- A program that does not catch the error ends with it, and does not hang.
local told, ended_well = run("local x = lt.ones { 8 }\nfor _ = 1, 100 do x = x + 1 end\nprint(x:sum():item())\n", "random:1,fault-at:30")
assert(not ended_well and told:find(":[23]: .*" .. kLost) and told:find("stack traceback", 1, true), told)
print("lost_card passed")
