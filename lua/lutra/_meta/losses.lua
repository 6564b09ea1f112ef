---@meta

--- Losses, with Keras 3's names, defaults and formulas. A function gives a value a row; an object is called with labels,
--- predictions and, or not, weights of the rows, and gives one number, their mean. compile takes either, or the name.
---@class lutra.nn.losses
local losses = {}

--- The mean of the squared differences of each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, of the labels' shape
---@param options? table {}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.mean_squared_error(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 2.5
--- Source: keras.losses.mean_squared_error
function losses.mean_squared_error(y_true, y_pred, options) end

--- The mean over the rows: the mean of the squared differences of each row.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.MeanSquaredError()(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 2.5
--- Source: keras.losses.MeanSquaredError
function losses.MeanSquaredError(options) end

losses.mse = losses.mean_squared_error

--- The mean of the absolute differences of each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, of the labels' shape
---@param options? table {}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.mean_absolute_error(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.5
--- Source: keras.losses.mean_absolute_error
function losses.mean_absolute_error(y_true, y_pred, options) end

--- The mean over the rows: the mean of the absolute differences of each row.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.MeanAbsoluteError()(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.5
--- Source: keras.losses.MeanAbsoluteError
function losses.MeanAbsoluteError(options) end

losses.mae = losses.mean_absolute_error

--- Half the square of small differences, straight beyond delta; its mean of each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, of the labels' shape
---@param options? table {delta = 1}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.huber(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.0
--- Source: keras.losses.huber
function losses.huber(y_true, y_pred, options) end

--- The mean over the rows: half the square of small differences, straight beyond delta; its mean of each row.
---@param options? table {delta = 1; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.Huber {delta = 2}(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.25
--- Source: keras.losses.Huber
function losses.Huber(options) end

--- Of labels 0 and 1 and probabilities of 1, -log of what was right, in nats; its mean of each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, of the labels' shape
---@param options? table {from_logits = false: whether predictions are before the sigmoid; label_smoothing = 0}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.binary_crossentropy(lt.constant {{1.0}}, lt.constant {{0.5}}):item()))  --> 0.6931
--- Source: keras.losses.binary_crossentropy
function losses.binary_crossentropy(y_true, y_pred, options) end

--- The mean over the rows: of labels 0 and 1 and probabilities of 1, -log of what was right, in nats; its mean of each row.
---@param options? table {from_logits = false: whether predictions are before the sigmoid; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.BinaryCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {{1.0}}, lt.constant {{0.0}}):item()))  --> 0.6931
--- Source: keras.losses.BinaryCrossentropy
function losses.BinaryCrossentropy(options) end

--- Of labels that are distributions, -sum(labels log(predictions)) of each row, in nats.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, of the labels' shape
---@param options? table {from_logits = false: whether predictions are before the softmax; label_smoothing = 0}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.categorical_crossentropy(lt.constant {{0.0, 1.0}}, lt.constant {{0.5, 0.5}}):item()))  --> 0.6931
--- Source: keras.losses.categorical_crossentropy
function losses.categorical_crossentropy(y_true, y_pred, options) end

--- The mean over the rows: of labels that are distributions, -sum(labels log(predictions)) of each row, in nats.
---@param options? table {from_logits = false: whether predictions are before the softmax; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.CategoricalCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {{0.0, 1.0}}, lt.constant {{3.0, 3.0}}):item()))  --> 0.6931
--- Source: keras.losses.CategoricalCrossentropy
function losses.CategoricalCrossentropy(options) end

--- Of labels that are classes' numbers, -log of the right class's probability of each row, in nats.
---@param y_true lutra.Tensor|table classes' numbers, 1..n, of an integer dtype
---@param y_pred lutra.Tensor|table a number for each class: [..., n]
---@param options? table {from_logits = false: whether predictions are before the softmax}
---@return lutra.Tensor # a value a row
--- Errors: InvalidArgument for shapes that do not match, a label of a wrong dtype, the label 0; OutOfRange for another that is no class.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.sparse_categorical_crossentropy(lt.constant {2}, lt.constant {{0.5, 0.5}}):item()))  --> 0.6931
--- Source: keras.losses.sparse_categorical_crossentropy
function losses.sparse_categorical_crossentropy(y_true, y_pred, options) end

--- The mean over the rows: of labels that are classes' numbers, -log of the right class's probability of each row, in nats.
---@param options? table {from_logits = false: whether predictions are before the softmax; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # of labels, predictions and weights of the rows, that gives a scalar
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.SparseCategoricalCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {1}, lt.constant {{3.0, 3.0}}):item()))  --> 0.6931
--- Source: keras.losses.SparseCategoricalCrossentropy
function losses.SparseCategoricalCrossentropy(options) end
