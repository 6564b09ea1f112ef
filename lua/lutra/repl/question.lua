-- `?name` and `??word`.
local lutra, tools, use = ...

local question = {}

-- The value that a path like "model.layers" names, by raw access; nil if there is none.
local function value_of(session, path)
  local value
  for i, name in ipairs(use "repl.names".split(path)) do
    if i == 1 then value = use "repl.names".variable(session, name) else value = use "repl.names".field(session, value, name) end
    if value == nil then return nil end
  end
  return value
end

-- The comment lines above the line where a function begins.
local function comment_above(lines, number)
  local first = number
  while first > 1 and lines[first - 1]:find("^%s*%-%-") do first = first - 1 end
  return table.concat(lines, "\n", first, number)
end

local function function_text(info)
  local where = ("a function, defined at %s:%d"):format(info.short_src, info.linedefined)
  local handle = info.source:sub(1, 1) == "@" and io.open(info.source:sub(2), "rb")
  if not handle then return where end
  local lines = {}
  for line in handle:lines() do lines[#lines + 1] = line end
  handle:close()
  if not lines[info.linedefined] then return where end
  return where .. "\n" .. use "repl.listing".harmless(comment_above(lines, info.linedefined)):gsub("\\n", "\n")
end

-- What is known about a value of the user's.
local function about_value(session, name, value)
  if type(value) == "function" then
    local info = debug.getinfo(value, "S")
    if info.what ~= "C" and not info.source:find("^=%[lutra") then return name .. ": " .. function_text(info) end
  end
  return name .. ": " .. use "repl.listing".brief(session, value)
end

local function known(topic)
  local ok, text = pcall(lutra.help, topic)
  return ok and text or nil, text
end

function question.text(session, topic)
  local value = topic:find("^[%a_][%w_%.:]*$") and value_of(session, topic) or nil
  -- A variable of the user's comes before a name of Lutra's that is not written as one: x = 1, ?x.
  local is_ours = topic:find("^lt%.") or topic:find("^lutra%.")
  local text, problem = known(topic)
  if value ~= nil and not is_ours and not (text and type(value) == "table" and not topic:find("[.:]") and rawequal(value, lutra)) then
    local root = use "repl.names".split(topic)[1]
    if use "repl.names".is_users(session, root) then
      local about = about_value(session, topic, value)
      local help = type(value) ~= "string" and known(value)
      return help and about .. "\n" .. help or about
    end
  end
  if text then return text end
  if value ~= nil then return about_value(session, topic, value) end
  return nil, problem
end

function question.help(session, topic)
  if topic == "" then return session:print(lutra.help()) end
  local text, problem = question.text(session, topic)
  if text then return session:print(text) end
  session:fail((tostring(lutra.iserror(problem) and problem.message or problem):gsub("lutra.help%(%)", ":help and lt.help()")))
end

function question.search(session, word)
  if word == "" then return session:fail "?? needs a word to search for: ??softmax" end
  local ok, text = pcall(lutra.help, "??" .. word)
  if ok then return session:print(text) end
  session:fail(lutra.iserror(text) and text.message or tostring(text))
end

return question
