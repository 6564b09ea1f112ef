-- Optimiser steps of replicas: sums the gradients and takes the same step on all components of the variables.
local lutra, tools, use = ...
local mirrored, replicas, Optimizer = use "distribute.mirrored", use "distribute.replicas", use "optim.optimizer"
local sums_of, early, sharded = use "distribute.sums", use "distribute.early", use "distribute.sharded"

local steps = {}

function steps.require_mirrored(strategy, who, variables)
  for _, variable in ipairs(variables) do
    local mirror = mirrored.of(variable)
    if strategy.mirrors and (not mirror or mirror.strategy ~= strategy) then
      tools.fail("FailedPrecondition", ("%s: the variable '%s' is not one of the strategy's, so its replicas would change it "
        .. "one after the other: make it in strategy:scope"):format(who, variable.name))
    end
  end
end

-- Takes the same step on all devices.
local function take_all(step, gradients)
  local strategy, optimizer = step.strategy, step.optimizer
  mirrored.catch_up(strategy)
  local sums = step.pass and early.totals(step.pass, strategy, gradients)
    or strategy.ranks and sums_of.totals(strategy, gradients, "sum", step.what, step.equal, optimizer.shard and optimizer.shard.owners)
    or tools.all_reduce(gradients, strategy.devices, "sum", step.lends)
  optimizer:begin_step()
  step.began = true
  for id, device in ipairs(strategy.devices) do
    if id > 1 and not strategy.alike then break end
    mirrored.place(strategy, id)
    local ok, err = pcall(lutra.device, device, optimizer.take_step, optimizer, sums[id])
    if not ok then error(replicas.named(err, { id = id, device = device }), 0) end
  end
  mirrored.place(strategy, 1)
  if optimizer.shard then sharded.spread(optimizer, sharded.own(optimizer, sums[1]) ~= nil) end
  -- Devices of different types round differently: copy the first one's values to all.
  if not strategy.alike then mirrored.spread_all(strategy) end
  optimizer.iterations = optimizer.iterations + 1
  step.done = true
end

local function finish(step)
  mirrored.place(step.strategy, 1)
  if step.lends then tools.take_back(step.strategy.devices) end
  if step.began and not step.done then mirrored.spread_all(step.strategy) end
end

-- The names of the optimizer's variables, which must be the same on all ranks.
local function names_of(optimizer)
  if optimizer.names_for ~= optimizer.built_for then
    local names = {}
    for i, variable in ipairs(optimizer.built_for or {}) do names[i] = variable.name end
    optimizer.names_text, optimizer.names_for = table.concat(names, "\n"), optimizer.built_for
  end
  return optimizer.names_text or ""
end

-- The optimizer's numbers: "learning_rate 0.01, momentum 0.9". A schedule's rate follows from the number of steps.
local function numbers_of(optimizer)
  local words = {}
  for key in pairs(optimizer.defaults) do
    local value = optimizer[key]
    if type(value) == "number" or value == true then words[#words + 1] = ("%s %s"):format(key, value) end
  end
  table.sort(words)
  return table.concat(words, ", ")
end

-- What a step is called in errors, with `on`, the batch in words; both results must be the same on all ranks.
local function words_of(optimizer, on)
  return ("a step of the optimizer '%s' (%s)%s with gradients"):format(optimizer.name, numbers_of(optimizer), on or ""),
    names_of(optimizer)
end

-- Before the backward pass on the tape: lets sums over ranks begin during it. The result is closed after steps.take.
function steps.begin(strategy, optimizer, variables, tape, on)
  if strategy.ranks then return early.begin(strategy, optimizer, variables, tape, words_of(optimizer, on)) end
end

-- Takes one step with the sums of the replicas' gradients[id]. A step that fails leaves all components equal. With
-- gradient_accumulation_steps only the last of so many calls takes one. `pass`: the result of steps.begin.
function steps.take(strategy, optimizer, gradients, on, pass)
  if optimizer.gradient_accumulation_steps then
    -- Each replica adds up its own, so that only the last step sums over the replicas.
    gradients = use "optim.accumulation".add(optimizer, gradients)
    if not gradients then return end
  end
  -- Our own optimisers read the sums only during their step, so the memory of the sums can be lent.
  local step = { strategy = strategy, optimizer = optimizer, lends = not strategy.ranks and optimizer.take_step == Optimizer.take_step }
  step.pass = pass
  if strategy.ranks then step.what, step.equal = words_of(optimizer, on) end
  tools.finally(finish, step, take_all, step, gradients)
  if optimizer.use_ema then optimizer:average() end
end

-- Texts for an error about two different lists of variables; nil if they are equal.
local function difference(a, b)
  if #a ~= #b then return #a .. " variables", tostring(#b) end
  for k = 1, #a do
    if not rawequal(a[k], b[k]) then return ("'%s' as variable %d"):format(a[k].name, k), ("'%s'"):format(b[k].name) end
  end
end

-- In a step of a model's class gradients count by the replica's share of the rows (nn/replicas/replicated.lua).
local function weighted(gradients, replica)
  local share = replica.gradient_share
  if not share or share == 1 then return gradients end
  local out = {}
  for k, gradient in ipairs(gradients) do
    out[k] = gradient and lutra.device(replica.device, function() return gradient * share end)
  end
  return out
end

local function merge_apply(strategy, brought, list)
  local optimizer, variables = brought[1][1], brought[1][3]
  if variables then steps.require_mirrored(strategy, "apply", variables) end
  replicas.agree("apply", brought, list, 1)
  local first = variables or optimizer.built_for or {}
  for i = 2, #list do
    local one, other = difference(first, brought[i][3] or optimizer.built_for or {})
    if one then replicas.disagree("apply", list[1], one, list[i], other) end
  end
  optimizer:ensure_built(variables)
  local gradients = {}
  for id = 1, #strategy.devices do
    gradients[id] = {}
    for k = 1, #brought[1][2] do gradients[id][k] = false end
  end
  for i, replica in ipairs(list) do gradients[replica.id] = weighted(brought[i][2], replica) end
  steps.take(strategy, optimizer, gradients)
  return replicas.no_answers(list)
end

-- Outside replicas: takes a step with these gradients.
function steps.apply_outside(optimizer, gradients)
  local strategy, lists = optimizer.mirror.strategy, {}
  steps.require_mirrored(strategy, "apply", optimizer.built_for)
  for id = 1, #strategy.devices do
    lists[id] = {}
    for k = 1, #gradients do lists[id][k] = id == 1 and gradients[k] or false end
  end
  steps.take(strategy, optimizer, lists)
end

function steps.apply(optimizer, gradients, variables)
  replicas.meet("apply of the optimizer '" .. optimizer.name .. "'", merge_apply, optimizer, gradients, variables)
end

return steps
