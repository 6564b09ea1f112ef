-- Methods of a model that write it to a file and load it, and load_model. A model is one file, so that it is replaced
-- atomically: a safetensors file with the weights and the optimizer's state, named by their paths. Its metadata has a
-- JSON text with the architecture, compile's arguments and the progress of training (config.lua, json.lua).
local lutra, tools, use = ...
local options, below, config, json = use "options", use "nn.layers.below", use "nn.files.config", use "json"
local expected, accumulation, ranks = use "nn.files.expected_weights", use "optim.accumulation", use "distribute.ranks"

local saving = {}

local kKey, kFormat = "lutra.model", 1
local kOfOptimizer, kOfCallbacks = "optimizer/", "callbacks/"

-- Encodes the callbacks' state for JSON: its tensors are stored with the file's others, named by their path.
local function packed(value, name, tensors)
  if tools.is_tensor(value) then
    tensors[name] = value
    return { ["@"] = "tensor" }
  elseif value ~= value then
    return { ["@"] = "nan" }
  elseif type(value) ~= "table" then
    return value
  end
  local made = {}
  for key, entry in pairs(value) do
    if #value > 0 and math.type(key) ~= "integer" then
      tools.fail("InvalidArgument", ("save: %s is a list that also has the key %s, which a file cannot store: use a list or a "
        .. "table by name"):format(name, tools.what_is(key)))
    end
    made[key] = packed(entry, name .. "/" .. tostring(key), tensors)
  end
  return made
end
local function unpacked(value, name, tensors)
  if type(value) ~= "table" then return value end
  if value["@"] == "nan" then return 0 / 0 end
  if value["@"] == "tensor" then
    return tensors[name] or tools.fail("InvalidArgument", ("load: the tensor '%s' of the objects' state is missing in the file"):format(name))
  end
  local made = {}
  for key, entry in pairs(value) do made[key] = unpacked(entry, name .. "/" .. tostring(key), tensors) end
  return made
end

local function require_path(who, path)
  if type(path) ~= "string" or not path:lower():find "%.safetensors$" then
    tools.fail("InvalidArgument", ("%s: path is %s, expected one that ends in .safetensors"):format(who, tools.what_is(path)))
  end
  return path
end

local function shape_text(tensor) return ("%s %s"):format(tensor.dtype, tostring(tensor.shape)) end

-- The input shapes and dtypes that the model was built for, or nothing if its layers define them.
local function input_of(model)
  if rawget(model, "first_input") then return model.first_input end
  local shape = rawget(model, "shape")
  if not shape or type(shape[1]) == "table" then return nil end
  local sizes = {}
  for i, size in ipairs(shape) do sizes[i] = math.max(size, 1) end
  return { { shape = sizes, dtype = rawget(model, "input_dtype") or "float32" } }
end

-- Encoded settings, or why they cannot be stored.
local function described(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if not lutra.iserror(result, "InvalidArgument") then error(result, 0) end
  return nil, result.message
end

local function compiled_of(model)
  local given = rawget(model, "compiled_with")
  return given and config.encode("save",
    { loss = given.loss, metrics = given.metrics, weighted_metrics = given.weighted_metrics, loss_weights = given.loss_weights,
      precision = given.precision, optimizer = model.optimizer }) or nil
end

local function held_name(r, path) return ("%sheld/%d/%s"):format(kOfOptimizer, r, path) end

-- Whether each process has a part of the optimizer's state, so that all must take part in a file of all of it.
local function is_spread(model)
  local optimizer = model.optimizer
  return model.strategy and model.strategy.ranks and (optimizer.shard or optimizer.held) ~= nil
end

-- Adds the optimizer's slots and the gradients that it holds to the tensors. Returns its description; nil if another
-- process writes the file. is_joint: whether all processes call it.
local function optimizer_of(model, path_of, tensors, is_joint)
  local optimizer, is_chief = model.optimizer, ranks.is_chief(model)
  local slots, held = optimizer.built_for and optimizer:whole_slots(), nil
  if is_joint or not is_spread(model) then
    held = accumulation.describe(optimizer, tensors, is_chief, function(r, k) return held_name(r, path_of[optimizer.built_for[k]]) end)
  end
  if is_joint and not is_chief then return nil end
  for k, slot in ipairs(slots and optimizer:all_slots() or {}) do
    for i, variable in ipairs(slots[k]) do
      tensors[kOfOptimizer .. slot .. "/" .. path_of[optimizer.built_for[i]]] = variable
    end
  end
  local rate = optimizer.learning_rate
  return {
    kind = optimizer.kind, iterations = optimizer.iterations, learning_rate = type(rate) == "number" and rate or json.null,
    has_slots = optimizer.built_for ~= nil, held = held,
  }
end

local function weights_of(model)
  local variables, paths = below.weights_with_paths(model)
  local tensors, path_of = {}, {}
  for i, variable in ipairs(variables) do tensors[paths[i]], path_of[variable] = variable, paths[i] end
  return tensors, path_of
end

-- What layers remember beside weights, by path.
local function states_of(model)
  local states = {}
  for path, layer in pairs(below.layers_by_path(model)) do
    states[path] = layer.saved_state and layer:saved_state()
  end
  return next(states) and states or nil
end
local function restore_states(who, path, model, about)
  local layers = about and about.states and below.layers_by_path(model) or {}
  for place, state in pairs(about and about.states or {}) do
    if not layers[place] then
      tools.fail("InvalidArgument", ("%s: %s: it has the state of a layer '%s', which the model '%s' does not have"):format(who, path,
        options.quoted(place), model.name))
    end
    config.restore_state(("%s: %s"):format(who, path), layers[place], state)
  end
end

-- The progress of training: the completed epochs, the random sequence, and the dataset's shuffles.
local function training_of(model)
  local history, batches = rawget(model, "history"), rawget(model, "batches")
  local key, counter = tools.random_state()
  return {
    epoch = history and history.epoch[#history.epoch] or 0, random = { key, counter }, data = batches and batches:state() or nil,
  }
end

local function write(model, path, include_optimizer, callbacks, is_joint)
  local tensors, path_of = weights_of(model)
  local about = { format = kFormat, lutra = lutra.version, kind = model.kind, input = input_of(model),
    states = states_of(model) }
  about.model, about.why = described(config.of_layer, model, "save")
  if rawget(model, "loss") and include_optimizer then
    about.optimizer = optimizer_of(model, path_of, tensors, is_joint or rawget(model.optimizer, "shard") ~= nil)
    if not about.optimizer then return nil end
    about.compiled, about.why_not_compiled = described(compiled_of, model)
  end
  about.training = training_of(model)
  about.callbacks = callbacks and packed(callbacks, kOfCallbacks:sub(1, -2), tensors)
  lutra.save(path, tensors, { metadata = { [kKey] = json.encode(about) } })
  return about.why_not_compiled
end

-- Functions cannot be stored: a message on stderr says so.
local function warn(path, why)
  if not why then return end
  io.stdout:flush()
  io.stderr:write(("WARNING: %s does not say how the model is compiled: %s. Compile the model that load_model gives\n"):format(path, why))
end

-- save(path[, {include_optimizer}])
function saving:save(path, given)
  local read = options.read("save", given, { include_optimizer = true })
  require_path("save", path)
  warn(path, write(self, path, read.include_optimizer))
end

-- Writes a file from which a fit can be resumed exactly. All processes call it, and rank 0 writes.
local function save_progress(model, path, callbacks)
  if ranks.is_chief(model) or is_spread(model) then return write(model, path, true, callbacks, is_spread(model)) end
end

function saving:save_weights(path)
  require_path("save_weights", path)
  local about = { format = kFormat, lutra = lutra.version, kind = self.kind, input = input_of(self),
    states = states_of(self) }
  lutra.save(path, (weights_of(self)), { metadata = { [kKey] = json.encode(about) } })
end

-- The file's tensors, on the CPU, and its model description, if any.
local function read_file(who, path)
  require_path(who, path)
  local tensors, metadata = lutra.device("/CPU:0", lutra.load, path)
  local text = metadata and metadata[kKey]
  local about = text and use "nn.files.description"(who, path, text) or nil
  return tensors, about
end

-- Builds a model without weights from the input shapes in the file.
local function ensure_weights(who, path, model, tensors, about)
  if not (about and about.input and about.input[1]) then return end
  rawset(model, "first_input", rawget(model, "first_input") or about.input)
  if rawget(model, "ready") then return end
  expected.during(who, path, tensors, model.guarded, model, model.ensure_ready, model, nil, about.input)
end

-- Compares the file's weights with the model's; the first difference is an error. Returns variables and values.
local function matched(who, path, model, tensors)
  local variables, paths = below.weights_with_paths(model)
  local function differ(...) tools.fail("InvalidArgument", ("%s: %s: "):format(who, path) .. string.format(...)) end
  local known, values = {}, {}
  for i, variable in ipairs(variables) do
    local value = tensors[paths[i]]
    known[paths[i]] = true
    if not value then
      differ("it has no weight '%s', which is %s in the model '%s'", paths[i], shape_text(variable), model.name)
    elseif value.shape ~= variable.shape or value.dtype ~= variable.dtype then
      differ("the weight '%s' is %s in the file and %s in the model '%s'", paths[i], shape_text(value), shape_text(variable), model.name)
    end
    values[i] = value
  end
  local more = {}
  for name in pairs(tensors) do
    local is_weight = name:sub(1, #kOfOptimizer) ~= kOfOptimizer and name:sub(1, #kOfCallbacks) ~= kOfCallbacks
    if is_weight and not known[name] then more[#more + 1] = name end
  end
  table.sort(more)
  if #more > 0 and #variables == 0 then
    differ("the model '%s' has no weights yet: call it with rows first, or tell its input_shape", model.name)
  elseif #more > 0 then
    differ("it has a weight '%s', %s, which the model '%s' does not have", more[1], shape_text(tensors[more[1]]), model.name)
  end
  return variables, values, paths
end

-- The optimizer's state for Optimizer:restore; nothing if the file has none.
local function matched_slots(who, path, model, tensors, about, paths, variables)
  local optimizer, said = model.optimizer, about.optimizer
  local function differ(...) tools.fail("InvalidArgument", ("%s: %s: "):format(who, path) .. string.format(...)) end
  if said.kind ~= optimizer.kind then
    differ("its optimizer is %s, and the model '%s' is compiled with %s; load_weights takes the weights alone", tostring(said.kind),
      model.name, optimizer.kind)
  end
  if not said.has_slots then return nil end
  local known, more = { held = said.held ~= nil }, {}
  for _, slot in ipairs(optimizer:all_slots()) do known[slot] = true end
  for name in pairs(tensors) do
    local slot = name:sub(1, #kOfOptimizer) == kOfOptimizer and name:sub(#kOfOptimizer + 1):match "^[^/]*"
    if slot and not known[slot] then more[#more + 1] = slot end
  end
  table.sort(more)
  if more[1] then
    differ("its %s remembers '%s', which that of the model '%s' does not: compile it with the same options; load_weights takes the "
      .. "weights alone", said.kind, more[1], model.name)
  end
  local path_of, values = {}, {}
  for i, variable in ipairs(variables) do path_of[variable] = paths[i] end
  local function checked(name, variable, shape)
    local value = tensors[name]
    if not value or value.shape ~= shape then
      differ("'%s' is %s in the file, and %s %s is expected", name, value and shape_text(value) or "missing", variable.dtype,
        tostring(shape))
    end
    return value
  end
  local trained = optimizer.built_for or model:trainable_variables()
  for _, slot in ipairs(optimizer:all_slots()) do
    values[slot] = {}
    for i, variable in ipairs(trained) do
      values[slot][i] = checked(kOfOptimizer .. slot .. "/" .. path_of[variable], variable, optimizer:slot_shape(slot, variable))
    end
  end
  return values, accumulation.read(optimizer, said.held, #trained, function(r, k)
    local name = held_name(r, path_of[trained[k]])
    return tensors[name] and checked(name, trained[k], trained[k].shape)
  end)
end

local function restore_optimizer(model, said, values, held)
  local optimizer = model.optimizer
  if values then
    if model.built then model:ensure_trainable() end
    optimizer:restore(values)
  else
    optimizer.slots, optimizer.built_for, optimizer.restored = nil, nil, nil
  end
  optimizer.iterations, optimizer.held = said.iterations, held
  if said.learning_rate ~= json.null and type(optimizer.learning_rate) == "number" then optimizer.learning_rate = said.learning_rate end
end

-- Makes the next fit continue after the epoch, with the same random numbers and order of rows as without the break.
local function resume(model, training, callbacks)
  rawset(model, "resumed", { epoch = training.epoch, random = training.random, data = training.data, callbacks = callbacks })
  tools.set_random_state(training.random[1], training.random[2])
end

local function load_into(who, model, path, tensors, about, resumes)
  if resumes and not (about and about.training) then
    tools.fail("InvalidArgument", ("%s: %s: it has no progress of a training, so that there is nothing to resume: save stores it, "
      .. "save_weights does not"):format(who, path))
  end
  restore_states(who, path, model, about)
  ensure_weights(who, path, model, tensors, about)
  local variables, values, paths = matched(who, path, model, tensors)
  local said, slots, held = about and about.optimizer, nil, nil
  local has_optimizer = said and rawget(model, "loss")
  if has_optimizer then slots, held = matched_slots(who, path, model, tensors, about, paths, variables) end
  local callbacks = resumes and unpacked(about.callbacks, kOfCallbacks:sub(1, -2), tensors)
  -- No errors from here on.
  for i, variable in ipairs(variables) do variable:assign(values[i]) end
  if has_optimizer then restore_optimizer(model, said, slots, held) end
  if resumes then resume(model, about.training, callbacks) end
end

-- Calls f(...) on a file's description. Errors in our own code mean a damaged file; those of the program's classes pass
-- through.
local function told_by_file(who, path, custom, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if custom or lutra.iserror(result) then error(result, 0) end
  tools.fail("InvalidArgument", ("%s: %s: its model description is damaged: %s"):format(who, path, tostring(result)))
end

local function compile_as(who, path, model, about, custom)
  if rawget(model, "loss") or not (about and about.compiled) then return end
  told_by_file(who, path, custom, function() model:compile(config.decode(who .. ": " .. path, about.compiled, custom)) end)
end

-- load(path[, {resume, custom_objects}])
function saving:load(path, given)
  local read = options.read("load", given, { resume = false, custom_objects = false })
  local tensors, about = read_file("load", path)
  compile_as("load", path, self, about, read.custom_objects or nil)
  load_into("load", self, path, tensors, about, read.resume)
  return self
end

function saving:load_weights(path)
  local tensors, about = read_file("load_weights", path)
  restore_states("load_weights", path, self, about)
  ensure_weights("load_weights", path, self, tensors, about)
  local variables, values = matched("load_weights", path, self, tensors)
  for i, variable in ipairs(variables) do variable:assign(values[i]) end
  return self
end

-- nn.load_model(path[, {custom_objects, compile, resume}])
local function load_model(path, given)
  local read = options.read("load_model", given, { custom_objects = false, compile = true, resume = false })
  local tensors, about = read_file("load_model", path)
  if not about then
    tools.fail("InvalidArgument", ("load_model: %s holds tensors and no model; load_weights reads them into one"):format(path))
  elseif not about.model then
    tools.fail("InvalidArgument", ("load_model: %s does not say how its %s is made%s; make one and call load(path)"):format(path,
      tostring(about.kind), about.why and " (" .. about.why .. ")" or ": it holds weights alone"))
  end
  local custom = read.custom_objects or nil
  local model = told_by_file("load_model", path, custom, expected.during, "load_model", path, tensors, config.layer_from,
    "load_model: " .. path, about.model, custom)
  if read.compile then compile_as("load_model", path, model, about, custom) end
  load_into("load_model", model, path, tensors, about, read.resume)
  return model
end

return {
  methods = saving, load_model = load_model, save_progress = save_progress, warn = warn, input_of = input_of, ensure_weights = ensure_weights,
  packed = packed, unpacked = unpacked, require_path = require_path,
}
