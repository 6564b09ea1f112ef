-- The guide's model on several GPUs: each variable made in the strategy's scope has a component on every one of them.
lt.debugging.set_log_device_placement(true)
local gpus = lt.config.list_logical_devices("GPU")
local strategy = lt.distribute.MirroredStrategy(gpus)
local model
strategy:scope(function()
  local inputs = lt.nn.Input {1}
  local predictions = lt.nn.Dense(1)(inputs)
  model = lt.nn.Model {inputs = inputs, outputs = predictions}
  model:compile {loss = "mse", optimizer = lt.optim.SGD {learning_rate = 0.2}}
end)
lt.debugging.set_log_device_placement(false)

print(strategy.num_replicas_in_sync .. " replicas, " .. #model:trainable_variables() .. " variables")
