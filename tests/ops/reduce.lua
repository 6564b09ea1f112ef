local spec = require "spec"

local collector = require "collector"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local cube = { { { 1.5, -2 }, { 0.25, 4 } }, { { 0.5, -1 }, { 3, 2.5 } } }
local axis_rejects, twice = reductions.axis_rejects, reductions.twice

local function gradients(x, cube)
  return {
    { x }, { x, 1 }, { x, -1 }, { x, { axis = { 1, 2 }, keepdims = true } }, { x, { axis = -1, keepdims = true } },
    { x, { axis = {} } }, { cube, { axis = { 1, 3 } } }, { cube, { axis = 2, keepdims = true } }, { cube, { axis = { 2, 3 } } },
  }
end

local function gradient_of(op, x, options)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(lt[op](x, options), x)
end

local function nans(y) return y:float32():ne(y:float32()):sum() end

-- Whole numbers in every dtype, against the same in int64: few of them, many, in rows and in columns.
local function check_every_dtype(t, op, low, result_dtype)
  for _, case in ipairs { { { 7 } }, { { 40000 } }, { { 200, 211 }, 1 }, { { 211, 200 }, 2 }, { { 3000, 7 }, 1 }, { { 8, 1500, 3 }, { 1, 3 } } } do
    local shape, axis = table.unpack(case)
    local size = 1
    for _, n in ipairs(shape) do size = size * n end
    local small = lt.range(size) * 37 % 101 % 7 + low
    for _, dtype in ipairs(all_dtypes) do
      local x = small
      if dtype == "uint8" then x = x - low elseif dtype == "bool" then x = x % 2 end
      x = x:reshape(shape)
      local wanted = lt[op](x, { axis = axis })
      local is_float = dtype:find "float" ~= nil
      if dtype ~= "bool" or result_dtype(dtype) then
        local got = lt[op](dtype == "bool" and x:ne(0) or x:cast(dtype), { axis = axis })
        t.ok(got.dtype == result_dtype(dtype), op .. " of " .. dtype .. " is " .. got.dtype)
        if wanted.dtype:find "float" and not is_float then t.equal(got, wanted, dtype)
        else t.equal(got, wanted:cast(got.dtype), dtype) end
      end
    end
  end
end

local function in_every_dtype(...) collector.in_peace(check_every_dtype, ...) end

local function wide(dtype) return dtype:find "float" and dtype or "int64" end
local function same(dtype) return dtype ~= "bool" and dtype or nil end

-- Every pair of axes of a tensor whose elements are their positions, against loops in Lua.
local function against_loops(t, op, gather, start)
  local x = ((lt.range(2 * 3 * 5 * 4) * 37) % 101):reshape { 2, 3, 5, 4 }
  local values = x:totable()
  for mask = 0, 15 do
    local axes, kept = {}, {}
    for axis = 1, 4 do
      if mask >> (axis - 1) & 1 == 1 then axes[#axes + 1] = axis % 2 == 0 and axis - 5 or axis end
    end
    local results = {}
    for i = 1, 2 do
      for j = 1, 3 do
        for k = 1, 5 do
          for l = 1, 4 do
            local place = {}
            for axis, index in ipairs { i, j, k, l } do
              if mask >> (axis - 1) & 1 == 0 then place[#place + 1] = index end
            end
            local key = table.concat(place, " ")
            if results[key] == nil then
              results[key] = start
              kept[#kept + 1] = key
            end
            results[key] = gather(results[key], values[i][j][k][l])
          end
        end
      end
    end
    local wanted = {}
    for _, key in ipairs(kept) do wanted[#wanted + 1] = results[key] end
    t.equal(op(x, { axis = axes }):reshape { -1 }, wanted, "axes " .. table.concat(axes, " "))
    t.equal(op(x, { axis = axes, keepdims = true }):reshape { -1 }, wanted)
  end
end

spec "sum" {
  example = { { 1, 2, 3 }, gives = 6, dtype = "int64", shape = {} },
  examples = {
    { matrix, gives = 21, shape = {} },
    { matrix, 1, gives = { 5, 7, 9 } },
    { matrix, 2, gives = { 6, 15 } },
    { matrix, -1, gives = { 6, 15 } },
    { matrix, { 1, 2 }, gives = 21, shape = {} },
    { matrix, { axis = 2, keepdims = true }, gives = { { 6 }, { 15 } } },
    { matrix, 2, { keepdims = true }, gives = { { 6 }, { 15 } } },
    { matrix, { keepdims = true }, gives = { { 21 } } },
    { matrix, { axis = {} }, gives = matrix, dtype = "int64" },
    { matrix, {}, gives = 21, shape = {} },
    { 7, gives = 7, shape = {} },
    { 7, { axis = {} }, gives = 7, shape = {} },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { 1, 3 }, gives = { 14, 22 } },
    { { 0.5, 0.25 }, gives = 0.75, dtype = "float32" },
    { float64 { 0.5, 0.25 }, gives = 0.75, dtype = "float64" },
    { { true, false, true }, gives = 2, dtype = "int64" },
    { int32 { 2147483647, 1 }, gives = 2147483648, dtype = "int64" },
    { int64 { math.maxinteger, 1 }, gives = math.mininteger },
    { { inf, 1 }, gives = inf },
    { { inf, -inf }, gives = nan },
    { zeros { 0 }, gives = 0, shape = {} },
    { zeros({ 0, 3 }, "int32"), 1, gives = { 0, 0, 0 }, dtype = "int64" },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    { zeros { 1, 1, 1, 1, 1, 1, 1, 2 }, { keepdims = true }, shape = { 1, 1, 1, 1, 1, 1, 1, 1 } },
    { int8 { 127, 127 }, gives = 254, dtype = "int64" },
    { int8 { -128, -128 }, gives = -256, dtype = "int64" },
    { uint8 { { 255, 255 }, { 1, 2 } }, 2, gives = { 510, 3 }, dtype = "int64" },
    { int16 { 32767, 32767 }, gives = 65534, dtype = "int64" },
    -- A half is rounded once: in float32 the last term would be lost, and the tie go down.
    { float16 { 2048, 1, 2 ^ -14 }, gives = 2050, dtype = "float16" },
    { bfloat16 { 256, 1, 2 ^ -16 }, gives = 258, dtype = "bfloat16" },
    { float16 { -2048, -1, -2 ^ -14 }, gives = -2050, dtype = "float16" },
    { float16 { 60000, 60000 }, gives = inf, dtype = "float16" },
    { float16 { 60000, 60000, -60000 }, gives = 60000, dtype = "float16" },
    { float16 { inf, -inf }, gives = nan, dtype = "float16" },
  },
  rejects = axis_rejects("sum", matrix, {
    twice("sum", matrix),
    { args = { 5, 1 }, says = "sum: axis 1 is not there: x () has 0 axes" },
  }),
  gradients = gradients(uneven, cube),
  check = function(t)
    reductions.against_data(t, "sum")
    in_every_dtype(t, "sum", -3, wide)
    for _, dtype in ipairs { "int8", "uint8", "int16" } do  -- runs are as wide as they need be, and no wider
      local most = dtype == "int8" and -128 or dtype == "uint8" and 255 or -32768
      t.equal(lt.fill({ 5000 }, most):cast(dtype):sum(), 5000 * most)
      t.equal(lt.fill({ 5000, 40 }, most):cast(dtype):sum(1), lt.fill({ 40 }, 5000 * most):int64())
    end
    t.equal(lt.fill({ 5000 }, 0.1):float16():sum(), 500)  -- 5000 * 0.09998, to the nearest quarter
    against_loops(t, lt.sum, function(a, b) return a + b end, 0)
    -- Many blocks: exact in integers, and in float32 nearer than adding one by one would come.
    t.equal(lt.range(1000000):sum(), 499999500000)
    t.equal(lt.range(1000000):reshape { 500000, 2 }:sum(1), { 249999500000, 250000000000 })
    t.equal(lt.range(1000000):reshape { 2, 500000 }:sum(2), { 124999750000, 374999750000 })
    t.close(lt.fill({ 1000000 }, 0.1):sum(), 100000.0015, 1e-7)
    t.close(lt.fill({ 100000, 7 }, 0.1):sum(1), { 10000, 10000, 10000, 10000, 10000, 10000, 10000 }, 1e-7)
    t.equal(lt.ones({ 5000 }, { dtype = "bool" }):sum(), 5000)
    t.equal(lt.ones({ 5000, 3 }, { dtype = "bool" }):sum(1), { 5000, 5000, 5000 })
  end,
}

spec "mean" {
  example = { { 1, 2, 6 }, gives = 3.0, dtype = "float32", shape = {} },
  examples = {
    { matrix, 1, gives = { 2.5, 3.5, 4.5 }, dtype = "float32" },
    { matrix, { axis = -1, keepdims = true }, gives = { { 2 }, { 5 } } },
    { matrix, { axis = {} }, gives = matrix, dtype = "float32" },
    { { true, false, true, true }, gives = 0.75, dtype = "float32" },
    { float64 { 1, 2 }, gives = 1.5, dtype = "float64" },
    { zeros { 0 }, gives = nan, shape = {} },
    { zeros({ 2, 0 }, "int32"), 2, gives = { nan, nan }, dtype = "float32" },
    { zeros { 0, 2 }, 2, shape = { 0 } },
    { { 1, nan }, gives = nan },
    { 3, gives = 3.0, shape = {} },
  },
  rejects = axis_rejects("mean", matrix, { twice("mean", matrix) }),
  gradients = gradients(uneven, cube),
  check = function(t)
    reductions.against_data(t, "mean")
    for _, dtype in ipairs { "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int64" } do
      local x = (lt.range(30000) % 3 + 1):cast(dtype)
      t.equal(x:mean(), 2)
      t.equal(x:reshape { 10000, 3 }:mean(1), { 1, 2, 3 })
      t.equal(x:reshape { 100, 300 }:mean(2), lt.fill({ 100 }, 2.0):cast(x:mean().dtype))
    end
    -- No overflow on the way, and none in the gradient of more elements than float16 can count.
    t.equal(lt.fill({ 1000 }, 60000.0):float16():mean(), 60000)
    local many = lt.zeros({ 100000 }, { dtype = "float16" })
    t.close(gradient_of("mean", many):float32():sum(), 1, 2e-2)
    t.close(lt.fill({ 3000, 40 }, 0.1):mean(), 0.1, 1e-6)
  end,
}

local function product(list)
  local result = 1
  for _, x in ipairs(list) do result = result * x end
  return result
end

spec "prod" {
  example = { { 2, 3, 4 }, gives = 24, dtype = "int64", shape = {} },
  examples = {
    { matrix, gives = 720, shape = {} },
    { matrix, 1, gives = { 4, 10, 18 } },
    { matrix, -1, { keepdims = true }, gives = { { 6 }, { 120 } } },
    { matrix, { 1, 2 }, gives = 720 },
    { matrix, { axis = {} }, gives = matrix, dtype = "int64" },
    { { true, false }, gives = 0, dtype = "int64" },
    { { true, true }, gives = 1, dtype = "int64" },
    { int8 { 127, 127 }, gives = 16129, dtype = "int64" },
    { uint8 { 255, 255 }, gives = 65025, dtype = "int64" },
    { int16 { -32768, 2 }, gives = -65536, dtype = "int64" },
    { int64 { math.maxinteger, 2 }, gives = -2 },
    { { 0.5, 3 }, gives = 1.5, dtype = "float32" },
    { float32 { 1e30, 1e30, 1e-30 }, gives = 1e30, tolerance = 1e-6 },
    { float16 { 300, 300, 0.25 }, gives = 22496, dtype = "float16", tolerance = 1e-3 },
    { bfloat16 { -3, 2 }, gives = -6, dtype = "bfloat16" },
    { { 0, inf }, gives = nan },
    { { 1, nan, 0 }, gives = nan },
    { zeros { 0 }, gives = 1, shape = {}, dtype = "float32" },
    { zeros({ 2, 0 }, "bool"), 2, gives = { 1, 1 }, dtype = "int64" },
    { zeros { 0, 3 }, 2, shape = { 0 } },
    { 7, gives = 7, shape = {} },
  },
  rejects = axis_rejects("prod", matrix, { twice("prod", matrix) }),
  gradients = gradients(uneven, cube),
  check = reductions.all(
    reductions.against("prod", product, { dtypes = { "float64", "float32" }, low = 0.9, high = 1.1, tolerance = 1e-5 }),
    reductions.against("prod", product, { dtypes = reductions.numbers, low = 0, high = 1 }),
    function(t)
      reductions.against_data(t, "prod")
      against_loops(t, lt.prod, function(a, b) return a * b end, 1)
      -- A half times a half is exact above. A product of many, alternately halves and doubles, stays near 1.
      for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16" } do
        local x = lt.where((lt.range(40000) % 2):eq(0), 0.5, 2.0):cast(dtype)
        t.equal(x:prod(), 1)
        t.equal(x:reshape { 20000, 2 }:prod():reshape { 1 }, { 1 })
        t.equal(x:reshape { 100, 400 }:prod(2), lt.ones({ 100 }, { dtype = dtype }))
      end
      -- Products of float32 that a half of the elements would overflow, and their gradient.
      local x = lt.concat { lt.fill({ 200 }, 2.0), lt.fill({ 200 }, 0.5) }
      t.equal(x:prod(), 1)
      t.equal(gradient_of("prod", x), lt.concat { lt.fill({ 200 }, 0.5), lt.fill({ 200 }, 2.0) })
      t.equal(gradient_of("prod", float64 { 2, 0, 3 }.make()), { 0, 6, 0 })
      t.equal(gradient_of("prod", float64 { 0, 0, 3 }.make()), { 0, 0, 0 })
      t.equal(gradient_of("prod", lt.zeros { 0, 2 }, { axis = 2 }), lt.zeros { 0, 2 })
      t.equal(gradient_of("prod", lt.zeros { 2, 0 }, { axis = 2 }), lt.zeros { 2, 0 })
    end),
}

local function extreme(op, pick, start, gives)
  local against_samples = reductions.against(op, function(list) return pick(table.unpack(list)) end,
                                             { dtypes = { "float64", "bfloat16" }, tolerance = 1e-15 })
  spec(op) {
    example = { { 4, 1, 3, 5 }, gives = gives.example, dtype = "int32", shape = {} },
    examples = {
      { matrix, 1, gives = gives.first },
      { matrix, 2, gives = gives.second },
      { matrix, { keepdims = true }, gives = { { gives.all } } },
      { matrix, { axis = {} }, gives = matrix, dtype = "int32" },
      { { 1, nan, 3 }, gives = nan },
      { { nan, 1 }, gives = nan },
      { { { 1, nan }, { 2, 3 } }, 1, gives = { pick(1, 2), nan } },
      { { { 1, nan }, { 2, 3 } }, 2, gives = { nan, pick(2, 3) } },
      { { inf, -inf }, gives = pick(inf, -inf) },
      { { -inf, -inf }, gives = -inf },
      { { inf, inf }, gives = inf },
      { int64 { math.mininteger, math.maxinteger }, gives = pick(math.mininteger, math.maxinteger), dtype = "int64" },
      { int32 { 2147483647, 2147483647 }, gives = 2147483647 },
      { int32 { -2147483648, -2147483648 }, gives = -2147483648 },
      { float64 { 0.5, 0.25 }, gives = pick(0.5, 0.25), dtype = "float64" },
      { zeros { 0, 3 }, 2, shape = { 0 } },
      { zeros { 3, 0 }, 1, shape = { 0 } },
      { 7, gives = 7, shape = {} },
      { float16 { 1, nan, 3 }, gives = nan, dtype = "float16" },
      { bfloat16 { nan, 1 }, gives = nan, dtype = "bfloat16" },
      { float16 { inf, -inf, 2 }, gives = pick(inf, -inf), dtype = "float16" },
      { bfloat16 { -1.5, -0.5, -2.5 }, gives = pick(-0.5, pick(-1.5, -2.5)), dtype = "bfloat16" },
      { float16 { 2 ^ -24, -2 ^ -24, 0 }, gives = pick(2 ^ -24, -2 ^ -24), tolerance = 1e-15 },
      { int8 { -128, 127, 0 }, gives = pick(-128, 127), dtype = "int8" },
      { uint8 { 200, 100, 255 }, gives = pick(pick(200, 100), 255), dtype = "uint8" },
      { int16 { -32768, 32767 }, gives = pick(-32768, 32767), dtype = "int16" },
    },
    gradients = gradients({ { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }, cube),
    rejects = axis_rejects(op, matrix, {
      twice(op, matrix),
      { args = { zeros { 0 } }, says = op .. ": x (0,) has no elements to reduce, and " .. op .. " of no elements is undefined" },
      { args = { zeros { 0, 3 }, 1 }, says = op .. ": x (0, 3) has no elements to reduce" },
      { args = { zeros { 0, 0 }, 2 }, says = op .. ": x (0, 0) has no elements to reduce" },
      { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
    }),
    check = function(t)
      against_loops(t, lt[op], pick, start)
      -- The extreme in every lane and in the rest after the last lane; nan in a later block.
      for _, at in ipairs { 1, 2, 31, 32, 33, 1024, 1025, 4099, 4100 } do
        local x = (lt.range(1, 4101) - at):eq(0):cast("int32") * (start > 0 and -5 or 5)
        t.equal(x:reshape { 4100 }[op](x), start > 0 and -5 or 5)
      end
      for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
        for _, at in ipairs { 5, 1030, 4999 } do
          local x = lt.where(lt.range(5000):eq(at), nan, lt.range(5000):cast("float32") / 100):cast(dtype)
          t.equal(x[op](x), nan)
          t.equal(nans(lt[op](x:reshape { 50, 100 }, 1)), 1)
          t.equal(nans(lt[op](x:reshape { 50, 100 }, 2)), 1)
          t.equal(nans(lt[op](x:reshape { 2500, 2 }, 1)), 1)
        end
      end
      in_every_dtype(t, op, -3, same)
      reductions.against_data(t, op)
      against_samples(t)
      -- Equals share.
      t.equal(gradient_of(op, float64 { 2, 2, 2, 2 }.make()), { 0.25, 0.25, 0.25, 0.25 })
      t.equal(gradient_of(op, float64 { { 1, 1 }, { 1, 1 } }.make(), { axis = 2 }), { { 0.5, 0.5 }, { 0.5, 0.5 } })
      t.equal(gradient_of(op, lt.zeros { 0, 2 }, { axis = 2 }), lt.zeros { 0, 2 })
    end,
  }
end

extreme("max", math.max, math.mininteger, { example = 5, first = { 4, 5, 6 }, second = { 3, 6 }, all = 6 })
extreme("min", math.min, math.maxinteger, { example = 1, first = { 1, 2, 3 }, second = { 1, 4 }, all = 1 })

local function logic(op, pick, of_nothing)
  spec(op) {
    example = { { true, false }, gives = pick(true, false), dtype = "bool", shape = {} },
    examples = {
      { { true, true }, gives = true },
      { { false, false }, gives = false },
      { { { true, false }, { true, true } }, 1, gives = { true, pick(false, true) } },
      { { { true, false }, { true, true } }, 2, gives = { pick(true, false), true } },
      { { { true, false }, { true, true } }, { axis = -1, keepdims = true }, gives = { { pick(true, false) }, { true } } },
      { { true, false }, { axis = {} }, gives = { true, false } },
      { zeros({ 0 }, "bool"), gives = of_nothing, shape = {} },
      { zeros({ 2, 0 }, "bool"), 2, gives = { of_nothing, of_nothing } },
      { true, gives = true, shape = {} },
    },
    rejects = axis_rejects(op, { { true, false, true }, { true, true, true } }, {
      twice(op, { { true, false, true }, { true, true, true } }),
      { args = { { 1, 0 } }, says = op .. ": x is int32, expected bool" },
      { args = { { 1.5 } }, says = op .. ": x is float32, expected bool" },
    }),
    check = function(t)
      for _, at in ipairs { 0, 31, 32, 1024, 4999 } do
        local different = lt.range(5000):eq(at)
        t.equal(different:any(), true)
        t.equal(different:logical_not():all(), false)
        t.equal(different:all(), false)
        t.equal(lt[op](different:reshape { 50, 100 }, 1):sum(), pick(false, true) and 1 or 0)
      end
      t.equal(lt[op](lt.zeros({ 5000 }, { dtype = "bool" })), false)
      t.equal(lt[op](lt.ones({ 5000 }, { dtype = "bool" })), true)
    end,
  }
end

logic("all", function(a, b) return a and b end, true)
logic("any", function(a, b) return a or b end, false)
