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

--- The mean in each row of max(1 - y p, 0). Labels are -1 and 1, or 0 and 1.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.hinge({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.0000
--- Source: keras.losses.hinge
function losses.hinge(y_true, y_pred, options) end

--- The mean over the rows of hinge.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.Hinge()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.0000
--- Source: keras.losses.Hinge
function losses.Hinge(options) end

--- The mean in each row of max(1 - y p, 0) squared. Labels are -1 and 1, or 0 and 1.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.squared_hinge({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.2500
--- Source: keras.losses.squared_hinge
function losses.squared_hinge(y_true, y_pred, options) end

--- The mean over the rows of squared_hinge.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.SquaredHinge()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.2500
--- Source: keras.losses.SquaredHinge
function losses.SquaredHinge(options) end

--- The largest wrong prediction minus the right one plus 1, or 0. Labels have a number for each class.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.categorical_hinge({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.0000
--- Source: keras.losses.categorical_hinge
function losses.categorical_hinge(y_true, y_pred, options) end

--- The mean over the rows of categorical_hinge.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.CategoricalHinge()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 1.0000
--- Source: keras.losses.CategoricalHinge
function losses.CategoricalHinge(options) end

--- The divergence of Kullback and Leibler from predictions to labels, both distributions, in nats.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.kl_divergence({{0.5, 0.5}}, {{0.25, 0.75}}):item()))  --> 0.1438
--- Source: keras.losses.kl_divergence
function losses.kl_divergence(y_true, y_pred, options) end

--- The mean over the rows of kl_divergence.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.KLDivergence()({{0.5, 0.5}}, {{0.25, 0.75}}):item()))  --> 0.1438
--- Source: keras.losses.KLDivergence
function losses.KLDivergence(options) end

losses.kld = losses.kl_divergence

--- The mean in each row of p - y log(p), the loss of counts.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.poisson({{1.0, 2.0}}, {{1.0, 2.0}}):item()))  --> 0.8069
--- Source: keras.losses.poisson
function losses.poisson(y_true, y_pred, options) end

--- The mean over the rows of poisson.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.Poisson()({{1.0, 2.0}}, {{1.0, 2.0}}):item()))  --> 0.8069
--- Source: keras.losses.Poisson
function losses.Poisson(options) end

--- The mean in each row of log(cosh(difference)): quadratic near 0, linear far from it.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.log_cosh({{0.0, 0.0}}, {{1.0, 0.0}}):item()))  --> 0.2169
--- Source: keras.losses.log_cosh
function losses.log_cosh(y_true, y_pred, options) end

--- The mean over the rows of log_cosh.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.LogCosh()({{0.0, 0.0}}, {{1.0, 0.0}}):item()))  --> 0.2169
--- Source: keras.losses.LogCosh
function losses.LogCosh(options) end

losses.logcosh = losses.log_cosh

--- Minus the cosine of the angle between labels and predictions: -1 is the same direction.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {axis = -1}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.cosine_similarity({{0.0, 1.0}}, {{1.0, 1.0}}):item()))  --> -0.7071
--- Source: keras.losses.cosine_similarity
function losses.cosine_similarity(y_true, y_pred, options) end

--- The mean over the rows of cosine_similarity.
---@param options? table {axis = -1; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.CosineSimilarity()({{0.0, 1.0}}, {{1.0, 1.0}}):item()))  --> -0.7071
--- Source: keras.losses.CosineSimilarity
function losses.CosineSimilarity(options) end

--- The mean absolute difference in each row, in percent of the labels.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.mean_absolute_percentage_error({{1.0, 2.0}}, {{1.5, 2.0}}):item()))  --> 25.0000
--- Source: keras.losses.mean_absolute_percentage_error
function losses.mean_absolute_percentage_error(y_true, y_pred, options) end

--- The mean over the rows of mean_absolute_percentage_error.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.MeanAbsolutePercentageError()({{1.0, 2.0}}, {{1.5, 2.0}}):item()))  --> 25.0000
--- Source: keras.losses.MeanAbsolutePercentageError
function losses.MeanAbsolutePercentageError(options) end

losses.mape = losses.mean_absolute_percentage_error

--- The mean squared difference in each row of the logarithms of values plus 1.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.mean_squared_logarithmic_error({{1.0, 2.0}}, {{1.0, 3.0}}):item()))  --> 0.0414
--- Source: keras.losses.mean_squared_logarithmic_error
function losses.mean_squared_logarithmic_error(y_true, y_pred, options) end

--- The mean over the rows of mean_squared_logarithmic_error.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.MeanSquaredLogarithmicError()({{1.0, 2.0}}, {{1.0, 3.0}}):item()))  --> 0.0414
--- Source: keras.losses.MeanSquaredLogarithmicError
function losses.MeanSquaredLogarithmicError(options) end

losses.msle = losses.mean_squared_logarithmic_error

--- Binary cross-entropy, in which certain predictions count less (Lin et al., ICCV 2017).
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {gamma = 2; alpha = 0.25; apply_class_balancing = false; from_logits = false; label_smoothing = 0}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.binary_focal_crossentropy({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.1733
--- Source: keras.losses.binary_focal_crossentropy
function losses.binary_focal_crossentropy(y_true, y_pred, options) end

--- The mean over the rows of binary_focal_crossentropy.
---@param options? table {gamma = 2; alpha = 0.25; apply_class_balancing = false; from_logits = false; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.BinaryFocalCrossentropy()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.1733
--- Source: keras.losses.BinaryFocalCrossentropy
function losses.BinaryFocalCrossentropy(options) end

--- Cross-entropy of distributions, in which certain predictions count less.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {gamma = 2; alpha = 0.25; from_logits = false; label_smoothing = 0}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.categorical_focal_crossentropy({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.0433
--- Source: keras.losses.categorical_focal_crossentropy
function losses.categorical_focal_crossentropy(y_true, y_pred, options) end

--- The mean over the rows of categorical_focal_crossentropy.
---@param options? table {gamma = 2; alpha = 0.25; from_logits = false; label_smoothing = 0; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.CategoricalFocalCrossentropy()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.0433
--- Source: keras.losses.CategoricalFocalCrossentropy
function losses.CategoricalFocalCrossentropy(options) end

--- The loss of sequences whose labels have no places (connectionist temporal classification). Classes count from 1, and class
--- 1 is the blank; labels 0 and 1 at the end of a row are padding. lutra.ctc_loss takes lengths and another blank.
---@param y_true lutra.Tensor|table class numbers, shape [rows, most labels]
---@param y_pred lutra.Tensor|table logits, shape [rows, steps, classes]
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for other shapes, or labels that are no classes.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.ctc({{2, 1}}, {{{0, 0}, {0, 0}}}):item()))  --> 0.2877
--- Source: keras.losses.ctc
function losses.ctc(y_true, y_pred) end

--- The mean over the rows of ctc.
---@param options? table {reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, logits and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.CTC()({{2, 1}}, {{{0, 0}, {0, 0}}}):item()))  --> 0.2877
--- Source: keras.losses.CTC
function losses.CTC(options) end

--- 1 minus twice the overlap of labels and predictions over their sums: one number for the batch, or with axis one for each
--- index of the other axes.
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {axis}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.dice({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.5000
--- Source: keras.losses.dice
function losses.dice(y_true, y_pred, options) end

--- The mean over the rows of dice.
---@param options? table {axis; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.Dice()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.5000
--- Source: keras.losses.Dice
function losses.Dice(options) end

--- Dice with weights of false negatives (alpha) and false positives (beta).
---@param y_true lutra.Tensor|table labels
---@param y_pred lutra.Tensor|table predictions, with the labels' shape
---@param options? table {alpha = 0.5; beta = 0.5; axis}
---@return lutra.Tensor # one value per row
--- Errors: InvalidArgument for shapes that do not match.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.tversky({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.5000
--- Source: keras.losses.tversky
function losses.tversky(y_true, y_pred, options) end

--- The mean over the rows of tversky.
---@param options? table {alpha = 0.5; beta = 0.5; axis; reduction = "sum_over_batch_size", "sum" or "none"}
---@return function # takes labels, predictions and optional sample weights; returns a scalar (one value per row for "none")
--- Errors: InvalidArgument for an unknown option or reduction.
--- Example:
---     print(("%.4f"):format(lt.nn.losses.Tversky()({{0, 1}}, {{0.5, 0.5}}):item()))  --> 0.5000
--- Source: keras.losses.Tversky
function losses.Tversky(options) end
