-- What functions are given.
local lutra, tools, use = ...
local options = use "options"

local arguments = {}

-- A tensor, or numbers, of so many axes; `form` names them.
function arguments.tensor(who, name, value, rank, form)
  value = options.tensor(who, name, value)
  if rank and value.rank ~= rank then
    tools.fail("InvalidArgument", ("%s: %s has the shape %s, expected %s"):format(who, name, tostring(value.shape), form))
  end
  return value
end

-- The mean of a loss, its sum, or itself.
function arguments.reduced(loss, reduction)
  if reduction == "none" then return loss end
  return reduction == "sum" and loss:sum() or loss:mean()
end

function arguments.float(value)
  return options.as_float(value)
end

-- n whole numbers: one for all, or a list.
function arguments.sizes(who, name, value, n, least)
  local list = {}
  if type(value) == "number" then
    for i = 1, n do list[i] = value end
  elseif type(value) == "table" and getmetatable(value) == nil and #value == n then
    list = { table.unpack(value) }
  else
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number or a list of %d"):format(who, name, tools.what_is(value), n))
  end
  for i = 1, n do
    list[i] = options.count(who, n > 1 and ("%s[%d]"):format(name, i) or name, list[i], least, options.kMostSize)
  end
  return list
end

-- An axis from 1 on.
function arguments.axis(who, axis, rank)
  local at = options.whole(who, "axis", axis)
  if at < 0 then at = rank + 1 + at end
  if at < 1 or at > rank then
    tools.fail("InvalidArgument", ("%s: axis is %d, and x has %s"):format(who, axis, arguments.axes_text(rank)))
  end
  return at
end

function arguments.axes_text(rank) return rank == 1 and "1 axis" or rank .. " axes" end

-- An axis or a list of axes, each once, from 1 on.
function arguments.axes(who, name, value, rank, of)
  local is_list = type(value) == "table" and getmetatable(value) == nil
  if not is_list then value = { options.whole(who, name, value) } end
  local list, seen = {}, {}
  for i, axis in ipairs(value) do
    local at = options.whole(who, ("%s[%d]"):format(name, i), axis)
    if at < 0 then at = rank + 1 + at end
    if at < 1 or at > rank then
      tools.fail("InvalidArgument", ("%s: %s lists axis %d, and %s has %s"):format(who, name, axis, of or "x",
        arguments.axes_text(rank)))
    end
    if seen[at] then tools.fail("InvalidArgument", ("%s: %s lists axis %d twice"):format(who, name, axis)) end
    list[i], seen[at] = at, true
  end
  return list
end

-- Options, of which `axis` may stand before them as well, as in ops: f(x, 2, {keepdims = true}), f(x, {axis = 2}).
function arguments.axis_and_options(who, axis, given, defaults)
  if given == nil and type(axis) == "table" and getmetatable(axis) == nil and next(axis) ~= nil and #axis == 0 then
    axis, given = nil, axis
  end
  local read = options.read(who, given, defaults)
  if axis == nil then return read end
  if rawget(given or {}, "axis") ~= nil then
    tools.fail("InvalidArgument", ("%s: axis is given twice, as an argument and as an option"):format(who))
  end
  read.axis = axis
  return read
end

-- Fails for bool, and for complex numbers unless they are allowed.
function arguments.number(who, name, value, allows_complex)
  local x = options.tensor(who, name, value)
  if x.dtype == "bool" then tools.fail("InvalidArgument", ("%s: %s is bool, expected a number"):format(who, name)) end
  if not allows_complex and x.dtype:find "complex" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a real number"):format(who, name, x.dtype))
  end
  return x
end

-- The same as a float, or as a complex number where these are allowed.
function arguments.inexact(who, name, value, allows_complex)
  local x = arguments.number(who, name, value, allows_complex)
  return x.dtype:find "int" and lutra.cast(x, "float32") or x
end

local halves = { float16 = true, bfloat16 = true }

-- A function that rounds a result to the dtype that the tensors promote to, and the tensors, halves as float32: a
-- composed function rounds its result alone, not what it computes on the way.
function arguments.widened(...)
  local list, dtype = { ... }, (...).dtype
  for _, x in ipairs(list) do
    if not halves[x.dtype] then return function(y) return y end, ... end
    if x.dtype ~= dtype then dtype = "float32" end
  end
  for i, x in ipairs(list) do list[i] = lutra.cast(x, "float32") end
  return function(y) return lutra.cast(y, dtype) end, table.unpack(list)
end

-- f of the tensor given first, which is a float or becomes one, and of more arguments; halves are computed in float32.
function arguments.of_wide(who, f)
  return function(x, ...)
    local narrow, wide = arguments.widened(arguments.inexact(who, "x", x))
    return (narrow(f(wide, ...)))
  end
end

function arguments.integers(who, name, value)
  local x = options.tensor(who, name, value)
  if not x.dtype:find "int" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected integers"):format(who, name, x.dtype))
  end
  return x
end

-- A vector; a scalar is a vector of one.
function arguments.vector(who, name, x)
  if x.rank == 0 then return (x:reshape { 1 }) end
  if x.rank ~= 1 then
    tools.fail("InvalidArgument", ("%s: %s has the shape %s, expected a vector"):format(who, name, tostring(x.shape)))
  end
  return x
end

-- `count` elements along an axis, from `first` on.
function arguments.slice(x, axis, first, count)
  local n = x.shape[axis]
  if first == 1 and count == n then return x end
  return lutra.split(x, { first - 1, count, n - first + 1 - count }, axis)[2]
end

-- A shape's sizes with the axis `at` of another size.
function arguments.with_size(shape, at, size)
  local sizes = { table.unpack(shape) }
  sizes[at] = size
  return sizes
end

return arguments
