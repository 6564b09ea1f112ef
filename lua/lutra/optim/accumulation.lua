-- Gradients added up over several steps, of which only the last one changes the variables (gradient_accumulation_steps).
-- Between them the optimizer has `held`: the `count` of steps, and `lists`, by replica of this process the sums by
-- variable. After a file `all` is in place of `lists`: by replica of all processes, on the CPU.
local lutra, tools, use = ...
local ranks, sums = use "distribute.ranks", use "distribute.sums"

local accumulation = {}

-- The most replicas of a file.
local kMostReplicas = 1 << 16

-- a + b on their device; false where there is none.
local function sum_of(a, b)
  if not (a and b) then return a or b or false end
  return lutra.device(b.device, lutra.add, a, b)
end

local function mean_of(sum, count) return sum and lutra.device(sum.device, lutra.div, sum, count) end

-- Applies f(list, k) to the same places of lists of lists.
local function each(lists, f)
  local out = {}
  for id = 1, #lists do
    out[id] = {}
    for k = 1, #lists[id] do out[id][k] = f(id, k) end
  end
  return out
end

local function strategy_of(optimizer) return optimizer.mirror and optimizer.mirror.strategy end

-- Gradients from a file, on the devices of this process' replicas. If the file is of another number of replicas, the
-- first replica of all gets their sums.
local function placed(optimizer, all)
  local strategy = strategy_of(optimizer)
  local first, lists = strategy and strategy.ranks and strategy.ranks.first or 0, {}
  if #all ~= (strategy and strategy.num_replicas_in_sync or 1) then
    local totals = {}
    for k = 1, #optimizer.built_for do
      local parts = {}
      for r = 1, #all do parts[#parts + 1] = all[r][k] or nil end
      totals[k] = #parts > 0 and lutra.device("/CPU:0", sums.tree, parts)
    end
    all = { totals }
  end
  for id = 1, strategy and #strategy.devices or 1 do
    lists[id] = {}
    for k, variable in ipairs(optimizer.built_for) do
      local gradient = all[first + id] and all[first + id][k]
      lists[id][k] = gradient and gradient:to(strategy and strategy.devices[id] or variable.device)
    end
  end
  return lists
end

-- Adds lists[id] of gradients to those that the optimizer holds. Returns their means at every last step, else nil.
function accumulation.add(optimizer, lists)
  tools.refuse_recording("the optimizer adds up gradients (gradient_accumulation_steps), and only some calls take a step")
  local held, steps = optimizer.held, optimizer.gradient_accumulation_steps
  if held then
    if held.all then held = { lists = placed(optimizer, held.all), count = held.count } end
    lists = each(lists, function(id, k) return sum_of(held.lists[id][k], lists[id][k]) end)
  end
  local count = (held and held.count or 0) + 1
  if count < steps then
    optimizer.held = { lists = lists, count = count }
    return nil
  end
  optimizer.held = nil
  return each(lists, function(id, k) return mean_of(lists[id][k], steps) end)
end

-- The gradients of all ranks' replicas. is_needed: whether this rank wants them.
local function gathered(optimizer, strategy, is_needed)
  local all, firsts = {}, strategy.ranks.firsts
  for r = 1, strategy.num_replicas_in_sync do all[r] = {} end
  local what = ("the gradients that the optimizer '%s' holds, for a file,"):format(optimizer.name)
  for k, variable in ipairs(optimizer.built_for) do
    local own = {}
    for id = 1, #strategy.devices do
      local gradient = optimizer.held.lists[id][k]
      own[id] = string.pack("<s1 s8", gradient and gradient.dtype or "", gradient and gradient:to("/CPU:0"):bytes() or "")
    end
    for rank, text in ipairs(ranks.gather(what, table.concat(own))) do
      local at = 1
      for r = firsts[rank] + 1, is_needed and firsts[rank + 1] or 0 do
        local dtype, bytes
        dtype, bytes, at = string.unpack("<s1 s8", text, at)
        all[r][k] = dtype ~= "" and lutra.device("/CPU:0", lutra.from_bytes, bytes, dtype, { table.unpack(variable.shape) })
      end
    end
  end
  return all
end

-- Adds the gradients held, if any, to a file's tensors: that of replica r of all and variable k by name_of(r, k). Returns
-- their description. With several ranks all must call it; is_needed: whether this one writes the file.
function accumulation.describe(optimizer, tensors, is_needed, name_of)
  local held, strategy = optimizer.held, strategy_of(optimizer)
  if not (held and optimizer.built_for) then return nil end
  local lists = held.all or held.lists
  if not held.all and strategy and strategy.ranks then lists = gathered(optimizer, strategy, is_needed) end
  for r, list in ipairs(is_needed and lists or {}) do
    for k = 1, #optimizer.built_for do tensors[name_of(r, k)] = list[k] or nil end
  end
  return { count = held.count, steps = optimizer.gradient_accumulation_steps, replicas = #lists }
end

-- Whether a file's description is one of `describe`, or nil.
function accumulation.is_description(said)
  if said == nil then return true end
  if type(said) ~= "table" then return false end
  for _, key in ipairs { "count", "steps", "replicas" } do
    if math.type(said[key]) ~= "integer" or said[key] < 1 then return false end
  end
  return said.count < said.steps and said.replicas <= kMostReplicas
end

-- What `held` becomes by a file's description: take(r, k) returns the gradient in the file, if any, of replica r and
-- variable k, of so many. An optimizer that adds up another number of steps starts anew.
function accumulation.read(optimizer, said, variables, take)
  if not said then return nil end
  local all = {}
  for r = 1, said.replicas do
    all[r] = {}
    for k = 1, variables do all[r][k] = take(r, k) or false end
  end
  return said.steps == optimizer.gradient_accumulation_steps and { all = all, count = said.count } or nil
end

return accumulation
