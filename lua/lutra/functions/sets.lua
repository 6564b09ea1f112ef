-- Sets: the distinct elements of tensors, in order. Sizes depend on values.
local lutra, _, use = ...
local options, arguments = use "options", use "functions.arguments"

local sets = {}

local tensor = arguments.tensor

function sets.union1d(a, b)
  local both = { tensor("union1d", "a", a):flatten(), tensor("union1d", "b", b):flatten() }
  return (lutra.unique(lutra.concat(both)))
end
function sets.intersect1d(a, b)
  local values = lutra.unique(tensor("intersect1d", "a", a))
  return (values[values:isin(tensor("intersect1d", "b", b))])
end
function sets.setdiff1d(a, b)
  local values = lutra.unique(tensor("setdiff1d", "a", a))
  return (values[values:isin(tensor("setdiff1d", "b", b)):logical_not()])
end

function sets.setxor1d(a, b)
  local distinct = { (lutra.unique(tensor("setxor1d", "a", a))), (lutra.unique(tensor("setxor1d", "b", b))) }
  local values, _, counts = lutra.unique(lutra.concat(distinct))
  return (values[counts:eq(1)])
end

for name, count in pairs { union1d = 2, intersect1d = 2, setdiff1d = 2, setxor1d = 2 } do
  sets[name] = options.bounded(name, count, sets[name], true)
end

return sets
