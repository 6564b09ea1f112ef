-- Commands: entries that begin with ":" or "?". Each is a file in commands, found by its name; it returns {usage, help,
-- run = function(session, argument)}, or prepare in the place of run for a command that runs an entry of its own.
local lutra, tools, use = ...

local command = {}

-- An error of a command is its message alone.
local function fail(session, message)
  session.has_failed = true
  session.native.show("error", message)
  return false
end

function command.names(session) return session.native.parts "lutra.repl.commands." end

local function has(session, name)
  for _, each in ipairs(command.names(session)) do
    if each == name then return true end
  end
  return false
end

function command.find(session, name) return has(session, name) and use("repl.commands." .. name) or nil end

-- How far two words are apart: insertions, deletions, replacements and swaps.
local function distance(a, b)
  local rows = {}
  for i = 0, #a do rows[i] = { [0] = i } end
  for j = 0, #b do rows[0][j] = j end
  for i = 1, #a do
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      local least = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        least = math.min(least, rows[i - 2][j - 2] + 1)
      end
      rows[i][j] = least
    end
  end
  return rows[#a][#b]
end

-- most: how far the name may be.
function command.nearest(word, names, most)
  local best, least = nil, (most or math.max(2, #word // 2)) + 1
  for _, name in ipairs(names) do
    local far = name:find(word, 1, true) == 1 and #word > 0 and 1 or distance(word, name)
    if far < least then best, least = name, far end
  end
  return best
end

-- The words of an argument that is "on" or one of others; fails with all of them.
function command.choice(session, argument, words)
  for _, word in ipairs(words) do
    if argument == word then return word end
  end
  local near = command.nearest(argument, words)
  local hint = near and (" (did you mean '%s'?)"):format(near) or ""
  local given = use "terminal_text".harmless(argument)
  fail(session, ("'%s' is none of %s%s; nothing changed"):format(given, table.concat(words, ", "), hint))
end

-- The chunk of a command's argument, which a ";" may end; nil if it is none, which is reported.
function command.load(session, argument)
  argument = use "repl.tokens".silenced(argument) or argument
  local chunk, problem = session:load_entry(argument)
  if not chunk then session:report(problem) end
  return chunk
end

-- What Session.prepare returns for a command.
function command.prepare(session, entry)
  session.fail = fail
  local question, topic = entry:match("^%s*(%?%??)%s*(.-)%s*$")
  if question then
    local about = use "repl.question"
    return function() return about[question == "??" and "search" or "help"](session, topic) end
  end
  local name, argument = entry:match("^%s*:%s*([%w_]*)%s*(.-)%s*$")
  local found = command.find(session, name)
  if not found then
    local near = command.nearest(name, command.names(session))
    local hint = near and (" (did you mean :%s?)"):format(near) or ""
    fail(session, ("there is no command :%s%s; :help lists the commands"):format(name, hint))
    return "failed"
  end
  local takes_none = not found.usage:find(" ", 1, true) and argument ~= ""
  if takes_none then
    fail(session, (":%s takes no argument; nothing changed"):format(name))
    return "failed"
  end
  if found.prepare then return found.prepare(session, argument) end
  return function()
    session.silent = true
    found.run(session, argument)
  end
end

-- Runs a command that is a line of its own; not one that runs an entry. True, false if it has failed, or nil if it was
-- not run.
function command.run_line(session, line)
  local name = line:match("^:%s*([%w_]*)")
  local found = name and command.find(session, name)
  if found and found.prepare then return nil end
  session.is_command, session.has_failed = true, false
  local chunk = command.prepare(session, line)
  if type(chunk) ~= "function" then return false end
  local ok, problem = pcall(chunk)
  session.is_command, session.silent = false, false
  if not ok then session:report(problem) end
  return ok and not session.has_failed
end

return command
