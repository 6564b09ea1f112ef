-- MultiWorkerMirroredStrategy: the replicas of all ranks, with each rank's own devices. What this rank has is numbered
-- from 1, as in MirroredStrategy; `ranks.firsts` tells where its replicas are among all.
local lutra, tools, use = ...
local class, ranks, strategies = use "class", use "distribute.ranks", use "distribute.strategy"

local Workers = class("distribute.MultiWorkerMirroredStrategy", strategies.MirroredStrategy)
Workers.kind, Workers.mirrors = "MultiWorkerMirroredStrategy", true

local function refuse_without_launcher()
  local words = rawget(_G, "arg")
  local command = tools.ranks_command(type(words) == "table" and type(words[0]) == "string" and words[0] or nil)
  if command == "" then return end
  tools.fail("FailedPrecondition", ("MultiWorkerMirroredStrategy: TF_CONFIG lists workers, but no launcher started this process. "
    .. "Lutra's processes are started together, by one command: %s"):format(command))
end

function Workers:init(devices, given)
  local rank, size, hosts = ranks.start()
  if not hosts then refuse_without_launcher() end
  strategies.MirroredStrategy.init(self, devices, given)
  self.cluster_resolver = { task_type = "worker", task_id = rank, cluster_spec = { worker = hosts or { "localhost" } } }
  if size == 1 then return end
  ranks.limit = self.timeout or 0
  local firsts, total = { 0 }, 0
  for r, list in ipairs(ranks.gather_numbers("MultiWorkerMirroredStrategy", { #self.devices })) do
    total = total + list[1]
    firsts[r + 1] = total
  end
  self.ranks = { rank = rank, size = size, firsts = firsts, first = firsts[rank + 1] }
  self.num_replicas_in_sync = total
  -- From here on all ranks draw the same random numbers, rank 0's.
  local key, counter = string.unpack("<i8i8", ranks.of_chief("MultiWorkerMirroredStrategy", string.pack("<i8i8", tools.random_state())))
  tools.set_random_state(key, counter)
end

function Workers:announce(names)
  local rank, size = ranks.start()
  if rank > 0 then return end
  io.stdout:flush()
  io.stderr:write(("INFO: Using MultiWorkerMirroredStrategy with %d %s, the first with devices %s\n"):format(size,
    size == 1 and "worker" or "workers", names))
end

return Workers
