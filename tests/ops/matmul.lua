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

-- The last bits of an integer, as the dtype keeps them.
local bits = { int8 = 8, uint8 = 8, int16 = 16, int32 = 32 }
local function wrapped(table_of, dtype)
  local width = bits[dtype]
  if not width then return table_of end
  local out = {}
  for i, value in ipairs(table_of) do
    if type(value) == "table" then
      out[i] = wrapped(value, dtype)
    else
      value = value & ((1 << width) - 1)
      if dtype ~= "uint8" and value >= 1 << (width - 1) then value = value - (1 << width) end
      out[i] = value
    end
  end
  return out
end

-- An operand of a gradient's check: any shape, numbers of no pattern.
local function numbers(shape, seed)
  local function level(axis)
    if axis > #shape then
      seed = (seed * 16807) % 2147483647
      return seed / 2147483647 * 4 - 2
    end
    local list = {}
    for i = 1, shape[axis] do list[i] = level(axis + 1) end
    return list
  end
  return level(1)
end
local function pair(a, b, options) return { numbers(a, 11), numbers(b, 23), options } end
local ta, tb, both = { transpose_a = true }, { transpose_b = true }, { transpose_a = true, transpose_b = true }

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
    { int8 { { 100, 100 } }, int8 { { 2 }, { 1 } }, gives = { { 44 } }, dtype = "int8" },
    { uint8 { 200, 100 }, uint8 { 2, 1 }, gives = 244, dtype = "uint8", shape = {} },
    { int16 { { 30000, 1 } }, int16 { { 2 }, { 5 } }, gives = { { -5531 } }, dtype = "int16" },
    { int8 { 100, 1 }, uint8 { 200, 1 }, gives = 20001, dtype = "int16", shape = {} },
    -- Halves: added up in float32, where 2048 + 1 is not 2048, and rounded once.
    { float16 { 2048, 1, 1 }, float16 { 1, 1, 1 }, gives = 2050, dtype = "float16", shape = {} },
    { bfloat16 { { 256, 1, 1 } }, bfloat16 { { 1 }, { 1 }, { 1 } }, gives = { { 258 } }, dtype = "bfloat16" },
    { float16 { { 60000, 60000 } }, float16 { { 1 }, { 1 } }, gives = { { math.huge } }, dtype = "float16" },
    { float16 { 1, 2 }, bfloat16 { 3, 4 }, gives = 11, dtype = "float32", shape = {} },
    { float16 { 1, 2 }, int32 { 3, 4 }, gives = 11, dtype = "float16", shape = {} },
    { { 0.0, 1.0 }, { math.huge, 1.0 }, gives = 0 / 0, shape = {} },
    { made(function() return lt.zeros { 0 } end), made(function() return lt.zeros { 0 } end), gives = 0.0, shape = {} },
    { made(function() return lt.zeros { 2, 1, 1, 1, 1, 1, 2, 3 } end), made(function() return lt.ones { 3, 1 } end),
      shape = { 2, 1, 1, 1, 1, 1, 2, 1 } },
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
  gradients = {
    pair({ 2, 3 }, { 3, 4 }), pair({ 3, 2 }, { 3, 4 }, ta), pair({ 2, 3 }, { 4, 3 }, tb), pair({ 3, 2 }, { 4, 3 }, both),
    -- Vectors, which no transpose concerns.
    pair({ 3 }, { 3 }), pair({ 3 }, { 3 }, both), pair({ 3 }, { 3, 2 }), pair({ 3 }, { 2, 3 }, both),
    pair({ 2, 3 }, { 3 }), pair({ 3, 2 }, { 3 }, both), pair({ 3 }, { 2, 3, 2 }), pair({ 3 }, { 2, 2, 3 }, tb),
    pair({ 2, 2, 3 }, { 3 }), pair({ 2, 3, 2 }, { 3 }, ta),
    -- Batches: of both, of one, broadcast either way and both ways.
    pair({ 2, 2, 3 }, { 2, 3, 2 }), pair({ 2, 3, 2 }, { 2, 3, 2 }, ta), pair({ 2, 2, 3 }, { 2, 2, 3 }, tb),
    pair({ 2, 3, 2 }, { 2, 2, 3 }, both), pair({ 2, 2, 3 }, { 3, 2 }), pair({ 2, 3, 2 }, { 3, 2 }, ta),
    pair({ 2, 2, 3 }, { 2, 3 }, tb), pair({ 2, 3, 2 }, { 2, 3 }, both), pair({ 2, 3 }, { 2, 3, 2 }),
    pair({ 3, 2 }, { 2, 3, 2 }, ta), pair({ 2, 3 }, { 2, 2, 3 }, tb), pair({ 3, 2 }, { 2, 2, 3 }, both),
    pair({ 2, 1, 2, 3 }, { 3, 3, 2 }), pair({ 2, 1, 3, 2 }, { 1, 3, 2, 3 }, both), pair({ 1, 2, 2 }, { 3, 2, 2 }),
    pair({ 1, 1 }, { 1, 1 }),
  },
  check = function(t)
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" } do
      local a, b = counted({ 5, 4 }, dtype), counted({ 4, 3 }, dtype)
      local wanted = wrapped(product(a:totable(), b:totable()), dtype)
      t.ok(a:matmul(b).dtype == dtype, dtype)
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
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local a, b = (counted({ 90, 80 }, "float32") / 8):cast(dtype), (counted({ 80, 70 }, "float32") / 8):cast(dtype)
      t.equal(a:matmul(b), lt.matmul(a:float32(), b:float32()):cast(dtype), dtype .. " rounds once")
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
    -- Attention pays for no transposed copy: what is allocated is the result.
    local queries, keys = counted({ 4, 96, 64 }, "float32"), counted({ 4, 96, 64 }, "float32")
    for name, scores_of in pairs {
      matmul = function() return queries:matmul(keys, { transpose_b = true }) end,
      einsum = function() return lt.einsum("bqd,bkd->bqk", queries, keys) end,
    } do
      collectgarbage()
      lt.config.reset_memory_stats(t.device)
      local before = lt.config.get_memory_info(t.device).current
      local scores = scores_of()
      lt.synchronize(t.device)
      t.ok(lt.config.get_memory_info(t.device).peak - before < 4 * scores.size + 4 * keys.size // 2, name)
      t.equal(scores[2], queries[2]:matmul(keys[2]:transpose()), name)
    end
    -- A batch whose rows have no elements still has rows: the gradients are zeros, and empty.
    for _, shape in ipairs { { 0 }, { 0, 4 } } do
      local rows, columns = lt.zeros { 2, 1, 3, 0 }, lt.zeros(shape)
      local tape <close> = lt.GradientTape()
      tape:watch { rows, columns }
      local slopes = tape:gradient(rows:matmul(columns), { rows, columns })
      t.equal(slopes[1].shape, { 2, 1, 3, 0 })
      t.equal(slopes[2].shape, shape)
    end
    -- The second derivative of sum((x y)^2) by a row of x is 2 y y^T.
    local x = lt.constant({ { 1, 2 }, { 3, 4 } }, { dtype = "float64" })
    local y = lt.constant({ { 5, 6, 7 }, { 8, 9, 10 } }, { dtype = "float64" })
    local outer <close> = lt.GradientTape()
    outer:watch(x)
    local inner <close> = lt.GradientTape()
    inner:watch(x)
    local z = x:matmul(y)
    local first = inner:gradient((z * z):sum(), x)
    local second = outer:gradient(first[{ {}, 1 }]:sum(), x)
    t.close(second, { { 220, 328 }, { 220, 328 } })
  end,
}
