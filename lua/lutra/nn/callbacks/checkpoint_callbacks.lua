-- Callbacks that write the model to files: ModelCheckpoint and BackupAndRestore.
local lutra, tools, use = ...
local options, callback = use "options", use "nn.callbacks.callback"
local define, ranks, saving = callback.define, use "distribute.ranks", use "nn.files.saving"

-- Fills in the numbers of a path such as "{epoch:02d}-{val_loss:.3f}.safetensors".
local function path_of(template, epoch, logs)
  return (template:gsub("{([%w_]+):?([^}]*)}", function(name, form)
    local value = name == "epoch" and epoch or logs[name]
    if value == nil then
      local names = { "epoch" }
      for known in pairs(logs) do names[#names + 1] = known end
      table.sort(names)
      tools.refuse_word(("ModelCheckpoint: the path has {%s}, which is not in the logs"):format(options.quoted(name)), name, names)
    end
    if form == "" then return tostring(value) end
    if not form:find "^[%-+ 0]*%d?%d?%.?%d?%d?[dfeg]$" then
      tools.fail("InvalidArgument", ("ModelCheckpoint: the path has {%s:%s}, expected a form such as 02d or .3f"):format(name, form))
    end
    return ("%" .. form):format(form:find "d$" and math.floor(value) or value)
  end))
end

local function require_path(who, path)
  if type(path) ~= "string" or not path:lower():find "%.safetensors$" then
    tools.fail("InvalidArgument", ("%s: path is %s, expected one that ends in .safetensors"):format(who, tools.what_is(path)))
  end
end

-- Saves the model, or calls a function with it, the epoch and its logs: after each epoch, after so many batches, or
-- after those that are the best so far.
local ModelCheckpoint = define("ModelCheckpoint", { "save" }, {
  monitor = "val_loss", mode = "auto", save_best_only = false, save_weights_only = false, save_freq = "epoch", verbose = 0,
  initial_value_threshold = false,
}, function(self)
  if type(self.save) ~= "function" then require_path("ModelCheckpoint", self.save) end
  callback.set_direction(self, "ModelCheckpoint")
  self.best, self.batches = self.initial_value_threshold or nil, 0
  if self.save_freq == "epoch" then return end
  options.count("ModelCheckpoint", "save_freq", self.save_freq, 1)
  -- Defined only if needed, since it makes each step wait for its loss.
  function self:on_train_batch_end(_, logs, model)
    self.batches = self.batches + 1
    if self.batches % self.save_freq == 0 then self:consider(self.epoch, logs, model) end
  end
end)
callback.remembers(ModelCheckpoint, { "best", "batches" })
function ModelCheckpoint:on_epoch_begin(epoch) self.epoch = epoch end
function ModelCheckpoint:on_epoch_end(epoch, logs, model)
  if self.save_freq == "epoch" then self:consider(epoch, logs, model) end
end
function ModelCheckpoint:consider(epoch, logs, model)
  if self.save_best_only then
    local value = callback.monitored(self, "ModelCheckpoint", logs, model)
    -- A missing number is not better than anything.
    if value == nil or not callback.is_better(self, value, 0) then return end
    self.best = value
  end
  if type(self.save) == "function" then return self.save(model, epoch, logs) end
  local path = path_of(self.save, epoch, logs)
  if not self.save_weights_only then saving.warn(path, saving.save_progress(model, path)) end
  if not ranks.is_chief(model) then return end
  if self.save_weights_only then model:save_weights(path) end
  self.path = path
  if self.verbose > 0 then io.stderr:write(("Epoch %d: saved to %s\n"):format(epoch, path)) end
end

-- Resumes a killed fit after its last complete epoch when it is started again.
local BackupAndRestore = define("BackupAndRestore", { "path" }, { delete_checkpoint = true },
  function(self) require_path("BackupAndRestore", self.path) end)
function BackupAndRestore:on_train_begin(model)
  local path, is_copy = self.path, false
  if model.strategy and model.strategy.ranks then
    -- Only rank 0 needs to have the file.
    path, is_copy = ranks.share_file("BackupAndRestore", path)
  else
    local file = io.open(path, "rb")
    if file then file:close() else path = nil end
  end
  if not path then return end
  local _ <close> = setmetatable({}, { __close = function() if is_copy then os.remove(path) end end })
  model:load(path, { resume = true })
  rawget(model, "resumed").is_backup = true
end
-- Called after the other callbacks of the epoch. If the epoch ended the fit and the file will be deleted, it is not
-- written.
function BackupAndRestore:back_up(model, states)
  if model.stop_training and self.delete_checkpoint then return end
  saving.save_progress(model, self.path, states)
end
function BackupAndRestore:on_train_end(model)
  if self.delete_checkpoint and not model.history.interrupted and ranks.is_chief(model) then os.remove(self.path) end
end

return { ModelCheckpoint = ModelCheckpoint, BackupAndRestore = BackupAndRestore }
