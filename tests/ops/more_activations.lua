local spec = require "spec"
local forms = require "unary_forms"

local nan, inf = 0 / 0, math.huge
local points = { -3.5, -0.5, 0.25, 2, 7 }
local slopes_of = { { { -3.5, -0.5, 0.25 }, { 2, 7, -1 } } }

local function tanh(x) return 1 - 2 / (math.exp(2 * x) + 1) end
local function log1p(x)
  local y = 1 + x
  return y == 1 and x or math.log(y) * x / (y - 1)
end
local function rejects(op)
  return {
    { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
    { args = { { 1 }, { axis = 1 } }, says = op .. ": unknown option 'axis'" },
    { args = {}, says = op .. ": 0 arguments given" },
  }
end
local function checks(op, more)
  return function(t)
    forms.same_everywhere(t, lt[op], -8, 8)
    forms.bends(t, function(x) return lt[op](x) * x end, points)
    forms.half_slopes(t, lt[op], points)
    if more then more(t) end
  end
end

-- The results of examples are PyTorch 2.15's, in float64.
spec "mish" (forms.fraction {
  example = { { -1.0, 2.0 }, gives = { -0.30340146, 1.94395896 }, tolerance = 1e-6 },
  examples = {
    { { -inf, inf, nan, 0, 1e30 }, gives = { 0, inf, nan, 0, 1e30 } },
    { float64 { -30, -5, -0.1, 0.1, 5, 30 }, gives = { -2.807286890651921e-12, -0.033576237730161704, -0.05678857521284473,
      0.06317941749148973, 4.999552077529406, 30.0 }, tolerance = 1e-13 },
  },
  reference = function(x) return x * tanh(log1p(math.exp(x))) end,
  domain = { -20, 20 },
  rejects = rejects "mish",
  gradients = { slopes_of },
  check = checks("mish", function(t)
    t.close(forms.slopes(lt.mish, { 0, 1e30, -1e30, inf, -inf }), { 0.6, 1, 0, 1, 0 }, 1e-15, "slopes far out")
  end),
})

spec "hardswish" (forms.fraction {
  example = { { -1.0, 2.0 }, gives = { -0.33333333, 1.6666666 }, tolerance = 1e-6 },
  examples = { { { -inf, inf, nan, -3, 3, 4, -4 }, gives = { 0, inf, nan, 0, 3, 4, 0 } } },
  reference = function(x) return x * math.min(math.max(x + 3, 0), 6) / 6 end,
  domain = { -6, 6 },
  rejects = rejects "hardswish",
  gradients = { slopes_of },
  check = checks("hardswish", function(t)
    t.equal(forms.slopes(lt.hardswish, { -4, -inf, 5, inf, 0 }), { 0, 0, 1, 1, 0.5 }, "slopes")
  end),
})

spec "hardsigmoid" (forms.fraction {
  example = { { -3.0, 0.0, 1.5 }, gives = { 0, 0.5, 0.75 } },
  examples = { { { -inf, inf, nan, -4, 4 }, gives = { 0, 1, nan, 0, 1 } } },
  reference = function(x) return math.min(math.max(x + 3, 0), 6) / 6 end,
  domain = { -6, 6 },
  rejects = rejects "hardsigmoid",
  gradients = { slopes_of },
  check = checks "hardsigmoid",
})

spec "log_sigmoid" (forms.fraction {
  example = { { 0.0, 2.0 }, gives = { -0.6931472, -0.12692801 }, tolerance = 1e-6 },
  examples = {
    { { -inf, inf, nan, -1000 }, gives = { -inf, 0, nan, -1000 } },
    { float64 { -40, 40 }, gives = { -40, -4.248354255291589e-18 }, tolerance = 1e-14 },
  },
  reference = function(x) return -log1p(math.exp(-x)) end,
  domain = { -20, 20 },
  rejects = rejects "log_sigmoid",
  gradients = { slopes_of },
  check = checks "log_sigmoid",
})

spec "celu" (forms.fraction {
  example = { { -1.0, 2.0 }, gives = { -0.63212055, 2.0 }, tolerance = 1e-6 },
  examples = {
    { { -1.0, 2.0 }, { alpha = 2 }, gives = { -0.78693867, 2 }, tolerance = 1e-6 },
    { { -inf, inf, nan }, { alpha = 3 }, gives = { -3, inf, nan } },
  },
  reference = function(x) return x > 0 and x or math.exp(x) - 1 end,
  domain = { -8, 8 },
  rejects = { { args = { { 1.0 }, { alpha = 0 } }, says = "celu: alpha is 0, expected a number above 0" } },
  gradients = { slopes_of, { { { -3.5, -0.5, 2 } }, { alpha = 2 } } },
  check = checks "celu",
})
