-- Masks: which steps of a batch count. A layer that finds out (Embedding, Masking) has its mask put beside what it gives; the
-- next ones take it from there, use it and hand it on, as do losses and metrics at the end. Rules and formulas are Keras 3's.
local lutra, tools, use = ...

local masks = {
  used = false, -- until there is a layer that makes masks, nobody looks for one
}

-- The mask of each tensor that has one: bool, true where a step counts, of the shape of the tensor's first axes.
local known = setmetatable({}, { __mode = "k" })

-- The mask of a tensor, or nil; of a list what its tensors have, false where one has none, or nil where none has.
function masks.of(x)
  if type(x) ~= "table" then return known[x] end
  local list, found = {}, false
  for i = 1, #x do
    list[i] = masks.of(x[i]) or false
    found = found or list[i]
  end
  return found and list or nil
end

-- That of the first input, of what masks.of gave.
function masks.first(mask) return type(mask) == "table" and mask[1] or type(mask) == "userdata" and mask or nil end

-- Puts masks beside what a layer gave: one is the first result's. What has one keeps it.
function masks.put(y, mask)
  local results, list = type(y) == "table" and y or { y }, type(mask) == "table" and mask or { mask }
  for i, each in ipairs(list) do
    if each and results[i] then known[results[i]] = known[results[i]] or each end
  end
end

-- `made` is x in another dtype.
function masks.carry(x, made) known[made] = known[x] end

-- What a layer is told at its call: the masks of its inputs in so far as it takes them, under what the caller says.
local function told(layer, given, mask)
  local own = mask and layer.mask_options and layer:mask_options(mask)
  if not own then return given end
  for key, value in pairs(given or {}) do own[key] = value end
  return own
end

-- call(layer, x, training, given) with the masks of x; its results have theirs.
function masks.call(call, layer, x, training, given)
  local mask = masks.of(x)
  local y = call(layer, x, training, told(layer, given, mask))
  local made = layer:compute_mask(x, mask)
  if not made then return y end
  if type(made) ~= "userdata" and type(made) ~= "table" then
    layer:refuse("its mask is %s, expected a bool tensor, a list of them or nil", tools.what_is(made))
  end
  masks.put(y, made)
  return y
end

-- Sums over axes of x, of the steps that count, and how many these are; `how` is what lutra.sum is told.
function masks.sums(x, mask, how)
  local counts = mask
  for _ = mask.rank + 1, x.rank do counts = lutra.expand_dims(counts, -1) end
  return lutra.sum(lutra.where(counts, x, 0), how), lutra.sum(lutra.broadcast_to(lutra.cast(counts, x.dtype), x.shape), how)
end

-- How many steps count, and how many there are. In a replica that trains on a part of a batch: in the whole batch.
local function counted(mask, dtype)
  local valid, size = lutra.sum(lutra.cast(mask, dtype)), mask.size
  local replicas = use "distribute.replicas"
  local replica = replicas.current
  if not (replica and replica.rows) then return valid, size end
  return table.unpack(replicas.meet("the mask of a loss", function(strategy, brought, list)
    return use "distribute.sums".all_reduce(strategy, "sum", brought, list)
  end, { valid, size }))
end

-- Weights of a loss's values by the mask of the predictions: where a mean is to come, it is over the steps that count.
function masks.weights(mask, dtype, is_mean)
  local weights = lutra.cast(mask, dtype)
  if not is_mean then return weights end
  local valid, size = counted(mask, dtype)
  return weights * (size / lutra.maximum(valid, 1))
end

return masks
