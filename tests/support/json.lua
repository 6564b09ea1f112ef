-- A strict reader of JSON, for tests of what the program writes. json(text) returns the value; null becomes json.null.
-- It fails with the byte where the text is no JSON.
local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local function fail(at, what) error(("byte %d: %s"):format(at, what), 0) end

local escapes = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local read

local function skip(text, at) return text:match("^[ \t\r\n]*()", at) end

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local plain, next_at = text:match('^([^"\\%c]*)()', at)
    parts[#parts + 1] = plain
    local mark = text:sub(next_at, next_at)
    if mark == '"' then
      local whole = table.concat(parts)
      if not utf8.len(whole) then fail(at, "no UTF-8") end
      return whole, next_at + 1
    end
    if mark ~= "\\" then fail(next_at, "a control character, or no end, in a string") end
    local letter = text:sub(next_at + 1, next_at + 1)
    local code = letter == "u" and text:match("^%x%x%x%x", next_at + 2)
    if code then
      parts[#parts + 1], at = utf8.char(tonumber(code, 16)), next_at + 6
    elseif escapes[letter] then
      parts[#parts + 1], at = escapes[letter], next_at + 2
    else
      fail(next_at, "an unknown escape")
    end
  end
end

local function read_list(text, at, close, read_entry)
  local value = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == close then return value, at + 1 end
  while true do
    at = skip(text, read_entry(value, at))
    local mark = text:sub(at, at)
    if mark == close then return value, at + 1 end
    if mark ~= "," then fail(at, "expected , or " .. close) end
    at = skip(text, at + 1)
  end
end

function read(text, at)
  local first = text:sub(at, at)
  if first == '"' then return read_string(text, at) end
  if first == "{" then
    return read_list(text, at, "}", function(into, where)
      if text:sub(where, where) ~= '"' then fail(where, "expected a name") end
      local name, behind = read_string(text, where)
      behind = skip(text, behind)
      if text:sub(behind, behind) ~= ":" then fail(behind, "expected :") end
      local value, next_at = read(text, skip(text, behind + 1))
      into[name] = value
      return next_at
    end)
  end
  if first == "[" then
    return read_list(text, at, "]", function(into, where)
      local value, next_at = read(text, where)
      into[#into + 1] = value
      return next_at
    end)
  end
  for word, value in pairs { ["true"] = true, ["false"] = false, null = json.null } do
    if text:sub(at, at + #word - 1) == word then return value, at + #word end
  end
  local number = text:match("^%-?[1-9]%d*%.?%d*[eE]?[+-]?%d*", at) or text:match("^%-?0%.?%d*[eE]?[+-]?%d*", at)
  if not number or not tonumber(number) or number:find "%.$" then fail(at, "no value") end
  return tonumber(number), at + #number
end

return setmetatable(json, {
  __call = function(_, text)
    local value, at = read(text, skip(text, 1))
    at = skip(text, at)
    if at <= #text then fail(at, "more behind the value") end
    return value
  end,
})
