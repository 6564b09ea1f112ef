-- Dropout for layers. In a replica the mask is the replica's rows of the mask for the whole batch.
local lutra, tools, use = ...
local replicas = use "distribute.replicas"

-- Numbers per block of random bits; element i of an op takes number i.
local kBlock = 4

-- Drops elements `first` on (from 0) of `whole`, whose random bits begin at block `began`, or at the sequence's
-- position.
local function dropped(x, rate, seed, first, whole, began)
  -- Uses as many blocks as the whole batch would (Executor).
  tools.draw_part(first // kBlock, whole // 2 + 1, began)
  local before = first % kBlock
  if before == 0 then return lutra.dropout(x, rate, { seed = seed }) end
  local flat = lutra.pad(lutra.flatten(x), { { before, 0 } })
  return lutra.dropout(flat, rate, { seed = seed })[{ { before + 1, -1 } }]:reshape(x.shape)
end

-- The seed for one mask, from the layer's seed and the position in the sequence of random numbers: the next mask
-- differs, and masks repeat when the sequence does. Both are mixed by splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
local function seed_here(seed)
  local key, at = tools.random_state()
  tools.set_random_state(key, at + 1)
  local mixed = seed * 0x9E3779B97F4A7C15 + at
  mixed = (mixed ~ (mixed >> 30)) * 0xBF58476D1CE4E5B9
  mixed = (mixed ~ (mixed >> 27)) * 0x94D049BB133111EB
  return mixed ~ (mixed >> 31)
end

return function(x, rate, seed)
  local replica = replicas.current
  local rows = replica and replica.places
  if not rows or rows.count == 0 or x.size % rows.count ~= 0 then
    return lutra.dropout(x, rate, { seed = seed and seed_here(seed) })
  end
  local row = x.size // rows.count
  local first, whole = (rows.first - 1) * row, rows.whole * row
  -- The first replica takes bits, or a seed, for all replicas; the others use the same.
  local began, draws = rows.began, rows.draws + 1
  rows.draws = draws
  local is_first = not began[draws]
  if is_first then began[draws] = seed and seed_here(seed) or tools.random_counter() end
  if seed then return dropped(x, rate, began[draws], first, whole) end
  return dropped(x, rate, nil, first, whole, not is_first and began[draws] or nil)
end
