-- Methods of datasets that group elements, or take groups apart, with tf.data's names. Loaded when one of them is first
-- called.
local lutra, tools, use = ...
local options, structure, dataset = use "options", use "data.structure", use "data.dataset"
local Dataset = dataset.Dataset
local kUnknown = dataset.kUnknown

local require_self, require_function, derive = dataset.require_self, dataset.require_function, dataset.derive

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

-- Elements of one place: a tensor of the largest size along each axis, with told.fill where one is smaller. told.rows: the
-- size of axes that told.shape leaves open, or without a shape of the first axis.
local function padded(who, list, place, told)
  local rank, dtype, fill, shape = list[1].rank, list[1].dtype, told.fill, told.shape
  if shape and #shape ~= rank then
    tools.fail("InvalidArgument", ("%s: value %d has %d axes, and its padded shape %d"):format(who, place, rank, #shape))
  end
  if told.rows and rank > 0 then
    local sizes = {}
    for axis = 1, rank do
      local is_open = shape and shape[axis] == -1 or not shape and axis == 1
      sizes[axis] = is_open and told.rows or shape and shape[axis] or -1
    end
    shape = sizes
  end
  local most = {}
  for axis = 1, rank do most[axis] = shape and shape[axis] and shape[axis] ~= -1 and shape[axis] or 0 end
  for i, tensor in ipairs(list) do
    if type(tensor) ~= "userdata" or tensor.rank ~= rank or tensor.dtype ~= dtype then
      tools.fail("InvalidArgument", ("%s: value %d of the first element is %s with %d axes, and of element %d %s"):format(who,
        place, dtype, rank, i, type(tensor) == "userdata" and ("%s with %d axes"):format(tensor.dtype, tensor.rank)
        or tools.what_is(tensor)))
    end
    for axis = 1, rank do
      local size = tensor.shape[axis]
      if shape and shape[axis] ~= -1 and size > shape[axis] then
        tools.fail("InvalidArgument", ("%s: value %d of element %d has the shape %s, more than its padded shape %s"):format(
          who, place, i, tostring(tensor.shape), options.shape_text(shape)))
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

local function padded_values(who, list, place, told)
  if type(list[1]) == "string" then return structure.stacked(list, place) end
  if type(list[1]) ~= "table" then return padded(who, list, place, told) end
  local out, fill, shape = {}, told.fill, told.shape
  for key in pairs(list[1]) do
    local inner = {}
    for i, value in ipairs(list) do inner[i] = type(value) == "table" and value[key] or nil end
    if #inner ~= #list then
      tools.fail("InvalidArgument", ("%s: not all elements have '%s' in value %d"):format(who, tostring(key), place))
    end
    out[key] = padded_values(who, inner, place, { rows = told.rows, fill = type(fill) == "table" and fill[key] or fill,
      shape = type(shape) == "table" and shape[key] or nil })
  end
  return out
end

-- The option for one place: a value for all places, or a list of them.
local function at_place(option, place, is_entry)
  if type(option) ~= "table" or is_entry and is_entry(option) then return option or nil end
  return option[place]
end

local function is_shape(value) return type(value[1]) == "number" or next(value) == nil end

-- One batch of elements, padded. `rows`: see padded.
local function padded_batch(who, elements, read, rows)
  local columns = {}
  for place = 1, elements[1].n do
    local list = {}
    for i, element in ipairs(elements) do list[i] = element[place] end
    columns[place] = padded_values(who, list, place, { rows = rows, fill = at_place(read.padding_values, place) or 0,
      shape = at_place(read.padded_shapes, place, is_shape) })
  end
  return table.unpack(columns)
end

-- padded_batch(n[, {padded_shapes, padding_values, drop_remainder}])
derive("padded_batch", function(self, batch_size, given)
  local size = options.count("padded_batch", "batch_size", batch_size, 1)
  local read = options.read("padded_batch", given, { padded_shapes = false, padding_values = 0, drop_remainder = false })
  options.boolean("padded_batch", "drop_remainder", read.drop_remainder)
  local count = self.count
  if count >= 0 then count = count // size + (not read.drop_remainder and count % size > 0 and 1 or 0) end
  return count, function(ahead)
    local next, is_over = self.open(ahead), false
    return function()
      if is_over then return nil end
      local elements
      elements, is_over = collect(next, size)
      if #elements == 0 or #elements < size and read.drop_remainder then return nil end
      return padded_batch("padded_batch", elements, read)
    end
  end
end)

-- A whole number that the program's function gives, or a tensor of one.
local function whole(who, what, value)
  local number = dataset.as_whole(value)
  if number then return number end
  tools.fail("InvalidArgument", ("%s: %s gives %s, expected a whole number"):format(who, what, tools.what_is(value)))
end

-- Calls to the result return a key and its elements: as soon as there are size_of(key) of them, and at the end those that
-- are left, in ascending order of the keys.
local function grouped(next, key_of, size_of)
  local groups, keys = {}, nil
  return function()
    while not keys do
      local element = table.pack(next())
      if element[1] == nil then
        keys = {}
        for key in pairs(groups) do keys[#keys + 1] = key end
        table.sort(keys, function(a, b) return a > b end)
        break
      end
      local key = key_of(table.unpack(element, 1, element.n))
      local group = groups[key] or { size = size_of(key) }
      groups[key] = group
      group[#group + 1] = element
      if #group == group.size then
        groups[key] = nil
        return key, group
      end
    end
    local key = table.remove(keys)
    return key, groups[key]
  end
end

-- group_by_window(key_of, f, size): the elements of the datasets f(key, window), where a window has `size` elements of one
-- key, or size(key) of them.
derive("group_by_window", function(self, key_of, f, size)
  local who = "group_by_window"
  require_function(who, key_of)
  require_function(who, f, "a key and a dataset")
  local size_of = size
  if not options.is_callable(size) then
    size = options.count(who, "window_size", size, 1)
    size_of = function() return size end
  end
  local function checked_size(key)
    return options.count(who, "window_size", whole(who, "the function of window_size", size_of(key)), 1)
  end
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next = grouped(self.open(ahead), function(...) return whole(who, "the function of keys", key_of(...)) end,
      checked_size)
    return dataset.joined(function()
      local key, window = next()
      if key == nil then return nil end
      local elements = Dataset("window", #window, {}, function() return passed_on(window) end)
      return dataset.require_made(who, f(lutra.constant(key, { dtype = "int64" }), elements)).open(ahead)
    end)
  end
end)

local function read_buckets(who, boundaries, batch_sizes)
  local function list(name, value)
    if type(value) ~= "table" or getmetatable(value) ~= nil then
      tools.fail("InvalidArgument", ("%s: %s is %s, expected a list of numbers"):format(who, name, tools.what_is(value)))
    end
    local numbers = {}
    for i = 1, #value do numbers[i] = options.count(who, ("%s[%d]"):format(name, i), value[i], 1) end
    return numbers
  end
  local bounds, sizes = list("bucket_boundaries", boundaries), list("bucket_batch_sizes", batch_sizes)
  for i = 2, #bounds do
    if bounds[i] <= bounds[i - 1] then
      tools.fail("InvalidArgument", ("%s: bucket_boundaries has %d after %d, expected ascending numbers"):format(who, bounds[i],
        bounds[i - 1]))
    end
  end
  if #sizes ~= #bounds + 1 then
    tools.fail("InvalidArgument", ("%s: bucket_batch_sizes has %d numbers, expected one for each bucket, %d: one more than "
      .. "bucket_boundaries"):format(who, #sizes, #bounds + 1))
  end
  return bounds, sizes
end

-- bucket_by_sequence_length(length_of, boundaries, batch_sizes[, options]): batches of elements of similar length. Bucket
-- k has the lengths from boundary k - 1 on, below boundary k.
derive("bucket_by_sequence_length", function(self, length_of, boundaries, batch_sizes, given)
  local who = "bucket_by_sequence_length"
  require_function(who, length_of)
  local bounds, sizes = read_buckets(who, boundaries, batch_sizes)
  local read = options.read(who, given, { padded_shapes = false, padding_values = 0, pad_to_bucket_boundary = false,
    no_padding = false, drop_remainder = false })
  for _, name in ipairs { "pad_to_bucket_boundary", "no_padding", "drop_remainder" } do
    options.boolean(who, name, read[name])
  end
  local function bucket_of(...)
    local length, bucket = whole(who, "the function of lengths", length_of(...)), 1
    while bounds[bucket] and length >= bounds[bucket] do bucket = bucket + 1 end
    if read.pad_to_bucket_boundary and not bounds[bucket] then
      tools.fail("InvalidArgument", ("%s: an element has the length %d, expected less than the last boundary, %d, with "
        .. "pad_to_bucket_boundary"):format(who, length, bounds[#bounds] or 0))
    end
    return bucket
  end
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next = grouped(self.open(ahead), bucket_of, function(bucket) return sizes[bucket] end)
    return function()
      local bucket, elements
      repeat
        bucket, elements = next()
        if bucket == nil then return nil end
      until #elements == sizes[bucket] or not read.drop_remainder
      if read.no_padding then
        return Dataset("bucket", #elements, {}, function() return passed_on(elements) end):batch(#elements):get_single_element()
      end
      return padded_batch(who, elements, read, read.pad_to_bucket_boundary and bounds[bucket] - 1 or nil)
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
