-- Datasets that take their elements from several others, or by chance. Loaded when one of them is first called.
local lutra, tools, use = ...
local options, dataset, randomness = use "options", use "data.dataset", use "data.randomness"
local Dataset, kInfinite, kUnknown = dataset.Dataset, dataset.kInfinite, dataset.kUnknown
local require_function = dataset.require_function

local function read_datasets(who, list)
  if type(list) ~= "table" or options.is_dataset(list) or #list == 0 then
    tools.fail("InvalidArgument", ("%s: datasets is %s, expected a list of datasets"):format(who,
      type(list) == "table" and #list == 0 and "an empty list" or tools.what_is(list)))
  end
  local out = {}
  for i = 1, #list do out[i] = dataset.require_dataset(who, list[i]) end
  return out
end

-- Finite numbers of 0 or more, with a sum above 0.
local function read_weights(who, name, value, count)
  if tools.is_tensor(value) then value = value:totable() end
  if type(value) ~= "table" or getmetatable(value) ~= nil then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a list of numbers"):format(who, name, tools.what_is(value)))
  end
  if count and #value ~= count then
    tools.fail("InvalidArgument", ("%s: %s has %d numbers, expected one for each dataset, %d"):format(who, name, #value, count))
  end
  local out, sum = {}, 0
  for i = 1, #value do
    out[i] = options.number(who, ("%s[%d]"):format(name, i), value[i], 0) + 0.0
    sum = sum + out[i]
  end
  if not (sum > 0 and sum < math.huge) then
    tools.fail("InvalidArgument", ("%s: the sum of %s is %g, expected a finite number above 0"):format(who, name, sum))
  end
  return out, sum
end

-- A dataset whose open(made, ahead) draws numbers from made:next_seed().
local function random_dataset(who, count, inputs, read, open)
  local made
  made = Dataset(who, count, inputs, function(ahead) return open(made, ahead) end)
  made.seed = read.seed and options.count(who, "seed", read.seed, math.mininteger)
  made.reshuffles, made.iterations = options.boolean(who, "rerandomize_each_iteration", read.rerandomize_each_iteration), 0
  return made
end

local kSteps = 1 << 53
-- A function that returns numbers of [0, 1).
local function fractions(seed)
  local number = randomness.numbers(seed)
  return function() return (number(kSteps) - 1) / kSteps end
end

-- How many elements several datasets have together.
local function total(inputs)
  local count = 0
  for _, input in ipairs(inputs) do
    if input.count == kInfinite then return kInfinite end
    count = (count == kUnknown or input.count == kUnknown) and kUnknown or count + input.count
  end
  return count
end

-- Opens the datasets; next_of[i] becomes false where one has ended. choose(next_of) gives the index to take from, or nil.
local function directed(inputs, stops, ahead, choose)
  local next_of, left, is_over = {}, #inputs, false
  for i, input in ipairs(inputs) do next_of[i] = input.open(ahead) end
  return function()
    while not is_over and left > 0 do
      local i = choose(next_of)
      if i == nil then break end
      if next_of[i] then
        local element = table.pack(next_of[i]())
        if element[1] ~= nil then return table.unpack(element, 1, element.n) end
        next_of[i], left = false, left - 1
        is_over = stops
      end
    end
    is_over = true
  end
end

-- sample_from_datasets(datasets[, options]): each element from a dataset drawn by its weight.
function Dataset.sample_from_datasets(datasets, given)
  local who = "sample_from_datasets"
  local all = read_datasets(who, datasets)
  local read = options.read(who, given,
    { weights = false, seed = false, stop_on_empty_dataset = false, rerandomize_each_iteration = false })
  local stops = options.boolean(who, "stop_on_empty_dataset", read.stop_on_empty_dataset)
  local inputs, weights = all, {}
  if read.weights then
    inputs = {}
    for i, weight in ipairs(read_weights(who, "weights", read.weights, #all)) do
      if weight > 0 then inputs[#inputs + 1], weights[#weights + 1] = all[i], weight end
    end
  else
    for i = 1, #all do weights[i] = 1 end
  end
  local count = total(inputs)
  if stops and count ~= 0 then
    local are_infinite = true
    for _, input in ipairs(inputs) do are_infinite = are_infinite and input.count == kInfinite end
    count = are_infinite and kInfinite or kUnknown
  end
  return random_dataset(who, count, inputs, read, function(made, ahead)
    local fraction = fractions(made:next_seed())
    return directed(inputs, stops, ahead, function(next_of)
      local sum, last = 0, nil
      for i, next in ipairs(next_of) do sum = next and sum + weights[i] or sum end
      local rest = fraction() * sum
      for i, next in ipairs(next_of) do
        if next then
          last, rest = i, rest - weights[i]
          if rest < 0 then break end
        end
      end
      return last
    end)
  end)
end

-- choose_from_datasets(datasets, choices[, options]): each element from the dataset whose index, from 1 on, comes next.
function Dataset.choose_from_datasets(datasets, choices, given)
  local who = "choose_from_datasets"
  local inputs = read_datasets(who, datasets)
  dataset.require_dataset(who, choices)
  local stops = options.read(who, given, { stop_on_empty_dataset = true }).stop_on_empty_dataset
  local all = table.move(inputs, 1, #inputs, 1, {})
  all[#all + 1] = choices
  return Dataset(who, choices.count == 0 and 0 or kUnknown, all, function(ahead)
    local next = choices.open(ahead)
    return directed(inputs, stops, ahead, function()
      local choice = next()
      if choice == nil then return nil end
      local i = dataset.as_whole(choice)
      if not i or i < 1 or i > #inputs then
        tools.fail("InvalidArgument", ("%s: a choice is %s, expected an index from 1 to %d"):format(who,
          i and tostring(i) or tools.what_is(choice), #inputs))
      end
      return i
    end)
  end)
end

-- rejection_resample(class_of, target_dist[, options]): drops elements so that classes, from 1 on, have these shares.
-- Without their initial shares it counts classes as they come, from 10 of each on, as tf.data does.
function Dataset:rejection_resample(class_of, target_dist, given)
  local who = "rejection_resample"
  dataset.require_self(who, self)
  require_function(who, class_of)
  local read = options.read(who, given, { initial_dist = false, seed = false, rerandomize_each_iteration = true })
  local target, sum = read_weights(who, "target_dist", target_dist)
  local initial = read.initial_dist and read_weights(who, "initial_dist", read.initial_dist)
  if initial and #initial ~= #target then
    tools.fail("InvalidArgument", ("%s: initial_dist has %d numbers, and target_dist %d"):format(who, #initial, #target))
  end
  for i = 1, initial and #initial or 0 do
    if initial[i] == 0 and target[i] > 0 then
      tools.fail("InvalidArgument", ("%s: initial_dist[%d] is 0, and target_dist[%d] is not: there are no elements to keep"):format(
        who, i, i))
    end
  end
  local count = self.count == 0 and 0 or kUnknown
  return random_dataset(who, count, { self }, read, function(made, ahead)
    local fraction, next = fractions(made:next_seed()), self.open(ahead)
    local seen = {}
    for i = 1, #target do seen[i] = initial and initial[i] or 10 end
    local function share(i) return target[i] == 0 and 0 or target[i] / sum / seen[i] end
    return function()
      while true do
        local element = table.pack(next())
        if element[1] == nil then return nil end
        local class = class_of(table.unpack(element, 1, element.n))
        local i = dataset.as_whole(class)
        if not i or not target[i] then
          tools.fail("InvalidArgument", ("%s: a class is %s, expected a number from 1 to %d"):format(who,
            i and tostring(i) or tools.what_is(class), #target))
        end
        if not initial then seen[i] = seen[i] + 1 end
        local most = 0
        for k = 1, #target do most = math.max(most, share(k)) end
        if fraction() * most < share(i) then
          class = lutra.constant(i, { dtype = "int64" })
          if element.n == 1 then return class, element[1] end
          return class, table.move(element, 1, element.n, 1, {})
        end
      end
    end
  end)
end

return { sample_from_datasets = Dataset.sample_from_datasets, choose_from_datasets = Dataset.choose_from_datasets }
