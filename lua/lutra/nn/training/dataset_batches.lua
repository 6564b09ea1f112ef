-- Batches of a dataset (lua/lutra/data) for fit, evaluate and predict. tensor_batches.lua does the same for tensors.
local lutra, tools, use = ...
local class, options, losses, class_weights = use "class", use "options", use "nn.training.losses",
  use "nn.training.class_weights"
local texts = use "texts"

local DatasetBatches = class "nn.DatasetBatches"

-- steps: the number of batches per epoch, if not all. In training the next epoch then continues where this one ended.
function DatasetBatches:init(who, dataset, steps_name, steps, class_weight, loss)
  self.who, self.dataset, self.class_weight, self.loss = who, dataset, class_weight, loss
  self.steps = steps and options.count(who, steps_name, steps, 1) or nil
  self.goes_on = steps_name == "steps_per_epoch"
  local known = dataset:cardinality()
  if known == -1 and not self.steps then
    tools.fail("InvalidArgument",
      ("%s: the dataset is infinite: set the number of batches with %s"):format(who, steps_name))
  end
  self.count = self.steps or known >= 0 and known or nil
end

-- Options that apply only to tensors.
local not_for_datasets = {
  batch_size = "the dataset's elements are batches already: dataset:batch(n)",
  validation_batch_size = "the dataset's elements are batches already: dataset:batch(n)",
  validation_split = "hold rows back with dataset:take(n) and dataset:skip(n), and give them as validation_data",
  sample_weight = "weights are the third value of the dataset's elements",
}

-- The options of fit(dataset, options) and of fit(dataset, nil, options).
function DatasetBatches.options_of(who, y, given)
  if given == nil and type(y) == "table" and getmetatable(y) == nil and #y == 0 then y, given = nil, y end
  if y ~= nil then
    tools.fail("InvalidArgument",
      ("%s: y is %s, and x is a dataset: labels are the second value of its elements"):format(who,
      tools.what_is(y)))
  end
  for name, instead in pairs(not_for_datasets) do
    if type(given) == "table" and given[name] then
      tools.fail("InvalidArgument", ("%s: %s cannot be given with a dataset: %s"):format(who, name, instead))
    end
  end
  return given
end

-- The state of the dataset's shuffles.
local function shuffled(dataset)
  local list = {}
  for i, node in ipairs(dataset:shuffles()) do list[i] = { node.iterations, node.drawn or false } end
  return list
end

local function open(self)
  self.opened, self.taken = { shuffles = shuffled(self.dataset), random = { tools.random_state() } }, 0
  local _
  local dataset = self.dataset
  self.next, _, _, self.closing = (dataset.iterate_joined or dataset.iterate)(dataset)
end

-- Closes what the running iteration's generators opened. Its position is kept, for a file that is saved after fit.
local function close(self, err)
  local closing = self.closing
  self.closing = nil
  local _ <close> = closing
  if err ~= nil then error(err, 0) end
end
DatasetBatches.__close = close

-- The position of the dataset between two batches: the iterations of its shuffles and, for a running iteration, the
-- number of batches taken and the random state at its start.
function DatasetBatches:state()
  if not self.next then return { shuffles = shuffled(self.dataset), taken = 0 } end
  return { shuffles = self.opened.shuffles, random = self.opened.random, taken = self.taken }
end

-- Restores that position in a newly made equal dataset.
function DatasetBatches:restore(state)
  local nodes = self.dataset:shuffles()
  if type(state) ~= "table" or #state.shuffles ~= #nodes then
    tools.fail("InvalidArgument",
      ("%s: the dataset has %d shuffles, and the one that the saved fit went through had %d"):format(self.who,
      #nodes, type(state) == "table" and #state.shuffles or 0))
  end
  for i, node in ipairs(nodes) do node.iterations, node.drawn = state.shuffles[i][1], state.shuffles[i][2] or nil end
  close(self)
  self.next, self.ahead = nil, nil
  if state.taken == 0 then return end
  tools.set_random_state(state.random[1], state.random[2])
  open(self)
  while self.taken < state.taken and self.next() ~= nil do self.taken = self.taken + 1 end
end

local function refuse_empty(self)
  tools.fail("InvalidArgument", self.who .. ": the dataset has no elements")
end

-- x of the first batch, with which the next epoch begins.
function DatasetBatches:first_x()
  if not self.next then
    open(self)
    self.ahead = table.pack(self.next())
    if self.ahead[1] == nil then refuse_empty(self) end
  end
  return self.ahead and self.ahead[1]
end

-- The dataset determines the order.
function DatasetBatches:shuffle() end

local function next_values(self)
  self.taken = self.taken + 1
  local ahead = self.ahead
  if ahead then
    self.ahead = nil
    return table.unpack(ahead, 1, ahead.n)
  end
  return self.next()
end

local function rows_of(self, x)
  local tensor = type(x) == "table" and not texts.is(x) and select(2, next(x)) or x
  if texts.is(tensor) then return #tensor end
  if type(tensor) ~= "userdata" or tensor.rank == 0 then
    tools.fail("InvalidArgument",
      ("%s: the dataset's elements are %s, expected batches of rows: dataset:batch(n) makes them"):format(
      self.who, type(tensor) == "userdata" and "scalars" or tools.what_is(tensor)))
  end
  return #tensor
end

local function weight_of(self, y, weight)
  losses.check_batch(self.who, y, self.loss)
  return self.class_weight and class_weights.of_rows(self.who, y, weight, self.class_weight, self.loss) or weight
end

-- for i, x, y, sample_weight, rows in batches:each() do: one epoch. wants_labels: elements without labels are an error;
-- "any": they may lack them.
function DatasetBatches:each(wants_labels)
  local i = 0
  if not (self.goes_on or self.ahead) then
    close(self)
    self.next = nil
  end
  local function batch(x, y, weight)
    if x == nil then return nil end
    i = i + 1
    if y == nil and wants_labels == true then
      tools.fail("InvalidArgument",
        ("%s: the dataset's elements have one value, expected rows and labels: x, y"):format(self.who))
    end
    local rows = rows_of(self, x)
    local place = self.dataset.iterate_joined and use "distribute.values".placed(x)
    return i, x, y, wants_labels and y ~= nil and weight_of(self, y, weight) or nil, place and place.whole or rows
  end
  return function()
    if i == self.steps then return nil end
    if not self.next then open(self) end
    local values = table.pack(next_values(self))
    if values[1] == nil then
      self.next = nil
      if not self.steps then
        if i == 0 then refuse_empty(self) end
        self.count = i
        return nil
      end
      -- Start over if the dataset ends before the epoch.
      open(self)
      values = table.pack(next_values(self))
      if values[1] == nil then refuse_empty(self) end
    end
    return batch(table.unpack(values, 1, values.n))
  end
end

return DatasetBatches
