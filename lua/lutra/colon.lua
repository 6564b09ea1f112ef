-- Methods that say so when they are called with a dot, as in model.fit(x, y).
local _, tools = ...

-- colon(class, "m", "model", "fit predict"): these methods of the class fail unless their first argument has them.
return function(class, object, kind, names)
  for name in names:gmatch "%S+" do
    local f = class[name]
    class[name] = function(self, ...)
      if type(self) ~= "table" or self[name] == nil then
        tools.fail("InvalidArgument",
          ("%s: called with a dot, which does not hand over the %s; write %s:%s(...) with a colon"):format(
          name, kind, object, name))
      end
      return f(self, ...)
    end
  end
end
