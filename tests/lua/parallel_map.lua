-- map with num_parallel_calls: the same elements in the same order as without it, computed by other interpreters; what is
-- sent there and what is not; errors; iterations that are left early.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local Dataset = lt.data.Dataset

local function all(dataset)
  local list = {}
  for x, y in dataset:iterate() do
    local function plain(value)
      if type(value) == "userdata" then return value:totable() end
      if type(value) ~= "table" then return value end
      local out = {}
      for key, entry in pairs(value) do out[key] = plain(entry) end
      return out
    end
    list[#list + 1] = y == nil and plain(x) or { plain(x), plain(y) }
  end
  return list
end
local function both(dataset, f, what)
  local wanted = all(dataset:map(f))
  for _, n in ipairs { 1, 3, lt.data.AUTOTUNE } do
    expect.equal(all(dataset:map(f, { num_parallel_calls = n })), wanted, (what or "map") .. " by " .. n)
  end
  return wanted
end

expect.case("elements and their order", function()
  local ten = Dataset.range(40)
  both(ten, function(x) return x * 2 end)
  -- Later elements are faster.
  both(ten, function(x)
    local sum = 0
    for i = 1, (40 - x:item()) * 2000 do sum = sum + i % 7 end
    return sum + x
  end, "unequal work")
  both(Dataset.from_tensor_slices({ { 1.5, 2 }, { 3, 4 } }, { 1, 2 }), function(x, y) return { a = x + 1, b = { y, x } }, y end, "structures")
  both(Dataset.from_tensor_slices { a = { 1, 2, 3 }, b = { 1.5, 2.5, 3.5 } }, function(row) return row.a * row.b end, "by name")
  both(Dataset.range(0), function(x) return x end, "nothing")
  for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int64", "float16", "bfloat16", "float64" } do
    local x = lt.constant({ 1, 0, 1 }):cast(dtype)
    for y in Dataset.from_tensor_slices(x):map(function(v) return v end, { num_parallel_calls = 2 }):batch(3):iterate() do
      expect.equal({ y.dtype, y:bytes() }, { dtype, x:bytes() })
    end
  end
  local path = expect.path ".txt"
  local file = assert(io.open(path, "w"))
  file:write("one\ntwo words\n")
  file:close()
  expect.equal(both(lt.data.text_lines(path), function(line) return #line end, "texts"), { 3, 9 })
  os.remove(path)
end)

expect.case("what the function uses is sent with it", function()
  local scale, bias = 3, lt.constant { 1.0, 2.0 }
  local settings = { power = 2, names = { "a", "b" } }
  settings.self = settings
  local function twice(x) return x * 2 end
  local function count_down(n) return n <= 0 and 0 or 1 + count_down(n - 1) end
  local resize, floor, format = lt.image.resize, math.floor, string.format
  local x = Dataset.range(5)
  both(x, function(v) return twice(v) * scale + bias end, "numbers, tensors, functions")
  both(x, function(v) return count_down(3) + v end, "a recursive function")
  both(x, function(v) return v ^ settings.self.power + #settings.names end, "tables")
  both(x, function(v) return resize(lt.ones { 2, 2, 1 } * v, { 3, 3 }) end, "Lutra's functions")
  both(x, function(v) return floor(2.5) + #format("%d", v:item()) + v + math.pi end, "Lua's functions")
  both(x, lt.neg, "an operation")
  local words = lt.nn.TextVectorization { output_sequence_length = 3 }:adapt { "the fox", "the dog" }
  local lookup = lt.nn.StringLookup { vocabulary = { "0", "1", "2" } }
  both(x, function(v) return words("the fox " .. v:item()) + lookup(tostring(v:item())) end, "layers of texts")
  local shape = lt.ones({ 2, 3 }).shape
  both(x, function(v) return lt.fill(shape, 1) * v end, "a shape")
  -- Two functions that share a variable.
  local shared = 1
  local function set(v) shared = v end
  both(x, function(v)
    set(v:item() + 10)
    return shared * 1.0
  end, "a shared variable")
end)

expect.case("random numbers depend on the element, not on the worker", function()
  local function noise(n)
    lt.random.set_seed(7)
    return all(Dataset.range(20):map(function(x) return lt.random.normal { 2 } + x + math.random() end, { num_parallel_calls = n }))
  end
  local one = noise(1)
  expect.equal(noise(1), one)
  expect.equal(noise(4), one)
  assert(one[1][1] ~= one[2][1] - 1)
end)

expect.case("what cannot be sent", function()
  local x = Dataset.range(3)
  local function refused(words, f) expect.raises("InvalidArgument", words, all, x:map(f, { num_parallel_calls = 2 })) end
  local v, layer, thread, file = lt.Variable { 1.0 }, lt.nn.Dense(2), coroutine.create(print), io.stdout
  refused("'v', which the function uses, is", function(y) return v * y end)
  refused("write v:value() for its value now", function(y) return v * y end)
  refused("'layer', which the function uses, is", function(y) return layer(y) end)
  refused("'thread', which the function uses, is a coroutine, which cannot be sent", function(y) return thread and y end)
  refused("'file', which the function uses,", function(y) return file and y end)
  local outer = function(y) return layer(y) end
  refused("'layer', which 'outer', which the function uses, uses,", function(y) return outer(y) end)
  expect.raises("InvalidArgument", "map: num_parallel_calls is 0, expected 1 or more", x.map, x, print, { num_parallel_calls = 0 })
  expect.raises("InvalidArgument", "map: num_parallel_calls is 1.5, expected a whole number", x.map, x, print, { num_parallel_calls = 1.5 })
end)

expect.case("errors", function()
  local x = Dataset.range(10)
  local function parallel(f) return x:map(f, { num_parallel_calls = 3 }) end
  local err = expect.raises("InvalidArgument", "matmul: ", all, parallel(function(v) return lt.ones { 2, 2 }:matmul(lt.ones { 3, 3 }) + v end))
  assert(err.message:find("parallel_map.lua:%d+"), err.message)
  local ok, problem = pcall(all, parallel(function(v) if v:item() == 4 then error("mine", 0) end return v end))
  expect.equal({ ok, problem }, { false, "mine" })
  expect.raises("InvalidArgument", "map: the function gives nothing", all, parallel(function() end))
  expect.raises("InvalidArgument", "map: an element has a function", all, parallel(function() return print end))
  -- The elements before come first.
  local seen = {}
  pcall(function()
    for v in parallel(function(v) return 1 // (3 - v:item()) end):iterate() do seen[#seen + 1] = v:item() end
  end)
  expect.equal(seen, { 0, 0, 1 })
  -- The program's globals are not there.
  mine = function(v) return v end
  ok, problem = pcall(all, parallel(function(v) return mine(v) end))
  mine = nil
  assert(not ok and tostring(problem):find("mine", 1, true), problem)
end)

expect.case("left early, with functions that never end", function()
  local slow = Dataset.range(100):map(function(v)
    if v:item() > 2 then while true do end end
    return v
  end, { num_parallel_calls = 3 })
  for v in slow:iterate() do
    if v:item() == 1 then break end
  end
  collectgarbage()
  collectgarbage()
  for _ = 1, 20 do
    for v in Dataset.range(5):map(function(w) return w end, { num_parallel_calls = 2 }):iterate() do
      if v:item() == 2 then break end
    end
  end
end)

expect.case("training on such a dataset", function()
  local x = lt.range(32):float32():reshape { 32, 1 } / 32
  local function weights(n)
    lt.random.set_seed(3)
    local model = lt.nn.Sequential { lt.nn.Input { 1 }, lt.nn.Dense(1) }
    model:compile { optimizer = "sgd", loss = "mse" }
    local rows = Dataset.from_tensor_slices(x, 2 * x):map(function(a, b) return a * 2, b + 1 end, n and { num_parallel_calls = n } or nil)
    model:fit(rows:batch(8):prefetch(2), { epochs = 2, verbose = 0 })
    return model:get_weights()[1]:bytes()
  end
  local wanted = weights(nil)
  expect.equal(weights(2), wanted)
end)

expect.end_of_cases()
