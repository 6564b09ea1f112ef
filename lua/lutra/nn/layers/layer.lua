-- A layer: weights, and a computation with them. Layers may contain others, in fields and in tables (below.lua).
local lutra, tools, use = ...
local class, options = use "class", use "options"
local regularizers, precision, masks, below = use "nn.layers.regularizers", use "nn.training.precision",
  use "nn.training.masks", use "nn.layers.below"
local added, shapes = use "nn.training.added_losses", use "nn.layers.row_shapes"
local shape_below, result = shapes.below, shapes.result
local texts = use "texts"

local Layer = class "nn.Layer"

-- Layer call state, per coroutine: `layer` is the running layer, for error messages; `training` the default training
-- flag of calls; `dtype` the dtype that the model's layers compute in, if not their weights'; `frozen` whether an
-- enclosing layer is not trainable. Recomputation (autograd.lua) sets `again`.
local running = tools.running

-- Ctrl-C raises "interrupted!" from a hook, at any place in Lua. A message handler that calls this where an error is
-- raised can tell it from an error with the same text: tools.interrupt is the last real one.
local getinfo = debug and debug.getinfo -- a host may have taken it away
local function note_interrupt(err)
  if type(err) ~= "string" or not err:find "interrupted!$" then return end
  for level = 2, getinfo and 6 or 1 do
    local info = getinfo(level, "n")
    if not info then return end
    if info.namewhat == "hook" then
      tools.interrupt = err
      return
    end
  end
  if not getinfo then tools.interrupt = err end
end

-- Prefixes an error message with the running layer and, in a loss, the output.
local function name_error(err)
  note_interrupt(err)
  local layer, output = running.layer, running.output
  if not lutra.iserror(err) then return err end
  if output and not err.message:find("output '", 1, true) then
    err.message = ("output '%s': %s"):format(output, err.message)
  end
  if layer and not err.message:find("layer '", 1, true) then
    err.message = ("layer '%s': %s"):format(layer.name, err.message)
  end
  return err
end

tools.on_layer_error(name_error)

-- Closing back_to[layer] makes `layer` the running one again, after naming the layer that raised an error, if any.
-- back_to[false]: no layer.
local closing = { __close = function(back, err)
  if err ~= nil then name_error(err) end
  running.layer = back.layer
end }
local back_to = setmetatable({}, { __mode = "k", __index = function(all, layer)
  local back = setmetatable({ layer = layer or nil }, closing)
  all[layer] = back
  return back
end })

local counts = {}

-- "dense", "dense_1": a new name for a layer of this kind, in lower case with underscores.
local function new_name(kind)
  local word = kind:gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2"):lower()
  local count = counts[word] or 0
  counts[word] = count + 1
  return count == 0 and word or word .. "_" .. count
end

-- Subclasses: `local Net = lt.nn.Model:extend "Net"`, then Net.init, Net.build, Net.call.
function Layer:extend(name)
  if type(name) ~= "string" or name == "" then
    tools.fail("InvalidArgument", "extend: name is " .. tools.what_is(name) .. ", expected the name of the new class")
  end
  local made = class("nn." .. name, self)
  made.kind = name
  if added.has_our_layers then
    added.used = true  -- a layer of the program may add losses
    made.is_the_programs = true
  end
  return made
end

Layer.kind = "Layer"

Layer.remembers = true

-- Names of the options of a call besides `training`.
Layer.call_options = {}

-- The name of the next new layer, when a file gives it (config.lua).
local next_name

function Layer.begin(object)
  if next_name then
    rawset(object, "name", next_name)
    next_name = nil
  end
  rawset(object, "_fields", {})
  rawset(object, "trainable", true)
  rawset(object, "built", false)
  rawset(object, "costs", {})
end

-- Sets the given name or a new one, when the name is first needed.
function Layer:named(name)
  if name then options.text(self.kind, "name", name) end
  if name or rawget(self, "name") == nil then rawset(self, "name", name or new_name(self.kind)) end
  return self.name
end

-- Options that all kinds of layers have.
local common = { name = false, input_shape = false, trainable = true, activity_regularizer = false }

-- Reads the given options over the defaults, and sets the name and the other options of all layers.
function Layer:read_options(given, defaults)
  local kind = self.kind
  for name, value in pairs(common) do
    if defaults[name] == nil then defaults[name] = value end
  end
  local read = options.read(kind, given, defaults)
  self:named(read.name)
  self.trainable = read.trainable
  if read.input_shape then self.input_shape = options.shape(kind, "input_shape", read.input_shape) end
  self.activity_regularizer = regularizers.get(kind, "activity_regularizer", read.activity_regularizer) or false
  if self.activity_regularizer then added.used = true end
  return read
end

function Layer.finish(object)
  Layer.named(object)  -- called like this since a subclass may have a field `named`
  if object.compute_mask ~= Layer.compute_mask and not object.only_merges_masks then masks.used = true end
end

function Layer:__newindex(key, value)
  if (type(value) == "table" or type(value) == "userdata") and key ~= "_fields" then
    table.insert(self._fields, key)
  end
  rawset(self, key, value)
end

function Layer:__tostring() return ("<lutra.nn.%s '%s'>"):format(self.kind, self.name) end

for name, method in pairs(use "nn.layers.layer_weights") do Layer[name] = method end

-- Losses added in the last call, and the regularizers' penalties, one scalar each: for a custom training loop.
function Layer:losses()
  local list = added.of(self)
  for _, each in ipairs(self:weight_costs()) do list[#list + 1] = each.cost(each.weight) end
  return list
end

-- For use in `call`: adds a tensor or a list of them to the loss that training minimises.
function Layer:add_loss(loss) added.add(self, loss) end

-- Raises an error about the layer's use.
function Layer:refuse(...)
  tools.fail("InvalidArgument", "layer '" .. Layer.named(self) .. "': " .. string.format(...))
end

-- Clears the state that the layer and its sublayers keep between batches.
function Layer:reset_state()
  rawset(self, "states", nil)
  for _, layer in ipairs(self:sublayers()) do rawset(layer, "states", nil) end
end

-- Makes the weights for an input of this shape, without the batch axis.
function Layer:build() end

function Layer:ensure_built(shape)
  if self.built then return end
  if self.takes_one and type(shape[1]) == "table" then
    self:refuse("its input is a list of %d, %s, expected one of them", #shape, options.batch_text(shape))
  end
  -- Remove the costs that an interrupted build has added.
  rawset(self, "costs_before", rawget(self, "costs_before") or #self.costs)
  for i = #self.costs, self.costs_before + 1, -1 do self.costs[i] = nil end
  local outer <const> = running.layer
  local back <close> = back_to[outer or false]
  running.layer = self
  self:build(shape)
  running.layer = outer
  rawset(self, "built_for", shape)
  rawset(self, "built", true)
end

-- Fails unless everything in the list, and in lists inside it, is a tensor.
local function require_tensors(self, list)
  for key, each in pairs(list) do
    if type(each) == "table" then
      require_tensors(self, each)
    elseif not tools.is_tensor(each) then
      self:refuse("its input %s is %s, expected a tensor", options.quoted(key), tools.what_is(each))
    end
  end
end

-- The output shape for an input shape; both without the batch axis, and -1 is any size. A layer with several outputs
-- returns a list of shapes. A layer that does not define this is tried out.
function Layer:compute_output_shape(shape)
  local outer <const> = running.layer
  local back <close> = back_to[outer or false]
  local heeded <close> = added.ignore()
  running.layer = self
  local out = shapes.tried(self, shape, name_error)
  running.layer = outer
  return out
end

-- The mask of the result for x, whose own mask is `mask` or nil; for several inputs it is a list (masks.lua). By
-- default a layer passes the mask on if supports_masking is set.
function Layer:compute_mask(_, mask) return self.supports_masking and masks.first(mask) or nil end

-- layer:call in the model's compute dtype. `autocast = false` exempts a layer and its sublayers.
local function compute_unmasked(layer, x, training, given)
  local dtype = running.dtype
  if not dtype then
    local y = layer:call(x, training, given)
    return type(y) == "userdata" and y or result(layer, y)
  end
  if layer.autocast ~= false then return result(layer, precision.call(dtype, layer, x, training, given)) end
  running.dtype = nil
  local y = result(layer, layer:call(precision.as(x, "float32"), training, given))
  running.dtype = dtype
  return y
end

local function compute_masked(layer, x, training, given)
  if masks.used then return masks.call(compute_unmasked, layer, x, training, given) end
  return compute_unmasked(layer, x, training, given)
end

-- Sublayers of a layer that is not trainable are not trained either: running.frozen tells layers that keep statistics.
local thawing = setmetatable({}, { __close = function() running.frozen = nil end })
local function compute_frozen(layer, x, training, given)
  local _ <close> = thawing
  running.frozen = true
  local y = compute_masked(layer, x, training, given)
  return y
end

local function compute(layer, x, training, given)
  local f = (layer.trainable ~= false or running.frozen) and compute_masked or compute_frozen
  local regularizer = layer.activity_regularizer
  if not regularizer then return f(layer, x, training, given) end
  local y = f(layer, x, training, given)
  added.regularize(layer, regularizer, y)
  return y
end

-- Reads the second argument of a call: the training flag, or a table with it and the layer's call_options. Returns the
-- flag and the table.
local function read_call(layer, training)
  if training == nil or type(training) == "boolean" then return training end
  if type(training) ~= "table" or getmetatable(training) ~= nil then
    layer:refuse("its second argument is %s, expected true or false, or a table of options; several inputs are one list",
      tools.what_is(training))
  end
  local known = layer.call_options
  for name in pairs(training) do
    if name ~= "training" and not known[name] then
      local names = options.sorted_names(known)
      table.insert(names, 1, "training")
      local text = ("layer '%s': unknown option '%s'"):format(Layer.named(layer), options.quoted(name))
      if layer.is_the_programs and rawequal(known, Layer.call_options) then
        tools.fail("InvalidArgument", ("%s: its class takes no option but training; %s.call_options = {%s = true} tells of one, "
          .. "which call(self, x, training, given) gets as given.%s"):format(text, layer.kind, options.quoted(name),
          options.quoted(name)))
      end
      tools.refuse_word(text, name, names)
    end
  end
  return training.training, training
end

-- Calls the layer: with tensors it computes, with symbols of lt.nn.Input it becomes part of a graph (graph.lua).
-- `training` is a boolean, or a table with call options: {training = true, mask = m}.
function Layer:__call(x, training)
  local given
  training, given = read_call(self, training)
  if type(x) == "table" and (x.is_symbol or type(x[1]) == "table" and x[1].is_symbol) then
    return use "nn.models.graph".apply(self, x, given or training ~= nil and { training = training } or nil)
  end
  if type(x) == "table" and type(x[1]) ~= "userdata" or type(x) == "number" then
    if not texts.is(x) then
      x = lutra.constant(x)
    elseif not self.is_the_programs then
      self:refuse("its input is strings, expected numbers: a text layer such as lt.nn.TextVectorization makes them")
    end
  end
  if type(x) ~= "table" and not tools.is_tensor(x) then
    self:refuse("its input is %s, expected a tensor", tools.what_is(x))
  end
  if not self.built then
    if type(x) == "table" and not texts.is(x) then require_tensors(self, x) end
    self:ensure_built(shape_below(x))
  end
  local before, outer = running.training or false, running.layer
  local back <close> = back_to[outer or false]
  local entered <close> = added.enter(self)
  if training == nil then training = before end
  local restore <close> = training ~= before
    and setmetatable({}, { __close = function() running.training = before or nil end }) or nil
  running.layer, running.training = self, training or nil
  local y = compute(self, x, training, given)
  running.layer = outer
  return y
end

function Layer:call() self:refuse("the class %s has no call method: define call(self, x, training)", self.kind) end

-- Calls make(); the first layer made in it gets this name.
local function with_name(name, make)
  next_name = name
  local ok, made = pcall(make)
  next_name = nil
  if not ok then error(made, 0) end
  return made
end

-- A layer's description as in a file, and a new layer from a description (config.lua).
function Layer:get_config() return use "nn.files.config".of_layer(self, "get_config") end
function Layer.from_config(config, given) return use "nn.files.config".layer_from("from_config", config, given) end

use "colon"(Layer, "layer", "layer",
  "extend get_config add_weight variables trainable_variables non_trainable_variables "
  .. "count_params losses add_loss get_weights set_weights reset_state")

return {
  Layer = Layer, is_layer = below.is_layer, running = running, shape_below = shape_below, with_name = with_name,
  compute = compute,
  read_call = read_call, name_error = name_error, note_interrupt = note_interrupt,
}
