-- One model, one device and many: the weights come out the same. Rows that cannot be shared out evenly count all the same.
lt.config.set_float32_matmul_precision("fp32")  -- cards' products round to tf32 unless told otherwise

local function line(rows)
  local x = lt.range(rows):reshape {rows, 1} / 8
  return x, 3 * x + 1
end

local function train(strategy, rows)
  local model = strategy:scope(function()
    local made = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
    return made:compile {loss = "mse", optimizer = lt.optim.SGD {learning_rate = 0.2}}
  end)
  local x, y = line(rows)
  local losses = model:fit(x, y, {batch_size = 4, epochs = 2, shuffle = false, verbose = 0}).history.loss
  local kernel, bias = table.unpack(model:get_weights())
  print(("%d rows, %d replicas: losses %.5f %.5f, kernel %.5f, bias %.5f"):format(rows, strategy.num_replicas_in_sync,
    losses[1], losses[2], kernel:item(), bias:item()))
end

for _, rows in ipairs {8, 7} do
  train(lt.distribute.OneDeviceStrategy("/GPU:0"), rows)
  train(lt.distribute.MirroredStrategy {"/GPU:0", "/GPU:1"}, rows)
  train(lt.distribute.MirroredStrategy(), rows)
end

-- A custom loop: replicas wait for each other where the optimizer adds up their gradients.
local strategy = lt.distribute.MirroredStrategy()
local w = strategy:scope(lt.Variable, 0.0, {name = "w"})
local sgd = lt.optim.SGD {learning_rate = 0.25}
strategy:run(function()
  local id = lt.distribute.get_replica_context().replica_id_in_sync_group
  local tape <close> = lt.GradientTape()
  local loss = w * id                                            -- its gradient is the replica's number
  sgd:apply(tape:gradient(loss, {w}), {w})
end)
print(w)
