-- How the prompt shows results: tables by their entries. Nothing of the user's runs but __tostring, as for print.
local _, _, use = ...

local terminal_text = use "terminal_text"

local rawget, next, type, tostring, pcall = rawget, next, type, tostring, pcall
local metatable_of = debug.getmetatable

local most_entries, most_depth, most_in_all = 20, 4, 200
local columns, most_text, most_shown = 76, 200, 1 << 16

local listing = {}

function listing.quoted(text)
  local cut = #text > most_text and text:sub(1, most_text) or text
  cut = terminal_text.harmless((cut:gsub('["\\]', "\\%0")))
  return '"' .. cut .. '"' .. (#text > most_text and ("... (%d bytes)"):format(#text) or "")
end

local function is_tensor(value)
  local kind = type(value) == "userdata" and metatable_of(value)
  kind = kind and rawget(kind, "__name")
  return kind == "lutra.Tensor" or kind == "lutra.Variable"
end

-- Whether print shows the table by its metatable.
local function has_own_text(value)
  local meta = metatable_of(value)
  return meta ~= nil and (rawget(meta, "__tostring") ~= nil or rawget(meta, "__name") ~= nil)
end

-- tostring of a value with a metatable, whose __tostring may fail.
local function own_text(value)
  local ok, text = pcall(tostring, value)
  if ok then return text end
  return ("<%s: error in __tostring>"):format(type(value))
end

local function key_text(key)
  if type(key) == "string" then return key:find("^[%a_][%w_]*$") and key or "[" .. listing.quoted(key) .. "]" end
  return "[" .. terminal_text.harmless(tostring(key)) .. "]"
end

local rank = { number = 1, string = 2, boolean = 3 }
local function before(a, b)
  local of_a, of_b = rank[type(a)] or 4, rank[type(b)] or 4
  if of_a ~= of_b then return of_a < of_b end
  if of_a < 3 then return a < b end
  return of_a == 3 and tostring(a) < tostring(b)
end

-- A summed-up tensor with its device, which its own text does not have; where nobody types, as print shows it.
local function tensor_text(session, value)
  local text = tostring(value)
  if not session.env then return text end
  text = terminal_text.harmless_lines(text)
  local _, _, device = session.native.tensor(value)
  if not device or not text:find("...", 1, true) then return text end
  return (text:gsub("%)$", ", device=" .. device .. ")"))
end

local entries_of

-- One value in a table.
local function text_of(value, state, depth)
  local kind = type(value)
  if kind == "string" then return listing.quoted(value) end
  if kind == "table" then
    if has_own_text(value) then return terminal_text.harmless(own_text(value)) end
    if state.open[value] then return "{<cycle>}" end
    if next(value) == nil then return "{}" end
    if depth >= most_depth or state.left <= 0 then return "{...}" end
    return entries_of(value, state, depth + 1)
  end
  if is_tensor(value) then return tensor_text(state.session, value) end
  if kind == "userdata" then return terminal_text.harmless(own_text(value)) end
  return tostring(value)
end

-- The keys that are shown: those of the list, and the sorted others; and how many there are.
local function keys_of(value)
  local length, others, count = 0, {}, 0
  while rawget(value, length + 1) ~= nil do length = length + 1 end
  for key in next, value do
    count = count + 1
    if not (math.type(key) == "integer" and key >= 1 and key <= length) then others[#others + 1] = key end
  end
  table.sort(others, before)
  return length, others, count
end

function entries_of(value, state, depth)
  local length, others, count = keys_of(value)
  local texts, width, is_tall = {}, 0, false
  state.open[value] = true
  local shown = math.min(count, most_entries)
  for i = 1, shown do
    if depth > 1 and i > 1 and state.left <= 0 then
      shown = i - 1
      break
    end
    state.left = state.left - 1
    local key = others[i - length]
    local each = rawget(value, key == nil and i or key)
    local text = text_of(each, state, depth)
    text = text:gsub("\n", "\n  ")
    texts[i] = key == nil and text or key_text(key) .. " = " .. text
    width = width + #texts[i] + 2
    is_tall = is_tall or is_tensor(each) or text:find("\n", 1, true) ~= nil
  end
  state.open[value] = nil
  if count > shown then texts[#texts + 1] = ("... and %d more"):format(count - shown) end
  if not is_tall and width + 2 * depth <= columns then return "{ " .. table.concat(texts, ", ") .. " }" end
  -- Short numbers and strings share lines.
  if not is_tall and width <= 8 * #texts then
    local lines, line = {}, ""
    for i, text in ipairs(texts) do
      if #line + #text > columns - 2 * depth then lines[#lines + 1], line = line, "" end
      line = line .. (line == "" and "" or " ") .. text .. (i < #texts and "," or "")
    end
    lines[#lines + 1] = line
    return "{ " .. table.concat(lines, "\n  ") .. " }"
  end
  return "{ " .. table.concat(texts, ",\n  ") .. " }"
end

local function table_text(session, value)
  if next(value) == nil then return "{}" end
  return entries_of(value, { session = session, open = {}, left = most_in_all }, 1)
end

local function holds_tensors(value)
  for _, each in next, value do
    if is_tensor(each) then return true end
  end
  return false
end

-- A text for the terminal. The end of a huge one is left out: it would scroll for minutes.
local function shown_string(text)
  if #text <= most_shown then return terminal_text.harmless_lines(text) end
  local last = most_shown
  while last > most_shown - 4 and text:find("^[\128-\191]", last + 1) do last = last - 1 end
  local note = "\n... (the first %d of %d bytes; print writes all)"
  return terminal_text.harmless_lines(text:sub(1, last)) .. note:format(last, #text)
end

-- A value's own text, for a terminal; nil for what print is to show itself: plots are drawn by escape sequences.
local function shown_text(value)
  if type(value) == "string" then return shown_string(value) end
  local meta = metatable_of(value)
  if type(meta) ~= "table" or rawget(meta, "__tostring") == nil then return nil end
  local name = rawget(meta, "__name")
  if type(name) == "string" and name:find("^lutra%.plot%.") then return nil end
  local ok, text = pcall(tostring, value)
  return ok and shown_string(text) or nil
end

-- The values as print is to show them. Where nobody types, only tables that hold tensors are listed.
function listing.shown(session, ...)
  local values = table.pack(...)
  for i = 1, values.n do
    local value = values[i]
    if type(value) == "table" and not has_own_text(value) then
      local is_listed = session.env or (metatable_of(value) == nil and holds_tensors(value))
      if is_listed then values[i] = table_text(session, value) end
    elseif is_tensor(value) then
      values[i] = tensor_text(session, value)
    elseif session.env then
      local text = shown_text(value)
      if text then values[i] = text end
    end
  end
  return table.unpack(values, 1, values.n)
end

-- One line about a value; reads no element of a tensor and calls nothing.
function listing.brief(session, value)
  local kind = type(value)
  if kind == "string" then return #value > 60 and listing.quoted(value:sub(1, 60)) .. "..." or listing.quoted(value) end
  if kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
  local shape, dtype, device, _, is_variable = session.native.tensor(value)
  if shape then return ("%s %s %s on %s"):format(is_variable and "Variable" or "Tensor", shape, dtype, device) end
  if shape == false then return "Tensor (released)" end
  local meta = metatable_of(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  if type(name) == "string" then return terminal_text.harmless(name) end
  if kind == "table" then
    local count = 0
    for _ in next, value do count = count + 1 end
    return ("table with %d %s"):format(count, count == 1 and "entry" or "entries")
  end
  return kind
end

return listing
