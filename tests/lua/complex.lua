-- Complex tensors: NumPy's results (make_complex_golden.py), dtypes, literals, moving, files, gradients, and what refuses
-- them.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "golden.complex_golden"
local complex = require "complex_cases"
local kReal, check_gradient, sample = complex.real_dtypes, complex.check_gradient, complex.sample

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
expect.case("NumPy's results", function()
  local cases = {}
  for _, case in ipairs(golden) do
    if not case.op:find "^fft" and case.op ~= "stft" then cases[#cases + 1] = case end
  end
  assert(#cases > 80, #cases)
  complex.check_cases(cases)
end)

expect.case("dtypes, promotion and what an element is", function()
  local z = lt.complex({ 1, 2 }, { 0.5, -1 })
  expect.equal({ z.dtype, z.nbytes, z.size, #z }, { "complex64", 16, 2, 2 })
  expect.equal({ z[1]:item() }, { 1.0, 0.5 })
  expect.equal(z:totable(), { { 1.0, 0.5 }, { 2.0, -1.0 } })
  expect.equal(z[2]:totable(), { 2.0, -1.0 })
  for other, dtype in pairs { int8 = "complex64", int64 = "complex64", bool = "complex64", float16 = "complex64",
    bfloat16 = "complex64", float32 = "complex64", float64 = "complex128", complex128 = "complex128" } do
    expect.equal((z * lt.ones({ 2 }, { dtype = other })).dtype, dtype, other)
    expect.equal((lt.ones({ 2 }, { dtype = other }) + z).dtype, dtype, other)
  end
  local i = lt.complex(0, 1)
  expect.equal({ (1 + 2 * i).dtype, (1.5 + 2 * i):totable()[1], (i * i):totable() }, { "complex64", 1.5, { -1.0, 0.0 } })
  expect.equal({ (-i):totable(), (1 / i):totable(), (i ^ 2):totable(), (2 - i):totable() },
    { { -0.0, -1.0 }, { 0.0, -1.0 }, { -1.0, 0.0 }, { 2.0, -1.0 } })
  expect.equal(z:cast("float64"):totable(), { 1.0, 2.0 })
  expect.equal(z:cast("int32"):totable(), { 1, 2 })
  expect.equal(lt.complex({ 0, 0, 2 }, { 0, 1, 0 }):cast("bool"):totable(), { false, true, true })
  expect.equal(lt.constant({ { 1, 2 } }, { dtype = "complex64" }):totable(), { { { 1.0, 0.0 }, { 2.0, 0.0 } } })
  expect.equal(lt.cast(lt.range(1000), "complex128")[777]:totable(), { 776.0, 0.0 })
  expect.equal(lt.complex128, "complex128")
  expect.equal({ z:complex128().dtype, lt.ones({ 1 }):complex64():totable()[1] }, { "complex128", { 1.0, 0.0 } })
  expect.equal(lt.ones({ 2 }, { dtype = "complex64" }):totable(), { { 1.0, 0.0 }, { 1.0, 0.0 } })
  expect.equal(lt.fill({ 1 }, i):totable(), { { 0.0, 1.0 } })
  expect.equal(lt.eye(2, { dtype = "complex128" })[1]:totable(), { { 1.0, 0.0 }, { 0.0, 0.0 } })
  expect.equal(lt.zeros_like(z):totable(), { { 0.0, 0.0 }, { 0.0, 0.0 } })
end)

expect.case("prints as NumPy", function()
  expect.equal(tostring(lt.complex({ 1, -3.5 }, { -2, 0.25 })),
    "lutra.Tensor([ 1. -2.j   -3.5+0.25j], shape=(2,), dtype=complex64)")
  expect.equal(tostring(lt.complex(1, 2)), "lutra.Tensor((1+2j), shape=(), dtype=complex64)")
  expect.equal(tostring(lt.complex(0, -2.5)), "lutra.Tensor(-2.5j, shape=(), dtype=complex64)")
  expect.equal("z = " .. lt.complex({ { 1 } }, 0), "z = [[1.+0.j]]")
end)

-- Ops that only move elements, on elements of 8 and of 16 bytes: the same as for their real and imaginary parts.
expect.case("moving elements", function()
  local re, im = lt.random.normal({ 3, 4, 5 }, { seed = 1 }):float64(), lt.random.normal({ 3, 4, 5 }, { seed = 2 }):float64()
  local mask = lt.random.uniform({ 3, 4, 5 }, { seed = 3 }):gt(0.5)
  local moves = {
    function(x) return x:transpose() end, function(x) return x:transpose { 2, 1, 3 } end,
    function(x) return x:reshape { 5, 12 } end, function(x) return x[{ {}, { 2, 4, 2 }, { -1, 1, -1 } }] end,
    function(x) return x[2] end, function(x) return lt.concat({ x, x }, 2) end, function(x) return lt.stack({ x, x }, 3) end,
    function(x) return x:gather({ 3, 1, 1 }, 2) end, function(x) return x:gather({ 3, 1, 1 }, 3) end,
    function(x) return x:tile { 1, 2, 1 } end, function(x) return x:flip { 1, 3 } end, function(x) return x:roll(2, 3) end,
    function(x) return lt.pad(x, { { 1, 0 }, { 0, 2 }, { 0, 0 } }) end, function(x) return lt.split(x, 2, 2)[2] end,
    function(x) return lt.unstack(x, 2)[3] end, function(x) return lt.repeat_interleave(x, 2, 1) end,
    function(x) return x:broadcast_to { 2, 3, 4, 5 } end, function(x) return x[mask] end,
    function(x) return lt.where(mask, x, x * 2) end, function(x) return x:triu() end, function(x) return x[1][1]:diag() end,
    function(x) return x[1]:diag(1) end, function(x) return x:gather_nd { { 1, 2 }, { 3, 4 } } end,
    function(x) return lt.take_along_axis(x, lt.constant { { { 1 } }, { { 2 } }, { { 3 } } }, 2) end,
    function(x) return x[{ { { 1, 3 } }, { { 2, 4 } } }] end, function(x) return x:masked_fill(mask, 0) end,
    function(x) return x:tensor_scatter_nd_update({ { 1 }, { 2 } }, x[{ { 1, 2 } }] * 3) end,
    function(x) return x:scatter_add({ 1, 1, 3 }, x) end, function(x) return lt.add_n { x, x, x } end,
    function(x) return x:expand_dims(1):squeeze(1):flatten() end, function(x) return x:identity() end,
  }
  for dtype, part in pairs(kReal) do
    local a, b = re:cast(part), im:cast(part)
    for k, move in ipairs(moves) do
      local got, x, y = move(lt.complex(a, b)), move(a), move(b)
      assert(got.dtype == dtype and got.shape == x.shape, ("move %d: %s %s"):format(k, got.dtype, got.shape))
      assert(lt.array_equal(got:real(), x):item() and lt.array_equal(got:imag(), y):item(), ("move %d of %s"):format(k, dtype))
    end
  end
  local v = lt.Variable(lt.complex({ 1, 2 }, { 3, 4 }))
  v:assign_add(lt.complex({ 0, 0 }, 1))
  v[1] = lt.complex(9, 9)
  expect.equal(v:totable(), { { 9.0, 9.0 }, { 2.0, 5.0 } })
  v:assign { 7, 7 }
  expect.equal(v:totable(), { { 7.0, 0.0 }, { 7.0, 0.0 } })
end)

expect.case("files and bytes", function()
  local folder = os.tmpname()
  os.remove(folder)
  local re, im = { 1.5, -2, 0 }, { 0.25, 3, -1 }
  for dtype, part in pairs(kReal) do
    local z = lt.complex(lt.constant(re, { dtype = part }), lt.constant(im, { dtype = part }))
    for _, ending in ipairs { ".npy", ".npz", ".safetensors" } do
      local path, given = folder .. ending, ending == ".npy" and z or { z = z }
      if dtype == "complex128" and ending == ".safetensors" then
        refuses("safetensors has no complex128; cast to complex64", lt.save, path, given)
      else
        lt.save(path, given)
        local back = lt.load(path)
        back = ending == ".npy" and back or back.z
        expect.equal({ back.dtype, back:totable() }, { dtype, z:totable() }, ending)
        os.remove(path)
      end
    end
    expect.equal(lt.from_bytes(z:bytes(), dtype, { 3 }):totable(), z:totable())
    refuses("csv has no " .. dtype, lt.save, folder .. ".csv", z)
    refuses("csv has no " .. dtype, lt.load, "tests/data/spaces.csv", { delimiter = " ", dtype = dtype })
  end
  -- NumPy's files (make_files.py), which save writes byte for byte.
  local function read(path)
    local file <close> = assert(io.open(path, "rb"))
    return file:read("a")
  end
  for dtype in pairs(kReal) do
    local z = lt.load("tests/data/" .. dtype .. ".npy")
    expect.equal({ z.dtype, z.shape, z[{ 1, 2 }]:totable() }, { dtype, { 2, 3 }, { 0.0, 0.5 } })
    lt.save(folder .. ".npy", z)
    expect.equal(read(folder .. ".npy"), read("tests/data/" .. dtype .. ".npy"))
  end
  local big = lt.load("tests/data/big_complex.npy")
  expect.equal({ big.dtype, big:imag():totable() }, { "complex64", { -0.5, -0.5, -0.5 } })
  os.remove(folder .. ".npy")
end)

expect.case("gradients are those of the parts", function()
  local a, b = sample({ 2, 3 }, 1), sample({ 3 }, 5)
  for name, f in pairs {
    add = function(x, y) return x + y end, sub = function(x, y) return x - y end, mul = function(x, y) return x * y end,
    div = function(x, y) return x / y end, pow = function(x, y) return x ^ y end,
    matmul = function(x, y) return x:matmul(y) end, einsum = function(x, y) return lt.einsum("ij,j->i", x, y) end,
    dot = function(x, y) return lt.dot(x, y) end, outer = function(x, y) return lt.outer(x, y) end,
    where = function(x, y) return lt.where(lt.constant { true, false, true }, x, y) end,
    joined = function(x, y) return lt.concat { x, y:expand_dims(1) } end,
  } do
    check_gradient(name, f, a, b)
  end
  local c, d = sample({ 2, 3 }, 11), sample({ 2, 2, 3 }, 12)
  check_gradient("transposed", function(x, y) return lt.matmul(x, y, { transpose_a = true }) end, c, sample({ 2, 2 }, 13))
  check_gradient("batches", function(x, y) return lt.matmul(x, y, { transpose_b = true }) end, d, c)
  check_gradient("batch and matrix", function(x, y) return lt.matmul(x, y) end, d, sample({ 3, 2 }, 14))
  for _, name in ipairs { "neg", "square", "reciprocal", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "abs", "angle", "real", "imag", "conj", "sum", "mean", "prod", "cumsum", "cumprod", "transpose", "flatten" } do
    check_gradient(name, function(x) return x[name](x) end, c)
  end
  check_gradient("pow by a number", function(x) return x ^ 3 end, c)
  check_gradient("prod along an axis", function(x) return x:prod { axis = 2 } end, c)
  check_gradient("mean along an axis", function(x) return x:mean { axis = 1 } end, c)
  check_gradient("trace", function(x) return x:trace() end, c)
  check_gradient("indices", function(x) return x:gather({ 1, 1, 3 }, 2) + x[{ {}, { 2, 3 } }]:sum() end, c)
  check_gradient("cast", function(x) return x:cast("float64") end, c)
  check_gradient("exp of a sum of squares", function(x) return (x * x:conj()):real():sum():exp() end, c * 0.3)
  -- A real factor gets a real gradient.
  local x = lt.constant({ 1.0, 2.0 }, { dtype = "float64" })
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local slope = tape:gradient((x * lt.complex(3, 4)):abs():sum(), x)
  expect.equal({ slope.dtype, slope:totable() }, { "float64", { 5.0, 5.0 } })
  -- So does a real matrix of a complex system: that of its inverse's product.
  local a = lt.constant({ { 2.0, 1.0 }, { 0.5, 3.0 } }, { dtype = "float64" })
  local b = lt.complex(a * 0.5 + 1, a - 2)
  local function slope_of(solve)
    local tape <close> = lt.GradientTape()
    tape:watch(a)
    return tape:gradient(solve(a):abs():sum(), a)
  end
  local solved = slope_of(function(x) return lt.solve(x, b) end)
  expect.equal(solved.dtype, "float64")
  expect.close(solved:totable(), slope_of(function(x) return lt.matmul(lt.inv(x), b) end):totable(), 1e-12)
end)

-- PyTorch 2.15: z = torch.tensor([1+2j, -0.5+1j], dtype=torch.complex128, requires_grad=True), f(z).backward(), z.grad.
expect.case("PyTorch's gradients", function()
  local function slope(f)
    local z = lt.complex(lt.constant({ 1.0, -0.5 }, { dtype = "float64" }), lt.constant({ 2.0, 1.0 }, { dtype = "float64" }))
    local tape <close> = lt.GradientTape()
    tape:watch(z)
    return tape:gradient(f(z), z):totable()
  end
  expect.close(slope(function(z) return (z * z):real():sum() end), { { 2, -4 }, { -1, -2 } }, 1e-14)
  expect.close(slope(function(z) return z:abs():sum() end),
    { { 0.4472135954999579, 0.8944271909999159 }, { -0.4472135954999579, 0.8944271909999159 } }, 1e-14)
  expect.close(slope(function(z) return z:exp():imag():sum() end), { { 2.4717266720048188, -1.1312043837568135 }, { 0.5103779515445728, 0.32770991402245986 } }, 1e-13)
  expect.close(slope(function(z) return (z ^ 1.5):real():sum() end), { { 1.9080294742711035, -1.1792270666361349 }, { 0.8338394553771318, -1.3491805799609005 } }, 1e-13)
end)

expect.case("positions, and sums at them", function()
  local z = lt.complex({ 1, 0, 0, 3 }, { 0, 0, -2, 1 })
  expect.equal(lt.nonzero(z):totable(), { { 1 }, { 3 }, { 4 } })
  expect.equal(lt.where(z):totable(), { { 1 }, { 3 }, { 4 } })
  expect.equal(lt.scatter_nd({ { 2 }, { 3 }, { 2 }, { 1 } }, z, { 3 }):totable(), { { 3.0, 1.0 }, { 1.0, -2.0 }, { 0.0, 0.0 } })
  expect.equal(lt.index_add(z, { 1, 1 }, lt.complex({ 1, 2 }, { 5, 6 })):totable()[1], { 4.0, 11.0 })
  expect.equal(lt.scatter(z, { 4, 3, 2, 1 }, z):totable(), z:flip():totable())
  expect.equal(lt.scatter(z, { 4, 4, 4, 4 }, z, { reduce = "add" }):totable()[4], { 7.0, 0.0 })
  check_gradient("scatter_nd", function(x) return lt.scatter_nd({ { 2 }, { 2 }, { 1 } }, x, { 3 }) end, sample({ 3 }, 51))
  check_gradient("index_add", function(x, y) return lt.index_add(x, { 1, 1 }, y) end, sample({ 3 }, 51), sample({ 2 }, 53))
  for name, f in pairs { kron = lt.kron, cross = lt.cross, polyval = lt.polyval } do
    check_gradient(name, f, sample({ 3 }, 55), sample({ 2, 3 }, 57))
  end
  check_gradient("trapezoid", function(x) return lt.trapezoid(x) end, sample({ 2, 3 }, 57))
end)

expect.case("what refuses complex tensors", function()
  local z = lt.complex({ 1, 2 }, { 3, 4 })
  refuses("lt: a is complex64, expected", lt.lt, z, z)
  refuses("max: x is complex64, expected a real number; take its parts: x:real(), x:imag(), x:abs() or x:angle()", lt.max, z)
  refuses("maximum: a is complex64, expected a real number", lt.maximum, z, 1)
  refuses("floordiv: a is complex64", function() return z // 2 end)
  refuses("mod: a is complex64", function() return z % 2 end)
  refuses("bitwise_and: a is complex64", function() return z & 1 end)
  for _, name in ipairs { "floor", "round", "sign", "expm1", "erf", "relu", "sigmoid", "softmax", "argmax", "sort", "median",
    "log1p", "asin", "cummax" } do
    expect.raises("InvalidArgument", "x is complex64", z[name], z)
  end
  refuses("random.normal: dtype is complex64", lt.random.normal, { 2 }, { dtype = "complex64" })
  refuses("range: no kernel for complex64", lt.range, 3, { dtype = "complex64" })
  local v = lt.Variable(lt.ones { 2 })
  refuses("value is complex64, which the variable", v.assign, v, z)
  refuses("real is complex64", lt.complex, z, 1)
  refuses("does not fit int32", lt.fill, { 2 }, 1.5, { dtype = "int32" })
end)

expect.case("on a simulated GPU's machine they stay on the CPU", function()
  lt.config.reset()
  lt.config.set_simulated_gpus(1)
  local x = lt.ones { 4 }
  assert(x.device:find "GPU:0")
  local z = lt.complex(x, 2)
  assert(z.device:find "CPU:0" and (z * x).device:find "CPU:0" and z:abs().device:find "CPU:0")
  expect.close((z:abs() + x):totable()[1], 5 ^ 0.5 + 1, 1e-6)
  expect.equal(z:to("GPU:0"):totable()[1], { 1.0, 2.0 })
end)

expect.case("powers at the edges, and gradients through recomputed functions", function()
  local zero = lt.complex({ 0, 0 }, 0) ^ lt.complex({ 1, 2 }, { 0.5, 1 })
  expect.equal(zero:totable(), { { 0.0, 0.0 }, { 0.0, 0.0 } })
  local large = (lt.complex({ 0 }, 1e20) ^ -2):totable()[1]
  assert(math.abs(large[1] / -1e-40 - 1) < 1e-3 and large[2] == 0, large[1])
  local z = lt.complex({ 1.5, 2 }, { 5, 6 })
  local slopes = {}
  for i, f in ipairs { lt.recompute_grad(function(x) return x:abs() end), lt.abs } do
    local tape <close> = lt.GradientTape()
    tape:watch(z)
    slopes[i] = tape:gradient(f(z):sum(), z)
  end
  expect.equal(slopes[1]:totable(), slopes[2]:totable())
end)

expect.case("norms, variances, differences and questions: NumPy's answers", function()
  local z = lt.complex(lt.constant({ { 3, 0, 1 }, { -1, 2, 0.5 } }, { dtype = "float64" }), { { 4, 0, -2 }, { 0.25, 1, 3 } })
  local function near(x, wanted)
    expect.equal(x.dtype, "float64")
    assert(lt.allclose(x, lt.constant(wanted, { dtype = "float64" }), { rtol = 1e-14, atol = 0 }):item(), tostring(x))
  end
  near(z:norm(), 6.73145600891813)
  near(z:norm { axis = 2 }, { 5.477225575051661, 3.9131189606246317 })
  near(z:norm { ord = 1 }, 13.544293626553104)
  near(z:norm { axis = 1, ord = math.huge }, { 5, 2.23606797749979, 3.0413812651491097 })
  near(z:var(), 5.626736111111111)
  near(z:std { axis = 1, ddof = 1 }, { 3.877015604817706, 1.5811388300841898, 3.5531676008879738 })
  expect.equal(z:complex64():var().dtype, "float32")
  near(lt.complex(lt.constant({ 1e200, 1e-200 }, { dtype = "float64" }), 0):norm(), 1e200)
  expect.equal(lt.diff(z):totable(), { { { -3.0, -4.0 }, { 1.0, -2.0 } }, { { 3.0, 0.75 }, { -1.5, 2.0 } } })
  expect.equal(lt.gradient(z)[2]:totable(), { { 3.0, 0.75 }, { 0.75, 1.375 }, { -1.5, 2.0 } })
  local odd = lt.complex({ 0 / 0, 1, 2, 3 }, { 1, -math.huge, 0 / 0, 4 })
  expect.equal(odd:isnan():totable(), { true, false, true, false })
  expect.equal(odd:isinf():totable(), { false, true, false, false })
  expect.equal(odd:isfinite():totable(), { false, false, false, true })
  expect.equal(lt.isclose(z, z + lt.complex(0, 1e-9)):all():item(), true)
  expect.equal(lt.allclose(z, z:conj()):item(), false)
  expect.equal({ lt.array_equal(z, z):item(), lt.array_equal(z, z:conj()):item(), lt.array_equal(z, z[1]):item() }, { true, false, false })
  expect.equal({ lt.array_equal(odd, odd):item(), lt.array_equal(odd, odd, { equal_nan = true }):item() }, { false, true })
  expect.equal(lt.array_equal(lt.complex({ 1, 2 }, 0), { 1, 2 }):item(), true)

  -- Gradients against differences.
  for name, f in pairs {
    norm = function(x) return x:norm { axis = 1 }:sum() end, norm1 = function(x) return (x + 0.3):norm { ord = 1 } end,
    largest = function(x) return x:norm { ord = math.huge } end, var = function(x) return x:var() end,
    std = function(x) return x:std { axis = 1 }:sum() end, diff = function(x) return lt.diff(x):abs():square():sum() end,
  } do
    local tape <close> = lt.GradientTape()
    tape:watch(z)
    local slopes = tape:gradient(f(z), z)
    for at = 1, 6 do
      local step = lt.one_hot(at, 6, { dtype = "float64" }):reshape { 2, 3 } * 1e-6
      for part, move in ipairs { lt.complex(step, 0), lt.complex(0, step) } do
        local slope = ((f(z + move) - f(z - move)) / 2e-6):item()
        local own = select(part, slopes:reshape { 6 }[at]:item())
        assert(math.abs(own - slope) < 1e-7, ("%s: element %d, part %d: %g, not %g"):format(name, at, part, own, slope))
      end
    end
  end
end)

print("complex passed")
