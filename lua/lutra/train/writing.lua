-- What a Checkpoint writes: a safetensors file, whose metadata has a JSON text with all that is no tensor.
local lutra, tools, use = ...
local json, objects = use "json", use "train.objects"
local saving, accumulation, mirrored = use "nn.files.saving", use "optim.accumulation", use "distribute.mirrored"

local kKey, kFormat, kStates = "lutra.checkpoint", 1, "states/"
local writing = { key = kKey, format = kFormat, states = kStates }

function writing.slot_name(path, slot, i, of) return ("%s/%s/%s"):format(path, slot, of or i) end
function writing.held_name(path, r, i, of) return writing.slot_name(path, "held/" .. r, i, of) end

-- Adds the slots and the gradients that it holds to the tensors. Returns the optimizer's description; nil if another
-- process writes the file.
local function optimizer_of(optimizer, path, found, tensors)
  local rate, names = optimizer.learning_rate, nil
  local all = optimizer.built_for and optimizer:whole_slots()
  local is_elsewhere = optimizer.built_for and not all
  local held = accumulation.describe(optimizer, tensors, not is_elsewhere, function(r, k)
    return writing.held_name(path, r, k, found.path_of[optimizer.built_for[k]])
  end)
  if is_elsewhere then return nil end
  if all then
    names = {}
    for i, variable in ipairs(optimizer.built_for) do names[i] = found.path_of[variable] or json.null end
    for k, slot in ipairs(optimizer:all_slots()) do
      for i, variable in ipairs(all[k]) do
        tensors[writing.slot_name(path, slot, i, found.path_of[optimizer.built_for[i]])] = variable
      end
    end
  end
  return {
    kind = optimizer.kind, iterations = optimizer.iterations, slots = optimizer:all_slots(), variables = names,
    learning_rate = type(rate) == "number" and rate or nil, held = held,
  }
end

-- Only one process of several needs to write: the others then give it their parts of optimizers' states.
function writing.write(self, path, writes)
  saving.require_path("save", path)
  local found, tensors = objects.find("save", self.holds), {}
  local about = { format = kFormat, lutra = lutra.version, layers = {}, optimizers = {}, states = {}, plain = {} }
  for _, variable in ipairs(found.variables) do tensors[found.path_of[variable]] = variable end
  for name, layer in pairs(found.layers) do about.layers[name] = { input = objects.input_of(layer) } end
  -- In the same order in all processes: each may have a part of an optimizer's state.
  local names, is_elsewhere = {}, false
  for name in pairs(found.optimizers) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    about.optimizers[name] = optimizer_of(found.optimizers[name], name, found, tensors)
    is_elsewhere = is_elsewhere or not about.optimizers[name]
  end
  if is_elsewhere or not writes then return path end
  for name, object in pairs(found.states) do
    about.states[name] = { saving.packed(object:get_state(), kStates .. name, tensors) }
  end
  for name, place in pairs(found.plain) do about.plain[name] = place.value end
  about.random = { tools.random_state() }
  lutra.save(path, tensors, { metadata = { [kKey] = json.encode(about) } })
  return path
end

-- Whether the objects are those of several processes, which then have to save and restore together.
function writing.is_of_ranks(self)
  local found = objects.find("CheckpointManager", self.holds)
  for _, layer in pairs(found.layers) do
    local strategy = rawget(layer, "strategy")
    if strategy and strategy.ranks then return true end
  end
  for _, variable in ipairs(found.variables) do
    local mirror = mirrored.of(variable)
    if mirror and mirror.strategy.ranks then return true end
  end
  return false
end

return writing
