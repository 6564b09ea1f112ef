---@meta

--- Callbacks of fit, evaluate and predict, with Keras 3's names and defaults. A callback is one of these objects, a
--- function called after each epoch with the epoch, its logs and the model, or a table with some of these methods:
---
--- - `on_train_begin(self, model)`, `on_epoch_begin(self, epoch, model)`, `on_train_batch_begin(self, step, model)`,
---   `on_train_batch_end(self, step, logs, model)`, `on_epoch_end(self, epoch, logs, model)`, `on_train_end(self, model)`;
--- - in evaluate, and in an epoch's validation before the epoch ends, `on_test_begin(self, model)`,
---   `on_test_batch_begin(self, step, model)`, `on_test_batch_end(self, step, logs, model)`,
---   `on_test_end(self, logs, model)`;
--- - in predict `on_predict_begin(self, model)`, `on_predict_batch_begin(self, step, model)`,
---   `on_predict_batch_end(self, step, logs, model)`, whose logs are {outputs = the model's results}, and
---   `on_predict_end(self, model)`.
---
--- BackupAndRestore saves what `get_state(self)` returns and restores it with `set_state(self, state)`
--- ([checkpoints.md](../checkpoints.md)). Epochs and steps count from 1; logs are numbers by name. With
--- on_train_batch_end each step waits for its loss. For a monitored number, mode = "auto" knows that accuracies, areas
--- and top k should be large, and losses and errors small; for any other name set mode.
---@class lutra.nn.callbacks
local callbacks = {}

--- A custom callback: set the methods that it needs.
---@return table # for fit's callbacks
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local mine = lt.nn.callbacks.Callback()
---     function mine:on_train_end() print("done") end
---     model:fit({{1.0}}, {{1.0}}, {epochs = 1, verbose = 0, callbacks = {mine}})
---     --> done
--- Source: keras.callbacks.Callback
function callbacks.Callback() end

--- Ends the training when a number no longer improves. Epochs without the number, such as those without validation, do
--- not count.
---@param options? table {monitor = "val_loss"; patience = 0: epochs without improvement to allow; min_delta = 0: the smallest change that counts as improvement; mode = "auto", "min" or "max"; baseline: an improvement also has to be better than this; restore_best_weights = false: when the fit ends; start_from_epoch = 0; verbose = 0}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for an unknown option, and in fit for a number that is not in the logs, or a name that
---   "auto" does not know.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local stop = lt.nn.callbacks.EarlyStopping {monitor = "loss", min_delta = 1e9, patience = 2}
---     model:fit({{1.0}}, {{1.0}}, {epochs = 50, verbose = 0, callbacks = {stop}})
---     print(stop.stopped_epoch)  --> 3
--- Source: keras.callbacks.EarlyStopping
function callbacks.EarlyStopping(options) end

--- Saves the model, or calls a function, after each epoch or after each epoch that is the best so far.
---@param save string|function a path that ends in .safetensors, with placeholders such as {epoch}, {epoch:02d}, {val_loss:.3f}; or a function of the model, the epoch and its logs
---@param options? table {monitor = "val_loss"; mode = "auto"; save_best_only = false; save_weights_only = false; save_freq = "epoch", or a number of batches; initial_value_threshold: the first best value has to be better than this; verbose = 0}
---@return table # for fit's callbacks; its field `path` is the last file
--- Errors: InvalidArgument for another path or option, and in fit for a number that is not in the logs; errors of
---   Model:save.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local path = os.tmpname()
---     local keep = lt.nn.callbacks.ModelCheckpoint(path .. "-{epoch:02d}.safetensors", {monitor = "loss", save_best_only = true})
---     model:fit({{1.0}}, {{1.0}}, {epochs = 1, verbose = 0, callbacks = {keep}})
---     print(keep.path == path .. "-01.safetensors", lt.nn.load_model(keep.path):count_params())  --> true	2
---     os.remove(keep.path)
---     os.remove(path)
--- Source: keras.callbacks.ModelCheckpoint
function callbacks.ModelCheckpoint(save, options) end

--- Saves the model after each epoch, with all the state that training and the callbacks need, and resumes there when
--- the fit is started again. After a kill at any moment the final result has the same bits as an uninterrupted fit, on
--- the same devices with the same number of threads. The file is removed when the fit completes.
--- [checkpoints.md](../checkpoints.md) shows an example.
---@param path string that ends in .safetensors
---@param options? table {delete_checkpoint = true: remove the file at the end}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for another path, and in fit for a file of another model or optimizer, or of other callbacks
---   with state; errors of Model:save.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local path = os.tmpname() .. ".safetensors"
---     local backup = lt.nn.callbacks.BackupAndRestore(path, {delete_checkpoint = false})
---     model:fit({{1.0}}, {{1.0}}, {epochs = 2, verbose = 0, callbacks = {backup}})
---     print(model:fit({{1.0}}, {{1.0}}, {epochs = 5, verbose = 0, callbacks = {backup}}).epoch[1])  --> 3
---     os.remove(path)
--- Source: keras.callbacks.BackupAndRestore
function callbacks.BackupAndRestore(path, options) end

--- Sets the learning rate of each epoch.
---@param schedule function takes the epoch and the current rate, returns the new rate
---@param options? table {verbose = 0}
---@return table # for fit's callbacks
--- Errors: InvalidArgument if schedule is not a function or does not return a number.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local halve = lt.nn.callbacks.LearningRateScheduler(function(epoch, rate) return rate / 2 end)
---     model:fit({{1.0}}, {{1.0}}, {epochs = 2, verbose = 0, callbacks = {halve}})
---     print(model.optimizer.learning_rate)  --> 0.0025
--- Source: keras.callbacks.LearningRateScheduler
function callbacks.LearningRateScheduler(schedule, options) end

--- Lowers the learning rate when a number no longer improves. Epochs without the number, such as those without
--- validation, do not count.
---@param options? table {monitor = "val_loss"; factor = 0.1; patience = 10; mode = "auto"; min_delta = 1e-4; cooldown = 0; min_lr = 0; verbose = 0}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for an unknown option, and in fit for a number that is not in the logs, or a learning rate
---   that is a schedule.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local lower = lt.nn.callbacks.ReduceLROnPlateau {monitor = "loss", min_delta = 1e9, patience = 1, factor = 0.5}
---     model:fit({{1.0}}, {{1.0}}, {epochs = 2, verbose = 0, callbacks = {lower}})
---     print(model.optimizer.learning_rate)  --> 0.005
--- Source: keras.callbacks.ReduceLROnPlateau
function callbacks.ReduceLROnPlateau(options) end

--- Writes one line per epoch to a csv file, below a line of column names. Fields are empty for epochs without
--- validation.
---@param path string of the file
---@param options? table {separator = ","; append = false}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for a path that is not a string; FailedPrecondition, in fit, for a file that cannot be
---   written, or, with append, that has other columns.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local path = os.tmpname()
---     model:fit({{1.0}}, {{1.0}}, {epochs = 2, verbose = 0, callbacks = {lt.nn.callbacks.CSVLogger(path)}})
---     print(io.open(path):read())  --> epoch,loss
---     os.remove(path)
--- Source: keras.callbacks.CSVLogger
function callbacks.CSVLogger(path, options) end

--- Evaluates with the averages that an optimizer with use_ema keeps. They are the model's weights while it is validated,
--- is evaluated or predicts. With swap_on_epoch they are its weights from the end of an epoch to the beginning of the next
--- one, too. Callbacks that follow in the list, such as ModelCheckpoint, then see them.
---@param options? table {swap_on_epoch = false}
---@return table # for the callbacks of fit, evaluate and predict
--- Errors: InvalidArgument if the optimizer has no use_ema, or divides its averages among processes; FailedPrecondition
---   for evaluate and predict before the first step.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}, kernel_initializer = "zeros"}) }
---     model:compile {optimizer = lt.optim.SGD {learning_rate = 0.1, use_ema = true}, loss = "mse"}
---     local swap = lt.nn.callbacks.SwapEMAWeights()
---     local history = model:fit({{1.0}}, {{1.0}}, {validation_data = {{{1.0}}, {{1.0}}}, verbose = 0, callbacks = {swap}})
---     print(("%.2f"):format(history.history.val_loss[1]))  --> 0.36
--- Source: keras.callbacks.SwapEMAWeights
function callbacks.SwapEMAWeights(options) end

--- Ends the training at a loss that is nan or infinite, before the step that would spoil the weights. It reports on
--- stderr the epoch, the step, and the first layer whose result was not finite; its fields `epoch`, `step` and `layer`
--- hold them. Each step waits for its loss.
---@return table # for fit's callbacks
--- Errors: none of its own.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local nan = lt.nn.callbacks.TerminateOnNaN()
---     model:fit({{1.0}}, {{1.0}}, {epochs = 1, verbose = 0, callbacks = {nan}})
---     print(nan.step)  --> nil
--- Source: keras.callbacks.TerminateOnNaN
function callbacks.TerminateOnNaN() end

--- A callback of functions by the methods' names: on_train_begin, on_train_end, on_epoch_begin, on_epoch_end,
--- on_train_batch_begin, on_train_batch_end, and the like for test and predict. They get what the methods get, without the
--- callback itself: on_epoch_end(epoch, logs, model).
---@param options table {on_epoch_end = function; ...}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for a name that is no method's, or a value that is no function.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "sgd", loss = "mse"}
---     local seen = lt.nn.callbacks.LambdaCallback {on_epoch_end = function(epoch) print(epoch) end}
---     model:fit({{1.0}}, {{1.0}}, {epochs = 1, verbose = 0, callbacks = {seen}})  --> 1
--- Source: keras.callbacks.LambdaCallback
function callbacks.LambdaCallback(options) end

--- Writes the numbers of each epoch to log_dir/train and log_dir/validation, which TensorBoard shows (`tensorboard --logdir
--- logs`): epoch_loss, epoch_learning_rate and so on; with update_freq also batch_loss after so many batches, and with
--- histogram_freq histograms of the weights after so many epochs. lt.train.SummaryWriter writes other numbers.
---@param log_dir? string "logs" by default
---@param options? table {histogram_freq = 0; update_freq = "epoch", "batch" or a number of batches}
---@return table # for fit's callbacks
--- Errors: InvalidArgument for an option that is not valid; FailedPrecondition, in fit, for files that cannot be written.
--- Example:
---     local board = lt.nn.callbacks.TensorBoard("logs", {histogram_freq = 1})
---     print(board.log_dir, board.update_freq)  --> logs	epoch
--- Source: keras.callbacks.TensorBoard
function callbacks.TensorBoard(log_dir, options) end
