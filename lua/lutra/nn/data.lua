-- Rows of tensors in batches, shuffled by a seed; parts that are held back; weights of rows.
local lutra, tools, use = ...
local class, options = use "class", use "options"

local data = {}

-- Whether several tensors stand in a table by their names.
local function has_names(value)
  return type(value) == "table" and value[1] == nil and type(next(value)) == "string" and getmetatable(value) == nil
end

-- Numbers as a tensor; a list or a table of tensors, for several inputs, stays one.
function data.tensor(who, name, value)
  local kind = type(value)
  if kind == "table" and (type(value[1]) == "userdata" or value[1] == false) then return value end
  if has_names(value) then
    if name == "y" then
      tools.fail("InvalidArgument", ("%s: y has the name '%s', expected labels: a tensor or a table of numbers"):format(who,
        options.quoted(next(value))))
    end
    local named = {}
    for key, entry in pairs(value) do named[key] = data.tensor(who, ("%s['%s']"):format(name, options.quoted(key)), entry) end
    return named
  end
  if kind == "table" then return lutra.constant(value) end
  if kind ~= "userdata" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a tensor or a table of numbers"):format(who, name, tools.what_is(value)))
  end
  return value
end

-- How many rows there are, the same in each of the arrays: {x = , y = , weight = }.
function data.rows(who, arrays)
  local rows, first
  for _, name in ipairs { "x", "y", "sample_weight" } do
    local value = arrays[name]
    local list = type(value) == "table" and value or { value }
    for key, tensor in pairs(list) do
      local here = type(key) == "string" and ("%s['%s']"):format(name, key) or #list > 1 and ("%s[%d]"):format(name, key) or name
      -- An output without a loss has false for labels.
      if tensor and tensor.rank == 0 then
        tools.fail("InvalidArgument", ("%s: %s is a scalar, expected rows: the first axis is the batch"):format(who, here))
      end
      if tensor and rows and #tensor ~= rows then
        tools.fail("InvalidArgument", ("%s: %s has %d rows and %s %d; the first axes must be equally long"):format(who, first,
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
  local out = {}
  for key, entry in pairs(value) do out[key] = entry and f(entry) end
  return out
end

-- Rows first .. last, in the tensors' own memory.
function data.slice(value, first, last)
  local key = { { first, last } }
  return each(value, function(tensor) return tensor[key] end)
end

local function gather(value, places)
  return each(value, function(tensor) return lutra.gather(tensor, places) end)
end

-- Batches of `size` rows, the last one of what is left. get(i) gives x, y, weight and how many rows batch i has.
local Batches = class "nn.Batches"

function Batches:init(arrays, rows, size)
  self.arrays, self.rows, self.size = arrays, rows, size
  self.count = (rows + size - 1) // size
  self.made = {}
end

-- A new order. Without it batches are slices, made once.
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
      x = data.slice(arrays.x, first, last), y = data.slice(arrays.y, first, last),
      sample_weight = data.slice(arrays.sample_weight, first, last),
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

-- The order of the rows is drawn anew for each epoch: there is nothing to keep between two.
function Batches:state() end
function Batches:restore() end

-- x of the first rows, in their own order.
function Batches:first_x() return (data.slice(self.arrays.x, 1, math.min(self.size, self.rows))) end

data.Batches = Batches

function data.is_dataset(value) return type(value) == "table" and value.is_dataset == true end

-- The first rows and the last `share` of them: what is trained on, and what is held back.
function data.split(who, arrays, rows, share)
  local first = math.floor(rows * (1 - share))
  if first == 0 or first == rows then
    tools.fail("InvalidArgument", ("%s: validation_split %g of %d rows leaves %d to train on and %d to validate with"):format(who,
      share, rows, first, rows - first))
  end
  local kept, held = {}, {}
  for name, value in pairs(arrays) do
    kept[name], held[name] = data.slice(value, 1, first), data.slice(value, first + 1, rows)
  end
  return kept, first, held, rows - first
end

-- Numbers of classes beyond this one are taken for mistakes: a table of weights is as long as the largest number.
local kClasses = 1 << 24

local function read_class_weights(who, class_weight, first)
  local wanted = ("expected classes' numbers from %d%s and weights, as in {[%d] = 2.0}"):format(first, first == 0 and " to 1" or "", first + 1)
  if type(class_weight) ~= "table" or getmetatable(class_weight) ~= nil then
    tools.fail("InvalidArgument", ("%s: class_weight is %s, %s"):format(who, tools.what_is(class_weight), wanted))
  end
  local most = 0
  for number, weight in pairs(class_weight) do
    if math.type(number) ~= "integer" or number < first or number > (first == 0 and 1 or kClasses) or type(weight) ~= "number"
      or weight ~= weight then
      tools.fail("InvalidArgument", ("%s: class_weight holds %s = %s, %s"):format(who, tools.what_is(number), tools.what_is(weight), wanted))
    end
    most = math.max(most, number)
  end
  return most
end

-- Weights of rows by the classes of their labels: class_weight[class], and 1 for classes that it has not. Labels are numbers or
-- distributions. Numbers count from 1, but those of two classes, for a loss that says so, are 0 and 1.
local function class_weights(who, y, class_weight, loss)
  local first = type(loss) == "table" and loss.first_class or 1
  local most, list = read_class_weights(who, class_weight, first), {}
  if y.rank > 1 and y.shape[y.rank] > 1 then
    if first == 0 then
      tools.fail("InvalidArgument", ("%s: class_weight is for one label a row, and y has the shape %s: give a sample_weight"):format(who,
        tostring(y.shape)))
    end
    y = lutra.argmax(y, -1)
  elseif y.rank > 1 then
    y = lutra.squeeze(y, -1)
  end
  local numbers = lutra.cast(y, "int64")
  local least, greatest = lutra.min(numbers):item(), lutra.max(numbers):item()
  if least < first or first == 0 and greatest > 1 then
    tools.fail("InvalidArgument", ("%s: class_weight is for classes' numbers, %s, and y has %d"):format(who,
      first == 0 and "0 and 1" or "which count from 1", least < first and least or greatest))
  end
  if y.dtype ~= "bool" and not lutra.all(lutra.cast(numbers, y.dtype):eq(y)):item() then
    tools.fail("InvalidArgument", who .. ": class_weight is for classes' numbers, and y has numbers that are not whole: give a sample_weight")
  end
  -- The last entry is for all classes beyond.
  for number = first, most + 1 do list[number - first + 1] = (class_weight[number] or 1) + 0.0 end
  return lutra.gather(lutra.constant(list), lutra.minimum(numbers, most + 1) + (1 - first))
end

-- The same beside weights of rows that are given, if there are any. A model of several outputs has them for each (outputs.lua).
function data.weights_by_class(who, y, weight, class_weight, loss)
  if type(loss) == "table" and loss.weights_by_class then return loss:weights_by_class(who, y, weight, class_weight) end
  local by_class = class_weights(who, y, class_weight, loss)
  if not weight then return by_class end
  if weight.rank == by_class.rank + 1 and weight.shape[weight.rank] == 1 then weight = lutra.squeeze(weight, -1) end
  return weight * by_class
end

-- A batch's labels, where the loss has a word about them. That is not to wait for a GPU at each step.
function data.check_batch(who, y, loss)
  if y and type(loss) == "table" and loss.check_labels then loss:check_labels(who, y) end
end

return data
