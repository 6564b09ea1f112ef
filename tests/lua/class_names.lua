-- compile takes the names of classes of losses and metrics, as Keras does.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local x, y = lt.random.normal({ 8, 3 }, { seed = 1 }), lt.constant { 0, 1, 0, 1, 1, 0, 1, 0 }
local function evaluated(loss, metrics)
  lt.random.set_seed(2)
  local model = nn.Sequential { nn.Dense(1, { activation = "sigmoid", input_shape = { 3 } }) }
  model:compile { optimizer = "SGD", loss = loss, metrics = metrics }
  return model:evaluate(x, y, { verbose = 0, return_dict = true })
end

expect.case("losses", function()
  for class, word in pairs {
    MeanSquaredError = "mean_squared_error", MeanAbsoluteError = "mae", BinaryCrossentropy = "binary_crossentropy", Huber = "huber",
    LogCosh = "log_cosh", Hinge = "hinge", Poisson = "poisson",
  } do
    expect.equal(evaluated(class, {}), evaluated(word, {}), class)
  end
  expect.raises("InvalidArgument", 'loss is "MeanSquareError", which is not known', evaluated, "MeanSquareError", {})
end)

expect.case("metrics", function()
  local by_class = evaluated("mse", { "AUC", "Precision", "Recall", "TruePositives", "MeanAbsoluteError", "BinaryAccuracy", "CosineSimilarity" })
  local by_word = evaluated("mse", { "auc", "precision", "recall", "true_positives", "mean_absolute_error", "binary_accuracy",
    "cosine_similarity" })
  expect.equal(by_class, by_word)
  expect.raises("InvalidArgument", 'metrics[1] is "Auc", which is not known', evaluated, "mse", { "Auc" })
  expect.raises("InvalidArgument", 'metrics[1] is "Metric", which is not known', evaluated, "mse", { "Metric" })
end)

expect.end_of_cases()
