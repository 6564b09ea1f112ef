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

--- Of the elements predicted above the threshold, the fraction whose label is not 0; 0 if there are none.
---@param options? table {name; thresholds = 0.5: one number}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option, or a threshold that is not a number from 0 to 1.
--- Example:
---     local metric = lt.nn.metrics.Precision()
---     metric:update_state({0, 1, 1}, {0.9, 0.2, 0.8})
---     print(metric:result())  --> 0.5
--- Source: keras.metrics.Precision
function metrics.Precision(options) end

--- Of the elements whose label is not 0, the fraction predicted above the threshold; 0 if there are none.
---@param options? table {name; thresholds = 0.5: one number}
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

--- The area under the ROC curve (true over false positive rate), from num_thresholds thresholds; predictions are in [0,
--- 1].
---@param options? table {name = "auc"; num_thresholds = 200}
---@return table # with update_state, result and reset_state
--- Errors: InvalidArgument for an unknown option.
--- Example:
---     local metric = lt.nn.metrics.AUC()
---     metric:update_state(lt.constant {0, 0, 1, 1}, lt.constant {0.1, 0.4, 0.35, 0.8})
---     print(metric:result())  --> 0.75
--- Source: keras.metrics.AUC
function metrics.AUC(options) end
