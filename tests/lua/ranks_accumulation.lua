-- gradient_accumulation_steps in several processes: a fit that goes on from a file between two steps has the bits of one
-- that never stopped.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

-- An epoch has 6 batches, and 4 of them are a step. The last batch of 22 rows is short.
local head = [==[
  local nn, d, path, how = lt.nn, lt.distribute, ...
  lt.random.set_seed(3)
  local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = how == "shards" })
  local model = strategy:scope(function()
    return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.Dropout(0.2), nn.Dense(1) }:compile { loss = "mse",
      optimizer = lt.optim.Adam { learning_rate = 0.1, gradient_accumulation_steps = 4 } }
  end)
  local x = lt.random.normal({ 22, 3 }, { seed = 1 })
  local y = x:sum(2, { keepdims = true })
  local function fit(last, ...) model:fit(x, y, { batch_size = 4, epochs = last, verbose = 0, callbacks = { ... } }) end
  local function show()
    local sum = 0
    for _, weight in ipairs(model:get_weights()) do
      for byte in weight:bytes():gmatch "." do sum = (sum * 31 + byte:byte()) % 0x7fffffffffff end
    end
    print("weights", model.optimizer.iterations, sum)
  end
]==]

local kinds = { { "-n 2", "" }, { "-n 3", "" }, { "-n 2 --sim-gpus 2", "" }, { "-n 2", "shards" } }

-- What rank 0 shows, and all others.
local function shown(text, count)
  local first
  for line in text:gmatch "weights(\t%d+\t%d+)" do
    first, count = first or line, count - 1
    equal(line, first, text)
  end
  equal(count, 0, text)
  return first
end

case("a fit that is started again after a rank was killed", function()
  local path = expect.path ".safetensors"
  for _, kind in ipairs(kinds) do
    local count = tonumber(kind[1]:match "%d")
    local status, whole = ranks.launch(kind[1], head .. "fit(5) show()", nil, path .. " " .. kind[2])
    equal(status, 0, whole)
    local sign = os.tmpname()
    local again
    status, again = ranks.launch(kind[1] .. " --restarts 1", head .. ([[
      fit(5, nn.callbacks.BackupAndRestore(path), { on_epoch_begin = function(_, epoch)
        if epoch == 4 and d.rank() == 1 and os.remove "%s" then os.execute "kill -9 $PPID" end
      end })
      show()
    ]]):format(sign), nil, path .. " " .. kind[2])
    equal(status, 0, again)
    has(again, "starting it again (1 of 1)")
    equal(shown(again, count), shown(whole, count), kind[1])
  end
end)

case("files of ModelCheckpoint and of a Checkpoint", function()
  local path, other = expect.path ".safetensors", expect.path ".safetensors"
  for _, kind in ipairs(kinds) do
    local count = tonumber(kind[1]:match "%d")
    local words = path .. " " .. kind[2]
    local status, whole = ranks.launch(kind[1], head .. ([[
      local checkpoint = lt.train.Checkpoint { model = model, optimizer = model.optimizer }
      fit(3, nn.callbacks.ModelCheckpoint(path), { on_epoch_end = function() checkpoint:save "%s" end })
      fit(2)
      show()
    ]]):format(other), nil, words)
    equal(status, 0, whole)
    for _, load in ipairs { "model:load(path, { resume = true }) fit(5)",
      ('lt.train.Checkpoint { model = model, optimizer = model.optimizer }:restore "%s" fit(2)'):format(other) } do
      local again
      status, again = ranks.launch(kind[1], head .. load .. " show()", nil, words)
      equal(status, 0, again)
      equal(shown(again, count), shown(whole, count), load)
    end
  end
  os.remove(path)
  os.remove(other)
end)

case("rank 0 alone may save the model, and not a Checkpoint", function()
  local path = expect.path ".safetensors"
  local status, text = ranks.launch("-n 2", head .. [[
    fit(1)
    if d.rank() == 0 then
      model:save(path)
      print("saved", nn.load_model(path).optimizer.iterations)
    end
    local checkpoint = lt.train.Checkpoint { optimizer = model.optimizer }
    if d.rank() == 0 then checkpoint:save(path) end
    d.barrier()
  ]], nil, path)
  os.remove(path)
  equal(status, 1, text)
  has(text, "saved\t1\n")
  has(text, "ranks differ: rank 0 calls the gradients that the optimizer 'adam' holds, for a file,")
  has(text, "and rank 1 calls barrier (")
end)

expect.end_of_cases()
