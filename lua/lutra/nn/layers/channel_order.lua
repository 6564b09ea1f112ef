-- Layers whose channels are another axis than the last: data_format = "channels_first", or axis. Ops have the channels last,
-- so such a layer transposes its input, and its result back, unless its class has call_first.
local lutra, tools, use = ...
local options, Layer = use "options", use "nn.layers.layer".Layer

local channel_order = {}

-- Axis `at` of a shape without the batch becomes the last one, or the last one becomes axis `at`.
local function to_last(shape, at)
  local out = { table.unpack(shape) }
  local channels = table.remove(out, at)
  out[#out + 1] = channels
  return out
end
local function from_last(shape, at)
  local out = { table.unpack(shape) }
  table.insert(out, at, table.remove(out))
  return out
end

local function order_of(rank, at, back)
  local order = {}
  for k = 1, rank - 1 do order[k] = k end
  order = (back and from_last or to_last)(order, at)
  for k = rank - 1, 1, -1 do order[k + 1] = order[k] + 1 end
  order[1] = 1
  return order
end

-- wrap(Made, name, default, place): the layers of the class get the option `name`; place(self, rank) is the place of the
-- channels among `rank` axes without the batch, as that option says.
local function wrap(Made, name, default, read, place)
  local build, shape_of, call = Made.build, Made.compute_output_shape, Made.call
  function Made:read_options(given, defaults)
    defaults[name] = default
    local all = Layer.read_options(self, given, defaults)
    rawset(self, name, read(self, all[name]))
    return all
  end
  local function at_of(self, rank)
    local at = place(self, rank)
    if at == rank then return nil end
    if at < 1 or at > rank then
      self:refuse("%s is %s, and its input has %d axes with the batch", name, tostring(self[name]), rank + 1)
    end
    return at
  end
  -- What build and call ask for gets shapes with the channels last already.
  local function ordered(self, f, ...)
    rawset(self, "is_ordered", true)
    local _ <close> = setmetatable({}, { __close = function() rawset(self, "is_ordered", nil) end })
    return f(self, ...)
  end
  function Made:build(shape)
    local at = type(shape[1]) ~= "table" and at_of(self, #shape)
    if not at then return build(self, shape) end
    ordered(self, build, to_last(shape, at))
  end
  function Made:compute_output_shape(shape)
    local at = type(shape[1]) ~= "table" and not rawget(self, "is_ordered") and at_of(self, #shape)
    if not at then return shape_of(self, shape) end
    local out = shape_of(self, to_last(shape, at))
    return #out == #shape and from_last(out, at) or out
  end
  function Made:call(x, ...)
    local at = at_of(self, x.rank - 1)
    if not at then return call(self, x, ...) end
    if Made.call_first then return self:call_first(x, ...) end
    local y = ordered(self, call, lutra.transpose(x, order_of(x.rank, at)), ...)
    return y.rank == x.rank and lutra.transpose(y, order_of(y.rank, at, true)) or y
  end
end

-- data_format = "channels_last" or "channels_first": images {channels, height, width}.
function channel_order.data_format(classes)
  for _, Made in pairs(classes) do
    wrap(Made, "data_format", "channels_last", function(self, value)
      options.word(self.kind, "data_format", value, { channels_last = true, channels_first = true })
      return value
    end, function(self, rank) return self.data_format == "channels_first" and 1 or rank end)
  end
  return classes
end

-- axis: of the channels, which counts the batch as the first. A class that takes_axes computes with a list itself.
function channel_order.axis(classes)
  for _, Made in pairs(classes) do
    wrap(Made, "axis", -1, function(self, value)
      if not Made.takes_axes or type(value) ~= "table" or #value == 0 then return options.whole(self.kind, "axis", value) end
      local list = {}
      for i, axis in ipairs(value) do list[i] = options.whole(self.kind, ("axis[%d]"):format(i), axis) end
      return #list == 1 and list[1] or list
    end, function(self, rank)
      if type(self.axis) == "table" then return rank end
      return self.axis < 0 and rank + 1 + self.axis or self.axis - 1
    end)
  end
  return classes
end

return channel_order
