-- step(f): a function that does what f does, with its ops placed by plans. The first call of each combination of
-- arguments' shapes runs by the rules, the second is recorded, later ones run as planned where that is worth it.
local lutra, tools, use = ...
local checks = use "placement.checks"
local record = use "placement.recording"
local plan_of = use "placement.optimize".plan_of
local costs = use "placement.costs"
local Plan = use "placement.plan"

local kLeastGain = 0.10   -- a plan must be so much faster than what runs now
local kConfirmed = 2      -- as often in a row
local kCheckEvery = 200   -- calls between looks at a plan that runs

-- Shapes, dtypes and devices of tensors, and other values as they are.
local function signature(...)
  local words = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "userdata"
      and tools.is_tensor(value) then words[i] = tostring(value.shape) .. value.dtype .. value.device
    elseif type(value) == "table" then
      local inner = {}
      for k, entry in ipairs(value) do inner[k] = signature(entry) end
      words[i] = "{" .. table.concat(inner, ";") .. "}"
    else words[i] = type(value) == "userdata" and "?" or tostring(value) end
  end
  return table.concat(words, "|")
end

local Step = {}
Step.__index = Step

-- Of all steps: the plan that was taken last, to be explained, and what the last look found.
local latest, found

-- What the recorded run would take as it ran, by the same simulation as the plan.
local function as_recorded(plan)
  local ok, made = pcall(Plan.simulate, plan.graph.spec, function(node)
    local info = plan.graph.info[node.name]
    return info and info.recorded_on or node.device
  end)
  return ok and made.makespan_us or math.huge
end

-- Records one call, and takes the new plan if it is better than what ran by kLeastGain, kConfirmed times in a row.
function Step:look(entry, ...)
  local recorded, results = record("placement.step", self.f, table.pack(...), entry.plan and entry.plan.prepared)
  local ok, plan = pcall(plan_of, "placement.step", self.f, recorded, { budget_ms = self.budget_ms })
  entry.calls = 0
  if not ok then
    self.problem = lutra.iserror(plan) and plan.message or tostring(plan)
    found = "there is no plan: " .. self.problem
    return results
  end
  local now = as_recorded(plan)
  entry.gain = now > 0 and 1 - plan.makespan_us / now or 0
  found = ("the best plan is %.0f%% faster than what runs, and a plan is taken if it is over %.0f%% faster %d times in a row"):format(
    100 * entry.gain, 100 * kLeastGain, kConfirmed)
  if entry.gain > kLeastGain then
    entry.confirmed = entry.confirmed + 1
    if entry.confirmed >= kConfirmed then
      entry.plan, entry.confirmed = plan, 0
      latest = plan:description()
    else
      entry.calls = kCheckEvery
    end
  else
    entry.confirmed = 0
  end
  return results
end

function Step:__call(...)
  if tools.is_planning() then return self.f(...) end  -- inside another planned function
  local key = signature(...)
  local entry = self.entries[key]
  if not entry then
    entry = { calls = kCheckEvery, confirmed = 0 }
    self.entries[key] = entry
    return self.f(...)  -- the first call also makes variables, reads files and the like
  end
  if entry.calls >= kCheckEvery then
    local results = self:look(entry, ...)
    return table.unpack(results, 1, results.n)
  end
  entry.calls = entry.calls + 1
  if not entry.plan then return self.f(...) end
  local results = table.pack(entry.plan:run_as(true, ...))
  if entry.plan.mismatch then
    self.problem = entry.plan.mismatch
    entry.plan, entry.calls, entry.confirmed = nil, 0, 0
  end
  return table.unpack(results, 1, results.n)
end

local function step(f)
  checks.is_function("placement.step", f)
  return setmetatable({ f = f, entries = {} }, Step)
end

-- Of the plan that a step, or fit, took last.
local function explain(op)
  if latest then return latest:explain(op, "placement.explain") end
  tools.fail("FailedPrecondition", "placement.explain: no plan of placement.step or fit has been taken; "
    .. (found or "none has been looked for: a step is recorded at its second call"))
end

return { step = step, explain = explain }
