-- frexp, ldexp and histogramdd against NumPy 2.4's numbers (np.frexp, np.ldexp, np.histogramdd).
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local inf, nan = math.huge, 0 / 0
local function float64s(list) return lt.constant(list, { dtype = "float64" }) end

expect.case("frexp", function()
  local x = lt.constant { 0.0, -0.0, 1, -0.25, 3e38, 1.5, 1e-40, -1e-45, 0.9999999, 0x1p-126, inf, -inf }
  local mantissa, exponent = lt.frexp(x)
  expect.equal(mantissa:totable(), { 0.0, -0.0, 0.5, -0.5, 0.8816207647323608, 0.75, 0.5444488525390625, -0.5, 0.9999998807907104, 0.5, inf, -inf })
  expect.equal({ exponent.dtype, exponent:totable() }, { "int32", { 0, 0, 1, -1, 128, 1, -132, -148, 0, -125, 0, 0 } })
  assert(1 / mantissa[2]:item() == -inf, "-0.0 stays")
  mantissa, exponent = lt.frexp(float64s { 5e-324, -3e-310, 1.7976931348623157e308, 0x1p-1022, 7.0, 1e300, 0.1 })
  expect.equal(mantissa:totable(), { 0x1.0000000000000p-1, -0x1.b9cd129594080p-1, 0x1.fffffffffffffp-1, 0x1.0000000000000p-1, 0x1.c000000000000p-1, 0x1.7e43c8800759cp-1, 0x1.999999999999ap-1 })
  expect.equal(exponent:totable(), { -1073, -1028, 1024, -1021, 3, 997, -3 })
  mantissa, exponent = lt.frexp { nan }
  assert(mantissa:item() ~= mantissa:item() and exponent:item() == 0)
  mantissa, exponent = lt.frexp(12)
  expect.equal({ mantissa.dtype, mantissa:item(), exponent:item() }, { "float32", 0.75, 4 })
  for _, dtype in ipairs { "float16", "bfloat16" } do
    mantissa, exponent = lt.frexp(lt.constant({ 6, 0x1p-14 }, { dtype = dtype }))
    expect.equal({ mantissa.dtype, mantissa:totable(), exponent:totable() }, { dtype, { 0.75, 0.5 }, { 3, -13 } })
  end
  expect.equal(lt.frexp(lt.zeros { 0, 2 }).shape, { 0, 2 })
  -- Powers of two and their neighbours.
  local powers = lt.pow(float64s { 2 }, lt.range(-1022, 1024, 1, { dtype = "float64" }))
  local near = lt.concat { powers, powers * (1 - 0x1p-53), powers * (1 + 0x1p-52) }
  local parts, e = lt.frexp(near)
  expect.equal(lt.all(lt.logical_and(parts:ge(0.5), parts:lt(1))):item(), true)
  expect.equal(lt.array_equal(lt.ldexp(parts, e), near):item(), true)
end)

expect.case("ldexp", function()
  local x = float64s { -0x1.a84b95b0c1050p-1, -0x1.0d818beb4840cp-1, 0x1.34814b1cb9b7ap-1, 0x1.5089239de8600p-3, -0x1.9f9cbdbfd7a7ep-1, -0x1.11e97c4aaf4d8p-3, -0x1.573939583dce0p-5, -0x1.5c6d66e6f0db6p-1, 0x1.e069fc4d88058p-2, -0x1.8b998fdfde870p-1, -0x1.bd878248c4170p-3, 0x1.12456a38d21e0p-5, -0x1.a84b95b0c1050p+1022, -0x1.0d818beb4840cp+1022, 0x1.34814b1cb9b7ap+1022, 0x1.5089239de8600p+1020, -0x1.9f9cbdbfd7a7ep+1022, -0x1.11e97c4aaf4d8p+1020, -0x1.573939583dce0p+1018, -0x1.5c6d66e6f0db6p+1022, 0x1.e069fc4d88058p+1021, -0x1.8b998fdfde870p+1022, -0x1.bd878248c4170p+1020, 0x1.12456a38d21e0p+1018, -0x1.a84b95b0c1050p-1001, -0x1.0d818beb4840cp-1001, 0x1.34814b1cb9b7ap-1001, 0x1.5089239de8600p-1003, -0x1.9f9cbdbfd7a7ep-1001, -0x1.11e97c4aaf4d8p-1003, -0x1.573939583dce0p-1005, -0x1.5c6d66e6f0db6p-1001, 0x1.e069fc4d88058p-1002, -0x1.8b998fdfde870p-1001, -0x1.bd878248c4170p-1003, 0x1.12456a38d21e0p-1005, -0x1.a84b95b0c1050p-4, -0x1.0d818beb4840cp-4, 0x1.34814b1cb9b7ap-4, 0x1.5089239de8600p-6, -0x1.9f9cbdbfd7a7ep-4, -0x1.11e97c4aaf4d8p-6, -0x1.573939583dce0p-8, -0x1.5c6d66e6f0db6p-4, 0x1.e069fc4d88058p-5, -0x1.8b998fdfde870p-4, -0x1.bd878248c4170p-6, 0x1.12456a38d21e0p-8 }
  local n = lt.constant({ -198, -176, 319, 152, -718, 469, 509, 928, 571, -484, -409, 281, -1320, -1265, -1057, -1749, -974, -2099, -2008, -932, -968, -1742, -1933, -1724, 9, 1774, 1298, 1137, 428, 900, 315, 1528, 906, -17, 449, 1390, -1060, -1060, -1060, -1060, -1060, -1060, -1060, -1060, -1060, -1060, -1060, -1060 })
  expect.equal(lt.ldexp(x, n):totable(), { -0x1.a84b95b0c1050p-199, -0x1.0d818beb4840cp-177, 0x1.34814b1cb9b7ap+318, 0x1.5089239de8600p+149, -0x1.9f9cbdbfd7a7ep-719, -0x1.11e97c4aaf4d8p+466, -0x1.573939583dce0p+504, -0x1.5c6d66e6f0db6p+927, 0x1.e069fc4d88058p+569, -0x1.8b998fdfde870p-485, -0x1.bd878248c4170p-412, 0x1.12456a38d21e0p+276, -0x1.a84b95b0c1050p-298, -0x1.0d818beb4840cp-243, 0x1.34814b1cb9b7ap-35, 0x1.5089239de8600p-729, -0x1.9f9cbdbfd7a7ep+48, -0x0.0p+0, -0x1.573939583dce0p-990, -0x1.5c6d66e6f0db6p+90, 0x1.e069fc4d88058p+53, -0x1.8b998fdfde870p-720, -0x1.bd878248c4170p-913, 0x1.12456a38d21e0p-706, -0x1.a84b95b0c1050p-992, -0x1.0d818beb4840cp+773, 0x1.34814b1cb9b7ap+297, 0x1.5089239de8600p+134, -0x1.9f9cbdbfd7a7ep-573, -0x1.11e97c4aaf4d8p-103, -0x1.573939583dce0p-690, -0x1.5c6d66e6f0db6p+527, 0x1.e069fc4d88058p-96, -0x1.8b998fdfde870p-1018, -0x1.bd878248c4170p-554, 0x1.12456a38d21e0p+385, -0x0.00000000006a1p-1022, -0x0.0000000000436p-1022, 0x0.00000000004d2p-1022, 0x0.0000000000151p-1022, -0x0.000000000067ep-1022, -0x0.0000000000112p-1022, -0x0.0000000000056p-1022, -0x0.0000000000572p-1022, 0x0.00000000003c1p-1022, -0x0.000000000062ep-1022, -0x0.00000000001bep-1022, 0x0.0000000000045p-1022 })
  expect.equal(lt.ldexp({ 1.5, 0.0, inf }, { 1000, 1 << 40, -(1 << 40) }):totable(), { inf, 0, inf })
  expect.equal(lt.ldexp({ 1.0, 3.0 }, { -149, -150 }):totable(), { 0x1p-149, 0x1p-148 })
  expect.equal(lt.ldexp({ { 1.0 }, { 2.0 } }, { 1, 2, 3 }):totable(), { { 2, 4, 8 }, { 4, 8, 16 } })
  local half = lt.ldexp(lt.constant({ 1.5 }, { dtype = "float16" }), lt.constant({ 3 }, { dtype = "int8" }))
  expect.equal({ half.dtype, half:totable() }, { "float16", { 12 } })
end)

expect.case("their gradients", function()
  local x = float64s { 1.5, -12, 0.3 }
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(x)
  local y, z = lt.ldexp(x, { 2, -1, 0 }), (lt.frexp(x))
  -- PyTorch's: 2^n, and 2^-exponent.
  expect.equal(tape:gradient(y, x):totable(), { 4, 0.5, 1 })
  expect.equal(tape:gradient(z, x):totable(), { 0.5, 0.0625, 2 })
end)

local points = { { -0.89, -0.29, 0.88 }, { 0.58, 0.09, 0.67 }, { -2.83, 1.02, -0.96 }, { -1.67, 0.28, 0.7 }, { -0.44, -1.08, 0.03 },
    { -0.05, 1.41, 0.75 }, { 0.19, 1.11, -0.21 }, { -0.93, 0.58, 0.58 }, { -0.21, -0.78, 0.23 }, { -2.49, 0.69, 0.49
    }, { -1.64, 0.06, -0.96 }, { 0.76, -2.03, -0.91 } }
local golden = {
  { shape = { 2, 2, 2 }, counts = { 0.0, 0.0, 2.0, 2.0, 1.0, 2.0, 1.0, 4.0 }, edges = { { -2.83, -1.0350000000000001,
    0.76 }, { -2.03, -0.31000000000000005, 1.41 }, { -0.96, -0.040000000000000036, 0.88 } } },
  { shape = { 2, 3, 1 }, counts = { 2.0, 2.0, 1.0, 0.0, 1.0, 1.0 }, edges = { { -1.0, 0.0, 1.0 }, { -2.0,
    -0.6666666666666667, 0.6666666666666665, 2.0 }, { -3.0, 3.0 } } },
  { shape = { 2, 2, 3 }, counts = { 0.0, 0.0, 0.0, 0.019378460785469922, 0.08305054622344252, 0.004745745498482429,
    0.016610109244688503, 0.11627076471281952, 0.0, 0.00968923039273496, 0.0, 0.020169418368550324 }, edges = { {
    -2.83, -1.0350000000000001, 0.76 }, { -2.03, -0.31000000000000005, 1.41 }, { -3.0, 0.0, 0.5, 4.0 } } },
}

expect.case("histogramdd", function()
  local weights = lt.range(1, 13, 1, { dtype = "float64" })
  local options = {
    { bins = 2 }, { bins = { 2, 3, 1 }, range = { { -1, 1 }, { -2, 2 }, { -3, 3 } } },
    { bins = { 2, 2, float64s { -3, 0, 0.5, 4 } }, density = true, weights = weights },
  }
  for i, wanted in ipairs(golden) do
    local counts, edges = lt.histogramdd(float64s(points), options[i])
    expect.equal(counts.shape, wanted.shape, i)
    expect.close(counts:cast("float64"):flatten(), wanted.counts, 1e-14, i)
    for axis = 1, 3 do expect.close(edges[axis], wanted.edges[axis], 1e-14, "edges") end
  end
  local counts, edges = lt.histogramdd({ { 1, 1 }, { 2, nan } }, { bins = 1, range = { { 0, 2 }, { 0, 2 } } })
  expect.equal({ counts.dtype, counts:totable(), edges[1].dtype }, { "int64", { { 1 } }, "float32" })
  expect.equal(lt.histogramdd(lt.zeros { 0, 2 }, { bins = 2 }):totable(), { { 0, 0 }, { 0, 0 } })
  local first = lt.histogramdd(float64s(points)[{ {}, { 1, 2 } }], { bins = 3 })
  expect.equal(first:totable(), lt.histogram2d(float64s(points)[{ {}, 1 }], float64s(points)[{ {}, 2 }], { bins = 3 }):totable())
end)

expect.case("refused calls", function()
  local function refuses(text, name, ...) expect.raises("InvalidArgument", name .. ": " .. text, lt[name], ...) end
  refuses("n is float32, expected integers", "ldexp", { 1.0 }, { 1.5 })
  refuses("x is bool, expected a number", "ldexp", true, 1)
  refuses("x is bool, expected a number", "frexp", true)
  refuses("x is complex64, expected a real number", "frexp", lt.zeros({ 1 }, { dtype = "complex64" }))
  refuses("2 arguments given, at most 1 are taken", "frexp", 1, 2)
  expect.raises("InvalidArgument", "do not broadcast", lt.ldexp, { 1.0, 2 }, { 1, 2, 3 })
  refuses("x has the shape (3,), expected [points, columns] of 1 to 8 columns", "histogramdd", { 1, 2, 3 })
  refuses("x has the shape (1, 9), expected", "histogramdd", lt.ones { 1, 9 })
  refuses("bins is a list of 3, expected a number, or a list of 2", "histogramdd", { { 1, 2 } }, { bins = { 1, 2, 3 } })
  refuses("range is a list of 1, expected {lowest, highest} for each of the 2 columns", "histogramdd", { { 1, 2 } }, { range = { { 0, 1 } } })
  refuses("bins is 0, expected a whole number, 1 or more", "histogramdd", { { 1, 2 } }, { bins = 0 })
  refuses("the range of column 2 is from 2 to 1", "histogramdd", { { 1, 2 } }, { range = { { 0, 1 }, { 2, 1 } } })
  refuses("weights has the shape (2,), expected x's, (1,)", "histogramdd", { { 1, 2 } }, { weights = { 1.0, 2 } })
  refuses("there are 1e+10 bins in all, more than a tensor can have", "histogramdd", lt.ones { 1, 8 }, { bins = 100 })
  refuses("density is 1, expected true or false", "histogramdd", { { 1, 2 } }, { density = 1 })
end)

expect.end_of_cases()
