-- Checks of arguments that several functions of lutra.placement share.
local lutra, tools = ...
local checks = {}

-- Fails unless f is a function. `expected`: what else it may be.
function checks.is_function(who, f, expected)
  if type(f) == "function" then return end
  if type(f) == "userdata" and getmetatable(f) == "lutra.graph" then
    tools.fail("InvalidArgument", who .. ": f is a graph, which replays its ops where they were recorded; give the function that lt.graph was given")
  end
  tools.fail("InvalidArgument", ("%s: f is %s, expected %s"):format(who, tools.what_is(f), expected or "a function"))
end

return checks
