-- Orders, bins and positions of elements, and how often they occur.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local orders = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor, integers, vector = arguments.tensor, arguments.integers, arguments.vector

local function yes(count) return (lutra.fill({ count }, true)) end

function orders.unique_consecutive(x, given)
  local who = "unique_consecutive"
  local read = options.read(who, given, { return_inverse = false, return_counts = false })
  options.boolean(who, "return_inverse", read.return_inverse)
  options.boolean(who, "return_counts", read.return_counts)
  x = tensor(who, "x", x)
  local flat, n = x:flatten(), x.size
  if x.rank == 0 then flat = x:reshape { 1 } end
  local is_first = yes(math.min(n, 1))
  if n > 1 then
    local is_new = lutra.ne(arguments.slice(flat, 1, 2, n - 1), arguments.slice(flat, 1, 1, n - 1))
    is_first = lutra.concat { is_first, is_new }
  end
  local results = { flat[is_first] }
  if read.return_inverse then results[2] = lutra.cumsum(is_first, 1):reshape(x.shape) end
  if read.return_counts then
    local starts = lutra.nonzero(is_first):flatten()
    local ends = lutra.fill({ 1 }, n + 1, { dtype = "int64" })
    results[#results + 1] = n == 0 and starts or lutra.diff(lutra.concat { starts, ends })
  end
  return table.unpack(results)
end

local kModes = { raise = true, wrap = true, clip = true }

local function ravelled(who, indices, shape, given)
  local read = options.read(who, given, { mode = "raise" })
  local mode = read.mode
  options.word(who, "mode", mode, kModes)
  indices = integers(who, "indices", indices):cast "int64"
  if math.type(shape) == "integer" then shape = { shape } end
  if not (type(shape) == "table" or tools.is_shape(shape)) or #shape == 0 then
    fail("%s: shape is %s, expected a list of sizes", who, tools.what_is(shape))
  end
  local n = #shape
  if indices.rank == 0 or indices.shape[indices.rank] ~= n then
    fail("%s: indices has the shape %s, expected [..., %d], an index for each of shape's axes", who,
      tostring(indices.shape), n)
  end
  local position, size = nil, 1.0
  for axis = 1, n do
    local count = options.count(who, ("shape[%d]"):format(axis), shape[axis], mode == "raise" and 0 or 1)
    size = size * count
    if size > 2.0 ^ 62 then fail("%s: shape has more elements than there are positions", who) end
    local index = indices[{ "...", axis }]
    if mode == "raise" then
      -- A gather refuses indices that are not there, and counts negative ones from the end.
      index = lutra.gather(lutra.range(0, count, 1, { dtype = "int64" }), index)
    elseif mode == "wrap" then
      index = (index - 1) % count
    else
      index = lutra.clip(index, 1, count) - 1
    end
    position = position and position * count + index or index
  end
  return (position + 1)
end

function orders.ravel_multi_index(indices, shape, given)
  return (ravelled("ravel_multi_index", indices, shape, given))
end

function orders.lexsort(keys)
  local who = "lexsort"
  local list = keys
  if tools.is_tensor(keys) then
    if keys.rank == 0 then fail("%s: keys is a scalar, expected keys along its first axis", who) end
    list = lutra.unstack(keys)
  elseif type(keys) ~= "table" or getmetatable(keys) ~= nil then
    fail("%s: keys is %s, expected a list of keys", who, tools.what_is(keys))
  end
  if #list == 0 then fail("%s: keys is empty, expected a key or more", who) end
  local order, shape
  for i, key in ipairs(list) do
    local name = ("keys[%d]"):format(i)
    key = tensor(who, name, key)
    if key.rank == 0 then fail("%s: %s is a scalar, expected an axis to sort along", who, name) end
    if shape and key.shape ~= shape then
      fail("%s: %s has the shape %s, and keys[1] %s", who, name, tostring(key.shape), tostring(shape))
    end
    shape = key.shape
    if not order then
      order = lutra.argsort(key)
    else
      local next_order = lutra.argsort(lutra.take_along_axis(key, order, -1))
      order = lutra.take_along_axis(order, next_order, -1)
    end
  end
  return order
end

function orders.digitize(x, bins, given)
  local who = "digitize"
  local read = options.read(who, given, { right = false })
  options.boolean(who, "right", read.right)
  x, bins = arguments.number(who, "x", x), arguments.number(who, "bins", bins)
  bins = vector(who, "bins", bins)
  local n = bins.size
  if n == 0 then return (lutra.ones(x.shape, { dtype = "int64" })) end
  local falls = lutra.gt(bins[1], bins[n])
  local found = lutra.searchsorted(lutra.where(falls, lutra.flip(bins), bins), x, { right = not read.right })
  return (lutra.where(falls, n + 2 - found, found))
end

-- An axis of a grid of bins: the bin of each element, from 0 on and past the last one for those outside, and the edges.
local function binned(who, name, x, bins, range)
  local edges, n
  if type(bins) == "number" then
    n = options.count(who, "bins", bins, 1, options.kMostSize)
    local low, high
    if range then
      if type(range) ~= "table" or #range ~= 2 then
        fail("%s: the range of %s is %s, expected {lowest, highest}", who, name, tools.what_is(range))
      end
      local first, last = options.number(who, "range", range[1]), options.number(who, "range", range[2])
      if not (first <= last and last - first < math.huge) then
        fail("%s: the range of %s is from %s to %s, expected finite numbers in order", who, name, first, last)
      end
      low, high = lutra.constant(first, { dtype = "float64" }), lutra.constant(last, { dtype = "float64" })
    elseif x.size == 0 then
      low, high = lutra.zeros({}, { dtype = "float64" }), lutra.ones({}, { dtype = "float64" })
    else
      low, high = lutra.min(x):cast "float64", lutra.max(x):cast "float64"
    end
    local is_point = low:eq(high)
    low, high = lutra.where(is_point, low - 0.5, low), lutra.where(is_point, high + 0.5, high)
    local share = lutra.linspace(0, 1, n + 1, { dtype = "float64" })
    edges = lutra.where(share:eq(1), high, low + (high - low) * share):cast(x.dtype)
  else
    edges = arguments.inexact(who, "bins", bins)
    if edges.rank ~= 1 or edges.size < 2 then
      fail("%s: bins of %s has the shape %s, expected a number, or two edges or more", who, name, tostring(edges.shape))
    end
    n = edges.size - 1
  end
  local place = lutra.searchsorted(edges, x, { right = true }) - 2
  -- The last bin has its upper edge too.
  local last = edges[n + 1]
  local bin = lutra.where(x:eq(last), n - 1, place)
  local is_inside = lutra.logical_and(x:ge(edges[1]), x:le(last))
  return bin, is_inside, edges, n
end

-- How often each bin occurs, or the sum of its weights. A bin behind the others, number n, is left out.
local function summed(who, x, bin, n, weights)
  if weights then
    weights = arguments.number(who, "weights", weights)
    if weights.shape ~= x.shape then
      fail("%s: weights has the shape %s, expected x's, %s", who, tostring(weights.shape), tostring(x.shape))
    end
  else
    weights = lutra.ones(x.shape, { dtype = "int64" })
  end
  return arguments.slice(lutra.unsorted_segment_sum(weights:flatten(), bin:flatten() + 1, n + 1), 1, 1, n)
end

-- The elements, or their weights, in each bin of a grid, the edges of each axis and the numbers of bins. columns: a vector
-- of places for each axis.
local function counted(who, columns, names, bins, ranges, weights)
  local place, is_counted, edges, sizes, total = nil, nil, {}, {}, 1
  for axis, column in ipairs(columns) do
    local bin, is_inside, of_axis, n = binned(who, names[axis], column, bins[axis], ranges[axis])
    place = place and place * n + bin or bin
    is_counted = is_counted and lutra.logical_and(is_counted, is_inside) or is_inside
    edges[axis], sizes[axis], total = of_axis, n, total * n
    if total > options.kMostSize then fail("%s: there are %.4g bins in all, more than a tensor can have", who, total) end
  end
  return summed(who, columns[1], lutra.where(is_counted, place, total), total, weights):reshape(sizes), edges, sizes
end

-- histogram with edges, weights or density; the op itself counts in bins of equal width (prelude.lua).
local op = lutra.histogram
function orders.histogram(x, bins, given)
  local who = "histogram"
  if given == nil and type(bins) == "table" and getmetatable(bins) == nil and #bins == 0 then bins, given = nil, bins end
  local read = options.read(who, given, { bins = 10, min = false, max = false, range = false, weights = false, density = false })
  if bins ~= nil then read.bins = bins end
  options.boolean(who, "density", read.density)
  x = arguments.inexact(who, "x", x)
  local low, high = read.min, read.max
  if read.range then
    if type(read.range) ~= "table" or #read.range ~= 2 then
      fail("%s: range is %s, expected {lowest, highest}", who, tools.what_is(read.range))
    end
    low, high = read.range[1], read.range[2]
  end
  local edges
  if type(read.bins) == "number" then
    _, edges = op(x, read.bins, { min = low or nil, max = high or nil })
  else
    edges = arguments.inexact(who, "bins", read.bins)
    if low or high then fail("%s: a range goes with a number of bins, and bins are edges", who) end
    if edges.rank == 1 and lutra.any(lutra.diff(edges):lt(0)):item() then
      fail("%s: bins are edges in another order, expected them in ascending order", who)
    end
  end
  local bin, is_inside, _, n = binned(who, "x", x, edges)
  local counts = summed(who, x, lutra.where(is_inside, bin, n), n, read.weights)
  if not read.density then return counts, edges end
  local shares = counts:cast(edges.dtype)
  return shares / (lutra.diff(edges) * shares:sum()), edges
end

function orders.histogram2d(x, y, given)
  local who = "histogram2d"
  local read = options.read(who, given, { bins = 10, range = false, weights = false })
  x = vector(who, "x", arguments.inexact(who, "x", x))
  y = vector(who, "y", arguments.inexact(who, "y", y))
  if x.size ~= y.size then fail("%s: x has %d elements, and y %d", who, x.size, y.size) end
  local bins, range = read.bins, read.range or {}
  local is_pair = type(bins) == "table" and getmetatable(bins) == nil and #bins == 2
  local of_x, of_y = bins, bins
  if is_pair then of_x, of_y = bins[1], bins[2] end
  if type(range) ~= "table" or read.range and #range ~= 2 then
    fail("%s: range is %s, expected {{lowest x, highest x}, {lowest y, highest y}}", who, tools.what_is(read.range))
  end
  local counts, edges = counted(who, { x, y }, { "x", "y" }, { of_x, of_y }, range, read.weights)
  return counts, edges[1], edges[2]
end

local kMostAxes = 8
function orders.histogramdd(x, given)
  local who = "histogramdd"
  local read = options.read(who, given, { bins = 10, range = false, density = false, weights = false })
  options.boolean(who, "density", read.density)
  x = arguments.inexact(who, "x", x)
  if x.rank ~= 2 or x.shape[2] == 0 or x.shape[2] > kMostAxes then
    fail("%s: x has the shape %s, expected [points, columns] of 1 to %d columns", who, tostring(x.shape), kMostAxes)
  end
  local axes = x.shape[2]
  local function each(name, value, form)
    if type(value) ~= "table" or getmetatable(value) ~= nil or #value ~= axes then
      fail("%s: %s is %s, expected %s", who, name, type(value) == "table" and getmetatable(value) == nil
        and ("a list of %d"):format(#value) or tools.what_is(value), form:format(axes))
    end
    return value
  end
  local bins, columns, names = read.bins, {}, {}
  if type(bins) ~= "number" then each("bins", bins, "a number, or a list of %d numbers or edges, one for each column") end
  for axis = 1, axes do columns[axis], names[axis] = x[{ {}, axis }], ("column %d"):format(axis) end
  if type(bins) == "number" then
    local n = bins
    bins = {}
    for axis = 1, axes do bins[axis] = n end
  end
  local ranges = read.range and each("range", read.range, "{lowest, highest} for each of the %d columns") or {}
  local counts, edges, sizes = counted(who, columns, names, bins, ranges, read.weights)
  if not read.density then return counts, edges end
  counts = counts:cast(edges[1].dtype)
  counts = counts / counts:sum()
  for axis = 1, axes do
    local shape = {}
    for k = 1, axes do shape[k] = k == axis and sizes[k] or 1 end
    counts = counts / lutra.diff(edges[axis]):reshape(shape)
  end
  return counts, edges
end

function orders.confusion_matrix(labels, predictions, given)
  local who = "confusion_matrix"
  local read = options.read(who, given, { classes = false, weights = false })
  labels = vector(who, "labels", integers(who, "labels", labels)):cast "int64"
  predictions = vector(who, "predictions", integers(who, "predictions", predictions)):cast "int64"
  local count = labels.size
  if predictions.size ~= count then
    fail("%s: there are %d labels and %d predictions", who, count, predictions.size)
  end
  local n = read.classes and options.count(who, "classes", read.classes, 0)
  if not n then n = count == 0 and 0 or math.max(1, lutra.max(lutra.concat { labels, predictions }):item()) end
  local weights = lutra.ones({ count }, { dtype = "int64" })
  if read.weights then
    weights = arguments.number(who, "weights", read.weights)
    if weights.shape ~= labels.shape then
      fail("%s: weights has the shape %s, expected a vector of %d numbers", who, tostring(weights.shape), count)
    end
  end
  -- Negative classes become 0, which is refused.
  local pairs_of = lutra.maximum(lutra.stack({ labels, predictions }, 2), 0)
  local place = ravelled(who, pairs_of, { n, n })
  return (lutra.unsorted_segment_sum(weights, place, n * n):reshape { n, n })
end

function orders.dynamic_partition(x, partitions, n)
  local who = "dynamic_partition"
  x, partitions = tensor(who, "x", x), integers(who, "partitions", partitions)
  n = options.count(who, "n", n, 1)
  local rank, sizes = partitions.rank, { partitions.size }
  for axis = 1, rank do
    if axis > x.rank or x.shape[axis] ~= partitions.shape[axis] then
      fail("%s: partitions has the shape %s, expected x's first axes, of %s", who, tostring(partitions.shape),
        tostring(x.shape))
    end
  end
  for axis = rank + 1, x.rank do sizes[#sizes + 1] = x.shape[axis] end
  x, partitions = x:reshape(sizes), partitions:reshape { partitions.size }:cast "int64"
  local ones = lutra.ones({ sizes[1] }, { dtype = "int64" })
  local counts = lutra.unsorted_segment_sum(ones, lutra.maximum(partitions, 0), n)
  -- Stable: the elements of a partition keep their order.
  return (lutra.split(lutra.gather(x, lutra.argsort(partitions)), counts:totable(), 1))
end

local counts = { unique_consecutive = 2, ravel_multi_index = 3, lexsort = 1, digitize = 3, histogram = 3, histogram2d = 3,
  histogramdd = 2, confusion_matrix = 3, dynamic_partition = 3 }
for name, count in pairs(counts) do orders[name] = options.bounded(name, count, orders[name], true) end

return orders
