-- Metrics: numbers that fit and evaluate report besides the loss, with Keras 3's names and defaults. A metric
-- accumulates batches and returns one number.
local lutra, tools, use = ...
local class, options, losses, masks, waiting = use "class", use "options", use "nn.training.losses",
  use "nn.training.masks", use "nn.training.waiting"
local late = use "late"
local fitted, tensor, row_weights, weights_for = losses.fitted, losses.tensor, losses.row_weights, losses.weights_for

-- 0 / 0 has a sign on some machines, which would be printed.
local nan = 0 / 0
if tostring(nan):find "^-" then nan = -nan end
local function plain(value) return value ~= value and nan or value end

-- Tensors are read this many at a time, since a read waits for a GPU.
local kWaiting = 64

local Mean = class "nn.metrics.Mean"
Mean.remembers = true

function Mean:init(given)
  self.name = options.read("metrics.Mean", given, { name = "mean" }).name
  self:reset_state()
end

function Mean:reset_state() self.total, self.count, self.waiting = 0, 0, {} end

-- Adds the mean (a one-element tensor) of `count` rows, or the sum of rows whose weights add up to `count`, a tensor.
function Mean:add(value, count)
  local list = self.waiting
  local at = #list
  list[at + 1], list[at + 2] = value, count
  if at >= 2 * kWaiting then self:read() end
end

function Mean:read()
  local list, total, count = self.waiting, self.total, self.count
  -- Values of no rows are not read.
  local wanted = {}
  for at = 1, #list, 2 do
    local rows = list[at + 1]
    if rows ~= 0 then wanted[#wanted + 1] = list[at] end
    if type(rows) ~= "number" then wanted[#wanted + 1] = rows end
  end
  local numbers, k = waiting.items(wanted), 0
  local function next_number()
    k = k + 1
    return numbers[k]
  end
  for at = 1, #list, 2 do
    local rows = list[at + 1]
    if type(rows) ~= "number" then
      total, count = total + next_number(), count + next_number()
    elseif rows ~= 0 then
      total, count = total + next_number() * rows, count + rows
    end
  end
  self.total, self.count, self.waiting = total, count, {}
end

-- Adds `values`, weighted by sample_weight.
function Mean:update_state(values, sample_weight)
  values = lutra.cast(tensor(self.name, "values", values), "float32")
  if not sample_weight then return self:add(values:mean(), values.size) end
  sample_weight = tensor(self.name, "sample_weight", sample_weight)
  -- A single number for the batch counts as much as its rows together.
  if values.rank == 0 then values = values * lutra.ones_like(lutra.cast(sample_weight, "float32")) end
  local weight = row_weights(self.name, values, sample_weight)
  if weight.size ~= values.size then weight = weight * lutra.ones_like(values) end
  self:add((values * weight):sum(), weight:sum())
end

-- 0 if there were no values or no weights.
function Mean:result()
  self:read()
  return self.count == 0 and 0.0 or plain(self.total / self.count)
end

-- The base of the program's own: define update_state(y_true, y_pred, sample_weight), result and reset_state; init may
-- call Metric.init(self, {name = }). compile takes the class' objects.
local Metric = class "nn.metrics.Metric"
Metric.remembers = true
function Metric:init(given)
  self.name = options.read("metrics.Metric", given, { name = self.kind and self.kind:lower() or "metric" }).name
end
function Metric:extend(name)
  options.text("extend", "name", name)
  local made = class("nn.metrics." .. name, self)
  made.kind = name
  return made
end
-- An object whose init has not set a name has its class's.
function Metric.finish(object)
  if rawget(object, "name") == nil then object.name = (object.kind or "metric"):lower() end
end
for _, method in ipairs { "update_state", "result", "reset_state" } do
  Metric[method] = function(self)
    tools.fail("InvalidArgument", ("metrics.Metric: the class %s has no method %s: define it"):format(self.kind or "Metric", method))
  end
end

local metrics, by_name = { Mean = Mean, Metric = Metric }, {}

-- The same for values of predictions, which may have a mask.
local function update_by_rows(self, values, y_pred, sample_weight)
  local has_rows = tools.is_tensor(values) and values.rank > 0
  return Mean.update_state(self, values,
    has_rows and masks.of(y_pred) and weights_for(self.name, values, y_pred, sample_weight)
    or sample_weight)
end

-- Defines a metric that is a mean over rows. `values(self, labels, predictions)` returns a tensor with one axis or
-- none.
local function define(name, words, defaults, values, check)
  local Metric = class("nn.metrics." .. name, Mean)
  defaults.name = words[1]
  function Metric:init(given)
    for key, value in pairs(options.read("metrics." .. name, given, defaults)) do self[key] = value end
    if check then check(self, "metrics." .. name) end
    self:reset_state()
  end
  function Metric:update_state(y_true, y_pred, sample_weight)
    y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
    update_by_rows(self, values(self, y_true, y_pred), y_pred, sample_weight)
  end
  metrics[name] = Metric
  for _, word in ipairs(words) do by_name[word] = Metric end
end

define("MeanSquaredError", { "mean_squared_error", "mse" }, {}, function(_, y_true, y_pred)
  return lutra.mse(fitted("mse", y_true, y_pred), y_pred)
end)
define("MeanAbsoluteError", { "mean_absolute_error", "mae" }, {}, function(_, y_true, y_pred)
  return lutra.mae(fitted("mae", y_true, y_pred), y_pred)
end)
define("RootMeanSquaredError", { "root_mean_squared_error" }, {}, function(_, y_true, y_pred)
  return lutra.mse(fitted("mse", y_true, y_pred), y_pred)
end)
function metrics.RootMeanSquaredError:result() return math.sqrt(Mean.result(self)) end

-- Losses that are also metrics.
for _, entry in ipairs {
  { "BinaryCrossentropy", "binary_crossentropy", { from_logits = false, label_smoothing = 0.0 } },
  { "CategoricalCrossentropy", "categorical_crossentropy", { from_logits = false, label_smoothing = 0.0 } },
  { "SparseCategoricalCrossentropy", "sparse_categorical_crossentropy", { from_logits = false } },
} do
  local loss = losses.public[entry[2]]
  define(entry[1], { entry[2] }, entry[3], function(self, y_true, y_pred)
    return loss(y_true, y_pred, { from_logits = self.from_logits, label_smoothing = self.label_smoothing })
  end, function(self, who)
    options.boolean(who, "from_logits", self.from_logits)
    if self.label_smoothing then options.number(who, "label_smoothing", self.label_smoothing, 0, 1) end
  end)
end

-- The fraction of right entries along the last axis.
local function last_mean(right)
  right = lutra.cast(right, "float32")
  return right.rank > 1 and right:mean(-1) or right
end
local function labels_of(y_true, y_pred)
  local rank = y_pred.rank
  if y_true.rank == rank and y_true.shape[rank] == 1 then y_true = lutra.squeeze(y_true, -1) end
  if y_true.rank ~= rank - 1 or y_true.size * y_pred.shape[rank] ~= y_pred.size then
    tools.fail("InvalidArgument",
      ("accuracy: labels %s and predictions %s do not match: expected a label for each row of predictions, "
      .. "or a number for each class"):format(tostring(y_true.shape), tostring(y_pred.shape)))
  end
  return lutra.cast(y_true, "int64")
end
local function binary_accuracy(self, y_true, y_pred)
  local label = lutra.cast(fitted("binary_accuracy", y_true, y_pred), "float32")
  return last_mean(lutra.cast(y_pred:gt(self.threshold), "float32"):eq(label))
end
local function sparse_accuracy(_, y_true, y_pred) return lutra.argmax(y_pred, -1):eq(labels_of(y_true, y_pred)) end
local function class_of(who, y_true, y_pred)
  local rank = y_pred.rank
  if y_true.rank == rank and y_true.shape[rank] == 1 and y_pred.shape[rank] > 1 then
    tools.fail("InvalidArgument",
      ("%s: labels %s and predictions %s do not match: expected a number for each class; for classes' "
      .. "numbers there is sparse_%s"):format(who, tostring(y_true.shape), tostring(y_pred.shape), who))
  end
  return lutra.argmax(fitted(who, y_true, y_pred), -1)
end
local function categorical_accuracy(_, y_true, y_pred)
  return lutra.argmax(y_pred, -1):eq(class_of("categorical_accuracy", y_true, y_pred))
end

define("BinaryAccuracy", { "binary_accuracy" }, { threshold = 0.5 }, binary_accuracy)
define("SparseCategoricalAccuracy", { "sparse_categorical_accuracy" }, {}, sparse_accuracy)
define("CategoricalAccuracy", { "categorical_accuracy" }, {}, categorical_accuracy)
-- Labels and predictions determine which of the three accuracies applies.
define("Accuracy", { "accuracy", "acc" }, { threshold = 0.5 }, function(self, y_true, y_pred)
  if y_pred.rank < 2 or y_pred.shape[y_pred.rank] == 1 then return binary_accuracy(self, y_true, y_pred) end
  if y_true.rank == y_pred.rank and y_true.shape[y_true.rank] > 1 then
    return categorical_accuracy(self, y_true, y_pred)
  end
  return sparse_accuracy(self, y_true, y_pred)
end)

-- Defines precision or recall: pick(label, predicted), both 0 or 1, returns what is counted, and among which elements.
local function define_share(name, word, pick)
  local Share, who = class("nn.metrics." .. name, Mean), "metrics." .. name
  function Share:init(given)
    for key, value in pairs(options.read(who, given, { thresholds = 0.5, name = word })) do self[key] = value end
    if type(self.thresholds) == "table" and #self.thresholds == 1 then self.thresholds = self.thresholds[1] end
    if type(self.thresholds) ~= "table" then
      options.number(who, "thresholds", self.thresholds, 0, 1)
    else
      -- A metric for each; the result is a list.
      if #self.thresholds == 0 then tools.fail("InvalidArgument", who .. ": thresholds is an empty list, expected numbers of 0 to 1") end
      self.each = {}
      for i, threshold in ipairs(self.thresholds) do
        options.number(who, ("thresholds[%d]"):format(i), threshold, 0, 1)
        self.each[i] = Share { thresholds = threshold, name = self.name }
      end
    end
    self:reset_state()
  end
  function Share:reset_state()
    for _, each in ipairs(self.each or {}) do each:reset_state() end
    if not self.each then Mean.reset_state(self) end
  end
  function Share:result()
    if not self.each then return Mean.result(self) end
    local list = {}
    for i, each in ipairs(self.each) do list[i] = each:result() end
    return list
  end
  function Share:update_state(y_true, y_pred, sample_weight)
    if self.each then
      for _, each in ipairs(self.each) do each:update_state(y_true, y_pred, sample_weight) end
      return
    end
    y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
    local label = lutra.cast(fitted(self.name, y_true, y_pred):ne(0), "float32")
    local counted, among = pick(label, lutra.cast(y_pred:gt(self.thresholds), "float32"))
    local weights = weights_for(self.name, counted, y_pred, sample_weight)
    Mean.update_state(self, counted, weights and among * weights or among)
  end
  metrics[name], by_name[word] = Share, Share
end
define_share("Precision", "precision", function(label, predicted) return label, predicted end)
define_share("Recall", "recall", function(label, predicted) return predicted, label end)

-- Whether fewer than k classes have a larger prediction than the right one. nan counts as larger, so a right class of
-- nan is never among the first k.
local function in_top(y_pred, labels, k)
  local classes = y_pred.shape[y_pred.rank]
  local right = lutra.take_along_axis(y_pred, lutra.expand_dims(labels, -1), -1)
  return lutra.cast(y_pred:le(right), "int32"):sum(-1):gt(classes - math.min(k, classes))
end
local function check_k(self, who) options.count(who, "k", self.k, 1) end
define("SparseTopKCategoricalAccuracy", { "sparse_top_k_categorical_accuracy", "top_k" }, { k = 5 },
  function(self, y_true, y_pred) return in_top(y_pred, labels_of(y_true, y_pred), self.k) end, check_k)
define("TopKCategoricalAccuracy", { "top_k_categorical_accuracy" }, { k = 5 }, function(self, y_true, y_pred)
  return in_top(y_pred, class_of("top_k_categorical_accuracy", y_true, y_pred), self.k)
end, check_k)

-- The area under a curve, from counts between evenly spaced thresholds, as in Keras.
local AUC = class "nn.metrics.AUC"
AUC.remembers = true
metrics.AUC, by_name.auc = AUC, AUC

function AUC:init(given)
  local read = options.read("metrics.AUC", given, {
    num_thresholds = 200, curve = "ROC", summation_method = "interpolation", from_logits = false, name = "auc",
  })
  for key, value in pairs(read) do self[key] = value end
  options.count("metrics.AUC", "num_thresholds", self.num_thresholds, 2)
  options.word("metrics.AUC", "curve", self.curve, { ROC = true, PR = true })
  options.word("metrics.AUC", "summation_method", self.summation_method,
    { interpolation = true, minoring = true, majoring = true })
  options.boolean("metrics.AUC", "from_logits", self.from_logits)
  self:reset_state()
end
function AUC:reset_state() self.counts = nil end

-- Rows between two neighbouring thresholds are counted together: element b counts predictions in (b - 1, b] /
-- (num_thresholds - 1); the first also counts 0.
function AUC:update_state(y_true, y_pred, sample_weight)
  y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
  if self.from_logits then y_pred = lutra.sigmoid(y_pred) end
  local buckets = self.num_thresholds
  local label = lutra.flatten(lutra.cast(fitted("auc", y_true, y_pred), "float32"))
  local place = lutra.cast(lutra.ceil(lutra.flatten(y_pred) * (buckets - 1.0)), "int64")
  place = lutra.clip(place, 1, buckets - 1)
  local weight = lutra.ones_like(label)
  if sample_weight then
    weight = lutra.flatten(row_weights("auc", y_pred, sample_weight) * lutra.ones_like(lutra.cast(y_pred, "float32")))
  end
  local zeros = lutra.zeros({ buckets }, { dtype = "float64" })
  local function counted(rows) return lutra.scatter_add(zeros, place, lutra.cast(rows, "float64")) end
  local counts = lutra.stack { counted(label * weight), counted((1 - label) * weight) }
  self.counts = self.counts and self.counts + counts or counts
end

local function share(part, all) return all > 0 and part / all or 0.0 end

-- From one threshold to the next lower one, precision changes as hits and predictions do (Davis and Goadrich, ICML 2006).
local function precision_area(hits, more_hits, alarms, more_alarms, all)
  local before, after = hits + alarms, more_hits + more_alarms
  local slope = share(more_hits - hits, after - before)
  local rest = hits - slope * before
  local ratio = before > 0 and after > 0 and after / before or 1
  return share(slope * (more_hits - hits + rest * math.log(ratio)), all)
end

function AUC:result()
  if not self.counts then return 0.0 end
  local counts = self.counts:totable()
  local hits, alarms, area = 0, 0, 0
  local total_hits, total_alarms = 0, 0
  for i = 1, #counts[1] do total_hits, total_alarms = total_hits + counts[1][i], total_alarms + counts[2][i] end
  if total_hits == 0 or self.curve == "ROC" and total_alarms == 0 then return 0.0 end
  local is_roc, method = self.curve == "ROC", self.summation_method
  for i = #counts[1], 1, -1 do
    local more_hits, more_alarms = hits + counts[1][i], alarms + counts[2][i]
    local width, low, high
    if is_roc then
      width, low, high = (more_alarms - alarms) / total_alarms, hits / total_hits, more_hits / total_hits
    else
      width, low, high = (more_hits - hits) / total_hits, share(hits, hits + alarms), share(more_hits, more_hits + more_alarms)
    end
    if method == "minoring" then area = area + width * math.min(low, high)
    elseif method == "majoring" then area = area + width * math.max(low, high)
    elseif is_roc then area = area + width * (low + high) / 2
    else area = area + precision_area(hits, more_hits, alarms, more_alarms, total_hits) end
    hits, alarms = more_hits, more_alarms
  end
  return area
end

-- A function of labels and predictions as a metric.
local Wrapped = class("nn.metrics.Function", Mean)
function Wrapped:init(f, name)
  self.f, self.name = f, name
  self:reset_state()
end
function Wrapped:update_state(y_true, y_pred, sample_weight)
  update_by_rows(self, self.f(y_true, y_pred), y_pred, sample_weight)
end

-- Internal: resolves an entry of compile's list.
local function get(who, value, place, list)
  list = list or "metrics"
  if type(value) == "string" and not by_name[value] then
    for _, file in ipairs { "value_metrics", "confusion_metrics" } do use("nn.training." .. file) end
  end
  -- "AUC" as well as "auc".
  local class_of = type(value) == "string" and not by_name[value] and value ~= "Metric" and metrics[value]
  if type(class_of) == "table" then return class_of() end
  local found = options.resolve(who, ("%s[%d]"):format(list, place), value, by_name)
  if type(value) == "string" then return found { name = value } end
  if type(value) == "function" then return Wrapped(value, "metric_" .. place) end
  if type(value) == "table" and value.update_state and value.result and value.reset_state and value.name then
    return value
  end
  tools.fail("InvalidArgument",
    ("%s: %s[%d] is %s, expected a name, a metric or a function of labels and predictions"):format(
    who, list, place, tools.what_is(value)))
end

local late_files = {}
for file, names in pairs {
  confusion_metrics = "TruePositives TrueNegatives FalsePositives FalseNegatives F1Score FBetaScore IoU BinaryIoU MeanIoU OneHotIoU "
    .. "OneHotMeanIoU PrecisionAtRecall RecallAtPrecision SensitivityAtSpecificity SpecificityAtSensitivity",
  value_metrics = "Sum MeanMetricWrapper CosineSimilarity PearsonCorrelation ConcordanceCorrelation Hinge SquaredHinge "
    .. "CategoricalHinge KLDivergence Poisson LogCoshError MeanAbsolutePercentageError MeanSquaredLogarithmicError R2Score",
} do
  for name in names:gmatch "%S+" do late_files[name] = "nn.training." .. file end
end
late.fields(metrics, late_files)

for _, metric in ipairs { Mean, Metric, AUC, Wrapped } do
  use "colon"(metric, "metric", "metric", "update_state result reset_state")
end

return {
  public = metrics, get = get, Mean = Mean, plain = plain, define = define, by_name = by_name, Metric = Metric, Wrapped = Wrapped,
  labels_of = labels_of,
}
