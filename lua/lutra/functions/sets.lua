-- Sets: the distinct elements of tensors, in order. Sizes depend on values.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local sets = {}

local tensor = arguments.tensor

function sets.union1d(a, b)
  local both = { tensor("union1d", "a", a):flatten(), tensor("union1d", "b", b):flatten() }
  return (lutra.unique(lutra.concat(both)))
end
function sets.intersect1d(a, b)
  local values = lutra.unique(tensor("intersect1d", "a", a))
  return (values[values:isin(tensor("intersect1d", "b", b))])
end
function sets.setdiff1d(a, b)
  local values = lutra.unique(tensor("setdiff1d", "a", a))
  return (values[values:isin(tensor("setdiff1d", "b", b)):logical_not()])
end

function sets.setxor1d(a, b)
  local distinct = { (lutra.unique(tensor("setxor1d", "a", a))), (lutra.unique(tensor("setxor1d", "b", b))) }
  local values, _, counts = lutra.unique(lutra.concat(distinct))
  return (values[counts:eq(1)])
end

-- The number of each element among the distinct ones of its row, from 0 on. All nans of a row share a number.
local function ranks(rows)
  local n = rows.shape[2]
  local order = lutra.argsort(rows, 2)
  local sorted = lutra.take_along_axis(rows, order, 2)
  local before, after = arguments.slice(sorted, 2, 1, n - 1), arguments.slice(sorted, 2, 2, n - 1)
  local is_new = lutra.ne(after, before)
  if rows.dtype:find "float" then is_new = lutra.logical_and(is_new, lutra.eq(before, before)) end
  local numbers = lutra.cumsum(is_new:cast "int64", 2)
  numbers = lutra.concat({ lutra.zeros({ rows.shape[1], 1 }, { dtype = "int64" }), numbers }, 2)
  return lutra.take_along_axis(numbers, lutra.argsort(order, 2), 2)
end

-- One integer for each column, in the columns' lexicographic order. Each round joins pairs of rows into one.
local function codes(columns)
  local n = columns.shape[2]
  local numbers = ranks(columns)
  while numbers.shape[1] > 1 do
    local count = numbers.shape[1]
    local joined = numbers[{ { 1, -1, 2 } }]
    if count % 2 == 1 then joined = arguments.slice(joined, 1, 1, count // 2) end
    joined = ranks(joined * n + numbers[{ { 2, -1, 2 } }])
    numbers = count % 2 == 1 and lutra.concat { joined, numbers[{ { count, count } }] } or joined
  end
  return numbers:reshape { n }
end

-- unique with an axis; the op itself compares elements (prelude.lua).
local op = lutra.unique
function sets.unique(x, given)
  local who = "unique"
  local read = options.read(who, given, { axis = false })
  x = tensor(who, "x", x)
  if x.dtype:find "complex" then
    tools.fail("InvalidArgument", ("%s: x is %s, expected a real number or bool"):format(who, x.dtype))
  end
  local at = arguments.axis(who, read.axis, x.rank)
  if x.rank == 1 then return op(x) end
  local n = x.shape[at]
  local slices = lutra.moveaxis(x, at, 1)
  local size = x.size == 0 and 0 or x.size // n
  if size == 0 then
    -- Slices without elements are all equal.
    local count = math.min(n, 1)
    return arguments.slice(x, at, 1, count), lutra.fill({ n }, 1, { dtype = "int64" }),
      lutra.fill({ count }, n, { dtype = "int64" })
  end
  local rows = slices:reshape { n, size }
  local code = codes(lutra.transpose(rows))
  local order = lutra.argsort(code)
  local sorted = code:gather(order)
  local is_first = lutra.concat { lutra.fill({ 1 }, true), lutra.diff(sorted):ne(0) }
  -- A slice with a nan equals no other, as in NumPy.
  if x.dtype:find "float" then
    is_first = lutra.logical_or(is_first, lutra.any(lutra.ne(rows, rows), 2):gather(order))
  end
  local starts = lutra.nonzero(is_first):flatten()
  local values = lutra.moveaxis(slices:gather(order:gather(starts)), 1, at)
  local inverse = lutra.cumsum(is_first:cast "int64", 1):gather(lutra.argsort(order))
  return values, inverse, lutra.diff(lutra.concat { starts, lutra.fill({ 1 }, n + 1, { dtype = "int64" }) })
end

for name, count in pairs { union1d = 2, intersect1d = 2, setdiff1d = 2, setxor1d = 2, unique = 2 } do
  sets[name] = options.bounded(name, count, sets[name], true)
end

return sets
