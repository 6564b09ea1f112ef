-- A session of the prompt: what an entry means, locals that persist, results. src/repl/session runs the chunks and
-- calls these functions. Returns a function that makes the session from the native tools.
local lutra, tools, use = ...

local load, pcall, select, type, next, rawget, rawset = load, pcall, select, type, next, rawget, rawset
local globals = _G

local chunk_name = "=stdin"

local Session = {}

-- The table that entries see as _ENV: session locals first, then globals. A local's value lies in the table itself,
-- except one of a <const>, which may not be assigned.
local function new_environment(session)
  local declared, consts = session.declared, session.consts
  local meta = { __name = "lutra.Session", __metatable = "lutra.Session" }
  local function index(_, name)
    if consts[name] ~= nil then return consts[name] end
    if declared[name] then return nil end
    return globals[name]
  end
  function meta.__newindex(environment, name, value)
    if not declared[name] then
      globals[name] = value
    elseif declared[name] == "const" then
      error(("attempt to assign to const variable '%s'"):format(name), 2)
    else
      rawset(environment, name, value)
    end
  end
  -- A table is faster than a function, and right as long as no local hides a global.
  function session.refresh()
    -- The globals' own metatable does not see locals that are nil: strict ones would raise.
    local hides = next(consts) ~= nil or getmetatable(globals) ~= nil
    for name in next, declared do hides = hides or rawget(globals, name) ~= nil end
    meta.__index = hides and index or globals
  end
  session.refresh()
  return setmetatable({}, meta)
end

-- Keeps a local of the entry.
local function keeper(session)
  return function(name, value)
    local kind = session.names[name]
    session.declared[name] = kind
    session.consts[name] = nil
    rawset(session.env, name, nil)
    if kind == "const" then session.consts[name] = value else rawset(session.env, name, value) end
  end
end

function Session:note(text) self.native.show("note", text) end
function Session:print(text) self.native.show("out", text) end

-- A variable to be closed prevents a tail call: an error then has the entry's line.
local kReturn = "local __lutra <close> = nil return "

-- The function with that variable named as Lua names its own, "(for state)": debuggers leave these out. The name is
-- the last of its kind in the binary form, where debug information of the outermost function comes last.
local function hidden(chunk, name, ...)
  local binary = string.dump(chunk)
  local before, after = binary:match("^(.*\x88)__lutra(.*)$")
  return before and load(before .. "(state)" .. after, name, "b", ...) or chunk
end

-- load with an environment, if one is given: nil would be one, too.
local function load_in(text, name, ...)
  local chunk, problem = load(text, name, "t", ...)
  if chunk and text:find(kReturn, 1, true) then chunk = hidden(chunk, name, ...) end
  return chunk, problem
end

function Session:load(text, name)
  if self.env and self.locals_on then return load_in(text, name or chunk_name, self.env) end
  return load_in(text, name or chunk_name)
end

-- What lua does: as an expression, else as a statement. lua's ";" may be part of a comment, as in "5; -- five". An
-- expression that only lacks its end is told as one.
function Session:load_entry(text, name)
  local expression = text:gsub("^=", "", 1)
  local chunk, problem, unfinished
  local may_be_expression = self.native.is_interactive or not text:find("\n", 1, true)
  if may_be_expression then chunk = self:load(kReturn .. expression .. ";", name) end
  if chunk then return chunk, nil, true end
  chunk, problem = self:load(#expression < #text and kReturn .. expression or text, name)
  if not chunk and self.native.is_interactive then _, unfinished = self:load("return " .. expression, name) end
  return chunk, unfinished and unfinished:find("<eof>$") and unfinished or problem
end

-- Loads the entry so that its top-level locals can be kept: returns the chunk and the kinds of their names.
function Session:load_with_locals(text, chunk, name)
  local found = text:find("local", 1, true) and use "repl.tokens".top_locals(text) or {}
  local names, plain = nil, text
  for _, each in ipairs(found) do
    if each.attrib == "close" then
      self.closes = self.closes or each.name ~= "__lutra" -- which cells.lua adds
    elseif not each.may_be_skipped then
      names = names or {}
      names[each.name] = each.attrib == "const" and "const" or "local"
      -- The compiler folds constants away: a plain local remains to be kept.
      if each.attrib == "const" then
        plain = plain:sub(1, each.first - 1) .. (" "):rep(each.last - each.first + 1) .. plain:sub(each.last + 1)
      end
    end
  end
  if plain ~= text then chunk = self:load(plain, name) or chunk end
  return chunk, names
end

-- Returns the chunk of an entry of Lua and whether its locals are to be kept, or "failed".
function Session:prepare_lua(text, name)
  -- An arrow key types an escape where lines are plain: that is no binary chunk.
  if self.env and text:find("^\27") then text = " " .. text end
  local body = self.native.is_interactive and text:find(";", 1, true) and use "repl.tokens".silenced(text)
  if body then
    local silent = self:load(kReturn .. body .. "\n", name)
    if silent then
      self.silent = true
      return silent
    end
  end
  local chunk, problem, is_expression = self:load_entry(text, name)
  if self.native.display and not is_expression then
    local with_value, silent = use "repl.cells".with_value(self, text, chunk ~= nil)
    if with_value then
      self.silent = silent
      text, chunk = with_value, self:load(with_value, name)
    end
  end
  if not chunk then
    self:report(problem)
    return "failed"
  end
  if is_expression or not self.env or not self.locals_on then return chunk end
  self.chunk, self.names = self:load_with_locals(text, chunk, name)
  return self.chunk, self.names ~= nil
end

-- Whether the entry is a word that leaves, and no name of the user's.
local function leaves(session, entry)
  local word = entry:match("^%s*(%a+)%s*$")
  return (word == "exit" or word == "quit") and rawget(globals, word) == nil and not session.declared[word]
end

function Session:prepare(entry)
  self.source, self.silent, self.closes, self.names, self.chunk = entry, false, false, nil, nil
  self.is_command, self.gave, self.loads = false, 0, nil
  if not self.native.is_interactive then return self:prepare_lua(entry) end
  self.scope_before = tools.current_scope()
  self.refresh()
  if leaves(self, entry) then return "quit" end
  if self.native.display then
    entry = use "repl.cells".after_commands(self, entry)
    if not entry then return "failed" end
  end
  if entry:find("^%s*[:?]") and not entry:find("^%s*::") then
    self.is_command = true
    return use "repl.command".prepare(self, entry)
  end
  return self:prepare_lua(entry)
end

function Session:is_complete(text)
  if self.native.is_interactive and text:find("^%s*[:?]") and not text:find("^%s*::") then return true end
  local function goes_on(chunk, problem) return not chunk and problem:find("<eof>$") ~= nil end
  local expression = text:gsub("^=", "return ", 1)
  if self.native.is_interactive or not text:find("\n", 1, true) then
    if load("return " .. expression .. ";", chunk_name, "t") then return true end
    if self.native.is_interactive and goes_on(load("return " .. expression, chunk_name, "t")) then return false end
  end
  return not goes_on(load(expression, chunk_name, "t"))
end

function Session.prompt_runs_code(_, name)
  local kind = type(rawget(globals, name))
  return kind == "table" or kind == "userdata"
end

-- The prompt's text. `name` is _PROMPT or _PROMPT2.
function Session:prompt(name)
  local value = globals[name]
  local default = name == "_PROMPT" and "> " or ">> "
  if value == nil then return default end
  if self.stopped_prompt == value then return default end
  local ok, text = pcall(tostring, value)
  if ok then return text end
  -- One that Ctrl-C has ended is not asked again.
  if type(text) == "string" and text:find("interrupted!", 1, true) then self.stopped_prompt = value end
  if self.bad_prompt == value then return default end
  self.bad_prompt = value
  self:report("error in the __tostring of " .. name .. " (" .. (type(text) == "string" and text or type(text)) .. ")")
  return default
end

-- As lua does, also where users have set print: an error has the place where it was raised, and none of ours.
local function call_print(...)
  local ok, problem = pcall(globals.print, ...)
  if not ok then error(problem, 0) end
end

function Session:print_results(...)
  local count = select("#", ...)
  self.gave = count
  if self.silent then return end
  if self.env then
    local last = select(count, ...)
    if self.locals_on then rawset(self.env, "_", last) else globals._ = last end
  end
  if self.native.display then return use "repl.rich".results(self, ...) end
  for i = 1, count do
    local lists = self.env or type((select(i, ...))) == "table"
    if lists then return call_print(use "repl.listing".shown(self, ...)) end
  end
  call_print(...)
end

function Session:report(message)
  -- The handler's text for a table that has none of its own.
  if type(self.raised) == "string" then
    local words, rest = message:match("^(%(error object is a table value)(%).*)$")
    if words then message = words .. ": " .. self.raised .. rest end
  end
  if self.env then message = use "repl.excerpt".add(self, use "terminal_text".harmless_lines(message)) end
  self.native.show("error", message)
end

function Session:end_entry(ok)
  if self.after_entry then self.after_entry() end
  -- Ctrl-C can come when a scope has opened and its variable is not yet there to close it: collecting closes it.
  if not ok and self.env and tools.current_scope() ~= self.scope_before then collectgarbage() end
  self.chunk = nil
  if ok and (not self.is_command or self.loads) then
    self.entries[#self.entries + 1] = self.loads or self.source
    self.results[#self.entries] = self.loads and "load" or self.gave
  end
  if self.closes and not self.told_of_close then
    self.told_of_close = true
    self:note "note: a <close> local ends with its entry; :device NAME sets the device of the entries that follow"
  end
end

-- Ends the scope of :device.
function Session:close_scope()
  local scope = self.scope
  self.scope = nil
  if scope then
    local _ <close> = scope
  end
end

-- Ends what :device, :trace and :log have set, and with it the session.
function Session:finish()
  pcall(self.close_scope, self) -- which ends, too, if a scope is still open inside it
  if self.end_trace then self.end_trace() end
  local log = self.log_before
  if not log then return end
  if self.after_entry then lutra.debugging.set_log_handler(nil) end
  lutra.debugging.set_log_device_placement(log.is_on)
end

function Session:complete(text, cursor) return use "repl.complete".words(self, text, cursor) end
function Session:signature(text, cursor) return use "repl.signature".at(self, text, cursor) end
function Session:inspect(text, cursor) return use "repl.signature".inspect(self, text, cursor) end

return function(native)
  local session = { native = native, declared = {}, consts = {}, entries = {}, results = {}, locals_on = true }
  for name, method in next, Session do session[name] = method end
  if native.is_interactive then
    session.declared._ = "local"
    session.env = new_environment(session)
  end
  session.keep = keeper(session)
  if native.display then tools.notebook_session = session end
  -- The message handler calls it, directly.
  local getinfo, getlocal = debug.getinfo, debug.getlocal
  function session.note_frames(raised)
    session.frame, session.raised = nil, nil
    if not session.env then return end
    session.frames = use "repl.frames".describe(session, getinfo, getlocal)
    if type(raised) == "table" then session.raised = use "repl.listing".shown(session, raised) end
  end
  return session
end
