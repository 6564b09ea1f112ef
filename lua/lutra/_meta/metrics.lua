---@meta

--- Metrics: numbers accumulated over batches, with Keras 3's names and defaults. `update_state(labels, predictions[,
--- sample_weight])` adds a batch, `result()` returns the number, and `reset_state()` starts over. compile takes such
--- objects, their names, or functions of labels and predictions.
---@class lutra.nn.metrics
local metrics = {}

--- The mean of the values passed to update_state.
---@param options? table {name = "mean"}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.Mean()
---     metric:update_state(lt.constant {1.0, 3.0})
---     print(metric:result())  --> 2.0
--- Source: keras.metrics.Mean
function metrics.Mean(options) end

--- The mean squared difference.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.MeanSquaredError()
---     metric:update_state(lt.zeros {2, 1}, lt.constant {{1.0}, {3.0}})
---     print(metric:result())  --> 5.0
--- Source: keras.metrics.MeanSquaredError
function metrics.MeanSquaredError(options) end

--- The mean absolute difference.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.MeanAbsoluteError()
---     metric:update_state(lt.zeros {2, 1}, lt.constant {{1.0}, {3.0}})
---     print(metric:result())  --> 2.0
--- Source: keras.metrics.MeanAbsoluteError
function metrics.MeanAbsoluteError(options) end

--- The root of the mean squared difference.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.RootMeanSquaredError()
---     metric:update_state(lt.zeros {2, 1}, lt.constant {{3.0}, {3.0}})
---     print(metric:result())  --> 3.0
--- Source: keras.metrics.RootMeanSquaredError
function metrics.RootMeanSquaredError(options) end

--- The fraction of correct rows. Labels and predictions decide whether they are two classes, class numbers or
--- distributions.
---@param options? table {name; threshold = 0.5, for two classes}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.Accuracy()
---     metric:update_state(lt.constant {2, 2}, lt.constant {{0.1, 0.9}, {0.8, 0.2}})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.Accuracy
function metrics.Accuracy(options) end

--- The fraction of rows whose prediction is on the label's side of the threshold.
---@param options? table {name; threshold = 0.5}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.BinaryAccuracy()
---     metric:update_state(lt.constant {1, 0}, lt.constant {0.9, 0.6})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.BinaryAccuracy
function metrics.BinaryAccuracy(options) end

--- The fraction of rows whose largest prediction is at the index of the largest label.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.CategoricalAccuracy()
---     metric:update_state(lt.constant {{0.0, 1.0}, {0.0, 1.0}}, lt.constant {{0.1, 0.9}, {0.8, 0.2}})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.CategoricalAccuracy
function metrics.CategoricalAccuracy(options) end

--- The fraction of rows whose largest prediction is for the label's class. Labels are class numbers.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.SparseCategoricalAccuracy()
---     metric:update_state(lt.constant {2, 1}, lt.constant {{0.1, 0.9}, {0.8, 0.2}})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.SparseCategoricalAccuracy
function metrics.SparseCategoricalAccuracy(options) end

--- The fraction of rows whose k largest predictions include the class of the largest label.
---@param options? table {name; k = 5}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.TopKCategoricalAccuracy()
---     metric:update_state(lt.constant {{0.0, 1.0}, {0.0, 1.0}}, lt.constant {{0.1, 0.9}, {0.8, 0.2}})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.TopKCategoricalAccuracy
function metrics.TopKCategoricalAccuracy(options) end

--- The fraction of rows whose k largest predictions include the label, a class number. compile also knows it as
--- "top_k".
---@param options? table {name; k = 5}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.SparseTopKCategoricalAccuracy()
---     metric:update_state(lt.constant {2, 2}, lt.constant {{0.1, 0.9}, {0.8, 0.2}})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.SparseTopKCategoricalAccuracy
function metrics.SparseTopKCategoricalAccuracy(options) end

--- Of the elements predicted above the threshold, the fraction whose label is not 0; 0 if there are none. Of several
--- thresholds a list.
---@param options? table {name; thresholds = 0.5: a number, or a list}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option, or a threshold that is not a number from 0 to 1.
--- Example:
---     local metric = lt.nn.metrics.Precision()
---     metric:update_state({0, 1, 1}, {0.9, 0.2, 0.8})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.Precision
function metrics.Precision(options) end

--- Of the elements whose label is not 0, the fraction predicted above the threshold; 0 if there are none. Of several
--- thresholds a list.
---@param options? table {name; thresholds = 0.5: a number, or a list}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option, or a threshold that is not a number from 0 to 1.
--- Example:
---     local metric = lt.nn.metrics.Recall()
---     metric:update_state({0, 1, 1}, {0.9, 0.2, 0.8})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.Recall
function metrics.Recall(options) end

--- The mean of losses.binary_crossentropy.
---@param options? table {name; from_logits = false; label_smoothing = 0}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.BinaryCrossentropy()
---     metric:update_state({{1}, {0}}, {{0.5}, {0.5}})
---     print(("%.4f"):format(metric:result()))  --> 0.6931
--- Source: keras.metrics.BinaryCrossentropy
function metrics.BinaryCrossentropy(options) end

--- The mean of losses.categorical_crossentropy.
---@param options? table {name; from_logits = false; label_smoothing = 0}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.CategoricalCrossentropy()
---     metric:update_state({{0.0, 1.0}}, {{0.5, 0.5}})
---     print(("%.4f"):format(metric:result()))  --> 0.6931
--- Source: keras.metrics.CategoricalCrossentropy
function metrics.CategoricalCrossentropy(options) end

--- The mean of losses.sparse_categorical_crossentropy.
---@param options? table {name; from_logits = false}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.SparseCategoricalCrossentropy()
---     metric:update_state({2}, {{0.5, 0.5}})
---     print(("%.4f"):format(metric:result()))  --> 0.6931
--- Source: keras.metrics.SparseCategoricalCrossentropy
function metrics.SparseCategoricalCrossentropy(options) end

--- The area under a curve of num_thresholds points. "ROC" is the true over the false positive rate, "PR" is precision
--- over recall. Predictions are in [0, 1].
---@param options? table {name = "auc"; num_thresholds = 200; curve = "ROC" or "PR"; summation_method = "interpolation", "minoring" or "majoring": how the curve runs between thresholds; from_logits = false: predictions are logits}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.AUC()
---     metric:update_state(lt.constant {0, 0, 1, 1}, lt.constant {0.1, 0.4, 0.35, 0.8})
---     print(metric:result())  --> 0.75
--- Source: keras.metrics.AUC
function metrics.AUC(options) end

--- The base class of a program's own metrics. `Metric:extend(name)` makes a class, which defines update_state(self, y_true,
--- y_pred, sample_weight), result(self) and reset_state(self). compile takes its objects.
---@param options? table {name}
---@return table
--- Errors: InvalidArgument when a method is called that the class does not define.
--- Example:
---     local Largest = lt.nn.metrics.Metric:extend "Largest"
---     function Largest:init() self:reset_state() end
---     function Largest:reset_state() self.most = 0 end
---     function Largest:update_state(_, y_pred) self.most = math.max(self.most, y_pred:max():item()) end
---     function Largest:result() return self.most end
---     print(Largest().name)  --> largest
--- Source: keras.metrics.Metric
function metrics.Metric(options) end

--- The sum of the values passed to update_state.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.Sum()
---     metric:update_state({1.0, 3.0})
---     print(metric:result())  --> 4.0
--- Source: keras.metrics.Sum
function metrics.Sum(options) end

--- How many labels that are not 0 have a prediction above the threshold. With a list of
--- thresholds the result is a list.
---@param options? table {thresholds = 0.5; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.TruePositives()
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.TruePositives
function metrics.TruePositives(options) end

--- How many labels of 0 have a prediction up to the threshold. With a list of
--- thresholds the result is a list.
---@param options? table {thresholds = 0.5; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.TrueNegatives()
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.TrueNegatives
function metrics.TrueNegatives(options) end

--- How many labels of 0 have a prediction above the threshold. With a list of
--- thresholds the result is a list.
---@param options? table {thresholds = 0.5; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.FalsePositives()
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 0.0
--- Source: keras.metrics.FalsePositives
function metrics.FalsePositives(options) end

--- How many labels that are not 0 have a prediction up to the threshold. With a list of
--- thresholds the result is a list.
---@param options? table {thresholds = 0.5; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.FalseNegatives()
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.FalseNegatives
function metrics.FalseNegatives(options) end

--- The harmonic mean of precision and recall by class: rows have a number for each class. Without a threshold the
--- largest prediction of a row counts. Without an average the result is a list.
---@param options? table {average = "micro", "macro" or "weighted"; threshold; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.F1Score {average = "micro"}
---     metric:update_state({{1, 0}, {0, 1}}, {{0.9, 0.2}, {0.6, 0.3}})
---     print(("%.1f"):format(metric:result()))  --> 0.5
--- Source: keras.metrics.F1Score
function metrics.F1Score(options) end

--- F1Score with recall counted beta times as much as precision.
---@param options? table {beta = 1; average = "micro", "macro" or "weighted"; threshold; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.FBetaScore {beta = 2, average = "micro"}
---     metric:update_state({{1, 0}, {0, 1}}, {{0.9, 0.2}, {0.6, 0.3}})
---     print(("%.1f"):format(metric:result()))  --> 0.5
--- Source: keras.metrics.FBetaScore
function metrics.FBetaScore(options) end

--- Intersection over union of the target classes, a mean over them. Labels and predictions are class numbers from 1, or
--- with sparse_y_true or sparse_y_pred = false a number for each class. Class numbers outside are not counted.
---@param options? table {num_classes; target_class_ids = all; ignore_class; sparse_y_true = true; sparse_y_pred = true; axis = -1; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.IoU {num_classes = 2, target_class_ids = {1}}
---     metric:update_state({1, 2, 2}, {1, 1, 2})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.IoU
function metrics.IoU(options) end

--- Intersection over union, the mean over all classes.
---@param options? table {num_classes; ignore_class; sparse_y_true = true; sparse_y_pred = true; axis = -1; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.MeanIoU {num_classes = 2}
---     metric:update_state({1, 2, 2}, {1, 1, 2})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.MeanIoU
function metrics.MeanIoU(options) end

--- IoU of labels and predictions that have a number for each class.
---@param options? table {num_classes; target_class_ids = all; ignore_class; axis = -1; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.OneHotIoU {num_classes = 2}
---     metric:update_state({{1, 0}, {0, 1}}, {{0.9, 0.1}, {0.2, 0.8}})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.OneHotIoU
function metrics.OneHotIoU(options) end

--- MeanIoU of labels and predictions that have a number for each class.
---@param options? table {num_classes; ignore_class; axis = -1; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.OneHotMeanIoU {num_classes = 2}
---     metric:update_state({{1, 0}, {0, 1}}, {{0.9, 0.1}, {0.2, 0.8}})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.OneHotMeanIoU
function metrics.OneHotMeanIoU(options) end

--- IoU of two classes, 0 and 1: predictions above the threshold are 1.
---@param options? table {target_class_ids = {0, 1}; threshold = 0.5; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.BinaryIoU()
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.BinaryIoU
function metrics.BinaryIoU(options) end

--- The largest sensitivity (recall) at thresholds where the specificity is at least the given one. The specificity is the
--- share of negatives that are recognised.
---@param options? table {specificity; num_thresholds = 200; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.SensitivityAtSpecificity {specificity = 0.5}
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.SensitivityAtSpecificity
function metrics.SensitivityAtSpecificity(options) end

--- The largest specificity at thresholds where the sensitivity is at least the given one.
---@param options? table {sensitivity; num_thresholds = 200; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.SpecificityAtSensitivity {sensitivity = 0.5}
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.SpecificityAtSensitivity
function metrics.SpecificityAtSensitivity(options) end

--- The largest precision at thresholds where the recall is at least the given one.
---@param options? table {recall; num_thresholds = 200; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.PrecisionAtRecall {recall = 0.5}
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.PrecisionAtRecall
function metrics.PrecisionAtRecall(options) end

--- The largest recall at thresholds where the precision is at least the given one.
---@param options? table {precision; num_thresholds = 200; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.RecallAtPrecision {precision = 0.5}
---     metric:update_state({0, 1, 1}, {0.2, 0.7, 0.4})
---     print(metric:result())  --> 1.0
--- Source: keras.metrics.RecallAtPrecision
function metrics.RecallAtPrecision(options) end

--- The cosine of the angle between labels and predictions along an axis.
---@param options? table {axis = -1; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.CosineSimilarity()
---     metric:update_state({{0.0, 1.0}}, {{1.0, 1.0}})
---     print(("%.4f"):format(metric:result()))  --> 0.7071
--- Source: keras.metrics.CosineSimilarity
function metrics.CosineSimilarity(options) end

--- The mean of Pearson's correlation coefficients of labels and predictions along an axis; nan where either is constant.
---@param options? table {axis = -1, name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.PearsonCorrelation()
---     metric:update_state({{0, 1, 0.5}, {1, 1, 0.2}}, {{0.1, 0.9, 0.5}, {1, 0.9, 0.2}})
---     print(("%.4f"):format(metric:result()))  --> 0.9967
--- Source: keras.metrics.PearsonCorrelation
function metrics.PearsonCorrelation(options) end

--- The mean of Lin's concordance coefficients of labels and predictions along an axis: correlation, less where means or
--- variances differ.
---@param options? table {axis = -1, name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.ConcordanceCorrelation()
---     metric:update_state({{0, 1, 0.5}, {1, 1, 0.2}}, {{0.1, 0.9, 0.5}, {1, 0.9, 0.2}})
---     print(("%.4f"):format(metric:result()))  --> 0.9816
--- Source: keras.metrics.ConcordanceCorrelation
function metrics.ConcordanceCorrelation(options) end

--- The mean of max(1 - y p, 0). Labels are -1 and 1, or 0 and 1.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.Hinge()
---     metric:update_state({{0, 1}}, {{0.5, 0.5}})
---     print(("%.4f"):format(metric:result()))  --> 1.0000
--- Source: keras.metrics.Hinge
function metrics.Hinge(options) end

--- The mean of max(1 - y p, 0) squared.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.SquaredHinge()
---     metric:update_state({{0, 1}}, {{0.5, 0.5}})
---     print(("%.4f"):format(metric:result()))  --> 1.2500
--- Source: keras.metrics.SquaredHinge
function metrics.SquaredHinge(options) end

--- The largest wrong prediction minus the right one plus 1, or 0.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.CategoricalHinge()
---     metric:update_state({{0, 1}}, {{0.5, 0.5}})
---     print(("%.4f"):format(metric:result()))  --> 1.0000
--- Source: keras.metrics.CategoricalHinge
function metrics.CategoricalHinge(options) end

--- The divergence of Kullback and Leibler from predictions to labels, both distributions.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.KLDivergence()
---     metric:update_state({{0.5, 0.5}}, {{0.25, 0.75}})
---     print(("%.4f"):format(metric:result()))  --> 0.1438
--- Source: keras.metrics.KLDivergence
function metrics.KLDivergence(options) end

--- Predictions minus labels times their logarithm: the loss of counts.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.Poisson()
---     metric:update_state({{1.0, 2.0}}, {{1.0, 2.0}})
---     print(("%.4f"):format(metric:result()))  --> 0.8069
--- Source: keras.metrics.Poisson
function metrics.Poisson(options) end

--- The mean of log(cosh(difference)).
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.LogCoshError()
---     metric:update_state({{0.0, 0.0}}, {{1.0, 0.0}})
---     print(("%.4f"):format(metric:result()))  --> 0.2169
--- Source: keras.metrics.LogCoshError
function metrics.LogCoshError(options) end

--- The mean absolute difference, in percent of the labels.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.MeanAbsolutePercentageError()
---     metric:update_state({{1.0, 2.0}}, {{1.5, 2.0}})
---     print(("%.4f"):format(metric:result()))  --> 25.0000
--- Source: keras.metrics.MeanAbsolutePercentageError
function metrics.MeanAbsolutePercentageError(options) end

--- The mean squared difference of the logarithms of values plus 1.
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.MeanSquaredLogarithmicError()
---     metric:update_state({{1.0, 2.0}}, {{1.0, 3.0}})
---     print(("%.4f"):format(metric:result()))  --> 0.0414
--- Source: keras.metrics.MeanSquaredLogarithmicError
function metrics.MeanSquaredLogarithmicError(options) end

--- The share of the labels' variance that predictions explain. With class_aggregation = false the result is a list, a
--- number for each column.
---@param options? table {class_aggregation = "uniform_average" or "variance_weighted_average"; num_regressors = 0; name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option or one that is out of range.
--- Example:
---     local metric = lt.nn.metrics.R2Score()
---     metric:update_state({{1.0}, {2.0}, {3.0}}, {{1.0}, {2.0}, {4.0}})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.R2Score
function metrics.R2Score(options) end

--- A function of labels and predictions as a metric: the mean of its rows.
---@param f function of labels and predictions, which returns one number per row
---@param options? table {name}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for a value that is no function, or an unknown option.
--- Example:
---     local metric = lt.nn.metrics.MeanMetricWrapper(lt.mse, {name = "square"})
---     metric:update_state(lt.zeros {2, 1}, lt.constant {{1.0}, {3.0}})
---     print(metric:result())  --> 5.0
--- Source: keras.metrics.MeanMetricWrapper
function metrics.MeanMetricWrapper(f, options) end
