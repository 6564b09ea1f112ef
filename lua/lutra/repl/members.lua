-- What lua/lutra/_meta documents: its entries, and the methods and fields of an object of Lutra's. Reads texts and raw
-- tables, runs nothing.
local _, _, use = ...

local rawget, type, getinfo = rawget, type, debug.getinfo
local metatable_of = debug.getmetatable

local members = {}

local function source_of(session, file) return session.native.source("lutra._meta." .. file:gsub("/", ".")) end

-- The modules of _meta by lower-case path of their classes; the paths by their last word. Reading all entries would
-- delay a keystroke.
local modules, by_last_word
local function find_classes(session)
  if modules then return end
  modules, by_last_word = { [""] = "lutra" }, {}
  for _, module in ipairs(use "annotations".modules) do
    for path in source_of(session, module):gmatch("%f[^\n]%-%-%-@class lutra%.([%w_.]+)") do
      path = path:gsub("%.$", ""):lower()
      modules[path] = modules[path] or module
      by_last_word[path:match("[^.]+$")] = path
    end
  end
end

-- The entries and classes of one module, read once, by lower-case path.
local read = {}
local function module_of(session, name)
  if read[name] then return read[name] end
  local found = { entries = {}, classes = {} }
  local ok, classes = pcall(use "annotations".of, name, function(file) return source_of(session, file) end)
  for _, class in ipairs(ok and classes or {}) do
    found.classes[class.path:lower()] = class
    for _, entry in ipairs(class.entries) do found.entries[entry.path:lower()] = entry end
  end
  read[name] = found
  return found
end

-- The entry of a path like "nn.Dense" or "nn.Model.fit"; nil if there is none.
function members.entry(session, topic)
  find_classes(session)
  local path = topic:lower()
  local class, name = path:match("^(.*)%.([^.]*)$")
  local module = modules[class or ""]
  local entry = module and module_of(session, module).entries[path]
  -- lt.data.map(ds, f) is ds:map(f).
  if not entry and class == "data" then return members.entry(session, "data.dataset." .. name) end
  return entry
end

local function class_named(session, name)
  find_classes(session)
  local path = type(name) == "string" and name:match("^lutra%.(.+)$")
  if not path then return nil end
  path = path:lower()
  path = modules[path] and path or by_last_word[path]
  return path and module_of(session, modules[path]).classes[path] or nil
end

local function is_class(value)
  local meta = metatable_of(value)
  return type(value) == "table" and type(meta) == "table" and rawget(meta, "__name") == "lutra.Class"
end

-- Whether functions behind the value are its methods, and not fields as in a module.
function members.is_object(value)
  if type(value) ~= "table" then return true end
  local meta = metatable_of(value)
  if type(meta) ~= "table" or is_class(value) then return false end
  local name = rawget(meta, "__name")
  return rawequal(rawget(meta, "__index"), meta) or type(name) == "string" and name:find("^lutra%.") ~= nil
end

-- Adds the methods that the text about a class's constructor names, as `model:add(layer)`.
local function add_named(session, name, methods)
  local maker = type(name) == "string" and members.entry(session, (name:gsub("^lutra%.", "")))
  for _, text in ipairs(maker and { maker.summary or "", table.unpack(maker.notes) } or {}) do
    for method in text:gmatch("%w:([%a_][%w_]*)%(") do methods[method] = true end
  end
end

-- The documented classes of an object of Lutra's, or of a class: its own first, then those that it inherits from; and
-- methods that constructors name.
local function classes_of(session, value)
  local list, class, named = {}, value, {}
  if not is_class(value) then class = metatable_of(value) end
  for _ = 1, 10 do
    if type(class) ~= "table" then break end
    local name = rawget(class, "__name")
    list[#list + 1] = class_named(session, name)
    add_named(session, name, named)
    local meta = metatable_of(class)
    class = type(meta) == "table" and rawget(meta, "__index") or nil
  end
  return list, named
end

-- The names of documented methods and fields; nil if no method is documented, or all are, as a tensor's. are_hidden: the
-- methods cannot be read raw, since a function finds them.
function members.of(session, value)
  local kind = type(value)
  if kind ~= "table" and kind ~= "userdata" then return nil end
  local meta, fields, count = metatable_of(value), {}, 0
  local name = type(meta) == "table" and rawget(meta, "__name")
  if name == "lutra.Tensor" or name == "lutra.Variable" then return nil end
  local classes, methods = classes_of(session, value)
  for _, class in ipairs(classes) do
    for _, entry in ipairs(class.entries) do
      if not entry.name:find("^__") then methods[entry.name], count = true, count + 1 end
    end
    for _, field in ipairs(is_class(value) and {} or class.fields) do fields[field.name] = true end
  end
  local are_hidden = not is_class(value) and type(meta) == "table" and type(rawget(meta, "__index")) == "function"
  return count > 0 and { methods = methods, fields = fields, are_hidden = are_hidden } or nil
end

-- The path of an object's method or field, as "nn.Model.fit"; nil if it is not documented.
function members.topic(session, value, name)
  if type(value) ~= "table" and type(value) ~= "userdata" then return nil end
  for _, class in ipairs((classes_of(session, value))) do
    for _, list in ipairs { class.entries, class.fields } do
      for _, each in ipairs(list) do
        if each.name == name then return class.path .. "." .. name end
      end
    end
  end
end

-- Whether a function is neither Lutra's nor of C.
function members.is_users(value)
  local info = getinfo(value, "S")
  return info.what ~= "C" and not info.source:find("^=%[lutra")
end

return members
