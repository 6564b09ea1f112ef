-- Losses, with Keras 3's names, defaults and formulas. A function returns one value per row; an object, made with
-- options, returns one number, the mean over the rows. Class labels count from 1.
local lutra, tools, use = ...
local class, options, masks = use "class", use "options", use "nn.training.masks"

-- Probabilities are clipped to this distance from 0 and 1 before their logarithm is taken.
local kEpsilon = 1e-7

local losses, by_name = {}, {}

-- Accepts numbers and tables of numbers as tensors, as operations do.
local function tensor(who, name, value)
  if type(value) == "boolean" then
    tools.fail("InvalidArgument", ("%s: %s is %s, expected a tensor or numbers"):format(who, name, tools.what_is(value)))
  end
  return options.tensor(who, name, value, "a tensor or numbers")
end

-- Labels of shape {n} with predictions of shape {n, 1}, or the reverse, are reshaped. Nothing else is broadcast: that
-- would compare all pairs, which is never meant.
local function fitted(who, y_true, y_pred)
  if tools.have_one_shape(y_true, y_pred) then return y_true end
  local rank, wanted = y_true.rank, y_pred.rank
  local labels = y_true
  if rank == wanted - 1 and y_pred.shape[wanted] == 1 then labels = lutra.expand_dims(y_true, -1) end
  if rank == wanted + 1 and y_true.shape[rank] == 1 then labels = lutra.squeeze(y_true, -1) end
  local matches = labels.rank == wanted and labels.size == y_pred.size
  local left, right = labels.shape, y_pred.shape
  for axis = 1, matches and wanted or 0 do matches = matches and left[axis] == right[axis] end
  if not matches then
    tools.fail("InvalidArgument",
      ("%s: labels %s and predictions %s do not match: expected one shape"):format(who, tostring(y_true.shape),
      tostring(y_pred.shape)))
  end
  return labels
end

-- Reshapes sample weights to multiply `values` with: one number per row, {n} or {n, 1}, or one for each index of the
-- first axes of `values`, shared by the other axes. Keras does the same.
local function row_weights(who, values, weight, what)
  weight = tensor(who, what or "sample_weight", weight)
  local rank, given = values.rank, weight
  if weight.rank == rank + 1 and weight.shape[rank + 1] == 1 then weight = lutra.squeeze(weight, -1) end
  for _ = weight.rank + 1, rank do weight = lutra.expand_dims(weight, -1) end
  local matches, left, right = weight.rank == rank, weight.shape, values.shape
  for axis = 1, matches and rank or 0 do
    matches = matches and (left[axis] == right[axis] or left[axis] == 1 and (axis > 1 or given.rank == 0))
  end
  if not matches then
    tools.fail("InvalidArgument",
      ("%s: %s has the shape %s, and there are losses of the shape %s: expected a number for "
      .. "each row"):format(who, what or "sample_weight", tostring(given.shape), tostring(values.shape)))
  end
  return weight
end

-- The factor for values of predictions, or nil: sample weights, and the mask of the predictions if there is one.
local function weights_for(who, values, y_pred, sample_weight, is_mean)
  local mask = masks.used and masks.of(y_pred)
  if not mask then return sample_weight and row_weights(who, values, sample_weight) end
  local counts = row_weights(who, values, masks.weights(mask, values.dtype, is_mean), "the predictions' mask")
  return sample_weight and counts * row_weights(who, values, sample_weight) or counts
end

-- 16-bit floats cannot represent 1 - kEpsilon: it would round to 1, and the logarithm of the rest would be -inf.
local function unhalved(y) return y.dtype:find "float16" and lutra.cast(y, "float32") or y end

local function probabilities(p) return lutra.clip(unhalved(p), kEpsilon, 1 - kEpsilon) end

-- Defines a loss: class name, words, options, function(self, labels, predictions); self has the options.
local function define(name, words, defaults, fn)
  local function read_options(given)
    local read, who = options.read("losses." .. name, given, defaults), "losses." .. name
    if read.from_logits ~= nil then options.boolean(who, "from_logits", read.from_logits) end
    if read.label_smoothing then options.number(who, "label_smoothing", read.label_smoothing, 0, 1) end
    if read.delta then options.positive(who, "delta", read.delta) end
    return read
  end
  local Loss = class("nn.losses." .. name)
  Loss.remembers = true
  defaults.reduction, defaults.name = "sum_over_batch_size", false
  function Loss:init(given)
    for key, value in pairs(read_options(given)) do self[key] = value end
    options.word("losses." .. name, "reduction", self.reduction,
      { sum_over_batch_size = true, mean = true, sum = true, none = true })
    self.name = self.name or words[1]
  end
  -- Multiplies by sample_weight, but divides by the number of rows, as Keras does.
  function Loss:__call(y_true, y_pred, sample_weight)
    y_true, y_pred = tensor(words[1], "y_true", y_true), tensor(words[1], "y_pred", y_pred)
    local values = fn(self, y_true, y_pred)
    local weights = weights_for(words[1], values, y_pred, sample_weight,
      self.reduction ~= "sum" and self.reduction ~= "none")
    if weights then values = values * weights end
    if self.reduction == "none" then return values end
    return self.reduction == "sum" and values:sum() or values:mean()
  end
  losses[name] = Loss
  local function rows(y_true, y_pred, given)
    return fn(read_options(given), tensor(words[1], "y_true", y_true), tensor(words[1], "y_pred", y_pred))
  end
  for _, word in ipairs(words) do by_name[word], losses[word] = Loss, rows end
end

-- Labels as floats of the predictions' dtype, in their shape.
local function both(who, y_true, y_pred)
  y_pred = unhalved(y_pred)
  return lutra.cast(fitted(who, y_true, y_pred), y_pred.dtype), y_pred
end

local mse, mae, cross_entropy, softmax_cross_entropy = lutra.mse, lutra.mae, lutra.cross_entropy,
  lutra.softmax_cross_entropy

define("MeanSquaredError", { "mean_squared_error", "mse" }, {}, function(_, y_true, y_pred)
  return mse(fitted("mse", y_true, y_pred), y_pred)
end)
define("MeanAbsoluteError", { "mean_absolute_error", "mae" }, {}, function(_, y_true, y_pred)
  return mae(fitted("mae", y_true, y_pred), y_pred)
end)
-- Quadratic up to `delta`, linear beyond (Huber, 1964).
define("Huber", { "huber" }, { delta = 1.0 }, function(self, y_true, y_pred)
  local delta = self.delta
  local apart = lutra.abs(y_pred - fitted("huber", y_true, y_pred))
  local near = lutra.minimum(apart, delta)
  return (near * (apart - near * 0.5)):mean(-1)
end)

-- Labels are 0 or 1, or the probability of 1.
define("BinaryCrossentropy", { "binary_crossentropy" }, { from_logits = false, label_smoothing = 0.0 },
  function(self, y_true, y_pred)
    local given = unhalved(y_pred)
    local labels = lutra.cast(fitted("binary_crossentropy", y_true, y_pred), given.dtype)
    if self.label_smoothing > 0 then labels = labels * (1 - self.label_smoothing) + 0.5 * self.label_smoothing end
    if self.from_logits then return (lutra.softplus(given) - labels * given):mean(-1) end
    local p = probabilities(given)
    return -(labels * lutra.log(p) + (1 - labels) * lutra.log(1 - p)):mean(-1)
  end)
-- The first class number in class_weight.
losses.BinaryCrossentropy.first_class = 0
-- Checked before training: with a label of 2 the loss could fall forever. `waits`: check even if that means waiting for
-- a GPU.
function losses.BinaryCrossentropy:check_labels(who, y_true, waits)
  if y_true.dtype == "bool" or y_true.size == 0 or not waits and not y_true.device:find "CPU:%d+$" then return end
  local least, most = lutra.min(y_true):item(), lutra.max(y_true):item()
  if least < 0 or most > 1 then
    tools.fail("InvalidArgument",
      ("%s: labels are from %g to %g, and binary_crossentropy takes those of 0 to 1; for classes' numbers "
      .. "there is sparse_categorical_crossentropy"):format(who, least, most))
  end
end
-- Labels are distributions, one number per class.
define("CategoricalCrossentropy", { "categorical_crossentropy" }, { from_logits = false, label_smoothing = 0.0 },
  function(self, y_true, y_pred)
    if y_true.rank ~= y_pred.rank then
      tools.fail("InvalidArgument",
        ("categorical_crossentropy: labels %s and predictions %s do not match: expected a number for "
        .. "each class; for classes' numbers there is sparse_categorical_crossentropy"):format(tostring(y_true.shape),
        tostring(y_pred.shape)))
    end
    y_true = fitted("categorical_crossentropy", y_true, y_pred)
    if self.label_smoothing > 0 then
      local classes = y_pred.shape[y_pred.rank]
      y_true = y_true * (1 - self.label_smoothing) + self.label_smoothing / classes
    end
    if self.from_logits then return softmax_cross_entropy(y_true, y_pred) end
    local p = probabilities(y_pred / y_pred:sum(-1, { keepdims = true }))
    return -(y_true * lutra.log(p)):sum(-1)
  end)
-- Labels are class numbers, 1..n, of an integer dtype.
define("SparseCategoricalCrossentropy", { "sparse_categorical_crossentropy" }, { from_logits = false },
  function(self, y_true, y_pred)
    if y_true.rank == y_pred.rank and y_true.shape[y_true.rank] == 1 then y_true = lutra.squeeze(y_true, -1) end
    return cross_entropy(y_true, self.from_logits and y_pred or lutra.log(probabilities(y_pred)))
  end)

-- Losses of other files, which are loaded on use.
local more = {}
for file, names in pairs {
  hinge_losses = "Hinge SquaredHinge CategoricalHinge hinge squared_hinge categorical_hinge",
  distance_losses = [[KLDivergence Poisson LogCosh CosineSimilarity MeanAbsolutePercentageError MeanSquaredLogarithmicError
    kl_divergence kld poisson log_cosh logcosh cosine_similarity mean_absolute_percentage_error mape
    mean_squared_logarithmic_error msle]],
  imbalance_losses = [[BinaryFocalCrossentropy CategoricalFocalCrossentropy Dice Tversky binary_focal_crossentropy
    categorical_focal_crossentropy dice tversky]],
  ctc_loss = "CTC ctc",
} do
  for name in names:gmatch "%S+" do more[name] = "nn.training." .. file end
end
use "late".fields(losses, more)

-- Internal: resolves compile's option to a function of labels, predictions and weights (or nil).
local function get(who, value)
  if type(value) == "string" and more[value] then use(more[value]) end
  -- "MeanSquaredError" as well as "mean_squared_error".
  local named = type(value) == "string" and not by_name[value] and losses[value]
  local found = type(named) == "table" and named or options.resolve(who, "loss", value, by_name)
  if type(value) == "string" then return found() end
  if type(value) == "function" then
    return function(y_true, y_pred, sample_weight)
      local values = value(y_true, y_pred)
      if not tools.is_tensor(values) then
        tools.fail("InvalidArgument",
          ("the loss function gives %s, expected a tensor: one number per row, or their mean"):format(
          tools.what_is(values)))
      end
      if sample_weight and values.rank == 0 then
        tools.fail("InvalidArgument",
          "the loss function gives one number for the batch, which cannot be weighted by rows: expected "
          .. "one number per row if there is a sample_weight or a class_weight")
      end
      local weights = values.rank > 0 and weights_for("the loss function", values, y_pred, sample_weight, true)
      if weights then values = values * weights end
      return values.rank > 0 and values:mean() or values
    end
  end
  local kind = getmetatable(value)
  if type(kind) == "table" and kind.__call then return value end
  tools.fail("InvalidArgument",
    ("%s: loss is %s, expected a name, a loss or a function of labels and predictions"):format(who,
    tools.what_is(value)))
end

-- Checks a batch's labels if the loss has a check that does not wait for a GPU, since this runs at each step.
local function check_batch(who, y, loss)
  if y and type(loss) == "table" and loss.check_labels then loss:check_labels(who, y) end
end

return {
  public = losses, get = get, check_batch = check_batch, fitted = fitted, tensor = tensor, row_weights = row_weights,
  weights_for = weights_for, define = define, unhalved = unhalved, both = both, probabilities = probabilities, kEpsilon = kEpsilon,
}
