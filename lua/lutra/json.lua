-- JSON (RFC 8259), for what checkpoints say beside their tensors. Lists are tables with 1 .. n, objects have names, an empty
-- table is a list; null is json.null. Whole numbers stay whole, floats come back with the same bits.
local lutra, tools = ...

local json = { null = setmetatable({}, { __name = "lutra.json.null" }) }

local kDeepest = 200

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function quoted(text)
  return '"' .. text:gsub('[%c"\\\127]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function number_text(value)
  if math.type(value) == "integer" then return ("%d"):format(value) end
  if value ~= value then tools.fail("InvalidArgument", "a checkpoint's settings cannot hold nan") end
  if value == math.huge then return "1e999" elseif value == -math.huge then return "-1e999" end
  local text = ("%.17g"):format(value)
  return text:find("[%.e]") and text or text .. ".0"
end

local function write(value, out, depth)
  local kind = type(value)
  if depth > kDeepest then tools.fail("InvalidArgument", "a checkpoint's settings are nested too deeply, or hold themselves") end
  if value == json.null then
    out[#out + 1] = "null"
  elseif kind == "string" then
    out[#out + 1] = quoted(value)
  elseif kind == "number" then
    out[#out + 1] = number_text(value)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif kind ~= "table" then
    tools.fail("InvalidArgument", "a checkpoint's settings cannot hold " .. tools.what_is(value))
  elseif #value > 0 or next(value) == nil then
    out[#out + 1] = "["
    for i, entry in ipairs(value) do
      if i > 1 then out[#out + 1] = "," end
      write(entry, out, depth + 1)
    end
    out[#out + 1] = "]"
  else
    local names = {}
    for name in pairs(value) do
      if type(name) ~= "string" then
        tools.fail("InvalidArgument", "a checkpoint's settings cannot hold a table with the key " .. tools.what_is(name))
      end
      names[#names + 1] = name
    end
    table.sort(names)
    out[#out + 1] = "{"
    for i, name in ipairs(names) do
      out[#out + 1] = (i > 1 and "," or "") .. quoted(name) .. ":"
      write(value[name], out, depth + 1)
    end
    out[#out + 1] = "}"
  end
end

function json.encode(value)
  local out = {}
  write(value, out, 0)
  return table.concat(out)
end

local plain = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- json.decode(text, who): `who` starts error texts.
function json.decode(text, who)
  local at = 1
  local function wrong(wanted)
    tools.fail("InvalidArgument", ("%s: its settings are no JSON from byte %d on: expected %s"):format(who, at, wanted))
  end
  local function skip() at = text:find("[^ \t\r\n]", at) or #text + 1 end
  local function taken(word)
    if text:sub(at, at + #word - 1) ~= word then return false end
    at = at + #word
    return true
  end
  local function read_string()
    local parts = {}
    at = at + 1
    while true do
      local run = text:match('^[^"\\%c]*', at)
      parts[#parts + 1] = run
      at = at + #run
      if taken '"' then return table.concat(parts) end
      if not taken "\\" then wrong("the end of a string") end
      local digits = text:match("^u(%x%x%x%x)", at)
      local c = text:sub(at, at)
      if digits then
        local code = tonumber(digits, 16)
        at = at + 5
        local low = code >= 0xd800 and code < 0xdc00 and text:match("^\\u([dD][c-fC-F]%x%x)", at)
        if low then
          code, at = 0x10000 + (code - 0xd800) * 1024 + tonumber(low, 16) - 0xdc00, at + 6
        end
        parts[#parts + 1] = utf8.char(code)
      elseif plain[c] then
        parts[#parts + 1], at = plain[c], at + 1
      else
        wrong("an escape")
      end
    end
  end
  local read
  local function read_list(depth)
    local list = {}
    at = at + 1
    skip()
    if taken "]" then return list end
    repeat
      list[#list + 1] = read(depth)
      skip()
    until not taken ","
    if not taken "]" then wrong("',' or ']'") end
    return list
  end
  local function read_object(depth)
    local object = {}
    at = at + 1
    skip()
    if taken "}" then return object end
    repeat
      skip()
      if text:sub(at, at) ~= '"' then wrong("a name") end
      local name = read_string()
      skip()
      if not taken ":" then wrong("':'") end
      object[name] = read(depth)
      skip()
    until not taken ","
    if not taken "}" then wrong("',' or '}'") end
    return object
  end
  function read(depth)
    if depth > kDeepest then wrong("less nesting") end
    skip()
    local c = text:sub(at, at)
    if c == '"' then return read_string() end
    if c == "[" then return read_list(depth + 1) end
    if c == "{" then return read_object(depth + 1) end
    if taken "true" then return true end
    if taken "false" then return false end
    if taken "null" then return json.null end
    local digits = text:match("^%-?%d+%.?%d*[eE]?[%+%-]?%d*", at)
    local number = digits and tonumber(digits)
    if not number then wrong("a value") end
    at = at + #digits
    return number
  end
  local value = read(0)
  skip()
  if at <= #text then wrong("nothing more") end
  return value
end

return json
