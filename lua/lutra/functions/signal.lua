-- Windows, frames, cosine transforms and spectra. They are documented in _meta/lutra.lua. Spectrograms are products with
-- matrices of cosines, so that they run wherever matmul does; the transforms are calls of fft.
local lutra, tools, use = ...
local options = use "options"
local signal = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

-- The samples along the last axis, as floats.
local function samples(who, value)
  value = options.tensor(who, "x", value)
  if value.rank == 0 then fail("%s: x is a scalar, which has no axis of samples", who) end
  if value.dtype == "bool" then fail("%s: x is bool, expected a number", who) end
  return options.as_float(value, who, "x")
end

-- The cosines, or sines, of a whole turn times rows * columns / period, exact for large products too.
local function turns(wave, rows, columns, period, dtype)
  local angle = lutra.outer(rows, columns) % period
  return (wave(angle:cast("float64") * (2 * math.pi / period)):cast(dtype))
end

local function whole(first, last, step) return lutra.range(first, last, step or 1, { dtype = "int64" }) end

-- The sum of a window's coefficients times cosines.
local function window(who, n, given, coefficients)
  local read = options.read(who, given, { periodic = true, dtype = "float32" })
  options.count(who, "n", n, 0)
  local period = read.periodic and n or n - 1
  if n < 2 then return lutra.ones({ n }, { dtype = read.dtype }) end
  local sum = lutra.zeros({ n }, { dtype = "float64" })
  for k, coefficient in ipairs(coefficients) do
    local angle = (whole(0, n) * (k - 1)) % period
    sum = sum + lutra.cos(angle:cast("float64") * (2 * math.pi / period)) * coefficient
  end
  return (sum:cast(read.dtype))
end

local windows = { hann = { 0.5, -0.5 }, hamming = { 0.54, -0.46 }, blackman = { 0.42, -0.5, 0.08 } }
for name, coefficients in pairs(windows) do
  local who = name .. "_window"
  signal[who] = options.bounded(who, 2, function(n, given) return (window(who, n, given, coefficients)) end, true)
end

-- A window made by shape(x) of places x from -1 to 1.
local function shaped(who, n, given, shape)
  local read = options.read(who, given, { periodic = true, dtype = "float32" })
  options.count(who, "n", n, 0)
  if n < 2 then return lutra.ones({ n }, { dtype = read.dtype }) end
  local period = read.periodic and n or n - 1
  return (shape((whole(0, n) * 2 - period):cast("float64") / period):cast(read.dtype))
end

function signal.bartlett_window(n, given)
  return (shaped("bartlett_window", n, given, function(x) return 1 - lutra.abs(x) end))
end

function signal.kaiser_window(n, beta, given)
  local who = "kaiser_window"
  if beta == nil then beta = 12 end
  options.number(who, "beta", beta)
  if not (math.abs(beta) <= 700) then fail("%s: beta is %s, expected a number from -700 to 700", who, beta) end
  return (shaped(who, n, given, function(x)
    local peak = lutra.bessel_i0(lutra.constant(beta, { dtype = "float64" }))
    return lutra.bessel_i0(lutra.sqrt(lutra.maximum(1 - x * x, 0)) * beta) / peak
  end))
end

local function frames_of(who, x, length, step)
  options.count(who, "frame_length", length, 1)
  options.count(who, "frame_step", step, 1)
  local n = x.shape[x.rank]
  local count = n < length and 0 or (n - length) // step + 1
  local places = lutra.expand_dims(whole(0, count) * step, 2) + whole(1, length + 1)
  return (lutra.gather(x, places, x.rank))
end

function signal.frame(x, length, step)
  x = options.tensor("frame", "x", x)
  if x.rank == 0 then fail("frame: x is a scalar, which has no axis of samples") end
  return (frames_of("frame", x, length, step))
end

-- The window's numbers: a name, a tensor or false for none.
local function window_of(who, weights, length, dtype)
  if type(weights) == "string" then
    weights = window(who, length, { dtype = dtype }, options.word(who, "window", weights, windows))
  end
  if not weights then return nil end
  weights = options.tensor(who, "window", weights, "a name or a tensor")
  if weights.rank ~= 1 or #weights ~= length then
    fail("%s: window has the shape %s, expected a number for each of frame_length's %d samples", who,
      tostring(weights.shape), length)
  end
  return weights
end

function signal.spectrogram(x, length, step, given)
  local who = "spectrogram"
  local read = options.read(who, given, { fft_length = false, window = "hann", power = 2 })
  x = samples(who, x)
  options.positive(who, "power", read.power)
  local frames = frames_of(who, x, length, step)
  local size = read.fft_length and options.count(who, "fft_length", read.fft_length, length) or length
  local weights = window_of(who, read.window, length, x.dtype)
  if weights then frames = frames * weights end
  local times, frequencies = whole(0, length), whole(0, size // 2 + 1)
  local real = lutra.matmul(frames, turns(lutra.cos, times, frequencies, size, x.dtype))
  local imaginary = lutra.matmul(frames, turns(lutra.sin, times, frequencies, size, x.dtype))
  if read.power == 1 then return (lutra.hypot(real, imaginary)) end
  local power = real * real + imaginary * imaginary
  return read.power == 2 and power or power ^ (read.power / 2)
end

function signal.stft(x, length, step, given)
  local who = "stft"
  local read = options.read(who, given, { fft_length = false, window = "hann" })
  x = samples(who, x)
  local frames = frames_of(who, x, length, step)
  local size = read.fft_length and options.count(who, "fft_length", read.fft_length, length) or length
  local weights = window_of(who, read.window, length, x.dtype)
  if weights then frames = frames * weights end
  return (lutra.fft.rfft(frames, { n = size }))
end

-- The sum of frames [..., frames, length], each `step` further on.
local function overlap_add(frames, step)
  local shape, rank = frames.shape, frames.rank
  local count, length = shape[rank - 1], shape[rank]
  local n = count == 0 and 0 or (count - 1) * step + length
  local sizes = {}
  for i = 1, rank - 2 do sizes[i] = shape[i] end
  if frames.size == 0 then
    sizes[#sizes + 1] = n
    return (lutra.zeros(sizes, { dtype = frames.dtype }))
  end
  local lines = frames:reshape { -1, count * length }
  local places = (lutra.expand_dims(whole(0, count) * step, 2) + whole(1, length + 1)):reshape { count * length }
  local sum = lutra.scatter_add(lutra.zeros({ n, lines.shape[1] }, { dtype = frames.dtype }), places, lines:transpose())
  sizes[#sizes + 1] = n
  return (sum:transpose():reshape(sizes))
end

-- The signal whose frames' transforms come closest to those given (Griffin and Lim, 1984).
function signal.istft(y, length, step, given)
  local who = "istft"
  local read = options.read(who, given, { fft_length = false, window = "hann", length = false })
  if not tools.is_tensor(y) or not y.dtype:find "complex" or y.rank < 2 then
    fail("%s: y is %s, expected a complex tensor [..., frames, frequencies]", who, tools.what_is(y))
  end
  options.count(who, "frame_length", length, 1)
  options.count(who, "frame_step", step, 1)
  local size = read.fft_length and options.count(who, "fft_length", read.fft_length, length) or length
  if y.shape[y.rank] ~= size // 2 + 1 then
    fail("%s: y has %d frequencies, expected %d for fft_length %d", who, y.shape[y.rank], size // 2 + 1, size)
  end
  local dtype = y.dtype == "complex128" and "float64" or "float32"
  local weights = window_of(who, read.window, length, dtype) or lutra.ones({ length }, { dtype = dtype })
  local count = y.shape[y.rank - 1]
  local frames = lutra.fft.irfft(y, { n = size })
  if size > length then frames = lutra.split(frames, { length, size - length }, -1)[1] end
  local sum = overlap_add(frames * weights, step)
  local norm = overlap_add(lutra.broadcast_to(weights * weights, { count, length }), step)
  -- Where nothing lies no quotient is formed, as its gradient would be nan.
  local is_there = norm:gt(1e-11)
  local result = lutra.where(is_there, sum / lutra.where(is_there, norm, 1), 0)
  if not read.length then return result end
  local n = options.count(who, "length", read.length, 0)
  local own = result.shape[result.rank]
  if n <= own then return (lutra.split(result, { n, own - n }, -1)[1]) end
  local paddings = {}
  for axis = 1, result.rank do paddings[axis] = { 0, axis == result.rank and n - own or 0 } end
  return (lutra.pad(result, paddings))
end

-- Columns of a matrix from `first` to `last`, every `step`-th.
local function columns(x, first, last, step)
  if last < first then return (lutra.zeros({ x.shape[1], 0 }, { dtype = x.dtype })) end
  return x[{ {}, { first, last, step or 1 } }]
end

-- cos(t) + i sin(t) of t = pi k / (2 n), for k from 0 to n // 2.
local function half_turns(n, sign, dtype)
  local angle = whole(0, n // 2 + 1):cast("float64") * (sign * math.pi / (2 * n))
  return (lutra.complex(lutra.cos(angle), lutra.sin(angle)):cast(dtype == "float64" and "complex128" or "complex64"))
end

-- The transforms of the rows of x, [rows, n], as SciPy scales them. Types 2 and 3 are one transform of n real points each
-- (Makhoul, 1980).
local transforms = {}

-- The samples with even numbers, then the others from the last one to the first.
transforms[2] = function(x, n)
  if n == 1 then return x * 2 end
  local reordered = lutra.concat({ columns(x, 1, n, 2), lutra.flip(columns(x, 2, n, 2), 2) }, 2)
  local y = lutra.fft.rfft(reordered) * half_turns(n, -1, x.dtype)
  local low, high = lutra.real(y), columns(lutra.imag(y), 2, (n + 1) // 2)
  return lutra.concat({ low, -lutra.flip(high, 2) }, 2) * 2
end

transforms[3] = function(x, n)
  if n == 1 then return x end
  local half = n // 2
  local mirrored = lutra.concat({ lutra.zeros({ x.shape[1], 1 }, { dtype = x.dtype }),
    lutra.flip(columns(x, n - half + 1, n), 2) }, 2)
  local y = lutra.complex(columns(x, 1, half + 1), -mirrored) * half_turns(n, 1, x.dtype)
  local v = lutra.fft.irfft(y, { n = n, norm = "forward" })
  local even, odd = columns(v, 1, n - half), lutra.flip(columns(v, n - half + 1, n), 2)
  local last = even[{ {}, { n - half, n - half } }]
  local pairs_of = lutra.stack({ columns(even, 1, half), odd }, 3):reshape { x.shape[1], 2 * half }
  return n % 2 == 0 and pairs_of or lutra.concat({ pairs_of, last }, 2)
end

-- Of the samples and their mirror image.
transforms[1] = function(x, n)
  return (lutra.real(lutra.fft.rfft(lutra.concat({ x, lutra.flip(columns(x, 2, n - 1), 2) }, 2))))
end

-- Every second number of the transform of type 2 of twice the samples.
transforms[4] = function(x, n)
  return columns(transforms[2](lutra.concat({ x, lutra.zeros_like(x) }, 2), 2 * n), 2, 2 * n, 2)
end

-- Factors of the rows' ends, the first column and, of type 1, the last; 1 elsewhere.
local function scaled_ends(x, n, kind, factor)
  local places = whole(0, n)
  local is_end = places:eq(0)
  if kind == 1 then is_end = is_end:logical_or(places:eq(n - 1)) end
  local factors = lutra.where(is_end, lutra.constant(factor, { dtype = "float64" }), 1)
  return x * factors:cast(x.dtype)
end

local function cosine_transform(who, x, kind, is_orthonormal)
  local given = samples(who, x)
  local n = given.shape[given.rank]
  if n == 0 then fail("%s: x %s has no samples along its last axis", who, tostring(given.shape)) end
  if kind == 1 and n == 1 then fail("%s: x has 1 sample along its last axis, expected 2 or more for type 1", who) end
  x = given:reshape { given.size // n, n }
  if x.dtype ~= "float64" then x = x:cast("float32") end
  if is_orthonormal and (kind == 1 or kind == 3) then x = scaled_ends(x, n, kind, math.sqrt(2)) end
  local y = x.size == 0 and x or transforms[kind](x, n)
  if is_orthonormal then
    if kind == 1 or kind == 2 then y = scaled_ends(y, n, kind, math.sqrt(0.5)) end
    y = y / math.sqrt(2 * (kind == 1 and n - 1 or n))
  end
  return (y:cast(given.dtype):reshape(given.shape))
end

local function transform_options(who, given)
  local read = options.read(who, given, { type = 2, norm = false })
  if not transforms[read.type] then fail("%s: type is %s, expected 1, 2, 3 or 4", who, tools.what_is(read.type)) end
  if read.norm then options.word(who, "norm", read.norm, { ortho = true }) end
  return read
end

function signal.dct(x, given)
  local read = transform_options("dct", given)
  return (cosine_transform("dct", x, read.type, read.norm))
end

local kInverses = { 1, 3, 2, 4 }

function signal.idct(x, given)
  local read = transform_options("idct", given)
  local y = cosine_transform("idct", x, kInverses[read.type], read.norm)
  if read.norm then return y end
  local n = y.shape[y.rank]
  return y / (2 * (read.type == 1 and n - 1 or n))
end

local counts = { bartlett_window = 2, kaiser_window = 3, frame = 3, spectrogram = 4, stft = 4, istft = 4, dct = 2,
  idct = 2 }
for name, count in pairs(counts) do
  signal[name] = options.bounded(name, count, signal[name], true)
end

return signal
