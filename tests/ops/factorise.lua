-- Factorisations, which run on the CPU only.
local golden = require "golden.linalg_golden"
local gradients = require "gradients"
local spec = require "spec"

local close_to = { float32 = 1e-5, float64 = 1e-11, float16 = 4e-3, bfloat16 = 4e-2 }

-- The tape's gradient of any function of tensors against central differences.
local function slopes(t, f, ...)
  local problem = gradients.problem(f, { ... }, t.device, function(run, ...) return run(...) end)
  t.ok(problem == nil, problem)
end

-- The distance from the identity.
local function orthonormal(t, columns, tolerance, what)
  local product = columns:matmul(columns, { transpose_a = true })
  local n = product.shape[#product.shape]
  local far = lt.abs(product - lt.eye(n, { dtype = product.dtype })):float64():max():item()
  t.ok(far <= tolerance, ("%s: columns are %g from orthonormal"):format(what, far))
end

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
      local a, b = random_tensor(shape) + 4 * lt.eye(n, { dtype = "float64" }), random_tensor({ shape[1], n, 2 }, "float64", 2)
      t.ok(lt.abs(a:matmul(a:solve(b)) - b):max():item() < 1e-8)
      t.ok(lt.abs(a:matmul(a:solve(b, { adjoint = true }), { transpose_a = true }) - b):max():item() < 1e-8)
    end
    -- One matrix for many right-hand sides, and each of a broadcast batch by itself.
    local a, b = random_tensor { 2, 1, 3, 3 }, random_tensor({ 4, 3, 2 }, "float64", 2)
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
    local x = random_tensor { 120, 120 }
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
    -- Elements above the diagonal are not read.
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
      local x = definite(random_tensor(shape))
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
      -- Columns whose squares are more or less than a double holds.
      for _, scale in ipairs { 2.0 ^ 600, 2.0 ^ -600 } do
        local x = lt.constant(case.x, { dtype = "float64" }) * scale
        local tape <close> = lt.GradientTape()
        tape:watch(x)
        local q, r = x:qr()
        t.close(q, case.q, 1e-10, ("q of case %d times %g"):format(i, scale))
        t.close(r / scale, case.r, 1e-10, ("r of case %d times %g"):format(i, scale))
        -- They are what x is made of.
        t.close(tape:gradient(q:matmul(r), x), lt.ones_like(x), 1e-8, ("slopes of case %d times %g"):format(i, scale))
      end
    end
    for _, shape in ipairs { { 1500, 3, 2 }, { 150, 90 }, { 60, 130 }, { 128, 128 } } do
      for _, dtype in ipairs(floats) do
        local x = random_tensor(shape, dtype)
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

-- A value that does not depend on the signs of u's columns and vt's rows.
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
        local x = random_tensor(shape, dtype)
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
    local x = random_tensor { 30, 20 }
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
