-- What names stand for, by raw access only: no metamethod of the user's runs.
local lutra, _, use = ...

local rawget, type, next = rawget, type, next
local metatable_of, late = debug.getmetatable, use "late"

local names = {}

-- The path of a text like "model.layers": a list of {name = ...}.
function names.split(text)
  local path = {}
  for word in text:gmatch("[%w_]+") do path[#path + 1] = { name = word } end
  return path
end

-- A device's name without its job and task: "GPU:0".
function names.short_device(name) return name:match("[^:]*:%d+$") end

-- A variable of the entry that is being typed, of the session, or a global.
function names.variable(session, name)
  local typed = session.typed
  if typed and typed:defines(name) then return typed:value(session, name) end
  if session.consts[name] ~= nil then return session.consts[name] end
  if session.env and session.declared[name] then return rawget(session.env, name) end
  return rawget(_G, name)
end

-- Whether the name is the user's: not the standard library's or Lutra's.
local given = {}
for name in ([[_G _VERSION _PROMPT _PROMPT2 arg assert collectgarbage coroutine debug dofile error getmetatable io
  ipairs load loadfile lt lutra math next os package pairs pcall print rawequal rawget rawlen rawset require select
  setmetatable string table tonumber tostring type utf8 warn xpcall]]):gmatch("%S+") do given[name] = true end
function names.is_users(session, name) return session.declared[name] ~= nil or not given[name] end
names.given = given

-- Whether the table is one of Lutra's modules, whose submodules are loaded on use.
local function is_module(value) return rawequal(value, lutra) end

-- Stands for the result of a call that is known to be a tensor: calling it would run code.
names.a_tensor = setmetatable({}, { __name = "lutra.Tensor" })

-- The tables in which value[name] is looked for: the value itself and, along __index, the tables of its classes.
function names.holders(session, value)
  local list = {}
  local methods, variable_methods = session.native.members()
  local shape, _, _, _, is_variable = session.native.tensor(value)
  if shape ~= nil or rawequal(value, names.a_tensor) then
    list[1] = methods
    if is_variable then list[2] = variable_methods end
    return list
  end
  if type(value) == "string" then value = rawget(metatable_of("") or {}, "__index") end
  for _ = 1, 10 do
    if type(value) == "table" then list[#list + 1] = value end
    local meta = metatable_of(value)
    local index = type(meta) == "table" and rawget(meta, "__index")
    if type(index) ~= "table" then break end
    value = index
  end
  return list
end

function names.field(session, value, name)
  for _, holder in ipairs(names.holders(session, value)) do
    local found = rawget(holder, name)
    if found ~= nil then return found end
  end
  if type(value) == "table" and late.of(metatable_of(value))[name] then return value[name] end
  -- lutra.nn and its like are loaded by the first use of the field, which is Lutra's own code.
  if is_module(value) and names.is_part(session, name) then return lutra[name] end
end

local function is_tensor(session, value)
  return rawequal(value, names.a_tensor) or session.native.tensor(value) ~= nil
end

-- What a path hangs on that begins with no name: a string, or what a call or an expression gives that need not be
-- computed to know it.
function names.base_value(session, base)
  if base.text then return "" end
  if base.value then return names.value(session, base.value) end
  if base.operands then
    for _, path in ipairs(base.operands) do
      if is_tensor(session, names.value(session, path)) then return names.a_tensor end
    end
    return nil
  end
  if base.index then
    local owner = names.value(session, base.index)
    if is_tensor(session, owner) then return names.a_tensor end
    return type(owner) == "table" and base.key ~= nil and rawget(owner, base.key) or nil
  end
  local kind = use "repl.signature".result_of(session, base.call)
  if kind == "lutra.Tensor" then return names.a_tensor end
  if kind == "string" then return "" end
end

-- What the first `count` names of a path stand for (all by default); nil if there is nothing.
function names.value(session, path, count)
  local value
  for i = 1, count or #path do
    local name, base = path[i].name, path[i].base
    if base then value = names.base_value(session, base)
    elseif i == 1 then value = names.variable(session, name)
    else value = names.field(session, value, name) end
    if value == nil then return nil end
  end
  return value
end

-- The submodules: nn, optim ...
local parts
function names.parts(session)
  if parts then return parts end
  parts = {}
  local all = session.native.parts "lutra."
  for _, name in ipairs(all) do
    local whole = name:match("^(%l+)%.")
    if whole and whole ~= "_meta" then parts[whole] = true end
  end
  return parts
end
function names.is_part(session, name) return names.parts(session)[name] == true end

-- The fields of tensors and variables, which are no entries of a table.
names.tensor_fields = { "device", "dtype", "nbytes", "rank", "shape", "size" }
names.variable_fields = { "name", "trainable" }

return names
