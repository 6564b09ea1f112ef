-- Sparse matrices beside SciPy's (make_sparse_reference.py): products, formats, sums, gradients; refused calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local sparse = lt.sparse

local function noise(seed, size)
  local i = lt.range(size, { dtype = "int64" })
  return (((i + 17) * (i + 31 * seed + 7) * 7919) % 65521):float64() / 32760.5 - 1
end
local function matrix_of(case, values)
  local i = lt.range(case.count, { dtype = "int64" })
  local row, column = (i * 7919 + 3) % 104729 % case.rows, (i * 104729 + 11) % 7919 % case.columns
  return sparse.coo { indices = lt.stack({ row, column }, 2) + 1, values = values or noise(1, case.count), shape = { case.rows, case.columns } }
end
local function numbers(x) return x:flatten():totable() end
local cases = dofile "tests/support/golden/sparse_reference.lua"

expect.case("SciPy's results", function()
  for k, case in ipairs(cases) do
    local what = "case " .. k
    local a = matrix_of(case)
    local dense = noise(2, case.columns * case.width):reshape { case.columns, case.width }
    local left = noise(3, case.width * case.rows):reshape { case.width, case.rows }
    local vector = noise(4, case.columns)
    for _, s in ipairs { a, a:to_csr(), a:coalesce(), a:to_csr():to_coo(), a:transpose():transpose(), a:to_csr():transpose():transpose() } do
      expect.close(numbers(sparse.matmul(s, dense)), case.matmul, 1e-13, what)
      expect.close(numbers(s:matmul(vector)), case.vector, 1e-13, what)
      expect.close(numbers(sparse.matmul(left, s)), case.left, 1e-13, what)
      expect.close(numbers(sparse.matmul(noise(5, case.rows), s)), numbers(lt.matmul(noise(5, case.rows), s:to_dense())), 1e-13, what)
      expect.close(numbers(s:to_dense():matmul(dense)), case.matmul, 1e-13, what)
    end
    local csr = a:coalesce():to_csr()
    expect.equal(numbers(csr.row_pointers), case.pointers, what)
    expect.equal(numbers(csr.columns), case.places, what)
    expect.close(numbers(csr.values), case.sums, 1e-14, what)
    expect.close(numbers((a + csr * 0.5):to_dense():sum(2)), case.sum, 1e-13, what)
    local again = sparse.csr { row_pointers = csr.row_pointers, columns = csr.columns, values = csr.values, shape = csr.shape }
    expect.equal(again:to_dense():bytes(), csr:to_dense():bytes(), what)
    expect.equal(sparse.from_dense(csr:to_dense(), { format = "csr" }):to_dense():bytes(), csr:to_dense():bytes(), what)
  end
end)

expect.case("transposed operands, as lt.matmul takes them", function()
  local x = lt.constant({ { 0, 2, 0 }, { 3, 0, 4 } }, { dtype = "float64" })
  local dense = { [true] = lt.constant({ { 1, 2 }, { 3, 4 } }, { dtype = "float64" }), [false] = noise(1, 9):reshape { 3, 3 } }
  for _, format in ipairs { "coo", "csr" } do
    local s = sparse.from_dense(x, { format = format })
    for _, options in ipairs { {}, { transpose_a = true }, { transpose_b = true }, { transpose_a = true, transpose_b = true } } do
      local first, second = dense[options.transpose_a == true], dense[options.transpose_b ~= true]
      expect.close(numbers(s:matmul(first, options)), numbers(lt.matmul(x, first, options)), 1e-15, format)
      expect.close(numbers(sparse.matmul(s, first, options)), numbers(lt.matmul(x, first, options)), 1e-15, format)
      expect.close(numbers(sparse.matmul(second, s, options)), numbers(lt.matmul(second, x, options)), 1e-15, format)
    end
    expect.equal(s:matmul({ 1, 10 }, { transpose_a = true }):totable(), { 30.0, 2.0, 40.0 })
    expect.equal(sparse.matmul({ 1, 10, 100 }, s, { transpose_b = true }):totable(), { 20.0, 403.0 })
  end
  local values = lt.Variable { 2.0, 3.0 }
  local tape <close> = lt.GradientTape()
  local s = sparse.coo { indices = { { 1, 2 }, { 2, 1 } }, values = values, shape = { 2, 3 } }
  expect.equal(tape:gradient(s:matmul({ 1.0, 10.0 }, { transpose_a = true }):sum(), values):totable(), { 1.0, 10.0 })
end)

expect.case("dtypes", function()
  for dtype, tolerance in pairs { float32 = 1e-5, float16 = 2e-2, bfloat16 = 1e-1 } do
    local case = cases[1]
    local a = matrix_of(case, noise(1, case.count):cast(dtype))
    local dense = noise(2, case.columns * case.width):reshape { case.columns, case.width }:cast(dtype)
    local y = a:matmul(dense)
    expect.equal(y.dtype, dtype)
    expect.close(numbers(y:float64()), case.matmul, tolerance, dtype)
  end
  local whole = sparse.from_dense { { 0, 2 }, { 3, 0 } }
  expect.equal(whole.dtype, "int32")
  expect.equal(whole:matmul({ 1, 2 }):totable(), { 4.0, 3.0 })
  expect.equal(whole:matmul({ 1, 2 }).dtype, "float32")
  for _, index in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
    local rows, columns = lt.constant({ 2, 1 }, { dtype = index }), lt.constant({ 1, 2 }, { dtype = "int32" })
    expect.equal(lt.coo_matmul({ 2.0, 3.0 }, rows, columns, { 10.0, 1.0 }, 2):totable(), { 3.0, 20.0 }, index)
  end
end)

expect.case("gradients, also second ones", function()
  local case = cases[4]
  local function step(values, dense, f)
    local tape <close> = lt.GradientTape()
    tape:watch(values)
    tape:watch(dense)
    return tape:gradient(f(values, dense), { values, dense })
  end
  for width in pairs { [1] = true, [5] = true } do
    local values, dense = noise(1, case.count), noise(2, case.columns * width):reshape { case.columns, width }
    local weights = noise(3, case.rows * width):reshape { case.rows, width }
    local function of_sparse(v, d) return ((matrix_of(case, v):matmul(d) * weights) ^ 2):sum() end
    local function of_dense(v, d) return ((matrix_of(case, v):to_dense():matmul(d) * weights) ^ 2):sum() end
    local got, wanted = step(values, dense, of_sparse), step(values, dense, of_dense)
    for i = 1, 2 do expect.close(numbers(got[i]), numbers(wanted[i]), 1e-12, "gradient " .. i) end
    local function slope_of(f)
      return function(v, d)
        local slopes = step(v, d, f)
        return (slopes[1] ^ 2):sum() + (slopes[2] ^ 3):sum()
      end
    end
    got, wanted = step(values, dense, slope_of(of_sparse)), step(values, dense, slope_of(of_dense))
    for i = 1, 2 do expect.close(numbers(got[i]), numbers(wanted[i]), 1e-11, "second gradient " .. i) end
  end
  local x = lt.Variable { { 0.0, 2.0 }, { 3.0, 0.0 } }
  local tape <close> = lt.GradientTape()
  local y = (sparse.from_dense(x) * 2):matmul({ 1.0, 10.0 })
  expect.equal(tape:gradient(y:sum(), x):totable(), { { 0.0, 20.0 }, { 2.0, 0.0 } })
end)

expect.case("the same bits with any number of threads, sorted or not", function()
  local n = 300000
  local i = lt.range(n, { dtype = "int64" })
  local rows, columns = (i * 7919) % 1009 % 1000 + 1, (i * 104729) % 2003 % 2000 + 1
  local a = sparse.coo { indices = lt.stack({ rows, columns }, 2), values = noise(1, n):float32(), shape = { 1000, 2000 } }
  local b = noise(2, 2000 * 41):float32():reshape { 2000, 41 }
  local order = lt.argsort(rows)
  local sorted = lt.coo_matmul(a.values:gather(order), rows:gather(order), columns:gather(order), b, 1000)
  expect.equal(a:matmul(b):bytes(), sorted:bytes())
  expect.close(numbers(a:matmul(b)), numbers(a:to_dense():matmul(b)), 1e-3)
end)

expect.case("fields and text", function()
  local s = sparse.from_dense({ { 0, 1.5 }, { 2, 0 }, { 0, 0 } }, { format = "csr" })
  expect.equal(tostring(s), "<lutra.sparse.Matrix csr, shape=(3, 2), dtype=float32, 2 elements>")
  expect.equal({ s.nnz, s.dtype, s.format, s.shape }, { 2, "float32", "csr", { 3, 2 } })
  expect.equal(s.indices:totable(), { { 1, 2 }, { 2, 1 } })
  expect.equal(s.row_pointers:totable(), { 1, 2, 3, 3 })
  expect.equal(sparse.is_sparse(s) and not sparse.is_sparse {} and not sparse.is_sparse(lt.ones { 2, 2 }), true)
  expect.equal((-s - s / 2):to_dense():totable(), { { 0.0, -2.25 }, { -3.0, 0.0 }, { 0.0, 0.0 } })
  expect.equal(s:with_values({ 7, 8 }):to_dense():totable(), { { 0, 7 }, { 8, 0 }, { 0, 0 } })
  local none = sparse.coo { indices = {}, values = {}, shape = { 2, 3 } }
  expect.equal({ none.nnz, none:matmul({ 1.0, 2.0, 3.0 }):totable() }, { 0, { 0.0, 0.0 } })
  expect.equal(none:to_csr().row_pointers:totable(), { 1, 1, 1 })
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  local s = sparse.from_dense { { 0.0, 1.0 }, { 2.0, 0.0 } }
  refused("sparse.coo: indices[:, 1] has a 0, and they count from 1", sparse.coo, { indices = { { 0, 1 } }, values = { 1.0 }, shape = { 2, 2 } })
  expect.raises("OutOfRange", "sparse.coo: indices[:, 2] has 3, expected 1 to 2", sparse.coo,
    { indices = { { 1, 3 } }, values = { 1.0 }, shape = { 2, 2 } })
  refused("sparse.coo: 1 indices and 2 values", sparse.coo, { indices = { { 1, 1 } }, values = { 1.0, 2.0 }, shape = { 2, 2 } })
  refused("sparse.coo: indices is missing", sparse.coo, { values = { 1.0 }, shape = { 2, 2 } })
  refused("sparse.coo: shape is missing", sparse.coo, { indices = { { 1, 1 } }, values = { 1.0 } })
  refused("sparse.coo: unknown option 'dense_shape'", sparse.coo, { dense_shape = { 2, 2 } })
  refused("sparse.coo: indices is float32, expected integers", sparse.coo, { indices = { { 1.0, 1 } }, values = { 1.0 }, shape = { 2, 2 } })
  refused("row_pointers go from 0 to 1, expected 1 to 2: they count from 1; add 1 to those of SciPy", sparse.csr,
    { row_pointers = { 0, 1, 1 }, columns = { 1 }, values = { 1.0 }, shape = { 2, 2 } })
  refused("row_pointers has 2 numbers, expected 3", sparse.csr, { row_pointers = { 1, 2 }, columns = { 1 }, values = { 1.0 }, shape = { 2, 2 } })
  refused("row_pointers go down", sparse.csr, { row_pointers = { 1, 3, 2 }, columns = { 1 }, values = { 1.0 }, shape = { 2, 2 } })
  refused("sparse.from_dense: x has the shape (2,), expected a matrix", sparse.from_dense, { 1, 2 })
  expect.raises("Unimplemented", "both are sparse", sparse.matmul, s, s)
  refused("exp: x is a lutra.sparse.Matrix, expected a tensor; write x:to_dense()", lt.exp, s)
  refused("write a:to_dense() + b", function() return s + lt.ones { 3, 3 } end)
  refused("sparse.matmul: a (2, 2) and b (3,) do not match", sparse.matmul, s, { 1, 2, 3 })
  refused("sparse.matmul: a (1, 3) and b (2, 2) do not match", sparse.matmul, { { 1, 2, 3 } }, s)
  refused("expected a matrix of lutra.sparse", sparse.matmul, { 1 }, { 2 })
  refused("write lutra.sparse.matmul(a, b)", function() return s * s end)
  refused("expected a matrix of lutra.sparse", s.add, s, 3)
  refused("sparse.matmul: unknown option 'transpose'", s.matmul, s, { 1, 2 }, { transpose = true })
  refused("sparse.matmul: unknown option 'transpose'", sparse.matmul, { 1, 2 }, s, { transpose = true })
  refused("sparse.matmul: transpose_a is 1, expected true or false", s.matmul, s, { 1, 2 }, { transpose_a = 1 })
  refused("sparse.matmul: a (3, 2) and b (3,) do not match", function()
    sparse.from_dense(lt.ones { 2, 3 }):matmul(lt.ones { 3 }, { transpose_a = true })
  end)
  refused("sparse.Matrix:to_dense: 2 arguments given", s.to_dense, s, { dtype = "float64" })
  expect.raises("FailedPrecondition", "write s:to_csr().row_pointers", function() return s.row_pointers end)
  refused("coo_matmul: rows has the shape (1,), expected (2,)", lt.coo_matmul, { 1.0, 2.0 }, { 1 }, { 1, 1 }, { 1.0 }, 2)
  refused("coo_matmul: index 0", lt.coo_matmul, { 1.0 }, { 0 }, { 1 }, { 1.0 }, 2)
  expect.raises("OutOfRange", "coo_matmul: index 2 is not there: expected 1 to 1", lt.coo_matmul, { 1.0 }, { 1 }, { 2 }, { 1.0 }, 2)
  expect.raises("OutOfRange", "coo_matmul: index -1", lt.coo_matmul, { 1.0 }, { 1 }, { -1 }, { 1.0 }, 2)
  refused("coo_matmul: size is -1", lt.coo_matmul, { 1.0 }, { 1 }, { 1 }, { 1.0 }, -1)
end)

expect.end_of_cases()
