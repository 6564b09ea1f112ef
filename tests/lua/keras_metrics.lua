-- Losses and metrics against Keras' own numbers (make_keras_metrics.py): as functions and objects, with weights, in fit.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local golden = dofile("tests/support/golden/keras_metrics.lua")
local nn = lt.nn

lt.config.set_simulated_gpus(1)

local function data(name, i)
  local dtype = (name == "CLASS" or name == "GUESS") and "int64" or "float32"
  return lt.constant(golden.data[name][i], { dtype = dtype })
end

local words = {
  Hinge = "hinge", SquaredHinge = "squared_hinge", CategoricalHinge = "categorical_hinge", KLDivergence = "kl_divergence",
  Poisson = "poisson", LogCosh = "log_cosh", CosineSimilarity = "cosine_similarity", MeanAbsolutePercentageError = "mape",
  MeanSquaredLogarithmicError = "msle", BinaryFocalCrossentropy = "binary_focal_crossentropy",
  CategoricalFocalCrossentropy = "categorical_focal_crossentropy", Dice = "dice", Tversky = "tversky",
}
local function copied(options, more)
  local made = {}
  for key, value in pairs(options) do made[key] = value end
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

expect.case("losses", function()
  for _, case in ipairs(golden.losses) do
    local name, y, p, options = case[1], data(case[2], 1), data(case[3], 1), case[4]
    local what = name .. " of " .. case[2]
    expect.close(nn.losses[words[name]](y, p, copied(options)), case.rows, 2e-5, what .. ", function")
    expect.close(nn.losses[name](copied(options, { reduction = "none" }))(y, p), case.rows, 2e-5, what .. ", rows")
    expect.close(nn.losses[name](options)(y, p):item(), case.value, 2e-5, what)
    local half = nn.losses[words[name]](y:cast "float16", p:cast "float16", copied(options))
    if name ~= "MeanAbsolutePercentageError" then expect.close(half, case.rows, 1e-2, what .. ", float16") end
  end
end)

expect.case("CTC", function()
  local ctc = golden.ctc
  local labels, logits = lt.constant(ctc.labels):cast "int64", lt.constant(ctc.logits)
  expect.close(nn.losses.ctc(labels, logits), ctc.rows, 2e-5)
  expect.close(nn.losses.CTC()(labels:float32(), logits):item(), ctc.value, 2e-5)
  expect.close(nn.losses.CTC { reduction = "sum" }(labels, logits, { 1.0, 0.0, 2.0 }):item(), ctc.rows[1] + 2 * ctc.rows[3], 1e-4)
  -- Zeros behind the labels are padding, too.
  local zeros = lt.where(labels:eq(1), 0, labels)
  expect.close(nn.losses.ctc(zeros, logits), ctc.rows, 2e-5)
  local model = nn.Sequential { nn.Dense(4, { input_shape = { 7, 4 } }) }
  model:compile { optimizer = lt.optim.Adam { learning_rate = 0.1 }, loss = "ctc" }
  local losses = model:fit(logits, labels, { epochs = 40, verbose = 0 }).history.loss
  assert(losses[40] < 0.5 * losses[1], losses[40])
  expect.raises("InvalidArgument", "ctc: labels (3,) and predictions (3, 7, 4) do not match", nn.losses.CTC(), { 2, 3, 4 }, logits)
end)

expect.case("metrics of several thresholds in fit", function()
  local model = nn.Sequential { nn.Dense(1, { activation = "sigmoid", kernel_initializer = "zeros" }) }
  model:compile { loss = "mse", optimizer = lt.optim.SGD { learning_rate = 0.0 },
    metrics = { nn.metrics.Recall { thresholds = { 0.3, 0.6 } }, nn.metrics.TruePositives { thresholds = { 0.3, 0.6 } } } }
  local history = model:fit(lt.ones { 4, 2 }, lt.ones { 4, 1 }, { verbose = 2 }).history
  expect.equal({ history.recall[1], history.true_positives[1] }, { { 1, 0 }, { 4, 0 } })
end)

expect.case("their gradients", function()
  for _, case in ipairs(golden.losses) do
    local y, p, loss = data(case[2], 1):cast "float64", data(case[3], 1):cast "float64", nn.losses[case[1]](case[4])
    local tape <close> = lt.GradientTape()
    tape:watch(p)
    local slope = tape:gradient(loss(y, p), p)
    local step, at = 1e-5, { 3, 2 }
    local one = lt.tensor_scatter_nd_update(lt.zeros_like(p), { at }, lt.constant({ step }, { dtype = "float64" }))
    local wanted = (loss(y, p + one):item() - loss(y, p - one):item()) / (2 * step)
    expect.close(slope[at]:item(), wanted, 1e-6, case[1])
  end
end)

expect.case("metrics, without and with weights", function()
  for _, case in ipairs(golden.metrics) do
    for weighted = 0, 1 do
      local metric = nn.metrics[case[1]](case[4])
      local wanted = case[5 + weighted]
      for again = 1, 2 do
        for i = 1, 2 do
          local weight = weighted == 1 and lt.constant(golden.data.WEIGHTS[i]) or nil
          if case[2] then
            metric:update_state(data(case[2], i), data(case[3], i), weight)
          else
            metric:update_state(data(case[3], i), weight)
          end
        end
        local got = metric:result()
        expect.close(got, wanted, 3e-5, ("%s of %s, %s, time %d"):format(case[1], tostring(case[2]),
          weighted == 1 and "weighted" or "plain", again))
        metric:reset_state()
      end
    end
  end
end)

-- Keras 3.15's numbers.
expect.case("correlations", function()
  local y = { { { 0, 1, 0.5 }, { 1, 1, 0.2 } }, { { 0.3, -1, 2 }, { 4, 0.5, 1.5 } } }
  local p = { { { 0.1, 0.9, 0.5 }, { 1, 0.9, 0.2 } }, { { 0.5, -0.25, 1 }, { 2, 1, 3 } } }
  local weights = { { 1.0, 3.0 }, { 0.5, 2.0 } }
  local function result(name, options, weighted)
    local metric = nn.metrics[name](options)
    for i = 1, 2 do metric:update_state(lt.constant(y[i]), lt.constant(p[i]), weighted and lt.constant(weights[i]) or nil) end
    return metric:result()
  end
  expect.close(result("PearsonCorrelation"), 0.8131034970283508, 1e-6)
  expect.close(result("PearsonCorrelation", nil, true), 0.7731893062591553, 1e-6)
  local none = result("PearsonCorrelation", { axis = 1 })
  assert(none ~= none, "a column is constant")
  expect.close(result("ConcordanceCorrelation"), 0.7243220806121826, 1e-6)
  expect.close(result("ConcordanceCorrelation", nil, true), 0.7320807576179504, 1e-6)
  expect.close(result("ConcordanceCorrelation", { axis = 1 }), 0.4701610505580902, 1e-6)
  local metric = nn.metrics.PearsonCorrelation()
  metric:update_state({ { 1, 2, 4 } }, { { 1, 3, 4 } })
  expect.close(metric:result(), 13 / (2 * math.sqrt(49)), 1e-6, "of integers")
  expect.equal(nn.metrics.ConcordanceCorrelation().name, "concordance_correlation")
  expect.raises("InvalidArgument", "pearson_correlation", metric.update_state, metric, { { 1, 2 } }, { { 1.0, 2, 3 } })
  expect.raises("InvalidArgument", "unknown option 'axes'", nn.metrics.PearsonCorrelation, { axes = 1 })
  local model = nn.Sequential { nn.Dense(3, { input_shape = { 3 } }) }
  model:compile { loss = "mse", metrics = { "pearson_correlation", "ConcordanceCorrelation" } }
  local logs = model:evaluate(lt.constant(p[1]), lt.constant(y[1]), { verbose = 0, return_dict = true })
  assert(logs.pearson_correlation and logs.concordance_correlation)
end)

expect.case("by name in compile, from a file, and on batches without rows", function()
  local x, y = data("P", 1), data("BITS", 1)
  local model = nn.Sequential { nn.Dense(3, { activation = "sigmoid", input_shape = { 3 } }) }
  model:compile { optimizer = "adam", loss = "binary_focal_crossentropy",
    metrics = { "true_positives", nn.metrics.F1Score { average = "macro", threshold = 0.5 }, "mape", nn.metrics.AUC { curve = "PR" } } }
  model:fit(x, y, { epochs = 2, verbose = 0 })
  local before = model:evaluate(x, y, { verbose = 0, return_dict = true })
  local path = expect.path ".safetensors"
  model:save(path)
  local again = nn.load_model(path):evaluate(x, y, { verbose = 0, return_dict = true })
  os.remove(path)
  expect.equal(again, before)
  for _, name in ipairs { "loss", "true_positives", "f1_score", "mean_absolute_percentage_error", "auc" } do
    assert(before[name] or before.mape, name)
  end
  for name in ("TruePositives F1Score PrecisionAtRecall R2Score Sum AUC"):gmatch "%S+" do
    local options = name == "PrecisionAtRecall" and { recall = 0.5 } or {}
    local result = nn.metrics[name](options):result()
    expect.equal(type(result) == "table" and #result or result, 0, name)
  end
end)

expect.case("a metric of the program's own", function()
  local Largest = nn.metrics.Metric:extend "Largest"
  function Largest:reset_state() self.most = 0 end
  function Largest:init() self:reset_state() end
  function Largest:update_state(_, y_pred) self.most = math.max(self.most, y_pred:max():item()) end
  function Largest:result() return self.most end
  local model = nn.Sequential { nn.Dense(1, { kernel_initializer = "ones", input_shape = { 1 } }) }
  model:compile { optimizer = "sgd", loss = "mse", metrics = { Largest() } }
  local logs = model:evaluate({ { 1.0 }, { 7.0 } }, { { 1.0 }, { 7.0 } }, { verbose = 0, return_dict = true })
  expect.equal(logs.largest, 7)
  local Bare = nn.metrics.Metric:extend "Bare"
  local bare = Bare { name = "b" }
  expect.equal(bare.name, "b")
  expect.raises("InvalidArgument", "the class Bare has no method result: define it", bare.result, bare)
end)

expect.case("what is refused", function()
  local function refused(words_of, name, options) expect.raises("InvalidArgument", words_of, nn.metrics[name], options) end
  refused("metrics.TruePositives: thresholds[2] is 2, expected a number of 0 to 1", "TruePositives", { thresholds = { 0.5, 2 } })
  refused("thresholds is an empty list", "FalsePositives", { thresholds = {} })
  refused("metrics.F1Score: average is \"mean\", which is not known", "F1Score", { average = "mean" })
  refused("beta is 0, expected a number above 0", "FBetaScore", { beta = 0 })
  refused("metrics.IoU: num_classes is nil, expected a whole number, 1 or more", "IoU", {})
  refused("target_class_ids[1] is 4, expected a class from 1 to 3", "IoU", { num_classes = 3, target_class_ids = { 4 } })
  refused("target_class_ids[1] is 2, expected 0 or 1", "BinaryIoU", { target_class_ids = { 2 } })
  refused("metrics.PrecisionAtRecall: recall is nil, expected a number of 0 to 1", "PrecisionAtRecall", {})
  refused("metrics.AUC: curve is \"P\", which is not known", "AUC", { curve = "P" })
  refused("unknown option 'treshold' (did you mean 'threshold'?)", "F1Score", { treshold = 0.5 })
  local f1 = nn.metrics.F1Score()
  expect.raises("InvalidArgument", "expected (rows, classes)", f1.update_state, f1, { 1.0 }, { 1.0 })
  expect.raises("InvalidArgument", "losses.CategoricalFocalCrossentropy: gamma is -1", nn.losses.categorical_focal_crossentropy,
    { { 1.0 } }, { { 1.0 } }, { gamma = -1 })
  expect.raises("InvalidArgument", "expected one shape", nn.losses.hinge, { { 1.0 } }, { { 1.0, 2.0 } })
end)

expect.end_of_cases()
