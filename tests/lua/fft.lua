-- Fourier transforms: NumPy's results (make_complex_golden.py), long ones against sums, gradients, and short-time transforms.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "golden.complex_golden"

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
local kReal = { complex64 = "float32", complex128 = "float64" }

local function tensor(given, dtype)
  if type(given) ~= "table" or not given.shape then return given end
  local function part(list) return lt.constant(list, { dtype = kReal[dtype] }):reshape(given.shape) end
  return given.im and lt.complex(part(given.re), part(given.im)) or part(given.re)
end
local function norm(t) return t:abs():square():sum():sqrt():item() end

expect.case("NumPy's results", function()
  local count = 0
  for i, case in ipairs(golden) do
    local name = case.op:match "^fft%.(.*)" or case.op == "stft" and "stft"
    if name then
      count = count + 1
      for dtype, tolerance in pairs { complex128 = 1e-14, complex64 = 1e-6 } do
        local args = {}
        for k, arg in ipairs(case.args) do args[k] = tensor(arg, dtype) end
        local options = table.move(case.options, 1, #case.options, 1, {})
        for key, value in pairs(case.options) do options[key] = value end
        if name:find "freq" then options.dtype = kReal[dtype] end
        if next(options) then args[#args + 1] = options end
        local wanted = tensor(case.gives, dtype)
        local got = (name == "stft" and lt or lt.fft)[name](table.unpack(args))
        assert(got.dtype == wanted.dtype and got.shape == wanted.shape,
          ("case %d, %s: %s %s, not %s %s"):format(i, case.op, got.dtype, got.shape, wanted.dtype, wanted.shape))
        local off = norm(got - wanted)
        assert(off <= tolerance * math.max(norm(wanted), 1), ("case %d, %s of %s: off by %g: %s, not %s"):format(i, case.op, dtype, off, got, wanted))
      end
    end
  end
  assert(count > 200, count)
end)

-- The n-th roots' powers: the transform of a wave with one frequency is one number, and that of a number is a wave.
expect.case("long transforms of waves", function()
  for _, n in ipairs { 1000, 1024, 1009, 4096, 6561, 10007, 65536, 100000, 262144, 3 * 65536 } do
    local k = n // 3 + 1
    local angle = ((lt.range(n):int64() * k) % n):float64() * (2 * math.pi / n)
    local wave = lt.complex(angle:cos(), angle:sin())
    for dtype, tolerance in pairs { complex128 = 2e-15, complex64 = 1e-6 } do
      local y = lt.fft.fft(wave:cast(dtype))
      local wanted = lt.zeros({ n }, { dtype = dtype })
      wanted = lt.tensor_scatter_nd_update(wanted, { { k + 1 } }, { n })
      assert(norm(y - wanted) < tolerance * n, ("%d points of %s: off by %g"):format(n, dtype, norm(y - wanted) / n))
      assert(norm(lt.fft.ifft(y) - wave:cast(dtype)) < tolerance * n ^ 0.5, n)
      local real = angle:cos():cast(kReal[dtype])
      local half = lt.fft.rfft(real)
      assert(norm(half - lt.fft.fft(real)[{ { 1, n // 2 + 1 } }]) < tolerance * n, n)
      assert(norm(lt.fft.irfft(half, { n = n }) - real) < tolerance * n ^ 0.5, n)
    end
  end
end)

-- However the lines of a tensor lie, and on however many threads, they are transformed alike.
expect.case("lines, rows and columns have the same results", function()
  for _, n in ipairs { 7, 16, 60, 97, 128, 1000 } do
    for _, rows in ipairs { 1, 3, 16, 40 } do
      local x = lt.complex(lt.random.normal({ rows, n }, { seed = n }), lt.random.normal({ rows, n }, { seed = n + 1 }))
      local y = lt.fft.fft(x)
      local columns = lt.fft.fft(x:transpose(), { axis = 1 }):transpose()
      assert(norm(y - columns) <= 1e-6 * norm(y), ("%d rows of %d"):format(rows, n))
      for row = 1, rows, 7 do assert(norm(y[row] - lt.fft.fft(x[row])) <= 1e-6 * norm(y), n) end
      local cut = lt.fft.rfft(x:real(), { n = n + 5 }) - lt.fft.rfft(lt.pad(x:real(), { { 0, 0 }, { 0, 5 } }))
      assert(norm(cut) <= 1e-6 * norm(y))
    end
  end
  local z = lt.complex(lt.random.normal({ 8, 12, 10 }, { seed = 1 }), lt.random.normal({ 8, 12, 10 }, { seed = 2 }))
  assert(norm(lt.fft.ifftn(lt.fft.fftn(z)) - z) < 1e-6 * norm(z))
  assert(norm(lt.fft.irfftn(lt.fft.rfftn(z:real(), { axes = { 3, 1 } }), { axes = { 3, 1 } }) - z:real()) < 1e-6 * norm(z))
end)

local function check_gradient(what, f, x)
  local is_complex = x.dtype:find "complex"
  local function loss(v)
    local y = f(v)
    local w = lt.linspace(0.5, 1.5, y.size, { dtype = "float64" }):reshape(y.shape)
    if not y.dtype:find "complex" then return (y * y * w):sum() end
    return (y:real():square() * w):sum() + (y:imag() * y:real() * (w - 0.8)):sum() + (y:imag() * w):sum()
  end
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local slope = tape:gradient(loss(x), x)
  assert(slope.dtype == x.dtype and slope.shape == x.shape, what)
  local h = 1e-6
  for part = 1, is_complex and 2 or 1 do
    local got = (part == 1 and slope:real() or slope:imag()):flatten():totable()
    for i = 1, x.size do
      local step = (lt.one_hot(lt.constant(i), x.size, { dtype = "float64" }) * h):reshape(x.shape)
      if part == 2 then step = lt.complex(0, step) end
      local wanted = (loss(x + step) - loss(x - step)):item() / (2 * h)
      assert(math.abs(got[i] - wanted) <= 2e-6 * math.max(1, math.abs(wanted)),
        ("%s: part %d, element %d: %g, not %g"):format(what, part, i, got[i], wanted))
    end
  end
end

expect.case("gradients", function()
  local re, im = lt.random.normal({ 2, 5, 2 }, { seed = 3 }):float64(), lt.random.normal({ 2, 5, 2 }, { seed = 4 }):float64()
  local z = lt.complex(re, im)
  for _, norm_name in ipairs { "backward", "ortho", "forward" } do
    for _, n in ipairs { 4, 5, 7 } do
      local options = { n = n, axis = 2, norm = norm_name }
      local function named(name) return ("%s, %d points, %s"):format(name, n, norm_name) end
      check_gradient(named "fft", function(x) return lt.fft.fft(x, options) end, z)
      check_gradient(named "ifft", function(x) return lt.fft.ifft(x, options) end, z)
      check_gradient(named "fft of reals", function(x) return lt.fft.fft(x, options) end, re)
      check_gradient(named "rfft", function(x) return lt.fft.rfft(x, options) end, re)
      check_gradient(named "irfft", function(x) return lt.fft.irfft(x, options) end, z)
    end
  end
  check_gradient("fft2", function(x) return lt.fft.fft2(x) end, z)
  check_gradient("irfftn", function(x) return lt.fft.irfftn(x, { s = { 3, 4 }, axes = { 1, 2 } }) end, z)
  check_gradient("hfft", function(x) return lt.fft.hfft(x, { axis = 2 }) end, z)
  check_gradient("fftshift", function(x) return lt.fft.fftshift(x) end, z)
  check_gradient("stft", function(x) return lt.stft(x, 4, 2) end, lt.random.normal({ 9 }, { seed = 5 }):float64())
  -- A second derivative.
  local x = lt.constant({ 1.0, 2.0, -1.0 }, { dtype = "float64" })
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local inner <close> = lt.GradientTape()
  inner:watch(x)
  local y = lt.fft.rfft(x)
  local slope = inner:gradient((y:real() ^ 3):sum(), x)
  expect.close(outer:gradient(slope:sum(), x):totable(), { 36, 36, 36 }, 1e-12)
end)

expect.case("short-time transforms and back", function()
  local x = lt.random.normal({ 2, 200 }, { seed = 8 })
  for _, form in ipairs { { 16, 8, {} }, { 16, 4, { window = "hamming", fft_length = 20 } }, { 10, 10, { window = false } },
    { 9, 3, { fft_length = 9 } } } do
    local length, step, options = table.unpack(form)
    local y = lt.stft(x, length, step, options)
    local frames = (200 - length) // step + 1
    expect.equal(y.shape, { 2, frames, (options.fft_length or length) // 2 + 1 })
    assert(lt.allclose(y:abs():square(), lt.spectrogram(x, length, step, options), { atol = 1e-3 }):item())
    local back = lt.istft(y, length, step, options)
    local covered = (frames - 1) * step + length
    expect.equal(back.shape, { 2, covered })
    -- A window that begins with 0 leaves nothing of the first sample.
    local first = options.window == nil and 2 or 1
    assert(lt.allclose(back[{ {}, { first, covered } }], x[{ {}, { first, covered } }], { atol = 1e-5 }):item(), length)
    expect.equal(lt.istft(y, length, step, { window = options.window, fft_length = options.fft_length, length = 250 }).shape, { 2, 250 })
    expect.equal(lt.istft(y, length, step, { window = options.window, fft_length = options.fft_length, length = 30 }).shape, { 2, 30 })
  end
end)

expect.case("mistakes", function()
  local z = lt.complex({ 1, 2 }, 0)
  refuses("fft.fftn: axis 3 does not exist: x has the shape (2,)", lt.fft.fftn, z, { axes = { 3 } })
  refuses("fft.fftn: axes lists axis -1 twice", lt.fft.fftn, z, { axes = { 1, -1 } })
  refuses("fft.fft2: axis -2 does not exist", lt.fft.fft2, z)
  refuses("fft.fftn: s lists 2 sizes for 1 axes", lt.fft.fftn, z, { s = { 2, 2 }, axes = { 1 } })
  refuses("fft.fftn: s[1] is 0, expected a whole number, 1 or more", lt.fft.fftn, z, { s = { 0 } })
  refuses("fft.ifftn: norm is \"ortoh\"", lt.fft.ifftn, z, { norm = "ortoh" })
  refuses("fft.rfftn: ", lt.fft.rfftn, z)
  refuses("fft.fftfreq: n is 0, expected a whole number, 1 or more", lt.fft.fftfreq, 0)
  refuses("fft.fftfreq: d is 0", lt.fft.fftfreq, 3, { d = 0 })
  refuses("fft.fftshift: axis 2 does not exist", lt.fft.fftshift, { 1, 2 }, 2)
  refuses("istft: y is ", lt.istft, lt.ones { 2, 3 }, 4, 2)
  refuses("istft: y has 3 frequencies, expected 4", lt.istft, lt.zeros({ 2, 3 }, { dtype = "complex64" }), 6, 2)
  refuses("fft.fft: x is float16", lt.fft.fft, lt.ones({ 2 }, { dtype = "float16" }))
end)

expect.case("what an adversary found", function()
  refuses("fft.fftshift: axes is a table with names", lt.fft.fftshift, { 1, 2 }, { axes = { 1 } })
  refuses("fft.fftfreq: dtype is ", lt.fft.fftfreq, 4, { dtype = "int32" })
  for _, f in ipairs { lt.stft, lt.spectrogram } do
    refuses("x is complex64, expected a real number", f, lt.complex({ 1, 2, 3, 4 }, 1), 4, 2)
  end
  -- hann's first weight is 0: the first sample of istft is nowhere.
  local y = lt.stft(lt.random.normal({ 40 }, { seed = 1 }), 8, 4)
  local tape <close> = lt.GradientTape()
  tape:watch(y)
  local slope = tape:gradient(lt.istft(y, 8, 4):sum(), y)
  assert(slope:abs():isfinite():all():item(), slope)
  local ok, problem = pcall(lt.fft.fft, lt.ones { 3 }, { n = 1 << 44 })
  assert(not ok and problem.code == "ResourceExhausted", problem)
  expect.close(lt.fft.hfft({ 1.0, 2.0, 3.0 }):totable(), lt.fft.hfft(lt.complex({ 1, 2, 3 }, 0)):totable(), 1e-6)
end)

print("fft passed")
