-- Norms and distances beside the ops norm and cdist, which compute the most common ones (prelude.lua).
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local distances = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local norm_op, cdist_op = lutra.norm, lutra.cdist

-- The norm along axes, or of all elements without: sum(|x|^p)^(1/p), the number of elements that are not 0 for p = 0, the
-- smallest magnitude for -inf.
local function norm_of(x, axes, p, keepdims)
  local how = { keepdims = keepdims }
  if p == 1 or p == 2 or p == math.huge then return norm_op(x, axes, { ord = p, keepdims = keepdims }) end
  local sizes = lutra.abs(x)
  if p == 0 then return lutra.sum(sizes:ne(0):cast(sizes.dtype), axes, how) end
  if p == -math.huge then return lutra.min(sizes, axes, how) end
  -- Where all are 0 the root of the sum has no slope; there the gradient is 0, as for the other norms.
  local sums = lutra.sum(sizes ^ p, axes, how)
  local is_zero = p > 0 and sums:eq(0)
  if not is_zero then return sums ^ (1 / p) end
  return lutra.where(is_zero, 0.0, lutra.where(is_zero, 1.0, sums) ^ (1 / p))
end

-- norm(x, axis, {ord, keepdims}) with any number as ord; "nuc": the nuclear norm of matrices.
function distances.norm(x, axis, given)
  local who = "norm"
  local read = arguments.axis_and_options(who, axis, given, { axis = false, ord = 2, keepdims = false })
  options.boolean(who, "keepdims", read.keepdims)
  x = arguments.inexact(who, "x", x, true)
  if read.ord == "fro" or read.ord == "nuc" then
    local axes = read.axis or { -2, -1 }
    if type(axes) ~= "table" or #axes ~= 2 or not read.axis and x.rank ~= 2 then
      fail('%s: ord = "%s" is of matrices: x is a matrix, or axis lists two axes', who, read.ord)
    end
    axes = arguments.axes(who, "axis", axes, x.rank)
    if read.ord == "fro" then return (norm_op(x, axes, { keepdims = read.keepdims })) end
    local y = lutra.matrix_norm(lutra.moveaxis(x, axes, { -2, -1 }), { nuclear = true })
    if not read.keepdims then return y end
    return (y:reshape(arguments.with_size(arguments.with_size(x.shape, axes[1], 1), axes[2], 1)))
  end
  if type(read.ord) ~= "number" or read.ord ~= read.ord then
    fail('%s: ord is %s, expected a number, math.huge, -math.huge, "fro" or "nuc"', who, tools.what_is(read.ord))
  end
  return (norm_of(x, read.axis or nil, read.ord, read.keepdims))
end

-- Rows less their means.
local function centred(x) return x - x:mean(-1, { keepdims = true }) end

local function cosines(a, b)
  local products = lutra.matmul(a, b, { transpose_b = true })
  return products / (norm_op(a, -1, { keepdims = true }) * norm_op(b, -1):expand_dims(-2))
end

-- Quotients that are 0 where there is nothing to divide by.
local function share(part, whole)
  local is_nothing = whole:eq(0)
  return lutra.where(is_nothing, 0.0, part / lutra.where(is_nothing, 1.0, whole))
end

-- Distances of rows a and b: their metric by a and b, each with an axis of size 1 for the other's rows.
local metrics = {
  sqeuclidean = function(a, b) return lutra.square(a - b):sum(-1) end,
  hamming = function(a, b) return a:ne(b):cast(a.dtype):mean(-1) end,
  canberra = function(a, b) return share(lutra.abs(a - b), lutra.abs(a) + lutra.abs(b)):sum(-1) end,
  braycurtis = function(a, b) return lutra.abs(a - b):sum(-1) / lutra.abs(a + b):sum(-1) end,
  jaccard = function(a, b)
    local is_either = lutra.logical_or(a:ne(0), b:ne(0))
    local differ = lutra.logical_and(is_either, a:ne(b))
    return share(differ:cast(a.dtype):sum(-1), is_either:cast(a.dtype):sum(-1))
  end,
}
local powers = { euclidean = 2, cityblock = 1, manhattan = 1, chebyshev = math.huge }
local products = {
  cosine = function(a, b) return 1 - cosines(a, b) end,
  correlation = function(a, b) return 1 - cosines(centred(a), centred(b)) end,
}
local known = { minkowski = true }
for _, list in ipairs { metrics, powers, products } do
  for name in pairs(list) do known[name] = true end
end

-- cdist(a, b, {p, metric}): a [..., n, columns], b [..., m, columns], whose first axes broadcast.
function distances.cdist(a, b, given)
  local who = "cdist"
  local read = options.read(who, given, { p = false, metric = "euclidean" })
  options.word(who, "metric", read.metric, known)
  local p = powers[read.metric] or 2
  if read.p then
    p = options.number(who, "p", read.p, 0)
    if read.metric ~= "minkowski" and rawget(given, "metric") then
      fail('%s: p goes with metric = "minkowski", and metric is "%s"', who, read.metric)
    end
  end
  a, b = arguments.inexact(who, "a", a), arguments.inexact(who, "b", b)
  if a.rank < 2 or b.rank < 2 or a.shape[a.rank] ~= b.shape[b.rank] then
    fail("%s: a %s and b %s do not match: expected matrices with a row for each point, and as many columns", who, tostring(a.shape),
      tostring(b.shape))
  end
  local metric = metrics[read.metric]
  if p == 2 and not metric and not products[read.metric] and a.rank == 2 and b.rank == 2 then return (cdist_op(a, b)) end
  if products[read.metric] then return (products[read.metric](a, b)) end
  a, b = a:expand_dims(-2), b:expand_dims(-3)
  if metric then return (metric(a, b)) end
  return (norm_of(a - b, -1, p, false))
end

-- pdist(x, {p, metric}): the distances of each row to the later ones.
function distances.pdist(x, given)
  local who = "pdist"
  x = arguments.inexact(who, "x", arguments.tensor(who, "x", x, 2, "a matrix with a row for each point"))
  local all = given == nil and cdist_op(x, x) or distances.cdist(x, x, given)
  local n = x.shape[1]
  if n < 2 then return (lutra.zeros({ 0 }, { dtype = x.dtype })) end
  return (lutra.gather_nd(all, lutra.triu_indices(n, { k = 1 })))
end

-- pairwise_distance(a, b, {p, eps, keepdims}): of rows at the same places.
function distances.pairwise_distance(a, b, given)
  local who = "pairwise_distance"
  local read = options.read(who, given, { p = 2, eps = 1e-6, keepdims = false })
  options.boolean(who, "keepdims", read.keepdims)
  options.number(who, "eps", read.eps)
  if type(read.p) ~= "number" or read.p ~= read.p then fail("%s: p is %s, expected a number", who, tools.what_is(read.p)) end
  a, b = arguments.inexact(who, "a", a), arguments.inexact(who, "b", b)
  if a.rank == 0 or b.rank == 0 then fail("%s: %s is a scalar, expected vectors", who, a.rank == 0 and "a" or "b") end
  local narrow
  narrow, a, b = arguments.widened(a, b)
  return (narrow(norm_of(a - b + read.eps, -1, read.p, read.keepdims)))
end

for name, count in pairs { norm = 3, cdist = 3, pdist = 2, pairwise_distance = 3 } do distances[name] = options.bounded(name, count, distances[name], true) end

return distances
