-- The kernels of every level of the processor give the same bits, but for factorisations, which are Eigen's
-- (factorise_levels.lua), and matmul, which is oneDNN's. Levels that this machine lacks run as the highest it has.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

-- Calls every op that takes one or two float tensors, and some others, on many elements; prints a checksum of each result.
local program = [[
local function sum(t)
  local bytes, hash = t:bytes(), 0
  for i = 1, #bytes - 7, 8 do hash = (hash * 31 + string.unpack("<i8", bytes, i)) & 0x7fffffffffffffff end
  return ("%s %s %x"):format(t.dtype, t.shape, hash)
end
local names = {}
for name, f in pairs(lt) do
  if type(f) == "function" then names[#names + 1] = name end
end
table.sort(names)
local skipped = { save = true, load = true, Variable = true, tidy = true, device = true, help = true, time = true, synchronize = true, matmul = true, qr = true, svd = true }
for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int32", "uint8" } do
  local x = (lt.random.normal({ 64, 65 }, { seed = 1 }) * 4):cast(dtype)
  local y = (lt.random.uniform({ 64, 65 }, { seed = 2 }) * 3 + 1):cast(dtype)
  for _, name in ipairs(names) do
    for count = 1, 2 do
      local ok, result = pcall(lt[name], table.unpack({ x, y }, 1, count))
      if not skipped[name] and ok and getmetatable(result) == "lutra.Tensor" then print(name, count, sum(result)) end
    end
  end
  for _, name in ipairs(names) do
    for axis = 1, 2 do
      local ok, result = pcall(lt[name], x, { axis = axis })
      if not skipped[name] and ok and getmetatable(result) == "lutra.Tensor" then print(name, "axis", axis, sum(result)) end
    end
  end
end
print(sum(lt.random.normal({ 1001 }, { seed = 3 })), sum(lt.random.normal({ 1001 }, { seed = 3, dtype = "float64" })))
]]

local said = {}
for _, level in ipairs { "baseline", "avx2", "avx512" } do
  local text, ok = expect.program(program, "", "env LUTRA_CPU_LEVEL=" .. level)
  assert(ok, text)
  local _, lines = text:gsub("\n", "\n")
  assert(lines > 100, text)
  said[#said + 1] = text
end
for i = 2, #said do
  local first, other = said[1]:gmatch("[^\n]+"), said[i]:gmatch("[^\n]+")
  for line in first do expect.equal(other(), line) end
end
print("ok")
