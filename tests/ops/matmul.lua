local spec = require "spec"

-- Small integers of the given shape: exact in every dtype.
local function counted(shape, dtype)
  local size = 1
  for i = 1, #shape do size = size * shape[i] end
  return lt.reshape(lt.cast(lt.range(size) % 7 - 3, dtype), shape)
end

-- The product of two nested tables.
local function product(a, b)
  local c = {}
  for i = 1, #a do
    c[i] = {}
    for j = 1, #b[1] do
      local sum = 0
      for p = 1, #b do sum = sum + a[i][p] * b[p][j] end
      c[i][j] = sum
    end
  end
  return c
end

spec "matmul" {
  example = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, gives = { { 22, 28 }, { 49, 64 } }, dtype = "int32" },
  examples = {
    { { { 1.5, 2 }, { 3, 4 } }, { { 1, 0 }, { 0, 1 } }, gives = { { 1.5, 2 }, { 3, 4 } }, dtype = "float32" },
    { float64 { { 1, 2 }, { 3, 4 } }, { { 0.5, 0.5 }, { 1, 1 } }, gives = { { 2.5, 2.5 }, { 5.5, 5.5 } }, dtype = "float64" },
    -- Vectors: a row on the left, a column on the right.
    { { 1, 2, 3 }, { 4, 5, 6 }, gives = 32, shape = {} },
    { { 1, 2 }, { { 1, 2, 3 }, { 4, 5, 6 } }, gives = { 9, 12, 15 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 1, 2, 3 }, gives = { 14, 32 } },
    { { 1, 2 }, { { 1, 2 }, { 3, 4 } }, { transpose_a = true }, gives = { 7, 10 } },
    { { { 1, 2 }, { 3, 4 } }, { 1, 2 }, { transpose_b = true }, gives = { 5, 11 } },
    { { { 1, 2 }, { 3, 4 } }, { 1, 2 }, { transpose_a = true }, gives = { 7, 10 } },
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, { transpose_a = true }, gives = { { 26, 30 }, { 38, 44 } } },
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, { transpose_b = true }, gives = { { 17, 23 }, { 39, 53 } } },
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, { transpose_a = true, transpose_b = true }, gives = { { 23, 31 }, { 34, 46 } } },
    -- A batch on either side, and vectors against batches.
    { { { { 1, 2 } }, { { 3, 4 } } }, { { 1 }, { 10 } }, gives = { { { 21 } }, { { 43 } } } },
    { { { 1, 10 } }, { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, gives = { { { 21 } }, { { 43 } } } },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { 1, 1 }, gives = { { 3, 7 }, { 11, 15 } } },
    { { 1, 1 }, { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, gives = { { 4, 6 }, { 12, 14 } } },
    -- Nothing to add up gives zeros.
    { made(function() return lt.zeros { 2, 0 } end), made(function() return lt.zeros { 0, 3 } end),
      gives = { { 0, 0, 0 }, { 0, 0, 0 } } },
    { made(function() return lt.zeros { 0, 2 } end), made(function() return lt.zeros { 2, 3 } end), shape = { 0, 3 } },
    -- Integers wrap.
    { int32 { { 2147483647, 1 } }, int32 { { 2 }, { 3 } }, gives = { { 1 } }, dtype = "int32" },
    { int64 { 3037000500, 0 }, int32 { 1, 1 }, gives = 3037000500, dtype = "int64", shape = {} },
  },
  rejects = {
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 2, 3 }, { 4, 5, 6 } } },
      says = "matmul: a (2, 3) and b (2, 3) do not match: a's last axis (3) must equal b's first (2)" },
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 2, 3 } }, { transpose_a = true, transpose_b = true } },
      says = "do not match with transpose_a and transpose_b: a's first axis (2) must equal b's last (3)" },
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { transpose_a = true } },
      says = "do not match with transpose_a: a's first axis (2) must equal b's first (3)" },
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { transpose_b = true } },
      says = "do not match with transpose_b: a's last axis (3) must equal b's last (2)" },
    { args = { { 1, 2, 3 }, { { { 1 }, { 2 } } } },
      says = "a (3,) and b (1, 2, 1) do not match: a's last axis (3) must equal b's second-last (2)" },
    { args = { made(function() return lt.zeros { 2, 3, 4 } end), made(function() return lt.zeros { 3, 4, 5 } end) },
      says = "the batch axes (2,) and (3,) do not broadcast: sizes of an axis must be equal or 1" },
    { args = { 2, { { 1 } } }, says = "matmul: a is a scalar, expected a vector, a matrix or a batch of matrices" },
    { args = { { { 1 } }, 2 }, says = "matmul: b is a scalar" },
    { args = { bool { { true } }, { { 1 } } }, says = "matmul: a is bool, expected a number" },
    { args = { bool { { true } }, bool { { true } } }, says = "is bool, expected a number" },
    { args = { { { 1 } }, { { 1 } }, { transpose_c = true } }, says = "unknown option 'transpose_c'" },
    { args = { { { 1 } }, { { 1 } }, { transpose_a = 1 } }, says = "transpose_a" },
  },
  check = function(t)
    for _, dtype in ipairs { "float32", "float64", "int32", "int64" } do
      local a, b = counted({ 5, 4 }, dtype), counted({ 4, 3 }, dtype)
      local wanted = product(a:totable(), b:totable())
      t.equal(a:matmul(b), wanted, dtype)
      t.equal(a:transpose():matmul(b, { transpose_a = true }), wanted, dtype .. " transpose_a")
      t.equal(a:matmul(b:transpose(), { transpose_b = true }), wanted, dtype .. " transpose_b")
      t.equal(a:transpose():matmul(b:transpose(), { transpose_a = true, transpose_b = true }), wanted, dtype .. " both")
      -- Large enough for the other kernels: a row of ones on the left adds up the columns.
      local tall = counted({ 70, 65 }, dtype)
      local ones = lt.ones({ 66, 70 }, { dtype = dtype })
      local sums = ones:matmul(tall)
      t.equal(sums[66], lt.ones({ 70 }, { dtype = dtype }):matmul(tall), dtype .. " large")
      t.equal(tall:matmul(ones, { transpose_a = true, transpose_b = true })[{ {}, 66 }], sums[1], dtype .. " large, transposed")
    end
    -- Each matrix of a broadcast batch is the product of its own two.
    local a, b = counted({ 2, 1, 3, 4 }, "float32"), counted({ 5, 4, 2 }, "float32")
    local c = a:matmul(b)
    t.equal(c.shape, { 2, 5, 3, 2 })
    t.equal(c[{ 2, 4 }], a[{ 2, 1 }]:matmul(b[4]))
    t.equal(c[{ 1, 5 }], a[{ 1, 1 }]:matmul(b[5]))
    local d = counted({ 3, 4, 3 }, "int32"):matmul(counted({ 4, 2 }, "int32"), { transpose_a = true })
    t.equal(d[3], counted({ 3, 4, 3 }, "int32")[3]:matmul(counted({ 4, 2 }, "int32"), { transpose_a = true }))
    t.equal(lt.zeros({ 2, 0, 3 }):matmul(lt.zeros { 3, 4 }).shape, { 2, 0, 4 })
  end,
}
