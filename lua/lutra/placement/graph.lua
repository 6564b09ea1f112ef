-- build(who, recorded, options): a recording as a graph for src/plan. Ops are nodes "MatMul#3"; what was there before
-- are nodes without time: variables, which may move with all that writes them, and tensors, which stay where they are.
local lutra, tools, use = ...
local devices = use "placement.devices"
local model = use "placement.costs".model
local quoted = use "options".quoted

local function node_name(op, i) return op.name .. "#" .. i end

-- Whether the scope "/device:GPU:1" or "/device:GPU:*" allows the device.
local function allows(requested, device)
  local kind, number = requested:match("device:(%a+):([%d*]+)")
  if not kind then return true end
  local own_kind, own_number = device.name:match("(%a+):(%d+)")
  return kind:upper() == own_kind and (number == "*" or number == own_number)
end

-- The devices that ops may go to, by name, and all devices of the machine's description: those, the host, and those
-- where something is that cannot move.
local function choose(who, options, recorded, all, fixed)
  local chosen, machine = {}, {}
  if options.devices == nil then
    for _, device in ipairs(all) do
      if device.is_gpu or device.name == "CPU:0" then chosen[device.name] = true end
    end
  else
    if type(options.devices) ~= "table" or #options.devices == 0 then
      tools.fail("InvalidArgument",
        ("%s: devices is %s, expected a list of devices"):format(who, tools.what_is(options.devices)))
    end
    for _, name in ipairs(options.devices) do chosen[devices.find(who, all, name).name] = true end
  end
  local needed = { ["CPU:0"] = true }
  for _, each in ipairs(recorded.outside) do needed[each.device] = true end
  for _, op in ipairs(recorded.ops) do needed[op.device] = true end
  for _, entry in pairs(fixed) do needed[entry.device] = true end
  for _, device in ipairs(all) do
    if chosen[device.name] or needed[device.name] then machine[#machine + 1] = device end
  end
  return chosen, machine
end

local function limits(who, options, all, machine)
  local memory = {}
  for _, device in ipairs(machine) do memory[device.name] = device.memory end
  local given = options.memory
  if given == nil then return memory end
  if type(given) ~= "table" then
    tools.fail("InvalidArgument",
      ("%s: memory is %s, expected bytes by device: {[\"GPU:0\"] = 1e9}"):format(who, tools.what_is(given)))
  end
  for name, bytes in pairs(given) do
    if type(bytes) ~= "number" or not (bytes >= 0) then
      tools.fail("InvalidArgument",
        ("%s: memory of %s is %s, expected bytes, 0 or more"):format(who, quoted(name), tools.what_is(bytes)))
    end
    memory[devices.find(who, all, name).name] = bytes
  end
  return memory
end

-- A variable's or an op's device that the user fixed: by the variable itself, by its name, or by the node's name.
local function fixed_of(who, options, all)
  local fixed = {}
  if options.fixed == nil then return fixed end
  if type(options.fixed) ~= "table" then
    tools.fail("InvalidArgument",
      ("%s: fixed is %s, expected devices by variable or name of a node"):format(who, tools.what_is(options.fixed)))
  end
  for what, device in pairs(options.fixed) do fixed[what] = { device = devices.find(who, all, device).name } end
  return fixed
end

local function has_kernel_on(op, device) return device.is_gpu and op.on_gpu or not device.is_gpu and op.on_cpu end

-- Fails unless the op can run on the device that the caller fixed. The rules may have put it there already.
local function check_fixed(who, name, op, device, is_update)
  if device.name == op.device then return end
  local why
  if not has_kernel_on(op, device) then why = ("%s has no %s kernel"):format(op.op, device.is_gpu and "GPU" or "CPU")
  elseif is_update then return  -- the planner compares it with its variable's device
  elseif op.requested ~= "" and not allows(op.requested, device) then why = "the script runs it in scope " .. op.requested
  elseif not op.is_open then why = ("it always runs on %s (%s)"):format(op.device, op.reason) end
  if why then
    tools.fail("InvalidArgument", ("%s: fixed puts %s (%s) on %s, which cannot be: %s"):format(who, name, op.line, device.name, why))
  end
end

return function(who, recorded, options)
  local all = devices.all()
  local fixed = fixed_of(who, options, all)
  local chosen, machine = choose(who, options, recorded, all, fixed)
  local memory = limits(who, options, all, machine)
  local clock = model:clock(all)
  local has_gpu = false
  for _, device in ipairs(all) do has_gpu = has_gpu or device.is_gpu end
  local spec = { devices = {}, nodes = {}, links = {}, budget_ms = options.budget_ms }
  for i, device in ipairs(machine) do
    spec.devices[i] = { name = device.name, type = device.name, memory = memory[device.name] }
    if device.name == "CPU:0" then spec.execution = { host = i, issue_us = recorded.issue_us } end
    for _, other in ipairs(machine) do
      if other ~= device and (device.is_gpu or other.is_gpu) then
        spec.links[#spec.links + 1] = devices.link(device, other, model.links)
      end
    end
  end

  local function take_fixed(...)
    for _, key in ipairs { ... } do
      if fixed[key] then
        fixed[key].used = true
        return fixed[key].device
      end
    end
  end

  local written, needs_cpu = {}, {}
  for _, op in ipairs(recorded.ops) do
    for _, variable in ipairs(op.writes) do
      written[-variable] = true
      if not op.on_gpu then needs_cpu[-variable] = true end
    end
  end
  local outside_names, taken, fixed_homes = {}, {}, {}
  for i, each in ipairs(recorded.outside) do
    local node
    if each.variable then
      local name = "variable " .. each.variable.name
      if taken[name] then name = name .. "#" .. i end
      local device = take_fixed(each.variable, each.variable.name, name)
      fixed_homes[i] = device
      node = { name = name, time_us = {}, bytes = each.bytes, resident = true, device = device,
        mirrored = not written[i] }
      for _, candidate in ipairs(machine) do
        -- A variable that is only read may stay where it is.
        if chosen[candidate.name] or candidate.name == device or (candidate.name == each.device and not written[i]) or
          (candidate.name == "CPU:0" and needs_cpu[i]) then
          node.time_us[candidate.name] = 0
        end
      end
    else
      local is_argument = recorded.arguments[i]
      -- A constant is copied once and then kept; an argument is another tensor at the next call.
      node = { name = ("%s %d"):format(is_argument and "argument" or "tensor", i), time_us = { [each.device] = 0 },
        bytes = each.bytes, resident = true, mirrored = not (is_argument or each.is_new) }
    end
    taken[node.name] = true
    outside_names[i] = node.name
    node.colocate = {}
    spec.nodes[i] = node
  end

  local info, known_how = {}, {}
  for i, op in ipairs(recorded.ops) do
    local name = node_name(op, i)
    local node = { name = name, inputs = {}, time_us = {}, bytes = op.bytes, colocate = {}, keep = recorded.results[i] }
    for k, source in ipairs(op.reads) do
      node.inputs[k] = source > 0 and node_name(recorded.ops[source], source) or outside_names[-source]
    end
    for k, variable in ipairs(op.writes) do
      node.colocate[k] = outside_names[-variable]
      local home = fixed_homes[-variable]  -- perhaps no device that other ops may use
      if home and has_kernel_on(op, all[home]) then node.time_us[home] = clock(op, all[home]) end
    end
    local is_update = #op.writes > 0
    local is_free = op.is_open or is_update
    local why
    if not is_free then why = ("the rules fix it (%s)"):format(op.reason) end
    for _, device in ipairs(machine) do
      local is_allowed = device.name == op.device and not is_free or
        is_free and (chosen[device.name] or (not op.on_gpu and device.name == "CPU:0"))
          and (is_update or allows(op.requested, device))
      if has_kernel_on(op, device) and is_allowed then
        node.time_us[device.name], known_how[name .. device.name] = clock(op, device)
      end
    end
    if not op.on_gpu and has_gpu then why = op.op .. " has no GPU kernel" end
    if op.is_open and op.requested ~= "" then why = "scope " .. op.requested end
    if is_update then why = "it writes " .. node.colocate[1] end
    if next(node.time_us) == nil then node.time_us[op.device] = clock(op, all[op.device]) end
    node.device = take_fixed(name)
    if node.device then
      check_fixed(who, name, op, all[node.device], is_update)
      why = "fixed by the caller"
      node.time_us[node.device] = node.time_us[node.device] or clock(op, all[node.device])
    end
    spec.nodes[#spec.nodes + 1] = node
    info[name] = { index = i, op = op.op, line = op.line, inputs = op.inputs, outputs = op.outputs, constraint = why,
      recorded_on = op.device, bytes = op.bytes }
  end
  for what, entry in pairs(fixed) do
    if not entry.used then
      tools.fail("InvalidArgument", ("%s: fixed names %s, which is neither a variable that the function uses nor one of its ops; an op is named as %s")
        :format(who, type(what) == "string" and "'" .. quoted(what) .. "'" or tools.what_is(what),
          node_name(recorded.ops[1], 1)))
    end
  end
  -- The options with names for devices and nodes, for files.
  local named = { devices = options.devices and {}, memory = {}, fixed = {} }
  for i, device in ipairs(options.devices or {}) do named.devices[i] = devices.find(who, all, device).name end
  for device, bytes in pairs(options.memory or {}) do named.memory[devices.find(who, all, device).name] = bytes end
  for _, node in ipairs(spec.nodes) do named.fixed[node.name] = node.device end
  return { spec = spec, options = named, info = info, outside_names = outside_names, known_how = known_how, machine = machine }
end
