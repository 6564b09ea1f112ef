-- Callbacks that are made of functions, or write logs for TensorBoard. Loaded when one is named.
local lutra, tools, use = ...
local options, callback = use "options", use "nn.callbacks.callback"
local define, is_chief = callback.define, use "distribute.ranks".is_chief

-- Functions by the methods' names; they get the method's arguments without the callback.
local methods = {}
for _, name in ipairs(use "nn.callbacks.callback_list".methods) do methods[name] = false end
local LambdaCallback = define("LambdaCallback", {}, methods, function(self)
  for name in pairs(methods) do
    local f = self[name]
    if f == false then
      self[name] = nil
    elseif not options.is_callable(f) then
      tools.fail("InvalidArgument", ("callbacks.LambdaCallback: %s is %s, expected a function"):format(name, tools.what_is(f)))
    else
      self[name] = function(_, ...) return f(...) end
    end
  end
end)

-- Numbers of epochs, and of batches with update_freq, in log_dir/train and log_dir/validation.
local TensorBoard = define("TensorBoard", { "log_dir" }, { histogram_freq = 0, update_freq = "epoch" }, function(self)
  if self.log_dir == nil then self.log_dir = "logs" end
  callback.require_kind(self, "TensorBoard", "string", "log_dir")
  options.count("TensorBoard", "histogram_freq", self.histogram_freq, 0)
  if self.update_freq == "batch" then self.update_freq = 1 end
  if self.update_freq == "epoch" then return end
  options.count("TensorBoard", "update_freq", self.update_freq, 1)
  -- Defined only if needed, since it makes each step wait for its loss.
  function self:on_train_batch_end(_, logs)
    self.batches = self.batches + 1
    if self.batches % self.update_freq ~= 0 then return end
    for _, name in ipairs(options.sorted_names(logs)) do self:write("train", "batch_" .. name, logs[name], self.batches) end
  end
end)
callback.remembers(TensorBoard, { "batches" })

function TensorBoard:writer(run)
  local writer = self.writers[run]
  if not writer then
    writer = use "train.summary_writer"(self.log_dir .. "/" .. run)
    self.writers[run] = writer
  end
  return writer
end
function TensorBoard:write(run, tag, value, step)
  if type(value) == "number" and self.writes then self:writer(run):add_scalar(tag, value, step) end
end

-- Of several processes rank 0 alone writes.
function TensorBoard:on_train_begin(model) self.writers, self.batches, self.writes = {}, 0, is_chief(model) end
function TensorBoard:on_epoch_end(epoch, logs, model)
  for _, name in ipairs(options.sorted_names(logs)) do
    local inner = name:match "^val_(.*)"
    self:write(inner and "validation" or "train", "epoch_" .. (inner or name), logs[name], epoch)
  end
  if model.optimizer then self:write("train", "epoch_learning_rate", model.optimizer:rate(), epoch) end
  if self.writes and self.histogram_freq > 0 and epoch % self.histogram_freq == 0 then
    local variables, paths = use "nn.layers.below".weights_with_paths(model)
    for i, variable in ipairs(variables) do
      self:writer "train":add_histogram(paths[i]:gsub("%.", "/"), variable:value(), epoch)
    end
  end
  for _, writer in pairs(self.writers) do writer:flush() end
end
function TensorBoard:on_train_end()
  for _, writer in pairs(self.writers or {}) do writer:close() end
  self.writers = {}
end

return { LambdaCallback = LambdaCallback, TensorBoard = TensorBoard }
