local spec = require "spec"
local nn_cases = require "nn_cases"

local nan = 0 / 0

spec "batch_norm" {
  example = { { { 1.0, 4.0 }, { 3.0, 0.0 } }, { 1.0, 2.0 }, { 1.0, 4.0 }, { 1.0, 2.0 }, { 0.0, 0.5 }, { epsilon = 0 },
    gives = { { 0, 2.5 }, { 2, -1.5 } }, dtype = "float32" },
  examples = {
    { { 1, 4 }, { 1, 2 }, { 1, 4 }, { 1, 2 }, { 0, 5 }, { epsilon = 0 }, gives = { 0, 7 }, dtype = "float32" },
    { { 4.0 }, { 0.0 }, { 3.0 }, { 1.0 }, { 0.0 }, { epsilon = 1 }, gives = { 2 } },
    { { 1.0 }, { 0.0 }, { 0.0 }, { 1.0 }, { 0.0 }, gives = { 31.6228 } },
    { { 1.0 }, { 0.0 }, { -1.0 }, { 1.0 }, { 0.0 }, gives = { nan } },
    { float16 { 4 }, float16 { 1 }, float16 { 4 }, float16 { 1 }, float16 { 0 }, { epsilon = 0 }, gives = { 1.5 }, dtype = "float16" },
    { bfloat16 { 4 }, bfloat16 { 1 }, bfloat16 { 4 }, bfloat16 { 1 }, bfloat16 { 0 }, { epsilon = 0 }, gives = { 1.5 },
      dtype = "bfloat16" },
    { float64 { 4 }, { 1 }, { 4 }, { 1 }, { 0 }, { epsilon = 0 }, gives = { 1.5 }, dtype = "float64" },
    { zeros(0, 2), zeros(2), zeros(2), zeros(2), zeros(2), shape = { 0, 2 } },
    { zeros(3, 0), zeros(0), zeros(0), zeros(0), zeros(0), shape = { 3, 0 } },
  },
  rejects = {
    { args = { 1.0, { 1 }, { 1 }, { 1 }, { 1 } }, says = "batch_norm: x is a scalar, which has no last axis" },
    { args = { { 1, 2 }, { 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
      says = "batch_norm: mean (1,) does not fit x (2,): expected (2,), as long as x's last axis" },
    { args = { { 1, 2 }, { 1, 1 }, { { 1, 1 } }, { 1, 1 }, { 1, 1 } }, says = "batch_norm: var (1, 2) does not fit x (2,)" },
    { args = { { 1, 2 }, { 1, 1 }, { 1, 1 }, { 1 }, { 1, 1 } }, says = "batch_norm: scale (1,) does not fit" },
    { args = { { 1, 2 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1, 1 } }, says = "batch_norm: offset (3,) does not fit" },
    { args = { { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { epsilon = -1 } }, says = "batch_norm: epsilon is -1, expected 0 or a finite number" },
    { args = { { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { epsilon = nan } }, says = "batch_norm: epsilon is" },
    { args = { { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { eps = 1 } }, says = "unknown option 'eps'" },
    { args = { bool { true }, bool { true }, bool { true }, bool { true }, bool { true } }, says = "batch_norm: x is bool, expected a number" },
    { args = { { 1 }, { 1 }, { 1 }, { 1 } }, says = "batch_norm: 4 arguments given, expected batch_norm(x, mean, var, scale, offset, [options])" },
  },
  gradients = {
    { { { 1, 2 }, { 3, 5 }, { 4, 1 } }, { 1, 2 }, { 1.5, 2 }, { 1, -2 }, { 3, 4 } },
    { { 1, 2 }, { 1.5, 1 }, { 1.5, 2 }, { 1, -2 }, { 3, 4 }, { epsilon = 0.5 } },
  },
  check = function(t)
    nn_cases.check(t, "batch_norm", "float64", 1e-9)
    nn_cases.check(t, "batch_norm", "float32", 1e-5)
    -- Rows of all lengths around those that are taken together, and many of them.
    for _, n in ipairs { 1, 3, 31, 33, 63, 64, 65, 200 } do
      local x = nn_cases.tensor(1, { 701, n }, "float64")
      local mean, scale = nn_cases.tensor(2, { n }, "float64"), nn_cases.tensor(3, { n }, "float64")
      local var, offset = nn_cases.tensor(4, { n }, "float64", 0.5, 1), nn_cases.tensor(5, { n }, "float64")
      local wanted = (x - mean) / lt.sqrt(var + 1e-3) * scale + offset
      t.ok((lt.batch_norm(x, mean, var, scale, offset) - wanted):abs():max():item() < 1e-12)
      local tape <close> = lt.GradientTape()
      tape:watch(scale)
      local slope = tape:gradient(lt.batch_norm(x, mean, var, scale, offset), scale)
      t.ok((slope - ((x - mean) / lt.sqrt(var + 1e-3)):sum(1)):abs():max():item() < 1e-9)
    end
    -- A variance of a narrower dtype: the gradient is computed in the wider one.
    local row, none, var_of_three = lt.constant({ 1 }, { dtype = "float64" }), lt.constant { 0 }, lt.constant { 3 }
    local tape <close> = lt.GradientTape()
    tape:watch(row)
    local slope = tape:gradient(lt.batch_norm(row, none, var_of_three, lt.constant { 1 }, none, { epsilon = 0 }), row)
    t.close(slope, { 0.57735026918962576 }, 1e-14)
    local x = nn_cases.tensor(1, { 4, 3 }, "float64")
    nn_cases.second_order(t, "batch_norm", lt.batch_norm, { x, { 0.1, 0.2, 0.3 }, { 1.5, 1, 2 }, { 1, 2, 3 }, { 0, 1, 2 } })
    local mean, var, scale, offset = lt.zeros { 3 }, lt.ones { 3 }, lt.ones { 3 }, lt.ones { 3 }
    local half = lt.batch_norm(x:cast("float16"), mean:cast("float16"), var:cast("float16"), scale:cast("float16"), offset:cast("float16"))
    t.ok((half:cast("float64") - lt.batch_norm(x, mean, var, scale, offset)):abs():max():item() < 5e-3)
  end,
}

spec "layer_norm" {
  example = { { { 1.0, 3.0 }, { 4.0, 4.0 } }, { 1.0, 2.0 }, { 0.0, 0.5 }, gives = { { -0.9995, 2.4990 }, { 0, 0.5 } }, dtype = "float32" },
  examples = {
    { { 1, 3 }, { 1, 2 }, { 0, 5 }, { epsilon = 0 }, gives = { -1, 7 }, dtype = "float32" },
    { { 7.0 }, { 1.0 }, { 0.5 }, gives = { 0.5 } },
    { { 7.0, nan }, { 1.0, 1.0 }, { 0.5, 0.5 }, gives = { nan, nan } },
    { { 1000001.0, 1000003.0 }, { 1.0, 1.0 }, { 0.0, 0.0 }, { epsilon = 0 }, gives = { -1, 1 } },
    { float16 { 1, 3 }, float16 { 1, 2 }, float16 { 0, 5 }, { epsilon = 0 }, gives = { -1, 7 }, dtype = "float16" },
    { bfloat16 { 1, 3 }, bfloat16 { 1, 2 }, bfloat16 { 0, 5 }, { epsilon = 0 }, gives = { -1, 7 }, dtype = "bfloat16" },
    { float64 { 1, 3 }, { 1, 2 }, { 0, 5 }, { epsilon = 0 }, gives = { -1, 7 }, dtype = "float64" },
    { uint8 { 1, 3 }, { 1, 2 }, { 0, 5 }, { epsilon = 0 }, gives = { -1, 7 }, dtype = "float32" },
    { zeros(0, 2), zeros(2), zeros(2), shape = { 0, 2 } },
    { zeros(3, 0), zeros(0), zeros(0), shape = { 3, 0 } },
  },
  rejects = {
    { args = { 1.0, { 1 }, { 1 } }, says = "layer_norm: x is a scalar, which has no last axis" },
    { args = { { 1, 2 }, { 1 }, { 1, 1 } }, says = "layer_norm: scale (1,) does not fit x (2,): expected (2,)" },
    { args = { { 1, 2 }, { 1, 1 }, { { 1, 1 } } }, says = "layer_norm: offset (1, 2) does not fit x (2,)" },
    { args = { { 1 }, { 1 }, { 1 }, { epsilon = math.huge } }, says = "layer_norm: epsilon is inf, expected 0 or a finite number" },
    { args = { { 1 }, { 1 }, { 1 }, { epsilon = "small" } }, says = "layer_norm: epsilon is \"small\", expected a number" },
    { args = { bool { true }, bool { true }, bool { true } }, says = "layer_norm: x is bool, expected a number" },
    { args = { { 1 }, { 1 } }, says = "layer_norm: 2 arguments given, expected layer_norm(x, scale, offset, [options])" },
  },
  gradients = {
    { { { 1, 2, 4 }, { 3, 5, -1 } }, { 1, -2, 0.5 }, { 3, 4, 1 } },
    { { 1, 2, 4 }, { 1, -2, 0.5 }, { 3, 4, 1 }, { epsilon = 0.5 } },
    { { { { 1, 2 }, { 2, 5 } }, { { 4, 2 }, { 0, 1 } } }, { 1, 2 }, { 0, 0 }, { epsilon = 1 } },
  },
  check = function(t)
    nn_cases.check(t, "layer_norm", "float64", 1e-9)
    nn_cases.check(t, "layer_norm", "float32", 1e-5)
    -- Many rows and long ones: mean 0 and variance 1, gradients of scale that are sums over rows.
    for _, shape in ipairs { { 700, 40 }, { 3, 5000 }, { 3, 4, 500 } } do
      local n = shape[#shape]
      local x = nn_cases.tensor(1, shape, "float64", 3, 2)
      local ones, none = lt.ones({ n }, { dtype = "float64" }), lt.zeros({ n }, { dtype = "float64" })
      local tape <close> = lt.GradientTape()
      tape:watch(ones)
      local y = lt.layer_norm(x, ones, none, { epsilon = 0 })
      t.ok(y:mean(-1):abs():max():item() < 1e-12, "mean")
      t.ok((lt.square(y):mean(-1) - 1):abs():max():item() < 1e-12, "variance")
      t.ok((lt.layer_norm(x:cast("float32"), ones:cast("float32"), none:cast("float32"), { epsilon = 0 }) - y):abs():max():item() < 1e-5)
      local slope = tape:gradient(y, ones)
      t.ok((slope - y:reshape { -1, n }:sum(1)):abs():max():item() < 1e-9, "gradient of scale")
    end
    local x = { { 1, 2, 4 }, { 3, 5, -1 } }
    nn_cases.second_order(t, "layer_norm", lt.layer_norm, { x, { 1, -2, 0.5 }, { 3, 4, 1 } })
    nn_cases.halves(t, "layer_norm", function(a)
      return lt.layer_norm(a, lt.ones({ 3 }, { dtype = "float32" }):cast(a.dtype), lt.zeros({ 3 }, { dtype = "float32" }):cast(a.dtype))
    end, { x })
    nn_cases.halves(t, "layer_norm's scale", function(scale)
      return lt.layer_norm(lt.constant(x):cast(scale.dtype), scale, lt.zeros({ 3 }, { dtype = "float32" }):cast(scale.dtype))
    end, { { 1, -2, 0.5 } })
  end,
}
