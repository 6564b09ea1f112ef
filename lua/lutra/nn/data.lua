-- Rows of tensors in batches, shuffled by a seed; parts that are held back; weights of rows.
local lutra, tools, use = ...
local class = use "class"

local data = {}

-- Numbers as a tensor; a list of tensors, for several inputs, stays one.
function data.tensor(who, name, value)
  local kind = type(value)
  if kind == "table" and (type(value[1]) == "userdata" or value[1] == false) then return value end
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
    for i, tensor in ipairs(list) do
      local here = #list > 1 and ("%s[%d]"):format(name, i) or name
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
  for i = 1, #value do out[i] = value[i] and f(value[i]) end
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

-- Weights of rows by the classes of their labels, which are numbers from 1 or distributions: class_weight[class].
function data.class_weights(who, y, class_weight)
  local most, list = 0, {}
  for number, weight in pairs(class_weight) do
    if math.type(number) ~= "integer" or number < 1 or type(weight) ~= "number" then
      tools.fail("InvalidArgument", who .. ": class_weight holds " .. tools.what_is(number) .. " = " .. tools.what_is(weight)
        .. ", expected classes' numbers from 1 and weights")
    end
    most = math.max(most, number)
  end
  if y.rank > 1 and y.shape[y.rank] > 1 then
    y = lutra.argmax(y, -1)
    most = math.max(most, 1)
  elseif y.rank > 1 then
    y = lutra.squeeze(y, -1)
  end
  y = lutra.cast(y, "int64")
  local least = lutra.min(y):item()
  if least < 1 then
    tools.fail("InvalidArgument", ("%s: class_weight is for classes' numbers, which count from 1, and y has %d"):format(who, least))
  end
  most = math.max(most, lutra.max(y):item())
  for number = 1, most do list[number] = (class_weight[number] or 1) + 0.0 end
  return lutra.gather(lutra.constant(list), y)
end

return data
