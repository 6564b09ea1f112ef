-- Optimizers whose state is shared out over ranks (shard_optimizer): the same bits as without, and files with all of it.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

local head = [==[
  local nn, d = lt.nn, lt.distribute
  lt.random.set_seed(3)
  local function bits(tensor)
    local sum = 0
    for byte in tensor:to("/CPU:0"):bytes():gmatch "." do sum = (sum * 31 + byte:byte()) % 0x7fffffffffff end
    return ("%d bytes, %x"):format(tensor.nbytes, sum)
  end
  -- The optimizers to try, by name.
  local optimizers = {
    adam = function() return lt.optim.Adam { global_clipnorm = 0.5, use_ema = true, ema_overwrite_frequency = 3 } end,
    sgd = function() return lt.optim.SGD { momentum = 0.9, clipnorm = 0.1, gradient_accumulation_steps = 2 } end,
    lamb = function() return lt.optim.Lamb { weight_decay = 0.01 } end,
    adafactor = function() return lt.optim.Adafactor() end,
    plain = function() return lt.optim.SGD { learning_rate = 0.01 } end,
  }
  local function made(strategy, name, units)
    return strategy:scope(function()
      return nn.Sequential { nn.Dense(units or 30, { activation = "tanh", input_shape = { 20 }, kernel_constraint = "max_norm" }),
        units and nn.Dropout(0.1) or nn.BatchNorm { synchronized = true }, nn.Dense(units or 9), nn.Dense(1) }:compile {
        optimizer = optimizers[name](), loss = "mse" }
    end)
  end
  local x = lt.random.normal({ 14, 20 }, { seed = 1 })
  local y = x:sum(2, { keepdims = true })
]==]

-- The same numbers, but for rounding: sums over other numbers of ranks are added in another order.
local function close(got, wanted)
  local numbers, count = {}, 0
  for word in wanted:gmatch "%-?%d+%.%d+" do numbers[#numbers + 1] = tonumber(word) end
  for word in got:gmatch "%-?%d+%.%d+" do
    count = count + 1
    local number = numbers[count]
    assert(number and math.abs(tonumber(word) - number) <= 1e-3 * math.max(1, math.abs(number)), got .. "\n  expected:\n" .. wanted)
  end
  assert(count == #numbers and count > 0, got .. "\n  expected:\n" .. wanted)
end

local function lines(text, prefix)
  local list = {}
  for line in ("\n" .. text):gmatch("\n" .. prefix .. "([wl][eo][^\n]*)") do list[#list + 1] = line end
  return table.concat(list, "\n")
end

case("the weights have the bits of an optimizer that is not shared out", function()
  local program = head .. [==[
    local shards, units = ...
    local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = shards == "shards" })
    for _, name in ipairs { "adam", "sgd", "lamb", "adafactor", "plain" } do
      local model = made(strategy, name, math.tointeger(tonumber(units)))
      model:fit(x, y, { batch_size = 6, epochs = 2, verbose = 0 })
      for i, weight in ipairs(model:get_weights()) do print("weight", name, i, bits(weight)) end
    end
  ]==]
  for _, how in ipairs { "-n 2", "-n 3", "-n 2 --sim-gpus 2" } do
    local status, wanted = ranks.launch(how, program, nil, "whole")
    equal(status, 0, wanted)
    local text
    status, text = ranks.launch(how, program, nil, "shards")
    equal(status, 0, text)
    assert(#lines(wanted, "") > 300, wanted)
    for _, prefix in ipairs { "", "%[1%] " } do equal(lines(text, prefix), lines(wanted, prefix), how) end
  end
end)

case("sums that begin during the backward pass go to the owners as well", function()
  local program = head .. [==[
    local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = ... == "shards" })
    local model = made(strategy, "adam", 1000)
    model:fit(x, y, { batch_size = 6, epochs = 2, verbose = 0 })
    for i, weight in ipairs(model:get_weights()) do print("weight", i, bits(weight)) end
  ]==]
  local status, wanted = ranks.launch("-n 3", program, nil, "whole")
  equal(status, 0, wanted)
  local text
  status, text = ranks.launch("-n 3", program, nil, "shards")
  equal(status, 0, text)
  for _, prefix in ipairs { "", "%[2%] " } do equal(lines(text, prefix), lines(wanted, prefix)) end
end)

case("each rank has its part of the state", function()
  local status, text = ranks.launch("-n 3", head .. [==[
    local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = true })
    local model = made(strategy, "adam", 300)
    model:train_on_batch(x, y)
    local bytes, all = 0, 0
    for _, slot in ipairs(model.optimizer:variables()) do bytes = bytes + slot.nbytes end
    for _, variable in ipairs(model:trainable_variables()) do all = all + 3 * variable.nbytes end
    print("bytes", bytes, all)
  ]==])
  equal(status, 0, text)
  local sum, count, whole = 0, 0, nil
  for bytes, all in text:gmatch "bytes\t(%d+)\t(%d+)" do
    sum, count, whole = sum + tonumber(bytes), count + 1, tonumber(all)
    assert(tonumber(bytes) < whole, text)
  end
  equal(count, 3, text)
  equal(sum, whole, text)
end)

case("files hold the whole state, for any number of ranks", function()
  local path, other = expect.path ".safetensors", expect.path ".safetensors"
  local program = head .. [==[
    local what, path = ...
    local strategy = d.size() > 1 and d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = true }) or d.OneDeviceStrategy "/CPU:0"
    local model = made(strategy, "adam")
    if what == "continue" then model:load(path) else model:fit(x, y, { batch_size = 6, epochs = 2, shuffle = false, verbose = 0 }) end
    if what == "save" then model:save(path) return end
    -- The steps after the file was written.
    local history = model:fit(x, y, { batch_size = 14, epochs = 2, shuffle = false, verbose = 0 }).history
    if d.rank() == 0 then print("loss", ("%.5f"):format(history.loss[2])) end
    for _, weight in ipairs(model:get_weights()) do
      if d.rank() == 0 then print("weight", ("%.6f"):format((weight * weight):sum():item())) end
    end
  ]==]
  local status, text = ranks.launch("-n 3", program, nil, "save " .. path)
  equal(status, 0, text)
  local wanted
  status, wanted = ranks.launch("-n 3", program, nil, "go on " .. path)
  equal(status, 0, wanted)
  assert(#lines(wanted, "") > 50, wanted)
  for _, how in ipairs { "-n 3", "-n 2" } do
    status, text = ranks.launch(how, program, nil, "continue " .. path)
    equal(status, 0, text)
    close(lines(text, ""), lines(wanted, ""))
  end
  -- In one process, with its own optimizer; and the other way round.
  status, text = ranks.alone("", program, nil, "continue " .. path)
  equal(status, 0, text)
  close(lines(text, ""), lines(wanted, ""))
  status, text = ranks.alone("", program, nil, "save " .. other)
  equal(status, 0, text)
  status, text = ranks.launch("-n 2", program, nil, "continue " .. other)
  equal(status, 0, text)
  close(lines(text, ""), lines(wanted, ""))
  -- The file is the one that a strategy without shard_optimizer writes.
  local lt = require "lutra"
  local one, two = lt.load(path), lt.load(other)
  for name, tensor in pairs(two) do
    assert(one[name] and one[name].shape == tensor.shape and one[name].dtype == tensor.dtype, name)
  end
  for name in pairs(one) do assert(two[name], name) end
  os.remove(path)
  os.remove(other)
end)

case("callbacks write it, and a fit goes on from a backup with other ranks", function()
  local backup, saved = expect.path ".safetensors", expect.path ".safetensors"
  local program = head .. [==[
    local backup, saved, stops = ...
    local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = true })
    local model = made(strategy, "sgd")
    local history = model:fit(x, y, { batch_size = 14, epochs = 4, verbose = 0, callbacks = {
      nn.callbacks.BackupAndRestore(backup, { delete_checkpoint = false }), nn.callbacks.ModelCheckpoint(saved),
      { on_epoch_end = function(_, epoch) if stops == "stops" and epoch == 3 then error "enough" end end } } }).history
    if d.rank() == 0 then print("loss", #history.loss, ("%.5f"):format(history.loss[#history.loss])) end
  ]==]
  local status, whole = ranks.launch("-n 2", program, nil, ("%s %s"):format(backup, saved))
  equal(status, 0, whole)
  local file = assert(io.open(saved), "ModelCheckpoint wrote nothing")
  file:close()
  os.remove(backup)
  local text
  status, text = ranks.launch("-n 2", program, nil, ("%s %s stops"):format(backup, saved))
  equal(status, 1, text)
  status, text = ranks.launch("-n 3", program, nil, ("%s %s"):format(backup, saved))
  equal(status, 0, text)
  close(text:match "loss\t%d+\t(%S+)", whole:match "loss\t%d+\t(%S+)")
  os.remove(backup)
  os.remove(saved)
end)

case("a rank that saves alone is told so", function()
  local status, text = ranks.launch("-n 2", head .. ([==[
    local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = true })
    local model = made(strategy, "adam")
    model:train_on_batch(x, y)
    if d.rank() == 0 then model:save "%s" end
    d.barrier()
  ]==]):format(expect.path ".safetensors"))
  equal(status, 1, text)
  has(text, "ranks differ: rank 0 calls the state of the optimizer 'adam', for a file,")
  has(text, "and rank 1 calls barrier (")
end)

case("ranks of which only some share out", function()
  local status, text = ranks.launch("-n 2", "lt.distribute.MultiWorkerMirroredStrategy(nil, { shard_optimizer = lt.distribute.rank() == 1 })")
  equal(status, 1, text)
  has(text, "and rank 1 calls MultiWorkerMirroredStrategy with shard_optimizer (")
end)

expect.end_of_cases()
