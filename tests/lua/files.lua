-- lt.load and lt.save: files that NumPy, safetensors and Pillow wrote (tests/data, by
-- tests/support/generate/make_files.py), round trips of every dtype and shape on every device, refused files with their
-- messages, and that a file is replaced whole or not at all.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(2)

local all = { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" }
local data = "tests/data/"
local folder = dofile("tests/support/folder.lua")
local at, read, write = folder.at, folder.read, folder.write

-- The values of make_files.py: element i is i * 3 % 7 - 3, in quarters for floats.
local function counted(shape, dtype)
  local size, values = 1, {}
  for _, n in ipairs(shape) do size = size * n end
  for i = 0, size - 1 do
    local v = i * 3 % 7 - (dtype == "uint8" and 0 or 3)
    if dtype == "bool" then values[i + 1] = i % 2 == 1
    else values[i + 1] = dtype:find("float") and v / 4 or v end
  end
  return lt.device("CPU:0", function()
    if size == 0 then return lt.zeros(shape, { dtype = dtype }) end
    return lt.constant(values, { dtype = dtype }):reshape(shape)
  end)
end

local function same(got, wanted, what)
  expect.equal(got.dtype, wanted.dtype, what .. ": dtype")
  assert(got.shape == wanted.shape, what .. ": " .. tostring(got.shape) .. " instead of " .. tostring(wanted.shape))
  expect.equal(got:bytes(), wanted:bytes(), what .. ": bytes")
end

-- npy as NumPy writes it: dtypes, shapes, versions, column order, big-endian; and ours is NumPy's byte for byte.
for _, dtype in ipairs(all) do
  if dtype ~= "bfloat16" then
    local x = counted({ 2, 3, 4 }, dtype)
    same(lt.load(data .. dtype .. ".npy"), x, dtype)
    lt.save(at "x.npy", x)
    assert(read(at "x.npy") == read(data .. dtype .. ".npy"), dtype .. ".npy is not what NumPy writes")
  end
end
for name, shape in pairs { scalar = {}, one = { 1 }, empty = { 0, 3 }, rank8 = { 1, 2, 1, 2, 1, 2, 1, 2 } } do
  same(lt.load(data .. name .. ".npy"), counted(shape, "float32"), name)
  lt.save(at "x.npy", counted(shape, "float32"))
  assert(read(at "x.npy") == read(data .. name .. ".npy"), name .. ".npy is not what NumPy writes")
end
for version = 1, 3 do same(lt.load(data .. "version" .. version .. ".npy"), counted({ 3, 2 }, "int32"), "version") end
same(lt.load(data .. "fortran.npy"), counted({ 2, 3, 4 }, "int16"), "column order")
same(lt.load(data .. "big_fortran.npy"), counted({ 3, 5 }, "float64"), "column order, big-endian")
for _, dtype in ipairs { "int16", "int32", "int64", "float16", "float32", "float64" } do
  same(lt.load(data .. "big_" .. dtype .. ".npy"), counted({ 2, 3 }, dtype), "big-endian " .. dtype)
end

-- npz and safetensors: tables by name.
local arrays = { w = counted({ 2, 3 }, "float32"), ["a/b"] = counted({ 4 }, "int64"), s = counted({}, "bool"),
  none = counted({ 0, 2 }, "float64"), f = counted({ 3, 4 }, "float32") }
local function same_tables(got, wanted, what)
  for name, tensor in pairs(wanted) do same(assert(got[name], what .. " lacks " .. name), tensor, what .. ": " .. name) end
  for name in pairs(got) do assert(wanted[name], what .. " has " .. name) end
end
for _, name in ipairs { "stored", "deflated", "zip64" } do same_tables(lt.load(data .. name .. ".npz"), arrays, name) end
same_tables(lt.load(data .. "streamed.npz"), { x = counted({ 5 }, "int32") }, "streamed")
expect.equal(next(lt.load(data .. "nothing.npz")), nil)
local tensors = { scalar = counted({}, "float32"), empty = counted({ 0, 3 }, "int64"),
  ['Ünïcode "quoted"'] = counted({ 2 }, "int8") }
for _, dtype in ipairs(all) do
  if dtype ~= "bfloat16" then tensors[dtype] = counted({ 2, 3 }, dtype) end
end
same_tables(lt.load(data .. "all.safetensors"), tensors, "safetensors")
expect.equal(lt.load(data .. "bfloat16.safetensors").x:totable(), { 1, -2, 0.5 })
for _, options in ipairs { { compress = false }, { compress = true } } do
  lt.save(at "x.npz", arrays, options)
  same_tables(lt.load(at "x.npz"), arrays, "npz")
  local first = read(at "x.npz")
  lt.save(at "x.npz", arrays, options)
  assert(read(at "x.npz") == first, "the same tensors give the same file")
end
assert(#read(at "x.npz") > 0)
lt.save(at "zeros.npz", { x = lt.zeros { 100000 } })
lt.save(at "packed.npz", { x = lt.zeros { 100000 } }, { compress = true })
assert(#read(at "zeros.npz") > 400000 and #read(at "packed.npz") < 2000, "compress packs")
same(lt.load(at "packed.npz").x, lt.zeros { 100000 }, "packed zeros")
lt.save(at "none.npz", {})
lt.save(at "none.safetensors", {})
expect.equal({ next(lt.load(at "none.npz")), next(lt.load(at "none.safetensors")) }, {})
assert(read(at "none.npz") == read(data .. "nothing.npz"))

-- Round trips: every dtype and shape, tensors and variables, from every device to every device.
local shapes = { {}, { 1 }, { 0, 3 }, { 17 }, { 2, 3, 5 }, { 1, 2, 1, 2, 1, 2, 1, 2 }, { 600, 1001 } }
for _, dtype in ipairs(all) do
  for i, shape in ipairs(shapes) do
    local x = counted(i < #shapes and shape or { 1, 1001 }, dtype)
    if i == #shapes then
      local rows = {}
      for r = 1, 600 do rows[r] = x end
      x = lt.device("CPU:0", lt.concat, rows)
    end
    for _, device in ipairs { "CPU:0", "GPU:1" } do
      local here = x:to(device)
      lt.save(at "x.safetensors", { x = here, v = lt.device(device, lt.Variable, here) })
      local back = lt.device(device, lt.load, at "x.safetensors")
      same(back.x, x, dtype .. " safetensors")
      same(back.v, x, dtype .. " safetensors of a variable")
      assert(back.x.device:find(device, 1, true), back.x.device)
      if dtype ~= "bfloat16" then
        lt.save(at "x.npy", here)
        same(lt.device(device, lt.load, at "x.npy"), x, dtype .. " npy")
        lt.save(at "x.npz", { x = here }, { compress = device == "CPU:0" })
        same(lt.device(device, lt.load, at "x.npz").x, x, dtype .. " npz")
      end
    end
  end
end
-- Placed as a constant: where the scope says, on the first GPU without a scope, and logged.
local seen = {}
lt.debugging.set_log_handler(function(event) seen[#seen + 1] = event.op end)
assert(lt.load(data .. "int32.npy").device:find("GPU:0", 1, true))
local plain = lt.device("/CPU:0", lt.load, data .. "int32.npy")
lt.debugging.set_log_handler(nil)
expect.equal(seen, { "_EagerConst" })
assert(plain.device:find("CPU:0", 1, true))
-- A tidy frees what was loaded in it and not returned.
do
  local before, dropped, kept = expect.storages()
  kept = lt.tidy(function()
    local loaded = lt.load(data .. "stored.npz")
    dropped = loaded.f
    return loaded.w
  end)
  expect.equal(tostring(dropped), "lutra.Tensor(released)")
  same(kept, arrays.w, "kept")
  kept:release()
  expect.equal(expect.storages(), before, "storages")
end
-- A literal can be saved like a tensor.
lt.save(at "x.npy", { { 1, 2 }, { 3, 4 } })
expect.equal(lt.load(at "x.npy"):totable(), { { 1, 2 }, { 3, 4 } })
lt.save(at "x.safetensors", { a = 1.5, b = { true, false } })
expect.equal({ lt.load(at "x.safetensors").a:item(), lt.load(at "x.safetensors").b:totable() }, { 1.5, { true, false } })

-- csv.
local table_, columns = lt.load(data .. "hand.csv", { header = true })
expect.equal(columns, { "a, b", "plain", 'say "so"' })
expect.equal(table_.dtype, "float32")
expect.equal(table_:totable(), { { 1, 2, 3 }, { -4, 500, 0 / 0 }, { 7, -math.huge, 9 } })
expect.equal(select("#", lt.load(data .. "spaces.csv", { delimiter = " " })), 1)
same(lt.load(data .. "spaces.csv", { delimiter = " " }), counted({ 4, 3 }, "int32"), "csv of NumPy, integers")
same(lt.load(data .. "numpy.csv", { dtype = "float64" }), counted({ 4, 3 }, "float64"), "csv of NumPy, its header a comment")
expect.equal(select(2, lt.load(data .. "numpy.csv", { header = true })), { "x", "y", "z" })
-- -0 is a number of its own in floats, and just 0 in integers.
do
  local path = at "zeros.csv"
  local file <close> = assert(io.open(path, "wb"))
  file:write("-0,0,-0.0,+0\n")
  file:flush()
  for _, dtype in ipairs { "float64", "float32", "float16" } do
    local signs = (1 / lt.load(path, { dtype = dtype })):totable()[1]
    expect.equal(signs, { -math.huge, math.huge, -math.huge, math.huge }, dtype)
  end
  expect.equal(lt.load(path, { dtype = "int32" }):totable(), { { 0, 0, 0, 0 } })
end
-- Which line is the header: comments above it are passed over, unless only numbers come after them.
for _, case in ipairs {
  { "# made by hand, twice\n\n#\na,b\n# more\n1,2\n", { "a", "b" } }, { "# note\n# a,b\n1,2\n", { "a", "b" } },
  { "2019,2020\n1,2\n", { "2019", "2020" } },
} do
  local file <close> = assert(io.open(at "x.csv", "wb"))
  file:write(case[1])
  file:close()
  local values, names = lt.load(at "x.csv", { header = true })
  expect.equal({ values:totable(), names }, { { { 1, 2 } }, case[2] }, case[1])
end
for _, dtype in ipairs(all) do
  local x = counted({ 300, 7 }, dtype)
  lt.save(at "x.csv", x, { delimiter = ";" })
  same(lt.load(at "x.csv", { delimiter = ";", dtype = dtype }), x, "csv " .. dtype)
end
local fine = lt.constant({ { 0.1, 1e30, -0.0 }, { 1 / 3, 5e-324, 2 ^ 53 + 2 } }, { dtype = "float64" })
lt.save(at "x.csv", fine, { header = { "a,b", "", 'c"d' } })
expect.equal(read(at "x.csv"), '"a,b","","c""d"\n0.1,1e+30,-0.0\n0.3333333333333333,5e-324,9007199254740994.0\n')
local again, names = lt.load(at "x.csv", { header = true, dtype = "float64" })
same(again, fine, "csv of doubles")
expect.equal(names, { "a,b", "", 'c"d' })
lt.save(at "x.csv", { 1, 2, 3 })
expect.equal(lt.load(at "x.csv"):totable(), { { 1 }, { 2 }, { 3 } })
expect.equal(lt.load(at "x.csv").dtype, "int32")
write(at "x.csv", "1,,3\n4,5,\n")
expect.equal(tostring(lt.load(at "x.csv")), "lutra.Tensor(\n[[ 1. nan  3.]\n [ 4.  5. nan]], shape=(2, 3), dtype=float32)")
expect.equal(lt.load(at "x.csv", { missing = 0 }):totable(), { { 1, 0, 3 }, { 4, 5, 0 } })
expect.equal(lt.load(at "x.csv", { missing = -1, dtype = "int8" }):totable(), { { 1, -1, 3 }, { 4, 5, -1 } })
write(at "x.csv", "3000000000\n-1")
expect.equal(lt.load(at "x.csv").dtype, "int64")
write(at "x.csv", "")
assert(lt.load(at "x.csv").shape == { 0, 0 } and lt.load(at "x.csv").dtype == "float32")
write(at "x.csv", "a,b\n")
assert(lt.load(at "x.csv", { header = true }).shape == { 0, 2 })

-- idx, as MNIST has it, plain and packed.
for _, dtype in ipairs { "uint8", "int8", "int16", "int32", "float32", "float64" } do
  local x = counted({ 2, 3, 4 }, dtype)
  same(lt.load(data .. dtype .. ".idx"), x, dtype .. ".idx")
  lt.save(at "x.idx", x)
  assert(read(at "x.idx") == read(data .. dtype .. ".idx"), dtype .. ".idx is written otherwise")
end
same(lt.load(data .. "scalar.idx"), counted({}, "float32"), "scalar.idx")
same(lt.load(data .. "empty.idx"), counted({ 0, 3 }, "uint8"), "empty.idx")
same(lt.load(data .. "packed-idx3-ubyte.gz"), counted({ 2, 3, 4 }, "uint8"), "packed")
same(lt.load(data .. "large.idx.gz"), counted({ 300, 1000 }, "int16"), "packed, of many pieces")
for _, name in ipairs { "train-images-idx3-ubyte", "train-images.idx3-ubyte", "x.IDX" } do
  lt.save(at(name), counted({ 2 }, "uint8"))
  same(lt.load(at(name)), counted({ 2 }, "uint8"), name)
end
expect.raises("InvalidArgument", "idx has no int64", lt.save, at "x.idx", counted({ 2 }, "int64"))
expect.raises("InvalidArgument", "gzip files can be read, not written", lt.save, at "x.idx.gz", counted({ 2 }, "uint8"))
expect.raises("InvalidArgument", "ends in none of", lt.load, at "train-images-idx3-words")

-- png.
local function pixels(channels) return (lt.range(0, 5 * 7 * channels, 1):cast("int32") * 11 % 256):cast("uint8") end
for channels, mode in ipairs { "l", "la", "rgb", "rgba" } do
  local x = pixels(channels):reshape { 5, 7, channels }
  same(lt.load(data .. mode .. ".png"), x, mode)
  lt.save(at "x.png", x)
  same(lt.load(at "x.png"), x, mode .. ", written and read")
end
same(lt.load(data .. "grey16.png"), pixels(1):reshape { 5, 7, 1 }, "16 bits")
same(lt.load(data .. "bits.png"), (pixels(1):cast("int32") % 2 * 255):cast("uint8"):reshape { 5, 7, 1 }, "one bit")
same(lt.load(data .. "palette.png"),
  (lt.gather(lt.eye(3), pixels(1):cast("int32") % 3 + 1) * 255):cast("uint8"):reshape { 5, 7, 3 }, "palette")
lt.save(at "x.png", pixels(1):reshape { 5, 7 })
same(lt.load(at "x.png"), pixels(1):reshape { 5, 7, 1 }, "a matrix is grey")
local large = (lt.range(0, 2000 * 1500, 1):cast("int32") % 251):cast("uint8"):reshape { 1000, 1000, 3 }
lt.save(at "x.png", large)
same(lt.load(at "x.png"), large, "a large picture")

-- The extension picks the format, in any case.
lt.save(at "X.NPY", { 1, 2 })
expect.equal(lt.load(at "X.NPY"):totable(), { 1, 2 })
local raises = expect.raises
for path, words in pairs { ["x"] = "'x' ends in none of .npy", ["a.npy/x"] = "ends in none", ["x.nyp"] = "did you mean 'npy'?",
  ["x.npy\0"] = "zero byte" } do
  raises("InvalidArgument", words, lt.load, path)
  raises("InvalidArgument", words, lt.save, path, { 1 })
end
raises("InvalidArgument", "load: path is 5, expected a string", lt.load, 5)
raises("InvalidArgument", "load: path is", lt.load)
raises("InvalidArgument", "save: path is nil", lt.save, nil, { 1 })
raises("InvalidArgument", "save: value is", lt.save, at "x.npy")
raises("InvalidArgument", "save: value is \"x\", expected a tensor", lt.save, at "x.npy", "x")
raises("InvalidArgument", "save: value is a tensor, expected a table of tensors by name", lt.save, at "x.npz", lt.ones { 1 })
raises("InvalidArgument", "save: value has the key 1, expected names", lt.save, at "x.npz", { lt.ones { 1 } })
raises("InvalidArgument", "save: w is \"x\", expected a tensor", lt.save, at "x.safetensors", { w = "x" })
raises("InvalidArgument", "__index", lt.save, at "x.npz", setmetatable({}, { __index = { w = 1 } }))
raises("InvalidArgument", "option 'header' is for .csv files, and '" .. data .. "int8.npy' is none", lt.load, data .. "int8.npy", { header = true })
raises("InvalidArgument", "unknown option 'compres' (did you mean 'compress'?)", lt.save, at "x.npz", {}, { compres = true })
raises("InvalidArgument", "unknown option 'sep'", lt.load, data .. "hand.csv", { sep = ";" })
for _, wrong in ipairs { "", "ab", "1", "#", "\n", "." } do
  raises("InvalidArgument", "load: delimiter is", lt.load, data .. "hand.csv", { delimiter = wrong })
end
raises("InvalidArgument", "save: header is 5, expected a list", lt.save, at "x.csv", { 1 }, { header = 5 })
raises("InvalidArgument", "header has 2 names, the tensor (3,) has 1 columns", lt.save, at "x.csv", { 1, 2, 3 },
  { header = { "a", "b" } })
raises("InvalidArgument", "does not fit into a line", lt.save, at "x.csv", { 1 }, { header = { "a\nb" } })
raises("InvalidArgument", "dtype \"int33\" is no dtype", lt.load, data .. "hand.csv", { dtype = "int33" })
local half = lt.ones({ 1 }, { dtype = "bfloat16" })
raises("InvalidArgument", "npy has no bfloat16; cast to float32, or save as .safetensors", lt.save, at "x.npy", half)
raises("InvalidArgument", "'w': npy has no bfloat16", lt.save, at "x.npz", { w = half })
raises("InvalidArgument", "no tensor can be called __metadata__", lt.save, at "x.safetensors", { __metadata__ = 1 })
raises("InvalidArgument", "is no UTF-8", lt.save, at "x.safetensors", { ["\xff"] = 1 })
raises("InvalidArgument", "csv takes one of shape {rows, columns}", lt.save, at "x.csv", lt.ones { 1, 2, 3 })
raises("InvalidArgument", "a picture takes uint8", lt.save, at "x.png", lt.ones { 2, 2, 3 })
raises("InvalidArgument", "with 1 to 4 channels", lt.save, at "x.png", lt.ones({ 2, 2, 5 }, { dtype = "uint8" }))
raises("InvalidArgument", "its sides can be 1 to", lt.save, at "x.png", lt.ones({ 0, 2 }, { dtype = "uint8" }))
raises("NotFound", "missing.npy cannot be opened: No such file", lt.load, at "missing.npy")
raises("NotFound", "cannot be written: No such file", lt.save, at "no/such/x.npy", { 1 })
assert(os.execute("mkdir '" .. at "folder.npy" .. "'"))
raises("InvalidArgument", "is a folder", lt.load, at "folder.npy")
raises("InvalidArgument", "is a folder", lt.save, at "folder.npy", { 1 })
assert(os.execute("mkfifo '" .. at "pipe.npy" .. "'"))
raises("InvalidArgument", "is no regular file", lt.load, at "pipe.npy")
raises("InvalidArgument", "is no regular file", lt.save, at "pipe.npy", { 1 })
do
  local gone = lt.ones { 30 }
  gone:release()
  raises("FailedPrecondition", "has been released", lt.save, at "x.npy", gone)
  raises("FailedPrecondition", "has been released", lt.save, at "x.npz", { w = gone })
end

-- Files that are wrong: the sentence names the file and the place.
for name, words in pairs {
  uint16 = "'<u2'", text = "'<U2'", records = "records", rank9 = "more than 8 axes",
  objects = "Python objects (pickles)",
} do
  local err = raises("InvalidArgument", words, lt.load, data .. "refused_" .. name .. ".npy")
  assert(err.message:find("^load: tests/data/refused_%w+.npy, byte %d+: "), err.message)
end
raises("InvalidArgument", "'readme.txt' is no .npy file", lt.load, data .. "refused_member.npz")
raises("InvalidArgument", "packed by method 12", lt.load, data .. "refused_bzip2.npz")
local function wrong(extension, bytes, words, options)
  write(at("wrong." .. extension), bytes)
  return raises("InvalidArgument", words, lt.load, at("wrong." .. extension), options)
end
for _, case in ipairs {
  { "1,2\n3\n", "line 2: it has 1 fields, the first row has 2" }, { "1,2\n\n3,x\n", "line 3, field 2: 'x' is no number" },
  { "1,1e999\n", "does not fit a float64" }, { "1,1e9999\n", "does not fit a float64" },
  { "1\n3.5e38\n", "line 2, field 1: '3.5e38' does not fit float32" }, { "-1e39\n", "does not fit float32" }, { "+\n", "'+' is no number" },
  { "0x10\n", "is no number" }, { ("7"):rep(5000), "longer than 4096 bytes" }, { '"1', "a quote is not closed" },
  { '"1"2', "text after a quote" },
} do
  wrong("csv", case[1], case[2])
end
wrong("csv", "a,b\n1\n", "line 2: it has 1 fields, the header has 2", { header = true })
wrong("csv", "1\n300\n", "line 2, field 1: '300' does not fit uint8", { dtype = "uint8" })
wrong("csv", "1.5\n", "'1.5' does not fit int32", { dtype = "int32" })
wrong("csv", "1,\n", "line 1, field 2: it is empty, and int32 has no nan; {missing = 0}", { dtype = "int32" })
wrong("csv", "1\n", "missing is 300, which does not fit uint8", { dtype = "uint8", missing = 300 })
wrong("csv", "1\n", "missing is 1e+300, which does not fit float16", { dtype = "float16", missing = 1e300 })
wrong("csv", "65520\n", "'65520' does not fit float16", { dtype = "float16" })
write(at "edges.csv", "3.4028235e38,inf,-1e-400,65519\n") -- float32's largest as it is printed, and what is nearly 0
same(lt.load(at "edges.csv", { dtype = "float64" }), lt.constant({ { 3.4028235e38, math.huge, -0.0, 65519 } }, { dtype = "float64" }), "of float64")
same(lt.load(at "edges.csv"), lt.constant { { 0x1.fffffep127, math.huge, -0.0, 65519 } }, "the ends of float32")
-- Numbers beyond the exponents of every C++ type; 1 / 0.0 tells a zero's sign.
write(at "tiny.csv", "1e-5000,-1e-9999,12.5E-6000,0e9999\n")
for _, dtype in ipairs { "float32", "float64" } do
  local tiny = lt.load(at "tiny.csv", { dtype = dtype })
  expect.equal((1 / tiny):totable(), { { math.huge, -math.huge, math.huge, math.huge } }, "nearly 0 in " .. dtype)
end
wrong("csv", "-1e+9999\n", "does not fit a float64")
wrong("csv", "1E9999\n", "does not fit a float64")
wrong("csv", "1\n", "load: missing is true, expected a number", { missing = true })
wrong("csv", "1,NA\n", "line 1, field 2: 'NA' is no number")
wrong("csv", "2\n", "'2' does not fit bool", { dtype = "bool" })
-- An npy file with this dtype, shape and rest.
local function npy(descr, shape, rest)
  local header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }"):format(descr, shape)
  return "\x93NUMPY\1\0" .. ("<s2"):pack(header) .. (rest or "")
end
wrong("npy", npy("<f4", "(-1,)"), "where a size was expected")
wrong("npy", npy("<f4", "(4611686018427387904, 9)"), "more elements than memory can address")
wrong("npy", npy("<f4", "(1000000000000,)"), "takes 4000000000000 bytes, 0 are there")
wrong("npy", npy("<f4", "(1,)", "12345678"), "takes 4 bytes, 8 follow")
write(at "x.npy", npy("|b1", "(3,)", "\0\1\7"))
same(lt.load(at "x.npy"), lt.constant { false, true, true }, "a bool is 0 or 1")

-- Every file cut short at any byte, and with any byte changed, is a tensor or one of Lutra's errors.
for _, name in ipairs { "version3.npy", "deflated.npz", "zip64.npz", "bfloat16.safetensors", "hand.csv", "rgb.png" } do
  local bytes, extension = read(data .. name), name:match("%w+$")
  local stored = 0
  for cut = 0, #bytes - 1, math.max(1, #bytes // 200) do
    write(at("cut." .. extension), bytes:sub(1, cut))
    local ok, err = pcall(lt.load, at("cut." .. extension))
    if not ok then
      assert(lt.iserror(err, "InvalidArgument"), tostring(err))
      assert(#err.message < 600, err.message)
      stored = stored + 1
    end
  end
  assert(stored > (extension == "csv" and 5 or 40), name .. " cut short is refused")
  for i = 1, #bytes, math.max(1, #bytes // 200) do
    local changed = string.char((bytes:byte(i) + 1 + i * 7 % 255) % 256)
    write(at("cut." .. extension), bytes:sub(1, i - 1) .. changed .. bytes:sub(i + 1))
    local ok, err = pcall(lt.load, at("cut." .. extension))
    assert(ok or lt.iserror(err, "InvalidArgument") or lt.iserror(err, "ResourceExhausted"), tostring(err))
  end
end

-- A late error is raised by save, and the file that was there stays.
do
  lt.save(at "x.npy", { 7 })
  local bad = lt.device("GPU:0", function() return lt.gather(lt.ones { 3 }, lt.constant { 9 }) + 1 end)
  raises("OutOfRange", "gather", lt.save, at "x.npy", bad)
  raises("OutOfRange", "gather", lt.save, at "y.npz", { a = lt.ones { 2 }, b = bad })
  expect.equal(lt.load(at "x.npy"):totable(), { 7 })
end
-- Failed calls have left nothing: no half of a file, no temporary one.
assert(not folder.list():find("tmp") and not folder.list():find("y.npz"), folder.list())

-- A link stays a link, permissions stay what they were.
assert(os.execute(("cd '%s' && ln -s x.npy link.npy && chmod 640 x.npy"):format(folder.path)))
lt.save(at "link.npy", { 8 })
expect.equal(lt.load(at "x.npy"):totable(), { 8 })
do
  local pipe <close> = assert(io.popen(("cd '%s' && stat -c %%a x.npy && readlink link.npy"):format(folder.path)))
  expect.equal(pipe:read("a"), "640\nx.npy\n")
end
-- Also one, or a chain of them, whose file is not there yet; a ring of links leads nowhere.
assert(os.execute(("cd '%s' && ln -s new.npy to_new.npy && ln -s '%s/to_new.npy' chain.npy && ln -s ring.npy ring.npy"):format(folder.path, folder.path)))
lt.save(at "chain.npy", { 9 })
expect.equal(lt.load(at "new.npy"):totable(), { 9 })
do
  local pipe <close> = assert(io.popen(("cd '%s' && readlink to_new.npy"):format(folder.path)))
  expect.equal(pipe:read("a"), "new.npy\n")
end
raises("InvalidArgument", "cannot be written", lt.save, at "ring.npy", { 1 })

-- A file beyond `ulimit -f` is an error; the program continues, and nothing of the file is left.
do
  local said, ran = expect.program(([[
local ok, err = pcall(lt.save, %q, lt.zeros { 1000, 1000 })
print(ok, err.code, err.message:match("cannot be written.*"))
lt.save(%q, { 3 })
print(lt.load(%q)[1]:item())
]]):format(at "large.npy", at "small.npy", at "small.npy"), "", "ulimit -f 100;")
  assert(ran and said:find("^false\t%u%a+\tcannot be written: File too large\n3\n$"), said)
  assert(not folder.list():find("large") and not folder.list():find("tmp"), folder.list())
end

folder.remove()
