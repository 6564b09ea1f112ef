-- Losses that layers add to their model's while they compute: by add_loss, and what activity_regularizer makes of what they give. A
-- layer keeps those since the outermost call around it began, each replica for itself; the next such call forgets them.
local lutra, tools, use = ...
local replicas, below, precision = use "distribute.replicas", use "nn.layers.below", use "nn.training.precision"

-- `used`: there may be such losses, because a layer regularizes what it gives, or because a program has made layers of its own, which
-- begins when this library's are there. Until then calls are not looked at.
local added = { used = false, has_our_layers = false }

-- What is told of one replica, or of where none runs: `lists` has what each layer has added, `open` the coroutines in which an
-- outermost call is under way, `ignores` those in which what is computed is no step: shapes are tried out. A coroutine that is left
-- in a call is forgotten with it; until then, and while it is suspended, it is around nothing else.
local weak = { __mode = "k" }
local function new_place()
  local place = { lists = setmetatable({}, weak), open = setmetatable({}, weak), ignores = setmetatable({}, weak) }
  place.leaving = setmetatable({}, { __close = function() place.open[coroutine.running()] = nil end })
  place.heeding = setmetatable({}, { __close = function() place.ignores[coroutine.running()] = nil end })
  return place
end

local alone = new_place()

local function here()
  local replica = replicas.current
  if not replica then return alone end
  local place = replica.added
  if not place then
    place = new_place()
    replica.added = place
  end
  return place
end

-- Whether one of the coroutines is at work: the one that runs, or one that waits for it.
local function is_around(threads)
  for thread in next, threads do
    local status = coroutine.status(thread)
    if status == "running" or status == "normal" then return true end
  end
  return false
end

-- What an error that came from anywhere is to find again.
function added.is_open() return added.used and here().open[coroutine.running()] or nil end
function added.set_open(is_open)
  if added.used then here().open[coroutine.running()] = is_open end
end

-- The layer's call begins. Gives what is to be closed where that is the outermost one.
function added.enter(layer)
  if not added.used then return nil end
  local place = here()
  if is_around(place.open) then return nil end
  place.open[coroutine.running()] = true
  if next(place.lists) then
    place.lists[layer] = nil
    for _, each in ipairs(below.layers(layer)) do place.lists[each] = nil end
  end
  return place.leaving
end

-- Until what it gives is closed nothing is added.
function added.ignore()
  local place = here()
  if is_around(place.ignores) then return nil end
  place.ignores[coroutine.running()] = true
  return place.heeding
end

local function add(layer, value)
  local place = here()
  local running = tools.running
  if is_around(place.ignores) or running.again then return end
  if running.recomputed then
    tools.fail("Unimplemented", ("layer '%s': it adds a loss inside lutra.recompute_grad, which would have no gradient: let a layer "
      .. "outside add it"):format(layer.name))
  end
  if value.rank > 0 then value = lutra.sum(value) end
  added.used = true
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
    if not tools.is_tensor(cost) then layer:refuse("its activity_regularizer gives %s, expected a tensor", tools.what_is(cost)) end
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
