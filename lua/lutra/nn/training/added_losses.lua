-- Losses that layers add during their call, with add_loss or activity_regularizer. A layer keeps the losses of the
-- outermost call that is running around it, separately for each replica, until the next outermost call begins.
local lutra, tools, use = ...
local replicas, below, precision = use "distribute.replicas", use "nn.layers.below", use "nn.training.precision"

-- `used`: there may be such losses, since a layer has an activity regularizer or the program defines its own layers.
-- has_our_layers: the library's layers are defined, so further ones are the program's. Until `used` is set, calls are
-- not tracked.
local added = { used = false, has_our_layers = false }

-- The state of one replica, or of code outside replicas. `lists`: the losses that each layer has added. `open`:
-- coroutines with a running outermost call. `ignores`: coroutines in which losses do not count, since shapes are being
-- tried out. The entry of a coroutine that never returns from a call disappears with the coroutine; a suspended
-- coroutine encloses no other call.
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

-- Whether one of the coroutines is running or waits for the one that runs.
local function is_around(threads)
  for thread in next, threads do
    local status = coroutine.status(thread)
    if status == "running" or status == "normal" then return true end
  end
  return false
end

-- Saved and restored around code that may raise an error.
function added.is_open() return added.used and here().open[coroutine.running()] or nil end
function added.set_open(is_open)
  if added.used then here().open[coroutine.running()] = is_open end
end

-- Begins a layer's call. For an outermost call it returns a value to close at the end.
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

-- Ignores added losses until the result is closed.
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
    tools.fail("Unimplemented",
      ("layer '%s': it adds a loss inside lutra.recompute_grad, which would have no gradient: let a layer "
      .. "outside add it"):format(layer.name))
  end
  if value.rank > 0 then value = lutra.sum(value) end
  added.used = true
  local list = place.lists[layer]
  if list then list[#list + 1] = value else place.lists[layer] = { value } end
end

-- Adds a tensor or a list of tensors; elements of larger tensors are summed.
function added.add(layer, loss)
  local list = type(loss) == "table" and getmetatable(loss) == nil and loss or { loss }
  for _, value in ipairs(list) do
    if not tools.is_tensor(value) then
      layer:refuse("add_loss: loss is %s, expected a tensor, computed in the call of a layer or model",
        tools.what_is(value))
    end
  end
  for _, value in ipairs(list) do add(layer, value) end
end

-- Adds the regularizer's value for each result, divided by the number of rows.
function added.regularize(layer, regularizer, y)
  for _, each in ipairs(type(y) == "table" and y or { y }) do
    local cost = regularizer(precision.wide(each))
    if not tools.is_tensor(cost) then
      layer:refuse("its activity_regularizer gives %s, expected a tensor", tools.what_is(cost))
    end
    if each.rank > 0 then cost = cost / math.max(each.shape[1], 1) end
    add(layer, cost)
  end
end

-- The losses added by the layer and then by its sublayers.
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
