-- Slopes and integrals of samples at places of their own; samples at one distance are ops (prelude.lua).
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local samples = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local slice = arguments.slice

local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end

-- A vector along axis `at` of `rank`, which broadcasts.
local function along(x, at, rank)
  local sizes = {}
  for axis = 1, rank do sizes[axis] = axis == at and x.size or 1 end
  return x:reshape(sizes)
end

-- The slopes along an axis whose samples are at the places x: exact for parabolas inside, and at the ends with
-- edge_order 2 (numpy.gradient).
local function slopes(y, x, at, edge_order)
  local who = "gradient"
  local n = y.shape[at]
  x = arguments.inexact(who, "dx", x)
  if x.rank ~= 1 or x.size ~= n then
    fail("%s: dx has the shape %s, expected a number, or the places of the %d samples along axis %d", who, tostring(x.shape), n, at)
  end
  if n <= edge_order then
    fail("%s: x %s has %d elements along axis %d, expected %d or more", who, tostring(y.shape), n, at, edge_order + 1)
  end
  local steps = lutra.diff(x):cast(y.dtype)
  local function step(i) return steps[i] end
  local function sample(i) return slice(y, at, i, 1) end
  local first, last = (sample(2) - sample(1)) / step(1), (sample(n) - sample(n - 1)) / step(n - 1)
  if edge_order == 2 then
    local a, b = step(1), step(2)
    first = sample(2) * ((a + b) / (a * b)) - sample(1) * ((2 * a + b) / (a * (a + b))) - sample(3) * (a / (b * (a + b)))
    a, b = step(n - 2), step(n - 1)
    last = sample(n - 2) * (b / (a * (a + b))) - sample(n - 1) * ((a + b) / (a * b)) + sample(n) * ((2 * b + a) / (b * (a + b)))
  end
  if n == 2 then return lutra.concat({ first, last }, at) end
  local before, behind = along(steps[{ { 1, n - 2 } }], at, y.rank), along(steps[{ { 2, n - 1 } }], at, y.rank)
  local both = before + behind
  local inside = slice(y, at, 3, n - 2) * (before / (behind * both)) + slice(y, at, 2, n - 2) * ((behind - before) / (before * behind))
    - slice(y, at, 1, n - 2) * (behind / (before * both))
  return lutra.concat({ first, inside, last }, at)
end

-- gradient(x, dx, {axis, edge_order}): dx is a number, or the samples' places; with a list of axes, or one of dx and
-- axes, the result is a list.
local op = lutra.gradient
function samples.gradient(y, dx, given)
  local who = "gradient"
  if given == nil and is_plain(dx) and #dx == 0 and next(dx) ~= nil then dx, given = nil, dx end
  local read = options.read(who, given, { dx = 1, axis = -1, edge_order = 1 })
  if dx ~= nil then read.dx = dx end
  y = arguments.inexact(who, "x", y, true)
  if y.rank == 0 then fail("%s: x is a scalar, which has no axis", who) end
  local order = options.whole(who, "edge_order", read.edge_order)
  if order ~= 1 and order ~= 2 then fail("%s: edge_order is %d, expected 1 or 2", who, order) end
  local function one(axis, distance)
    if type(distance) == "number" then return (op(y, distance, { axis = axis, edge_order = order })) end
    return (slopes(y, distance, axis, order))
  end
  if type(read.axis) ~= "table" then return (one(arguments.axis(who, read.axis, y.rank), read.dx)) end
  local axes, list = arguments.axes(who, "axis", read.axis, y.rank), {}
  local is_list = is_plain(read.dx)
  if is_list and #read.dx ~= #axes then
    fail("%s: dx lists %d distances, and axis %d axes", who, #read.dx, #axes)
  end
  for i, axis in ipairs(axes) do list[i] = one(axis, is_list and read.dx[i] or read.dx) end
  return list
end

-- The distances of samples at the places x, a vector or in y's shape.
function samples.steps(who, x, y, at)
  x = arguments.inexact(who, "x", x)
  if x.rank == 1 and x.size == y.shape[at] then return along(lutra.diff(x), at, y.rank) end
  if x.rank ~= y.rank or x.shape[at] ~= y.shape[at] then
    fail("%s: x has the shape %s, expected a vector of %d numbers, one for each sample, or y's shape, %s", who, tostring(x.shape),
      y.shape[at], tostring(y.shape))
  end
  return lutra.diff(x, at)
end

-- trapezoid(y, axis, {x}).
function samples.trapezoid(y, axis, given)
  local who = "trapezoid"
  local read = arguments.axis_and_options(who, axis, given, { axis = -1, dx = false, x = false })
  if read.dx then fail("%s: dx and x are given, expected one of them", who) end
  y = arguments.inexact(who, "y", y, true)
  if y.rank == 0 then fail("%s: y is a scalar, which has no axis", who) end
  local at = arguments.axis(who, read.axis, y.rank)
  local n = y.shape[at]
  local steps = samples.steps(who, read.x, y, at)
  if n == 0 then return (lutra.sum(y, at)) end
  return (lutra.sum((slice(y, at, 1, n - 1) + slice(y, at, 2, n - 1)) * steps, at) * 0.5)
end

-- unwrap(p, axis, {discont, period}): angles without jumps of a period and more.
function samples.unwrap(p, axis, given)
  local who = "unwrap"
  local read = arguments.axis_and_options(who, axis, given, { axis = -1, discont = false, period = 2 * math.pi })
  p = arguments.number(who, "p", p)
  if p.rank == 0 then fail("%s: p is a scalar, which has no axis", who) end
  local at, period = arguments.axis(who, read.axis, p.rank), options.positive(who, "period", read.period)
  local is_whole = p.dtype:find "int" and math.type(period) == "integer"
  if not is_whole then p = arguments.inexact(who, "p", p) end
  local discont = math.max(read.discont and options.number(who, "discont", read.discont) or 0, period / 2)
  local n = p.shape[at]
  if n < 2 then return p end
  local jumps = lutra.diff(p, at)
  local half = is_whole and period // 2 or period / 2
  local wrapped = (jumps + half) % period - half
  -- Of half a period up and down, the direction of the jump.
  if not is_whole or period % 2 == 0 then
    wrapped = lutra.where(lutra.logical_and(wrapped:eq(-half), jumps:gt(0)), half, wrapped)
  end
  local moved = lutra.where(lutra.abs(jumps):lt(discont), 0, wrapped - jumps)
  local first, others = slice(p, at, 1, 1), slice(p, at, 2, n - 1)
  return (lutra.concat({ first, others + lutra.cumsum(moved, at):cast(p.dtype) }, at))
end

for name, count in pairs { gradient = 3, trapezoid = 3, unwrap = 3 } do samples[name] = options.bounded(name, count, samples[name], true) end

return samples
