-- Masks of attention, combined and applied to the scores. Scores have the axes batch, others, heads, query steps, value
-- steps.
local lutra, tools, use = ...

-- Converts a mask to bool.
local function as_bool(layer, name, mask)
  if type(mask) == "table" then mask = lutra.constant(mask) end
  if not tools.is_tensor(mask) then layer:refuse("%s is %s, expected a tensor", name, tools.what_is(mask)) end
  return mask.dtype == "bool" and mask or mask:ne(0)
end

local function text_of(sizes) return "(" .. table.concat(sizes, ", ") .. (#sizes == 1 and ",)" or ")") end

-- Reshapes a mask for scores of this shape. The mask ends with the steps of query and values; missing axes, first of
-- all that of the heads, are inserted before those.
local function mask_for(layer, shape, mask, steps)
  local given = as_bool(layer, "attention_mask", mask)
  local sizes, rank, fits = { table.unpack(given.shape) }, #shape, given.rank >= 2 * steps and given.rank <= #shape
  for _ = given.rank + 1, fits and rank or 0 do table.insert(sizes, #sizes - 2 * steps + 1, 1) end
  for axis = 1, fits and rank or 0 do fits = fits and (sizes[axis] == 1 or sizes[axis] == shape[axis]) end
  if fits then return lutra.reshape(given, sizes) end
  local wanted = { table.unpack(shape) }
  table.remove(wanted, rank - 2 * steps)
  layer:refuse("attention_mask has the shape %s, expected %s or what broadcasts to it", tostring(given.shape),
    text_of(wanted))
end

-- Reshapes the step mask of x (query or value) for the scores. It may lack axes at the end.
local function steps_mask(layer, name, mask, x, layout, is_query)
  local allowed, rank = as_bool(layer, name, mask), x.rank - 1
  local sizes, wanted = { table.unpack(allowed.shape) }, { table.unpack(x.shape, 1, rank) }
  local fits = #sizes >= 2 and #sizes <= rank
  for axis = 1, fits and #sizes or 0 do fits = fits and sizes[axis] == wanted[axis] end
  if not fits then layer:refuse("%s has the shape %s, expected %s", name, tostring(allowed.shape), text_of(wanted)) end
  for axis = #sizes + 1, rank do sizes[axis] = 1 end
  local order, shape = { 1 }, { sizes[1] }
  local function take(axes)
    for _, axis in ipairs(axes) do order[#order + 1], shape[#shape + 1] = axis, sizes[axis] end
  end
  local function skip(count)
    for _ = 1, count do shape[#shape + 1] = 1 end
  end
  take(layout.others)
  skip(is_query and 1 or 1 + #layout.steps)
  take(layout.steps)
  skip(is_query and #layout.steps or 0)
  return lutra.reshape(lutra.transpose(lutra.reshape(allowed, sizes), order), shape)
end

local function causal_mask(layer, shape, steps)
  if steps > 1 then layer:refuse("use_causal_mask is for steps along one axis, and there are %d", steps) end
  return lutra.expand_dims(lutra.range(shape[#shape - 1]), -1):ge(lutra.range(shape[#shape]))
end

-- Masks the scores: a disallowed entry becomes so small that its softmax is 0. `inputs` are query, value and key.
return function(layer, scores, given, layout, inputs)
  local shape, steps, allowed = { table.unpack(scores.shape) }, #layout.steps, nil
  local function restrict(own) allowed = allowed and lutra.logical_and(allowed, own) or own end
  if given.attention_mask then restrict(mask_for(layer, shape, given.attention_mask, steps)) end
  for i, name in ipairs { "query_mask", "value_mask", "key_mask" } do
    if given[name] then restrict(steps_mask(layer, name, given[name], inputs[i], layout, i == 1)) end
  end
  if given.use_causal_mask then restrict(causal_mask(layer, shape, steps)) end
  if not allowed then return scores end
  return lutra.where(allowed, scores, scores.dtype == "float16" and -3e4 or -1e9)
end
