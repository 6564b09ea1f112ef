-- Words on a variable that sound as if they changed it, where with one argument, masks in recorded functions, and mistakes
-- that are answered with what to write.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

expect.case("a method that leaves its variable as it is says so, once for each line", function()
  local text, ok = expect.program([[
    local v = lt.Variable({1.0, 2.0}, {name = "w"})
    for _ = 1, 3 do
      v:scatter_add({1}, {5.0})
    end
    print(v:masked_fill(v:gt(1), 0):totable()[2], v:totable()[1])
    lt.scatter_add(v, {1}, {5.0})
    v:assign(lt.scatter_add(v, {1}, {5.0}))
    v[lt.constant {2}] = 9
    print(v:totable()[1], v:totable()[2])
    lt.constant({1.0}):scatter_add({1}, {5.0})
  ]])
  assert(ok, text)
  local _, count = text:gsub("gives a new tensor and leaves the variable v as it is", "")
  expect.equal(count, 2)
  assert(text:find("WARNING: ", 1, true) and text:find(":3: v:scatter_add(...) gives a new tensor", 1, true), text)
  assert(text:find("v:assign(lutra.scatter_add(v, ...)) changes it", 1, true), text)
  assert(text:find("0.0\t1.0", 1, true) and text:find("6.0\t9.0", 1, true), text)
end)

expect.case("where with one argument gives positions, as nonzero does", function()
  local x = lt.constant { { 0, 5 }, { 6, 0 } }
  expect.equal(lt.where(x:gt(0)):totable(), { { 1, 2 }, { 2, 1 } })
  expect.equal(x:where():totable(), lt.nonzero(x):totable())
  expect.equal(lt.where({ true, false }, 1, 2):totable(), { 1, 2 })
  expect.raises("InvalidArgument", "where: 2 arguments given, expected where(cond, x, y)", lt.where, { true }, 1)
  expect.raises("InvalidArgument", "where: 0 arguments given", lt.where)
end)

expect.case("index tensors in recorded functions; those with masks run eagerly", function()
  local rows = lt.constant { 3, 1 }
  local g = lt.graph(function(x) return x[{ rows, {}, rows }] * 2 end)
  for i = 1, 3 do
    local x = lt.range(27):reshape { 3, 3, 3 } + i
    expect.equal(g(x):totable(), (x[{ rows, {}, rows }] * 2):totable())
  end
  local v = lt.Variable(lt.zeros { 3, 2 })
  local write = lt.graph(function(i, y) v[i] = y end)
  for i = 1, 3 do
    write(lt.constant { i }, lt.fill({ 1, 2 }, i))
    expect.equal(v[i]:totable(), { i + 0.0, i + 0.0 })
  end
  local masked = lt.graph(function(x) return x[{ {}, x[1]:gt(0) }] end)
  expect.equal(masked(lt.constant { { 1.0, -1.0 }, { 2.0, 3.0 } }):totable(), { { 1.0 }, { 2.0 } })
  expect.equal(masked(lt.constant { { -1.0, 1.0 }, { 2.0, 3.0 } }):totable(), { { 1.0 }, { 3.0 } })
end)

-- What tests/unit/eager/compose_test.cpp does with ops whose inputs are alike.
local function run_composed()
  lt.debugging.set_kernel_fallback("error")
  local rows, nd, wide = lt.constant { 3, 1 }, lt.constant { { 3, 1 }, { 1, 2 } }, lt.constant { { 2, 1 }, { 1, 2 }, { 2, 2 } }
  local mask, lengths = lt.constant { true, false, true, true }, lt.constant { 1, 3 }
  for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64" } do
    local x = lt.cast(lt.range(12), dtype):reshape { 3, 4 }
    local part, one, flat = x[{ {}, { 1, 2 } }], x[{ 1, 2 }], x[{ 1, { 1, 3 } }]
    local two, values, three = lt.cast({ 5, 6 }, dtype), lt.cast({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, dtype), lt.cast({ 1, 2, 3 }, dtype)
    local calls = {
      function() return x[{ rows, {}, lt.newaxis }] end, function() return x[{ {}, rows }] end, function() return x[{ rows, rows }] end,
      function() return x[{ {}, lt.newaxis, wide }] end, function() return x:index_put({ {}, rows }, one) end,
      function() return x:index_put({ rows }, values, { accumulate = true }) end,
      function() return lt.scatter_nd(nd, two, { 3, 4 }) end, function() return x:scatter(wide, part, 2) end,
      function() return x:index_add(rows, values) end, function() return x:index_add(rows, part, 2) end,
      function() return x:masked_fill(mask, one) end, function() return lt.tensor_scatter_nd_max(x, nd, two) end,
      function() return lt.unsorted_segment_sum(x, three:cast("int32"), 3) end,
      function() return lt.unsorted_segment_mean(x, three:cast("int32"), 3) end,
      function() return lt.unsorted_segment_max(x, three:cast("int32"), 3) end, function() return lt.sequence_mask(lengths, 4) end,
      function() return lt.cross(three, flat) end, function() return lt.cdist(part, x[{ {}, { 3, 4 } }]) end,
      function() return (x:histogram(3)) end,
    }
    for i, call in ipairs(calls) do
      lt.synchronize()
      lt.debugging.reset_copies()
      local y = call()
      assert(y.device:find("GPU:0", 1, true), dtype .. " " .. i)
      local copies = 0
      for _ in pairs(lt.debugging.copies()) do copies = copies + 1 end
      expect.equal(copies, 0, dtype .. " " .. i)
    end
  end
  lt.debugging.set_kernel_fallback("allow")
end
expect.case("composed ops with indices run on a GPU, and copy nothing", function()
  lt.config.reset()
  lt.config.set_simulated_gpus(1)
  run_composed()
  lt.config.reset()
end)

local function assign_mirrored()
  local strategy = lt.distribute.MirroredStrategy()
  local v
  strategy:scope(function() v = lt.Variable(lt.zeros { 4 }, { aggregation = "mean" }) end)
  v[lt.constant { 4, 1 }] = { 1, 2 }
  for _, component in ipairs(strategy:experimental_local_results(v)) do expect.equal(component:totable(), { 2.0, 0.0, 0.0, 1.0 }) end
end
expect.case("on replicas each component is assigned", function()
  lt.config.reset()
  lt.config.set_simulated_gpus(2)
  assign_mirrored()
  lt.config.reset()
end)

expect.case("an empty list of devices means the CPU", function()
  local text, ok = expect.program([[
    local strategy = lt.distribute.MirroredStrategy(lt.config.list_logical_devices("GPU"))
    print(strategy.num_replicas_in_sync, tostring(strategy))
  ]])
  assert(ok and text:find("1\t<lutra.distribute.MirroredStrategy CPU:0>", 1, true), text)
end)

expect.case("mistakes with models and tapes say what to write", function()
  local nn = lt.nn
  local input = nn.Input { 3 }
  local output = nn.Dense(1)(input)
  expect.raises("InvalidArgument", "Model: inputs and outputs are given in a table: write nn.Model {inputs = x, outputs = y}",
    nn.Model, input, output)
  local model = nn.Model { inputs = input, outputs = output }
  model:compile { loss = "mse", optimizer = "sgd" }
  expect.raises("InvalidArgument", "fit: x, y and options are in one table: write model:fit(x, y, {epochs = 1})", function()
    model:fit { x = lt.zeros { 2, 3 }, y = lt.zeros { 2, 1 }, epochs = 1 }
  end)
  expect.raises("InvalidArgument", "a method is called with a colon: model:trainable_variables()", function()
    local tape <close> = lt.GradientTape()
    local loss = model(lt.zeros { 2, 3 }):sum()
    return tape:gradient(loss, model.trainable_variables)
  end)
  expect.raises("InvalidArgument", "write random.normal{3, 0, 1} for a tensor of that shape, or random.normal({3}, {mean = 0, stddev = 1})",
    lt.random.normal, 3, 0, 1)
end)

local function copy_large()
  local a = lt.zeros { 600, 600 }
  local b = lt.device("/CPU:0", lt.ones, { 600, 600 })
  local copies = lt.debugging.explain(a + b).copies
  expect.equal(#copies, 1)
  expect.equal(copies[1].bytes, 600 * 600 * 4)
end
expect.case("copies of large results are known also when nobody listens", function()
  lt.config.reset()
  lt.config.set_simulated_gpus(1)
  copy_large()
  lt.config.reset()
end)

expect.case("a memory limit is read back as it was given", function()
  local text, ok = expect.program([[
    lt.config.set_simulated_gpus(1)
    local gpu = lt.config.list_physical_devices("GPU")[1]
    lt.config.set_logical_device_configuration(gpu, { {memory_limit = 300}, {memory_limit = 0.5} })
    local entries = lt.config.get_logical_device_configuration(gpu)
    print(entries[1].memory_limit, entries[2].memory_limit)
  ]])
  assert(ok and text:find("300\t0.5", 1, true), text)
end)

expect.case("save says when the file does not hold how the model is compiled", function()
  local path = expect.path ".safetensors"
  local text, ok = expect.program(([[
    local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {3}}) }
    model:compile { loss = function(y, p) return (y - p) ^ 2 end, optimizer = "sgd" }
    model:save %q
    model:compile { loss = "mse", optimizer = "sgd" }
    model:save %q
  ]]):format(path, path))
  os.remove(path)
  assert(ok, text)
  local _, count = text:gsub("does not say how the model is compiled: ", "")
  expect.equal(count, 1)
end)
print("indexed_updates passed")
