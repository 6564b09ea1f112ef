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
