-- A model trained in several processes has the same bits as in one with as many replicas.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

-- Run as MirroredStrategy and as MultiWorkerMirroredStrategy, with numbers of rows, of rows in a batch, and of batches per
-- step.
local program = [==[
local kind, rows, batch, accumulated = ...
rows, batch = tonumber(rows), tonumber(batch)
local nn, d = lt.nn, lt.distribute
lt.random.set_seed(d.rank() == 0 and 7 or 8)  -- the strategy's ranks go on with rank 0's
local strategy = kind == "workers" and d.MultiWorkerMirroredStrategy() or d.MirroredStrategy()
local model = strategy:scope(function()
  local made = nn.Sequential {
    nn.Dense(9, { activation = "tanh", input_shape = { 5 } }), nn.BatchNorm { momentum = 0.5 }, nn.Dropout(0.3),
    nn.Dense(700), nn.BatchNorm { synchronized = true }, nn.Dense(3, { activation = "softmax", kernel_regularizer = "l2" }),
  }
  return made:compile { optimizer = lt.optim.Adam { learning_rate = 0.02, gradient_accumulation_steps = tonumber(accumulated) }, loss = "sparse_categorical_crossentropy",
    metrics = { "accuracy" } }
end)
local x = lt.random.normal({ rows, 5 }, { seed = 3 })
local y = lt.argmax(x:matmul(lt.random.normal({ 5, 3 }, { seed = 4 })), -1)
local history = model:fit(x, y, { batch_size = batch, epochs = 3, seed = 5, verbose = 0, validation_split = 0.2 }).history
local function bits(tensor)
  local sum = 0
  for byte in tensor:to("/CPU:0"):bytes():gmatch "." do sum = (sum * 31 + byte:byte()) % 0x7fffffffffff end
  return ("%d bytes, %x"):format(tensor.nbytes, sum)
end
-- On all ranks: what they print must be the same but for its beginning.
local function show(what, text) print(what, text) end
for i, weight in ipairs(model:get_weights()) do show("weight " .. i, bits(weight)) end
for _, name in ipairs { "loss", "accuracy", "val_loss", "val_accuracy" } do
  for i, value in ipairs(history[name]) do show(name .. i, ("%.12f"):format(value)) end
end
show("evaluate", ("%.12f %.12f"):format(model:evaluate(x, y, { batch_size = 7, verbose = 0 })))
show("predict", bits(model:predict(x, { batch_size = 6 })))
show("train_on_batch", ("%.12f"):format((model:train_on_batch(x[{ { 1, 9 } }], y[{ { 1, 9 } }]))))
-- A loop of one's own.
local w = strategy:scope(lt.Variable, { 0.5, 0.25 }, { name = "w" })
local optimizer = strategy:scope(lt.optim.SGD, { learning_rate = 0.1 })
local function step(rows)
  local tape <close> = lt.GradientTape()
  local loss = ((rows * w):sum(2) - 1):square():sum() / 10
  optimizer:apply(tape:gradient(loss, { w }), { w })
  return loss
end
for batch in strategy:experimental_distribute_dataset({ x[{ { 1, 10 }, { 1, 2 } }], x[{ { 11, 15 }, { 1, 2 } }] }):iterate() do
  show("loop", bits(strategy:reduce("sum", strategy:run(step, { batch }))))
end
show("w", bits(w:value()))
show("mean", strategy:reduce("mean", strategy:experimental_distribute_values_from_function(function(c)
  return c.replica_id_in_sync_group * 1.5
end)))
show("gathered", table.concat(strategy:gather(strategy:run(function()
  local c = d.get_replica_context()
  return lt.constant { c.replica_id_in_sync_group * 10 + c.num_replicas_in_sync }
end)):totable(), " "))
show("all_reduce", strategy:reduce("sum", strategy:run(function()
  local c = d.get_replica_context()
  local sums = c:all_reduce("mean", { number = c.replica_id_in_sync_group, tensor = lt.constant { 1.0 * c.replica_id_in_sync_group } })
  return sums.number + sums.tensor:sum()
end)):item())
]==]

-- What each rank prints, without the notes of strategies.
local function of_ranks(text)
  local lists = {}
  for line in text:gmatch "[^\n]+" do
    local rank, rest = line:match "^%[(%d+)%] (.*)$"
    rank, rest = tonumber(rank or 0), rest or line
    if not rest:find "^INFO" then lists[rank] = (lists[rank] or "") .. rest .. "\n" end
  end
  return lists
end

for _, rows in ipairs { "23 8 1", "21 4 2", "24 24 1" } do
  for _, how in ipairs { { 2, 1 }, { 3, 1 }, { 2, 2 } } do
    local processes, gpus = how[1], how[2]
    local words = ("workers %s"):format(rows)
    case(("%d processes with %d GPUs, rows %s"):format(processes, gpus, rows), function()
      local status, alone = ranks.alone("--sim-gpus " .. processes * gpus, program, nil, "mirrored " .. rows)
      equal(status, 0, alone)
      local wanted = of_ranks(alone)[0]
      assert(wanted:find "weight 1\t180 bytes" and wanted:find "all_reduce", wanted)
      local status, text = ranks.launch(("-n %d --sim-gpus %d"):format(processes, gpus), program, nil, words)
      equal(status, 0, text)
      local lists = of_ranks(text)
      for rank = 0, processes - 1 do equal(lists[rank], wanted, "rank " .. rank) end
    end)
  end
end

case("CPUs as simulated GPUs", function()
  local _, alone = ranks.alone("--sim-gpus 3", program, nil, "mirrored 23 8 1")
  local status, text = ranks.launch("-n 3", program, nil, "workers 23 8 1")
  equal(status, 0, text)
  equal(of_ranks(text)[2], of_ranks(alone)[0])
end)

case("ranks that differ in rows, seeds, variables or shapes are told so", function()
  local function differs(body, wanted)
    local status, text = ranks.launch("-n 2", ([[
      local strategy = lt.distribute.MultiWorkerMirroredStrategy()
      local rank = lt.distribute.rank()
      local rows, units, name, seed, dtype, rate, loss, labels = 8, 2, "a", 1, "float32", 0.1, "mse", "float32"
      local how, columns = "sum", 3
      %s
      lt.random.set_seed(seed)
      local model = strategy:scope(function()
        return lt.nn.Sequential { lt.nn.Dense(units, { name = name, input_shape = { 3 } }) }:compile {
          loss = loss, optimizer = lt.optim.SGD { learning_rate = rate } }
      end)
      strategy:reduce(how, lt.ones({ 2 }, { dtype = dtype }))
      strategy:gather(lt.ones { 2, columns })
      model:fit(lt.ones { rows, 3 }, lt.ones({ rows, units }, { dtype = labels }), { verbose = 0 })
    ]]):format(body))
    equal(status, 1, text)
    for _, part in ipairs(wanted) do
      if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
    end
  end
  differs("if rank == 1 then rows = 9 end", { "ranks differ: rank 0 calls a step", "on 8 rows", "on 9 rows" })
  differs("if rank == 1 then seed = 2 end", { "ranks differ: rank 0 calls a step", "with the random state" })
  differs("if rank == 1 then rate = 0.5 end", { "ranks differ: rank 0 calls a step", "learning_rate 0.1", "learning_rate 0.5" })
  differs("if rank == 1 then loss = lt.nn.losses.MeanAbsoluteError() end", { "the loss mse", "the loss nn.losses.MeanAbsoluteError" })
  differs("if rank == 1 then labels = 'int32' end", { "labels of float32", "labels of int32" })
  differs("if rank == 1 then dtype = 'int32' end", { 'ranks differ: rank 0 calls reduce("sum")', "float32 (2,)", "int32 (2,)" })
  differs("if rank == 1 then how = 'mean' end", { 'rank 0 calls reduce("sum")', 'rank 1 calls reduce("mean")' })
  differs("if rank == 1 then columns = 4 end", { "rank 0 calls gather of float32 (any, 3)", "rank 1 calls gather of float32 (any, 4)" })
  differs("if rank == 1 then units = 3 end", { "ranks differ: rank 0 calls the variable", "(3, 2)", "(3, 3)" })
  differs("if rank == 1 then name = 'b' end", { "ranks differ: rank 0 calls the variable 'a" })
end)

case("sums and means of many numbers of all dtypes, which the ranks add in slices", function()
  local status, text = ranks.launch("-n 3", [[
    local strategy = lt.distribute.MultiWorkerMirroredStrategy "CPU:0"
    local rank = lt.distribute.rank()
    for _, dtype in ipairs { "float64", "float32", "bfloat16", "int64", "int32", "int16", "uint8" } do
      for _, count in ipairs { 1, 17, 40001 } do
        local x = lt.cast(lt.range(count) % 13 + rank, dtype)
        local sum, mean = strategy:reduce("sum", x), strategy:reduce("mean", x)
        local wanted = lt.cast(lt.range(count) % 13, "float64")
        assert(sum.dtype == dtype and (lt.cast(sum, "float64") - (wanted * 3 + 3)):abs():max():item() == 0, dtype .. " sum " .. count)
        local off = (lt.cast(mean, "float64") - (wanted + 1)):abs():max():item()
        assert(off <= (dtype == "bfloat16" and 0.1 or 0), dtype .. " mean " .. count .. " " .. off)
      end
    end
    print "right"
  ]])
  equal(status, 0, text)
  assert(text:find "\nright" and text:find "%[2%] right", text)
end)

case("processes read their own files, which differ in their rows", function()
  -- Three files of 8, 5 and 3 rows: with two processes rank 0 has the first and the third, and rank 1 ends first.
  local program = [[
    local nn, d, kind = lt.nn, lt.distribute, ...
    lt.random.set_seed(3)
    local strategy = kind == "workers" and d.MultiWorkerMirroredStrategy() or d.OneDeviceStrategy "/CPU:0"
    local x = lt.random.normal({ 16, 3 }, { seed = 1 })
    local y = x:sum(2, { keepdims = true })
    local sizes, at, files = { 8, 5, 3 }, 0, {}
    for i, rows in ipairs(sizes) do
      files[i], at = { x[{ { at + 1, at + rows } }], y[{ { at + 1, at + rows } }] }, at + rows
    end
    local function dataset(context)
      local all
      for i, file in ipairs(files) do
        if (i - 1) % context.num_input_pipelines == context.input_pipeline_id then
          local own = lt.data.Dataset.from_tensor_slices(file):batch(4)
          all = all and all:concatenate(own) or own
        end
      end
      return all
    end
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(4, { activation = "tanh", input_shape = { 3 } }), nn.BatchNorm { synchronized = true },
        nn.Dense(1) }:compile { optimizer = "sgd", loss = "mse", metrics = { "mae" } }
    end)
    local data
    if kind == "workers" then
      data = strategy:distribute_datasets_from_function(dataset)
    else
      -- The same rows in each step: 4 and 4, 4 and 1, 3 and none.
      local function rows(list) return lt.concat(list, 1) end
      local function part(k) return function(file, first, last) return files[file][k][{ { first, last } }] end end
      local steps = {}
      for i, pick in ipairs { { { 1, 1, 4 }, { 2, 1, 4 } }, { { 1, 5, 8 }, { 2, 5, 5 } }, { { 3, 1, 3 } } } do
        steps[i] = {}
        for k = 1, 2 do
          local list = {}
          for j, each in ipairs(pick) do list[j] = part(k)(table.unpack(each)) end
          steps[i][k] = rows(list)
        end
      end
      data = lt.data.Dataset.from_generator(function()
        local i = 0
        return function()
          i = i + 1
          if steps[i] then return steps[i][1], steps[i][2] end
        end
      end)
    end
    local history = model:fit(data, { epochs = 2, verbose = 0 }).history
    local loss, mae = model:evaluate(data, { verbose = 0 })
    print("number", history.loss[2], history.mae[2], loss, mae)
    for _, weight in ipairs(model:get_weights()) do print("number", table.unpack(weight:reshape { -1 }:totable())) end
    if kind ~= "workers" then return end
    -- A loop of one's own sees the same rows.
    local total, steps = 0, 0
    for rows in data:iterate() do
      steps = steps + 1
      total = total + strategy:reduce("sum", strategy:run(function(own) return own:sum() end, { rows })):item()
    end
    assert(steps == 3 and math.abs(total - x:sum():item()) < 1e-4, total)
  ]]
  local function numbers(text, prefix)
    local list = {}
    for line in text:gmatch("[^\n]+") do
      local rest = line:match("^" .. prefix .. "number\t(.*)$")
      for word in (rest or ""):gmatch "%S+" do list[#list + 1] = tonumber(word) end
    end
    return list
  end
  local status, one = ranks.alone("", program, nil, "one")
  equal(status, 0, one)
  local wanted = numbers(one, "")
  equal(#wanted, 4 + 12 + 4 + 16 + 4 + 1, one)
  local text
  status, text = ranks.launch("-n 2", program, nil, "workers")
  equal(status, 0, text)
  for _, prefix in ipairs { "", "%[1%] " } do
    local got = numbers(text, prefix)
    equal(#got, #wanted, text)
    for i, number in ipairs(wanted) do
      assert(math.abs(got[i] - number) < 1e-4, ("number %d is %g, not %g: %s"):format(i, got[i], number, text))
    end
  end
end)

case("a process without any batch is told so", function()
  local status, text = ranks.launch("-n 2", [[
    local strategy = lt.distribute.MultiWorkerMirroredStrategy()
    local data = strategy:distribute_datasets_from_function(function(context)
      return context.input_pipeline_id == 0 and { lt.ones { 2, 3 } } or {}
    end)
    for batch in data:iterate() do strategy:reduce("sum", strategy:run(function(rows) return rows:sum() end, { batch })) end
  ]])
  equal(status, 1, text)
  assert(text:find("process 2 of 2 has no batch at all", 1, true), text)
end)

case("synchronized BatchNorm is one device's", function()
  -- 5 rows in batches of 2: at the end a rank takes part without rows.
  local program = [[
    local nn, kind = lt.nn, ...
    lt.random.set_seed(3)
    local d = lt.distribute
    local strategy = kind == "workers" and d.MultiWorkerMirroredStrategy() or d.OneDeviceStrategy "/CPU:0"
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.BatchNorm { synchronized = true, momentum = 0.5 },
        nn.Activation "tanh", nn.BatchNorm { synchronized = true }, nn.Dense(1) }:compile { optimizer = "sgd", loss = "mse" }
    end)
    local x = lt.random.normal({ 5, 3 }, { seed = 1 })
    model:fit(x, x:sum(2, { keepdims = true }), { batch_size = 2, epochs = 3, shuffle = false, verbose = 0 })
    if d.rank() > 0 then return end
    for _, weight in ipairs(model:get_weights()) do
      for i, value in ipairs(weight:reshape { -1 }:totable()) do print("weight", value) end
    end
  ]]
  local function numbers(text)
    local list = {}
    for number in text:gmatch "weight\t(%S+)" do list[#list + 1] = tonumber(number) end
    return list
  end
  local _, one = ranks.alone("", program, nil, "one")
  local wanted = numbers(one)
  equal(#wanted, 53, one)
  for _, words in ipairs { "-n 2", "-n 3" } do
    local status, text = ranks.launch(words, program, nil, "workers")
    equal(status, 0, text)
    local got = numbers(text)
    equal(#got, 53, text)
    for i = 1, 53 do assert(math.abs(got[i] - wanted[i]) < 1e-4, ("%s: number %d is %g, not %g"):format(words, i, got[i], wanted[i])) end
  end
end)

case("the strategy's time limit holds between ranks", function()
  local sign = os.tmpname()
  os.remove(sign)
  local status, text = ranks.launch("-n 2", [[
    local sign = ...
    local strategy = lt.distribute.MultiWorkerMirroredStrategy(nil, { timeout = 6 })
    local rank = lt.distribute.rank()
    while rank == 1 and not os.rename(sign, sign) do end
    local ok, err = pcall(strategy.reduce, strategy, "sum", lt.constant(1.0))
    if rank == 0 then io.open(sign, "w"):close() end
    print(ok, err.code, err)
    lt.distribute.barrier()
  ]], nil, sign)
  os.remove(sign)
  equal(status, 0, text)
  local _, count = text:gsub("false\tDeadlineExceeded\t[^\n]*reduce%(\"sum\"%) of 1 tensor: float32 %(%): rank 0 %([^)]*%) has waited 6 s for rank 1", "")
  equal(count, 2, text)
end)

expect.end_of_cases()
