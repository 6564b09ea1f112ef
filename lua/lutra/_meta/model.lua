---@meta

--- A layer that is trained: what nn.Sequential and nn.Model give. A mistake in shapes names the layer that refused.
---@class lutra.nn.Model: lutra.nn.Layer
---@field optimizer table as compile was told
---@field layers lutra.nn.Layer[] in their order, of a Sequential or a graph
---@field compute_dtype string|nil "bfloat16" once compiled with {precision = "bf16"}
---@field inputs table[]|nil of a graph: what it begins with
---@field outputs table[]|nil of a graph: what it ends with; `layer.output` is what a layer of it gives
---@field output_names string[]|nil of a graph of several outputs
---@field stop_training boolean set it in a callback, and fit ends after the batch
local Model = {}

--- The layer with this name, or with this number.
---@param which string|integer a name, or a place in `layers`
---@return lutra.nn.Layer
--- Errors: InvalidArgument where there is none.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(3, {name = "hidden", input_shape = {2}}), lt.nn.Dense(1) }
---     print(model:get_layer("hidden").units, model:get_layer(2).units)  --> 3	1
--- Source: keras.Model.get_layer
function Model:get_layer(which) end

--- Says how the model is trained.
---
--- A model of several outputs takes a loss for each, as a list in their order or a table by their names, those of the layers
--- that they come from ("output_1", "output_2" where the model is a class); false where an output has none. One loss alone is
--- every output's. So with metrics, of which each output may have a list, and with loss_weights. Labels, and weights of rows
--- where they are not the same for all, are then lists or tables by name too, and an output's loss and metrics are told as
--- "name_loss" and "name_mae".
---@param options table {loss = a name, an nn.losses object or a function of labels and predictions; optimizer = "rmsprop": a name or an lt.optim object; metrics = a list of names ("accuracy", "mae", ...), nn.metrics objects or functions, to which all rows are alike; weighted_metrics = others, which rows count for as sample_weight and class_weight say; a name that comes again gets a number, "mae_1"; loss_weights = numbers that the outputs' losses are multiplied with before they are added; precision = "fp32", or "bf16": layers compute in bfloat16, weights, what comes out, losses and the optimiser are float32}
---@return lutra.nn.Model # itself
--- Errors: InvalidArgument for an unknown name, or no loss; for what is no output's name, or a list of another length.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     model:compile {optimizer = "adam", loss = "mse", metrics = {"mae"}}
---     print(model.optimizer)  --> <lutra.optim.Adam learning_rate=0.001, iterations=0>
--- Source: keras.Model.compile
function Model:compile(options) end

--- Trains the model: goes through all rows, batch by batch, as many times as there are epochs. The last batch has what rows
--- are left. Ctrl-C ends it: the model keeps what it has learned, and the history so far is returned.
---
--- On a terminal it draws Keras' line on stderr (verbose = 1), elsewhere it prints a line an epoch (2); 0 prints nothing.
---@param x lutra.Tensor|table|lutra.data.Dataset rows; a list of tensors, or a table by the inputs' names, for a model of several inputs; or a dataset of batches, and then no y
---@param y? lutra.Tensor|table as many labels; for a model of several outputs a list of tensors, or a table of them by name
---@param options? table {epochs = 1; batch_size = 32; shuffle = true; seed = of the shuffles; validation_split = 0: the share of the last rows held back; validation_data = {x, y} or a dataset; validation_freq = 1; validation_batch_size; sample_weight = a number a row, of the shape {n} or {n, 1}; class_weight = {[class] = weight}, with classes as the labels count them, from 1, and 0 and 1 for binary_crossentropy; of a model of several outputs one for each, as a list or by name; callbacks = {}; initial_epoch = 0; verbose = "auto"; steps_per_epoch, validation_steps = batches of a dataset}
---@return table # {history = {loss = {a number an epoch}, ...}, epoch = {1, 2, ...}, params}
--- Errors: FailedPrecondition before compile; InvalidArgument for rows that do not match, an unknown option, shapes that do
---   not fit a layer, labels of a wrong dtype; OutOfRange for a label that is no class.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {optimizer = lt.optim.SGD {learning_rate = 0.5}, loss = "mse"}
---     local history = model:fit({{0.0}, {1.0}}, {{1.0}, {2.0}}, {epochs = 3, verbose = 0})
---     print(history.history.loss[1], #history.history.loss)  --> 1.0	3
--- Source: keras.Model.fit
function Model:fit(x, y, options) end

--- The loss and the metrics over all rows, without training.
---@param x lutra.Tensor|table|lutra.data.Dataset rows, or a dataset of batches, and then no y
---@param y? lutra.Tensor|table as many labels
---@param options? table {batch_size = 32; verbose = "auto"; sample_weight; class_weight; steps = batches of a dataset; return_dict = false: a table by name; callbacks = {}}
---@return number # the loss, then the metrics in compile's order
--- Errors: as fit.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {loss = "mse", metrics = {"mae"}}
---     print(model:evaluate({{0.0}, {1.0}}, {{2.0}, {1.0}}, {verbose = 0}))  --> 2.0	1.0
--- Source: keras.Model.evaluate
function Model:evaluate(x, y, options) end

--- What the model gives for all rows, computed batch by batch.
---@param x lutra.Tensor|table|lutra.data.Dataset rows, or a dataset of batches, of whose elements the first value counts
---@param options? table {batch_size = 32; steps = batches of a dataset; verbose = 0: as fit's; callbacks = {}}
---@return lutra.Tensor # a list of them for a model of several outputs
--- Errors: InvalidArgument for shapes that do not fit a layer.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     print(model:predict({{1.0}, {2.0}}):totable()[2][1])  --> 2.0
--- Source: keras.Model.predict
function Model:predict(x, options) end

--- One step on one batch.
---@param x lutra.Tensor|table rows
---@param y lutra.Tensor|table as many labels
---@param options? table {sample_weight, class_weight}
---@return number # the loss before the step, then the metrics of this batch
--- Errors: as fit.
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
--- Errors: as fit.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     model:compile {loss = "mse"}
---     print(model:test_on_batch({{1.0}}, {{3.0}}))  --> 4.0
--- Source: keras.Model.test_on_batch
function Model:test_on_batch(x, y, options) end

--- What the model gives for one batch.
---@param x lutra.Tensor|table rows
---@return lutra.Tensor
--- Errors: as predict.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {kernel_initializer = "ones", input_shape = {1}}) }
---     print(model:predict_on_batch({{4.0}}):item())  --> 4.0
--- Source: keras.Model.predict_on_batch
function Model:predict_on_batch(x) end

--- Writes the model to one file: weights and what the optimizer remembers, by the paths of their fields, and in the file's
--- metadata how the model is made, how it is compiled and where its training stands. The file is replaced whole or not at all.
--- [checkpoints.md](../checkpoints.md) tells more.
---@param path string that ends in .safetensors
---@param options? table {include_optimizer = true: with compile's arguments and the optimizer's state}
--- Errors: InvalidArgument for another ending; else as lutra.save: NotFound, FailedPrecondition, ResourceExhausted.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     local path = os.tmpname() .. ".safetensors"
---     model:save(path)
---     print(lt.load(path)["layers.1.kernel"].shape)  --> (2, 1)
---     os.remove(path)
--- Source: keras.Model.save
function Model:save(path, options) end

--- Reads what save wrote into this model: weights, and the optimizer's state where the model is compiled with one of its kind. A
--- model that is not compiled is compiled as the file says. Everything is held against the model first: a file that does not fit
--- changes nothing.
---@param path string
---@param options? table {resume = false: with true the next fit goes on after the epoch in which the file was written, with the random numbers that were to come; custom_objects = {Name = class}}
---@return lutra.nn.Model # itself
--- Errors: InvalidArgument for a damaged file, another optimizer or one that remembers less, a file without training to resume, or another model: it names the first weight that differs, with
---   both shapes. NotFound when there is no such file.
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

--- Writes the weights alone.
---@param path string that ends in .safetensors
--- Errors: as save.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {2}}) }
---     local path = os.tmpname() .. ".safetensors"
---     model:save_weights(path)
---     print(lt.load(path)["layers.1.bias"])  --> lutra.Tensor([0.], shape=(1,), dtype=float32)
---     os.remove(path)
--- Source: keras.Model.save_weights
function Model:save_weights(path) end

--- Reads weights, from what save or save_weights wrote, or from any safetensors file with the same names.
---@param path string
---@return lutra.nn.Model # itself
--- Errors: as load.
--- Example:
---     local model = lt.nn.Sequential { lt.nn.Dense(1, {input_shape = {1}}) }
---     local path = os.tmpname() .. ".safetensors"
---     lt.save(path, {["layers.1.kernel"] = {{3.0}}, ["layers.1.bias"] = {1.0}})
---     print(model:load_weights(path)({{2.0}}):item())  --> 7.0
---     os.remove(path)
--- Source: keras.Model.load_weights
function Model:load_weights(path) end

--- Prints its layers, the shapes they give, and how many numbers they hold.
---@param options? table {print_fn = what each line is handed to, instead of print; expand_nested = false: also those in them}
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     lt.nn.Sequential({ lt.nn.Dense(1, {input_shape = {1}}), name = "tiny" }):summary {
---       print_fn = function(line) if line:find "Total" then print(line) end end,
---     }
---     -->  Total parameters: 2 (8 B)
--- Source: keras.Model.summary
function Model:summary(options) end
