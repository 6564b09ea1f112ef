---@meta

--- A layer that can be trained, made by nn.Sequential or nn.Model. Errors about shapes name the layer that raised them.
---@class lutra.nn.Model: lutra.nn.Layer
---@field optimizer table as given to compile
---@field layers lutra.nn.Layer[] the layers of a Sequential or a graph, in order
---@field compute_dtype string|nil "bfloat16" once compiled with {precision = "bf16"}
---@field inputs table[]|nil inputs of a graph
---@field outputs table[]|nil outputs of a graph; `layer.output` is the output of one of its layers
---@field output_names string[]|nil names of a graph's outputs, if it has several
---@field stop_training boolean a callback sets it to end fit after the batch
local Model = {}

--- The layer with a name or an index.
---@param which string|integer a name, or an index in `layers`
---@return lutra.nn.Layer
--- Errors: InvalidArgument if there is none.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(3, {name = "hidden", input_shape = {2}}), lt.nn.Dense(1) }
---     print(model:get_layer("hidden").units, model:get_layer(2).units)  --> 3	1
--- Source: keras.Model.get_layer
function Model:get_layer(which) end

--- Sets how the model is trained.
---
--- A model with several outputs takes one loss per output, as a list in order or a table by output name; false means no
--- loss. An output is named after its layer ("output_1", "output_2" if the model is a class). A single loss applies to
--- every output. The same holds for metrics, where each output may have a list, and for loss_weights. Labels, and
--- sample weights that differ between outputs, are then also lists or tables by name. An output's loss and metrics are
--- reported as "name_loss" and "name_mae".
---@param options table {loss = a name, an nn.losses object or a function of labels and predictions; optimizer = "rmsprop": a name or an lt.optim object; metrics = a list of names ("accuracy", "mae", ...), nn.metrics objects or functions, without row weights; weighted_metrics = metrics that use sample_weight and class_weight; a repeated name gets a number, "mae_1"; loss_weights = factors of the outputs' losses in their sum; precision = "fp32", or "bf16": layers compute in bfloat16, while weights, outputs, losses and the optimiser stay float32}
---@return lutra.nn.Model # itself
--- Errors: InvalidArgument for an unknown name, a missing loss, an unknown output name, or a list of the wrong length.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "adam", loss = "mse", metrics = {"mae"}}
---     print(model.optimizer)  --> <lutra.optim.Adam learning_rate=0.001, iterations=0>
--- Source: keras.Model.compile
function Model:compile(options) end

--- Trains the model on all rows, batch by batch, once per epoch. The last batch of an epoch has the remaining rows.
--- Ctrl-C ends the training: the model keeps its current weights, and the history so far is returned.
---
--- On a terminal it draws Keras's progress bar on stderr (verbose = 1), elsewhere it prints one line per epoch (2); 0
--- prints nothing.
---@param x lutra.Tensor|table|lutra.data.Dataset rows; for a model with several inputs a list of tensors or a table by input name; or a dataset of batches, without y
---@param y? lutra.Tensor|table as many labels; for a model with several outputs a list of tensors or a table by output name
---@param options? table {epochs = 1; batch_size = 32; shuffle = true; seed = seed of the shuffles; validation_split = 0: fraction of the rows, taken from the end, to hold back for validation; validation_data = {x, y} or a dataset; validation_freq = 1; validation_batch_size; sample_weight = one number per row, of shape {n} or {n, 1}; class_weight = {[class] = weight}, with classes numbered as in the labels: from 1, or 0 and 1 for binary_crossentropy; for a model with several outputs one for each, as a list or by name; callbacks = {}; initial_epoch = 0; verbose = "auto"; steps_per_epoch, validation_steps = number of batches of a dataset}
---@return lutra.nn.History # {history = {loss = {one number per epoch}, ...}, epoch = {1, 2, ...}, params}
--- Errors: FailedPrecondition before compile; InvalidArgument for different numbers of rows, an unknown option, shapes
---   that do not fit a layer, labels of a wrong dtype; OutOfRange for a label that is not a class.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {optimizer = lt.optim.SGD {learning_rate = 0.5}, loss = "mse"}
---     local history = model:fit({{0.0}, {1.0}}, {{1.0}, {2.0}}, {epochs = 3, verbose = 0})
---     print(history.history.loss[1], #history.history.loss)  --> 1.0	3
--- Source: keras.Model.fit
function Model:fit(x, y, options) end

--- The loss and the metrics over all rows, without training.
---@param x lutra.Tensor|table|lutra.data.Dataset rows, or a dataset of batches, without y
---@param y? lutra.Tensor|table as many labels
---@param options? table {batch_size = 32; verbose = "auto"; sample_weight; class_weight; steps = number of batches of a dataset; return_dict = false: return a table by name; callbacks = {}}
---@return number # the loss, then the metrics in compile's order
--- Errors: as for fit.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {loss = "mse", metrics = {"mae"}}
---     print(model:evaluate({{0.0}, {1.0}}, {{2.0}, {1.0}}, {verbose = 0}))  --> 2.0	1.0
--- Source: keras.Model.evaluate
function Model:evaluate(x, y, options) end

--- The model's results for all rows, computed batch by batch.
---@param x lutra.Tensor|table|lutra.data.Dataset rows, or a dataset of batches, of which only the first value is used
---@param options? table {batch_size = 32; steps = number of batches of a dataset; verbose = 0: as for fit; callbacks = {}}
---@return lutra.Tensor # a list of tensors for a model with several outputs
--- Errors: InvalidArgument for shapes that do not fit a layer.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     print(model:predict({{1.0}, {2.0}}):totable()[2][1])  --> 2.0
--- Source: keras.Model.predict
function Model:predict(x, options) end

--- Takes one training step on one batch.
---@param x lutra.Tensor|table rows
---@param y lutra.Tensor|table as many labels
---@param options? table {sample_weight, class_weight}
---@return number # the loss before the step, then the metrics of this batch
--- Errors: as for fit.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {optimizer = lt.optim.SGD {learning_rate = 0.5}, loss = "mse"}
---     print(model:train_on_batch({{1.0}}, {{2.0}}), model:train_on_batch({{1.0}}, {{2.0}}))  --> 1.0	1.0
--- Source: keras.Model.train_on_batch
function Model:train_on_batch(x, y, options) end

--- The loss and the metrics of one batch, without training.
---@param x lutra.Tensor|table rows
---@param y lutra.Tensor|table as many labels
---@param options? table {sample_weight, class_weight}
---@return number # the loss, then the metrics
--- Errors: as for fit.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {loss = "mse"}
---     print(model:test_on_batch({{1.0}}, {{3.0}}))  --> 4.0
--- Source: keras.Model.test_on_batch
function Model:test_on_batch(x, y, options) end

--- The model's results for one batch.
---@param x lutra.Tensor|table rows
---@return lutra.Tensor
--- Errors: as for predict.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     print(model:predict_on_batch({{4.0}}):item())  --> 4.0
--- Source: keras.Model.predict_on_batch
function Model:predict_on_batch(x) end

--- Writes the model to one file: the weights and the optimizer's state, named by the paths of their fields, and in the
--- file's metadata how the model is made and compiled, and the progress of its training. The file is replaced
--- atomically. [checkpoints.md](../checkpoints.md) describes the format.
---@param path string that ends in .safetensors
---@param options? table {include_optimizer = true: include compile's arguments and the optimizer's state}
--- Errors: InvalidArgument for another extension; else as for lutra.save: NotFound, FailedPrecondition,
---   ResourceExhausted.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     local path = os.tmpname() .. ".safetensors"
---     model:save(path)
---     print(lt.load(path)["layers.1.kernel"].shape)  --> (2, 1)
---     os.remove(path)
--- Source: keras.Model.save
function Model:save(path, options) end

--- Loads a file written by save into this model: the weights, and the optimizer's state if the model is compiled with
--- the same kind of optimizer. A model that is not compiled is compiled as the file says. Everything is checked first:
--- a file that does not fit changes nothing.
---@param path string
---@param options? table {resume = false: true makes the next fit continue after the epoch in which the file was written, with the same random numbers; custom_objects = {Name = class}}
---@return lutra.nn.Model # itself
--- Errors: InvalidArgument for a damaged file, another optimizer or one with less state, a file without training to
---   resume, or another model: the message names the first weight that differs, with both shapes. NotFound when there
---   is no such file.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     local path = os.tmpname() .. ".safetensors"
---     model:save(path)
---     local other = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     other:load(path)
---     print(other:predict({{1.0, 2.0}}):item() == model:predict({{1.0, 2.0}}):item())  --> true
---     os.remove(path)
--- Source: keras.Model.load_weights
function Model:load(path, options) end

--- Writes only the weights.
---@param path string that ends in .safetensors
--- Errors: as for save.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     local path = os.tmpname() .. ".safetensors"
---     model:save_weights(path)
---     print(lt.load(path)["layers.1.bias"])  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
---     os.remove(path)
--- Source: keras.Model.save_weights
function Model:save_weights(path) end

--- Loads weights from a file written by save or save_weights, or from any safetensors file with the same names.
---@param path string
---@return lutra.nn.Model # itself
--- Errors: as for load.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     local path = os.tmpname() .. ".safetensors"
---     lt.save(path, {["layers.1.kernel"] = {{3.0}}, ["layers.1.bias"] = {1.0}})
---     print(model:load_weights(path)({{2.0}}):item())  --> 7.0
---     os.remove(path)
--- Source: keras.Model.load_weights
function Model:load_weights(path) end

--- Prints the layers, their output shapes, and their numbers of parameters.
---@param options? table {print_fn = function called with each line instead of print; expand_nested = false: also print the layers inside layers}
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     lt.nn.Sequential({ lt.nn.Dense(1, {input_shape = {1}}), name = "tiny" }):summary {
---       print_fn = function(line) if line:find "Total" then print(line) end end,
---     }
---     -->  Total parameters: 2 (8 B)
--- Source: keras.Model.summary
function Model:summary(options) end

--- What fit returns: the loss and the metrics of each epoch. It prints as those of the last one.
---@class lutra.nn.History
---@field history table {loss = {one number per epoch}, ...}: metrics too, and with validation val_loss, val_...
---@field epoch table {1, 2, ...}: the epochs that have ended
---@field model lutra.nn.Model
---@field params table {epochs, steps, verbose, metrics, validation_freq}
---@field interrupted boolean|nil true after Ctrl-C
local History = {}

--- Draws the loss and the metrics by epoch.
---@param options? table {names = {"loss", "val_loss"}: what to draw, by default everything}, and those of [lt.plot.line](plot.md)
---@return lutra.plot.Plot|nil # prints as the plot; nil with `file`
--- Errors: InvalidArgument for a name that is not in the history, or an unknown option; those of lt.plot.line for its
---   file.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {optimizer = lt.optim.SGD {learning_rate = 0.1}, loss = "mse"}
---     local history = model:fit({{0.0}, {1.0}}, {{1.0}, {2.0}}, {epochs = 5, verbose = 0})
---     print(history:plot({width = 30, height = 9, ascii = true}))
---     -->      -- loss
---     --> 1.0 +'..
---     -->     |   '..
---     --> 0.5 +      '..
---     -->     |         ''....
---     -->     |               '''''....
---     -->     +------+----------+------
---     -->            2          4
---     -->               epoch
function History:plot(options) end

--- One step of fit, which a class may define anew: it gets the values of a batch, {x, y, sample_weight}, and returns numbers
--- by name, or tensors of one element. fit then reports those of an epoch's last batch, y may be nil, and compile needs no
--- loss. Not in replicas.
---@param data table {x, y, sample_weight}
---@return table<string, number|lutra.Tensor>
--- Errors: InvalidArgument, in fit, for a result that has no numbers by name; FailedPrecondition in replicas.
--- Example:
---     local Net = lt.nn.Model:extend "Net"
---     function Net:init() self.dense = lt.nn.Dense(1) end
---     function Net:call(x) return self.dense(x) end
---     function Net:train_step(data)
---       local tape <close> = lt.GradientTape()
---       local loss = self:compute_loss(data[1], data[2], self(data[1], true))
---       self.optimizer:apply(tape:gradient(loss, self:trainable_variables()), self:trainable_variables())
---       return {loss = loss}
---     end
---     local net = Net()
---     net:compile {optimizer = "sgd", loss = "mse"}
---     print(#net:fit({{1.0}, {2.0}}, {{1.0}, {2.0}}, {epochs = 2, verbose = 0}).history.loss)  --> 2
--- Source: keras.Model.train_step
function Model:train_step(data) end

--- The same for evaluate, and for validation in fit.
---@param data table {x, y, sample_weight}
---@return table<string, number|lutra.Tensor>
--- Errors: as train_step.
--- Example:
---     local Net = lt.nn.Model:extend "Net"
---     function Net:init() self.dense = lt.nn.Dense(1, {kernel_initializer = "ones"}) end
---     function Net:call(x) return self.dense(x) end
---     function Net:test_step(data) return {largest = lt.abs(self(data[1]) - data[2]):max()} end
---     local net = Net()
---     net:compile {loss = "mse"}
---     print(net:evaluate({{1.0}, {2.0}}, {{1.0}, {5.0}}, {verbose = 0}))  --> 3.0
--- Source: keras.Model.test_step
function Model:test_step(data) end

--- The compiled loss of a batch, with the weights' penalties and the losses that layers add: for train_step.
---@param x lutra.Tensor|table
---@param y lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions
---@param sample_weight? lutra.Tensor
---@return lutra.Tensor loss a scalar
--- Errors: InvalidArgument for shapes that do not match; FailedPrecondition if the model is compiled without a loss.
--- Example:
---     local model = lt.nn.Sequential {lt.nn.Dense(1, {kernel_initializer = "ones"})}
---     model:compile {loss = "mse"}
---     print(model:compute_loss({{1.0}}, lt.constant {{3.0}}, model {{1.0}}):item())  --> 4.0
--- Source: keras.Model.compute_loss
function Model:compute_loss(x, y, y_pred, sample_weight) end

--- Adds a batch to the compiled metrics, and gives their values by name: for train_step.
---@param x lutra.Tensor|table
---@param y lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions
---@param sample_weight? lutra.Tensor
---@return table<string, number>
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     local model = lt.nn.Sequential {lt.nn.Dense(1)}
---     model:compile {loss = "mse", metrics = {"mae"}}
---     print(model:compute_metrics({}, lt.constant {{3.0}}, lt.constant {{1.0}}).mae)  --> 2.0
--- Source: keras.Model.compute_metrics
function Model:compute_metrics(x, y, y_pred, sample_weight) end
