-- Dropout for layers. In a replica the mask is the replica's rows of the mask for the whole batch.
local lutra, tools, use = ...
local replicas, seed_here = use "distribute.replicas", use "nn.layers.drawing".seed_here

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
