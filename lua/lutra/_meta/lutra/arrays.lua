---@meta

---@class lutra
local lutra = {}

--- log(cumsum(exp(x))) along an axis, without intermediate overflow or lost digits: log2(n) steps of logaddexp.
---@param x lutra.Tensor|table any shape
---@param axis? integer default the flattened tensor; an option as well
---@return lutra.Tensor # x's shape; without an axis [x.size]; float32 for integers, else x's dtype
--- Errors: InvalidArgument for an axis that does not exist, bool, or complex numbers.
--- Example:
---     print(lt.logcumsumexp {1000.0, 1000.0})  --> lutra.Tensor([1000.     1000.6932], shape=(2,), dtype=float32)
--- Source: tf.math.cumulative_logsumexp, torch.logcumsumexp
function lutra.logcumsumexp(x, axis) end

--- The integral up to each sample but the first, by the trapezoidal rule.
---@param y lutra.Tensor|table samples, at least one axis
---@param axis? integer default -1; an option as well
---@param options? {axis?: integer, dx?: number, x?: lutra.Tensor|table, initial?: number} dx: the distance of samples, default 1; x: where they are, [n]; initial: a first element, added to the others
---@return lutra.Tensor # y's shape with an element less along the axis, or as many with initial; float32 for integers, else the promoted dtype
--- Errors: InvalidArgument for an axis that does not exist or has no samples, an x of another size, bool, or complex
---   numbers.
--- Example:
---     print(lt.cumulative_trapezoid {1, 2, 3})  --> lutra.Tensor([1.5 4. ], shape=(2,), dtype=float32)
--- Source: scipy.integrate.cumulative_trapezoid, torch.cumulative_trapezoid
function lutra.cumulative_trapezoid(y, axis, options) end

--- The mean, or the weighted mean sum(x weights) / sum(weights). Weights whose sum is 0 give inf or nan.
---@param x lutra.Tensor|table any shape
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], weights?: lutra.Tensor|table, keepdims?: boolean, returned?: boolean} weights: of x's shape, or of the axes'; keepdims: default false; returned: the sum of weights too, default false
---@return lutra.Tensor average x's shape without the axes; float32 for integers, else the promoted dtype
---@return lutra.Tensor sum with returned: the sum of weights, or how many elements an average is of; the same shape and dtype
--- Errors: InvalidArgument for an axis that does not exist or is given twice, weights of another shape, or bool.
--- Example:
---     print((lt.average({1, 2}, {weights = {1, 3}})))  --> lutra.Tensor(1.75, shape=(), dtype=float32)
--- Source: numpy.average
function lutra.average(x, axis, options) end

--- The standard deviation, and the mean.
---@param x lutra.Tensor|table any shape
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], ddof?: integer, keepdims?: boolean} ddof: default 0, while PyTorch's correction is 1; keepdims: default false
---@return lutra.Tensor std x's shape without the axes; float32 for integers, else x's dtype
---@return lutra.Tensor mean the same shape
--- Errors: InvalidArgument for an axis that does not exist or is given twice, bool, or complex numbers.
--- Example:
---     print((lt.std_mean {1, 3}))  --> lutra.Tensor(1.0, shape=(), dtype=float32)
--- Source: torch.std_mean
function lutra.std_mean(x, axis, options) end

--- The variance, and the mean.
---@param x lutra.Tensor|table any shape
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], ddof?: integer, keepdims?: boolean} ddof: default 0, while PyTorch's correction is 1; keepdims: default false
---@return lutra.Tensor var x's shape without the axes; float32 for integers, else x's dtype
---@return lutra.Tensor mean the same shape
--- Errors: InvalidArgument for an axis that does not exist or is given twice, bool, or complex numbers.
--- Example:
---     print((lt.var_mean {1, 3}))  --> lutra.Tensor(1.0, shape=(), dtype=float32)
--- Source: torch.var_mean, tf.nn.moments
function lutra.var_mean(x, axis, options) end

--- How many elements are not 0; a nan is none.
---@param x lutra.Tensor|table any shape
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], keepdims?: boolean} keepdims: default false
---@return lutra.Tensor # x's shape without the axes; int64
--- Errors: InvalidArgument for an axis that does not exist or is given twice.
--- Example:
---     print(lt.count_nonzero {0, 1, 2})  --> lutra.Tensor(2, shape=(), dtype=int64)
--- Source: numpy.count_nonzero, tf.math.count_nonzero, torch.count_nonzero
function lutra.count_nonzero(x, axis, options) end

--- The element that a share q of the elements is below, of those that are not nan; between two elements it is
--- interpolated. nan if all are nan, and of nothing.
---@param x lutra.Tensor|table any shape
---@param q number from 0 to 1
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], keepdims?: boolean, method?: string} keepdims: default false; method: "linear" (default), "lower", "higher", "midpoint" or "nearest"
---@return lutra.Tensor # x's shape without the axes; float32 for integers, else x's dtype
--- Errors: InvalidArgument for q out of range, another method, an axis that does not exist or is given twice, bool,
---   or complex numbers.
--- Example:
---     print(lt.nanquantile({1, 0 / 0, 3}, 0.5))  --> lutra.Tensor(2.0, shape=(), dtype=float32)
--- Source: numpy.nanquantile, torch.nanquantile
function lutra.nanquantile(x, q, axis, options) end

--- The same as nanquantile, with q in percent.
---@param x lutra.Tensor|table any shape
---@param q number from 0 to 100
---@param axis? integer|integer[] an axis or a list of axes to reduce over, default all; an option as well
---@param options? {axis?: integer|integer[], keepdims?: boolean, method?: string} keepdims: default false; method: "linear" (default), "lower", "higher", "midpoint" or "nearest"
---@return lutra.Tensor # x's shape without the axes; float32 for integers, else x's dtype
--- Errors: InvalidArgument for q out of range, another method, an axis that does not exist or is given twice, bool,
---   or complex numbers.
--- Example:
---     print(lt.nanpercentile({1, 0 / 0, 3}, 50))  --> lutra.Tensor(2.0, shape=(), dtype=float32)
--- Source: numpy.nanpercentile
function lutra.nanpercentile(x, q, axis, options) end

--- The index of the largest element that is not nan, counted from 1; of equal ones the first. 0 where all are nan,
--- where NumPy fails.
---@param x lutra.Tensor|table any shape
---@param axis? integer default the flattened tensor; an option as well
---@param options? {axis?: integer, keepdims?: boolean} keepdims: default false
---@return lutra.Tensor # x's shape without the axis; int64
--- Errors: InvalidArgument for an axis that does not exist, of nothing, for bool, or complex numbers.
--- Example:
---     print(lt.nanargmax {0 / 0, 2, 3})  --> lutra.Tensor(3, shape=(), dtype=int64)
--- Source: numpy.nanargmax
function lutra.nanargmax(x, axis, options) end

--- The index of the smallest element that is not nan, counted from 1; of equal ones the first. 0 where all are nan,
--- where NumPy fails.
---@param x lutra.Tensor|table any shape
---@param axis? integer default the flattened tensor; an option as well
---@param options? {axis?: integer, keepdims?: boolean} keepdims: default false
---@return lutra.Tensor # x's shape without the axis; int64
--- Errors: InvalidArgument for an axis that does not exist, of nothing, for bool, or complex numbers.
--- Example:
---     print(lt.nanargmin {0 / 0, 2, 3})  --> lutra.Tensor(2, shape=(), dtype=int64)
--- Source: numpy.nanargmin
function lutra.nanargmin(x, axis, options) end

--- x with some axes at other places; the others keep their order.
---@param x lutra.Tensor|table any shape
---@param source integer|integer[] an axis or a list of axes
---@param destination integer|integer[] where they are in the result
---@return lutra.Tensor # x's dtype
--- Errors: InvalidArgument for an axis that does not exist or is given twice, or lists of different lengths.
--- Example:
---     print(lt.moveaxis(lt.ones {2, 3, 4}, 1, 3).shape)  --> (3, 4, 2)
--- Source: numpy.moveaxis, torch.movedim
function lutra.moveaxis(x, source, destination) end

--- x with two axes exchanged.
---@param x lutra.Tensor|table any shape
---@param a integer an axis
---@param b integer an axis
---@return lutra.Tensor # x's dtype
--- Errors: InvalidArgument for an axis that does not exist.
--- Example:
---     print(lt.swapaxes(lt.ones {2, 3, 4}, 1, 3).shape)  --> (4, 3, 2)
--- Source: numpy.swapaxes, torch.swapaxes
function lutra.swapaxes(x, a, b) end

--- x turned k times by 90 degrees, from the first of two axes towards the second.
---@param x lutra.Tensor|table at least two axes
---@param options? {k?: integer, axes?: integer[]} k: default 1, negative the other way; axes: default {1, 2}
---@return lutra.Tensor # x's dtype
--- Errors: InvalidArgument for fewer than two axes, or axes that do not exist or are equal.
--- Example:
---     print(lt.rot90({{1, 2}, {3, 4}}):flatten())  --> lutra.Tensor([2 4 1 3], shape=(4,), dtype=int32)
--- Source: numpy.rot90, torch.rot90, tf.image.rot90
function lutra.rot90(x, options) end

--- x with the first elements of each sequence in reverse order, as many as its length says.
---@param x lutra.Tensor|table at least two axes
---@param lengths lutra.Tensor|table integers, one for each entry of the batch axis
---@param options? {axis?: integer, batch_axis?: integer} axis: of a sequence's elements, default 2; batch_axis: default 1
---@return lutra.Tensor # x's shape and dtype
--- Errors: InvalidArgument for other shapes, axes that do not exist or are equal, or a negative length; OutOfRange
---   for one past the axis' end.
--- Example:
---     print(lt.reverse_sequence({{1, 2, 3}, {4, 5, 6}}, {2, 3}):flatten())  --> lutra.Tensor([2 1 3 6 5 4], shape=(6,), dtype=int32)
--- Source: tf.reverse_sequence
function lutra.reverse_sequence(x, lengths, options) end

--- The elements of x, flattened, without those equal to the one before. A nan equals nothing. Runs on the CPU, since
--- the size depends on the values.
---@param x lutra.Tensor|table any shape
---@param options? {return_inverse?: boolean, return_counts?: boolean} further results, default false
---@return lutra.Tensor values shape [count], x's dtype
---@return lutra.Tensor inverse with return_inverse: for each element the index of its value, x's shape, int64
---@return lutra.Tensor counts with return_counts: how often each value follows itself, [count], int64; the second result without an inverse
--- Errors: InvalidArgument for an option that is no boolean.
--- Example:
---     print((lt.unique_consecutive {1, 1, 2, 1}))  --> lutra.Tensor([1 2 1], shape=(3,), dtype=int32)
--- Source: torch.unique_consecutive
function lutra.unique_consecutive(x, options) end

--- The row-major positions of elements in a tensor of the given shape, counted from 1: the reverse of unravel_index.
---@param indices lutra.Tensor|table integers [..., n], an index for each axis; negative ones count from the end
---@param shape integer[]|lutra.Shape n sizes
---@param options? {mode?: string} mode: "raise" (default) refuses indices that are not there, "wrap" counts on from the start, "clip" takes the nearest
---@return lutra.Tensor # indices' shape without the last axis; int64
--- Errors: InvalidArgument for the index 0, or other shapes; OutOfRange for an index past an axis' end.
--- Example:
---     print(lt.ravel_multi_index({2, 3}, {4, 6}))  --> lutra.Tensor(9, shape=(), dtype=int64)
--- Source: numpy.ravel_multi_index
function lutra.ravel_multi_index(indices, shape, options) end

--- The indices, counted from 1, that sort by several keys: by the last one, of equal elements by the one before, and so
--- on. They sort along the last axis; equal elements keep their order, nan comes last.
---@param keys (lutra.Tensor|table)[]|lutra.Tensor a list of tensors of one shape, or a tensor with the keys along its first axis
---@return lutra.Tensor # a key's shape; int64
--- Errors: InvalidArgument without keys, for scalars, or keys of different shapes.
--- Example:
---     print(lt.lexsort {{1, 2, 1}, {3, 1, 3}})  --> lutra.Tensor([2 1 3], shape=(3,), dtype=int64)
--- Source: numpy.lexsort
function lutra.lexsort(keys) end

--- Which bin each number is in, counted from 1: bin 1 is before the first edge, bin n + 1 behind the last. A bin has
--- its first edge, or with right = true its last.
---@param x lutra.Tensor|table any shape
---@param bins lutra.Tensor|table [n] edges in ascending or descending order
---@param options? {right?: boolean} default false
---@return lutra.Tensor # x's shape; int64, one more than NumPy's
--- Errors: InvalidArgument if bins is no vector, for bool, or complex numbers.
--- Example:
---     print(lt.digitize({0.5, 1.0, 7.0}, {1.0, 2.0}))  --> lutra.Tensor([1 2 3], shape=(3,), dtype=int64)
--- Source: numpy.digitize, torch.bucketize
function lutra.digitize(x, bins, options) end

--- Counts points in a grid of bins, and gives the bins' edges. Each bin has its lower edges, the last ones both. Points
--- outside the range and nan are not counted.
---@param x lutra.Tensor|table [n]
---@param y lutra.Tensor|table [n]
---@param options? {bins?: any, range?: table, weights?: lutra.Tensor|table} bins: a number, edges, or a pair of these for x and y, default 10; range: {{lowest x, highest x}, {lowest y, highest y}}, default the smallest and the largest elements; weights: [n], summed in place of counts
---@return lutra.Tensor counts [bins of x, bins of y]; int64, with weights their dtype
---@return lutra.Tensor x_edges float64 for float64, else float32
---@return lutra.Tensor y_edges the same for y
--- Errors: InvalidArgument for other shapes, fewer than one bin, a range out of order, bool, or complex numbers.
--- Example:
---     print((lt.histogram2d({1, 2}, {1, 3}, {bins = 2}):flatten()))  --> lutra.Tensor([1 0 0 1], shape=(4,), dtype=int64)
--- Source: numpy.histogram2d
function lutra.histogram2d(x, y, options) end

--- Counts points in a grid of bins along one axis for each of their columns. Each bin has its lower edges, the last ones
--- both. Points outside the range and nan are not counted.
---@param x lutra.Tensor|table [points, columns], at most 8 columns
---@param options? {bins?: any, range?: table, density?: boolean, weights?: lutra.Tensor|table} bins: a number, or a list with a number or edges for each column, default 10; range: {{lowest, highest}, ...} for each column, default the smallest and the largest elements; density: divide by the sum and the bins' volumes; weights: [points], summed in place of counts
---@return lutra.Tensor counts an axis for each column; int64, with weights their dtype, with density x's
---@return lutra.Tensor[] edges for each column; float64 for float64, else float32
--- Errors: InvalidArgument for other shapes, fewer than one bin, a range out of order, bool, or complex numbers.
--- Example:
---     print((lt.histogramdd({{1, 1}, {2, 3}, {2, 3}}, {bins = 2}):flatten()))  --> lutra.Tensor([1 0 0 2], shape=(4,), dtype=int64)
--- Source: numpy.histogramdd
function lutra.histogramdd(x, options) end

--- The distinct values in one of a and b but not in both, in ascending order; all nans are one value. Runs on the CPU,
--- since the size depends on the values.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table any shape
---@return lutra.Tensor values shape [count], the promoted dtype
--- Errors: InvalidArgument for a value that is no tensor.
--- Example:
---     print(lt.setxor1d({1, 2, 3}, {3, 4}))  --> lutra.Tensor([1 2 4], shape=(3,), dtype=int32)
--- Source: numpy.setxor1d
function lutra.setxor1d(a, b) end

--- How often each class, by rows, was predicted as each class, by columns. Classes count from 1.
---@param labels lutra.Tensor|table integers [n]
---@param predictions lutra.Tensor|table integers [n]
---@param options? {classes?: integer, weights?: lutra.Tensor|table} classes: how many, default the largest that occurs; weights: [n], summed in place of counts
---@return lutra.Tensor # [classes, classes]; int64, with weights their dtype
--- Errors: InvalidArgument for other shapes or dtypes, or a class below 1; OutOfRange for a class above classes.
--- Example:
---     print(lt.confusion_matrix({1, 2, 2}, {1, 1, 2}):flatten())  --> lutra.Tensor([1 0 1 1], shape=(4,), dtype=int64)
--- Source: sklearn.metrics.confusion_matrix, tf.math.confusion_matrix
function lutra.confusion_matrix(labels, predictions, options) end

--- The parts of x with the number 1 to n, in order. Their sizes depend on the values, so it waits for them.
---@param x lutra.Tensor|table any shape
---@param partitions lutra.Tensor|table integers; the sizes of x's leading axes
---@param n integer how many parts
---@return lutra.Tensor[] # n tensors [count], then x's axes after those of partitions; x's dtype
--- Errors: InvalidArgument for other shapes or dtypes, or a number below 1; OutOfRange for one above n.
--- Example:
---     print(lt.dynamic_partition({10, 20, 30}, {2, 1, 2}, 2)[2])  --> lutra.Tensor([10 30], shape=(2,), dtype=int32)
--- Source: tf.dynamic_partition
function lutra.dynamic_partition(x, partitions, n) end

--- Each argument with at least one axis: a scalar becomes a vector of one element.
---@param ... lutra.Tensor|table
---@return lutra.Tensor ... # one for each argument
--- Errors: InvalidArgument without arguments.
--- Example:
---     print(lt.atleast_1d(3))  --> lutra.Tensor([3], shape=(1,), dtype=int32)
--- Source: numpy.atleast_1d, torch.atleast_1d
function lutra.atleast_1d(...) end

--- Each argument with at least two axes: a vector becomes a row.
---@param ... lutra.Tensor|table
---@return lutra.Tensor ... # one for each argument
--- Errors: InvalidArgument without arguments.
--- Example:
---     print(lt.atleast_2d({1, 2}).shape)  --> (1, 2)
--- Source: numpy.atleast_2d, torch.atleast_2d
function lutra.atleast_2d(...) end

--- Each argument with at least three axes: a vector becomes [1, n, 1], a matrix [m, n, 1].
---@param ... lutra.Tensor|table
---@return lutra.Tensor ... # one for each argument
--- Errors: InvalidArgument without arguments.
--- Example:
---     print(lt.atleast_3d({1, 2}).shape)  --> (1, 2, 1)
--- Source: numpy.atleast_3d, torch.atleast_3d
function lutra.atleast_3d(...) end

--- A matrix whose columns are the vectors of a list, and the columns of its matrices.
---@param list (lutra.Tensor|table)[] vectors [m] and matrices [m, n]
---@return lutra.Tensor # [m, as many columns as all of them]; the promoted dtype
--- Errors: InvalidArgument for an empty list, or different numbers of rows.
--- Example:
---     print(lt.column_stack {{1, 2}, {3, 4}}:totable()[1][2])  --> 3
--- Source: numpy.column_stack, torch.column_stack
function lutra.column_stack(list) end

--- The tensors of a list along a third axis, which vectors and matrices get: see atleast_3d.
---@param list (lutra.Tensor|table)[]
---@return lutra.Tensor # the promoted dtype
--- Errors: InvalidArgument for an empty list, or shapes that do not match.
--- Example:
---     print(lt.dstack {{1, 2}, {3, 4}}.shape)  --> (1, 2, 2)
--- Source: numpy.dstack, torch.dstack
function lutra.dstack(list) end

--- n pieces of x along an axis, whose sizes differ by one at most: the first are the larger ones. lt.split takes the
--- pieces' sizes.
---@param x lutra.Tensor|table at least one axis
---@param n integer how many pieces
---@param axis? integer default 1
---@return lutra.Tensor[] # n tensors of x's dtype
--- Errors: InvalidArgument for an n below 1, or an axis that does not exist.
--- Example:
---     print(lt.array_split({1, 2, 3, 4, 5}, 2)[1])  --> lutra.Tensor([1 2 3], shape=(3,), dtype=int32)
--- Source: numpy.array_split, torch.tensor_split
function lutra.array_split(x, n, axis) end

--- The arguments, broadcast to one shape.
---@param ... lutra.Tensor|table
---@return lutra.Tensor ... # one for each argument, of its dtype
--- Errors: InvalidArgument if the shapes do not broadcast.
--- Example:
---     local a, b = lt.broadcast_arrays({1, 2}, {{3}, {4}})
---     print(a.shape, b.shape)  --> (2, 2)	(2, 2)
--- Source: numpy.broadcast_arrays, torch.broadcast_tensors
function lutra.broadcast_arrays(...) end

--- All combinations of an element of each vector, one a row; the last vector's elements change first.
---@param ... lutra.Tensor|table vectors
---@return lutra.Tensor # [product of the sizes, how many vectors]; of one vector it is the vector
--- Errors: InvalidArgument without arguments, or for one that is no vector.
--- Example:
---     print(lt.cartesian_prod({1, 2}, {3, 4}):flatten())  --> lutra.Tensor([1 3 1 4 2 3 2 4], shape=(8,), dtype=int32)
--- Source: torch.cartesian_prod, itertools.product
function lutra.cartesian_prod(...) end

--- All combinations of r elements of a vector, one a row, in the order of the vector.
---@param x lutra.Tensor|table a vector of n elements
---@param r? integer how many, default 2
---@param options? {with_replacement?: boolean} with_replacement: whether an element may occur several times, default false
---@return lutra.Tensor # [how many combinations, r]; x's dtype
--- Errors: InvalidArgument if x is no vector, or for an r below 1.
--- Example:
---     print(lt.combinations({1, 2, 3}):flatten())  --> lutra.Tensor([1 2 1 3 2 3], shape=(6,), dtype=int32)
--- Source: torch.combinations, itertools.combinations
function lutra.combinations(x, r, options) end

--- A matrix of sequences of several lengths: each is filled to the longest one, or cut, to maxlen.
---@param sequences (lutra.Tensor|table)[] each [length], or [length, ...] with the same further axes
---@param options? {maxlen?: integer, padding?: string, truncating?: string, value?: number, dtype?: string} maxlen: default that of the longest; padding, truncating: "pre" (default), at the start, or "post"; value: that fills, default 0; dtype: default that of the first sequence
---@return lutra.Tensor # [how many sequences, maxlen, ...]
--- Errors: InvalidArgument for a list without sequences in it, or for further axes that differ.
--- Example:
---     print(lt.pad_sequences({{1}, {2, 3}, {4, 5, 6}}, {maxlen = 2}):flatten())  --> lutra.Tensor([0 1 2 3 5 6], shape=(6,), dtype=int32)
--- Source: keras.utils.pad_sequences, torch.nn.utils.rnn.pad_sequence
function lutra.pad_sequences(sequences, options) end

return lutra
