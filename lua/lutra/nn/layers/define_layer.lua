-- define(kind, defaults, places, init): a class of layers. Beside the options in `defaults` each has those of all layers; they
-- stand behind `places` other arguments. init(self, read, ...) gets the options read, and all arguments.
local lutra, tools, use = ...
local Layer = use "nn.layers.layer".Layer

return function(kind, defaults, places, init)
  local Made = Layer:extend(kind)
  function Made:init(...)
    local read = self:read_options((select(places + 1, ...)), defaults)
    if init then init(self, read, ...) end
  end
  return Made
end
