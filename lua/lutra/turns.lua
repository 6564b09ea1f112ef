-- Layer call state (nn/layers/layer.lua) is per coroutine: a coroutine that yields inside a model finds its state again when
-- resumed. If neither the coroutine nor its resumer has such state, resuming costs little more than in plain Lua.
-- nn/layers/layer.lua sets `name_error` when it is loaded.
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

-- Starts running a coroutine, with the state `own` that it had when it yielded, if any. Closing the result restores the
-- resumer's state.
local function begin(own)
  local turn = setmetatable(told(), meta)
  if own then tell(own) end
  return turn
end

local kept = setmetatable({}, { __mode = "k" })

local function finish(thread, ok, ...)
  if ok then
    kept[thread] = is_told() and told() or nil
  else -- name the layer now: the coroutine's state is lost
    turns.name_error((...))
  end
  return ok, ...
end

-- The same if there was no state before.
local function finish_first(thread, ok, ...)
  if not is_told() then return ok, ... end
  local _ <close> = setmetatable({ training = false }, meta)
  return finish(thread, ok, ...)
end

-- coroutine.resume(thread, ...) and coroutine.close(thread); the first argument is the core's function.
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

-- The result of coroutine.wrap, from the result of the core's.
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
