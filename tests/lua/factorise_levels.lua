-- Lutra's own factorisations give the same bits at every level of the processor.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local levels = expect.cpu_levels()
if #levels < 2 then
  print("this build has CPU kernels for " .. levels[1] .. " only: scripts/dev check --all compares levels")
  os.exit(77)
end

-- Prints every element of each result. Of the sizes, some are less than a block, and one is several.
local program = [[
for _, n in ipairs { 1, 3, 7, 16, 33, 47, 130 } do
  for _, dtype in ipairs { "float32", "float64", "complex128" } do
    local function random(shape, seed)
      local x = lt.random.normal(shape, { seed = seed, dtype = dtype == "float32" and dtype or "float64" })
      return dtype == "complex128" and lt.complex(x, lt.random.normal(shape, { seed = seed + 10, dtype = "float64" })) or x
    end
    local a = random({ n, n }, 1)
    local b = random({ n, 3 }, 2)
    local s = a + lt.transpose(a):conj()
    local function say(name, ...)
      for i, t in ipairs { ... } do
        local bytes = t:bytes()
        print(name, n, dtype, i, #bytes, (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)))
      end
    end
    say("cholesky", lt.cholesky(s + lt.eye(n):cast(dtype) * (8 * n)))
    say("inv", lt.inv(a))
    say("solve", lt.solve(a, b), lt.solve(a, b, { adjoint = true }))
    say("triangular_solve", lt.triangular_solve(a + lt.eye(n):cast(dtype) * 8, b))
    say("det", lt.det(a))
    say("lu", lt.lu(a))
    say("qr", lt.qr(a))
    say("svd", lt.svd(a))
    say("eigh", lt.eigh(s))
    say("eig", lt.eig(a))
    say("expm", lt.expm(a))
  end
end
]]

local function read(level)
  local text, ok = expect.program(program, "", "env LUTRA_LAPACK=off LUTRA_CPU_LEVEL=" .. level)
  assert(ok, text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
  return lines
end

local lowest = read(levels[1])
expect.equal(#lowest, 7 * 3 * 19, "results compared")
for i = 2, #levels do
  local lines = read(levels[i])
  expect.equal(#lines, #lowest, levels[i])
  for j, line in ipairs(lines) do
    assert(line == lowest[j], ("%s: %s differs from %s"):format(levels[i], line:match("^%S+%s+%S+%s+%S+"), levels[1]))
  end
end
print("ok")
