-- Attention. Up to 1,024 x 1,024 scores are one matrix for each head, causal ones up to 128 x 128; beyond, blocks of queries
-- are computed one after the other, and the gradient computes each block's scores anew instead of keeping them. Causal blocks
-- leave out the keys that none of their queries sees, half of all.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local kMostScores, kMostCausal = 1024 * 1024, 128 * 128
-- Scores of a block, over all heads: about what a core's caches hold.
local kBlockScores = 1 << 18

local function product(a, b) return lutra.matmul(a, b, { transpose_b = true }) end

-- Rows first .. last, columns .. of the last two axes.
local function rows_of(x, first, last)
  local key = {}
  for k = 1, x.rank - 2 do key[k] = {} end
  key[x.rank - 1], key[x.rank] = { first, last }, {}
  return x[key]
end
local function part_of(mask, first, last, columns)
  local key = {}
  for k = 1, mask.rank - 2 do key[k] = {} end
  key[mask.rank - 1] = mask.shape[mask.rank - 1] == 1 and {} or { first, last }
  key[mask.rank] = mask.shape[mask.rank] == 1 and {} or { 1, columns }
  return mask[key]
end

-- Scores with what may not be seen set to -inf, where `seen` is a bool tensor; a float mask is added.
local function masked(scores, mask)
  if not mask then return scores end
  if mask.dtype ~= "bool" then return scores + lutra.cast(mask, scores.dtype) end
  return lutra.where(mask, scores, -math.huge)
end

-- Which keys the queries first .. last may see: those up to their own place.
local function past(device, first, last, columns)
  return lutra.device(device, function()
    local queries = lutra.range(first, last + 1):reshape { last - first + 1, 1 }
    return queries:ge(lutra.range(1, columns + 1):reshape { 1, columns })
  end)
end

-- Queries that see no key get zeros; without a mask there are none.
local function shares(scores, can_be_blind)
  if not can_be_blind then return lutra.softmax(scores, -1) end
  local most = lutra.stop_gradient(scores:max(-1, { keepdims = true }))
  local is_blind = most:eq(-math.huge)
  local weights = lutra.exp(scores - lutra.where(is_blind, 0, most))
  local sum = weights:sum(-1, { keepdims = true })
  return weights / lutra.where(sum:eq(0), 1, sum)
end

local function plain(q, k, v, mask, told)
  local scores = masked(product(q * told.scale, k), mask)
  if told.is_causal then
    local columns = k.shape[k.rank - 1]
    scores = lutra.where(past(q.device, 1, q.shape[q.rank - 1], columns), scores, -math.huge)
  end
  return lutra.matmul(shares(scores, mask ~= nil), v)
end

-- The blocks of queries: first, last, and how many keys they see at most.
local function blocks(q, k, told)
  local rows, columns, heads = q.shape[q.rank - 1], k.shape[k.rank - 1], 1
  for axis = 1, q.rank - 2 do heads = heads * q.shape[axis] end
  local size = math.max(kBlockScores // math.max(columns * heads, 1), 32)
  size = math.min(size, math.max(kMostScores // math.max(columns, 1), 1), rows)
  local first = 1 - size
  return function()
    first = first + size
    if first > rows then return nil end
    local last = math.min(first + size - 1, rows)
    return first, last, told.is_causal and math.min(last, columns) or columns
  end
end

-- The weights of a block, and its queries, keys and values.
local function block_of(q, k, v, mask, told, first, last, columns)
  local whole = columns == k.shape[k.rank - 1]
  local queries = rows_of(q, first, last) * told.scale
  local keys, values = whole and k or rows_of(k, 1, columns), whole and v or rows_of(v, 1, columns)
  local scores = masked(product(queries, keys), mask and part_of(mask, first, last, columns))
  if told.is_causal then scores = lutra.where(past(q.device, first, last, columns), scores, -math.huge) end
  return shares(scores, mask ~= nil), queries, keys, values
end

local function longer(x, rows)
  local missing = rows - x.shape[x.rank - 1]
  if missing == 0 then return x end
  local borders = {}
  for axis = 1, x.rank do borders[axis] = { 0, axis == x.rank - 1 and missing or 0 } end
  return lutra.pad(x, borders)
end

local blocked
local function make_blocked()
  return lutra.custom_gradient(function(q, k, v, told, mask)
    local parts = {}
    for first, last, columns in blocks(q, k, told) do
      local weights, _, _, values = block_of(q, k, v, mask, told, first, last, columns)
      parts[#parts + 1] = lutra.matmul(weights, values)
    end
    local result = #parts == 1 and parts[1] or lutra.concat(parts, q.rank - 1)
    return result, function(upstream)
      local slopes, of_keys, of_values = {}, nil, nil
      for first, last, columns in blocks(q, k, told) do
        local weights, queries, keys, values = block_of(q, k, v, mask, told, first, last, columns)
        local dy = rows_of(upstream, first, last)
        local share = product(dy, values)
        share = weights * (share - (share * weights):sum(-1, { keepdims = true }))
        slopes[#slopes + 1] = lutra.matmul(share, keys) * told.scale
        local more_keys = longer(lutra.matmul(share, queries, { transpose_a = true }), k.shape[k.rank - 1])
        local more_values = longer(lutra.matmul(weights, dy, { transpose_a = true }), k.shape[k.rank - 1])
        of_keys = of_keys and of_keys + more_keys or more_keys
        of_values = of_values and of_values + more_values or more_values
      end
      local of_queries = #slopes == 1 and slopes[1] or lutra.concat(slopes, q.rank - 1)
      if mask then return of_queries, of_keys, of_values, false end
      return of_queries, of_keys, of_values
    end
  end)
end

local function require_fit(who, q, k, v)
  local fits = q.rank >= 2 and k.rank == q.rank and v.rank == q.rank
  for axis = 1, fits and q.rank - 2 or 0 do
    fits = fits and q.shape[axis] == k.shape[axis] and q.shape[axis] == v.shape[axis]
  end
  local rank = q.rank
  if fits and q.shape[rank] == k.shape[rank] and k.shape[rank - 1] == v.shape[rank - 1] then return end
  tools.fail("InvalidArgument", ("%s: query %s, key %s and value %s do not match: expected (..., queries, size), (..., keys, size) "
    .. "and (..., keys, size of values)"):format(who, tostring(q.shape), tostring(k.shape), tostring(v.shape)))
end

local function read_mask(who, mask, q, k)
  if not mask then return nil end
  mask = arguments.tensor(who, "mask", mask)
  if mask.dtype ~= "bool" and not mask.dtype:find "float" then
    tools.fail("InvalidArgument", ("%s: mask is %s, expected bool (true: may be seen) or floats, which are added"):format(who, mask.dtype))
  end
  local shape = { table.unpack(q.shape) }
  shape[q.rank] = k.shape[k.rank - 1]
  local fits = mask.rank <= q.rank and mask.rank >= 2
  for i = 1, fits and mask.rank or 0 do
    local size = mask.shape[mask.rank + 1 - i]
    fits = fits and (size == 1 or size == shape[q.rank + 1 - i])
  end
  if not fits then
    tools.fail("InvalidArgument", ("%s: mask has the shape %s, which does not broadcast to %s"):format(who, tostring(mask.shape),
      options.shape_text(shape)))
  end
  return mask
end

-- scaled_dot_product_attention(query, key, value[, {mask, is_causal, scale}])
local function attention(query, key, value, given)
  local who = "scaled_dot_product_attention"
  local q, k, v = arguments.tensor(who, "query", query), arguments.tensor(who, "key", key), arguments.tensor(who, "value", value)
  local read = options.read(who, given, { mask = false, is_causal = false, scale = false })
  options.boolean(who, "is_causal", read.is_causal)
  require_fit(who, q, k, v)
  q, k, v = arguments.float(q), arguments.float(k), arguments.float(v)
  local mask = read_mask(who, read.mask, q, k)
  local told = {
    is_causal = read.is_causal,
    scale = read.scale and options.number(who, "scale", read.scale) or 1 / math.sqrt(math.max(q.shape[q.rank], 1)),
  }
  if q.shape[q.rank - 1] * k.shape[k.rank - 1] <= (told.is_causal and kMostCausal or kMostScores) then
    return plain(q, k, v, mask, told)
  end
  blocked = blocked or make_blocked()
  return blocked(q, k, v, told, mask)
end

return { scaled_dot_product_attention = options.bounded("scaled_dot_product_attention", 4, attention, true) }
