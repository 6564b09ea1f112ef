-- lutra.data: which elements come in which order, whether rows are gathered or iterated one by one, refused arguments,
-- and prefetching.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, elements = dofile("tests/support/expect.lua"), require "elements"
local Dataset = lt.data.Dataset
local plain, all, one_by_one = elements.plain, elements.all, elements.one_by_one

lt.config.set_simulated_gpus(1)

local function range(...) return Dataset.range(...) end

expect.case("from_tensors gives one element, whatever its parts are", function()
  expect.equal(all(Dataset.from_tensors { 1, 2, 3 }), { { 1, 2, 3 } })
  expect.equal(all(Dataset.from_tensors(7)), { 7 })
  expect.equal(Dataset.from_tensors(lt.ones { 2, 3 }, { a = 1, b = { 2.0, 3.0 } }):cardinality(), 1)
  for x, named in Dataset.from_tensors(lt.ones { 2, 3 }, { a = 1, b = { 2.0, 3.0 } }):repeat_(5):batch(4):iterate() do
    expect.equal({ x.shape, named.a.shape, named.b.shape }, { { #x, 2, 3 }, { #x }, { #x, 2 } })
  end
  local model = lt.nn.Sequential { lt.nn.Dense(1, { input_shape = { 1 } }) }
  model:compile { loss = "mse", optimizer = "sgd" }
  local history = model:fit(Dataset.from_tensors { lt.constant { 1.0 }, lt.constant { 1.0 } }:repeat_(100):batch(10), { epochs = 2, verbose = 0 })
  expect.equal(history.params.steps, 10)
  expect.raises("InvalidArgument", "from_tensors: nothing is given", Dataset.from_tensors)
end)

expect.case("what from_tensor_slices gives", function()
  expect.equal(all(Dataset.from_tensor_slices { 1, 2, 3 }), { 1, 2, 3 })
  expect.equal(all(Dataset.from_tensor_slices { { 1, 2 }, { 3, 4 } }), { { 1, 2 }, { 3, 4 } })
  local x, y = lt.constant { { 1.5, 2 }, { 3, 4 } }, lt.constant { 7, 8 }
  local wanted = { { { 1.5, 2 }, 7 }, { { 3, 4 }, 8 } }
  expect.equal(all(Dataset.from_tensor_slices(x, y)), wanted, "side by side")
  expect.equal(all(Dataset.from_tensor_slices { x, y }), wanted, "as a list, like TensorFlow's tuple")
  expect.equal(all(Dataset.from_tensor_slices(x, { 7, 8 })), wanted, "a table of numbers beside a tensor")
  expect.equal(all(Dataset.from_tensor_slices { a = x, b = y }), { { a = { 1.5, 2 }, b = 7 }, { a = { 3, 4 }, b = 8 } }, "by name")
  expect.equal(all(Dataset.from_tensor_slices({ x, x }, y)), { { { { 1.5, 2 }, { 1.5, 2 } }, 7 }, { { { 3, 4 }, { 3, 4 } }, 8 } })
  local element = Dataset.from_tensor_slices(x):iterate()()
  assert(element.dtype == "float32" and element.shape == lt.zeros({ 2 }).shape)
  expect.equal(all(lt.data.from_tensor_slices { 5 }), { 5 })
  expect.equal(all(Dataset.from_tensor_slices(lt.zeros { 0, 3 })), {})
  expect.raises("InvalidArgument", "value 1 has 2 rows and value 2 3", Dataset.from_tensor_slices, y, { 1, 2, 3 })
  expect.raises("InvalidArgument", "value 1 is a scalar", Dataset.from_tensor_slices, lt.constant(3))
  expect.raises("InvalidArgument", "nothing is given", Dataset.from_tensor_slices)
  expect.raises("InvalidArgument", "a dataset is made by lt.data.Dataset.from_tensor_slices", Dataset, { { 1 }, { 2, 3 } })
  expect.raises("InvalidArgument", "a dataset is made by lt.data.Dataset.from_tensor_slices", Dataset, { 1 }, { 2 }, {}, 3)
  expect.raises("InvalidArgument", "from_tensor_slices: an element has a function", Dataset.from_tensor_slices, print)
end)

expect.case("pairs, # and print", function()
  local seen = {}
  for x, y in pairs(Dataset.from_tensor_slices({ 1, 2 }, { 3, 4 })) do seen[#seen + 1] = x:item() * 10 + y:item() end
  expect.equal(seen, { 13, 24 })
  expect.equal(#range(5), 5)
  expect.equal(tostring(range(5):batch(2)), "<lutra.data.Dataset batch, 3 elements>")
  expect.equal(tostring(range(5):repeat_()), "<lutra.data.Dataset repeat_, infinite>")
  expect.raises("FailedPrecondition", "the dataset is infinite", function() return #range(5):repeat_() end)
end)

expect.case("range counts as lutra.range does, in int64", function()
  expect.equal(all(range(3)), { 0, 1, 2 })
  expect.equal(all(range(1, 6, 2)), { 1, 3, 5 })
  expect.equal(range(3):iterate()().dtype, "int64")
end)

-- Each of these is made of rows and of elements; both ways must agree with what is written here.
local kinds = {
  { "batch(2)", { { 0, 1 }, { 2, 3 }, { 4 } } },
  { "batch(2, {drop_remainder = true})", { { 0, 1 }, { 2, 3 } } },
  { "batch(9)", { { 0, 1, 2, 3, 4 } } },
  { "batch(9, {drop_remainder = true})", {} },
  { "take(2)", { 0, 1 } }, { "take(0)", {} }, { "take(9)", { 0, 1, 2, 3, 4 } }, { "take(-1)", { 0, 1, 2, 3, 4 } },
  { "skip(3)", { 3, 4 } }, { "skip(0)", { 0, 1, 2, 3, 4 } }, { "skip(9)", {} }, { "skip(-1)", {} },
  { "repeat_(2)", { 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 } }, { "repeat_(0)", {} },
  { "repeat_(2):batch(3)", { { 0, 1, 2 }, { 3, 4, 0 }, { 1, 2, 3 }, { 4 } } },
  { "batch(3):repeat_(2)", { { 0, 1, 2 }, { 3, 4 }, { 0, 1, 2 }, { 3, 4 } } },
  { "repeat_():take(7)", { 0, 1, 2, 3, 4, 0, 1 } },
  { "repeat_():skip(4):take(3):batch(2)", { { 4, 0 }, { 1 } } },
  { "skip(1):take(3):repeat_(2):batch(4)", { { 1, 2, 3, 1 }, { 2, 3 } } },
  { "take(0):repeat_()", {} },
  { "cache():repeat_(2):batch(5)", { { 0, 1, 2, 3, 4 }, { 0, 1, 2, 3, 4 } } },
  { "shuffle(1)", { 0, 1, 2, 3, 4 } }, { "shuffle(1):batch(3)", { { 0, 1, 2 }, { 3, 4 } } },
  { "concatenate(lt.data.range(7, 9))", { 0, 1, 2, 3, 4, 7, 8 } },
  { "enumerate():take(2)", { { 1, 0 }, { 2, 1 } } }, { "enumerate(10):skip(4)", { { 14, 4 } } },
  { "batch(2):batch(2, {drop_remainder = true})", { { { 0, 1 }, { 2, 3 } } } },
  { "filter(function(x) return x % 2 == 1 end)", "filter" },
}
expect.case("batch, take, skip, repeat_, cache, concatenate, enumerate: rows and elements alike", function()
  for _, kind in ipairs(kinds) do
    if kind[2] ~= "filter" then
      local make = assert(load("local lt, dataset = ... return dataset:" .. kind[1]))
      for what, dataset in pairs { rows = make(lt, range(5)), elements = make(lt, one_by_one(range(5))) } do
        expect.equal(all(dataset), kind[2], kind[1] .. " of " .. what)
        expect.equal(all(dataset), kind[2], kind[1] .. " of " .. what .. ", the second time")
        expect.equal(dataset:cardinality(), #kind[2], "cardinality of " .. kind[1] .. " of " .. what)
      end
    end
  end
end)

expect.case("cardinality", function()
  local unknown = range(4):filter(function() return true end)
  local infinite = range(4):repeat_()
  for wanted, list in pairs {
    [-2] = { unknown, unknown:batch(2), unknown:take(3), unknown:repeat_(3), unknown:repeat_(), unknown:concatenate(range(2)),
      Dataset.zip(range(3), unknown), Dataset.from_generator(function() end) },
    [-1] = { infinite, infinite:batch(3), infinite:skip(5), infinite:concatenate(unknown), infinite:shuffle(3), infinite:map(print),
      Dataset.zip(infinite, infinite) },
    [3] = { infinite:take(3), Dataset.zip(range(3), infinite), Dataset.zip(range(7), range(3)) },
    [0] = { unknown:take(0), range(0):repeat_(), range(0):filter(print), infinite:skip(-1) },
  } do
    for i, dataset in ipairs(list) do expect.equal(dataset:cardinality(), wanted, ("number %d of %d"):format(i, wanted)) end
  end
  expect.equal({ lt.data.INFINITE_CARDINALITY, lt.data.UNKNOWN_CARDINALITY }, { -1, -2 })
end)

expect.case("map and filter", function()
  expect.equal(all(range(4):map(function(x) return x * 2 end)), { 0, 2, 4, 6 })
  expect.equal(all(range(2):map(function(x) return x, x + 1 end)), { { 0, 1 }, { 1, 2 } }, "several values")
  expect.equal(all(range(2):map(function(x) return { x, x + 1 } end)), { { 0, 1 }, { 1, 2 } }, "a list of tensors")
  expect.equal(all(range(2):map(function() return { 1, 2 } end)), { { 1, 2 }, { 1, 2 } }, "numbers are one tensor")
  expect.equal(all(range(2):map(function(x) return { a = x, b = 1 } end)), { { a = 0, b = 1 }, { a = 1, b = 1 } })
  expect.equal(all(range(2):map(lt.neg)), { 0, -1 })
  local pairs_of = Dataset.from_tensor_slices({ 1, 2, 3 }, { 4, 5, 6 })
  expect.equal(all(pairs_of:map(function(x, y) return y - x end):batch(3)), { { 3, 3, 3 } })
  expect.equal(all(pairs_of:filter(function(x) return x:item() ~= 2 end)), { { 1, 4 }, { 3, 6 } })
  expect.equal(all(range(6):filter(function(x) return (x % 2):eq(0) end):batch(2)), { { 0, 2 }, { 4 } }, "a tensor's answer")
  expect.equal(all(range(3):filter(function() return false end):repeat_()), {}, "nothing, for ever")
  expect.raises("InvalidArgument", "map: the function gives nothing", all, range(2):map(function() end))
  expect.raises("InvalidArgument", "map: an element has a function", all, range(2):map(function() return print end))
  expect.raises("InvalidArgument", "filter: the function gives 1, expected true or false", all, range(2):filter(function() return 1 end))
  expect.raises("InvalidArgument", "map: the function is nil", range(2).map, range(2))
  expect.raises("InvalidArgument", "methods are called with a colon", range(2).map, print)
  expect.raises("InvalidArgument", "map: unknown option 'num_paralel_calls' (did you mean 'num_parallel_calls'?)", range(2).map,
    range(2), print, { num_paralel_calls = 2 })
  -- An error of the function's own comes through as it is.
  local ok, err = pcall(all, range(2):map(function() error("mine", 0) end))
  expect.equal({ ok, err }, { false, "mine" })
end)

expect.case("from_generator", function()
  local starts = 0
  local counted = Dataset.from_generator(function()
    starts = starts + 1
    local i = 0
    return function()
      i = i + 1
      if i <= 3 then return i, { i, i * i } end
    end
  end)
  expect.equal(all(counted), { { 1, { 1, 1 } }, { 2, { 2, 4 } }, { 3, { 3, 9 } } })
  expect.equal(all(counted:repeat_(2):batch(2)), { { { 1, 2 }, { { 1, 1 }, { 2, 4 } } }, { { 3, 1 }, { { 3, 9 }, { 1, 1 } } },
    { { 2, 3 }, { { 2, 4 }, { 3, 9 } } } })
  expect.equal(starts, 3, "how often it was started")
  expect.equal(all(Dataset.from_generator(function() return ipairs { 5, 6 } end)), { { 1, 5 }, { 2, 6 } }, "what for takes")
  local yielded = Dataset.from_generator(function()
    return coroutine.wrap(function() for i = 1, 2 do coroutine.yield(lt.fill({ 2 }, i)) end end)
  end)
  expect.equal(all(yielded:batch(2)), { { { 1, 1 }, { 2, 2 } } })
  expect.raises("InvalidArgument", "from_generator: the generator is a table", Dataset.from_generator, {})
  expect.raises("InvalidArgument", "from_generator: the function gives nil, expected an iterator", all, Dataset.from_generator(function() end))
  -- The fourth value of an iterator is closed, as `for` does: at the end, when the loop is left, and with an error.
  local log = {}
  local function closing(at_3)
    return Dataset.from_generator(function()
      local i = 0
      return function()
        i = i + 1
        if i == 3 and at_3 then error(at_3, 0) end
        if i <= 4 then return { i } end
      end, nil, nil, setmetatable({}, { __close = function(_, err) log[#log + 1] = err or "closed" end })
    end)
  end
  local function closed(f, ...)
    log = {}
    pcall(f, ...)
    return log
  end
  expect.equal(closed(all, closing()), { "closed" }, "at the end")
  expect.equal(closed(all, closing():repeat_(2):batch(2)), { "closed", "closed" }, "at each end")
  expect.equal(closed(all, closing():take(1)), { "closed" }, "left early")
  expect.equal(closed(function() for _ in closing():map(function(x) return x end):iterate() do break end end), { "closed" }, "break")
  expect.equal(closed(function() for _ in Dataset.zip(closing(), closing()):iterate() do return end end), { "closed", "closed" }, "both")
  expect.equal(closed(all, closing "failed"), { "failed" }, "the error of the generator")
  expect.equal(closed(function() for _ in closing():iterate() do error("body", 0) end end), { "body" }, "an error in the loop")
  expect.raises("InvalidArgument", "the fourth value is 5, expected one with __close", all,
    Dataset.from_generator(function() return next, {}, nil, 5 end))
  -- Elements that cannot be one batch say which.
  local ragged = Dataset.from_generator(function()
    local i = 0
    return function() i = i + 1 if i < 4 then return lt.zeros { i > 2 and 5 or 2 } end end
  end)
  expect.raises("InvalidArgument", "batch: value 1 of the first element is float32 (2,), and of element 3 float32 (5,)", all, ragged:batch(3))
end)

expect.case("zip", function()
  local names, numbers = Dataset.from_tensor_slices { 1, 2, 3 }, Dataset.from_tensor_slices { 4, 5 }
  for what, make in pairs { rows = function(d) return d end, elements = one_by_one } do
    expect.equal(all(Dataset.zip(make(names), make(numbers))), { { 1, 4 }, { 2, 5 } }, what)
    expect.equal(all(Dataset.zip { make(names), make(numbers) }), { { 1, 4 }, { 2, 5 } }, what .. " as a list")
    local both = Dataset.from_tensor_slices({ 1, 2 }, { 4, 5 })
    expect.equal(all(Dataset.zip(make(both), make(names)):batch(2)), { { { { 1, 2 }, { 4, 5 } }, { 1, 2 } } }, what .. " of several values")
  end
  expect.raises("InvalidArgument", "zip: nil is no dataset", Dataset.zip)
  expect.raises("InvalidArgument", "zip: 3 is no dataset", Dataset.zip, names, 3)
end)

expect.case("prefetch changes nothing but who gathers", function()
  local x, y = (lt.range(90 * 40) % 251):float32():reshape { 90, 40 }, lt.range(90)
  local function on_cpu(f) return lt.device("/CPU:0", f) end
  local rows = on_cpu(function() return Dataset.from_tensor_slices(x:to "/CPU:0", y:to "/CPU:0") end)
  local named = on_cpu(function() return Dataset.from_tensor_slices({ a = x:to "/CPU:0", b = { y:to "/CPU:0", x:to "/CPU:0" } }) end)
  local on_gpu = Dataset.from_tensor_slices(lt.device("/GPU:0", function() return x + 0 end), y)
  local s = { seed = 3 }
  for name, make in pairs {
    plain = function(p) return p(rows:shuffle(90, s):batch(8)) end,
    ["small buffer"] = function(p) return p(rows:shuffle(9, s):batch(8, { drop_remainder = true })) end,
    repeated = function(p) return p(rows:shuffle(90, s):repeat_(3):batch(8)) end,
    ["repeated outside"] = function(p) return p(rows:shuffle(90, s):batch(8):repeat_(3)) end,
    mapped = function(p) return p(rows:shuffle(90, s):batch(8):map(function(a, b) return a * 2, b end)) end,
    ["below a map"] = function(p) return p(rows:shuffle(90, s):batch(8)):map(function(a, b) return a * 2, b end) end,
    ["before batch"] = function(p) return p(rows:shuffle(90, s)):batch(8) end,
    ["in order"] = function(p) return p(rows:batch(8)) end,
    ["in order and not"] = function(p) return p(rows:take(40):repeat_(2):batch(30)) end,
    ["two, zipped"] = function(p) return p(Dataset.zip(rows:shuffle(90, s):batch(8), rows:shuffle(90, s):batch(3))) end,
    names = function(p) return p(named:shuffle(90, s):batch(8)) end,
    ["small tensors"] = function(p) return p(Dataset.from_tensor_slices(y):shuffle(90, s):batch(8)) end,
    elements = function(p) return p(rows:shuffle(90, s)) end,
    nothing = function(p) return p(rows:take(0):shuffle(5):batch(2)) end,
    ["on a GPU"] = function(p) return p(on_gpu:shuffle(90, s):batch(8)) end,
    cached = function(p) return p(rows:shuffle(90):batch(8):cache()):take(3) end,
  } do
    lt.random.set_seed(1)
    local wanted = make(function(dataset) return dataset end)
    wanted = { all(wanted), all(wanted) }
    for _, most in ipairs { 1, 2, 5, 100, lt.data.AUTOTUNE, 0 } do
      lt.random.set_seed(1)
      local dataset = make(function(d) return d:prefetch(most) end)
      expect.equal({ all(dataset), all(dataset) }, wanted, ("%s, %d ahead"):format(name, most))
    end
  end
  expect.equal(rows:prefetch(2):cardinality(), 90)
  expect.raises("InvalidArgument", "prefetch: buffer_size is -2, expected a whole number, -1 or more", rows.prefetch, rows, -2)
  -- The thread gathers: no operation does.
  local gathers = 0
  lt.debugging.set_log_handler(function(event) if event.op == "GatherV2" then gathers = gathers + 1 end end)
  for _ in rows:shuffle(90, s):batch(8):prefetch(2):iterate() do end
  lt.debugging.set_log_handler(nil)
  expect.equal(gathers, 0, "gathers by operations")
end)

expect.case("what is prefetched ends with whoever wanted it, and errors come through", function()
  local x = lt.device("/CPU:0", function() return lt.zeros { 500, 1000 } end)
  local before = expect.storages()
  for i = 1, 20 do
    local next = Dataset.from_tensor_slices(x):shuffle(500):batch(50):prefetch(3):iterate()
    next()
    if i % 5 == 0 then collectgarbage() end
  end
  expect.equal(expect.storages(), before, "storages after iterations that were left")
  -- Batches outlive the iteration.
  local kept = {}
  for batch in Dataset.from_tensor_slices(x + 1):shuffle(500):batch(50):prefetch(3):iterate() do kept[#kept + 1] = batch end
  collectgarbage()
  for _, batch in ipairs(kept) do expect.equal({ #batch, batch:sum():item() }, { 50, 50000.0 }) end
  local calls = 0
  local ok, err = pcall(all, Dataset.from_tensor_slices(x):shuffle(500):batch(50):map(function(rows)
    calls = calls + 1
    if calls == 4 then error("the fourth", 0) end
    return rows:sum()
  end):prefetch(3))
  expect.equal({ ok, err, calls }, { false, "the fourth", 4 })
  -- A program that ends in the midst of it.
  local text = expect.program([[
    local lt = require "lutra"
    local x = lt.zeros { 2000, 1000 }
    next = lt.data.Dataset.from_tensor_slices(x):shuffle(2000):batch(500):prefetch(4):iterate()
    print(next().shape)
  ]])
  expect.equal(text, "(500, 1000)\n")
end)

expect.case("rows that stay in their files", function()
  local folder = dofile("tests/support/folder.lua")
  local at = folder.at
  local x, y = lt.range(60 * 30):float32():reshape { 60, 5, 6 }, (lt.range(60) * 3):cast "int16"
  lt.save(at "x.npy", x)
  lt.save(at "y.idx", y)
  local files, rows = Dataset.from_file(at "x.npy", at "y.idx"), Dataset.from_tensor_slices(x, y)
  expect.equal(tostring(files), "<lutra.data.Dataset from_file, 60 elements>")
  local s = { seed = 6 }
  for name, make in pairs {
    elements = function(d) return d:take(3) end, shuffled = function(d) return d:shuffle(60, s):take(9) end,
    batches = function(d) return d:batch(7) end, ["shuffled batches"] = function(d) return d:shuffle(60, s):batch(7) end,
    prefetched = function(d) return d:shuffle(20, s):repeat_(2):batch(7, { drop_remainder = true }):prefetch(3) end,
    zipped = function(d) return Dataset.zip(d, Dataset.range(4)) end, cached = function(d) return d:batch(50):cache() end,
    ["one row at a time"] = function(d) return d:skip(57):batch(1) end,
  } do
    local wanted = make(rows)
    wanted = { all(wanted), all(wanted) }
    local got = make(files)
    expect.equal({ all(got), all(got) }, wanted, name)
  end
  for a, b in files:shuffle(60):batch(30):iterate() do
    expect.equal({ a.dtype, b.dtype, a.shape[3], a.device:match "CPU:0" }, { "float32", "int16", 6, "CPU:0" })
  end
  -- Every dtype, both byte orders.
  for _, name in ipairs { "bool", "int8", "uint8", "int64", "float16", "big_float64", "big_int32", "big_float16" } do
    local path = "tests/data/" .. name .. ".npy"
    local tensor = lt.load(path)
    expect.equal(Dataset.from_file(path):batch(9):iterate()():totable(), tensor:totable(), name)
    expect.equal(Dataset.from_file(path):shuffle(9, s):batch(9):iterate()():totable(),
      Dataset.from_tensor_slices(tensor):shuffle(9, s):batch(9):iterate()():totable(), name .. ", shuffled")
  end
  -- A file that is cut while it is read: whoever asks for the batch gets the error, by the thread or not.
  for what, make in pairs { plain = function(d) return d:batch(10) end, ahead = function(d) return d:shuffle(60):batch(10):prefetch(3) end,
    elements = function(d) return d end } do
    lt.save(at "cut.npy", x)
    local next = make(Dataset.from_file(at "cut.npy")):iterate()
    if what ~= "elements" then next() end
    os.execute(("truncate -s 1000 '%s'"):format(at "cut.npy"))
    local err = expect.raises("InvalidArgument", "cut.npy", function() for _ = 1, 60 do next() end end)
    assert(err.message:find("cut short", 1, true), what .. ": " .. err.message)
  end
  expect.raises("NotFound", "none.npy", Dataset.from_file, at "none.npy")
  expect.raises("InvalidArgument", "in a form whose rows cannot be read alone", Dataset.from_file, "tests/data/packed-idx3-ubyte.gz")
  expect.raises("InvalidArgument", "in a form whose rows cannot be read alone", Dataset.from_file, "tests/data/fortran.npy")
  expect.raises("InvalidArgument", "in a form whose rows cannot be read alone", Dataset.from_file, "tests/data/scalar.npy")
  expect.raises("InvalidArgument", "holds tensors by name", Dataset.from_file, "tests/data/stored.npz")
  expect.raises("InvalidArgument", "value 1 has 60 rows and value 2 2", Dataset.from_file, at "x.npy", "tests/data/int8.npy")
  expect.raises("InvalidArgument", "from_file", Dataset.from_file)
  folder.remove()
end)

-- With a collection at every allocation, and finalizers that run ops in the midst of it.
expect.case("datasets under a hostile collector", function()
  package.path = "tests/support/?.lua;" .. package.path
  local collector = require "collector"
  local x, y = lt.device("/CPU:0", function() return lt.range(400):reshape { 40, 10 }, lt.range(40) end)
  local rows = Dataset.from_tensor_slices(x, y):shuffle(40, { seed = 2 })
  local pipelines = {
    rows:batch(7), rows:batch(7):prefetch(3), one_by_one(rows):shuffle(5, { seed = 1 }):batch(3), rows:batch(4):map(function(a, b) return a + b:reshape { -1, 1 } end):prefetch(1),
  }
  for i, dataset in ipairs(pipelines) do
    local function begin() for _, node in ipairs(dataset:shuffles()) do node.iterations = 0 end end
    begin()
    local wanted = all(dataset)
    begin()
    local kept, got = {}, {}
    collector.at_each_collection(function(n)
      if n % 5 == 0 then kept[n % 7] = lt.ones { n % 40 } + 1 end
      return n < 2000
    end)
    local before = collector.tighten()
    for first, second in dataset:iterate() do got[#got + 1] = second and { first, second } or first end
    collector.loosen(before)
    for k, element in ipairs(got) do got[k] = plain(element) end
    expect.equal(got, wanted, "pipeline " .. i)
  end
end)

expect.case("mnist from a folder", function()
  local folder = dofile("tests/support/folder.lua")
  local at = folder.at
  local images = (lt.range(3 * 4 * 2) * 7 % 256):cast("uint8"):reshape { 3, 4, 2 }
  local labels = lt.constant({ 0, 9, 4 }, { dtype = "uint8" })
  expect.raises("NotFound", "has no train-images-idx3-ubyte, plain or .gz; nothing is downloaded", lt.data.mnist, folder.path)
  lt.save(at "train-images-idx3-ubyte", images)
  lt.save(at "train-labels.idx1-ubyte", labels)
  lt.save(at "t10k-images-idx3-ubyte", images[{ { 1, 2 } }])
  lt.save(at "t10k-labels-idx1-ubyte", labels)
  assert(os.execute(("gzip '%s'"):format(at "train-images-idx3-ubyte")))
  expect.raises("InvalidArgument", "has 2 images, and " .. at "t10k-labels-idx1-ubyte" .. " 3 labels", lt.data.mnist, folder.path)
  lt.save(at "t10k-labels-idx1-ubyte", labels[{ { 1, 2 } }])
  local x, y, test_x, test_y = lt.data.mnist(folder.path)
  expect.equal(x:totable(), images:totable())
  expect.equal({ x.dtype, y.dtype }, { "uint8", "int64" })
  expect.equal(y:totable(), { 1, 10, 5 }, "labels from 1")
  expect.equal({ #test_x, test_y:totable() }, { 2, { 1, 10 } })
  local _, raw = lt.data.mnist(folder.path, { raw = true })
  expect.equal({ raw.dtype, raw:totable() }, { "uint8", { 0, 9, 4 } }, "as stored")
  lt.save(at "t10k-labels-idx1-ubyte", lt.constant { 1, 2 })
  expect.raises("InvalidArgument", "holds int32 (2,), expected uint8 with 1 axes", lt.data.mnist, folder.path)
  folder.remove()
end)

expect.end_of_cases()
