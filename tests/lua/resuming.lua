-- Files that are refused before anything is changed, and the state that callbacks restore when a fit is resumed.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local checkpoints = dofile("tests/support/checkpoints.lua")
local at, path, bits, slot_bits = checkpoints.folder.at, checkpoints.path, checkpoints.bits, checkpoints.slot_bits
local nn = lt.nn

local x, y = lt.random.normal({ 16, 4 }, { seed = 1 }), lt.random.normal({ 16, 1 }, { seed = 2 })
local function trained(optimizer, epochs)
  lt.random.set_seed(5)
  local model = nn.Sequential { nn.Dense(3, { activation = "tanh", input_shape = { 4 } }), nn.Dropout(0.3), nn.Dense(1) }
  model:compile { optimizer = optimizer, loss = "mse" }
  local function fit(which, last) return which:fit(x, y, { epochs = last, verbose = 0, batch_size = 7 }) end
  fit(model, epochs)
  return model, fit
end

expect.case("a description that is refused has changed nothing", function()
  local model = trained("adam", 2)
  model:save(path)
  local tensors, metadata = lt.load(path)
  local other, fit = trained("adam", 1)
  local function refused(words, pattern, new)
    local text, count = metadata["lutra.model"]:gsub(pattern, new)
    expect.equal(count, 1, pattern)
    lt.save(at "other.safetensors", tensors, { metadata = { ["lutra.model"] = text } })
    local before, slots, taken = bits(other), slot_bits(other), other.optimizer.iterations
    expect.raises("InvalidArgument", words, other.load, other, at "other.safetensors", { resume = true })
    expect.equal(bits(other) == before and slot_bits(other) == slots and other.optimizer.iterations, taken, pattern)
  end
  for _, random in ipairs { "[]", "5", "[1.5,-3]", '["x",1]', "null" } do
    refused("damaged: 'training'", '"random":%b[]', '"random":' .. random)
  end
  refused("damaged: 'training'", '"random":', '"randon":')
  refused("it has no progress of a training, so that there is nothing to resume", '"training":', '"trainin":')
  for _, value in ipairs { '"x"', "null", "-1", "1.5" } do
    refused("damaged: 'training'", '"epoch":%d+', '"epoch":' .. value)
    refused("damaged: 'optimizer'", '"iterations":%d+', '"iterations":' .. value)
  end
  refused("damaged: 'training'", '"epoch":%d+', '"epoch":9223372036854775807')
  refused("damaged: 'optimizer'", '"kind":"Adam","learning_rate":[%d.e+-]+', '"kind":"Adam","learning_rate":-1')
  expect.equal(fit(other, 2).epoch, { 1, 2 }, "nothing is resumed")
end)

expect.case("an optimizer that remembers more or less than the file's", function()
  local plain, momentum = lt.optim.SGD(), lt.optim.SGD { momentum = 0.9 }
  local with = trained(momentum, 1)
  with:save(path)
  local without = trained(plain, 1)
  local before = bits(without)
  expect.raises("InvalidArgument", "its SGD remembers 'momentum', which that of the model '" .. without.name .. "' does not", without.load,
    without, path)
  expect.equal(bits(without), before)
  without:save(path)
  before = bits(with)
  expect.raises("InvalidArgument", "is missing in the file", with.load, with, path)
  expect.equal(bits(with), before)
  trained(lt.optim.Adam { amsgrad = true }, 1):save(path)
  local adam = trained("adam", 1)
  expect.raises("InvalidArgument", "its Adam remembers 'velocity_hat'", adam.load, adam, path)
end)

-- Fits that are broken off in some epoch, after or before the backup is written, and begun again by a program that makes all
-- anew; what callbacks remember counts for the weights, the epochs, the rate and the best file.
expect.case("callbacks remember over a fit that was broken off", function()
  local function run(order, broken_in)
    lt.random.set_seed(3)
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 4 } }) }
    model:compile { optimizer = lt.optim.SGD { learning_rate = 0.05 }, loss = "mse" }
    local cb = nn.callbacks
    local made = {
      checkpoint = cb.ModelCheckpoint(at "best.safetensors", { save_best_only = true, monitor = "loss" }),
      stop = cb.EarlyStopping { monitor = "loss", patience = 4, restore_best_weights = true },
      plateau = cb.ReduceLROnPlateau { monitor = "loss", patience = 2, factor = 0.5 },
      backup = cb.BackupAndRestore(at "backup.safetensors"),
      -- The third epoch is the best: after it the weights are thrown off.
      mine = { counted = 0, on_epoch_begin = function(self, epoch)
        if epoch > 3 then model:set_weights { model:get_weights()[1] + 3 + self.counted, model:get_weights()[2] } end
      end, on_epoch_end = function(self, epoch)
        self.counted = self.counted + 1
        if epoch == broken_in then error("killed", 0) end
      end, get_state = function(self) return { counted = { self.counted }, nothing = 0 / 0, here = lt.ones { 2 } } end, set_state = function(self, state)
        assert(state.nothing ~= state.nothing and #state.here == 2)
        self.counted = state.counted[1]
      end },
    }
    local list = {}
    for i, name in ipairs(order) do list[i] = made[name] end
    local ok, err = pcall(model.fit, model, x, y, { epochs = 12, verbose = 0, callbacks = list })
    if broken_in then expect.equal({ ok, err }, { false, "killed" }) else assert(ok, err) end
    return model, made
  end
  for _, order in ipairs {
    { "backup", "checkpoint", "stop", "plateau", "mine" }, { "mine", "plateau", "stop", "checkpoint", "backup" },
  } do
    local model, made = run(order)
    local best = nn.load_model(at "best.safetensors")
    expect.equal({ made.stop.stopped_epoch, made.stop.best_epoch, made.mine.counted }, { 7, 3, 7 })
    for broken_in = 2, 6 do
      run(order, broken_in)
      os.remove(at "best.safetensors")
      best:save(at "best.safetensors")
      local again, told = run(order)
      expect.equal(bits(again), bits(model), "weights, broken in " .. broken_in)
      expect.equal({ told.stop.stopped_epoch, told.stop.best_epoch, told.stop.best, told.mine.counted, told.plateau.best, told.plateau.wait,
        again.optimizer.learning_rate, told.checkpoint.best }, { made.stop.stopped_epoch, made.stop.best_epoch, made.stop.best, made.mine.counted,
        made.plateau.best, made.plateau.wait, model.optimizer.learning_rate, made.checkpoint.best }, "broken in " .. broken_in)
      expect.equal(bits(nn.load_model(at "best.safetensors")), bits(best), "the best, broken in " .. broken_in)
      expect.equal(io.open(at "backup.safetensors"), nil)
    end
  end
  -- Others than those of before.
  run({ "backup", "stop", "mine" }, 5)
  expect.raises("InvalidArgument", "the backup has the state of these callbacks: lutra.nn.callbacks.EarlyStopping, a callback of the program's; "
    .. "those given now with a state are: lutra.nn.callbacks.ReduceLROnPlateau", function()
    local model = nn.Sequential { nn.Dense(1, { input_shape = { 4 } }) }
    model:compile { optimizer = "sgd", loss = "mse" }
    model:fit(x, y, { epochs = 12, verbose = 0, callbacks = {
      nn.callbacks.ReduceLROnPlateau { monitor = "loss" }, nn.callbacks.BackupAndRestore(at "backup.safetensors"),
    } })
  end)
  os.remove(at "backup.safetensors")
end)

checkpoints.folder.remove()
expect.end_of_cases()
