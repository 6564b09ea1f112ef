---@meta

---@class lutra.data
local data = {}

---@class lutra.data.Dataset
local Dataset = {}

--- Groups elements by a key. As soon as a key has window_size elements, and at the end of the dataset for those that
--- are left, f makes a dataset of them, whose elements come next.
---@param key_of function of an element's values, which returns a whole number
---@param f function of a key and a dataset of its elements, which returns a dataset
---@param window_size integer|function the number of elements, or a function of the key that returns it
---@return lutra.data.Dataset
--- Errors: InvalidArgument if a function is missing, gives no whole number, or no dataset.
--- Example:
---     local ds = lt.data.Dataset.range(6):group_by_window(function(n) return n % 2 end, function(_, window)
---       return window:batch(3)
---     end, 3)
---     for rows in ds:iterate() do print(rows) end
---     --> lutra.Tensor([0 2 4], shape=(3,), dtype=int64)
---     --> lutra.Tensor([1 3 5], shape=(3,), dtype=int64)
--- Source: tf.data.Dataset.group_by_window
function Dataset:group_by_window(key_of, f, window_size) end

--- Padded batches of elements of similar length. Bucket k has the lengths from boundary k - 1 on and below boundary k,
--- the last one all others; it gives batches of batch_sizes[k]. Batches are padded as padded_batch pads them. With
--- pad_to_bucket_boundary the size is the bucket's boundary - 1 along the axes that padded_shapes leaves open with -1,
--- or without padded_shapes along the first axis of each tensor.
---@param length_of function of an element's values, which returns a length
---@param boundaries integer[] in ascending order
---@param batch_sizes integer[] one more than boundaries
---@param options? table {padded_shapes, padding_values = 0: as padded_batch's; pad_to_bucket_boundary = false; no_padding = false: stack elements as they are; drop_remainder = false}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for lists that do not fit; in the iteration for a length that is no whole number, or with
---   pad_to_bucket_boundary not below the last boundary.
--- Example:
---     local texts = lt.data.Dataset.range(1, 7):map(function(n) return lt.fill({n:item()}, n) end)
---     local ds = texts:bucket_by_sequence_length(function(x) return #x end, {3, 5}, {2, 2, 2})
---     for rows in ds:iterate() do print(rows.shape) end
---     --> (2, 2)
---     --> (2, 4)
---     --> (2, 6)
--- Source: tf.data.Dataset.bucket_by_sequence_length
function Dataset:bucket_by_sequence_length(length_of, boundaries, batch_sizes, options) end

--- Takes each element from one of several datasets, drawn by its weight. Without stop_on_empty_dataset it goes on with
--- the others when one has ended. The order depends on the seed alone; it is the same in each iteration, unless
--- rerandomize_each_iteration is set.
---@param datasets lutra.data.Dataset[]
---@param options? table {weights = a number for each dataset, 0 or more (default: equal); seed; stop_on_empty_dataset = false; rerandomize_each_iteration = false}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a list without datasets, and for weights that do not fit.
--- Example:
---     local a, b = lt.data.Dataset.range(3), lt.data.Dataset.range(10, 12)
---     local ds = lt.data.Dataset.sample_from_datasets({a, b}, {weights = {0.7, 0.3}, seed = 1})
---     print(ds:cardinality(), ds:reduce(0, function(sum, n) return sum + n:item() end))  --> 5	24
--- Source: tf.data.Dataset.sample_from_datasets
function Dataset.sample_from_datasets(datasets, options) end

--- Takes each element from the dataset whose index, from 1 on, the dataset `choices` gives. It ends with the choices,
--- or when a dataset that is chosen has ended; without stop_on_empty_dataset such choices are passed over.
---@param datasets lutra.data.Dataset[]
---@param choices lutra.data.Dataset of whole numbers
---@param options? table {stop_on_empty_dataset = true}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for a list without datasets; in the iteration for an index that is not there.
--- Example:
---     local a, b = lt.data.Dataset.range(3), lt.data.Dataset.range(10, 12)
---     local order = lt.data.Dataset.from_tensor_slices {2, 1, 1}
---     for n in lt.data.Dataset.choose_from_datasets({a, b}, order):iterate() do print(n:item()) end
---     --> 10
---     --> 0
---     --> 1
--- Source: tf.data.Dataset.choose_from_datasets
function Dataset.choose_from_datasets(datasets, choices, options) end

--- Drops elements at random so that their classes have the shares of target_dist. An element of the result has the class
--- and the element; several values are a list. Without initial_dist, the shares of the classes are counted as elements
--- come, from 10 of each class on. tf.data also passes some elements twice, to drop fewer.
---@param class_of function of an element's values, which returns a class from 1 on
---@param target_dist number[] a share for each class
---@param options? table {initial_dist = the shares that the classes have; seed; rerandomize_each_iteration = true}
---@return lutra.data.Dataset
--- Errors: InvalidArgument for shares that do not fit; in the iteration for a class that is not there.
--- Example:
---     local ds = lt.data.Dataset.range(1000):rejection_resample(function(n) return n:item() % 10 == 0 and 2 or 1 end,
---       {0.5, 0.5}, {initial_dist = {0.9, 0.1}, seed = 1})
---     local kept = ds:reduce({0, 0}, function(count, class)
---       count[class:item()] = count[class:item()] + 1
---       return count
---     end)
---     print(kept[2], kept[1] < 200)  --> 100	true
--- Source: tf.data.Dataset.rejection_resample
function Dataset:rejection_resample(class_of, target_dist, options) end

data.sample_from_datasets = Dataset.sample_from_datasets
data.choose_from_datasets = Dataset.choose_from_datasets
