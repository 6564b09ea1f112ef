-- Limits of rounding: long inner products are added up like sums, and a cast rounds once.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(0)

-- One sum of 10^7 products, all of a sign, is a hundredth off in float32.
local n = 10000000
local x = lt.random.uniform({ n }, { seed = 1, minval = 1.0, maxval = 3.0 })
local y = lt.random.uniform({ n }, { seed = 2, minval = 1.0, maxval = 3.0 })
local wanted = (x:cast("float64") * y:cast("float64")):sum():item()
local row, column = x:reshape { 1, n }, y:reshape { n, 1 }
for what, got in pairs {
  ["dot"] = lt.dot(x, y),
  ["matmul of vectors"] = x:matmul(y),
  ["a row times a column"] = row:matmul(column),
  ["a row times a row, transposed"] = row:matmul(y:reshape { 1, n }, { transpose_b = true }),
  ["columns, transposed"] = x:reshape { n, 1 }:matmul(column, { transpose_a = true }),
  ["einsum"] = lt.einsum("i,i->", x, y),
  ["float64"] = lt.dot(x:cast("float64"), y:cast("float64")),
} do
  local off = math.abs(got:item() / wanted - 1)
  assert(off < 1e-6, ("%s: %g of the sum is lost"):format(what, off))
end
-- Rows and columns of a matrix with a long vector: each is an inner product of 2.5 million terms.
local rows = x:reshape { 4, n // 4 }
local part = y[{ { 1, n // 4 } }]
wanted = (rows:cast("float64") * part:cast("float64")):sum(2):totable()
for what, got in pairs {
  ["rows times a vector"] = rows:matmul(part),
  ["a vector times columns"] = part:matmul(rows, { transpose_b = true }),
  ["a vector times a matrix"] = part:matmul(rows:transpose()),
  ["a turned matrix times a vector"] = rows:transpose():matmul(part, { transpose_a = true }),
  ["the columns of a turned matrix"] = rows:matmul(part:reshape { 1, n // 4 }, { transpose_b = true }):flatten(),
} do
  for i, value in ipairs(got:totable()) do
    assert(math.abs(value / wanted[i] - 1) < 1e-5, what .. ": " .. value .. " against " .. wanted[i])
  end
end
rows, row, column, part = nil, nil, nil, nil
-- Lengths around those at which the way of adding changes: small integers add up exactly whatever the order.
for _, k in ipairs { 4095, 4096, 4097, 5119, 5120, 5121, 8191, 10001 } do
  local a, b = lt.range(k) % 7, lt.range(k) % 5
  local exact = (a * b):sum():item()
  local zeros = lt.zeros({ k, 2 }, { dtype = "int32" })
  for _, dtype in ipairs { "float32", "float64", "int32", "int64" } do
    local u, v = a:cast(dtype), b:cast(dtype)
    expect.equal(lt.dot(u, v):item(), exact, dtype .. " dot of " .. k)
    local matrix = (zeros + lt.reshape(b, { k, 1 })):cast(dtype)  -- b twice, as columns
    expect.equal(u:matmul(matrix):totable(), { exact, exact }, dtype .. " matmul of " .. k)
    expect.equal(matrix:matmul(u, { transpose_a = true }):totable(), { exact, exact }, dtype .. " transposed, of " .. k)
  end
end

-- A cast to a half rounds once: the nearest half, ties to even, also where float32 lies in between.
local function cast(value, from, to) return lt.constant({ value }, { dtype = from }):cast(to):item() end
for _, case in ipairs {
  { 65519.999999999, "float64", "float16", 65504 }, { 65520.0, "float64", "float16", math.huge },
  { 1 + 2.0 ^ -11 + 2.0 ^ -40, "float64", "float16", 1 + 2.0 ^ -10 }, { 1 + 2.0 ^ -11, "float64", "float16", 1 },
  { 1 + 3 * 2.0 ^ -11 - 2.0 ^ -40, "float64", "float16", 1 + 2.0 ^ -10 },
  { -(1 + 2.0 ^ -11 + 2.0 ^ -40), "float64", "float16", -(1 + 2.0 ^ -10) },
  { 2.0 ^ -25 + 2.0 ^ -60, "float64", "float16", 2.0 ^ -24 }, { 2.0 ^ -25, "float64", "float16", 0 },
  { 1 + 2.0 ^ -8 + 2.0 ^ -40, "float64", "bfloat16", 1 + 2.0 ^ -7 }, { 1 + 2.0 ^ -8, "float64", "bfloat16", 1 },
  { 1e300, "float64", "bfloat16", math.huge }, { -1e300, "float64", "float16", -math.huge },
  { math.huge, "float64", "float16", math.huge }, { 1e-300, "float64", "bfloat16", 0 },
  { (1 << 30) + (1 << 22) + 1, "int32", "bfloat16", (1 << 30) + (1 << 23) },
  { (1 << 30) + (1 << 22), "int32", "bfloat16", 1 << 30 },
  { (1 << 62) + (1 << 54) + 1, "int64", "bfloat16", 2.0 ^ 62 + 2.0 ^ 55 },
  { (1 << 62) + (1 << 54), "int64", "bfloat16", 2.0 ^ 62 },
  { -((1 << 62) + (1 << 54) + 1), "int64", "bfloat16", -(2.0 ^ 62 + 2.0 ^ 55) },
  { -((1 << 62) + (1 << 54) - 1), "int64", "bfloat16", -(2.0 ^ 62) },
  { math.mininteger, "int64", "bfloat16", -(2.0 ^ 63) }, { math.maxinteger, "int64", "float16", math.huge },
} do
  local value, from, to, exact = table.unpack(case)
  expect.equal(cast(value, from, to), exact, ("%s %s as %s"):format(from, value, to))
end
assert(lt.constant({ 0 / 0 }, { dtype = "float64" }):cast("float16"):isnan():item())
expect.equal(lt.constant({ 65519.999999999 }, { dtype = "float16" }):item(), 65504, "a literal")

-- Lists of nothing are lists, but not by the million.
expect.equal(lt.zeros { 2, 3, 0 }:totable(), { { {}, {}, {} }, { {}, {}, {} } })
for _, shape in ipairs { { 2 ^ 30, 0 }, { 2 ^ 30, 2 ^ 30, 0 }, { 1000, 2000, 0, 5 } } do
  expect.raises("InvalidArgument", "has no elements, and its table would be more than 1048576 empty lists", function()
    lt.zeros(shape):totable()
  end)
end
assert(tostring(lt.zeros { 2 ^ 30, 0 }):find("[], shape=(1073741824, 0)", 1, true), "prints")
expect.equal(#lt.zeros { 0, 2 ^ 30 }:totable(), 0)

-- The largest of nothing along an axis of nearly any size.
for _, k in ipairs { 1, 2 ^ 62 } do
  local values, places = lt.zeros { 2 ^ 62, 0 }:top_k(k, 1)
  expect.equal({ values.size, places.size, values.shape[1] }, { 0, 0, math.tointeger(k) })
end
print("ok")
