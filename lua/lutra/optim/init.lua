-- lutra.optim: optimisers and schedules. Documented in _meta/optim.lua.
local lutra, tools, use = ...

local optim = { schedules = use "optim.schedules" }
for name, Made in pairs(use "optim.rules".public) do optim[name] = Made end

return optim
