-- A sparse matrix: the rows, columns and values of its elements, which are tensors. Elements of one place add up. Those of
-- a "csr" are sorted by rows.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local Matrix = class "sparse.Matrix"
local function fail(text, ...) tools.fail("InvalidArgument", text:format(...)) end

function Matrix:init(format, rows, columns, values, shape)
  if format ~= "coo" and format ~= "csr" then
    fail "sparse.Matrix: a matrix is made by lutra.sparse.coo, csr or from_dense"
  end
  -- Half the memory; sizes are below 2^31 (sparse.coo).
  self.rows, self.columns = lutra.cast(rows, "int32"), lutra.cast(columns, "int32")
  self.format, self.values, self.shape = format, values, shape
end

local fields = {}
function fields:dtype() return self.values.dtype end
function fields:nnz() return #self.values end
function fields:device() return self.values.device end
function fields:indices() return lutra.stack({ self.rows, self.columns }, 2):int64() end
-- The place of each row's first element, and one past the last: from 1 on.
function fields:row_pointers()
  if self.format ~= "csr" then
    tools.fail("FailedPrecondition", "row_pointers: the matrix is coo, whose elements may be in any order: write s:to_csr().row_pointers")
  end
  return lutra.searchsorted(self.rows, lutra.range(1, self.shape[1] + 2, { dtype = "int32" }))
end
function Matrix:__index(name)
  local field = fields[name]
  if field then return field(self) end
  return Matrix[name]
end
function Matrix:__tostring()
  return ("<lutra.sparse.Matrix %s, shape=%s, dtype=%s, %d elements>"):format(self.format, options.shape_text(self.shape), self.dtype,
    self.nnz)
end

local function with(self, format, rows, columns, values, shape)
  return Matrix(format or self.format, rows or self.rows, columns or self.columns, values or self.values, shape or self.shape)
end

function Matrix:with_values(values)
  values = options.tensor("with_values", "values", values)
  if values.rank ~= 1 or #values ~= self.nnz then
    fail("with_values: values have the shape %s, expected (%d,)", tostring(values.shape), self.nnz)
  end
  return with(self, nil, nil, nil, values)
end

-- Places as one number each, row by row.
local function keys(self) return (self.rows:int64() - 1) * self.shape[2] + self.columns:int64() end

local function sorted(self, format)
  local order = lutra.argsort(keys(self))
  return with(self, format, self.rows:gather(order), self.columns:gather(order), lutra.gather(self.values, order))
end

function Matrix:to_coo() return with(self, "coo") end
function Matrix:to_csr() return self.format == "csr" and self or sorted(self, "csr") end

-- One element for each place, in order.
function Matrix:coalesce()
  local places, inverse = lutra.unique(keys(self))
  local values = lutra.unsorted_segment_sum(self.values, inverse, #places)
  return with(self, nil, (places - 1) // self.shape[2] + 1, (places - 1) % self.shape[2] + 1, values)
end

function Matrix:to_dense()
  local flat = lutra.zeros({ self.shape[1] * self.shape[2] }, { dtype = self.dtype })
  if self.nnz == 0 then return flat:reshape(self.shape) end
  return lutra.scatter_add(flat, keys(self), self.values):reshape(self.shape)
end

function Matrix:transpose()
  local made = with(self, "coo", self.columns, self.rows, nil, { self.shape[2], self.shape[1] })
  return self.format == "csr" and sorted(made, "csr") or made
end

local function is_on_gpu(x) return x.device:find "GPU:%d+$" ~= nil end

-- The same product by ops that run on GPUs, where coo_matmul has no kernel: a number for each element and column of b.
local function product_on_gpu(values, rows, columns, row_count, b)
  if values.dtype ~= b.dtype then
    local wide = values.dtype == "float64" or b.dtype == "float64"
    values, b = lutra.cast(values, wide and "float64" or "float32"), lutra.cast(b, wide and "float64" or "float32")
  end
  local dtype = b.dtype
  -- Halves are added as float32, integers as in coo_matmul.
  if dtype ~= "float64" and dtype ~= "float32" then
    values, b = lutra.cast(values, "float32"), lutra.cast(b, "float32")
  end
  if b.rank == 2 then values = lutra.expand_dims(values, 2) end
  local y = lutra.unsorted_segment_sum(lutra.gather(b, columns) * values, rows, row_count)
  return dtype:find "float16" and lutra.cast(y, dtype) or y
end

-- Options: transpose_a (this matrix), transpose_b. A vector has no transpose, as in lutra.matmul.
function Matrix:matmul(b, given)
  local who = "sparse.matmul"
  local read = options.read(who, given, { transpose_a = false, transpose_b = false })
  b = options.tensor(who, "b", b)
  if options.boolean(who, "transpose_b", read.transpose_b) and b.rank == 2 then b = lutra.transpose(b) end
  local rows, columns, shape = self.rows, self.columns, self.shape
  if options.boolean(who, "transpose_a", read.transpose_a) then rows, columns, shape = columns, rows, { shape[2], shape[1] } end
  if b.rank ~= 1 and b.rank ~= 2 or b.shape[1] ~= shape[2] then
    fail("sparse.matmul: a %s and b %s do not match: expected a vector or a matrix with a first axis of %d",
      options.shape_text(shape), tostring(b.shape), shape[2])
  end
  if is_on_gpu(self.values) or is_on_gpu(b) then return product_on_gpu(self.values, rows, columns, shape[1], b) end
  return lutra.coo_matmul(self.values, rows, columns, b, shape[1])
end

local function is_matrix(value) return type(value) == "table" and getmetatable(value) == Matrix end

function Matrix:add(other)
  if not is_matrix(other) then
    fail("sparse.add: b is %s, expected a matrix of lutra.sparse; write a:to_dense() + b for a sum of tensors", tools.what_is(other))
  end
  if self.shape[1] ~= other.shape[1] or self.shape[2] ~= other.shape[2] then
    fail("sparse.add: a %s and b %s do not match: expected one shape", options.shape_text(self.shape), options.shape_text(other.shape))
  end
  local values = lutra.concat { self.values, other.values }
  return with(self, "coo", lutra.concat { self.rows, other.rows }, lutra.concat { self.columns, other.columns }, values):coalesce()
end

local function scaled(self, factor, op)
  if type(factor) ~= "number" and not (tools.is_tensor(factor) and factor.rank == 0) then
    fail("a sparse matrix times %s: expected a number; write lutra.sparse.matmul(a, b) for a product of matrices", tools.what_is(factor))
  end
  return with(self, nil, nil, nil, op(self.values, factor))
end
function Matrix.__mul(a, b)
  if not is_matrix(a) then a, b = b, a end
  return scaled(a, b, function(values, factor) return values * factor end)
end
function Matrix.__div(a, b)
  if not is_matrix(a) then fail "a number over a sparse matrix: it would be infinite where there is no element" end
  return scaled(a, b, function(values, factor) return values / factor end)
end
function Matrix:__unm() return with(self, nil, nil, nil, -self.values) end
function Matrix.__add(a, b)
  if not is_matrix(a) then a, b = b, a end
  return a:add(b)
end
function Matrix.__sub(a, b)
  if not (is_matrix(a) and is_matrix(b)) then fail "a dense and a sparse matrix: write to_dense() first" end
  return a:add(-b)
end
Matrix.__name = "lutra.sparse.Matrix"

-- The most arguments of each method, the matrix included.
for name, count in pairs { with_values = 2, to_coo = 1, to_csr = 1, coalesce = 1, to_dense = 1, transpose = 1, matmul = 3, add = 2 } do
  Matrix[name] = options.bounded("sparse.Matrix:" .. name, count, Matrix[name])
  use "colon"(Matrix, "s", "sparse matrix", name)
end

return Matrix
