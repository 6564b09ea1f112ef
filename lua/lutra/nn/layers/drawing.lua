-- Random numbers of layers: one draw for all rows of a batch, so that replicas draw the numbers that one device would.
local lutra, tools, use = ...
local replicas = use "distribute.replicas"

local drawing = {}

-- The seed for one draw, from the layer's seed, or the sequence's, and the position in the sequence of random numbers: the next draw
-- differs, and draws repeat when the sequence does. Both are mixed by splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
function drawing.seed_here(seed)
  local key, at = tools.random_state()
  tools.set_random_state(key, at + 1)
  local mixed = seed and seed * 0x9E3779B97F4A7C15 + at or key * 0xD1B54A32D192ED03 + at
  mixed = (mixed ~ (mixed >> 30)) * 0xBF58476D1CE4E5B9
  mixed = (mixed ~ (mixed >> 27)) * 0x94D049BB133111EB
  return mixed ~ (mixed >> 31)
end

-- draw(shape, seed) for the rows of x: `sizes` are those of the other axes. In a replica it draws for the whole batch and
-- gives the replica's rows.
function drawing.rows(x, sizes, seed, draw)
  local replica = replicas.current
  local rows = replica and replica.places
  if not rows or rows.count == 0 then
    return draw({ x.shape[1], table.unpack(sizes) }, drawing.seed_here(seed))
  end
  -- The first replica takes the seed for all replicas.
  local began, draws = rows.began, rows.draws + 1
  rows.draws = draws
  began[draws] = began[draws] or drawing.seed_here(seed)
  local all = draw({ rows.whole, table.unpack(sizes) }, began[draws])
  return all[{ { rows.first, rows.first + rows.count - 1 } }]
end

return drawing
