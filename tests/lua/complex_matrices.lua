-- Complex matrices: NumPy's results (make_complex_matrices.py), larger ones by what they must satisfy, gradients, and
-- matrices without an answer. Runs again with LUTRA_LAPACK=off.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "golden.complex_matrices"
local complex = require "complex_cases"
local kReal, check_gradient, sample = complex.real_dtypes, complex.check_gradient, complex.sample

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
local function adjoint(x)
  local order = {}
  for i = 1, #x.shape do order[i] = i end
  order[#order - 1], order[#order] = #order, #order - 1
  return x:conj():transpose(order)
end
local function far(a, b) return (a - b):abs():max():item() end

expect.case("NumPy's results", function()
  assert(#golden > 150, #golden)
  complex.check_cases(golden)
end)

expect.case("systems and determinants", function()
  -- Larger ones, in batches that broadcast.
  for dtype, tolerance in pairs { complex128 = 1e-11, complex64 = 2e-3 } do
    local a, b = sample({ 3, 1, 70, 70 }, 1):cast(dtype), sample({ 2, 70, 5 }, 3):cast(dtype)
    local x = lt.solve(a, b)
    expect.equal({ x.dtype, x.shape }, { dtype, { 3, 2, 70, 5 } })
    assert(far(lt.matmul(a, x), b) < tolerance)
    local y = lt.solve(a, b, { adjoint = true })
    assert(far(lt.matmul(adjoint(a), y), b) < tolerance)
    assert(far(lt.matmul(a, lt.inv(a)), lt.eye(70)) < tolerance)
    local sign, log = lt.slogdet(a)
    expect.equal({ sign.dtype, log.dtype }, { dtype, kReal[dtype] })
    local w = lt.eigvals(a:reshape { 3, 70, 70 })
    assert(far(log:flatten(), w:abs():log():sum { axis = 2 }) < 100 * tolerance)
    assert(far(sign:flatten(), (w / w:abs():cast(dtype)):prod { axis = 2 }) < 100 * tolerance)
  end
  local singular = lt.complex({ { 1, 2 }, { 2, 4 } }, { { 1, 2 }, { 2, 4 } })
  refuses("solve: the matrix is singular", lt.solve, singular, { 1, 2 })
  refuses("inv: matrix 2 of the batch of 2 is singular", lt.inv, lt.stack { lt.complex(lt.eye(2), 0), singular })
  expect.equal(lt.det(singular):totable(), { 0, 0 })
  local sign, log = lt.slogdet(singular)
  expect.equal({ sign:totable(), log:item() }, { { 0, 0 }, -math.huge })
  local none = lt.zeros({ 2, 0, 0 }, { dtype = "complex64" })
  expect.equal(lt.det(none):totable(), { { 1, 0 }, { 1, 0 } })
  expect.equal(lt.solve(none, lt.zeros { 0, 3 }).shape, { 2, 0, 3 })
  local unclear = lt.slogdet(lt.complex({ { 0 / 0 } }, 1))
  assert(unclear:isnan():item())
end)

expect.case("factors of larger matrices", function()
  for dtype, exact in pairs { complex64 = 2 ^ -17, complex128 = 2 ^ -45 } do
    for _, shape in ipairs { { 1, 1 }, { 5, 3 }, { 16, 16 }, { 47, 60 }, { 130, 130 }, { 200, 70 }, { 70, 200 }, { 3, 60, 50 } } do
      local what = dtype .. " " .. table.concat(shape, "x")
      -- condition: by how much the problem may enlarge roundings.
      local function near(a, b, name, condition)
        local off, most = far(a, b), exact * (condition or 1) * math.max(1, b:abs():max():item())
        assert(off <= most, ("%s, %s: %g apart"):format(what, name, off))
      end
      local x, n = (sample(shape, 7) - 1):cast(dtype), shape[#shape - 1]
      local function orthonormal(columns, name)
        near(lt.matmul(adjoint(columns), columns), lt.eye(columns.shape[#shape]), name, 10)
      end
      local q, r = lt.qr(x)
      near(lt.matmul(q, r), x, "qr")
      orthonormal(q, "q")
      expect.equal({ r:tril(-1):abs():max():item(), r:tril():triu():imag():abs():max():item() }, { 0.0, 0.0 }, what)
      local u, s, vt = lt.svd(x)
      expect.equal({ u.dtype, s.dtype, vt.dtype }, { dtype, kReal[dtype], dtype }, what)
      near(lt.matmul(u * s:expand_dims(-2), vt), x, "svd", 10)
      orthonormal(u, "u")
      orthonormal(adjoint(vt), "vt")
      local p, l, upper = lt.lu(x)
      near(lt.matmul(p, lt.matmul(l, upper)), x, "lu")
      near(lt.matmul(lt.matmul(x, lt.pinv(x)), x), x, "pinv", 100)
      expect.equal(lt.matrix_rank(lt.matmul(x, sample({ shape[#shape], 2 }, 8):cast(dtype))):flatten()[1]:item(), math.min(2, n), what)

      local hermitian = lt.matmul(x, adjoint(x))
      local w, v = lt.eigh(hermitian)
      expect.equal({ w.dtype, v.dtype }, { kReal[dtype], dtype }, what)
      near(lt.matmul(hermitian, v), v * w:expand_dims(-2), "eigh")
      orthonormal(v, "v")
      near(lt.eigvalsh(hermitian), w, "eigvalsh")
      local positive = hermitian + lt.eye(n)
      local factor = lt.cholesky(positive)
      near(lt.matmul(factor, adjoint(factor)), positive, "cholesky")
      expect.equal(factor:triu(1):abs():max():item(), 0.0)
      local b = sample({ n, 70 }, 9):cast(dtype)
      near(lt.matmul(factor, lt.triangular_solve(factor, b)), b, "triangular_solve", 10)
      near(lt.matmul(adjoint(factor), lt.triangular_solve(factor, b, { adjoint = true })), b, "adjoint triangular_solve", 10)
      near(lt.matmul(adjoint(factor), lt.triangular_solve(adjoint(factor), b, { lower = false })), b, "upper triangle", 10)
      near(lt.matmul(positive, lt.cholesky_solve(factor, b)), b, "cholesky_solve", 100)
      -- exp(i h) is unitary for a Hermitian h.
      local turned = lt.expm(hermitian * lt.complex(0, 3) / hermitian:abs():max():item())
      near(lt.matmul(turned, adjoint(turned)), lt.eye(n), "expm", 10)
    end
  end
end)

expect.case("gradients are those of the parts", function()
  local square, right = sample({ 2, 3, 3 }, 15), sample({ 3, 2 }, 16)
  check_gradient("inv", lt.inv, square)
  check_gradient("solve", lt.solve, square, right)
  check_gradient("solve of a vector", lt.solve, square[1], right[{ {}, 1 }])
  check_gradient("adjoint solve", function(x, y) return lt.solve(x, y, { adjoint = true }) end, square, right)
  check_gradient("det", lt.det, square)
  check_gradient("sign of slogdet", function(x) return (lt.slogdet(x)) end, square)
  check_gradient("log of slogdet", function(x) return (select(2, lt.slogdet(x))) end, square)

  for _, lower in ipairs { true, false } do
    for _, is_adjoint in ipairs { true, false } do
      check_gradient("triangular_solve", function(x, y)
        return lt.triangular_solve(x, y, { lower = lower, adjoint = is_adjoint })
      end, square, right)
    end
  end
  check_gradient("triangular_solve of a vector", lt.triangular_solve, square[1], right[{ {}, 1 }])
  local function positive(x) return lt.matmul(x, adjoint(x)) + lt.eye(3, { dtype = "complex128" }) end
  check_gradient("cholesky", function(x) return lt.cholesky(positive(x)) end, square)
  check_gradient("cholesky of x itself", function(x) return lt.cholesky(x + adjoint(x) + lt.eye(3) * 9) end, square)
  check_gradient("cholesky_solve", function(x, y) return lt.cholesky_solve(x, y) end, square, right)
  check_gradient("expm", lt.expm, square)
  check_gradient("matrix_power", function(x) return lt.matrix_power(x, 3) end, square)
  check_gradient("matrix_power of the inverse", function(x) return lt.matrix_power(x, -2) end, square)
  local wide, tall = sample({ 2, 2, 4 }, 21), sample({ 2, 4, 2 }, 23)
  for name, x in pairs { square = square, wide = wide, tall = tall } do
    for i = 1, 2 do check_gradient("qr " .. name, function(z) return (select(i, lt.qr(z))) end, x) end
    for i = 2, 3 do check_gradient("lu " .. name, function(z) return (select(i, lt.lu(z))) end, x) end
    -- What does not depend on phases: one factor, two, all.
    check_gradient("s " .. name, function(z) return (select(2, lt.svd(z))) end, x)
    check_gradient("u " .. name, function(z)
      local u, s = lt.svd(z)
      return lt.matmul(u * (s ^ 3):expand_dims(-2), adjoint(u))
    end, x)
    check_gradient("vt " .. name, function(z)
      local _, s, vt = lt.svd(z)
      return lt.matmul(adjoint(vt), vt * (s ^ 3):expand_dims(-1))
    end, x)
    check_gradient("u vt " .. name, function(z)
      local u, s, vt = lt.svd(z)
      return lt.matmul(u * s:log():expand_dims(-2), vt)
    end, x)
    check_gradient("pinv " .. name, lt.pinv, x)
    check_gradient("lstsq " .. name, lt.lstsq, x, sample({ x.shape[2], 2 }, 25))
    for _, ord in ipairs { 2, -2, 1, math.huge } do
      check_gradient("matrix_norm " .. name, function(z) return lt.matrix_norm(z, ord) end, x)
    end
    check_gradient("nuclear " .. name, function(z) return lt.matrix_norm(z, { nuclear = true }) end, x)
  end
  check_gradient("eigvalsh", function(x) return lt.eigvalsh(x + adjoint(x)) end, square)
  check_gradient("w of eigh", function(x) return (lt.eigh(x + adjoint(x))) end, square)
  check_gradient("eigh", function(x)
    local w, v = lt.eigh(x + adjoint(x))
    return lt.matmul(v * w:tanh():expand_dims(-2), adjoint(v))
  end, square)
  check_gradient("a vector of eigh by its first element", function(x)
    local _, v = lt.eigh(x + adjoint(x))
    return v / v[{ {}, { 1, 1 } }]
  end, square)
end)

expect.case("matrices without an answer, and without elements", function()
  refuses("cholesky: the matrix is not positive definite", lt.cholesky, lt.complex({ { 1, 0 }, { 0, -1 } }, 0))
  local unclear = lt.complex({ { 1, 0 / 0 }, { 2, 3 } }, { { 0, 0 }, { 1 / 0, 0 } })
  for _, x in ipairs { unclear, lt.pad(unclear, { { 0, 58 }, { 0, 58 } }) } do
    local u, s, vt = lt.svd(x)
    local w, v = lt.eigh(x)
    for _, y in ipairs { u, s, vt, w, v, lt.expm(x), lt.eigvalsh(x) } do assert(y:isnan():all():item()) end
  end
  -- Of Hermitian matrices the upper triangle is not read, nor the imaginary diagonal.
  for _, n in ipairs { 3, 60 } do
    local x = sample({ n, n }, 31)
    local hermitian = x:tril(-1) + adjoint(x:tril(-1)) + lt.eye(n) * x:real()
    expect.equal(lt.eigvalsh(x):totable(), lt.eigvalsh(hermitian):totable())
    local moved = x + lt.eye(n) * (3 * n)
    expect.equal(lt.cholesky(moved):totable(), lt.cholesky(hermitian + lt.eye(n) * (3 * n)):totable())
  end
  local none = lt.zeros({ 2, 0, 3 }, { dtype = "complex128" })
  for i, shape in ipairs { { 2, 0, 0 }, { 2, 0 }, { 2, 0, 3 } } do expect.equal(select(i, lt.svd(none)).shape, shape) end
  expect.equal(lt.pinv(none).shape, { 2, 3, 0 })
  local p = lt.lu(lt.zeros({ 2, 0 }, { dtype = "complex64" }))
  expect.equal(p:totable(), { { { 1.0, 0.0 }, { 0.0, 0.0 } }, { { 0.0, 0.0 }, { 1.0, 0.0 } } })
  -- Far from 1, where squares overflow.
  local q, r = lt.qr(sample({ 4, 3 }, 41) * 1e200)
  assert(far(lt.matmul(q, r) / 1e200, sample({ 4, 3 }, 41)) < 1e-14)
  for _, n in ipairs { 5, 60 } do
    local _, s = lt.svd(sample({ n, n }, 43) * 1e200)
    assert(far(s / 1e200, (select(2, lt.svd(sample({ n, n }, 43))))) < 1e-12)
  end
end)

print("complex matrices passed")
