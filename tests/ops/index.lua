local spec = require "spec"
local some_indices = require "some_indices"

spec "gather" {
  example = { { 10, 20, 30 }, { 3, 1, -1 }, gives = { 30, 10, 30 } },
  examples = {
    { { 10, 20, 30 }, { 3.0, 1 }, gives = { 30, 10 } },
    { { 10, 20, 30 }, 2.0, gives = 20 },
    { { 10, 20, 30 }, 2, gives = 20, shape = {} },
    { { 10, 20, 30 }, { { 1, 2 }, { 3, -3 } }, gives = { { 10, 20 }, { 30, 10 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 1, 2 }, gives = { { 4, 5, 6 }, { 1, 2, 3 }, { 4, 5, 6 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 1 }, 2, gives = { { 3, 1 }, { 6, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 1 }, { axis = -1 }, gives = { { 3, 1 }, { 6, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1 }, { 2 } }, 2, gives = { { { 1 }, { 2 } }, { { 4 }, { 5 } } } },
    { float64 { 1.5, 2.5 }, int64 { 2 }, gives = { 2.5 }, dtype = "float64" },
    { bool { true, false }, uint8 { 2, 1 }, gives = { false, true }, dtype = "bool" },
    { float16 { 1, 2 }, int8 { -1 }, gives = { 2 }, dtype = "float16" },
    { { 1, 2 }, zeros({ 0, 3 }, "int32"), shape = { 0, 3 } },
    { zeros { 0, 2 }, zeros({ 0 }, "int32"), shape = { 0, 2 } },
  },
  gradients = {
    { { 1.5, -2, 3 }, int32 { 3, 1, 3, -1 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, int32 { 3, 3, 1 }, 2 },
    { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, int64 { { 1, 3 }, { -1, 1 } } },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, int32 { 2, 2 }, 2 },
    { { 1, 2 }, uint8(2) },
  },
  rejects = {
    { args = { { 10, 20, 30 }, { 1, 0 } }, says = "gather: index 0; indices count from 1" },
    { args = { { 10, 20, 30 }, { 1, 4, 9 } }, says = "gather: index 4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { { 10, 20, 30 }, { -4 } }, says = "gather: index -4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { zeros { 0, 2 }, { 1 } }, says = "gather: index 1 is past the axis' end (0)", code = "OutOfRange" },
    { args = { zeros { 3, 0 }, { 4 } }, says = "gather: index 4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { { 1, 2 }, { 1.5 } }, says = "gather: indices is float32, expected an integer" },
    { args = { { 1, 2 }, { 1 }, 2 }, says = "gather: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, { 1 }, 0 }, says = "axis 0" },
    { args = { { 1, 2 }, { 1 }, { axis = { 1, 2 } } }, says = "gather: axis is a list of 2, expected one axis" },
    { args = { 5, { 1 } }, says = "gather: x is a scalar" },
    { args = { zeros { 1, 1, 1, 1, 1, 1, 1, 1 }, { { 1 } } }, says = "make 9 axes" },
  },
  check = function(t)
    -- More than one chunk of indices, and rows of more than one element.
    local x = lt.range(3000):reshape { 3, 500, 2 }
    local back = lt.range(500, 0, -1)
    t.equal(x:gather(back, 2), x[{ {}, { -1, 1, -1 } }])
    t.equal(x:reshape({ 3000 }):gather(lt.range(3000, 0, -1)), lt.range(2999, -1, -1))
    t.equal(x[lt.constant { 3, 1 }], lt.stack { x[3], x[1] })
    -- Indices from the end among others from the start, elements of every size.
    local mixed = lt.where((lt.range(1000) % 400):eq(299), -3 - lt.range(1000), lt.range(1, 1001))
    local wanted = {}
    for i = 0, 999 do wanted[i + 1] = i % 400 == 299 and 2997 - i or i end
    for _, dtype in ipairs { "int16", "float32", "float64" } do
      t.equal(lt.range(3000):cast(dtype):gather(mixed), lt.constant(wanted, { dtype = dtype }), dtype)
    end
    -- An invalid index among many is reported, at any position.
    local bad = lt.where(lt.range(1000):eq(700), 3001, mixed)
    t.raises("OutOfRange", "gather: index 3001 is past the axis' end (3000)", function() return lt.range(3000):gather(bad):totable() end)
    for _, dtype in ipairs(all_dtypes) do
      local y = (lt.range(100) % 2):cast(dtype):reshape { 50, 2 }
      t.equal(y:gather { 1, -1 }, lt.stack { y[1], y[50] }, dtype)
    end
    for _, dtype in ipairs(integers) do
      t.equal(lt.range(1, 101):gather(lt.constant({ 1, 100, 7 }, { dtype = dtype })), { 1, 100, 7 }, dtype)
    end
    -- Values of duplicate indices are added up, for halves in float32: in bfloat16 256 + 1 is 256.
    for _, dtype in ipairs(floats) do
      local zeros = lt.zeros({ 4, 1 }, { dtype = dtype })
      local got = gradient_of(function(v) return v:gather(lt.fill({ 2500 }, 2)) end, zeros, 1)
      t.equal(got:reshape { 4 }, lt.constant({ 0, dtype == "bfloat16" and 2496 or 2500, 0, 0 }, { dtype = dtype }), dtype)
    end
    -- Large enough for several threads: narrow parts, wide ones, and an axis in the middle.
    for _, shape in ipairs { { 1000 }, { 300, 200 }, { 3, 70, 50 } } do
      local axis = #shape == 3 and 2 or 1
      local w, indices = lt.ones(shape), some_indices(40000 // (shape[3] or 1), shape[axis])
      local weights = lt.range(indices.size) % 5 + 1
      local size = table.move(shape, 1, #shape, 1, {})
      size[axis] = indices.size
      weights = lt.broadcast_to(#shape > 1 and weights:reshape { -1, 1 } or weights, size)
      local got = gradient_of(function(v) return v:gather(indices, axis) end, w, weights)
      local place = indices:totable()
      local sums = {}
      for i = 1, shape[axis] do sums[i] = 0 end
      for i, index in ipairs(place) do
        index = index < 0 and index + shape[axis] + 1 or index
        sums[index] = sums[index] + (i - 1) % 5 + 1
      end
      local wanted = lt.constant(sums, { dtype = "float32" })
      if #shape > 1 then wanted = wanted:reshape { -1, 1 } end
      t.equal(got, lt.broadcast_to(wanted, shape), "axis " .. axis)
    end
    -- The second derivative of sum(gather(x)^3) is 6 x where it was gathered.
    local v = lt.constant { 1.0, 2.0, 3.0 }
    local second = gradient_of(function(x)
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      local y = x:gather { 2, 2, 3 }
      return tape:gradient((y * y * y):sum(), x)
    end, v, 1)
    t.close(second, { 0, 24, 18 })
  end,
}

spec "gather_nd" {
  example = { { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { -1, 1 } }, gives = { 2, 3 } },
  examples = {
    { { { 1, 2 }, { 3, 4 } }, { { 2 }, { 1 } }, gives = { { 3, 4 }, { 1, 2 } } },
    { { { 1, 2 }, { 3, 4 } }, { 2, 1 }, gives = 3, shape = {} },
    { { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, { { { 1, 2 } }, { { 2, -2 } } }, gives = { { { 3, 4 } }, { { 5, 6 } } } },
    { bool { { true, false } }, uint8 { { 1, 2 }, { 1, 1 } }, gives = { false, true }, dtype = "bool" },
    { { 7, 8 }, zeros({ 3, 0 }, "int32"), gives = { { 7, 8 }, { 7, 8 }, { 7, 8 } } },
    { 5, zeros({ 2, 0 }, "int32"), gives = { 5, 5 } },
    { zeros { 2, 0 }, int64 { { 1 }, { 2 } }, shape = { 2, 0 } },
    { { 1, 2 }, zeros({ 0, 1 }, "int32"), shape = { 0 } },
  },
  gradients = {
    { { { 1, 2 }, { 3, 4 } }, int32 { { 1, 2 }, { -1, 1 }, { 1, 2 } } },
    { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, int32 { { 3 }, { 3 } } },
    { { 1, 2, 3 }, zeros({ 2, 0 }, "int32") },
  },
  rejects = {
    { args = { { { 1, 2 } }, { { 1, 0 } } }, says = "gather_nd: index 0; indices count from 1" },
    { args = { { { 1, 2 } }, { { 2, 1 } } }, says = "gather_nd: index 2 is past the axis' end (1)", code = "OutOfRange" },
    { args = { { { 1, 2 } }, { { 1, 2 }, { 1, -3 } } }, says = "gather_nd: index -3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { zeros { 3, 0 }, { { 4 } } }, says = "gather_nd: index 4 is past the axis' end (3)", code = "OutOfRange" },
    { args = { { 1, 2 }, { { 1, 1 } } }, says = "gather_nd: indices (1, 2) lists 2 indices a place, and x (2,) has 1 axis" },
    { args = { { 1, 2 }, 1 }, says = "gather_nd: indices is a scalar" },
    { args = { { 1, 2 }, { { 1.5 } } }, says = "gather_nd: indices is float32, expected an integer" },
    { args = { zeros { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros({ 1, 1, 0 }, "int32") }, says = "make 10 axes" },
    { args = { { 1, 2 } }, says = "gather_nd: 1 argument given" },
  },
  check = function(t)
    local x = lt.range(60000):reshape { 30, 40, 50 }
    local all = lt.ones({ 30, 40, 50 }):nonzero()
    t.equal(x:gather_nd(all), lt.range(60000))
    t.equal(x:gather_nd(lt.range(30, 0, -1):reshape { 30, 1 }), x[{ { -1, 1, -1 } }])
    for _, dtype in ipairs(all_dtypes) do
      t.equal(lt.ones({ 2, 2 }, { dtype = dtype }):gather_nd { { 1, 1 } }, lt.ones({ 1 }, { dtype = dtype }), dtype)
    end
    for _, dtype in ipairs(floats) do
      local got = gradient_of(function(v) return v:gather_nd { { 1, 2 }, { 1, 2 } } end, lt.zeros({ 2, 2 }, { dtype = dtype }), 3)
      t.equal(got, lt.constant({ { 0, 6 }, { 0, 0 } }, { dtype = dtype }), dtype)
    end
  end,
}

spec "take_along_axis" {
  example = { { { 1, 2 }, { 3, 4 } }, { { 2 }, { 1 } }, 2, gives = { { 2 }, { 3 } } },
  examples = {
    { { 10, 20, 30 }, { 3, 3, -3, 1 }, gives = { 30, 30, 10, 10 } },
    { { { 1, 2 }, { 3, 4 } }, { { 2, 1 } }, gives = { { 3, 2 } } },
    { { { 1, 2 }, { 3, 4 } }, { { 2, 1 } }, { axis = -1 }, gives = { { 2, 1 }, { 4, 3 } } },
    { { { 1, 2, 3 } }, { { 1 }, { 3 } }, 2, gives = { { 1 }, { 3 } } },
    { bool { true, false }, int8 { -1 }, gives = { false }, dtype = "bool" },
    { zeros { 2, 0 }, zeros({ 2, 0 }, "int32"), 2, shape = { 2, 0 } },
    { { { 1, 2 } }, zeros({ 1, 0 }, "int32"), 2, shape = { 1, 0 } },
    { zeros { 0, 3 }, { { 1, 3 } }, 2, shape = { 0, 2 } },
  },
  gradients = {
    { { 1, 2, 3 }, int32 { 3, 3, 1, -1 } },
    { { { 1, 2 }, { 3, 4 } }, int32 { { 2 }, { 1 } }, 2 },
    { { { 1, 2 }, { 3, 4 } }, int32 { { 2, 1 } }, 1 },
    { { { 1, 2, 3 } }, int32 { { 1, 1 }, { 3, 2 } }, 2 },
    { { { { 1, 2 }, { 3, 4 } } }, int32 { { { 1, 2 } }, { { 2, 1 } }, { { 1, 1 } } }, 2 },
  },
  rejects = {
    { args = { { 1, 2 }, { 0 } }, says = "take_along_axis: index 0; indices count from 1" },
    { args = { { { 1, 2 } }, { { 3 } }, 2 }, says = "take_along_axis: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { zeros { 0, 2 }, { { 1, 1 } } }, says = "take_along_axis: index 1 is past the axis' end (0)", code = "OutOfRange" },
    { args = { { { 1, 2 } }, { 1 } }, says = "take_along_axis: indices (1,) does not fit x (1, 2)" },
    { args = { { { 1, 2, 3 } }, { { 1, 1 } } }, says = "equal or 1 except along axis 1" },
    { args = { 5, 1 }, says = "take_along_axis: x is a scalar" },
    { args = { { 1, 2 }, { 1.5 } }, says = "indices is float32, expected an integer" },
    { args = { { 1, 2 }, { 1 }, { axis = { 1, 2 } } }, says = "axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, { 1 }, 2 }, says = "take_along_axis: axis 2 is not there" },
  },
  check = function(t)
    local x = lt.random.uniform({ 60, 7, 90 }, { seed = 5 })
    for axis = 1, 3 do
      local order = x:argsort(axis)
      t.equal(x:take_along_axis(order, axis), x:sort(axis), "axis " .. axis)
      t.equal(x:take_along_axis(x:argmax({ axis = axis, keepdims = true }), axis), x:max({ axis = axis, keepdims = true }))
      -- Each element is taken once, so the gradient puts the weights back in their places.
      local weights = lt.random.uniform({ 60, 7, 90 }, { seed = 6 })
      local got = gradient_of(function(v) return v:take_along_axis(order, axis) end, x, weights)
      t.equal(got:take_along_axis(order, axis), weights, "gradient along axis " .. axis)
    end
    -- A row of indices from the end, one from the start, and one that is wrong.
    local forth, back = lt.range(1, 701), lt.range(-1, -701, -1)
    local both = lt.range(1400):reshape { 2, 700 }
    t.equal(both:take_along_axis(lt.stack { back, forth }, 2), lt.stack { lt.range(699, -1, -1), lt.range(700, 1400) })
    t.raises("OutOfRange", "take_along_axis: index 701 is past the axis' end (700)",
      function() return both:take_along_axis(lt.stack { back, forth + 1 }, 2):totable() end)
    for _, dtype in ipairs(all_dtypes) do
      local y = (lt.range(6) % 2):cast(dtype):reshape { 2, 3 }
      t.equal(y:take_along_axis({ { 3 }, { 1 } }, 2), lt.stack({ y[{ 1, 3 }], y[{ 2, 1 }] }):reshape { 2, 1 }, dtype)
    end
    for _, dtype in ipairs(floats) do
      local got = gradient_of(function(v) return v:take_along_axis(lt.fill({ 700 }, 1)) end, lt.zeros({ 2 }, { dtype = dtype }), 1)
      t.equal(got, lt.constant({ 700, 0 }, { dtype = dtype }), dtype)
    end
  end,
}

spec "t[indices] and t[mask]" {
  check = function(t)
    local v, m = lt.constant { 10, 20, 30, 40 }, lt.range(24):reshape { 2, 3, 4 }
    t.equal(v[lt.constant { 4, -4, 1 }], { 40, 10, 10 })
    t.equal(v[lt.constant { { 1, 2 }, { 3, 4 } }], { { 10, 20 }, { 30, 40 } })
    t.equal(v[lt.constant(2)], 20)
    t.equal(m[lt.constant { 2, 2 }], lt.stack { m[2], m[2] })
    t.raises("InvalidArgument", "index 0; indices count from 1", function() return v[lt.constant { 0 }]:totable() end)
    t.raises("OutOfRange", "index 5 is past the axis' end (4)", function() return v[lt.constant { 5 }]:totable() end)
    t.raises("InvalidArgument", "indices is float32, expected an integer", function() return v[lt.constant { 1.0 }] end)
    t.raises("InvalidArgument", "expected an integer, a list of entries per axis, a tensor of indices or a bool mask",
      function() return v[true] end)

    -- A mask gives what is on the CPU, wherever the tensor is: its size must be known.
    local function masked(x, mask, wanted, what)
      local got = x[mask]
      t.ok(got.device:find("CPU:0", 1, true), what)
      t.ok(lt.debugging.explain(got).op == "BooleanMask", what)
      lt.device("/CPU:0", function() t.ok(got.dtype == x.dtype and got.shape == lt.constant(wanted).shape, what) end)
      t.ok(table.concat(got:reshape({ -1 }):cast("int64"):totable(), " ") ==
        table.concat(lt.constant(wanted):reshape({ -1 }):cast("int64"):totable(), " "), what)
    end
    masked(v, v:gt(15), { 20, 30, 40 }, "vector")
    masked(v, lt.constant { true, false, false, true }, { 10, 40 }, "literal")
    masked(m, lt.constant { false, true }, m[{ { 2 } }]:totable(), "leading axis")
    masked(m, lt.constant { { true, false, true }, { false, true, false } }, { m[1][1]:totable(), m[1][3]:totable(), m[2][2]:totable() }, "two axes")
    masked(m, (m % 5):eq(0), { 0, 5, 10, 15, 20 }, "all axes")
    masked(lt.constant(7), lt.constant(true), { 7 }, "scalar")
    masked(v, lt.constant(true), { { 10, 20, 30, 40 } }, "scalar mask")
    t.ok(v[v:gt(100)].shape == lt.zeros({ 0 }).shape)
    t.ok(m[lt.constant { false, false }].shape == lt.zeros({ 0, 3, 4 }).shape)
    t.ok(lt.zeros({ 0, 3 })[lt.zeros({ 0 }, { dtype = "bool" })].shape == lt.zeros({ 0, 3 }).shape)
    t.ok(lt.zeros({ 2, 0 })[lt.constant { true, false }].shape == lt.zeros({ 1, 0 }).shape)
    t.ok(v[lt.constant(false)].shape == lt.zeros({ 0, 4 }).shape)
    for _, dtype in ipairs(all_dtypes) do
      local x = (lt.range(6) % 2):cast(dtype):reshape { 3, 2 }
      masked(x:cast(dtype), lt.constant { true, false, true }, { { 0, 1 }, { 0, 1 } }, dtype)
      masked(x:cast(dtype), (lt.range(6):gt(1)):reshape { 3, 2 }, { 0, 1, 0, 1 }, dtype)
    end
    -- Several blocks, and parts of many bytes.
    local big = lt.range(100000)
    t.ok(big[(big % 7):eq(3)]:sum():item() == lt.range(3, 100000, 7):sum():item())
    t.ok(#big[(big % 7):eq(3)] == #lt.range(3, 100000, 7))
    local wide = big:reshape { 20000, 5 }
    t.ok(wide[wide[{ {}, 1 }]:ge(99000)]:sum():item() == lt.range(99000, 100000):sum():item())
    t.raises("InvalidArgument", "t[mask]: mask (3,) does not fit t (4,): it must have the sizes of t's leading axes",
      function() return v[lt.constant { true, false, true }] end)
    t.raises("InvalidArgument", "t[mask]: mask (4, 1) does not fit t (4,)",
      function() return v[lt.constant { { true }, { true }, { true }, { true } }] end)
    t.raises("InvalidArgument", "has 8 axes already", function() return lt.ones { 1, 1, 1, 1, 1, 1, 1, 1 }[lt.constant(true)] end)

    -- Gradients: where the mask is false there is none.
    local function gradient(f, x, weights)
      return lt.device("/CPU:0", function() return table.concat(gradient_of(f, x, weights):reshape({ -1 }):totable(), " ") end)
    end
    local w = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 }, { 5.0, 6.0 } }
    local rows = lt.constant { true, false, true }
    t.ok(gradient(function(x) return x[rows] end, w, { { 1.0, 2.0 }, { 3.0, 4.0 } }) == "1.0 2.0 0.0 0.0 3.0 4.0")
    t.ok(gradient(function(x) return x[w:gt(2.5)] end, w, { 1.0, 2.0, 3.0, 4.0 }) == "0.0 0.0 1.0 2.0 3.0 4.0")
    t.ok(gradient(function(x) return x[w:gt(9)] end, w, 1) == "0.0 0.0 0.0 0.0 0.0 0.0")
    t.ok(gradient(function(x) return x[lt.constant { 3, 3, 1 }] end, w, 1) == "1.0 1.0 0.0 0.0 2.0 2.0")
    t.ok(gradient(function(x) return x[{ { 3, 1, -2 }, 2 }] end, w, { 5.0, 7.0 }) == "0.0 7.0 0.0 0.0 0.0 5.0")
    -- The second derivative of sum(x[mask]^3).
    t.ok(gradient(function(x)
      local tape <close> = lt.GradientTape()
      tape:watch(x)
      local y = x[rows]
      return tape:gradient((y * y * y):sum(), x)
    end, w, 1) == "6.0 12.0 0.0 0.0 30.0 36.0")
    -- Variables too.
    local variable = lt.Variable { 1.0, 2.0, 3.0 }
    t.ok(table.concat(variable[variable:gt(1.5)]:totable(), " ") == "2.0 3.0")
    t.ok(table.concat(variable[lt.constant { 3, 1 }]:totable(), " ") == "3.0 1.0")
    local tape <close> = lt.GradientTape()
    local picked = variable[variable:gt(1.5)]
    t.ok(table.concat(tape:gradient(picked * picked, variable):totable(), " ") == "0.0 4.0 6.0")
  end,
}

-- What NumPy and PyTorch give, gradients too, for every op of the group (tests/support/generate/make_index_golden.py).
spec "the index group" {
  check = function(t)
    local seen = {}
    for number, case in ipairs(require "golden.index_golden") do
      local what = ("%s, case %d"):format(case.op, number)
      local args = table.move(case.args, 1, #case.args, 1, {})
      seen[case.op] = true
      local sources = {}
      if case.weights then
        for _, i in ipairs { 1, case.also } do
          args[i] = lt.constant(args[i], { dtype = "float64" })
          sources[#sources + 1] = args[i]
        end
      end
      local tape <close> = lt.GradientTape()
      tape:watch(sources)
      local results = table.pack(lt[case.op](table.unpack(args)))
      t.ok(results.n == #case.gives, what)
      for i, wanted in ipairs(case.gives) do t.equal(results[i]:totable(), wanted, what) end
      if case.weights then
        local weights = lt.constant(case.weights, { dtype = "float64" })
        for i, got in ipairs(tape:gradient(results[1], sources, { output_gradients = weights })) do
          t.equal(got:totable(), case.gradients[i], what .. ", gradient")
        end
      end
    end
    for _, op in ipairs { "gather", "gather_nd", "take_along_axis", "scatter_add", "sort", "argsort", "top_k", "unique", "nonzero",
                          "searchsorted", "bincount" } do
      t.ok(seen[op], op)
    end
  end,
}
