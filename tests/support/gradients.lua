-- Checks a tape's gradients against central differences, and the gradients of those gradients by a second tape. A case
-- is a call. Its tables become float64 tensors, whose gradients are checked; values made in another way, numbers and
-- the options table stay as they are. With several float results or elements, the loss is their sum with unequal
-- weights, so that mistakes do not cancel.
local collector = require "collector"
local compare = require "compare"
local samples = require "samples"
local spec = require "spec"

local gradients = {}

local function is_options(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil then return false end
  for key in pairs(value) do
    if type(key) == "string" then return true end
  end
  return false
end

local function is_literal(value)
  return type(value) == "table" and getmetatable(value) == nil and not is_options(value)
end

-- The case's leaves: the position of each differentiated table.
local function leaves_of(case)
  local leaves = {}
  for i, value in ipairs(case.list or {}) do
    if is_literal(value) then leaves[#leaves + 1] = { list = true, at = i, value = value } end
  end
  for i = 1, #case do
    if is_literal(case[i]) and not (case.fixed and case.fixed[i]) then leaves[#leaves + 1] = { at = i, value = case[i] } end
  end
  return leaves
end

-- The arguments, with tensors in place of the leaves.
local function arguments(case, leaves, tensors)
  local args, list = {}, case.list and {}
  for i, value in ipairs(case.list or {}) do list[i] = spec.realise(value) end
  for i = 1, #case do args[i] = spec.realise(case[i]) end
  for k, leaf in ipairs(leaves) do
    if leaf.list then list[leaf.at] = tensors[k] else args[leaf.at] = tensors[k] end
  end
  if list then table.insert(args, 1, list) end
  return args
end

-- The same with the leaves as the case has them, for a failure's text.
function gradients.arguments_as_written(case)
  local args = spec.realise(table.move(case, 1, #case, 1, {}))
  if case.list then table.insert(args, 1, spec.realise(case.list)) end
  return args
end

local function weights(shape, k)
  return samples.nest(samples.values(samples.size(shape), "float64", 0.5, 1.5, 77 + k), shape)
end

-- A number that depends on every float element of the results. When `curved`, its slope at a result depends on that result.
local function loss_of(results, curved)
  local flat = results
  if results.n == 1 and type(results[1]) == "table" then flat = results[1] end
  local loss
  for k = 1, #flat do
    local result = flat[k]
    if result.dtype:find("float") then
      if curved then result = result + 0.5 * result * result end
      local term = (result * lt.constant(weights(result.shape, k), { dtype = "float64" }):cast(result.dtype)):sum()
      loss = loss and loss + term or term
    end
  end
  return assert(loss, "no result is of a float dtype")
end

local function tensors_of(leaves, dtype)
  local tensors = {}
  for k, leaf in ipairs(leaves) do tensors[k] = lt.constant(leaf.value, { dtype = dtype }) end
  return tensors
end

local function by_tape(op, case, leaves, dtype)
  local tensors = tensors_of(leaves, dtype)
  local tape <close> = lt.GradientTape()
  tape:watch(tensors)
  local loss = loss_of(table.pack(op(table.unpack(arguments(case, leaves, tensors)))))
  return tape:gradient(loss, tensors, { unconnected_gradients = "zero" })
end

-- Calls f(path) for every number of a nested table.
local function each_number(value, f)
  for i = 1, #value do
    if type(value[i]) == "table" then each_number(value[i], f) else f(value, i) end
  end
end

-- The sum of the gradients of a curved loss, each element with a weight of its own. `tape` and `tensors` are the inner
-- tape's; what is done here others may record.
local function weighted_slopes(op, case, leaves, tensors)
  local tape <close> = lt.GradientTape()
  tape:watch(tensors)
  local loss = loss_of(table.pack(op(table.unpack(arguments(case, leaves, tensors)))), true)
  local slopes = tape:gradient(loss, tensors, { unconnected_gradients = "zero" })
  return loss_of(slopes)
end

local function second_by_tape(op, case, leaves, dtype)
  local tensors = tensors_of(leaves, dtype)
  local tape <close> = lt.GradientTape()
  tape:watch(tensors)
  return tape:gradient(weighted_slopes(op, case, leaves, tensors), tensors, { unconnected_gradients = "zero" })
end

-- Central differences of what f, a function of no arguments, gives when a number of a leaf is moved.
local function differences(leaves, f)
  local slopes = {}
  for k, leaf in ipairs(leaves) do
    local flat = {}
    each_number(leaf.value, function(row, i)
      local at = row[i]
      local step = 1e-5 * math.max(1, math.abs(at))
      row[i] = at + step
      local above = f()
      row[i] = at - step
      local below = f()
      row[i] = at
      flat[#flat + 1] = (above - below) / (2 * step)
    end)
    slopes[k] = samples.nest(flat, lt.constant(leaf.value).shape)
  end
  return slopes
end

local function by_differences(op, case, leaves)
  return differences(leaves, function()
    return loss_of(table.pack(op(table.unpack(arguments(case, leaves, tensors_of(leaves, "float64")))))):item()
  end)
end

local function second_by_differences(op, case, leaves)
  return differences(leaves, function()
    return weighted_slopes(op, case, leaves, tensors_of(leaves, "float64")):item()
  end)
end

local function mismatch(found, wanted, order, options)
  for k = 1, #wanted do
    local problem = compare.value(found[k], wanted[k], options)
    if problem then return ("of %s argument %d%s: %s"):format(options.dtype, k, order, problem) end
  end
end

-- Nil, or what is wrong. `run` calls a function in the way the pass is about.
function gradients.problem(op, case, scope, run)
  local leaves = leaves_of(case)
  if #leaves == 0 then return "no argument is a table, so there is nothing to differentiate" end
  local wanted = collector.in_peace(lt.device, "/CPU:0", by_differences, op, case, leaves)
  for _, form in ipairs { { "float64", case.tolerance or 1e-5, 1e-6 }, { "float32", 1e-3, 1e-3 } } do
    local dtype, relative, absolute = table.unpack(form)
    local found = run(lt.device, scope, by_tape, op, case, leaves, dtype)
    local problem = mismatch(found, wanted, "", { relative = relative, absolute = absolute, dtype = dtype })
    if problem then return problem end
  end
  wanted = collector.in_peace(lt.device, "/CPU:0", second_by_differences, op, case, leaves)
  local found = run(lt.device, scope, second_by_tape, op, case, leaves, "float64")
  local relative = math.max(1e-4, case.tolerance or 0)
  return mismatch(found, wanted, ", second derivative", { relative = relative, absolute = 1e-5, dtype = "float64" })
end

return gradients
