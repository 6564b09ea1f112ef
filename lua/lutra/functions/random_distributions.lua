-- Random numbers of further distributions, made of uniform, normal, exponential and gamma numbers.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local random = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local kDTypes = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

-- The result's shape, the options, and the parameters: numbers, or tensors that broadcast to the shape. `tests` has for
-- each what is true of a good value, and its words.
local function read_call(who, shape, given, names, values, tests, defaults)
  local sizes = options.shape(who, "shape", tools.is_shape(shape) and { table.unpack(shape) } or shape)
  for i, size in ipairs(sizes) do
    if size < 0 then fail("%s: shape[%d] is %d, expected 0 or more", who, i, size) end
  end
  defaults = defaults or {}
  defaults.dtype, defaults.seed = false, false
  local read = options.read(who, given, defaults)
  local dtype = read.dtype and options.word(who, "dtype", read.dtype, kDTypes) and read.dtype or nil
  local widest
  for i, name in ipairs(names) do
    local value = values[i]
    if value == nil then value = read[name] end
    if type(value) ~= "number" then
      value = arguments.inexact(who, name, value)
      widest = widest and (lutra.zeros({}, { dtype = widest }) + lutra.zeros({}, { dtype = value.dtype })).dtype or value.dtype
      local fits = value.rank <= #sizes
      for axis = 1, fits and value.rank or 0 do
        local size, wanted = value.shape[axis], sizes[#sizes - value.rank + axis]
        fits = fits and (size == 1 or size == wanted)
      end
      if not fits then
        fail("%s: %s %s does not broadcast to shape %s", who, name, tostring(value.shape), options.shape_text(sizes))
      end
    end
    local test = tests[i]
    local is_good
    if type(value) == "number" then is_good = test[1](value) else is_good = lutra.all(test[2](value)):item() end
    if not is_good then
      fail("%s: %s is %s, expected %s", who, name, type(value) == "number" and ("%g"):format(value)
        or "no good in some places", test[3])
    end
    values[i] = value
  end
  return sizes, read, dtype or widest or "float32"
end

local positive = { function(x) return x > 0 and x < math.huge end,
  function(x) return lutra.logical_and(x:gt(0), x:isfinite()) end, "a number above 0" }
local not_negative = { function(x) return x >= 0 and x < math.huge end,
  function(x) return lutra.logical_and(x:ge(0), x:isfinite()) end, "a number of 0 or more" }
local finite = { function(x) return x == x and math.abs(x) < math.huge end, function(x) return x:isfinite() end,
  "a finite number" }
local share = { function(x) return x > 0 and x <= 1 end, function(x) return lutra.logical_and(x:gt(0), x:le(1)) end,
  "a number above 0, 1 at most" }

-- Numbers are computed in float32 where the result is smaller.
local function wide(dtype) return dtype == "float64" and dtype or "float32" end
local function exponential(sizes, dtype, seed) return lutra.random.exponential(sizes, { dtype = wide(dtype), seed = seed or nil }) end
local function normal(sizes, dtype, seed) return lutra.random.normal(sizes, { dtype = wide(dtype), seed = seed or nil }) end
-- Above 0 and below 1: 0 becomes half of the smallest other number.
local function uniform(sizes, dtype, seed)
  local kind = wide(dtype)
  return lutra.maximum(lutra.random.uniform(sizes, { dtype = kind, seed = seed or nil }), kind == "float64" and 0x1p-54 or 0x1p-25)
end
-- The seed of a call's second draw (Steele, Lea and Flood: SplitMix64, 2014).
local function other(seed)
  if not seed then return nil end
  local z = seed + 0x9E3779B97F4A7C15
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return z ~ (z >> 31)
end
local function as(value, dtype)
  return type(value) == "number" and value or lutra.cast(value, wide(dtype))
end
local function as_tensor(value, dtype)
  return type(value) == "number" and lutra.constant(value, { dtype = wide(dtype) }) or as(value, dtype)
end

-- A distribution of a location and a scale: f(sizes, dtype, seed) of 0 and 1.
local function define_scaled(name, f)
  local who = "random." .. name
  random[name] = function(shape, given)
    local values = {}
    local sizes, read, dtype = read_call(who, shape, given, { "loc", "scale" }, values, { finite, not_negative },
      { loc = 0, scale = 1 })
    return (lutra.cast(f(sizes, dtype, read.seed) * as(values[2], dtype) + as(values[1], dtype), dtype))
  end
end
define_scaled("gumbel", function(sizes, dtype, seed) return -lutra.log(-lutra.log(uniform(sizes, dtype, seed))) end)
define_scaled("logistic", function(sizes, dtype, seed)
  local u = uniform(sizes, dtype, seed)
  return lutra.log(u) - lutra.log1p(-u)
end)

function random.lognormal(shape, given)
  local who, values = "random.lognormal", {}
  local sizes, read, dtype = read_call(who, shape, given, { "mean", "sigma" }, values, { finite, not_negative },
    { mean = 0, sigma = 1 })
  local x = normal(sizes, dtype, read.seed) * as(values[2], dtype) + as(values[1], dtype)
  return (lutra.cast(lutra.exp(x), dtype))
end

function random.rayleigh(shape, given)
  local who, values = "random.rayleigh", {}
  local sizes, read, dtype = read_call(who, shape, given, { "scale" }, values, { not_negative }, { scale = 1 })
  return (lutra.cast(lutra.sqrt(exponential(sizes, dtype, read.seed) * 2) * as(values[1], dtype), dtype))
end

function random.weibull(shape, a, given)
  local who, values = "random.weibull", { a }
  local sizes, read, dtype = read_call(who, shape, given, { "a" }, values, { positive })
  return (lutra.cast(exponential(sizes, dtype, read.seed) ^ (1 / as(values[1], dtype)), dtype))
end

function random.pareto(shape, a, given)
  local who, values = "random.pareto", { a }
  local sizes, read, dtype = read_call(who, shape, given, { "a" }, values, { positive })
  return (lutra.cast(lutra.expm1(exponential(sizes, dtype, read.seed) / as(values[1], dtype)), dtype))
end

local function chisquare(sizes, df, dtype, seed)
  return lutra.random.gamma(sizes, as_tensor(df, dtype) * 0.5, { seed = seed or nil }) * 2
end

function random.chisquare(shape, df, given)
  local who, values = "random.chisquare", { df }
  local sizes, read, dtype = read_call(who, shape, given, { "df" }, values, { positive })
  return (lutra.cast(chisquare(sizes, values[1], dtype, read.seed), dtype))
end

function random.standard_t(shape, df, given)
  local who, values = "random.standard_t", { df }
  local sizes, read, dtype = read_call(who, shape, given, { "df" }, values, { positive })
  local spread = lutra.sqrt(chisquare(sizes, values[1], dtype, other(read.seed)) / as(values[1], dtype))
  return (lutra.cast(normal(sizes, dtype, read.seed) / spread, dtype))
end

function random.geometric(shape, p, given)
  local who, values = "random.geometric", { p }
  local sizes, read = read_call(who, shape, given, { "p" }, values, { share })
  if read.dtype then fail("%s: dtype is %s, and the numbers are counts, int64", who, read.dtype) end
  local rate = -lutra.log1p(-as_tensor(values[1], "float64"))
  local trials = lutra.ceil(lutra.random.exponential(sizes, { dtype = "float64", seed = read.seed or nil }) / rate)
  return (lutra.cast(lutra.clip(trials, 1, 2.0 ^ 62), "int64"))
end

function random.triangular(shape, left, mode, right, given)
  local who = "random.triangular"
  local values = { left, mode, right }
  local sizes, read, dtype = read_call(who, shape, given, { "left", "mode", "right" }, values, { finite, finite, finite })
  local low, middle, high = as_tensor(values[1], dtype), as_tensor(values[2], dtype), as_tensor(values[3], dtype)
  local in_order = lutra.logical_and(lutra.logical_and(low:le(middle), middle:le(high)), low:lt(high))
  if not lutra.all(in_order):item() then fail("%s: expected left <= mode <= right and left < right", who) end
  local u, width = uniform(sizes, dtype, read.seed), high - low
  local rising = low + lutra.sqrt(u * width * (middle - low))
  local falling = high - lutra.sqrt((1 - u) * width * (high - middle))
  return (lutra.cast(lutra.where(u:lt((middle - low) / width), rising, falling), dtype))
end

-- mean + A z of normal numbers z, where A A' is the covariance: its eigenvectors times the roots of the eigenvalues.
function random.multivariate_normal(shape, mean, covariance, given)
  local who = "random.multivariate_normal"
  local sizes, read, dtype = read_call(who, shape == nil and {} or shape, given, {}, {}, {})
  mean, covariance = arguments.inexact(who, "mean", mean), arguments.inexact(who, "covariance", covariance)
  if mean.rank ~= 1 then fail("%s: mean has the shape %s, expected a vector", who, tostring(mean.shape)) end
  local k = mean.size
  if covariance.rank ~= 2 or covariance.shape[1] ~= k or covariance.shape[2] ~= k then
    fail("%s: covariance has the shape %s, expected (%d, %d), as mean has %d elements", who, tostring(covariance.shape), k, k, k)
  end
  if not read.dtype then dtype = (mean + covariance).dtype end
  local kind = wide(dtype)
  mean, covariance = mean:cast(kind), covariance:cast(kind)
  sizes[#sizes + 1] = k
  if k == 0 then return (lutra.zeros(sizes, { dtype = dtype })) end
  local values, vectors = lutra.eigh(covariance)
  local most = lutra.max(lutra.abs(covariance)):item()
  local is_symmetric = lutra.allclose(covariance, lutra.transpose(covariance), { atol = 1e-5 * most }):item()
  if not is_symmetric or not (lutra.min(values):item() >= -1e-4 * most) then
    fail("%s: covariance is %s, expected a symmetric matrix without negative eigenvalues", who,
      is_symmetric and "not positive semidefinite" or "not symmetric")
  end
  local root = vectors * lutra.sqrt(lutra.maximum(values, 0))
  local z = normal(sizes, dtype, read.seed)
  local rows = z:reshape { z.size // k, k }
  return (lutra.cast(lutra.matmul(rows, root, { transpose_b = true }):reshape(sizes) + mean, dtype))
end

local counts = { gumbel = 2, logistic = 2, lognormal = 2, rayleigh = 2, weibull = 3, pareto = 3, chisquare = 3, standard_t = 3,
  geometric = 3, triangular = 5, multivariate_normal = 4 }
for name, count in pairs(counts) do random[name] = options.bounded("random." .. name, count, random[name], true) end

return random
