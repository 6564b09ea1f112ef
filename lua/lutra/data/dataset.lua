-- Datasets: sequences of elements, with tf.data's names and semantics. A dataset has a function that opens an
-- iteration, and its number of elements. Datasets that only reorder rows of tensors are Rows, and gather batches at
-- once (rows.lua).
local lutra, tools, use = ...
local class, options, structure = use "class", use "options", use "data.structure"
local randomness, closing = use "data.randomness", use "data.closing"

local kInfinite, kUnknown = -1, -2

local Dataset = class "data.Dataset"
Dataset.is_dataset = true

-- Methods of other files, which are loaded when one of their methods is first called.
local late = {}
for file, names in pairs {
  grouping = "padded_batch window sliding_window unbatch rebatch group_by_window bucket_by_sequence_length",
  mixing = "sample_from_datasets choose_from_datasets rejection_resample",
  element_files = "save load snapshot",
  sequences = "flat_map interleave shard take_while scan reduce apply get_single_element unique",
} do
  for name in names:gmatch "%S+" do late[name] = "data." .. file end
end
getmetatable(Dataset).__index = function(_, name)
  if not late[name] then return nil end
  use(late[name])
  return rawget(Dataset, name)
end

-- open(ahead) returns an iterator: a function that returns the values of the next element, and nil after the last.
-- `ahead` batches of rows may be gathered in advance. count: the number of elements, kInfinite or kUnknown. inputs: the
-- datasets that this one is made of.
function Dataset:init(kind, count, inputs, open)
  if type(kind) ~= "string" or not options.is_callable(open) then
    tools.fail("InvalidArgument",
      "data.Dataset: a dataset is made by lt.data.Dataset.from_tensor_slices, from_generator, range or zip")
  end
  self.kind, self.count, self.inputs, self.open = kind, count, inputs, open
  self.has_generator = kind == "from_generator"
  for _, input in ipairs(inputs) do self.has_generator = self.has_generator or input.has_generator end
end

local function require_dataset(who, value, hint)
  if not options.is_dataset(value) then
    tools.fail("InvalidArgument", ("%s: %s is no dataset%s"):format(who, tools.what_is(value), hint or ""))
  end
  return value
end
-- ds.map(f) instead of ds:map(f) is a common mistake.
local function require_self(who, value)
  return require_dataset(who, value, ("; methods are called with a colon, as in dataset:%s(...)"):format(who))
end

function Dataset:cardinality() return require_self("cardinality", self).count end

function Dataset:__len()
  if self.count < 0 then
    tools.fail("FailedPrecondition", ("the dataset is %s: it has no length; test for that with cardinality()"):format(
      self.count == kInfinite and "infinite" or "of unknown length"))
  end
  return self.count
end

function Dataset:__tostring()
  local count = self.count >= 0 and self.count .. " elements"
    or self.count == kInfinite and "infinite" or "unknown length"
  return ("<lutra.data.Dataset %s, %s>"):format(self.kind, count)
end

-- for x, y in dataset:iterate() do
function Dataset:iterate()
  require_self("iterate", self)
  if self.has_generator then return closing.iterate(self.open, 0) end
  return self.open(0)
end
Dataset.__pairs = Dataset.iterate

-- `what`: the function's arguments, if they are not an element's values.
local function require_function(who, f, what)
  if options.is_callable(f) then return f end
  tools.fail("InvalidArgument", ("%s: the function is %s, expected a function of %s"):format(who, tools.what_is(f),
    what or "an element's values"))
end

-- Defines a method that derives a dataset from one other: make(self, ...) returns the count and open.
local function derive(name, make)
  Dataset[name] = function(self, ...)
    require_self(name, self)
    local count, open, ahead = make(self, ...)
    local made = Dataset(name, count, { self }, open)
    made.ahead = ahead
    return made
  end
end

-- A dataset that the program's function has made.
local function require_made(who, made)
  if options.is_dataset(made) then return made end
  tools.fail("InvalidArgument", ("%s: the function gives %s, expected a dataset"):format(who, tools.what_is(made)))
end

-- The elements of one dataset after the other: open_next() opens the next one, and returns nil behind the last.
local function joined(open_next)
  local inner
  return function()
    while true do
      inner = inner or open_next()
      if not inner then return nil end
      local element = table.pack(inner())
      if element[1] ~= nil then return table.unpack(element, 1, element.n) end
      inner = nil
    end
  end
end

-- What a function gives as a whole number, itself or as a tensor; else nil.
local function as_whole(value)
  if type(value) == "userdata" and tools.is_tensor(value) and value.size == 1 then value = value:item() end
  return type(value) == "number" and math.tointeger(value) or nil
end

local function converted_values(who, first, ...)
  if first == nil then
    tools.fail("InvalidArgument", who .. ": the function gives nothing for an element, expected values")
  end
  local parts = structure.parts(who, first, ...)
  return table.unpack(parts)
end

-- map(f[, {num_parallel_calls}]): f runs on the program's own thread, or in other interpreters (workers.lua).
derive("map", function(self, f, given)
  require_function("map", f)
  local read = options.read("map", given, { num_parallel_calls = false, deterministic = true })
  local workers = read.num_parallel_calls and use "data.workers"
  local parallel = workers and workers.count(read.num_parallel_calls)
  local function applied(first, ...)
    if first ~= nil then return converted_values("map", f(first, ...)) end
  end
  return self.count, function(ahead)
    local next = self.open(ahead)
    local elsewhere = parallel and workers.open(f, parallel, next)
    return elsewhere or function() return applied(next()) end
  end
end)

local function is_true(kept)
  if type(kept) == "userdata" then kept = kept:item() end
  if type(kept) ~= "boolean" then
    tools.fail("InvalidArgument", "filter: the function gives " .. tools.what_is(kept) .. ", expected true or false")
  end
  return kept
end

derive("filter", function(self, f)
  require_function("filter", f)
  return self.count == 0 and 0 or kUnknown, function(ahead)
    local next = self.open(ahead)
    return function()
      while true do
        local element = table.pack(next())
        if element[1] == nil then return nil end
        if is_true(f(table.unpack(element, 1, element.n))) then return table.unpack(element, 1, element.n) end
      end
    end
  end
end)

-- take(n): the first n elements; -1 takes all.
derive("take", function(self, n)
  n = options.count("take", "count", n, -1)
  local count = self.count
  if n >= 0 then count = count == kUnknown and kUnknown or count == kInfinite and n or math.min(count, n) end
  if n == 0 then count = 0 end
  return count, function(ahead)
    local next, left = self.open(ahead), n
    return function()
      if left == 0 then return nil end
      left = left - 1
      return next()
    end
  end
end)

-- skip(n): all but the first n elements; -1 skips all.
derive("skip", function(self, n)
  n = options.count("skip", "count", n, -1)
  local count = self.count
  if n == -1 then count = 0 elseif count >= 0 then count = math.max(count - n, 0) end
  return count, function(ahead)
    if n == -1 then return function() end end
    local next, left = self.open(ahead), n
    return function()
      while left > 0 do
        left = left - 1
        if next() == nil then left = 0 return nil end
      end
      return next()
    end
  end
end)

-- repeat_(n): n times; nil or -1 repeats forever. (repeat is a Lua keyword.)
derive("repeat_", function(self, n)
  n = options.count("repeat_", "count", n or -1, -1)
  local count = self.count
  if n == 0 or count == 0 then count = 0
  elseif n < 0 then count = count == kUnknown and kUnknown or kInfinite
  elseif count > 0 then
    if n > math.maxinteger // count then
      tools.fail("InvalidArgument",
        ("repeat_: %d times %d elements are more than can be counted; repeat_() repeats forever"):format(n,
        count))
    end
    count = count * n
  end
  return count, function(ahead)
    local next, left, is_fresh = nil, n, true
    return function()
      while true do
        if not next then
          if left == 0 then return nil end
          next, left, is_fresh = self.open(ahead), left - 1, true
        end
        local element = table.pack(next())
        if element[1] ~= nil then
          is_fresh = false
          return table.unpack(element, 1, element.n)
        end
        next = nil
        -- An empty dataset would be opened forever.
        if is_fresh then left = 0 end
      end
    end
  end
end)

function Dataset.concatenate(self, other)
  require_self("concatenate", self)
  require_dataset("concatenate", other)
  local a, b = self.count, other.count
  local count = (a == kInfinite or b == kInfinite) and kInfinite or (a < 0 or b < 0) and kUnknown or a + b
  return Dataset("concatenate", count, { self, other }, function(ahead)
    local next, on_second = self.open(ahead), false
    local function passed(first, ...)
      if first ~= nil or on_second then return first, ... end
      next, on_second = other.open(ahead), true
      return next()
    end
    return function() return passed(next()) end
  end)
end

-- batch(n[, {drop_remainder}]): combines n elements along a new first axis.
derive("batch", function(self, batch_size, given)
  local size = options.count("batch", "batch_size", batch_size, 1)
  local read = options.read("batch", given,
    { drop_remainder = false, num_parallel_calls = false, deterministic = true })
  local count = self.count
  if count >= 0 then count = count // size + (not read.drop_remainder and count % size > 0 and 1 or 0) end
  if self.batches then return count, function(ahead) return self:batches(size, read.drop_remainder, ahead) end end
  return count, function(ahead)
    local next, is_over = self.open(ahead), false
    return function()
      if is_over then return nil end
      local columns, rows = {}, 0
      for i = 1, size do
        local element = table.pack(next())
        if element[1] == nil then is_over = true break end
        if rows > 0 and element.n ~= #columns then
          tools.fail("InvalidArgument",
            ("batch: the first element has %d values, and element %d has %d"):format(#columns, i, element.n))
        end
        for place = 1, element.n do
          columns[place] = columns[place] or {}
          columns[place][i] = element[place]
        end
        rows = i
      end
      if rows == 0 or rows < size and read.drop_remainder then return nil end
      for place, values in ipairs(columns) do columns[place] = structure.stacked(values, place) end
      return table.unpack(columns)
    end
  end
end)

-- The seed of an iteration's order: from the given seed and the number of iterations so far, or drawn.
function Dataset:next_seed()
  self.iterations = self.iterations + 1
  if not self.reshuffles then
    self.drawn = self.drawn or self.seed or randomness.drawn()
    return self.drawn
  end
  return self.seed and randomness.derived(self.seed, self.iterations) or randomness.drawn()
end

-- Returns random elements of a buffer and refills it, as tf.data does.
local function open_shuffled(made, input, size, ahead)
  local next, number = input.open(ahead), randomness.numbers(made:next_seed())
  local buffer, is_over = {}, false
  return function()
    while not is_over and #buffer < size do
      local element = table.pack(next())
      if element[1] == nil then is_over = true else buffer[#buffer + 1] = element end
    end
    if #buffer == 0 then return nil end
    local at = number(#buffer)
    local element = buffer[at]
    buffer[at] = buffer[#buffer]
    buffer[#buffer] = nil
    return table.unpack(element, 1, element.n)
  end
end

-- Checks the options {seed, reshuffle_each_iteration} of a shuffle. Returns its buffer size.
local function read_shuffle(made, buffer_size, given)
  local read = options.read("shuffle", given, { seed = false, reshuffle_each_iteration = true })
  made.seed = read.seed and options.count("shuffle", "seed", read.seed, math.mininteger)
  made.reshuffles, made.iterations = read.reshuffle_each_iteration, 0
  return options.count("shuffle", "buffer_size", buffer_size, 1)
end

function Dataset:shuffle(buffer_size, given)
  require_self("shuffle", self)
  local made = Dataset("shuffle", self.count, { self }, function() end)
  local size = read_shuffle(made, buffer_size, given)
  made.open = function(ahead) return open_shuffled(made, self, size, ahead) end
  return made
end

-- Numbers the elements, from `start` on.
function Dataset:enumerate(start)
  require_self("enumerate", self)
  start = options.count("enumerate", "start", start or 1, math.mininteger)
  return Dataset("enumerate", self.count, { self }, function(ahead)
    local next, number = self.open(ahead), start - 1
    local function numbered(first, second, ...)
      if first == nil then return nil end
      number = number + 1
      local i = lutra.constant(number, { dtype = "int64" })
      if second == nil then return i, first end
      return i, { first, second, ... }
    end
    return function() return numbered(next()) end
  end)
end

-- Keeps all elements in memory once an iteration has reached the end.
derive("cache", function(self)
  local kept
  return self.count, function(ahead)
    if kept then
      local at = 0
      return function()
        at = at + 1
        if kept[at] then return table.unpack(kept[at], 1, kept[at].n) end
      end
    end
    local next, elements = self.open(ahead), {}
    local function noted(first, ...)
      if first == nil then
        kept = kept or elements
        return nil
      end
      elements[#elements + 1] = table.pack(first, ...)
      return first, ...
    end
    return function() return noted(next()) end
  end
end)

-- prefetch(n): a thread gathers up to n batches of rows below in advance; 2 with AUTOTUNE. The function of a map still
-- runs when its element is needed, on the program's own thread.
local kAutotune, kByItself = -1, 2
derive("prefetch", function(self, n)
  n = options.count("prefetch", "buffer_size", n, kAutotune)
  local most = n == kAutotune and kByItself or n
  return self.count, function(ahead) return self.open(math.max(ahead or 0, most)) end, most
end)

-- The shuffles below it, in order: their numbers of iterations determine later orders.
function Dataset:shuffles(list)
  list = list or {}
  for _, input in ipairs(self.inputs) do input:shuffles(list) end
  if self.iterations then list[#list + 1] = self end
  return list
end

return {
  Dataset = Dataset, kAutotune = kAutotune, kInfinite = kInfinite, kUnknown = kUnknown,
  require_dataset = require_dataset, require_self = require_self, require_function = require_function, derive = derive,
  read_shuffle = read_shuffle, require_made = require_made, joined = joined, as_whole = as_whole,
}
