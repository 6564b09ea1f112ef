-- Datasets in folders: save, load and snapshot, as tf.data's; damaged and cut-off files, and folders with other things.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local Dataset = lt.data.Dataset

local folders = {}
local function new_folder()
  local path = expect.path ".dataset"
  folders[#folders + 1] = path
  return path
end
local function files_of(folder)
  local names, pipe = {}, assert(io.popen("ls " .. folder))
  for name in pipe:lines() do names[#names + 1] = name end
  pipe:close()
  return names
end

-- A value as a string that tells all of it: dtypes, shapes and bits.
local function told(value)
  if type(value) == "userdata" then return ("%s%s:%s"):format(value.dtype, tostring(value.shape), value:bytes()) end
  if type(value) ~= "table" then return ("%q"):format(value) end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local out = {}
  for i, key in ipairs(keys) do out[i] = ("[%q]=%s"):format(key, told(value[key])) end
  return "{" .. table.concat(out, ",") .. "}"
end
local function elements(ds)
  local list, next, _, _, closing = {}, ds:iterate()
  local _ <close> = closing
  while true do
    local values = table.pack(next())
    if values[1] == nil then return list end
    local out = {}
    for i = 1, values.n do out[i] = told(values[i]) end
    list[#list + 1] = table.concat(out, " ")
  end
end
local function same_when_loaded(ds, what, given)
  local folder = new_folder()
  ds:save(folder, given)
  local loaded, wanted = Dataset.load(folder), elements(ds)
  expect.equal(#loaded, #wanted, what)
  for _ = 1, 2 do expect.equal(elements(loaded), wanted, what) end
  return folder
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end
local function contents(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

expect.case("every dtype, shape and structure comes back with its bits", function()
  local x = lt.constant { { 0, 1, -2 }, { 3, 127, -128 } }
  for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128" } do
    local values = lt.cast(dtype == "uint8" and x:abs() or x, dtype)
    same_when_loaded(Dataset.from_tensor_slices(values), dtype)
    same_when_loaded(Dataset.from_tensors(values):map(function(y) return y end), dtype .. ", mapped")
  end
  local odd = lt.constant { 0 / 0, math.huge, -0.0, 1e-40, 3.4e38 }
  for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
    same_when_loaded(Dataset.from_tensor_slices(lt.cast(odd, dtype)), dtype .. ", odd numbers")
  end
  same_when_loaded(Dataset.from_tensor_slices(lt.zeros { 3, 0, 2 }), "no numbers")
  same_when_loaded(Dataset.from_tensors(lt.range(4):reshape { 2, 1, 1, 1, 1, 1, 2 }), "seven axes")
  same_when_loaded(Dataset.from_generator(function()
    local i = 0
    return function()
      i = i + 1
      if i <= 3 then return lt.range(i * 2):reshape { 1, 1, 1, 1, 1, 1, 2, i }, i end
    end
  end), "eight axes")
  same_when_loaded(Dataset.from_tensor_slices({ x = x, more = { x, lt.constant { 1.5, 2.5 } } }, { 1, 0 }), "tables")
  same_when_loaded(Dataset.from_tensors(x, { [7] = 1, name = { inner = { 2.0 } } }), "keys that are numbers")
  same_when_loaded(Dataset.range(0), "no elements")
  same_when_loaded(Dataset.from_tensor_slices { true, false }:batch(2), "booleans")
end)

expect.case("texts, also without characters or with any bytes", function()
  local words = { "good", "", "b\0d", "\255\254", "ü" }
  same_when_loaded(Dataset.from_tensor_slices(words, { 1, 2, 3, 4, 5 }), "texts")
  same_when_loaded(Dataset.from_tensor_slices(words):batch(2), "batches of texts")
  same_when_loaded(Dataset.from_tensor_slices { { "a", "b" }, { "c", "dd" }, { "", "" } }:batch(2), "tables of texts")
  same_when_loaded(Dataset.from_tensors(1.5, "word", { text = "other" }), "texts beside tensors")
end)

expect.case("batches whose last one is shorter, and elements of different kinds", function()
  local ds = Dataset.range(1000)
  same_when_loaded(ds:batch(300), "batches")
  same_when_loaded(ds:map(function(i) return lt.range(i:item() % 4), i end), "lengths that change")
  same_when_loaded(ds:take(6):map(function(i)
    if i:item() % 3 == 0 then return i end
    if i:item() % 3 == 1 then return i:float32(), "text" end
    return { a = i }
  end), "kinds that change")
  same_when_loaded(ds:shuffle(1000, { seed = 1, reshuffle_each_iteration = false }):batch(64), "shuffled")
  same_when_loaded(Dataset.zip(ds, ds:map(function(i) return i * 2 end)):enumerate(), "zipped")
end)

expect.case("many elements make several files, which are read one after the other", function()
  local folder = same_when_loaded(Dataset.range(20000), "rows")
  expect.equal(files_of(folder), { "dataset.npz", "elements-1-00001.npz", "elements-1-00002.npz", "elements-1-00003.npz" })
  local ds = Dataset.load(folder)
  expect.equal(ds:skip(19998):batch(4):iterate()():totable(), { 19998, 19999 })
  expect.equal(elements(ds:shuffle(100, { seed = 3 }):take(5)), elements(Dataset.range(20000):map(function(i) return i end):shuffle(100, { seed = 3 }):take(5)))
  local large = new_folder()
  Dataset.from_tensors(lt.ones { 3 << 20 }):repeat_(7):map(function(x) return x end):save(large)
  expect.equal(#files_of(large), 4, "twelve MiB each: three to a file")
end)

expect.case("packed files are smaller, and the same to a reader", function()
  local ds = Dataset.from_tensor_slices(lt.zeros { 100, 100 })
  local plain, packed = same_when_loaded(ds, "plain"), same_when_loaded(ds, "packed", { compression = "GZIP" })
  local function size(folder) return #contents(folder .. "/elements-1-00001.npz") end
  assert(size(packed) * 10 < size(plain), size(packed))
  same_when_loaded(ds, "none", { compression = "NONE" })
end)

expect.case("a folder's dataset is replaced when the new one is complete, also by what is read from it", function()
  local folder = new_folder()
  Dataset.range(5):save(folder)
  Dataset.load(folder):map(function(i) return i * 10 end):save(folder)
  expect.equal(Dataset.load(folder):batch(9):iterate()():totable(), { 0, 10, 20, 30, 40 })
  expect.equal(files_of(folder), { "dataset.npz", "elements-2-00001.npz" })
  -- A function that fails leaves it as it was.
  local failing = Dataset.range(20000):map(function(i)
    if i:item() == 19000 then error "no more" end
    return i
  end)
  local ok, problem = pcall(failing.save, failing, folder)
  assert(not ok and tostring(problem):find "no more")
  expect.equal(files_of(folder), { "dataset.npz", "elements-2-00001.npz" })
  expect.equal(#Dataset.load(folder), 5)
end)

expect.case("generators are closed, also when saving fails", function()
  local closed = 0
  local function generator()
    local i = 0
    return function() i = i + 1 if i <= 3 then return i end end, nil, nil, setmetatable({}, { __close = function() closed = closed + 1 end })
  end
  Dataset.from_generator(generator):save(new_folder())
  expect.equal(closed, 1)
  local failing = Dataset.from_generator(generator):map(function() error "stop" end)
  assert(not pcall(failing.save, failing, new_folder()))
  expect.equal(closed, 2)
end)

expect.case("a snapshot is written by the first complete iteration and read by the others", function()
  local calls = 0
  local function pipeline(folder)
    return Dataset.range(4):map(function(i)
      calls = calls + 1
      return i * 2
    end):snapshot(folder)
  end
  local folder = new_folder()
  local ds = pipeline(folder)
  expect.equal({ #ds, ds:cardinality() }, { 4, 4 })
  ds:iterate()()
  expect.equal(calls, 1)
  expect.equal(ds:take(2):batch(4):iterate()():totable(), { 0, 2 })
  expect.equal(calls, 3, "an iteration that stops writes nothing that is read")
  expect.equal(#elements(ds), 4)
  expect.equal(calls, 7)
  expect.equal(ds:batch(4):iterate()():totable(), { 0, 2, 4, 6 })
  expect.equal(pipeline(folder):batch(4):iterate()():totable(), { 0, 2, 4, 6 })
  expect.equal(calls, 7)
  expect.equal(#Dataset.load(folder), 4)
  expect.equal(elements(ds:repeat_(2)), elements(Dataset.range(4):map(function(i) return i * 2 end):repeat_(2)))
  -- Two iterations at a time: the one that ends first is kept.
  local shuffled = Dataset.range(50):shuffle(50):snapshot(new_folder())
  local first, second = shuffled:iterate(), shuffled:iterate()
  local kept = {}
  for i = 1, 50 do kept[i] = first():item() second() end
  expect.equal(first(), nil)
  expect.equal(second(), nil)
  expect.equal(shuffled:batch(50):iterate()():totable(), kept)
  local other = Dataset.range(5):snapshot(folder)
  expect.raises("FailedPrecondition", "has 4 elements, and the dataset 5: remove the folder to write it anew", elements, other)
end)

expect.case("a damaged or cut-off file is an error that names it", function()
  local folder = new_folder()
  Dataset.range(100):batch(7):save(folder)
  local path, ds = folder .. "/elements-1-00001.npz", Dataset.load(folder)
  local bytes = contents(path)
  local wanted = elements(ds)
  for at = 1, #bytes, 13 do
    write(path, bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 0x41) .. bytes:sub(at + 1))
    local ok, got = pcall(elements, ds)
    -- Bits of names and times that no reader needs may change.
    if ok then expect.equal(got, wanted, "byte " .. at)
    else assert(lt.iserror(got) and got.message:find("load: " .. path, 1, true), tostring(got)) end
  end
  for _, length in ipairs { 0, 1, #bytes // 2, #bytes - 1 } do
    write(path, bytes:sub(1, length))
    expect.raises("InvalidArgument", "load: " .. path, elements, ds)
  end
  os.remove(path)
  expect.raises("NotFound", "load: " .. path, elements, ds)
  -- A file of another dataset of the same length.
  local other = new_folder()
  Dataset.range(20):save(other)
  write(path, contents(other .. "/elements-1-00001.npz"))
  expect.raises("InvalidArgument", path .. ": it has 20 elements, and the list 15: it is of another dataset", elements, ds)
  write(path, bytes)
  expect.equal(elements(ds), wanted)
  local list = contents(folder .. "/dataset.npz")
  write(folder .. "/dataset.npz", list:sub(1, #list - 9))
  expect.raises("InvalidArgument", "load: " .. folder .. "/dataset.npz", Dataset.load, folder)
  lt.save(folder .. "/dataset.npz", { x = 1 })
  expect.raises("InvalidArgument", "/dataset.npz: it is damaged, or not of a dataset", Dataset.load, folder)
  expect.raises("InvalidArgument", "save: " .. folder .. "/dataset.npz: it is damaged, or not of a dataset", function()
    Dataset.range(1):save(folder)
  end)
  local function json(text) return { about = lt.from_bytes(text, "uint8", { #text }) } end
  lt.save(folder .. "/dataset.npz", json '{"format": 2}')
  expect.raises("InvalidArgument", "its format is 2, and this version of Lutra reads up to 1", Dataset.load, folder)
  for _, text in ipairs { '{"format": 1}', '[1]', '{"format": 1, "run": 1, "count": 3, "files": [2]}', '{"format": 1, "run": 1, "count": 1, "files": [-1]}' } do
    lt.save(folder .. "/dataset.npz", json(text))
    expect.raises("InvalidArgument", "it is damaged, or not of a dataset", Dataset.load, folder)
  end
end)

expect.case("refused", function()
  local function refuses(code, text, f, ...) expect.raises(code, text, f, ...) end
  local folder = new_folder()
  refuses("NotFound", folder .. " has no complete dataset: there is no dataset.npz, which save writes last", Dataset.load, folder)
  write(folder, "a file")
  refuses("FailedPrecondition", "cannot make the folder", function() Dataset.range(1):save(folder) end)
  os.remove(folder)
  local other = new_folder()
  assert(os.execute("mkdir " .. other))
  write(other .. "/notes.txt", "mine")
  refuses("FailedPrecondition", other .. " has 'notes.txt', which is not of a saved dataset: give a folder for the dataset alone",
    function() Dataset.range(1):save(other) end)
  refuses("FailedPrecondition", "snapshot: ", elements, Dataset.range(1):snapshot(other))
  expect.equal(files_of(other), { "notes.txt" })
  refuses("InvalidArgument", "save: the dataset is infinite: write dataset:take(n):save(path)", function() Dataset.range(1):repeat_():save(folder) end)
  refuses("InvalidArgument", "snapshot: the dataset is infinite", function() Dataset.range(1):repeat_():snapshot(folder) end)
  refuses("InvalidArgument", "save: path is nil", function() Dataset.range(1):save() end)
  refuses("InvalidArgument", "load: path is 3", Dataset.load, 3)
  refuses("InvalidArgument", 'save: compression is "ZIP", which is not known', function() Dataset.range(1):save(folder, { compression = "ZIP" }) end)
  refuses("InvalidArgument", "save: unknown option 'shards'", function() Dataset.range(1):save(folder, { shards = 2 }) end)
  refuses("InvalidArgument", "save: a table of an element has the key true, expected strings and whole numbers", function()
    Dataset.range(1):map(function(i) return { [true] = i, [2] = "" } end):save(folder)
  end)
end)

for _, folder in ipairs(folders) do os.execute("rm -rf " .. folder) end
expect.end_of_cases()
