-- Texts and categories as numbers, against Keras' own results, and datasets of files: lines, csv columns, folders of
-- images.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local folder = dofile("tests/support/folder.lua")
local nn, data = lt.nn, lt.data

-- Keras 3's results for these calls. Its ids are the same; its padding is 0, and its unknown token 1.
local texts = { "The quick brown fox, jumps over the lazy dog!", "the dog sleeps; the fox doesn't.", "A fox is a fox." }

expect.case("TextVectorization", function()
  local v = nn.TextVectorization():adapt(texts)
  expect.equal(v:get_vocabulary(),
    { "", "[UNK]", "the", "fox", "dog", "a", "sleeps", "quick", "over", "lazy", "jumps", "is", "doesnt", "brown" })
  expect.equal(v(texts):totable(), { { 2, 7, 13, 3, 10, 8, 2, 9, 4 }, { 2, 4, 6, 2, 3, 12, 0, 0, 0 }, { 5, 3, 11, 5, 3, 0, 0, 0, 0 } })
  expect.equal(v { "the cat", "fox" }:totable(), { { 2, 1 }, { 3, 0 } })
  expect.equal(v "the cat":totable(), { 2, 1 })
  v = nn.TextVectorization { max_tokens = 6, output_sequence_length = 4 }:adapt(texts)
  expect.equal(v:get_vocabulary(), { "", "[UNK]", "the", "fox", "dog", "a" })
  expect.equal(v(texts):totable(), { { 2, 1, 1, 3 }, { 2, 4, 1, 2 }, { 5, 3, 1, 5 } })
  for mode, wanted in pairs {
    multi_hot = { { 1, 1, 1, 1, 0, 0 }, { 1, 1, 1, 1, 0, 1 }, { 1, 0, 1, 0, 1, 0 } },
    count = { { 5, 2, 1, 1, 0, 0 }, { 1, 2, 1, 1, 0, 1 }, { 1, 0, 2, 0, 2, 0 } },
    tf_idf = { { 3.778491497, 1.386294365, 0.5596157908, 0.6931471825, 0, 0 },
      { 0.7556983232, 1.386294365, 0.5596157908, 0.6931471825, 0, 0.91629076 }, { 0.7556983232, 0, 1.1192315817, 0, 1.8325815201, 0 } },
  } do
    v = nn.TextVectorization { max_tokens = 6, output_mode = mode }:adapt(texts)
    expect.close(v(texts), wanted, 1e-6, mode)
  end
  v = nn.TextVectorization { ngrams = 2, standardize = "lower" }:adapt { "a b a", "b a" }
  expect.equal({ v:get_vocabulary(), v { "a b a" }:totable() }, { { "", "[UNK]", "a", "b a", "b", "a b" }, { { 2, 4, 2, 5, 3 } } })
  v = nn.TextVectorization { split = "character" }:adapt { "abca" }
  expect.equal({ v:get_vocabulary(), v { "cab d" }:totable() }, { { "", "[UNK]", "a", "c", "b" }, { { 3, 2, 4, 1, 1 } } })
  v = nn.TextVectorization { vocabulary = { "x", "y" }, split = function(s) return { s:sub(1, 1), s:sub(2) } end }
  expect.equal(v { "xy" }:totable(), { { 2, 3 } })
end)

expect.case("vocabularies in files", function()
  local path = expect.path ".txt"
  local v = nn.TextVectorization { output_mode = "tf_idf" }:adapt(texts)
  v:save_vocabulary(path)
  local file = assert(io.open(path, "rb"))
  expect.equal(file:read "a", table.concat(v:get_vocabulary(), "\n") .. "\n")
  file:close()
  expect.equal(nn.TextVectorization { vocabulary = path }(texts):totable(), nn.TextVectorization():adapt(texts)(texts):totable())
  local again = nn.TextVectorization { output_mode = "tf_idf", vocabulary = path, idf_weights = v:get_idf_weights() }
  expect.equal(again(texts):bytes(), v(texts):bytes())
  local lookup = nn.StringLookup { vocabulary = path }
  expect.equal(lookup { "fox", "cat" }:totable(), { 3, 1 })
  lookup:save_vocabulary(path)
  expect.equal(nn.StringLookup { vocabulary = path }:get_vocabulary(), v:get_vocabulary())
  -- As people write them: without the special tokens, with a byte order mark, with either line end.
  file = assert(io.open(path, "wb"))
  file:write "\xef\xbb\xbfred\r\ngreen\r\nblue"
  file:close()
  expect.equal(nn.StringLookup { vocabulary = path }:get_vocabulary(), { "", "[UNK]", "red", "green", "blue" })
  local function refused(code, words, f, ...) expect.raises(code, words, f, ...) end
  file = assert(io.open(path, "wb"))
  file:write "red\ngreen\n\nblue"
  file:close()
  refused("InvalidArgument", "line 3 of " .. path .. " is empty", nn.StringLookup, { vocabulary = path })
  os.remove(path)
  refused("NotFound", "StringLookup: vocabulary: " .. path, nn.StringLookup, { vocabulary = path })
  refused("FailedPrecondition", "/: ", nn.StringLookup, { vocabulary = "/" })
  refused("InvalidArgument", "has a line break", lookup.save_vocabulary, nn.StringLookup { vocabulary = { "a\nb" } }, path)
  refused("NotFound", "save_vocabulary: ", lookup.save_vocabulary, lookup, path .. "/none/x")
  refused("InvalidArgument", "needs idf_weights, or adapt", nn.TextVectorization, { output_mode = "tf_idf", vocabulary = { "a" } })
  refused("InvalidArgument", "idf_weights are 2 numbers, expected 1", nn.TextVectorization,
    { output_mode = "tf_idf", vocabulary = { "a" }, idf_weights = { 1, 2 } })
  refused("InvalidArgument", "idf_weights need a vocabulary", nn.TextVectorization, { idf_weights = { 1 } })
  refused("InvalidArgument", "it has no weights", again.get_idf_weights, nn.TextVectorization())
end)

expect.case("StringLookup, Hashing", function()
  local s = nn.StringLookup { vocabulary = { "a", "b", "c" } }
  expect.equal(s { { "a", "z" }, { "c", "" } }:totable(), { { 2, 1 }, { 4, 0 } })
  expect.equal({ s "b":item(), s:vocabulary_size() }, { 3, 5 })
  expect.equal(nn.StringLookup():adapt { "x", "y", "y", "z", "z" }:get_vocabulary(), { "", "[UNK]", "z", "y", "x" })
  local function by(mode) return nn.StringLookup { vocabulary = { "a", "b", "c" }, output_mode = mode } end
  expect.equal(by "one_hot" { "a", "z", "a" }:totable(), { { 0, 1, 0, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 } })
  expect.equal(by "multi_hot" { { "a", "z", "a" }, { "b", "c", "" } }:totable(), { { 1, 1, 0, 0 }, { 0, 0, 1, 1 } })
  expect.equal(by "count" { { "a", "z", "a" }, { "b", "c", "" } }:totable(), { { 1, 2, 0, 0 }, { 0, 0, 1, 1 } })
  local back = nn.StringLookup { vocabulary = { "a", "b" }, invert = true }
  expect.equal(back(lt.constant { { 2, 3 }, { 0, 1 } }), { { "a", "b" }, { "", "[UNK]" } })
  local hash, seen = nn.Hashing(10), {}
  for i = 1, 1000 do
    local id = hash("word " .. i):item()
    seen[id] = (seen[id] or 0) + 1
  end
  for id = 1, 10 do assert(seen[id] > 60 and seen[id] < 140, id) end
  expect.equal(hash { "a", "b" }:totable(), hash { "a", "b" }:totable())
  expect.equal(hash(lt.constant { 5, 7 }):totable(), hash { "5", "7" }:totable())
  assert(nn.Hashing(1000, { salt = 1 }) "a":item() ~= nn.Hashing(1000) "a":item())
end)

-- Keras' ids, and one more for each: they count from 1. Its vocabularies are the same.
expect.case("IntegerLookup", function()
  local v = nn.IntegerLookup():adapt { { 12, 1138, 42 }, { 42, 1000, 36 }, { 7, 7, 100 } }
  expect.equal(v:get_vocabulary(), { -1, 42, 7, 1138, 1000, 100, 36, 12 })
  expect.equal(v(lt.constant { { 12, 1138, 42 }, { 42, 1000, 36 }, { 5, 7, 100 } }):totable(), { { 8, 4, 2 }, { 2, 5, 7 }, { 1, 3, 6 } })
  v = nn.IntegerLookup { mask_token = 0 }:adapt(lt.constant { { 12, 1138, 0 }, { 42, 12, 36 } })
  expect.equal({ v:get_vocabulary(), v { 12, 0, 5 }:totable() }, { { 0, -1, 12, 1138, 42, 36 }, { 2, 0, 1 } })
  local function by(mode) return nn.IntegerLookup { vocabulary = { 12, 36 }, output_mode = mode } end
  expect.equal(by "one_hot" { 12, 36, 5 }:totable(), { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } })
  expect.equal(by "multi_hot" { { 12, 36 }, { 5, 5 } }:totable(), { { 0, 1, 1 }, { 1, 0, 0 } })
  expect.equal(nn.IntegerLookup { vocabulary = { 12, 36 }, invert = true }(lt.constant { { 2, 3, 1 } }):totable(), { { 12, 36, -1 } })
  expect.equal(nn.IntegerLookup { max_tokens = 4 }:adapt(data.Dataset.from_tensor_slices { 5, 5, 6, 6, 6, 7 }):get_vocabulary(), { -1, 6, 5 })
  expect.raises("InvalidArgument", "IntegerLookup: it is given float32, expected whole numbers", by "int", lt.constant { 1.5 })
  expect.raises("InvalidArgument", "IntegerLookup: unknown option 'vocab'", nn.IntegerLookup, { vocab = { 1 } })
  local model = nn.Sequential { nn.Input({ 3 }, { dtype = "int64" }), nn.IntegerLookup { vocabulary = { 12, 36 } }, nn.Embedding(3, 2) }
  expect.equal(model(lt.constant { { 12, 36, 5 } }).shape, { 1, 3, 2 })
  local path = expect.path ".safetensors"
  local learned = nn.IntegerLookup():adapt { 3, 3, 9 }
  model = nn.Sequential { nn.Input({ 1 }, { dtype = "int64" }), learned, nn.Embedding(4, 2) }
  model:save(path)
  expect.equal(nn.load_model(path).layers[1]:get_vocabulary(), { -1, 3, 9 })
  os.remove(path)
end)

expect.case("CategoryEncoding, Discretization", function()
  local ids = lt.constant { { 1, 2 }, { 1, 1 }, { 2, 3 }, { 4, 2 } }
  expect.equal(nn.CategoryEncoding(4)(ids):totable(), { { 1, 1, 0, 0 }, { 1, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, 1, 0, 1 } })
  local weights = lt.constant { { 0.1, 0.2 }, { 0.1, 0.1 }, { 0.2, 0.3 }, { 0.4, 0.2 } }
  expect.close(nn.CategoryEncoding(4, { output_mode = "count" })(ids, { count_weights = weights }),
    { { 0.1, 0.2, 0, 0 }, { 0.2, 0, 0, 0 }, { 0, 0.2, 0.3, 0 }, { 0, 0.2, 0, 0.4 } }, 1e-6)
  expect.equal(nn.CategoryEncoding(4, { output_mode = "one_hot" })(lt.constant { 4, 3, 1, 2 }):totable(),
    { { 0, 0, 0, 1 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 } })
  local x = lt.constant { { -1.5, 1.0, 3.4, 0.5 }, { 0.0, 3.0, 1.3, 0.0 } }
  local bins = nn.Discretization { bin_boundaries = { 0, 1, 2 } }
  expect.equal(bins(x):totable(), { { 1, 3, 4, 2 }, { 2, 4, 3, 2 } })
  local row = nn.Discretization { bin_boundaries = { 0, 1, 2 }, output_mode = "one_hot" }(lt.constant { { 1.0 } })
  expect.equal(row:totable(), { { { 0, 0, 1, 0 } } })
  local quartiles = nn.Discretization { num_bins = 4 }:adapt(lt.range(100):float32())
  local counts = lt.bincount(quartiles(lt.range(100):float32())):totable()
  expect.equal(counts, { 25, 25, 25, 25 })
  local model = nn.Sequential { nn.Input { 4 }, bins, nn.CategoryEncoding(4), nn.Dense(1) }
  expect.equal({ table.unpack(model(x).shape) }, { 2, 1 })
end)

expect.case("lines of texts, in batches, to a model", function()
  folder.write(folder.at "a.txt", "good film\r\nbad film\n\n")
  folder.write(folder.at "b.txt", "good good")
  local lines = {}
  for line in data.text_lines(folder.at "a.txt", folder.at "b.txt"):iterate() do lines[#lines + 1] = line end
  expect.equal(lines, { "good film", "bad film", "", "good good" })
  local ds = data.text_lines { folder.at "a.txt", folder.at "b.txt" }
  local v = nn.TextVectorization { output_sequence_length = 3 }:adapt(ds:batch(2))
  local rows = {}
  for ids in ds:filter(function(line) return line ~= "" end):shuffle(1):batch(2):map(function(list) return v(list) end):iterate() do
    rows[#rows + 1] = ids:totable()
  end
  expect.equal(rows, { { { 2, 3, 0 }, { 4, 3, 0 } }, { { 2, 2, 0 } } })
  expect.raises("NotFound", "text_lines: ", data.text_lines, folder.at "none.txt")
  expect.raises("InvalidArgument", "text_lines: no path is given", data.text_lines)
  expect.raises("FailedPrecondition", "Is a directory", data.text_lines, folder.path)
  folder.write(folder.at "empty.txt", "")
  for line in data.text_lines(folder.at "empty.txt"):iterate() do error(line) end
  local model = nn.Sequential { nn.Dense(1) }
  model:compile { loss = "mse" }
  expect.raises("InvalidArgument", "its input is strings, expected numbers", model.predict, model, ds:batch(2))
end)

expect.case("columns of a csv", function()
  folder.write(folder.at "t.csv", "height,width,sold\n1.5,2,1\n3,4,0\n5,,1\n")
  local ds = data.csv(folder.at "t.csv", { label = "sold", missing = -1 })
  expect.equal(ds:cardinality(), 3)
  local seen = {}
  for x, y in ds:batch(3):iterate() do seen = { x.height:totable(), x.width:totable(), y:totable(), x.sold } end
  expect.equal(seen, { { 1.5, 3, 5 }, { 2, 4, -1 }, { 1, 0, 1 } })
  for x in data.csv(folder.at "t.csv", { columns = { "height" } }):take(1):iterate() do
    expect.equal({ x.height:item(), x.width }, { 1.5 })
  end
  expect.raises("InvalidArgument", "has no column 'wdth' (did you mean 'width'?)", data.csv, folder.at "t.csv", { label = "wdth" })
  folder.write(folder.at "twice.csv", "a,a,b\n1,2,3\n")
  expect.raises("InvalidArgument", "twice.csv has more than one column 'a'", data.csv, folder.at "twice.csv")
  for x in data.csv(folder.at "twice.csv", { columns = { "b" } }):iterate() do expect.equal(x.b:item(), 3.0) end
  expect.raises("InvalidArgument", "no column is left beside the label", data.csv, folder.at "t.csv", { label = "sold", columns = { "sold" } })
end)

expect.case("images in folders of classes", function()
  os.execute(("mkdir -p '%s' '%s'"):format(folder.at "pictures/dogs", folder.at "pictures/cats"))
  for i = 1, 6 do
    lt.save(folder.at(("pictures/%s/%d.png"):format(i % 2 == 0 and "cats" or "dogs", i)), lt.fill({ 4, 6, i == 5 and 1 or 3 }, i * 10):cast "uint8")
  end
  folder.write(folder.at "pictures/cats/notes.txt", "no picture")
  local ds, names = data.image_folder(folder.at "pictures", { image_size = { 2, 3 }, shuffle = false, batch_size = 4 })
  expect.equal(names, { "cats", "dogs" })
  local seen = {}
  for x, y in ds:iterate() do seen[#seen + 1] = { { table.unpack(x.shape) }, y:totable(), x[{ {}, 1, 1, 1 }]:totable() } end
  expect.equal(seen, { { { 4, 2, 3, 3 }, { 1, 1, 1, 2 }, { 20, 40, 60, 10 } }, { { 2, 2, 3, 3 }, { 2, 2 }, { 30, 50 } } })
  local function labels(options)
    local list = {}
    options.image_size, options.batch_size = { 2, 2 }, false
    for x, y in data.image_folder(folder.at "pictures", options):iterate() do list[#list + 1] = { x[{ 1, 1, 1 }]:item(), y and y:totable() } end
    table.sort(list, function(a, b) return a[1] < b[1] end)
    return list
  end
  expect.equal(labels { label_mode = "categorical" }[1], { 10, { 0, 1 } })
  expect.equal(labels { label_mode = "binary" }[2], { 20, { 0 } })
  expect.equal(labels { label_mode = false }[1], { 10 })
  local train, held = labels { validation_split = 0.34, subset = "training", seed = 3 }, labels { validation_split = 0.34, subset = "validation", seed = 3 }
  expect.equal(#train + #held, 6)
  -- Keras takes int(6 * 0.34) = 2, and int(6 * 0.2) = 1.
  expect.equal({ #held, #labels { validation_split = 0.2, subset = "validation" }, #labels { validation_split = 0.2, subset = "training" } },
    { 2, 1, 5 })
  for _, a in ipairs(train) do for _, b in ipairs(held) do assert(a[1] ~= b[1], "shared") end end
  for x in data.image_folder(folder.at "pictures", { color_mode = "grayscale", batch_size = 6, image_size = { 2, 2 } }):iterate() do
    expect.equal({ table.unpack(x.shape) }, { 6, 2, 2, 1 })
  end
  expect.raises("NotFound", "image_folder: ", data.image_folder, folder.at "nowhere")
  expect.raises("NotFound", "has no png files in folders of classes", data.image_folder, folder.at "pictures/cats")
  expect.raises("InvalidArgument", "go together", data.image_folder, folder.at "pictures", { validation_split = 0.5 })
end)

expect.case("what is refused", function()
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("StringLookup: vocabulary has \"a\" twice", nn.StringLookup, { vocabulary = { "a", "a" } })
  refused("StringLookup: vocabulary[2] is 3, expected a string", nn.StringLookup, { vocabulary = { "a", 3 } })
  refused("StringLookup: invert needs a vocabulary", nn.StringLookup, { invert = true })
  refused("StringLookup: it is given 3, expected a string or a table of strings", nn.StringLookup(), 3)
  refused("TextVectorization: standardize is \"upper\", which is not known", nn.TextVectorization, { standardize = "upper" })
  refused("TextVectorization: text 2 is 5, expected a string", nn.TextVectorization(), { "a", 5 })
  refused("output_sequence_length is 1099511627776, expected at most", nn.TextVectorization, { output_sequence_length = 1 << 40 })
  refused("max_tokens is 2, expected a whole number, 3 or more", nn.TextVectorization, { max_tokens = 2 })
  refused("vocabulary has 3 tokens, and max_tokens leaves room for 2", nn.TextVectorization, { max_tokens = 4, vocabulary = { "a", "b", "c" } })
  refused("Hashing: num_bins is nil", nn.Hashing)
  refused("Hashing: it is given float32", nn.Hashing(3), lt.ones { 2 })
  refused("Discretization: expected bin_boundaries, or num_bins", nn.Discretization, {})
  refused("bin_boundaries[2] is less than the one before", nn.Discretization, { bin_boundaries = { 2, 1 } })
  refused("call adapt(data) first", nn.Discretization { num_bins = 3 }, lt.ones { 2, 2 })
  refused("CategoryEncoding: output_mode is \"int\"", nn.CategoryEncoding, 3, { output_mode = "int" })
end)

folder.remove()
expect.end_of_cases()
