-- Strategies as programs use them: replicas, mirrored variables, sums, and refused calls. Training: distribute_fit.lua.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local case, raises, equal = expect.case, expect.raises, expect.equal
local replicas = dofile("tests/support/replicas.lua")
local bits, id = replicas.bits, replicas.id

lt.config.set_simulated_gpus(3)
lt.config.set_logical_device_configuration("CPU:0", { {}, {} })

local function strategy_of(devices) return lt.distribute.MirroredStrategy(devices) end

local three = strategy_of()
local cpus = strategy_of { "CPU:0", "CPU:1" }
local mixed = strategy_of { "GPU:0", "CPU:0" }

case("devices: all GPUs unless told", function()
  equal(three.num_replicas_in_sync, 3)
  equal(three.devices[3], "/job:localhost/replica:0/task:0/device:GPU:2")
  equal(cpus.devices[2], "/job:localhost/replica:0/task:0/device:CPU:1")
  equal(tostring(cpus), "<lutra.distribute.MirroredStrategy CPU:0, CPU:1>")
  equal(strategy_of(lt.config.list_logical_devices("GPU")).num_replicas_in_sync, 3)
  raises("InvalidArgument", "no duplicates allowed in devices: /job:localhost/replica:0/task:0/device:GPU:1 is there twice",
    strategy_of, { "GPU:1", "/gpu:1" })
  raises("InvalidArgument", "devices has the key 'devices', expected a list: MirroredStrategy {", strategy_of,
    { devices = { "GPU:0" } })
  raises("NotFound", "GPU:7", strategy_of, { "GPU:0", "GPU:7" })
  raises("InvalidArgument", "devices is 3, expected a list", strategy_of, 3)
  raises("NotFound", "GPU:9", lt.distribute.OneDeviceStrategy, "GPU:9")
  raises("InvalidArgument", "device is nil", lt.distribute.OneDeviceStrategy)
end)

case("the line that says which devices are used", function()
  local text = expect.program('print(1) lutra.distribute.MirroredStrategy() lutra.distribute.MirroredStrategy({"GPU:1"})',
    "--sim-gpus 2")
  equal(text, "1\nINFO: Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', "
    .. "'/job:localhost/replica:0/task:0/device:GPU:1')\n"
    .. "INFO: Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:1',)\n")
  text = expect.program("lutra.distribute.MirroredStrategy()", "")
  equal(text, "INFO: Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:CPU:0',)\n")
end)

case("run: each replica on its device, with its own arguments", function()
  local ids = three:experimental_distribute_values_from_function(function(context)
    equal(context.num_replicas_in_sync, 3)
    return context.replica_id_in_sync_group
  end)
  local devices, squares, same = three:run(function(id, table_of_values, word)
    local context = lt.distribute.get_replica_context()
    equal(context.replica_id_in_sync_group, id, "the context's replica")
    equal(table_of_values.inner[1], id, "an argument inside tables")
    equal(word, "all")
    return lt.zeros({ 1 }).device, lt.constant(id * id), word
  end, { ids, { inner = { ids }, other = 1 }, "all" })
  equal(devices.values[2], "/job:localhost/replica:0/task:0/device:GPU:1")
  equal(same, "all")
  equal(tostring(squares), "PerReplica:{\n  1: lutra.Tensor(1, shape=(), dtype=int32),\n  2: lutra.Tensor(4, shape=(), "
    .. "dtype=int32),\n  3: lutra.Tensor(9, shape=(), dtype=int32)\n}")
  equal(#three:experimental_local_results(squares), 3)
  local grouped = three:run(function() return { loss = 1.5, name = "n" } end)
  equal(grouped.loss.values, { 1.5, 1.5, 1.5 })
  equal(grouped.name, "n")
  equal(lt.distribute.get_replica_context().num_replicas_in_sync, 1, "the context without a strategy")
  three:scope(function() equal(lt.distribute.get_replica_context(), nil, "the context between replicas") end)
end)

case("strategies are found where they are in force", function()
  equal(lt.distribute.has_strategy(), false)
  equal(lt.distribute.get_strategy().num_replicas_in_sync, 1)
  equal(lt.distribute.get_strategy():run(function(a, b) return a + b end, { 1, 2 }), 3)
  three:scope(function()
    equal(lt.distribute.get_strategy(), three)
    equal(lt.distribute.in_cross_replica_context(), true)
    raises("FailedPrecondition", "mixing strategies", cpus.scope, cpus, function() end)
    raises("FailedPrecondition", "make it outside", strategy_of)
    equal(three:scope(function() return 7 end), 7)
  end)
  pcall(three.scope, three, function() error("out") end)
  equal(lt.distribute.has_strategy(), false)
  three:run(function() equal(lt.distribute.in_cross_replica_context(), false) end)
  raises("FailedPrecondition", "replicas of a strategy run already", three.run, three, function()
    three:run(function() end)
  end)
end)

case("reduce: sums and means, along an axis too", function()
  for _, strategy in ipairs { three, cpus, mixed } do
    local n = strategy.num_replicas_in_sync
    local each = strategy:run(function()
      return lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 } } * id()
    end)
    local all = n * (n + 1) // 2
    local sum = strategy:reduce("sum", each)
    equal(sum:totable(), { { 1.0 * all, 2.0 * all }, { 3.0 * all, 4.0 * all } })
    equal(sum.device, strategy.devices[1])
    equal(strategy:reduce(lt.distribute.ReduceOp.MEAN, each):totable()[2][1], 3.0 * all / n)
    equal(strategy:reduce("SUM", each, 1):totable(), { 4.0 * all, 6.0 * all })
    equal(strategy:reduce("mean", each, { 1, 2 }):item(), 10.0 * all / (4 * n))
  end
  equal(three:reduce("mean", three:run(function() return 2 end)), 2.0)
  equal(three:reduce("sum", 5), 15)
  -- A mean along an axis weighs rows alike, however many each replica has.
  local rows = three:experimental_distribute_dataset({ lt.constant { 1.0, 2.0, 3.0, 4.0, 5.0 } }):iterate()()
  equal(three:reduce("mean", rows, 1):item(), 3.0, "the mean of rows 2, 2, 1")
  raises("InvalidArgument", 'op is "max", expected "sum" or "mean"', three.reduce, three, "max", 1)
  raises("InvalidArgument", "expected a tensor or a number", three.reduce, three, "sum", three:run(function() return "x" end))
end)

case("all_reduce and merge_call inside replicas", function()
  for _, strategy in ipairs { three, cpus, mixed } do
    local n = strategy.num_replicas_in_sync
    local got = strategy:run(function()
      local context = lt.distribute.get_replica_context()
      local id = context.replica_id_in_sync_group
      local many = {}
      for i = 1, 40 do many[i] = lt.fill({ 30, i }, id * i, { dtype = "float32" }) end
      local sums = context:all_reduce("sum", { many = many, number = id, small = lt.constant { 1.0 * id } })
      for i = 1, 40 do
        equal(sums.many[i].device, strategy.devices[id], "where a sum lies")
        equal(sums.many[i].shape, { 30, i })
        equal(sums.many[i][{ 30, i }]:item(), i * n * (n + 1) / 2, "sum " .. i)
      end
      equal(sums.number, n * (n + 1) / 2)
      equal(context:all_reduce("mean", lt.constant { 4 * id }):item(), 2.0 * (n + 1), "the mean of integers")
      local merged = context:merge_call(function(inner, per_replica, extra)
        equal(inner, strategy)
        equal(lt.distribute.get_replica_context(), nil, "the context in merge_call")
        return inner:reduce("sum", per_replica), per_replica, extra
      end, { id, "x" })
      return merged
    end)
    equal(got.values[n], n * (n + 1) / 2)
  end
  local _, own, word = three:run(function()
    local context = lt.distribute.get_replica_context()
    return context:merge_call(function(_, value, text) return 1, value, text end, { context.replica_id_in_sync_group, "t" })
  end)
  equal(own.values, { 1, 2, 3 }, "a PerReplica result of merge_call")
  equal(word, "t")
end)

case("gradients go through all_reduce", function()
  local gradient = three:run(function()
    local context = lt.distribute.get_replica_context()
    local x = lt.constant { 3.0 }
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    return tape:gradient(context:all_reduce("sum", x * x), x)
  end)
  equal(gradient.values[3]:item(), 6.0)
end)

case("mirrored variables: components of the same bits", function()
  for _, strategy in ipairs { three, cpus, mixed } do
    local n = strategy.num_replicas_in_sync
    local v = strategy:scope(lt.Variable, { 1.0, 2.0, 3.0 }, { name = "v" })
    local total = strategy:scope(lt.Variable, 0.0, { name = "total", aggregation = "sum", trainable = false })
    equal(v.device, strategy.devices[1])
    local where = strategy:run(function() return v.device, v:value().device end)
    equal(where.values[n], strategy.devices[n], "where replica n sees it")
    v:assign_add { 1.0, 1.0, 1.0 }
    v[2] = 7.0
    replicas.check(strategy, { v })
    equal(v:totable(), { 2.0, 7.0, 4.0 })
    strategy:run(function() equal((v * 2):totable(), { 4.0, 14.0, 8.0 }, "read in a replica") end)
    -- Values that replicas assign are combined as the variable's aggregation says.
    strategy:run(function()
      total:assign_add(lt.constant(1.0) * id())
      equal(total:item(), n * (n + 1) / 2, "after assign_add")
    end)
    replicas.check(strategy, { total })
  end
  local text = tostring(three:scope(lt.Variable, { 1.0, 2.0 }, { name = "w" }))
  equal(text, "MirroredVariable:{\n  1: <lutra.Variable 'w' shape=(2,) dtype=float32, value=[1. 2.]>,\n"
    .. "  2: <lutra.Variable 'w/replica_2' shape=(2,) dtype=float32, value=[1. 2.]>,\n"
    .. "  3: <lutra.Variable 'w/replica_3' shape=(2,) dtype=float32, value=[1. 2.]>\n}")
end)

case("aggregation, as TensorFlow has it", function()
  for how, wanted in pairs { sum = 3.0, mean = 1.5, only_first_replica = 1.0 } do
    local two = strategy_of { "GPU:0", "GPU:1" }
    local v = two:scope(lt.Variable, 0.0, { name = how, aggregation = how })
    two:run(function() v:assign_add(1.0 * id()) end)
    equal(v:item(), wanted, how)
    replicas.check(two, { v })
  end
  local plain = three:scope(lt.Variable, 0.0, { name = "plain" })
  local err = raises("FailedPrecondition", "replica 1 (GPU:0): assign: the mirrored variable 'plain' is assigned in a replica",
    three.run, three, function() plain:assign(1.0) end)
  equal(err.replica, 1)
  raises("FailedPrecondition", "is assigned a part in a replica", three.run, three, function()
    local vector = three:scope(lt.Variable, { 1.0 }, { name = "vector" })
    vector[1] = 2.0
  end)
  raises("InvalidArgument", 'aggregation is "max"', lt.Variable, 1.0, { aggregation = "max" })
  equal(plain:item(), 0.0)
end)

case("variables made in replicas are one", function()
  local made = three:run(function()
    return lt.Variable(lt.random.normal { 4 }, { name = "inside" })
  end)
  equal(made.name, "inside")
  replicas.check(three, { made })
  equal(#three:experimental_local_results(made), 3)
end)

-- y = 3 x + 1 by hand: the loss of all rows is the sum over replicas of what compute_average_loss gives.
local function line_by_tape(strategy, rows, steps)
  local x = lt.range(rows, { dtype = "float32" }):reshape { rows, 1 } / 8
  local y = x * 3 + 1
  local w, b = strategy:scope(function()
    return lt.Variable({ { 1.0 } }, { name = "w" }), lt.Variable({ 0.0 }, { name = "b" })
  end)
  local optimizer = lt.optim.SGD { learning_rate = 0.2 }
  local function step(xs, ys)
    local tape <close> = lt.GradientTape()
    local loss = (xs:matmul(w) + b - ys):square():sum() / rows
    optimizer:apply(tape:gradient(loss, { w, b }), { w, b })
    return loss
  end
  local losses = {}
  local batches = strategy:experimental_distribute_dataset { { x, y } }
  for _ = 1, steps do
    for batch in batches:iterate() do
      losses[#losses + 1] = strategy:reduce("sum", strategy:run(step, { batch[1], batch[2] })):item()
    end
  end
  replicas.check(strategy, { w, b })
  return losses, w:item(), b:item(), optimizer.iterations
end

case("a training loop of one's own", function()
  -- Gradient descent on all rows, in doubles.
  local function wanted(rows, steps)
    local w, b, losses = 1.0, 0.0, {}
    for step = 1, steps do
      local dw, db, loss = 0, 0, 0
      for i = 0, rows - 1 do
        local x = i / 8
        local apart = w * x + b - (3 * x + 1)
        loss, dw, db = loss + apart * apart / rows, dw + 2 * apart * x / rows, db + 2 * apart / rows
      end
      losses[step], w, b = loss, w - 0.2 * dw, b - 0.2 * db
    end
    return losses, w, b
  end
  for _, strategy in ipairs { three, cpus, mixed, strategy_of { "GPU:1" }, lt.distribute.OneDeviceStrategy "GPU:2" } do
    for _, rows in ipairs { 8, 7, 2 } do
      local losses, w, b, iterations = line_by_tape(strategy, rows, 10)
      local right, right_w, right_b = wanted(rows, 10)
      for i = 1, 10 do
        assert(math.abs(losses[i] - right[i]) <= 2e-6 * (1 + right[i]), ("loss %d: %g, %g"):format(i, losses[i], right[i]))
      end
      assert(math.abs(w - right_w) < 2e-6 and math.abs(b - right_b) < 2e-6, ("w %.8g, %.8g; b %.8g, %.8g"):format(w, right_w, b, right_b))
      equal(iterations, 10)
    end
  end
end)

case("optimizers keep what they remember mirrored", function()
  for _, kind in ipairs { "Adam", "RMSprop", "Lion" } do
    local v = three:scope(lt.Variable, { 1.0, -2.0 }, { name = kind })
    local alone = lt.Variable { 1.0, -2.0 }
    local optimizer, single = lt.optim[kind] { global_clipnorm = 1.5 }, lt.optim[kind] { global_clipnorm = 1.5 }
    for step = 1, 5 do
      three:run(function()
        optimizer:apply({ lt.constant { 1.0 * id(), step - 2.0 } }, { v })
      end)
      single:apply({ lt.constant { 6.0, 3.0 * (step - 2) } }, { alone })
    end
    equal(bits(v), bits(alone), kind .. ": the sum of the gradients")
    replicas.check(three, { v })
    replicas.check(three, optimizer:variables())
  end
end)

case("what has gone wrong is told with the replica's name", function()
  local v = three:scope(lt.Variable, { 1.0 }, { name = "v" })
  raises("InvalidArgument", "replica 2 (GPU:1): matmul:", three.run, three, function()
    if id() == 2 then lt.matmul(lt.zeros { 2, 3 }, lt.zeros { 2, 3 }) end
  end)
  local ok, text = pcall(three.run, three, function() if id() == 3 then error("mine", 0) end end)
  equal(ok, false)
  equal(text, "replica 3 (GPU:2): mine")
  raises("FailedPrecondition", "replica 1 (GPU:0) waits in all_reduce, and replica 2 (GPU:1) has ended", three.run, three,
    function() if id() == 1 then lt.distribute.get_replica_context():all_reduce("sum", 1) end end)
  raises("FailedPrecondition", "replica 1 (GPU:0) waits in all_reduce, and replica 3 (GPU:2) waits in merge_call", three.run, three,
    function()
      local context = lt.distribute.get_replica_context()
      if id() == 3 then context:merge_call(function() end) else context:all_reduce("sum", 1) end
    end)
  raises("FailedPrecondition", "replica 1 (GPU:0) yields", three.run, three, function() coroutine.yield() end)
  raises("FailedPrecondition", "in another coroutine than the one it runs in", three.run, three, function()
    coroutine.wrap(function() lt.distribute.get_replica_context():all_reduce("sum", 1) end)()
  end)
  raises("InvalidArgument", "one dtype and shape", three.run, three, function()
    lt.distribute.get_replica_context():all_reduce("sum", lt.zeros { id() })
  end)
  local outside = lt.Variable({ 1.0 }, { name = "outside" })
  raises("FailedPrecondition", "'outside' is not one of the strategy's", three.run, three, function()
    lt.optim.SGD():apply({ lt.constant { 1.0 } }, { outside })
  end)
  -- Everything works as before.
  equal(lt.distribute.has_strategy(), false)
  replicas.check(three, { v })
  equal(three:reduce("sum", three:run(function() return v:item() end)), 3.0)
end)

case("scopes, tapes and closed variables of a replica that is ended", function()
  local closed = 0
  pcall(three.run, three, function()
    local guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
    local tape <close> = lt.GradientTape()
    local scope <close> = lt.device("/CPU:0")
    local context = lt.distribute.get_replica_context()
    context:all_reduce("sum", 1)
    if context.replica_id_in_sync_group == 2 then error("out") end
    context:all_reduce("sum", 1)
  end)
  equal(closed, 3)
  equal(lt.zeros({ 1 }).device, "/job:localhost/replica:0/task:0/device:GPU:0")
end)

case("a replica out of memory", function()
  local text, ok = expect.program([[
    lutra.config.set_simulated_gpus(2)
    lutra.config.set_logical_device_configuration("GPU:1", { { memory_limit = 8 } })
    local strategy = lutra.distribute.MirroredStrategy()
    local v = strategy:scope(lutra.Variable, lutra.ones { 1000 })
    local ok, err = pcall(strategy.run, strategy, function() return lutra.zeros { 1024, 1024, 4 } * v[1] end)
    print(ok, err.code, err.message:match "^replica %d %b()", err.replica)
    print(strategy:reduce("sum", strategy:run(function() return v:sum() end)):item())
  ]], "")
  assert(ok, text)
  equal(text:gsub("^INFO[^\n]*\n", ""), "false\tResourceExhausted\treplica 2 (GPU:1)\t2\n2000.0\n")
end)

case("a dataset shared out among replicas", function()
  local x = lt.range(10, { dtype = "float32" })
  local function sizes(dataset)
    local list = {}
    for batch in dataset:iterate() do
      local here = {}
      for i, part in ipairs(three:experimental_local_results(batch)) do
        equal(part.device, three.devices[i])
        here[i] = #part
      end
      list[#list + 1] = here
    end
    return list
  end
  local list = three:experimental_distribute_dataset { x, x[{ { 1, 4 } }], x[{ { 1, 1 } }] }
  equal(sizes(list), { { 4, 4, 2 }, { 2, 2, 0 }, { 1, 0, 0 } })
  equal(sizes(list), { { 4, 4, 2 }, { 2, 2, 0 }, { 1, 0, 0 } }, "a second pass")
  local left = 2
  local from_function = three:experimental_distribute_dataset(function()
    left = left - 1
    if left >= 0 then return { x = x, y = x * 2, name = "n" }, 5 end
  end)
  local count = 0
  for batch, number in from_function:iterate() do
    count = count + 1
    equal(batch.y.values[3]:totable(), { 16.0, 18.0 })
    equal(batch.name, "n")
    equal(number, 5)
  end
  equal(count, 2)
  local object = { iterate = function() return ipairs { x } end }
  for place, batch in three:experimental_distribute_dataset(object):iterate() do
    equal(place, 1)
    equal(#batch.values[1], 4)
  end
  raises("InvalidArgument", "dataset is 3, expected a function", three.experimental_distribute_dataset, three, 3)
  raises("InvalidArgument", "a batch is a scalar", three:experimental_distribute_dataset { lt.constant(1) }:iterate())
end)

case("nothing is left behind", function()
  local function work()
    local v = three:scope(lt.Variable, lt.ones { 100 }, { name = "v" })
    three:run(function() return lt.distribute.get_replica_context():all_reduce("sum", v * 2) end)
    pcall(three.run, three, function() error("x") end)
  end
  work()
  local before = expect.storages()
  for _ = 1, 200 do work() end
  local after = expect.storages()
  assert(after <= before, ("%d storages before, %d after"):format(before, after))
end)

expect.end_of_cases()
