---@meta

--- Sparse matrices, which store only some of their elements; all others are 0. Rows and columns count from 1. Matrices are
--- values and never change. Gradients reach the values and the dense operand of a product.
---@class lutra.sparse
local sparse = {}

--- A sparse matrix of a list of elements. They may be in any order; elements of one place add up.
---@param options table {indices = [elements, 2] integers: rows and columns; values = [elements] numbers; shape = {rows, columns}}
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for shapes that do not match or the index 0, OutOfRange for an index past the shape.
--- Example:
---     local s = lt.sparse.coo {indices = {{1, 2}, {2, 1}}, values = {3.0, 4.0}, shape = {2, 2}}
---     print(s)  --> <lutra.sparse.Matrix coo, shape=(2, 2), dtype=float32, 2 elements>
--- Source: tf.sparse.SparseTensor, scipy.sparse.coo_array, torch.sparse_coo_tensor
function sparse.coo(options) end

--- A sparse matrix of rows one after another. Element k of row i is columns[row_pointers[i] + k - 1]; the last pointer is the
--- number of elements plus 1. SciPy's and PyTorch's pointers and columns are smaller by 1.
---@param options table {row_pointers = [rows + 1] integers; columns = [elements] integers; values = [elements] numbers; shape = {rows, columns}}
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for shapes that do not match, or pointers that go down or do not cover the elements; OutOfRange for
---   a column past the shape.
--- Example:
---     local s = lt.sparse.csr {row_pointers = {1, 2, 3}, columns = {2, 1}, values = {3.0, 4.0}, shape = {2, 2}}
---     print(s:to_dense():flatten())  --> lutra.Tensor([0. 3. 4. 0.], shape=(4,), dtype=float32)
--- Source: scipy.sparse.csr_array, torch.sparse_csr_tensor
function sparse.csr(options) end

--- The elements of a matrix that are not 0, row by row.
---@param x lutra.Tensor|table [rows, columns]
---@param options? table {format = "coo" or "csr"}
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for another number of axes, or bool.
--- Example:
---     print(lt.sparse.from_dense({{0.0, 3.0}, {0.0, 0.0}}).nnz)  --> 1
--- Source: tf.sparse.from_dense
function sparse.from_dense(x, options) end

--- The product of two matrices, or a matrix and a vector, one of which is sparse.
---@param a lutra.sparse.Matrix|lutra.Tensor|table
---@param b lutra.Tensor|table|lutra.sparse.Matrix
---@param options? table {transpose_a, transpose_b = multiply by the transposed matrix}
---@return lutra.Tensor # dense
--- Errors: InvalidArgument for shapes that do not match, Unimplemented if both are sparse.
--- Example:
---     local s = lt.sparse.from_dense({{0.0, 3.0}, {4.0, 0.0}})
---     print(lt.sparse.matmul(s, {1.0, 2.0}))  --> lutra.Tensor([6. 4.], shape=(2,), dtype=float32)
--- Source: tf.sparse.sparse_dense_matmul, torch.sparse.mm
function sparse.matmul(a, b, options) end

--- The sum of two sparse matrices, with one element for each place.
---@param a lutra.sparse.Matrix
---@param b lutra.sparse.Matrix
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for other shapes, or a dense matrix.
--- Example:
---     local s = lt.sparse.from_dense({{0.0, 3.0}})
---     print(lt.sparse.add(s, s):to_dense():flatten())  --> lutra.Tensor([0. 6.], shape=(2,), dtype=float32)
--- Source: tf.sparse.add
function sparse.add(a, b) end

--- The matrix with all its zeros. Also s:to_dense().
---@param s lutra.sparse.Matrix
---@return lutra.Tensor # [rows, columns]
--- Errors: InvalidArgument for anything but a sparse matrix, ResourceExhausted if the dense one does not fit in memory.
--- Example:
---     print(lt.sparse.to_dense(lt.sparse.from_dense({{0, 3}})))  --> lutra.Tensor([[0 3]], shape=(1, 2), dtype=int32)
--- Source: tf.sparse.to_dense
function sparse.to_dense(s) end

--- The transposed matrix. Also s:transpose().
---@param s lutra.sparse.Matrix
---@return lutra.sparse.Matrix # in the same format
--- Errors: InvalidArgument for anything but a sparse matrix.
--- Example:
---     print(#lt.sparse.transpose(lt.sparse.from_dense({{0, 3}})).shape)  --> 2
--- Source: tf.sparse.transpose
function sparse.transpose(s) end

--- Whether a value is a sparse matrix.
---@param value any
---@return boolean
--- Example:
---     print(lt.sparse.is_sparse(lt.ones {2, 2}))  --> false
function sparse.is_sparse(value) end

--- A sparse matrix. Fields: `values`, `rows` and `columns`, tensors with a number for each element; `indices`, [elements, 2];
--- `row_pointers` of a csr; `shape`, `dtype`, `device`, `format`, and `nnz`, the number of elements. Operators: a number times
--- it, it over a number, sums and differences of two, minus.
---@class lutra.sparse.Matrix
local Matrix = {}

--- The product with a dense matrix or vector.
---@param b lutra.Tensor|table
---@param options? table {transpose_a = multiply this matrix transposed, transpose_b = the same for b}
---@return lutra.Tensor # [rows, m] or [rows]
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.sparse.from_dense({{0.0, 3.0}}):matmul {1.0, 2.0})  --> lutra.Tensor([6.], shape=(1,), dtype=float32)
function Matrix:matmul(b, options) end

--- The matrix with all its zeros.
---@return lutra.Tensor
--- Example:
---     print(lt.sparse.from_dense({{0, 3}}):to_dense())  --> lutra.Tensor([[0 3]], shape=(1, 2), dtype=int32)
function Matrix:to_dense() end

--- The same elements by row and column, in any order.
---@return lutra.sparse.Matrix
--- Example:
---     print(lt.sparse.from_dense({{0, 3}}, {format = "csr"}):to_coo().format)  --> coo
function Matrix:to_coo() end

--- The same elements, sorted by rows and columns.
---@return lutra.sparse.Matrix
--- Example:
---     print(lt.sparse.from_dense({{0, 3}}):to_csr().row_pointers)  --> lutra.Tensor([1 2], shape=(2,), dtype=int64)
function Matrix:to_csr() end

--- The transposed matrix.
---@return lutra.sparse.Matrix
--- Example:
---     print(lt.sparse.from_dense({{0, 3}}):transpose():to_dense():flatten())  --> lutra.Tensor([0 3], shape=(2,), dtype=int32)
function Matrix:transpose() end

--- One element for each place, the sum of those that are there, in order. The number of elements depends on values, so this
--- runs on the CPU.
---@return lutra.sparse.Matrix
--- Example:
---     local s = lt.sparse.coo {indices = {{1, 1}, {1, 1}}, values = {1.0, 2.0}, shape = {1, 1}}
---     print(s:coalesce().values)  --> lutra.Tensor([3.], shape=(1,), dtype=float32)
function Matrix:coalesce() end

--- The sum with another sparse matrix.
---@param other lutra.sparse.Matrix
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for another shape, or a dense matrix.
--- Example:
---     local s = lt.sparse.from_dense({{0.0, 3.0}})
---     print(s:add(s):to_dense():flatten())  --> lutra.Tensor([0. 6.], shape=(2,), dtype=float32)
function Matrix:add(other) end

--- Other values at the same places.
---@param values lutra.Tensor|table [elements]
---@return lutra.sparse.Matrix
--- Errors: InvalidArgument for another number of values.
--- Example:
---     print(lt.sparse.from_dense({{0, 3}}):with_values({5}):to_dense():flatten())  --> lutra.Tensor([0 5], shape=(2,), dtype=int32)
function Matrix:with_values(values) end
