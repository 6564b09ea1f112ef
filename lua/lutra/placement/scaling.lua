-- scaling(f or model, args, counts, options): the predicted time of a step on n replicas. The step is recorded once on
-- one device; work that has the batch's axis is divided, the rest is not, and gradients are summed over replicas: on
-- simulated cards as docs/distribute.md says, on others in a ring, and between hosts as hosts.lua says.
local lutra, tools, use = ...
local options = use "options"
local hosts = use "placement.hosts"
local devices = use "placement.devices"
local costs = use "placement.costs"
local checks = use "placement.checks"
local record = use "placement.recording"

local Scaling = { __name = "lutra.placement.Scaling" }
function Scaling:__tostring()
  local lines = { ("%8s %12s %12s %12s %12s %8s"):format(self.link and "hosts" or "replicas", "step", "compute", "sum", "host", "speedup") }
  for _, n in ipairs(self.counts) do
    local each = self[n]
    lines[#lines + 1] = ("%8d %9.1f us %9.1f us %9.1f us %9.1f us %8.2f"):format(n, each.step_us, each.compute_us,
      each.sum_us,
      each.host_us, each.speedup)
  end
  return table.concat(lines, "\n")
end

-- The sizes of the first axes of the arguments that are tensors: the rows of the batch.
local function rows_of(args)
  local rows
  for i = 1, args.n or #args do
    local value = args[i]
    if type(value) == "userdata" and tools.is_tensor(value) and #value.shape > 0 then
      rows = rows or value.shape[1]
      if value.shape[1] ~= rows then
        tools.fail("InvalidArgument",
          ("placement.scaling: argument %d has %d rows and another %d; a batch has as many in each"):format(i,
          value.shape[1], rows))
      end
    end
  end
  if not rows then
    tools.fail("InvalidArgument", "placement.scaling: args has no tensor, so there is no batch to divide")
  end
  return rows
end

-- Whether one of the texts "(32, 10) float32, (10,) float32" has the batch's rows as an axis.
local function has_rows(op, rows)
  for shape in (op.inputs .. op.outputs):gmatch "%(([^)]*)%)" do
    for size in shape:gmatch "%d+" do
      if tonumber(size) == rows then return true end
    end
  end
  return false
end

local kOptions = { link = false, latency_us = false }

return function(f, args, counts, given)
  local who = "placement.scaling"
  local read = options.read(who, given, kOptions)
  local between = read.link and hosts.link(who, read.link, read.latency_us or nil)
  if read.latency_us and not between then
    tools.fail("InvalidArgument", ('%s: latency_us is that of a link between hosts: give link as well, as in "25Gb"'):format(who))
  end
  if type(f) == "table" and type(f.train_on_batch) == "function" then
    local model = f
    f = function(...) return model:train_on_batch(...) end
  end
  checks.is_function(who, f, "a function or a compiled model")
  if type(args) ~= "table" or getmetatable(args) ~= nil then
    tools.fail("InvalidArgument",
      ("%s: args is %s, expected a list of f's arguments: {x, y}"):format(who, tools.what_is(args)))
  end
  counts = counts or { 1, 2, 4, 8 }
  if type(counts) ~= "table" or #counts == 0 then
    tools.fail("InvalidArgument",
      ("%s: counts is %s, expected a list of numbers of replicas"):format(who, tools.what_is(counts)))
  end
  for _, n in ipairs(counts) do
    if math.type(n) ~= "integer" or n < 1 then
      tools.fail("InvalidArgument",
        ("%s: counts has %s, expected whole numbers from 1 on"):format(who, tools.what_is(n)))
    end
  end
  local rows = rows_of(args)
  f(table.unpack(args, 1, args.n or #args))  -- what only a first call does is not counted
  local recorded = record(who, f, args)
  costs.model:learn(recorded)
  local all = devices.all()
  local clock = costs.model:clock(all)
  local divided, whole, ops, sum_bytes, host_blocked = 0, 0, 0, 0, 0
  local first
  for _, op in ipairs(recorded.ops) do
    local device = all[op.device]
    if device.is_gpu or not first then first = device end
    local us = clock(op, device)
    if has_rows(op, rows) then divided = divided + us else whole = whole + us end
    if not device.is_gpu then host_blocked = host_blocked + us end
    ops = ops + op.launches
  end
  -- Large gradients are sent one by one, small ones together.
  local sends = 1
  for _, each in ipairs(recorded.outside) do
    if each.variable and each.variable.trainable then
      sum_bytes = sum_bytes + each.bytes
      if each.bytes > 65536 then sends = sends + 1 end
    end
  end
  -- The link between two of such devices.
  local other = setmetatable({ name = "another" }, { __index = first })
  local link = devices.link(first, other, costs.model.links)
  local result = { counts = counts, rows = rows, device = first.name, sum_bytes = sum_bytes, link = between }
  local single
  for _, n in ipairs({ 1, table.unpack(counts) }) do
    local share = math.ceil(rows / n) / rows
    local compute = divided * share + whole
    local sum = 0
    if sum_bytes == 0 then
      sum = 0  -- no gradients
    elseif between then
      sum = hosts.sum_us(n, sum_bytes, between, all["CPU:0"].speed.bytes)
    elseif n > 1 and first.is_simulated then
      -- All cross to the first replica at once, are added there, and the sums cross back one after the other.
      sum = n * (sends * link.latency_us + sum_bytes / link.bytes_per_us) + (n + 1) * sum_bytes / first.speed.bytes
    elseif n > 1 then
      -- A ring: each replica sends 2 (n - 1) parts of 1/n of the bytes.
      sum = 2 * (n - 1) * (link.latency_us + sum_bytes / n / link.bytes_per_us)
    end
    -- Replicas of one process share its Lua, and on the CPU its cores: they take turns.
    local sharers = between and 1 or n
    local host = sharers * (ops * recorded.issue_us + (first.is_gpu and host_blocked or 0))
    local step = math.max(first.is_gpu and compute or compute * sharers, host) + sum
    single = single or step
    result[n] = { step_us = step, compute_us = compute, sum_us = sum, host_us = host, speedup = single / step,
      rows = math.ceil(rows / n) }
  end
  return setmetatable(result, Scaling)
end
