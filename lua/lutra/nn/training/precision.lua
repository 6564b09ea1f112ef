-- Mixed precision (Micikevicius et al., ICLR 2018): layers compute in bfloat16; weights, losses and optimisers use
-- float32. A layer's inputs are cast at its call, and its weights are cast while it computes. The tape records the
-- casts, so gradients are float32.
local lutra, tools, use = ...
local options, masks = use "options", use "nn.training.masks"
local cast = lutra.cast

local precision = {}

local kinds = { bf16 = "bfloat16", fp32 = false }

-- Resolves compile's option to the dtype that layers compute in, or nil for the dtype of their weights.
function precision.read(who, value)
  if value and type(value) ~= "string" then
    tools.fail("InvalidArgument",
      ("%s: precision is %s, expected \"bf16\" or \"fp32\""):format(who, tools.what_is(value)))
  end
  return value and options.resolve(who, "precision", value, kinds) or nil
end

local floats = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

-- Casts float tensors, alone or in a table, to `dtype`.
local function as(x, dtype)
  if type(x) == "string" then return x end
  if type(x) == "table" then
    local made = {}
    for key, each in pairs(x) do made[key] = as(each, dtype) end
    return made
  end
  local here = x.dtype
  if here == dtype or not floats[here] then return x end
  local made = cast(x, dtype)
  if masks.used then masks.carry(x, made) end
  return made
end
precision.as = as

-- Casts 16-bit float tensors to float32; others are returned unchanged.
function precision.wide(x)
  local dtype = x.dtype
  return (dtype == "bfloat16" or dtype == "float16") and as(x, "float32") or x
end

-- Casts a trainable weight, also in a table, to `dtype`; anything else is returned unchanged.
local function weight_as(value, dtype)
  if type(value) == "userdata" then
    if getmetatable(value) == "lutra.Variable" and value.trainable and floats[value.dtype] and value.dtype ~= dtype then
      return cast(value, dtype)
    end
  elseif type(value) == "table" and getmetatable(value) == nil then
    local copy
    for key, entry in next, value do
      local made = weight_as(entry, dtype)
      if not rawequal(made, entry) then
        if not copy then
          copy = {}
          for name, each in next, value do copy[name] = each end
        end
        copy[key] = made
      end
    end
    return copy or value
  end
  return value
end

-- By layer: the coroutine, possibly a replica's, for which its weights are cast.
local users = setmetatable({}, { __mode = "k" })

-- Casts the layer's own weights to `dtype` until the result is closed.
local function with_weights(layer, dtype)
  local user, before, kept = coroutine.running(), users[layer], nil
  if before and before ~= user then
    tools.fail("Unimplemented",
      ("layer '%s': it has weights of its own and waits for other replicas while it computes, which mixed "
      .. "precision does not support: put the weights into a separate layer"):format(layer.name))
  end
  for _, key in ipairs(layer._fields) do
    local value = rawget(layer, key)
    local made = weight_as(value, dtype)
    if not rawequal(made, value) then
      kept = kept or {}
      kept[key] = value
      rawset(layer, key, made)
    end
  end
  if not kept then return nil end
  users[layer] = user
  return setmetatable({}, { __close = function()
    users[layer] = before
    for key, value in pairs(kept) do rawset(layer, key, value) end
  end })
end

-- layer:call in `dtype`. Kinds that need float32 compute in it, and their result is cast to dtype.
function precision.call(dtype, layer, x, training, given)
  if layer.needs_float32 then return as(layer:call(as(x, "float32"), training, given), dtype) end
  local _ <close> = with_weights(layer, dtype)
  return layer:call(as(x, dtype), training, given)
end

return precision
