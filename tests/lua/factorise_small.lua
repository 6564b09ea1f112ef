-- Factorisations of small and difficult matrices by Lutra's own loops: factors are multiplied together again, and
-- values compared with those that are known. Runs again with LUTRA_LAPACK=off.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local rounding = 2.0 ^ -53
local nan = 0 / 0

local function real(x) return lt.constant(x, { dtype = "float64" }) end
local function eye(n) return lt.eye(n, { dtype = "float64" }) end
local function random(m, n, seed) return lt.random.normal({ m, n }, { seed = seed, dtype = "float64" }) end
local function largest(x) return x.size == 0 and 0.0 or lt.abs(x):max():item() end
local function adjoint(x) return lt.transpose(x):conj() end
-- m x n by a function of the row and the column.
local function made(m, n, f)
  local rows = {}
  for i = 1, m do
    rows[i] = {}
    for j = 1, n do rows[i][j] = f(i, j) + 0.0 end
  end
  return real(rows)
end
local function near(far, tolerance, what)
  assert(far <= tolerance, ("%s: %g apart, at most %g expected"):format(what, far, tolerance))
end
local function unitary(columns, what)
  local n = columns.shape[2]
  near(largest(adjoint(columns):matmul(columns) - eye(n):cast(columns.dtype)), 16 * rounding * (columns.shape[1] + 2), what)
end

-- Square matrices that are difficult for one of the algorithms.
local function difficult(n)
  local q = (random(n, n, 1):qr())
  local list = {
    zeros = made(n, n, function() return 0 end),
    ones = made(n, n, function() return 1 end),
    identity = eye(n),
    ["rank 1"] = random(n, 1, 2):matmul(random(1, n, 3)),
    ["half of the rank"] = random(n, (n + 1) // 2, 4):matmul(random((n + 1) // 2, n, 5)),
    ["Jordan block"] = made(n, n, function(i, j) return i == j and 2 or j == i + 1 and 1 or 0 end),
    ["nilpotent"] = made(n, n, function(i, j) return j == i + 1 and 1 or 0 end),
    ["its transpose"] = made(n, n, function(i, j) return i == j + 1 and 1 or 0 end),
    graded = random(n, n, 6) * made(n, n, function(i, j) return 10 ^ (-12 * (i + j) / n) end),
    ["graded by rows"] = random(n, n, 6) * made(n, n, function(i) return 10 ^ (200 * (2 * i - n) / n) end),
    Hilbert = made(n, n, function(i, j) return 1 / (i + j - 1) end),
    cyclic = made(n, n, function(i, j) return (i - j) % n == 1 % n and 1 or 0 end),
    rotation = made(n, n, function(i, j)
      if (i - 1) // 2 ~= (j - 1) // 2 then return 0 end
      return i == j and math.cos(0.7) or i < j and -math.sin(0.7) or math.sin(0.7)
    end),
    repeated = (q * real { (function()
      local values = {}
      for i = 1, n do values[i] = i % 3 + 0.0 end
      return values
    end)() }):matmul(q, { transpose_b = true }),
    triangle = random(n, n, 7):triu(),
    skew = random(n, n, 8) - lt.transpose(random(n, n, 8)),
    orthogonal = q,
    huge = random(n, n, 9) * 1e300,
    tiny = random(n, n, 10) * 1e-300,
    ["zero on the diagonal"] = made(n, n, function(i, j) return i == j and i ~= (n + 1) // 2 and 1 or j == i + 1 and 1 or 0 end),
  }
  local both = {}
  for name, x in pairs(list) do
    both[name] = x
    -- A phase makes it complex, and leaves singular values as they are.
    both[name .. ", complex"] = lt.complex(x * 0.8, x * 0.6)
  end
  both.random = random(n, n, 11)
  both["random, complex"] = lt.complex(random(n, n, 12), random(n, n, 13))
  return both
end

-- Scaled to about 1, so that products neither overflow nor underflow; and the factor, in two halves.
local function scaled(x)
  local most = largest(x)
  if most == 0 then return x, 0 end
  local exponent = math.floor(math.log(most, 2))
  return x * 2.0 ^ (-exponent // 2) * 2.0 ^ (-exponent - -exponent // 2), exponent
end
local function scale(x, exponent) return x * 2.0 ^ (exponent // 2) * 2.0 ^ (exponent - exponent // 2) end

local function check_svd(x, what)
  local u, s, vh = lt.svd(x)
  local one, exponent = scaled(x)
  local m, n = x.shape[1], x.shape[2]
  local tolerance = 16 * rounding * math.max(m, n) * math.max(largest(one), 1e-300) * math.min(m, n) ^ 0.5
  s = scale(s, -exponent)
  near(largest((u * s:cast(u.dtype)):matmul(vh) - one), tolerance, "svd " .. what)
  unitary(u, "svd's u " .. what)
  unitary(adjoint(vh), "svd's v " .. what)
  local values = s:totable()
  for i = 1, #values do assert(values[i] >= 0 and (i == 1 or values[i] <= values[i - 1]), "svd's order " .. what) end
  return s
end

local function check_eigh(x, what)
  local n = x.shape[1]
  local h = scaled(x)
  h = h + adjoint(h)
  local w, v = lt.eigh(h)
  local tolerance = 32 * rounding * n * math.max(largest(h), 1e-300) * n ^ 0.5
  near(largest((v * w:cast(v.dtype)):matmul(adjoint(v)) - h), tolerance, "eigh " .. what)
  unitary(v, "eigh's v " .. what)
  near(largest(lt.eigvalsh(h) - w), tolerance, "eigvalsh " .. what)
  local values = w:totable()
  for i = 2, n do assert(values[i] >= values[i - 1], "eigh's order " .. what) end
end

local function check_eig(x, what)
  local n = x.shape[1]
  local one = scaled(x)
  local w, v = lt.eig(one)
  near(largest(one:cast("complex128"):matmul(v) - v * w), 32 * rounding * n * math.max(largest(one), 1e-300) * n ^ 0.5, "eig " .. what)
  near(largest(v:abs():square():sum { axis = 1 } - 1), 16 * rounding * n, "eig's lengths " .. what)
  expect.equal(lt.eigvals(one):totable(), w:totable(), "eigvals " .. what)
  if x.dtype == "complex128" then return end
  local re, im, columns = w:real():totable(), w:imag():totable(), lt.transpose(v)
  local i = 1
  while i <= n do
    if im[i] == 0 then
      near(largest(columns[i]:imag()), 0, "real vectors " .. what)
    else
      assert(im[i] > 0 and im[i + 1] == -im[i] and re[i + 1] == re[i], "conjugate values " .. what)
      near(largest(columns[i] - columns[i + 1]:conj()), 0, "conjugate vectors " .. what)
      i = i + 1
    end
    i = i + 1
  end
end

local function check_qr(x, what)
  local m, n = x.shape[1], x.shape[2]
  local one = scaled(x)
  local q, r = lt.qr(one)
  near(largest(q:matmul(r) - one), 16 * rounding * m * math.max(largest(one), 1e-300) * n ^ 0.5, "qr " .. what)
  unitary(q, "qr's q " .. what)
  near(largest(r:real():tril(-1)) + largest(r:imag():tril(0)[{ {}, { 1, math.min(m, n) } }]), 0, "qr's r " .. what)
end

local function check_lu(x, what)
  local n = math.max(x.shape[1], x.shape[2])
  local one = scaled(x)
  local p, l, u = lt.lu(one)
  near(largest(p:matmul(l):matmul(u) - one), 16 * rounding * n * math.max(largest(u), largest(one), 1e-300), "lu " .. what)
  near(largest(l), 1 + rounding + (x.dtype == "complex128" and 0.5 or 0), "lu's l " .. what)
end

expect.case("difficult matrices", function()
  for _, n in ipairs { 1, 2, 3, 5, 8, 16, 17, 33, 47 } do
    for name, x in pairs(difficult(n)) do
      local what = ("of %s, %dx%d"):format(name, n, n)
      check_svd(x, what)
      check_eigh(x, what)
      check_eig(x, what)
      check_qr(x, what)
      check_lu(x, what)
    end
  end
end)

expect.case("shapes that are not square", function()
  for _, shape in ipairs { { 1, 2 }, { 2, 1 }, { 1, 40 }, { 40, 1 }, { 3, 7 }, { 7, 3 }, { 15, 20 }, { 20, 15 }, { 47, 16 }, { 16, 47 }, { 5, 200 },
    { 200, 5 } } do
    local m, n = shape[1], shape[2]
    for _, x in ipairs { random(m, n, 1), lt.complex(random(m, n, 1), random(m, n, 2)), lt.ones({ m, n }, { dtype = "float64" }) } do
      local what = ("of %s %dx%d"):format(x.dtype, m, n)
      check_svd(x, what)
      check_qr(x, what)
      check_lu(x, what)
    end
  end
end)

-- By NumPy 2.4.6: numpy.linalg.svd, eigvalsh and eigvals.
expect.case("values that are known", function()
  local hilbert = made(8, 8, function(i, j) return 1 / (i + j - 1) end)
  local wanted = real { 1.6959389969219496, 0.2981252113169307, 0.026212843578119035, 0.0014676881177418427, 5.436943369749979e-05, 1.2943320918688685e-06, 1.798873745949071e-08, 1.1115389812040764e-10 }
  near(largest(check_svd(hilbert, "of Hilbert's matrix") - wanted), 4 * rounding, "Hilbert's singular values")
  near(largest(lt.eigvalsh(hilbert) - wanted:sort()), 4 * rounding, "Hilbert's eigenvalues")
  -- Tridiagonal matrices with known eigenvalues, which symmetric and general algorithms find.
  local n = 20
  local second = made(n, n, function(i, j) return i == j and 2 or math.abs(i - j) == 1 and -1 or 0 end)
  local k = lt.range(1, n + 1, { dtype = "float64" })
  local exact = 2 - 2 * (k * (math.pi / (n + 1))):cos()
  near(largest(lt.eigvalsh(second) - exact), 16 * rounding, "second differences")
  near(largest(lt.sort(lt.eigvals(second):real()) - exact), 64 * rounding, "second differences by eigvals")
  near(largest(lt.eigvals(second):imag()), 0, "symmetric matrices have real eigenvalues")
  -- Clement's: n - 1, n - 3, ... in turn with their negatives.
  local clement = made(12, 12, function(i, j) return j == i + 1 and i or i == j + 1 and 12 - j or 0 end)
  near(largest(lt.sort(lt.eigvals(clement):real()) - (lt.range(12):cast "float64" * 2 - 11)), 1e-11, "Clement's matrix")
  -- Roots of one, by the companion matrix of x^15 - 1.
  local roots = lt.eigvals(made(15, 15, function(i, j) return i == j + 1 and 1 or i == 1 and j == 15 and 1 or 0 end))
  near(largest(roots:abs() - 1), 1e-14, "roots of one")
  near(largest(lt.sort(roots:real()) - lt.sort((lt.range(15):cast "float64" * (2 * math.pi / 15)):cos())), 1e-14, "roots of one")
  -- The exponential of a rotation's generator is the rotation, and a nilpotent matrix' is a polynomial.
  for _, angle in ipairs { 1e-9, 0.01, 0.2, 0.9, 2, 30 } do
    local turned = lt.expm(real { { 0, -angle }, { angle, 0 } })
    near(largest(turned - real { { math.cos(angle), -math.sin(angle) }, { math.sin(angle), math.cos(angle) } }), 64 * rounding * (1 + angle), "expm")
  end
  near(largest(lt.expm(real { { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } }) - real { { 1, 1, 0.5 }, { 0, 1, 1 }, { 0, 0, 1 } }), 4 * rounding, "expm")
  near(math.abs(lt.det(hilbert):item() / 2.7370501137915e-33 - 1), 1e-6, "Hilbert's determinant")
end)

expect.case("solve, inv, cholesky and determinants", function()
  for _, n in ipairs { 1, 2, 3, 4, 7, 16, 17, 31, 47 } do
    for _, is_complex in ipairs { false, true } do
      local function any(m, k, seed) return is_complex and lt.complex(random(m, k, seed), random(m, k, seed + 1)) or random(m, k, seed) end
      local what = ("%d %s"):format(n, is_complex)
      local a = any(n, n, 3)
      local one = eye(n):cast(a.dtype)
      local shifted = a + one * (2 * n ^ 0.5)
      near(largest(shifted:matmul(lt.inv(shifted)) - one), 64 * rounding * n, "inv " .. what)
      for _, columns in ipairs { 0, 1, 3, 4, 9, 40 } do
        local b = any(n, columns, 5)
        near(largest(shifted:matmul(lt.solve(shifted, b)) - b), 256 * rounding * n, "solve " .. what)
        near(largest(adjoint(shifted):matmul(lt.solve(shifted, b, { adjoint = true })) - b), 256 * rounding * n, "solve " .. what)
        for _, lower in ipairs { true, false } do
          local triangle = lower and shifted:tril() or shifted:triu()
          for _, is_adjoint in ipairs { true, false } do
            local x = lt.triangular_solve(shifted, b, { lower = lower, adjoint = is_adjoint })
            near(largest((is_adjoint and adjoint(triangle) or triangle):matmul(x) - b), 256 * rounding * n, "triangular_solve " .. what)
          end
        end
      end
      local h = a:matmul(adjoint(a)) + one
      local l = lt.cholesky(h)
      near(largest(l:matmul(adjoint(l)) - h), 16 * rounding * n * largest(h), "cholesky " .. what)
      local both = lt.det(lt.stack { h, one * 2 })
      local product = lt.eigvalsh(h):prod():item()
      near(math.abs(both[1]:real():item() - product), 1e-12 * n * product, "det " .. what)
      near(math.abs(both[2]:real():item() - 2.0 ^ n), 0, "det " .. what)
    end
  end
  local function message(f, ...) return (select(2, pcall(f, ...))).message end
  assert(message(lt.inv, real { { 1, 2 }, { 2, 4 } }):find("singular", 1, true))
  assert(message(lt.cholesky, real { { 1, 2 }, { 2, 1 } }):find("not positive definite", 1, true))
  expect.equal(lt.det(real { { 1, 2 }, { 2, 4 } }):item(), 0.0)
end)

expect.case("nan and inf", function()
  for _, number in ipairs { nan, math.huge, -math.huge } do
    for _, n in ipairs { 1, 2, 5, 20 } do
      local bad = random(n, n, 1)
      bad = bad + made(n, n, function(i, j) return i == n and j == 1 and number or 0 end)
      for _, x in ipairs { bad, lt.complex(bad, random(n, n, 2)), lt.complex(random(n, n, 2), bad) } do
        for name, results in pairs {
          svd = { lt.svd(x) }, eigh = { lt.eigh(x) }, eigvalsh = { lt.eigvalsh(x) }, eig = { lt.eig(x) }, eigvals = { lt.eigvals(x) },
          expm = { lt.expm(x) },
        } do
          for _, result in ipairs(results) do
            local parts = result:real()
            -- A Hermitian matrix has no imaginary part on the diagonal, so that what is there is not read.
            local is_read = n > 1 or x.dtype == "float64" or not name:find("eigh") and not name:find("eigvalsh") or lt.isnan(x:real() - x:real()):any():item()
            if is_read then assert(lt.isnan(parts):all():item(), name .. " gives nan") end
          end
        end
        lt.qr(x)
        lt.lu(x)
      end
    end
  end
end)

expect.end_of_cases()
