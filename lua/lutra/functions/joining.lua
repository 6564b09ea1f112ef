-- Tensors made of several, cut into several, or given further axes; combinations of elements; sequences of several lengths.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local joining = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local tensor, vector = arguments.tensor, arguments.vector

-- f of each argument, as several results.
local function each(who, f, ...)
  local list = table.pack(...)
  if list.n == 0 then fail("%s: no tensors are given, expected one or more", who) end
  for i = 1, list.n do list[i] = f(tensor(who, list.n == 1 and "x" or ("argument %d"):format(i), list[i])) end
  return table.unpack(list, 1, list.n)
end

local function with_two(x)
  if x.rank >= 2 then return x end
  return (x:reshape { 1, x.size })
end
local function with_three(x)
  if x.rank >= 3 then return x end
  local shape = x.shape
  return (x:reshape(x.rank == 2 and { shape[1], shape[2], 1 } or { 1, x.size, 1 }))
end
function joining.atleast_1d(...)
  return each("atleast_1d", function(x) return x.rank == 0 and x:reshape { 1 } or x end, ...)
end
function joining.atleast_2d(...) return each("atleast_2d", with_two, ...) end
function joining.atleast_3d(...) return each("atleast_3d", with_three, ...) end

local function list_of(who, list)
  if type(list) ~= "table" or getmetatable(list) ~= nil or #list == 0 then
    fail("%s: list is %s, expected a list of tensors", who,
      type(list) == "table" and #list == 0 and "empty" or tools.what_is(list))
  end
  local out = {}
  for i = 1, #list do out[i] = tensor(who, ("list[%d]"):format(i), list[i]) end
  return out
end

function joining.column_stack(list)
  local columns = list_of("column_stack", list)
  for i, x in ipairs(columns) do
    if x.rank < 2 then columns[i] = x:reshape { x.size, 1 } end
  end
  return (lutra.concat(columns, 2))
end

function joining.dstack(list)
  local slices = list_of("dstack", list)
  for i, x in ipairs(slices) do slices[i] = with_three(x) end
  return (lutra.concat(slices, 3))
end

function joining.array_split(x, n, axis)
  local who = "array_split"
  x = tensor(who, "x", x)
  if type(n) == "table" then fail("%s: n is a list, expected how many pieces; split takes the pieces' sizes", who) end
  n = options.count(who, "n", n, 1, 1 << 24)
  local at = arguments.axis(who, axis == nil and 1 or axis, x.rank)
  local size, sizes = x.shape[at], {}
  for i = 1, n do sizes[i] = size // n + (i <= size % n and 1 or 0) end
  return (lutra.split(x, sizes, at))
end

-- The shape to which all of them broadcast.
local function common_shape(who, list)
  local rank, shape = 0, {}
  for _, x in ipairs(list) do rank = math.max(rank, x.rank) end
  for axis = 1, rank do
    shape[axis] = 1
    for _, x in ipairs(list) do
      local own = axis - (rank - x.rank)
      local size = own >= 1 and x.shape[own] or 1
      if size ~= 1 and shape[axis] ~= 1 and size ~= shape[axis] then
        local texts = {}
        for i, every in ipairs(list) do texts[i] = tostring(every.shape) end
        fail("%s: the shapes %s do not broadcast", who, table.concat(texts, ", "))
      end
      if size ~= 1 then shape[axis] = size end
    end
  end
  return shape
end

function joining.broadcast_arrays(...)
  local list = table.pack(each("broadcast_arrays", function(x) return x end, ...))
  local shape = common_shape("broadcast_arrays", list)
  for i, x in ipairs(list) do list[i] = lutra.broadcast_to(x, shape) end
  return table.unpack(list, 1, list.n)
end

function joining.cartesian_prod(...)
  local who = "cartesian_prod"
  local list = table.pack(each(who, function(x) return vector(who, "an argument", x) end, ...))
  if list.n == 1 then return list[1] end
  local before, count = 1, 1
  for _, x in ipairs(list) do count = count * x.size end
  for i, x in ipairs(list) do
    local n = x.size
    local after = count == 0 and 0 or count // (before * n)
    list[i] = x:reshape { 1, n, 1 }:broadcast_to { count == 0 and 0 or before, n, after }:reshape { count }
    before = before * n
  end
  list.n = nil
  return (lutra.stack(list, 2))
end

-- Rows of row numbers, from 1 on, each lexicographically after the one before: from those of one number less.
local function extended(rows, n, step)
  local columns = rows.shape[2]
  local last = rows[{ {}, columns }]
  local counts = n + 1 - step - last
  local ends = lutra.cumsum(counts, 1)
  local total = rows.shape[1] == 0 and 0 or ends[rows.shape[1]]:item()
  if total == 0 then return (lutra.zeros({ 0, columns + 1 }, { dtype = "int64" })) end
  local place = lutra.range(1, total + 1, 1, { dtype = "int64" })
  local row = lutra.searchsorted(ends, place)
  local before = place - (ends - counts):gather(row)
  return (lutra.concat({ rows:gather(row), (last:gather(row) + before + (step - 1)):expand_dims(2) }, 2))
end

function joining.combinations(x, r, given)
  local who = "combinations"
  if given == nil and type(r) == "table" and getmetatable(r) == nil then r, given = nil, r end
  local read = options.read(who, given, { r = 2, with_replacement = false })
  r = options.count(who, "r", r == nil and read.r or r, 1)
  options.boolean(who, "with_replacement", read.with_replacement)
  x = vector(who, "x", tensor(who, "x", x))
  local n, step = x.size, read.with_replacement and 0 or 1
  if r > n and (step == 1 or n == 0) then return (lutra.zeros({ 0, r }, { dtype = x.dtype })) end
  local rows = lutra.range(1, n + 1, 1, { dtype = "int64" }):reshape { n, 1 }
  for _ = 2, r do rows = extended(rows, n, step) end
  return (lutra.gather(x, rows))
end

local kSides = { pre = true, post = true }

function joining.pad_sequences(sequences, given)
  local who = "pad_sequences"
  local read = options.read(who, given, { maxlen = false, padding = "pre", truncating = "pre", value = 0, dtype = false })
  options.word(who, "padding", read.padding, kSides)
  options.word(who, "truncating", read.truncating, kSides)
  options.number(who, "value", read.value)
  if tools.is_tensor(sequences) and sequences.rank > 0 then sequences = lutra.unstack(sequences) end
  if type(sequences) ~= "table" or getmetatable(sequences) ~= nil then
    fail("%s: sequences is %s, expected a list of sequences", who, tools.what_is(sequences))
  end
  local list, longest, row, dtype = {}, 0, nil, read.dtype or nil
  for i = 1, #sequences do
    local name = ("sequences[%d]"):format(i)
    local is_empty = type(sequences[i]) == "table" and next(sequences[i]) == nil
    local x = not is_empty and tensor(who, name, sequences[i]) or nil
    if x and x.rank == 0 then fail("%s: %s is a scalar, expected a sequence", who, name) end
    if x then
      local sizes = { table.unpack(x.shape, 2) }
      row, dtype, longest = row or sizes, dtype or x.dtype, math.max(longest, x.shape[1])
      local fits = #sizes == #row
      for axis = 1, fits and #row or 0 do fits = fits and sizes[axis] == row[axis] end
      if not fits then
        fail("%s: the elements of %s have the shape %s, and those before %s", who, name, options.shape_text(sizes),
          options.shape_text(row))
      end
    end
    list[i] = x or false
  end
  local n = read.maxlen and options.count(who, "maxlen", read.maxlen, 0) or longest
  row, dtype = row or {}, dtype or "int32"
  for i, x in ipairs(list) do
    local length = x and math.min(x.shape[1], n) or 0
    local part = x and length > 0
      and arguments.slice(x, 1, read.truncating == "pre" and x.shape[1] - length + 1 or 1, length):cast(dtype)
    if not part then
      part = lutra.fill({ n, table.unpack(row) }, read.value, { dtype = dtype })
    elseif length < n then
      local borders = { read.padding == "pre" and { n - length, 0 } or { 0, n - length } }
      for axis = 1, #row do borders[axis + 1] = { 0, 0 } end
      part = lutra.pad(part, borders, { value = read.value })
    end
    list[i] = part
  end
  if #list == 0 then return (lutra.zeros({ 0, n }, { dtype = dtype })) end
  return (lutra.stack(list, 1))
end

local counts = { atleast_1d = math.huge, atleast_2d = math.huge, atleast_3d = math.huge, column_stack = 1, dstack = 1,
  array_split = 3, broadcast_arrays = math.huge, cartesian_prod = math.huge, combinations = 3, pad_sequences = 2 }
for name, count in pairs(counts) do joining[name] = options.bounded(name, count, joining[name], true) end

return joining
