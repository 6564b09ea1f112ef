-- The signature and the options of the call that the cursor is in, from what lutra.help says. Runs nothing of the
-- user's.
local lutra, _, use = ...

local names, context = use "repl.names", use "repl.context"

local signature = {}

-- Help by name, as reading it takes milliseconds for names that are no operations.
local texts = {}
local function help_of(topic)
  if texts[topic] == nil then
    local ok, text = pcall(lutra.help, topic)
    texts[topic] = ok and text or false
  end
  return texts[topic]
end

-- The value of a path, by raw access.
function signature.value(session, path, count)
  local value
  for i = 1, count or #path do
    if i == 1 then value = names.variable(session, path[1].name) else value = names.field(session, value, path[i].name) end
    if value == nil then return nil end
  end
  return value
end

-- The topic of help for a call of Lutra's: the name after lt. or lutra., or of a method of a tensor or an object.
local function topic_of(session, path)
  local last = path[#path]
  if #path == 1 then
    local value = names.variable(session, last.name)
    return type(value) == "function" and names.is_users(session, last.name) and signature.name_of(session, value) or nil
  end
  local root = names.variable(session, path[1].name)
  if rawequal(root, lutra) then
    local words = {}
    for i = 2, #path do words[i - 1] = path[i].name end
    return table.concat(words, ".")
  end
  local owner = signature.value(session, path, #path - 1)
  if owner == nil then return nil end
  if session.native.tensor(owner) then return last.name end
  local meta = debug.getmetatable(owner)
  local class = type(meta) == "table" and rawget(meta, "__name")
  if type(class) == "string" and class:find("^lutra%.") then return class:gsub("^lutra%.", ""):lower() .. "." .. last.name end
end

-- The path of one of Lutra's functions that the user has given a name of their own.
function signature.name_of(session, value)
  for name, each in next, lutra do
    if rawequal(each, value) and type(name) == "string" then return name end
    if type(each) == "table" and type(name) == "string" and debug.getmetatable(each) ~= nil then
      for inner, deep in next, each do
        if rawequal(deep, value) and type(inner) == "string" then return name .. "." .. inner end
      end
    end
  end
end

-- A line "(x, [axis], {keepdims})", and the options' names.
function signature.of_topic(topic)
  local text = help_of(topic)
  if not text then return nil end
  local head = text:match("^lutra%.[%w_%.]+ is [^\n]*\n([^\n]*)") or text:match("^([^\n]*)")
  if not head:find("%(") then return nil end
  local options = {}
  -- An operation has a line for each of its options; a function of Lua's names them in the text of `options`.
  local arguments = head:match("%((.*)%)") or ""
  local about = (text .. "\n"):match("\n  options: (.-)\n  %l[%w ]*: ") or text:match("\n  options: (.*)$")
  if about then
    for name in about:gmatch("([%a_][%w_]*) =") do options[#options + 1] = name end
    for names_text in about:gmatch("([%a_][%w_, and]*) =") do
      for name in names_text:gmatch("[%a_][%w_]*") do
        if name ~= "and" then options[#options + 1] = name end
      end
    end
  elseif arguments:find("options", 1, true) then
    for line in text:gmatch("\n  ([%a_][%w_]*): ") do
      local is_field = line == "gradient" or line == "result" or line == "errors" or line == "example" or line == "source"
      if not is_field and not (" " .. arguments:gsub("%p", " ") .. " "):find(" " .. line .. " ", 1, true) then options[#options + 1] = line end
    end
  end
  local seen, unique = {}, {}
  for _, name in ipairs(options) do
    if not seen[name] then unique[#unique + 1] = name end
    seen[name] = true
  end
  table.sort(unique)
  return head, unique
end

-- The arguments of a function of the user's: their names.
local function user_signature(session, path)
  local value = signature.value(session, path)
  if type(value) ~= "function" then return nil end
  local info = debug.getinfo(value, "Su")
  if info.what == "C" then return nil end
  local words = {}
  for i = 1, info.nparams do words[i] = debug.getlocal(value, i) end
  if info.isvararg then words[#words + 1] = "..." end
  local name = {}
  for i, each in ipairs(path) do name[i] = (each.separator or "") .. each.name end
  if path[#path].separator == ":" then table.remove(words, 1) end
  return table.concat(name) .. "(" .. table.concat(words, ", ") .. ")"
end

-- The signature and the options of a call of this path; nil if nothing is known.
function signature.of_path(session, path)
  local topic = topic_of(session, path)
  if topic then
    local head, options = signature.of_topic(topic)
    if head then return head, options end
  end
  return user_signature(session, path)
end

function signature.at(session, text, cursor)
  if text:find("^%s*[:?]") then return "" end
  local tokens = use "repl.tokens"
  local all = tokens.split(text:sub(1, cursor - 1))
  local call = context.open_call(all, #all)
  if not call then return "" end
  local head, options = signature.of_path(session, call.path)
  if not head then return "" end
  if options and #options > 0 then head = head .. "  options: " .. table.concat(options, ", ") end
  return head
end

-- What is known about the name at the cursor.
function signature.inspect(session, text, cursor)
  local last = cursor - 1
  while text:find("^[%w_]", last + 1) do last = last + 1 end
  local path = text:sub(1, last):match("[%a_][%w_%.:]*$")
  if not path then return "" end
  return use "repl.question".text(session, path) or ""
end

return signature
