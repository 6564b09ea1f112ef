-- lt.placement.optimize and load.
local lutra, tools, use = ...
local options = use "options"
local costs = use "placement.costs"
local record = use "placement.recording"
local checks = use "placement.checks"
local build = use "placement.graph"
local devices = use "placement.devices"
local Plan = use "placement.plan"

local kOptions = { devices = false, memory = false, fixed = false, budget_ms = false, record = false }

local function read_options(who, given)
  local read = options.read(who, given, kOptions)
  local budget = read.budget_ms
  if budget and (type(budget) ~= "number" or not (budget >= 0)) then
    tools.fail("InvalidArgument", ("%s: budget_ms is %s, expected a number of milliseconds, 0 or more"):format(who, tools.what_is(budget)))
  end
  for name, value in pairs(read) do
    if value == false then read[name] = nil end
  end
  return read
end

-- A plan of a recording that is there.
local function plan_of(who, f, recorded, read)
  costs.model:learn(recorded)
  local graph = build(who, recorded, read)
  return Plan(f, recorded, graph, tools.make_plan(graph.spec), read)
end

local function optimize(f, args, given)
  local who = "placement.optimize"
  checks.is_function(who, f)
  if args ~= nil and (type(args) ~= "table" or getmetatable(args) ~= nil) then
    tools.fail("InvalidArgument", ("%s: args is %s, expected a list of f's arguments: {x, y}"):format(who, tools.what_is(args)))
  end
  local read = read_options(who, given)
  local device = read.record and devices.find(who, devices.all(), read.record).full_name
  local recorded, results = record(who, f, args or {}, nil, device)
  if recorded.made_variables then
    recorded, results = nil, nil
    recorded, results = record(who, f, args or {}, nil, device)  -- later runs do what the second one does
  end
  local plan = plan_of(who, f, recorded, read)
  plan.results, plan.argument_count = results, args and (args.n or #args) or 0
  return plan
end

local function load(path, f)
  if f ~= nil then checks.is_function("placement.load", f, "the plan's function") end
  return Plan.read(path, f)
end

return { optimize = optimize, load = load, plan_of = plan_of }
