-- Mixed precision (Micikevicius et al., ICLR 2018): layers compute in bfloat16, with weights, losses and optimisers in float32. A
-- layer's inputs are cast on the way in, and so are its weights while it computes, on the tape, whose gradients are float32 then.
local lutra, tools, use = ...
local options, masks = use "options", use "nn.training.masks"
local cast = lutra.cast

local precision = {}

local kinds = { bf16 = "bfloat16", fp32 = false }

-- What compile's option means: the dtype that layers compute in, or nil for that of their weights.
function precision.read(who, value)
  if value and type(value) ~= "string" then
    tools.fail("InvalidArgument", ("%s: precision is %s, expected \"bf16\" or \"fp32\""):format(who, tools.what_is(value)))
  end
  return value and options.resolve(who, "precision", value, kinds) or nil
end

local floats = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

-- Tensors of floats, alone or in a table, as `dtype`.
local function as(x, dtype)
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

-- A tensor of halves as float32; any other as it is.
function precision.wide(x)
  local dtype = x.dtype
  return (dtype == "bfloat16" or dtype == "float16") and as(x, "float32") or x
end

-- A weight that training changes as `dtype`, also in a table; anything else stays.
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

-- Which coroutine, a replica's maybe, a layer has its weights cast for.
local users = setmetatable({}, { __mode = "k" })

-- The layer's own weights as `dtype`, until what is returned is closed.
local function with_weights(layer, dtype)
  local user, before, kept = coroutine.running(), users[layer], nil
  if before and before ~= user then
    tools.fail("Unimplemented", ("layer '%s': it has weights of its own and waits for other replicas while it computes, which mixed "
      .. "precision does not do: put the weights into a layer of their own"):format(layer.name))
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

-- layer:call in `dtype`. Kinds that need float32 compute in it and hand on what they made as dtype.
function precision.call(dtype, layer, x, training, given)
  if layer.needs_float32 then return as(layer:call(as(x, "float32"), training, given), dtype) end
  local _ <close> = with_weights(layer, dtype)
  return layer:call(as(x, dtype), training, given)
end

return precision
