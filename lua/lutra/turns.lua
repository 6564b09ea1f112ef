-- Layer call state (nn/layers/layer.lua) is per coroutine: a coroutine that yields inside a model keeps it and finds it when resumed.
-- Without such state, before a turn and after it, a turn costs little more than Lua's own.
-- `name_error` is nn/layers/layer.lua's, once that is loaded.
local turns = { running = { training = false }, name_error = function() end }
local running = turns.running

local function is_told()
  return running.layer or running.training or running.dtype or running.frozen or running.again or running.recomputed or running.output
end

local function told()
  return {
    layer = running.layer, output = running.output, training = running.training, dtype = running.dtype, frozen = running.frozen,
    again = running.again, recomputed = running.recomputed,
  }
end

local function tell(all)
  running.layer, running.output, running.training, running.dtype = all.layer, all.output, all.training, all.dtype
  running.frozen, running.again, running.recomputed = all.frozen, all.again, all.recomputed
end

local nothing = { training = false }
local meta = { __close = tell }

-- A coroutine has its turn until what this gives is closed. `own` is what it was told when it stopped before, if anything.
local function begin(own)
  local turn = setmetatable(told(), meta)
  if own then tell(own) end
  return turn
end

local kept = setmetatable({}, { __mode = "k" })

local function finish(thread, ok, ...)
  if ok then
    kept[thread] = is_told() and told() or nil
  else -- the layer that the error came from is forgotten with the coroutine
    turns.name_error((...))
  end
  return ok, ...
end

-- The same behind a turn before which nothing was told.
local function finish_first(thread, ok, ...)
  if not is_told() then return ok, ... end
  local _ <close> = setmetatable({ training = false }, meta)
  return finish(thread, ok, ...)
end

-- coroutine.resume(thread, ...) and coroutine.close(thread), by the core's.
function turns.resume(resume, thread, ...)
  local own = kept[thread]
  if not own and not is_told() then return finish_first(thread, resume(thread, ...)) end
  local _ <close> = begin(own)
  return finish(thread, resume(thread, ...))
end
function turns.close(close, thread)
  local _ <close> = begin(kept[thread])
  return close(thread)
end

-- What coroutine.wrap gives, of what the core's gave.
function turns.wrapped(go)
  local own
  local function keep(...)
    own = is_told() and told() or nil
    return ...
  end
  local function keep_first(...)
    if is_told() then
      own = told()
      tell(nothing)
    end
    return ...
  end
  return function(...)
    if not own and not is_told() then return keep_first(go(...)) end
    local _ <close> = begin(own)
    return keep(go(...))
  end
end

return turns
