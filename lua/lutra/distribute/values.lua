-- Values that differ from replica to replica.
local lutra, tools, use = ...
local class = use "class"

-- values[i] is replica i's. Parts of a batch know which rows they are: shares[i] of `whole`.
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

-- A table of the program's own, which is looked into.
local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end

-- What replica `id` gets of a value: its own part of PerReplica values, also of those in tables.
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

-- A value in `value`, or in tables there, that is a part of a batch.
local function part_of_batch(value)
  if is_per_replica(value) then return value.shares and value end
  for _, entry in pairs(is_plain(value) and value or {}) do
    local found = part_of_batch(entry)
    if found then return found end
  end
end

-- What the replicas gave as one value: PerReplica; what is the same object in all is itself, and tables are put together
-- entry by entry.
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

-- The rows 1..rows in consecutive shares of ceil(rows / replicas), as TensorFlow has it: the last ones may be short, or
-- empty. first, last of each.
local function shares(rows, replicas)
  local most, list = (rows + replicas - 1) // replicas, {}
  for id = 1, replicas do
    local first = math.min((id - 1) * most, rows) + 1
    list[id] = { first = first, last = math.min(id * most, rows) }
  end
  return list
end

return { PerReplica = PerReplica, is_per_replica = is_per_replica, select = select, regroup = regroup, shares = shares,
  is_plain = is_plain, part_of_batch = part_of_batch }
