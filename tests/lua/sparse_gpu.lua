-- Sparse matrices on a GPU: the products stay there, and are those of the CPU; gradients too.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local function parts(device, dtype)
  local scope <close> = lt.device(device)
  local function noise(seed, shape) return lt.random.normal(shape, { seed = seed, dtype = "float64" }):cast(dtype) end
  local i = lt.range(300, { dtype = "int64" })
  local indices = lt.stack({ i * 7919 % 41, i * 104729 % 29 }, 2) + 1
  return noise(1, { 300 }), indices, noise(2, { 29, 5 }), noise(3, { 29 }), noise(4, { 5, 41 })
end
local function results(device, dtype)
  local values, indices, b, vector, left = parts(device, dtype)
  local scope <close> = lt.device(device)
  local tape <close> = lt.GradientTape()
  tape:watch(values)
  tape:watch(b)
  local list = {}
  for _, format in ipairs { "to_coo", "to_csr" } do
    local s = lt.sparse.coo { indices = indices, values = values, shape = { 41, 29 } }
    s = s[format](s)
    list[#list + 1] = s:matmul(b)
    list[#list + 1] = s:matmul(vector)
    list[#list + 1] = lt.sparse.matmul(left, s)
    list[#list + 1] = s:to_dense()
  end
  local sum = (list[1]:float64() ^ 2):sum() + (list[5]:float64() ^ 2):sum()
  for _, slope in ipairs(tape:gradient(sum, { values, b })) do list[#list + 1] = slope end
  return list
end

expect.case("the same results as on the CPU", function()
  for dtype, tolerance in pairs { float64 = 1e-12, float32 = 1e-4, float16 = 5e-2 } do
    local here, there = results("/CPU:0", dtype), results("/GPU:0", dtype)
    for i, wanted in ipairs(here) do
      expect.equal({ there[i].dtype, there[i].device:match "GPU:0$" }, { wanted.dtype, "GPU:0" }, dtype .. " " .. i)
      expect.equal(there[i].shape, wanted.shape)
      expect.close(there[i]:float64(), wanted:float64():totable(), tolerance, dtype .. " " .. i)
    end
  end
  local whole = lt.device("/GPU:0", lt.sparse.from_dense, { { 0, 2 }, { 3, 0 } })
  expect.equal({ whole:matmul({ 1, 2 }):totable(), whole:matmul({ 1, 2 }).dtype }, { { 4.0, 3.0 }, "float32" })
end)

expect.end_of_cases()
