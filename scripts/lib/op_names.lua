-- The names of all ops, such as "matmul" and "random.normal", sorted: those functions of the module whose help is an op's.
local lt = require "lutra"

local names = {}
local function collect(place, path)
  for key, value in pairs(place) do
    local name = path .. key
    if type(value) == "table" then
      collect(value, name .. ".")
    elseif type(value) == "function" and lt.help(name):find("\n  placement log: ", 1, true) then
      names[#names + 1] = name
    end
  end
end
collect(lt, "")
table.sort(names)
return names
