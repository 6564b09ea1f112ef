local golden = require "linalg_golden"
local gradients = require "gradients"
local samples = require "samples"
local spec = require "spec"

local numbers = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" }
local floats = { "float32", "float64", "float16", "bfloat16" }
local close_to = { float32 = 1e-5, float64 = 1e-11, float16 = 4e-3, bfloat16 = 4e-2 }

-- A literal of any shape, numbers of no pattern.
local function random(shape, seed)
  return samples.nest(samples.values(samples.size(shape), "float64", -2, 2, seed or 1), shape)
end
local function tensor(shape, dtype, seed) return lt.constant(random(shape, seed), { dtype = dtype or "float64" }) end
-- Small integers, exact in every dtype.
local function counted(shape, dtype)
  return lt.reshape(lt.cast(lt.range(samples.size(shape)) % 3, dtype), shape)
end

-- The tape's gradient of any function of tensors against central differences.
local function slopes(t, f, ...)
  local problem = gradients.problem(f, { ... }, t.device, function(run, ...) return run(...) end)
  t.ok(problem == nil, problem)
end

-- How far from the identity.
local function orthonormal(t, columns, tolerance, what)
  local product = columns:matmul(columns, { transpose_a = true })
  local n = product.shape[#product.shape]
  local far = lt.abs(product - lt.eye(n, { dtype = product.dtype })):float64():max():item()
  t.ok(far <= tolerance, ("%s: columns are %g from orthonormal"):format(what, far))
end

local function zeros(...)
  local shape = { ... }
  return made(function() return lt.zeros(shape) end)
end

spec "dot" {
  example = { { 1, 2, 3 }, { 4, 5, 6 }, gives = 32, dtype = "int32", shape = {} },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, gives = { { 19, 22 }, { 43, 50 } } },
    { { { 1, 2 }, { 3, 4 } }, { 1, 10 }, gives = { 21, 43 } },
    { { 1, 10 }, { { 1, 2 }, { 3, 4 } }, gives = { 31, 42 } },
    { 3, { { 1, 2 } }, gives = { { 3, 6 } } },
    { { 1.5, 2 }, 2, gives = { 3.0, 4.0 }, dtype = "float32" },
    { 2, 3, gives = 6, shape = {} },
    -- Above two axes: the last of a, the second-last of b, the others side by side.
    { { { 1, 2 } }, { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, gives = { { { 7, 10 }, { 19, 22 } } } },
    { { { { 1, 2 } }, { { 3, 4 } } }, { 1, 10 }, gives = { { 21 }, { 43 } } },
    { { { { 1, 2 } } }, { { { 1 }, { 2 } } }, gives = { { { { 5 } } } } },
    { zeros(2, 0), zeros(0, 3), gives = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } } },
    { zeros(0), zeros(0), gives = 0.0, shape = {} },
    { zeros(0, 2), zeros(3, 2, 4), shape = { 0, 3, 4 } },
    { int8 { 100, 100 }, int8 { 1, 1 }, gives = -56, dtype = "int8", shape = {} },
    { int64 { 3037000500 }, { 3037000500 }, gives = 3037000500 * 3037000500, dtype = "int64", shape = {} },
    { float16 { 2048, 1, 1 }, float16 { 1, 1, 1 }, gives = 2050, dtype = "float16" },
    { { 0.0, 1.0 }, { 0 / 0, 1.0 }, gives = 0 / 0, shape = {} },
  },
  gradients = {
    { { 1, 2, 3 }, { 4, 5, 7 } }, { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { { { 1, 2 }, { 3, 4 } }, { 1, 10 } },
    { { 1, 10 }, { { 1, 2 }, { 3, 4 } } }, { random { 2, 2, 3 }, random { 2, 3, 2 } }, { random { 2, 3 }, random { 2, 3, 2 } },
    { random { 3 }, random { 2, 3, 2 } }, { random { 2, 1, 3 }, random { 3 } }, { made(function() return lt.constant(2.5) end), { 1, 2 } },
  },
  rejects = {
    { args = { { 1, 2, 3 }, { 1, 2 } }, says = "dot: a (3,) and b (2,) do not match: a's last axis (3) must equal b's first (2)" },
    { args = { { { 1, 2 } }, { { { 1, 2 } } } }, says = "a's last axis (2) must equal b's second-last (1)" },
    { args = { zeros(1, 1, 1, 1, 1, 2), zeros(1, 1, 2, 1, 1) }, says = "do not match" },
    { args = { zeros(1, 1, 1, 1, 1, 2), zeros(1, 1, 1, 2, 1) }, says = "would give 9 axes, and there can be no more than 8" },
    { args = { bool { true }, { 1 } }, says = "dot: a is bool, expected a number; cast it first" },
    { args = { { 1 }, bool { true } }, says = "dot: b is bool" },
    { args = { { 1 } }, says = "dot: 1 argument given" },
  },
  check = function(t)
    for _, dtype in ipairs(numbers) do
      local a, b = counted({ 2, 3, 4 }, dtype), counted({ 5, 4, 3 }, dtype)
      local c = lt.dot(a, b)
      t.ok(c.dtype == dtype, dtype)
      t.equal(c.shape, { 2, 3, 5, 3 })
      for i = 1, 5 do t.equal(c[{ {}, {}, i }], a:matmul(b[i]), dtype) end
    end
    local a, b = tensor({ 150, 140 }, "float32"), tensor({ 140, 130 }, "float32", 2)
    t.equal(a:dot(b), a:matmul(b), "large")
    t.close(a[1]:dot(a[2]), (a[1] * a[2]):sum():totable(), 1e-4)
  end,
}

spec "outer" {
  example = { { 1, 2 }, { 3, 4 }, gives = { { 3, 4 }, { 6, 8 } }, dtype = "int32" },
  examples = {
    { { { 1 }, { 2 } }, { { 1.5, 2 } }, gives = { { 1.5, 2.0 }, { 3.0, 4.0 } }, dtype = "float32" },
    { 2, { 1, 2 }, gives = { { 2, 4 } } },
    { 2, 3, gives = { { 6 } } },
    { zeros(0), zeros(2), shape = { 0, 2 } },
    { zeros(2), zeros(3, 0), shape = { 2, 0 } },
    { int8 { 100 }, int8 { 2 }, gives = { { -56 } }, dtype = "int8" },
    { uint8 { 200 }, int8 { 2 }, gives = { { 400 } }, dtype = "int16" },
    { bool { true, false }, { 3 }, gives = { { 3 }, { 0 } }, dtype = "int32" },
  },
  gradients = { { { 1, 2 }, { 3, 4, 5 } }, { random { 2, 2 }, random { 1, 2 } }, { { 2 }, { 3 } } },
  rejects = {
    { args = { bool { true }, bool { true } }, says = "outer: a is bool, expected a number; cast it first" },
    { args = { { 1 } }, says = "outer: 1 argument given" },
    { args = { { 1 }, "x" }, says = "outer: b is" },
  },
  check = function(t)
    for _, dtype in ipairs(numbers) do
      local a, b = counted({ 300 }, dtype), counted({ 170 }, dtype)
      t.equal(a:outer(b), (a:float32():reshape { 300, 1 } * b:float32():reshape { 1, 170 }):cast(dtype), dtype)
    end
  end,
}

local function contraction(text, ...) return { text, ... } end

spec "einsum" {
  example = { "ij,jk->ik", { { 1, 2 }, { 3, 4 } }, { { 5 }, { 6 } }, gives = { { 17 }, { 39 } }, dtype = "int32" },
  examples = {
    { "ij,jk->ik", { { 1, 2 } }, float64 { { 0.5 }, { 1 } }, gives = { { 2.5 } }, dtype = "float64" },
    { "i,i", int8 { 100, 100 }, int8 { 1, 1 }, gives = -56, dtype = "int8", shape = {} },
    { "i->", uint8 { 200, 100 }, gives = 44, dtype = "uint8", shape = {} },
    { "i,i->i", int32 { 2147483647 }, int32 { 2 }, gives = { -2 }, dtype = "int32" },
    { "i,i->i", bool { true, false }, { 3, 4 }, gives = { 3, 0 }, dtype = "int32" },
    { "i->", float16 { 2048, 1, 1 }, gives = 2050, dtype = "float16" },
    { "i,i->i", { 0.0, 1.0 }, { math.huge, 1.0 }, gives = { 0 / 0, 1.0 } },
    -- Of nothing zeros, or nothing.
    { "ij,jk->ik", zeros(2, 0), zeros(0, 2), gives = { { 0.0, 0.0 }, { 0.0, 0.0 } } },
    { "ij->", zeros(0, 3), gives = 0.0, shape = {} },
    { "ij->j", zeros(0, 3), gives = { 0.0, 0.0, 0.0 } },
    { "ij->ji", zeros(0, 3), shape = { 3, 0 } },
    { "...i,i->...", zeros(0, 3), zeros(3), shape = { 0 } },
    { "abcdefgh->hgfedcba", zeros(1, 2, 1, 1, 1, 1, 1, 3), shape = { 3, 1, 1, 1, 1, 1, 2, 1 } },
    -- Products on the way may have more axes than a tensor.
    { "abcdefgh,ijklmnop->ai", made(function() return lt.ones { 1, 2, 1, 2, 1, 2, 1, 2 } end),
      made(function() return lt.ones { 3, 1, 2, 1, 2, 1, 2, 1 } end), gives = { { 128.0, 128.0, 128.0 } } },
    { "abcdefgh,ijklmnop,ap,bo->cdij", made(function() return lt.ones { 2, 2, 2, 2, 1, 2, 1, 2 } end),
      made(function() return lt.ones { 2, 2, 2, 1, 2, 1, 2, 2 } end), made(function() return lt.ones { 2, 2 } end),
      made(function() return lt.ones { 2, 2 } end), shape = { 2, 2, 2, 2 } },
  },
  gradients = {
    contraction("ij,jk->ik", random { 2, 3 }, random { 3, 2 }), contraction("ji,kj->ik", random { 3, 2 }, random { 2, 3 }),
    contraction("i,j->ji", random { 2 }, random { 3 }), contraction("ij,ij->ij", random { 2, 3 }, random { 2, 3 }),
    contraction("ij,ij->", random { 2, 3 }, random { 2, 3 }), contraction("ij->ji", random { 2, 3 }),
    contraction("bij,bjk->bki", random { 2, 2, 3 }, random { 2, 3, 2 }),
    contraction("ik,kj->kij", random { 2, 3 }, random { 3, 2 }), contraction("kij,ik->kj", random { 2, 3, 2 }, random { 3, 2 }),
    -- Summed alone: the gradient is the same along the axis.
    contraction("ij->i", random { 2, 3 }), contraction("ij->", random { 2, 3 }), contraction("ijk,l->j", random { 2, 3, 2 }, random { 2 }),
    -- Diagonals.
    contraction("ii->i", random { 3, 3 }), contraction("ii", random { 3, 3 }), contraction("iij->j", random { 2, 2, 3 }),
    contraction("iii,i->i", random { 2, 2, 2 }, random { 2 }), contraction("ijij,jk->ik", random { 2, 3, 2, 3 }, random { 3, 2 }),
    -- Ellipses, which broadcast.
    contraction("...ij,...jk->...ik", random { 2, 2, 3 }, random { 3, 2 }),
    contraction("...ij,...jk->...ik", random { 2, 1, 2, 3 }, random { 2, 3, 2 }),
    contraction("i...->...i", random { 2, 3 }), contraction("i...j,...->j...", random { 2, 1, 3 }, random { 2, 2 }),
    contraction("...i->...", random { 2, 2 }), contraction("...ii,a...->a...", random { 1, 2, 2 }, random { 2, 3 }),
    contraction("ij,jk,kl->il", random { 2, 2 }, random { 2, 3 }, random { 3, 2 }),
    contraction("a,ab,b,b->", random { 2 }, random { 2, 3 }, random { 3 }, random({ 3 }, 5)),
    contraction("a,a,a,a,a,a,a,a->a", { 1, 2 }, { 1.5, 1 }, { 2, 1 }, { 1, 3 }, { 0.5, 1 }, { 1, 1 }, { 2, -1 }, { 1, 0.5 }),
  },
  rejects = {
    { args = { "ij,jk->ik", { { 1, 2 } } }, says = "einsum: spec 'ij,jk->ik' is about 2 operands, 1 is given" },
    { args = { "ij->ij", { { 1 } }, { 1 } }, says = "is about 1 operand, 2 are given" },
    { args = { "ij", { 1, 2 } }, says = "einsum: spec 'ij' names 2 axes of operand 1 (2,), which has 1" },
    { args = { "i", { { 1 } } }, says = "names 1 axis of operand 1 (1, 1), which has 2" },
    { args = { "ij...->ij", { 1, 2 } }, says = "names 2 axes of operand 1 (2,), which has 1" },
    { args = { "i,i->i", { 1, 2 }, { 1, 2, 3 } }, says = "gives axis i two sizes: 2, and 3 in operand 2 (3,)" },
    { args = { "ii->i", { { 1, 2 } } }, says = "gives axis i two sizes: 1, and 2 in operand 1 (1, 2)" },
    { args = { "i->j", { 1 } }, says = "has axis j in the result and in no operand" },
    { args = { "i->ii", { 1 } }, says = "has axis i twice in the result" },
    { args = { "i1->i", { 1 } }, says = "has '1'; axes are letters" },
    { args = { "i-j", { 1 } }, says = "has '-'" },
    { args = { "i->j->i", { 1 } }, says = "has '-'" },
    { args = { "i..->i", { 1 } }, says = "has '.'" },
    { args = { "......->", { 1 } }, says = "has two ellipses in one place" },
    { args = { "...i->i", { { 1 } } }, says = "leaves out the ellipsis' axes" },
    { args = { "...,...->...", { 1, 2 }, { 1, 2, 3 } }, says = "does not broadcast: operand 2 (3,) has 3 where another operand has 2" },
    { args = { "abcde,fghij->abcdefghij", zeros(1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1) }, says = "gives more than 8 axes" },
    { args = { "abcdefgh,ijklmnop,qrstuvwx,yzABCDEF,GHIJKLMN,OPQRSTUV->a", zeros(1, 1, 1, 1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1, 1, 1, 1),
      zeros(1, 1, 1, 1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1, 1, 1, 1), zeros(1, 1, 1, 1, 1, 1, 1, 1) },
      says = "has more than 44 different axes" },
    { args = { ("i"):rep(128), { 1 } }, says = "einsum: spec has 128 characters, at most 127 are read" },
    { args = { "i,i,i,i,i,i,i,i,i->i", { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, zeros(1) }, says = "einsum: 10 arguments given" },
    { args = { 5, { 1 } }, says = "einsum: spec is 5, expected a string" },
    { args = { "i" }, says = "einsum: 1 argument given" },
    { args = { "i", bool { true } }, says = "einsum: a is bool, expected a number" },
    { args = { "i,i->i", { 1 }, "x" }, says = "einsum: b is" },
  },
  check = function(t)
    for _, case in ipairs(golden.einsum) do
      for _, dtype in ipairs(numbers) do
        local operands = {}
        for i, value in ipairs(case.args) do operands[i] = lt.constant(value, { dtype = dtype }) end
        local found = lt.einsum(case.spec, table.unpack(operands))
        t.ok(found.dtype == dtype, case.spec)
        t.equal(found.shape, case.shape, case.spec)
        t.equal(found, case.gives, case.spec .. " " .. dtype)
      end
    end
    -- Large enough for several threads, each against the ops it stands for.
    for _, dtype in ipairs { "float32", "float64", "int32", "bfloat16" } do
      local a, b = counted({ 130, 120 }, dtype), counted({ 120, 110 }, dtype)
      local product = a:matmul(b)
      t.equal(lt.einsum("ij,jk->ik", a, b), product, dtype)
      t.equal(lt.einsum("ij,jk->ki", a, b), product:transpose(), dtype)
      t.equal(lt.einsum("ij,kj->ki", a, b:transpose()), product:transpose(), dtype)
      local exact = dtype == "bfloat16" and a:float32() or a
      t.equal(lt.einsum("ij,ij->ij", a, a), (exact * exact):cast(dtype), dtype)
      local c = counted({ 20, 3, 40, 30 }, dtype)
      exact = dtype == "bfloat16" and c:float32() or c
      t.equal(lt.einsum("abcd->cb", c), exact:sum({ 1, 4 }):transpose():cast(dtype), dtype)
      t.equal(lt.einsum("abcd->ad", c), exact:sum({ 2, 3 }):cast(dtype), dtype)
      t.equal(lt.einsum("abcd->", c), exact:sum():cast(dtype), dtype)
      t.equal(lt.einsum("abcd->dbca", c), c:transpose { 4, 2, 3, 1 }, dtype)
      t.equal(lt.einsum("abcd,aecd->abe", c, c),
        lt.matmul(c:reshape { 20, 3, 1200 }, c:reshape { 20, 3, 1200 }, { transpose_b = true }), dtype)
    end
    -- The order of factors is no matter.
    local a, b, c = tensor { 4, 5 }, tensor({ 5, 6 }, "float64", 2), tensor({ 6, 4 }, "float64", 3)
    t.close(lt.einsum("ij,jk,kl->il", a, b, c), a:matmul(b):matmul(c), 1e-12)
    t.close(lt.einsum("kl,ij,jk->il", c, a, b), a:matmul(b):matmul(c), 1e-12)
    -- A second derivative: of sum((x y)^2) by a row of x it is 2 y y^T.
    local x, y = tensor { 2, 3 }, tensor({ 3, 2 }, "float64", 4)
    local outer <close> = lt.GradientTape()
    outer:watch(x)
    local inner <close> = lt.GradientTape()
    inner:watch(x)
    local z = lt.einsum("ij,jk->ik", x, y)
    local first = inner:gradient((z * z):sum(), x)
    local second = outer:gradient(first[{ {}, 1 }]:sum(), x)
    t.close(second[2], (2 * y:matmul(y, { transpose_b = true }))[{ {}, 1 }], 1e-12)
  end,
}

spec "trace" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = 5, dtype = "int64", shape = {} },
  examples = {
    { { { 1.5, 2, 3 }, { 3, 4, 5 } }, gives = 5.5, dtype = "float32", shape = {} },
    { { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, gives = { 1, 3 }, dtype = "int64" },
    { bool { { true, false }, { true, true } }, gives = 2, dtype = "int64", shape = {} },
    { int8 { { 100, 0 }, { 0, 100 } }, gives = 200, dtype = "int64" },
    { uint8 { { 255, 0 }, { 0, 255 } }, gives = 510, dtype = "int64" },
    { float16 { { 2048, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, gives = 2050, dtype = "float16" },
    { int64 { { math.maxinteger, 0 }, { 0, 1 } }, gives = math.mininteger, dtype = "int64" },
    { zeros(0, 0), gives = 0.0, shape = {} },
    { zeros(3, 0), gives = 0.0, shape = {} },
    { zeros(0, 2, 2), shape = { 0 } },
    { { { 0 / 0 } }, gives = 0 / 0, shape = {} },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { random { 2, 3 } }, { random { 3, 2 } }, { random { 2, 2, 3 } } },
  rejects = {
    { args = { { 1, 2 } }, says = "trace: x (2,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { 3 }, says = "trace: x () has 0 axes" },
    { args = { "x" }, says = "trace: x is" },
  },
  check = function(t)
    local x = tensor { 7, 90, 80 }
    t.close(x:trace(), (x * lt.eye(90, 80, { dtype = "float64" })):sum({ 2, 3 }), 1e-12)
    local many = counted({ 9000, 3, 3 }, "float32")
    t.equal(many:trace(), (many * lt.eye(3)):sum { 2, 3 })
  end,
}

spec "diag" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { 1, 4 }, dtype = "int32" },
  examples = {
    { { 1, 2 }, gives = { { 1, 0 }, { 0, 2 } }, dtype = "int32" },
    { { 1.5 }, 1, gives = { { 0.0, 1.5 }, { 0.0, 0.0 } } },
    { { 1, 2 }, { k = -1 }, gives = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, gives = { 2, 6 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 2, gives = { 3 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { k = -1 }, gives = { 4 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 3, shape = { 0 }, dtype = "int32" },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, math.mininteger, shape = { 0 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, math.maxinteger, shape = { 0 } },
    { bool { true, false }, gives = { { true, false }, { false, false } }, dtype = "bool" },
    { zeros(0), shape = { 0, 0 } },
    { zeros(0), 2, gives = { { 0.0, 0.0 }, { 0.0, 0.0 } } },
    { zeros(0, 3), shape = { 0 } },
  },
  gradients = {
    { { 1, 2, 3 } }, { { 1, 2 }, 1 }, { { 1, 2 }, { k = -2 } }, { random { 3, 3 } }, { random { 2, 4 }, 1 }, { random { 4, 2 }, { k = -1 } },
    { random { 2, 4 }, { k = -1 } },
  },
  rejects = {
    { args = { 3 }, says = "diag: x () has 0 axes, expected a vector, to make a matrix of, or a matrix, to take the diagonal of" },
    { args = { zeros(1, 1, 1) }, says = "diag: x (1, 1, 1) has 3 axes" },
    { args = { { 1 }, math.mininteger }, says = "diag: k is" },
    { args = { { 1 }, math.maxinteger }, says = "diag: k is" },
    { args = { { 1 }, 1 << 40 }, says = "diag" },
    { args = { { 1 }, 1.5 }, says = "diag: k is 1.5, expected an integer" },
    { args = { { 1 }, { m = 1 } }, says = "unknown option 'm'" },
  },
  check = function(t)
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" } do
      local x = counted({ 5 }, dtype)
      for k = -2, 2 do
        t.ok(x:diag(k).dtype == dtype)
        t.equal(x:diag(k):diag(k), x, dtype)
      end
      local wide = counted({ 4, 6 }, dtype)
      for k = -5, 7 do
        local wanted = {}
        for i = 1, 4 do
          if i + k >= 1 and i + k <= 6 then wanted[#wanted + 1] = wide[{ i, i + k }]:item() end
        end
        t.equal(wide:diag(k):totable(), wanted, dtype)
      end
    end
    local large = tensor({ 400 }, "float32")
    t.equal(large:diag(), lt.eye(400) * large)
    -- Of a diagonal outside the matrix nothing comes back.
    local x = lt.constant { { 1.5, 2 }, { 3, 4 } }
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    t.equal(tape:gradient(x:diag(5):sum() + x:sum() * 0, x), { { 0.0, 0.0 }, { 0.0, 0.0 } })
  end,
}

-- triu and tril are the same but for the side.
local function triangle(keeps)
  return function(t, op)
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" } do
      local x = counted({ 2, 4, 5 }, dtype)
      local values = x:totable()
      for _, k in ipairs { -9, -4, -1, 0, 1, 3, 5, math.mininteger, math.maxinteger } do
        local wanted = {}
        for b = 1, 2 do
          wanted[b] = {}
          for i = 1, 4 do
            wanted[b][i] = {}
            for j = 1, 5 do
              local zero = 0
              if dtype == "bool" then zero = false elseif dtype:find("float") then zero = 0.0 end
              if keeps(i, j, k) then wanted[b][i][j] = values[b][i][j] else wanted[b][i][j] = zero end
            end
          end
        end
        local found = op(x, k)
        t.ok(found.dtype == dtype)
        t.equal(found, wanted, ("%s k = %d"):format(dtype, k))
      end
    end
    local large = tensor({ 3, 200, 300 }, "float32")
    t.equal(lt.triu(large) + lt.tril(large, -1), large)
    t.equal(lt.triu(large, 7):transpose { 1, 3, 2 }, lt.tril(large:transpose { 1, 3, 2 }, -7))
  end
end

local triangle_rejects = {
  { args = { { 1, 2 } }, says = "x (2,) has 1 axis, expected a matrix or a batch of matrices" },
  { args = { 1 }, says = "has 0 axes" },
  { args = { { { 1 } }, 0.5 }, says = "k is 0.5, expected an integer" },
  { args = { { { 1 } }, { diagonal = 1 } }, says = "unknown option 'diagonal'" },
}

spec "triu" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 2 }, { 0, 4 } }, dtype = "int32" },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, gives = { { 0, 2, 3 }, { 0, 0, 6 } } },
    { { { 0 / 0, 1 }, { 0 / 0, 2 } }, gives = { { 0 / 0, 1.0 }, { 0.0, 2.0 } } },
    { zeros(0, 2, 2), shape = { 0, 2, 2 } },
    { zeros(2, 0), shape = { 2, 0 } },
  },
  gradients = { { random { 3, 3 } }, { random { 2, 2, 3 }, { k = 1 } }, { random { 3, 2 }, -1 } },
  rejects = triangle_rejects,
  check = function(t) triangle(function(i, j, k) return j - i >= k end)(t, lt.triu) end,
}

spec "tril" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 0 }, { 3, 4 } }, dtype = "int32" },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { k = -1 }, gives = { { 0, 0, 0 }, { 4, 0, 0 } } },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, gives = { { { 1, 0 }, { 3, 4 } }, { { 5, 0 }, { 7, 8 } } } },
    { zeros(0, 0), shape = { 0, 0 } },
  },
  gradients = { { random { 3, 3 } }, { random { 2, 2, 3 }, { k = 1 } }, { random { 3, 2 }, -1 } },
  rejects = triangle_rejects,
  check = function(t) triangle(function(i, j, k) return j - i <= k end)(t, lt.tril) end,
}

-- Factorisations run on the CPU only.

local singular = { { 1, 2 }, { 2, 4 } }

spec "solve" {
  gpu = false,
  example = { { { 2.0, 0.0 }, { 0.0, 4.0 } }, { 1.0, 2.0 }, gives = { 0.5, 0.5 }, dtype = "float32" },
  examples = {
    { { { 2, 0 }, { 0, 4 } }, { { 1 }, { 2 } }, gives = { { 0.5 }, { 0.5 } }, dtype = "float32" },
    -- A pivot of 0 that a row below can help with.
    { { { 0, 1 }, { 1, 0 } }, { 3, 4 }, gives = { 4.0, 3.0 } },
    { { { 1, 1 }, { 0, 1 } }, { 3, 4 }, gives = { -1.0, 4.0 } },
    { { { 1, 1 }, { 0, 1 } }, { 3, 4 }, { adjoint = true }, gives = { 3.0, 1.0 } },
    { { { { 1, 0 }, { 0, 1 } }, { { 2, 0 }, { 0, 2 } } }, { 3, 4 }, gives = { { 3.0, 4.0 }, { 1.5, 2.0 } } },
    { { { 2 } }, { { { 4 } }, { { 6 } } }, gives = { { { 2.0 } }, { { 3.0 } } } },
    { float64 { { 4 } }, float16 { 1 }, gives = { 0.25 }, dtype = "float64" },
    { float16 { { 4 } }, float16 { 1 }, gives = { 0.25 }, dtype = "float16" },
    { int8 { { 4 } }, int64 { 1 }, gives = { 0.25 }, dtype = "float32" },
    { { { 0 / 0, 0.0 }, { 0.0, 1.0 } }, { 1.0, 2.0 }, gives = { 0 / 0, 0 / 0 } },
    { zeros(0, 0), zeros(0), shape = { 0 } },
    { zeros(0, 0), zeros(0, 3), shape = { 0, 3 } },
    { { { 1 } }, zeros(1, 0), shape = { 1, 0 } },
    { zeros(0, 2, 2), zeros(2), shape = { 0, 2 } },
  },
  gradients = {
    { { { 2, 1 }, { 0.5, 3 } }, { 1, 2 } }, { { { 2, 1 }, { 0.5, 3 } }, { 1, 2 }, { adjoint = true } },
    { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2, 3 }, { 4, 5, 6 } } },
    { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2, 3 }, { 4, 5, 6 } }, { adjoint = true } },
    { { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2 }, { 3, 1 } } }, { 1, 2 } },
    { { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2 }, { 3, 1 } } }, { { 1, 2 }, { 3, 4 } } },
    { { { 2, 1 }, { 0.5, 3 } }, { { { 1, 2 }, { 3, 4 } }, { { 1, 0 }, { 2, 4 } } } },
    { { { { 2, 1 }, { 0.5, 3 } } }, { { { 1 }, { 3 } }, { { 1 }, { 2 } } }, { adjoint = true } },
  },
  rejects = {
    { args = { singular, { 1, 2 } }, says = "solve: the matrix is singular" },
    { args = { { { { 1, 0 }, { 0, 1 } }, singular, singular }, { 1, 2 } }, says = "solve: matrix 2 of the batch of 3 is singular" },
    { args = { { { 0 } }, zeros(1, 0) }, says = "solve: the matrix is singular" },
    { args = { { { 1, 2 } }, { 1 } }, says = "solve: a (1, 2) is not square: its last two axes must be equal" },
    { args = { { 1, 2 }, { 1, 2 } }, says = "solve: a (2,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { { { 1 } }, 2 }, says = "solve: b is a scalar, expected a vector, a matrix or a batch of matrices" },
    { args = { { { 1 } }, { 1, 2 } }, says = "a (1, 1) and b (2,) do not match: b's first axis (2) must equal a's last (1)" },
    { args = { { { 1 } }, zeros(2, 3, 1) }, says = "b's second-last axis (3) must equal a's last (1)" },
    { args = { zeros(2, 1, 1), zeros(3, 1, 1) }, says = "the batch axes (2,) and (3,) do not broadcast" },
    { args = { bool { { true } }, bool { true } }, says = "solve: a is bool, expected a number" },
    { args = { { { 1 } }, { 1 }, { adjoint = 1 } }, says = "solve: adjoint is 1, expected a boolean" },
    { args = { { { 1 } } }, says = "solve: 1 argument given" },
  },
  check = function(t)
    for i, case in ipairs(golden.solve) do
      for _, dtype in ipairs { "float32", "float64" } do
        local a, b = lt.constant(case.a, { dtype = dtype }), lt.constant(case.b, { dtype = dtype })
        t.close(a:solve(b), case.gives, dtype == "float32" and 1e-3 or 1e-9, ("case %d %s"):format(i, dtype))
      end
    end
    -- Enough matrices, and matrices large enough, for several threads and blocks.
    for _, shape in ipairs { { 3000, 3, 3 }, { 2, 150, 150 } } do
      local n = shape[3]
      local a, b = tensor(shape) + 4 * lt.eye(n, { dtype = "float64" }), tensor({ shape[1], n, 2 }, "float64", 2)
      t.ok(lt.abs(a:matmul(a:solve(b)) - b):max():item() < 1e-8)
      t.ok(lt.abs(a:matmul(a:solve(b, { adjoint = true }), { transpose_a = true }) - b):max():item() < 1e-8)
    end
    -- One matrix for many right-hand sides, and each of a broadcast batch by itself.
    local a, b = tensor { 2, 1, 3, 3 }, tensor({ 4, 3, 2 }, "float64", 2)
    local x = a:solve(b)
    t.equal(x.shape, { 2, 4, 3, 2 })
    t.equal(x[{ 2, 3 }], a[{ 2, 1 }]:solve(b[3]))
    t.equal(a[{ 1, 1 }]:solve(b)[4], a[{ 1, 1 }]:solve(b[4]))
    -- The first singular matrix is named, whichever thread finds one first.
    local many = lt.concat { lt.eye(3):broadcast_to { 999, 3, 3 }, lt.zeros { 1500, 3, 3 } }
    t.raises("InvalidArgument", "solve: matrix 1000 of the batch of 2499 is singular", lt.solve, many, { 1, 2, 3 })
    -- Second derivatives: of the first derivatives' own elements.
    slopes(t, function(m, v)
      local inner <close> = lt.GradientTape()
      inner:watch(m)
      local y = m:solve(v)
      return inner:gradient((y * y):sum(), m)
    end, { { 2, 1 }, { 0.5, 3 } }, { 1, 2 })
  end,
}

spec "inv" {
  gpu = false,
  example = { { { 2.0, 0.0 }, { 0.0, 4.0 } }, gives = { { 0.5, 0.0 }, { 0.0, 0.25 } }, dtype = "float32" },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, gives = { { -2.0, 1.0 }, { 1.5, -0.5 } }, dtype = "float32" },
    { { { 0, 1 }, { 1, 0 } }, gives = { { 0.0, 1.0 }, { 1.0, 0.0 } } },
    { { { { 2 } }, { { 4 } } }, gives = { { { 0.5 } }, { { 0.25 } } } },
    { uint8 { { 200 } }, gives = { { 0.005 } }, dtype = "float32" },
    { bfloat16 { { 4 } }, gives = { { 0.25 } }, dtype = "bfloat16" },
    { { { 1e-30, 0.0 }, { 0.0, 1e-30 } }, gives = { { 1e30, 0.0 }, { 0.0, 1e30 } } },
    { { { 0 / 0 } }, gives = { { 0 / 0 } } },
    { zeros(0, 0), shape = { 0, 0 } },
    { zeros(0, 2, 2), shape = { 0, 2, 2 } },
  },
  gradients = { { { { 2 } } }, { { { 2, 1 }, { 0.5, 3 } } }, { { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2 }, { 3, 1 } } } } },
  rejects = {
    { args = { singular }, says = "inv: the matrix is singular" },
    { args = { { { { 1, 2 }, { 3, 4 } }, singular } }, says = "inv: matrix 2 of the batch of 2 is singular" },
    { args = { { { 0.0 } } }, says = "inv: the matrix is singular" },
    { args = { { { 1, 2 } } }, says = "inv: x (1, 2) is not square" },
    { args = { { 1 } }, says = "inv: x (1,) has 1 axis, expected a matrix" },
    { args = { 3 }, says = "inv: x () has 0 axes" },
    { args = { bool { { true } } }, says = "inv: x is bool, expected a number" },
  },
  check = function(t)
    for i, case in ipairs(golden.inv) do
      t.close(lt.constant(case.x, { dtype = "float64" }):inv(), case.gives, 1e-9, "case " .. i)
      for _, dtype in ipairs(floats) do
        local x = lt.constant(case.x, { dtype = dtype })
        t.equal(x:inv(), x:float64():inv():cast(dtype), dtype .. " rounds once")
      end
    end
    local x = tensor { 120, 120 }
    t.ok(lt.abs(x:matmul(x:inv()) - lt.eye(120, { dtype = "float64" })):max():item() < 1e-9)
    t.close(x:inv():inv(), x, 1e-7)
    slopes(t, function(m)
      local inner <close> = lt.GradientTape()
      inner:watch(m)
      return inner:gradient(m:inv():sum(), m)
    end, { { 2, 1 }, { 0.5, 3 } })
  end,
}

-- Symmetric and positive definite, from any matrix.
local function definite(x)
  local rows = x.shape[#x.shape - 1]
  return x:matmul(x, { transpose_b = true }) + lt.eye(rows, { dtype = x.dtype })
end

spec "cholesky" {
  gpu = false,
  example = { { { 4.0, 2.0 }, { 2.0, 5.0 } }, gives = { { 2.0, 0.0 }, { 1.0, 2.0 } }, dtype = "float32" },
  examples = {
    { { { 4 } }, gives = { { 2.0 } }, dtype = "float32" },
    -- What stands above the diagonal is not read.
    { { { 4.0, 0 / 0 }, { 2.0, 5.0 } }, gives = { { 2.0, 0.0 }, { 1.0, 2.0 } } },
    { { { { 4 } }, { { 9 } } }, gives = { { { 2.0 } }, { { 3.0 } } } },
    { float16 { { 4 } }, gives = { { 2.0 } }, dtype = "float16" },
    { int64 { { 4 } }, gives = { { 2.0 } }, dtype = "float32" },
    { zeros(0, 0), shape = { 0, 0 } },
    { zeros(0, 2, 2), shape = { 0, 2, 2 } },
  },
  rejects = {
    { args = { { { 1, 2 }, { 2, 1 } } }, says = "cholesky: the matrix is not positive definite" },
    { args = { { { 0 } } }, says = "cholesky: the matrix is not positive definite" },
    { args = { { { -1 } } }, says = "cholesky: the matrix is not positive definite" },
    { args = { { { { 1 } }, { { -1 } }, { { -1 } } } }, says = "cholesky: matrix 2 of the batch of 3 is not positive definite" },
    { args = { { { 1, 2 } } }, says = "cholesky: x (1, 2) is not square" },
    { args = { { 1 } }, says = "cholesky: x (1,) has 1 axis" },
    { args = { bool { { true } } }, says = "cholesky: x is bool, expected a number" },
  },
  check = function(t)
    for i, case in ipairs(golden.cholesky) do
      t.close(lt.constant(case.x, { dtype = "float64" }):cholesky(), case.gives, 1e-10, "case " .. i)
      t.close(lt.constant(case.x, { dtype = "float32" }):cholesky(), case.gives, 1e-4, "case " .. i)
    end
    for _, shape in ipairs { { 2000, 3, 3 }, { 150, 150 } } do
      local x = definite(tensor(shape))
      local l = x:cholesky()
      t.ok(lt.abs(l:matmul(l, { transpose_b = true }) - x):max():item() < 1e-8)
      t.equal(l:triu(1), lt.zeros_like(x))
    end
    slopes(t, function(x) return definite(x):cholesky() end, random { 1, 1 })
    slopes(t, function(x) return definite(x):cholesky() end, random { 3, 3 })
    slopes(t, function(x) return definite(x):cholesky() end, random { 2, 3, 2 })
    slopes(t, function(x)
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local l = definite(x):cholesky()
      return inner:gradient((l * l * l):sum(), x)
    end, random { 3, 3 })
    -- The gradient is symmetric though only one triangle is read.
    local x = lt.constant({ { 4, 2 }, { 2, 5 } }, { dtype = "float64" })
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local slope = tape:gradient(x:cholesky()[{ 2, 1 }], x)
    t.close(slope, { { -0.125, 0.25 }, { 0.25, 0 } })
  end,
}

spec "qr" {
  gpu = false,
  example = { { { 3.0, 1.0 }, { 4.0, 2.0 } }, gives = { { { -0.6, -0.8 }, { -0.8, 0.6 } }, { { -5.0, -2.2 }, { 0.0, 0.4 } } } },
  examples = {
    { { { 2 } }, gives = { { { 1.0 } }, { { 2.0 } } }, dtype = "float32" },
    { { { 0.0, 0.0 }, { 0.0, 0.0 } }, gives = { { { 1.0, 0.0 }, { 0.0, 1.0 } }, { { 0.0, 0.0 }, { 0.0, 0.0 } } } },
    { float16 { { 2 } }, gives = { { { 1.0 } }, { { 2.0 } } }, dtype = "float16" },
    { { { 0 / 0 } }, gives = { { { 1.0 } }, { { 0 / 0 } } } },
    { zeros(0, 0), gives = { zeros(0, 0), zeros(0, 0) } },
    { zeros(3, 0), gives = { zeros(3, 0), zeros(0, 0) } },
    { zeros(0, 3), gives = { zeros(0, 0), zeros(0, 3) } },
    { zeros(2, 0, 3), gives = { zeros(2, 0, 0), zeros(2, 0, 3) } },
  },
  gradients = {
    { random { 1, 1 } }, { random { 3, 3 } }, { random { 4, 2 } }, { random { 3, 1 } }, { random { 2, 4 } }, { random { 1, 3 } },
    { random { 2, 3, 2 } }, { random { 2, 2, 3 } },
  },
  rejects = {
    { args = { { 1, 2 } }, says = "qr: x (2,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { 3 }, says = "qr: x () has 0 axes" },
    { args = { bool { { true } } }, says = "qr: x is bool, expected a number" },
    { args = { { { 1 } }, { full = true } }, says = "qr" },
  },
  check = function(t)
    for i, case in ipairs(golden.qr) do
      for _, dtype in ipairs { "float32", "float64" } do
        local q, r = lt.constant(case.x, { dtype = dtype }):qr()
        local tolerance = dtype == "float32" and 1e-3 or 1e-10
        t.close(q, case.q, tolerance, ("q of case %d %s"):format(i, dtype))
        t.close(r, case.r, tolerance, ("r of case %d %s"):format(i, dtype))
      end
    end
    for _, shape in ipairs { { 1500, 3, 2 }, { 150, 90 }, { 60, 130 }, { 128, 128 } } do
      for _, dtype in ipairs(floats) do
        local x = tensor(shape, dtype)
        local q, r = x:qr()
        t.ok(q.dtype == dtype and r.dtype == dtype)
        orthonormal(t, q:float64(), 4 * close_to[dtype], dtype)
        local far = lt.abs(q:float64():matmul(r:float64()) - x:float64()):max():item()
        t.ok(far < 40 * close_to[dtype], ("%s: q r is %g from x"):format(dtype, far))
        t.equal(r:triu(), r)
      end
    end
    -- One result alone.
    slopes(t, function(x) return (x:qr()) end, random { 3, 2 })
    slopes(t, function(x) return (select(2, x:qr())) end, random { 2, 3 })
    slopes(t, function(x)
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local q, r = x:qr()
      return inner:gradient((q * q * q):sum() + (r * r * r):sum(), x)
    end, random { 3, 2 })
  end,
}

-- What does not change with the signs of u's columns and vt's rows.
local function without_signs(x)
  local u, s, vt = x:svd()
  return lt.einsum("...ik,...kj->...kij", u, vt), s, u * u, vt * vt
end

spec "svd" {
  gpu = false,
  examples = {
    { zeros(0, 0), gives = { zeros(0, 0), zeros(0), zeros(0, 0) } },
    { zeros(3, 0), gives = { zeros(3, 0), zeros(0), zeros(0, 0) } },
    { zeros(0, 3), gives = { zeros(0, 0), zeros(0), zeros(0, 3) } },
    { zeros(2, 0, 3), gives = { zeros(2, 0, 0), zeros(2, 0), zeros(2, 0, 3) } },
    { { { 0 / 0, 1.0 } }, gives = { { { 0 / 0 } }, { 0 / 0 }, { { 0 / 0, 0 / 0 } } } },
    { { { math.huge } }, gives = { { { 0 / 0 } }, { 0 / 0 }, { { 0 / 0 } } } },
  },
  rejects = {
    { args = { { 1, 2 } }, says = "svd: x (2,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { 3 }, says = "svd: x () has 0 axes" },
    { args = { bool { { true } } }, says = "svd: x is bool, expected a number" },
  },
  check = function(t)
    for i, case in ipairs(golden.svd) do
      local _, s = lt.constant(case.x, { dtype = "float64" }):svd()
      t.close(s, case.s, 1e-10, "case " .. i)
      _, s = lt.constant(case.x, { dtype = "float32" }):svd()
      t.close(s, case.s, 1e-4, "case " .. i)
    end
    local u, s, vt = lt.svd { { 3, 0 }, { 0, -2 } }
    t.equal(s, { 3.0, 2.0 })
    t.close(lt.abs(u), { { 1, 0 }, { 0, 1 } }, 1e-6)
    t.close((u * s):matmul(vt), { { 3, 0 }, { 0, -2 } }, 1e-6)
    for _, shape in ipairs { { 1500, 3, 2 }, { 90, 50 }, { 40, 70 }, { 64, 64 }, { 5, 1, 5 } } do
      for _, dtype in ipairs(floats) do
        local x = tensor(shape, dtype)
        u, s, vt = x:svd()
        t.ok(u.dtype == dtype and s.dtype == dtype and vt.dtype == dtype)
        u, s, vt = u:float64(), s:float64(), vt:float64()
        local k, rank = s.shape[#s.shape], #shape
        local turned = lt.range(rank):totable()
        for i = 1, rank do turned[i] = i end
        turned[rank - 1], turned[rank] = rank, rank - 1
        orthonormal(t, u, 4 * close_to[dtype], dtype .. " u")
        orthonormal(t, vt:transpose(turned), 4 * close_to[dtype], dtype .. " vt")
        local far = lt.abs((u * s:expand_dims(-2)):matmul(vt) - x:float64()):max():item()
        t.ok(far < 40 * close_to[dtype], ("%s: u s vt is %g from x"):format(dtype, far))
        t.ok(s:min():item() >= 0)
        if k > 1 then
          local falls = s:reshape { -1, k }[{ {}, { 1, k - 1 } }] - s:reshape { -1, k }[{ {}, { 2, k } }]
          t.ok(falls:min():item() >= 0, "s descends")
        end
      end
    end
    -- The same as the square roots of the eigenvalues: their sum of squares is that of the elements.
    local x = tensor { 30, 20 }
    _, s = nil, select(2, x:svd())
    t.close((s * s):sum(), (x * x):sum(), 1e-12)
    for _, shape in ipairs { { 1, 1 }, { 3, 3 }, { 4, 2 }, { 2, 4 }, { 3, 1 }, { 2, 3, 2 }, { 2, 2, 3 } } do
      slopes(t, without_signs, random(shape))
      slopes(t, function(m) return (select(2, m:svd())) end, random(shape))
    end
    slopes(t, function(m)
      local inner <close> = lt.GradientTape()
      inner:watch(m)
      local _, values = m:svd()
      return inner:gradient((values * values * values):sum(), m)
    end, random { 3, 2 })
    -- Equal singular values: s has a gradient, and what u and vt leave open is 0.
    local same = lt.eye(2, { dtype = "float64" })
    local tape <close> = lt.GradientTape { persistent = true }
    tape:watch(same)
    u, s, vt = same:svd()
    local sum, open = s:sum(), (u * u):sum()
    t.close(tape:gradient(sum, same), { { 1, 0 }, { 0, 1 } })
    t.close(tape:gradient(open, same), { { 0, 0 }, { 0, 0 } })
  end,
}
