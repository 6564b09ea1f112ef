---@meta lutra

--- The module: `require "lutra"`, which the program has as the globals `lutra` and `lt`.
---
--- Its operations are among [ops](ops.md). Whatever it raises is an [error](error.md) object.
---@class lutra
---@field version string of this Lutra, "0.1.0"
---@field config lutra.config devices, memory, placement settings
---@field debugging lutra.debugging where operations ran, and why
---@field random lutra.random random numbers
---@field nn lutra.nn layers, models, losses, metrics
---@field optim lutra.optim optimisers and schedules
---@field distribute lutra.distribute training on several devices
---@field float32 string "float32", as options and `lt.cast` take it
---@field float64 string "float64", as options and `lt.cast` take it
---@field float16 string "float16", as options and `lt.cast` take it
---@field bfloat16 string "bfloat16", as options and `lt.cast` take it
---@field int8 string "int8", as options and `lt.cast` take it
---@field uint8 string "uint8", as options and `lt.cast` take it
---@field int16 string "int16", as options and `lt.cast` take it
---@field int32 string "int32", as options and `lt.cast` take it
---@field int64 string "int64", as options and `lt.cast` take it
---@field bool string "bool", as options and `lt.cast` take it
local lutra = {}

--- A tensor of a Lua value: a number, a boolean, or a nested table of them.
---
--- Integers make int32 (int64 when one does not fit), any float among them makes float32, booleans make bool. An empty
--- table is a float32 tensor of shape (0,). A tensor is returned as it is, or cast to `dtype`.
--- The log calls it _EagerConst; under an explicit CPU scope no operation runs.
---@param value number|boolean|table|lutra.Tensor
---@param options? table {dtype = "int8"}: another dtype than the value's own
---@return lutra.Tensor # on the device of the scope; without a scope on the first GPU, else the CPU
--- Errors: InvalidArgument for a ragged table (it names the place), a hole, a string key, numbers mixed with booleans,
---   a number that does not fit the dtype.
--- Example:
---     local x = lt.constant {{1, 2}, {3, 4}}
---     print(x.dtype, x.shape)  --> int32	(2, 2)
---     print(lt.constant(1.5))  --> lutra.Tensor(1.5, shape=(), dtype=float32)
---     print(lt.constant({1, 0}, {dtype = "float64"}).dtype)  --> float64
--- Source: tf.constant
function lutra.constant(value, options) end

--- A tensor of raw bytes, as `tensor:bytes()` gives them: elements in row-major order, little-endian.
---@param bytes string as many bytes as shape and dtype take
---@param dtype string of the elements
---@param shape integer[]|integer sizes of the axes; a number is one axis
---@return lutra.Tensor # placed as a constant is
--- Errors: InvalidArgument when the string is too long or too short, for an unknown dtype or a negative size.
--- Example:
---     print(lt.from_bytes("\1\0\2\0", "int16", {2}))  --> lutra.Tensor([1 2], shape=(2,), dtype=int16)
--- Source: tf.io.decode_raw
function lutra.from_bytes(bytes, dtype, shape) end

--- Reads a file of tensors; its extension says of which kind. [docs/files.md](../files.md) tells about each.
---
--- `.npy`, `.csv`, `.png` and `.idx` give a tensor, `.npz` and `.safetensors` a table of tensors by name. A picture is uint8 of shape
--- {height, width, channels}; of 16 bits the upper 8. A csv is {rows, columns}: int32 (int64 when one does not fit), float32 if there
--- is any fraction, or `dtype`. An empty field is nan, or what `missing` says; lines that begin with # are comments.
---@param path string
---@param options? table csv: {header = true}: the first line names the columns; {delimiter = ";"}; {dtype = "float64"}; {missing = 0}
---@return lutra.Tensor|table<string, lutra.Tensor> # placed as a constant is: on the device of the scope, else the first GPU
---@return table? # of a csv with a header: the columns' names; of a safetensors with metadata: texts by name
--- Errors: NotFound when there is no such file. InvalidArgument for an unknown extension or option, and for a file that is
---   damaged or holds what no tensor can: it names the file, the byte or line, and what is wrong. ResourceExhausted when
---   memory does not suffice.
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

--- Writes a tensor, or a table of tensors by name, to a file; its extension says of which kind. A Variable saves its value.
---
--- `.npy`, `.csv`, `.png` and `.idx` take a tensor, `.npz` and `.safetensors` a table of them. Tensors may lie on any device: save waits
--- for what is queued there. A file that exists is replaced in one step, once the new one is complete on disk; when anything
--- goes wrong it stays as it was. More: [docs/files.md](../files.md).
---@param path string
---@param value lutra.Tensor|lutra.Variable|table a tensor or a literal; or a table of them: {w = tensor}, where names
---   cannot nest
---@param options? table npz: {compress = true}; csv: {header = {"a", "b"}} names the columns, {delimiter = ";"}; safetensors:
---   {metadata = {name = "text"}}
--- Errors: InvalidArgument for an unknown extension or option, and for what the format has no room for (bfloat16 in npy, another
---   dtype than uint8 in png, more than two axes in csv). NotFound when the folder is not there, FailedPrecondition when it
---   may not be written, ResourceExhausted when the disk is full; and what a GPU found wrong while computing the tensors.
--- Example:
---     local path = os.tmpname()
---     lt.save(path .. ".npy", {{1, 2}, {3, 4}})
---     print(lt.load(path .. ".npy"):totable()[2][1])  --> 3
---     os.remove(path .. ".npy")
---     os.remove(path)
--- Source: numpy.save
function lutra.save(path, value, options) end

--- Opens a device scope: the operations inside run on the device it names.
---
--- `local _ <close> = lt.device(name)` lasts until the end of the block; `lt.device(name, f, ...)` calls `f(...)`
--- inside. A partial name takes the rest from the scope around it: "/GPU:0", "gpu:*", "/job:localhost", "cpu". `""`
--- changes nothing, `false` lifts every scope. Each coroutine has scopes of its own, which begin as its creator's. A
--- device that is not there is an error of the operation, not of the scope. At the prompt each line is a block of its own,
--- so that a `<close>` variable ends with it: use the form with a function there, or write do ... end. More: [docs/placement.md](../placement.md).
---@param name string|false|lutra.LogicalDevice
---@param f? function called inside the scope, which ends on every way out
---@param ...? any what f is called with
---@return any # what f returns; without f the scope, for a `<close>` variable
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

--- Calls `f(...)` and frees the tensors it made but did not return, also those inside returned tables.
---
--- Nothing waits for the collector, and an error inside frees them too. Variables live as long as anything refers to
--- them, wherever they were made. Yielding inside `f` works.
---@param f function
---@param ...? any what f is called with
---@return any # what f returns
--- Errors: InvalidArgument if f cannot be called; and whatever f raises.
--- Example:
---     local made
---     local sum = lt.tidy(function()
---       made = lt.ones {1000}
---       return made:sum()
---     end)
---     print(sum:item(), made)  --> 1000.0	lutra.Tensor(released)
function lutra.tidy(f, ...) end

--- Waits until what is queued on the GPUs is done, and raises what failed there.
---
--- Nobody has to call it: reading a tensor waits for that tensor. It is for measuring time.
---@param device? string|lutra.LogicalDevice only this one (default all)
--- Errors: those of a mistake in values that an operation queued there has met; NotFound for a device that is not
---   there, InvalidArgument for a name that fits several.
--- Example:
---     local x = lt.ones {64, 64}
---     local start = lt.time()
---     local y = x:matmul(x)
---     lt.synchronize()
---     print(lt.time() - start > 0)  --> true
--- Source: tf.test.experimental.sync_devices
function lutra.synchronize(device) end

--- Seconds on a clock that never goes back. Only differences mean anything.
---@return number # seconds
--- Example:
---     local start = lt.time()
---     print(lt.time() >= start)  --> true
--- Source: time.perf_counter of Python
function lutra.time() end

--- Whether a value is an error of Lutra's, and of this code if one is given.
---@param value any what pcall gave
---@param code? string "InvalidArgument", "NotFound", ... ([error](error.md))
---@return boolean
--- Errors: InvalidArgument for a code that does not exist.
--- Example:
---     local ok, err = pcall(lt.zeros, {-1})
---     print(lt.iserror(err), lt.iserror(err, "NotFound"), lt.iserror("text"))  --> true	false	false
function lutra.iserror(value, code) end

--- How tensors are printed. What is not named stays as it was.
---@param options table precision = digits after the point, at most (8); threshold = with more elements than this only
---   the edges are shown (1000); edge_items = how many at each end of an axis (3); line_width = columns (75)
--- Errors: InvalidArgument for an unknown option or a value out of range.
--- Example:
---     lt.set_print_options {precision = 2, threshold = 5, edge_items = 1}
---     print(lt.constant {1.2345, 2.5})  --> lutra.Tensor([1.23 2.5 ], shape=(2,), dtype=float32)
---     print(lt.range(9))  --> lutra.Tensor([0 ... 8], shape=(9,), dtype=int32)
--- Source: numpy.set_printoptions
function lutra.set_print_options(options) end

--- Tells about a function, an operation, a module, a kind of value, or all there is.
---@param topic? any a name ("config", "config.reset", "matmul", "tensor.item"), a family of operations ("linalg"),
---   TensorFlow's name ("tf.reduce_sum"), a function (lt.tidy), a module (lt.config), a tensor or another value of Lutra's,
---   an error (default: a list of everything)
---@return string # the text; the prompt prints it, a script writes print(lt.help("matmul"))
--- Errors: NotFound for what nothing is known about; it suggests the nearest name.
--- Example:
---     print(lt.help("debugging.get_kernel_fallback"):match("[^\n]+"))  --> lutra.debugging.get_kernel_fallback()
---     print(lt.help(lt.tidy) == lt.help("tidy"))  --> true
function lutra.help(topic) end

--- Random numbers: the same bits on every device for the same seed (counter-based Philox).
---
--- The counter belongs to the interpreter and moves in call order, whatever the device. `{seed = n}` makes one call
--- depend on n alone. `random.normal` and the others are among [ops](ops.md).
---@class lutra.random
lutra.random = {}

--- Starts the random numbers over from a seed. Without it the seed comes from the system.
---@param seed integer
--- Errors: InvalidArgument if seed is no integer.
--- Example:
---     lt.random.set_seed(7)
---     local a = lt.random.uniform({3}):totable()
---     lt.random.set_seed(7)
---     local b = lt.random.uniform({3}):totable()
---     print(a[1] == b[1] and a[2] == b[2] and a[3] == b[3])  --> true
--- Source: tf.random.set_seed
function lutra.random.set_seed(seed) end

--- A tensor that can be assigned: parameters of a model, counters. On the first device that the scope means, for life.
---
--- Logged as VarHandleOp and AssignVariableOp. More: [autograd](autograd.md).
---@param initial lutra.Tensor|table|number|boolean its first value, which fixes shape and dtype
---@param options? table {name = string; trainable = true: tapes watch it; dtype = another dtype than initial's; aggregation = "none": how a strategy's mirrored variable takes what its replicas assign: "sum", "mean", "only_first_replica"}
---@return lutra.Variable
--- Errors: InvalidArgument for what cannot be a tensor.
--- Example:
---     local w = lt.Variable({1.0, 2.0}, {name = "w"})
---     print(w)  --> <lutra.Variable 'w' shape=(2,) dtype=float32, value=[1. 2.]>
---     print((w * 2):totable()[2])  --> 4.0
--- Source: tf.Variable
function lutra.Variable(initial, options) end

--- Records operations so that gradients can be asked: `local tape <close> = lt.GradientTape()`. More: [autograd](autograd.md).
---@param options? table {persistent = false: may be asked more than once; watch_accessed_variables = true: trainable variables are watched when used}
---@return lutra.GradientTape
--- Errors: ResourceExhausted when 64 tapes are open.
--- Example:
---     local w = lt.Variable(3.0)
---     local tape <close> = lt.GradientTape()
---     print(tape:gradient(w * w, w))  --> lutra.Tensor(6.0, shape=(), dtype=float32)
--- Source: tf.GradientTape
function lutra.GradientTape(options) end

--- A function whose gradient is given instead of found. More: docs/gradients.md.
---
--- `f` returns its results and, last, a function of their upstream gradients that returns one gradient for each argument
--- that is a tensor or Variable, in order: of its shape and dtype, nil or false where there is none. When f uses trainable
--- variables that are no arguments of it, that function gets a list of them as its last argument and returns their gradients
--- after the arguments'. It runs in the scopes that f ran in, when a tape is asked, and what it computes is recorded by the
--- tapes around: it may be differentiated itself.
---@param f fun(...): lutra.Tensor, fun(...): lutra.Tensor
---@return fun(...): lutra.Tensor # a function like f that returns the results alone
--- Errors: InvalidArgument if f is no function, returns something else, or a gradient is missing or of another shape or
---   dtype. What the function for gradients raises is raised by `gradient`; it cannot yield.
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

--- A function that is computed again when a gradient is asked, instead of having its intermediate results remembered: a tape
--- keeps its arguments only (Chen et al., arXiv:1604.06174). More: docs/gradients.md.
---
--- The second time it draws the same random numbers, in the scopes of the first time, and layers are told the same about
--- training, and variables have the values of the first time. It should do nothing but compute its results. Gradients reach its
--- tensor arguments and the trainable variables that it uses.
---@param f fun(...): lutra.Tensor a function of tensors, or a layer
---@return fun(...): lutra.Tensor # a function like f
--- Errors: InvalidArgument if f is no function, a result is no tensor, or f gives other shapes, dtypes or numbers of results
--- the second time.
--- Example:
---     local w = lt.Variable({1.0, 2.0})
---     local block = lt.recompute_grad(function(x) return lt.tanh(x * w):exp() end)
---     local tape <close> = lt.GradientTape()
---     print(tape:gradient(block(lt.zeros {2}), w))  --> lutra.Tensor([0. 0.], shape=(2,), dtype=float32)
--- Source: tf.recompute_grad
function lutra.recompute_grad(f) end

return lutra
