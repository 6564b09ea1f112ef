-- Processes on several hosts, which are network namespaces here: the same bits, names in errors, a host that is cut off.
local expect = dofile("tests/support/expect.lua")
local equal = expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function shell(words) return os.execute(words .. " >/dev/null 2>&1") end
local made <close> = dofile("tests/support/run/hosts.lua").make(2)
if not made then
  print "skipped: network namespaces cannot be made here (that needs root, and iproute2)"
  os.exit(77, true)
end
local switch, names = made.switch, made.names
-- A failure ends the script at once.
local function case(name, test)
  expect.case(name, function()
    local ok, problem = xpcall(test, debug.traceback)
    if ok then return end
    made:remove()
    error(problem, 0)
  end)
end

local agent = ranks.file(made:agent(), ".sh")
assert(shell("chmod +x " .. agent))

local function launch(words, program, environment, arguments)
  local command = ("%s launch %s --hosts 10.91.0.1,10.91.0.2 %s %s"):format(ranks.lutra, words, ranks.file(program),
    arguments or "")
  return ranks.command(made:on_first(agent, command, "LUTRA_NUM_THREADS=1 LUTRA_RANK_SILENCE=60 " .. (environment or "")))
end

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

-- Connects the second host again. The kernel takes a while to see a link: until then connections end with "no route".
local function connect_again()
  shell(("ip -n %s link set port2 up"):format(switch))
  for i = 1, 2 do
    -- No program listens there, so a host that can be reached refuses.
    local refused = ([[ip netns exec %s timeout 5 bash -c 'exec 3<>/dev/tcp/10.91.0.%d/9' 2>&1 | grep -q refused]]):format(names[i], 3 - i)
    local start = lt.time()
    while not shell(refused) do
      assert(lt.time() - start < 60, "the hosts do not reach each other again")
      os.execute "sleep 0.1"
    end
  end
end

case("a model on two hosts has the bits of one process", function()
  local program = [==[
    local nn, d = lt.nn, lt.distribute
    lt.random.set_seed(3)
    local strategy = ... == "hosts" and d.MultiWorkerMirroredStrategy() or d.MirroredStrategy()
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(300, { activation = "tanh", input_shape = { 30 } }), nn.Dense(1) }:compile {
        optimizer = lt.optim.Adam(), loss = "mse" }
    end)
    local x = lt.random.normal({ 40, 30 }, { seed = 1 })
    local history = model:fit(x, x:sum(2, { keepdims = true }), { batch_size = 16, epochs = 2, verbose = 0 }).history
    if d.rank() > 0 then return end
    for _, weight in ipairs(model:get_weights()) do print(("%.17g"):format((weight * weight):sum():item())) end
    print(("%.17g"):format(history.loss[2]))
    if strategy.cluster_resolver then print(table.concat(strategy.cluster_resolver.cluster_spec.worker, " ")) end
  ]==]
  local _, alone = ranks.alone("--sim-gpus 4", program)
  local status, text = launch("-n 4", program, nil, "hosts")
  equal(status, 0, text)
  local numbers = alone:match "\n(.*)$"
  assert(numbers:find "%d\n.*%d\n", alone)
  equal(text:match "\n(.*)$", numbers .. "host1 host1 host2 host2\n")
end)

case("errors name the host", function()
  local status, text = launch("-n 2", [[
    lt.distribute.barrier()
    if lt.distribute.rank() == 1 then error("no") end
    local ok, err = pcall(lt.distribute.barrier)
    print(err.code, err.rank, err.host)
    error(err)
  ]], "OMPI_MCA_odls_base_sigkill_timeout=0")
  has(text, "Aborted\t1\thost2")
  has(text, "rank 1 (host host2) has failed")
  equal(status, 1)
end)

case("a host that is cut off ends the job", function()
  local status, text = launch("-n 4", ([[
    local d = lt.distribute
    d.barrier()
    if d.rank() == 0 then os.execute "ip -n %s link set port2 down" end
    while true do d.barrier() end
  ]]):format(switch), "LUTRA_RANK_SILENCE=10")
  has(ranks.told_silence(text, 10, "rank 2 on host host2 (last call at "), ", rank 3 on host host2 (last call at ")
  has(text, "the host cannot be reached")
  equal(status, 1)
  -- Those on the other host end as well.
  local left
  for _ = 1, 500 do
    left = io.popen(("ip netns pids %s"):format(names[2])):read "a"
    if left == "" then break end
    os.execute "sleep 0.2"
  end
  equal(left, "")
end)

case("a fit whose host is cut off goes on with the others, and ends with the same weights", function()
  connect_again()
  local backup = expect.path ".safetensors"
  local program = ([==[
    local nn, d, backup, cuts = lt.nn, lt.distribute, ...
    lt.random.set_seed(3)
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.Dropout(0.2), nn.Dense(1) }:compile { loss = "mse" }
    end)
    local x = lt.random.normal({ 20, 3 }, { seed = 1 })
    model:fit(x, x:sum(2, { keepdims = true }), { batch_size = 8, epochs = 4, verbose = 0, callbacks = {
      nn.callbacks.BackupAndRestore(backup),
      { on_epoch_begin = function(_, epoch)
        if cuts == "cuts" and epoch == 3 and d.rank() == 0 then os.execute "ip -n %s link set port2 down" end
      end },
    } })
    if d.rank() > 0 then return end
    local sum = 0.0
    for _, weight in ipairs(model:get_weights()) do sum = sum + (weight * weight):sum():item() end
    print(("%%.17g"):format(sum), table.concat(strategy.cluster_resolver.cluster_spec.worker, " "))
  ]==]):format(switch)
  local status, whole = launch("-n 4", program, nil, backup)
  equal(status, 0, whole)
  os.remove(backup)
  local number = whole:match "\n(%d[^\n]*)\thost1 host1 host2 host2\n$"
  assert(number, whole)
  local again
  status, again = launch("-n 4 --restarts 1", program, "LUTRA_RANK_SILENCE=10", backup .. " cuts")
  equal(status, 0, again)
  has(again, "lutra: launch: the host 10.91.0.2 cannot be reached")
  has(again, "starting it again (1 of 1) on 10.91.0.1")
  equal(again:match "\n(%d[^\n]*)\n$", number .. "\thost1 host1 host1 host1")
end)

case("a device of another host, which is cut off", function()
  connect_again()
  local server = io.popen(("ip netns exec %s timeout 240 %s serve --listen 10.91.0.2:7077 >/dev/null 2>&1 & echo $!"):format(names[2],
    ranks.lutra)):read "n"
  local status, text = ranks.command(("ip netns exec %s %s %s"):format(names[1], ranks.lutra, ranks.file(([[
    local start, ok = lt.time(), nil
    repeat ok = pcall(lt.config.connect_to_cluster, { worker = { "10.91.0.2:7077" } }) until ok or lt.time() - start > 120
    local device = "/job:worker/task:0/GPU:0"
    local x = lt.device(device, lt.ones, { 1000 })
    print(x:sum():item())
    os.execute "ip -n %s link set port2 down"
    local read, err = pcall(function() return lt.device(device, lt.square, x):sum():item() end)
    print(read, err.code, err.host)
  ]]):format(switch))))
  shell("kill " .. server)
  equal(status, 0, text)
  has(text, "1000.0\nfalse\tAborted\t10.91.0.2:7077\n")
end)

case("a host that does not exist", function()
  local status, text = ranks.command(("env OMPI_MCA_plm_rsh_agent=/bin/false %s launch -n 2 --hosts 10.91.0.9 x.lua"):format(ranks.lutra))
  equal(status, 1, text)
  has(text, "lutra: launch: the host 10.91.0.9 cannot be reached: ssh to it, without a password, must work")
end)

expect.end_of_cases()
