-- define(kind, defaults, places, init): defines a class of layers. `places` is the number of arguments before the
-- options, which are `defaults` and those of all layers. init(self, read, ...) gets the options read and all arguments.
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
