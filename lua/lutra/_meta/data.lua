---@meta

--- What models are trained with, element by element, with tf.data's names and semantics.
---
--- Loaded when it is first asked for. [data.md](../data.md) shows how its parts go together.
---@class lutra.data
---@field AUTOTUNE integer -1: for prefetch, as many as it thinks fit
---@field INFINITE_CARDINALITY integer -1: what cardinality() gives for a dataset without end
---@field UNKNOWN_CARDINALITY integer -2: what it gives where only going through tells
local data = {}

--- The kind of all datasets. Its functions make them: from_tensor_slices, from_tensors, from_generator, range, zip.
---@return lutra.data.Dataset
--- Errors: InvalidArgument when it is called itself.
--- Example:
---     print(lt.data.Dataset.range(3))  --> <lutra.data.Dataset range, 3 elements>
--- Source: tf.data.Dataset
function data.Dataset() end

--- Elements one after the other. Each has one value or several side by side: tensors, or tables of tensors in a list or by
--- name. Datasets are immutable: each method gives a new one, and nothing is read before somebody iterates.
---@class lutra.data.Dataset
local Dataset = {}

--- The rows of tensors, along the first axis. Shuffled, cut, repeated and put in batches they are gathered many at a time.
---@param ... lutra.Tensor|table tensors or tables of numbers, side by side; one list of tensors stands for what is in it, a table by name is one value
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a scalar, first axes of different lengths, or what is no tensor.
--- Example:
---     local ds = lt.data.Dataset.from_tensor_slices({{1.0}, {2.0}}, {1, 2})
---     for x, y in ds:iterate() do print(x:item(), y:item()) end
---     --> 1.0	1
---     --> 2.0	2
--- Source: tf.data.Dataset.from_tensor_slices
function Dataset.from_tensor_slices(...) end

--- One element, the tensors as they are.
---@param ... lutra.Tensor|table tensors or tables of numbers, side by side; one list of tensors stands for what is in it, a table by name is one value
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no tensor, and a tensor of 8 axes.
--- Example:
---     local ds = lt.data.Dataset.from_tensors({1.0}, {2.0}):repeat_(10):batch(4)
---     for x, y in ds:take(1):iterate() do print(x.shape, y.shape) end  --> (4, 1)	(4, 1)
--- Source: tf.data.Dataset.from_tensors
function Dataset.from_tensors(...) end

--- The rows of files of one tensor each, which stay there until a batch wants them: for data that memory does not hold. With
--- prefetch a thread reads them ahead.
---@param ... string paths of npy files (in row order) and idx files (not packed), side by side
---@return lutra.data.Dataset # of tensors on the CPU
--- Errors: NotFound for a file that is not there; InvalidArgument for a damaged one, one whose rows cannot be read alone, and for
---   files of different lengths; in an iteration what reading raises.
--- Example:
---     local path = os.tmpname() .. ".npy"
---     lt.save(path, {{1, 2}, {3, 4}, {5, 6}})
---     for rows in lt.data.Dataset.from_file(path):skip(1):batch(2):prefetch(2):iterate() do print(rows:totable()[2][2]) end  --> 6
---     os.remove(path)
--- Source: tf.data.FixedLengthRecordDataset
function Dataset.from_file(...) end

--- What a function gives, element by element. It is called anew for each iteration.
---@param make function that gives an iterator: what a `for` takes; numbers and tables of numbers become tensors
---@return lutra.data.Dataset # of unknown length
--- Errors: InvalidArgument for what is no function, and in an iteration for values that are no tensors.
--- Example:
---     local squares = lt.data.Dataset.from_generator(function()
---       local i = 0
---       return function() i = i + 1 if i <= 3 then return i, i * i end end
---     end)
---     for _, squared in squares:batch(3):iterate() do print(squared) end
---     --> lutra.Tensor([1 4 9], shape=(3,), dtype=int32)
--- Source: tf.data.Dataset.from_generator
function Dataset.from_generator(make) end

--- Whole numbers, from 0 or the first argument up to the limit, which is left out.
---@param ... integer [start = 0,] limit[, step], as lutra.range
---@return lutra.data.Dataset # of int64 scalars
--- Errors: InvalidArgument for what is no whole number, or a step of 0.
--- Example:
---     for batch in lt.data.Dataset.range(5):batch(5):iterate() do print(batch) end
---     --> lutra.Tensor([0 1 2 3 4], shape=(5,), dtype=int64)
--- Source: tf.data.Dataset.range
function Dataset.range(...) end

--- Elements of several datasets side by side, as many as the shortest has. One whose elements have several values gives a
--- list of them.
---@param ... lutra.data.Dataset or one list of them
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no dataset.
--- Example:
---     local ds = lt.data.Dataset.zip(lt.data.Dataset.range(3), lt.data.Dataset.range(5, 9))
---     for a, b in ds:batch(3):iterate() do print(a:totable()[3], b:totable()[3]) end  --> 2	7
--- Source: tf.data.Dataset.zip
function Dataset.zip(...) end

--- For a `for`: the values of each element. `pairs(dataset)` does the same.
---@return function # gives the next element's values, nil after the last
--- Errors: what its functions and files raise.
--- Example:
---     for x in lt.data.Dataset.range(2):iterate() do print(x:item()) end
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.__iter__
function Dataset:iterate() end

--- How many elements there are, as far as can be said without going through them.
---@return integer # or INFINITE_CARDINALITY, UNKNOWN_CARDINALITY; `#dataset` is an error for these
--- Errors: none of its own.
--- Example:
---     local ds = lt.data.Dataset.range(10)
---     print(ds:batch(4):cardinality(), ds:repeat_():cardinality(), #ds)  --> 3	-1	10
--- Source: tf.data.Dataset.cardinality
function Dataset:cardinality() end

--- Several elements as one, along a new first axis.
---@param batch_size integer how many
---@param options? table {drop_remainder = false: what is left at the end is no batch; num_parallel_calls and deterministic are taken and change nothing}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a size below 1, and in an iteration for elements of different shapes or dtypes.
--- Example:
---     for batch in lt.data.Dataset.range(5):batch(2, {drop_remainder = true}):iterate() do print(batch:totable()[2]) end
---     --> 1
---     --> 3
--- Source: tf.data.Dataset.batch
function Dataset:batch(batch_size, options) end

--- Another order: of `buffer_size` elements that are kept, one is given at random, and the next one takes its place. Rows
--- of tensors are shuffled by their places, so a buffer as long as the dataset, which shuffles evenly, costs little.
---@param buffer_size integer how many elements are kept
---@param options? table {seed = makes the orders the same again, without taking from set_seed's sequence; reshuffle_each_iteration = true}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a size below 1 or an unknown option.
--- Example:
---     local function order(ds) return ds:batch(100):iterate()():totable() end
---     local a = lt.data.Dataset.range(100):shuffle(100, {seed = 1})
---     local b = lt.data.Dataset.range(100):shuffle(100, {seed = 1})
---     print(table.concat(order(a)) == table.concat(order(b)), table.concat(order(a)) == table.concat(order(a)))
---     --> true	false
--- Source: tf.data.Dataset.shuffle
function Dataset:shuffle(buffer_size, options) end

--- What a function makes of each element.
---@param f function of an element's values, which gives values: tensors, numbers, tables; it runs when an element is asked for, on the program's own thread
---@param options? table {num_parallel_calls and deterministic are taken and change nothing}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no function, and in an iteration when it gives nothing or what is no tensor; what f raises.
--- Example:
---     for x in lt.data.Dataset.range(3):map(function(x) return x * 10 end):batch(3):iterate() do print(x) end
---     --> lutra.Tensor([ 0 10 20], shape=(3,), dtype=int64)
--- Source: tf.data.Dataset.map
function Dataset:map(f, options) end

--- Those elements for which a function says true.
---@param f function of an element's values, which gives a boolean or a bool tensor of one element
---@return lutra.data.Dataset # of unknown length
--- Errors: InvalidArgument for what is no function, and in an iteration when it gives neither true nor false; what f raises.
--- Example:
---     for x in lt.data.Dataset.range(6):filter(function(x) return x:item() % 3 == 0 end):iterate() do print(x:item()) end
---     --> 0
---     --> 3
--- Source: tf.data.Dataset.filter
function Dataset:filter(f) end

--- The first elements.
---@param count integer how many; -1 for all
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no count.
--- Example:
---     print(lt.data.Dataset.range(10):take(3):cardinality())  --> 3
--- Source: tf.data.Dataset.take
function Dataset:take(count) end

--- All but the first elements.
---@param count integer how many are left out; -1 for all
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no count.
--- Example:
---     print(lt.data.Dataset.range(10):skip(3):iterate()():item())  --> 3
--- Source: tf.data.Dataset.skip
function Dataset:skip(count) end

--- The elements several times over. It is called repeat_ because repeat is a word of Lua's.
---@param count? integer how often; nil or -1 for ever
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no count, or for more elements than an integer counts.
--- Example:
---     for batch in lt.data.Dataset.range(2):repeat_(2):batch(3):iterate() do print(batch) end
---     --> lutra.Tensor([0 1 0], shape=(3,), dtype=int64)
---     --> lutra.Tensor([1], shape=(1,), dtype=int64)
--- Source: tf.data.Dataset.repeat
function Dataset:repeat_(count) end

--- The elements, then those of another dataset.
---@param other lutra.data.Dataset
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no dataset.
--- Example:
---     local ds = lt.data.Dataset.range(2):concatenate(lt.data.Dataset.range(7, 9))
---     print(ds:batch(4):iterate()())  --> lutra.Tensor([0 1 7 8], shape=(4,), dtype=int64)
--- Source: tf.data.Dataset.concatenate
function Dataset:concatenate(other) end

--- Elements with their numbers beside them; one of several values becomes a list.
---@param start? integer = 1 the first number
---@return lutra.data.Dataset # of two values: an int64 scalar, the element
--- Errors: InvalidArgument for what is no whole number.
--- Example:
---     for i, x in lt.data.Dataset.range(5, 7):enumerate():iterate() do print(i:item(), x:item()) end
---     --> 1	5
---     --> 2	6
--- Source: tf.data.Dataset.enumerate
function Dataset:enumerate(start) end

--- Elements that are kept in memory by the first iteration that comes to its end: what lies below is not asked again.
---@return lutra.data.Dataset
--- Errors: none of its own.
--- Example:
---     local calls = 0
---     local ds = lt.data.Dataset.range(3):map(function(x) calls = calls + 1 return x end):cache()
---     for _ = 1, 5 do for _ in ds:iterate() do end end
---     print(calls)  --> 3
--- Source: tf.data.Dataset.cache
function Dataset:cache() end

--- The same, with batches of rows gathered ahead by a thread of its own while the program computes: shuffled rows of tensors in
--- the host's memory, and rows of files, that `batch` puts together, wherever below prefetch it stands. A `map`'s function runs when its element is asked
--- for. What comes, and in which order, stays the same.
---@param buffer_size integer how many batches at most; 0 none, lt.data.AUTOTUNE two
---@return lutra.data.Dataset
--- Errors: InvalidArgument for what is no count; ResourceExhausted, in an iteration, when the system gives no thread.
--- Example:
---     local ds = lt.data.Dataset.range(600):shuffle(600):batch(100):prefetch(2)
---     local sum = 0
---     for batch in ds:iterate() do sum = sum + batch:sum():item() end
---     print(#ds, sum)  --> 6	179700
--- Source: tf.data.Dataset.prefetch
function Dataset:prefetch(buffer_size) end

--- MNIST, Fashion-MNIST and what else comes in their four files (train-images-idx3-ubyte and so on, plain or .gz), from a
--- folder. Nothing is downloaded.
---@param folder string with the four files
---@param options? table {raw = false: with true labels stay as stored, uint8 from 0}
---@return lutra.Tensor # images to train with, uint8, {rows, height, width}
---@return lutra.Tensor # their labels, int64, classes from 1
---@return lutra.Tensor # images to test with
---@return lutra.Tensor # their labels
--- Errors: NotFound for a file that is not there; InvalidArgument for one that is damaged, of another kind, or has as many
---   labels as there are not images.
--- Example:
---     local folder = os.tmpname()
---     os.remove(folder)
---     os.execute("mkdir " .. folder)
---     for _, set in ipairs {"train", "t10k"} do
---       lt.save(folder .. "/" .. set .. "-images-idx3-ubyte", lt.zeros({2, 28, 28}, {dtype = "uint8"}))
---       lt.save(folder .. "/" .. set .. "-labels-idx1-ubyte", lt.constant({0, 9}, {dtype = "uint8"}))
---     end
---     local x_train, y_train, x_test, y_test = lt.data.mnist(folder)
---     print(x_train.shape, y_test)  --> (2, 28, 28)	lutra.Tensor([ 1 10], shape=(2,), dtype=int64)
---     os.execute("rm -r " .. folder)
--- Source: keras.datasets.mnist.load_data
function data.mnist(folder, options) end

data.from_tensor_slices = Dataset.from_tensor_slices
data.from_tensors = Dataset.from_tensors
data.from_file = Dataset.from_file
data.from_generator = Dataset.from_generator
data.range = Dataset.range
data.zip = Dataset.zip
