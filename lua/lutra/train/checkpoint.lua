-- lutra.train.Checkpoint: models, optimizers, variables and numbers of a training loop, in one safetensors file. Its
-- metadata has a JSON text with all that is no tensor (json.lua).
local lutra, tools, use = ...
local class, options, json, objects = use "class", use "options", use "json", use "train.objects"
local saving, accumulation = use "nn.files.saving", use "optim.accumulation"

local writing = use "train.writing"
local kKey, kFormat, kStates = writing.key, writing.format, writing.states
local slot_name, held_name = writing.slot_name, writing.held_name

local Checkpoint = class "train.Checkpoint"

function Checkpoint:init(given, ...)
  if type(given) ~= "table" or getmetatable(given) ~= nil or select("#", ...) > 0 then
    tools.fail("InvalidArgument", ("Checkpoint: its argument is %s, expected a table of objects by name: write "
      .. "lt.train.Checkpoint {model = model, optimizer = optimizer, step = 0}"):format(tools.what_is(given)))
  end
  local holds = {}
  for name, value in pairs(given) do
    if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
      tools.fail("InvalidArgument", ("Checkpoint: an object has the name %s, expected a word, as in {model = model}"):format(
        tools.what_is(name)))
    elseif rawget(Checkpoint, name) ~= nil or name == "holds" then
      tools.fail("InvalidArgument", ("Checkpoint: an object cannot have the name '%s', which a method has"):format(name))
    end
    holds[name] = value
  end
  objects.find("Checkpoint", holds)
  rawset(self, "holds", holds)
end

local function differ(path, ...) tools.fail("InvalidArgument", ("restore: %s: "):format(path) .. string.format(...)) end
local function shape_text(tensor) return ("%s %s"):format(tensor.dtype, tostring(tensor.shape)) end

-- save(path): writes the file anew, completely or not at all. Returns the path.
function Checkpoint:save(path) return writing.write(self, path, true) end

local function is_table(value) return type(value) == "table" and value ~= json.null end
local function is_count(value) return math.type(value) == "integer" and value >= 0 end
local function is_list(value, is_entry)
  if not is_table(value) then return false end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  for i = 1, count do
    if not is_entry(value[i]) then return false end
  end
  return true
end
local function is_input(input)
  if input == nil or input == json.null then return true end
  return is_list(input, function(row)
    local size, fits = 1.0, is_table(row) and type(row.dtype) == "string" and is_list(row.shape, is_count)
    for _, n in ipairs(fits and row.shape or {}) do size = size * n end
    return fits and size <= 2 ^ 31 and #row.shape <= 7
  end)
end
local is_entry = {
  layers = function(layer) return is_table(layer) and is_input(layer.input) end,
  optimizers = function(said)
    return is_table(said) and type(said.kind) == "string" and is_count(said.iterations)
      and is_list(said.slots, function(slot) return type(slot) == "string" end)
      and (said.variables == nil or is_list(said.variables, function(name) return type(name) == "string" or name == json.null end))
      and (said.learning_rate == nil or type(said.learning_rate) == "number" and said.learning_rate >= 0)
      and accumulation.is_description(said.held)
  end,
  states = is_table,
  plain = function(value) return not is_table(value) and value ~= json.null end,
}

-- The file's tensors, on the CPU, and its checked description.
local function read(path)
  saving.require_path("restore", path)
  local tensors, metadata = lutra.device("/CPU:0", lutra.load, path)
  local text = metadata and metadata[kKey]
  if not text then
    differ(path, "it was not written by a Checkpoint%s", metadata and metadata["lutra.model"]
      and " but by model:save; model:load reads it" or "")
  end
  local about = json.decode(text, "restore: " .. path)
  local is_right = is_table(about) and math.type(about.format) == "integer"
  if is_right and about.format > kFormat then
    differ(path, "its format is %d, and this version of Lutra reads up to %d", about.format, kFormat)
  end
  for part, is_good in pairs(is_entry) do
    is_right = is_right and is_table(about[part])
    for name, entry in pairs(is_right and about[part] or {}) do is_right = type(name) == "string" and is_good(entry) end
  end
  is_right = is_right and is_list(about.random, function(n) return math.type(n) == "integer" end) and #about.random == 2
  if not is_right then differ(path, "its description is damaged") end
  return tensors, about
end

-- Fails where the file and the checkpoint hold different objects.
local function compare(path, mine, file, what)
  for name in pairs(file) do
    if mine[name] == nil then differ(path, "it has the %s '%s', which the Checkpoint does not hold; {partial = true} leaves it out", what, name) end
  end
  for name in pairs(mine) do
    if file[name] == nil then differ(path, "it has no %s '%s'; {partial = true} leaves that as it is", what, name) end
  end
end

-- The values for the variables, and what is left of the file's tensors.
local function matched(path, found, tensors, partial)
  local values, left = {}, {}
  for name, tensor in pairs(tensors) do left[name] = tensor end
  for i, variable in ipairs(found.variables) do
    local name = found.path_of[variable]
    local value = tensors[name]
    if value and (value.shape ~= variable.shape or value.dtype ~= variable.dtype) then
      differ(path, "'%s' is %s in the file and %s here", name, shape_text(value), shape_text(variable))
    elseif not value and not partial then
      differ(path, "it has no '%s', which is %s here; {partial = true} leaves that as it is", name, shape_text(variable))
    end
    values[i], left[name] = value or false, nil
  end
  return values, left
end

-- What the optimizer is to be set to: its slots' values for the variables, in order, these if all are known, and the
-- gradients that it holds.
local function matched_slots(path, name, optimizer, said, found, tensors, left)
  if said.kind ~= optimizer.kind then
    differ(path, "'%s' is %s in the file and %s here", name, said.kind, optimizer.kind)
  end
  local slots = optimizer:all_slots()
  if table.concat(said.slots, " ") ~= table.concat(slots, " ") then
    differ(path, "'%s' remembers '%s' in the file and '%s' here: make it with the same options", name,
      table.concat(said.slots, ", "), table.concat(slots, ", "))
  end
  if not said.variables then return nil end
  local variable_at, variables, names = {}, {}, {}
  for _, variable in ipairs(found.variables) do variable_at[found.path_of[variable]] = variable end
  local known = optimizer.built_for
  for i, of in ipairs(known or said.variables) do
    names[i] = not known and of ~= json.null and of or known and found.path_of[of] or false
    variables[i] = known and of or variable_at[names[i]]
  end
  if known and #known ~= #said.variables then
    differ(path, "'%s' has the slots of %d variables in the file and of %d here", name, #said.variables, #known)
  end
  local function taken(key, variable, shape)
    local value = tensors[key]
    if not value or shape and value.shape ~= shape then
      differ(path, "'%s' is %s in the file, and %s is expected", key, value and shape_text(value) or "missing",
        shape and variable.dtype .. " " .. tostring(shape) or "a tensor")
    end
    left[key] = nil
    return value
  end
  local values = {}
  for _, slot in ipairs(slots) do
    values[slot] = {}
    for i = 1, #said.variables do
      local variable = variables[i]
      values[slot][i] = taken(slot_name(name, slot, i, names[i] or nil), variable, variable and optimizer:slot_shape(slot, variable))
    end
  end
  local held = accumulation.read(optimizer, said.held, #said.variables, function(r, k)
    local key, variable = held_name(name, r, k, names[k] or nil), variables[k]
    return tensors[key] and taken(key, variable, variable and variable.shape)
  end)
  local all_known = #variables == #said.variables
  for i = 1, #said.variables do all_known = all_known and variables[i] ~= nil end
  return values, all_known and variables or nil, held
end

local function restore_optimizer(optimizer, said, values, variables, held)
  if values then
    optimizer:restore(values)
    if variables and not optimizer.built_for then optimizer:build(variables) end
  else
    optimizer.slots, optimizer.built_for, optimizer.restored = nil, nil, nil
  end
  optimizer.iterations, optimizer.held = said.iterations, held
  if said.learning_rate and type(optimizer.learning_rate) == "number" then optimizer.learning_rate = said.learning_rate end
end

-- restore(path[, {partial}]): true, or false without a path.
function Checkpoint:restore(path, given)
  local partial = options.read("restore", given, { partial = false }).partial
  options.boolean("restore", "partial", partial)
  if path == nil then return false end
  local tensors, about = read(path)
  local found = objects.find("restore", self.holds)
  if not partial then
    for part, what in pairs { layers = "model", optimizers = "optimizer", states = "state of", plain = "value" } do
      compare(path, found[part], about[part], what)
    end
  end
  for name, layer in pairs(found.layers) do
    local input = about.layers[name] and about.layers[name].input
    if is_table(input) and input[1] then
      local own = {}
      for key, tensor in pairs(tensors) do
        if key:sub(1, #name + 1) == name .. "." then own[key:sub(#name + 2)] = tensor end
      end
      objects.build("restore", path, layer, own, input)
    end
  end
  found = objects.find("restore", self.holds)
  local values, left = matched(path, found, tensors, partial)
  local steps, states = {}, {}
  for name, optimizer in pairs(found.optimizers) do
    local said = about.optimizers[name]
    if said then
      steps[optimizer] = { said, matched_slots(path, name, optimizer, said, found, tensors, left) }
    end
  end
  for name, object in pairs(found.states) do
    if about.states[name] then states[object] = { saving.unpacked(about.states[name][1], kStates .. name, tensors) } end
  end
  for name in pairs(left) do
    if not partial and name:sub(1, #kStates) ~= kStates then
      local at = name:match "^[^.]+"
      differ(path, found.layers[at] and #found.layers[at]:variables() == 0
        and "it has '%s', and '" .. at .. "' has no weights yet: call it with rows first"
        or "it has '%s', which the Checkpoint does not hold; {partial = true} leaves it out", name)
    end
  end
  -- No errors from here on, but those of the program's own set_state.
  for i, variable in ipairs(found.variables) do
    if values[i] then variable:assign(values[i]) end
  end
  for optimizer, step in pairs(steps) do restore_optimizer(optimizer, table.unpack(step, 1, 4)) end
  for name, place in pairs(found.plain) do
    if about.plain[name] ~= nil then place.holder[place.key] = about.plain[name] end
  end
  tools.set_random_state(about.random[1], about.random[2])
  for object, state in pairs(states) do object:set_state(state[1]) end
  return true
end

function Checkpoint:__tostring()
  return ("<lutra.train.Checkpoint of %s>"):format(table.concat(options.sorted_names(self.holds), ", "))
end

-- ckpt.step is the value that the Checkpoint holds, and can be set.
local methods = Checkpoint
Checkpoint.__index = function(self, name)
  local method = rawget(methods, name)
  if method ~= nil then return method end
  local holds = rawget(self, "holds")
  return holds and holds[name]
end
Checkpoint.__newindex = function(self, name, value)
  if rawget(self, "holds")[name] == nil then
    tools.refuse_word(("a Checkpoint has no object '%s'"):format(options.quoted(name)), name, options.sorted_names(self.holds))
  end
  objects.find("Checkpoint", { [name] = value })
  self.holds[name] = value
end

use "colon"(Checkpoint, "checkpoint", "checkpoint", "save restore")

return Checkpoint
