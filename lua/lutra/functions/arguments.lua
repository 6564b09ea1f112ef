-- What functions are given.
local lutra, tools, use = ...
local options = use "options"

local arguments = {}

-- A tensor, or numbers, of so many axes; `form` names them.
function arguments.tensor(who, name, value, rank, form)
  value = options.tensor(who, name, value)
  if rank and value.rank ~= rank then
    tools.fail("InvalidArgument", ("%s: %s has the shape %s, expected %s"):format(who, name, tostring(value.shape), form))
  end
  return value
end

function arguments.float(value)
  return options.as_float(value)
end

-- n whole numbers: one for all, or a list.
function arguments.sizes(who, name, value, n, least)
  local list = {}
  if type(value) == "number" then
    for i = 1, n do list[i] = value end
  elseif type(value) == "table" and getmetatable(value) == nil and #value == n then
    list = { table.unpack(value) }
  else
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number or a list of %d"):format(who, name, tools.what_is(value), n))
  end
  for i = 1, n do
    list[i] = options.count(who, n > 1 and ("%s[%d]"):format(name, i) or name, list[i], least, options.kMostSize)
  end
  return list
end

-- An axis from 1 on.
function arguments.axis(who, axis, rank)
  local at = options.whole(who, "axis", axis)
  if at < 0 then at = rank + 1 + at end
  if at < 1 or at > rank then
    tools.fail("InvalidArgument", ("%s: axis is %d, and x has %d axes"):format(who, axis, rank))
  end
  return at
end

return arguments
