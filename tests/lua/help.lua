-- lutra.help: it describes names, functions, modules and values; for an unknown name it suggests similar ones.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function has(text, ...)
  for _, words in ipairs { ... } do
    if not text:find(words, 1, true) then error(("expected the words %q in:\n%s"):format(words, text), 2) end
  end
end

-- A function by any of its names, or by itself.
local growth = lt.help("config.set_memory_growth")
has(growth, "lutra.config.set_memory_growth(device, enable)\n", "device: string or PhysicalDevice; a GPU", "errors: ",
    'example:\n    lt.config.set_memory_growth("GPU:0", true)', "source: tf.config.experimental.set_memory_growth")
for _, name in ipairs { "lutra.config.set_memory_growth", "lt.config.set_memory_growth", "CONFIG.Set_Memory_Growth" } do
  expect.equal(lt.help(name), growth, name)
end
expect.equal(lt.help(lt.config.set_memory_growth), growth, "the function")
expect.equal(lt.help(lt.config.experimental.set_memory_growth), growth, "the same function elsewhere")
has(lt.help("config.experimental.set_virtual_device_configuration"),
    "is lutra.config.set_logical_device_configuration\n", "makes several logical devices")
has(lt.help(lt.tidy), "lutra.tidy(f, [...])\n", "frees the tensors it made")

-- Ops, as functions, methods and by the log's name.
has(lt.help("matmul"), "lutra.matmul(a, b, [options])\n", "placement log: MatMul")
expect.equal(lt.help(lt.matmul), lt.help("matmul"), "the op's function")
expect.equal(lt.help("tensor:matmul"), lt.help("matmul"), "the op as a method")
expect.equal(lt.help("MatMul"), lt.help("matmul"), "the op's name in the log")
has(lt.help(lt.random.normal), "lutra.random.normal(shape, [options])\n")
has(lt.help("lt"), "lutra.lt(a, b)\n")

-- Methods, fields and operators of tensors.
has(lt.help("tensor.item"), "tensor:item()\n", "one-element tensor")
expect.equal(lt.help("item"), lt.help("tensor.item"), "a method without its tensor")
expect.equal(lt.help(lt.zeros({}).item), lt.help("tensor.item"), "the method itself")
has(lt.help("tensor.shape"), "tensor.shape: Shape; sizes of the axes")
has(lt.help("tensor.__index"), "tensor[key]\n", "drops the axis")

-- Modules, tensors and errors.
has(lt.help(lt.config), "lutra.config\n", "lutra.config.reset()", "lutra.config.list_physical_devices([device_type])")
expect.equal(lt.help("config"), lt.help(lt.config), "the module's name")
has(lt.help(lt.config.threading), "lutra.config.threading.set_intra_op_parallelism_threads(threads)")
has(lt.help("random"), "lutra.random.set_seed(seed)", "lutra.random.normal")
has(lt.help(lt.zeros {2}), "lutra.Tensor\n", "tensor:item()", ".nbytes: integer")
has(lt.help(select(2, pcall(lt.zeros, {-1}))), "lutra.Error\n", ".code: string")
has(lt.help("version"), "lutra.version: string")

-- A kind of value and the function that makes it, by name, function or value.
has(lt.help("GradientTape"), "lutra.GradientTape([options])\n", "persistent = false", "gradienttape:gradient(")
expect.equal(lt.help(lt.GradientTape), lt.help("GradientTape"), "the constructor")
expect.equal(lt.help(lt.GradientTape()), lt.help("GradientTape"), "a tape")
has(lt.help(lt.Variable(1.0)), "lutra.Variable(initial, [options])\n", "variable:assign(")
has(lt.help(lt.zeros({ 2 }).shape), "lutra.Shape\n")
has(lt.help(lt.config.list_physical_devices()[1]), "lutra.PhysicalDevice\n")
has(lt.help(lt.config.list_logical_devices()[1]), "lutra.LogicalDevice\n")
has(lt.help(lt.config.get_memory_info("CPU:0")), "lutra.MemoryInfo\n")
do
  local scope <close> = lt.device("")
  expect.equal(lt.help(scope), lt.help("device"), "a scope")
end

-- The last part of a name, families, TensorFlow's names.
expect.equal(lt.help("get_memory_info"), lt.help("config.get_memory_info"))
has(lt.help("gradient"), "lutra.gradient(x", "tape:gradient(loss, variables)")
has(lt.help("reduce"), "Operations of the group reduce", "lutra.logsumexp  -- ")
for _, family in ipairs { "linalg", "shape", "nn" } do has(lt.help(family), "  -- ") end
for _, name in ipairs { "reduce_sum", "tf.reduce_sum", "tf.math.reduce_sum" } do expect.equal(lt.help(name), lt.help("sum"), name) end
for foreign, own in pairs {
  ["tf.Variable"] = "Variable", ["tf.config.list_physical_devices"] = "config.list_physical_devices", ["tf.equal"] = "eq",
  ["tf.config.experimental.set_memory_growth"] = "config.experimental.set_memory_growth", ["tf.random.normal"] = "random.normal",
  ["tf.clip_by_value"] = "clip", ["tf.math.reduce_variance"] = "var", ["tf.debugging.set_log_device_placement"] =
  "debugging.set_log_device_placement", ["tf.constant"] = "constant", ["tf.repeat"] = "repeat_interleave",
} do
  expect.equal(lt.help(foreign), lt.help(own), foreign)
end

-- Names of NumPy, PyTorch and Keras; an operation comes before a layer of its name but for Keras.
for foreign, own in pairs {
  ["tf.nn.conv2d"] = "conv2d", ["nn.conv2d"] = "conv2d", ["tf.nn.dropout"] = "dropout", ["tf.keras.layers.Conv2D"] = "nn.Conv2D",
  ["keras.layers.Dropout"] = "nn.Dropout", ["np.sum"] = "sum", ["np.linalg.svd"] = "svd",
  ["np.random.normal"] = "random.normal", normal = "random.normal", ["tf.io.decode_raw"] = "from_bytes", arange = "range",
  ["tf.data.Dataset"] = "data.Dataset", ["np.concatenate"] = "concat", ["tf.keras.optimizers.Adam"] = "optim.Adam",
} do
  expect.equal(lt.help(foreign), lt.help(own), foreign)
end
for foreign, own in pairs { ["torch.cat"] = "concat", ["torch.permute"] = "transpose", view = "reshape" } do
  has(lt.help(foreign), ": write lutra." .. own .. "(", lt.help(own))
end
-- Names that another library's differ from by their meaning are answered by library, and none is guessed by its last word.
for foreign, ours in pairs {
  ["torch.gather"] = "take_along_axis", ["torch.repeat"] = "tile", ["np.random.random"] = "random.uniform", ["np.maximum.reduce"] = "max",
  ["torch.compile"] = "graph", ["torch.nn.Linear"] = "nn.Dense", ["np.add.at"] = "tensor_scatter_nd_add",
  ["torch.cmul"] = "mul", ["torch.indexAdd"] = "index_add",
} do
  has(lt.help(foreign), ": write lutra." .. ours)
end
has(lt.help("tf.summary"), "model:summary()")
for _, foreign in ipairs { "np.foo.reduce", "torch.ops.aten.sum", "tf.summary.scalar", "np.ufunc.compile" } do
  expect.raises("NotFound", "help: nothing is known about", lt.help, foreign)
end
has(lt.help("T"), "T: write t:transpose()")
has(lt.help("np.ndim"), "ndim: write x.rank")

-- Topics: their statements are true.
for topic, words in pairs { indexing = "x[mask]", slices = "x[mask]", dtypes = "x:cast(", axis = "x.shape[-1]", gpu = "lt.device(", npy = "header = true", csv = "lutra.data.csv" } do
  has(lt.help(topic), words)
end
for _, topic in ipairs(dofile("lua/lutra/topics.lua")) do
  has(lt.help("topics"), " " .. topic[1])
  has(lt.help(), " " .. topic[1])
  expect.equal(lt.help(topic[1]), topic[2], topic[1])
  for line in topic[2]:gmatch("[^\n]+") do assert(#line <= 102, line) end
end

-- A miss points at the line that asked, not into help's own source.
do
  local text = expect.program('local text = lt.help("sofmax")')
  has(text, "SCRIPT:1: help: nothing is known", "SCRIPT:1: in main chunk")
  assert(not text:find("[lutra.", 1, true), text)
end

-- Every name in the overview has help.
local overview = lt.help()
has(overview, "Modules:\n", "config.threading", "Operations, by group", "  matmul ", "random.normal")
local asked = 0
local listed = {}
for word in overview:match("Operations, by group[^\n]*\n(.*)$"):gmatch("%S+") do listed[word] = true end
for _, name in ipairs(dofile("scripts/lib/op_names.lua")) do
  assert(listed[name], "the overview leaves out " .. name)
  asked = asked + 1
end
assert(asked > 40, "the overview lists few ops")
local function ask(place, path)
  for name, value in pairs(place) do
    local full = path .. name
    has(lt.help(full), name)
    asked = asked + 1
    if type(value) == "table" then ask(value, full .. ".") end
  end
end
ask(lt, "lutra.")
for line in overview:gmatch("[^\n]+") do assert(#line <= 100, "a line of more than 100 columns") end

-- Unknown names and values.
expect.raises("NotFound", "(did you mean 'config.set_memory_growth'?)", lt.help, "config.set_memry_growth")
expect.raises("NotFound", "(did you mean 'softmax'?)", lt.help, "sofmax")
expect.raises("NotFound", "nothing is known about a function", lt.help, print)
expect.raises("NotFound", "nothing is known about a table", lt.help, {})
expect.raises("NotFound", "nothing is known about a table", lt.help, setmetatable({}, { __eq = error, __index = error, __name = 1 }))
expect.raises("NotFound", "nothing is known about 3", lt.help, 3)
expect.raises("NotFound", "nothing is known about false", lt.help, false)
expect.raises("NotFound", "nothing is known about a foreign userdata", lt.help, io.stdout)
expect.raises("NotFound", "nothing is known about a coroutine", lt.help, coroutine.create(print))
expect.raises("InvalidArgument", "at most 1", lt.help, "matmul", 2)
local err = expect.raises("NotFound", "lutra.help() lists", lt.help, ("x"):rep(10000))
has(err.where, "expect.lua")
