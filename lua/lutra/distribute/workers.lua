-- MultiWorkerMirroredStrategy: the replicas of all ranks, with each rank's own devices. What this rank has is numbered
-- from 1, as in MirroredStrategy; `ranks.firsts` tells where its replicas are among all.
local lutra, tools, use = ...
local class, options, ranks, strategies = use "class", use "options", use "distribute.ranks", use "distribute.strategy"

local Workers = class("distribute.MultiWorkerMirroredStrategy", strategies.MirroredStrategy)
Workers.kind, Workers.mirrors = "MultiWorkerMirroredStrategy", true
-- overlap: gradients are summed while the backward pass goes on, where that is possible. shard_optimizer: sharded.lua.
Workers.options = { timeout = false, overlap = true, shard_optimizer = false }

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
  local overlap = options.boolean(self.kind, "overlap", self.given.overlap)
  local shards = options.boolean(self.kind, "shard_optimizer", self.given.shard_optimizer)
  self.cluster_resolver = { task_type = "worker", task_id = rank, cluster_spec = { worker = hosts or { "localhost" } } }
  if size == 1 then return end
  ranks.limit = self.timeout or 0
  -- Sums begin early where each rank has one replica, on its CPU.
  local is_cpu = #self.devices == 1 and self.devices[1]:find("device:CPU", 1, true)
  local firsts, total = { 0 }, 0
  local what = shards and "MultiWorkerMirroredStrategy with shard_optimizer" or "MultiWorkerMirroredStrategy"
  for r, list in ipairs(ranks.gather_numbers(what, { #self.devices, overlap and is_cpu and 1 or 0 })) do
    total, overlap = total + list[1], overlap and list[2] == 1
    firsts[r + 1] = total
  end
  self.ranks = { rank = rank, size = size, firsts = firsts, first = firsts[rank + 1], overlaps = overlap, shards = shards }
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
