---@meta

--- Input pipelines for training, with tf.data's names and semantics.
---
--- Loaded on first use. [data.md](../data.md) shows how to use it.
---@class lutra.data
---@field AUTOTUNE integer -1: lets prefetch choose its buffer size
---@field INFINITE_CARDINALITY integer -1: cardinality() of an infinite dataset
---@field UNKNOWN_CARDINALITY integer -2: cardinality() of a dataset whose length is known only after iterating
local data = {}

--- The class of all datasets. Its functions make datasets: from_tensor_slices, from_tensors, from_generator, range,
--- zip.
---@return lutra.data.Dataset
--- Errors: InvalidArgument if Dataset itself is called.
--- Example:
---     print(lt.data.Dataset.range(3))  --> <lutra.data.Dataset range, 3 elements>
--- Source: tf.data.Dataset
function data.Dataset() end

--- A sequence of elements. An element has one or several values: tensors, strings, or lists or tables by name of these.
--- Datasets are immutable: each method returns a new one, and nothing is read before iteration.
---@class lutra.data.Dataset
local Dataset = {}

--- The rows of tensors, along the first axis. Through shuffle, take, skip, repeat_ and batch, rows are gathered a batch
--- at a time.
---@param ... lutra.Tensor|table tensors, or tables of numbers or of strings, one per value of an element; a single list of tensors counts as its entries; a table by name is one value
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a scalar, first axes of different lengths, or a value that is not a tensor.
--- Example:
---     local ds = lt.data.Dataset.from_tensor_slices({{1.0}, {2.0}}, {1, 2})
---     for x, y in ds:iterate() do print(x:item(), y:item()) end
---     --> 1.0	1
---     --> 2.0	2
---     local texts = lt.data.Dataset.from_tensor_slices({"good", "bad"}, {1, 0})
---     for text, label in texts:batch(2):iterate() do print(table.concat(text, " "), label) end
---     --> good bad	lutra.Tensor([1 0], shape=(2,), dtype=int32)
--- Source: tf.data.Dataset.from_tensor_slices
function Dataset.from_tensor_slices(...) end

--- A dataset with one element: the tensors themselves.
---@param ... lutra.Tensor|table tensors or tables of numbers, one per value of an element; a single list of tensors counts as its entries; a table by name is one value
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a value that is not a tensor, and a tensor with 8 axes.
--- Example:
---     local ds = lt.data.Dataset.from_tensors({1.0}, {2.0}):repeat_(10):batch(4)
---     for x, y in ds:take(1):iterate() do print(x.shape, y.shape) end  --> (4, 1)	(4, 1)
--- Source: tf.data.Dataset.from_tensors
function Dataset.from_tensors(...) end

--- The rows of files with one tensor each. A row is read only when a batch needs it: for data that does not fit in
--- memory. With prefetch a thread reads ahead.
---@param ... string paths of npy files (row-major) and idx files (not compressed), one per value of an element
---@return lutra.data.Dataset # of tensors on the CPU
--- Errors: NotFound for a missing file; InvalidArgument for a damaged file, one whose rows cannot be read separately,
---   and files of different lengths; during iteration, errors of reading.
--- Example:
---     local path = os.tmpname() .. ".npy"
---     lt.save(path, {{1, 2}, {3, 4}, {5, 6}})
---     for rows in lt.data.Dataset.from_file(path):skip(1):batch(2):prefetch(2):iterate() do print(rows:totable()[2][2]) end  --> 6
---     os.remove(path)
--- Source: tf.data.FixedLengthRecordDataset
function Dataset.from_file(...) end

--- The elements that an iterator returns. The function that makes the iterator is called for each iteration.
---@param make function returns an iterator, as for a `for` loop, with a closing value if it is the fourth; numbers and tables of numbers become tensors
---@return lutra.data.Dataset # of unknown length
--- Errors: InvalidArgument if make is not a function, and during iteration for values that are not tensors or a fourth
--- value that cannot be closed.
--- Example:
---     local squares = lt.data.Dataset.from_generator(function()
---       local i = 0
---       return function() i = i + 1 if i <= 3 then return i, i * i end end
---     end)
---     for _, squared in squares:batch(3):iterate() do print(squared) end
---     --> lutra.Tensor([1 4 9], shape=(3,), dtype=int32)
--- Source: tf.data.Dataset.from_generator
function Dataset.from_generator(make) end

--- Integers from 0 or start up to but not including limit.
---@param ... integer [start = 0,] limit[, step], as lutra.range
---@return lutra.data.Dataset # of int64 scalars
--- Errors: InvalidArgument for an argument that is not an integer, or a step of 0.
--- Example:
---     for batch in lt.data.Dataset.range(5):batch(5):iterate() do print(batch) end
---     --> lutra.Tensor([0 1 2 3 4], shape=(5,), dtype=int64)
--- Source: tf.data.Dataset.range
function Dataset.range(...) end

--- Combines the elements of several datasets; ends with the shortest. A dataset whose elements have several values
--- contributes a list of them.
---@param ... lutra.data.Dataset or a single list of datasets
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an argument that is not a dataset.
--- Example:
---     local ds = lt.data.Dataset.zip(lt.data.Dataset.range(3), lt.data.Dataset.range(5, 9))
---     for a, b in ds:batch(3):iterate() do print(a:totable()[3], b:totable()[3]) end  --> 2	7
--- Source: tf.data.Dataset.zip
function Dataset.zip(...) end

--- An iterator for a `for` loop: the values of each element. `pairs(dataset)` does the same, but `pairs` hands no closing
--- value of a generator to the loop.
---@return function # returns the next element's values, nil after the last
--- Errors: those of its functions and files.
--- Example:
---     for x in lt.data.Dataset.range(2):iterate() do print(x:item()) end
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.__iter__
function Dataset:iterate() end

--- The number of elements, if known without iterating.
---@return integer # INFINITE_CARDINALITY or UNKNOWN_CARDINALITY if there is no such number; `#dataset` is an error then
--- Errors: none of its own.
--- Example:
---     local ds = lt.data.Dataset.range(10)
---     print(ds:batch(4):cardinality(), ds:repeat_():cardinality(), #ds)  --> 3	-1	10
--- Source: tf.data.Dataset.cardinality
function Dataset:cardinality() end

--- Combines consecutive elements into one, along a new first axis.
---@param batch_size integer elements per batch
---@param options? table {drop_remainder = false: drop a last batch with fewer elements; num_parallel_calls and deterministic are accepted and have no effect}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a size below 1, and during iteration for elements of different shapes or dtypes.
--- Example:
---     for batch in lt.data.Dataset.range(5):batch(2, {drop_remainder = true}):iterate() do print(batch:totable()[2]) end
---     --> 1
---     --> 3
--- Source: tf.data.Dataset.batch
function Dataset:batch(batch_size, options) end

--- Shuffles: keeps `buffer_size` elements, returns a random one of them, and replaces it by the next element. For rows
--- of tensors the buffer holds only row numbers, so a buffer as long as the dataset, which shuffles uniformly, is
--- cheap.
---@param buffer_size integer how many elements are kept
---@param options? table {seed = makes the orders repeatable, without using random numbers of set_seed's sequence; reshuffle_each_iteration = true}
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

--- Applies a function to each element.
---@param f function takes an element's values, returns the new values: tensors, numbers, tables; it runs when the element is needed, on the program's thread
---@param options? table {num_parallel_calls: so many other interpreters compute elements ahead, each on a thread of its own and on the CPU; lutra.data.AUTOTUNE: as many as there are cores. The function is sent there with the local variables it uses: numbers, strings, booleans, tensors, tables of them, Lua functions, TextVectorization and the like; not variables, layers, files or globals of the program. What it assigns stays there. deterministic is accepted: elements keep their order}
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is not a function, and during iteration if it returns nothing or a value that is not a
---   tensor, or uses a value that cannot be sent to another interpreter; errors of f.
--- Example:
---     for x in lt.data.Dataset.range(3):map(function(x) return x * 10 end):batch(3):iterate() do print(x) end
---     --> lutra.Tensor([ 0 10 20], shape=(3,), dtype=int64)
--- Source: tf.data.Dataset.map
function Dataset:map(f, options) end

--- Keeps the elements for which a function returns true.
---@param f function takes an element's values, returns a boolean or a bool tensor with one element
---@return lutra.data.Dataset # of unknown length
--- Errors: InvalidArgument if f is not a function, and during iteration if it returns neither true nor false; errors of
---   f.
--- Example:
---     for x in lt.data.Dataset.range(6):filter(function(x) return x:item() % 3 == 0 end):iterate() do print(x:item()) end
---     --> 0
---     --> 3
--- Source: tf.data.Dataset.filter
function Dataset:filter(f) end

--- The first elements.
---@param count integer how many; -1 for all
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an invalid count.
--- Example:
---     print(lt.data.Dataset.range(10):take(3):cardinality())  --> 3
--- Source: tf.data.Dataset.take
function Dataset:take(count) end

--- All but the first elements.
---@param count integer how many to skip; -1 for all
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an invalid count.
--- Example:
---     print(lt.data.Dataset.range(10):skip(3):iterate()():item())  --> 3
--- Source: tf.data.Dataset.skip
function Dataset:skip(count) end

--- Repeats the elements. The name is repeat_ because repeat is a Lua keyword.
---@param count? integer how often; nil or -1 to repeat forever
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an invalid count, or more elements than an integer can count.
--- Example:
---     for batch in lt.data.Dataset.range(2):repeat_(2):batch(3):iterate() do print(batch) end
---     --> lutra.Tensor([0 1 0], shape=(3,), dtype=int64)
---     --> lutra.Tensor([1], shape=(1,), dtype=int64)
--- Source: tf.data.Dataset.repeat
function Dataset:repeat_(count) end

--- Appends the elements of another dataset.
---@param other lutra.data.Dataset
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an argument that is not a dataset.
--- Example:
---     local ds = lt.data.Dataset.range(2):concatenate(lt.data.Dataset.range(7, 9))
---     print(ds:batch(4):iterate()())  --> lutra.Tensor([0 1 7 8], shape=(4,), dtype=int64)
--- Source: tf.data.Dataset.concatenate
function Dataset:concatenate(other) end

--- Numbers the elements. An element with several values becomes a list of them.
---@param start? integer = 1 the first number
---@return lutra.data.Dataset # of two values: an int64 scalar, the element
--- Errors: InvalidArgument if start is not an integer.
--- Example:
---     for i, x in lt.data.Dataset.range(5, 7):enumerate():iterate() do print(i:item(), x:item()) end
---     --> 1	5
---     --> 2	6
--- Source: tf.data.Dataset.enumerate
function Dataset:enumerate(start) end

--- Keeps the elements in memory. The first iteration that reaches the end fills the cache; later ones do not use the
--- dataset below.
---@return lutra.data.Dataset
--- Errors: none of its own.
--- Example:
---     local calls = 0
---     local ds = lt.data.Dataset.range(3):map(function(x) calls = calls + 1 return x end):cache()
---     for _ = 1, 5 do for _ in ds:iterate() do end end
---     print(calls)  --> 3
--- Source: tf.data.Dataset.cache
function Dataset:cache() end

--- Gathers batches ahead in its own thread while the program computes. This covers batches that `batch` makes, anywhere
--- below prefetch, from shuffled rows of tensors in host memory and from rows of files. The function of a `map` still
--- runs when its element is needed. Elements and their order do not change.
---@param buffer_size integer most batches to keep ready; 0 none, lt.data.AUTOTUNE two
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an invalid size; ResourceExhausted, during iteration, if no thread can be started.
--- Example:
---     local ds = lt.data.Dataset.range(600):shuffle(600):batch(100):prefetch(2)
---     local sum = 0
---     for batch in ds:iterate() do sum = sum + batch:sum():item() end
---     print(#ds, sum)  --> 6	179700
--- Source: tf.data.Dataset.prefetch
function Dataset:prefetch(buffer_size) end

--- Writes all elements to a folder, from which Dataset.load reads them: tensors of all dtypes, texts, and tables of them, of
--- elements of different kinds too. A dataset that the folder has is replaced once the new one is complete. The files are
--- npz files with checksums. Only one program at a time may write to a folder.
---@param path string a folder for this dataset alone; it is made if it does not exist
---@param options? table {compression = "NONE" or "GZIP"}
--- Errors: FailedPrecondition for a folder with other files, or a path that cannot be a folder; InvalidArgument for an infinite
---   dataset; errors of the dataset, which leave the folder's dataset as it was.
--- Example:
---     local folder = os.tmpname()
---     os.remove(folder)
---     lt.data.Dataset.range(5):map(function(i) return i * i end):save(folder)
---     print(lt.data.Dataset.load(folder):batch(5):iterate()())  --> lutra.Tensor([ 0  1  4  9 16], shape=(5,), dtype=int64)
---     os.execute("rm -r " .. folder)
--- Source: tf.data.Dataset.save
function Dataset:save(path, options) end

--- The elements that save or snapshot wrote to a folder, in their order and with their bits. A file is read when an iteration
--- needs it. Tensors are in host memory.
---@param path string
---@return lutra.data.Dataset
--- Errors: NotFound if the folder has no complete dataset; InvalidArgument for a damaged list of files; during iteration,
---   NotFound for a missing file and InvalidArgument for a damaged one, which is named.
--- Example:
---     local folder = os.tmpname()
---     os.remove(folder)
---     lt.data.Dataset.from_tensor_slices({1.5, 2.5, 3.5}, {"a", "b", "c"}):batch(2):save(folder)
---     for x, texts in lt.data.Dataset.load(folder):iterate() do print(x, table.concat(texts, " ")) end
---     --> lutra.Tensor([1.5 2.5], shape=(2,), dtype=float32)	a b
---     --> lutra.Tensor([3.5], shape=(1,), dtype=float32)	c
---     os.execute("rm -r " .. folder)
--- Source: tf.data.Dataset.load
function Dataset.load(path) end

--- Keeps the elements in a folder. The first iteration that reaches the end completes its files, in which later iterations,
--- also of other programs, read the elements instead of the dataset below. The order of that iteration is kept, so shuffle
--- after snapshot. Remove the folder to compute the elements anew.
---@param path string a folder for this snapshot alone
---@param options? table {compression = "NONE" or "GZIP"}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an infinite dataset; during iteration, FailedPrecondition for a folder with other files or a
---   snapshot with another number of elements, and the errors of save and load.
--- Example:
---     local folder, calls = os.tmpname(), 0
---     os.remove(folder)
---     local ds = lt.data.Dataset.range(3):map(function(x) calls = calls + 1 return x end):snapshot(folder)
---     for _ = 1, 5 do for _ in ds:iterate() do end end
---     print(calls)  --> 3
---     os.execute("rm -r " .. folder)
--- Source: tf.data.Dataset.snapshot
function Dataset:snapshot(path, options) end

--- Loads MNIST, Fashion-MNIST or another data set in the same four files (train-images-idx3-ubyte and so on, plain or
--- .gz) from a folder. Nothing is downloaded.
---@param folder string the folder with the four files
---@param options? table {raw = false: true keeps labels as stored, uint8 from 0}
---@return lutra.Tensor # training images, uint8, {rows, height, width}
---@return lutra.Tensor # their labels, int64, classes from 1
---@return lutra.Tensor # test images
---@return lutra.Tensor # their labels
--- Errors: NotFound for a missing file; InvalidArgument for a file that is damaged or of another kind, or if the
---   numbers of images and labels differ.
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

--- The lines of text files, one file after the other, as strings. filter, shuffle, batch (lists of strings) and the like pass
--- them on; map makes tensors of them, by lt.nn.TextVectorization for example.
---@param ... string paths, or one list of them
---@return lutra.data.Dataset
--- Errors: NotFound for a missing file; InvalidArgument for a path that is no string.
--- Example:
---     local path = os.tmpname()
---     io.open(path, "w"):write("one\ntwo\n"):close()
---     for line in lt.data.text_lines(path):iterate() do print(line) end
---     --> one
---     --> two
---     os.remove(path)
--- Source: tf.data.TextLineDataset
function data.text_lines(...) end

--- The paths of files that match a pattern: * stands for any text within a name, ? for one character, [abc], [a-z] and
--- [!a] for one of these characters or none of them. They are in ascending order, or in a new order in each iteration.
---@param pattern string|string[] a pattern, or a list of them
---@param options? table {shuffle = true; seed: the same orders in each run}
---@return lutra.data.Dataset # of strings
--- Errors: NotFound if no file matches; InvalidArgument for a pattern that is no string.
--- Example:
---     local path = os.tmpname()
---     for name in lt.data.list_files(path .. "*", {shuffle = false}):iterate() do print(name == path) end  --> true
---     os.remove(path)
--- Source: tf.data.Dataset.list_files
function data.list_files(pattern, options) end

--- The rows of a csv as tables of scalars by column, and with `label` that column as the second value. The file is read
--- at once; its first line names the columns.
---@param path string
---@param options? table {label = name; columns = list of names; delimiter = ","; missing = number; dtype}
---@return lutra.data.Dataset
--- Errors: NotFound for a missing file; InvalidArgument for a damaged one, or a name that is no column's.
--- Example:
---     local path = os.tmpname() .. ".csv"
---     lt.save(path, {{1.5, 2}, {3, 4}}, {header = {"height", "sold"}})
---     for x, y in lt.data.csv(path, {label = "sold"}):batch(2):iterate() do print(x.height, y) end
---     --> lutra.Tensor([1.5 3. ], shape=(2,), dtype=float32)	lutra.Tensor([2. 4.], shape=(2,), dtype=float32)
---     os.remove(path)
--- Source: tf.data.experimental.make_csv_dataset
function data.csv(path, options) end

--- The png files of a folder that has one folder for each class: images of one size, as float32 from 0 to 255, and the
--- classes' numbers from 1 in alphabetical order. A file is read when its element is needed.
---@param folder string
---@param options? table {image_size = {256, 256}; color_mode = "rgb" or "grayscale"; label_mode = "int", "categorical", "binary" or false; batch_size = 32 or false; shuffle = true; seed; interpolation = "bilinear"; antialias = false; validation_split; subset = "training" or "validation", with validation_split; class_names}
---@return lutra.data.Dataset
---@return string[] class_names
--- Errors: NotFound if there is no folder or no image; InvalidArgument for an option that is not valid.
--- Example:
---     print(select(2, pcall(lt.data.image_folder, "/nowhere")).code)  --> NotFound
--- Source: keras.utils.image_dataset_from_directory
function data.image_folder(folder, options) end

--- Batches of elements of different sizes: each tensor gets the largest size of its batch, or that of padded_shapes (-1:
--- the largest), filled with padding_values.
---@param batch_size integer
---@param options? table {padded_shapes = one shape, or a list of them, one for each value; padding_values = 0, or a list; drop_remainder = false}
---@return lutra.data.Dataset
--- Errors: InvalidArgument, in the iteration, for elements with other numbers of axes or dtypes, or larger ones than padded_shapes.
--- Example:
---     local ds = lt.data.Dataset.range(1, 4):map(function(n) return lt.fill({n:item()}, n) end):padded_batch(3)
---     for rows in ds:iterate() do print(rows.shape) end  --> (3, 3)
--- Source: tf.data.Dataset.padded_batch
function Dataset:padded_batch(batch_size, options) end

--- Windows of `size` elements, each `shift` after the last one and `stride` apart. An element is a dataset: flat_map makes
--- elements of it again.
---@param size integer
---@param options? table {shift = size; stride = 1; drop_remainder = false}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a number below 1.
--- Example:
---     local ds = lt.data.Dataset.range(5):window(3, {shift = 1, drop_remainder = true})
---     for rows in ds:flat_map(function(w) return w:batch(3) end):iterate() do print(rows[1]:item(), rows[3]:item()) end
---     --> 0	2
---     --> 1	3
---     --> 2	4
--- Source: tf.data.Dataset.window
function Dataset:window(size, options) end

--- Windows of `size` elements, stacked along a new first axis.
---@param size integer
---@param options? table {shift = 1; stride = 1; drop_remainder = true}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a number below 1, and in the iteration for elements of different shapes.
--- Example:
---     for rows in lt.data.Dataset.range(4):sliding_window(3):iterate() do print(rows) end
---     --> lutra.Tensor([0 1 2], shape=(3,), dtype=int64)
---     --> lutra.Tensor([1 2 3], shape=(3,), dtype=int64)
--- Source: tf.data.Dataset.window, keras.utils.timeseries_dataset_from_array
function Dataset:sliding_window(size, options) end

--- The elements of the datasets that f makes of each element, one dataset after the other.
---@param f function of an element's values, which returns a dataset
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is no function or gives no dataset.
--- Example:
---     local ds = lt.data.Dataset.range(1, 3):flat_map(function(n) return lt.data.Dataset.range(n:item()) end)
---     for n in ds:iterate() do print(n:item()) end
---     --> 0
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.flat_map
function Dataset:flat_map(f) end

--- The same in turns: block_length elements of each of cycle_length datasets.
---@param f function of an element's values, which returns a dataset
---@param options? table {cycle_length = 4; block_length = 1}
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is no function or gives no dataset.
--- Example:
---     local ds = lt.data.Dataset.range(2):interleave(function(n) return lt.data.Dataset.from_tensors(n):repeat_(2) end)
---     for n in ds:iterate() do print(n:item()) end
---     --> 0
---     --> 1
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.interleave
function Dataset:interleave(f, options) end

--- The rows of each element.
---@return lutra.data.Dataset
--- Errors: InvalidArgument, in the iteration, for a scalar or first axes of different lengths.
--- Example:
---     for n in lt.data.Dataset.range(3):batch(2):unbatch():iterate() do print(n:item()) end
---     --> 0
---     --> 1
---     --> 2
--- Source: tf.data.Dataset.unbatch
function Dataset:unbatch() end

--- Batches of another size.
---@param batch_size integer
---@param options? table {drop_remainder = false}
---@return lutra.data.Dataset
--- Errors: InvalidArgument as for unbatch and batch.
--- Example:
---     for rows in lt.data.Dataset.range(4):batch(3):rebatch(2):iterate() do print(#rows) end
---     --> 2
---     --> 2
--- Source: tf.data.Dataset.rebatch
function Dataset:rebatch(batch_size, options) end

--- Each num_shards-th element, from the index-th on, which counts from 1: the part of one process of several.
---@param num_shards integer
---@param index integer 1 to num_shards
---@return lutra.data.Dataset
--- Errors: InvalidArgument for an index out of range.
--- Example:
---     for n in lt.data.Dataset.range(5):shard(2, 1):iterate() do print(n:item()) end
---     --> 0
---     --> 2
---     --> 4
--- Source: tf.data.Dataset.shard
function Dataset:shard(num_shards, index) end

--- The elements before the first for which f gives false.
---@param f function of an element's values, which returns a boolean
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is no function or gives something else.
--- Example:
---     for n in lt.data.Dataset.range(9):take_while(function(n) return n:lt(2) end):iterate() do print(n:item()) end
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.take_while
function Dataset:take_while(f) end

--- New elements with a state: f(state, values...) returns the next state and the new element's values.
---@param state any
---@param f function
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is no function or gives no values.
--- Example:
---     for n in lt.data.Dataset.range(3):scan(10, function(s, n) return s + n, s + n end):iterate() do print(n:item()) end
---     --> 10
---     --> 11
---     --> 13
--- Source: tf.data.Dataset.scan
function Dataset:scan(state, f) end

--- The last state: f(state, values...) returns the next one.
---@param state any
---@param f function
---@return any
--- Errors: InvalidArgument if f is no function, or the dataset infinite.
--- Example:
---     print(lt.data.Dataset.range(5):reduce(0, function(s, n) return s + n:item() end))  --> 10
--- Source: tf.data.Dataset.reduce
function Dataset:reduce(state, f) end

--- f(dataset), for functions that make one dataset of another.
---@param f function of a dataset, which returns one
---@return lutra.data.Dataset
--- Errors: InvalidArgument if f is no function or gives no dataset.
--- Example:
---     print(lt.data.Dataset.range(5):apply(function(ds) return ds:take(2) end):cardinality())  --> 2
--- Source: tf.data.Dataset.apply
function Dataset:apply(f) end

--- The values of the only element.
---@return lutra.Tensor|table ...
--- Errors: InvalidArgument if there are none or several.
--- Example:
---     print(lt.data.Dataset.range(3):batch(3):get_single_element())  --> lutra.Tensor([0 1 2], shape=(3,), dtype=int64)
--- Source: tf.data.Dataset.get_single_element
function Dataset:get_single_element() end

--- Elements of one tensor, each the first time that it comes.
---@return lutra.data.Dataset
--- Errors: InvalidArgument, in the iteration, for elements of several values.
--- Example:
---     print(lt.data.Dataset.from_tensor_slices({3, 1, 3}):unique():reduce(0, function(s) return s + 1 end))  --> 2
--- Source: tf.data.Dataset.unique
function Dataset:unique() end
