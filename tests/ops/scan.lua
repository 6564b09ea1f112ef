local spec = require "spec"
local compare = require "compare"
local reductions = require "reductions"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }
local uneven = { { 1.5, -2, 0.25 }, { 4, 0.5, -1 } }
local with_zeros = { { 1.5, 0, 0.25 }, { 0, 0, -1 } }

local function rejects(op)
  return reductions.axis_rejects(op, matrix, {
    { args = { matrix, { 1, 2 } }, says = op .. ": axis is a list of 2, expected one axis" },
    { args = { matrix, { axis = {} } }, says = op .. ": axis is a list of 0, expected one axis" },
    { args = { matrix, { keepdims = true } }, says = op .. ": unknown option 'keepdims'" },
    { args = { matrix, { reverse = 1 } }, says = op .. ": reverse is" },
    { args = { matrix, { exclusive = 0 } }, says = op .. ": exclusive is" },
    { args = { 5, 1 }, says = op .. ": axis 1 is not there: x () has 0 axes" },
  }, false)
end

local function gradients(x)
  return {
    { x }, { x, 1 }, { x, -1 }, { x, { exclusive = true } }, { x, { reverse = true } },
    { x, 2, { exclusive = true, reverse = true } }, { x, 1, { exclusive = true } }, { { x, { { 0.5, 3, -2 }, { 1, -1.5, 2 } } }, 2 },
  }
end

-- Small whole numbers, so that every dtype holds the results: row-major place p has `value(p)`.
local function whole(value)
  return function(count, dtype)
    local x = value(lt.range(count))
    return dtype == "bool" and x:ne(0) or x:cast(dtype)
  end
end

-- Shapes with few long lines, which are cut, with many, and with columns; each against int64, and that against sums of
-- differences: a running total less the one before is the element.
local shapes = {
  { { 9000 }, 1 }, { { 2, 8200 }, 2 }, { { 5000 }, 1 }, { { 1025 }, 1 }, { { 1024 }, 1 }, { { 129 }, 1 }, { { 3, 2047 }, 2 }, { { 20, 1100 }, 2 },
  { { 21, 40 }, 2 }, { { 3000, 3 }, 1 }, { { 1100, 33 }, 1 }, { { 2, 1030, 2 }, 2 }, { { 20, 3, 520 }, 2 }, { { 2, 3, 4 }, 3 },
}

local function shifted(y, axis, reverse)
  local spans = {}
  for i = 1, #y.shape do spans[i] = {} end
  spans[axis] = reverse and { 2, -1 } or { 1, y.shape[axis] - 1 }
  return y[spans]
end

spec "cumsum" {
  example = { { 1, 2, 3 }, gives = { 1, 3, 6 }, dtype = "int64" },
  examples = {
    { matrix, gives = { 1, 3, 6, 10, 15, 21 }, dtype = "int64" },
    { matrix, 1, gives = { { 1, 2, 3 }, { 5, 7, 9 } } },
    { matrix, 2, gives = { { 1, 3, 6 }, { 4, 9, 15 } } },
    { matrix, { axis = -1 }, gives = { { 1, 3, 6 }, { 4, 9, 15 } } },
    { matrix, { axis = { 2 } }, gives = { { 1, 3, 6 }, { 4, 9, 15 } } },
    { matrix, 2, { exclusive = true }, gives = { { 0, 1, 3 }, { 0, 4, 9 } } },
    { matrix, 2, { reverse = true }, gives = { { 6, 5, 3 }, { 15, 11, 6 } } },
    { matrix, 2, { exclusive = true, reverse = true }, gives = { { 5, 3, 0 }, { 11, 6, 0 } } },
    { matrix, 1, { exclusive = true, reverse = true }, gives = { { 4, 5, 6 }, { 0, 0, 0 } } },
    { matrix, { reverse = true }, gives = { 21, 20, 18, 15, 11, 6 } },
    { { true, false, true }, gives = { 1, 1, 2 }, dtype = "int64" },
    { int8 { 127, 1, -128 }, gives = { 127, 128, 0 }, dtype = "int64" },
    { uint8 { 255, 255 }, gives = { 255, 510 }, dtype = "int64" },
    { int64 { math.maxinteger, 1 }, gives = { math.maxinteger, math.mininteger } },
    { { 1.5, 2.25 }, gives = { 1.5, 3.75 }, dtype = "float32" },
    { float16 { 2048, 1, 1 }, gives = { 2048, 2048, 2050 }, dtype = "float16" },
    { bfloat16 { 256, 1, 1 }, gives = { 256, 256, 258 }, dtype = "bfloat16" },
    { { 1, inf, 2, -inf, 3 }, gives = { 1, inf, inf, nan, nan } },
    { { 1, nan, 2 }, gives = { 1, nan, nan } },
    { 5, gives = 5, shape = {}, dtype = "int64" },
    { 2.5, { reverse = true }, gives = 2.5, shape = {} },
    { 2.5, { exclusive = true }, gives = 0.0, shape = {} },
    { zeros { 0 }, gives = {}, dtype = "float32" },
    { zeros { 0, 3 }, shape = { 0 } },
    { zeros { 0, 3 }, 1, shape = { 0, 3 } },
    { zeros { 3, 0 }, -1, shape = { 3, 0 } },
    { zeros({ 1, 1, 1, 1, 1, 1, 1, 2 }, "int8"), 8, shape = { 1, 1, 1, 1, 1, 1, 1, 2 }, dtype = "int64" },
  },
  rejects = rejects "cumsum",
  gradients = gradients(uneven),
  check = function(t)
    reductions.against_data(t, "cumsum")
    local make = whole(function(place) return place * 37 % 3 % 2 end)
    for _, case in ipairs(shapes) do
      local shape, axis = table.unpack(case)
      local size = 1
      for _, n in ipairs(shape) do size = size * n end
      for _, reverse in ipairs { false, true } do
        local x = make(size, "int64"):reshape(shape)
        local wanted = x:cumsum(axis, { reverse = reverse })
        local before = x:cumsum(axis, { reverse = reverse, exclusive = true })
        local what = compare.show(shape) .. (reverse and " reversed" or "")
        t.ok(((wanted - before):eq(x)):all():item(), what .. ": exclusive")
        t.ok(shifted(wanted, axis, reverse):eq(shifted(before, axis, not reverse)):all():item(), what .. ": shifted")
        t.ok((before * 0):eq(0):all():item(), what)
        for _, dtype in ipairs(reverse and { "int16", "float32" } or all_dtypes) do
          local got = make(size, dtype):reshape(shape):cumsum(axis, { reverse = reverse })
          local is_float = dtype:find "float" ~= nil
          t.ok(got.dtype == (is_float and dtype or "int64"), what)
          local expected = wanted:cast(got.dtype)  -- a half rounds once, from the exact sum
          t.ok((got:int64() - expected:int64()):eq(0):all():item(), what .. " of " .. dtype)
        end
      end
    end
    -- The first of each line is the element itself, which ties `shifted` down.
    t.equal(lt.range(3, 5003):cumsum()[{ { 1, 3 } }], { 3, 7, 12 })
    t.equal(lt.range(3, 5003):cumsum()[-1], 5000 * 5005 // 2)
    t.equal(lt.cumsum(3).shape, {})  -- a scalar's is a scalar, as the reference says
    -- No rounding adds up: float32 sums of a million tenths.
    t.close(lt.fill({ 1000000 }, 0.1):cumsum()[-1], 100000.0015, 1e-7)
    -- inf and nan do not reach back over a segment's border, nor do they vanish at one.
    local x = lt.where(lt.range(3000):eq(1500), inf, 1.0)
    t.equal(x:cumsum()[{ { 1500, 1501 } }], { 1500, inf })
    t.equal(x:cumsum()[-1], inf)
    t.equal(lt.where(lt.range(3000):eq(1500), nan, 1.0):cumsum()[{ { 1500, 1501 } }], { 1500, nan })
    -- Segments of 128 whose totals overflow, though no running sum does: from -64 to 64 times 2.4e306, and back.
    local segment, most = lt.range(1280) // 128, lt.constant(2.4e306, { dtype = "float64" })
    local steps = lt.where(segment:eq(0), -0.5, lt.where((segment % 2):eq(0), -1.0, 1.0)):float64()
    t.close((steps * most):cumsum()[{ { 128, 1280, 128 } }] / most,
            float64({ -64, 64, -64, 64, -64, 64, -64, 64, -64, 64 }).make(), 1e-9)
  end,
}

spec "cumprod" {
  example = { { 1, 2, 3 }, gives = { 1, 2, 6 }, dtype = "int64" },
  examples = {
    { matrix, gives = { 1, 2, 6, 24, 120, 720 }, dtype = "int64" },
    { matrix, 1, gives = { { 1, 2, 3 }, { 4, 10, 18 } } },
    { matrix, -1, gives = { { 1, 2, 6 }, { 4, 20, 120 } } },
    { matrix, 2, { exclusive = true }, gives = { { 1, 1, 2 }, { 1, 4, 20 } } },
    { matrix, 2, { reverse = true }, gives = { { 6, 6, 3 }, { 120, 30, 6 } } },
    { matrix, 2, { exclusive = true, reverse = true }, gives = { { 6, 3, 1 }, { 30, 6, 1 } } },
    { matrix, 1, { exclusive = true, reverse = true }, gives = { { 4, 5, 6 }, { 1, 1, 1 } } },
    { { true, false, true }, gives = { 1, 0, 0 }, dtype = "int64" },
    { int8 { -128, 2, -1 }, gives = { -128, -256, 256 }, dtype = "int64" },
    { int64 { math.maxinteger, 2 }, gives = { math.maxinteger, -2 } },
    { { 1.5, 2 }, gives = { 1.5, 3.0 }, dtype = "float32" },
    { float16 { 200, 200, 0.5, 0.5 }, gives = { 200, 40000, 20000, 10000 }, dtype = "float16" },
    { float16 { 300, 300, 0.5 }, gives = { 300, inf, 45000 }, dtype = "float16", tolerance = 1e-3 },
    { bfloat16 { 3, 2 }, gives = { 3, 6 }, dtype = "bfloat16" },
    { { 2, 0, 3 }, gives = { 2, 0, 0 } },
    { { 2.5, 0, inf }, gives = { 2.5, 0, nan } },
    { { 2, nan, 0 }, gives = { 2, nan, nan } },
    { 5, gives = 5, shape = {}, dtype = "int64" },
    { 5, { exclusive = true }, gives = 1, shape = {} },
    { zeros { 0 }, gives = {}, dtype = "float32" },
    { zeros { 3, 0 }, 1, shape = { 3, 0 } },
  },
  rejects = rejects "cumprod",
  gradients = (function()
    local list = gradients(uneven)
    for _, case in ipairs(gradients(with_zeros)) do list[#list + 1] = case end
    return list
  end)(),
  check = function(t)
    reductions.against_data(t, "cumprod")
    -- Powers of 2 that stay small: 2, 1/2, 2 ... in floats, 1 and -1 in integers.
    for _, case in ipairs(shapes) do
      local shape, axis = table.unpack(case)
      local size = 1
      for _, n in ipairs(shape) do size = size * n end
      local place = lt.range(size)
      local seventh = place % 7
      for _, reverse in ipairs { false, true } do
        local what = compare.show(shape) .. (reverse and " reversed" or "")
        local logs = (seventh:lt(3):int64() - seventh:gt(3):int64()):reshape(shape)
        local signs = (1 - place * 37 % 5 // 3 * 2):reshape(shape)
        local wanted = logs:cumsum(axis, { reverse = reverse })
        for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16" } do
          local powers = lt.where(logs:eq(0), 1.0, lt.where(logs:eq(1), 2.0, 0.5))
          local got = powers:cast(dtype):cumprod(axis, { reverse = reverse })
          t.ok(got.dtype == dtype, what)
          t.ok((got:float64():log() / math.log(2) - wanted:float64()):abs():max():item() < 1e-5, what .. " of " .. dtype)
        end
        local negative = signs:lt(0):int64():cumsum(axis, { reverse = reverse })
        for _, dtype in ipairs { "int8", "int16", "int32", "int64" } do
          local got = signs:cast(dtype):cumprod(axis, { reverse = reverse })
          t.ok(got.dtype == "int64" and got:eq(1 - negative % 2 * 2):all():item(), what .. " of " .. dtype)
        end
        local ones = signs:ge(-1)
        t.ok(ones:cumprod(axis, { reverse = reverse }):eq(1):all():item(), what .. " of bool")
        t.ok(ones:uint8():cumprod(axis, { reverse = reverse }):eq(1):all():item(), what .. " of uint8")
      end
    end
    -- A total of 0 stays 0 where later totals would overflow, and so do those after it in the same segment.
    local x = lt.where(lt.range(5000):eq(700), 0.0, 1e30)
    for _, dtype in ipairs { "float32", "float64" } do
      local y = x:cast(dtype):cumprod()
      t.equal(y[{ { 700, 702 } }], { inf, nan, nan })
      local late = lt.where(lt.range(5000):lt(2), lt.range(5000):cast(dtype), x:cast(dtype)):cumprod()
      t.equal(late:abs():max(), 0)
    end
    -- Large and small totals that go together: 2^600 by steps and down again.
    local there = lt.where((lt.range(4096) // 600 % 2):eq(0), 2.0, 0.5):float64()
    t.equal(there:cumprod()[{ { 600, 3600, 600 } }], { 2.0 ^ 600, 1, 2.0 ^ 600, 1, 2.0 ^ 600, 1 })
  end,
}
