-- Factorisations of large matrices, which the system's LAPACK computes if it is installed: factors are multiplied
-- together again, and compared with NumPy's results for small matrices in a corner of large ones. Runs again with
-- LUTRA_LAPACK=off.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local golden = dofile("tests/support/golden/linalg_golden.lua")

-- Times the largest number there: a hundred roundings.
local exact = { float32 = 100 * 2 ^ -24, float64 = 100 * 2 ^ -53, float16 = 2 ^ -9, bfloat16 = 2 ^ -6 }
local dtypes = { "float32", "float64", "float16", "bfloat16" }
local sizes = { { 47, 60 }, { 48, 48 }, { 100, 100 }, { 300, 200 }, { 200, 300 }, { 64, 513 }, { 520, 520 }, { 3, 70, 50 } }

local function random(shape, dtype, seed) return lt.random.normal(shape, { seed = seed or 1, dtype = dtype }) end
local function eye(n, dtype) return lt.eye(n, { dtype = dtype or "float64" }) end
local function turned(x)
  local order = {}
  for i = 1, #x.shape do order[i] = i end
  order[#order - 1], order[#order] = #order, #order - 1
  return x:transpose(order)
end
local function largest(x) return lt.abs(x):float64():max():item() end
local function near(got, wanted, tolerance, what)
  local far = largest(got:float64() - (type(wanted) == "number" and wanted or wanted:float64()))
  assert(far <= tolerance, ("%s: %g apart, at most %g expected"):format(what, far, tolerance))
end
local function orthonormal(columns, dtype, what, slack)
  local product = columns:float64():matmul(columns:float64(), { transpose_a = true })
  near(product, eye(product.shape[#product.shape]), exact[dtype] * (slack or 4), what .. "'s columns are orthonormal")
end
-- x in the corner of a larger matrix, `more` ones on the rest of the diagonal.
local function cornered(x, more)
  local m, n = #x, #x[1]
  local above = lt.concat({ lt.constant(x, { dtype = "float64" }), lt.zeros({ m, more }, { dtype = "float64" }) }, 2)
  return lt.concat({ above, lt.concat({ lt.zeros({ more, n }, { dtype = "float64" }), eye(more) }, 2) }, 1)
end
-- The cases that are no batch.
local function matrices(cases)
  local found = {}
  for _, case in ipairs(cases) do
    if type(case.x[1][1]) == "number" then found[#found + 1] = case end
  end
  assert(#found > 0)
  return found
end
local function corner(x, m, n) return x[{ { 1, m }, { 1, n } }]:totable() end

expect.case("qr of any shape", function()
  for _, shape in ipairs(sizes) do
    for _, dtype in ipairs(dtypes) do
      local what = ("qr %s %s"):format(table.concat(shape, "x"), dtype)
      local x = random(shape, dtype)
      local q, r = x:qr()
      expect.equal({ q.dtype, r.dtype }, { dtype, dtype }, what)
      near(q:float64():matmul(r:float64()), x, exact[dtype] * 16, what)
      orthonormal(q, dtype, what .. ": q")
      expect.equal(largest(r:tril(-1)), 0.0, what .. ": r below the diagonal")
    end
  end
end)

local function check_svd(x, what)
  local u, s, vt = x:svd()
  local dtype = x.dtype
  expect.equal({ u.dtype, s.dtype, vt.dtype }, { dtype, dtype, dtype }, what)
  local scaled = u:float64() * s:float64():expand_dims(-2)
  near(scaled:matmul(vt:float64()), x, exact[dtype] * largest(s), what)
  orthonormal(u, dtype, what .. ": u")
  orthonormal(turned(vt), dtype, what .. ": v")
  local k = s.shape[#s.shape]
  local falls = s:reshape { -1, k }[{ {}, { 1, k - 1 } }] - s:reshape { -1, k }[{ {}, { 2, k } }]
  assert(falls:min():item() >= 0 and s:min():item() >= 0, what .. ": s descends to 0 at most")
  return s
end

expect.case("svd of any shape", function()
  for _, shape in ipairs(sizes) do
    for _, dtype in ipairs(dtypes) do
      check_svd(random(shape, dtype), ("svd %s %s"):format(table.concat(shape, "x"), dtype))
    end
  end
  -- Around the sizes of blocks, and many more rows than columns.
  for _, shape in ipairs { { 49, 49 }, { 64, 64 }, { 65, 65 }, { 97, 96 }, { 96, 97 }, { 129, 128 }, { 92, 50 }, { 91, 50 },
    { 50, 92 }, { 400, 48 }, { 260, 260 }, { 2, 2, 60, 50 } } do
    for _, dtype in ipairs { "float32", "float64" } do
      check_svd(random(shape, dtype), ("svd %s %s"):format(table.concat(shape, "x"), dtype))
    end
  end
end)

expect.case("singular values that are known", function()
  for _, shape in ipairs { { 48, 48 }, { 130, 127 }, { 50, 130 } } do
    local m, n = shape[1], shape[2]
    local k = math.min(m, n)
    for _, dtype in ipairs { "float32", "float64" } do
      local left, right = (random({ m, k }, "float64"):qr()), (random({ n, k }, "float64", 2):qr())
      local function with(what, f)
        local list = {}
        for i = 1, k do list[i] = f(i) + 0.0 end
        local wanted = lt.constant(list, { dtype = "float64" })
        local most = math.max(largest(wanted), 1e-300)
        what = ("%s %dx%d %s"):format(what, m, n, dtype)
        local s = check_svd((left * wanted):matmul(right, { transpose_b = true }):cast(dtype), what)
        near(s, -(-wanted):sort(), exact[dtype] * most, what)
      end
      with("different", function(i) return i end)
      with("three", function(i) return i % 3 end)
      with("one that is not 0", function(i) return i == 5 and 1 or 0 end)
      with("close ones", function(i) return 1 + 1e-9 * i end)
      with("small ones", function(i) return 10 ^ (-12 * i / k) end)
      with("large ones", function(i) return 2.0 ^ 90 * i end)
      with("tiny ones", function(i) return 2.0 ^ -100 * i end)
      near(check_svd(lt.zeros({ m, n }, { dtype = dtype }), "zeros"), lt.zeros { k }, 0, "zeros")
      near(check_svd(lt.ones({ m, n }, { dtype = dtype }), "ones"):max(), (m * n) ^ 0.5, exact[dtype] * (m * n) ^ 0.5, "ones")
      local diagonal = lt.range(1, k + 1, { dtype = dtype })
      local wide = lt.diag(lt.concat { diagonal, lt.zeros({ math.max(m, n) - k }, { dtype = dtype }) })
      near(check_svd(wide[{ { 1, m }, { 1, n } }], "diagonal"), -(-diagonal):sort(), exact[dtype] * k, "diagonal")
    end
  end
end)

-- x is symmetric, and `of` is the size of its eigenvalues.
local function check_eigh(x, of, what)
  local n, dtype = x.shape[#x.shape], x.dtype
  -- What is above the diagonal is not read.
  local w, v = (x:tril() + lt.fill({ n, n }, 0 / 0, { dtype = dtype }):triu(1)):eigh()
  expect.equal({ w.dtype, v.dtype }, { dtype, dtype }, what)
  near(x:float64():matmul(v:float64()), v:float64() * w:float64():expand_dims(-2), exact[dtype] * of, what .. ": x v = v w")
  orthonormal(v, dtype, what .. ": v", math.max(4, n / 32))
  local rows = w:reshape { -1, n }
  assert((rows[{ {}, { 2, n } }] - rows[{ {}, { 1, n - 1 } }]):min():item() >= 0, what .. ": w ascends")
  near(x:eigvalsh(), w, exact[dtype] * of, what .. ": eigvalsh")
  return w
end

expect.case("eigh of any size", function()
  -- Around the sizes of blocks.
  for _, n in ipairs { 47, 48, 49, 64, 65, 97, 128, 130, 257, 400 } do
    for _, dtype in ipairs(n < 200 and dtypes or { "float32", "float64" }) do
      local x = random({ n, n }, dtype)
      check_eigh(x + turned(x), 4 * n ^ 0.5, ("eigh %d %s"):format(n, dtype))
    end
  end
  for _, dtype in ipairs(dtypes) do
    local x = random({ 2, 3, 70, 70 }, dtype)
    check_eigh(x + turned(x), 4 * 70 ^ 0.5, "eigh of a batch " .. dtype)
  end
end)

expect.case("eigenvalues that are known", function()
  for _, n in ipairs { 48, 130 } do
    for _, dtype in ipairs { "float32", "float64" } do
      local q = (random({ n, n }, "float64"):qr())
      local function with(values, what)
        local wanted = lt.constant(values, { dtype = "float64" })
        local most = math.max(largest(wanted), 1e-300)
        local w = check_eigh((q * wanted):matmul(q, { transpose_b = true }):cast(dtype), most * 4, what .. " " .. dtype)
        near(w, wanted:sort(), exact[dtype] * most * 4, what .. " " .. dtype)
      end
      local function each(f)
        local list = {}
        for i = 1, n do list[i] = f(i) + 0.0 end
        return list
      end
      with(each(function(i) return i end), "different")
      with(each(function(i) return i % 3 - 1 end), "three")
      with(each(function(i) return i == 5 and 1 or 0 end), "one that is not 0")
      with(each(function(i) return 1 + 1e-9 * i end), "close ones")
      with(each(function(i) return 10 ^ (-12 * i / n) end), "small ones")
      with(each(function(i) return 2.0 ^ 90 * (i - n / 2) end), "large ones")
      with(each(function(i) return 2.0 ^ -100 * (i - n / 2) end), "tiny ones")
      local function square(f)
        local list = {}
        for i = 1, n do
          list[i] = {}
          for j = 1, n do list[i][j] = f(i, j) + 0.0 end
        end
        return lt.constant(list, { dtype = dtype })
      end
      near(check_eigh(square(function() return 0 end), 1, "zeros"), lt.zeros { n }, 0, "zeros")
      near(check_eigh(square(function(i, j) return i == j and 1 or 0 end), 1, "eye"), lt.ones { n }, 0, "eye")
      near(check_eigh(square(function() return 1 end), 4 * n, "ones"):max(), n, exact[dtype] * n * 4, "ones")
      check_eigh(square(function(i, j) return i // 7 == j // 7 and (i * j) % 5 or 0 end), 30, "blocks")
      -- Second differences: 2 - 2 cos(k pi / (n + 1)).
      local k = lt.range(1, n + 1, { dtype = "float64" })
      near(check_eigh(square(function(i, j) return i == j and 2 or math.abs(i - j) == 1 and -1 or 0 end), 4, "differences"),
        2 - 2 * (k * (math.pi / (n + 1))):cos(), exact[dtype] * 16, "differences")
    end
  end
end)

expect.case("solve, inv and cholesky", function()
  for _, shape in ipairs { { 47, 47 }, { 48, 48 }, { 129, 129 }, { 300, 300 }, { 520, 520 }, { 3, 70, 70 } } do
    local n = shape[#shape]
    for _, dtype in ipairs(dtypes) do
      local what = ("%s %s"):format(table.concat(shape, "x"), dtype)
      local a = random(shape, dtype) + 3 * n ^ 0.5 * eye(n, dtype)
      near(a:float64():matmul(a:inv():float64()), eye(n), exact[dtype] * 4, "inv " .. what)
      for _, columns in ipairs { 1, 2, 33, 150 } do
        local b = random({ n, columns }, dtype, 2)
        local slack = exact[dtype] * 8 * largest(b)
        near(a:float64():matmul(a:solve(b):float64()), b, slack, "solve " .. what)
        near(turned(a):float64():matmul(a:solve(b, { adjoint = true }):float64()), b, slack, "solve, adjoint " .. what)
        expect.equal(a:solve(b[{ {}, 1 }]).shape[1], shape[1], "solve with a vector " .. what)
      end
      local s = a:matmul(turned(a)) / n + eye(n, dtype)
      local l = s:cholesky()
      near(l:float64():matmul(turned(l):float64()), s, exact[dtype] * 2 * largest(s), "cholesky " .. what)
      expect.equal(largest(l:triu(1)), 0.0, "cholesky above the diagonal " .. what)
    end
  end
end)

expect.case("solve with a triangle", function()
  for _, n in ipairs { 47, 64, 65, 130, 300 } do
    for _, dtype in ipairs { "float32", "float64" } do
      local a = random({ n, n }, dtype) / n ^ 0.5 + 3 * eye(n, dtype)
      for _, columns in ipairs { 1, 5, 150 } do
        local b = random({ n, columns }, dtype, 2)
        for kind = 0, 3 do
          local lower, adjoint = kind % 2 == 0, kind > 1
          local triangle = lower and a:tril() or a:triu()
          local x = a:triangular_solve(b, { lower = lower, adjoint = adjoint })
          near((adjoint and turned(triangle) or triangle):float64():matmul(x:float64()), b, exact[dtype] * 8 * largest(b),
            ("%d x %d, %d columns, lower %s, adjoint %s, %s"):format(n, n, columns, lower, adjoint, dtype))
        end
      end
    end
  end
end)

expect.case("lu of any shape, and determinants", function()
  for _, shape in ipairs(sizes) do
    for _, dtype in ipairs { "float32", "float64" } do
      local what = ("lu %s %s"):format(table.concat(shape, "x"), dtype)
      local x = random(shape, dtype)
      local p, l, u = x:lu()
      near(p:float64():matmul(l:float64()):matmul(u:float64()), x, exact[dtype] * 16, what)
      expect.equal({ largest(l:triu(1)), largest(u:tril(-1)) }, { 0.0, 0.0 }, what)
      assert(largest(l) <= 1 and p:sum():item() == p.size / p.shape[#p.shape], what)
    end
  end
  -- An eighth row that comes first changes the sign seven times.
  for _, dtype in ipairs { "float32", "float64" } do
    local n = 200
    local triangle = (random({ n, n }, dtype):tril(-1) / n ^ 0.5 + eye(n, dtype)):matmul(random({ n, n }, dtype):triu(1) / n ^ 0.5
      + 1.01 * eye(n, dtype))
    local order = { 8 }
    for i = 1, n do
      if i ~= 8 then order[#order + 1] = i end
    end
    local sign, log = triangle:slogdet()
    expect.close({ sign:item(), log:item() }, { 1, n * math.log(1.01) }, exact[dtype] * n, dtype)
    sign, log = triangle:gather(order):slogdet()
    expect.close({ sign:item(), log:item() }, { -1, n * math.log(1.01) }, exact[dtype] * n, dtype)
  end
end)

expect.case("exponentials", function()
  for _, n in ipairs { 48, 130, 200 } do
    for _, dtype in ipairs { "float32", "float64" } do
      -- Of each order, and with squarings.
      for _, size in ipairs { 1e-3, 0.1, 0.5, 1.5, 3, 20 } do
        local x = random({ n, n }, dtype) * (size / n)
        local product = x:expm():float64():matmul((-x):expm():float64())
        near(product, eye(n), exact[dtype] * math.exp(2 * size / n ^ 0.5) * 8, ("exp(x) exp(-x), %d, %g, %s"):format(n, size, dtype))
        -- The terms up to the fourth power, where the others do not count.
        if size < 0.01 then
          local wide = x:float64()
          local square = wide:matmul(wide)
          near(x:expm(), eye(n) + wide + square / 2 + square:matmul(wide) / 6 + square:matmul(square) / 24, exact[dtype], "series")
        end
      end
      -- A rotation by 0 to 3 in each plane.
      local angle = lt.range(n // 2, { dtype = dtype }) * (6 / n)
      local turn = lt.diag(lt.stack({ angle, angle * 0 }, 2):reshape { -1 }[{ { 1, n - 1 } }], { k = 1 })
      local cosines = lt.stack({ angle:cos(), angle:cos() }, 2):reshape { -1 }
      near((turn - turned(turn)):expm():diag(), cosines, exact[dtype] * 4, "rotations")
    end
  end
  local far = lt.fill({ 60, 60 }, 1e30)
  expect.equal(lt.isfinite(far:expm()):any():item(), false)
end)

expect.case("NumPy's results in the corner of a large matrix", function()
  for i, case in ipairs(matrices(golden.qr)) do
    local q, r = cornered(case.x, 90):qr()
    expect.close(corner(q, #case.q, #case.q[1]), case.q, 1e-10, "q of case " .. i)
    expect.close(corner(r, #case.r, #case.r[1]), case.r, 1e-10, "r of case " .. i)
  end
  for i, case in ipairs(matrices(golden.inv)) do
    expect.close(corner(cornered(case.x, 90):inv(), #case.x, #case.x), case.gives, 1e-9, "inv of case " .. i)
  end
  for i, case in ipairs(matrices(golden.cholesky)) do
    expect.close(corner(cornered(case.x, 90):cholesky(), #case.x, #case.x), case.gives, 1e-10, "cholesky of case " .. i)
  end
end)

expect.case("cholesky reads the lower triangle alone", function()
  for _, dtype in ipairs { "float32", "float64" } do
    local s = random({ 90, 90 }, dtype) + 30 * eye(90, dtype)
    local l = (s:tril() + turned(s:tril(-1))):cholesky()
    expect.equal((s:tril() + lt.fill({ 90, 90 }, 0 / 0, { dtype = dtype }):triu(1)):cholesky():totable(), l:totable())
  end
end)

expect.case("a batch that broadcasts", function()
  local a, b = random({ 2, 1, 60, 60 }, "float64") + 30 * eye(60), random({ 4, 60, 3 }, "float64", 2)
  local x = a:solve(b)
  expect.equal(x.shape, { 2, 4, 60, 3 })
  near(a:matmul(x), b:expand_dims(1), 1e-12, "each")
  near(x[{ 2, 3 }], a[{ 2, 1 }]:solve(b[3]), 0, "by itself")
end)

expect.case("float32 whose squares are out of range", function()
  local x = random({ 80, 60 }, "float32")
  local q, r = x:qr()
  local _, s = x:svd()
  for _, scale in ipairs { 2.0 ^ 80, 2.0 ^ -80 } do
    local scaled_q, scaled_r = (x * scale):qr()
    near(scaled_q, q, exact.float32, "q")
    near(scaled_r / scale, r, exact.float32 * 16, "r")
    near(select(2, (x * scale):svd()) / scale, s, exact.float32 * 16, "s")
  end
end)

local function message(f, ...)
  local err = expect.raises("InvalidArgument", "matrix", f, ...)
  return err.message
end

expect.case("matrices without an answer", function()
  for _, dtype in ipairs { "float32", "float64" } do
    local good = random({ 70, 70 }, dtype) + 20 * eye(70, dtype)
    local mask = lt.concat { lt.zeros({ 1, 70 }, { dtype = dtype }), lt.ones({ 69, 70 }, { dtype = dtype }) }
    local b = lt.ones({ 70 }, { dtype = dtype })
    for what, bad in pairs { ["a row"] = good * mask, ["a column"] = good * turned(mask), all = lt.zeros_like(good) } do
      expect.equal(message(lt.inv, bad), "inv: the matrix is singular", what)
      expect.equal(message(lt.solve, bad, b), "solve: the matrix is singular", what)
      local batch = lt.stack { good, good, bad, bad }
      expect.equal(message(lt.inv, batch), "inv: matrix 3 of the batch of 4 is singular", what)
      expect.equal(message(lt.solve, batch, b), "solve: matrix 3 of the batch of 4 is singular", what)
    end
    local symmetric = (good + turned(good)) * 0.5
    expect.equal(message(lt.cholesky, symmetric - 30 * eye(70, dtype)), "cholesky: the matrix is not positive definite")
    expect.equal(message(lt.cholesky, lt.stack { symmetric, symmetric, -symmetric }),
      "cholesky: matrix 3 of the batch of 3 is not positive definite")
  end
end)

expect.case("nan and inf come to an end", function()
  local function has_nan(x) return not (lt.isnan(x):float32():max():item() == 0) end
  for _, dtype in ipairs { "float32", "float64" } do
    local good = random({ 70, 70 }, dtype) + 20 * eye(70, dtype)
    for _, number in ipairs { 0 / 0, math.huge, -math.huge } do
      for _, place in ipairs { 1, 36, 70 } do
        local spot = lt.reshape(lt.one_hot({ (place - 1) * 71 + 1 }, 4900), { 70, 70 })
        local bad = lt.where(spot:eq(1), lt.constant(number, { dtype = dtype }), good)
        local u, s, vt = lt.svd(bad)
        assert(lt.isnan(u):all():item() and lt.isnan(s):all():item() and lt.isnan(vt):all():item(), "svd is all nan")
        local w, v = lt.eigh(bad)
        assert(lt.isnan(w):all():item() and lt.isnan(v):all():item() and lt.isnan(lt.eigvalsh(bad)):all():item(), "eigh is all nan")
        assert(has_nan((select(2, lt.qr(bad)))), "qr")
        pcall(lt.cholesky, bad)
        if number ~= number then
          assert(has_nan(lt.inv(bad)) and has_nan(lt.solve(bad, lt.ones({ 70 }, { dtype = dtype }))), "inv and solve")
        end
      end
    end
  end
end)

expect.case("gradients", function()
  local x = random({ 60, 60 }, "float64") + 20 * eye(60)
  local b = random({ 60, 2 }, "float64", 2)
  local along = random({ 60, 60 }, "float64", 3)
  local function definite(a) return a:matmul(a, { transpose_b = true }) + eye(60) end
  local functions = {
    inv = function(a) return a:inv() end,
    solve = function(a) return a:solve(b) end,
    cholesky = function(a) return definite(a):cholesky() end,
    r = function(a) return (select(2, a:qr())) end,
    svd = function(a) return (select(2, a:svd())) end,
    eigh = function(a) return (definite(a):eigh()) end,
  }
  for name, f in pairs(functions) do
    local function loss(a)
      local y = f(a)
      return (y * y * y):sum()
    end
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local slope = (tape:gradient(loss(x), x) * along):sum():item()
    local h = 1e-5
    local wanted = ((loss(x + along * h) - loss(x - along * h)) / (2 * h)):item()
    assert(math.abs(slope - wanted) <= 1e-5 * math.max(1e-3, math.abs(wanted)), ("%s: %g, expected %g"):format(name, slope, wanted))
  end
end)

expect.end_of_cases()
