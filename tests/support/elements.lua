-- Elements of datasets as plain Lua, for tests: local elements = require "elements"
local elements = {}

-- An element as plain Lua: tensors by their numbers, tables by what is in them.
local function plain(value)
  if type(value) == "userdata" then return value:totable() end
  local out = {}
  for key, entry in pairs(value) do out[key] = plain(entry) end
  return out
end
elements.plain = plain

-- All elements; of one value each, that alone.
function elements.all(dataset, most)
  local list = {}
  for first, second, third in dataset:iterate() do
    local element = third and { first, second, third } or second and { first, second } or first
    list[#list + 1] = plain(element)
    if #list == most then break end
  end
  return list
end

-- The same dataset, gone through element by element.
function elements.one_by_one(dataset) return dataset:map(function(...) return ... end) end

return elements
