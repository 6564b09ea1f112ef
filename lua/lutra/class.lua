-- Classes: class("nn.Dense", Layer) makes a class; calling it makes an object. Objects inherit from their class and its
-- base classes. If a class has `remembers`, its objects keep their constructor arguments, so that they can be saved to
-- a file and made again.
local function remembered(...)
  local given = table.pack(...)
  for i = 1, given.n do
    local value = given[i]
    -- Copied, since the caller may change its table and use it again.
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
