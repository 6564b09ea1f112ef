local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local integers = { "int8", "uint8", "int16", "int32", "int64" }
local floats = { "float16", "bfloat16", "float32", "float64" }
local numbers = { "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" }

local function zeros(shape, dtype)
  return made(function() return lt.zeros(shape, { dtype = dtype }) end)
end

-- `count` values with many equals, and with what is special about the dtype: the same ones every time.
local function some_values(count, dtype, different)
  local spread = lt.range(count, { dtype = "int64" }) * 7919 % (different or 61)
  if dtype == "bool" then return (spread % 2):cast("bool") end
  if dtype == "uint8" then return (spread % 200):cast(dtype) end
  if dtype == "int8" then return (spread % 100 - 50):cast(dtype) end
  if dtype:find("int") then return ((spread - 20) * (dtype == "int16" and 7 or 1000003)):cast(dtype) end
  local values = (spread - 20):float64() / 4
  values = lt.where(spread:eq(7), lt.constant(nan), lt.where(spread:eq(21), lt.constant(-0.0), values))
  return values:cast(dtype)
end

-- Lua's own sort of the positions 1..n of a list: by value, nan last, equals by position.
local function order_of(list, descending)
  local function rank(value)
    if value == true then return 1 elseif value == false then return 0 end
    return value
  end
  local places = {}
  for i = 1, #list do places[i] = i end
  table.sort(places, function(i, j)
    local a, b = rank(list[i]), rank(list[j])
    local a_nan, b_nan = a ~= a, b ~= b
    if descending then a, b, a_nan, b_nan = b, a, b_nan, a_nan end
    if a_nan or b_nan then
      if a_nan ~= b_nan then return b_nan end
      return i < j
    end
    if a ~= b then return a < b end
    return i < j
  end)
  return places
end

local function pick(list, places, count)
  local values = {}
  for i = 1, count or #places do values[i] = list[places[i]] end
  return values
end

local function gradient_of(f, x, weights)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local y = f(x)
  return tape:gradient(y, x, { output_gradients = lt.cast(weights, y.dtype) })
end

-- For tensors that are too large to be looked at in Lua.
local function same(got, wanted)
  return got.dtype == wanted.dtype and got.shape == wanted.shape and got:float64():eq(wanted:float64()):all():item()
end

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
    { args = { { 1, 2 }, { axis = { 1 } } }, says = "sort: axis is a list" },
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
    -- A long line goes on several threads, and so do many lines along any axis.
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
    -- Of a permutation it gives the inverse; equals stay in order in a long line too.
    for _, dtype in ipairs { "int32", "float32", "float64" } do
      local place = lt.range(300007, { dtype = "int64" })
      local x = (place * 7919 % 300007):cast(dtype)
      local order = x:argsort()
      t.ok(same(x:gather(order), place:cast(dtype)), dtype)
      t.ok(same(order:argsort(), x:cast("int64") + 1), dtype)
      t.ok(same(lt.zeros({ 200000 }, { dtype = dtype }):argsort { descending = true }, lt.range(1, 200001, { dtype = "int64" })), dtype)
    end
    local lines = (lt.range(120000) * 7919 % 1009):reshape { 40, 30, 100 }
    for axis = 1, 3 do t.ok(same(lines:take_along_axis(lines:argsort(axis), axis), lines:sort(axis)), axis) end
  end,
}

spec "top_k" {
  example = { { 10, 40, 20, 30 }, 2, gives = { { 40, 30 }, { 2, 4 } } },
  examples = {
    { { 1, 3, 3, 2 }, 3, gives = { { 3, 3, 2 }, { 2, 3, 4 } } },
    { { { 1, 9 }, { 5, 3 }, { 7, 3 } }, 2, 1, gives = { { { 7, 9 }, { 5, 3 } }, { { 3, 1 }, { 2, 2 } } } },
    { { { 1, 9 }, { 5, 3 } }, 1, { axis = -1 }, gives = { { { 9 }, { 5 } }, { { 2 }, { 1 } } } },
    { { 1, nan, inf, nan }, 3, gives = { { nan, nan, inf }, { 2, 4, 3 } } },
    { bool { false, true, true }, 2, gives = { { true, true }, { 2, 3 } } },
    { uint8 { 3, 200 }, 1, gives = { { 200 }, { 2 } } },
    { int64 { math.mininteger, math.maxinteger }, 2, gives = { { math.maxinteger, math.mininteger }, { 2, 1 } } },
    { { 5, 6 }, 0, gives = { {}, {} } },
    { zeros { 3, 0 }, 0, gives = { { {}, {}, {} }, { {}, {}, {} } } },
    { zeros { 0 }, 0, gives = { {}, {} } },
    { { 1.0, 2.0 }, 1.0, gives = { { 2 }, { 2 } } },
  },
  gradients = {
    { { 3, -1, 2.5, 7 }, 2 },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, 1, 1 },
    { { { 3, 1, 9 }, { 2, 8, 7 } }, 3 },
  },
  rejects = {
    { args = { { 1, 2 }, 3 }, says = "top_k: k is 3, and axis 1 of x (2,) has 2 elements" },
    { args = { { { 1, 2 } }, 2, 1 }, says = "top_k: k is 2, and axis 1 of x (1, 2) has 1 element" },
    { args = { { 1, 2 }, -1 }, says = "top_k: k is -1, expected 0 or more" },
    { args = { { 1, 2 }, 1.5 }, says = "top_k: k is 1.5, expected an integer" },
    { args = { { 1, 2 } }, says = "top_k: 1 argument given, expected top_k(x, k, [axis])" },
    { args = { 5, 1 }, says = "top_k: x is a scalar" },
    { args = { { 1, 2 }, 1, 2 }, says = "top_k: axis 2 is not there" },
    { args = { { 1, 2 }, 1, { axis = { 1 } } }, says = "top_k: axis is a list" },
  },
  check = function(t)
    for _, dtype in ipairs { "bool", table.unpack(numbers) } do
      local x = lt.device("/CPU:0", function() return some_values(1000, dtype) end)
      local list = x:totable()
      local order = order_of(list, true)
      for _, k in ipairs { 1, 5, 100, 400, 1000 } do
        local values, places = x:top_k(k)
        t.equal(values, pick(list, order, k), ("%s %d"):format(dtype, k))
        t.equal(places, lt.constant(table.move(order, 1, k, 1, {}), { dtype = "int64" }), ("%s %d"):format(dtype, k))
      end
    end
    -- What argsort says, in every way to look: few and many of a line, one long line and several, along any axis.
    local x = lt.random.uniform({ 400000 }, { seed = 3, minval = 0, maxval = 1000 }):cast("int32")
    for _, dtype in ipairs { "float32", "float64", "int64", "int16" } do
      local y = x:cast(dtype)
      local order = y:argsort { descending = true }
      for _, k in ipairs { 1, 100, 9000, 60000 } do
        local values, places = y:top_k(k)
        t.ok(same(places, order[{ { 1, k } }]), dtype .. k)
        t.ok(same(values, y:gather(places)), dtype .. k)
      end
      local lines = y:reshape { 20, 400, 50 }
      local order_of_lines = lines:argsort { axis = 2, descending = true }
      for _, k in ipairs { 3, 300 } do
        local _, places = lines:top_k(k, 2)
        t.ok(same(places, order_of_lines[{ {}, { 1, k } }]), dtype .. k)
      end
    end
    -- The gradient goes to what was chosen; the indices have none.
    for _, dtype in ipairs(floats) do
      local v = lt.constant({ { 3, 1, 2 }, { 5, 5, 4 } }, { dtype = dtype })
      t.equal(gradient_of(function(y) return (y:top_k(2)) end, v, { { 10, 20 }, { 30, 40 } }),
        lt.constant({ { 10, 0, 20 }, { 30, 40, 0 } }, { dtype = dtype }), dtype)
    end
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
    { args = { { 1, 2 }, { axis = 1 } }, says = "unique: unknown option 'axis'" },
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
