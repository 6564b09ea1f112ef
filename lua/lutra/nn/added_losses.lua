-- Losses that layers add to their model's while they compute: by add_loss, and what activity_regularizer makes of what they give. A
-- layer keeps those since the outermost call around it began, each replica for itself; the next such call forgets them.
local lutra, tools, use = ...
local replicas, below, precision = use "distribute.replicas", use "nn.below", use "nn.precision"

local added = {}

-- Where no replica runs. `lists` has what each layer has added, `is_open` tells that a call is under way, `ignores` that what is
-- computed is no step: shapes are tried out.
local alone = { lists = setmetatable({}, { __mode = "k" }) }

local function here()
  local replica = replicas.current
  if not replica then return alone end
  local place = replica.added
  if not place then
    place = { lists = {} }
    replica.added = place
  end
  return place
end

-- What an error that came from anywhere is to find again.
function added.is_open() return here().is_open end
function added.set_open(is_open) here().is_open = is_open end

local leaving = setmetatable({}, { __close = function() here().is_open = false end })

-- The layer's call begins. Gives what is to be closed where that is the outermost one.
function added.enter(layer)
  local place = here()
  if place.is_open then return nil end
  place.is_open = true
  if next(place.lists) then
    place.lists[layer] = nil
    for _, each in ipairs(below.layers(layer)) do place.lists[each] = nil end
  end
  return leaving
end

local heeding = setmetatable({}, { __close = function() here().ignores = nil end })
function added.ignore()
  here().ignores = true
  return heeding
end

local function add(layer, value)
  local place = here()
  local running = tools.running
  if place.ignores or running.again then return end
  if running.recomputed then
    tools.fail("Unimplemented", ("layer '%s': it adds a loss inside lutra.recompute_grad, which would have no gradient: let a layer "
      .. "outside add it"):format(layer.name))
  end
  if value.rank > 0 then value = lutra.sum(value) end
  local list = place.lists[layer]
  if list then list[#list + 1] = value else place.lists[layer] = { value } end
end

-- A tensor, or a list of them, as one that a scalar is made of.
function added.add(layer, loss)
  local list = type(loss) == "table" and getmetatable(loss) == nil and loss or { loss }
  for _, value in ipairs(list) do
    if not tools.is_tensor(value) then
      layer:refuse("add_loss: loss is %s, expected a tensor, which a layer or a model has in its call", tools.what_is(value))
    end
  end
  for _, value in ipairs(list) do add(layer, value) end
end

-- What the regularizer makes of each result, divided by the rows that there are.
function added.regularize(layer, regularizer, y)
  for _, each in ipairs(type(y) == "table" and y or { y }) do
    local cost = regularizer(precision.wide(each))
    if each.rank > 0 then cost = cost / math.max(each.shape[1], 1) end
    add(layer, cost)
  end
end

-- The losses that the layer has added and those below, in that order.
function added.of(layer)
  local lists, found = here().lists, {}
  if next(lists) == nil then return found end
  local own = lists[layer]
  if own then table.move(own, 1, #own, 1, found) end
  for _, each in ipairs(below.layers(layer)) do
    local list = lists[each]
    if list then table.move(list, 1, #list, #found + 1, found) end
  end
  return found
end

return added
