local spec = require "spec"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local gradients, rejects, gradient_of = reductions.gradients, reductions.rejects, reductions.gradient_of

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
      -- Blocks of nothing but -inf, with other blocks before and after them.
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
