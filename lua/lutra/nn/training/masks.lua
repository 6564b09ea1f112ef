-- Masks: which steps of a batch count. A layer that finds out (Embedding, Masking) attaches a mask to its result; later
-- layers, losses and metrics read it there, use it and pass it on. Rules and formulas are Keras 3's.
local lutra, tools, use = ...

local masks = {
  used = false, -- whether any layer makes masks; otherwise nobody looks for one
}

-- Masks by tensor: bool, true where a step counts, with the shape of the tensor's first axes.
local known = setmetatable({}, { __mode = "k" })

-- The mask of a tensor, or nil. For a list: a list of masks (false = none), or nil if none has one.
function masks.of(x)
  if type(x) ~= "table" then return known[x] end
  local list, found = {}, false
  for i = 1, #x do
    list[i] = masks.of(x[i]) or false
    found = found or list[i]
  end
  return found and list or nil
end

-- The first input's mask, from the result of masks.of.
function masks.first(mask) return type(mask) == "table" and mask[1] or type(mask) == "userdata" and mask or nil end

-- Attaches masks to a layer's results; a single mask belongs to the first result. A result that has a mask keeps it.
function masks.put(y, mask)
  local results, list = type(y) == "table" and y or { y }, type(mask) == "table" and mask or { mask }
  for i, each in ipairs(list) do
    if each and results[i] then known[results[i]] = known[results[i]] or each end
  end
end

-- Copies the mask of x to `made`, which is x in another dtype.
function masks.carry(x, made) known[made] = known[x] end

-- The options of a layer's call: the masks of its inputs, as far as it takes them, overridden by the caller's options.
local function told(layer, given, mask)
  local own = mask and layer.mask_options and layer:mask_options(mask)
  if not own then return given end
  for key, value in pairs(given or {}) do own[key] = value end
  return own
end

-- Calls call(layer, x, training, given) with the masks of x, and attaches masks to the results.
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

-- Sums of x over the steps that count, and the number of these; `how` are the options of lutra.sum.
function masks.sums(x, mask, how)
  local counts = mask
  for _ = mask.rank + 1, x.rank do counts = lutra.expand_dims(counts, -1) end
  return lutra.sum(lutra.where(counts, x, 0), how),
    lutra.sum(lutra.broadcast_to(lutra.cast(counts, x.dtype), x.shape), how)
end

-- The number of steps that count, and of all steps; in a replica with a share of a batch, those of the whole batch.
local function counted(mask, dtype)
  local valid, size = lutra.sum(lutra.cast(mask, dtype)), mask.size
  local replicas = use "distribute.replicas"
  local replica = replicas.current
  if not (replica and replica.rows) then return valid, size end
  return table.unpack(replicas.meet("the mask of a loss", function(strategy, brought, list)
    return use "distribute.sums".all_reduce(strategy, "sum", brought, list)
  end, { valid, size }))
end

-- Weights of a loss's values from the mask of the predictions, scaled so that a mean is over the steps that count.
function masks.weights(mask, dtype, is_mean)
  local weights = lutra.cast(mask, dtype)
  if not is_mean then return weights end
  local valid, size = counted(mask, dtype)
  return weights * (size / lutra.maximum(valid, 1))
end

return masks
