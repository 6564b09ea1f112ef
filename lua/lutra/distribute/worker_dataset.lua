-- A dataset of which each process makes its own batches, one per replica and step (distribute_datasets_from_function):
-- its own files, for example. Batches may differ in their rows, and processes in their batches: those whose batches have
-- ended take part without rows until all have ended.
local lutra, tools, use = ...
local class, values, ranks, Distributed = use "class", use "distribute.values", use "distribute.ranks", use "distribute.dataset"

-- What the function is called with.
local InputContext = class "distribute.InputContext"
function InputContext:init(strategy)
  local far = strategy.ranks
  self.num_input_pipelines, self.input_pipeline_id = far and far.size or 1, far and far.rank or 0
  self.num_replicas_in_sync = strategy.num_replicas_in_sync
end
function InputContext:get_per_replica_batch_size(global)
  if math.type(global) ~= "integer" or global < 1 or global % self.num_replicas_in_sync ~= 0 then
    tools.fail("InvalidArgument", ("get_per_replica_batch_size: global_batch_size is %s, expected a multiple of the %d replicas"):format(
      math.type(global) == "integer" and global or tools.what_is(global), self.num_replicas_in_sync))
  end
  return global // self.num_replicas_in_sync
end
use "colon"(InputContext, "input context", "context", "get_per_replica_batch_size")

local WorkerDataset = class "distribute.WorkerDataset"
WorkerDataset.is_dataset = true

function WorkerDataset:init(strategy, f)
  self.strategy = strategy
  self.dataset = f(InputContext(strategy))
  self.pass = Distributed.passes("distribute_datasets_from_function", self.dataset)
end

function WorkerDataset:__tostring() return "<lutra.distribute.WorkerDataset>" end

-- How many steps there are is known when all have ended.
function WorkerDataset:cardinality() return -2 end
function WorkerDataset:shuffles()
  local has = type(self.dataset) == "table" and self.dataset.is_dataset
  return has and self.dataset:shuffles() or {}
end

local function rows_of(value)
  while type(value) == "table" do value = value[next(value)] end
  if type(value) ~= "userdata" or value.rank == 0 then
    tools.fail("InvalidArgument", ("distribute_datasets_from_function: a batch is %s, expected a tensor of rows"):format(
      type(value) == "userdata" and "a scalar" or tools.what_is(value)))
  end
  return #value
end

-- f(list) for the tensors at the same place in each value of the list.
local function each_place(list, f)
  if type(list[1]) ~= "table" then return f(list) end
  local out = {}
  for key in pairs(list[1]) do
    local entries = {}
    for i, value in ipairs(list) do entries[i] = value[key] end
    out[key] = each_place(entries, f)
  end
  return out
end

local function no_rows(value) return each_place({ value }, function(list) return list[1][{ { #list[1] + 1, #list[1] } }] end) end

-- Returns a function for the next step: this process' batches by replica (nil: it has ended), the rows of each among
-- those of all replicas, and how many those are; nil when all have ended.
local function steps_of(self)
  local step, state, at, closing = self.pass()
  local count, far, is_over = math.max(#self.strategy.devices, 1), self.strategy.ranks, false
  return function()
    local batches, mine = {}, {}
    for id = 1, count do
      local batch = table.pack()
      if not is_over then
        batch = table.pack(step(state, at))
        at = batch[1]
        is_over = at == nil
      end
      batches[id], mine[id] = not is_over and batch or nil, is_over and 0 or rows_of(batch[1])
    end
    local whole, shares = 0, {}
    for r, list in ipairs(far and ranks.gather_numbers("the next batch of a dataset", mine) or { mine }) do
      for id, rows in ipairs(list) do
        if not far or r == far.rank + 1 then shares[id] = { first = whole + 1, last = whole + rows } end
        whole = whole + rows
      end
    end
    if whole == 0 then return nil end
    self.known = batches[1] or self.known
    if not self.known then
      tools.fail("InvalidArgument", ("distribute_datasets_from_function: process %d of %d has no batch at all: each needs one, "
        .. "as from a file of its own"):format((far and far.rank or 0) + 1, far and far.size or 1))
    end
    return batches, shares, whole
  end, closing
end

-- for x, y in dataset:iterate() do: PerReplica values, or plain ones for a single replica.
function WorkerDataset:iterate()
  local next_step, closing = steps_of(self)
  local devices, is_alone = self.strategy.devices, self.strategy.num_replicas_in_sync <= 1
  return function()
    local batches, shares, whole = next_step()
    if not batches then return nil end
    local out = {}
    for k = 1, self.known.n do
      local list = {}
      for id = 1, #shares do
        local value = batches[id] and batches[id][k] or no_rows(self.known[k])
        list[id] = devices[id] and each_place({ value }, function(one) return one[1]:to(devices[id]) end) or value
      end
      if is_alone then out[k] = list[1]
      else out[k] = each_place(list, function(tensors) return values.PerReplica(tensors, shares, whole) end) end
    end
    return table.unpack(out, 1, self.known.n)
  end, nil, nil, closing
end

-- For fit: the batches of this process' replicas joined into one, of which values.placed knows the shares.
function WorkerDataset:iterate_joined()
  local next_step, closing = steps_of(self)
  return function()
    local batches, shares, whole = next_step()
    if not batches then return nil end
    local list, from = {}, 1
    for id, share in ipairs(shares) do
      if batches[id] then list[#list + 1] = batches[id] end
      share.from = from
      from = from + share.last - share.first + 1
    end
    if #list == 0 then list[1] = self.known end
    local out = {}
    for k = 1, self.known.n do
      local column = {}
      for i, batch in ipairs(list) do column[i] = batch[k] end
      out[k] = each_place(column, function(tensors) return #tensors == 1 and tensors[1] or lutra.concat(tensors, 1) end)
    end
    values.place(out[1], { shares = shares, whole = whole })
    return table.unpack(out, 1, self.known.n)
  end, nil, nil, closing
end

return WorkerDataset
