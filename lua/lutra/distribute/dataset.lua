-- A dataset whose batches are split among replicas.
local lutra, tools, use = ...
local class, values = use "class", use "distribute.values"

local Distributed = class "distribute.DistributedDataset"

-- Returns a function that starts a pass over the dataset. A function, as in `for batch in f do`, gives one pass; a list
-- gives its entries; an object with iterate() or __call starts over at each pass.
local function passes(who, dataset)
  local kind = type(dataset)
  if kind == "function" then return function() return dataset end end
  if kind == "table" and dataset.iterate then return function() return dataset:iterate() end end
  if kind == "table" and values.is_plain(dataset) then
    return function()
      local i = 0
      return function()
        i = i + 1
        return dataset[i]
      end
    end
  end
  local meta = kind == "table" and getmetatable(dataset)
  if type(meta) == "table" and meta.__call then return function() return dataset end end
  tools.fail("InvalidArgument", ("%s: dataset is %s, expected a function that gives a batch at each "
    .. "call, a list of batches, or an object with iterate()"):format(who, tools.what_is(dataset)))
end
Distributed.passes = passes

function Distributed:init(strategy, dataset)
  self.strategy, self.pass = strategy, passes("experimental_distribute_dataset", dataset)
end

function Distributed:__tostring() return "<lutra.distribute.DistributedDataset>" end

-- Splits a batch: each replica gets its rows on its device.
local function split(strategy, batch)
  if type(batch) == "table" and values.is_plain(batch) then
    local out = {}
    for key, entry in pairs(batch) do out[key] = split(strategy, entry) end
    return out
  end
  if type(batch) ~= "userdata" then return batch end
  if batch.rank == 0 then
    tools.fail("InvalidArgument", "experimental_distribute_dataset: a batch is a scalar, expected rows: the first axis is the batch")
  end
  if #batch == 0 then
    tools.fail("InvalidArgument", ("experimental_distribute_dataset: a batch is empty: its shape is %s, expected one row or "
      .. "more"):format(tostring(batch.shape)))
  end
  local devices, list = strategy.devices, {}
  if strategy.num_replicas_in_sync <= 1 then return devices[1] and batch:to(devices[1]) or batch end
  local shares = values.shares_of(strategy, #batch)
  for id, share in ipairs(shares) do list[id] = batch[{ { share.first, share.last } }]:to(devices[id]) end
  return values.PerReplica(list, shares, #batch)
end

-- for x, y in distributed:iterate() do: starts a new pass over the batches, as PerReplica values.
function Distributed:iterate()
  local step, state, at, closing = self.pass()
  return function()
    local batch = table.pack(step(state, at))
    at = batch[1]
    if at == nil then return nil end
    for k = 1, batch.n do batch[k] = split(self.strategy, batch[k]) end
    return table.unpack(batch, 1, batch.n)
  end, nil, nil, closing
end

return Distributed
