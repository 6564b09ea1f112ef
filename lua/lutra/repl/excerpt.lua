-- Adds to an error's message the line of the entry, or of the file, that it names, with a mark where the position is
-- known.
local _, _, use = ...

local excerpt = {}

local function line_of(text, number)
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number - 1
    if number == 0 then return line end
  end
end

-- The names that Lua's messages hold: (global 'x'), (field 'y'), near 'z'.
local function names_in(message)
  local near = message:match("near '(.-)'$")
  if near then return near end
  return message:match 'field or method "([^"]*)"' or message:match("%(%a+ '([^']*)'%)")
    or message:match("const variable '([^']*)'")
end

-- The column of the only place of `name` in the line; nil if there are more.
local function place_of(line, name)
  if not name or name == "" then return nil end
  local first, last = line:find(name, 1, true)
  local is_word = name:find("^[%a_]")
  local function continues(at) return at > 0 and line:find("^[%w_]", at) ~= nil end
  while first and is_word and (continues(first - 1) or continues(last + 1)) do
    first, last = line:find(name, last + 1, true)
  end
  if not first then return nil end
  return not line:find(name, last + 1, true) and first or nil
end

-- Whether the error arose in the text of this entry, and not in a function of an earlier one.
local function is_of_entry(session)
  local origin = session.frames and session.frames.origin
  if not origin then return true end
  if origin.is_chunk then return true end
  local line = line_of(session.source, origin.defined)
  return line ~= nil and line:find("function", 1, true) ~= nil
end

local function source_line(session, file, number)
  if file == "stdin" then
    return not session.is_command and is_of_entry(session) and line_of(session.source, number) or nil
  end
  local handle = io.open(file, "rb")
  if not handle then return nil end
  local line
  for each in handle:lines() do
    number = number - 1
    if number == 0 then
      line = each
      break
    end
  end
  handle:close()
  return line
end

function excerpt.add(session, message)
  -- A message may have several lines.
  local last = message:find("\nstack traceback:\n", 1, true) or #message + 1
  local first, rest = message:sub(1, last - 1), message:sub(last)
  -- Lines of the session's own code say nothing to users.
  rest = rest:gsub("\n\t%[lutra%.repl[^\n]*", "")
  if session.is_command then
    rest = rest:gsub("in upvalue 'chunk'", "in main chunk"):gsub("\n\t%[C%]: in field 'cost'", "")
  end
  local is_const = first:find("attempt to assign to const variable", 1, true)
  if is_const then rest = rest:gsub("\n\t%[C%]: in function 'error'", "", 1) end
  first = first:gsub("%[lutra%.repl[^%]]*%]:%d+: ", "")
  local file, number = first:match("^([^:\n]+):(%d+): ")
  local ok, line = pcall(source_line, session, file or "", tonumber(number) or 0)
  if not ok or not line or not line:find("%S") or #line > 200 then return first .. rest end
  line = line:gsub("\r$", ""):gsub("\t", "    ")
  local harmless = use "terminal_text".harmless(line)
  local out = first .. "\n    " .. harmless
  -- Else the operation that failed, if the line calls it.
  local kind, failed = rest:match("^\nstack traceback:\n\t%[C%]: in (%a+) '([%w_]+)'\n\tstdin:" .. number .. ":")
  if kind ~= "method" and kind ~= "field" then failed = nil end
  local at = harmless == line and place_of(line, names_in(first) or failed)
  if first:find("near <eof>$") then at = #line + 1 end
  if at then out = out .. "\n    " .. (" "):rep(session.native.columns(line:sub(1, at - 1))) .. "^" end
  return out .. rest
end

return excerpt
