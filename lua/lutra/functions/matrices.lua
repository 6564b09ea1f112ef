-- Determinants and condition of matrices, and their diagonals.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local matrices = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor, inexact = arguments.tensor, arguments.inexact

function matrices.logdet(x)
  x = inexact("logdet", "x", x, true)
  local sign, log = lutra.slogdet(x)
  if x.dtype:find "complex" then return lutra.complex(log, sign:angle()) end
  return (lutra.where(sign:lt(0), 0 / 0, log))
end

local kNorms = {
  fro = function(x) return lutra.matrix_norm(x) end,
  nuc = function(x) return lutra.matrix_norm(x, { nuclear = true }) end,
}

-- By singular values; 2 or -2.
local function by_singular_values(x, p)
  local _, values = lutra.svd(x)
  local n = values.shape[values.rank]
  local largest, smallest = values[{ "...", 1 }], values[{ "...", n }]
  if p == 2 then return largest / smallest end
  return smallest / largest
end

-- By the norm of the inverse. A singular matrix is replaced by one that has an inverse.
local function by_inverse(x, norm)
  local n = x.shape[x.rank]
  local sign = lutra.slogdet(x)
  local is_regular = lutra.logical_and(sign:ne(0), lutra.isfinite(x):all { -2, -1 })
  local safe = lutra.where(is_regular:expand_dims(-1):expand_dims(-1), x, lutra.eye(n, { dtype = x.dtype }))
  return (lutra.where(is_regular, norm(safe) * norm(lutra.inv(safe)), math.huge))
end

function matrices.cond(x, given)
  local who = "cond"
  local read = options.read(who, given, { p = 2 })
  x = inexact(who, "x", x, true)
  if x.rank < 2 then fail("%s: x has the shape %s, expected matrices", who, tostring(x.shape)) end
  local m, n = x.shape[x.rank - 1], x.shape[x.rank]
  if m == 0 or n == 0 then
    fail("%s: x has the shape %s, and a matrix without elements has no condition", who, tostring(x.shape))
  end
  local p, found = read.p, nil
  if p == 2 or p == -2 then
    found = by_singular_values(x, p)
  else
    local norm = kNorms[p]
    if not norm then
      if p ~= 1 and p ~= -1 and p ~= math.huge and p ~= -math.huge then
        fail('%s: p is %s, expected 1, -1, 2, -2, math.huge, -math.huge, "fro" or "nuc"', who, tools.what_is(p))
      end
      function norm(y) return lutra.matrix_norm(y, p) end
    end
    if m ~= n then
      fail("%s: x has the shape %s, expected square matrices unless p is 2 or -2", who, tostring(x.shape))
    end
    found = by_inverse(x, norm)
  end
  -- 0 / 0 of a matrix of zeros.
  local has_nan = lutra.isnan(x):any { -2, -1 }
  found = lutra.where(lutra.isnan(found), math.huge, found)
  return (lutra.where(has_nan, 0 / 0, found))
end

function matrices.diag_embed(x, given)
  local who = "diag_embed"
  local read = options.read(who, given, { offset = 0 })
  local offset = options.whole(who, "offset", read.offset)
  x = tensor(who, "x", x)
  if x.rank == 0 then fail("%s: x is a scalar, expected an axis of elements for the diagonals", who) end
  if offset > options.kMostSize or offset < -options.kMostSize then
    fail("%s: offset is %d, expected at most %d", who, offset, options.kMostSize)
  end
  local size = x.shape[x.rank] + math.abs(offset)
  local paddings = {}
  for axis = 1, x.rank do paddings[axis] = { 0, 0 } end
  paddings[x.rank] = { math.max(0, -offset), math.max(0, offset) }
  local shape = arguments.with_size(x.shape, x.rank, size)
  shape[x.rank + 1] = size
  options.require_memory(who, x.device, shape, x.dtype)
  local rows = lutra.pad(x, paddings):expand_dims(-1)
  local place = lutra.range(0, size, 1, { dtype = "int64" })
  local is_diagonal = lutra.eq(place, place:expand_dims(2) + offset)
  return (lutra.where(is_diagonal, rows, lutra.zeros({}, { dtype = x.dtype })))
end

local kKinds = { "bool", "int", "float", "complex" }
local function kind_of(dtype)
  for i, word in ipairs(kKinds) do
    if dtype:find(word) then return i end
  end
end

function matrices.fill_diagonal(x, value, given)
  local who = "fill_diagonal"
  local read = options.read(who, given, { wrap = false })
  options.boolean(who, "wrap", read.wrap)
  x = tensor(who, "x", x)
  local number = value
  value = tensor(who, "value", value)
  if x.rank < 2 then fail("%s: x has the shape %s, expected two axes or more", who, tostring(x.shape)) end
  for axis = 3, x.rank do
    if x.shape[axis] ~= x.shape[1] or x.shape[2] ~= x.shape[1] then
      fail("%s: x has the shape %s, expected axes of one size", who, tostring(x.shape))
    end
  end
  if value.size == 0 then fail("%s: value %s has no elements", who, tostring(value.shape)) end
  if kind_of(value.dtype) > kind_of(x.dtype) then
    fail("%s: value is %s, and x is %s, which does not have such numbers", who, value.dtype, x.dtype)
  end
  -- A number has to fit.
  value = type(number) == "number" and lutra.constant({ number }, { dtype = x.dtype }) or value:cast(x.dtype):flatten()
  -- Places of the diagonal are whole multiples of a step in row-major order.
  local step = 0
  for axis = 1, x.rank do step = step * x.shape[axis] + 1 end
  local place = lutra.range(0, x.size, 1, { dtype = "int64" })
  local is_diagonal = lutra.eq(place % step, 0)
  if x.rank == 2 and not read.wrap then
    is_diagonal = lutra.logical_and(is_diagonal, place:lt(x.shape[2] * x.shape[2]))
  end
  local values = value
  if value.size > 1 then values = lutra.gather(value, (place // step) % value.size + 1) end
  return (lutra.where(is_diagonal, values, x:flatten()):reshape(x.shape))
end

for name, count in pairs { logdet = 1, cond = 2, diag_embed = 2, fill_diagonal = 3 } do
  matrices[name] = options.bounded(name, count, matrices[name], true)
end

return matrices
