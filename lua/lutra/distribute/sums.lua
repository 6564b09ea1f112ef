-- Sums and means over the replicas' values: tensors, numbers, and tables of them.
local lutra, tools, use = ...
local values, ranks = use "distribute.values", use "distribute.ranks"

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

-- Adds a list of tensors in pairs, in the order of src/distribute/sum_tree.h.
function sums.tree(list)
  if #list == 1 then return lutra.add_n(list) end
  while #list > 1 do
    local pairs_of = {}
    for i = 1, #list, 2 do
      pairs_of[#pairs_of + 1] = list[i + 1] ~= nil and lutra.add_n { list[i], list[i + 1] } or list[i]
    end
    list = pairs_of
  end
  return list[1]
end

-- The sums (or means) of the replicas' tensors over all replicas, those of other ranks too: lists[id][k] is a tensor of
-- replica `id` of this rank, or false. `equal`: a text that must be the same on all ranks. `owners`: by k the only rank
-- that gets the sum; the others get false.
function sums.totals(strategy, lists, how, what, equal, owners)
  local far = strategy.ranks
  if not far then return tools.all_reduce(lists, strategy.devices, how) end
  return tools.all_reduce(lists, strategy.devices, how, false, far.firsts, what, equal or "", ranks.limit, owners)
end

-- The sums of one tensor per replica, over the replicas of all ranks: parts[id] of a replica of this rank, or nil. Their
-- gradients are the sums of the gradients of all results. silent: the replica whose part is not added. Returns a list by id.
function sums.with_gradient(strategy, parts, how, what, silent)
  local ids, inputs = {}, {}
  for id in pairs(parts) do ids[#ids + 1] = id end
  table.sort(ids)
  for i, id in ipairs(ids) do inputs[i] = parts[id] end
  local function totals(list, of)
    local lists = {}
    for id = 1, #strategy.devices do lists[id] = { false } end
    for i, id in ipairs(ids) do lists[id][1] = id ~= silent and list[i] or false end
    local results, out = sums.totals(strategy, lists, how, of), {}
    for i, id in ipairs(ids) do out[i] = results[id][1] end
    return out
  end
  strategy.sums_in_gradients = true
  local summed = table.pack(lutra.custom_gradient(function(...)
    local stopped = {}
    for i = 1, #ids do stopped[i] = lutra.device(inputs[i].device, lutra.stop_gradient, (select(i, ...))) end
    local results = totals(stopped, what)
    results[#results + 1] = function(...) return table.unpack(totals({ ... }, "the gradient of " .. what), 1, #ids) end
    return table.unpack(results)
  end)(table.unpack(inputs)))
  local out = {}
  for i, id in ipairs(ids) do out[id] = summed[i] end
  return out
end

-- The numbers of all replicas: those of other ranks as well.
local function all_numbers(strategy, what, list)
  if not strategy.ranks then return list end
  local all = {}
  for _, part in ipairs(ranks.gather_numbers(what, list)) do table.move(part, 1, #part, #all + 1, all) end
  return all
end

local function are_numbers(list)
  for i = 1, #list do
    if type(list[i]) ~= "number" then return false end
  end
  return true
end

-- Reduces the replicas' values to one, on the first device.
function sums.reduce(strategy, how, list)
  if are_numbers(list) then return numbers(how, all_numbers(strategy, ("reduce(%q) of numbers"):format(how), list)) end
  if strategy.ranks then
    local lists = {}
    for i, value in ipairs(list) do lists[i] = { type(value) == "userdata" and value or lutra.constant(value) } end
    return sums.totals(strategy, lists, how, ("reduce(%q)"):format(how))[1][1]
  end
  return lutra.device(strategy.devices[1], function()
    local total = sums.tree(list)
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
  local far = strategy.ranks
  -- A replica that takes part for the sake of the others (replicated.lua) has nothing to add.
  local is_silent = far and list[1].is_silent
  -- Numbers are summed here.
  local plain = {}
  for k = 1, #lists[1] do
    local column = {}
    for i = 1, #lists do column[i] = lists[i][k] end
    if are_numbers(column) and #column == #lists then
      plain[k] = numbers(how, all_numbers(strategy, "all_reduce of a number", is_silent and {} or column))
      for i = 1, #lists do lists[i][k] = false end
    end
  end
  local results
  if far then
    -- Replicas of this rank that do not run have nothing to add either.
    local all = {}
    for id = 1, #strategy.devices do
      all[id] = {}
      for k = 1, #lists[1] do all[id][k] = false end
    end
    for i, replica in ipairs(list) do
      if not is_silent then all[replica.id] = lists[i] end
    end
    local totals = #lists[1] > 0 and sums.totals(strategy, all, how, "all_reduce") or all
    results = {}
    for i, replica in ipairs(list) do results[i] = totals[replica.id] end
  else
    results = tools.all_reduce(lists, devices, how)
  end
  local answers = {}
  for i = 1, #list do
    for k, number in pairs(plain) do results[i][k] = number end
    answers[i] = { forms[i](results[i]), n = 1 }
  end
  return answers
end

return sums
