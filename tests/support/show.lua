-- Values as text for failures: tables with keys and values, tensors with dtype, shape and elements.
local show = {}

local kBudget = 300 -- characters of one value, about
local kDepth = 8 -- levels of tables: as many as a tensor has axes
local kLargest = 100000 -- elements: those of larger tensors are not read

-- Each dtype, with a format that distinguishes its floats.
local dtypes = {
  float64 = "%.17g", float32 = "%.9g", float16 = "%.5g", bfloat16 = "%.4g", int8 = true, uint8 = true, int16 = true,
  int32 = true, int64 = true, bool = true, complex64 = "%.9g", complex128 = "%.17g",
}

function show.is_tensor(value)
  if type(value) ~= "userdata" then return false end
  local ok, dtype = pcall(function() return value.dtype end)
  return ok and dtypes[dtype] ~= nil
end

-- "(2, 3)", "(2,)", "()", as Lutra's messages have it.
function show.shape(shape)
  local sizes = {}
  for i = 1, #shape do sizes[i] = tostring(shape[i]) end
  return "(" .. table.concat(sizes, ", ") .. (#sizes == 1 and ",)" or ")")
end

-- "float32 (2, 3)"
function show.kind(tensor) return tensor.dtype .. " " .. show.shape(tensor.shape) end

-- As many digits as distinguish a number from its neighbours; `form` is the format of a tensor's floats.
local function text_of_number(value, form)
  if value ~= value then return "nan" end
  local text = tostring(value)
  if tonumber(text) == value then return text end
  return (form or "%.17g"):format(value)
end

local function text_of_key(key)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") then return key end
  return "[" .. (type(key) == "string" and ("%q"):format(key) or tostring(key)) .. "]"
end

-- The keys of a table: 1, 2, 3 ... without gaps, then the others in a fixed order.
local function keys_of(value)
  local keys, others = {}, {}
  for i = 1, rawlen(value) do keys[i] = i end
  for key in next, value do
    if not (math.type(key) == "integer" and key >= 1 and key <= #keys) then others[#others + 1] = key end
  end
  table.sort(others, function(a, b)
    if type(a) ~= type(b) then return type(a) < type(b) end
    if type(a) == "number" or type(a) == "string" then return a < b end
    return tostring(a) < tostring(b)
  end)
  return table.move(others, 1, #others, #keys + 1, keys), #keys
end

local text_of

local function text_of_table(value, state, depth)
  if state.open[value] then return "{its own table}" end
  if depth > kDepth then return "{...}" end
  state.open[value] = true
  local parts = {}
  local keys = keys_of(value)
  local listed = #value
  for i, key in ipairs(keys) do
    if state.left <= 0 then
      parts[#parts + 1] = "..."
      break
    end
    local name = i > listed and text_of_key(key) .. " = " or ""
    state.left = state.left - #name
    parts[#parts + 1] = name .. text_of(value[key], state, depth + 1)
  end
  state.open[value] = nil
  return "{" .. table.concat(parts, ", ") .. "}"
end

function text_of(value, state, depth)
  local text
  if type(value) == "table" and getmetatable(value) == nil then return text_of_table(value, state, depth) end
  if show.is_tensor(value) then
    text = show.kind(value)
    state.left = state.left - #text
    if value.size > kLargest then return text .. " {...}" end
    -- A late error of the op that made it is a finding, too.
    local ok, elements = pcall(value.totable, value)
    if not ok then return text .. " that cannot be read: " .. tostring(elements) end
    state.form = type(dtypes[value.dtype]) == "string" and dtypes[value.dtype] or nil
    text = text .. " " .. text_of(elements, state, depth)
    state.form = nil
    return text
  end
  if type(value) == "number" then
    text = text_of_number(value, state.form)
  elseif type(value) == "string" then
    text = ("%q"):format(value):gsub("\\\n", "\\n")
    if #text > 2 * kBudget then text = text:sub(1, 2 * kBudget) .. '..."' end
  else
    local ok, said = pcall(tostring, value)
    text = ok and said or "a " .. type(value)
  end
  state.left = state.left - #text - 2
  return text
end

-- A value in about `budget` characters (300 unless given); what is left out is "...".
function show.value(value, budget)
  return text_of(value, { left = budget or kBudget, open = {} }, 1)
end

-- The arguments or results of a call: "float32 (2, 3), {1, 2}, {axis = 1}".
function show.list(args)
  local words = {}
  for i = 1, args.n or #args do
    words[i] = show.is_tensor(args[i]) and show.kind(args[i]) or show.value(args[i], 80)
  end
  return table.concat(words, ", ")
end

-- Where two tables differ first, such as "[2].shape", and the two values there; nil where they do not. `same` compares
-- values that are not both tables.
function show.difference(got, wanted, same, path)
  if type(got) ~= "table" or type(wanted) ~= "table" then
    if same(got, wanted) then return nil end
    return path or "", got, wanted
  end
  local seen = {}
  for _, of in ipairs { wanted, got } do
    for _, key in ipairs((keys_of(of))) do
      if not seen[key] then
        seen[key] = true
        local name = text_of_key(key)
        if name:sub(1, 1) ~= "[" then name = "." .. name end
        local at, a, b = show.difference(got[key], wanted[key], same, (path or "") .. name)
        if at then return at, a, b end
      end
    end
  end
end

local function has_functions(value)
  for _, entry in next, value do
    if type(entry) == "function" then return true end
  end
  return false
end

-- Modules, objects and functions say nothing about a failure.
local function is_worth_showing(name, value)
  local kind = type(value)
  if not name:find("^%a") or kind == "function" or kind == "thread" then return false end
  return kind ~= "table" or not (getmetatable(value) or has_functions(value))
end

-- The source line and the local variables of the function at this level of the call stack (1: who calls this), as a
-- text that begins with a line end; "" where there is nothing to show.
function show.site(level)
  local info = debug.getinfo(level + 1, "Sl")
  if not info then return "" end
  local text, names, at = "", {}, 1
  if info.source:sub(1, 1) == "@" and info.currentline > 0 then
    local file <close> = io.open(info.source:sub(2))
    local number = 0
    for line in file and file:lines() or function() end do
      number = number + 1
      if number == info.currentline then
        text = "\n  in: " .. line:match("^%s*(.-)%s*$")
        break
      end
    end
  end
  local values = {}
  while true do
    local name, value = debug.getlocal(level + 1, at)
    if not name then break end
    at = at + 1
    if is_worth_showing(name, value) then
      if values[name] == nil then names[#names + 1] = name end
      values[name] = show.is_tensor(value) and show.kind(value) or show.value(value, 60)
    end
  end
  local words = {}
  for i = math.max(1, #names - 9), #names do words[#words + 1] = names[i] .. " = " .. values[names[i]] end
  if #words > 0 then text = text .. "\n  with: " .. table.concat(words, ", ") end
  return text
end

return show
