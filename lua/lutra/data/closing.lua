-- The closing values of generators. `for` closes the fourth value that it is given, and so does an iteration of a
-- dataset: when its generator ends, when it fails, and when the loop is left early.
local _, tools = ...

-- By coroutine: the list in which generators that start there note their closing values.
local noting = setmetatable({}, { __mode = "k" })

-- Closes list[i] .. list[list.n] as Lua closes variables: the last one first, each with the error so far.
local function close_from(list, i, err)
  if i > list.n then
    if err ~= nil then error(err, 0) end
    return
  end
  local _ <close> = list[i]
  list[i] = false
  close_from(list, i + 1, err)
end

local closing = {}

-- Notes a generator's closing value. Returns a function that closes it now.
function closing.note(value)
  if value == nil or value == false then return function() end end
  local meta = getmetatable(value)
  if type(meta) == "table" and meta.__close == nil or meta == nil then
    tools.fail("InvalidArgument",
      ("from_generator: the fourth value is %s, expected one with __close, as for takes it"):format(
      tools.what_is(value)))
  end
  local list = noting[coroutine.running()]
  if not list then return function() local _ <close> = value end end
  local i = list.n + 1
  list.n, list[i] = i, value
  return function()
    local _ <close> = list[i]
    list[i] = false
  end
end

-- The four values for `for` of an iteration that open(...) starts, in which generators may start at any time.
function closing.iterate(open, ...)
  local list = { n = 0 }
  local function run(f, ...)
    local thread = coroutine.running()
    local before = noting[thread]
    noting[thread] = list
    local _ <close> = setmetatable({}, { __close = function() noting[thread] = before end })
    return f(...)
  end
  local next = run(open, ...)
  local closing = setmetatable({}, { __close = function(_, err) close_from(list, 1, err) end })
  return function() return run(next) end, nil, nil, closing
end

return closing
