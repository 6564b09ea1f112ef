-- The prompt's display of tables that hold tensors: their entries. Loaded on first use (src/cli/repl.cpp).
local most = 20

local function is_tensor(value)
  local kind = getmetatable(value)
  return kind == "lutra.Tensor" or kind == "lutra.Variable"
end

-- Whether value is a plain table with a tensor among its entries.
local function holds_tensors(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil then return false end
  for _, each in next, value do
    if is_tensor(each) then return true end
  end
  return false
end

local function listing(list)
  local names, lines = {}, {}
  for key in next, list do
    if not (math.type(key) == "integer" and key >= 1 and key <= #list) then names[#names + 1] = key end
  end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  local count = #list + #names
  for i = 1, math.min(count, most) do
    local name = names[i - #list]
    local text = tostring(i <= #list and list[i] or list[name]):gsub("\n", "\n  ")
    lines[i] = i <= #list and text or ("%s = %s"):format(name, text)
  end
  if count > most then lines[#lines + 1] = ("... and %d more"):format(count - most) end
  return "{ " .. table.concat(lines, ",\n  ") .. " }"
end

return function(...)
  local values = table.pack(...)
  for i = 1, values.n do
    if holds_tensors(values[i]) then values[i] = listing(values[i]) end
  end
  return table.unpack(values, 1, values.n)
end
