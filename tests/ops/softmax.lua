local spec = require "spec"
local nn_cases = require "nn_cases"

local nan, inf = 0 / 0, math.huge

-- Rows, columns and axes in the middle, short and long: every element against exp and sum.
-- Shares are small and compared in parts of themselves; logarithms in parts of themselves or of 1.
local function check_softmax(t, op, is_log)
  for _, shape in ipairs { { 3000 }, { 2, 3000 }, { 3000, 2 }, { 4, 300, 70 } } do
    local size = 1
    for _, n in ipairs(shape) do size = size * n end
    local x = ((lt.range(size) * 7919) % 1009):reshape(shape) / 100
    for axis = 1, #shape do
      local powers = lt.exp(x:cast("float64"))
      local wanted = powers / powers:sum(axis, { keepdims = true })
      if is_log then wanted = lt.log(wanted) end
      local unit = is_log and lt.maximum(wanted:abs(), 1) or wanted
      t.ok(((op(x, axis) - wanted) / unit):abs():max():item() < 3e-6, "float32")
      t.ok(((op(x:cast("float64"), axis) - wanted) / unit):abs():max():item() < 1e-12, "float64")
      local half = op(x:cast("float16"), axis)
      t.equal(half.dtype, "float16")
      t.ok((half:cast("float64") - op(x:cast("float16"):cast("float64"), axis)):abs():max():item() < 1e-2, "float16")
    end
  end
end

spec "softmax" {
  example = { { 1.0, 2.0, 3.0 }, gives = { 0.0900, 0.2447, 0.6652 }, dtype = "float32" },
  examples = {
    { { 1, 1 }, gives = { 0.5, 0.5 }, dtype = "float32" },
    { int8 { 1, 1 }, gives = { 0.5, 0.5 }, dtype = "float32" },
    { uint8 { 255, 255 }, gives = { 0.5, 0.5 }, dtype = "float32" },
    { float16 { 0, 0 }, gives = { 0.5, 0.5 }, dtype = "float16" },
    { bfloat16 { 0, 0 }, gives = { 0.5, 0.5 }, dtype = "bfloat16" },
    { { { 0, 1 }, { 0, 0 } }, gives = { { 0.2689, 0.7311 }, { 0.5, 0.5 } } },
    { { { 0, 1 }, { 0, 0 } }, 1, gives = { { 0.5, 0.7311 }, { 0.5, 0.2689 } } },
    { { { 0, 1 }, { 0, 0 } }, { axis = -2 }, gives = { { 0.5, 0.7311 }, { 0.5, 0.2689 } } },
    { { { 0, 1 }, { 0, 0 } }, { axis = { 2 } }, gives = { { 0.2689, 0.7311 }, { 0.5, 0.5 } } },
    { float64 { 0, 0 }, gives = { 0.5, 0.5 }, dtype = "float64" },
    { { 1000.0, 1000.0, -1000.0 }, gives = { 0.5, 0.5, 0 } },
    { { -1e38, -1e38 }, gives = { 0.5, 0.5 } },
    { { 0.0, -inf }, gives = { 1, 0 } },
    { { 1.0, nan }, gives = { nan, nan } },
    { { -inf, -inf }, gives = { nan, nan } },
    { { 7 }, gives = { 1.0 } },
    { zeros(0), shape = { 0 } },
    { zeros(3, 0), shape = { 3, 0 } },
    { zeros(0, 3), 1, shape = { 0, 3 } },
    { zeros(1, 1, 1, 1, 1, 1, 1, 2), gives = { { { { { { { { 0.5, 0.5 } } } } } } } } },
  },
  rejects = {
    { args = { 5 }, says = "softmax: x is a scalar, which has no axis to go along" },
    { args = { bool { true } }, says = "softmax: x is bool, expected a number" },
    { args = { { 1, 2 }, 2 }, says = "softmax: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, 0 }, says = "softmax: axis 0" },
    { args = { { { 1, 2 } }, { 1, 2 } }, says = "softmax: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, { axes = 1 } }, says = "unknown option 'axes' (did you mean 'axis'?)" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { { { 1, 2 }, { 3, 4.5 } }, 1 }, { { { { 1, 2 } }, { { 3, 4.5 } } }, 2 } },
  check = function(t)
    check_softmax(t, lt.softmax, false)
    nn_cases.check(t, "softmax", "float64", 1e-10)
    nn_cases.check(t, "softmax", "float32", 1e-5)
    nn_cases.halves(t, "softmax", lt.softmax, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
    nn_cases.halves(t, "softmax", function(x) return lt.softmax(x, 1) end, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
    nn_cases.second_order(t, "softmax", lt.softmax, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
    nn_cases.second_order(t, "softmax", function(x) return lt.softmax(x, 1) end, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
  end,
}

spec "log_softmax" {
  example = { { 1.0, 2.0, 3.0 }, gives = { -2.4076, -1.4076, -0.4076 }, dtype = "float32" },
  examples = {
    { { 1, 1 }, gives = { -0.6931, -0.6931 }, dtype = "float32" },
    { int64 { 1, 1 }, gives = { -0.6931, -0.6931 }, dtype = "float32" },
    { float16 { 0, 0 }, gives = { -0.693, -0.693 }, tolerance = 1e-3, dtype = "float16" },
    { bfloat16 { 0, 0 }, gives = { -0.693, -0.693 }, tolerance = 1e-2, dtype = "bfloat16" },
    { { { 0, 1 }, { 0, 0 } }, { axis = 1 }, gives = { { -0.6931, -0.3133 }, { -0.6931, -1.3133 } } },
    { { 1000.0, 0.0 }, gives = { 0, -1000 } },
    { float64 { 0, -40 }, gives = { -4.248354255291589e-18, -40 }, tolerance = 1e-12, dtype = "float64" },
    { { 0.0, -inf }, gives = { 0, -inf } },
    { { 1.0, nan }, gives = { nan, nan } },
    { { 7 }, gives = { 0.0 } },
    { zeros(0), shape = { 0 } },
    { zeros(3, 0), 1, shape = { 3, 0 } },
  },
  rejects = {
    { args = { 5 }, says = "log_softmax: x is a scalar, which has no axis to go along" },
    { args = { bool { true } }, says = "log_softmax: x is bool, expected a number" },
    { args = { { 1, 2 }, -2 }, says = "log_softmax: axis -2 is not there: x (2,) has 1 axis" },
    { args = { { { 1, 2 } }, { 1, 2 } }, says = "log_softmax: axis is a list of 2, expected one axis" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { { { 1, 2 }, { 3, 4.5 } }, 1 }, { { { { 1, 2 } }, { { 3, 4.5 } } }, 3 } },
  check = function(t)
    check_softmax(t, lt.log_softmax, true)
    nn_cases.check(t, "log_softmax", "float64", 1e-10)
    nn_cases.check(t, "log_softmax", "float32", 1e-5)
    nn_cases.halves(t, "log_softmax", lt.log_softmax, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
    nn_cases.second_order(t, "log_softmax", lt.log_softmax, { { { 1, 2, -1 }, { 0.5, 0.25, 3 } } })
  end,
}
