-- SwapEMAWeights: the averages of the optimizer's use_ema as weights, while the model is evaluated. Loaded when it is named.
local lutra, tools, use = ...
local options, callback = use "options", use "nn.callbacks.callback"

local who = "callbacks.SwapEMAWeights"

local SwapEMAWeights = callback.define("SwapEMAWeights", {}, { swap_on_epoch = false }, function(self)
  options.boolean(who, "swap_on_epoch", self.swap_on_epoch)
end)
-- The weights as trained, while the averages are in the model: a backup at the end of an epoch needs both.
callback.remembers(SwapEMAWeights, {}, { "held" })

local function check(model)
  local optimizer = model.optimizer
  if not optimizer or not optimizer.use_ema then
    tools.fail("InvalidArgument", who .. ": the optimizer keeps no averages: compile the model with one that has use_ema = true")
  end
  if optimizer.shard then
    tools.fail("InvalidArgument", who .. ": the optimizer's averages are divided among processes, which it cannot exchange")
  end
  return optimizer
end

-- The averages themselves stay where they are, so that the end of fit assigns them whenever it comes.
local function put(self, model)
  local optimizer = check(model)
  if self.held then return end
  local averages = optimizer.slots and optimizer.iterations > 0 and optimizer.slots[#optimizer.slots]
  if not averages then
    tools.fail("FailedPrecondition", who .. ": the optimizer has taken no step, and has no averages yet")
  end
  self.held = {}
  for i, variable in ipairs(optimizer.built_for) do
    self.held[i] = variable:value()
    variable:assign(averages[i]:value())
  end
end
local function restore(self, model)
  if not self.held then return end
  for i, variable in ipairs(model.optimizer.built_for) do variable:assign(self.held[i]) end
  self.held = nil
end

function SwapEMAWeights:on_train_begin(model)
  check(model)
  self.held = nil
end
function SwapEMAWeights:on_epoch_begin(_, model) restore(self, model) end
function SwapEMAWeights:on_epoch_end(_, _, model)
  if self.swap_on_epoch then put(self, model) end
end
-- Fit has assigned the averages.
function SwapEMAWeights:on_train_end() self.held = nil end
function SwapEMAWeights:on_test_begin(model) put(self, model) end
function SwapEMAWeights:on_test_end(_, model) restore(self, model) end
function SwapEMAWeights:on_predict_begin(model) put(self, model) end
function SwapEMAWeights:on_predict_end(model) restore(self, model) end

return { SwapEMAWeights = SwapEMAWeights }
