-- Functions of matrices that are composed of factorisations and products.
local spec = require "spec"
local statistics = require "statistics"
local gradients = require "gradients"

local nan, inf = 0 / 0, math.huge
local function slopes(t, f, ...)
  local problem = gradients.problem(f, { ... }, t.device, function(run, ...) return run(...) end)
  t.ok(problem == nil, problem)
end
local square, wide = { { 2, 1 }, { 0.5, 3 } }, { { 2, 1, 0.5 }, { 0.5, 3, 1 } }
local batch = { { { 2, 1 }, { 0.5, 3 } }, { { 1, 2 }, { 3, 1 } } }

spec "pinv" {
  gpu = false,
  example = { { { 2.0, 0.0 }, { 0.0, 0.0 } }, gives = { { 0.5, 0.0 }, { 0.0, 0.0 } }, dtype = "float32" },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, gives = { { -2, 1 }, { 1.5, -0.5 } } },
    { { { 3.0, 0.0 }, { 0.0, 1e-3 } }, { rcond = 0.01 }, gives = { { 0.3333, 0 }, { 0, 0 } } },
    { zeros(2, 3), gives = { { 0, 0 }, { 0, 0 }, { 0, 0 } } },
    { zeros(0, 3), shape = { 3, 0 } },
    { float16 { { 4 } }, gives = { { 0.25 } }, dtype = "float16" },
    { { { nan } }, gives = { { nan } } },
  },
  gradients = { { square }, { wide }, { { { 2, 1 }, { 0.5, 3 }, { 1, 1 } } }, { batch } },
  rejects = {
    { args = { { 1 } }, says = "pinv: x (1,) has 1 axis, expected a matrix" },
    { args = { square, { rcond = -1 } }, says = "pinv: rcond is -1, expected 0 or more" },
    { args = { bool { { true } } }, says = "pinv: x is bool, expected a number" },
  },
  check = function(t)
    statistics.check(t, "pinv", 1e-10)
    -- Of one rank, on a path on which the rank stays.
    slopes(t, function(u, v) return lt.outer(u, v):pinv() end, { 1, 2, 0.5 }, { 3, -1 })
  end,
}

spec "lstsq" {
  gpu = false,
  example = { { { 1.0, 0.0 }, { 1.0, 1.0 }, { 1.0, 2.0 } }, { 1.0, 3.0, 5.0 }, gives = { 1.0, 2.0 }, dtype = "float32" },
  examples = {
    { { { 2, 0 }, { 0, 4 } }, { { 1 }, { 2 } }, gives = { { 0.5 }, { 0.5 } } },
    { { { 1, 1 } }, { 2 }, gives = { 1, 1 } },
    { batch, { 1, 2 }, shape = { 2, 2 }, gives = { { 0.1818, 0.6364 }, { 0.6, 0.2 } } },
    { zeros(0, 2), zeros(0), gives = { 0, 0 } },
  },
  gradients = {
    { { { 2, 1 }, { 0.5, 3 }, { 1, 1 } }, { 1, 2, 4 } }, { { { 2, 1 }, { 0.5, 3 }, { 1, 1 } }, { { 1, 2 }, { 2, 0 }, { 4, 1 } } },
    { wide, { 1, 2 } }, { batch, { 1, 2 } }, { batch, { { { 1 }, { 2 } } } },
  },
  rejects = {
    { args = { wide, { 1, 2, 3 } }, says = "lstsq: a (2, 3) and b (3,) do not match: b's first axis (3) must equal a's first (2)" },
    { args = { { 1 }, { 1 } }, says = "lstsq: a (1,) has 1 axis" },
    { args = { wide, 3 }, says = "lstsq: b is a scalar" },
    { args = { wide, { 1, 2 }, { rcond = nan } }, says = "lstsq: rcond is" },
    { args = { bool { { true } }, bool { true } }, says = "lstsq: a is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "lstsq", 1e-10) end,
}

spec "matrix_rank" {
  gpu = false,
  example = { { { 1.0, 2.0 }, { 2.0, 4.0 } }, gives = 1, dtype = "int64" },
  examples = {
    { batch, gives = { 2, 2 } },
    { { { 3, 0 }, { 0, 1 } }, { tol = 2 }, gives = 1 },
    { zeros(3, 2), gives = 0 },
    { zeros(2, 0, 3), gives = { 0, 0 } },
  },
  rejects = {
    { args = { { 1 } }, says = "matrix_rank: x (1,) has 1 axis" },
    { args = { square, { tol = -2 } }, says = "matrix_rank: tol is -2, expected 0 or more" },
    { args = { bool { { true } } }, says = "matrix_rank: x is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "matrix_rank", 0) end,
}

spec "matrix_power" {
  example = { { { 1.0, 1.0 }, { 0.0, 1.0 } }, 5, gives = { { 1.0, 5.0 }, { 0.0, 1.0 } }, dtype = "float32" },
  examples = {
    { batch, 0, gives = { { { 1, 0 }, { 0, 1 } }, { { 1, 0 }, { 0, 1 } } } },
    { { { 2 } }, 10, gives = { { 1024 } } },
    { float16 { { 3 } }, 2, gives = { { 9 } }, dtype = "float16" },
    { zeros(0, 0), 3, shape = { 0, 0 } },
  },
  gradients = { { square, 3 }, { square, 1 } },
  rejects = {
    { args = { wide, 2 }, says = "matrix_power: x (2, 3) is not square" },
    { args = { square }, says = "matrix_power: 1 argument given" },
    { args = { square, 0.5 }, says = "matrix_power: n is" },
    { args = { square, 1 << 50 }, says = "matrix_power: n is 1125899906842624, expected a whole number within 2^40" },
  },
  check = function(t)
    statistics.check(t, "matrix_power", 1e-10)
    t.close(lt.matrix_power({ { 2.0 } }, -3), { { 0.125 } })
    t.raises("InvalidArgument", "singular", lt.matrix_power, { { 1.0, 2.0 }, { 2.0, 4.0 } }, -1)
  end,
}

spec "cholesky_solve" {
  gpu = false,
  example = { { { 2.0, 0.0 }, { 1.0, 2.0 } }, { 8.0, 9.0 }, gives = { 1.375, 1.25 }, dtype = "float32" },
  examples = {
    -- What is above the diagonal is not read.
    { { { 2, 77 }, { 1, 2 } }, { { 8 }, { 9 } }, gives = { { 1.375 }, { 1.25 } } },
    { { { { 1, 0 }, { 0, 1 } }, { { 2, 0 }, { 0, 2 } } }, { 4, 8 }, gives = { { 4, 8 }, { 1, 2 } } },
    { zeros(0, 0), zeros(0), shape = { 0 } },
  },
  gradients = { { { { 2, 0 }, { 1, 2 } }, { 8, 9 } }, { { { 2, 0 }, { 1, 2 } }, { { 8, 1 }, { 9, 2 } } } },
  rejects = {
    { args = { wide, { 1, 2 } }, says = "cholesky_solve: l (2, 3) is not square" },
    { args = { square, { 1, 2, 3 } }, says = "cholesky_solve: l (2, 2) and b (3,) do not match" },
    { args = { square, 1 }, says = "cholesky_solve: b is a scalar" },
    { args = { bool { { true } }, bool { true } }, says = "cholesky_solve: l is bool, expected a number" },
  },
  check = function(t)
    statistics.check(t, "cholesky_solve", 1e-11)
    local a = random_tensor { 3, 60, 60 }
    a = a:matmul(a, { transpose_b = true }) + lt.eye(60, { dtype = "float64" })
    local b = random_tensor({ 60, 4 }, "float64", 2)
    t.close(lt.cholesky_solve(a:cholesky(), b), a:solve(b), 1e-8)
  end,
}

spec "triangular_solve" {
  gpu = false,
  example = { { { 2.0, 0.0 }, { 1.0, 4.0 } }, { 2.0, 9.0 }, gives = { 1.0, 2.0 }, dtype = "float32" },
  examples = {
    { { { 2, 1 }, { 99, 4 } }, { 4, 8 }, { lower = false }, gives = { 1, 2 } },
    { { { 2, 0 }, { 1, 4 } }, { 4, 8 }, { adjoint = true }, gives = { 1, 2 } },
    { { { 0, 0 }, { 1, 4 } }, { 1, 8 }, gives = { inf, -inf } },
    { batch, { 1, 2 }, gives = { { 0.5, 0.5833 }, { 1, -1 } } },
  },
  gradients = {
    { square, { 1, 2 } }, { square, { { 1, 2 }, { 3, 4 } } }, { square, { 1, 2 }, { lower = false } },
    { square, { 1, 2 }, { adjoint = true } }, { batch, { 1, 2 } }, { square, { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, { lower = false, adjoint = true } },
  },
  rejects = {
    { args = { wide, { 1, 2 } }, says = "triangular_solve: a (2, 3) is not square" },
    { args = { square, { 1, 2, 3 } }, says = "triangular_solve: a (2, 2) and b (3,) do not match" },
    { args = { square, { 1, 2 }, { lower = 1 } }, says = "triangular_solve: lower is 1, expected a boolean" },
    { args = { bool { { true } }, bool { true } }, says = "triangular_solve: a is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "triangular_solve", 1e-11) end,
}

spec "matrix_norm" {
  example = { { { 1.0, -2.0 }, { 3.0, 4.0 } }, 1, gives = 6.0, dtype = "float32" },
  examples = {
    { { { 3, 4 } }, gives = 5, dtype = "float32" },
    { { { 3, 0 }, { 0, 4 } }, { nuclear = true }, gives = 7 },
    { { { 1, -2 }, { 3, 4 } }, inf, gives = 7 },
    { { { 1, -2 }, { 3, 4 } }, { ord = -1, keepdims = true }, gives = { { 4 } } },
    { float16 { { 300, 400 } }, gives = 500, dtype = "float16" },
    { zeros(0, 2), gives = 0 },
  },
  gradients = { { square }, { square, 1 }, { square, inf }, { batch } },
  rejects = {
    { args = { { 1 } }, says = "matrix_norm: x (1,) has 1 axis" },
    { args = { square, 3 }, says = "matrix_norm: ord is 3, expected 1, 2, inf or one of these negative" },
    { args = { square, 1, { nuclear = true } }, says = "matrix_norm: ord and nuclear are two norms" },
    { args = { zeros(0, 2), 1 }, says = "matrix_norm: x (0, 2) has matrices without elements" },
    { args = { bool { { true } } }, says = "matrix_norm: x is bool, expected a number" },
  },
  check = function(t)
    t.close(lt.matrix_norm(lt.ones { 4, 4, 4 }), { 4, 4, 4, 4 })
    if t.device:find "GPU" then return end -- norms of singular values run on the CPU
    statistics.check(t, "matrix_norm", 1e-11)
  end,
}
