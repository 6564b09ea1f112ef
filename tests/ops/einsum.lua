local golden = require "golden.linalg_golden"
local spec = require "spec"

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
    -- A number takes the tensors' dtype, and its digits.
    { "i,->i", int8 { 100, 3 }, 2, gives = { -56, 6 }, dtype = "int8" },
    { "i,->i", int8 { 1, 3 }, 0.5, gives = { 0.5, 1.5 }, dtype = "float32" },
    { ",i,->i", 0.1, float64 { 1, 3 }, 2, gives = { 0.2, 3 * 0.2 }, dtype = "float64", tolerance = 0 },
    { ",->", 2, 3, gives = 6, dtype = "int32", shape = {} },
    -- Empty inputs give zeros, or an empty result.
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
    contraction("i,->i", { 1, 2 }, 2.5), contraction(",ij,i->j", -1.5, random { 2, 3 }, random { 2 }),
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
    -- Large enough for several threads; each is compared with the equivalent ops.
    for _, dtype in ipairs { "float32", "float64", "int32", "bfloat16" } do
      local a, b = counted({ 130, 120 }, dtype, 3), counted({ 120, 110 }, dtype, 3)
      local product = a:matmul(b)
      t.equal(lt.einsum("ij,jk->ik", a, b), product, dtype)
      t.equal(lt.einsum("ij,jk->ki", a, b), product:transpose(), dtype)
      t.equal(lt.einsum("ij,kj->ki", a, b:transpose()), product:transpose(), dtype)
      local exact = dtype == "bfloat16" and a:float32() or a
      t.equal(lt.einsum("ij,ij->ij", a, a), (exact * exact):cast(dtype), dtype)
      local c = counted({ 20, 3, 40, 30 }, dtype, 3)
      exact = dtype == "bfloat16" and c:float32() or c
      t.equal(lt.einsum("abcd->cb", c), exact:sum({ 1, 4 }):transpose():cast(dtype), dtype)
      t.equal(lt.einsum("abcd->ad", c), exact:sum({ 2, 3 }):cast(dtype), dtype)
      t.equal(lt.einsum("abcd->", c), exact:sum():cast(dtype), dtype)
      t.equal(lt.einsum("abcd->dbca", c), c:transpose { 4, 2, 3, 1 }, dtype)
      t.equal(lt.einsum("abcd,aecd->abe", c, c),
        lt.matmul(c:reshape { 20, 3, 1200 }, c:reshape { 20, 3, 1200 }, { transpose_b = true }), dtype)
    end
    -- The order of factors is no matter.
    local a, b, c = random_tensor { 4, 5 }, random_tensor({ 5, 6 }, "float64", 2), random_tensor({ 6, 4 }, "float64", 3)
    t.close(lt.einsum("ij,jk,kl->il", a, b, c), a:matmul(b):matmul(c), 1e-12)
    t.close(lt.einsum("kl,ij,jk->il", c, a, b), a:matmul(b):matmul(c), 1e-12)
    -- A second derivative: of sum((x y)^2) by a row of x it is 2 y y^T.
    local x, y = random_tensor { 2, 3 }, random_tensor({ 3, 2 }, "float64", 4)
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
