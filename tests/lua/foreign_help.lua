-- lutra.help of other libraries' names: what it writes exists, the docs' tables are known to it, and it never guesses.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local foreign = dofile("lua/lutra/foreign_names.lua")
package.path = "tests/support/?.lua;" .. package.path
local golden = require "run.golden"

-- The value at a path of lutra, or nil.
local function at(path)
  local value = lt
  for part in path:gmatch("[^%.]+") do
    local ok, found = pcall(function() return value[part] end)
    if not ok then return nil end
    value = found
  end
  return value
end

local function is_unknown(name)
  local ok, raised = pcall(lt.help, name)
  return not ok and lt.iserror(raised, "NotFound")
end

-- What the names in the table's calls stand for.
local arguments = { lutra = lt, x = lt.ones { 2, 2 }, rate = 0.1, steps = 10, decay = 0.5, units = 2, size = 2, n = 2,
  bytes = ("\0"):rep(4), dtype = "uint8", shape = { 4 }, ord = 1, f = function() end }

expect.case("what the table writes exists, and each name has its answer", function()
  local count = 0
  for name, words in pairs(foreign.words) do
    count = count + 1
    for path in words:gmatch("lutra%.([%a_][%w_%.]*)") do
      assert(at((path:gsub("%.$", ""))) ~= nil, ("%s: there is no lutra.%s"):format(name, path))
    end
    assert(lt.help(name):find(": write " .. words, 1, true), name)
    -- What is a call runs.
    local call = words:match("^lutra%.[%w_.]+%b()") or words:match("^lutra%.[%w_.]+%b{}")
    local run = call and not call:find("^lutra%.save") and load("return " .. call, "=words", "t", arguments)
    if run then
      local ok, raised = pcall(run)
      raised = tostring(raised)
      assert(ok or not (raised:find("expected a table of options", 1, true) or raised:find("is missing", 1, true)),
        name .. ": " .. raised)
    end
  end
  assert(count > 200, count)
  count = 0
  for library, list in pairs(foreign.same) do
    local seen = {}
    for word in list:gmatch("%S+") do
      count = count + 1
      local theirs, ours = word:match("^([^=]+)=?(.*)$")
      local name = library .. "." .. theirs
      assert(not seen[theirs], name .. " is listed twice")
      seen[theirs] = true
      assert(not foreign.words[name], name .. " is in words and in same")
      assert(not is_unknown(name), name)
      local own = ours ~= "" and ours or theirs:match("[^%.]+$")
      assert(at(own) ~= nil or at(theirs) ~= nil, name .. ": there is no lutra." .. own)
      assert(not lt.help(name):find(": write ", 1, true), name)
    end
  end
  assert(count > 600, count)
end)

expect.case("names that another library uses for something else", function()
  for name, ours in pairs {
    ["torch.Tensor"] = "lutra.constant(value)", ["torch.tensor"] = "lutra.constant(value)", ["tf.cond"] = "if ... then",
    ["scipy.stats.norm"] = "lutra.distributions.Normal(", ["np.identity"] = "lutra.eye(n)", ["np.copy"] = "x itself",
    ["np.select"] = "lutra.where(", ["nn.Linear"] = "lutra.nn.Dense(units)", ["torch.nn.Linear"] = "lutra.nn.Dense(units)",
    ["torch.normal"] = "lutra.random.normal(shape", ["torch.take"] = "lutra.gather(lutra.flatten(x), indices)",
    ["torch.Tensor.size"] = "x.shape", ["tf.compat.v1.keras.layers"] = "lutra.nn",
    ["torch.transpose"] = "lutra.swapaxes(x, a, b)", ["tf.sparse.sparse_dense_matmul"] = "lutra.sparse.matmul(",
    ["nn.SpatialConvolution"] = "lutra.nn.Conv2D(", ["nn.CAddTable"] = "lutra.nn.Add()", ["tf.keras.layers"] = "lutra.nn",
  } do
    local text = lt.help(name)
    assert(text:find(": write " .. ours, 1, true), name .. ": " .. text)
  end
  for _, name in ipairs { "CrossEntropyLoss", "SpatialConvolution", "MSELoss" } do
    assert(lt.help(name):find("write lutra.nn", 1, true), name)
  end
  for name, ours in pairs {
    ["tf.signal.stft"] = "lutra.stft(", ["scipy.signal.stft"] = "lutra.stft(", ["torch.distributions.Bernoulli"] = "lutra.distributions.Bernoulli(",
    ["tf.nn.conv1d"] = "lutra.conv1d(", ["tf.nn.conv3d"] = "lutra.conv3d(", ["tf.linalg.diag"] = "lutra.diag_embed(",
    ["np.linalg.norm"] = "lutra.norm(", ["F.relu"] = "lutra.relu(", ["nn.conv2d"] = "lutra.conv2d(", ["linalg.svd"] = "lutra.svd(",
    ["tf.reduce_sum"] = "lutra.sum(", ["sklearn.metrics.confusion_matrix"] = "lutra.confusion_matrix(",
  } do
    local text = lt.help(name)
    assert(text:sub(1, #ours) == ours, name .. ": " .. text)
  end
end)

expect.case("Keras' names of layers, with and without tf", function()
  for theirs, ours in pairs {
    BatchNormalization = "BatchNorm", LayerNormalization = "LayerNorm", GroupNormalization = "GroupNorm", MaxPooling1D = "MaxPool1D",
    MaxPooling2D = "MaxPool2D", MaxPooling3D = "MaxPool3D", AveragePooling1D = "AvgPool1D", AveragePooling3D = "AvgPool3D",
    GlobalAveragePooling1D = "GlobalAvgPool1D", GlobalAveragePooling2D = "GlobalAvgPool2D", GlobalAveragePooling3D = "GlobalAvgPool3D",
    GlobalMaxPooling1D = "GlobalMaxPool1D", GlobalMaxPooling2D = "GlobalMaxPool2D", GlobalMaxPooling3D = "GlobalMaxPool3D", Dense = "Dense",
  } do
    for _, prefix in ipairs { "keras.layers.", "tf.keras.layers." } do
      local text = lt.help(prefix .. theirs)
      assert(text:find("lutra.nn." .. ours, 1, true), prefix .. theirs .. ": " .. text)
    end
  end
end)

expect.case("a name that is in no table and no source is unknown", function()
  for _, name in ipairs {
    "tf.strings.split", "tf.ragged.constant", "torch.Size", "tf.random.cauchy", "np.foo", "torch.ops.aten.sum", "np.add.outer",
    "keras.layers.Foo", "keras.ops.foo", "torch.nn.functional.foo", "scipy.optimize.minimize", "torch.distributed.all_reduce",
    "np.linalg.cauchy", "tf.linalg.sum", "torch.identity", "np.one_hot", "scipy.stats.log", "foo.matmul", "sklearn.norm",
  } do
    assert(is_unknown(name), name .. ": " .. tostring(select(2, pcall(lt.help, name))))
  end
end)

expect.case("every name in the tables of docs/coming-from-*.md", function()
  local unknown, count = {}, 0
  for path in assert(io.popen("ls docs/coming-from-*.md")):lines() do
    for _, line in ipairs(golden.lines(golden.read(path))) do
      local theirs = line:match("^| (.-) |")
      for code in (theirs or ""):gmatch("`([^`]+)`") do
        for name in code:gsub('"[^"]*"', ""):gmatch("%f[%w_.:][%a_][%w_]*%.[%a][%w_%.]*") do
          local library = name:match("^[^.]+")
          if foreign.same[library] or library == "F" or library == "nn" or library == "optim" then
            count = count + 1
            if is_unknown((name:gsub("%.$", ""))) then unknown[#unknown + 1] = path .. ": " .. name end
          end
        end
      end
    end
  end
  assert(count > 250, count)
  assert(#unknown == 0, table.concat(unknown, "\n"))
end)
