-- Eigen's factorisations give the same at every level of the processor, up to rounding in float64: in float32 all but the last
-- bit, in float64 1e-12 of the largest element. Levels that this machine lacks run as the highest it has.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

-- Prints every element of each result. 130: more than one of Eigen's blocks.
local program = [[
local n = 130
for _, dtype in ipairs { "float32", "float64" } do
  local a = lt.random.normal({ n, n }, { seed = 1, dtype = dtype }) + lt.eye(n, { dtype = dtype }) * 40
  local b = lt.random.normal({ n, 3 }, { seed = 2, dtype = dtype })
  local s = (a + lt.transpose(a)) * 0.5
  local function say(name, ...)
    for _, t in ipairs { ... } do
      for _, x in ipairs(t:float64():reshape({ -1 }):totable()) do print(name, dtype, ("%.17g"):format(x)) end
    end
  end
  say("cholesky", lt.cholesky(s))
  say("inv", lt.inv(a))
  say("solve", lt.solve(a, b))
  say("qr", lt.qr(a))
  say("svd", (select(2, lt.svd(a))))
end
]]

local function read(level)
  local text, ok = expect.program(program, "", "env LUTRA_LAPACK=off LUTRA_CPU_LEVEL=" .. level)
  assert(ok, text)
  local groups = {}
  for name, dtype, number in text:gmatch("(%w+)\t(%w+)\t(%S+)\n") do
    local key = name .. " " .. dtype
    groups[key] = groups[key] or {}
    table.insert(groups[key], assert(tonumber(number)))
  end
  return groups
end

local tolerance = { float32 = 2 ^ -23, float64 = 1e-12 }
local baseline = read("baseline")
local count = 0
for _, level in ipairs { "avx2", "avx512" } do
  for key, numbers in pairs(read(level)) do
    local largest, far = 0, 0
    expect.equal(#numbers, #baseline[key], key)
    for i, x in ipairs(numbers) do
      largest = math.max(largest, math.abs(x))
      far = math.max(far, math.abs(x - baseline[key][i]))
    end
    assert(far <= tolerance[key:match("%S+$")] * largest, ("%s: %s is %g of %g from baseline"):format(level, key, far, largest))
    count = count + 1
  end
end
expect.equal(count, 20, "results compared")
print("ok")
