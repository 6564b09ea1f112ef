-- Kinds of objects: class("nn.Dense", Layer) makes a table that makes an object when it is called. An object finds what
-- its class has, and what the classes under that have.
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
      if self.begin then self.begin(object) end
      if self.init then self.init(object, ...) end
      if self.finish then self.finish(object) end
      return object
    end,
  })
end
