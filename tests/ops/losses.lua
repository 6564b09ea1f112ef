local spec = require "spec"
local nn_cases = require "nn_cases"

local nan, inf = 0 / 0, math.huge

local function one_hot(labels, depth, dtype)
  return lt.range(1, depth + 1):eq(labels:reshape { labels.size, 1 }):cast(dtype)
end

spec "cross_entropy" {
  example = { { 1, 2 }, { { 0.0, 0.0 }, { 0.0, 2.0 } }, gives = { 0.6931, 0.1269 }, dtype = "float32" },
  examples = {
    { 3, { 0.0, 0.0, 0.0 }, gives = 1.0986 },
    { { { 1, 2 }, { 2, 1 } }, { { { 0.0, 0.0 }, { 0.0, 2.0 } }, { { 1.0, 1.0 }, { 0.0, 2.0 } } },
      gives = { { 0.6931, 0.1269 }, { 0.6931, 2.1269 } } },
    { uint8 { 2 }, { { 0, 2 } }, gives = { 0.1269 }, dtype = "float32" },
    { int8 { 2 }, float16 { { 0, 2 } }, gives = { 0.1269 }, tolerance = 2e-3, dtype = "float16" },
    { int16 { 2 }, bfloat16 { { 0, 2 } }, gives = { 0.1269 }, tolerance = 1e-2, dtype = "bfloat16" },
    { int64 { 2 }, float64 { { 0, 2 } }, gives = { 0.126928011042972496 }, tolerance = 1e-12, dtype = "float64" },
    { { 1 }, { { 1000.0, 0.0 } }, gives = { 0 } },
    { { 2 }, { { 1000.0, 0.0 } }, gives = { 1000 } },
    { { 2 }, { { 0.0, -inf } }, gives = { inf } },
    { { 1 }, { { 0.0, nan } }, gives = { nan } },
    { zeros({ 0 }, "int32"), zeros(0, 3), shape = { 0 } },
    { zeros({ 0 }, "int32"), zeros(0, 0), shape = { 0 } },
  },
  rejects = {
    { args = { { 1, 0 }, { { 1.0, 2.0 }, { 1.0, 2.0 } } }, says = "cross_entropy: label 0; labels count from 1" },
    { args = { { 3, 0 }, { { 1.0, 2.0 }, { 1.0, 2.0 } } }, says = "cross_entropy: label 3 is not there: there are 2 classes",
      code = "OutOfRange" },
    { args = { { -1 }, { { 1.0, 2.0 } } }, says = "cross_entropy: label -1 is not there", code = "OutOfRange" },
    { args = { { 1 }, zeros(1, 0) }, says = "cross_entropy: label 1 is not there: there are 0 classes", code = "OutOfRange" },
    { args = { { 1, 2 }, { { 1.0, 2.0 } } },
      says = "cross_entropy: labels (2,) and logits (1, 2) do not match: expected a label for each row of logits, (1,)" },
    { args = { { { 1 } }, { { 1.0, 2.0 } } }, says = "cross_entropy: labels (1, 1) and logits (1, 2) do not match" },
    { args = { { 1.5 }, { { 1.0, 2.0 } } }, says = "cross_entropy: labels is float32, expected an integer" },
    { args = { 1, 2.0 }, says = "cross_entropy: logits is a scalar, expected a number for each class" },
    { args = { { 1 }, bool { { true, false } } }, says = "cross_entropy: logits is bool, expected a number" },
    { args = { { 1 } }, says = "cross_entropy: 1 argument given, expected cross_entropy(labels, logits)" },
  },
  gradients = {
    { int32 { 1, 3 }, { { 1, 2, 0.5 }, { -1, 0, 2 } } },
    { int64 { { 2 }, { 1 } }, { { { 1, 2 } }, { { -1, 0 } } } },
    { uint8(2), { 1, 2 } },
  },
  check = function(t)
    nn_cases.check(t, "cross_entropy", "float64", 1e-10)
    nn_cases.check(t, "cross_entropy", "float32", 1e-5)
    local labels = lt.constant { 2, 1 }
    local x = { { 1, 2, 0.5 }, { -1, 0, 2 } }
    nn_cases.halves(t, "cross_entropy", function(logits) return lt.cross_entropy(labels, logits) end, { x })
    nn_cases.second_order(t, "cross_entropy", function(logits) return lt.cross_entropy(labels, logits) end, { x })
    -- Many classes: the same as picking from log_softmax.
    local logits = nn_cases.tensor(1, { 70, 3000 }, "float64", 5)
    local picked = (lt.range(70) * 37) % 3000 + 1
    local wanted = (lt.log_softmax(logits) * one_hot(picked, 3000, "float64")):sum(-1)
    t.ok((lt.cross_entropy(picked, logits) + wanted):abs():max():item() < 1e-11)
    t.ok((lt.cross_entropy(picked, logits:cast("float32")) + wanted):abs():max():item() < 1e-5)
  end,
}

spec "softmax_cross_entropy" {
  example = { { { 0.5, 0.5 }, { 0.0, 1.0 } }, { { 0.0, 0.0 }, { 0.0, 2.0 } }, gives = { 0.6931, 0.1269 }, dtype = "float32" },
  examples = {
    { { 0, 1 }, { 0, 2 }, gives = 0.1269, dtype = "float32" },
    { { 0.5, 0.5 }, { { 0.0, 0.0 }, { 1.0, 1.0 } }, gives = { 0.6931, 0.6931 } },
    { { { 1.0, 0.0 }, { 0.0, 1.0 } }, { 0.0, 2.0 }, gives = { 2.1269, 0.1269 } },
    { { 2.0, 2.0 }, { 0.0, 0.0 }, gives = 2.7726 },
    { { 1.0, 0.0 }, { 0.0, -inf }, gives = 0 },
    { { 0.0, 1.0 }, { 0.0, -inf }, gives = inf },
    { { 0.5, 0.5 }, { 0.0, nan }, gives = nan },
    { float16 { 0, 1 }, float16 { 0, 2 }, gives = 0.1269, tolerance = 2e-3, dtype = "float16" },
    { bfloat16 { 0, 1 }, bfloat16 { 0, 2 }, gives = 0.1269, tolerance = 1e-2, dtype = "bfloat16" },
    { uint8 { 0, 1 }, float64 { 0, 2 }, gives = 0.126928011042972496, tolerance = 1e-12, dtype = "float64" },
    { zeros(0, 3), zeros(0, 3), shape = { 0 } },
    { zeros(2, 0), zeros(2, 0), gives = { 0, 0 } },
  },
  rejects = {
    { args = { { { 1, 0 } }, { { 1, 0, 0 } } },
      says = "softmax_cross_entropy: labels (1, 2) and logits (1, 3) do not match: both must have as many classes" },
    { args = { { { 1 } }, { { 1, 0, 0 } } }, says = "softmax_cross_entropy: labels (1, 1) and logits (1, 3) do not match" },
    { args = { zeros(2, 3), zeros(3, 3) }, says = "softmax_cross_entropy: labels (2, 3) and logits (3, 3) do not broadcast" },
    { args = { 1, { 1, 0 } }, says = "softmax_cross_entropy: labels is a scalar, expected a number for each class" },
    { args = { { 1, 0 }, 1 }, says = "softmax_cross_entropy: logits is a scalar, expected a number for each class" },
    { args = { bool { true }, bool { true } }, says = "softmax_cross_entropy: labels is bool, expected a number" },
  },
  gradients = {
    { { { 0.2, 0.5, 0.3 }, { 1, 2, -1 } }, { { 1, 2, 0.5 }, { -1, 0, 2 } } },
    { { 0.2, 0.5, 0.3 }, { { 1, 2, 0.5 }, { -1, 0, 2 } } },
    { { { 0.2, 0.5, 0.3 }, { 1, 2, -1 } }, { 1, 2, 0.5 } },
    { { 0.2, 0.8 }, { 1, 2 } },
  },
  check = function(t)
    nn_cases.check(t, "softmax_cross_entropy", "float64", 1e-10)
    nn_cases.check(t, "softmax_cross_entropy", "float32", 1e-5)
    local p, x = { { 0.2, 0.5, 0.3 }, { 1, 2, -1 } }, { { 1, 2, 0.5 }, { -1, 0, 2 } }
    nn_cases.second_order(t, "softmax_cross_entropy", lt.softmax_cross_entropy, { p, x })
    nn_cases.second_order(t, "softmax_cross_entropy of one row of labels", lt.softmax_cross_entropy, { p[1], x })
    local labels = lt.constant(p)
    nn_cases.halves(t, "softmax_cross_entropy", function(logits)
      return lt.softmax_cross_entropy(labels:cast(logits.dtype), logits)
    end, { x })
    -- Logits of a narrower dtype: the labels' gradient is computed in the wider one.
    local wide, narrow = lt.constant({ 0.25, 0.75 }, { dtype = "float64" }), lt.constant { 1, 3 }
    local tape <close> = lt.GradientTape()
    tape:watch(wide)
    t.close(tape:gradient(lt.softmax_cross_entropy(wide, narrow), wide), { 2.1269280110429727, 0.1269280110429727 }, 1e-12)
    -- One-hot labels give cross_entropy.
    local logits, classes = nn_cases.tensor(1, { 60, 1500 }, "float32", 5), (lt.range(60) * 37) % 1500 + 1
    local difference = lt.softmax_cross_entropy(one_hot(classes, 1500, "float32"), logits) - lt.cross_entropy(classes, logits)
    t.ok(difference:abs():max():item() < 1e-5)
  end,
}

-- The examples, refusals and checks that the means of errors share; `of` is the error of one element.
local function mean_error(op, of, more)
  local form = {
    examples = {
      { { 1, 2 }, { 2, 4 }, gives = (of(1) + of(2)) / 2, dtype = "float32" },
      { uint8 { 1, 255 }, uint8 { 2, 0 }, gives = (of(1) + of(-255)) / 2, dtype = "float32" },
      { 1, { { 2.0, 4.0 } }, gives = { (of(1) + of(3)) / 2 } },
      { { 1.0 }, { { 2.0, 4.0 }, { 1.0, 1.0 } }, gives = { (of(1) + of(3)) / 2, 0 } },
      { { { 1.0 }, { 2.0 } }, { 2.0, 4.0 }, gives = { (of(1) + of(3)) / 2, (of(0) + of(2)) / 2 } },
      { { { { 1.0 } }, { { 2.0 } } }, { { { 3.0 } }, { { 3.0 } } }, gives = { { of(2) }, { of(1) } } },
      { { 1.0, nan }, { 2.0, 4.0 }, gives = nan },
      { { 1.0, inf }, { 2.0, 4.0 }, gives = inf },
      { float16 { 1, 2 }, float16 { 2, 4 }, gives = (of(1) + of(2)) / 2, dtype = "float16" },
      { bfloat16 { 1, 2 }, bfloat16 { 2, 4 }, gives = (of(1) + of(2)) / 2, dtype = "bfloat16" },
      { int8 { 1, 2 }, float64 { 2, 4 }, gives = (of(1) + of(2)) / 2, dtype = "float64" },
      { zeros(0, 3), zeros(0, 3), shape = { 0 } },
      { zeros(2, 0), zeros(2, 0), gives = { nan, nan } },
    },
    rejects = {
      { args = { 1, 2 }, says = op .. ": labels and predictions are scalars, expected rows: at least one axis" },
      { args = { { 1, 2 }, { 1, 2, 3 } }, says = op .. ": labels (2,) and predictions (3,) do not broadcast" },
      { args = { bool { true }, bool { true } }, says = op .. ": labels is bool, expected a number" },
      { args = { { 1 } }, says = op .. ": 1 argument given, expected " .. op .. "(labels, predictions)" },
    },
    gradients = {
      { { { 1, 2 }, { 3, 4 } }, { { 2, 1 }, { 5, 4.5 } } },
      { { 1, 2, 7 }, { { 2, 1, 0 }, { 5, 4.5, 3 } } },
      { { { 1 }, { 3 } }, { { 2, 1.5 }, { 5, 4.5 } } },
      { { 1, 2 }, 4.0 },
    },
    check = function(t)
      nn_cases.check(t, op, "float64", 1e-10)
      nn_cases.check(t, op, "float32", 1e-5)
      nn_cases.second_order(t, op, function(a, b) return lt[op](a * a, b) end, { { { 1, 2 } }, { { 3, 1 }, { 2, 7 } } })
      -- Rows long enough to be shared out.
      for _, shape in ipairs { { 3, 40000 }, { 120000 }, { 900, 100 } } do
        local a, b = nn_cases.tensor(1, shape, "float64"), nn_cases.tensor(2, shape, "float64")
        local n = shape[#shape]
        local wanted = (op == "mse" and lt.square(a - b) or (a - b):abs()):sum(-1) / n
        t.ok((lt[op](a, b) - wanted):abs():max():item() < 1e-12)
        t.ok((lt[op](a:cast("float32"), b:cast("float32")) - wanted):abs():max():item() < 1e-6)
        t.ok((lt[op](a:cast("float16"), b:cast("float16")):cast("float64") - wanted):abs():max():item() < 2e-3)
        t.ok((lt[op](a[{ 1 }]:cast("float32"), b:cast("float32")) - lt[op](a[{ 1 }], b)):abs():max():item() < 1e-6)
      end
      more(t)
    end,
  }
  return form
end

spec "mse" (mean_error("mse", function(x) return x * x end, function(t)
  t.equal(lt.mse({ { 1.0, 2.0 } }, { { 2.0, 4.0 } }), { 2.5 })
end))

spec "mae" (mean_error("mae", math.abs, function(t)
  -- 0 where the two are equal.
  local x, y = lt.constant { 1.0, 2.0, 3.0 }, lt.constant { 1.0, 5.0, 0.0 }
  local tape <close> = lt.GradientTape()
  tape:watch { x, y }
  local of_labels, of_predictions = table.unpack(tape:gradient(lt.mae(x, y), { x, y }))
  t.close(of_predictions, { 0, 1 / 3, -1 / 3 }, 1e-6)
  t.close(of_labels, { 0, -1 / 3, 1 / 3 }, 1e-6)
  nn_cases.halves(t, "mae", function(a) return lt.mae(lt.constant { 1, 5, 0 }, a) end, { { 3, 2, 1 } })
end))
