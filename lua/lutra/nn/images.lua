-- Layers of images, whose shape is {height, width, channels}: convolution and pooling.
local lutra, tools, use = ...
local options, Layer = use "options", use "nn.layer".Layer
local activations = use "nn.activations"

-- One number for both axes, or one for each.
local function pair(who, name, value)
  local list = type(value) == "table" and value or { value, value }
  if #list ~= 2 then
    tools.fail("InvalidArgument", ("%s: %s has %d numbers, expected one or two"):format(who, name, #list))
  end
  return { options.count(who, name, list[1], 1), options.count(who, name, list[2], 1) }
end

-- How many places a window of `size` has along an axis.
local function places(length, size, stride, padding)
  if length == -1 then return -1 end
  if padding == "same" then return (length + stride - 1) // stride end
  return (length - size) // stride + 1
end

local function output_shape(self, shape, window, channels)
  if #shape ~= 3 then
    self:refuse("its input has the shape %s, expected (height, width, channels)", options.shape_text(shape))
  end
  local out = { 0, 0, channels }
  for axis = 1, 2 do
    out[axis] = places(shape[axis], window[axis], self.strides[axis], self.padding)
    if out[axis] < 1 and shape[axis] ~= -1 then
      self:refuse("its input has the shape %s, which is smaller than its window of %d x %d", options.shape_text(shape),
        window[1], window[2])
    end
  end
  return out
end

local paddings = { valid = "valid", same = "same" }

local Conv2D = Layer:extend "Conv2D"

function Conv2D:init(filters, kernel_size, given)
  local read = self:read_options(given, {
    strides = 1, padding = "valid", dilation_rate = 1, groups = 1, activation = false, use_bias = true,
    kernel_initializer = "glorot_uniform", bias_initializer = "zeros", kernel_regularizer = false,
    bias_regularizer = false,
  })
  self.filters = options.count("Conv2D", "filters", filters, 1)
  self.kernel_size = pair("Conv2D", "kernel_size", kernel_size)
  self.strides, self.dilation = pair("Conv2D", "strides", read.strides), pair("Conv2D", "dilation_rate", read.dilation_rate)
  self.padding = options.word("Conv2D", "padding", read.padding, paddings)
  self.groups = options.count("Conv2D", "groups", read.groups, 1)
  self.activation = activations.get("Conv2D", read.activation)
  self.read = read
  self.how = { stride = self.strides, padding = self.padding, dilation = self.dilation, groups = self.groups }
end

function Conv2D:build(shape)
  self:compute_output_shape(shape)
  local size, read, channels = self.kernel_size, self.read, shape[3]
  if channels % self.groups ~= 0 or self.filters % self.groups ~= 0 then
    self:refuse("%d channels and %d filters cannot be shared out among %d groups", channels, self.filters, self.groups)
  end
  self.kernel = self:add_weight {
    name = "kernel", shape = { size[1], size[2], channels // self.groups, self.filters }, initializer = read.kernel_initializer,
    regularizer = read.kernel_regularizer,
  }
  if not read.use_bias then return end
  self.bias = self:add_weight {
    name = "bias", shape = { self.filters }, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
  }
end

function Conv2D:compute_output_shape(shape)
  local window = {}
  for axis = 1, 2 do window[axis] = (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
  return output_shape(self, shape, window, self.filters)
end

function Conv2D:call(x)
  local y = lutra.conv2d(x, self.kernel, self.how)
  if self.bias then y = lutra.bias_add(y, self.bias) end
  return self.activation and self.activation(y) or y
end

local function define_pool(kind, pool)
  local Pool = Layer:extend(kind)
  function Pool:init(pool_size, given)
    if type(pool_size) == "table" and pool_size[1] == nil then given, pool_size = pool_size, nil end
    local read = self:read_options(given, { strides = false, padding = "valid" })
    self.pool_size = pair(kind, "pool_size", pool_size or 2)
    self.strides = pair(kind, "strides", read.strides or self.pool_size)
    self.padding = options.word(kind, "padding", read.padding, paddings)
    self.how = { stride = self.strides, padding = self.padding }
  end
  function Pool:compute_output_shape(shape) return output_shape(self, shape, self.pool_size, shape[3]) end
  function Pool:call(x) return pool(x, self.pool_size, self.how) end
  return Pool
end

return {
  Conv2D = Conv2D, MaxPool2D = define_pool("MaxPool2D", lutra.max_pool2d), AvgPool2D = define_pool("AvgPool2D", lutra.avg_pool2d),
}
