-- Model files that are refused because they are damaged or of another model, and that a file is replaced whole or not
-- at all.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local checkpoints = dofile("tests/support/checkpoints.lua")
local folder, path, bits = checkpoints.folder, checkpoints.path, checkpoints.bits
local at, read, write, rows, trained = folder.at, folder.read, folder.write, checkpoints.rows, checkpoints.trained
local nn = lt.nn

lt.config.set_simulated_gpus(1)

expect.case("another model's file names the first weight that differs", function()
  local model = nn.Sequential({ nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1), name = "mine" })
  model:save(path)
  local before = bits(model)
  for words, other in pairs {
    ["the weight 'layers.1.kernel' is float32 (4, 3) in the file and float32 (5, 3) in the model 'other'"] = { nn.Dense(3, { input_shape = { 5 } }), nn.Dense(1) },
    ["the weight 'layers.2.kernel' is float32 (3, 1) in the file and float32 (3, 2) in the model 'other'"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(2) },
    ["it has no weight 'layers.3.kernel', which is float32 (1, 1) in the model 'other'"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1), nn.Dense(1) },
    ["it has a weight 'layers.2.bias', float32 (1,), which the model 'other' does not have"] = { nn.Dense(3, { input_shape = { 4 } }), nn.Dense(1, { use_bias = false }) },
  } do
    other.name = "other"
    local made = nn.Sequential(other)
    local was = bits(made)
    for _, method in ipairs { "load", "load_weights" } do
      local err = expect.raises("InvalidArgument", words, made[method], made, path)
      assert(err.message:find(path, 1, true), "the error names the file")
      expect.equal(bits(made), was, "nothing was taken")
    end
  end
  model:compile { optimizer = "adam", loss = "mse" }
  model:fit(rows { 5, 4 }, lt.zeros { 5, 1 }, { verbose = 0 })
  model:save(path)
  before = bits(model)
  model:compile { optimizer = "sgd", loss = "mse" }
  expect.raises("InvalidArgument", "its optimizer is Adam, and the model 'mine' is compiled with SGD", model.load, model, path)
  model:load_weights(path)
  expect.equal(bits(model), before)
end)

expect.case("damaged files, and files of others", function()
  local model = trained("adam", 1)
  model:save(path)
  local whole, before = read(path), bits(model)
  for cut = 0, #whole - 1, 97 do
    write(at "cut.safetensors", whole:sub(1, cut))
    expect.raises("InvalidArgument", "cut.safetensors", nn.load_model, at "cut.safetensors")
    expect.raises("InvalidArgument", "cut.safetensors", model.load, model, at "cut.safetensors")
  end
  expect.equal(bits(model), before, "the model is as it was")
  -- The description changed in one place, of the same length: an Error of ours or a model, never anything else.
  local first, last = whole:find('"lutra.model":".-[^\\]"')
  for place = first + 16, last - 2, 11 do
    for _, c in ipairs { "0", "[", "x" } do
      write(at "changed.safetensors", whole:sub(1, place - 1) .. c .. whole:sub(place + 1))
      local ok, err = pcall(nn.load_model, at "changed.safetensors")
      assert(ok or lt.iserror(err), ("byte %d: a plain error: %s"):format(place, tostring(err)))
    end
  end
  lt.save(at "tensors.safetensors", { a = lt.ones { 2 } })
  expect.raises("InvalidArgument", "holds tensors and no model; load_weights reads them", nn.load_model, at "tensors.safetensors")
  model:save_weights(at "weights.safetensors")
  expect.raises("InvalidArgument", "it holds weights alone", nn.load_model, at "weights.safetensors")
  lt.save(at "later.safetensors", { a = lt.ones { 2 } }, { metadata = { ["lutra.model"] = '{"format":2}' } })
  expect.raises("InvalidArgument", "its format is 2, and this version of Lutra reads up to 1", nn.load_model, at "later.safetensors")
  expect.raises("InvalidArgument", "expected one that ends in .safetensors", model.save, model, at "model.h5")
  expect.raises("NotFound", "there.safetensors", nn.load_model, at "not/there.safetensors")
end)

expect.case("a description that says something else", function()
  -- Each value is replaced by others, one at a time: reading gives a model or raises one of Lutra's errors.
  local model, fit = trained("adam", 1)
  model:save(path)
  local graph = checkpoints.models()[6][2]
  graph:compile { optimizer = lt.optim.SGD { momentum = 0.5 }, loss = { "mse", "mae" } }
  graph:save(at "graph.safetensors")
  for _, name in ipairs { path, at "graph.safetensors" } do
    local tensors, metadata = lt.load(name)
    local text = metadata["lutra.model"]
    local tried, read_well = 0, 0
    for place in text:gmatch "[%[:,]()" do
      local value = text:match("^%b{}", place) or text:match("^%b[]", place) or text:match('^"[^"]*"', place) or text:match("^[%w%.%-+]+", place)
      for _, other in ipairs { "3", "-1", "0.5", '"x"', "[]", "{}", "null", "true", '[[1]]', '{"@":"layer"}' } do
        if value and value ~= other and (tried % 3 == 0 or #value < 8) then
          lt.save(at "other.safetensors", tensors, { metadata = { ["lutra.model"] = text:sub(1, place - 1) .. other .. text:sub(place + #value) } })
          local ok, err = pcall(function()
            local loaded = nn.load_model(at "other.safetensors", { resume = true })
            read_well = read_well + 1
            if name == path then fit(loaded, 2) end
          end)
          if not ok and not lt.iserror(err) then
            error(("%s in place of %s at %d of %s: a plain error: %s"):format(other, value:sub(1, 40), place, text:sub(place - 30, place + 30), tostring(err)))
          end
        end
        tried = tried + 1
      end
    end
    assert(tried > 500 and read_well > 0, ("%d tried, %d of them read"):format(tried, read_well))
  end
end)

expect.case("weights that a file does not have take no memory", function()
  local model = nn.Sequential { nn.GRU(3, { input_shape = { 2, 4 } }), nn.Dense(2), name = "small" }
  model:save(path)
  local late = nn.Sequential { nn.Dense(3), nn.Dense(3) }
  late(lt.ones { 2, 3 })
  late:save(at "late.safetensors")
  local huge = expect.path ".safetensors"
  local function refused(from, pattern, by, words)
    local tensors, metadata = lt.load(from)
    local text, count = metadata["lutra.model"]:gsub(pattern, by, 1)
    expect.equal(count, 1, pattern)
    lt.save(huge, tensors, { metadata = { ["lutra.model"] = text } })
    lt.config.reset_memory_stats "GPU:0"
    lt.config.reset_memory_stats "CPU:0"
    local before = lt.config.get_memory_info("CPU:0").peak + lt.config.get_memory_info("GPU:0").peak
    local err = expect.raises("InvalidArgument", words, nn.load_model, huge)
    assert(err.message:find("load_model: " .. huge, 1, true), "the error names the file: " .. err.message)
    local taken = lt.config.get_memory_info("CPU:0").peak + lt.config.get_memory_info("GPU:0").peak - before
    assert(taken < 1 << 20, taken .. " bytes were taken")
  end
  refused(path, '"arguments":%[3', '"arguments":[50000000',
    "has a weight 'kernel' of shape (4, 150000000), and the file has no tensor of that shape")
  refused(path, '"arguments":%[2', '"arguments":[50000000', "has a weight 'kernel' of shape (3, 50000000), and the file has no tensor")
  refused(at "late.safetensors", '"input_shape":%[3%]', '"input_shape":[500000000]',
    "has a weight 'kernel' of shape (500000000, 3), and the file has no tensor of that shape")
  -- Each of the file's weights is for one of the model's.
  refused(at "late.safetensors", '("layers":%[)(%b{})', "%1%2,%2", "has a weight 'kernel' of shape (3, 3), and the file has no further tensor")
  os.remove(huge)
end)

expect.case("a full disk leaves the old file", function()
  local model = nn.Sequential { nn.Dense(200, { input_shape = { 200 } }) }
  model:save(path)
  local before, names = read(path), folder.list()
  local script = ([[
    local lt = require "lutra"
    local model = lt.nn.Sequential { lt.nn.Dense(200, { input_shape = { 200 } }) }
    local ok, err = pcall(model.save, model, %q)
    print(ok, err.code, err.message)
  ]]):format(path)
  -- 64 blocks of 1024 or 512 bytes; the weights take 160,000.
  local text = expect.program(script, "", "ulimit -f 64;")
  assert(text:find("^false\tResourceExhausted\t") and text:find("cannot be written", 1, true), text)
  assert(read(path) == before, "the old file is gone")
  expect.equal(folder.list(), names, "what lies in the folder")
  expect.raises("InvalidArgument", "is no regular file", function()
    os.execute(("ln -s /dev/full '%s'"):format(at "full.safetensors"))
    model:save(at "full.safetensors")
  end)
end)

folder.remove()
expect.end_of_cases()
