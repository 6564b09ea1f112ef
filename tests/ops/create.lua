local spec = require "spec"

local nan, inf = 0 / 0, math.huge

spec "constant" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 2 }, { 3, 4 } }, dtype = "int32" },
  examples = {
    { { 1, 2.5 }, gives = { 1, 2.5 }, dtype = "float32" },
    { { 1, 1 << 40 }, gives = { 1, 1 << 40 }, dtype = "int64" },
    { { true, false }, gives = { true, false }, dtype = "bool" },
    { 5, gives = 5, dtype = "int32", shape = {} },
    { {}, shape = { 0 }, dtype = "float32" },
    { { 1, 2 }, { dtype = "float64" }, gives = { 1, 2 }, dtype = "float64" },
    { { { {} } }, shape = { 1, 1, 0 } },
  },
  rejects = {
    { args = { { { 1, 2 }, { 1, 2, 3 } } }, says = "value[2] has 3 elements, value[1] has 2" },
    { args = { { 1, true } }, says = "value[2]" },
    { args = { { 1, "a" } }, says = "value[2]" },
    { args = { { 300 }, { dtype = "uint8" } }, says = "does not fit uint8" },
    { args = { { 1.5 }, { dtype = "int32" } }, says = "1.5" },
    { args = { { 1 }, { dtype = "int33" } }, says = "did you mean 'int32'?" },
    { args = { { 1 }, { dtyp = "int32" } }, says = "did you mean 'dtype'?" },
  },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      local value = dtype == "bool" and { true, false } or { 1, 0 }
      t.equal(lt.constant(value, { dtype = dtype }).dtype, dtype)
      t.equal(lt.constant(value, { dtype = dtype }), value)
    end
  end,
}

local function constant_shape(op, value)
  spec(op) {
    example = { { 2, 3 }, gives = { { value, value, value }, { value, value, value } }, dtype = "float32" },
    examples = {
      { 2, gives = { value, value } },
      { {}, gives = value, shape = {} },
      { { 2.0 }, gives = { value, value } },
      { { 3, 0 }, shape = { 3, 0 } },
      { { 1, 1, 1, 1, 1, 1, 1, 1 }, shape = { 1, 1, 1, 1, 1, 1, 1, 1 } },
      { { 2 }, { dtype = "bool" }, gives = { value == 1, value == 1 }, dtype = "bool" },
      { 2, { dtype = "int8" }, gives = { value, value }, dtype = "int8" },
    },
    rejects = {
      { args = { { -1 } }, says = op .. ": the shape (-1,) has the negative size -1" },
      { args = { { 1 << 31, 1 << 31, 1 << 31 } }, says = "more elements than memory can address" },
      { args = { { 1, 1, 1, 1, 1, 1, 1, 1, 1 } }, says = op .. ": shape has 9 entries, at most 8 are possible" },
      { args = { { 1.5 } }, says = op .. ": shape[1] is 1.5, expected an integer" },
      { args = { "2" }, says = op .. ": shape is" },
      { args = {}, says = op .. ": 0 arguments given" },
      { args = { { 2 }, { dtype = 5 } }, says = op .. ": dtype is 5" },
      { args = { { 2 }, { type = "int8" } }, says = op .. ": unknown option 'type'" },
    },
    check = function(t)
      for _, dtype in ipairs(all_dtypes) do
        t.equal(lt[op]({ 40000 }, { dtype = dtype }):cast("int64"):sum(), value * 40000, dtype)
      end
    end,
  }
end

constant_shape("zeros", 0)
constant_shape("ones", 1)

spec "fill" {
  example = { { 2 }, 7, gives = { 7, 7 }, dtype = "int32" },
  examples = {
    { { 2, 1 }, 1.5, gives = { { 1.5 }, { 1.5 } }, dtype = "float32" },
    { { 2 }, true, gives = { true, true }, dtype = "bool" },
    { { 2 }, 1 << 40, gives = { 1 << 40, 1 << 40 }, dtype = "int64" },
    { 3, 1, gives = { 1, 1, 1 } },
    { {}, 4, gives = 4, shape = {} },
    { { 0 }, 1, shape = { 0 } },
    { { 2 }, float64 (2.5), gives = { 2.5, 2.5 }, dtype = "float64" },
    { { 2 }, int8 { { 3 } }, gives = { 3, 3 }, dtype = "int8" },
    { { 2 }, 7, { dtype = "float16" }, gives = { 7, 7 }, dtype = "float16" },
    { { 2 }, int64 (300), { dtype = "uint8" }, gives = { 44, 44 }, dtype = "uint8" },
    { { 2 }, nan, gives = { nan, nan } },
  },
  gradients = {
    { { 2, 3 }, { { 2.5 } }, fixed = { [1] = true } }, { {}, { 2.5 }, fixed = { [1] = true } },
    { { 0 }, { 2.5 }, fixed = { [1] = true } },
  },
  rejects = {
    { args = { { 2 }, { 1, 2 } }, says = "fill: value (2,) has 2 elements, expected a number or a scalar tensor" },
    { args = { { -2 }, 1 }, says = "fill: the shape (-2,) has the negative size -2" },
    { args = { { 2 } }, says = "fill: 1 argument given, expected fill(shape, value, [options])" },
    { args = { { 2 }, "x" }, says = "fill: value is" },
    { args = { { 2 }, 300, { dtype = "uint8" } }, says = "fill: value is 300, which does not fit uint8" },
  },
}

local function like(op, value)
  spec(op) {
    example = { { 1, 2 }, gives = { value, value }, dtype = "int32" },
    examples = {
      { { { 1.5 }, { 2.5 } }, gives = { { value }, { value } }, dtype = "float32" },
      { float16 { 1, 2 }, gives = { value, value }, dtype = "float16" },
      { { true, false }, gives = { value == 1, value == 1 }, dtype = "bool" },
      { { 1, 2 }, { dtype = "float64" }, gives = { value, value }, dtype = "float64" },
      { 5, gives = value, shape = {} },
    },
    rejects = {
      { args = {}, says = op .. ": 0 arguments given" },
      { args = { "x" }, says = op .. ": x is" },
      { args = { { 1 }, { dtype = "int33" } }, says = "did you mean 'int32'?" },
    },
  }
end

like("zeros_like", 0)
like("ones_like", 1)

spec "eye" {
  example = { 2, gives = { { 1, 0 }, { 0, 1 } }, dtype = "float32" },
  examples = {
    { 2, 3, gives = { { 1, 0, 0 }, { 0, 1, 0 } } },
    { 3, 2, { dtype = "int32" }, gives = { { 1, 0 }, { 0, 1 }, { 0, 0 } }, dtype = "int32" },
    { 2, { m = 1 }, gives = { { 1 }, { 0 } } },
    { 2, { dtype = "bool" }, gives = { { true, false }, { false, true } } },
    { 0, shape = { 0, 0 } },
    { 2, 0, shape = { 2, 0 } },
    { 2.0, gives = { { 1, 0 }, { 0, 1 } } },
  },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      local x = lt.eye(300, 200, { dtype = dtype })
      t.ok(x.dtype == dtype)
      t.equal(x:int64():sum(), 200)
      t.equal(x[{ 200, 200 }]:int64(), 1)
      t.equal(x[{ 201, 200 }]:int64(), 0)
    end
  end,
  rejects = {
    { args = { -1 }, says = "eye: the shape (-1, -1) has the negative size -1" },
    { args = { 2, -1 }, says = "eye: the shape (2, -1) has the negative size -1" },
    { args = { 2.5 }, says = "eye: n is 2.5, expected an integer" },
    { args = { 1 << 40 }, says = "more elements than memory can address" },
    { args = {}, says = "eye: 0 arguments given" },
  },
}

spec "range" {
  example = { 3, gives = { 0, 1, 2 }, dtype = "int32" },
  examples = {
    { 1, 4, gives = { 1, 2, 3 } },
    { 5, 0, -2, gives = { 5, 3, 1 } },
    { 0, 1, 0.25, gives = { 0, 0.25, 0.5, 0.75 }, dtype = "float32" },
    { 0, 0.3, 0.1, gives = { 0, 0.1, 0.2 }, dtype = "float32" },
    { 3.0, gives = { 0, 1, 2 }, dtype = "float32" },
    { 3, { dtype = "float64" }, gives = { 0, 1, 2 }, dtype = "float64" },
    { 1, 7, { step = 3 }, gives = { 1, 4 } },
    { 0, shape = { 0 }, dtype = "int32" },
    { 3, 0, shape = { 0 } },
    { 300, 300, { dtype = "uint8" }, shape = { 0 }, dtype = "uint8" },
    { 256, { dtype = "uint8" }, shape = { 256 }, dtype = "uint8" },
    { 0, 2, 0.5, { dtype = "int32" }, gives = { 0, 0, 1, 1 }, dtype = "int32" },
    { 1 << 40, (1 << 40) + 2, gives = { 1 << 40, (1 << 40) + 1 }, dtype = "int64" },
    { 2147483646, 2147483649, gives = { 2147483646, 2147483647, 2147483648 }, dtype = "int64" },
    { 2147483645, 2147483648, gives = { 2147483645, 2147483646, 2147483647 }, dtype = "int32" },
    { math.mininteger, math.maxinteger, math.maxinteger, gives = { math.mininteger, -1, math.maxinteger - 1 }, dtype = "int64" },
    { math.maxinteger - 1, math.maxinteger, gives = { math.maxinteger - 1 } },
  },
  rejects = {
    { args = { 0, 3, 0 }, says = "range: step is 0" },
    { args = { 0, 3.0, 0.0 }, says = "range: step is 0" },
    { args = { 0, inf }, says = "must be finite" },
    { args = { nan }, says = "must be finite" },
    { args = { math.mininteger, math.maxinteger }, says = "more elements than memory can address" },
    { args = { 300, { dtype = "uint8" } }, says = "range: the last number is 299, which does not fit uint8" },
    { args = { -1, 3, { dtype = "uint8" } }, says = "range: start is -1, which does not fit uint8" },
    { args = { 0, 1e10, 1e9, { dtype = "int32" } }, says = "range: the last number is 9000000000, which does not fit int32" },
    { args = { 70000, { dtype = "float16" } }, says = "range: the last number is 69999, which does not fit float16" },
    { args = { 2, { dtype = "bool" } }, says = "range: dtype is bool, expected a number's" },
    { args = { "3" }, says = "range: limit is" },
    { args = {}, says = "range: 0 arguments given" },
    { args = { 1, 2, 3, 4 }, says = "range: 4 arguments given" },
  },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      if dtype ~= "bool" then t.equal(lt.range(1, 9, 2, { dtype = dtype }):float64(), { 1, 3, 5, 7 }) end
    end
    t.equal(lt.range(126, 128, { dtype = "int8" }), { 126, 127 })
    t.equal(lt.range(70000, 0, -3, { dtype = "int32" }), lt.range(70000, 0, -3, { dtype = "int64" }):int32())
    t.equal(lt.range(0.0, 50000, 0.5)[99999], 49999)
    local x = lt.range(100000)
    t.equal(x[100000], 99999)
    t.equal(x:sum(), 4999950000)
  end,
}

spec "linspace" {
  example = { 0, 1, 5, gives = { 0, 0.25, 0.5, 0.75, 1 }, dtype = "float32" },
  -- Numbers from numpy.linspace.
  examples = {
    { -3, 4, 6, { dtype = "float64" }, gives = { -3, -1.6, -0.2, 1.2, 2.6, 4 }, tolerance = 1e-15, dtype = "float64" },
    { -3, 4, 6, { dtype = "int32" }, gives = { -3, -2, -1, 1, 2, 4 }, dtype = "int32" },
    { 10, 1, 4, { dtype = "uint8" }, gives = { 10, 7, 4, 1 }, dtype = "uint8" },
    -- NumPy overflows here; the numbers are there all the same.
    { -1e308, 1e308, 3, { dtype = "float64" }, gives = { -1e308, 0, 1e308 }, tolerance = 1e-15 },
    { 2.5, 9, 1, gives = { 2.5 } },
    { 2, 2, 3, gives = { 2, 2, 2 } },
    { 0, 1, 0, shape = { 0 } },
    { 0, math.maxinteger, 2, { dtype = "int64" }, gives = { 0, math.maxinteger } },
    { -1.5, 1.5, 2, { dtype = "int8" }, gives = { -2, 1 } },
    { 0, 1, 3, { dtype = "float16" }, gives = { 0, 0.5, 1 }, dtype = "float16" },
    { 0, 1, 3, { dtype = "bfloat16" }, gives = { 0, 0.5, 1 }, dtype = "bfloat16" },
  },
  rejects = {
    { args = { 0, 1, -1 }, says = "linspace: the shape (-1,) has the negative size -1" },
    { args = { 0, inf, 3 }, says = "linspace: stop is inf, expected a finite number" },
    { args = { nan, 1, 3 }, says = "linspace: start is" },
    { args = { 0, 1e300, 3 }, says = "linspace: stop is 1e+300, which does not fit float32" },
    { args = { 0, 300, 3, { dtype = "uint8" } }, says = "linspace: stop is 300, which does not fit uint8" },
    { args = { 0, 1, 3, { dtype = "bool" } }, says = "linspace: dtype is bool, expected a number's" },
    { args = { 0, 1 }, says = "linspace: 2 arguments given, expected linspace(start, stop, n, [options])" },
    { args = { 0, 1, 2.5 }, says = "linspace: n is 2.5, expected an integer" },
    { args = { 0, 1, 1 << 61 }, says = "more elements than memory can address" },
  },
  check = function(t)
    local x = lt.linspace(-1, 1, 100001, { dtype = "float64" })
    t.equal(x[100001], 1)
    t.equal(x[50001], 0)
    t.ok(math.abs(x:sum():item()) < 1e-9, "symmetric")
    for _, dtype in ipairs(all_dtypes) do
      if dtype ~= "bool" then t.equal(lt.linspace(1, 9, 5, { dtype = dtype }):float64(), { 1, 3, 5, 7, 9 }) end
    end
  end,
}

spec "one_hot" {
  example = { { 1, 3 }, 3, gives = { { 1, 0, 0 }, { 0, 0, 1 } }, dtype = "float32" },
  examples = {
    { { 0, 2, 4, -1 }, 3, gives = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } },
    { { { 1, 2 }, { 2, 1 } }, 2, gives = { { { 1, 0 }, { 0, 1 } }, { { 0, 1 }, { 1, 0 } } } },
    { { { 1, 2, 3 } }, 2, 1, gives = { { { 1, 0, 0 } }, { { 0, 1, 0 } } } },
    { { { 1, 2, 3 } }, 2, { axis = 2 }, gives = { { { 1, 0, 0 }, { 0, 1, 0 } } } },
    { 2, 3, gives = { 0, 1, 0 } },
    { { 1, 2 }, 2, { dtype = "bool" }, gives = { { true, false }, { false, true } }, dtype = "bool" },
    { { 1, 2 }, 0, shape = { 2, 0 } },
    { int64 {}, 3, shape = { 0, 3 } },
    { uint8 { 255, 1 }, 1, gives = { { 0 }, { 1 } } },
    { int64 { math.mininteger, math.maxinteger }, 2, gives = { { 0, 0 }, { 0, 0 } } },
  },
  rejects = {
    { args = { { 1.5 }, 2 }, says = "one_hot: labels is float32, expected an integer" },
    { args = { { true }, 2 }, says = "one_hot: labels is bool, expected an integer" },
    { args = { { 1 }, -2 }, says = "negative size -2" },
    { args = { { 1 }, 2, 3 }, says = "one_hot: axis 3 is not there: the result has 2 axes" },
    { args = { { 1 }, 2, { 1, 2 } }, says = "one_hot: axis is a list of 2, expected one axis" },
    { args = { { 1 } }, says = "one_hot: 1 argument given, expected one_hot(labels, depth, [axis], [options])" },
    { args = { made(function() return lt.ones({ 1, 1, 1, 1, 1, 1, 1, 1 }, { dtype = "int8" }) end), 2 }, says = "has 8 axes already" },
  },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      for _, label in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
        local labels = (lt.range(600) % 7):cast(label)  -- 0 to 6 of 5
        for axis = 1, 3 do
          local x = lt.one_hot(labels:reshape { 20, 30 }, 5, axis, { dtype = dtype })
          t.ok(x.dtype == dtype)
          -- Row i of 1 to 5 is where the label is i.
          local rows = x:int64():unstack(axis)
          for i = 1, 5 do t.equal(rows[i], (lt.range(600) % 7):eq(i):int64():reshape { 20, 30 }) end
        end
      end
    end
    local big = lt.one_hot(lt.range(40000) % 50 + 1, 50)
    t.equal(big:sum(), 40000)
    t.equal(lt.one_hot(lt.range(40000) % 50 + 1, 50, 1):transpose():int64():eq(big:int64()):all(), true)
  end,
}

spec "cast" {
  example = { { 1.7, -1.7 }, "int32", gives = { 1, -1 }, dtype = "int32" },
  examples = {
    { { 300, -1, 256 }, "uint8", gives = { 44, 255, 0 }, dtype = "uint8" },
    { int64 { 1 << 32, -1 }, "int32", gives = { 0, -1 }, dtype = "int32" },
    { { 1e20, -1e20, nan }, "int32", gives = { 2147483647, -2147483648, 0 }, dtype = "int32" },
    { { inf, -inf }, "int64", gives = { math.maxinteger, math.mininteger }, dtype = "int64" },
    { { 300.0, -5.0 }, "int8", gives = { 127, -128 + 123 }, dtype = "int8" },
    { { 0, 2, -1 }, "bool", gives = { false, true, true }, dtype = "bool" },
    { { 0.0, 0.5, nan }, "bool", gives = { false, true, true }, dtype = "bool" },
    { { true, false }, "float32", gives = { 1, 0 }, dtype = "float32" },
    { { 0.1 }, "float16", gives = { 0.0999755859375 }, tolerance = 0, dtype = "float16" },
    { { 70000.0 }, "float16", gives = { inf } },
    { { 16777217 }, "float32", gives = { 16777216 } },
    { 2.5, "int64", gives = 2, shape = {}, dtype = "int64" },
    { {}, "int8", shape = { 0 }, dtype = "int8" },
    { { 1.7, -1.7 }, { dtype = "int8" }, gives = { 1, -1 }, dtype = "int8" },
  },
  rejects = {
    { args = { { 1 }, "int33" }, says = "cast: dtype \"int33\" is no dtype (did you mean 'int32'?)" },
    { args = { { 1 }, 5 }, says = "cast: dtype is 5, expected a dtype's name" },
    { args = { { 1 } }, says = "cast: dtype is not given: cast(x, dtype)" },
    { args = { { 1 }, {} }, says = "cast: dtype is not given" },
    { args = { { 1 }, "int8", { dtype = "int8" } }, says = "dtype" },
  },
  gradients = { { { 1.5, 2.5 }, "float64" } },
  check = function(t)
    -- A gradient comes back in the dtype it belongs to; through an integer there is none.
    for _, from in ipairs(floats) do
      for _, to in ipairs(floats) do
        local x = lt.constant({ 1.5, 2.5 }, { dtype = from })
        local tape <close> = lt.GradientTape()
        tape:watch(x)
        local slope = tape:gradient(x:cast(to), x)
        t.ok(slope.dtype == from)
        t.equal(slope, { 1, 1 })
      end
    end
    local x = lt.constant { 1.5, 2.5 }
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    t.ok(tape:gradient(x:cast("int32"):cast("float32"), x) == nil)
    -- Truncation, values out of range and nan, among many elements.
    local odd = { nan, inf, -inf, 1e30, -1e30, 126.5, 127, 128, -128.5, -129, 255, 256, -0.5, 3.9, -3.9, 2.0^31, -2.0^31, 2.0^63 }
    for bits, integer in pairs { [8] = "int8", [16] = "int16", [32] = "int32", [64] = "int64", [0] = "uint8" } do
      local least = bits == 0 and 0 or bits == 64 and math.mininteger or -(1 << bits - 1)
      local most = bits == 0 and 255 or bits == 64 and math.maxinteger or (1 << bits - 1) - 1
      for _, from in ipairs(floats) do
        local x = lt.tile(lt.constant(odd, { dtype = from }), 20)
        local wanted = {}
        for i, value in ipairs(x:cast("float64"):totable()) do
          if value ~= value then wanted[i] = 0
          elseif value >= most then wanted[i] = most
          elseif value <= least then wanted[i] = least
          else wanted[i] = math.tointeger(value < 0 and math.ceil(value) or math.floor(value)) end
        end
        t.equal(x:cast(integer), lt.constant(wanted, { dtype = integer }), from .. " to " .. integer)
      end
    end
    -- Every dtype to every other and back, many elements.
    for _, from in ipairs(all_dtypes) do
      local x = (lt.range(20000) % 2):cast(from)
      t.equal(x.dtype, from)
      for _, to in ipairs(all_dtypes) do
        t.equal(x:cast(to):cast("int32"):sum(), 10000, from .. " to " .. to)
      end
      t.equal(lt.constant { 1, 0 }[from](lt.constant { 1, 0 }).dtype, from)
    end
  end,
}

spec "identity" {
  example = { { 1, 2 }, gives = { 1, 2 }, dtype = "int32" },
  examples = {
    { 5, gives = 5, shape = {} },
    { float16 { 1.5 }, gives = { 1.5 }, dtype = "float16" },
    { { true }, gives = { true }, dtype = "bool" },
    { {}, shape = { 0 } },
  },
  gradients = { { { 1.5, 2.5 } } },
  rejects = { { args = { "x" }, says = "identity: x is" }, { args = {}, says = "identity: 0 arguments given" } },
  check = function(t)
    local x = lt.range(1000)
    t.equal(lt.identity(x), x:totable())
  end,
}

spec "stop_gradient" {
  example = { { 1, 2 }, gives = { 1, 2 }, dtype = "int32" },
  rejects = { { args = { "x" }, says = "stop_gradient: x is" }, { args = {}, says = "stop_gradient: 0 arguments given" } },
  check = function(t)
    local x = lt.constant(2.0)
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    t.equal(tape:gradient(x * lt.stop_gradient(x), x), 2.0)
  end,
}
