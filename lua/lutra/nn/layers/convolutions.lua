-- Convolutions of sequences and images: ordinary, transposed, depthwise and separable ones.
local lutra, tools, use = ...
local options, layers, activations, windows = use "options", use "nn.layers.layer", use "nn.layers.activations",
  use "nn.layers.windows"
local for_image, to_image, from_image = windows.for_image, windows.to_image, windows.from_image

local causal = { valid = "valid", same = "same", causal = "causal" }

local defaults = {
  strides = 1, padding = "valid", dilation_rate = 1, activation = false, use_bias = true, bias_initializer = "zeros",
  bias_regularizer = false, bias_constraint = false,
}

-- Defines a class of convolutions over so many axes; `more` are its other options.
local function define(kind, axes, more)
  local Made = layers.Layer:extend(kind)
  Made.axes, Made.takes_one = axes, true
  for name, value in pairs(defaults) do more[name] = value end

  function Made:init_window(kernel_size, given)
    local read = self:read_options(given, more)
    self.kernel_size = windows.numbers(kind, "kernel_size", kernel_size, axes)
    self.strides = windows.numbers(kind, "strides", read.strides, axes)
    self.dilation = windows.numbers(kind, "dilation_rate", read.dilation_rate, axes)
    self.padding = options.word(kind, "padding", read.padding, axes == 1 and more.groups and causal or windows.paddings)
    self.activation = activations.get(kind, read.activation)
    self.read, self.groups = read, 1
  end

  -- The options of lutra.conv2d, a table that is made once.
  function Made:how(groups)
    local told = rawget(self, "told")
    if told then return told end
    told = {
      stride = for_image(self.strides, axes), dilation = for_image(self.dilation, axes), groups = groups,
      padding = self.padding == "causal" and "valid" or self.padding,
    }
    rawset(self, "told", told)
    return told
  end

  function Made:window()
    local window = {}
    for axis = 1, axes do window[axis] = (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
    return window
  end

  -- Adds a weight of the window's sizes followed by from and to.
  function Made:add_kernel(name, from, to, initializer, regularizer, window, constraint)
    local shape = { table.unpack(window or self.kernel_size) }
    shape[axes + 1], shape[axes + 2] = from, to
    return self:add_weight {
      name = name, shape = shape, initializer = initializer, regularizer = regularizer, constraint = constraint,
    }
  end
  function Made:add_bias(channels)
    if not self.read.use_bias then return end
    self.bias = self:add_weight {
      name = "bias", shape = { channels }, initializer = self.read.bias_initializer,
      regularizer = self.read.bias_regularizer, constraint = self.read.bias_constraint,
    }
  end

  function Made:compute_output_shape(shape)
    return windows.output_shape(self, shape, self:window(), self:channels(shape[#shape]))
  end

  -- Applies bias and activation to a product.
  function Made:finished(y)
    y = from_image(y, axes)
    if self.bias then y = lutra.bias_add(y, self.bias) end
    return self.activation and self.activation(y) or y
  end
  return Made
end

-- Reshapes a kernel for lutra.conv2d: the window, then the last two sizes.
local function kernel_of_image(kernel, axes, from, to)
  local shape = kernel.shape
  return lutra.reshape(kernel, { axes == 1 and 1 or shape[1], shape[axes], from, to })
end

local function define_conv(kind, axes)
  local Conv = define(kind, axes, {
    groups = 1, kernel_initializer = "glorot_uniform", kernel_regularizer = false, kernel_constraint = false,
  })
  function Conv:init(filters, kernel_size, given)
    self.filters = options.count(kind, "filters", filters, 1)
    self:init_window(kernel_size, given)
    self.groups = options.count(kind, "groups", self.read.groups, 1)
  end
  function Conv:channels() return self.filters end
  function Conv:build(shape)
    self:compute_output_shape(shape)
    local read, channels = self.read, shape[#shape]
    if channels % self.groups ~= 0 or self.filters % self.groups ~= 0 then
      self:refuse("%d channels and %d filters cannot be divided into %d groups", channels, self.filters, self.groups)
    end
    self.kernel = self:add_kernel("kernel", channels // self.groups, self.filters, read.kernel_initializer,
      read.kernel_regularizer, nil, read.kernel_constraint)
    self:add_bias(self.filters)
  end
  function Conv:call(x)
    local kernel, shape, how = self.kernel, self.kernel.shape, self:how(self.groups)
    if self.padding == "causal" then
      -- If there are no steps, no window covers the zeros before them.
      how.padding = x.shape[2] == 0 and "same" or "valid"
      if x.shape[2] > 0 then x = lutra.pad(x, { { 0, 0 }, { self:window()[1] - 1, 0 }, { 0, 0 } }) end
    end
    if axes == 1 then kernel = kernel_of_image(kernel, 1, shape[2], shape[3]) end
    return self:finished(lutra.conv2d(to_image(x, axes), kernel, how))
  end
  return Conv
end

local function require_channels(self, shape)
  if shape[#shape] == 0 then
    self:refuse("its input has the shape %s, expected a channel or more", options.shape_text(shape))
  end
end

-- Depthwise convolution: each channel has its own windows.
local function each_channel(self, x, kernel)
  local shape, axes = kernel.shape, self.axes
  local channels, multiplier = shape[axes + 1], shape[axes + 2]
  return lutra.conv2d(to_image(x, axes), kernel_of_image(kernel, axes, 1, channels * multiplier), self:how(channels))
end

local function define_depthwise(kind, axes)
  local Depthwise = define(kind, axes,
    { depth_multiplier = 1, depthwise_initializer = "glorot_uniform", depthwise_regularizer = false, depthwise_constraint = false })
  function Depthwise:init(kernel_size, given)
    self:init_window(kernel_size, given)
    self.multiplier = options.count(kind, "depth_multiplier", self.read.depth_multiplier, 1)
  end
  function Depthwise:channels(channels) return channels == -1 and -1 or channels * self.multiplier end
  function Depthwise:build(shape)
    self:compute_output_shape(shape)
    require_channels(self, shape)
    local read, channels = self.read, shape[#shape]
    self.kernel = self:add_kernel("kernel", channels, self.multiplier, read.depthwise_initializer,
      read.depthwise_regularizer, nil, read.depthwise_constraint)
    self:add_bias(self:channels(channels))
  end
  function Depthwise:call(x) return self:finished(each_channel(self, x, self.kernel)) end
  return Depthwise
end

-- A depthwise convolution, then a product that combines the channels at each position (Chollet, CVPR 2017).
local function define_separable(kind, axes)
  local Separable = define(kind, axes, {
    depth_multiplier = 1, depthwise_initializer = "glorot_uniform", pointwise_initializer = "glorot_uniform",
    depthwise_regularizer = false, pointwise_regularizer = false, depthwise_constraint = false, pointwise_constraint = false,
  })
  function Separable:init(filters, kernel_size, given)
    self.filters = options.count(kind, "filters", filters, 1)
    self:init_window(kernel_size, given)
    self.multiplier = options.count(kind, "depth_multiplier", self.read.depth_multiplier, 1)
  end
  function Separable:channels() return self.filters end
  function Separable:build(shape)
    self:compute_output_shape(shape)
    require_channels(self, shape)
    local read, channels = self.read, shape[#shape]
    self.depthwise_kernel = self:add_kernel("depthwise_kernel", channels, self.multiplier, read.depthwise_initializer,
      read.depthwise_regularizer, nil, read.depthwise_constraint)
    self.pointwise_kernel = self:add_kernel("pointwise_kernel", channels * self.multiplier, self.filters,
      read.pointwise_initializer,
      read.pointwise_regularizer, axes == 1 and { 1 } or { 1, 1 }, read.pointwise_constraint)
    self:add_bias(self.filters)
  end
  function Separable:call(x)
    local y = each_channel(self, x, self.depthwise_kernel)
    return self:finished(lutra.matmul(y, lutra.reshape(self.pointwise_kernel, { -1, self.filters })))
  end
  return Separable
end

-- Transposed convolution: the gradient of a convolution with respect to its input. Each input position adds a window to
-- the result.
local function define_transpose(kind, axes)
  local Transpose = define(kind, axes,
    { output_padding = false, kernel_initializer = "glorot_uniform", kernel_regularizer = false, kernel_constraint = false })
  function Transpose:init(filters, kernel_size, given)
    self:init_window(kernel_size, given)
    self.filters = options.count(kind, "filters", filters, 1)
    if not self.read.output_padding then return end
    self.output_padding = windows.output_padding(kind,
      windows.numbers(kind, "output_padding", self.read.output_padding, axes, 0), self.strides)
  end
  function Transpose:compute_output_shape(shape) return windows.transposed_shape(self, shape, axes) end
  function Transpose:build(shape)
    windows.require_rank(self, shape, axes)
    self.kernel = self:add_kernel("kernel", self.filters, shape[#shape], self.read.kernel_initializer,
      self.read.kernel_regularizer, nil, self.read.kernel_constraint)
    self:add_bias(self.filters)
  end
  function Transpose:call(x)
    local kernel, how, size, first = self.kernel, self:how(), {}, {}
    for axis = 1, axes do
      local count = x.shape[axis + 1]
      size[axis], first[axis] = windows.transposed_size(self, axis, count), 1
      -- A convolution with an even window would map that size to one position too few: compute one more, which is cut
      -- off.
      if self.padding == "same" and size[axis] == (count - 1) * self.strides[axis] then
        size[axis], first[axis] = size[axis] + 1, 2
      end
    end
    how.output_size = for_image(size, axes)
    if axes == 1 then kernel = kernel_of_image(kernel, 1, kernel.shape[2], kernel.shape[3]) end
    local y = lutra.conv2d_transpose(to_image(x, axes), kernel, how)
    first = for_image(first, axes)
    if math.max(first[1], first[2]) > 1 then y = y[{ {}, { first[1], -1 }, { first[2], -1 } }] end
    return self:finished(y)
  end
  return Transpose
end

return use "nn.layers.channel_order".data_format {
  Conv1D = define_conv("Conv1D", 1), Conv2D = define_conv("Conv2D", 2),
  Conv1DTranspose = define_transpose("Conv1DTranspose", 1), Conv2DTranspose = define_transpose("Conv2DTranspose", 2),
  DepthwiseConv1D = define_depthwise("DepthwiseConv1D", 1), DepthwiseConv2D = define_depthwise("DepthwiseConv2D", 2),
  SeparableConv1D = define_separable("SeparableConv1D", 1), SeparableConv2D = define_separable("SeparableConv2D", 2),
}
