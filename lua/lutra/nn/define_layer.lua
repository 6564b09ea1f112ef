-- define(kind, defaults, places, init): a class of layers without weights. Beside the options in `defaults` each has a name and an
-- input_shape; they stand behind `places` other arguments. init(self, read, ...) gets the options read, and all arguments.
local lutra, tools, use = ...
local options, Layer = use "options", use "nn.layer".Layer

return function(kind, defaults, places, init)
  local Made = Layer:extend(kind)
  defaults.name, defaults.input_shape = false, false
  function Made:init(...)
    local read = options.read(kind, (select(places + 1, ...)), defaults)
    self:named(read.name)
    self.input_shape = read.input_shape and options.shape(kind, "input_shape", read.input_shape)
    if init then init(self, read, ...) end
  end
  return Made
end
