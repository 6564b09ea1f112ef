-- Matrix products that are cut into tiles and blocks, at every level of the processor and on one and three threads.
-- Inputs are small whole numbers, so that float32 is exact; the reference is int64.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

-- Rows a power of two apart, sizes that are whole tiles and others, blocks of rows, columns that are left over.
local program = [[
local shapes = {
  { 64, 1024, 1024 }, { 25, 1025, 1024 }, { 128, 513, 2048 }, { 29, 2048, 768 }, { 15, 1030, 1280 }, { 127, 1024, 1280 },
  { 400, 770, 256 }, { 700, 385, 256 }, { 150, 300, 512 }, { 33, 67, 256 }, { 13, 400, 256 }, { 64, 64, 64 },
  { 6, 256, 40 }, { 14, 193, 32 }, { 31, 192, 47 }, { 100, 50, 1300 }, { 300, 1, 256 }, { 257, 3, 256 },
  { 32, 784, 128 }, { 7, 1500, 170 }, { 256, 515, 500 }, { 270, 140, 300 },
}
local function whole(shape, seed) return lt.random.randint(shape, -4, 4, { seed = seed }) end
for i, shape in ipairs(shapes) do
  local m, k, n = table.unpack(shape)
  local a, b, bias = whole({ m, k }, i), whole({ k, n }, 100 + i), whole({ n }, 200 + i)
  local exact = lt.matmul(a, b)
  local x, y = a:float32(), b:float32()
  local xt, yt = lt.transpose(x), lt.transpose(y)
  local function same(what, result, wanted)
    local wrong = (result:cast("int64")):ne(wanted):cast("int64"):sum():item()
    print(what, m, k, n, wrong == 0 and "same" or wrong .. " differ")
  end
  same("plain", lt.matmul(x, y), exact)
  same("a turned", lt.matmul(lt.transpose(xt), y), exact)
  same("b turned", lt.matmul(x, lt.transpose(yt)), exact)
  same("both turned", lt.matmul(lt.transpose(xt), lt.transpose(yt)), exact)
  same("linear", lt.linear(x, y, bias:float32()), exact + bias)
end
]]

for _, level in ipairs(expect.cpu_levels()) do
  for _, threads in ipairs(expect.is_sanitized() and { 3 } or { 1, 3 }) do
    local text, ok = expect.program(program, "", ("env LUTRA_CPU_LEVEL=%s LUTRA_NUM_THREADS=%d"):format(level, threads))
    assert(ok, text)
    local count = 0
    for line in text:gmatch("[^\n]+") do
      count = count + 1
      if not line:find("\tsame$") then error(level .. ", " .. threads .. " threads: " .. line) end
    end
    expect.equal(count, 22 * 5)
  end
end
print("ok")
