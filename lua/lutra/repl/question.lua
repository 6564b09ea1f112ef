-- `?name` and `??word`.
local lutra, tools, use = ...

local members = use "repl.members"
local question = {}

-- The comment lines above the line where a function begins.
local function comment_above(lines, number)
  local first = number
  while first > 1 and lines[first - 1]:find("^%s*%-%-") do first = first - 1 end
  return table.concat(lines, "\n", first, number)
end

-- "f(a, b, ...)"
local function call_text(name, value, info)
  local words = {}
  for i = 1, info.nparams do words[i] = debug.getlocal(value, i) end
  if info.isvararg then words[#words + 1] = "..." end
  return name .. "(" .. table.concat(words, ", ") .. ")"
end

local function function_text(info)
  local where = ("a function, defined at %s:%d"):format(info.short_src, info.linedefined)
  local handle = info.source:sub(1, 1) == "@" and io.open(info.source:sub(2), "rb")
  if not handle then return where end
  local lines = {}
  for line in handle:lines() do lines[#lines + 1] = line end
  handle:close()
  if not lines[info.linedefined] then return where end
  return where .. "\n" .. use "terminal_text".harmless(comment_above(lines, info.linedefined)):gsub("\\n", "\n")
end

-- What is known about a value of the user's.
local function about_value(session, name, value)
  if type(value) == "function" then
    local info = debug.getinfo(value, "Su")
    if info.what ~= "C" and not info.source:find("^=%[lutra") then
      return call_text(name, value, info) .. ": " .. function_text(info)
    end
  end
  return name .. ": " .. use "repl.listing".brief(session, value)
end

local function known(topic)
  local ok, text = pcall(lutra.help, topic)
  return ok and text or nil, text
end

-- The text about a name, or nil and why not. A variable of the user's comes before a name of Lutra's.
function question.text(session, topic)
  local names = use "repl.names"
  local path = topic:find("^[%a_][%w_%.:]*$") and names.split(topic) or {}
  local value = names.value(session, path)
  local call, summary = use "repl.standard".about(value)
  if call then
    -- lutra.load is another function than load.
    local lutras = #path == 1 and known(topic)
    return call .. "\n  " .. summary .. (lutras and "\n" .. lutras or "")
  end
  local library = #path == 1 and use "repl.standard".library(topic, value)
  if library then
    local lutras = known(topic) -- torch.math and its like are named there
    return library .. (lutras and "\n" .. lutras:match("^[^\n]*") or "")
  end
  local field = value ~= nil and not names.is_users(session, path[1].name) and use "repl.standard".about_field(topic)
  if field then return about_value(session, topic, value) .. "\n  " .. field end
  local owner = #path > 1 and names.value(session, path, #path - 1) or nil
  local method = owner ~= nil and members.topic(session, owner, path[#path].name)
  if method and known(method) then return (known(method)) end
  if value ~= nil and names.is_users(session, path[1].name) then
    local about = about_value(session, topic, value)
    local is_lutras = type(value) == "function" and known(value)
    return is_lutras and about .. "\n" .. is_lutras or about
  end
  local text, problem = known(topic)
  if text then return text end
  if value ~= nil then return about_value(session, topic, value) end
  return nil, problem
end

-- The name of Lua's library or of the user's that is nearest to a word: "string" to "strng".
local function nearest_here(session, topic)
  local standard, list = use "repl.standard".names(), {}
  local owner = topic:match("^(%w+)[.:]")
  for _, name in ipairs(standard) do
    if not owner or name:match("^(%w+)[.:]") then list[#list + 1] = name end
  end
  for name in next, session.declared do list[#list + 1] = name end
  for name in next, _G do
    if type(name) == "string" and name:find("^[%a_][%w_]*$") then list[#list + 1] = name end
  end
  table.sort(list)
  return #topic <= 64 and use "repl.command".nearest(topic, list, math.max(1, #topic // 4)) or nil
end

local function told_problem(session, problem, topic)
  local message = lutra.iserror(problem) and problem.message or tostring(problem)
  local near = topic and not message:find("did you mean", 1, true) and nearest_here(session, topic)
  if near then message = message:gsub(";", (" (did you mean '%s'?);"):format(near), 1) end
  local there = "; :help lists the commands, lt.help() what Lutra has"
  message = message:gsub("; lutra%.help%(%) lists what there is", there)
  session:fail(use "terminal_text".filled(message))
end

function question.help(session, topic)
  session.silent = true
  if topic == "" then return session:print(lutra.help()) end
  local text, problem = question.text(session, topic)
  if text then session:print(use "terminal_text".filled(text)) else told_problem(session, problem, topic) end
end

function question.search(session, word)
  session.silent = true
  if word == "" then return session:fail "?? needs a word to search for: ??softmax" end
  local ok, text = pcall(lutra.help, "??" .. word)
  if ok then session:print(text) else told_problem(session, text) end
end

return question
