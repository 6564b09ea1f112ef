-- A fit that is killed at any moment, and restarted until it ends, gives the bits of an undisturbed fit.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local folder = dofile("tests/support/folder.lua")
local at = folder.at
local function read(name)
  local file <close> = io.open(name, "rb")
  return file and file:read("a")
end

-- Everything random: weights, orders of rows and of a dataset, dropout. Each epoch takes a while, in it and in its saving.
local script = [[
  local lt = require "lutra"
  local folder, slowness, how = "%s", %s, "%s"
  lt.random.set_seed(3)
  local x = lt.random.normal { 60, 8 }
  local y = lt.random.randint({ 60 }, 1, 4)
  local model = lt.nn.Sequential {
    lt.nn.Dense(64, { activation = "relu", input_shape = { 8 } }), lt.nn.Dropout(0.2), lt.nn.BatchNorm(), lt.nn.Dense(4, { activation = "softmax" }),
  }
  model:compile { optimizer = "adam", loss = "sparse_categorical_crossentropy", metrics = { "accuracy" } }
  local rows = lt.data.Dataset.from_tensor_slices(x, y):shuffle(25):batch(13)
  local log = assert(io.open(folder .. "/log", "a"))
  local slow = { on_epoch_begin = function(_, epoch)
    log:write(epoch, "\n")
    log:flush()
  end, on_train_batch_end = function()
    local till = lt.time() + slowness
    while lt.time() < till do end
  end }
  -- Its state depends on all epochs, in numbers, text, tensors and tables.
  local remembering = { mean = 0.0, told = {}, rows = lt.zeros { 2 }, word = "" }
  function remembering:on_epoch_end(epoch, logs, of_model)
    self.mean = 0.5 * self.mean + logs.loss
    self.told[epoch] = logs.accuracy
    self.rows = self.rows * 0.5 + of_model:get_weights()[2][{ { 1, 2 } }]
    self.word = self.word .. epoch .. (#self.told == epoch and " " or "!")
  end
  function remembering:get_state() return { mean = self.mean, told = self.told, kept = { rows = self.rows }, word = self.word } end
  function remembering:set_state(state) self.mean, self.told, self.rows, self.word = state.mean, state.told, state.kept.rows, state.word end
  local options = { epochs = 12, verbose = 0, batch_size = how == "rows" and 13 or nil,
    callbacks = { slow, remembering, lt.nn.callbacks.BackupAndRestore(folder .. "/backup.safetensors") } }
  if how == "rows" then model:fit(x, y, options) else model:fit(rows, options) end
  do
    local memory <close> = assert(io.open(folder .. "/memory", "wb"))
    memory:write(("%%a %%s %%a "):format(remembering.mean, remembering.word, remembering.rows:sum():item()))
    for _, value in ipairs(remembering.told) do memory:write(("%%a "):format(value)) end
  end
  model:save_weights(folder .. "/end.safetensors")
]]

local function write_script(name, slowness, how)
  folder.write(at(name), script:format(folder.path, slowness, how))
end
local program = os.getenv("LUTRA") or "lutra"

if not os.execute("timeout --version >/dev/null 2>&1") then
  print("there is no timeout program, which kills at a moment")
  os.exit(77)
end

for _, how in ipairs { "rows", "dataset" } do
  expect.case(how, function()
    write_script("whole.lua", 0, how)
    assert(os.execute(("'%s' '%s' </dev/null"):format(program, at "whole.lua")))
    local wanted, remembered = assert(read(at "end.safetensors")), assert(read(at "memory"))
    assert(remembered:find " 1 2 3 4 5 6 7 8 9 10 11 12 ", remembered)
    os.remove(at "memory")
    assert(not read(at "backup.safetensors"), "the backup is removed at the end")
    os.remove(at "end.safetensors")
    os.remove(at "log")
    write_script("slow.lua", 0.005, how)
    local kills = 0
    for attempt = 1, 200 do
      -- Moments that fall anywhere; later ones where the machine is slow.
      local seconds = 0.03 + (attempt * 0.618 % 1) * 0.06 + attempt * 0.006
      os.execute(("timeout -s KILL %.3f '%s' '%s' </dev/null >/dev/null 2>&1"):format(seconds, program, at "slow.lua"))
      if read(at "end.safetensors") then break end
      kills = kills + 1
    end
    expect.equal(read(at "end.safetensors") == wanted, true, "the bits at the end, after " .. kills .. " kills")
    expect.equal(read(at "memory"), remembered, "what a callback remembers")
    -- It was killed in the midst, and went on from there.
    local begun, again = {}, 0
    for epoch in read(at "log"):gmatch "%d+" do
      epoch = tonumber(epoch)
      if begun[#begun] and epoch <= begun[#begun] then again = again + 1 end
      begun[#begun + 1] = epoch
    end
    expect.equal(begun[#begun], 12, "the last epoch")
    assert(kills >= 2 and again >= 1, ("%d kills, %d of them within an epoch after the first"):format(kills, again))
    os.remove(at "end.safetensors")
    os.remove(at "log")
  end)
end

folder.remove()
expect.end_of_cases()
