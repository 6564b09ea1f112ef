-- Several processes: how they are started, agree on collectives, and end.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end
-- The lines in order, as ranks print in any.
local function sorted(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  table.sort(lines)
  return table.concat(lines, "\n")
end

case("each rank knows its number; lines of all but the first begin with it", function()
  local status, text = ranks.launch("-n 3", [[
    local d = lt.distribute
    d.barrier()
    print(d.rank(), d.size(), ...)
    d.barrier(200)
  ]], nil, "a 'b c'")
  equal(sorted(text), "0\t3\ta\tb c\n[1] 1\t3\ta\tb c\n[2] 2\t3\ta\tb c")
  equal(status, 0)
end)

case("mpirun starts ranks too", function()
  local status, text = ranks.command(("mpirun --allow-run-as-root --oversubscribe -n 2 %s %s"):format(ranks.lutra,
    ranks.quoted(ranks.file "lt.distribute.barrier() print(lt.distribute.size())")))
  equal(sorted(text), "2\n[1] 2")
  equal(status, 0)
end)

case("without a launcher there is one rank", function()
  local status, text = ranks.alone("", "local d = lt.distribute d.barrier() print(d.rank(), d.size())")
  equal(text, "0\t1\n")
  equal(status, 0)
end)

case("ranks in different collectives are told both lines, and can go on", function()
  local status, text = ranks.launch("-n 2", [[
    local d = lt.distribute
    if d.rank() == 0 then
      local ok, err = pcall(d.barrier)
      print(ok, err.code, err)
    else
      local ok, err = pcall(d.MultiWorkerMirroredStrategy)
      print(ok, err.code, err)
    end
    d.barrier()
    print "on"
  ]])
  local _, count = text:gsub("ranks differ: rank 0 calls barrier %([^)]*:3%), and rank 1 calls MultiWorkerMirroredStrategy %([^)]*:6%)", "")
  equal(count, 2, text)
  has(text, "false\tInvalidArgument")
  has(text, "[1] on")
  equal(status, 0)
end)

case("a rank that ends early ends the others' wait", function()
  local status, text = ranks.launch("-n 3", [[
    local d = lt.distribute
    d.barrier()
    if d.rank() == 2 then return end
    local ok, err = pcall(d.barrier)
    print(err.code, err.rank, err.host ~= nil, lt.iserror(err, "Aborted"), err.line, err)
    error(err)
  ]])
  has(text, "Aborted\t2\ttrue\ttrue\t/")
  has(text, "rank 2 has ended")
  has(text, "rank 0 calls barrier (")
  equal(status, 1)
end)

case("an error in one rank reaches all, with its line", function()
  local status, text = ranks.launch("-n 3", [[
    lt.distribute.barrier()
    if lt.distribute.rank() == 1 then
      error("the disk is on fire")
    end
    lt.distribute.barrier()
  ]])
  has(text, "the disk is on fire")
  has(text, "rank 1 has failed")
  has(text, ":3: the disk is on fire; rank 0 calls barrier (")
  has(text, "[2] lutra: ")
  equal(status, 1)
end)

case("os.exit in one rank is its end", function()
  local status, text = ranks.launch("-n 2", [[
    lt.distribute.barrier()
    if lt.distribute.rank() == 1 then os.exit(3) end
    lt.distribute.barrier()
  ]])
  has(text, "rank 1 has failed")
  assert(status == 3 or status == 1, status)
end)

case("a barrier with a time limit names who is missing, and the late rank is told as well", function()
  local sign = os.tmpname()
  os.remove(sign)
  local status, text = ranks.launch("-n 2", [[
    local d, sign = lt.distribute, ...
    d.barrier()
    while d.rank() == 1 and not os.rename(sign, sign) do end
    local ok, err = pcall(d.barrier, 0.5)
    if d.rank() == 0 then io.open(sign, "w"):close() end
    print(ok, err.code, err)
    d.barrier()
    print "on"
  ]], nil, sign)
  os.remove(sign)
  local _, count = text:gsub("false\tDeadlineExceeded\t[^\n]*barrier: rank 0 %([^)]*:4%) has waited 0.5 s for rank 1 %(its last call was at [^)]*:2%)", "")
  equal(count, 2, text)
  has(text, "[1] on")
  equal(status, 0)
end)

case("bad words for launch", function()
  for words, wanted in pairs {
    ["x.lua"] = "needs the number of processes",
    ["-n 0 x.lua"] = "'-n' is '0', expected a number from 1",
    ["-n 2"] = "needs a script",
    ["-n 2 --host a x.lua"] = "did you mean '--hosts'",
    ["-n 4 --hosts a:1,b:2 x.lua"] = "has places for 3 ranks, and '-n' is 4",
    ["-n 4 --hosts a,,b x.lua"] = "empty name",
  } do
    local status, text = ranks.command(ranks.lutra .. " launch " .. words)
    has(text, wanted)
    equal(status, 1, words)
  end
end)

case("what is missing is said once", function()
  local status, text = ranks.launch("-n 2", "print(1)", "LUTRA_PLUGIN_PATH=/nowhere")
  has(text, "this Lutra came without liblutra_mpi.so")
  has(text, "apt-get install libopenmpi-dev openmpi-bin")
  equal(status, 1)
  status, text = ranks.launch("-n 2", "print(1)", "PATH=/usr/nowhere:" .. "/nowhere /usr/bin/env")
  has(text, "mpirun is not in PATH")
  equal(status, 1)
end)

case("a script that does not need the others runs without the plugin", function()
  local status, text = ranks.command(("env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 LUTRA_PLUGIN_PATH=/nowhere %s %s"):format(ranks.lutra,
    ranks.quoted(ranks.file "print(1) print(pcall(lt.distribute.rank))")))
  has(text, "1\nfalse\t")
  has(text, "mpirun started this process as rank 0 of 2, but MPI cannot be used")
  equal(status, 0)
end)

case("TF_CONFIG without a launcher: the command", function()
  local status, text = ranks.alone("", "lt.distribute.MultiWorkerMirroredStrategy()",
    [[TF_CONFIG='{"cluster": {"worker": ["a:123", "b:123"]}, "task": {"type": "worker", "index": 0}}']])
  has(text, "lutra launch -n 2 --hosts a,b ")
  equal(status, 1)
end)

case("an empty TF_CONFIG, as templates of containers export it", function()
  local status, text = ranks.alone("", "print(lt.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync)", "TF_CONFIG=")
  assert(status == 0, text)
  has(text, "1")
end)

case("TF_CONFIG that is no JSON", function()
  local status, text = ranks.alone("", "lt.distribute.MultiWorkerMirroredStrategy()", "TF_CONFIG='garbage{'")
  has(text, "TF_CONFIG is no JSON object: garbage{; expected")
  equal(status, 1)
end)

case("a process that a rank has started cannot launch", function()
  local status, text = ranks.launch("-n 1", ([[
    lt.distribute.barrier()
    local pipe = io.popen("%s launch -n 2 -e 'print(1)' 2>&1")
    print(pipe:read "a")
  ]]):format(ranks.lutra))
  has(text, "this process was started by a rank of another launch, and launches cannot be nested")
  equal(status, 0)
end)

case("a rank cannot launch, and its children are no ranks", function()
  local status, text = ranks.launch("-n 2", ([[
    lt.distribute.barrier()
    if lt.distribute.rank() == 0 then
      os.execute("%s -e 'print(lt.distribute.size())'")
    end
    lt.distribute.barrier()
  ]]):format(ranks.lutra))
  equal(text, "1\n")
  equal(status, 0)
  status, text = ranks.command(("env OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 %s launch -n 2 x.lua"):format(ranks.lutra))
  has(text, "this process is itself rank 1 of 2")
  equal(status, 1)
end)

case("logs of all ranks in a folder", function()
  local folder = os.tmpname()
  os.remove(folder)
  local status = ranks.launch("-n 2 --log-dir " .. folder, "print('rank', lt.distribute.rank())")
  equal(status, 0)
  for r = 0, 1 do
    local file = assert(io.open(("%s/rank-%d.log"):format(folder, r)))
    equal(file:read("a"), ("rank\t%d\n"):format(r))
    file:close()
    os.remove(("%s/rank-%d.log"):format(folder, r))
  end
  os.remove(folder)
end)

case("ranks that print megabytes lose nothing", function()
  local status, text = ranks.launch("-n 3", [[
    for i = 1, 20000 do print(("x"):rep(100)) end
    lt.distribute.barrier()
  ]])
  equal(status, 0)
  -- mpirun may put a part of one rank's line into another's.
  equal(#text:gsub("[^x]", ""), 3 * 20000 * 100)
end)

case("lines with tabs stay whole", function()
  for _ = 1, 10 do
    local status, text = ranks.launch("-n 2", [[
      for i = 1, 40 do
        lt.distribute.barrier()
        print("a", "b", "c", i, "e", "f", "g")
      end
    ]])
    equal(status, 0, text)
    for line in text:gmatch "[^\n]+" do
      assert(line:gsub("^%[1%] ", ""):match "^a\tb\tc\t%d+\te\tf\tg$", text)
    end
  end
end)

case("devices are named after their task", function()
  local status, text = ranks.launch("-n 2 --sim-gpus 2", [[
    local rank = lt.distribute.rank()
    local own = ("/job:worker/replica:0/task:%d/device:GPU:1"):format(rank)
    assert(lt.device("/GPU:1", lt.zeros, { 2 }).device == own)
    assert(lt.device("/job:localhost/replica:0/task:0/device:GPU:1", lt.zeros, { 2 }).device == own)
    assert(lt.device(own, lt.zeros, { 2 }).device == own)
    assert(lt.config.list_logical_devices("GPU")[2].name == own)
    local logged
    lt.debugging.set_log_handler(function(event) logged = event.device end)
    lt.device("/GPU:1", lt.zeros, { 2 })
    lt.debugging.set_log_handler(nil)
    assert(logged == own, logged)
    local ok, err = pcall(lt.device, ("/job:worker/task:%d/GPU:0"):format(1 - rank), lt.zeros, { 1 })
    assert(lt.iserror(err, "NotFound") and err.message:find("Here: /job:worker/replica:0/task:" .. rank, 1, true), tostring(err))
    ok, err = pcall(lt.device, "/GPU:7", lt.zeros, { 1 })
    assert(err.message:find(("/job:worker/replica:0/task:%d/device:GPU:7 unknown device"):format(rank), 1, true), err.message)
    local late = lt.device("/GPU:1", function() return lt.constant({ 1, 2 }):gather { 5 } end)
    ok, err = pcall(late.item, late)
    assert(not ok and err.message:find("on " .. own, 1, true), tostring(err))
    print(lt.distribute.MultiWorkerMirroredStrategy().devices[2] == own)
  ]])
  equal(status, 0, text)
  assert(text:find "true\n" and text:find "%[1%] true\n", text)
end)

expect.end_of_cases()
