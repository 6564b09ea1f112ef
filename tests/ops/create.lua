local spec = require "spec"

local nan, inf = 0 / 0, math.huge
local dtypes = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" }

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
    for _, dtype in ipairs(dtypes) do
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
      for _, dtype in ipairs(dtypes) do
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
  rejects = {
    { args = { { 2 }, { 1, 2 } }, says = "fill: value (2,) has more than one element" },
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
    { args = { "3" }, says = "range: limit is" },
    { args = {}, says = "range: 0 arguments given" },
    { args = { 1, 2, 3, 4 }, says = "range: 4 arguments given" },
  },
  check = function(t)
    local x = lt.range(100000)
    t.equal(x[100000], 99999)
    t.equal(x:sum(), 4999950000)
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
  },
  rejects = {
    { args = { { 1 }, "int33" }, says = "cast: dtype \"int33\" is no dtype (did you mean 'int32'?)" },
    { args = { { 1 }, 5 }, says = "cast: dtype is 5, expected a dtype's name" },
    { args = { { 1 } }, says = "cast: 1 argument given, expected cast(x, dtype)" },
  },
  check = function(t)
    -- Every dtype to every other and back, many elements.
    for _, from in ipairs(dtypes) do
      local x = (lt.range(20000) % 2):cast(from)
      t.equal(x.dtype, from)
      for _, to in ipairs(dtypes) do
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
