-- Windows, frames, spectrograms and cosine transforms against SciPy: the data of make_numerics_golden.py.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "golden.numerics_golden"

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
local function tensor(given)
  if type(given) ~= "table" then return given end
  if #given == 0 then return lt.zeros(given.shape, { dtype = "float64" }) end
  return lt.constant(table.move(given, 1, #given, 1, {}), { dtype = "float64" }):reshape(given.shape)
end
local functions = { dct = true, idct = true, spectrogram = true, hann_window = true, hamming_window = true, blackman_window = true }

expect.case("SciPy's results", function()
  local count = 0
  for _, case in ipairs(golden) do
    if functions[case.op] then
      count = count + 1
      local args, given = {}, {}
      for i, arg in ipairs(case.args) do args[i] = tensor(arg) end
      for key, value in pairs(case.options) do given[key] = value end
      if case.op:find "window" then given.dtype = "float64" end
      args[#args + 1] = given
      local got, wanted = lt[case.op](table.unpack(args)), tensor(case.gives[1])
      assert(got.dtype == "float64" and got.shape == wanted.shape, ("%s: %s %s"):format(case.op, got.dtype, got.shape))
      assert(lt.allclose(got, wanted, { rtol = 1e-12, atol = 1e-12 }):item(), ("%s, case %d: %s, not %s"):format(case.op, count, got, wanted))
      if not case.op:find "window" then
        args[1] = args[1]:float32()
        got = lt[case.op](table.unpack(args))
        assert(got.dtype == "float32" and lt.allclose(got, wanted:float32(), { rtol = 1e-4, atol = 1e-3 }):item(), case.op)
      end
    end
  end
  assert(count > 60, count)
end)

expect.case("a tone is where its frequency is, long frames keep their digits, and gradients pass", function()
  local wave = lt.cos(lt.range(8192):float64() * (2 * math.pi * 1000 / 4096))
  local power = lt.spectrogram(wave, 4096, 2048)
  expect.equal(power:argmax(-1):totable(), { 1001, 1001, 1001 })
  assert(math.abs(power[{ 1, 1001 }]:item() - 1024 ^ 2) < 1e-4, "half of the window's sum")
  assert(power[{ 1, 500 }]:item() < 1e-12)
  local x = lt.constant { 1.0, -2.0, 3.0, 0.5 }
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(x)
  -- Parseval: with no window the powers, both sides counted, sum to n times the sum of squares.
  local both = (lt.spectrogram(x, 4, 4, { window = false }) * lt.constant { 1.0, 2.0, 1.0 }):sum()
  local energy = lt.dct(x, { norm = "ortho" }):square():sum()
  assert(lt.allclose(tape:gradient(both, x), x * 8, { atol = 1e-4 }):item())
  assert(lt.allclose(tape:gradient(energy, x), x * 2, { atol = 1e-5 }):item())
  expect.equal(lt.frame({ { 1, 2, 3, 4 } }, 2, 1):totable(), { { { 1, 2 }, { 2, 3 }, { 3, 4 } } })
  assert(lt.frame({ 1, 2 }, 3, 1).shape == lt.zeros({ 0, 3 }).shape)
  assert(lt.hann_window(4, { dtype = "float16" }).dtype == "float16" and #lt.hann_window(0) == 0)
  assert(lt.allclose(lt.spectrogram({ 1, 2, 3, 4 }, 4, 1, { window = lt.ones { 4 } }), lt.constant { { 100.0, 8.0, 4.0 } }, { atol = 1e-4 }):item())
end)

expect.case("cosine transforms: gradients, halves, empty batches, and 100,000 samples in little memory", function()
  for kind = 1, 4 do
    for n = 2, 5 do
      for _, norm in ipairs { false, "ortho" } do
        local options = { type = kind, norm = norm or nil }
        -- By columns the transforms of unit vectors; the gradient of a sum with weights is its product with them.
        local matrix = lt.dct(lt.eye(n, { dtype = "float64" }), options)
        local weights, x = lt.range(1, n + 1):float64() ^ 2, lt.range(n):float64()
        local tape <close> = lt.GradientTape { persistent = true }
        tape:watch(x)
        local y = (lt.dct(x, options) * weights):sum()
        expect.close(tape:gradient(y, x):totable(), matrix:matmul(weights):totable(), 1e-12, ("type %d, %d samples"):format(kind, n))
        local half = lt.dct(lt.constant({ x:totable() }, { dtype = "float16" }), options)
        expect.equal({ half.dtype, half.shape[2] }, { "float16", n })
        expect.close(half:float64():totable()[1], lt.dct(x, options):totable(), 0.02)
        expect.equal({ table.unpack(lt.dct(lt.zeros { 0, n }, options).shape) }, { 0, n })
      end
    end
    local x = lt.cos(lt.range(100000):float64() ^ 2)
    local again = lt.idct(lt.dct(x, { type = kind }), { type = kind })
    assert((again - x):abs():max():item() < 1e-12)
  end
end)

expect.case("mistakes", function()
  refuses("spectrogram: frame_length is 0, expected a whole number, 1 or more", lt.spectrogram, { 1.0 }, 0, 1)
  refuses("spectrogram: frame_step is nil, expected a whole number", lt.spectrogram, { 1.0 }, 1)
  refuses("spectrogram: fft_length is 2, expected a whole number, 4 or more", lt.spectrogram, { 1.0 }, 4, 1, { fft_length = 2 })
  refuses('spectrogram: window is "kaiser", which is not known', lt.spectrogram, { 1.0 }, 1, 1, { window = "kaiser" })
  refuses("spectrogram: window has the shape (3,), expected a number for each", lt.spectrogram, { 1.0 }, 1, 1, { window = lt.ones { 3 } })
  refuses("spectrogram: power is 0, expected a number above 0", lt.spectrogram, { 1.0 }, 1, 1, { power = 0 })
  refuses("spectrogram: x is a scalar", lt.spectrogram, lt.constant(1.0), 1, 1)
  refuses("spectrogram: x is bool, expected a number", lt.spectrogram, { true }, 1, 1)
  refuses("dct: type is 5, expected 1, 2, 3 or 4", lt.dct, { 1.0 }, { type = 5 })
  refuses("dct: type is \"ii\", expected 1, 2, 3 or 4", lt.dct, { 1.0 }, { type = "ii" })
  refuses("dct: x has 1 sample along its last axis, expected 2 or more for type 1", lt.dct, { 1.0 }, { type = 1 })
  refuses('dct: norm is "backward", which is not known', lt.dct, { 1.0 }, { norm = "backward" })
  refuses("idct: x (0,) has no samples along its last axis", lt.idct, lt.zeros { 0 })
  refuses("hann_window: n is -1, expected a whole number, 0 or more", lt.hann_window, -1)
  refuses("hamming_window: unknown option 'sym'", lt.hamming_window, 3, { sym = true })
  refuses("frame: x is nil, expected a tensor", lt.frame)
  refuses("dct: 3 arguments given, at most 2 are taken", lt.dct, { 1.0 }, {}, 1)
end)
print("signal passed")
