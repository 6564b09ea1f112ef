-- Datasets of rows of tensors in some order: results of from_tensor_slices, shuffled, sliced and repeated. They produce
-- row numbers (places.lua) instead of elements, so that a batch is one gather.
local lutra, tools, use = ...
local class, structure, texts = use "class", use "data.structure", use "texts"
local places, randomness, dataset = use "data.places", use "data.randomness", use "data.dataset"
local Dataset, kInfinite = dataset.Dataset, dataset.kInfinite

local Rows = class("data.Dataset", Dataset)

-- Block size for row numbers when elements are needed one by one.
local kBlock = 256

-- Most batches gathered in advance, whatever prefetch was called with.
local kMostAhead = 1 << 16

local function open_elements(self)
  local next, parts = self.open_places(), self.parts
  local block, at, count = nil, 0, 0
  return function()
    if at == count then
      local first, last = next(kBlock)
      if first == nil then return nil end
      block = last and first or first:totable()
      at, count = 0, last and last - first + 1 or #block
    end
    at = at + 1
    local place = type(block) == "table" and block[at] or block + at - 1
    local function row(tensor) return tensor[place] end
    local values = {}
    for i = 1, #parts do values[i] = structure.each(parts[i], row) end
    return table.unpack(values)
  end
end

-- parts: the values of an element, as tensors with the same number of rows; open_places() returns an iterator of
-- places.lua.
function Rows:init(kind, count, inputs, parts, open_places)
  Dataset.init(self, kind, count, inputs, function() return open_elements(self) end)
  self.parts, self.open_places = parts, open_places
end

-- An iterator over batches of row numbers: `first, last` or a tensor, and nil after the last.
local function batch_places(self, size, drops_remainder)
  local next = self.open_places()
  return function()
    local first, last = places.collect(next, size)
    if first == nil or drops_remainder and (last and last - first + 1 or #first) < size then return nil end
    return first, last
  end
end

-- The values of `parts`, with its tensors replaced by those in `list`.
local function put_back(parts, list)
  local values, at = {}, 0
  local function take()
    at = at + 1
    return list[at]
  end
  for i = 1, #parts do values[i] = structure.each(parts[i], take) end
  return table.unpack(values)
end

local function sliced(tensors, first, last)
  local list, key = {}, { { first, last } }
  for i, tensor in ipairs(tensors) do list[i] = tensor[key] end
  return list
end

-- An iterator over batches that a thread gathers, up to `ahead` in advance; nil if it cannot gather these rows.
local function gathered_ahead(self, next_places, ahead)
  local tensors, has_texts = {}, false
  for _, part in ipairs(self.parts) do
    structure.each(part, function(tensor)
      tensors[#tensors + 1] = tensor
      has_texts = has_texts or type(tensor) == "table"
      return tensor
    end)
  end
  local gatherer = not has_texts and tools.gatherer(tensors, ahead)
  if not gatherer then return nil end
  local waiting, is_over = {}, false
  local function submit()
    local first, last = next_places()
    if first == nil then
      is_over = true
    elseif last and not self.in_file then
      -- A range of rows is a slice and needs no copy.
      waiting[#waiting + 1] = { list = sliced(tensors, first, last) }
    else
      waiting[#waiting + 1] = { list = tools.submit_rows(gatherer, places.as_tensor(first, last)), is_job = true }
    end
  end
  local function fill()
    while not is_over and #waiting < ahead do submit() end
  end
  return function()
    lutra.device("/CPU:0", fill)
    local batch = table.remove(waiting, 1)
    if batch == nil then return nil end
    if batch.is_job then tools.wait_for_rows(gatherer) end
    lutra.device("/CPU:0", fill)
    return put_back(self.parts, batch.list)
  end
end

-- Batches of rows on the rows' device: slices for ranges of rows, else gathers.
function Rows:batches(size, drops_remainder, ahead)
  local next_places, parts = batch_places(self, size, drops_remainder), self.parts
  ahead = math.max(ahead or 0, self.ahead or 0, self.in_file and 1 or 0)
  -- Room for `ahead` batches is reserved at the start.
  ahead = math.min(ahead, kMostAhead, self.count >= 0 and self.count // size + 1 or kMostAhead)
  if ahead > 0 then
    local gathered = gathered_ahead(self, next_places, ahead)
    if gathered then return gathered end
  end
  local tensor = structure.first_tensor(parts)
  local device = tensor and tensor.device or "/CPU:0"
  local function fetched()
    local first, last = next_places()
    if first == nil then return nil end
    local values = {}
    for i = 1, #parts do
      values[i] = structure.each(parts[i], function(value)
        return last and texts.slice(value, first, last) or texts.gather(value, first)
      end)
    end
    return table.unpack(values)
  end
  return function() return lutra.device(device, fetched) end
end

local function derive(name, make)
  Rows[name] = function(self, ...)
    -- The Dataset method checks the arguments and computes the number of elements.
    local made = Dataset[name](self, ...)
    local rows = Rows(name, made.count, { self }, self.parts, make(self, made.count, ...))
    rows.ahead, rows.in_file = made.ahead or self.ahead, self.in_file
    return rows
  end
end

derive("take", function(self, count, n)
  return function() return places.take(self.open_places(), n == -1 and math.maxinteger or n) end
end)
derive("skip", function(self, _, n)
  return function() return places.skip(self.open_places(), n == -1 and math.maxinteger or n) end
end)
derive("repeat_", function(self, count, n)
  return function() return places.again(self.open_places, n and n ~= -1 and n or nil) end
end)

derive("prefetch", function(self) return self.open_places end)

-- Keeps the order of the first iteration.
derive("cache", function(self, count)
  local kept
  return function()
    if count == kInfinite then return self.open_places() end
    if not kept then
      local first, last = places.collect(self.open_places(), math.max(count, 1))
      kept = { first, last }
    end
    if kept[1] == nil then return function() end end
    return kept[2] and places.range(kept[1], kept[2]) or places.listed(kept[1])
  end
end)

-- Shuffles all row numbers at once.
local function open_shuffled(made, input, size)
  local opened
  return function(most)
    if not opened then
      local count, seed = input.count, made:next_seed()
      local first, last = places.collect(input.open_places(), math.max(count, 1))
      if first == nil then return nil end
      local order = size >= count and lutra.random.permutation(count, { seed = seed })
        or tools.shuffled(count, size, seed)
      local is_all = last and first == 1
      opened = places.listed(is_all and order or lutra.gather(places.as_tensor(first, last), order))
    end
    return opened(most)
  end
end

function Rows:shuffle(buffer_size, given)
  if self.count == kInfinite then return Dataset.shuffle(self, buffer_size, given) end
  local made
  made = Rows("shuffle", self.count, { self }, self.parts, function() end)
  made.ahead, made.in_file = self.ahead, self.in_file
  local size = dataset.read_shuffle(made, buffer_size, given)
  made.open_places = function() return open_shuffled(made, self, size) end
  return made
end

-- The rows of `parts` in order.
function Rows.of(kind, who, parts)
  local count = structure.rows(who, parts)
  local made = Rows(kind, count, {}, parts, function() return places.range(1, count) end)
  made.in_order = true
  return made
end

return Rows
