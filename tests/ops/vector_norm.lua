local spec = require "spec"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local gradients, rejects, gradient_of = reductions.gradients, reductions.rejects, reductions.gradient_of

local function root_of_squares(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x * x end
  return math.sqrt(sum)
end
local function magnitudes(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + math.abs(x) end
  return sum
end
local function largest(list)
  local most = 0
  for _, x in ipairs(list) do most = math.max(most, math.abs(x)) end
  return most
end

spec "norm" {
  example = { { 3, 4 }, gives = 5.0, dtype = "float32", shape = {} },
  examples = {
    { matrix, gives = 9.539392014, tolerance = 1e-6 },
    { { { 3, 6 }, { 4, 8 } }, 1, gives = { 5, 10 } },
    { { { 3, 4 }, { 6, 8 } }, -1, { keepdims = true }, gives = { { 5 }, { 10 } } },
    { { { 3, -4 }, { 6, 8 } }, { axis = {} }, gives = { { 3, 4 }, { 6, 8 } }, dtype = "float32" },
    { { 3, -4 }, { ord = 1 }, gives = 7.0, dtype = "float32" },
    { { 3, -4 }, { ord = 2 }, gives = 5.0 },
    { { 3, -4 }, { ord = 2.0 }, gives = 5.0 },
    { { { 3, -4 }, { 6, 8 } }, 1, { ord = inf }, gives = { 6.0, 8.0 } },
    { { 3, inf }, gives = inf },
    { { 3, nan }, gives = nan },
    { { inf, nan }, { ord = inf }, gives = nan },
    { { 3, -inf }, { ord = inf }, gives = inf },
    { { 3, nan }, { ord = 1 }, gives = nan },
    { -3, gives = 3.0, shape = {} },
    { zeros { 0 }, gives = 0, shape = {} },
    { zeros { 2, 0 }, 2, { ord = inf }, gives = { 0, 0 } },
    { zeros { 2, 0 }, 2, { ord = 1 }, gives = { 0, 0 } },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    -- Squares that would overflow, or vanish.
    { float32 { 3e30, 4e30 }, gives = 5e30, tolerance = 1e-6 },
    { float32 { 3e-30, 4e-30 }, gives = 5e-30, tolerance = 1e-6 },
    { float64 { 3e200, 4e200 }, gives = 5e200, tolerance = 1e-14 },
    { float64 { 3e-200, 4e-200 }, gives = 5e-200, tolerance = 1e-14 },
    { float64 { { 3e200, 4e200 }, { 3e-300, 4e-300 }, { 3, 4 }, { 0, 0 }, { nan, 1 }, { inf, 1 } }, 2,
      gives = { 5e200, 5e-300, 5, 0, nan, inf }, tolerance = 1e-14 },
    { float16 { 30000, 40000 }, gives = 49984, dtype = "float16", tolerance = 1e-3 },
    { bfloat16 { 3, 4 }, gives = 5, dtype = "bfloat16" },
    { int8 { -128, 0 }, gives = 128.0, dtype = "float32" },
    { int8 { -128, 0 }, { ord = inf }, gives = 128.0, dtype = "float32" },
  },
  rejects = rejects("norm", {
    { args = { matrix, { ord = nan } }, says = "norm: ord is nan, expected a number" },
    { args = { matrix, { ord = "two" } }, says = "norm: ord is" },
  }),
  gradients = gradients {
    { uneven, { ord = 1 } }, { uneven, 1, { ord = 1 } }, { uneven, { ord = inf } }, { uneven, 2, { ord = inf } },
  },
  check = reductions.all(
    reductions.against("norm", root_of_squares, { dtypes = reductions.floats }),
    reductions.against("norm", magnitudes, { dtypes = reductions.floats, options = { ord = 1 } }),
    reductions.against("norm", largest, { dtypes = reductions.floats, options = { ord = inf }, tolerance = 1e-15 }),
    reductions.against("norm", root_of_squares, { dtypes = { "uint8", "int32" }, low = 0, high = 90 }),
    function(t)
      reductions.against_data(t, "norm")
      t.close(lt.fill({ 1000000 }, 3.0):norm(), 3000, 1e-6)
      for _, ord in ipairs { 1, 2, inf } do
        t.equal(gradient_of("norm", lt.zeros({ 3 }, { dtype = "float64" }), { ord = ord }), { 0, 0, 0 })
      end
      t.equal(gradient_of("norm", lt.constant { { 0.0, 0.0 }, { 3.0, 4.0 } }, { axis = 2 }):float64(),
              lt.constant { { 0.0, 0.0 }, { 3 / 5, 4 / 5 } }:float64())
      t.equal(gradient_of("norm", lt.constant { 2.0, -2.0, 1.0 }, { ord = inf }), { 0.5, -0.5, 0 })
      -- Its own gradient is a number at zero, too.
      local x = lt.zeros({ 2 }, { dtype = "float64" })
      local outer <close> = lt.GradientTape()
      outer:watch(x)
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local slope = inner:gradient(x:norm(), x)
      t.equal(outer:gradient(slope:sum(), x), { 0, 0 })
    end),
}
