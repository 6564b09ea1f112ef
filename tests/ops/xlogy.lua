local spec = require "spec"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge
local slope, second = two.slope, two.second
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

spec "xlogy" {
  example = { { 2.0, 0.0 }, { 3.0, 0.0 }, gives = { 2.1972, 0 }, dtype = "float32" },
  examples = {
    { { 0, -0.0, 0, 0, 0, 0 }, { nan, inf, -inf, -1, 0, 5 }, gives = { 0, 0, 0, 0, 0, 0 } },
    { { 2, -2, 2, nan, 1, inf }, { 0, 0, -1, 1, nan, 1 }, gives = { -inf, inf, nan, nan, nan, nan } },
    -- Worked out to 60 digits.
    { float64 { 0.5, -2, 1e30, 3, 1e-300, 7.25 }, float64 { 0.25, 10, 1e-30, 5e-324, 1e300, 1 + 0x1p-40 },
      gives = { -0.6931471805599453, -4.605170185988092, -6.907755278982137e+31, -2233.320215764144,
        6.9077552789821376e-298, 6.593836587850731e-12 }, tolerance = 5e-16 },
    { float16 { 3, 1.5 }, float16 { 0.0999755859375, 300 }, gives = { -6.91015625, 8.5546875 }, dtype = "float16" },
    { 2, 1, gives = 0, dtype = "float32", shape = {} },
  },
  reference = function(x, y) return x == 0 and 0 or x * math.log(y) end,
  samples = two.shapes,
  dtypes = numbers,
  domain = { { -9, 9 }, { 1, 9 } },
  result = function(dtype) return dtype:find("float") and dtype or "float32" end,
  rejects = {
    { args = { zeros { 2 }, zeros { 3 } }, says = "xlogy: x (2,) and y (3,) do not broadcast" },
    { args = { bool { true }, bool { true } }, says = "xlogy: x is bool, expected a number" },
    { args = { { 1, 2 } }, says = "xlogy: 1 argument given, expected xlogy(x, y)" },
  },
  gradients = { { { 1.5, -2, 0.3 }, { { 2, 3, 4 }, { 0.5, 6, 7 } } }, { { 1.5, -2 }, 3 }, { -1, { 2, 0.3 } } },
  check = function(t)
    two.check_large(t, lt.xlogy, function(x, y) return x * math.log(y) end)
    -- Where x is 0 no slope reaches it or y, whatever y is, nor do the slopes have any there.
    local x, y = float64s { 0, 0, 2, -3 }, float64s { 0, 2, 4, 0.5 }
    t.close(slope(function(v) return v:xlogy(y) end, x), { 0, 0, math.log(4), -math.log(2) }, 1e-15)
    t.equal(slope(function(v) return x:xlogy(v) end, y), { 0, 0, 0.5, -6 })
    t.equal(second(function(v) return x:xlogy(v) end, y), { 0, 0, -0.125, 12 })
    t.equal(second(function(v) return v:xlogy(v) end, float64s { 0, 2, 4 }), { 0, 0.5, 0.25 })
    -- Both count in the dtype that they are computed in.
    t.close(slope(function(v) return lt.xlogy(lt.constant { 1.0 }, v) end, float64s { 3 }), { 1 / 3 }, 1e-15)
    t.close(slope(function(v) return v:xlogy(lt.constant { 3 }) end, float64s { 1 }), { math.log(3) }, 1e-15)
  end,
}
