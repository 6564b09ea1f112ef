-- Strategies: sets of devices that a program's replicas run on, with TensorFlow's names (tf.distribute.Strategy).
local lutra, tools, use = ...
local class, options, replicas, values = use "class", use "options", use "distribute.replicas", use "distribute.values"
local mirrored, sums, hooks = use "distribute.mirrored", use "distribute.sums", use "distribute.hooks"

local Strategy = class "distribute.Strategy"

local open, current = replicas.scopes, replicas.strategy
tools.set_variable_hooks(hooks)

function Strategy:__tostring()
  local names = {}
  for i, device in ipairs(self.devices) do names[i] = device:match("device:(.*)$") end
  return ("<lutra.distribute.%s %s>"):format(self.kind, table.concat(names, ", "))
end

local function require_function(who, f)
  if options.is_callable(f) then return end
  tools.fail("InvalidArgument", ("%s: f is %s, expected a function"):format(who, tools.what_is(f)))
end

local function opened(strategy, f, ...)
  table.insert(open, strategy)
  if strategy.mirrors or not strategy.devices[1] then return f(...) end
  return lutra.device(strategy.devices[1], f, ...)
end

local function close_to(depth)
  for i = #open, depth + 1, -1 do open[i] = nil end
end

-- Calls f(...); variables made in it belong to this strategy.
function Strategy:scope(f, ...)
  require_function("scope", f)
  local outer = current()
  if outer and outer ~= self then
    tools.fail("FailedPrecondition", ("scope: %s inside the scope of %s: mixing strategies is not possible"):format(
      tostring(self), tostring(outer)))
  end
  local depth = #open
  if not coroutine.isyieldable() then return tools.finally(close_to, depth, opened, self, f, ...) end
  -- In a coroutine f may yield, which tools.finally does not allow.
  local restore <close> = setmetatable({}, { __close = function() close_to(depth) end })
  return opened(self, f, ...)
end

-- The number of replicas in this process.
local function count_here(strategy) return math.max(#strategy.devices, 1) end

-- If the arguments hold shares of a batch, makes f set which rows its replica has: dropout layers need it.
local function with_places(f, arguments)
  local part = values.part_of_batch(arguments)
  if not part then return f end
  local began = {}
  return function(...)
    local replica = replicas.current
    local share = part.shares[replica.id]
    replica.places = { first = share.first, count = share.last - share.first + 1, whole = part.whole, began = began, draws = 0 }
    return f(...)
  end
end

-- Calls f(...) in each replica. Returns PerReplica values, or plain results if there is one replica.
function Strategy:run(f, arguments)
  require_function("run", f)
  if arguments ~= nil and type(arguments) ~= "table" then
    tools.fail("InvalidArgument", ("run: args is %s, expected a list of arguments"):format(tools.what_is(arguments)))
  end
  arguments = arguments or {}
  local count = arguments.n or #arguments
  local lists = {}
  for id = 1, count_here(self) do
    lists[id] = { n = count }
    for k = 1, count do lists[id][k] = values.select(arguments[k], id) end
  end
  if not self.devices[1] then return f(table.unpack(lists[1], 1, count)) end
  local results = replicas.run(self, with_places(f, arguments), lists)
  local most = 0
  for _, result in ipairs(results) do most = math.max(most, result.n) end
  local out = {}
  for k = 1, most do
    local column = {}
    for id = 1, #results do column[id] = results[id][k] end
    out[k] = values.regroup(column, #results)
  end
  return table.unpack(out, 1, most)
end

-- The values of a PerReplica value or a mirrored variable, in the replicas' order.
function Strategy:experimental_local_results(value)
  if values.is_per_replica(value) then return { table.unpack(value.values) } end
  if mirrored.of(value) then return mirrored.values(value) end
  return { value }
end

-- Reduces the replicas' values to one, their sum or mean; also along an axis if one is given. A mean weights all
-- elements equally.
function Strategy:reduce(op, value, axis)
  local how = sums.op("reduce", op)
  local list = self:experimental_local_results(value)
  if #list == 1 and count_here(self) > 1 and (how == "sum" or self.ranks) then
    for id = 2, count_here(self) do list[id] = value end
  end
  local count = 0
  for i, entry in ipairs(list) do
    if type(entry) == "table" then list[i] = lutra.constant(entry) end
    if type(list[i]) ~= "userdata" and (type(list[i]) ~= "number" or axis) then
      tools.fail("InvalidArgument", ("reduce: replica %d has %s, expected a tensor%s"):format(i, tools.what_is(list[i]),
        axis and " with axis " .. tostring(axis) or " or a number"))
    end
    if axis then
      local tensor = list[i]
      list[i] = lutra.sum(tensor, axis)
      count = count + (list[i].size > 0 and tensor.size / list[i].size or 0)
    end
  end
  if not self.devices[1] then
    return axis and how == "mean" and list[1] / count or list[1]
  end
  if not axis then return sums.reduce(self, how, list) end
  local total = sums.reduce(self, "sum", list)
  if how == "sum" then return total end
  if self.ranks then count = sums.reduce(self, "sum", { count }) end
  return lutra.device(self.devices[1], function() return total / count end)
end

-- The replicas' tensors, those of other processes too, one after the other along an axis, on the first device.
function Strategy:gather(value, axis)
  axis = axis or 1
  local list = self:experimental_local_results(value)
  for i, entry in ipairs(list) do
    if not tools.is_tensor(entry) or entry.rank == 0 then
      tools.fail("InvalidArgument", ("gather: replica %d has %s, expected a tensor with the axis %s"):format(i,
        tools.is_tensor(entry) and "a scalar" or tools.what_is(entry), tostring(axis)))
    end
  end
  if not self.devices[1] then return list[1] end
  local joined = lutra.device(self.devices[1], lutra.concat, list, axis)
  if not self.ranks then return joined end
  -- Only the sizes along the axis may differ.
  local sizes = { table.unpack(joined.shape) }
  sizes[axis < 0 and #sizes + 1 + axis or axis] = "any"
  local what = ("gather of %s (%s)"):format(joined.dtype, table.concat(sizes, ", "))
  return lutra.device(self.devices[1], lutra.concat, use "distribute.ranks".gather_tensors(what, joined, self.devices[1]), axis)
end

-- A PerReplica value of f(context), which is called once per replica, outside of them.
function Strategy:experimental_distribute_values_from_function(f)
  require_function("experimental_distribute_values_from_function", f)
  local list = {}
  local first = self.ranks and self.ranks.first or 0
  for id = 1, count_here(self) do
    list[id] = f({ replica_id_in_sync_group = first + id, num_replicas_in_sync = self.num_replicas_in_sync })
  end
  return values.regroup(list, #list)
end

-- The batches of a dataset, each split among the replicas.
function Strategy:experimental_distribute_dataset(dataset)
  return use "distribute.dataset"(self, dataset)
end

-- The batches that f(context) gives in each process for its own replicas.
function Strategy:distribute_datasets_from_function(f)
  require_function("distribute_datasets_from_function", f)
  return use "distribute.worker_dataset"(self, f)
end

-- The result of get_strategy if no scope is open.
local default = setmetatable({ devices = {}, num_replicas_in_sync = 1, kind = "DefaultStrategy", mirrors = false }, Strategy)

-- Most seconds that a replica may take between collectives, and its device for a run; false: no limit.
local function timeout_of(who, seconds)
  if seconds then return options.number(who, "timeout", seconds, 0) end
  local variable = os.getenv("LUTRA_REPLICA_TIMEOUT")
  if not variable or variable == "" then return false end
  local number = tonumber(variable)
  if not number or number < 0 or number ~= number then
    tools.fail("InvalidArgument", ("%s: LUTRA_REPLICA_TIMEOUT is \"%s\", expected a number of seconds, 0 for any time"):format(who,
      variable))
  end
  return number > 0 and number
end

local OneDeviceStrategy = class("distribute.OneDeviceStrategy", Strategy)
OneDeviceStrategy.kind, OneDeviceStrategy.mirrors = "OneDeviceStrategy", false

function OneDeviceStrategy:init(device, given)
  if device == nil then tools.fail("InvalidArgument", 'OneDeviceStrategy: device is nil, expected a name as in "/GPU:0"') end
  self.timeout = timeout_of("OneDeviceStrategy", options.read("OneDeviceStrategy", given, { timeout = false }).timeout)
  self.devices = { (tools.device_name(device)) }
  self.num_replicas_in_sync = 1
end

local MirroredStrategy = class("distribute.MirroredStrategy", Strategy)
MirroredStrategy.kind, MirroredStrategy.mirrors, MirroredStrategy.options = "MirroredStrategy", true, { timeout = false }

-- This process' logical devices of a type: not those of lutra.config.connect_to_cluster.
local function own_devices(kind)
  local own, list = lutra.config.list_logical_devices("CPU")[1].name:match "^(.*)/device:", {}
  for _, device in ipairs(lutra.config.list_logical_devices(kind)) do
    if device.name:match "^(.*)/device:" == own then list[#list + 1] = device end
  end
  return list
end

-- Full names of the given devices, or of all logical GPUs, else CPUs; and whether all have the same type.
local function devices_of(given)
  -- A list from list_logical_devices may be empty, as GPUs are on a machine without any.
  local is_listed = type(given) == "table" and getmetatable(given) == getmetatable(lutra.config.list_physical_devices())
  if is_listed and rawlen(given) == 0 then given = nil end
  if type(given) == "string" then given = { given } end
  if type(given) == "table" and getmetatable(given) == nil then
    for key in pairs(given) do
      if math.type(key) ~= "integer" then
        tools.fail("InvalidArgument", ("MirroredStrategy: devices has the key '%s', expected a list: "
          .. "MirroredStrategy {\"/GPU:0\", \"/GPU:1\"}"):format(tostring(key)))
      end
    end
  end
  if given == nil or type(given) == "table" and getmetatable(given) == nil and next(given) == nil then
    given = own_devices "GPU"
    if #given == 0 then given = own_devices "CPU" end
  end
  if type(given) ~= "table" then
    tools.fail("InvalidArgument", ("MirroredStrategy: devices is %s, expected a list of devices"):format(tools.what_is(given)))
  end
  local names, types, seen = {}, {}, {}
  for i = 1, #given do
    local name, kind = tools.device_name(given[i])
    if seen[name] then
      tools.fail("InvalidArgument", ("MirroredStrategy: no duplicates allowed in devices: %s is there twice"):format(name))
    end
    seen[name], names[i], types[i] = true, name, kind
  end
  local alike = true
  for i = 2, #types do alike = alike and types[i] == types[1] end
  return names, alike
end

-- Formatted like a Python tuple, as TensorFlow prints it.
local function tuple(names)
  local words = {}
  for i, name in ipairs(names) do words[i] = "'" .. name .. "'" end
  return "(" .. table.concat(words, ", ") .. (#words == 1 and ",)" or ")")
end

function MirroredStrategy:init(devices, given)
  self.given = options.read(self.kind, given, self.options)
  self.timeout = timeout_of(self.kind, self.given.timeout)
  local outer = current()
  if outer then
    tools.fail("FailedPrecondition", ("%s: made inside the scope of %s: make it outside"):format(self.kind, tostring(outer)))
  end
  self.devices, self.alike = devices_of(devices)
  self.num_replicas_in_sync = #self.devices
  self:announce(tuple(self.devices))
end

function MirroredStrategy:announce(names)
  io.stdout:flush()
  io.stderr:write(("INFO: Using MirroredStrategy with devices %s\n"):format(names))
end

use "colon"(Strategy, "strategy", "strategy", "scope run reduce gather experimental_local_results "
  .. "experimental_distribute_values_from_function experimental_distribute_dataset distribute_datasets_from_function")

return {
  MirroredStrategy = MirroredStrategy, OneDeviceStrategy = OneDeviceStrategy, Strategy = Strategy,
  get_strategy = function() return current() or default end,
  has_strategy = function() return current() ~= nil end,
  in_cross_replica_context = function() return current() ~= nil and replicas.current == nil end,
}
