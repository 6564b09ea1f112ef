-- Metrics that add up values of predictions: sums, losses as metrics, R2. Loaded when one is named.
local lutra, tools, use = ...
local class, options, losses, metrics = use "class", use "options", use "nn.training.losses", use "nn.training.metrics"
local Mean, define, by_name, tensor = metrics.Mean, metrics.define, metrics.by_name, losses.tensor

local made = {}

-- The sum of the values passed to update_state.
local Sum = class("nn.metrics.Sum", Mean)
function Sum:init(given)
  self.name = options.read("metrics.Sum", given, { name = "sum" }).name
  self:reset_state()
end
function Sum:result()
  self:read()
  return metrics.plain(self.total)
end
made.Sum = Sum

-- Losses as metrics, by the losses' names.
for _, entry in ipairs {
  { "Hinge", "hinge" }, { "SquaredHinge", "squared_hinge" }, { "CategoricalHinge", "categorical_hinge" },
  { "KLDivergence", "kl_divergence", "kld" }, { "Poisson", "poisson" }, { "LogCoshError", "logcosh", "log_cosh" },
  { "MeanAbsolutePercentageError", "mean_absolute_percentage_error", "mape" },
  { "MeanSquaredLogarithmicError", "mean_squared_logarithmic_error", "msle" },
} do
  local loss = losses.public[entry[2]]
  define(entry[1], { table.unpack(entry, 2) }, {}, function(_, y_true, y_pred) return loss(y_true, y_pred) end)
end
define("CosineSimilarity", { "cosine_similarity" }, { axis = -1 }, function(self, y_true, y_pred)
  return -losses.public.cosine_similarity(y_true, y_pred, { axis = self.axis })
end)

local function mean(self, x, keepdims) return (lutra.mean(x, { axis = self.axis, keepdims = keepdims })) end
-- Labels and predictions without their means along the axis, and the difference of the means.
local function centred(self, y_true, y_pred)
  if not y_pred.dtype:find "float" then y_pred = lutra.cast(y_pred, "float32") end
  y_true = lutra.cast(losses.fitted(self.name, y_true, y_pred), y_pred.dtype)
  local of_true, of_pred = mean(self, y_true, true), mean(self, y_pred, true)
  return y_true - of_true, y_pred - of_pred, of_true - of_pred
end
define("PearsonCorrelation", { "pearson_correlation" }, { axis = -1 }, function(self, y_true, y_pred)
  local a, b = centred(self, y_true, y_pred)
  return mean(self, a * b) / lutra.sqrt(mean(self, a * a) * mean(self, b * b))
end)
define("ConcordanceCorrelation", { "concordance_correlation" }, { axis = -1 }, function(self, y_true, y_pred)
  local a, b, between = centred(self, y_true, y_pred)
  return mean(self, a * b) * 2.0 / (mean(self, a * a) + mean(self, b * b) + mean(self, between * between) + 1e-7)
end)

-- A function of labels and predictions, with options for it.
local MeanMetricWrapper = class("nn.metrics.MeanMetricWrapper", metrics.Wrapped)
MeanMetricWrapper.remembers = true
function MeanMetricWrapper:init(f, given)
  if not options.is_callable(f) then
    tools.fail("InvalidArgument", ("metrics.MeanMetricWrapper: function is %s, expected a function of labels and predictions"):format(
      tools.what_is(f)))
  end
  metrics.Wrapped.init(self, f, options.read("metrics.MeanMetricWrapper", given, { name = "mean_metric_wrapper" }).name)
end
made.MeanMetricWrapper = MeanMetricWrapper

-- The share of the labels' variance that predictions explain, a column at a time.
local R2Score = class "nn.metrics.R2Score"
R2Score.remembers = true
made.R2Score, by_name.r2_score = R2Score, R2Score
function R2Score:init(given)
  local read = options.read("metrics.R2Score", given,
    { class_aggregation = "uniform_average", num_regressors = 0, name = "r2_score" })
  for key, value in pairs(read) do self[key] = value end
  if self.class_aggregation then
    options.word("metrics.R2Score", "class_aggregation", self.class_aggregation,
      { uniform_average = true, variance_weighted_average = true })
  end
  options.count("metrics.R2Score", "num_regressors", self.num_regressors, 0)
  self:reset_state()
end
function R2Score:reset_state() self.sums, self.rows = nil, 0 end
function R2Score:update_state(y_true, y_pred, sample_weight)
  y_true, y_pred = tensor(self.name, "y_true", y_true), tensor(self.name, "y_pred", y_pred)
  y_true = lutra.cast(losses.fitted(self.name, y_true, y_pred), "float64")
  y_pred = lutra.cast(y_pred, "float64")
  if y_pred.rank ~= 2 then
    tools.fail("InvalidArgument", ("%s: predictions have the shape %s, expected (rows, outputs)"):format(self.name,
      tostring(y_pred.shape)))
  end
  local weight = lutra.ones_like(y_true)
  if sample_weight then
    weight = weight * lutra.cast(losses.row_weights(self.name, y_true, sample_weight), "float64")
  end
  local weighted = y_true * weight
  local sums = lutra.stack {
    weighted:sum(1), (y_true * weighted):sum(1), (lutra.square(y_true - y_pred) * weight):sum(1), weight:sum(1),
  }
  self.sums = self.sums and self.sums + sums or sums
  self.rows = self.rows + y_true.size
end
-- A list with class_aggregation = false.
function R2Score:result()
  if not self.sums then return 0.0 end
  local sums, scores, totals = self.sums:totable(), {}, {}
  for i = 1, #sums[1] do
    totals[i] = sums[2][i] - sums[1][i] * sums[1][i] / sums[4][i]
    local score = 1 - sums[3][i] / totals[i]
    scores[i] = (score == math.huge or score == -math.huge) and 0.0 or metrics.plain(score)
  end
  if not self.class_aggregation then return scores end
  local sum, weights = 0.0, 0.0
  for i, score in ipairs(scores) do
    local weight = self.class_aggregation == "uniform_average" and 1 or totals[i]
    sum, weights = sum + weight * score, weights + weight
  end
  local score, regressors, n = sum / weights, self.num_regressors, self.rows
  if regressors > 0 and regressors < n - 1 then score = 1 - (1 - score) * (n - 1) / (n - regressors - 1) end
  return metrics.plain(score)
end

for name, Made in pairs(metrics.public) do made[name] = made[name] or Made end
for word, Made in pairs { sum = Sum } do by_name[word] = Made end

return made
