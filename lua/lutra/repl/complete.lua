-- What may stand at the cursor. Tables are read raw, metamethods are never called.
local lutra, _, use = ...

local names, context, signature, late = use "repl.names", use "repl.context", use "repl.signature", use "late"
local members = use "repl.members"

local complete = {}

local most_words = 500

-- Collects words that begin with a prefix.
local function collector(prefix)
  local words, seen = {}, {}
  return function(word)
    if type(word) ~= "string" or seen[word] or word:sub(1, #prefix) ~= prefix then return end
    seen[word] = true
    words[#words + 1] = word
  end, words
end

local keywords = use "repl.tokens".keywords

local function is_name(word)
  return type(word) == "string" and word:find("^[%a_][%w_]*$") ~= nil and not keywords[word]
end

-- Whether an entry of a value, or of a class of it, is offered. known: what is documented of the value.
local function is_offered(value, holder, name, each, separator, known)
  local is_own = rawequal(holder, value)
  if type(each) ~= "function" then return separator == "." and (is_own or not known) end
  local is_method = not is_own and members.is_object(value)
  if separator == "." and is_method then return false end
  return not known or known.methods[name] or members.is_users(each)
end

-- Fields of a value after "."; after ":" only what can be called as a method.
local function add_fields(session, add, value, separator, prefix)
  local known = members.of(session, value)
  for _, holder in ipairs(names.holders(session, value)) do
    for name, each in next, holder do
      local is_hidden = type(name) == "string" and name:find("^_") and not prefix:find("^_")
      if is_name(name) and not is_hidden and is_offered(value, holder, name, each, separator, known) then add(name) end
    end
  end
  local documented = known and (separator == "." and known.fields or known.are_hidden and known.methods) or {}
  for name in next, documented do add(name) end
  local shape, _, _, _, is_variable = session.native.tensor(value)
  if (shape or rawequal(value, names.a_tensor)) and separator == "." then
    for _, name in ipairs(names.tensor_fields) do add(name) end
    for _, name in ipairs(is_variable and names.variable_fields or {}) do add(name) end
  end
  for name in next, type(value) == "table" and late.of(debug.getmetatable(value)) or {} do add(name) end
  if rawequal(value, lutra) and separator == "." then
    for name in next, names.parts(session) do add(name) end
  end
end

local function path_words(session, at)
  local add, words = collector(at.prefix)
  local path = at.path
  if #path > 1 then
    local value = names.value(session, path, #path - 1)
    -- A question may leave out `lt.`: ?nn.Dense.
    if value == nil and at.is_question then
      value = lutra
      for i = 1, #path - 1 do value = value ~= nil and names.field(session, value, path[i].name) or nil end
    end
    if value ~= nil then add_fields(session, add, value, path[#path].separator, at.prefix) end
    return words
  end
  -- Option keys come first: inside {} of a call of a function that takes options.
  local call = context.open_call(at.all, at.prefix == "" and #at.all or #at.all - 1)
  local before = at.all[at.first_token - 1]
  if call and call.in_table and before and (before.text == "{" or before.text == ",") then
    local head, options = signature.of_path(session, call.path)
    local function offer(name)
      if name:sub(1, #at.prefix) == at.prefix then words[#words + 1] = name .. " = " end
    end
    for _, name in ipairs(options or {}) do offer(name) end
    -- An axis may stand among the options too.
    if options and head:find("axis]", 1, true) then offer "axis" end
    if #words > 0 then return words end
  end
  if at.is_question then add_fields(session, add, lutra, ".", at.prefix) end
  for name in next, session.declared do add(name) end
  for name in next, session.typed and session.typed:definitions() or {} do add(name) end
  for name in next, _G do
    if is_name(name) and not (at.prefix == "" and name:find("^_")) then add(name) end
  end
  if at.prefix ~= "" then
    for word in next, keywords do add(word) end
  end
  return words
end

local function is_file(path)
  local handle <close> = io.open(path, "rb")
  return handle ~= nil
end

-- Modules: Lutra's, those that are loaded, and files on package.path.
local function module_words(session, prefix)
  local add, words = collector(prefix)
  for name in next, package.loaded do add(name) end
  for name in next, package.preload do add(name) end
  local folder = prefix:match("^(.*)%.[^.]*$")
  local inside = folder and folder:gsub("%.", "/") .. "/" or ""
  for template in tostring(package.path):gmatch("[^;]+") do
    local head, tail = template:match("^(.-)%?(.*)$")
    if head then
      for _, entry in ipairs(session.native.folder(head .. inside) or {}) do
        local stem = tail ~= "" and entry:sub(-#tail) == tail and entry:sub(1, -#tail - 1)
        if stem and stem:find("^[%w_%-]+$") then add((folder and folder .. "." or "") .. stem) end
        local is_folder = entry:sub(-1) == "/" and tail == "/init.lua"
        if is_folder and is_file(head .. inside .. entry .. "init.lua") then
          add((folder and folder .. "." or "") .. entry:sub(1, -2))
        end
      end
    end
  end
  return words
end

local function file_words(session, prefix)
  local folder, start = prefix:match("^(.*/)([^/]*)$")
  folder, start = folder or "", start or prefix
  local path = use "repl.files".expanded(folder)
  local words = {}
  for _, entry in ipairs(session.native.folder(path == "" and "." or path) or {}) do
    local is_hidden = entry:sub(1, 1) == "." and start:sub(1, 1) ~= "."
    -- A name that would need an escape in a Lua string is left out.
    local is_plain = not entry:find('[%c"\'\\]')
    if is_plain and not is_hidden and entry:sub(1, #start) == start then words[#words + 1] = folder .. entry end
  end
  return words
end

-- The keys of a table that are strings, behind `t["`.
local function key_words(session, at)
  local open = at.all[#at.all - 1]
  if not open or open.text ~= "[" then return nil end
  local path = context.path_ending_at(at.all, #at.all - 2)
  local value = path and names.value(session, path)
  if type(value) ~= "table" then return nil end
  local add, words = collector(at.text)
  for key in next, value do
    if type(key) == "string" and not key:find('[%c"\'\\]') then add(key) end
  end
  return words
end

local function device_words(session, prefix)
  local add, words = collector(prefix)
  local config = lutra.config
  local devices = session.native.is_initialised() and config.list_logical_devices() or config.list_physical_devices()
  for _, device in ipairs(devices) do
    local name = names.short_device(device.name)
    for _, form in ipairs { name, "/" .. name, "/device:" .. name } do
      if prefix ~= "" or form == name then add(form) end
    end
  end
  return words
end

-- Functions whose strings name devices, by their last word.
local takes_devices = {}
for name in ([[device to get_memory_info reset_memory_stats release_memory synchronize set_memory_growth
  get_memory_growth set_memory_limit set_logical_device_configuration get_logical_device_configuration
  set_per_process_memory_fraction get_device_details set_visible_devices MirroredStrategy]]):gmatch("%S+") do
  takes_devices[name] = true
end

local function string_words(session, at)
  local keys = key_words(session, at)
  if keys then return keys end
  local callee = at.callee or (at.call and at.call.path)
  local last = callee and callee[#callee]
  if last and #callee == 1 and last.name == "require" then return module_words(session, at.text) end
  local is_ours = last and #callee > 1 and takes_devices[last.name]
  if is_ours then return device_words(session, at.text) end
  local key, equals = at.all[#at.all - 2], at.all[#at.all - 1]
  if key and key.text == "device" and equals.text == "=" then return device_words(session, at.text) end
  return file_words(session, at.text)
end

-- Words of a command and of its argument.
local function command_words(session, text, cursor)
  local command = use "repl.command"
  local before = text:sub(1, cursor - 1)
  local first, prefix = before:match("^%s*:()([%w_]*)$")
  if first then
    local words = {}
    for _, name in ipairs(command.names(session)) do
      if name:sub(1, #prefix) == prefix then words[#words + 1] = name end
    end
    return first, words
  end
  local name, at, argument = before:match("^%s*:([%w_]+)%s+()(.*)$")
  if not name then return nil end
  local found = command.find(session, name)
  if not found then return 1, {} end
  local words
  if name == "load" or name == "save" then words = file_words(session, argument)
  elseif name == "device" then
    words = device_words(session, argument)
    if ("off"):sub(1, #argument) == argument then words[#words + 1] = "off" end
  elseif name == "help" then
    words = {}
    for _, each in ipairs(command.names(session)) do
      if each:sub(1, #argument) == argument then words[#words + 1] = each end
    end
  else
    local add
    add, words = collector(argument)
    local choices = found.usage:match("%[([%l|]+)[|%]]") or found.usage:match(" ([%l|]+)|") or ""
    for word in choices:gmatch("%l+") do add(word) end
    if found.usage:find("EXPR") then return nil end
  end
  return at, words
end

-- The first and the last byte to replace, and the words, sorted.
function complete.words(session, text, cursor)
  local first, words
  if text:find("^%s*:") and not text:find("^%s*::") then first, words = command_words(session, text, cursor) end
  if not words then
    -- After the words of a command or a question stands Lua.
    local lead = text:match("^%s*:%a+%s+()") or text:match("^%s*%?+%s*()") or 1
    local at = context.at(text:sub(lead), cursor - lead + 1)
    at.is_question = text:find("^%s*%?") ~= nil
    local typed = use "repl.typed"
    if at.kind == "path" then words = typed.with(session, at.all, at.first_token - 1, path_words, session, at)
    elseif at.kind == "string" then words = typed.with(session, at.all, #at.all - 1, string_words, session, at)
    else return cursor, cursor - 1, {} end
    first = at.first + lead - 1
  end
  table.sort(words)
  for i = #words, most_words + 1, -1 do words[i] = nil end
  return first, cursor - 1, words
end

return complete
