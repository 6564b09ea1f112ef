-- Dropout as layers use it: in a replica that has a part of a batch, the mask is that of the rows' places in the whole.
local lutra, tools, use = ...
local replicas = use "distribute.replicas"

-- Numbers of a block of random bits; element i of an op takes number i.
local kBlock = 4

-- The mask of elements `first` on (from 0) of `whole`, whose random bits begin at block `began`, or where the sequence is.
local function dropped(x, rate, seed, first, whole, began)
  -- As many blocks as the whole batch would take (Executor).
  tools.draw_part(first // kBlock, whole // 2 + 1, began)
  local before = first % kBlock
  if before == 0 then return lutra.dropout(x, rate, { seed = seed }) end
  local flat = lutra.pad(lutra.flatten(x), { { before, 0 } })
  return lutra.dropout(flat, rate, { seed = seed })[{ { before + 1, -1 } }]:reshape(x.shape)
end

-- In a replica of which nobody knows what rows it has: each is taken to have as many. Bits of the sequence differ by themselves.
local function dropped_alone(x, rate, seed, replica)
  if not (replica and seed and x.rank > 0) then return lutra.dropout(x, rate, { seed = seed }) end
  return dropped(x, rate, seed, (replica.id - 1) * x.size, replica.strategy.num_replicas_in_sync * x.size)
end

return function(x, rate, seed)
  local replica = replicas.current
  local rows = replica and replica.places
  if not rows then return dropped_alone(x, rate, seed, replica) end
  if rows.count == 0 or x.size % rows.count ~= 0 then return lutra.dropout(x, rate, { seed = seed }) end
  local row = x.size // rows.count
  local first, whole = (rows.first - 1) * row, rows.whole * row
  if seed then return dropped(x, rate, seed, first, whole) end
  -- The first replica takes bits from the sequence for all of them; the others come after it.
  local began, draws = rows.began, rows.draws + 1
  rows.draws = draws
  if not began[draws] then
    began[draws] = tools.random_counter()
    return dropped(x, rate, seed, first, whole)
  end
  return dropped(x, rate, seed, first, whole, began[draws])
end
