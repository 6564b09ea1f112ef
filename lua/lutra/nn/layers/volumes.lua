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

local Conv3D = layers.Layer:extend "Conv3D"
Conv3D.takes_one = true
made.Conv3D = Conv3D
function Conv3D:init(filters, kernel_size, given)
  local read = self:read_options(given, {
    strides = 1, padding = "valid", dilation_rate = 1, groups = 1, activation = false, use_bias = true,
    kernel_initializer = "glorot_uniform", bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false,
    kernel_constraint = false, bias_constraint = false,
  })
  self.filters = options.count("Conv3D", "filters", filters, 1)
  self.kernel_size = three("Conv3D", "kernel_size", kernel_size)
  self.strides, self.dilation = three("Conv3D", "strides", read.strides), three("Conv3D", "dilation_rate", read.dilation_rate)
  self.padding = options.word("Conv3D", "padding", read.padding, windows.paddings)
  self.groups = options.count("Conv3D", "groups", read.groups, 1)
  self.activation = activations.get("Conv3D", read.activation)
  self.read = read
end
function Conv3D:compute_output_shape(shape)
  local window = {}
  for axis = 1, 3 do window[axis] = (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
  return windows.output_shape(self, shape, window, self.filters)
end
function Conv3D:build(shape)
  self:compute_output_shape(shape)
  local channels, read = shape[4], self.read
  if channels % self.groups ~= 0 or self.filters % self.groups ~= 0 then
    self:refuse("%d channels and %d filters cannot be divided into %d groups", channels, self.filters, self.groups)
  end
  local sizes = { table.unpack(self.kernel_size) }
  sizes[4], sizes[5] = channels // self.groups, self.filters
  self.kernel = self:add_weight {
    name = "kernel", shape = sizes, initializer = read.kernel_initializer, regularizer = read.kernel_regularizer,
    constraint = read.kernel_constraint,
  }
  if read.use_bias then
    self.bias = self:add_weight {
      name = "bias", shape = { self.filters }, initializer = read.bias_initializer, regularizer = read.bias_regularizer,
      constraint = read.bias_constraint,
    }
  end
end
function Conv3D:call(x)
  local y = lutra.conv3d(x, self.kernel, {
    stride = self.strides, dilation = self.dilation, groups = self.groups, padding = self.padding,
  })
  if self.bias then y = lutra.bias_add(y, self.bias) end
  return self.activation and self.activation(y) or y
end

-- The gradient of a convolution of volumes by its input: each position adds a window to the result. Slices of the kernel's
-- depth are transposed convolutions of images.
local Transpose = layers.Layer:extend "Conv3DTranspose"
Transpose.takes_one = true
made.Conv3DTranspose = Transpose
function Transpose:init(filters, kernel_size, given)
  local kind = "Conv3DTranspose"
  local read = self:read_options(given, {
    strides = 1, padding = "valid", output_padding = false, dilation_rate = 1, activation = false, use_bias = true,
    kernel_initializer = "glorot_uniform", bias_initializer = "zeros", kernel_regularizer = false, bias_regularizer = false,
    kernel_constraint = false, bias_constraint = false,
  })
  self.filters = options.count(kind, "filters", filters, 1)
  self.kernel_size = three(kind, "kernel_size", kernel_size)
  self.strides, self.dilation = three(kind, "strides", read.strides), three(kind, "dilation_rate", read.dilation_rate)
  self.padding = options.word(kind, "padding", read.padding, windows.paddings)
  self.activation = activations.get(kind, read.activation)
  self.read = read
  if not read.output_padding then return end
  self.output_padding = three(kind, "output_padding", read.output_padding, 0)
  for axis, size in ipairs(self.output_padding) do
    if size >= self.strides[axis] then
      tools.fail("InvalidArgument",
        ("%s: output_padding is %d, and strides %d: expected less than that"):format(kind, size, self.strides[axis]))
    end
  end
end
function Transpose:reach(axis) return (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
-- The result's size along an axis, as Conv2DTranspose has it (convolutions.lua).
function Transpose:size_of(axis, size)
  local stride, reach, more = self.strides[axis], self:reach(axis), self.output_padding and self.output_padding[axis]
  if self.padding == "same" then
    return more and size > 0 and (size - 1) * stride + reach % 2 + more or size * stride
  end
  return (size - 1) * stride + reach + (more or math.max(stride - reach, 0))
end
function Transpose:compute_output_shape(shape)
  windows.require_rank(self, shape, 3)
  local out = {}
  for axis = 1, 3 do out[axis] = shape[axis] == -1 and -1 or self:size_of(axis, shape[axis]) end
  out[4] = self.filters
  return out
end
function Transpose:build(shape)
  windows.require_rank(self, shape, 3)
  local read = self.read
  local sizes = { table.unpack(self.kernel_size) }
  sizes[4], sizes[5] = self.filters, shape[4]
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
function Transpose:call(x)
  local n, depth, height, width, channels = table.unpack(x.shape)
  local stride, dilation = self.strides, self.dilation
  local size = { self:size_of(1, depth), self:size_of(2, height), self:size_of(3, width) }
  if n * depth * height * width == 0 then return self:finished(lutra.zeros({ n, size[1], size[2], size[3], self.filters }, { dtype = x.dtype })) end
  -- All windows are added, then the borders are cut off.
  local full = {}
  for axis = 1, 3 do full[axis] = (x.shape[axis + 1] - 1) * stride[axis] + self:reach(axis) end
  local slices, y = x:reshape { n * depth, height, width, channels }, nil
  for z = 1, self.kernel_size[1] do
    local part = lutra.conv2d_transpose(slices, self.kernel[z], {
      stride = { stride[2], stride[3] }, dilation = { dilation[2], dilation[3] }, padding = "valid", output_size = { full[2], full[3] },
    })
    -- Its depth among zeros.
    part = part:reshape { n, depth, 1, full[2], full[3] * self.filters }
    part = lutra.pad(part, { { 0, 0 }, { 0, 0 }, { 0, stride[1] - 1 }, { 0, 0 }, { 0, 0 } })
      :reshape { n, depth * stride[1], full[2], full[3] * self.filters }
    local before = (z - 1) * dilation[1]
    part = lutra.pad(part[{ {}, { 1, (depth - 1) * stride[1] + 1 } }], { { 0, 0 }, { before, self:reach(1) - 1 - before }, { 0, 0 }, { 0, 0 } })
    y = y and y + part or part
  end
  y = y:reshape { n, full[1], full[2], full[3], self.filters }
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
function Transpose:finished(y)
  if self.bias then y = lutra.bias_add(y, self.bias) end
  return self.activation and self.activation(y) or y
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
