-- What happens to the other processes when one is killed, stopped or too slow, and how a fit goes on after it.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

-- A function of the programs below: sends a signal to the process itself.
local kill = [[
  local function kill(signal)
    local file <close> = assert(io.open "/proc/self/stat")
    os.execute(("kill -%s %s"):format(signal, file:read "n"))
  end
]]

case("a killed rank ends the job, and the others say what they waited for", function()
  local sign = os.tmpname()
  os.remove(sign)
  local status, text = ranks.launch("-n 3", kill .. [[
    local sign, rank = ..., lt.distribute.rank()
    lt.distribute.barrier()
    if rank == 1 then
      -- The others are about to wait.
      for _, r in ipairs { 0, 2 } do
        while not os.remove(sign .. r) do end
      end
      os.execute "sleep 2"
      kill "KILL"
    end
    io.open(sign .. rank, "w"):close()
    lt.distribute.barrier()
  ]], "OMPI_MCA_odls_base_sigkill_timeout=10", sign)
  has(text, "interrupted! Rank 0 waited in barrier (")
  has(text, ":16) for rank 1 (its last call was at ")
  has(text, "interrupted! Rank 2 waited in barrier (")
  has(text, "lutra: launch: a process was ended by signal 9 (Killed)")
  equal(status, 137)
end)

case("if rank 0 is killed, the others name it", function()
  local sign = os.tmpname()
  os.remove(sign)
  local status, text = ranks.launch("-n 2", kill .. [[
    local sign = ...
    lt.distribute.barrier()
    if lt.distribute.rank() == 0 then
      while not os.remove(sign) do end
      os.execute "sleep 2"
      kill "KILL"
    end
    io.open(sign, "w"):close()
    lt.distribute.barrier()
  ]], "OMPI_MCA_odls_base_sigkill_timeout=10", sign)
  has(text, "interrupted! Rank 1 waited in barrier (")
  has(text, ") for rank 0 on host ")
  has(text, ", whose process has ended")
  equal(status, 137)
end)

-- Two ranks meet in barriers until `send`, a shell command that knows $launcher, sends them a signal.
local function signal_the_launcher(before, send)
  local sign = os.tmpname()
  os.remove(sign)
  local path = ranks.file [[
    local d, sign = lt.distribute, ...
    d.barrier()
    if d.rank() == 0 then io.open(sign, "w"):close() end
    while true do d.barrier() end
  ]]
  -- mpirun gives the ranks 3 s to tell.
  local status, text = ranks.command("sh -c " .. ranks.quoted(([[
    OMPI_MCA_odls_base_sigkill_timeout=3 %s %s launch -n 2 %s %s < /dev/null & launcher=$!
    while ! test -e %s; do sleep 0.05; done
    %s
    wait $launcher
  ]]):format(before, ranks.lutra, path, sign, sign, send)))
  os.remove(sign)
  has(text, "interrupted!")
  assert(status ~= 0 and status ~= 124, status)
end

case("a signal to the launcher's process group ends all ranks, which tell what they waited for", function()
  for _, signal in ipairs { "INT", "TERM" } do signal_the_launcher("setsid", "kill -s " .. signal .. " -- -$launcher") end
end)

case("a signal to the launcher ends all ranks", function()
  for _, signal in ipairs { "INT", "TERM" } do signal_the_launcher("", "kill -s " .. signal .. " $launcher") end
end)

case("a stopped rank is noticed, and the job ends", function()
  for _, stopped in ipairs { 2, 0 } do
    local status, text = ranks.launch("-n 3", kill .. ([[
      lt.distribute.barrier()
      if lt.distribute.rank() == %d then kill "STOP" end
      lt.distribute.barrier()
    ]]):format(stopped), "LUTRA_RANK_SILENCE=6")
    has(ranks.told_silence(text, 6, ("rank %d on host "):format(stopped)), " (last call at ")
    assert(status ~= 0 and status ~= 124, status)
  end
end)

case("a rank that computes for long is not taken for lost", function()
  local status, text = ranks.launch("-n 2", [[
    if lt.distribute.rank() == 1 then
      local start = lt.time()
      while lt.time() - start < 12 do end
    end
    lt.distribute.barrier()
    print "on"
  ]], "LUTRA_RANK_SILENCE=8")
  has(text, "[1] on")
  equal(status, 0)
end)

case("a fit whose rank is killed goes on from its backup, with the same weights", function()
  local backup = expect.path ".safetensors"
  local ran = os.tmpname()
  local program = kill .. [==[
    local backup, ran, kills = ...
    local nn, d = lt.nn, lt.distribute
    lt.random.set_seed(3)
    local strategy = d.MultiWorkerMirroredStrategy()
    local model = strategy:scope(function()
      return nn.Sequential { nn.Dense(4, { input_shape = { 3 } }), nn.Dropout(0.2), nn.Dense(1) }:compile {
        optimizer = lt.optim.Adam(), loss = "mse" }
    end)
    local x = lt.random.normal({ 20, 3 }, { seed = 1 })
    model:fit(x, x:sum(2, { keepdims = true }), { batch_size = 8, epochs = 4, verbose = 0, callbacks = {
      nn.callbacks.BackupAndRestore(backup),
      { on_epoch_begin = function(_, epoch)
        if d.rank() == 0 then
          local file <close> = io.open(ran, "a")
          file:write(epoch, " ")
        end
        d.barrier()
        if kills == "kills" and epoch == 3 and d.rank() == 1 and not os.rename(ran .. ".killed", ran .. ".killed") then
          io.open(ran .. ".killed", "w"):close()
          kill "KILL"
        end
      end },
    } })
    if d.rank() == 0 then
      local sum = 0.0
      for _, weight in ipairs(model:get_weights()) do sum = sum + weight:sum():item() end
      print(("%.17g"):format(sum))
    end
  ]==]
  local function epochs()
    local file <close> = io.open(ran)
    return file:read "a"
  end
  local status, whole = ranks.launch("-n 2", program, nil, ("%s %s"):format(backup, ran))
  equal(status, 0, whole)
  equal(epochs(), "1 2 3 4 ")
  io.open(ran, "w"):close()
  local again
  status, again = ranks.launch("-n 2 --restarts 1", program, nil, ("%s %s kills"):format(backup, ran))
  os.remove(ran .. ".killed")
  equal(status, 0, again)
  equal(epochs(), "1 2 3 3 4 ")
  has(again, "starting it again (1 of 1)")
  equal(again:match "\n(%-?%d[^\n]*)\n$", whole:match "\n(%-?%d[^\n]*)\n$")
  os.remove(ran)
end)

expect.end_of_cases()
