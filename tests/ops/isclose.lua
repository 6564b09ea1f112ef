local spec = require "spec"
local composed = require "composed"
local two = require "two_inputs"

local nan, inf = 0 / 0, math.huge

spec "isclose" {
  example = { { 1.0, 2.0 }, { 1.000001, 2.1 }, gives = { true, false }, dtype = "bool" },
  examples = {
    { { inf, inf, nan, 1, inf, 1 }, { inf, -inf, nan, inf, 1, nan }, gives = { true, false, false, false, false, false } },
    { { nan, nan, 1 }, { nan, 1, nan }, { equal_nan = true }, gives = { true, false, false } },
    { { 1, 100 }, { 1.05, 106 }, { rtol = 0.05 }, gives = { true, false } },
    { { 0, 0 }, { 1e-9, 1e-7 }, gives = { true, false } },
    { { 0, 0 }, { 0.5, 2 }, { atol = 1 }, gives = { true, false } },
    { { 1, 1 }, { 1, 1.0000001 }, { rtol = 0, atol = 0 }, gives = { true, false } },
    { int32 { 1, 2 }, 2, gives = { false, true } },
    { int64 { 16777217 }, int64 { 16777216 }, { rtol = 0 }, gives = { false } },
    { float16 { 1, 1 }, float16 { 1.001, 1 }, gives = { false, true } },
    { 1, 1, gives = true, shape = {} },
    { zeros { 0 }, 1, gives = {}, shape = { 0 } },
  },
  reference = function(a, b) return math.abs(a - b) <= 1e-8 + 1e-5 * math.abs(b) end,
  samples = two.shapes,
  dtypes = { "int8", "int32", "float64", "float32" },
  result = "bool",
  rejects = {
    { args = { zeros { 2 }, zeros { 3 } }, says = "isclose: a (2,) and b (3,) do not broadcast" },
    { args = { bool { true }, bool { true } }, says = "isclose: a is bool, expected a number" },
    { args = { { 1 }, 1, { rtol = -1 } }, says = "isclose: rtol is -1, expected 0 or more" },
    { args = { { 1 }, 1, { atol = nan } }, says = "isclose: atol is" },
    { args = { { 1 }, 1, { tolerance = 1 } }, says = "isclose: unknown option 'tolerance'" },
  },
  check = function(t)
    composed.check_pairs(t, "isclose", 0, 0)
    -- A tape records nothing of it.
    local x = lt.ones { 10000 }
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    collectgarbage()
    local before = lt.debugging.live_storages()
    local close = lt.isclose(x, 1)
    collectgarbage()
    t.equal(lt.debugging.live_storages() - before, 1)
    t.ok(close:all():item())
  end,
}
