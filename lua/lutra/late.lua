-- late.fields(module, {Conv3D = "nn.layers.volumes"}): fields of a module whose file is loaded when one of them is first
-- read. Such a file returns a table of fields. So lutra.nn costs no more for what a program does not use.
local _, _, use = ...

local late = {}
local all = setmetatable({}, { __mode = "k" })

function late.fields(module, files)
  all[files] = true
  local function find(_, name)
    local file = files[name]
    if not file then return nil end
    for key, made in pairs(use(file)) do
      if files[key] == file and rawget(module, key) == nil then rawset(module, key, made) end
    end
    return rawget(module, name)
  end
  return setmetatable(module, { __index = find, __late = files })
end

-- The late fields of a module by name, given its metatable.
function late.of(meta)
  local files = type(meta) == "table" and rawget(meta, "__late")
  return files and all[files] and files or {}
end

return late
