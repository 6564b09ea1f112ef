local spec = require "spec"

spec "StridedSlice" {
  check = function(t)
    local v = lt.constant { 10, 20, 30, 40, 50 }
    local m = lt.constant { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }
    local cases = {
      { v[2], 20 }, { v[-1], 50 }, { v[{ 2 }], 20 },
      { v[{ { 2, 4 } }], { 20, 30, 40 } }, { v[{ { 2 } }], { 20 } }, { v[{ { -2, -1 } }], { 40, 50 } },
      { v[{ { 1, -1, 2 } }], { 10, 30, 50 } }, { v[{ { 2, -1, 2 } }], { 20, 40 } }, { v[{ { 1, -1, 9 } }], { 10 } },
      { v[{ { -1, 1, -1 } }], { 50, 40, 30, 20, 10 } }, { v[{ { 4, 1, -2 } }], { 40, 20 } },
      { v[{ { 5, 1, math.mininteger } }], { 50 } }, { v[{ { 1, 5, math.maxinteger } }], { 10 } },
      { v[{ { 3, 2 } }], {} }, { v[{ { 6, 5 } }], {} }, { v[{ { 2, 3, -1 } }], {} },
      { v[{}], { 10, 20, 30, 40, 50 } }, { v[{ {} }], { 10, 20, 30, 40, 50 } },
      { m[2], { 4, 5, 6 } }, { m[{ 2, 3 }], 6 }, { m[{ {}, 2 }], { 2, 5, 8 } }, { m[{ {}, { 2, 3 } }], { { 2, 3 }, { 5, 6 }, { 8, 9 } } },
      { m[{ { 1, -1, 2 }, { 1, -1, 2 } }], { { 1, 3 }, { 7, 9 } } }, { m[{ { 2, 3 } }], { { 4, 5, 6 }, { 7, 8, 9 } } },
      { m[{ { -1, 1, -1 }, { -1, 1, -1 } }], { { 9, 8, 7 }, { 6, 5, 4 }, { 3, 2, 1 } } }, { m[{ -1, { 3, 2, -1 } }], { 9, 8 } },
    }
    for i, case in ipairs(cases) do t.equal(case[1], case[2], "case " .. i) end
    t.equal(m[{ { 2, 1 } }].shape, { 0, 3 })
    t.equal(m[{ {}, { 4, 3 } }].shape, { 3, 0 })
    t.equal(lt.zeros({ 0, 3 })[{ { 1, -1 }, 2 }].shape, { 0 })
    t.equal(lt.zeros({ 0 })[{ { -1, 1, -1 } }].shape, { 0 })
    -- Every element size, with a copy and without.
    for _, dtype in ipairs(all_dtypes) do
      local x = lt.range(40):reshape({ 4, 10 }):cast(dtype)
      t.equal(x[3].dtype, dtype)
      t.equal(x[{ {}, 2 }]:cast("int32"), dtype == "bool" and { 1, 1, 1, 1 } or { 1, 11, 21, 31 })
    end
    local big = lt.range(24000):reshape { 20, 30, 40 }
    t.equal(big[{ 7, 8, 9 }], 6 * 1200 + 7 * 40 + 8)
    t.equal(big[7][8][9], big[{ 7, 8, 9 }])
    t.equal(big[{ { 20, 1, -3 }, {}, 5 }][{ 2, 30 }], big[{ 17, 30, 5 }])

    -- Gradients of parts: shared and copied ones, backwards, twice the same element, none.
    for _, dtype in ipairs(floats) do
      local x = lt.ones({ 3, 4 }, { dtype = dtype })
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      local function sum(part) return part:float64():sum() end
      local y = sum(x[2]) * 2 + sum(x[{ {}, { 1, -1, 2 } }]) * 10 + sum(x[{ 3, { -1, 1, -1 } }][1]) * 100 +
          sum(x[{ 3, 4 }]) + sum(x[{ { 2, 1 } }])
      local slope = tape:gradient(y, x)
      t.ok(slope.dtype == dtype)
      t.equal(slope, { { 10, 0, 10, 0 }, { 12, 2, 12, 2 }, { 10, 0, 10, 101 } }, dtype)
    end

    t.raises("OutOfRange", "t[6]: axis 1 has 5 elements", function() return v[6] end)
    t.raises("OutOfRange", "t[-6]: axis 1 has 5 elements", function() return v[-6] end)
    t.raises("OutOfRange", "t[{1, 4}]: axis 2 has 3 elements", function() return m[{ 1, 4 }] end)
    t.raises("OutOfRange", "t[{{2, 6}}]: axis 1 has 5 elements", function() return v[{ { 2, 6 } }] end)
    t.raises("OutOfRange", "t[{{7, 6}}]", function() return v[{ { 7, 6 } }] end)
    t.raises("OutOfRange", "t[{{}, {1, 4, 2}}]: axis 2 has 3 elements", function() return m[{ {}, { 1, 4, 2 } }] end)
    t.raises("OutOfRange", "t[1]: axis 1 has 0 elements", function() return lt.zeros({ 0 })[1] end)
    t.raises("OutOfRange", "t[" .. math.maxinteger .. "]", function() return v[math.maxinteger] end)
    t.raises("InvalidArgument", "the step of axis 1 is 0", function() return v[{ { 1, 2, 0 } }] end)
    t.raises("InvalidArgument", "t[{1, 1}]: 2 entries, and the tensor (5,) has 1 axis", function() return v[{ 1, 1 }] end)
    t.raises("InvalidArgument", "t[1]: 1 entry, and the tensor () has 0 axes", function() return lt.constant(1)[1] end)
    t.raises("InvalidArgument", "index 0", function() return v[0] end)
  end,
}
