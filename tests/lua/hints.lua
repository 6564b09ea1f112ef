-- Errors that tell what to write instead: names of other libraries, slips, forms that Lua or TensorFlow has otherwise.
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

-- A module's missing field is nil, as in any table; an error about it that nobody caught tells the nearest name.
assert(lt.nothing == nil and lt.config.nothing == nil and rawget(lt, "constat") == nil)
for source, hint in pairs {
  ["lt.constat(2)"] = "(field 'constat') (did you mean 'lutra.constant'?)",
  ["lt.reduce_sum(2)"] = "(field 'reduce_sum') (did you mean 'lutra.sum'?)",
  ["lt.config.set_memory_groth(2)"] = "(did you mean 'lutra.config.set_memory_growth'?)",
  ["lt.random.norml {2}"] = "(did you mean 'lutra.random.normal'?)",
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
says("reshape: 3 arguments given, expected reshape(x, shape); write reshape(x, {4, 6})", lt.reshape, x, 4, 6)
says("write t:transpose{2, 1}", function() return lt.ones({ 2, 3 }):transpose(2, 1) end)
says("zeros: 2 arguments given, expected zeros(shape, [options]); write zeros{2, 3}", lt.zeros, 2, 3)
says("write random.normal{3, 4}", lt.random.normal, 3, 4)
says("exp: 1 argument given, expected t:exp()", function() return x:exp(1) end)
says("exp: 2 arguments given, expected exp(x)", lt.exp, x, 1)

-- Masks.
says("a mask or a tensor of indices stands alone", function() return x[{ x:gt(1), 2 }] end)
says("write v:assign(lutra.where(mask, value, v))", function() w[w:gt(1)] = 0 end)

-- Files.
says('save: value has the name "w", and .npy holds one tensor; use .npz or .safetensors', lt.save, "none.npy", { w = x })
says("save: value.layer is a table with the name \"w\"; names cannot nest, write {['layer.w'] = tensor}", lt.save, "none.npz", { layer = { w = x } })

-- What prints as a table says what is in it.
local info = lt.config.get_memory_info("CPU:0")
expect.equal(tostring(info), ("{'current': %d, 'peak': %d, 'limit': %d, 'reserved': %d}"):format(info.current, info.peak, info.limit, info.reserved))
do
  local text = expect.program([[
    lt.config.set_logical_device_configuration("GPU:0", { {memory_limit = 64}, {memory_limit = 32} })
    print(lt.config.get_logical_device_configuration("GPU:0"))
    lt.config.set_logical_device_configuration("CPU:0", { {} })
    print(lt.config.get_logical_device_configuration("CPU:0"))]], "--sim-gpus 1")
  expect.equal(text, "[LogicalDeviceConfiguration(memory_limit=64.0), LogicalDeviceConfiguration(memory_limit=32.0)]\n"
    .. "[LogicalDeviceConfiguration(memory_limit=None)]\n")
end
do
  local scope <close> = lt.device("/GPU:1")
  assert(tostring(scope):find("^lutra.DeviceScope%('/device:GPU:1', tests/lua/hints.lua:%d+%)$"), tostring(scope))
end
print("ok")
