-- lutra.sparse: matrices that are lists of their elements. Documented in _meta/sparse.lua.
local lutra, tools, use = ...
local options, Matrix = use "options", use "sparse.matrix"

local sparse = {}

local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

local function numbers(who, name, value, rank, form)
  if value == nil or value == false then fail("%s: %s is missing", who, name) end
  value = options.tensor(who, name, value)
  if rank and value.rank ~= rank then fail("%s: %s has the shape %s, expected %s", who, name, tostring(value.shape), form) end
  return value
end

local function whole_numbers(who, name, value, rank, form)
  value = numbers(who, name, value, rank, form)
  if value.size == 0 then return lutra.cast(value, "int64") end
  if not value.dtype:find "int" then fail("%s: %s is %s, expected integers", who, name, value.dtype) end
  return value
end

local function read_values(who, value)
  value = numbers(who, "values", value, 1, "a vector")
  if value.dtype == "bool" then fail("%s: values are bool, expected numbers", who) end
  return value
end

local function read_shape(who, shape)
  if not shape then fail("%s: shape is missing, expected {rows, columns}", who) end
  if type(shape) ~= "table" or #shape ~= 2 then fail("%s: shape is %s, expected {rows, columns}", who, tools.what_is(shape)) end
  local rows = options.count(who, "shape[1]", shape[1], 0, options.kMostSize)
  return { rows, options.count(who, "shape[2]", shape[2], 0, options.kMostSize) }
end

-- Waits for a GPU.
local function require_range(who, name, list, most)
  if list.size == 0 then return end
  local low, high = list:min():item(), list:max():item()
  if low == 0 then fail("%s: %s has a 0, and they count from 1", who, name) end
  if low < 1 or high > most then
    tools.fail("OutOfRange", ("%s: %s has %d, expected 1 to %d"):format(who, name, low < 1 and low or high, most))
  end
end

local function require_count(who, name, list, values)
  if #list ~= #values then fail("%s: %d %s and %d values, expected as many", who, #list, name, #values) end
end

-- coo {indices = , values = , shape = }
function sparse.coo(given)
  local who = "sparse.coo"
  local read = options.read(who, given, { indices = false, values = false, shape = false })
  local values, shape = read_values(who, read.values), read_shape(who, read.shape)
  local indices = numbers(who, "indices", read.indices, nil)
  -- An empty table is a vector.
  if indices.size == 0 then indices = indices:reshape { 0, 2 } end
  indices = whole_numbers(who, "indices", indices, 2, "[elements, 2]")
  if indices.shape[2] ~= 2 then fail("%s: indices have the shape %s, expected [elements, 2]", who, tostring(indices.shape)) end
  require_count(who, "indices", indices, values)
  local rows, columns = indices[{ {}, 1 }], indices[{ {}, 2 }]
  require_range(who, "indices[:, 1]", rows, shape[1])
  require_range(who, "indices[:, 2]", columns, shape[2])
  return Matrix("coo", rows, columns, values, shape)
end

-- csr {row_pointers = , columns = , values = , shape = }
function sparse.csr(given)
  local who = "sparse.csr"
  local read = options.read(who, given, { row_pointers = false, columns = false, values = false, shape = false })
  local values, shape = read_values(who, read.values), read_shape(who, read.shape)
  local columns = whole_numbers(who, "columns", read.columns, 1, "a vector")
  local pointers = whole_numbers(who, "row_pointers", read.row_pointers, 1, "a vector")
  require_count(who, "columns", columns, values)
  if #pointers ~= shape[1] + 1 then
    fail("%s: row_pointers has %d numbers, expected %d: where each of the %d rows begins, and the end of the last", who, #pointers,
      shape[1] + 1, shape[1])
  end
  require_range(who, "columns", columns, shape[2])
  local first, last = pointers[1]:item(), pointers[-1]:item()
  if first ~= 1 or last ~= #values + 1 then
    fail("%s: row_pointers go from %d to %d, expected 1 to %d: they count from 1%s", who, first, last, #values + 1,
      first == 0 and last == #values and "; add 1 to those of SciPy or PyTorch" or "")
  end
  if #pointers > 1 and lutra.any(lutra.diff(pointers:int64()):lt(0)):item() then
    fail("%s: row_pointers go down, expected that each row begins where the one before it ends", who)
  end
  -- The row of an element is the last one that begins at or before it.
  local places = lutra.range(1, #values + 1, { dtype = "int64" })
  local rows = lutra.searchsorted(pointers:int64(), places, { right = true }) - 1
  return Matrix("csr", rows, columns, values, shape)
end

-- from_dense(x[, {format = "coo"}])
function sparse.from_dense(x, given)
  local who = "sparse.from_dense"
  x = numbers(who, "x", x, 2, "a matrix")
  local read = options.read(who, given, { format = "coo" })
  options.word(who, "format", read.format, { coo = true, csr = true })
  if x.dtype == "bool" then fail("%s: x is bool, expected numbers", who) end
  local places = lutra.nonzero(lutra.stop_gradient(x))
  -- Row by row, so that they are sorted.
  return Matrix(read.format, places[{ {}, 1 }], places[{ {}, 2 }], lutra.gather_nd(x, places), { x.shape[1], x.shape[2] })
end

local function is_sparse(value) return type(value) == "table" and getmetatable(value) == Matrix end
function sparse.is_sparse(value) return is_sparse(value) end

local function require_matrix(who, name, value)
  if not is_sparse(value) then fail("%s: %s is %s, expected a matrix of lutra.sparse", who, name, tools.what_is(value)) end
  return value
end
function sparse.to_dense(s) return require_matrix("sparse.to_dense", "s", s):to_dense() end
function sparse.transpose(s) return require_matrix("sparse.transpose", "s", s):transpose() end
function sparse.add(a, b) return require_matrix("sparse.add", "a", a):add(b) end

-- matmul(a, b[, {transpose_a = , transpose_b = }]): one of them is sparse.
function sparse.matmul(a, b, given)
  local who = "sparse.matmul"
  if is_sparse(a) and is_sparse(b) then
    tools.fail("Unimplemented", who .. ": both are sparse, expected a dense matrix or vector beside one: write b:to_dense()")
  end
  if is_sparse(a) then return a:matmul(b, given) end
  require_matrix(who, "b", b)
  a = options.tensor(who, "a", a)
  local read = options.read(who, given, { transpose_a = false, transpose_b = false })
  if a.rank ~= 1 and a.rank ~= 2 then fail("%s: a has the shape %s, expected a vector or a matrix", who, tostring(a.shape)) end
  if options.boolean(who, "transpose_a", read.transpose_a) and a.rank == 2 then a = lutra.transpose(a) end
  local is_transposed = options.boolean(who, "transpose_b", read.transpose_b)
  local rows, columns = b.shape[is_transposed and 2 or 1], b.shape[is_transposed and 1 or 2]
  if a.shape[a.rank] ~= rows then
    fail("%s: a %s and b %s do not match: a's last axis (%d) must equal b's first (%d)", who, tostring(a.shape),
      options.shape_text { rows, columns }, a.shape[a.rank], rows)
  end
  -- a b = (b^T a^T)^T.
  local y = b:matmul(a, { transpose_a = not is_transposed, transpose_b = true })
  return a.rank == 1 and y or lutra.transpose(y)
end

for name, count in pairs { coo = 1, csr = 1, from_dense = 2, matmul = 3, to_dense = 1, transpose = 1, add = 2 } do
  sparse[name] = options.bounded("sparse." .. name, count, sparse[name], true)
end

return sparse
