-- Determinants, LU, eigenvalues of symmetric matrices and exponentials, which run on the CPU only.
local gradients = require "gradients"
local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge

-- The tape's gradient of any function of tensors against central differences.
local function slopes(t, f, ...)
  local problem = gradients.problem(f, { ... }, t.device, function(run, ...) return run(...) end)
  t.ok(problem == nil, problem)
end
local function random(shape) return random_tensor(shape):totable() end
local function refuses(op)
  return {
    { args = { { { 1, 2 } } }, says = op .. ": x (1, 2) is not square: its last two axes must be equal" },
    { args = { { 1 } }, says = op .. ": x (1,) has 1 axis, expected a matrix or a batch of matrices" },
    { args = { bool { { true } } }, says = op .. ": x is bool, expected a number" },
    { args = {}, says = op .. ": 0 arguments given" },
  }
end
local square = { { 2, 1 }, { 0.5, 3 } }
local batch = { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2 }, { 3, 1 } } }

spec "det" {
  gpu = false,
  example = { { { 1.0, 2.0 }, { 3.0, 4.0 } }, gives = -2.0, dtype = "float32" },
  examples = {
    { { { 2, 0 }, { 0, 3 } }, gives = 6, dtype = "float32" },
    { { { 0, 1 }, { 1, 0 } }, gives = -1 },
    { { { 1, 2 }, { 2, 4 } }, gives = 0 },
    { batch, gives = { 5.5, -5 } },
    { float16 { { 3 } }, gives = 3, dtype = "float16" },
    { zeros(0, 0), gives = 1, shape = {} },
    { zeros(2, 0, 0), gives = { 1, 1 } },
    { zeros(0, 2, 2), shape = { 0 } },
    { { { nan, 0 }, { 0, 1 } }, gives = nan },
  },
  gradients = { { { { 3 } } }, { square }, { batch } },
  rejects = refuses "det",
  check = function(t)
    statistics.check(t, "det", 1e-11)
    -- Large ones, for LAPACK where it is there: the determinant of a product.
    local a, b = random_tensor { 80, 80 } / 9, random_tensor({ 80, 80 }, "float64", 2) / 9
    t.close(a:matmul(b):det() / (a:det() * b:det()), 1, 1e-9)
    t.ok(math.abs(a:float32():det():item() / a:det():item() - 1) < 1e-3)
    -- At singular matrices the gradient is the matrix of cofactors, worked out by hand.
    local function slope(f, x)
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      return tape:gradient(f(x), x)
    end
    local function double(list) return lt.constant(list, { dtype = "float64" }) end
    local function det(x) return x:det() end
    local two, rank1 = { { 1, 2 }, { 2, 4 } }, { { 1, 1, 1 }, { 2, 2, 2 }, { 3, 3, 3 } }
    for dtype, tolerance in pairs { float32 = 1e-5, float64 = 1e-13, float16 = 1e-2 } do
      t.close(slope(det, lt.constant(two, { dtype = dtype })), { { 4, -2 }, { -2, 1 } }, tolerance)
    end
    t.ok(slope(det, double(rank1)):abs():max():item() < 1e-13)
    t.close(slope(det, double { { 0, 0, 0 }, { 0, 2, 0 }, { 0, 0, -3 } }), { { -6, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, 1e-13)
    t.close(slope(det, double { two, { { 1, 2 }, { 3, 4 } } }), { { { 4, -2 }, { -2, 1 } }, { { 4, -3 }, { -2, 1 } } }, 1e-13)
    -- Of (1 i; i -1) the cofactors are (-1 -i; -i 1); the gradient is their conjugate.
    local z = lt.complex(double { { 1, 0 }, { 0, -1 } }, double { { 0, 1 }, { 1, 0 } })
    local turned = slope(function(x) return x:det():real() end, z)
    t.close(turned:real(), { { -1, 0 }, { 0, 1 } }, 1e-13)
    t.close(turned:imag(), { { 0, 1 }, { 1, 0 } }, 1e-13)
    -- The second derivative of the product of both elements by one of the corners.
    local second = slope(function(x) return slope(det, x)[{ 1, 1 }] end, double { { 1, 2 }, { 2, 4 } })
    t.close(second, { { 0, 0 }, { 0, 1 } }, 1e-12)
  end,
}

spec "slogdet" {
  gpu = false,
  example = { { { 1.0, 2.0 }, { 3.0, 4.0 } }, gives = { -1.0, 0.6931 } },
  examples = {
    { { { 1, 2 }, { 2, 4 } }, gives = { 0, -inf } },
    { zeros(0, 0), gives = { 1, 0 } },
    { batch, gives = { { 1, -1 }, { 1.7047, 1.6094 } } },
    -- Where the determinant overflows.
    { { { 1e200, 0 }, { 0, 1e200 } }, gives = { 1, inf } },
    { float64 { { 1e200, 0 }, { 0, -1e200 } }, gives = { -1, 921.0340 } },
  },
  gradients = { { square }, { batch } },
  rejects = refuses "slogdet",
  check = function(t)
    statistics.check(t, "slogdet", 1e-12)
    local x = random_tensor { 90, 90 }
    local sign, log = x:slogdet()
    t.close(sign * lt.exp(log - 100), x:det() * math.exp(-100), 1e-9)
    local tape <close> = lt.GradientTape()
    local singular = lt.constant { { 1.0, 2.0 }, { 2.0, 4.0 } }
    tape:watch(singular)
    local _, none = singular:slogdet()
    t.raises("InvalidArgument", "slogdet: the matrix is singular: the logarithm has no gradient there",
      function() tape:gradient(none, singular) end)
  end,
}

spec "lu" {
  gpu = false,
  example = { { { 4.0, 2.0 }, { 2.0, 5.0 } }, gives = { { { 1.0, 0.0 }, { 0.0, 1.0 } }, { { 1.0, 0.0 }, { 0.5, 1.0 } }, { { 4.0, 2.0 }, { 0.0, 4.0 } } } },
  examples = {
    { { { 0, 1 }, { 2, 3 } }, gives = { { { 0, 1 }, { 1, 0 } }, { { 1, 0 }, { 0, 1 } }, { { 2, 3 }, { 0, 1 } } } },
    { { { 1, 2, 4 } }, gives = { { { 1 } }, { { 1 } }, { { 1, 2, 4 } } } },
    { zeros(2, 0), gives = { { { 1, 0 }, { 0, 1 } }, zeros(2, 0), zeros(0, 0) } },
  },
  rejects = {
    { args = { { 1 } }, says = "lu: x (1,) has 1 axis, expected a matrix" },
    { args = { bool { { true } } }, says = "lu: x is bool, expected a number" },
  },
  check = function(t)
    for _, shape in ipairs { { 1, 1 }, { 4, 4 }, { 7, 3 }, { 3, 7 }, { 2, 5, 4 }, { 90, 90 }, { 120, 60 }, { 60, 120 } } do
      for _, dtype in ipairs { "float32", "float64" } do
        local x = random_tensor(shape, dtype)
        local p, l, u = x:lu()
        local m, k = shape[#shape - 1], math.min(shape[#shape - 1], shape[#shape])
        t.ok(lt.abs(p:matmul(l):matmul(u) - x):max():item() < (dtype == "float32" and 1e-4 or 1e-12), "p l u is x")
        t.ok(lt.abs(l):max():item() == 1, "partial pivoting: l is at most 1")
        t.equal(lt.triu(l, 1), lt.zeros_like(l))
        t.equal((l[#shape == 3 and { {}, { 1, k } } or { { 1, k } }] * lt.eye(k, { dtype = dtype })):sum(-1),
          lt.ones_like(l[#shape == 3 and { {}, { 1, k }, 1 } or { { 1, k }, 1 }]))
        t.equal(lt.tril(u, -1), lt.zeros_like(u))
        t.equal(p:matmul(p, { transpose_b = true }), lt.eye(m, { dtype = dtype }) + lt.zeros_like(p))
      end
    end
    for _, shape in ipairs { { 2, 2 }, { 3, 3 }, { 4, 2 }, { 2, 4 }, { 2, 3, 3 } } do
      slopes(t, function(x) return select(2, x:lu()) end, random(shape))
      slopes(t, function(x) return select(3, x:lu()) end, random(shape))
    end
  end,
}

-- As a function of all elements, made symmetric.
local function symmetric(x) return (x + x:transpose { 2, 1 }) * 0.5 end

spec "eigh" {
  gpu = false,
  examples = {
    { { { 3.0 } }, gives = { { 3 }, { { 1 } } } },
    { { { 5, 100 }, { 0, 2 } }, gives = { { 2, 5 }, { { 0, 1 }, { 1, 0 } } } },
    { zeros(0, 0), gives = { zeros(0), zeros(0, 0) } },
    { zeros(0, 2, 2), gives = { zeros(0, 2), zeros(0, 2, 2) } },
    { { { nan, 0 }, { 0, 1 } }, gives = { { nan, nan }, { { nan, nan }, { nan, nan } } } },
  },
  rejects = refuses "eigh",
  check = function(t)
    for _, n in ipairs { 2, 3, 10, 70 } do
      for _, dtype in ipairs { "float32", "float64" } do
        local x = random_tensor({ 2, n, n }, dtype)
        x = x + x:transpose { 1, 3, 2 }
        local w, v = x:eigh()
        local close = dtype == "float32" and 1e-4 * n or 1e-12 * n
        t.ok(w.dtype == dtype and v.dtype == dtype)
        t.ok(lt.abs(x:matmul(v) - v * w:expand_dims(2)):max():item() < close, "x v = v w")
        t.ok(lt.abs(v:matmul(v, { transpose_a = true }) - lt.eye(n, { dtype = dtype })):max():item() < close, "v is orthonormal")
        t.ok(n == 1 or (w[{ {}, { 2, n } }] - w[{ {}, { 1, n - 1 } }]):min():item() >= 0, "w ascends")
        -- What is above the diagonal is not read.
        t.equal((lt.tril(x)):eigh(), w)
        t.close(x:eigvalsh(), w, close)
      end
    end
    for _, n in ipairs { 1, 2, 3, 4 } do
      slopes(t, function(x) return (symmetric(x):eigh()) end, random { n, n })
      -- Without the eigenvectors' signs.
      slopes(t, function(x) return lt.square((select(2, symmetric(x):eigh()))) end, random { n, n })
    end
    slopes(t, function(x)
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      return inner:gradient(lt.exp((symmetric(x):eigh())):sum(), x)
    end, random { 3, 3 })
    -- Equal eigenvalues: w has a gradient, and what v leaves open is 0.
    local same = lt.eye(2, { dtype = "float64" })
    local tape <close> = lt.GradientTape { persistent = true }
    tape:watch(same)
    local w, v = same:eigh()
    local sum, open = w:sum(), (v * v):sum()
    t.close(tape:gradient(sum, same), { { 1, 0 }, { 0, 1 } })
    t.close(tape:gradient(open, same), { { 0, 0 }, { 0, 0 } })
  end,
}

spec "eigvalsh" {
  gpu = false,
  example = { { { 2.0, 1.0 }, { 1.0, 2.0 } }, gives = { 1.0, 3.0 }, dtype = "float32" },
  examples = {
    { float16 { { 4 } }, gives = { 4 }, dtype = "float16" },
    { { { 2, 9 }, { 1, 2 } }, gives = { 1, 3 } },
    { zeros(3, 0, 0), shape = { 3, 0 } },
  },
  rejects = refuses "eigvalsh",
  check = function(t)
    statistics.check(t, "eigvalsh", 1e-11)
    slopes(t, function(x) return symmetric(x):eigvalsh() end, random { 3, 3 })
  end,
}

spec "expm" {
  gpu = false,
  example = { { { 0.0, 1.0 }, { 0.0, 0.0 } }, gives = { { 1.0, 1.0 }, { 0.0, 1.0 } }, dtype = "float32" },
  examples = {
    { { { 1, 0 }, { 0, 2 } }, gives = { { 2.7183, 0 }, { 0, 7.3891 } } },
    { { { -800, 0 }, { 0, 0 } }, gives = { { 0, 0 }, { 0, 1 } } },
    { float16 { { 1 } }, gives = { { 2.7183 } }, dtype = "float16", tolerance = 1e-3 },
    { { { inf } }, gives = { { nan } } },
    { zeros(0, 0), shape = { 0, 0 } },
  },
  gradients = { { { { 0.5 } } }, { square }, { { { { 0.5, 1 }, { -2, 3 } }, { { 0, 1 }, { 0, 0 } } } } },
  rejects = refuses "expm",
  check = function(t)
    statistics.check(t, "expm", 1e-11)
    local x = random_tensor { 5, 20, 20 }
    t.ok(lt.abs(x:expm():matmul((-x):expm()) - lt.eye(20, { dtype = "float64" })):max():item() < 1e-6)
  end,
}
