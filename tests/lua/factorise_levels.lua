-- Eigen's factorisations agree at every level of the processor, up to rounding in float64: float32 in all but the last
-- bit, float64 to 1e-12 of the largest element.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local levels = expect.cpu_levels()
if #levels < 2 then
  print("this build has CPU kernels for " .. levels[1] .. " only: scripts/dev check --all compares levels")
  os.exit(77)
end

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
local lowest = read(levels[1])
local count = 0
for i = 2, #levels do
  for key, numbers in pairs(read(levels[i])) do
    local largest, far = 0, 0
    expect.equal(#numbers, #lowest[key], key)
    for j, x in ipairs(numbers) do
      largest = math.max(largest, math.abs(x))
      far = math.max(far, math.abs(x - lowest[key][j]))
    end
    assert(far <= tolerance[key:match("%S+$")] * largest, ("%s: %s is %g of %g from %s"):format(levels[i], key, far, largest, levels[1]))
    count = count + 1
  end
end
expect.equal(count, 10 * (#levels - 1), "results compared")
print("ok")
