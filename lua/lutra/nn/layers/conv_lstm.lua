-- LSTM whose steps are sequences, images or volumes, and whose products are convolutions (Shi et al., NIPS 2015). Loaded
-- when one is named. Inside, channels are the last axis; data_format = "channels_first" transposes input, states and
-- results.
local lutra, tools, use = ...
local options, windows = use "options", use "nn.layers.windows"
local LSTM = use "nn.layers.recurrent_layers".LSTM
local for_image, to_image, from_image = windows.for_image, windows.to_image, windows.from_image

local formats = { channels_last = true, channels_first = true }
local axis_names = { { "length" }, { "height", "width" }, { "depth", "height", "width" } }

-- A copy of the list with an entry at another place.
local function moved(list, from, to)
  local out = { table.unpack(list, 1, #list) }
  table.insert(out, to, table.remove(out, from))
  return out
end

-- The tensor with an axis at another place.
local function move_axis(x, from, to)
  local order = {}
  for axis = 1, x.rank do order[axis] = axis end
  return lutra.transpose(x, moved(order, from, to))
end

local function define(kind, axes)
  local Made = LSTM:extend(kind)
  Made.size_name, Made.defaults = "filters", {
    strides = 1, padding = "valid", data_format = "channels_last", dilation_rate = 1,
  }
  for name, value in pairs(LSTM.defaults) do Made.defaults[name] = value end

  function Made:init(filters, kernel_size, given)
    LSTM.init(self, filters, given)
    local read = self.read
    self.filters = self.units
    self.kernel_size = windows.numbers(kind, "kernel_size", kernel_size, axes)
    self.strides = windows.numbers(kind, "strides", read.strides, axes)
    self.dilation = windows.numbers(kind, "dilation_rate", read.dilation_rate, axes)
    self.padding = options.word(kind, "padding", read.padding, windows.paddings)
    options.word(kind, "data_format", read.data_format, formats)
    self.is_first = read.data_format == "channels_first"
    if math.max(table.unpack(self.strides)) > 1 and math.max(table.unpack(self.dilation)) > 1 then
      tools.fail("InvalidArgument", kind .. ": strides and dilation_rate are both above 1, expected 1 for one of them")
    end
    self.input_way = {
      stride = for_image(self.strides, axes), dilation = for_image(self.dilation, axes), padding = self.padding,
    }
    self.state_way = { padding = "same" }
  end
  function Made:with_options(given) return Made(self.filters, self.kernel_size, given) end

  function Made:input_rank() return axes + 2 end
  function Made:input_text(channels)
    local words = { "batch", "steps", table.unpack(axis_names[axes]) }
    table.insert(words, self.is_first and 3 or #words + 1, tostring(channels or "channels"))
    return "(" .. table.concat(words, ", ") .. ")"
  end
  -- Of an input or a state, with the batch.
  function Made:shape_text(shape)
    local channels = #shape - axes
    if self.is_first and channels >= 2 then shape = moved(shape, #shape, channels) end
    return options.shape_text(shape)
  end

  -- How far a window reaches along each axis.
  local function reach(self)
    local window = {}
    for axis = 1, axes do window[axis] = (self.kernel_size[axis] - 1) * self.dilation[axis] + 1 end
    return window
  end
  function Made:state_shape(sequence)
    return windows.output_shape(self, { table.unpack(sequence, 2) }, reach(self), self.filters)
  end
  function Made:kernel_shapes(channels)
    local from_input, from_state, width = { table.unpack(self.kernel_size) }, { table.unpack(self.kernel_size) },
      self.gates * self.filters
    from_input[axes + 1], from_input[axes + 2] = channels, width
    from_state[axes + 1], from_state[axes + 2] = self.filters, width
    return from_input, from_state
  end

  local function convolution(x, kernel, way)
    if axes == 3 then return lutra.conv3d(x, kernel, way) end
    if axes == 1 then kernel = lutra.expand_dims(kernel, 1) end
    return from_image(lutra.conv2d(to_image(x, axes), kernel, way), axes)
  end
  function Made:input_product(steps, kernel, bias)
    local count, rows = steps.shape[1], steps.shape[2]
    local y = convolution(lutra.reshape(steps, { count * rows, table.unpack(steps.shape, 3) }), kernel, self.input_way)
    if bias then y = lutra.bias_add(y, bias) end
    return lutra.reshape(y, { count, rows, table.unpack(y.shape, 2) })
  end
  function Made:state_product(h, kernel) return convolution(h, kernel, self.state_way) end
  -- As in Keras, always.
  function Made:masks_inputs_by_gate() return true end

  -- The shape of a sequence with the channels last; it is given alone or before those of initial states.
  local function with_channels_last(self, shape)
    local first = type(shape[1]) == "table" and shape[1] or shape
    return self.is_first and #first == axes + 2 and moved(first, 2, #first) or first
  end
  function Made:build(shape)
    shape = with_channels_last(self, shape)
    LSTM.build(self, shape)
    self:state_shape(shape)
  end
  function Made:compute_output_shape(shape)
    local out = LSTM.compute_output_shape(self, with_channels_last(self, shape))
    if not self.is_first then return out end
    local function back(each) return moved(each, #each, #each - axes) end
    if type(out[1]) ~= "table" then return back(out) end
    for i, each in ipairs(out) do out[i] = back(each) end
    return out
  end
  function Made:call(x, training, given)
    if not self.is_first then return LSTM.call(self, x, training, given) end
    local function last(each) return each.rank > axes + 1 and move_axis(each, each.rank - axes, each.rank) or each end
    local function back(each) return move_axis(each, each.rank, each.rank - axes) end
    if type(x) ~= "table" then x = last(x) else
      local list = {}
      for i, each in ipairs(x) do list[i] = last(each) end
      x = list
    end
    local y = LSTM.call(self, x, training, given)
    if type(y) ~= "table" then return back(y) end
    for i, each in ipairs(y) do y[i] = back(each) end
    return y
  end
  return Made
end

return { ConvLSTM1D = define("ConvLSTM1D", 1), ConvLSTM2D = define("ConvLSTM2D", 2), ConvLSTM3D = define("ConvLSTM3D", 3) }
