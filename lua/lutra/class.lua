-- Kinds of objects: class("nn.Dense", Layer) makes a table that makes an object when it is called. An object finds what
-- its class has, and what the classes under that have. Objects of a class that `remembers` keep what they were made with,
-- so that a file can tell how to make them again.
local function remembered(...)
  local given = table.pack(...)
  for i = 1, given.n do
    local value = given[i]
    -- The caller may change its table and use it again.
    if type(value) == "table" and getmetatable(value) == nil then
      given[i] = {}
      for key, entry in pairs(value) do given[i][key] = entry end
    end
  end
  return given
end

return function(name, base)
  local made = {}
  for key, value in pairs(base or {}) do
    if type(key) == "string" and key:find("^__") then made[key] = value end
  end
  made.__index, made.__name = made, "lutra." .. name
  return setmetatable(made, {
    __index = base,
    __name = "lutra.Class",
    __call = function(self, ...)
      local object = setmetatable({}, self)
      if self.remembers then rawset(object, "made_with", remembered(...)) end
      if self.begin then self.begin(object) end
      if self.init then self.init(object, ...) end
      if self.finish then self.finish(object) end
      return object
    end,
  })
end
