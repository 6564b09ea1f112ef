-- Metrics from counts of right and wrong predictions: at one threshold, at many, and by pairs of classes. Loaded when one
-- is named.
local lutra, tools, use = ...
local class, options, losses, metrics = use "class", use "options", use "nn.training.losses", use "nn.training.metrics"
local by_name, tensor = metrics.by_name, losses.tensor

local made = {}

local function define(name, word, defaults, check)
  local Made = class("nn.metrics." .. name)
  Made.remembers = true
  defaults.name = word
  function Made:init(given)
    for key, value in pairs(options.read("metrics." .. name, given, defaults)) do self[key] = value end
    if check then check(self, "metrics." .. name) end
    self:reset_state()
  end
  made[name], by_name[word] = Made, Made
  return Made
end

-- Labels that are not 0, predictions and weights of all elements, as float64 vectors.
local function elements(self, y_true, y_pred, sample_weight)
  y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
  local label = lutra.cast(losses.fitted(self.name, y_true, y_pred):ne(0), "float64")
  local weight = losses.weights_for(self.name, y_pred, y_pred, sample_weight)
  weight = weight and lutra.cast(weight, "float64") * lutra.ones_like(label) or nil
  return label, y_pred, weight
end

-- One threshold or several: of several the result is a list.
local function check_thresholds(self, who)
  local list = type(self.thresholds) == "table" and self.thresholds or { self.thresholds }
  if #list == 0 then
    tools.fail("InvalidArgument", who .. ": thresholds is an empty list, expected numbers of 0 to 1")
  end
  for i, threshold in ipairs(list) do options.number(who, ("thresholds[%d]"):format(i), threshold, 0, 1) end
  self.list = list
end
for _, entry in ipairs {
  { "TruePositives", "true_positives", true, true }, { "TrueNegatives", "true_negatives", false, false },
  { "FalsePositives", "false_positives", false, true }, { "FalseNegatives", "false_negatives", true, false },
} do
  local Count = define(entry[1], entry[2], { thresholds = 0.5 }, check_thresholds)
  function Count:reset_state() self.counts = nil end
  function Count:update_state(y_true, y_pred, sample_weight)
    local label, prediction, weight = elements(self, y_true, y_pred, sample_weight)
    local is_label = label:eq(entry[3] and 1 or 0)
    local counts = {}
    for i, threshold in ipairs(self.list) do
      local counted = lutra.cast(lutra.logical_and(is_label, entry[4] and prediction:gt(threshold) or prediction:le(threshold)), "float64")
      counts[i] = (weight and counted * weight or counted):sum()
    end
    counts = lutra.stack(counts)
    self.counts = self.counts and self.counts + counts or counts
  end
  function Count:result()
    local counts = self.counts and self.counts:totable() or {}
    for i = 1, #self.list do counts[i] = counts[i] or 0.0 end
    return #counts > 1 and counts or counts[1]
  end
end

-- F scores by class: rows have a number for each class.
local function check_score(self, who)
  if self.average then
    options.word(who, "average", self.average, { micro = true, macro = true, weighted = true })
  end
  options.positive(who, "beta", self.beta)
  if self.threshold then options.number(who, "threshold", self.threshold, 0, 1) end
end
local FBetaScore = define("FBetaScore", "fbeta_score", { average = false, beta = 1.0, threshold = false }, check_score)
function FBetaScore:reset_state() self.sums = nil end
function FBetaScore:update_state(y_true, y_pred, sample_weight)
  y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
  y_true = lutra.cast(losses.fitted(self.name, y_true, y_pred), "float64")
  if y_pred.rank ~= 2 then
    tools.fail("InvalidArgument", ("%s: predictions have the shape %s, expected (rows, classes)"):format(self.name,
      tostring(y_pred.shape)))
  end
  local is_chosen
  if self.threshold then
    is_chosen = y_pred:gt(self.threshold)
  else
    is_chosen = lutra.logical_and(y_pred:ge(y_pred:max(-1, { keepdims = true })), lutra.abs(y_pred):gt(1e-9))
  end
  local chosen = lutra.cast(is_chosen, "float64")
  local weight = sample_weight and lutra.cast(losses.row_weights(self.name, y_true, sample_weight), "float64")
  local function sum(x) return (weight and x * weight or x):sum(1) end
  local sums = lutra.stack { sum(chosen * y_true), sum(chosen * (1 - y_true)), sum((1 - chosen) * y_true), sum(y_true) }
  self.sums = self.sums and self.sums + sums or sums
end
-- A list of the classes' scores without an average.
function FBetaScore:result()
  if not self.sums then return self.average and 0.0 or {} end
  local sums = (self.average == "micro" and self.sums:sum(-1, { keepdims = true }) or self.sums):totable()
  local right, wrong, missed, labels, scores, total = sums[1], sums[2], sums[3], sums[4], {}, 0
  for i = 1, #right do
    local precision, recall = right[i] / (right[i] + wrong[i] + 1e-7), right[i] / (right[i] + missed[i] + 1e-7)
    local square = self.beta ^ 2
    scores[i], total = (1 + square) * precision * recall / (square * precision + recall + 1e-7), total + labels[i]
  end
  if not self.average then return scores end
  local mean = 0.0
  for i, score in ipairs(scores) do
    mean = mean + score * (self.average == "weighted" and labels[i] / (total + 1e-7) or 1 / #scores)
  end
  return metrics.plain(mean)
end
local F1Score = define("F1Score", "f1_score", { average = false, threshold = false }, function(self, who)
  self.beta = 1
  check_score(self, who)
end)
for _, name in ipairs { "reset_state", "update_state", "result" } do F1Score[name] = FBetaScore[name] end

-- Intersection over union, from counts of (label, prediction); classes count from 1, or with sparse_... = false they are
-- the largest of a number for each class.
local function class_numbers(self, value, is_sparse)
  if not is_sparse then return lutra.flatten(lutra.argmax(value, self.axis)) end
  return lutra.flatten(lutra.cast(value, "int64"))
end
local function update_pairs(self, y_true, y_pred, weight)
  local n = self.num_classes
  local inside = lutra.logical_and(lutra.logical_and(y_true:ge(1), y_true:le(n)), lutra.logical_and(y_pred:ge(1), y_pred:le(n)))
  if self.ignore_class then inside = lutra.logical_and(inside, y_true:ne(self.ignore_class)) end
  local at = lutra.where(inside, (y_true - 1) * n + y_pred, 1)
  local counted = lutra.cast(inside, "float64")
  if weight then counted = counted * lutra.flatten(lutra.cast(weight, "float64") * lutra.ones_like(counted:reshape(self.shape_of))) end
  local counts = lutra.scatter_add(lutra.zeros({ n * n }, { dtype = "float64" }), at, counted)
  self.counts = self.counts and self.counts + counts or counts
end
local IoU_methods = {}
function IoU_methods:reset_state() self.counts = nil end
function IoU_methods:update_state(y_true, y_pred, sample_weight)
  y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
  local left, right = class_numbers(self, y_true, self.sparse_y_true), class_numbers(self, y_pred, self.sparse_y_pred)
  if left.size ~= right.size then
    tools.fail("InvalidArgument", ("%s: labels %s and predictions %s do not match: expected as many classes"):format(self.name,
      tostring(y_true.shape), tostring(y_pred.shape)))
  end
  self.shape_of = { right.size }
  if sample_weight then
    sample_weight = lutra.flatten(tensor(self.name, "sample_weight", sample_weight))
    if sample_weight.size ~= 1 and sample_weight.size ~= right.size then
      tools.fail("InvalidArgument", ("%s: sample_weight has %d numbers, and there are %d predictions"):format(self.name,
        sample_weight.size, right.size))
    end
  end
  update_pairs(self, left, right, sample_weight)
end
-- The mean over the target classes that have labels or predictions.
function IoU_methods:result()
  if not self.counts then return 0.0 end
  local n = self.num_classes
  local counts, sum, valid = self.counts:totable(), 0.0, 0
  for _, id in ipairs(self.target_class_ids) do
    local row, column = 0, 0
    for k = 1, n do row, column = row + counts[(id - 1) * n + k], column + counts[(k - 1) * n + id] end
    local both = counts[(id - 1) * n + id]
    local union = row + column - both
    if union > 0 then sum, valid = sum + both / union, valid + 1 end
  end
  return valid > 0 and sum / valid or 0.0
end

local function check_classes(self, who)
  self.num_classes = options.count(who, "num_classes", self.num_classes or nil, 1)
  if self.ignore_class then options.whole(who, "ignore_class", self.ignore_class) end
  if not self.target_class_ids then
    self.target_class_ids = {}
    for id = 1, self.num_classes do self.target_class_ids[id] = id end
  elseif type(self.target_class_ids) ~= "table" then
    self.target_class_ids = { self.target_class_ids }
  end
  for i, id in ipairs(self.target_class_ids) do
    if options.whole(who, ("target_class_ids[%d]"):format(i), id) < 1 or id > self.num_classes then
      tools.fail("InvalidArgument", ("%s: target_class_ids[%d] is %d, expected a class from 1 to %d"):format(who, i, id,
        self.num_classes))
    end
  end
end
for _, entry in ipairs {
  { "IoU", "iou", { num_classes = false, target_class_ids = false, ignore_class = false, sparse_y_true = true, sparse_y_pred = true, axis = -1 } },
  { "MeanIoU", "mean_iou", { num_classes = false, ignore_class = false, sparse_y_true = true, sparse_y_pred = true, axis = -1 } },
  { "OneHotIoU", "one_hot_iou", { num_classes = false, target_class_ids = false, ignore_class = false, sparse_y_true = false, sparse_y_pred = false, axis = -1 } },
  { "OneHotMeanIoU", "one_hot_mean_iou", { num_classes = false, ignore_class = false, sparse_y_true = false, sparse_y_pred = false, axis = -1 } },
} do
  local Made = define(entry[1], entry[2], entry[3], check_classes)
  for name, method in pairs(IoU_methods) do Made[name] = method end
end

-- Labels are 0 or 1, and predictions above the threshold count as 1; target_class_ids are 0, 1 or both.
local BinaryIoU = define("BinaryIoU", "binary_iou", { target_class_ids = false, threshold = 0.5 }, function(self, who)
  options.number(who, "threshold", self.threshold, 0, 1)
  self.num_classes = 2
  local ids = {}
  for i, id in ipairs(self.target_class_ids or { 0, 1 }) do
    if id ~= 0 and id ~= 1 then
      tools.fail("InvalidArgument", ("%s: target_class_ids[%d] is %s, expected 0 or 1"):format(who, i, tools.what_is(id)))
    end
    ids[i] = id + 1
  end
  self.target_class_ids = ids
end)
for name, method in pairs(IoU_methods) do BinaryIoU[name] = method end
function BinaryIoU:update_state(y_true, y_pred, sample_weight)
  local label, prediction, weight = elements(self, y_true, y_pred, sample_weight)
  self.shape_of = { label.size }
  update_pairs(self, lutra.cast(lutra.flatten(label), "int64") + 1, lutra.cast(lutra.flatten(prediction:gt(self.threshold)), "int64") + 1,
    weight and lutra.flatten(weight))
end

-- Counts at evenly spaced thresholds: right and wrong predictions above each.
local function thresholds_of(count)
  if count == 1 then return { 0.5 } end
  local list = {}
  for i = 1, count do list[i] = (i - 1) / (count - 1) end
  return list
end
local Curve = {}
function Curve:reset_state() self.sums = nil end
function Curve:update_state(y_true, y_pred, sample_weight)
  local label, prediction, weight = elements(self, y_true, y_pred, sample_weight)
  local count = self.num_thresholds
  label = lutra.flatten(label)
  weight = weight and lutra.flatten(weight) or lutra.ones_like(label)
  -- Element b counts predictions above b - 1 thresholds, and no more.
  local thresholds = lutra.constant(thresholds_of(count), { dtype = prediction.dtype })
  local place = lutra.cast(lutra.searchsorted(thresholds, lutra.flatten(prediction)), "int64")
  local zeros = lutra.zeros({ count + 1 }, { dtype = "float64" })
  local sums = lutra.stack { lutra.scatter_add(zeros, place, label * weight), lutra.scatter_add(zeros, place, (1 - label) * weight) }
  self.sums = self.sums and self.sums + sums or sums
end
-- By threshold: true positives, false positives, true negatives, false negatives.
local function curve_of(self)
  local sums, list, hits, alarms, labels, others = self.sums:totable(), {}, 0, 0, 0, 0
  for i = 1, #sums[1] do labels, others = labels + sums[1][i], others + sums[2][i] end
  for i = self.num_thresholds, 1, -1 do
    hits, alarms = hits + sums[1][i + 1], alarms + sums[2][i + 1]
    list[i] = { hits, alarms, others - alarms, labels - hits }
  end
  return list
end
local function share(part, rest) return part + rest > 0 and part / (part + rest) or 0.0 end
local function sensitivity(point) return share(point[1], point[4]) end
local function specificity(point) return share(point[3], point[2]) end
local function precision(point) return share(point[1], point[2]) end
for _, entry in ipairs {
  { "SensitivityAtSpecificity", "sensitivity_at_specificity", "specificity", sensitivity, specificity },
  { "SpecificityAtSensitivity", "specificity_at_sensitivity", "sensitivity", specificity, sensitivity },
  { "PrecisionAtRecall", "precision_at_recall", "recall", precision, sensitivity },
  { "RecallAtPrecision", "recall_at_precision", "precision", sensitivity, precision },
} do
  local name, option, wanted, bound = entry[1], entry[3], entry[4], entry[5]
  local Made = define(name, entry[2], { [option] = false, num_thresholds = 200 }, function(self, who)
    options.number(who, option, self[option] or nil, 0, 1)
    options.count(who, "num_thresholds", self.num_thresholds, 1)
  end)
  for method, f in pairs(Curve) do Made[method] = f end
  function Made:result()
    local best = 0.0
    for _, point in ipairs(self.sums and curve_of(self) or {}) do
      if bound(point) >= self[option] then best = math.max(best, wanted(point)) end
    end
    return best
  end
end

return made
