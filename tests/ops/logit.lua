local spec = require "spec"
local golden = require "golden.composed_golden"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

spec "logit" {
  example = { { 0.5, 0.9 }, gives = { 0, 2.1972 }, dtype = "float32" },
  examples = {
    { { 0, 1, -0.5, 1.5, nan, inf, -inf, -0.0 }, gives = { -inf, inf, nan, nan, nan, nan, nan, -inf } },
    { float64 { 5e-324, 1e-300 }, gives = { -744.44007192138126, -690.77552789821371 }, tolerance = 1e-15 },
    { float16 { 0.25, 0.75 }, gives = { -1.0986, 1.0986 }, dtype = "float16", tolerance = 1e-3 },
    { bfloat16 { 0.5 }, gives = { 0 }, dtype = "bfloat16" },
    { int32 { 0, 1, 2 }, gives = { -inf, inf, nan }, dtype = "float32" },
    { 0.5, gives = 0.0, dtype = "float32", shape = {} },
  },
  reference = function(x) return math.log(x / (1 - x)) end,
  samples = shapes { {}, { 1 }, { 3, 0 }, { 17, 65 } },
  domain = { 0.01, 0.99 },
  dtypes = floats,
  rejects = {
    { args = { bool { true } }, says = "logit: x is bool, expected a number" },
    { args = { { 0.5 }, 1 }, says = "logit: 2 arguments given" },
  },
  gradients = { { { 0.1, 0.25, 0.5, 0.7, 0.95 } }, { { { 0.3 }, { 0.6 } } } },
  check = function(t)
    local x = float64s(golden.logit.x)
    t.close(x:logit(), float64s(golden.logit.gives), 1e-15)
    t.close(x:float32():float64():float32():logit(), x:float32():float64():logit():float32(), 4e-7)
    local y = lt.linspace(-30, 10, 401, { dtype = "float64" })
    t.close(y:sigmoid():logit():sigmoid(), y:sigmoid(), 1e-14)
    t.close(two.slope(lt.logit, float64s { 0.5, 1e-300, 1 - 0x1p-53 }), { 4, 1e300, 0x1p53 }, 1e-15)
    t.equal(two.slope(lt.logit, float64s { 0, 1 }), { inf, inf })
  end,
}
