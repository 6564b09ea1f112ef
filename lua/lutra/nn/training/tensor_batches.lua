-- Batches of tensors for fit, evaluate and predict: rows in batches, shuffled by a seed; validation splits.
local lutra, tools, use = ...
local class, options, texts = use "class", use "options", use "texts"

local tensor_batches = {}

-- Whether value is a table of tensors by name.
local function has_names(value)
  return type(value) == "table" and value[1] == nil and type(next(value)) == "string" and getmetatable(value) == nil
end

-- Whether value is a list of tensors, or of texts and tensors; labels are false for an output without a loss.
local function is_list(value)
  for i = 1, math.min(#value, 8) do
    if type(value[i]) == "userdata" or value[i] == false then return true end
  end
  return false
end

-- Converts numbers to a tensor; keeps texts, and a list or table of tensors and texts, for several inputs.
function tensor_batches.read(who, name, value)
  local kind = type(value)
  if kind == "table" and is_list(value) then return value end
  if kind == "table" and texts.begin(value) then
    if not name:find "^x" then
      tools.fail("InvalidArgument", ("%s: %s has strings, expected numbers: lt.nn.StringLookup makes ids of strings"):format(who, name))
    end
    return texts.check(who, name, value)
  end
  if has_names(value) then
    if name == "y" then
      tools.fail("InvalidArgument",
        ("%s: y has the name '%s', expected labels: a tensor or a table of numbers"):format(who,
        options.quoted(next(value))))
    end
    local named = {}
    for key, entry in pairs(value) do
      named[key] = tensor_batches.read(who, ("%s['%s']"):format(name, options.quoted(key)), entry)
    end
    return named
  end
  if kind == "table" then return lutra.constant(value) end
  if kind ~= "userdata" then
    tools.fail("InvalidArgument",
      ("%s: %s is %s, expected a tensor or a table of numbers%s"):format(who, name, tools.what_is(value),
        kind == "string" and " or of strings" or ""))
  end
  return value
end

-- The number of rows, which must be the same in all arrays: {x = , y = , weight = }.
function tensor_batches.rows(who, arrays)
  local rows, first
  for _, name in ipairs { "x", "y", "sample_weight" } do
    local value = arrays[name]
    local list = type(value) == "table" and not texts.is(value) and value or { value }
    for key, tensor in pairs(list) do
      local here = type(key) == "string" and ("%s['%s']"):format(name, key) or #list > 1
        and ("%s[%d]"):format(name, key) or name
      -- Labels are false for an output without a loss.
      if tensor and type(tensor) ~= "table" and tensor.rank == 0 then
        tools.fail("InvalidArgument",
          ("%s: %s is a scalar, expected rows: the first axis is the batch"):format(who, here))
      end
      if tensor and rows and #tensor ~= rows then
        tools.fail("InvalidArgument",
          ("%s: %s has %d rows and %s %d; the first axes must be equally long"):format(who, first,
          rows, here, #tensor))
      end
      if tensor and not rows then rows, first = #tensor, here end
    end
  end
  if rows == 0 then tools.fail("InvalidArgument", who .. ": x has no rows") end
  return rows
end

local function each(value, f)
  if type(value) ~= "table" then return value and f(value) end
  if texts.is(value) then return f(value) end
  local out = {}
  for key, entry in pairs(value) do out[key] = entry and f(entry) end
  return out
end

-- Rows first .. last, sharing the tensors' memory.
function tensor_batches.slice(value, first, last)
  return each(value, function(rows) return texts.slice(rows, first, last) end)
end

local function gather(value, places)
  return each(value, function(rows) return texts.gather(rows, places) end)
end

-- Batches of `size` rows; the last one has the rest. get(i) returns x, y, weight and the number of rows of batch i.
local Batches = class "nn.Batches"

function Batches:init(arrays, rows, size)
  self.arrays, self.rows, self.size = arrays, rows, size
  self.count = (rows + size - 1) // size
  self.made = {}
end

-- Sets a new order. Without it batches are slices, made once.
function Batches:shuffle(seed)
  self.order = lutra.random.permutation(self.rows, { seed = seed })
end

function Batches:get(i)
  local arrays = self.arrays
  local first, last = (i - 1) * self.size + 1, math.min(i * self.size, self.rows)
  if self.order then
    local places = self.order[{ { first, last } }]
    return gather(arrays.x, places), gather(arrays.y, places), gather(arrays.sample_weight, places), last - first + 1
  end
  local made = self.made[i]
  if not made then
    made = {
      x = tensor_batches.slice(arrays.x, first, last), y = tensor_batches.slice(arrays.y, first, last),
      sample_weight = tensor_batches.slice(arrays.sample_weight, first, last),
    }
    self.made[i] = made
  end
  return made.x, made.y, made.sample_weight, last - first + 1
end

-- for i, x, y, weight, rows in batches:each() do
function Batches:each()
  local i = 0
  return function()
    if i == self.count then return nil end
    i = i + 1
    return i, self:get(i)
  end
end

-- Nothing to save: each epoch draws a new order of rows.
function Batches:state() end
function Batches:restore() end

-- x of the first rows, unshuffled.
function Batches:first_x() return (tensor_batches.slice(self.arrays.x, 1, math.min(self.size, self.rows))) end

tensor_batches.Batches = Batches

tensor_batches.is_dataset = options.is_dataset

-- Splits rows into those for training and, from the end, the fraction `share` for validation.
function tensor_batches.split(who, arrays, rows, share)
  local first = math.floor(rows * (1 - share))
  if first == 0 or first == rows then
    tools.fail("InvalidArgument",
      ("%s: validation_split %g of %d rows leaves %d to train on and %d to validate with"):format(who,
      share, rows, first, rows - first))
  end
  local kept, held = {}, {}
  for name, value in pairs(arrays) do
    kept[name], held[name] = tensor_batches.slice(value, 1, first), tensor_batches.slice(value, first + 1, rows)
  end
  return kept, first, held, rows - first
end

return tensor_batches
