-- PerReplica: values that differ between replicas.
local lutra, tools, use = ...
local class = use "class"

-- values[i] belongs to replica i. For the shares of a batch, shares[i] are the rows of replica i, of `whole` rows.
local PerReplica = class "distribute.PerReplica"

function PerReplica:init(list, shares, whole) self.values, self.shares, self.whole = list, shares, whole end

function PerReplica:__tostring()
  local lines = { "PerReplica:{" }
  for i = 1, #self.values do
    lines[#lines + 1] = ("  %d: %s%s"):format(i, tostring(self.values[i]), i < #self.values and "," or "")
  end
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n")
end

local function is_per_replica(value) return getmetatable(value) == PerReplica end

-- A plain table, whose entries are considered.
local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end

-- Replica `id`'s version of a value: PerReplica values, also inside tables, are replaced by its own.
local function select(value, id)
  if is_per_replica(value) then return value.values[id] end
  if not is_plain(value) then return value end
  local own
  for key, entry in pairs(value) do
    local selected = select(entry, id)
    if not rawequal(selected, entry) then
      own = own or {}
      own[key] = selected
    end
  end
  if not own then return value end
  for key, entry in pairs(value) do
    if own[key] == nil then own[key] = entry end
  end
  return own
end

-- A PerReplica value with shares of a batch, found in `value` or in tables there.
local function part_of_batch(value)
  if is_per_replica(value) then return value.shares and value end
  for _, entry in pairs(is_plain(value) and value or {}) do
    local found = part_of_batch(entry)
    if found then return found end
  end
end

-- Combines the replicas' values into one: the object itself if it is the same in all replicas, a table combined entry
-- by entry, else a PerReplica value.
local function regroup(list, count)
  local first = list[1]
  if count == 1 then return first end
  local same, plain = true, true
  for i = 1, count do
    same = same and rawequal(list[i], first)
    plain = plain and is_plain(list[i])
  end
  if same and type(first) ~= "number" then return first end
  if not plain then
    for i = 1, count do
      if list[i] == nil then list[i] = false end
    end
    return PerReplica(list)
  end
  local out = {}
  for key in pairs(first) do
    local entries = {}
    for i = 1, count do entries[i] = list[i][key] end
    out[key] = regroup(entries, count)
  end
  return out
end

-- Splits rows 1..rows into consecutive shares of ceil(rows / replicas), as TensorFlow does; the last ones may be short
-- or empty. Returns {first, last} of each.
local function shares(rows, replicas)
  local most, list = (rows + replicas - 1) // replicas, {}
  for id = 1, replicas do
    local first = math.min((id - 1) * most, rows) + 1
    list[id] = { first = first, last = math.min(id * most, rows) }
  end
  return list
end

-- The shares of the strategy's replicas in this process.
local function shares_of(strategy, rows)
  local all, first, own = shares(rows, strategy.num_replicas_in_sync), strategy.ranks and strategy.ranks.first or 0, {}
  for id = 1, #strategy.devices do own[id] = all[first + id] end
  return own
end

-- Batches of which a process has only its own rows (worker_dataset.lua), by their first tensor: {shares = {first, last and,
-- among the process' own rows, from}, whole = the number of all rows}.
local places = setmetatable({}, { __mode = "k" })
local function first_tensor(value)
  while type(value) == "table" do value = value[next(value)] end
  return value
end
local function place(value, where) places[first_tensor(value)] = where end
local function placed(value) return places[first_tensor(value)] end

return { shares_of = shares_of, place = place, placed = placed, PerReplica = PerReplica, is_per_replica = is_per_replica, select = select, regroup = regroup, shares = shares,
  is_plain = is_plain, part_of_batch = part_of_batch }
