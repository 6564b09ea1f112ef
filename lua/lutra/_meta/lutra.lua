---@meta lutra

--- The module: `require "lutra"`. The program has it as the globals `lutra` and `lt`.
---
--- Its operations are listed under [ops](ops.md). Everything it raises is an [error](error.md) object.
---@class lutra
---@field version string Lutra's version, "0.1.0"
---@field config lutra.config devices, memory, placement settings
---@field debugging lutra.debugging where operations ran, and why
---@field random lutra.random random numbers
---@field fft lutra.fft Fourier transforms
---@field distributions lutra.distributions probability distributions
---@field nn lutra.nn layers, models, losses, metrics
---@field optim lutra.optim optimisers and schedules
---@field train lutra.train checkpoints and event files of training loops
---@field image lutra.image images: other sizes, parts, colours, random changes
---@field distribute lutra.distribute training on several devices
---@field placement lutra.placement plans of where operations run
---@field plot lutra.plot plots in the terminal and in files
---@field repl lutra.repl the prompt over a socket, and in notebooks
---@field profiler lutra.profiler traces: what ran when, where and why
---@field float32 string "float32", for options and `lt.cast`
---@field float64 string "float64", for options and `lt.cast`
---@field complex64 string "complex64", for options and `lt.cast`
---@field complex128 string "complex128", for options and `lt.cast`
---@field float16 string "float16", for options and `lt.cast`
---@field bfloat16 string "bfloat16", for options and `lt.cast`
---@field int8 string "int8", for options and `lt.cast`
---@field uint8 string "uint8", for options and `lt.cast`
---@field int16 string "int16", for options and `lt.cast`
---@field int32 string "int32", for options and `lt.cast`
---@field int64 string "int64", for options and `lt.cast`
---@field bool string "bool", for options and `lt.cast`
---@field newaxis string "newaxis": an entry of `t[{...}]` that adds an axis of size 1
local lutra = {}

--- Makes a tensor from a Lua value: a number, a boolean, or a nested table of them.
---
--- Integers give int32 (int64 when one does not fit), any float among them gives float32, booleans give bool. An empty
--- table is a float32 tensor of shape (0,). A tensor is returned unchanged, or cast to `dtype`.
--- The log calls it _EagerConst; under an explicit CPU scope no operation runs.
---@param value number|boolean|table|lutra.Tensor
---@param options? table {dtype = "int8"}: overrides the dtype that the value would get
---@return lutra.Tensor # on the scope's device; without a scope on the first GPU, or the CPU if there is none
--- Errors: InvalidArgument for a ragged table (the message says where), a hole, a string key, numbers mixed with
---   booleans, a number that does not fit the dtype.
--- Example:
---     local x = lt.constant {{1, 2}, {3, 4}}
---     print(x.dtype, x.shape)  --> int32	(2, 2)
---     print(lt.constant(1.5))  --> lutra.Tensor(1.5, shape=(), dtype=float32)
---     print(lt.constant({1, 0}, {dtype = "float64"}).dtype)  --> float64
--- Source: tf.constant
function lutra.constant(value, options) end

--- Makes a tensor from raw bytes: elements in row-major order, little-endian, as `tensor:bytes()` returns them.
---@param bytes string exactly as many bytes as shape and dtype need
---@param dtype string dtype of the elements
---@param shape integer[]|integer sizes of the axes; a number is one axis
---@return lutra.Tensor # placed like a constant
--- Errors: InvalidArgument when the string is too long or too short, for an unknown dtype or a negative size.
--- Example:
---     print(lt.from_bytes("\1\0\2\0", "int16", {2}))  --> lutra.Tensor([1 2], shape=(2,), dtype=int16)
--- Source: tf.io.decode_raw
function lutra.from_bytes(bytes, dtype, shape) end

--- Passes a tensor to other code of this process, by DLPack and without a copy: the first bytes of the userdata are a
--- pointer to a `DLManagedTensorVersioned`. Who takes it sets the pointer to NULL and calls the deleter at the end, on any
--- thread; the elements are read-only. A capsule that nobody takes is freed by the collector.
---@param tensor lutra.Tensor on a CPU
---@return userdata capsule for one receiver
--- Errors: InvalidArgument if the tensor is on a GPU.
--- Example:
---     local t = lt.device("CPU:0", lt.ones, {20})
---     print(lt.from_dlpack(lt.to_dlpack(t)):sum():item())  --> 20.0
--- Source: the Python array API standard's __dlpack__
function lutra.to_dlpack(tensor) end

--- Takes an array of other code of this process as a tensor on the first CPU. Without `copy` the elements stay where they
--- are, so they must be row-major, contiguous and aligned to their size, and must not change while the tensor lives; they
--- may be read-only. The capsule is empty afterwards, unless there was an error.
---@param capsule userdata of `to_dlpack`, or a light userdata that points to a `DLManagedTensorVersioned`
---@param options? table copy = true: the elements are copied; any strides and alignment are possible
---@return lutra.Tensor
--- Errors: InvalidArgument for an array that is strided, misaligned, on another device, or of a dtype that Lutra does not
--- have; FailedPrecondition for an empty capsule.
--- Example:
---     local capsule = lt.to_dlpack(lt.device("CPU:0", lt.constant, {1, 2}))
---     print(lt.from_dlpack(capsule, {copy = true}))  --> lutra.Tensor([1 2], shape=(2,), dtype=int32)
--- Source: the Python array API standard's from_dlpack
function lutra.from_dlpack(capsule, options) end

--- Reads tensors from a file. The extension gives the format; [docs/files.md](../files.md) describes each one.
---
--- `.npy`, `.csv`, `.png` and `.idx` give a tensor, `.npz` and `.safetensors` a table of tensors by name. An image is
--- uint8 of shape {height, width, channels}; of 16-bit samples the upper 8 bits are kept. A csv gives {rows, columns}:
--- int32 (int64 when one does not fit), float32 if any number has a fraction, or `dtype`. An empty field reads as nan,
--- or as `missing`; lines that begin with # are comments.
---@param path string
---@param options? table csv: {header = true}: the first line names the columns; {delimiter = ";"}; {dtype = "float64"}; {missing = 0}
---@return lutra.Tensor|table<string, lutra.Tensor> # placed like a constant: on the scope's device, else the first GPU
---@return table? # for a csv with a header: the column names; for a safetensors with metadata: strings by name
--- Errors: NotFound when there is no such file. InvalidArgument for an unknown extension or option, and for a file that
---   is damaged or holds what a tensor cannot: the message names the file, the byte or line, and the problem.
---   ResourceExhausted when there is not enough memory.
--- Example:
---     local path = os.tmpname()
---     lt.save(path .. ".safetensors", {w = lt.ones {2}, step = 7})
---     local saved = lt.load(path .. ".safetensors")
---     print(saved.w, saved.step:item())
---     --> lutra.Tensor([1. 1.], shape=(2,), dtype=float32)	7
---     os.remove(path .. ".safetensors")
---     os.remove(path)
--- Source: numpy.load
function lutra.load(path, options) end

--- Writes a tensor, or a table of tensors by name, to a file. The extension gives the format. A Variable saves its
--- value.
---
--- `.npy`, `.csv`, `.png` and `.idx` take a tensor, `.npz` and `.safetensors` a table of them. Tensors may be on any
--- device: save waits for the work queued there. An existing file is replaced atomically once the new one is complete
--- on disk; after any error it is unchanged. More: [docs/files.md](../files.md).
---@param path string
---@param value lutra.Tensor|lutra.Variable|table a tensor or a literal; or a table of them by name, {w = tensor}, not
---   nested
---@param options? table npz: {compress = true}; csv: {header = {"a", "b"}} names the columns, {delimiter = ";"}; safetensors:
---   {metadata = {name = "text"}}
--- Errors: InvalidArgument for an unknown extension or option, and for what the format cannot store (bfloat16 in npy, a
---   dtype other than uint8 in png, more than two axes in csv). NotFound when the folder does not exist,
---   FailedPrecondition when it is not writable, ResourceExhausted when the disk is full; also errors of the GPU work
---   that computes the tensors.
--- Example:
---     local path = os.tmpname()
---     lt.save(path .. ".npy", {{1, 2}, {3, 4}})
---     print(lt.load(path .. ".npy"):totable()[2][1])  --> 3
---     os.remove(path .. ".npy")
---     os.remove(path)
--- Source: numpy.save
function lutra.save(path, value, options) end

--- An open device scope, as `lutra.device(name)` returns it.
---@class lutra.DeviceScope
---@field close fun(self: lutra.DeviceScope) ends the scope; does nothing if it has ended

--- Opens a device scope: operations inside it run on the device it names.
---
--- `local _ <close> = lt.device(name)` lasts until the end of the block; `lt.device(name, f, ...)` calls `f(...)`
--- inside the scope. A partial name ("/GPU:0", "gpu:*", "/job:localhost", "cpu") takes the rest from the enclosing
--- scope. `""` changes nothing, `false` suspends all scopes. Each coroutine has its own scopes and starts with those of
--- its creator. A missing device is an error of the operation, not of the scope. `scope:close()` ends a scope by hand:
--- at the prompt, where each line is a block and ends a `<close>` variable, write `s = lt.device(name)` and later
--- `s:close()`. More:
--- [docs/placement.md](../placement.md).
---@param name string|false|lutra.LogicalDevice
---@param f? function called inside the scope; the scope also ends when f raises an error
---@param ...? any f's arguments
---@return any # f's results; without f the scope, for a `<close>` variable or for `scope:close()`
--- Errors: InvalidArgument for a malformed name, nil, or an f that cannot be called. FailedPrecondition when scopes are
---   closed out of order.
--- Example:
---     local x = lt.device("/GPU:1", lt.ones, {2})
---     print(x.device)  --> /job:localhost/replica:0/task:0/device:GPU:1
---     do
---       local _ <close> = lt.device("/CPU:0")
---       print((x + 1).device)  --> /job:localhost/replica:0/task:0/device:CPU:0
---     end
--- Source: tf.device
function lutra.device(name, f, ...) end

--- Calls `f(...)` and frees the tensors it made but did not return, whether directly or inside returned tables.
---
--- They are freed at once, not by the garbage collector, and also when f raises an error. Variables live as long as
--- something refers to them, wherever they were made. `f` may yield.
---@param f function
---@param ...? any f's arguments
---@return any # f's results
--- Errors: InvalidArgument if f cannot be called; and whatever f raises.
--- Example:
---     local made
---     local sum = lt.tidy(function()
---       made = lt.ones {1000}
---       return made:sum()
---     end)
---     print(sum:item(), made)  --> 1000.0	lutra.Tensor(released)
function lutra.tidy(f, ...) end

--- Waits until all work queued on the GPUs is done, and raises its errors.
---
--- Results do not need it, since reading a tensor waits for that tensor. Use it to measure time.
---@param device? string|lutra.LogicalDevice only this one (default all)
--- Errors: those that operations queued there found in their values; NotFound for a device that does not exist,
---   InvalidArgument for a name that matches several.
--- Example:
---     local x = lt.ones {64, 64}
---     local start = lt.time()
---     local y = x:matmul(x)
---     lt.synchronize()
---     print(lt.time() - start > 0)  --> true
--- Source: tf.test.experimental.sync_devices
function lutra.synchronize(device) end

--- Seconds on a monotonic clock. Only differences are meaningful.
---@return number # seconds
--- Example:
---     local start = lt.time()
---     print(lt.time() >= start)  --> true
--- Source: time.perf_counter of Python
function lutra.time() end

--- Whether a value is a Lutra error, and has this code if one is given.
---@param value any usually pcall's second result
---@param code? string "InvalidArgument", "NotFound", ... ([error](error.md))
---@return boolean
--- Errors: InvalidArgument for an unknown code.
--- Example:
---     local ok, err = pcall(lt.zeros, {-1})
---     print(lt.iserror(err), lt.iserror(err, "NotFound"), lt.iserror("text"))  --> true	false	false
function lutra.iserror(value, code) end

--- Sets how tensors are printed. Options that are not given keep their values.
---@param options table precision = most digits after the point (8); threshold = tensors with more elements print only
---   their edges (1000); edge_items = elements shown at each end of an axis (3); line_width = columns (75)
--- Errors: InvalidArgument for an unknown option or a value out of range.
--- Example:
---     lt.set_print_options {precision = 2, threshold = 5, edge_items = 1}
---     print(lt.constant {1.2345, 2.5})  --> lutra.Tensor([1.23 2.5 ], shape=(2,), dtype=float32)
---     print(lt.range(9))  --> lutra.Tensor([0 ... 8], shape=(9,), dtype=int32)
--- Source: numpy.set_printoptions
function lutra.set_print_options(options) end

--- Describes a function, an operation, a module or a kind of value, or lists everything.
---@param topic? any a name ("config", "config.reset", "matmul", "tensor.item"), a family of operations ("linalg"),
---   TensorFlow's name ("tf.reduce_sum"), a function (lt.tidy), a module (lt.config), a tensor or another Lutra value,
---   an error, "??" and a word to search names and summaries for (default: lists everything)
---@return string # the text; the prompt prints it, a script writes print(lt.help("matmul"))
--- Errors: NotFound for an unknown name; the message suggests the nearest one.
--- Example:
---     print(lt.help("debugging.get_kernel_fallback"):match("[^\n]+"))  --> lutra.debugging.get_kernel_fallback()
---     print(lt.help(lt.tidy) == lt.help("tidy"))  --> true
function lutra.help(topic) end

--- Random numbers: the same bits on every device for the same seed (counter-based Philox).
---
--- The interpreter has one counter, which advances in call order on all devices. With `{seed = n}` a call's numbers
--- depend on n alone. `random.normal` and the others are under [ops](ops.md).
---@class lutra.random
lutra.random = {}

--- Restarts the random numbers from a seed. Without this call the seed comes from the system.
---@param seed integer
--- Errors: InvalidArgument if seed is not an integer.
--- Example:
---     lt.random.set_seed(7)
---     local a = lt.random.uniform({3}):totable()
---     lt.random.set_seed(7)
---     local b = lt.random.uniform({3}):totable()
---     print(a[1] == b[1] and a[2] == b[2] and a[3] == b[3])  --> true
--- Source: tf.random.set_seed
function lutra.random.set_seed(seed) end

--- Draws elements of x along its first axis, or the numbers 1 to x, in any number of axes.
---@param x lutra.Tensor|table|integer what is drawn from
---@param shape? integer|integer[] how many; default: one, as a scalar or one slice of x
---@param options? {replace?: boolean, p?: lutra.Tensor|number[], seed?: integer} replace: an element may come more than once, default true; p: a weight for each element, default all alike; seed: makes the result depend on this number alone
---@return lutra.Tensor drawn shape and then the axes of x after its first; int64 for a number x
--- Errors: InvalidArgument if x has no elements, p does not fit it or has a negative weight, or more elements than there
---   are would be drawn without replacement.
--- Example:
---     print(lt.random.choice({10, 20, 30}, 2, {p = {0, 0, 1}}))  --> lutra.Tensor([30 30], shape=(2,), dtype=int32)
---     print(lt.random.choice(5, 5, {replace = false}):sum():item())  --> 15
--- Source: numpy.random.choice; without replacement by weights: torch.multinomial, Efraimidis and Spirakis 2006
function lutra.random.choice(x, shape, options) end

--- Makes a generator of random numbers with a state of its own. All functions of lutra.random but set_seed are its
--- methods.
---@param seed? integer default: drawn from set_seed's sequence
---@return lutra.random.Generator
--- Errors: InvalidArgument for a seed that is no whole number.
--- Example:
---     local a, b = lt.random.Generator(7), lt.random.Generator(7)
---     print(lt.array_equal(a:normal {3}, b:normal {3}):item())  --> true
--- Source: numpy.random.Generator, torch.Generator, tf.random.Generator
function lutra.random.Generator(seed) end

--- A sequence of random numbers with a state of its own: each call of a function of lutra.random as a method, such as
--- `generator:normal {3}`, takes the next of its seeds (SplitMix64). The state is two whole numbers.
---@class lutra.random.Generator
local Generator = {}

--- The next seed of the sequence, for the option `seed` of other functions.
---@return integer
--- Errors: none of its own.
--- Example:
---     local generator = lt.random.Generator(7)
---     print(generator:seed() ~= generator:seed())  --> true
--- Source: numpy.random.SeedSequence
function Generator:seed() end

--- The state, a tensor that can be saved to a file.
---@return lutra.Tensor state shape [2], int64
--- Errors: none of its own.
--- Example:
---     print(lt.random.Generator(7):state():totable()[1])  --> 7
--- Source: torch.Generator.get_state
function Generator:state() end

--- Goes on from a state.
---@param state lutra.Tensor what state() gave
--- Errors: InvalidArgument for anything else.
--- Example:
---     local generator = lt.random.Generator(7)
---     local state = generator:state()
---     local first = generator:uniform {2}
---     generator:set_state(state)
---     print(lt.array_equal(generator:uniform {2}, first):item())  --> true
--- Source: torch.Generator.set_state
function Generator:set_state(state) end

--- Makes generators whose numbers have nothing to do with each other's, such as one for each worker.
---@param n? integer how many, default 2
---@return lutra.random.Generator[]
--- Errors: InvalidArgument for a negative n.
--- Example:
---     local parts = lt.random.Generator(7):split(3)
---     print(#parts)  --> 3
--- Source: tf.random.Generator.split, jax.random.split
function Generator:split(n) end

--- A tensor that can be assigned, such as a model's weight or a counter. It stays on the device where it was made: the
--- first one that the scope allows.
---
--- Logged as VarHandleOp and AssignVariableOp. More: [autograd](autograd.md).
---@param initial lutra.Tensor|table|number|boolean its first value, which sets shape and dtype
---@param options? table {name = string; trainable = true: tapes watch it; dtype = overrides initial's dtype; aggregation = "none": how a strategy combines the values that replicas assign to a mirrored variable: "sum", "mean", "only_first_replica"}
---@return lutra.Variable
--- Errors: InvalidArgument for a value that cannot become a tensor.
--- Example:
---     local w = lt.Variable({1.0, 2.0}, {name = "w"})
---     print(w)  --> <lutra.Variable 'w' shape=(2,) dtype=float32, value=[1. 2.]>
---     print((w * 2):totable()[2])  --> 4.0
--- Source: tf.Variable
function lutra.Variable(initial, options) end

--- Records operations to compute gradients from: `local tape <close> = lt.GradientTape()`. More:
--- [autograd](autograd.md).
---@param options? table {persistent = false: whether gradients can be computed more than once; watch_accessed_variables = true: watch trainable variables when they are used}
---@return lutra.GradientTape
--- Errors: ResourceExhausted when 64 tapes are open.
--- Example:
---     local w = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     print(tape:gradient(w * w, w))  --> lutra.Tensor(6.0, shape=(), dtype=float32)
--- Source: tf.GradientTape
function lutra.GradientTape(options) end

--- A tensor with the elements that `x[index]` picks replaced by values: `x[index] = values` of NumPy, for tensors, which do
--- not change. Of several values for one element the last one stays. More: docs/indexing.md.
---@param x lutra.Tensor|table
---@param index integer|table|lutra.Tensor what `t[...]` takes: an integer, a list of entries, a tensor of indices or a mask
---@param values lutra.Tensor|table|number broadcasts to what the index picks
---@param options? table {accumulate = false: adds the values to the elements instead}
---@return lutra.Tensor # of x's shape; the dtype that x and values promote to
--- Errors: InvalidArgument for the index 0, entries that do not fit x, or values that do not broadcast; OutOfRange for an
---   index past an axis' end.
--- Example:
---     local x = lt.zeros({2, 3}, {dtype = "int32"})
---     print(lt.index_put(x, {{}, 2}, {5, 6}))
---     --> lutra.Tensor(
---     --> [[0 5 0]
---     -->  [0 6 0]], shape=(2, 3), dtype=int32)
---     print(lt.index_put({1, 2, 3}, lt.constant {1, 1}, 10, {accumulate = true}):totable()[1])  --> 21
--- Source: torch.index_put, numpy.add.at with accumulate
function lutra.index_put(x, index, values, options) end

--- Gives a function its own gradient instead of the derived one. More: docs/gradients.md.
---
--- `f` returns its results and, last, a gradient function. That one takes the upstream gradients of the results and
--- returns one gradient for each tensor or Variable argument of f, in order, with the argument's shape and dtype; nil
--- or false means none. If f uses trainable variables that are not its arguments, the gradient function gets a list of
--- them as its last argument and returns their gradients after the others. It runs in f's scopes, when a tape computes
--- a gradient, and the tapes that are recording then record it: it may be differentiated
--- itself.
---@param f fun(...): lutra.Tensor, fun(...): lutra.Tensor
---@return fun(...): lutra.Tensor # like f, but returns only the results
--- Errors: InvalidArgument if f is not a function, returns something else, or a gradient is missing or has another
---   shape or dtype. Errors of the gradient function are raised by `gradient`; it cannot yield.
--- Example:
---     local log1pexp = lt.custom_gradient(function(x)
---       local e = x:exp()
---       return lt.log(1 + e), function(upstream) return upstream * (1 - 1 / (1 + e)) end
---     end)
---     local x = lt.constant(100.0)
---     local tape <close> = lt.GradientTape()
---     tape:watch(x)
---     print(tape:gradient(log1pexp(x), x))  --> lutra.Tensor(1.0, shape=(), dtype=float32)
--- Source: tf.custom_gradient
function lutra.custom_gradient(f) end

--- Makes a function that is computed again for its gradient instead of keeping its intermediate results: a tape keeps
--- only its arguments (Chen et al., arXiv:1604.06174). More: docs/gradients.md.
---
--- The second run has the random numbers, scopes, variable values and training flag of the first. f should do nothing
--- but compute its results. Gradients reach its tensor arguments and the trainable variables that it uses.
---@param f fun(...): lutra.Tensor a function of tensors, or a layer
---@return fun(...): lutra.Tensor # a function like f
--- Errors: InvalidArgument if f is not a function, a result is not a tensor, or the second run gives other shapes,
---   dtypes or another number of results.
--- Example:
---     local w = lt.Variable({1.0, 2.0})
---     local block = lt.recompute_grad(function(x) return lt.tanh(x * w):exp() end)
---     local tape <close> = lt.GradientTape()
---     print(tape:gradient(block(lt.zeros {2}), w))  --> lutra.Tensor([0. 0.], shape=(2,), dtype=float32)
--- Source: tf.recompute_grad
function lutra.recompute_grad(f) end

--- The coordinates of a grid's points: for each vector one tensor with its values along one axis, repeated along the
--- others.
---@param x lutra.Tensor|table a vector for each axis, at most 8
---@param ... lutra.Tensor|table|{indexing?: "xy"|"ij"} indexing: "xy", the default: the second vector's axis comes first, as rows of an image do; "ij": axes in the vectors' order
---@return lutra.Tensor ... # one per vector, all in the grid's shape
--- Errors: InvalidArgument for a tensor of more than one axis, or another indexing.
--- Example:
---     local x, y = lt.meshgrid({1, 2, 3}, {10, 20})
---     print(x + y)
---     --> lutra.Tensor(
---     --> [[11 12 13]
---     -->  [21 22 23]], shape=(2, 3), dtype=int32)
--- Source: numpy.meshgrid
function lutra.meshgrid(x, ...) end

--- Adds elements before and after those of each axis, which repeat these. "reflect" mirrors them at the first and the last
--- element. "symmetric" mirrors them at the edges, so that the first and the last come twice. "edge" (or "replicate")
--- repeats the first and the last. "wrap" (or "circular") continues at the other end. `pad` adds elements of one value.
---@param x lutra.Tensor|table any shape
---@param paddings integer[][] for each axis how many elements before and after: {{1, 1}, ...}; may be more than there are
---@param mode? "reflect"|"symmetric"|"edge"|"replicate"|"wrap"|"circular" default "reflect"
---@return lutra.Tensor # x's shape with the paddings added; x's dtype
--- Errors: InvalidArgument for another mode, a negative padding, other than one pair an axis, or an axis without elements.
--- Example:
---     print(lt.mirror_pad({1, 2, 3}, {{2, 1}}))  --> lutra.Tensor([3 2 1 2 3 2], shape=(6,), dtype=int32)
--- Source: numpy.pad, tf.pad, torch.nn.functional.pad
function lutra.mirror_pad(x, paddings, mode) end

--- A window of n numbers, 0.5 - 0.5 cos(2 pi i / period); the period is n, or n - 1 for one that is symmetric.
---@param n integer how many
---@param options? {periodic?: boolean, dtype?: string} periodic: default true; dtype: a float dtype, default float32
---@return lutra.Tensor window shape [n]
--- Errors: InvalidArgument for a negative n or another dtype.
--- Example:
---     print(lt.hann_window(4))  --> lutra.Tensor([0.  0.5 1.  0.5], shape=(4,), dtype=float32)
--- Source: torch.hann_window, tf.signal.hann_window
function lutra.hann_window(n, options) end

--- A window of n numbers, 0.54 - 0.46 cos(2 pi i / period); the period is n, or n - 1 for one that is symmetric.
---@param n integer how many
---@param options? {periodic?: boolean, dtype?: string} periodic: default true; dtype: a float dtype, default float32
---@return lutra.Tensor window shape [n]
--- Errors: InvalidArgument for a negative n or another dtype.
--- Example:
---     print(lt.hamming_window(4))  --> lutra.Tensor([0.08 0.54 1.   0.54], shape=(4,), dtype=float32)
--- Source: torch.hamming_window
function lutra.hamming_window(n, options) end

--- A window of n numbers, 0.42 - 0.5 cos(2 pi i / period) + 0.08 cos(4 pi i / period); the period is n, or n - 1 for one that is symmetric.
---@param n integer how many
---@param options? {periodic?: boolean, dtype?: string} periodic: default true; dtype: a float dtype, default float32
---@return lutra.Tensor window shape [n]
--- Errors: InvalidArgument for a negative n or another dtype.
--- Example:
---     print(("%.2f"):format(lt.blackman_window(4)[2]:item()))  --> 0.34
--- Source: torch.blackman_window
function lutra.blackman_window(n, options) end

--- Pieces of the last axis, each frame_step further on; samples at the end that fill no frame are left out.
---@param x lutra.Tensor|table [..., samples]
---@param frame_length integer samples in a frame
---@param frame_step integer samples from the start of one frame to the next
---@return lutra.Tensor frames [..., frames, frame_length]; x's dtype
--- Errors: InvalidArgument for a scalar, or a length or step below 1.
--- Example:
---     print(lt.frame({1, 2, 3, 4, 5}, 3, 2))
---     --> lutra.Tensor(
---     --> [[1 2 3]
---     -->  [3 4 5]], shape=(2, 3), dtype=int32)
--- Source: tf.signal.frame
function lutra.frame(x, frame_length, frame_step) end

--- How much of each frequency is in each frame: the absolute values of the frames' Fourier transforms, to a power. A
--- product with matrices of cosines and sines, whose float32 operands GPUs may round
--- (lutra.config.set_float32_matmul_precision).
---@param x lutra.Tensor|table [..., samples]
---@param frame_length integer samples in a frame
---@param frame_step integer samples from the start of one frame to the next
---@param options? {fft_length?: integer, window?: string|lutra.Tensor|false, power?: number} fft_length: frames are extended by zeros to it, default frame_length; window: "hann", "hamming", "blackman", numbers or false for none, default "hann"; power: 2, the default, power; 1, size
---@return lutra.Tensor # [..., frames, fft_length // 2 + 1]; float32 for integers, else x's dtype
--- Errors: InvalidArgument for a scalar, a length or step below 1, an fft_length below frame_length, a window of another
---   length, or a power that is not above 0.
--- Example:
---     local wave = lt.sin(lt.range(64) * (2 * math.pi * 3 / 16))
---     print(lt.spectrogram(wave, 16, 8):argmax(-1):totable()[1])  --> 4
--- Source: tf.abs(tf.signal.stft(...)) ** power, torchaudio.functional.spectrogram
function lutra.spectrogram(x, frame_length, frame_step, options) end

--- The Fourier transforms of frames: how much of each frequency is in each, and its phase. The square of its absolute value
--- is lt.spectrogram.
---@param x lutra.Tensor|table [..., samples]
---@param frame_length integer samples in a frame
---@param frame_step integer samples from the start of one frame to the next
---@param options? {fft_length?: integer, window?: string|lutra.Tensor|false} as those of lt.spectrogram
---@return lutra.Tensor # [..., frames, fft_length // 2 + 1]; complex128 of float64, else complex64
--- Errors: InvalidArgument for a scalar, a length or step below 1, an fft_length below frame_length, or a window of another
---   length.
--- Example:
---     local wave = lt.sin(lt.range(64) * (2 * math.pi * 3 / 16))
---     print(lt.stft(wave, 16, 8):abs():argmax(-1):totable()[1])  --> 4
--- Source: tf.signal.stft, whose fft_length is a power of 2 unless given
function lutra.stft(x, frame_length, frame_step, options) end

--- The signal whose frames have these transforms: the inverse of stft with the same options. If there is none, the closest
--- one: the frames are multiplied by the window again, added up, and divided by the sums of the window's squares. Samples
--- where that sum is 0 are 0.
---@param y lutra.Tensor complex [..., frames, fft_length // 2 + 1]
---@param frame_length integer samples in a frame
---@param frame_step integer samples from the start of one frame to the next
---@param options? {fft_length?: integer, window?: string|lutra.Tensor|false, length?: integer} stft's; length: samples of the result, cut or continued by zeros
---@return lutra.Tensor # [..., samples]; float64 of complex128, else float32
--- Errors: InvalidArgument for a tensor that is not complex or has another number of frequencies, a length or step below 1,
---   or a window of another length.
--- Example:
---     local x = lt.range(8):float32()
---     local y = lt.istft(lt.stft(x, 4, 2, {window = "hamming"}), 4, 2, {window = "hamming"})
---     print(("%.4f"):format(y[4]:item()))  --> 3.0000
--- Source: torch.istft, scipy.signal.istft; Griffin and Lim, 1984
function lutra.istft(y, frame_length, frame_step, options) end

--- The cosine transform along the last axis, of type 1 to 4, by Fourier transforms.
---@param x lutra.Tensor|table [..., n]
---@param options? {type?: integer, norm?: "ortho"} type: 1, 2 (the default), 3 or 4; norm: "ortho" makes it orthonormal
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for a scalar, an axis without samples, or with one sample for type 1, or another type or norm.
--- Example:
---     print(lt.dct({1.0, 1.0}):totable()[1])  --> 4.0
--- Source: scipy.fft.dct, tf.signal.dct
function lutra.dct(x, options) end

--- The inverse of dct with the same options.
---@param x lutra.Tensor|table [..., n]
---@param options? {type?: integer, norm?: "ortho"} those of dct
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: those of dct.
--- Example:
---     print(("%.4f"):format(lt.idct(lt.dct({1.0, 5.0}))[2]:item()))  --> 5.0000
--- Source: scipy.fft.idct, tf.signal.idct
function lutra.idct(x, options) end

--- The indices of the elements on and below a diagonal of a matrix, a row for each, as gather_nd takes them.
---@param n integer rows
---@param options? {k?: integer, m?: integer} k: the diagonal, 0 the main one, above it positive; m: columns, default n
---@return lutra.Tensor indices shape [count, 2], int64, counted from 1
--- Errors: InvalidArgument for a negative size.
--- Example:
---     print(lt.tril_indices(2):totable()[3][1])  --> 2
--- Source: numpy.tril_indices, torch.tril_indices
function lutra.tril_indices(n, options) end

--- The indices of the elements on and above a diagonal of a matrix, a row for each, as gather_nd takes them.
---@param n integer rows
---@param options? {k?: integer, m?: integer} k: the diagonal, 0 the main one, above it positive; m: columns, default n
---@return lutra.Tensor indices shape [count, 2], int64, counted from 1
--- Errors: InvalidArgument for a negative size.
--- Example:
---     print(#lt.triu_indices(3, {k = 1}))  --> 3
--- Source: numpy.triu_indices, torch.triu_indices
function lutra.triu_indices(n, options) end

--- The distinct values in a or b, in ascending order. Runs on the CPU, since the size depends on the values.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table any shape
---@return lutra.Tensor values shape [count], the promoted dtype
--- Errors: InvalidArgument for a value that is no tensor.
--- Example:
---     print(lt.union1d({3, 1}, {1, 2}))  --> lutra.Tensor([1 2 3], shape=(3,), dtype=int32)
--- Source: numpy.union1d
function lutra.union1d(a, b) end

--- The distinct values in a that are in b too, in ascending order. Runs on the CPU, since the size depends on the values.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table any shape
---@return lutra.Tensor values shape [count], a's dtype
--- Errors: InvalidArgument for a value that is no tensor.
--- Example:
---     print(lt.intersect1d({3, 1, 3}, {3, 2}))  --> lutra.Tensor([3], shape=(1,), dtype=int32)
--- Source: numpy.intersect1d
function lutra.intersect1d(a, b) end

--- The distinct values in a that are not in b, in ascending order. Runs on the CPU, since the size depends on the values.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table any shape
---@return lutra.Tensor values shape [count], a's dtype
--- Errors: InvalidArgument for a value that is no tensor.
--- Example:
---     print(lt.setdiff1d({3, 1, 2}, {3}))  --> lutra.Tensor([1 2], shape=(2,), dtype=int32)
--- Source: numpy.setdiff1d
function lutra.setdiff1d(a, b) end

--- The sums of the slices of x in each segment, 0 of a segment without any. The number of segments is the largest in
--- segment_ids, which is read.
---@param x lutra.Tensor|table any shape
---@param segment_ids lutra.Tensor|table the number of each slice's segment, from 1 on; the sizes of x's leading axes
---@return lutra.Tensor # [segments, ...]
--- Errors: those of unsorted_segment_sum, and InvalidArgument for segment_ids that are negative or no integers.
--- Example:
---     local x = lt.segment_sum({1.0, 2.0, 3.0}, {1, 2, 1})
---     print(x[1]:item(), x[2]:item())  --> 4.0	2.0
--- Source: tf.math.segment_sum; segment_ids need not be in order
function lutra.segment_sum(x, segment_ids) end

--- The means of the slices of x in each segment, 0 of a segment without any. The number of segments is the largest in
--- segment_ids, which is read.
---@param x lutra.Tensor|table any shape
---@param segment_ids lutra.Tensor|table the number of each slice's segment, from 1 on; the sizes of x's leading axes
---@return lutra.Tensor # [segments, ...]
--- Errors: those of unsorted_segment_mean, and InvalidArgument for segment_ids that are negative or no integers.
--- Example:
---     local x = lt.segment_mean({1.0, 2.0, 3.0}, {1, 2, 1})
---     print(x[1]:item(), x[2]:item())  --> 2.0	2.0
--- Source: tf.math.segment_mean; segment_ids need not be in order
function lutra.segment_mean(x, segment_ids) end

--- The largest elements of the slices of x in each segment, 0 of a segment without any. The number of segments is the largest in
--- segment_ids, which is read.
---@param x lutra.Tensor|table any shape
---@param segment_ids lutra.Tensor|table the number of each slice's segment, from 1 on; the sizes of x's leading axes
---@return lutra.Tensor # [segments, ...]
--- Errors: those of unsorted_segment_max, and InvalidArgument for segment_ids that are negative or no integers.
--- Example:
---     local x = lt.segment_max({1.0, 2.0, 3.0}, {1, 2, 1})
---     print(x[1]:item(), x[2]:item())  --> 3.0	2.0
--- Source: tf.math.segment_max; segment_ids need not be in order
function lutra.segment_max(x, segment_ids) end

--- The smallest elements of the slices of x in each segment, 0 of a segment without any. The number of segments is the largest in
--- segment_ids, which is read.
---@param x lutra.Tensor|table any shape
---@param segment_ids lutra.Tensor|table the number of each slice's segment, from 1 on; the sizes of x's leading axes
---@return lutra.Tensor # [segments, ...]
--- Errors: those of unsorted_segment_min, and InvalidArgument for segment_ids that are negative or no integers.
--- Example:
---     local x = lt.segment_min({1.0, 2.0, 3.0}, {1, 2, 1})
---     print(x[1]:item(), x[2]:item())  --> 1.0	2.0
--- Source: tf.math.segment_min; segment_ids need not be in order
function lutra.segment_min(x, segment_ids) end

--- The Euclidean norm of all elements of a list of tensors, such as a model's gradients.
---@param list (lutra.Tensor|false)[] floats of any shapes; false, as tapes give for no gradient, is left out
---@return lutra.Tensor norm a scalar; 0 of nothing
--- Errors: InvalidArgument for an entry that is no tensor.
--- Example:
---     print(lt.global_norm {lt.constant {3.0}, lt.constant {{4.0}}})  --> lutra.Tensor(5.0, shape=(), dtype=float32)
--- Source: tf.linalg.global_norm
function lutra.global_norm(list) end

--- Scales a list of tensors by one number, so that their global norm is at most clip_norm.
---@param list (lutra.Tensor|false)[] floats of any shapes; false stays
---@param clip_norm number 0 or more
---@param options? {use_norm?: lutra.Tensor} use_norm: the global norm, where it is known already
---@return (lutra.Tensor|false)[] clipped
---@return lutra.Tensor norm the global norm before, a scalar
--- Errors: InvalidArgument for an entry that is no tensor, or a clip_norm below 0.
--- Example:
---     local clipped, norm = lt.clip_by_global_norm({lt.constant {3.0}, lt.constant {4.0}}, 1)
---     print(norm:item(), ("%.1f"):format(clipped[1]:sum():item()))  --> 5.0	0.6
--- Source: tf.clip_by_global_norm, torch.nn.utils.clip_grad_norm_
function lutra.clip_by_global_norm(list, clip_norm, options) end

--- Calls f with each element along the first axes of tensors, and stacks the results. A loop in Lua: what broadcasting
--- can compute is faster in one op.
---@param f fun(...): lutra.Tensor gets one element of each tensor; may return several tensors
---@param x lutra.Tensor|table at least one axis, not empty
---@param ... lutra.Tensor|table more tensors, as long as x along their first axes
---@return lutra.Tensor ... # the results, stacked along a new first axis
--- Errors: InvalidArgument if there are no elements, lengths differ, or the number of results does.
--- Example:
---     print(lt.map_fn(function(row) return row:sum() end, {{1, 2}, {3, 4}}))
---     --> lutra.Tensor([3 7], shape=(2,), dtype=int64)
--- Source: tf.map_fn
function lutra.map_fn(f, x, ...) end

--- A function that calls f for each element along an axis of its arguments, and stacks the results. A loop in Lua: what
--- broadcasting can compute is faster in one op.
---@param f fun(...): lutra.Tensor may return several tensors
---@param options? {in_axes?: integer|(integer|false)[], out_axis?: integer} in_axes: the axis of each argument, default 1; false: the whole argument each time. out_axis: along which results are stacked, default 1
---@return fun(...): lutra.Tensor # gets the tensors with one more axis each
--- Errors: InvalidArgument if f is no function; in the call, if lengths differ or nothing is mapped.
--- Example:
---     local dots = lt.vmap(lt.dot, {in_axes = {1, false}})
---     print(dots({{1, 2}, {3, 4}}, {10, 1}))  --> lutra.Tensor([12 34], shape=(2,), dtype=int32)
--- Source: torch.vmap, jax.vmap
function lutra.vmap(f, options) end

--- Carries a value along the first axis of x: each state is f(the state before, the next element).
---@param f fun(state: lutra.Tensor, element: lutra.Tensor): lutra.Tensor a state of the same shape
---@param x lutra.Tensor|table at least one axis, not empty
---@param options? {initial?: lutra.Tensor|number, reverse?: boolean} initial: the state before the first element, default: the first element is the first state; reverse: from the last element to the first
---@return lutra.Tensor states stacked along a new first axis, in x's order
--- Errors: InvalidArgument if x has no elements, or f gives no tensor.
--- Example:
---     print(lt.scan(function(state, x) return state * 0.5 + x end, {1.0, 1.0, 1.0}))
---     --> lutra.Tensor([1.   1.5  1.75], shape=(3,), dtype=float32)
--- Source: tf.scan
function lutra.scan(f, x, options) end

--- Repeats `body` while `condition` holds: both get the values, and body returns the next ones. Reading the condition
--- waits for the device.
---@param condition fun(...): boolean|lutra.Tensor true, false, or a scalar of bool
---@param body fun(...): ... returns as many values as it is given
---@param ... any the first values
---@return any ... # the last values
--- Errors: InvalidArgument if condition gives no boolean, or body another number of values.
--- Example:
---     print(lt.while_loop(function(i) return i < 5 end, function(i) return i * 2 end, 1))  --> 8
--- Source: tf.while_loop
function lutra.while_loop(condition, body, ...) end

--- A function that does what f does: its first call runs f and records the kernels that it calls, later calls replay
--- them without Lua, with the same bits. More: docs/graphs.md.
---
--- A call is recorded separately if its tensors have other shapes, dtypes or devices, if its other arguments differ, or
--- if the device scope around it does. Variables are read and assigned at each replay, random numbers are drawn and
--- optimizers' rates taken, as eager calls do it. Numbers and tensors from outside f are those of the recording; a
--- warning names variables that f assigned, and calls such as print, which replays do not repeat. What
--- cannot be replayed runs eagerly, as do calls under an open tape, a placement log, a trace or a plan. Results are new
--- tensors at each call.
---@param f fun(...): ... a function of tensors, tables of tensors and other values, with such results
---@param options? {name?: string, check?: integer} name: for summary and dot; default: where f is defined. check: after so many calls f runs again and is compared with what was recorded; 0, the default: never
---@return lutra.Graph
--- Errors: FailedPrecondition while f is recorded if it reads a tensor's value, changes a table among its arguments, or
---   makes a Variable at each call, and with `check` if it no longer does what was recorded. Errors in a replay name the operation and the line where it was recorded.
--- Example:
---     local g = lt.graph(function(x) return (x * 2 + 1):sum() end)
---     print(g(lt.constant {1.0, 2.0}):item(), g(lt.constant {3.0, 4.0}):item())  --> 8.0	16.0
--- Source: tf.function
function lutra.graph(f, options) end

return lutra
