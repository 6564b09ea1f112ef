-- t[{...}] with index tensors, lists, masks, new axes and "..." among its entries, read and assigned.
local spec = require "spec"
local golden = require "golden.indexing_golden"
local collector = require "collector"

local function integers(list) return lt.constant(list, { dtype = "int64" }) end
local function masks(list) return lt.constant(list, { dtype = "bool" }) end

-- The gradient of the weighted sum of f(x).
local function slope(f, x)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local y = f(x)
  return tape:gradient((y * lt.range(1, y.size + 1):cast(y.dtype):reshape(y.shape)):sum(), x)
end

-- What NumPy reads and writes by each of 146 keys.
local function check_golden(t)
  for number, case in ipairs(golden) do
    local what = "case " .. number
    local size = 1
    for _, n in ipairs(case.shape) do size = size * n end
    local x = lt.range(size):cast("int64"):reshape(case.shape)
    local key = case.key(integers, masks)
    local got = x[key]
    t.equal(got.shape, case.out, what)
    t.equal(got:flatten(), integers(case.gives), what)
    local count = #case.gives
    local values = lt.range(1, count + 1):cast("int64"):reshape(case.out)
    t.equal(x:index_put(key, -values):flatten(), integers(case.written), what)
    t.equal(lt.index_put(x, key, values * 1000, { accumulate = true }):flatten(), integers(case.added), what)
    local v = lt.Variable(x)
    v[key] = -values
    t.equal(v:flatten(), integers(case.written), what)
    -- The slope of each element: the weights of the results that it went to.
    local zero = lt.zeros(case.shape, { dtype = "float64" })
    local wanted = lt.index_put(zero, key, values:float64(), { accumulate = true })
    t.equal(slope(function(x) return x[key] end, zero), wanted, what)
  end
end

spec "t[{...}]" {
  check = function(t)
    collector.in_peace(check_golden, t)
    local m = lt.range(24):reshape { 2, 3, 4 }
    -- Lists of indices are tables within an entry; lists of booleans are masks.
    t.equal(m[{ { { 2, 1 } }, { true, false, true } }], m[{ integers { 2, 1 }, masks { true, false, true } }])
    t.equal(m[{ {}, {}, { { { 1, 4 }, { 2, 2 } } } }].shape, { 2, 3, 2, 2 })
    t.equal(m[{ { {} } }].shape, { 0, 3, 4 })
    t.equal(m[{ lt.newaxis, 1 }].shape, { 1, 3, 4 })
    t.equal(m[{ "...", 1 }], m[{ {}, {}, 1 }])
    t.equal(m[{ "...", { 2, 3 } }], m[{ {}, {}, { 2, 3 } }])
    t.equal(m[{ 1, 2, 3, "..." }], m[{ 1, 2, 3 }])
    for _, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
      t.equal(m[{ {}, lt.constant({ 3, 1 }, { dtype = dtype }) }], m[{ {}, { { 3, 1 } } }], dtype)
    end
    for _, dtype in ipairs(all_dtypes) do
      local x = (lt.range(6) % 2):cast(dtype):reshape { 2, 3 }
      t.equal(x[{ {}, { { 3, 1 } } }], lt.constant({ { 0, 0 }, { 1, 1 } }, { dtype = "int32" }):cast(dtype), dtype)
      t.equal(x:index_put({ {}, { { 3, 1 } } }, x[{ {}, { { 2, 2 } } }]):cast("int32"), { { 1, 1, 1 }, { 0, 0, 0 } }, dtype)
    end
    -- Indices of different dtypes, and a variable as an index.
    local rows = lt.Variable(integers { 2, 1 })
    t.equal(m[{ rows, lt.constant({ 3, 1 }, { dtype = "int8" }) }], lt.stack { m[{ 2, 3 }], m[{ 1, 1 }] })
    -- Second derivatives.
    local x = lt.constant({ { 1.0, 2.0 }, { 3.0, 4.0 } }, { dtype = "float64" })
    t.equal(slope(function(x)
      return slope(function(x) local y = x[{ {}, { { 2, 2, 1 } } }] return y * y end, x)
    end, x), { { 6, 12 }, { 36, 72 } })

    t.raises("OutOfRange", "index 4 is past the axis' end (3)", function() return m[{ {}, { { 4 } } }]:totable() end)
    t.raises("OutOfRange", "index -4 is past the axis' end (3)", function() return m[{ {}, { { -4 } } }]:totable() end)
    t.raises("InvalidArgument", "index 0; indices count from 1", function() return m[{ { { 0 } }, { { 1 } } }]:totable() end)
    t.raises("OutOfRange", "past the axis' end (2)", function() return m[{ { { math.maxinteger } }, { { 1 } } }]:totable() end)
    t.raises("OutOfRange", "t[{...}]: entry 2 reaches past axis 2, which has 3 elements", function() return m[{ { { 1 } }, { 2, 4 } }] end)
    t.raises("OutOfRange", "t[{...}]: entry 2 reaches past axis 2, which has 3 elements", function() return m[{ { { 1 } }, 4 }] end)
    t.raises("InvalidArgument", "t[{...}]: the step of entry 2 is 0", function() return m[{ { { 1 } }, { 1, 2, 0 } }] end)
    t.raises("InvalidArgument", "t[{...}]: the index tensors do not broadcast: (2,) and (3,)",
      function() return m[{ { { 1, 2 } }, { { 1, 2, 3 } } }] end)
    t.raises("InvalidArgument", "index: entry 1 is a tensor of float32, expected integers or bool; cast it first: t:cast(\"int64\")",
      function() return m[{ lt.constant { 1.0 } }] end)
    t.raises("InvalidArgument", "index: the entries take 4 axes, and the tensor (2, 3, 4) has 3", function() return m[{ 1, 2, 3, { { 1 } } }] end)
    t.raises("InvalidArgument", "index: entry 2 is a mask (2,), which does not fit t (2, 3, 4) from axis 2 on",
      function() return m[{ {}, { true, false } }] end)
    t.raises("InvalidArgument", "index: entry 2 is a mask (3, 4, 1), which does not fit t (2, 3, 4)",
      function() return m[{ "...", lt.zeros({ 3, 4, 1 }, { dtype = "bool" }) }] end)
    t.raises("InvalidArgument", "index: entry 1 is a mask without axes; write lutra.newaxis for a new axis",
      function() return m[{ lt.constant(true), 1 }] end)
    t.raises("InvalidArgument", 'index: "..." occurs twice', function() return m[{ "...", 1, "..." }] end)
    t.raises("InvalidArgument", 'index: entry 2 is "all", expected an integer, a range', function() return m[{ 1, "all" }] end)
    t.raises("InvalidArgument", "a list of indices is an entry within a table, {{1, 2, 5, 9}}, or a tensor",
      function() return m[{ { 1, 2, 5, 9 } }] end)
    t.raises("InvalidArgument", "index: entry[1][2] has 1 elements, entry[1][1] has 2", function() return m[{ { { 1, 2 }, { 3 } }, 1 }] end)
    t.raises("InvalidArgument", "the result would have", function()
      return lt.ones { 1, 1, 1, 1, 1, 1, 1 }[{ lt.ones({ 1, 1, 1 }, { dtype = "int32" }) }]
    end)
    t.raises("InvalidArgument", "the result would have", function()
      return lt.ones { 1, 1, 1, 1, 1, 1, 1, 1 }[{ lt.newaxis }]
    end)
    t.raises("FailedPrecondition", "index: entry 1 is a tensor that has been released", function()
      local index = lt.range(100)
      index:release()
      return m[{ index, 1 }]
    end)
  end,
}

spec "v[...] = value" {
  check = function(t)
    -- On the leading axes, in place; with values of each form.
    for _, dtype in ipairs(all_dtypes) do
      local one, zero = lt.ones({ 4 }, { dtype = dtype }), lt.zeros({ 3, 4 }, { dtype = dtype })
      local v = lt.Variable(zero)
      v[integers { 3, 1 }] = one
      t.equal(v:cast("int32"), { { 1, 1, 1, 1 }, { 0, 0, 0, 0 }, { 1, 1, 1, 1 } }, dtype)
      v[masks { true, true, false }] = zero[1]
      t.equal(v:cast("int32"), { { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 1, 1, 1, 1 } }, dtype)
      v[{ {}, integers { 2 } }] = one[1]
      t.equal(v:cast("int32"), { { 0, 1, 0, 0 }, { 0, 1, 0, 0 }, { 1, 1, 1, 1 } }, dtype)
    end
    local v = lt.Variable { { 1.0, 2.0 }, { 3.0, 4.0 } }
    v[v:gt(1.5)] = { 20, 30, 40 }
    t.equal(v:value(), { { 1, 20 }, { 30, 40 } })
    v[v:gt(25)] = -1
    t.equal(v:value(), { { 1, 20 }, { -1, -1 } })
    v[v:gt(100)] = 5
    t.equal(v:value(), { { 1, 20 }, { -1, -1 } })
    v[integers { 1, 2 }] = v[integers { 2, 1 }]
    t.equal(v:value(), { { -1, -1 }, { 1, 20 } })
    v[integers { 2, 1 }] = v
    t.equal(v:value(), { { 1, 20 }, { -1, -1 } })
    v[{ lt.newaxis, integers { 1, 1 } }] = { { { 5, 6 }, { 7, 8 } } }
    t.equal(v:value(), { { 7, 8 }, { -1, -1 } })
    -- What was read before stays.
    local before = v:value()
    v[integers { 1 }] = 0
    t.equal(before, { { 7, 8 }, { -1, -1 } })
    -- A large one, in place.
    local large = lt.Variable(lt.zeros { 1000, 300 })
    local rows = lt.range(1, 1001, 3)
    large[rows] = lt.ones { #rows, 300 }
    t.equal(large:sum(), 300 * #rows)
    -- A failed assignment leaves the variable as it was.
    local w = lt.Variable { 1.0, 2.0 }
    lt.device("/CPU:0", function()
      local w = lt.Variable { 1.0, 2.0 }
      t.raises("OutOfRange", "index 3 is past the axis' end (2)", function() w[integers { 1, 3 }] = 5 end)
      t.equal(w:value():totable(), { 1, 2 })
    end)
    t.raises("InvalidArgument", "v[...] = value: value has the shape (3,), which does not fit the part's (2,)",
      function() w[integers { 1, 2 }] = { 1, 2, 3 } end)
    t.raises("InvalidArgument", "value has the shape (3,), which does not fit the part's (1, 2)",
      function() w[{ lt.newaxis, integers { 1, 2 } }] = { 1, 2, 3 } end)
    t.raises("InvalidArgument", "the index tensors do not broadcast", function() lt.Variable(lt.zeros { 2, 2 })[{ { { 1, 2 } }, { { 1, 1, 1 } } }] = 0 end)
    t.raises("InvalidArgument", "which the variable 'Variable' of float32 cannot hold", function() w[integers { 1 }] = lt.constant({ 1 }, { dtype = "float64" }) end)
  end,
}

spec "index_put" {
  example = { { 1, 2, 3 }, { { { 3, 1 } } }, { 30, 10 }, gives = { 10, 2, 30 } },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, { {}, 2 }, 0, gives = { { 1, 0 }, { 3, 0 } } },
    { { { 1, 2 }, { 3, 4 } }, bool { true, false }, 9, gives = { { 9, 9 }, { 3, 4 } } },
    { { 1, 2, 3 }, int32 { 1, 1 }, { 5, 6 }, { accumulate = true }, gives = { 12, 2, 3 } },
    { { 1, 2, 3 }, 2, 0.5, gives = { 1, 0.5, 3 }, dtype = "float32" },
    { zeros { 0, 2 }, zeros({ 0 }, "int32"), 1, shape = { 0, 2 } },
  },
  rejects = {
    { args = { { 1, 2 }, { { { 3 } } }, 5 }, says = "index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { 1, 2 }, { { { 1, 2 } } }, { 1, 2, 3 } }, says = "value has the shape (3,), which does not fit the part's (2,)" },
    { args = { { 1, 2 }, true, 5 }, says = "index_put: index is true, expected what t[...] takes" },
    { args = { { 1, 2 }, 1 }, says = "index_put: values is" },
    { args = { { 1, 2 }, 1, 5, { acumulate = true } }, says = "accumulate" },
    { args = { bool { true }, 1, true, { accumulate = true } }, says = "is bool, expected a number" },
  },
  check = function(t)
    local x, values = lt.zeros({ 2, 3 }, { dtype = "float64" }), lt.constant({ 1.0, 2.0, 3.0 }, { dtype = "float64" })
    local key = { 1, { { 2, 2, 1 } } }
    t.equal(slope(function(x) return x:index_put(key, values) end, x), { { 0, 0, 3 }, { 4, 5, 6 } })
    -- Of two values for one element only the last one is there.
    t.equal(slope(function(values) return x:index_put(key, values) end, values), { 0, 2, 1 })
    t.equal(slope(function(values) return x:index_put(key, values, { accumulate = true }) end, values), { 2, 2, 1 })
    t.equal(slope(function(values) return x:index_put(key, values) end, lt.constant(2.0)), 3)
  end,
}
