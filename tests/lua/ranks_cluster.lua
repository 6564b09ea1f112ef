-- Devices' names in a launch, where job worker has the ranks: from the first op on, and beside those of other processes.
local expect = dofile("tests/support/expect.lua")
local case, equal = expect.case, expect.equal
local ranks = dofile("tests/support/run/ranks.lua")

local function has(text, part)
  if not text:find(part, 1, true) then error(("%s\n  expected in: %s"):format(part, text), 2) end
end

case("an op before the first use of lt.distribute", function()
  local status, text = ranks.launch("-n 2 --sim-gpus 1", [[
    print(lt.zeros({ 1 }).device, lt.config.list_logical_devices("GPU")[1].name)
    lt.distribute.barrier()
  ]])
  equal(status, 0, text)
  for rank, prefix in pairs { [0] = "", "[1] " } do
    local name = ("/job:worker/replica:0/task:%d/device:GPU:0"):format(rank)
    has("\n" .. text, ("\n%s%s\t%s\n"):format(prefix, name, name))
  end
end)

case("devices of other processes", function()
  local log = os.tmpname()
  local file = assert(io.popen(("timeout 300 %s serve --listen 127.0.0.1:0 --sim-gpus 1 2>%s >/dev/null & echo $!"):format(ranks.lutra, log)))
  local process = file:read "n"
  file:close()
  local _ <close> = setmetatable({}, { __close = function()
    os.execute(("kill %d 2>/dev/null"):format(process))
    os.remove(log)
  end })
  local address
  for _ = 1, 600 do
    local text <close> = assert(io.open(log))
    address = text:read("a"):match " at (%S+:%d+)\n"
    if address then break end
    os.execute "sleep 0.1"
  end
  local status, text = ranks.launch("-n 2 --sim-gpus 1", [[
    local address = ...
    print(select(2, pcall(lt.config.connect_to_cluster, { worker = { address } })).message)
    lt.config.connect_to_cluster({ helper = { address } }, { timeout = 100 })
    local strategy = lt.distribute.MultiWorkerMirroredStrategy()
    local there = lt.device("/job:helper/task:0/GPU:0", lt.fill, { 3 }, 2.0)
    print(there.device, there:sum():item(), lt.device("/GPU:0", lt.zeros, { 1 }).device, #strategy.devices, strategy.devices[1],
      strategy:reduce("sum", lt.device("/GPU:0", lt.ones, { 2 })):sum():item())
  ]], nil, address)
  equal(status, 0, text)
  for rank, prefix in pairs { [0] = "", "[1] " } do
    local own = ("/job:worker/replica:0/task:%d/device:GPU:0"):format(rank)
    has("\n" .. text, ("\n%sconnect_to_cluster: the job worker is this process' own, whose tasks are the ranks of the launch: give the "
      .. "others another name, as in {helper = {\"host:7077\"}}\n"):format(prefix))
    has("\n" .. text, ("\n%s/job:helper/replica:0/task:0/device:GPU:0\t6.0\t%s\t1\t%s\t4.0\n"):format(prefix, own, own))
  end
end)

expect.end_of_cases()
