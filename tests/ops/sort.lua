local spec = require "spec"
local orders = require "orders"

local nan, inf = 0 / 0, math.huge
local some_values, order_of, pick, same = orders.some_values, orders.order_of, orders.pick, orders.same

spec "sort" {
  example = { { 3, 1, 2 }, gives = { 1, 2, 3 } },
  examples = {
    { { 3, 1, 2 }, { descending = true }, gives = { 3, 2, 1 } },
    { { { 3, 1, 2 }, { 9, 8, 7 } }, gives = { { 1, 2, 3 }, { 7, 8, 9 } } },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, 1, gives = { { 2, 1, 7 }, { 3, 8, 9 } } },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, { axis = -2, descending = true }, gives = { { 3, 8, 9 }, { 2, 1, 7 } } },
    { { 2.5, nan, -inf, inf, nan, 0 }, gives = { -inf, 0, 2.5, inf, nan, nan } },
    { { 2.5, nan, -inf, inf, 0 }, { descending = true }, gives = { nan, inf, 2.5, 0, -inf } },
    { bool { true, false, true }, gives = { false, true, true }, dtype = "bool" },
    { uint8 { 200, 3, 255 }, gives = { 3, 200, 255 }, dtype = "uint8" },
    { int64 { math.maxinteger, math.mininteger, 0, -1 }, gives = { math.mininteger, -1, 0, math.maxinteger }, dtype = "int64" },
    { float64 { 5e-324, -5e-324, 0 }, gives = { -5e-324, 0, 5e-324 }, tolerance = 0, dtype = "float64" },
    { { 4 }, gives = { 4 } },
    { zeros({ 0 }, "int16"), shape = { 0 }, dtype = "int16" },
    { zeros { 3, 0 }, shape = { 3, 0 } },
    { zeros { 0, 3 }, { axis = 1 }, shape = { 0, 3 } },
  },
  gradients = {
    { { 3, -1, 2.5, 7 } },
    { { 3, -1, 2.5, 7 }, { descending = true } },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, 1 },
    { { { { 3, 1 }, { 2, 8 }, { 5, 0 } } }, { axis = 2 } },
  },
  rejects = {
    { args = { 5 }, says = "sort: x is a scalar, which has no axis to put in order" },
    { args = { { 1, 2 }, 2 }, says = "sort: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, 0 }, says = "axis 0" },
    { args = { { 1, 2 }, { axis = { 1, 2 } } }, says = "sort: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, { descending = 1 } }, says = "sort: descending is 1, expected a boolean" },
    { args = { { 1, 2 }, { decending = true } }, says = "sort: unknown option 'decending'" },
    { args = { "x" }, says = 'sort: x is "x"' },
  },
  check = function(t)
    -- Lengths on both sides of each way to sort; equals, zeros of both signs and nans among them.
    for _, dtype in ipairs { "bool", table.unpack(numbers) } do
      for _, count in ipairs { 2, 32, 33, 257, 1000 } do
        local x = lt.device("/CPU:0", function() return some_values(count, dtype) end)
        local list = x:totable()
        for _, descending in ipairs { false, true } do
          local got = x:sort { descending = descending }
          local wanted = pick(list, order_of(list, descending))
          t.equal(got, wanted, ("%s %d"):format(dtype, count))
          -- Zeros keep their signs in their order; nan is nan.
          for i, value in ipairs(got:totable()) do
            if value == 0 then t.ok(1 / value == 1 / wanted[i], dtype .. " zero") end
          end
        end
      end
    end
    -- A long line is sorted by several threads, and so are many lines along any axis.
    local place = lt.range(300000, { dtype = "int64" })
    for _, dtype in ipairs { "int32", "float32", "float64", "int64" } do
      local x = (place * 7919 % 1000):cast(dtype)
      t.ok(same(x:sort(), (place // 300):cast(dtype)), dtype)
      t.ok(same(x:sort { descending = true }, (999 - place // 300):cast(dtype)), dtype)
      local lines = x:reshape { 3, 1000, 100 }
      t.ok(same(lines:sort(2), lines:transpose({ 1, 3, 2 }):sort():transpose { 1, 3, 2 }), dtype)
      t.equal(lines:sort(1)[{ 1, 7, 9 }], lines[{ {}, 7, 9 }]:min())
    end
    -- The gradient of the largest of each row is where that stood.
    local x = lt.constant { { 1.0, 5.0, 5.0 }, { 9.0, 2.0, 3.0 } }
    t.equal(gradient_of(function(v) return v:sort { descending = true } end, x, { { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } }),
      { { 3, 1, 2 }, { 4, 6, 5 } })
    for _, dtype in ipairs(floats) do
      local v = lt.constant({ 3, 1, 2 }, { dtype = dtype })
      t.equal(gradient_of(lt.sort, v, { 10, 20, 30 }), lt.constant({ 30, 10, 20 }, { dtype = dtype }), dtype)
    end
  end,
}

spec "argsort" {
  example = { { 30, 10, 20 }, gives = { 2, 3, 1 }, dtype = "int64" },
  examples = {
    { { 1, 2, 1, 2 }, gives = { 1, 3, 2, 4 } },
    { { 1, 2, 1, 2 }, { descending = true }, gives = { 2, 4, 1, 3 } },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, 1, gives = { { 2, 1, 2 }, { 1, 2, 1 } } },
    { { nan, 1, nan, -inf }, gives = { 4, 2, 1, 3 } },
    { { 0.0, -0.0, -1 }, gives = { 3, 1, 2 } },
    { bool { true, false, true, false }, gives = { 2, 4, 1, 3 } },
    { zeros({ 0 }, "int8"), shape = { 0 }, dtype = "int64" },
    { zeros { 3, 0 }, shape = { 3, 0 }, dtype = "int64" },
  },
  rejects = {
    { args = { 5 }, says = "argsort: x is a scalar" },
    { args = { { 1, 2 }, { axis = 3 } }, says = "argsort: axis 3 is not there" },
    { args = { { 1, 2 }, { axis = {} } }, says = "argsort: axis is a list" },
    { args = { { 1, 2 }, -1, 2 }, says = "argsort: 3 arguments given" },
  },
  check = function(t)
    for _, dtype in ipairs { "bool", table.unpack(numbers) } do
      for _, count in ipairs { 2, 33, 257, 1000 } do
        local x = lt.device("/CPU:0", function() return some_values(count, dtype) end)
        for _, descending in ipairs { false, true } do
          t.equal(x:argsort { descending = descending }, lt.constant(order_of(x:totable(), descending), { dtype = "int64" }),
            ("%s %d"):format(dtype, count))
        end
      end
    end
    -- It inverts a permutation; equals stay in order in a long line too.
    for _, dtype in ipairs { "int32", "float32", "float64" } do
      local place = lt.range(300007, { dtype = "int64" })
      local x = (place * 7919 % 300007):cast(dtype)
      local order = x:argsort()
      t.ok(same(x:gather(order), place:cast(dtype)), dtype)
      t.ok(same(order:argsort(), x:cast("int64") + 1), dtype)
      t.ok(same(lt.zeros({ 200000 }, { dtype = dtype }):argsort { descending = true }, lt.range(1, 200001, { dtype = "int64" })), dtype)
    end
    -- Keys that differ in their first bits are distributed by these bits; each value occurs twice here.
    local half = 200003
    local turn = lt.range(2 * half, { dtype = "int64" }) * 7919 % half
    for _, dtype in ipairs { "int32", "float32", "int64", "float64" } do
      local x = turn - half // 2
      if dtype:find "float" then x = x:sign():float64() * 2.0 ^ (x:abs():float64() / 2000)
      else x = x * (dtype == "int32" and 21000 or 1 << 45) end
      for _, descending in ipairs { false, true } do
        local values = x:cast(dtype)
        local order = values:argsort { descending = descending }
        local pairs_of = order:reshape { half, 2 }
        t.ok(same(pairs_of[{ {}, 2 }], pairs_of[{ {}, 1 }] + half), dtype .. " stable")
        local sorted = values:sort { descending = descending }
        t.ok(same(sorted, values:gather(order)), dtype)
        local before, after = sorted[{ { 1, 2 * half - 1 } }], sorted[{ { 2, 2 * half } }]
        t.ok((descending and before:ge(after) or before:le(after)):all():item(), dtype .. " in order")
        t.ok(same(sorted:argsort { descending = descending }, lt.range(1, 2 * half + 1, { dtype = "int64" })), dtype)
      end
    end
    local lines = (lt.range(120000) * 7919 % 1009):reshape { 40, 30, 100 }
    for axis = 1, 3 do t.ok(same(lines:take_along_axis(lines:argsort(axis), axis), lines:sort(axis)), axis) end
  end,
}

spec "unique" {
  gpu = false,
  example = { { 3, 1, 3 }, gives = { { 1, 3 }, { 2, 1, 2 }, { 1, 2 } } },
  examples = {
    { { { 2, 1 }, { 1, 5 } }, gives = { { 1, 2, 5 }, { 2, 1, 1, 3 }, { 2, 1, 1 } } },
    { { nan, 1.5, nan, -1 / 0 }, gives = { { -1 / 0, 1.5, nan }, { 3, 2, 3, 1 }, { 1, 1, 2 } } },
    { { 0.0, -0.0 }, gives = { { 0.0 }, { 1, 1 }, { 2 } } },
    { bool { true, false, true }, gives = { { false, true }, { 2, 1, 2 }, { 1, 2 } } },
    { int64 { math.maxinteger, math.mininteger, math.maxinteger }, gives = { { math.mininteger, math.maxinteger }, { 2, 1, 2 }, { 1, 2 } } },
    { uint8 { 200, 3 }, gives = { { 3, 200 }, { 2, 1 }, { 1, 1 } } },
    { float16 { 2, -1, 2 }, gives = { { -1, 2 }, { 2, 1, 2 }, { 1, 2 } } },
    { 4, gives = { { 4 }, { 1 }, { 1 } } },
    { zeros { 0, 3 }, gives = { {}, {}, {} } },
  },
  rejects = {
    { args = { "x" }, says = 'unique: x is "x", expected a tensor or a table' },
    { args = { { 1, 2 }, 2 }, says = "unique: 2 arguments given, expected unique(x)" },
    { args = { { 1, 2 }, { axis = 2 } }, says = "unique: axis is 2, and x has 1 axis" },
    { args = { { 1, 2 }, { axis = 0 } }, says = "unique: axis is 0, and x has 1 axis" },
    { args = { { { 1, 2 } }, { axis = {} } }, says = "unique: axis is a table, expected a whole number" },
    { args = { { { 1, 2 } }, { axis = 1, counts = true } }, says = "unique: unknown option 'counts'" },
  },
  check = function(t)
    for _, count in ipairs { 1000, 200000 } do
      for _, dtype in ipairs(numbers) do
        local x = (lt.range(count) * 7 % 13):cast(dtype)
        local values, inverse, counts = x:unique()
        t.equal(values, lt.range(13):cast(dtype), dtype)
        t.ok(same(values:gather(inverse), x), dtype)
        t.equal(counts, x:int64():eq(values:int64():reshape { -1, 1 }):sum(2), dtype)
        t.ok(inverse.dtype == "int64" and counts.dtype == "int64" and values.dtype == dtype)
      end
    end
    t.ok(#(lt.unique(lt.range(100000))) == 100000)
    -- Integers close together are counted, others sorted: at the ends of a dtype, and where one becomes the other.
    for _, dtype in ipairs { "int8", "int16", "int32", "int64" } do
      local bits = tonumber(dtype:match "%d+")
      for _, first in ipairs { -1 << (bits - 1), -3, (1 << (bits - 1)) - 100 } do
        for _, step in ipairs { 1, 2, 3 } do
          local expected = lt.range(30, { dtype = "int64" }) * step + first
          local x = lt.concat { expected:flip(), expected[{ { 5, 14 } }] }:cast(dtype)
          local values, inverse, counts = x:unique()
          t.equal(values, expected:cast(dtype), dtype)
          t.ok(same(values:gather(inverse), x), dtype)
          t.equal(counts, lt.concat { lt.ones { 4 }, lt.fill({ 10 }, 2.0), lt.ones { 16 } }:int64(), dtype)
        end
      end
    end
    -- The result keeps no more memory than it needs, whatever there could have been.
    local x = lt.device("/CPU:0", function() return lt.range(1000000) % 100 end)
    collectgarbage()
    collectgarbage()
    local before = lt.config.get_memory_info("CPU:0").current
    local values = x:unique()
    collectgarbage()
    collectgarbage()
    t.ok(lt.config.get_memory_info("CPU:0").current - before < 1e6)
    t.ok(#values == 100)
  end,
}
