-- Eigenvalues of matrices that are not symmetric. Their order and the vectors' phases are nobody's: products are compared.
local spec = require "spec"

local nan = 0 / 0
local function c128(re, im) return made(function() return lt.complex(lt.constant(re, { dtype = "float64" }), im) end) end

-- The distance of a v and v w, and of v's columns from length 1.
local function check_vectors(t, a, tolerance)
  local w, v = lt.eig(a)
  local n = a.shape[a.rank]
  local left, right = lt.matmul(a:cast(v.dtype), v), v * w:expand_dims(-2)
  t.ok((left - right):abs():max():item() <= tolerance * a:abs():max():item() * n, "a v is not v w")
  t.close(v:abs():square():sum { axis = -2 }, lt.ones(w.shape, { dtype = v:abs().dtype }), tolerance * 10)
  local again = lt.eigvals(a)
  t.close(lt.sort(again:real()), lt.sort(w:real()), tolerance * 100 * n)
  t.close(again:sum():real(), a:cast(v.dtype):trace():sum():real(), tolerance * 100 * n)
end

local random = function(shape, seed, dtype) return lt.random.normal(shape, { seed = seed }):cast(dtype) end

spec "eig" {
  gpu = false,
  examples = {
    { { { 2.0 } }, gives = { { { 2, 0 } }, { { { 1, 0 } } } } },
    { { { 3, 0 }, { 0, 3 } }, gives = { { { 3, 0 }, { 3, 0 } }, { { { 1, 0 }, { 0, 0 } }, { { 0, 0 }, { 1, 0 } } } } },
  },
  rejects = {
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } } }, says = "eig: x (2, 3) is not square" },
    { args = { { 1.0, 2.0 } }, says = "eig: x (2,) has 1 axis" },
    { args = { bool { { true } } }, says = "eig: x is bool, expected a number" },
  },
  check = function(t)
    for _, form in ipairs { { "float64", 1e-14, "complex128" }, { "float32", 1e-6, "complex64" }, { "float16", 2e-3, "complex64" } } do
      -- Matrices of 48 x 48 and more are LAPACK's where there is one.
      for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 5, 5 }, { 3, 4, 4 }, { 30, 30 }, { 2, 61, 61 } } do
        local a = random(shape, #shape, form[1])
        t.equal(lt.eigvals(a).dtype, form[3])
        check_vectors(t, a, form[2])
      end
    end
    check_vectors(t, lt.complex(random({ 2, 6, 6 }, 1, "float64"), random({ 2, 6, 6 }, 2, "float64")), 1e-14)
    check_vectors(t, lt.complex(random({ 6, 6 }, 1, "float32"), 1), 1e-6)
    check_vectors(t, lt.complex(random({ 70, 70 }, 1, "float64"), random({ 70, 70 }, 2, "float64")), 1e-14)
    check_vectors(t, lt.complex(random({ 70, 70 }, 1, "float32"), 1), 1e-6)
    -- A permutation's are the roots of one.
    local roots = lt.eigvals(lt.roll(lt.eye(64, { dtype = "float64" }), 1, { axis = 1 }))
    t.close(roots:abs(), lt.ones({ 64 }, { dtype = "float64" }), 1e-13)
    t.close(lt.sort(roots:real()) + 2, lt.sort(lt.cos(lt.range(64):cast "float64" * (math.pi / 32))) + 2, 1e-13)
    t.equal(lt.eig(lt.zeros { 0, 3, 3 }).shape, { 0, 3 })
    local w = lt.eigvals { { 1, nan }, { 0, 1 } }
    t.ok(w:real()[1]:item() ~= w:real()[1]:item(), "nan is lost")
    local many = lt.eigvals(lt.where(lt.eye(50):bool(), nan, lt.ones { 50, 50 }))
    t.ok(many:real():isnan():all():item(), "nan is lost in a large matrix")
    -- A turn by 60 degrees.
    local s = 3 ^ 0.5 / 2
    local turn = lt.eigvals(lt.constant({ { 0.5, -s }, { s, 0.5 } }, { dtype = "float64" }))
    t.close(lt.sort(turn:imag()), { -s, s }, 1e-15)
    t.close(turn:real(), { 0.5, 0.5 }, 1e-15)

    -- Gradients against differences, of losses that know neither order nor phase.
    local function losses(a)
      local values = lt.eigvals(a)
      local w, v = lt.eig(a)
      return (values * values * values):real():sum() + values:abs():sum(), ((v:abs():square() * w:expand_dims(-2)):real()):square():sum()
    end
    local function check_slope(x, to_matrix)
      for k = 1, 2 do
        local tape <close> = lt.GradientTape()
        tape:watch(x)
        local loss = select(k, losses(to_matrix(x)))
        local slope, h = tape:gradient(loss, x):flatten():totable(), 1e-6
        for i = 1, x.size do
          local step = (lt.one_hot(lt.constant(i), x.size, { dtype = "float64" }) * h):reshape(x.shape)
          local up, down = select(k, losses(to_matrix(x + step))), select(k, losses(to_matrix(x - step)))
          t.close((up - down):item() / (2 * h), slope[i], 1e-5 * math.max(1, math.abs(slope[i])))
        end
      end
    end
    local a, b = random({ 4, 4 }, 5, "float64"), random({ 4, 4 }, 6, "float64")
    check_slope(a, function(x) return x end)
    check_slope(a, function(x) return lt.complex(x, b) end)
    check_slope(b, function(x) return lt.complex(a, x) end)
  end,
}

spec "eigvals" {
  gpu = false,
  examples = {
    { { { 2.0 } }, gives = { { 2, 0 } }, dtype = "complex64" },
    { float64 { { 4 } }, gives = { { 4, 0 } }, dtype = "complex128" },
    { c128({ { 1 } }, 2), gives = { { 1, 2 } }, dtype = "complex128" },
  },
  rejects = { { args = { { { 1, 2, 3 }, { 4, 5, 6 } } }, says = "eigvals: x (2, 3) is not square" } },
}
