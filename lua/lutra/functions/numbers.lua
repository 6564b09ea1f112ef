-- Functions of single numbers, and numbers at equal ratios.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local numbers = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local inexact, number, integers = arguments.inexact, arguments.number, arguments.integers
local of_wide, widened = arguments.of_wide, arguments.widened

numbers.deg2rad = of_wide("deg2rad", function(x) return x * (math.pi / 180) end)
numbers.rad2deg = of_wide("rad2deg", function(x) return x * (180 / math.pi) end)

-- The series of sin(u) / u in u^2, the highest power first: exact below 1/2, where the quotient's derivatives are not.
local kSineSeries = {}
for k = 8, 0, -1 do
  local factorial = 1.0
  for i = 2, 2 * k + 1 do factorial = factorial * i end
  kSineSeries[9 - k] = (k % 2 == 0 and 1 or -1) / factorial
end

numbers.sinc = of_wide("sinc", function(x)
  local angle = x * math.pi
  local is_small = lutra.abs(angle):lt(0.5)
  -- Neither branch sees the other's numbers, whose gradients may be nan.
  local small, large = lutra.where(is_small, angle, 0), lutra.where(is_small, 1, angle)
  local series = lutra.polyval(lutra.constant(kSineSeries, { dtype = angle.dtype }), small * small)
  return lutra.where(is_small, series, lutra.sin(large) / large)
end)

function numbers.signbit(x)
  x = number("signbit", "x", x)
  if x.dtype:find "int" then return (x:lt(0)) end
  -- Only a zero's sign shows in its reciprocal alone.
  return (lutra.where(x:eq(0), lutra.reciprocal(x):lt(0), x:lt(0)))
end

function numbers.copysign(a, b)
  a, b = inexact("copysign", "a", a), number("copysign", "b", b)
  local size = lutra.abs(a)
  return (lutra.where(numbers.signbit(b), -size, size))
end

function numbers.logaddexp2(a, b)
  local who = "logaddexp2"
  local narrow
  narrow, a, b = widened(inexact(who, "a", a), inexact(who, "b", b))
  local is_same = a:eq(b)
  -- Of equal infinities no difference is formed.
  local x, y = lutra.where(is_same, 0, a), lutra.where(is_same, 0, b)
  local more = lutra.log1p(lutra.exp(lutra.abs(x - y) * -math.log(2))) * (1 / math.log(2))
  return (narrow(lutra.where(is_same, a * 0.5 + b * 0.5 + 1, lutra.maximum(x, y) + more)))
end

-- 2^x, which is exact for whole numbers.
function numbers.exp2(x)
  x = inexact("exp2", "x", x)
  return (lutra.pow(lutra.constant(2, { dtype = x.dtype }), x))
end

-- The larger and the smaller of two numbers, of which a nan gives way to the other.
for name, op in pairs { fmax = lutra.maximum, fmin = lutra.minimum } do
  numbers[name] = function(a, b)
    a, b = number(name, "a", a), number(name, "b", b)
    local x = a.dtype:find "float" and lutra.where(lutra.isnan(a), b, a) or a
    local y = b.dtype:find "float" and lutra.where(lutra.isnan(b), a, b) or b
    return (op(x, y))
  end
end

-- By dtype: the exponents of the smallest normal number and of the largest power of two, and a step down after which a
-- number that does not vanish is still normal, so that only the last product rounds.
local kExponents = { float32 = { -126, 127, -102 }, float64 = { -1022, 1023, -969 } }

local function scaled(x, n)
  local least, most, step = table.unpack(kExponents[x.dtype])
  local two = lutra.constant(2, { dtype = x.dtype })
  for round = 1, 3 do
    local part = lutra.clip(n, least, most)
    if round < 3 then part = lutra.where(n:lt(least), step, part) end
    x, n = x * lutra.pow(two, part:cast(x.dtype)), n - part
  end
  return x
end
local function unhalved(x) return kExponents[x.dtype] and x or x:cast "float32" end

function numbers.ldexp(x, n)
  x, n = inexact("ldexp", "x", x), integers("ldexp", "n", n)
  -- Beyond these all numbers are 0 or infinite.
  local y = scaled(unhalved(x), lutra.clip(n:cast "int64", -2200, 2200))
  return y:cast(x.dtype)
end

function numbers.frexp(x)
  x = inexact("frexp", "x", x)
  local y = unhalved(x)
  local is_plain = lutra.logical_and(lutra.isfinite(y), y:ne(0))
  local size = lutra.stop_gradient(lutra.abs(lutra.where(is_plain, y, 1)))
  local is_tiny = size:lt(2.0 ^ kExponents[y.dtype][1])
  local exponent = lutra.floor(lutra.log2(lutra.where(is_tiny, size * 2.0 ^ 54, size))):cast "int64" + 1
  exponent = exponent - lutra.where(is_tiny, 54, 0)
  -- The logarithm may round across a power of two.
  local rest = scaled(size, -exponent)
  exponent = exponent + rest:ge(1):cast "int64" - rest:lt(0.5):cast "int64"
  exponent = lutra.where(is_plain, exponent, 0)
  return scaled(y, -exponent):cast(x.dtype), exponent:cast "int32"
end

function numbers.isposinf(x) return (number("isposinf", "x", x):eq(math.huge)) end
function numbers.isneginf(x) return (number("isneginf", "x", x):eq(-math.huge)) end

function numbers.lcm(a, b)
  a, b = integers("lcm", "a", a), integers("lcm", "b", b)
  local common = lutra.gcd(a, b)
  return (lutra.abs(a // lutra.where(common:eq(0), 1, common) * b))
end

local function finite(who, name, value)
  if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then
    fail("%s: %s is %s, expected a finite number", who, name, tools.what_is(value))
  end
  return value + 0.0
end

local function line(start, stop, n) return (lutra.linspace(start, stop, n, { dtype = "float64" })) end

function numbers.logspace(start, stop, n, given)
  local who = "logspace"
  local read = options.read(who, given, { base = 10, dtype = "float32" })
  start, stop = finite(who, "start", start), finite(who, "stop", stop)
  n = options.count(who, "n", n, 0)
  options.positive(who, "base", read.base)
  local base = lutra.constant(read.base, { dtype = "float64" })
  return (lutra.pow(base, line(start, stop, n)):cast(read.dtype))
end

function numbers.geomspace(start, stop, n, given)
  local who = "geomspace"
  local read = options.read(who, given, { dtype = "float32" })
  start, stop = finite(who, "start", start), finite(who, "stop", stop)
  n = options.count(who, "n", n, 0)
  if start == 0 or stop == 0 or (start < 0) ~= (stop < 0) then
    fail("%s: start is %s and stop is %s, expected numbers other than 0 of the same sign", who, start, stop)
  end
  local sign = start < 0 and -1 or 1
  local base = lutra.constant(10, { dtype = "float64" })
  local ratios = lutra.pow(base, line(math.log(sign * start, 10), math.log(sign * stop, 10), n)) * sign
  -- The ends are exact.
  local place = lutra.range(n)
  local first, last = lutra.constant(start, { dtype = "float64" }), lutra.constant(stop, { dtype = "float64" })
  local ends = lutra.where(place:eq(0), first, last)
  local is_end = lutra.logical_or(place:eq(0), place:eq(n - 1))
  return (lutra.where(is_end, ends, ratios):cast(read.dtype))
end

local counts = { deg2rad = 1, rad2deg = 1, sinc = 1, signbit = 1, copysign = 2, logaddexp2 = 2, isposinf = 1,
  isneginf = 1, lcm = 2, exp2 = 1, frexp = 1, ldexp = 2, fmax = 2, fmin = 2, logspace = 4, geomspace = 4 }
for name, count in pairs(counts) do numbers[name] = options.bounded(name, count, numbers[name], true) end

return numbers
