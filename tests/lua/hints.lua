-- Errors that say what to write instead: names of other libraries, typing mistakes, forms that Lua or TensorFlow writes
-- differently.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
lt.config.set_simulated_gpus(1)

local x, w = lt.ones { 24 }, lt.Variable({ 1.0, 2.0 }, { name = "w" })

local function says(words, f, ...) return expect.raises("InvalidArgument", words, f, ...) end

-- Comparing: a > b reaches us as b < a, so the text holds for both; a tensor is true, whatever is in it.
local function compare(source) return load("local a, b = ... return " .. source), lt.constant(1.0), lt.constant(2.0) end
says("< or > of tensors", compare "a < b")
says("< or > of tensors", compare "a > b")
says("<= or >= of tensors", compare "a >= b")
says("`if a:lt(b):item() then`", compare "a <= 3")

-- Fields and methods.
says('a Variable has no field or method "assing" (did you mean \'assign\'?)', function() w:assing(1) end)
says('a Variable has no field or method "trainble" (did you mean \'trainable\'?)', function() return w.trainble end)
says('a tensor has no field or method "astype"; write t:cast(dtype)', function() return x:astype("int32") end)
for name, ours in pairs { T = "t:transpose()", ndim = "t.rank", numpy = "t:totable()", tolist = "t:totable()", view = "t:reshape(shape)" } do
  says("; write " .. ours, function() return x[name] end)
end
local tape = lt.GradientTape()
says('a GradientTape has no field or method "gradeint" (did you mean \'gradient\'?)', function() return tape:gradeint(w, w) end)
tape:close()

-- The object before the colon is not counted as an argument.
says("item: 1 argument given, none is taken", function() return x:item(1) end)
says("assign: 2 arguments given, at most 1 is taken", function() w:assign(1, 2) end)
do
  local tape <close> = lt.GradientTape()
  says("gradient: sources is missing, expected a variable or tensor, or a list of them", function() return tape:gradient(w) end)
end
says("malformed device name 'cuda:0': 'cuda:0' is none of", lt.device, "cuda:0")
says("(did you mean 'gpu'?)", lt.device, "cuda:0")

-- Where the error is caught, too.
says("attempt to call a tensor's shape (method 'shape'); a tensor's shape is a field: write t.shape", function() return x:shape() end)
says("; a tensor is indexed in brackets: write t[i]", function() return x(1) end)
says("attempt to call a lutra.Variable value; a tensor is indexed", function() return w(1) end)
says("; write for i, row in pairs(t) do", function() for _ in x do end end)

-- A module's missing field is nil, as in any table; an uncaught error about it suggests the nearest name.
assert(lt.nothing == nil and lt.config.nothing == nil and rawget(lt, "constat") == nil)
for source, hint in pairs {
  ["lt.constat(2)"] = "(field 'constat') (did you mean 'lutra.constant'?)",
  ["lt.reduce_sum(2)"] = "(field 'reduce_sum') (did you mean 'lutra.sum'?)",
  ["lt.config.set_memory_groth(2)"] = "(did you mean 'lutra.config.set_memory_growth'?)",
  ["lt.random.norml {2}"] = "(did you mean 'lutra.random.normal'?)",
  ["lt.gradient(2, 3)"] = "the gradient of a loss is tape:gradient(loss, variables), of a lutra.GradientTape",
  ["local t = lt.ones {2}; t(1)"] = "a tensor is indexed in brackets: write t[i]",
  ["lt.confg.reset()"] = "attempt to index a nil value (field 'confg') (did you mean 'lutra.config'?)",
} do
  local text = expect.program(source)
  assert(text:find(hint, 1, true), text)
end
-- So do objects, of their methods: models, datasets, strategies, optimizers.
for source, hint in pairs {
  ["local m = lt.nn.Sequential {lt.nn.Dense(1)} m:complie {}"] = "(method 'complie') (did you mean 'compile'?)",
  ["lt.data.Dataset.from_tensor_slices(lt.ones {3}):shufle(3)"] = "(did you mean 'shuffle'?)",
  ["local o = lt.optim.Adam() print(o, 1, o:aply())"] = "(did you mean 'apply'?)",
  ["local Net = lt.nn.Model:extend 'Net' function Net:embed() end Net():embd()"] = "(did you mean 'embed'?)",
  ["lt.optim.Adamm()"] = "(did you mean 'lutra.optim.Adam'?)",
  ["local nn = lt.nn nn.Densee(3)"] = "(did you mean 'lutra.nn.Dense'?)",
  ["lt.nn.callbacks.EarlyStoping()"] = "(did you mean 'lutra.nn.callbacks.EarlyStopping'?)",
  ["lt.nn.initializers.HeNrmal()"] = "(did you mean 'lutra.nn.initializers.HeNormal'?)",
} do
  local text = expect.program(source)
  assert(text:find(hint, 1, true), text)
end
for _, source in ipairs { "local m, t = lt.nn.Dense(1), {} t:fitt()", "local m = lt.nn.Dense(1) m:qqqqqqqq()", "local t = {} t.constat()", "local t, n = {}, lt.constat t.constan()", "lt.qqqqqqqq()", "error 'field'" } do
  local text = expect.program(source)
  assert(not text:find("did you mean", 1, true), text)
end

-- What is in a program's locals is not to be trusted: here are 95 tables of whose names none is a string. The stack is full at
-- some depths only.
local many = {}
for i = 1, 95 do many[i] = ("local _, t%d = nil, setmetatable({}, {__name = %d})"):format(i, i) end
many[#many + 1] = "local x = {} x:missing()"
for _, depth in ipairs { 37, 185 } do
  local text = expect.program(("local f = load(%q) local function deep(n) if n == 0 then f() end deep(n - 1) return 1 end deep(%d)"):format(
    table.concat(many, "\n"), depth))
  assert(text:find("(method 'missing')\nstack traceback:", 1, true), text)
end

-- Options: what has its place among the arguments is none.
says("random.normal: unknown option 'std' (did you mean 'stddev'?); it takes mean, stddev, dtype, seed", lt.random.normal, { 2 }, { std = 2 })
says("unknown option 'shape'; it takes mean", lt.random.normal, { 2 }, { shape = { 3 } })
says("unknown option 'eps' (did you mean 'epsilon'?)", lt.layer_norm, lt.ones { 2, 2 }, lt.ones { 2 }, lt.zeros { 2 }, { eps = 1 })
says("max_pool2d: unknown option 'sizes'; it takes stride, padding", lt.max_pool2d, lt.ones { 1, 4, 4, 1 }, 2, { sizes = 2 })
expect.equal(lt.sum(lt.ones { 2, 3 }, { axis = 1 }):totable(), { 2, 2, 2 }, "an optional place is an option too")

-- Paddings as TensorFlow and PyTorch write them.
local image, kernel = lt.ones { 1, 4, 4, 1 }, lt.ones { 2, 2, 1, 1 }
says('padding is "SAME" (did you mean \'same\'?)', lt.conv2d, image, kernel, { padding = "SAME" })
says("write {1, 1}", lt.conv2d, image, kernel, { padding = 1 })

-- Sizes one by one; arguments are counted as they were written.
says("reshape: 2 arguments given, expected t:reshape(shape); write t:reshape{4, 6}", function() return x:reshape(4, 6) end)
do
  local err = says("write broadcast_to(x, {24, 1}, {" .. ("k"):rep(40) .. " = 1})", lt.broadcast_to, x, 24, 1, { [("k"):rep(1000)] = 1 })
  assert(#err.message < 300)
end
says("reshape: 3 arguments given, expected reshape(x, shape); write reshape(x, {4, 6})", lt.reshape, x, 4, 6)
says("write t:transpose{2, 1}", function() return lt.ones({ 2, 3 }):transpose(2, 1) end)
says("zeros: 2 arguments given, expected zeros(shape, [options]); write zeros{2, 3}", lt.zeros, 2, 3)
says("write random.normal{3, 4}", lt.random.normal, 3, 4)
says("exp: 1 argument given, expected t:exp()", function() return x:exp(1) end)
says("exp: 2 arguments given, expected exp(x)", lt.exp, x, 1)

says("axes count from 1: write t:transpose{2, 1}", function() return lt.ones({ 2, 3 }):transpose(1, 0) end)
says("axes count from 1: write sum(x, {1, 2})", lt.sum, lt.ones { 2, 3 }, 0, 1)
says("zeros: 3 arguments given, expected zeros(shape, [options]); write zeros({2, 3}, {dtype = \"int32\"})", lt.zeros, 2, 3, { dtype = "int32" })
says("sum: 3 arguments given, expected t:sum([axis], [options]); write t:sum({1, 2}, {keepdims = true})", function()
  return lt.ones({ 2, 3 }):sum(1, 2, { keepdims = true })
end)
-- The suggested form is accepted: softmax takes one axis, and x has one.
for _, name in ipairs { "softmax", "argmax", "cumsum", "squeeze" } do
  local err = says(name .. ": 3 arguments given", lt[name], lt.ones { 2, 3 }, 1, 2)
  assert(not err.message:find("write", 1, true), err.message)
end
assert(not says("3 arguments given", lt.sum, x, 1, 2).message:find("write", 1, true))

-- Options one by one, in one list with the rest, and by the names of arguments that have their place.
local apart = "options stand in a table: write "
says(apart .. "sum(x, axis, {keepdims = true})", lt.sum, x, 1, true)
says(apart .. "t:sum(axis, {keepdims = true})", function() return x:sum(1, true) end)
says(apart .. "random.uniform(shape, {minval = 0, maxval = 1})", lt.random.uniform, { 2 }, 0, 1)
says(apart .. 'zeros(shape, {dtype = "int32"})', lt.zeros, { 2 }, "int32")
says(apart .. 'max_pool2d(x, size, {stride = 2, padding = "same"})', lt.max_pool2d, lt.ones { 1, 4, 4, 1 }, 2, 2, "same")
says('constant: options is "float32", expected a table of options: {dtype = "float32"}', lt.constant, { 1 }, "float32")
for call, words in pairs {
  ["zeros{2, dtype = 'int32'}"] = 'zeros({...}, {dtype = "int32"})', ["concat{t, t, axis = 2}"] = "concat({...}, {axis = 2})",
  ["constant{1, 2, dtype = 'float32'}"] = 'constant({...}, {dtype = "float32"})', ["sum({1, 2, axis = 1})"] = "sum({...}, {axis = 1})",
  ["pad({1}, {{1, 1}, value = 2})"] = "pad({...}, {value = 2})",
} do
  says("; options stand in a table of their own: " .. words, load("local lt, t = require 'lutra', ... return lt." .. call), lt.ones { 2, 2 })
end
says("shape has names among its entries, expected a list of integers; shape is a positional argument: reshape(x, shape)", lt.reshape, x, { shape = { 4, 6 } })
says("depth is a positional argument: one_hot(labels, depth, [axis], [options])", lt.one_hot, { 1 }, { depth = 3 })
says("size is a positional argument: max_pool2d(x, size, [options])", lt.max_pool2d, lt.ones { 1, 4, 4, 1 }, 2, { ksize = 2 })

-- Options and dtypes by another library's name.
says("sum: unknown option 'dim' (did you mean 'axis'?); it takes axis, keepdims", lt.sum, x, { dim = 1 })
says("transpose: unknown option 'dims' (did you mean 'perm'?)", lt.transpose, x, { dims = { 1 } })
says("unknown option 'low' (did you mean 'minval'?)", lt.random.uniform, { 2 }, { low = 0 })
says("unknown option 'name': operations have no names; it takes", lt.zeros, { 2 }, { name = "z" })
says("unknown option 'sep' (did you mean 'delimiter'?)", lt.load, "none.csv", { sep = ";" })
for theirs, ours in pairs { float = "float32", double = "float64", half = "float16", int = "int32", long = "int64", ["np.float32"] = "float32" } do
  local words = ('dtype "%s" is no dtype (did you mean \'%s\'?)'):format(theirs, ours)
  says("zeros: " .. words, lt.zeros, { 2 }, { dtype = theirs })
  says("constant: " .. words, lt.constant, { 2 }, { dtype = theirs })
  says("cast: " .. words, x.cast, x, theirs)
end
says('dtype is 3, expected a dtype\'s name, such as "float32"', lt.zeros, { 2 }, { dtype = 3 })

says('shape has names among its entries, expected a list of integers; there is no option "axis"', lt.reshape, x, { 24, axis = 1 })
says("sizes has names among its entries, expected a list of integers; options stand in a table of their own: split({...}, {axis = 1})",
  lt.split, x, { 12, 12, axis = 1 })
says('w is a table with the name "stride", expected a tensor or a table of numbers: conv2d(x, w, [options])', lt.conv2d, image, { stride = 2 })
says('min is a table with the name "max", expected a tensor or a table of numbers: clip(x, min, max)', lt.clip, x, { max = 1 }, 1)
says("abs: the options table has the key 1, expected the name of an option: abs(x)", lt.abs, x, { 1, 2 })

-- The dtypes' names are fields, as tf.float32 is; a field that is not there would be an option that is not given.
for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" } do
  expect.equal(lt.zeros({ 2 }, { dtype = lt[dtype] }).dtype, dtype)
  expect.equal(lt.cast({ 1, 0 }, lt[dtype]).dtype, dtype)
end
do
  local text = expect.program("lt.float32(lt.ones {2})")
  assert(text:find("(field 'float32'); it is a dtype's name: write t:float32()", 1, true), text)
end

-- Nothing, or something else, where a tensor is to be.
says("max is nil, expected a tensor, a table or a number; without an upper bound write maximum(x, min)", lt.clip, x, 0, nil)
says("expected t:clip(min, max); without an upper bound write maximum(x, min)", function() return x:clip(0) end)
says("without a lower bound write minimum(x, max)", lt.clip, x, nil, 1)
says("cond is int32, expected bool; cond:ne(0) is bool, true where cond is not 0", lt.where, { 1, 0 }, 1, 2)
expect.equal(lt.constant({ 2, 0 }):ne(0):totable(), { true, false })
says('indices is float32, expected an integer; cast it first: indices:cast("int64")', lt.gather, x, lt.ones { 2 })
says('b is "3", expected a tensor, a table or a number; tonumber makes a number of it', lt.add, x, "3")
says("value[1] is a tensor, expected a number or a boolean; stack(value) makes one tensor of a list of tensors", lt.constant, { x, x })
says("add_n: tensors is a tensor, expected a list of tensors: add_n({a, b, ...})", lt.add_n, x, x)
says("concat: tensors is a tensor, expected a list of tensors: concat({a, b, ...}, [axis])", lt.concat, x, x)
says('labels is float32, expected an integer; cast it first: labels:cast("int64"); the order is cross_entropy(labels, logits)', lt.cross_entropy, lt.ones { 2, 3 }, { 1, 2 })
-- Of a number and a tensor, the error names the tensor, which can be cast.
says('sub: b is bool, expected a number; cast it first: b:cast("int32")', function() return false - lt.constant { true } end)
says("the order is where(cond, x, y)", lt.where, x, x:gt(0), 1)
says("count is the float 1.5, expected an integer", lt.left_shift, { 1, 2 }, 1.5)
says('a is float32, expected an integer or bool; cast it first: a:cast("int64")', lt.bitwise_and, x, 1)
says("value (0,) has 0 elements, expected a number or a scalar tensor", lt.fill, { 2 }, {})
says("k is a tensor, expected an integer; t:item() is the number of a tensor", lt.top_k, x, lt.constant(2))
says("shape is a tensor, expected a shape: a list of sizes, or one size; t:totable() lists the numbers of a tensor", lt.reshape, x, lt.constant { 4, 6 })
says("float32: 1 argument given, expected t:float32()", function() return x:float32(1) end)
says("device is nil, expected a device's name or object; a list gives nil past its end, and here there are /physical_device:CPU:0, "
  .. "/physical_device:GPU:0", lt.config.set_memory_growth, lt.config.list_physical_devices("GPU")[2], true)

-- Masks.
says("index: entry 1 is true, expected an integer, a range {first, last, step} or {}; a mask is a tensor or a list of booleans",
  function() return x[{ true, 2 }] end)

-- Files.
says('save: value has the name "w", and .npy holds one tensor; use .npz or .safetensors', lt.save, "none.npy", { w = x })
says("save: value.layer is a table with the name \"w\"; names cannot nest, write {['layer.w'] = tensor}", lt.save, "none.npz", { layer = { w = x } })

says("load: option 'header' is for .csv files, and 'none.npy' is none", lt.load, "none.npy", { header = true })
says("save: option 'compress' is for .npz files, and 'none.npy' is none", lt.save, "none.npy", x, { compress = true })
do
  local path = expect.path ".csv"
  local function wrong(text, words, ...)
    local file <close> = assert(io.open(path, "w"))
    file:write(text):close()
    return says(words, lt.load, path, ...)
  end
  wrong("height,width\n1,2\n", "'height' is no number; if the first line names the columns, load it with {header = true}")
  wrong("1;2\n3;4\n", "'1;2' is no number; load it with {delimiter = \";\"}")
  assert(not wrong("1,2\n3,x\n", "'x' is no number").message:find("header", 1, true))
  assert(not wrong("a,b\n3,x\n", "'x' is no number", { header = true }).message:find("load it", 1, true))
  os.remove(path)
end

-- What prints as a table says what is in it.
local info = lt.config.get_memory_info("CPU:0")
expect.equal(tostring(info), ("{'current': %d, 'peak': %d, 'limit': %d, 'reserved': %d}"):format(info.current, info.peak, info.limit, info.reserved))
do
  local text = expect.program([[
    lt.config.set_logical_device_configuration("GPU:0", { {memory_limit = 64}, {memory_limit = 32} })
    print(lt.config.get_logical_device_configuration("GPU:0"))
    lt.config.set_logical_device_configuration("CPU:0", { {} })
    print(lt.config.get_logical_device_configuration("CPU:0"))]], "--sim-gpus 1")
  expect.equal(text, "[LogicalDeviceConfiguration(memory_limit=64), LogicalDeviceConfiguration(memory_limit=32)]\n"
    .. "[LogicalDeviceConfiguration(memory_limit=None)]\n")
end
do
  local scope <close> = lt.device("/GPU:1")
  assert(tostring(scope):find("^lutra.DeviceScope%('/device:GPU:1', tests/lua/hints.lua:%d+%)$"), tostring(scope))
end
print("ok")
