-- Methods of datasets that group elements, or take groups apart, with tf.data's names. Loaded when one of them is first
-- called.
local lutra, tools, use = ...
local options, structure, dataset = use "options", use "data.structure", use "data.dataset"
local Dataset = dataset.Dataset
local kUnknown = dataset.kUnknown

local require_self, derive = dataset.require_self, dataset.derive

-- The next elements, up to n, as a list of packed values.
local function collect(next, n)
  local elements = {}
  for i = 1, n do
    local element = table.pack(next())
    if element[1] == nil then return elements, true end
    elements[i] = element
  end
  return elements, false
end

local function passed_on(elements)
  local i = 0
  return function()
    i = i + 1
    local element = elements[i]
    if element then return table.unpack(element, 1, element.n) end
  end
end

-- Elements of one place: a tensor of the largest size along each axis, with `fill` where one is smaller.
local function padded(list, place, fill, shape)
  local rank, dtype = list[1].rank, list[1].dtype
  local most = {}
  for axis = 1, rank do most[axis] = shape and shape[axis] and shape[axis] ~= -1 and shape[axis] or 0 end
  if shape and #shape ~= rank then
    tools.fail("InvalidArgument", ("padded_batch: value %d has %d axes, and its padded shape %d"):format(place, rank, #shape))
  end
  for i, tensor in ipairs(list) do
    if type(tensor) ~= "userdata" or tensor.rank ~= rank or tensor.dtype ~= dtype then
      tools.fail("InvalidArgument", ("padded_batch: value %d of the first element is %s with %d axes, and of element %d %s"):format(
        place, dtype, rank, i, type(tensor) == "userdata" and ("%s with %d axes"):format(tensor.dtype, tensor.rank)
        or tools.what_is(tensor)))
    end
    for axis = 1, rank do
      local size = tensor.shape[axis]
      if shape and shape[axis] ~= -1 and size > shape[axis] then
        tools.fail("InvalidArgument", ("padded_batch: value %d of element %d has the shape %s, more than its padded shape %s"):format(
          place, i, tostring(tensor.shape), options.shape_text(shape)))
      end
      most[axis] = math.max(most[axis], size)
    end
  end
  for i, tensor in ipairs(list) do
    local borders, is_short = {}, false
    for axis = 1, rank do
      borders[axis] = { 0, most[axis] - tensor.shape[axis] }
      is_short = is_short or borders[axis][2] > 0
    end
    if is_short then list[i] = lutra.pad(tensor, borders, { value = fill }) end
  end
  return lutra.stack(list)
end

local function padded_values(list, place, fill, shape)
  if type(list[1]) ~= "table" then return padded(list, place, fill, shape) end
  local out = {}
  for key in pairs(list[1]) do
    local inner = {}
    for i, value in ipairs(list) do inner[i] = type(value) == "table" and value[key] or nil end
    if #inner ~= #list then
      tools.fail("InvalidArgument", ("padded_batch: not all elements have '%s' in value %d"):format(tostring(key), place))
    end
    out[key] = padded_values(inner, place, type(fill) == "table" and fill[key] or fill, type(shape) == "table" and shape[key] or nil)
  end
  return out
end

-- The option for one place: a value for all places, or a list of them.
local function at_place(option, place, is_entry)
  if type(option) ~= "table" or is_entry and is_entry(option) then return option or nil end
  return option[place]
end

-- padded_batch(n[, {padded_shapes, padding_values, drop_remainder}])
derive("padded_batch", function(self, batch_size, given)
  local size = options.count("padded_batch", "batch_size", batch_size, 1)
  local read = options.read("padded_batch", given, { padded_shapes = false, padding_values = 0, drop_remainder = false })
  options.boolean("padded_batch", "drop_remainder", read.drop_remainder)
  local function is_shape(value) return type(value[1]) == "number" or next(value) == nil end
  local count = self.count
  if count >= 0 then count = count // size + (not read.drop_remainder and count % size > 0 and 1 or 0) end
  return count, function(ahead)
    local next, is_over = self.open(ahead), false
    return function()
      if is_over then return nil end
      local elements
      elements, is_over = collect(next, size)
      if #elements == 0 or #elements < size and read.drop_remainder then return nil end
      local columns = {}
      for place = 1, elements[1].n do
        local list = {}
        for i, element in ipairs(elements) do list[i] = element[place] end
        columns[place] = padded_values(list, place, at_place(read.padding_values, place) or 0,
          at_place(read.padded_shapes, place, is_shape))
      end
      return table.unpack(columns)
    end
  end
end)

-- The elements of windows: lists of packed elements, each `shift` after the last, `stride` apart.
local function open_windows(self, size, shift, stride, drops_remainder)
  local span = (size - 1) * stride + 1
  return function(ahead)
    local next, kept, is_over, skipped = self.open(ahead), {}, false, 0
    return function()
      -- Elements between two windows.
      while skipped > 0 and not is_over do
        if next() == nil then is_over = true end
        skipped = skipped - 1
      end
      while #kept < span and not is_over do
        local element = table.pack(next())
        if element[1] == nil then is_over = true else kept[#kept + 1] = element end
      end
      local window = {}
      for i = 1, math.min(span, #kept), stride do window[#window + 1] = kept[i] end
      if #window == 0 or #window < size and drops_remainder then return nil end
      skipped = math.max(shift - #kept, 0)
      table.move(kept, shift + 1, #kept + shift, 1)
      return window
    end
  end
end
local function read_window(who, self, size, given, defaults)
  size = options.count(who, "size", size, 1)
  local read = options.read(who, given, defaults)
  local shift = options.count(who, "shift", read.shift or size, 1)
  local stride = options.count(who, "stride", read.stride, 1)
  options.boolean(who, "drop_remainder", read.drop_remainder)
  local count, span = self.count, (size - 1) * stride + 1
  if count >= 0 then
    if read.drop_remainder then count = count < span and 0 or (count - span) // shift + 1
    else count = (count + shift - 1) // shift end
  end
  return count, open_windows(self, size, shift, stride, read.drop_remainder)
end

-- window(size[, {shift, stride, drop_remainder}]): an element is a dataset of `size` elements.
derive("window", function(self, size, given)
  local count, open = read_window("window", self, size, given, { shift = false, stride = 1, drop_remainder = false })
  return count, function(ahead)
    local next = open(ahead)
    return function()
      local window = next()
      if window == nil then return nil end
      return Dataset("window", #window, {}, function() return passed_on(window) end)
    end
  end
end)

-- The same with each window's elements stacked, as window and flat_map of batch give them.
derive("sliding_window", function(self, size, given)
  local count, open = read_window("sliding_window", self, size, given, { shift = 1, stride = 1, drop_remainder = true })
  return count, function(ahead)
    local next = open(ahead)
    return function()
      local window = next()
      if window == nil then return nil end
      local columns = {}
      for place = 1, window[1].n do
        local list = {}
        for i, element in ipairs(window) do list[i] = element[place] end
        columns[place] = structure.stacked(list, place)
      end
      return table.unpack(columns)
    end
  end
end)

-- unbatch(): the rows of each element.
derive("unbatch", function(self)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, element, rows, row = self.open(ahead), nil, 0, 0
    return function()
      while row >= rows do
        element = table.pack(next())
        if element[1] == nil then return nil end
        local list = {}
        for place = 1, element.n do list[place] = element[place] end
        rows, row = structure.rows("unbatch", list), 0
      end
      row = row + 1
      local values = {}
      for place = 1, element.n do
        values[place] = structure.each(element[place], function(tensor) return tensor[row] end)
      end
      return table.unpack(values, 1, element.n)
    end
  end
end)

-- rebatch(n[, {drop_remainder}]): batches of n rows, whatever the sizes of these.
function Dataset:rebatch(batch_size, given) return require_self("rebatch", self):unbatch():batch(batch_size, given) end

return {}
