-- A Plan: where each op of a recorded function runs. Made by optimize and load.
local lutra, tools, use = ...
local json = use "json"
local devices = use "placement.devices"
local costs = use "placement.costs"
local record = use "placement.recording"
local build = use "placement.graph"
local Class = use "class"
local quoted = use "options".quoted

local Plan = Class "placement.Plan"
local kFormat = "lutra plan 1"

local function us_text(us)
  if us >= 1e6 then return ("%.3f s"):format(us / 1e6) elseif us >= 1e4 then return ("%.2f ms"):format(us / 1e3) end
  return ("%.1f us"):format(us)
end

local function bytes_text(bytes)
  for _, unit in ipairs { { "GiB", 2 ^ 30 }, { "MiB", 2 ^ 20 }, { "KiB", 2 ^ 10 } } do
    if bytes >= unit[2] then return ("%.2f%s"):format(bytes / unit[2], unit[1]) end
  end
  return ("%dB"):format(bytes)
end

-- `graph` is what graph.lua built, `made` the plan of src/plan.
function Plan:init(f, recorded, graph, made, options)
  self.f, self.graph, self.options = f, graph, options
  self.made = made
  self.makespan_us, self.devices, self.alternatives = made.makespan_us, made.devices, made.alternatives
  self.critical_path, self.policy, self.placement = made.critical_path, made.policy, made.placement
  self.recorded_us = recorded.total_us
  self.ops = {}
  for i, op in ipairs(recorded.ops) do
    local name = op.name .. "#" .. i
    self.ops[i] = { name = name, op = op.op, inputs = op.inputs, is_open = op.is_open, device = made.placement[name] }
  end
  self.variables = {}
  for i, each in ipairs(recorded.outside) do
    if each.variable then
      self.variables[#self.variables + 1] = { variable = each.variable, device = made.placement[graph.outside_names[i]] }
    end
  end
end

-- Fails (NotFound) unless the devices are here on which ops or variables are: they may have changed since the plan was
-- made. Returns all devices.
function Plan:require_devices()
  local all = devices.all()
  local function check(name, device)
    if all[device] then return end
    local names = {}
    for i, each in ipairs(all) do names[i] = each.name end
    tools.fail("NotFound", ("plan: %s runs on %s, which is not here%s; there are %s: optimise it again"):format(name,
      device, self.saved and "" or " any more", table.concat(names, ", ")))
  end
  for _, op in ipairs(self.ops) do check(op.name, op.device) end
  for name, device in pairs(self.placement) do
    if name:find "^variable " then check(name, device) end
  end
  return all
end

-- A copy for explain. It does not keep the function, the variables and the results alive.
function Plan:description()
  local kept = setmetatable({}, Plan)
  for key, value in next, self do kept[key] = value end
  kept.f, kept.variables, kept.prepared, kept.results = nil, nil, nil, nil
  return kept
end

-- Looks up the devices, and moves the variables.
function Plan:prepare()
  local all = self:require_devices()
  local list = {}
  for _, op in ipairs(self.ops) do
    if op.is_open then list[#list + 1] = { op.op, op.inputs, all[op.device].full_name, op.name } end
  end
  for _, each in ipairs(self.variables) do
    local device = all[each.device]
    if each.variable.device ~= device.full_name then tools.move_variable(each.variable, device.full_name) end
  end
  return tools.prepare_plan(list)
end

function Plan:require_function()
  if self.f then return end
  tools.fail("FailedPrecondition", "plan: it was loaded without its function: lt.placement.load(path, f)")
end

-- The graph `spec` with each node on the device that device_of(node) gives; nil: on any device that the node allows.
local function simulate(spec, device_of)
  local nodes = {}
  for i, node in ipairs(spec.nodes) do
    local copy = {}
    for key, value in pairs(node) do copy[key] = value end
    copy.device = device_of(node)
    nodes[i] = copy
  end
  return tools.make_plan { devices = spec.devices, links = spec.links, nodes = nodes, execution = spec.execution, budget_ms = 0 }
end

-- A plan that was loaded knows its ops by name: the first run records them, in the order of the rules.
function Plan:adopt(args)
  local all = self:require_devices()
  local recorded, results = record("plan:run", self.f, args)
  if recorded.made_variables then return results end  -- the next run does what the plan is made for
  local expected, found = self.saved, recorded.ops
  for i = 1, math.max(#expected, #found) do
    local a, b = expected[i], found[i]
    if not a or not b or a.op ~= b.op or a.inputs ~= b.inputs then
      tools.fail("FailedPrecondition", ("plan: op %d is %s, and the file has %s there: it is the plan of another function or of other shapes"):format(i,
        b and b.op .. " of " .. b.inputs or "missing", a and a.op .. " of " .. a.inputs or "none"))
    end
  end
  costs.model:learn(recorded)
  local options = { devices = {}, memory = {}, fixed = self.options.fixed }
  for _, name in ipairs(self.options.devices or {}) do
    if all[name] then table.insert(options.devices, name) end
  end
  for name, bytes in pairs(self.options.memory or {}) do options.memory[name] = all[name] and bytes end
  if #options.devices == 0 then options.devices = nil end
  local graph = build("plan:run", recorded, options)
  local placement, policy, alternatives = self.placement, self.policy, self.alternatives
  local made = simulate(graph.spec, function(node)
    local is_placed = graph.info[node.name] or node.name:find "^variable "
    return is_placed and placement[node.name] or node.device
  end)
  self:init(self.f, recorded, graph, made, options)
  -- What each device alone would take: a question about the graph without the plan.
  local ok, free = pcall(simulate, graph.spec, function(node) return node.device end)
  self.alternatives = ok and free.alternatives or alternatives
  self.policy, self.saved, self.argument_count = policy, nil, args.n
  return results
end

-- Marks a run's end on every way out.
local function guard(prepared) return setmetatable({}, { __close = function() tools.end_plan(prepared, false) end }) end

-- Runs the function with its ops placed as planned, and returns its results. Lenient runs let the rules place what
-- differs from the recorded run; then `self.mismatch` says what did.
function Plan:run_as(is_lenient, ...)
  self:require_function()
  if self.saved then
    local results = self:adopt(table.pack(...))
    return table.unpack(results, 1, results.n)
  end
  self.prepared = self.prepared or self:prepare()
  local prepared <close> = guard(self.prepared)
  tools.begin_plan(self.prepared, is_lenient)
  local results = table.pack(self.f(...))
  self.mismatch = tools.end_plan(self.prepared, true)
  return table.unpack(results, 1, results.n)
end

function Plan:run(...) return self:run_as(false, ...) end

-- Runs it `times` times and returns the shortest time of a run, in microseconds, with all devices waited for.
function Plan:time(times, ...)
  local best = math.huge
  for _ = 1, times do
    lutra.synchronize()
    local start = lutra.time()
    self:run(...)
    lutra.synchronize()
    best = math.min(best, (lutra.time() - start) * 1e6)
  end
  return best
end

-- The plan of the same graph with the component of one node on another device. Everything else stays.
function Plan:what_if(name, device)
  local spec, members = self.graph.spec, { [name] = true }
  local grew = true
  while grew do
    grew = false
    for _, node in ipairs(spec.nodes) do
      for _, other in ipairs(node.colocate) do
        if members[node.name] ~= members[other] then
          members[node.name], members[other], grew = true, true, true
        end
      end
    end
  end
  local ok, made = pcall(simulate, spec, function(node) return members[node.name] and device or self.placement[node.name] end)
  return ok and made or nil, not ok and made or nil
end

local Explanation = { __name = "lutra.placement.Explanation" }
Explanation.__index = Explanation
function Explanation:__tostring() return self.text end

function Plan:require_graph(who)
  if self.graph then return end
  tools.fail("FailedPrecondition", who .. ": a loaded plan knows its graph after its first run: plan:run(...)")
end

local function explain_op(self, name, who)
  local node, slot
  for _, each in ipairs(self.graph.spec.nodes) do
    if each.name == name then node = each end
  end
  for _, each in ipairs(self.made.schedule) do
    if each.node == name then slot = each end
  end
  if not node then
    local near = {}
    for _, op in ipairs(self.ops) do
      if #near < 8 and (op.op == name or op.name:find(tostring(name), 1, true)) then near[#near + 1] = op.name end
    end
    tools.fail("NotFound", ("%s: no node is called '%s'; %s"):format(who, quoted(name),
      #near > 0 and "there are " .. table.concat(near, ", ") or who .. "() lists them"))
  end
  local info = self.graph.info[name]
  local made = { node = name, device = slot.device, start_us = slot.start, finish_us = slot.finish, alternatives = {},
    line = info and info.line, constraint = info and info.constraint }
  local lines = { ("%s runs on %s%s: %s to %s"):format(name, slot.device,
    info and info.line ~= "" and " (" .. info.line .. ")" or "", us_text(slot.start), us_text(slot.finish)) }
  if info then lines[#lines + 1] = ("  %s -> %s; time %s"):format(info.inputs, info.outputs, self.graph.known_how[name .. slot.device] or "as recorded") end
  local choices = 0
  for _, device in ipairs(self.graph.machine) do
    if node.time_us[device.name] and device.name ~= slot.device then
      choices = choices + 1
      local other, problem = self:what_if(name, device.name)
      if other then
        made.alternatives[device.name] = other.makespan_us
        local change = self.makespan_us > 0 and 100 * (other.makespan_us / self.makespan_us - 1) or 0
        lines[#lines + 1] = ("  on %s the run would take %s (%+.1f%%)"):format(device.name, us_text(other.makespan_us), change)
      else
        local message = lutra.iserror(problem) and problem.message or tostring(problem)
        made.alternatives[device.name] = message
        lines[#lines + 1] = ("  not on %s: %s"):format(device.name, message)
      end
    end
  end
  if info and info.constraint then lines[#lines + 1] = "  why: " .. info.constraint
  elseif choices == 0 then lines[#lines + 1] = "  why: no other device may have it"
  else lines[#lines + 1] = "  why: no other device makes the run shorter" end
  for _, device in pairs(made.alternatives) do
    if type(device) == "number" and device < self.makespan_us - 1e-6 and not (info and info.constraint) then
      lines[#lines] = "  why: the search ended before it tried a better device; give it more budget_ms"
    end
  end
  made.text = table.concat(lines, "\n")
  return setmetatable(made, Explanation)
end

-- Of all: a table that prints itself.
local function explain_all(self)
  local lines = { ("%s predicted (recorded run: %s), found by %s; the host issues an op in %s"):format(us_text(self.makespan_us),
    us_text(self.recorded_us), self.policy, us_text(self.graph.spec.execution.issue_us)) }
  lines[#lines + 1] = ("%-8s %6s %12s %6s %12s  %s"):format("device", "ops", "busy", "share", "memory", "alone")
  local counts = {}
  for _, op in ipairs(self.ops) do counts[op.device] = (counts[op.device] or 0) + 1 end
  for _, device in ipairs(self.graph.machine) do
    local name, facts = device.name, self.devices[device.name]
    local alone = self.alternatives[name]
    lines[#lines + 1] = ("%-8s %6d %12s %5.0f%% %12s  %s"):format(name, counts[name] or 0, us_text(facts.busy_us),
      self.makespan_us > 0 and 100 * facts.busy_us / self.makespan_us or 0, bytes_text(facts.peak_bytes),
      type(alone) == "number" and us_text(alone) or alone)
  end
  local bytes = 0
  for _, copy in ipairs(self.made.copies) do bytes = bytes + copy.bytes end
  lines[#lines + 1] = ("copies: %d, %s"):format(#self.made.copies, bytes_text(bytes))
  local path = self.critical_path
  local shown = {}
  for i, name in ipairs(path) do
    if #path <= 12 or i <= 6 or i > #path - 5 then shown[#shown + 1] = name .. " (" .. self.placement[name] .. ")"
    elseif i == 7 then shown[#shown + 1] = ("... (%d more)"):format(#path - 11) end
  end
  lines[#lines + 1] = "critical path: " .. table.concat(shown, " -> ")
  lines[#lines + 1] = ("%-24s %-8s %12s %12s  %s"):format("op", "device", "start", "finish", "why")
  for _, slot in ipairs(self.made.schedule) do
    local info = self.graph.info[slot.node]
    if info then
      lines[#lines + 1] = ("%-24s %-8s %12s %12s  %s"):format(slot.node, slot.device, us_text(slot.start), us_text(slot.finish),
        info.constraint or info.line)
    end
  end
  return setmetatable({ text = table.concat(lines, "\n"), makespan_us = self.makespan_us, devices = self.devices,
    critical_path = path, alternatives = self.alternatives }, Explanation)
end

-- who: the function that was called, for errors.
function Plan:explain(op, who)
  who = who or "plan:explain"
  self:require_graph(who)
  if op == nil then return explain_all(self) end
  if math.type(op) == "integer" and self.ops[op] then op = self.ops[op].name end
  return explain_op(self, op, who)
end

function Plan:save(path)
  if type(path) ~= "string" or path == "" then
    tools.fail("InvalidArgument", ("plan:save: path is %s, expected a file's name"):format(tools.what_is(path)))
  end
  local ops = {}
  for i, op in ipairs(self.saved or self.ops) do ops[i] = { name = op.name, op = op.op, inputs = op.inputs } end
  local text = json.encode { format = kFormat, makespan_us = self.makespan_us, policy = self.policy, placement = self.placement,
    ops = ops, devices = self.devices, alternatives = self.alternatives, critical_path = self.critical_path,
    options = self.saved and self.options or self.graph.options }
  tools.write_file(path, text .. "\n", "plan:save")
end

-- Reads what save wrote.
function Plan.read(path, f)
  local who = "placement.load"
  if type(path) ~= "string" or path == "" then
    tools.fail("InvalidArgument", ("%s: path is %s, expected a file's name"):format(who, tools.what_is(path)))
  end
  local ok, read = pcall(json.decode, tools.read_text(path), path)
  local is_plan = ok and type(read) == "table" and read.format == kFormat and type(read.ops) == "table" and
    type(read.placement) == "table" and type(read.makespan_us) == "number" and type(read.devices) == "table" and
    type(read.alternatives) == "table" and type(read.critical_path) == "table"
  for _, op in ipairs(is_plan and read.ops or {}) do
    is_plan = is_plan and type(op) == "table" and type(op.name) == "string" and type(op.op) == "string" and
      type(op.inputs) == "string" and type(read.placement[op.name]) == "string"
  end
  local options = is_plan and read.options or {}
  for key, kind in pairs { devices = "string", memory = "number", fixed = "string" } do
    local entries = type(options) == "table" and options[key]
    is_plan = is_plan and (entries == nil or type(entries) == "table")
    for _, entry in pairs(is_plan and entries or {}) do is_plan = is_plan and type(entry) == kind end
  end
  if not is_plan then tools.fail("InvalidArgument", ("%s: %s is damaged, or no plan"):format(who, path)) end
  local plan = setmetatable({}, Plan)
  plan.f, plan.saved, plan.options = f, read.ops, options
  plan.makespan_us, plan.policy, plan.placement = read.makespan_us, read.policy, read.placement
  plan.devices, plan.alternatives, plan.critical_path = read.devices, read.alternatives, read.critical_path
  plan.ops = {}
  for i, op in ipairs(read.ops) do plan.ops[i] = { name = op.name, op = op.op, inputs = op.inputs, device = read.placement[op.name] } end
  return plan
end

-- Runs the function once, measured, and writes a page with the simulated timeline and, below it, the measured one.
-- Without the function's arguments it writes the simulated timeline alone.
function Plan:trace(path, ...)
  self:require_function()
  if type(path) ~= "string" or path == "" then
    tools.fail("InvalidArgument", ("plan:trace: path is %s, expected a file's name"):format(tools.what_is(path)))
  end
  local runs = select("#", ...) > 0 or self.argument_count == 0
  if not runs then self:require_graph("plan:trace") end
  for _ = 1, 2 do
    if self.saved then self:run(...) end  -- twice, if the first run makes variables
  end
  local recorded = runs and self:measure_run(...)
  local is_critical, events, lanes = {}, {}, {}
  for _, name in ipairs(self.critical_path) do is_critical[name] = true end
  for _, device in ipairs(self.graph.machine) do
    lanes[#lanes + 1] = device.name .. " simulated"
    if runs then lanes[#lanes + 1] = device.name .. " measured" end
  end
  for _, slot in ipairs(self.made.schedule) do
    local info = self.graph.info[slot.node]
    if info then
      events[#events + 1] = { name = slot.node, device = slot.device .. " simulated", start_us = slot.start,
        duration_us = slot.finish - slot.start, is_critical = is_critical[slot.node] or false, detail = info.line }
    end
  end
  for _, copy in ipairs(self.made.copies) do
    events[#events + 1] = { name = copy.node, device = copy.to .. " simulated", start_us = copy.start,
      duration_us = copy.finish - copy.start, is_copy = true, detail = ("copy of %s from %s"):format(bytes_text(copy.bytes), copy.from) }
  end
  for i, op in ipairs(runs and recorded.ops or {}) do
    if op.launches > 0 then
      local name = op.name .. "#" .. i
      events[#events + 1] = { name = name, device = op.device .. " measured", start_us = op.start_us, duration_us = op.us,
        is_critical = is_critical[name] or false, detail = op.line }
    end
  end
  local facts = { { "simulated", us_text(self.makespan_us) }, { "found by", self.policy } }
  if runs then table.insert(facts, 2, { "measured", us_text(recorded.total_us) }) end
  local title = runs and "Plan: simulated and measured" or "Plan: simulated"
  tools.write_timeline({ title = title, lanes = lanes, events = events, facts = facts }, path)
  return runs and recorded.total_us or nil
end

-- Runs the function once by the plan, and records what each op took.
function Plan:measure_run(...)
  self.prepared = self.prepared or self:prepare()
  local prepared <close> = guard(self.prepared)
  local recorded = record("plan:trace", self.f, table.pack(...), self.prepared)
  costs.model:learn(recorded)
  return recorded
end

Plan.simulate = simulate

use "colon"(Plan, "plan", "plan", "run time what_if explain save trace")

return Plan
