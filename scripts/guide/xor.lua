-- Two layers learn a function that no straight line separates: whether exactly one of two inputs is 1.
local nn = lt.nn
lt.random.set_seed(1)

local x = lt.constant {{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}}
local y = lt.constant {{0.0}, {1.0}, {1.0}, {0.0}}

local model = nn.Sequential {
  nn.Dense(8, {activation = "tanh", input_shape = {2}}),
  nn.Dense(1, {activation = "sigmoid"}),
}
model:compile {optimizer = lt.optim.Adam {learning_rate = 0.05}, loss = "binary_crossentropy", metrics = {"accuracy"}}

-- Any function can be a callback. The history has a number per epoch for the loss and for each metric.
local history = model:fit(x, y, {epochs = 500, verbose = 0, callbacks = {
  function(epoch, logs)
    if epoch == 500 then print(("epoch %d: accuracy %.0f%%"):format(epoch, 100 * logs.accuracy)) end
  end,
}}).history
print("the loss has fallen below a tenth: " .. tostring(history.loss[500] < history.loss[1] / 10))

local predicted = model:predict(x)
for i = 1, #x do
  print(("%d xor %d = %.0f"):format(x[i][1]:item(), x[i][2]:item(), predicted[i]:item()))
end
