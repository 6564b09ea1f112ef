-- Layers without weights that rearrange the elements of a row: upsampling, zero padding, cropping, permuting axes,
-- repeating rows.
local lutra, tools, use = ...
local options, layers, windows, define_layer = use "options", use "nn.layers.layer", use "nn.layers.windows",
  use "nn.layers.define_layer"

-- Checks the shape when the layer is built, and the rank of the rows in later calls.
local function check_shape(self, shape) self:compute_output_shape(shape) end
local function check_rank(self, x, rank)
  if x.rank ~= rank then self:compute_output_shape { table.unpack(x.shape, 2) } end
end

-- Defines a class of layers over so many axes. read(self, value, options) reads its optional argument; size(self, axis,
-- size) returns the new size of an axis.
local function define(kind, axes, defaults, read, size)
  local Made = layers.Layer:extend(kind)
  Made.takes_one, Made.build = true, check_shape
  function Made:init(value, given)
    if type(value) == "table" and value[1] == nil then given, value = value, nil end
    read(self, value, self:read_options(given, defaults))
  end
  function Made:compute_output_shape(shape)
    windows.require_rank(self, shape, axes)
    local out = { table.unpack(shape) }
    for axis = 1, axes do
      if out[axis] ~= -1 then out[axis] = size(self, axis, out[axis], shape) end
    end
    return out
  end
  return Made
end

-- Linear interpolation between neighbours, as if elements were at the centres of their cells; beyond the last one, its
-- value. The difference of two elements could overflow a float, so it is not computed.
local function between(x, axis, factor)
  local size = x.shape[axis]
  local at = (lutra.range(size * factor):float32() + 0.5) / factor + 0.5
  local low = lutra.floor(at)
  local shape = { 1, 1, 1, 1 }
  shape[axis] = -1
  local share = lutra.cast(lutra.reshape(at - low, shape), x.dtype)
  local function place(which) return lutra.gather(x, lutra.clip(which, 1, size):int32(), axis) end
  local before, after = place(low), place(low + 1)
  return before * (1 - share) + after * share
end

local interpolations = { nearest = function(x, axis, factor) return lutra.repeat_interleave(x, factor, axis) end,
  bilinear = between }

local function define_stretch(kind, axes, defaults)
  local Stretch = define(kind, axes, defaults, function(self, value, read)
    self.size = windows.numbers(kind, "size", value or 2, axes)
    self.stretch = options.word(kind, "interpolation", read.interpolation or "nearest", interpolations)
  end, function(self, axis, size) return size * self.size[axis] end)
  function Stretch:call(x)
    check_rank(self, x, axes + 2)
    -- Interpolating integers gives fractions.
    if self.stretch == between and x.dtype:find "int" then x = x:float32() end
    for axis, factor in ipairs(self.size) do
      if factor > 1 then x = self.stretch(x, axis + 1, factor) end
    end
    return x
  end
  return Stretch
end

-- {before, after} of each axis, from one number for all, one for each, or both for each. For one axis a list is both.
local function edges_of(kind, name, value, axes)
  local edges = {}
  if type(value) == "table" and axes == 1 then value = { value } end
  if type(value) == "table" and #value ~= axes then
    tools.fail("InvalidArgument",
      ("%s: %s has %d entries, expected a number, one for each axis, or two for each"):format(kind, name, #value))
  end
  for axis = 1, axes do
    local own = type(value) == "table" and value[axis] or value
    local both = type(own) == "table" and own or { own, own }
    if #both ~= 2 then
      tools.fail("InvalidArgument", ("%s: %s has %d numbers for axis %d, expected two"):format(kind, name, #both, axis))
    end
    edges[axis] = { options.count(kind, name, both[1], 0), options.count(kind, name, both[2], 0) }
  end
  return edges
end

local function define_padding(kind, axes)
  local Padding = define(kind, axes, {},
    function(self, value) self.edges = edges_of(kind, "padding", value or 1, axes) end,
    function(self, axis, size) return size + self.edges[axis][1] + self.edges[axis][2] end)
  function Padding:call(x)
    check_rank(self, x, axes + 2)
    return lutra.pad(x, { { 0, 0 }, self.edges[1], self.edges[2] or { 0, 0 }, axes == 2 and { 0, 0 } or nil })
  end
  return Padding
end

local function define_cropping(kind, axes, usual)
  local Cropping = define(kind, axes, {},
    function(self, value) self.edges = edges_of(kind, "cropping", value or usual, axes) end,
    function(self, axis, size, shape)
      local first, last = self.edges[axis][1], size - self.edges[axis][2]
      if first >= last then
        self:refuse("its input has the shape %s, and cropping leaves nothing along axis %d", options.batch_text(shape),
          axis + 1)
      end
      return last - first
    end)
  function Cropping:call(x)
    self:compute_output_shape { table.unpack(x.shape, 2) }
    local ranges = { {} }
    for axis, edge in ipairs(self.edges) do ranges[axis + 1] = { edge[1] + 1, -edge[2] - 1 } end
    return x[ranges]
  end
  return Cropping
end

-- Permutes the axes of a row, counted from 1 without the batch.
local Permute = define_layer("Permute", {}, 1, function(self, _, dims)
  local function refuse(text)
    tools.fail("InvalidArgument",
      ("Permute: dims is %s, expected each of 1 to the number of a row's axes once"):format(text))
  end
  if type(dims) ~= "table" then refuse(tools.what_is(dims)) end
  local list, seen = {}, {}
  for i = 1, #dims do
    list[i] = options.count("Permute", ("dims[%d]"):format(i), dims[i], 1)
    seen[list[i]] = true
  end
  self.dims, self.order = list, { 1 }
  for i, axis in ipairs(list) do
    if not seen[i] then refuse("{" .. table.concat(list, ", ") .. "}") end
    self.order[i + 1] = axis + 1
  end
end)
Permute.takes_one, Permute.build = true, check_shape
function Permute:compute_output_shape(shape)
  if #shape ~= #self.dims then
    self:refuse("its input has the shape %s, and dims has %d axes of a row", options.batch_text(shape), #self.dims)
  end
  local out = {}
  for i, axis in ipairs(self.dims) do out[i] = shape[axis] end
  return out
end
function Permute:call(x)
  check_rank(self, x, #self.order)
  return lutra.transpose(x, self.order)
end

local RepeatVector = define_layer("RepeatVector", {}, 1,
  function(self, _, n) self.n = options.count("RepeatVector", "n", n, 1) end)
RepeatVector.takes_one, RepeatVector.build = true, check_shape
function RepeatVector:compute_output_shape(shape)
  if #shape ~= 1 then
    self:refuse("its input has the shape %s, expected (batch, features)", options.batch_text(shape))
  end
  return { self.n, shape[1] }
end
function RepeatVector:call(x)
  check_rank(self, x, 2)
  return lutra.repeat_interleave(lutra.expand_dims(x, 2), self.n, 2)
end

local made = use "nn.layers.channel_order".data_format {
  UpSampling1D = define_stretch("UpSampling1D", 1, {}),
  UpSampling2D = define_stretch("UpSampling2D", 2, { interpolation = "nearest" }),
  ZeroPadding1D = define_padding("ZeroPadding1D", 1), ZeroPadding2D = define_padding("ZeroPadding2D", 2),
  Cropping1D = define_cropping("Cropping1D", 1, 1), Cropping2D = define_cropping("Cropping2D", 2, 0),
}
made.Permute, made.RepeatVector = Permute, RepeatVector
return made
