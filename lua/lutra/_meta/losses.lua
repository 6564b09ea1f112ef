---@meta

--- Losses, with Keras 3's names, defaults and formulas. A function returns one value per row. An object is called with
--- labels, predictions and optional sample weights, and returns one number, the mean over the rows. compile takes
--- either, or a name.
---@class lutra.nn.losses
local losses = {}

--- The mean squared difference in each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.mean_squared_error(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 2.5
--- Source: keras.losses.mean_squared_error
function losses.mean_squared_error(y_true, y_pred, options) end

--- The mean over the rows of mean_squared_error.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.MeanSquaredError()(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 2.5
--- Source: keras.losses.MeanSquaredError
function losses.MeanSquaredError(options) end

losses.mse = losses.mean_squared_error

--- The mean absolute difference in each row.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.mean_absolute_error(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.5
--- Source: keras.losses.mean_absolute_error
function losses.mean_absolute_error(y_true, y_pred, options) end

--- The mean over the rows of mean_absolute_error.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.MeanAbsoluteError()(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.5
--- Source: keras.losses.MeanAbsoluteError
function losses.MeanAbsoluteError(options) end

losses.mae = losses.mean_absolute_error

--- The mean in each row of half the squared difference, linear where the difference exceeds delta.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {delta = 1}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(lt.nn.losses.huber(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.0
--- Source: keras.losses.huber
function losses.huber(y_true, y_pred, options) end

--- The mean over the rows of huber.
---@param options? table {delta = 1; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(lt.nn.losses.Huber {delta = 2}(lt.constant {{1.0, 2.0}}, lt.constant {{2.0, 4.0}}):item())  --> 1.25
--- Source: keras.losses.Huber
function losses.Huber(options) end

--- For labels 0 and 1: the mean in each row of -log of the probability of the label, in nats. Predictions are
--- probabilities of 1.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {from_logits = false: whether predictions are before the sigmoid; label_smoothing = 0}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.binary_crossentropy(lt.constant {{1.0}}, lt.constant {{0.5}}):item()))  --> 0.6931
--- Source: keras.losses.binary_crossentropy
function losses.binary_crossentropy(y_true, y_pred, options) end

--- The mean over the rows of binary_crossentropy.
---@param options? table {from_logits = false: whether predictions are before the sigmoid; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.BinaryCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {{1.0}}, lt.constant {{0.0}}):item()))  --> 0.6931
--- Source: keras.losses.BinaryCrossentropy
function losses.BinaryCrossentropy(options) end

--- For labels that are distributions: -sum(labels * log(predictions)) of each row, in nats.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {from_logits = false: whether predictions are before the softmax; label_smoothing = 0}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.categorical_crossentropy(lt.constant {{0.0, 1.0}}, lt.constant {{0.5, 0.5}}):item()))  --> 0.6931
--- Source: keras.losses.categorical_crossentropy
function losses.categorical_crossentropy(y_true, y_pred, options) end

--- The mean over the rows of categorical_crossentropy.
---@param options? table {from_logits = false: whether predictions are before the softmax; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.CategoricalCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {{0.0, 1.0}}, lt.constant {{3.0, 3.0}}):item()))  --> 0.6931
--- Source: keras.losses.CategoricalCrossentropy
function losses.CategoricalCrossentropy(options) end

--- For labels that are class numbers: -log of the probability of the label's class in each row, in nats.
---@param y_true lutra.Tensor|table class numbers, 1..n, of an integer dtype
---@param y_pred lutra.Tensor|table one number per class: [..., n]
---@param options? table {from_logits = false: whether predictions are before the softmax}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match, a label of a wrong dtype, the label 0; OutOfRange for any
---   other label that is not a class.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.sparse_categorical_crossentropy(lt.constant {2}, lt.constant {{0.5, 0.5}}):item()))  --> 0.6931
--- Source: keras.losses.sparse_categorical_crossentropy
function losses.sparse_categorical_crossentropy(y_true, y_pred, options) end

--- The mean over the rows of sparse_categorical_crossentropy.
---@param options? table {from_logits = false: whether predictions are before the softmax; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     local loss = lt.nn.losses.SparseCategoricalCrossentropy {from_logits = true}
---     print(("%.4f"):format(loss(lt.constant {1}, lt.constant {{3.0, 3.0}}):item()))  --> 0.6931
--- Source: keras.losses.SparseCategoricalCrossentropy
function losses.SparseCategoricalCrossentropy(options) end
