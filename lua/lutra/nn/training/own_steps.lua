-- Models whose class defines train_step or test_step, as Keras documents it: fit and evaluate call them with the values of
-- a batch, {x, y, sample_weight}, and report the numbers that they return by name.
local lutra, tools, use = ...

local own_steps = {}

-- The class's own step, or nil if it has that of all models.
function own_steps.find(model, name)
  local step = model[name]
  return step ~= use("nn.training.training")[name] and step or nil
end

local function refuse(model, name, ...)
  tools.fail("InvalidArgument", ("%s of the model '%s': "):format(name, model.name) .. string.format(...))
end

-- Fails unless the step's result has names and numbers, or tensors of one element.
local function checked(model, name, logs)
  if type(logs) ~= "table" or getmetatable(logs) ~= nil then
    refuse(model, name, "it gives %s, expected a table of numbers by name, as in {loss = loss}", tools.what_is(logs))
  end
  for key, value in pairs(logs) do
    local is_number = type(value) == "number" or tools.is_tensor(value) and value.size == 1
    if type(key) ~= "string" or not is_number then
      refuse(model, name, "%s is %s, expected a number by a name", tostring(key), tools.what_is(value))
    end
  end
  return logs
end

-- Calls the step, under a strategy in each replica that has rows.
function own_steps.call(model, name, step, x, y, weight)
  local strategy = model.strategy
  if not strategy then return checked(model, name, step(model, { x, y, weight })) end
  if strategy.ranks then
    tools.fail("FailedPrecondition", ("fit: the model '%s' has its own %s, which cannot run in several processes: write the loop "
      .. "with strategy:run (docs/distribute.md)"):format(model.name, name))
  end
  return use "nn.replicas.replicated".own_step(model, function(data) return checked(model, name, step(model, data)) end, x, y, weight)
end

-- The same with plain numbers, which waits for a GPU; and the names: "loss" first, then the others.
function own_steps.numbers(logs)
  local numbers, names = {}, {}
  for name, value in pairs(logs or {}) do
    numbers[name] = type(value) == "number" and value or lutra.cast(value, "float64"):item()
    if name ~= "loss" then names[#names + 1] = name end
  end
  table.sort(names)
  if numbers.loss then table.insert(names, 1, "loss") end
  return numbers, names
end

return own_steps
