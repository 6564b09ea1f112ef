-- Files of :load, :reload, :edit and :save.
local _, _, use = ...

local files = {}

local saved_mark = "-- Entries of a Lutra session"

local function failed(session, message)
  session:fail(message)
  return "failed"
end

-- A file's name as it is typed: with quotes around it, or with "~/" for the user's home folder.
local function expanded(path)
  path = path:match('^"(.+)"$') or path:match("^'(.+)'$") or path
  local home = os.getenv "HOME"
  return home and path:gsub("^~/", home:gsub("%%", "%%%%") .. "/") or path
end
files.expanded = expanded

-- Returns the file's chunk and whether its locals are to be kept, or "failed".
function files.load(session, argument)
  if argument == "" then return failed(session, "write the file's name: :load FILE") end
  local path = expanded(argument)
  local handle, problem = io.open(path, "rb")
  if not handle then return failed(session, "cannot load " .. use "terminal_text".harmless(problem)) end
  local text, why = handle:read("a")
  handle:close()
  if not text then return failed(session, "cannot load " .. path .. ": " .. why) end
  session.loaded_file = path
  text = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
  local name = "@" .. path
  local chunk, wrong = session:load(text, name)
  if not chunk then
    session:report(wrong)
    return "failed"
  end
  session.silent = true
  session.loads = ("dofile(%q)"):format(path)
  if not session.locals_on then return chunk end
  session.chunk, session.names = session:load_with_locals(text, chunk, name)
  return session.chunk, session.names ~= nil
end

function files.reload(session)
  local forgotten = {}
  for name in next, package.loaded do
    local is_users = type(name) == "string" and name:match("^[^.]+") ~= "lutra"
    if is_users and package.searchpath(name, package.path) then forgotten[#forgotten + 1] = name end
  end
  for _, name in ipairs(forgotten) do package.loaded[name] = nil end
  table.sort(forgotten)
  if #forgotten > 0 then session:note("forgotten: " .. table.concat(forgotten, ", ") .. "; require reads them anew") end
  if session.loaded_file then return files.load(session, session.loaded_file) end
  if #forgotten > 0 then return "done" end
  return failed(session, "nothing was loaded by :load or require")
end

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- The file and the line of what to edit: a function of the user's, or a file.
local function place(session, argument)
  local names = use "repl.names"
  local value = argument:find("^[%a_][%w_%.:]*$") and names.value(session, names.split(argument))
  if type(value) == "function" then
    local info = debug.getinfo(value, "S")
    if info.source:sub(1, 1) == "@" then return info.source:sub(2), info.linedefined end
    return nil, ("%s was not read from a file"):format(argument)
  end
  return expanded(argument)
end

function files.edit(session, argument)
  if not session.native.is_terminal then return failed(session, ":edit needs a terminal") end
  local path, line, is_entry
  if argument == "" then
    local last = #session.entries
    while session.results[last] == "load" do last = last - 1 end
    if last == 0 then return failed(session, "no entry has run yet") end
    path, is_entry = os.tmpname(), true
    local handle <close> = assert(io.open(path, "wb"))
    handle:write(session.entries[last], "\n")
  else
    path, line = place(session, argument)
    if not path then return failed(session, line) end
  end
  local function variable(name) return (os.getenv(name) or ""):match("^.+$") end
  local editor = variable "VISUAL" or variable "EDITOR" or "vi"
  local ok = os.execute(("%s %s%s"):format(editor, line and "+" .. line .. " " or "", quote(path)))
  if not ok then
    if is_entry then os.remove(path) end
    return failed(session, editor .. " failed; nothing was run")
  end
  if not is_entry then return files.load(session, path) end
  local handle <close> = io.open(path, "rb")
  local text = handle and handle:read("a") or ""
  os.remove(path)
  text = text:gsub("%s+$", "")
  if text == "" then return "done" end
  session:print(text)
  session.source, session.is_command = text, false
  return session:prepare_lua(text)
end

-- An entry without a `return` of its chunk, behind which a file could not go on: values are printed, as the prompt did.
local function without_return(entry, count)
  local at, is_inside = use "repl.tokens".last_return(entry)
  if is_inside then return (count > 0 and "" or ";") .. "(function(...)\n" .. entry .. "\nend)()" end
  if not at then return entry end
  local before, values = entry:sub(1, at - 1), entry:sub(at + #"return"):gsub("^%s+", ""):gsub("%s+$", "")
  values = use "repl.tokens".silenced(values) or values
  if not before:find "%S" and count > 0 then return values end
  if not values:find "[^%s;]" then return before end
  local form = count > 0 and "%sprint(%s\n)" or "%sdo local _ = {%s\n} end"
  return form:format(before, values)
end

-- A file's line is a statement: an expression becomes a call of print, which shows what the prompt showed. Where a later
-- entry reads `_`, it is assigned.
local function saved_lines(session)
  local lines, is_read = {}, false
  for i = #session.entries, 1, -1 do
    local entry, count = session.entries[i], session.results[i]
    if count == "load" then count = 0 end
    entry = without_return(entry, count)
    local silenced = use "repl.tokens".silenced(entry)
    local expression = (silenced or entry):gsub("^=", "", 1):gsub("%s+$", "")
    local is_expression = load("return " .. expression) and expression:find("%S")
    if expression:find("%-%-") then expression = expression .. "\n" end
    local form = "%s"
    if is_expression and silenced then form = "do local _ = (%s) end"
    elseif is_expression and count > 0 then
      if not is_read then form = "print(%s)"
      elseif count == 1 then form = "_ = (%s) print(_)"
      else form = "_ = table.pack(%s) print(table.unpack(_, 1, _.n)) _ = _[_.n]" end
      is_read = false
    end
    lines[i] = form:format(is_expression and expression or entry)
    is_read = is_read or use "repl.tokens".mentions(entry, "_")
  end
  table.insert(lines, 1, saved_mark)
  return lines
end

function files.save(session, argument)
  if argument == "" then return session:fail "write the file's name: :save FILE" end
  if #session.entries == 0 then return session:fail "no entry has run yet" end
  local path = expanded(argument)
  local there = io.open(path, "rb")
  local first = there and there:read(#saved_mark + 1) -- not a line: a device may have none
  if there then there:close() end
  if there and first ~= saved_mark .. "\n" then
    return session:fail(path .. " exists and was not written by :save; nothing changed")
  end
  local handle, problem = io.open(path, "wb")
  if not handle then return session:fail("cannot write " .. problem) end
  local lines = saved_lines(session)
  local ok, why = handle:write(table.concat(lines, "\n"), "\n")
  local closed, late = handle:close()
  if not (ok and closed) then return session:fail("cannot write " .. path .. ": " .. (why or late)) end
  session:print(("wrote %d entries to %s"):format(#session.entries, path))
end

return files
