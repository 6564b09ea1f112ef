-- JSON (RFC 8259), for the metadata of checkpoints. A table with 1 .. n is a list, one with names an object, an empty
-- table a list; null is json.null. Integers stay integers; floats come back with the same bits.
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
  if depth > kDeepest then
    tools.fail("InvalidArgument", "a checkpoint's settings are nested too deeply, or hold themselves")
  end
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
        tools.fail("InvalidArgument",
          "a checkpoint's settings cannot hold a table with the key " .. tools.what_is(name))
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

-- Reads `text` from byte `at` on; `who` starts error messages.
local Reader = {}
Reader.__index = Reader

function Reader:wrong(wanted)
  tools.fail("InvalidArgument",
    ("%s: its settings are no JSON from byte %d on: expected %s"):format(self.who, self.at, wanted))
end
function Reader:skip() self.at = self.text:find("[^ \t\r\n]", self.at) or #self.text + 1 end
function Reader:next() return self.text:sub(self.at, self.at) end
function Reader:taken(word)
  if self.text:sub(self.at, self.at + #word - 1) ~= word then return false end
  self.at = self.at + #word
  return true
end
function Reader:take(word, wanted)
  self:skip()
  if not self:taken(word) then self:wrong(wanted) end
end

-- The character of an escape sequence; `at` is after the backslash.
function Reader:escaped()
  local digits, c = self.text:match("^u(%x%x%x%x)", self.at), self:next()
  if not digits then
    if not plain[c] then self:wrong("an escape") end
    self.at = self.at + 1
    return plain[c]
  end
  local code = tonumber(digits, 16)
  self.at = self.at + 5
  local low = code >= 0xd800 and code < 0xdc00 and self.text:match("^\\u([dD][c-fC-F]%x%x)", self.at)
  if low then
    code = 0x10000 + (code - 0xd800) * 1024 + tonumber(low, 16) - 0xdc00
    self.at = self.at + 6
  end
  return utf8.char(code)
end

function Reader:string()
  self:take('"', "a name")
  local parts = {}
  while true do
    local run = self.text:match('^[^"\\%c]*', self.at)
    parts[#parts + 1] = run
    self.at = self.at + #run
    if self:taken '"' then return table.concat(parts) end
    if not self:taken "\\" then self:wrong("the end of a string") end
    parts[#parts + 1] = self:escaped()
  end
end

function Reader:list(depth)
  local list = {}
  self:take("[")
  self:skip()
  if self:taken "]" then return list end
  repeat
    list[#list + 1] = self:value(depth)
    self:skip()
  until not self:taken ","
  self:take("]", "',' or ']'")
  return list
end

function Reader:object(depth)
  local object = {}
  self:take("{")
  self:skip()
  if self:taken "}" then return object end
  repeat
    local name = self:string()
    self:take(":", "':'")
    object[name] = self:value(depth)
    self:skip()
  until not self:taken ","
  self:take("}", "',' or '}'")
  return object
end

function Reader:number()
  local digits = self.text:match("^%-?%d+%.?%d*[eE]?[%+%-]?%d*", self.at)
  local number = digits and tonumber(digits)
  if not number then self:wrong("a value") end
  self.at = self.at + #digits
  return number
end

function Reader:value(depth)
  if depth > kDeepest then self:wrong("less nesting") end
  self:skip()
  local c = self:next()
  if c == '"' then return self:string() end
  if c == "[" then return self:list(depth + 1) end
  if c == "{" then return self:object(depth + 1) end
  if self:taken "true" then return true end
  if self:taken "false" then return false end
  if self:taken "null" then return json.null end
  return self:number()
end

-- json.decode(text, who): `who` starts error messages.
function json.decode(text, who)
  local reader = setmetatable({ text = text, at = 1, who = who }, Reader)
  local value = reader:value(0)
  reader:skip()
  if reader.at <= #text then reader:wrong("nothing more") end
  return value
end

return json
