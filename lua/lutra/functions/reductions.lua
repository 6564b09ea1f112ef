-- Averages, counts, quantiles and running sums.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local reductions = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor, inexact, axis_and_options = arguments.tensor, arguments.inexact, arguments.axis_and_options

-- The sum so far along the axis, by doubling: after step k each element is the sum of the last 2^k. No largest element
-- is subtracted, so that small numbers before a large one keep their digits.
function reductions.logcumsumexp(x, axis, given)
  local who = "logcumsumexp"
  local read = axis_and_options(who, axis, given, { axis = false })
  x = inexact(who, "x", x)
  if x.rank == 0 then
    if read.axis then arguments.axis(who, read.axis, 0) end
    return x
  end
  if not read.axis then x = x:flatten() end
  local at = arguments.axis(who, read.axis or 1, x.rank)
  local n, distance = x.shape[at], 1
  while distance < n do
    local first = arguments.slice(x, at, 1, distance)
    local later, earlier = arguments.slice(x, at, distance + 1, n - distance), arguments.slice(x, at, 1, n - distance)
    x = lutra.concat({ first, lutra.logaddexp(later, earlier) }, at)
    distance = distance * 2
  end
  return x
end

function reductions.cumulative_trapezoid(y, axis, given)
  local who = "cumulative_trapezoid"
  local read = axis_and_options(who, axis, given, { axis = -1, dx = 1, x = false, initial = false })
  y = inexact(who, "y", y, true)
  if y.rank == 0 then fail("%s: y is a scalar, which has no axis to integrate along", who) end
  local at = arguments.axis(who, read.axis, y.rank)
  local n = y.shape[at]
  if n == 0 then fail("%s: y %s has no samples along axis %d", who, tostring(y.shape), at) end
  local steps = read.x and use "functions.samples".steps(who, read.x, y, at) or options.number(who, "dx", read.dx)
  local means = (arguments.slice(y, at, 1, n - 1) + arguments.slice(y, at, 2, n - 1)) * 0.5
  local sums = lutra.cumsum(means * steps, at)
  if not read.initial then return sums end
  local initial = options.number(who, "initial", read.initial)
  local first = lutra.fill(arguments.with_size(sums.shape, at, 1), initial, { dtype = sums.dtype })
  return (lutra.concat({ first, sums + initial }, at))
end

-- Weights in a shape that broadcasts with x: those of x's shape, or of the averaged axes alone.
local function spread(who, x, weights, axes)
  if weights.shape == x.shape then return weights end
  if not axes then
    fail("%s: weights has the shape %s, expected x's, %s, or an axis beside it", who, tostring(weights.shape),
      tostring(x.shape))
  end
  local sizes, order = {}, {}
  for i, axis in ipairs(axes) do sizes[i], order[i] = x.shape[axis], i end
  if weights.shape ~= lutra.zeros(sizes).shape then
    fail("%s: weights has the shape %s, expected x's, %s, or that of the axes, %s", who, tostring(weights.shape),
      tostring(x.shape), options.shape_text(sizes))
  end
  table.sort(order, function(i, j) return axes[i] < axes[j] end)
  local shape = {}
  for i = 1, x.rank do shape[i] = 1 end
  for _, axis in ipairs(axes) do shape[axis] = x.shape[axis] end
  return (lutra.transpose(weights, order):reshape(shape))
end

function reductions.average(x, axis, given)
  local who = "average"
  local read = axis_and_options(who, axis, given, { axis = false, weights = false, keepdims = false, returned = false })
  options.boolean(who, "keepdims", read.keepdims)
  options.boolean(who, "returned", read.returned)
  x = inexact(who, "x", x, true)
  local axes = read.axis and arguments.axes(who, "axis", read.axis, x.rank) or nil
  local reduced = { axis = axes, keepdims = read.keepdims }
  local average, sum
  if read.weights then
    local weights = spread(who, x, arguments.number(who, "weights", read.weights, true), axes)
    local products = x * weights
    sum = lutra.sum(lutra.broadcast_to(weights, x.shape):cast(products.dtype), reduced)
    average = lutra.sum(products, reduced) / sum
  else
    average = lutra.mean(x, reduced)
    sum = average.size == 0 and average or lutra.fill(average.shape, x.size / average.size, { dtype = average.dtype })
  end
  if read.returned then return average, sum end
  return average
end

for _, kind in ipairs { "std", "var" } do
  local who, op = kind .. "_mean", lutra[kind]
  reductions[who] = function(x, axis, given)
    local read = axis_and_options(who, axis, given, { axis = false, ddof = 0, keepdims = false })
    x = inexact(who, "x", x, true)
    local at = read.axis or nil
    return op(x, { axis = at, ddof = read.ddof, keepdims = read.keepdims }),
      (lutra.mean(x, { axis = at, keepdims = read.keepdims }))
  end
end

function reductions.count_nonzero(x, axis, given)
  local read = axis_and_options("count_nonzero", axis, given, { axis = false, keepdims = false })
  x = tensor("count_nonzero", "x", x)
  local is_counted = x.dtype == "bool" and x or x:ne(0)
  return (lutra.sum(is_counted, { axis = read.axis or nil, keepdims = read.keepdims }))
end

-- The two neighbours among the sorted elements, and the share of the way from the lower to the upper one.
local kMethods = {
  linear = function(place, low) return low, lutra.ceil(place), place - low end,
  lower = function(_, low) return low, low, 0 end,
  higher = function(place) return lutra.ceil(place), lutra.ceil(place), 0 end,
  midpoint = function(place, low) return low, lutra.ceil(place), 0.5 end,
  nearest = function(place) return lutra.round(place), lutra.round(place), 0 end,
}

local function nanquantile(who, x, q, axis, given, most)
  local read = axis_and_options(who, axis, given, { axis = false, keepdims = false, method = "linear" })
  options.boolean(who, "keepdims", read.keepdims)
  local method = options.word(who, "method", read.method, kMethods)
  x = inexact(who, "x", x)
  q = options.number(who, "q", q, 0, most) / most
  local axes = read.axis and arguments.axes(who, "axis", read.axis, x.rank) or nil
  -- The reduced axes become one, the last.
  local is_reduced, perm, kept, shape = {}, {}, {}, {}
  for i = 1, x.rank do is_reduced[i] = not axes end
  for _, at in ipairs(axes or {}) do is_reduced[at] = true end
  local size = 1
  for i = 1, x.rank do
    if is_reduced[i] then
      size = size * x.shape[i]
      if read.keepdims then shape[#shape + 1] = 1 end
    else
      perm[#perm + 1], kept[#kept + 1], shape[#shape + 1] = i, x.shape[i], x.shape[i]
    end
  end
  for i = 1, x.rank do
    if is_reduced[i] then perm[#perm + 1] = i end
  end
  if size == 0 then return (lutra.fill(shape, 0 / 0, { dtype = x.dtype })) end
  kept[#kept + 1] = size
  local sorted = lutra.sort(lutra.transpose(x, perm):reshape(kept), -1)
  local count = lutra.sum(lutra.logical_not(lutra.isnan(sorted)), -1, { keepdims = true })
  -- Of nans only, the first of them.
  local place = lutra.maximum(count - 1, 0):cast "float64" * q
  local low, high, share = method(place, lutra.floor(place))
  local function element(at) return lutra.take_along_axis(sorted, at:cast "int64" + 1, -1) end
  local below = element(low)
  if share == 0 then return (below:reshape(shape)) end
  local above = element(high)
  if type(share) ~= "number" then share = share:cast(x.dtype) end
  -- No difference of equal infinities.
  local is_exact = lutra.logical_or(below:eq(above), lutra.eq(share, 0))
  local gap = lutra.where(is_exact, 0, above) - lutra.where(is_exact, 0, below)
  return ((below + gap * share):reshape(shape))
end

-- f(q) of a number, or of each number of a list, along a new first axis.
local function each_of(who, q, f)
  if tools.is_tensor(q) and q.rank == 1 then q = q:totable() end
  if type(q) ~= "table" or getmetatable(q) ~= nil or #q == 0 then return f(q) end
  local list = {}
  for i, each in ipairs(q) do list[i] = f(options.number(who, ("q[%d]"):format(i), each)) end
  return lutra.stack(list, 1)
end

for name, most in pairs { nanquantile = 1, nanpercentile = 100 } do
  reductions[name] = function(x, q, axis, given)
    return (each_of(name, q, function(each) return nanquantile(name, x, each, axis, given, most) end))
  end
end

-- quantile and percentile, which are ops, with a list of q (prelude.lua).
function reductions.quantiles(who, op, x, q, ...)
  local rest = table.pack(...)
  return (each_of(who, q, function(each) return (op(x, each, table.unpack(rest, 1, rest.n))) end))
end

for name, extreme in pairs { nanargmax = lutra.nanmax, nanargmin = lutra.nanmin } do
  reductions[name] = function(x, axis, given)
    local read = axis_and_options(name, axis, given, { axis = false, keepdims = false })
    x = arguments.number(name, "x", x)
    local at = read.axis and arguments.axis(name, read.axis, x.rank) or nil
    local is_extreme = x:eq(extreme(x, { axis = at, keepdims = true }))
    local index = lutra.argmax(is_extreme, { axis = at, keepdims = read.keepdims })
    -- Of nans only there is none, which 0 says.
    return (lutra.where(lutra.any(is_extreme, { axis = at, keepdims = read.keepdims }), index, 0))
  end
end

function reductions.ptp(x, axis, given)
  local who = "ptp"
  local read = axis_and_options(who, axis, given, { axis = false, keepdims = false })
  x = arguments.number(who, "x", x)
  local how = { axis = read.axis or nil, keepdims = read.keepdims }
  return (lutra.max(x, how) - lutra.min(x, how))
end

for name, running in pairs { nancumsum = { lutra.cumsum, 0 }, nancumprod = { lutra.cumprod, 1 } } do
  local op, neutral = running[1], running[2]
  reductions[name] = function(x, axis, given)
    local read = axis_and_options(name, axis, given, { axis = false })
    x = arguments.number(name, "x", x, true)
    if not x.dtype:find "int" then x = lutra.where(lutra.isnan(x), neutral, x) end
    return (op(x, { axis = read.axis or nil }))
  end
end

local counts = { ptp = 3, nancumsum = 3, nancumprod = 3, logcumsumexp = 3, cumulative_trapezoid = 3, average = 3, std_mean = 3, var_mean = 3, count_nonzero = 3,
  nanquantile = 4, nanpercentile = 4, nanargmax = 3, nanargmin = 3 }
for name, count in pairs(counts) do reductions[name] = options.bounded(name, count, reductions[name], true) end

return reductions
