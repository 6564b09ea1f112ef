-- var, std, logsumexp and norm: a part of the reduce family.
local spec = require "spec"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local zeros = reductions.zeros

local function mean_of(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

local function variance(ddof)
  return function(list)
    local mean, squares = mean_of(list), 0
    for _, x in ipairs(list) do squares = squares + (x - mean) ^ 2 end
    return squares / math.max(#list - ddof, 0)
  end
end

-- Gradients of all ways to name axes.
local function gradients(more)
  local list = {
    { uneven }, { uneven, 1 }, { uneven, -1 }, { uneven, { axis = { 1, 2 }, keepdims = true } },
    { { { { 1.5, -2 }, { 0.25, 4 } }, { { 0.5, -1 }, { 3, 2.5 } } }, { axis = { 1, 3 } } },
    { { { { 1.5, -2 }, { 0.25, 4 } }, { { 0.5, -1 }, { 3, 2.5 } } }, { axis = 2, keepdims = true } },
  }
  for _, case in ipairs(more or {}) do list[#list + 1] = case end
  return list
end

local function rejects(op, more)
  local list = reductions.axis_rejects(op, matrix, more)
  list[#list + 1] = reductions.twice(op, matrix)
  list[#list + 1] = { args = { bool { true } }, says = op .. ": x is bool, expected a number" }
  list[#list + 1] = { args = { 5, 1 }, says = op .. ": axis 1 is not there: x () has 0 axes" }
  return list
end

local function gradient_of(op, x, options)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(lt[op](x, options), x)
end

local function spread(op, root)
  local function value(x) return root and math.sqrt(x) or x end
  spec(op) {
    example = { { 1, 2, 3, 4 }, gives = value(1.25), dtype = "float32", shape = {}, tolerance = 1e-6 },
    examples = {
      { matrix, 1, gives = { value(2.25), value(2.25), value(2.25) } },
      { matrix, -1, gives = { value(2 / 3), value(2 / 3) }, tolerance = 1e-6 },
      { matrix, { axis = { 1, 2 }, keepdims = true }, gives = { { value(35 / 12) } }, tolerance = 1e-6 },
      { matrix, { ddof = 1 }, gives = value(3.5), tolerance = 1e-6 },
      { matrix, 2, { ddof = 1 }, gives = { value(1), value(1) } },
      { matrix, { ddof = -1, axis = 2 }, gives = { value(0.5), value(0.5) }, tolerance = 1e-6 },
      { matrix, { axis = {} }, gives = { { 0, 0, 0 }, { 0, 0, 0 } } },
      { 5, gives = 0.0, shape = {} },
      { 5, { ddof = 1 }, gives = nan, shape = {} },
      { { 1, 3 }, { ddof = 2 }, gives = inf },
      { { 1, 3 }, { ddof = 7 }, gives = inf },
      { { 1, 3 }, { ddof = math.mininteger }, gives = 0.0, tolerance = 1e-6 },
      { zeros { 0 }, gives = nan, shape = {} },
      { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
      { zeros { 0, 3 }, 1, gives = { nan, nan, nan } },
      { zeros { 0, 3 }, 2, shape = { 0 } },
      { { 1, inf }, gives = nan },
      { { { 1, nan }, { 2, 4 } }, 2, gives = { nan, value(1) } },
      { int8 { 127, -128 }, gives = value(127.5 ^ 2), dtype = "float32", tolerance = 1e-6 },
      { float16 { 60000, -60000, 0, 0 }, { axis = {} }, gives = { 0, 0, 0, 0 }, dtype = "float16" },
      { bfloat16 { 3, 5 }, gives = 1, dtype = "bfloat16" },
      { float64 { 1e8 + 1, 1e8 + 3 }, gives = 1, dtype = "float64", tolerance = 1e-15 },
      { float32 { 1e30, -1e30 }, gives = root and 1e30 or inf, tolerance = 1e-6 },
    },
    rejects = rejects(op, {
      { args = { matrix, { ddof = 0.5 } }, says = op .. ": ddof is" },
      { args = { matrix, { ddof = "1" } }, says = op .. ": ddof is" },
      { args = { matrix, { dof = 1 } }, says = "unknown option 'dof' (did you mean 'ddof'?)" },
    }),
    gradients = gradients { { uneven, { ddof = 1 } }, { uneven, 2, { ddof = 1 } } },
    check = reductions.all(
      reductions.against(op, function(list) return value(variance(0)(list)) end,
                         { dtypes = reductions.floats }),
      reductions.against(op, function(list) return value(variance(0)(list)) end,
                         { dtypes = { "int16", "int64" }, low = -50, high = 90 }),
      function(t)
        reductions.against_data(t, op)
        -- A large mean and a small spread, in many blocks: n even, so that half the elements are one more.
        for _, shape in ipairs { { 100000 }, { 50000, 2 }, { 2, 50000 }, { 1000, 100 } } do
          for dtype, mean in pairs { float32 = 4e6, float64 = 1e12 } do
            local x = (lt.range(100000) % 2):cast(dtype):reshape(shape) + mean
            t.close(lt[op](x), value(0.25), 1e-6, dtype)
          end
        end
        local x = (lt.range(100000) // 2 % 2):cast("float32"):reshape { 50000, 2 } + 4e6
        t.close(lt[op](x, 1), { value(0.25), value(0.25) }, 1e-6)
        t.close(lt[op](lt.range(100001):float64(), { ddof = 1 }), value(100001 * 100002 / 12), 1e-9)
        -- The gradient where nothing varies.
        t.equal(gradient_of(op, float64 { 2, 2, 2 }.make()), { 0, 0, 0 })
        t.equal(gradient_of(op, lt.zeros { 0, 2 }, { axis = 2 }), lt.zeros { 0, 2 })
      end),
  }
end

spread("var", false)
spread("std", true)

local function log_sum(list)
  local most, sum = -inf, 0
  for _, x in ipairs(list) do most = math.max(most, x) end
  for _, x in ipairs(list) do sum = sum + math.exp(x - most) end
  return most + math.log(sum)
end

spec "logsumexp" {
  example = { { 0.0, 0.0 }, gives = 0.6931, dtype = "float32", shape = {} },
  examples = {
    { matrix, gives = 6.456193316, tolerance = 1e-6 },
    { matrix, 1, gives = { 4.048587352, 5.048587352, 6.048587352 }, tolerance = 1e-6 },
    { matrix, { axis = -1, keepdims = true }, gives = { { 3.407605964 }, { 6.407605964 } }, tolerance = 1e-6 },
    { matrix, { axis = {} }, gives = matrix, dtype = "float32" },
    { { 1000, 1000 }, gives = 1000.69314718, tolerance = 1e-6 },
    { { -1000, -1000 }, gives = -999.30685282, tolerance = 1e-6 },
    { { -inf, 2.5 }, gives = 2.5 },
    { { -inf, -inf }, gives = -inf },
    { { inf, 1 }, gives = inf },
    { { inf, -inf }, gives = inf },
    { { inf, nan }, gives = nan },
    { { { -inf, nan }, { 1, 2 } }, 1, gives = { 1, nan } },
    { float16 { 20, 20 }, gives = 20.6931, dtype = "float16", tolerance = 1e-3 },
    { float64 { 0, -800 }, gives = 0.0, dtype = "float64" },
    { 3, gives = 3.0, shape = {} },
    { zeros { 0 }, gives = -inf, shape = {} },
    { zeros { 3, 0 }, 2, gives = { -inf, -inf, -inf } },
    { zeros { 0, 3 }, 2, shape = { 0 } },
  },
  rejects = rejects "logsumexp",
  gradients = gradients(),
  check = reductions.all(
    reductions.against("logsumexp", log_sum, { dtypes = reductions.floats }),
    reductions.against("logsumexp", log_sum, { dtypes = { "float64", "float32" }, low = -2000, high = 2000 }),
    reductions.against("logsumexp", log_sum, { dtypes = { "int8", "int32" }, low = -100, high = 100 }),
    function(t)
      reductions.against_data(t, "logsumexp")
      -- Blocks that are -inf throughout stand beside others, before and behind.
      local place = lt.range(5000)
      for _, at in ipairs { 0, 1500, 4999 } do
        local x = lt.where(place:eq(at), -1000.0, -inf)
        t.equal(x:logsumexp(), -1000)
        t.equal(x:reshape { 2500, 2 }:logsumexp(1), at % 2 == 0 and { -1000, -inf } or { -inf, -1000 })
        t.equal(lt.stack({ x, x }, 2):logsumexp(1), { -1000, -1000 })
      end
      t.close(lt.fill({ 1000000 }, -7.0):logsumexp(), -7 + math.log(1000000), 1e-6)
      t.equal(gradient_of("logsumexp", lt.constant { { -inf, -inf }, { -inf, 3.0 } }, { axis = 2 }), { { 0, 0 }, { 0, 1 } })
    end),
}

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
    { args = { matrix, { ord = 3 } }, says = "norm: ord is 3, expected 1, 2 or math.huge" },
    { args = { matrix, { ord = -inf } }, says = "norm: ord is -inf, expected 1, 2 or math.huge" },
    { args = { matrix, { ord = nan } }, says = "expected 1, 2 or math.huge" },
    { args = { matrix, { ord = "fro" } }, says = "norm: ord is" },
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
