local spec = require "spec"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local most = { float16 = 65504, bfloat16 = 0x1.fep127, float32 = 0x1.fffffep127, float64 = 0x1.fffffffffffffp1023 }

spec "nan_to_num" {
  example = { { 1.5, nan, inf }, { posinf = 9 }, gives = { 1.5, 0, 9 }, dtype = "float32" },
  examples = {
    { { nan, inf, -inf, 2 }, { nan = -1, posinf = 5.5, neginf = -5 }, gives = { -1, 5.5, -5, 2 } },
    { { nan, inf, -inf }, { posinf = inf, neginf = nan }, gives = { 0, inf, nan } },
    { int8 { 1, -2 }, { nan = 7 }, gives = { 1, -2 }, dtype = "int8" },
    { int64 { math.maxinteger }, gives = { math.maxinteger }, dtype = "int64" },
    { zeros { 0, 3 }, shape = { 0, 3 } },
    { nan, gives = 0.0, dtype = "float32", shape = {} },
    { 3, gives = 3, dtype = "int32", shape = {} },
  },
  reference = function(x) return x end,
  samples = shapes { {}, { 1 }, { 3, 0 }, { 17, 65 } },
  dtypes = numbers,
  result = function(dtype) return dtype end,
  rejects = {
    { args = { bool { true } }, says = "nan_to_num: x is bool, expected a number" },
    { args = { { 1.0 }, { nan = "0" } }, says = "nan_to_num: nan is" },
    { args = { { 1.0 }, { posinf = {} } }, says = "nan_to_num: posinf is" },
  },
  gradients = { { { 0.1, -0.25, 3 } } },
  check = function(t)
    for dtype, largest in pairs(most) do
      local x = lt.constant({ inf, -inf, nan, 1 }, { dtype = dtype })
      local got = x:nan_to_num()
      t.ok(got.dtype == dtype, dtype)
      t.equal(got:float64(), { largest, -largest, 0, 1 }, dtype)
    end
    t.equal(two.slope(lt.nan_to_num, lt.constant { nan, 2.0, inf, -inf }), { 0, 1, 0, 0 })
    -- Integers share their memory.
    local whole = lt.range(100)
    t.equal(whole:nan_to_num(), whole)
  end,
}
