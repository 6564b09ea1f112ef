-- Products of tensors, and matrices that consist of others.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local products = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor = arguments.tensor

-- The axes to sum over: a count says a's last and b's first.
local function summed_axes(who, a, b, axes)
  if type(axes) == "number" then
    local count = options.count(who, "axes", axes, 0)
    if count > a.rank or count > b.rank then
      fail("%s: axes is %d, and a has %s, b %d", who, count, arguments.axes_text(a.rank), b.rank)
    end
    local of_a, of_b = {}, {}
    for i = 1, count do of_a[i], of_b[i] = a.rank - count + i, i end
    return of_a, of_b
  end
  if type(axes) ~= "table" or getmetatable(axes) ~= nil or #axes ~= 2 then
    fail("%s: axes is %s, expected a count, or {axes of a, axes of b}", who,
      type(axes) == "table" and ("a list of %d"):format(#axes) or tools.what_is(axes))
  end
  local of_a = arguments.axes(who, "axes[1]", axes[1], a.rank, "a")
  local of_b = arguments.axes(who, "axes[2]", axes[2], b.rank, "b")
  if #of_a ~= #of_b then fail("%s: axes lists %d axes of a and %d of b", who, #of_a, #of_b) end
  return of_a, of_b
end

-- The axes that are not in the list, and their sizes.
local function others(x, list)
  local is_listed, axes, sizes = {}, {}, {}
  for _, axis in ipairs(list) do is_listed[axis] = true end
  for axis = 1, x.rank do
    if not is_listed[axis] then axes[#axes + 1], sizes[#sizes + 1] = axis, x.shape[axis] end
  end
  return axes, sizes
end

local function product_of(sizes)
  local product = 1
  for _, size in ipairs(sizes) do product = product * size end
  return product
end

local function summed(who, a, b, of_a, of_b)
  local inner = 1
  for i, axis in ipairs(of_a) do
    local n, m = a.shape[axis], b.shape[of_b[i]]
    if n ~= m then fail("%s: axis %d of a has %d elements, and axis %d of b has %d", who, axis, n, of_b[i], m) end
    inner = inner * n
  end
  local rows, row_sizes = others(a, of_a)
  local columns, column_sizes = others(b, of_b)
  if #rows + #columns > 8 then
    fail("%s: the result would have %d axes, expected at most 8", who, #rows + #columns)
  end
  local left = lutra.transpose(a, table.move(of_a, 1, #of_a, #rows + 1, rows)):reshape { product_of(row_sizes), inner }
  local perm = table.move(columns, 1, #columns, #of_b + 1, { table.unpack(of_b) })
  local right = lutra.transpose(b, perm):reshape { inner, product_of(column_sizes) }
  return (lutra.matmul(left, right):reshape(table.move(column_sizes, 1, #column_sizes, #row_sizes + 1, row_sizes)))
end

function products.tensordot(a, b, axes)
  local who = "tensordot"
  a, b = arguments.number(who, "a", a, true), arguments.number(who, "b", b, true)
  if axes == nil then axes = 2 end
  return summed(who, a, b, summed_axes(who, a, b, axes))
end

function products.inner(a, b)
  local who = "inner"
  a, b = arguments.number(who, "a", a, true), arguments.number(who, "b", b, true)
  if a.rank == 0 or b.rank == 0 then return (a * b) end
  return summed(who, a, b, { a.rank }, { b.rank })
end

function products.vdot(a, b)
  local who = "vdot"
  a, b = arguments.number(who, "a", a, true), arguments.number(who, "b", b, true)
  if a.size ~= b.size then
    fail("vdot: a %s has %d elements, and b %s has %d", tostring(a.shape), a.size, tostring(b.shape), b.size)
  end
  return (lutra.dot(lutra.conj(a):flatten(), b:flatten()))
end

function products.vecdot(a, b, axis)
  local who = "vecdot"
  a, b = arguments.number(who, "a", a, true), arguments.number(who, "b", b, true)
  if a.rank == 0 or b.rank == 0 then fail("%s: %s is a scalar, expected a vector or more axes", who, a.rank == 0 and "a" or "b") end
  local rank = math.max(a.rank, b.rank)
  local at = arguments.axis(who, axis == nil and -1 or axis, rank) - rank - 1
  local function size(x) return x.shape[x.rank + 1 + at] or 1 end
  if size(a) ~= size(b) then fail("%s: a has %d elements along the axis, and b has %d", who, size(a), size(b)) end
  return (lutra.sum(lutra.conj(a) * b, at))
end

-- For each range of matrices, the split with the fewest products of numbers (Cormen et al., chapter 14.2).
local function best_splits(sizes)
  local n = #sizes - 1
  local cost, split = {}, {}
  for i = 1, n do cost[i], split[i] = { [i] = 0.0 }, {} end
  for length = 2, n do
    for i = 1, n - length + 1 do
      local j = i + length - 1
      cost[i][j] = math.huge
      for k = i, j - 1 do
        local total = cost[i][k] + cost[k + 1][j] + 1.0 * sizes[i] * sizes[k + 1] * sizes[j + 1]
        if total < cost[i][j] then cost[i][j], split[i][j] = total, k end
      end
    end
  end
  return split
end

function products.multi_dot(list)
  local who = "multi_dot"
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    fail("%s: list is %s, expected a list of matrices", who, tools.what_is(list))
  end
  local n = #list
  if n < 2 then fail("%s: list has %d entries, expected two matrices or more", who, n) end
  local matrices, sizes = {}, {}
  for i = 1, n do
    local name = ("list[%d]"):format(i)
    local x = arguments.number(who, name, list[i], true)
    local may_be_vector = i == 1 or i == n
    if x.rank ~= 2 and not (may_be_vector and x.rank == 1) then
      fail("%s: %s has the shape %s, expected a matrix%s", who, name, tostring(x.shape),
        may_be_vector and " or a vector" or "")
    end
    if x.rank == 1 then x = x:reshape(i == 1 and { 1, x.size } or { x.size, 1 }) end
    if i > 1 and sizes[i] ~= x.shape[1] then
      fail("%s: list[%d] has %d columns, and %s has %d rows", who, i - 1, sizes[i], name, x.shape[1])
    end
    matrices[i], sizes[i], sizes[i + 1] = x, x.shape[1], x.shape[2]
  end
  local split = best_splits(sizes)
  local function product(i, j)
    if i == j then return matrices[i] end
    local k = split[i][j]
    return (lutra.matmul(product(i, k), product(k + 1, j)))
  end
  local result, shape = product(1, n), {}
  if tensor(who, "list[1]", list[1]).rank == 2 then shape[1] = sizes[1] end
  if tensor(who, "list", list[n]).rank == 2 then shape[#shape + 1] = sizes[n + 1] end
  return (result:reshape(shape))
end

function products.block_diag(...)
  local who, count = "block_diag", select("#", ...)
  if count == 0 then fail("%s: no matrices are given", who) end
  local blocks, columns = {}, 0
  for i = 1, count do
    local name = ("argument %d"):format(i)
    local x = tensor(who, name, (select(i, ...)))
    if x.rank > 2 then fail("%s: %s has the shape %s, expected a matrix", who, name, tostring(x.shape)) end
    if x.rank < 2 then x = x:reshape { 1, x.size } end
    blocks[i], columns = x, columns + x.shape[2]
  end
  local before = 0
  for i, x in ipairs(blocks) do
    local n = x.shape[2]
    blocks[i] = lutra.pad(x, { { 0, 0 }, { before, columns - before - n } })
    before = before + n
  end
  return (lutra.concat(blocks, 1))
end

function products.vander(x, given)
  local who = "vander"
  local read = options.read(who, given, { n = false, increasing = false })
  x = tensor(who, "x", x, 1, "a vector")
  options.boolean(who, "increasing", read.increasing)
  local n = read.n and options.count(who, "n", read.n, 0) or x.size
  if x.dtype:find "int" or x.dtype == "bool" then x = x:cast "int64" end
  if n == 0 then return (lutra.zeros({ x.size, 0 }, { dtype = x.dtype })) end
  -- Products, as powers of integers and the gradient of 0^0 would not be exact.
  local first = lutra.ones({ x.size, 1 }, { dtype = x.dtype })
  local factors = lutra.concat({ first, x:expand_dims(2):broadcast_to { x.size, n - 1 } }, 2)
  local powers = lutra.cumprod(factors, 2)
  return read.increasing and powers or (lutra.flip(powers, 2))
end

for name, count in pairs { vecdot = 3, tensordot = 3, inner = 2, vdot = 2, multi_dot = 1, block_diag = math.huge, vander = 2 } do
  products[name] = options.bounded(name, count, products[name], true)
end

return products
