-- The signature and the options of the call that the cursor is in, from what lutra.help says. Runs nothing of the
-- user's.
local lutra, _, use = ...

local names, context, members = use "repl.names", use "repl.context", use "repl.members"
local entry_of = members.entry

local signature = {}

-- Functions of the string library that give a text.
local gives_text = { char = true, format = true, gsub = true, lower = true, rep = true, reverse = true, sub = true,
  upper = true }

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
  local owner = names.value(session, path, #path - 1)
  if owner == nil then return nil end
  local shape, _, _, _, is_variable = session.native.tensor(owner)
  if shape or rawequal(owner, names.a_tensor) then
    local is_op = type(rawget(lutra, last.name)) == "function"
    if is_variable and entry_of(session, "variable." .. last.name) then return "variable." .. last.name end
    return not is_op and entry_of(session, "tensor." .. last.name) and "tensor." .. last.name or last.name
  end
  return members.topic(session, owner, last.name)
end

-- The type of what a call of this path gives, as "lutra.Tensor"; nil if that is not known. Calls nothing.
function signature.result_of(session, path)
  local topic = names.value(session, path) ~= nil and topic_of(session, path)
  if not topic then
    local call = use "repl.standard".about(names.value(session, path)) or ""
    return gives_text[call:match("^string%.(%l+)") or ""] and "string" or nil
  end
  local owner = #path > 1 and names.value(session, path, #path - 1)
  local is_method = session.native.tensor(owner) or rawequal(owner, names.a_tensor)
  local entry = entry_of(session, is_method and not topic:find("^tensor%.") and "tensor." .. topic or topic)
  if entry and entry.alias then entry = entry_of(session, entry.alias) end
  if entry then return entry.returns[1] and entry.returns[1].type end
  return "lutra.Tensor" -- an operation, whose help is not in _meta
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

local function sorted_set(words)
  local seen, unique = {}, {}
  for _, name in ipairs(words) do
    if not seen[name] then unique[#unique + 1] = name end
    seen[name] = true
  end
  table.sort(unique)
  return unique
end

local function blanked(text) return (" "):rep(#text) end

-- The names in "xlabel, ylabel = 1, width", up to a value or a description of several words.
local function names_in(group, add)
  for part in group:gmatch "[^,]+" do
    local name, mark, value = part:match "^%s*([%a_][%w_]*)%s*([=:]?)(.*)$"
    if not name or name == "or" or (mark == "" and value ~= "") then return end
    add(name)
    if mark == ":" or not value:find "^%s*[%w_.%-]*%s*$" then return end
  end
end

-- The options that an annotation names: `{bins = their number; title, width}`, `{axis?: integer}`, and without braces
-- "link_gbps and link_latency_us = of copies". Quoted and nested texts are values.
local function options_in(param)
  local options = {}
  local function add(name) options[#options + 1] = name end
  local typed = param.type:match("^%b{}")
  if typed then
    local inner = typed:sub(2, -2):gsub("%b()", ""):gsub("%b{}", ""):gsub("%b<>", "")
    for name in inner:gmatch("([%a_][%w_]*)%??:") do add(name) end
    return sorted_set(options)
  end
  local text = param.text:gsub('%b""', blanked)
  local braces = text:match("^%b{}")
  if braces then
    local inner = braces:sub(2, -2):gsub("%b()", blanked):gsub("%b{}", blanked):gsub("%b[]", blanked)
    for group in inner:gmatch("[^;]+") do names_in((group:gsub("^%s*or ", "")), add) end
  else
    for list in text:gmatch("([%a_][%w_, ]*) = ") do
      for name in list:gmatch("[%a_][%w_]*") do
        if name ~= "and" then add(name) end
      end
    end
  end
  return sorted_set(options)
end

-- The same of an operation, whose help has a line for each argument and option.
local function of_operation(topic)
  local ok, text = pcall(lutra.help, topic)
  if not ok then return nil end
  local head = text:match("^([^\n]*)")
  if not head:find("(", 1, true) then return nil end
  local options, arguments = {}, " " .. (head:match("%((.*)%)") or ""):gsub("%p", " ") .. " "
  if arguments:find(" options ", 1, true) then
    for name in text:match("^(.-)\n  computed in: "):gmatch("\n  ([%a_][%w_]*): ") do
      if not arguments:find(" " .. name .. " ", 1, true) then options[#options + 1] = name end
    end
  end
  return head, sorted_set(options)
end

-- Adds the options of another function, named in full or as a neighbour. "plot" stands for all kinds of plots.
local function with_others(session, topic, name, options)
  if name == "plot" then name = "plot.line" end
  local neighbour = (topic:match("^.*%.") or "") .. name
  local all = { table.unpack(options) }
  for _, each in ipairs { neighbour, name } do
    if each:lower() ~= topic:lower() and entry_of(session, each) then
      local _, others = signature.of_topic(session, each)
      table.move(others or {}, 1, #(others or {}), #all + 1, all)
      break
    end
  end
  return sorted_set(all)
end

-- "lutra.sum(x, [axis], [options])" and the names of the options; nil if nothing is known.
local known = {}
function signature.of_topic(session, topic)
  if known[topic] == nil then
    local entry = entry_of(session, topic)
    local found = {}
    if entry and entry.alias then entry = entry_of(session, entry.alias) end
    if entry then
      found[1], found[2] = use "annotations".signature(entry), {}
      for _, param in ipairs(entry.params) do
        if param.name == "options" or param.text:find("^{[^}]* = ") then
          found[2] = options_in(param)
          local others = param.text:match("those of %[lt%.([%w_.]+)%]") or param.text:match("those of ([%a_][%w_]*)")
          if others then found[2] = with_others(session, topic, others, found[2]) end
        end
      end
    else
      found[1], found[2] = of_operation(topic)
    end
    known[topic] = found
  end
  return known[topic][1], known[topic][2]
end

-- The arguments of a function of Lua's library, or of the user's.
local function other_signature(session, path)
  local value = names.value(session, path)
  if type(value) ~= "function" then return nil end
  local given = use "repl.standard".about(value, path[#path].separator == ":")
  if given then return given end
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
    local head, options = signature.of_topic(session, topic)
    if head then return head, options end
  end
  return other_signature(session, path)
end

function signature.at(session, text, cursor)
  if text:find("^%s*[:?]") then return "" end
  local tokens = use "repl.tokens"
  local all = tokens.split_again((context.before(text, cursor)))
  local call = context.open_call(all, #all)
  if not call then return "" end
  local head, options = use "repl.typed".with(session, all, call.first, signature.of_path, session, call.path)
  if not head then return "" end
  if options and #options > 0 then head = head .. "  options: " .. table.concat(options, ", ") end
  return head
end

-- What is known about the name at the cursor; if there is none, about the function in whose call the cursor is.
function signature.inspect(session, text, cursor)
  local about = use "repl.question".text
  local last = cursor - 1
  while text:find("^[%w_]", last + 1) do last = last + 1 end
  local path = text:sub(1, last):match("[%a_][%w_%.:]*$")
  local found = path and about(session, path)
  if found then return found end
  local all = use "repl.tokens".split_again((context.before(text, cursor)))
  local call = context.open_call(all, #all)
  if not call then return "" end
  local words = {}
  for i, each in ipairs(call.path) do words[i] = (each.separator or "") .. each.name end
  return about(session, (table.concat(words):gsub("^[.:]", ""))) or signature.at(session, text, cursor)
end

return signature
