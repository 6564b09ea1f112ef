-- Variables whose value a function corrects after each step of an optimizer (nn/layers/constraints.lua).
local constrained = { of = setmetatable({}, { __mode = "k" }), used = false }

function constrained.attach(variable, f)
  constrained.of[variable], constrained.used = f, true
end

return constrained
