-- Files that all ranks of a MultiWorkerMirroredStrategy are told to write: rank 0 alone writes, and all know what is there.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local folder = dofile("tests/support/folder.lua")
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

-- The names in a folder, sorted.
local function names_in(path)
  local pipe <close> = assert(io.popen("ls -A " .. ranks.quoted(path)))
  local names = {}
  for name in pipe:lines() do names[#names + 1] = name end
  return names
end

-- A model of 6 + 1 weights that has taken a step. `bits()` tells all weights and slots.
local model = [==[
  local nn, d = lt.nn, lt.distribute
  local at, how = ...
  lt.random.set_seed(3)
  local strategy = d.MultiWorkerMirroredStrategy(nil, { shard_optimizer = how == "shard" })
  local x = lt.range(24):reshape { 4, 6 } / 24
  local function fresh(seed)
    lt.random.set_seed(seed)
    return strategy:scope(function()
      return nn.Sequential { nn.Dense(1, { input_shape = { 6 } }) }:compile { loss = "mse",
        optimizer = lt.optim.Adam { gradient_accumulation_steps = how == "held" and 3 or nil } }
    end)
  end
  local function step(model) return ("%.9g"):format(model:train_on_batch(x, x:sum(2, { keepdims = true }))) end
]==]

for _, how in ipairs { "plain", "shard", "held" } do
  for _, count in ipairs { 2, 4 } do
    case(("a CheckpointManager on %d ranks, %s: rank 0 writes, all have the same latest_checkpoint"):format(count, how), function()
      local own = folder.at(("%s-%d"):format(how, count))
      local status, text = ranks.launch("-n " .. count, model .. [==[
        local first = fresh(1)
        -- As programs for TensorFlow do, ranks may name folders of their own.
        local mine = at .. (d.rank() == 0 and "" or "-rank-" .. d.rank())
        local manager = lt.train.CheckpointManager(lt.train.Checkpoint { model = first, optimizer = first.optimizer, step = 7 }, mine,
          { max_to_keep = 2 })
        print("begin", manager.latest_checkpoint)
        local wanted
        for i = 1, 3 do
          step(first)
          print("saved", manager:save(), manager.latest_checkpoint, #manager:checkpoints())
        end
        wanted = { step(first), step(first), step(first), step(first) }
        local second = fresh(2)
        local checkpoint = lt.train.Checkpoint { model = second, optimizer = second.optimizer, step = 0 }
        local again = lt.train.CheckpointManager(checkpoint, mine, { max_to_keep = 2 })
        print("found", again.latest_checkpoint, again:restore_or_initialize(), checkpoint.step)
        local got = { step(second), step(second), step(second), step(second) }
        print("same", table.concat(got, " ") == table.concat(wanted, " "))
        print("next", again:save(30))
      ]==], nil, ranks.quoted(own) .. " " .. how)
      equal(status, 0, text)
      local latest = own .. "/checkpoint-3.safetensors"
      for rank = 0, count - 1 do
        local prefix = "\n" .. (rank == 0 and "" or ("[%d] "):format(rank))
        local all = "\n" .. text
        has(all, prefix .. "begin\tnil\n")
        for i = 1, 3 do
          local path = ("%s/checkpoint-%d.safetensors"):format(own, i)
          has(all, ("%ssaved\t%s\t%s\t%d\n"):format(prefix, path, path, math.min(i, 2)))
        end
        has(all, ("%sfound\t%s\t%s\t7\n"):format(prefix, latest, latest))
        has(all, prefix .. "same\ttrue\n")
        has(all, ("%snext\t%s/checkpoint-30.safetensors\n"):format(prefix, own))
        if rank > 0 then equal(os.rename(own .. "-rank-" .. rank, own .. "-rank-" .. rank), nil) end
      end
      equal(names_in(own), { "checkpoint-3.safetensors", "checkpoint-30.safetensors", "checkpoint.json" })
    end)
  end
end

case("a CheckpointManager's error on rank 0 is one on all ranks, and they go on", function()
  local own = folder.at "refused"
  local status, text = ranks.launch("-n 2", model .. [==[
    local first = fresh(1)
    local manager = lt.train.CheckpointManager(lt.train.Checkpoint { model = first, optimizer = first.optimizer }, at)
    manager:save()
    if d.rank() == 0 then os.execute(("rm '%s/checkpoint.json' && mkdir '%s/checkpoint.json'"):format(at, at)) end
    local ok, err = pcall(manager.save, manager)
    print("save", ok, err.code, err.message)
    print("new", pcall(lt.train.CheckpointManager, manager.checkpoint, at))
    if d.rank() == 0 then os.execute(("rmdir '%s/checkpoint.json'"):format(at)) end
    print("on", manager:save(5))
    print("differ", pcall(manager.save, manager, 6 + d.rank()))
    if d.rank() == 0 then manager:save() else d.barrier() end
  ]==], nil, ranks.quoted(own))
  equal(status, 1, text)
  for _, prefix in ipairs { "\n", "\n[1] " } do
    local all = "\n" .. text
    has(all, prefix .. "save\tfalse\tFailedPrecondition\t")
    has(all, prefix .. "on\t" .. own .. "/checkpoint-5.safetensors\n")
    has(all, prefix .. "differ\tfalse\t")
  end
  has(text, "CheckpointManager:save: rank 0 failed: CheckpointManager: " .. own .. "/checkpoint.json")
  has(text, "CheckpointManager: rank 0 failed: ")
  has(text, "rank 0 calls CheckpointManager:save (")
  has(text, "and rank 1 calls barrier (")
end)

case("CSVLogger and TensorBoard write on rank 0 alone", function()
  local own = folder.at "logs"
  local status, text = ranks.launch("-n 2", model .. [==[
    local first = fresh(1)
    for i = 1, 2 do
      first:fit(x, x:sum(2, { keepdims = true }), { epochs = 2, verbose = 0, callbacks = {
        nn.callbacks.CSVLogger(at .. ".csv", { append = true }),
        nn.callbacks.TensorBoard(at, { histogram_freq = 1, update_freq = 1 }) } })
    end
    d.barrier()
    -- A loop of one's own writes a file on each rank.
    local writer = lt.train.SummaryWriter(at .. "-own")
    writer:add_scalar("rank", d.rank())
    writer:close()
  ]==], nil, ranks.quoted(own))
  equal(status, 0, text)
  local rows = {}
  for line in io.lines(own .. ".csv") do rows[#rows + 1] = line:match "^[^,]+" end
  equal(rows, { "epoch", "1", "2", "1", "2" })
  local files = names_in(own .. "/train")
  for _, name in ipairs(files) do assert(not name:find "rank", name) end
  assert(#files == 1 or #files == 2, #files)
  equal(#names_in(own .. "-own"), 2)
end)

folder.remove()
expect.end_of_cases()
