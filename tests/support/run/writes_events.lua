-- writes_events.lua FOLDER: a fit with the TensorBoard callback. Prints what TensorBoard must read (scripts/lib/tensorboard.sh).
local model = lt.nn.Sequential { lt.nn.Dense(1, { input_shape = { 2 } }) }
model:compile { optimizer = lt.optim.SGD { learning_rate = 0.125 }, loss = "mse" }
local x, y = lt.random.normal { 16, 2 }, lt.ones { 16, 1 }
local history = model:fit(x, y, { epochs = 3, verbose = 0, validation_split = 0.25,
  callbacks = { lt.nn.callbacks.TensorBoard(arg[1], { histogram_freq = 3 }) } }).history
local function float32(value) return ("<f"):unpack(("<f"):pack(value)) end
for epoch = 1, 3 do print(("train epoch_learning_rate %d %.6g"):format(epoch, 0.125)) end
for epoch, loss in ipairs(history.loss) do print(("train epoch_loss %d %.6g"):format(epoch, float32(loss))) end
print("train layers/1/bias 3 of 1")
print("train layers/1/kernel 3 of 2")
for epoch, loss in ipairs(history.val_loss) do print(("validation epoch_loss %d %.6g"):format(epoch, float32(loss))) end
