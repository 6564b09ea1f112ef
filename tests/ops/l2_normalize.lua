local spec = require "spec"
local reductions = require "reductions"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local matrix = { { 3, 4, 0 }, { 0, 0, 0 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local half = math.sqrt(0.5)

spec "l2_normalize" {
  example = { { 3, 4 }, gives = { 0.6, 0.8 }, dtype = "float32", tolerance = 1e-6 },
  examples = {
    { matrix, 2, gives = { { 0.6, 0.8, 0 }, { 0, 0, 0 } }, tolerance = 1e-6 },
    { matrix, 1, gives = { { 1, 1, 0 }, { 0, 0, 0 } } },
    { { { 1, 1 }, { 1, 1 } }, gives = { { 0.5, 0.5 }, { 0.5, 0.5 } } },
    { { { 1, 1 }, { 1, 1 } }, { axis = { 1, 2 } }, gives = { { 0.5, 0.5 }, { 0.5, 0.5 } } },
    { { 3, 4 }, { epsilon = 100 }, gives = { 0.3, 0.4 }, tolerance = 1e-6 },
    { { 3e-7, 4e-7 }, gives = { 0.3, 0.4 }, tolerance = 1e-6 },
    { { 0, 0 }, { epsilon = 0 }, gives = { nan, nan } },
    { float32 { 3e30, 4e30 }, gives = { 0.6, 0.8 }, tolerance = 1e-6 },
    { float64 { 3, 4 }, gives = { 0.6, 0.8 }, dtype = "float64", tolerance = 1e-15 },
    { float16 { 300, 400 }, gives = { 0.6, 0.8 }, dtype = "float16", tolerance = 1e-3 },
    { { 1, inf }, gives = { 0, nan } },
    { { 1, nan }, gives = { nan, nan } },
    { zeros { 0 }, gives = {}, shape = { 0 } },
    { zeros { 2, 0 }, 2, shape = { 2, 0 } },
    { -5, gives = -1.0, shape = {} },
  },
  rejects = reductions.axis_rejects("l2_normalize", { { 1, 2, 3 }, { 4, 5, 6 } }, {
    reductions.twice("l2_normalize", { { 1, 2 } }),
    { args = { bool { true } }, says = "l2_normalize: x is bool, expected a number" },
    { args = { { 1.0 }, { epsilon = -1 } }, says = "l2_normalize: epsilon is -1, expected 0 or more" },
  }, false),
  gradients = { { uneven }, { uneven, 1 }, { uneven, -1 }, { uneven, { axis = { 1, 2 } } }, { uneven, 2, { epsilon = 100 } } },
  check = function(t)
    -- Where the length is less than the root of epsilon, x is multiplied with a number.
    t.equal(two.slope(lt.l2_normalize, lt.constant { 0.0, 0.0 }), { 1e6, 1e6 })
    local x = lt.random.normal({ 40, 70 }, { seed = 3, dtype = "float64" })
    t.close(x:l2_normalize(1), x / x:square():sum(1, { keepdims = true }):sqrt(), 1e-14)
    t.close(x:l2_normalize(2):norm(2), lt.ones({ 40 }, { dtype = "float64" }), 1e-14)
  end,
}

spec "cosine_similarity" {
  example = { { 1.0, 0.0 }, { 1.0, 1.0 }, gives = 0.7071, dtype = "float32", shape = {} },
  examples = {
    { { { 1, 0 }, { 1, 1 } }, { { 0, 1 }, { 2, 2 } }, gives = { 0, 1 }, tolerance = 1e-6 },
    { { { 1, 0 }, { 1, 1 } }, { { 0, 1 }, { 2, 2 } }, 1, gives = { half, 2 / math.sqrt(5) }, shape = { 2 } },
    { { { 1, 0 }, { 1, 1 } }, { -1, 0 }, gives = { -1, -half }, tolerance = 1e-6 },
    { { { 1 }, { 2 } }, { { 3, 4, 0 } }, gives = { 7 / 5 / math.sqrt(3), 7 / 5 / math.sqrt(3) }, tolerance = 1e-6 },
    { { 0, 0 }, { 1, 2 }, gives = 0.0 },
    { { 3, 4 }, { 3, 4 }, { epsilon = 100 }, gives = 0.25, tolerance = 1e-6 },
    { float32 { 1e30, 1e30 }, float32 { 1e-3, 1e-3 }, gives = 1, tolerance = 1e-6 },
    { float16 { 300, 400 }, float16 { 400, 300 }, gives = 0.96, dtype = "float16", tolerance = 1e-3 },
    { float32 { 1, 2 }, float64 { 1, 2 }, gives = 1, dtype = "float64", tolerance = 1e-15 },
    { zeros { 0 }, zeros { 0 }, gives = 0.0, shape = {} },
    { zeros { 0, 2 }, zeros { 0, 2 }, gives = {}, shape = { 0 } },
  },
  rejects = {
    { args = { zeros { 2 }, zeros { 3 } }, says = "cosine_similarity: a (2,) and b (3,) do not broadcast" },
    { args = { 1, 2 }, says = "cosine_similarity: a and b are scalars, which have no axis" },
    { args = { { 1, 2 }, { 1, 2 }, 2 }, says = "cosine_similarity: axis 2 is not there: the broadcast shape of a and b has 1 axis" },
    { args = { { 1, 2 }, { 1, 2 }, { axis = { 1, 2 } } }, says = "cosine_similarity: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, { 1, 2 }, { epsilon = -1 } }, says = "cosine_similarity: epsilon is -1" },
    { args = { bool { true }, bool { true } }, says = "cosine_similarity: a is bool, expected a number" },
  },
  gradients = { { uneven, { { 2, 1, -1 }, { 0.5, 3, 1 } } }, { uneven, { 1, -2, 0.5 } }, { uneven, { { 1.5, -1, 0.25 }, { 3, 0.5, 2 } }, 1 }, { { { 1.5 }, { -2 } }, uneven } },
  check = function(t)
    local a = lt.random.normal({ 5, 1, 30 }, { seed = 3, dtype = "float64" })
    local b = lt.random.normal({ 7, 30 }, { seed = 4, dtype = "float64" })
    local products = (a * b):sum(-1)
    t.close(lt.cosine_similarity(a, b), products / (a:norm(-1) * b:norm(-1)), 1e-13)
  end,
}
