local spec = require "spec"
local forms = require "unary_forms"

local nan, inf = 0 / 0, math.huge
local fraction, same_dtype = forms.fraction, forms.same_dtype

local function refuses(op, more)
  local rejects = {
    { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
    { args = { { 1 }, { axis = 1 } }, says = op .. ": unknown option 'axis'" },
    { args = { { 1.0 }, 0.5 }, says = op .. ": 2 arguments given" },
    { args = {}, says = op .. ": 0 arguments given" },
  }
  return table.move(more or {}, 1, #(more or {}), #rejects + 1, rejects)
end

-- Golden arguments, the same bits everywhere, the second derivative, and the gradient in halves.
local function checks(op, points, more)
  return function(t)
    forms.golden(t, op, lt[op])
    forms.same_everywhere(t, lt[op], -8, 8)
    forms.bends(t, lt[op], points)
    forms.half_slopes(t, lt[op], points)
    if more then more(t) end
  end
end

local points = { -3, -0.5, 0.25, 2, 7 }
local slopes_of = { { { -3, -0.5, 0.25 }, { 2, 7, -1 } } }

spec "relu" (same_dtype {
  example = { { -1, 2 }, gives = { 0, 2 }, dtype = "int32" },
  examples = {
    { { -inf, inf, nan, -1e-40, 1e-3 }, gives = { 0, inf, nan, 0, 1e-3 } },
    { int64 { math.mininteger, math.maxinteger }, gives = { 0, math.maxinteger } },
    { int8 { -128, 127 }, gives = { 0, 127 }, dtype = "int8" },
    { uint8 { 0, 255 }, gives = { 0, 255 }, dtype = "uint8" },
    { float16 { -inf, nan, 65504 }, gives = { 0, nan, 65504 }, dtype = "float16" },
  },
  reference = function(x) return x > 0 and x or x - x end,
  rejects = refuses "relu",
  gradients = { slopes_of },
  check = function(t)
    t.ok(1 / lt.relu(lt.constant(-0.0)):item() == inf, "-0 becomes 0")
    t.equal(forms.slopes(lt.relu, { 0, -0.0, -1, 1 }), { 0, 0, 0, 1 }, "0 at the kink")
    forms.same_everywhere(t, lt.relu, -8, 8)
    forms.bends(t, function(x) return lt.relu(x) * x end, points)
    forms.half_slopes(t, lt.relu, points)
  end,
})

spec "relu6" (same_dtype {
  example = { { -1, 2, 8 }, gives = { 0, 2, 6 }, dtype = "int32" },
  examples = {
    { { -inf, inf, nan, 6.5, 5.5 }, gives = { 0, 6, nan, 6, 5.5 } },
    { int64 { math.mininteger, math.maxinteger }, gives = { 0, 6 }, dtype = "int64" },
    { uint8 { 3, 255 }, gives = { 3, 6 }, dtype = "uint8" },
  },
  reference = function(x) return x < 0 and x - x or x > 6 and x - x + 6 or x end,
  domain = { -9, 9 },
  rejects = refuses "relu6",
  gradients = { slopes_of },
  check = function(t)
    forms.golden(t, "relu6", lt.relu6)
    t.ok(1 / lt.relu6(lt.constant(-0.0)):item() == inf, "-0 becomes 0")
    t.equal(forms.slopes(lt.relu6, { 0, 6, -1, 1, 7 }), { 0, 0, 0, 1, 0 }, "0 at the kinks")
    forms.same_everywhere(t, lt.relu6, -8, 8)
    forms.bends(t, function(x) return lt.relu6(x) * x end, points)
    forms.half_slopes(t, lt.relu6, points)
  end,
})

local alpha_rejects = {
  { args = { { 1.0 }, { alpha = "x" } }, says = 'alpha is "x", expected a number' },
  { args = { { 1.0 }, { alpha = true } }, says = "alpha is true, expected a number" },
  { args = { { 1.0 }, { alhpa = 1 } }, says = "unknown option 'alhpa' (did you mean 'alpha'?)" },
}

spec "leaky_relu" (fraction {
  example = { { -1.0, 2.0 }, { alpha = 0.5 }, gives = { -0.5, 2.0 } },
  examples = {
    { { -1, 2 }, gives = { -0.2, 2.0 }, dtype = "float32", tolerance = 1e-6 },
    { { -2.0, 2.0 }, { alpha = 3 }, gives = { -6.0, 2.0 } },
    { { -2.0, 2.0 }, { alpha = -1 }, gives = { 2.0, 2.0 } },
    { float64 { -1 }, { alpha = 0.1 }, gives = { -0.1 }, dtype = "float64", tolerance = 1e-16 },
    { { -inf, inf, nan }, gives = { -inf, inf, nan } },
  },
  reference = function(x) return x > 0 and x or 0.2 * x end,
  rejects = refuses("leaky_relu", alpha_rejects),
  gradients = { slopes_of, { { -3, 0.5 }, { alpha = 2 } } },
  check = checks("leaky_relu", points, function(t)
    t.close(forms.slopes(lt.leaky_relu, { 0, -1 }), { 0.2, 0.2 }, 1e-15, "the slope below at the kink, as tf.nn's")
    forms.bends(t, function(x) return lt.leaky_relu(x, { alpha = 0.3 }) * x end, points)
  end),
})

spec "elu" (fraction {
  example = { { -1.0, 2.0 }, gives = { -0.63212056, 2.0 }, tolerance = 1e-6 },
  examples = {
    { { -1.0, 2.0 }, { alpha = 2 }, gives = { -1.2642411, 2.0 }, tolerance = 1e-6 },
    { { -1.0, 2.0 }, { alpha = 0 }, gives = { 0, 2.0 } },
    { { -inf, inf, nan, -200, -1e-10 }, gives = { -1, inf, nan, -1, -1e-10 }, tolerance = 1e-6 },
    { { -1, 2 }, gives = { -0.6321, 2 }, dtype = "float32" },
  },
  reference = function(x) return x > 0 and x or math.exp(x) - 1 end,
  rejects = refuses("elu", alpha_rejects),
  gradients = {
    slopes_of, { { -3, 0.5 }, { alpha = 2 } }, { { -3, 0.5 }, { alpha = -1 } }, { { -3, 0.5 }, { alpha = 0 } },
  },
  check = checks("elu", points, function(t)
    forms.bends(t, function(x) return lt.elu(x, { alpha = 0.3 }) end, points)
    t.close(forms.slopes(lt.elu, { -60, 100 }), { 8.75651076269652e-27, 1 }, 1e-13, "has digits where elu is -1")
  end),
})

local scale, selu_alpha = 1.0507009873554805, 1.6732632423543773
spec "selu" (fraction {
  example = { { -1.0, 2.0 }, gives = { -1.1113307, 2.101402 }, tolerance = 1e-6 },
  examples = {
    { { -inf, inf, nan, -200 }, gives = { -1.7580993, inf, nan, -1.7580993 }, tolerance = 1e-6 },
    { { -1, 2 }, gives = { -1.1113, 2.1014 }, dtype = "float32" },
  },
  reference = function(x) return x > 0 and scale * x or scale * selu_alpha * (math.exp(x) - 1) end,
  rejects = refuses "selu",
  gradients = { slopes_of },
  check = checks("selu", points),
})

-- 0.5 (1 + erf(x / sqrt(2))), by the series of unary.lua's erf.
local function distribution(x)
  local z = x / math.sqrt(2)
  local term, sum, n = z, 0, 0
  while math.abs(term) > 1e-18 * math.abs(sum) do
    sum, n = sum + term, n + 1
    term = term * 2 * z * z / (2 * n + 1)
  end
  return 0.5 + math.exp(-z * z) * sum / math.sqrt(math.pi)
end

local function gelu_tanh(x) return lt.gelu(x, { approximate = true }) end

spec "gelu" (fraction {
  example = { { -1.0, 2.0 }, gives = { -0.15865525, 1.9544997 }, tolerance = 1e-6 },
  examples = {
    { { -1.0, 2.0 }, { approximate = true }, gives = { -0.15880801, 1.9545977 }, tolerance = 1e-6 },
    { { -1.0, 2.0 }, { approximate = false }, gives = { -0.15865525, 1.9544997 }, tolerance = 1e-6 },
    { { -inf, inf, nan, -1e30, 1e30 }, gives = { 0, inf, nan, 0, 1e30 } },
    { { -inf, inf, nan, -1e30, 1e30 }, { approximate = true }, gives = { 0, inf, nan, 0, 1e30 } },
    -- 0.5 x (1 + erf(x / sqrt(2))) would give 0.
    { { -10.0, 1e-30 }, gives = { -7.61985302416e-23, 5e-31 }, tolerance = 1e-6 },
    { { -1, 2 }, gives = { -0.1587, 1.9545 }, dtype = "float32" },
  },
  reference = function(x) return x * distribution(x) end,
  domain = { -5, 5 },
  rejects = refuses("gelu", {
    { args = { { 1.0 }, { approximate = 1 } }, says = "gelu: approximate is 1, expected a boolean" },
    { args = { { 1.0 }, { approximate = "tanh" } }, says = 'gelu: approximate is "tanh", expected a boolean' },
  }),
  gradients = { slopes_of, { { { -3, -0.5, 0.25 }, { 2, 7, -1 } }, { approximate = true } } },
  check = checks("gelu", points, function(t)
    -- Its exponent's rounding is all that is lost in the tail.
    forms.golden(t, "gelu_tanh", gelu_tanh, 200)
    forms.bends(t, gelu_tanh, points)
    forms.half_slopes(t, gelu_tanh, points)
    forms.same_everywhere(t, gelu_tanh, -8, 8)
    for _, f in ipairs { lt.gelu, gelu_tanh } do
      t.close(forms.slopes(f, { 0, 1e30, -1e30, inf, -inf }), { 0.5, 1, 0, 1, 0 }, 1e-15, "slopes far out")
    end
  end),
})

spec "silu" (fraction {
  example = { { -1.0, 2.0 }, gives = { -0.26894142, 1.7615942 }, tolerance = 1e-6 },
  examples = {
    { { -inf, inf, nan, -1e30, 1e30 }, gives = { 0, inf, nan, 0, 1e30 } },
    -- e^-100 alone has no more than five bits here.
    { { -100.0 }, gives = { -3.720075976e-42 }, tolerance = 1e-3 },
    { { -1, 2 }, gives = { -0.2689, 1.7616 }, dtype = "float32" },
  },
  reference = function(x) return x / (1 + math.exp(-x)) end,
  domain = { -20, 20 },
  rejects = refuses "silu",
  gradients = { slopes_of },
  check = checks("silu", points, function(t)
    t.equal(forms.slopes(lt.silu, { 0, 1e30, -1e30, inf, -inf }), { 0.5, 1, 0, 1, 0 }, "slopes far out")
  end),
})

spec "sigmoid" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.5, 0.7311 } },
  examples = {
    { { inf, -inf, nan, 1000.0, -1000.0 }, gives = { 1, 0, nan, 1, 0 } },
    { { -80.0, 20.0 }, gives = { 1.8048514e-35, 1 - 2.0611537e-9 }, tolerance = 1e-5 },
    { { 0, 1 }, gives = { 0.5, 0.7311 }, dtype = "float32" },
  },
  reference = function(x) return 1 / (1 + math.exp(-x)) end,
  domain = { -30, 30 },
  rejects = refuses "sigmoid",
  gradients = { slopes_of },
  check = checks("sigmoid", points),
})

spec "softplus" (fraction {
  example = { { 0.0, 1.0 }, gives = { 0.69314718, 1.3132617 }, tolerance = 1e-6 },
  examples = {
    { { inf, -inf, nan, 1000.0, -1000.0 }, gives = { inf, 0, nan, 1000, 0 } },
    -- log(1 + e^-40) would give 0.
    { { -40.0, 40.0 }, gives = { 4.2483543e-18, 40 }, tolerance = 1e-6 },
    { { 0, 1 }, gives = { 0.6931, 1.3133 }, dtype = "float32" },
  },
  reference = function(x) return math.log(1 + math.exp(x)) end,
  rejects = refuses "softplus",
  gradients = { slopes_of },
  check = checks("softplus", points, function(t)
    t.equal(forms.slopes(lt.softplus, { 0, 1e30, -1e30 }), { 0.5, 1, 0 })
  end),
})

spec "softsign" (fraction {
  example = { { -1.0, 3.0 }, gives = { -0.5, 0.75 } },
  examples = {
    { { inf, -inf, nan, 3e38, -3e38 }, gives = { 1, -1, nan, 1, -1 } },
    { { -1, 3 }, gives = { -0.5, 0.75 }, dtype = "float32" },
  },
  reference = function(x) return x / (1 + math.abs(x)) end,
  rejects = refuses "softsign",
  gradients = { slopes_of },
  check = checks("softsign", points, function(t)
    t.equal(forms.slopes(lt.softsign, { 0, 1e300, -inf }), { 1, 0, 0 })
  end),
})

-- Those whose gradients are made of other ops.
do
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
end
