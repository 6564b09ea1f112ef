-- Layers of volumes {rows, depth, height, width, channels}: convolution, pools, and other sizes. Loaded when one is named.
local lutra, tools, use = ...
local options, layers, define, windows = use "options", use "nn.layers.layer", use "nn.layers.define_layer", use "nn.layers.windows"
local activations = use "nn.layers.activations"

local made = {}

-- Three numbers: one for all axes, or a list.
local function three(kind, name, value, least)
  if type(value) == "number" then value = { value, value, value } end
  if type(value) ~= "table" or #value ~= 3 then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number or a list of three"):format(kind, name, tools.what_is(value)))
  end
  local numbers = {}
  for axis = 1, 3 do numbers[axis] = options.count(kind, name, value[axis], least or 1) end
  return numbers
end

-- A pair for each axis: one number, three, or three pairs.
local function pairs_of(kind, name, value)
  if type(value) == "number" or type(value) == "table" and type(value[1]) ~= "table" then value = three(kind, name, value, 0) end
  if type(value) ~= "table" or #value ~= 3 then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a number, three, or three pairs"):format(kind, name, tools.what_is(value)))
  end
  local list = {}
  for axis = 1, 3 do
    local pair = value[axis]
    if type(pair) == "number" then pair = { pair, pair } end
    if type(pair) ~= "table" or #pair ~= 2 then
      tools.fail("InvalidArgument", ("%s: %s[%d] is %s, expected a pair"):format(kind, name, axis, tools.what_is(pair)))
    end
    list[axis] = { options.count(kind, name, pair[1], 0), options.count(kind, name, pair[2], 0) }
  end
  return list
end

-- What Conv3D and Conv3DTranspose share. more: the options of one of them.
local Convolution = layers.Layer:extend "Convolution3D"
Convolution.takes_one = true
function Convolution:read_convolution(kind, filters, kernel_size, given, more)
  local defaults = {
    strides = 1, padding = "valid", dilation_rate = 1, activation = false, use_bias = true,
    kernel_initializer = "glorot_uniform", bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false,
    kernel_constraint = false, bias_constraint = false,
  }
  for name, value in pairs(more) do defaults[name] = value end
  local read = self:read_options(given, defaults)
  self.filters = options.count(kind, "filters", filters, 1)
  self.kernel_size = three(kind, "kernel_size", kernel_size)
  self.strides, self.dilation = three(kind, "strides", read.strides), three(kind, "dilation_rate", read.dilation_rate)
  self.padding = options.word(kind, "padding", read.padding, windows.paddings)
  self.activation = activations.get(kind, read.activation)
  self.read = read
end
-- How far a window reaches along each axis.
function Convolution:window()
  local window = {}
  for axis = 1, 3 do window[axis] = (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
  return window
end
-- A kernel has one matrix of these sizes for each place of the window.
function Convolution:add_kernel_and_bias(rows, columns)
  local read, sizes = self.read, { table.unpack(self.kernel_size) }
  sizes[4], sizes[5] = rows, columns
  self.kernel = self:add_weight {
    name = "kernel", shape = sizes, initializer = read.kernel_initializer, regularizer = read.kernel_regularizer,
    constraint = read.kernel_constraint,
  }
  if not read.use_bias then return end
  self.bias = self:add_weight {
    name = "bias", shape = { self.filters }, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
    constraint = read.bias_constraint,
  }
end
function Convolution:finished(y)
  if self.bias then y = lutra.bias_add(y, self.bias) end
  return self.activation and self.activation(y) or y
end

local Conv3D = Convolution:extend "Conv3D"
made.Conv3D = Conv3D
function Conv3D:init(filters, kernel_size, given)
  self:read_convolution("Conv3D", filters, kernel_size, given, { groups = 1 })
  self.groups = options.count("Conv3D", "groups", self.read.groups, 1)
end
function Conv3D:compute_output_shape(shape) return windows.output_shape(self, shape, self:window(), self.filters) end
function Conv3D:build(shape)
  self:compute_output_shape(shape)
  local channels = shape[4]
  if channels % self.groups ~= 0 or self.filters % self.groups ~= 0 then
    self:refuse("%d channels and %d filters cannot be divided into %d groups", channels, self.filters, self.groups)
  end
  self:add_kernel_and_bias(channels // self.groups, self.filters)
end
function Conv3D:call(x)
  return self:finished(lutra.conv3d(x, self.kernel, {
    stride = self.strides, dilation = self.dilation, groups = self.groups, padding = self.padding,
  }))
end

-- The gradient of a convolution of volumes by its input: each position adds a window to the result. Slices of the kernel's
-- depth are transposed convolutions of images.
local Transpose = Convolution:extend "Conv3DTranspose"
made.Conv3DTranspose = Transpose
function Transpose:init(filters, kernel_size, given)
  local kind = "Conv3DTranspose"
  self:read_convolution(kind, filters, kernel_size, given, { output_padding = false })
  if not self.read.output_padding then return end
  self.output_padding = windows.output_padding(kind, three(kind, "output_padding", self.read.output_padding, 0), self.strides)
end
function Transpose:compute_output_shape(shape) return windows.transposed_shape(self, shape, 3) end
function Transpose:build(shape)
  windows.require_rank(self, shape, 3)
  self:add_kernel_and_bias(self.filters, shape[4])
end
function Transpose:call(x)
  local n, depth, height, width, channels = table.unpack(x.shape)
  local stride, dilation, window, filters = self.strides, self.dilation, self:window(), self.filters
  local size, full = {}, {}
  for axis = 1, 3 do
    size[axis] = windows.transposed_size(self, axis, x.shape[axis + 1])
    -- All windows are added, then the borders are cut off.
    full[axis] = (x.shape[axis + 1] - 1) * stride[axis] + window[axis]
  end
  if n * depth * height * width == 0 then
    return self:finished(lutra.zeros({ n, size[1], size[2], size[3], filters }, { dtype = x.dtype }))
  end
  local how = {
    stride = { stride[2], stride[3] }, dilation = { dilation[2], dilation[3] }, padding = "valid",
    output_size = { full[2], full[3] },
  }
  local slices, y = x:reshape { n * depth, height, width, channels }, nil
  for z = 1, self.kernel_size[1] do
    local part = lutra.conv2d_transpose(slices, self.kernel[z], how)
    -- Its depth among zeros.
    part = part:reshape { n, depth, 1, full[2], full[3] * filters }
    part = lutra.pad(part, { { 0, 0 }, { 0, 0 }, { 0, stride[1] - 1 }, { 0, 0 }, { 0, 0 } })
      :reshape { n, depth * stride[1], full[2], full[3] * filters }
    local before = (z - 1) * dilation[1]
    part = lutra.pad(part[{ {}, { 1, (depth - 1) * stride[1] + 1 } }],
      { { 0, 0 }, { before, window[1] - 1 - before }, { 0, 0 }, { 0, 0 } })
    y = y and y + part or part
  end
  y = y:reshape { n, full[1], full[2], full[3], filters }
  local key, borders = { {} }, { { 0, 0 } }
  for axis = 1, 3 do
    local first = 1
    if self.padding == "same" then first = math.max(full[axis] - size[axis], 0) // 2 + 1 end
    key[axis + 1] = { first, math.min(first + size[axis] - 1, full[axis]) }
    borders[axis + 1] = { 0, math.max(first + size[axis] - 1 - full[axis], 0) }
  end
  borders[5] = { 0, 0 }
  return self:finished(lutra.pad(y[key], borders))
end

for kind, pool in pairs { MaxPool3D = "max_pool3d", AvgPool3D = "avg_pool3d" } do
  local Pool = layers.Layer:extend(kind)
  Pool.takes_one = true
  function Pool:init(pool_size, given)
    if type(pool_size) == "table" and pool_size[1] == nil then given, pool_size = pool_size, nil end
    local read = self:read_options(given, { strides = false, padding = "valid" })
    self.pool_size = three(kind, "pool_size", pool_size or 2)
    self.strides = three(kind, "strides", read.strides or self.pool_size)
    self.padding = options.word(kind, "padding", read.padding, windows.paddings)
  end
  function Pool:build(shape) self:compute_output_shape(shape) end
  function Pool:compute_output_shape(shape) return windows.output_shape(self, shape, self.pool_size, shape[#shape]) end
  function Pool:call(x) return lutra[pool](x, self.pool_size, { stride = self.strides, padding = self.padding }) end
  made[kind] = Pool
end

for kind, reduce in pairs { GlobalAvgPool3D = lutra.mean, GlobalMaxPool3D = lutra.max } do
  local Pool = define(kind, { keepdims = false }, 0, function(self, read)
    self.keepdims = options.boolean(kind, "keepdims", read.keepdims)
  end)
  Pool.takes_one = true
  function Pool:compute_output_shape(shape)
    windows.require_rank(self, shape, 3)
    return self.keepdims and { 1, 1, 1, shape[4] } or { shape[4] }
  end
  function Pool:build(shape) self:compute_output_shape(shape) end
  function Pool:call(x) return reduce(x, { axis = { 2, 3, 4 }, keepdims = self.keepdims }) end
  made[kind] = Pool
end

-- Layers that change the sizes of depth, height and width: size_of(self, axis, size) is the new one.
local function resizing(kind, option, default, read_option, size_of, call)
  local Made = define(kind, {}, 1, function(self, _, value)
    self[option] = read_option(kind, option, value == nil and default or value)
  end)
  Made.takes_one = true
  function Made:compute_output_shape(shape)
    windows.require_rank(self, shape, 3)
    local out = { shape[1], shape[2], shape[3], shape[4] }
    for axis = 1, 3 do
      if shape[axis] ~= -1 then out[axis] = size_of(self, axis, shape[axis]) end
      if shape[axis] ~= -1 and out[axis] < 1 then
        self:refuse("its input has the shape %s, of which nothing is left", options.shape_text(shape))
      end
    end
    return out
  end
  function Made:build(shape) self:compute_output_shape(shape) end
  Made.call = call
  made[kind] = Made
end

resizing("UpSampling3D", "size", 2, three, function(self, axis, size) return size * self.size[axis] end, function(self, x)
  for axis = 1, 3 do x = lutra.repeat_interleave(x, self.size[axis], axis + 1) end
  return x
end)
resizing("ZeroPadding3D", "padding", 1, pairs_of, function(self, axis, size)
  return size + self.padding[axis][1] + self.padding[axis][2]
end, function(self, x) return lutra.pad(x, { { 0, 0 }, self.padding[1], self.padding[2], self.padding[3], { 0, 0 } }) end)
resizing("Cropping3D", "cropping", 1, pairs_of, function(self, axis, size)
  return size - self.cropping[axis][1] - self.cropping[axis][2]
end, function(self, x)
  local key = { {} }
  for axis = 1, 3 do key[axis + 1] = { self.cropping[axis][1] + 1, x.shape[axis + 1] - self.cropping[axis][2] } end
  return x[key]
end)

use "nn.layers.channel_order".data_format(made)

-- Keras' other names.
made.MaxPooling3D, made.AveragePooling3D = made.MaxPool3D, made.AvgPool3D
made.GlobalMaxPooling3D, made.GlobalAveragePooling3D = made.GlobalMaxPool3D, made.GlobalAvgPool3D

return made
