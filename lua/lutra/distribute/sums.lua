-- Sums and means over the replicas' values: tensors, numbers, and tables of them.
local lutra, tools, use = ...
local values = use "distribute.values"

local sums = {}

-- Checks op: "sum" or "mean", in upper or lower case (the values of lt.distribute.ReduceOp).
function sums.op(who, op)
  if type(op) == "string" then op = op:lower() end
  if op ~= "sum" and op ~= "mean" then
    tools.fail("InvalidArgument", ("%s: op is %s, expected \"sum\" or \"mean\" (lutra.distribute.ReduceOp)"):format(who,
      tools.what_is(op)))
  end
  return op
end

local function numbers(how, list)
  local total = 0
  for i = 1, #list do total = total + list[i] end
  return how == "mean" and total / #list or total
end

local function are_numbers(list)
  for i = 1, #list do
    if type(list[i]) ~= "number" then return false end
  end
  return true
end

-- Reduces the replicas' values to one, on the first device.
function sums.reduce(strategy, how, list)
  if are_numbers(list) then return numbers(how, list) end
  return lutra.device(strategy.devices[1], function()
    local total = lutra.add_n(list)
    return how == "mean" and total / #list or total
  end)
end

-- Appends the tensors and numbers in a value (a tensor, a number, or a table of them) to `list`, and returns a function
-- that puts such a list back into the value's form.
local function flatten(who, value, list)
  if values.is_plain(value) then
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b)
      return type(a) == type(b) and a < b or type(a) ~= type(b) and type(a) == "number"
    end)
    local parts = {}
    for i, key in ipairs(keys) do parts[i] = flatten(who, value[key], list) end
    return function(flat)
      local out = {}
      for i, key in ipairs(keys) do out[key] = parts[i](flat) end
      return out
    end
  end
  if value and type(value) ~= "userdata" and type(value) ~= "number" then
    tools.fail("InvalidArgument", ("%s: value is %s, expected a tensor, a number, or a table of them"):format(who,
      tools.what_is(value)))
  end
  local at = #list + 1
  list[at] = value
  return function(flat) return flat[at] end
end

-- The sums over all replicas, in each one's form and on its own device: the results of a merge.
function sums.all_reduce(strategy, how, brought, list)
  local lists, forms, devices = {}, {}, {}
  for i, replica in ipairs(list) do
    lists[i], devices[i] = {}, replica.device
    forms[i] = flatten("all_reduce", brought[i][1], lists[i])
  end
  -- Numbers are summed here.
  local plain = {}
  for k = 1, #lists[1] do
    local column = {}
    for i = 1, #lists do column[i] = lists[i][k] end
    if are_numbers(column) and #column == #lists then
      plain[k] = numbers(how, column)
      for i = 1, #lists do lists[i][k] = false end
    end
  end
  local results = tools.all_reduce(lists, devices, how)
  local answers = {}
  for i = 1, #list do
    for k, number in pairs(plain) do results[i][k] = number end
    answers[i] = { forms[i](results[i]), n = 1 }
  end
  return answers
end

return sums
