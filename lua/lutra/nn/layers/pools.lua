-- Layers that reduce each window of a channel to its maximum or mean.
local lutra, tools, use = ...
local options, layers, windows = use "options", use "nn.layers.layer", use "nn.layers.windows"

local function define(kind, axes, pool)
  local Pool = layers.Layer:extend(kind)
  Pool.takes_one = true
  function Pool:init(pool_size, given)
    if type(pool_size) == "table" and pool_size[1] == nil then given, pool_size = pool_size, nil end
    local read = self:read_options(given, { strides = false, padding = "valid" })
    self.pool_size = windows.numbers(kind, "pool_size", pool_size or 2, axes)
    self.strides = windows.numbers(kind, "strides", read.strides or self.pool_size, axes)
    self.padding = options.word(kind, "padding", read.padding, windows.paddings)
    rawset(self, "window", windows.for_image(self.pool_size, axes))
    rawset(self, "how", { stride = windows.for_image(self.strides, axes), padding = self.padding })
  end
  function Pool:build(shape) self:compute_output_shape(shape) end
  function Pool:compute_output_shape(shape) return windows.output_shape(self, shape, self.pool_size, shape[#shape]) end
  function Pool:call(x)
    return windows.from_image(pool(windows.to_image(x, axes), self.window, self.how), axes)
  end
  return Pool
end

return use "nn.layers.channel_order".data_format {
  MaxPool1D = define("MaxPool1D", 1, lutra.max_pool2d), AvgPool1D = define("AvgPool1D", 1, lutra.avg_pool2d),
  MaxPool2D = define("MaxPool2D", 2, lutra.max_pool2d), AvgPool2D = define("AvgPool2D", 2, lutra.avg_pool2d),
}
