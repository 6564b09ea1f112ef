-- Polynomials as vectors of coefficients, the highest power first.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local polynomials = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local vector, slice = arguments.vector, arguments.slice

local function coefficients(who, name, value)
  return (vector(who, name, arguments.number(who, name, value, true)))
end

function polynomials.roots(p)
  local who = "roots"
  p = vector(who, "p", arguments.inexact(who, "p", p, true))
  local complex = (p.dtype == "float64" or p.dtype == "complex128") and "complex128" or "complex64"
  local places = lutra.nonzero(p:ne(0))
  if #places == 0 then return (lutra.zeros({ 0 }, { dtype = complex })) end
  -- Leading zeros lower the degree, zeros at the end are roots: how many there are depends on values.
  local first, last = places[1]:item(), places[#places]:item()
  local zeros = lutra.zeros({ p.size - last }, { dtype = complex })
  local degree = last - first
  if degree == 0 then return zeros end
  local row = lutra.neg(slice(p, 1, first + 1, degree)) / slice(p, 1, first, 1)
  local below = lutra.eye(degree, { dtype = p.dtype })
  if degree > 1 then
    row = lutra.concat({ row:reshape { 1, degree }, slice(below, 1, 1, degree - 1) }, 1)
  else
    row = row:reshape { 1, 1 }
  end
  return (lutra.concat({ lutra.eigvals(row):cast(complex), zeros }, 1))
end

function polynomials.poly(x)
  local who = "poly"
  x = arguments.inexact(who, "x", x, true)
  local is_matrix = x.rank == 2
  if is_matrix then
    if x.shape[1] ~= x.shape[2] then
      fail("%s: x has the shape %s, expected a square matrix", who, tostring(x.shape))
    end
    local is_real = not x.dtype:find "complex"
    x = lutra.eigvals(x)
    local found = polynomials.poly(x)
    return is_real and (lutra.real(found)) or found
  end
  x = vector(who, "x", x)
  local product = lutra.ones({ 1 }, { dtype = x.dtype })
  local zero = lutra.zeros({ 1 }, { dtype = x.dtype })
  if x.size == 0 then return product end
  for _, root in ipairs(lutra.split(x, x.size)) do
    product = lutra.concat { product, zero } - root * lutra.concat { zero, product }
  end
  return product
end

function polynomials.polyadd(a, b)
  a, b = coefficients("polyadd", "a", a), coefficients("polyadd", "b", b)
  local n = math.max(a.size, b.size)
  return (lutra.pad(a, { { n - a.size, 0 } }) + lutra.pad(b, { { n - b.size, 0 } }))
end

function polynomials.polymul(a, b)
  local who = "polymul"
  a, b = vector(who, "a", arguments.number(who, "a", a)), vector(who, "b", arguments.number(who, "b", b))
  if a.size == 0 or b.size == 0 then fail("%s: %s has no coefficients", who, a.size == 0 and "a" or "b") end
  return (lutra.convolve(a, b))
end

-- n, n - 1 and so on down to 1, in a dtype like p's.
local function powers(p, n)
  local list = lutra.range(n, 0, -1)
  return p.dtype:find "int" and list or list:cast(p.dtype)
end

function polynomials.polyder(p, given)
  local who = "polyder"
  local read = options.read(who, given, { m = 1 })
  local m = options.count(who, "m", read.m, 0)
  p = coefficients(who, "p", p)
  for _ = 1, math.min(m, p.size) do
    local degree = math.max(p.size - 1, 0)
    p = slice(p, 1, 1, degree) * powers(p, degree)
  end
  return p
end

function polynomials.polyint(p, given)
  local who = "polyint"
  local read = options.read(who, given, { m = 1, k = 0 })
  local m = options.count(who, "m", read.m, 0, options.kMostSize)
  p = vector(who, "p", arguments.inexact(who, "p", p, true))
  local is_list = type(read.k) == "table" and getmetatable(read.k) == nil
  if is_list and #read.k ~= m then
    fail("%s: k lists %d constants, expected %d, one for each of m integrals", who, #read.k, m)
  end
  for i = 1, m do
    local constant = lutra.fill({ 1 }, options.number(who, "k", is_list and read.k[i] or read.k), { dtype = p.dtype })
    p = lutra.concat { p / powers(p, p.size), constant }
  end
  return p
end

for name, count in pairs { roots = 1, poly = 1, polyadd = 2, polymul = 2, polyder = 2, polyint = 2 } do
  polynomials[name] = options.bounded(name, count, polynomials[name], true)
end

return polynomials
