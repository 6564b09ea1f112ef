-- Methods of datasets that fewer programs use, with tf.data's names. Loaded when one of them is first called.
local lutra, tools, use = ...
local options, structure, dataset = use "options", use "data.structure", use "data.dataset"
local closing = use "data.closing"
local Dataset, kInfinite, kUnknown = dataset.Dataset, dataset.kInfinite, dataset.kUnknown

local function require_self(who, value)
  return dataset.require_dataset(who, value, ("; methods are called with a colon, as in dataset:%s(...)"):format(who))
end
local function require_function(who, f, what)
  if options.is_callable(f) then return f end
  tools.fail("InvalidArgument", ("%s: the function is %s, expected a function of %s"):format(who, tools.what_is(f),
    what or "an element's values"))
end

-- Defines a method that derives a dataset from this one: make(self, ...) returns the count and open.
local function derive(name, make)
  Dataset[name] = function(self, ...)
    require_self(name, self)
    local count, open = make(self, ...)
    return Dataset(name, count, { self }, open)
  end
end

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

local function inner_dataset(who, made)
  if options.is_dataset(made) then return made end
  tools.fail("InvalidArgument", ("%s: the function gives %s, expected a dataset"):format(who, tools.what_is(made)))
end

-- flat_map(f): the elements of the datasets that f makes of each element, one dataset after the other.
derive("flat_map", function(self, f)
  require_function("flat_map", f)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, inner = self.open(ahead), nil
    return function()
      while true do
        if inner then
          local element = table.pack(inner())
          if element[1] ~= nil then return table.unpack(element, 1, element.n) end
          inner = nil
        end
        local element = table.pack(next())
        if element[1] == nil then return nil end
        inner = inner_dataset("flat_map", f(table.unpack(element, 1, element.n))).open(ahead)
      end
    end
  end
end)

-- interleave(f[, {cycle_length, block_length}]): the same in turns, block_length elements of each of cycle_length datasets.
derive("interleave", function(self, f, given)
  require_function("interleave", f)
  local read = options.read("interleave", given,
    { cycle_length = 4, block_length = 1, num_parallel_calls = false, deterministic = true })
  local cycle = options.count("interleave", "cycle_length", read.cycle_length, 1)
  local block = options.count("interleave", "block_length", read.block_length, 1)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, open, at, taken, is_over = self.open(ahead), {}, 1, 0, false
    local function started()
      if is_over then return nil end
      local element = table.pack(next())
      if element[1] == nil then
        is_over = true
        return nil
      end
      return inner_dataset("interleave", f(table.unpack(element, 1, element.n))).open(ahead)
    end
    return function()
      local idle = 0
      while idle < cycle do
        open[at] = open[at] or started()
        if open[at] then
          local element = table.pack(open[at]())
          if element[1] ~= nil then
            taken = taken + 1
            if taken == block then at, taken = at % cycle + 1, 0 end
            return table.unpack(element, 1, element.n)
          end
          -- As in tf.data, a place whose dataset has ended passes its turn on, and has another dataset next time.
          open[at], idle = nil, 0
        else
          idle = idle + 1
        end
        at, taken = at % cycle + 1, 0
      end
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

-- shard(count, index): each count-th element, from the index-th on; indices count from 1.
derive("shard", function(self, shards, index)
  shards, index = options.count("shard", "num_shards", shards, 1), options.count("shard", "index", index, 1)
  if index > shards then
    tools.fail("InvalidArgument", ("shard: index is %d, expected a number from 1 to %d"):format(index, shards))
  end
  local count = self.count >= 0 and math.max(self.count - index + shards, 0) // shards or self.count
  return count, function(ahead)
    local next, skipped = self.open(ahead), index - 1
    return function()
      for _ = 1, skipped do
        if next() == nil then return nil end
      end
      skipped = shards - 1
      return next()
    end
  end
end)

local function truth(who, kept)
  if type(kept) == "userdata" then kept = kept:item() end
  if type(kept) == "boolean" then return kept end
  tools.fail("InvalidArgument", ("%s: the function gives %s, expected true or false"):format(who, tools.what_is(kept)))
end

-- take_while(f): the elements before the first for which f gives false.
derive("take_while", function(self, f)
  require_function("take_while", f)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, is_over = self.open(ahead), false
    return function()
      if is_over then return nil end
      local element = table.pack(next())
      if element[1] ~= nil and truth("take_while", f(table.unpack(element, 1, element.n))) then
        return table.unpack(element, 1, element.n)
      end
      is_over = true
    end
  end
end)

-- scan(state, f): f(state, values...) returns the next state and the values of the new element.
derive("scan", function(self, initial, f)
  require_function("scan", f, "the state and an element's values")
  return self.count, function(ahead)
    local next, state = self.open(ahead), initial
    local function taken(new_state, first, ...)
      state = new_state
      if first == nil then
        tools.fail("InvalidArgument", "scan: the function gives no values, expected the next state and an element's values")
      end
      return table.unpack(structure.parts("scan", first, ...))
    end
    return function()
      local element = table.pack(next())
      if element[1] == nil then return nil end
      return taken(f(state, table.unpack(element, 1, element.n)))
    end
  end
end)

-- reduce(state, f): f(state, values...) returns the next state; the result is the last one.
function Dataset:reduce(state, f)
  require_self("reduce", self)
  require_function("reduce", f, "the state and an element's values")
  if self.count == kInfinite then
    tools.fail("InvalidArgument", "reduce: the dataset is infinite: write dataset:take(n):reduce(...)")
  end
  local next, s, control, close <close> = self:iterate()
  local element = table.pack(next(s, control))
  while element[1] ~= nil do
    state = f(state, table.unpack(element, 1, element.n))
    element = table.pack(next(s, element[1]))
  end
  return state
end

-- apply(f): f(dataset), which returns a dataset.
function Dataset:apply(f)
  require_self("apply", self)
  require_function("apply", f, "the dataset")
  return inner_dataset("apply", f(self))
end

-- get_single_element(): the values of the only element.
function Dataset:get_single_element()
  require_self("get_single_element", self)
  local next, s, control, close <close> = self:iterate()
  local element, more = table.pack(next(s, control)), nil
  if element[1] ~= nil then more = next(s, element[1]) end
  if element[1] == nil or more ~= nil then
    tools.fail("InvalidArgument", ("get_single_element: the dataset has %s, expected one element"):format(
      more ~= nil and "several elements" or "no elements"))
  end
  return table.unpack(element, 1, element.n)
end

-- unique(): elements of one value, each the first time that it comes.
derive("unique", function(self)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next, seen = self.open(ahead), {}
    return function()
      while true do
        local value, second = next()
        if value == nil then return nil end
        if second ~= nil or type(value) ~= "userdata" then
          tools.fail("InvalidArgument", "unique: an element has several values, expected one tensor")
        end
        local key = value.dtype .. tostring(value.shape) .. value:bytes()
        if not seen[key] then
          seen[key] = true
          return value
        end
      end
    end
  end
end)

-- rebatch(n[, {drop_remainder}]): batches of n rows, whatever the sizes of these.
function Dataset:rebatch(batch_size, given) return require_self("rebatch", self):unbatch():batch(batch_size, given) end

return {}
