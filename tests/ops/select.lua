local spec = require "spec"

local nan, inf = 0 / 0, math.huge

spec "where" {
  example = { { true, false }, { 1, 2 }, 0, gives = { 1, 0 }, dtype = "int32" },
  examples = {
    { { true, false }, 1, 0, gives = { 1, 0 }, dtype = "int32" },
    { { true, false }, 1, 0.5, gives = { 1, 0.5 }, dtype = "float32" },
    { { true, false }, true, { false, false }, gives = { true, false }, dtype = "bool" },
    { true, { 1, 2 }, { 3, 4 }, gives = { 1, 2 } },
    { { { true }, { false } }, { 1, 2 }, { 10, 20 }, gives = { { 1, 2 }, { 10, 20 } } },
    { { true, false }, { { 1 }, { 2 } }, { { { 7 } } }, gives = { { { 1, 7 }, { 2, 7 } } } },
    { { true, false, true }, { nan, nan, 1 }, { 5, inf, 6 }, gives = { nan, inf, 1 } },
    { { true, false }, int8 { 1, 2 }, int8 { 3, 4 }, gives = { 1, 4 }, dtype = "int8" },
    { { true, false }, int16 { 1, 2 }, int16 { 3, 4 }, gives = { 1, 4 }, dtype = "int16" },
    { { true, false }, bfloat16 { 1, 2 }, bfloat16 { 3, 4 }, gives = { 1, 4 }, dtype = "bfloat16" },
    { { true, false }, int64 { math.mininteger, 2 }, int64 { 3, math.maxinteger },
      gives = { math.mininteger, math.maxinteger }, dtype = "int64" },
    { { true, false }, { 1, 2 }, float64 { 0.5, 0.25 }, gives = { 1, 0.25 }, dtype = "float64" },
    { { true, false }, bool { true, true }, { 5, 6 }, gives = { 1, 6 }, dtype = "int32" },
    { { true, false }, uint8 { 255, 2 }, uint8 { 3, 128 }, gives = { 255, 128 }, dtype = "uint8" },
    { { true, false }, float16 { 1.5, 2 }, float16 { nan, inf }, gives = { 1.5, inf }, dtype = "float16" },
    { { { true, false } }, 1, { { 3 }, { 4 } }, gives = { { 1, 3 }, { 1, 4 } } },
    { true, { 1, 2 }, 5, gives = { 1, 2 } },
    { { true }, 1, zeros { 0 }, shape = { 0 } },
    { zeros({ 0, 3 }, "bool"), { 1, 2, 3 }, 0, shape = { 0, 3 } },
  },
  rejects = {
    { args = { { true, false }, 1 }, says = "where: 2 arguments given, expected where(cond, x, y)" },
    { args = { { 1, 0 }, 1, 2 }, says = "where: cond is int32, expected bool" },
    { args = { { true, false }, { 1, 2, 3 }, 0 }, says = "where: cond (2,) and x (3,) do not broadcast" },
    { args = { { true, false }, 1, { 1, 2, 3 } }, says = "where: cond (2,) and y (3,) do not broadcast" },
    { args = { { true }, "a", 1 }, says = "where: x is" },
    { args = { { true }, uint8 { 1 }, 300 }, says = "where: y is 300, which does not fit uint8" },
  },
  gradients = {
    { bool { true, false }, { 1, 2 }, { { 3, 4 }, { 5, 6 } } }, { bool { { true }, { false } }, { 1, 2 }, 3.0 },
    { true, { 1, 2 }, { 3, 4 } },
  },
  check = function(t)
    -- Several rows and more than one thread's share.
    local x = lt.range(40000):reshape { 4, 100, 100 }
    local column = lt.range(100):reshape { 100, 1 }
    local odd = (column % 2):eq(1)
    local got = lt.where(odd, x, -1)
    t.equal(got[{ 3, 2 }], x[{ 3, 2 }])
    t.equal(got[{ 3, 1 }], lt.fill({ 100 }, -1))
    t.equal(got:sum(), (lt.where(odd, x, 0)):sum():item() - 20000)
  end,
}

spec "clip" {
  example = { { -1, 2, 9 }, 0, 5, gives = { 0, 2, 5 }, dtype = "int32" },
  examples = {
    { { -1, 2, 9 }, 0.5, 5, gives = { 0.5, 2, 5 }, dtype = "float32" },
    { { -1.5, 2.5, 9.5 }, 0, 5, gives = { 0, 2.5, 5 }, dtype = "float32" },
    { int64 { -1, 9 }, 0, 5, gives = { 0, 5 }, dtype = "int64" },
    { { 1, 5, 9 }, 7, 3, gives = { 3, 3, 3 } },
    { { nan, inf, -inf }, -1, 1, gives = { nan, 1, -1 } },
    { { 1.0, 5.0 }, nan, 3, gives = { nan, nan } },
    { { 1.0, 5.0 }, 0, nan, gives = { nan, nan } },
    { { 1, 5, 9 }, { 2, 2, 2 }, { 4, 6, 8 }, gives = { 2, 5, 8 } },
    { { 1, 5, 9 }, { { 2 }, { 6 } }, 8, gives = { { 2, 5, 8 }, { 6, 6, 8 } } },
    { { 1, 5 }, float64 { 2.5, 0 }, 4, gives = { 2.5, 4 }, dtype = "float64" },
    { 7, 0, 5, gives = 5, shape = {} },
    { int8 { -128, 127 }, -5, 5, gives = { -5, 5 }, dtype = "int8" },
    { uint8 { 0, 128, 255 }, 10, 200, gives = { 10, 128, 200 }, dtype = "uint8" },
    { int16 { -300, 300 }, uint8 { 0, 0 }, uint8 { 255, 255 }, gives = { 0, 255 }, dtype = "int16" },
    { float16 { nan, 9, -inf }, -1, 1.5, gives = { nan, 1.5, -1 }, dtype = "float16" },
    { bfloat16 { 7, -7 }, -1, 1, gives = { 1, -1 }, dtype = "bfloat16" },
    { zeros { 3, 0 }, 0, 1, shape = { 3, 0 } },
  },
  reference = function(x, low, high) return math.min(math.max(x, low), high) end,
  samples = shapes {
    {}, { 17, 65 }, { { 3, 5 }, { 5 }, { 3, 1 } }, { { 2, 1 }, { 4 }, {} }, { { 0, 3 }, { 3 }, { 1, 1 } },
  },
  dtypes = numbers,
  domain = { -20, 20 },
  result = function(dtype) return dtype end,
  rejects = {
    { args = { bool { true }, false, true }, says = "clip: x is bool, expected a number" },
    { args = { { 1, 2 }, 0 }, says = "clip: 2 arguments given, expected clip(x, min, max)" },
    { args = { { 1, 2 }, { 1, 2, 3 }, 5 }, says = "clip: x (2,) and min (3,) do not broadcast" },
    { args = { { 1, 2 }, 0, "5" }, says = "clip: max is" },
    { args = { int32 { 1 }, 0, 1 << 40 }, says = "clip: max is 1099511627776, which does not fit int32" },
  },
  gradients = {
    { { -1, 2, 7 }, 0, 5 }, { { -1, 2, 7 }, { -2, 0, 1 }, { 5.5 } }, { { -1, 2, 7 }, { { 0 }, { 3 } }, { 5, 6, 8 } },
    { { 1, 5, 9 }, 7, { 3 } }, { 2.5, { 3, 1 }, { 4, 2 } },
  },
  check = function(t)
    local x = (lt.range(100000) % 1000):reshape { 4, 25000 }
    local got = lt.clip(x, 100, 899)
    t.equal(got:min(), 100)
    t.equal(got:max(), 899)
    t.equal(got[{ 3, { 151, 250 } }], x[{ 3, { 151, 250 } }])
    t.equal(lt.clip(x, x[1], 899)[{ 2, 777 }], 776)
    -- A value at a bound is x itself and passes the gradient; each element's gradient goes to one argument. nan gets none.
    local v, low, high = lt.constant { 1.0, 5.0, -3.0, 9.0, nan }, lt.constant(1.0), lt.constant(5.0)
    local tape <close> = lt.GradientTape()
    tape:watch { v, low, high }
    local loss = lt.clip(v, low, high) * { 1, 10, 100, 1000, 0 }
    local dv, dlow, dhigh = table.unpack(tape:gradient(loss, { v, low, high }))
    t.equal(dv, { 1, 10, 0, 0, 0 })
    t.equal(dlow, 100)
    t.equal(dhigh, 1000)
  end,
}

spec "add_n" {
  example = { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, gives = { 9, 12 }, dtype = "int32" },
  examples = {
    { { { 1, 2 } }, gives = { 1, 2 } },
    { { 1, 2, 3 }, gives = 6, shape = {} },
    { { { 1, 2 }, float64 { 0.5, 0.25 } }, gives = { 1.5, 2.25 }, dtype = "float64" },
    { { int32 { 2147483647 }, int32 { 1 } }, gives = { -2147483648 }, dtype = "int32" },
    { { int8 { 100 }, int8 { 100 }, int8 { 100 } }, gives = { 44 }, dtype = "int8" },
    { { uint8 { 200 }, uint8 { 200 } }, gives = { 144 }, dtype = "uint8" },
    { { int16 { 32767 }, int16 { 1 } }, gives = { -32768 }, dtype = "int16" },
    { { int64 { math.maxinteger }, int8 { 1 } }, gives = { math.mininteger }, dtype = "int64" },
    -- Halves are rounded once, at the end.
    { { float16 { 2048 }, float16 { 1 }, float16 { 1 } }, gives = { 2050 }, dtype = "float16" },
    { { bfloat16 { 256 }, bfloat16 { 1 }, bfloat16 { 1 } }, gives = { 258 }, dtype = "bfloat16" },
    { { float16 { 2048 }, bfloat16 { 1 } }, gives = { 2049 }, dtype = "float32" },
    { { float16 { 1.5, 2 } }, gives = { 1.5, 2 }, dtype = "float16" },
    { { { inf }, { -inf } }, gives = { nan } },
    { { zeros { 0, 2 }, zeros { 0, 2 } }, shape = { 0, 2 } },
  },
  rejects = {
    { args = { {} }, says = "add_n: tensors is empty, expected at least one tensor" },
    { args = { { { 1, 2 }, { 3, 4 }, { 5, 6, 7 } } },
      says = "add_n: tensors[1] (2,) and tensors[3] (3,) differ: all must have the same shape" },
    { args = { { { 1, 2 }, 3 } }, says = "add_n: tensors[1] (2,) and tensors[2] () differ" },
    { args = { { bool { true }, bool { false } } }, says = 'add_n: tensors[1] is bool, expected a number; cast it first: tensors[1]:cast("int32")' },
    { args = { { { 1 }, "x" } }, says = "add_n: tensors[2] is" },
    { args = { 5 }, says = "add_n: tensors is" },
  },
  gradients = { { list = { { 1, 2 }, { 3, 4 }, { 5, 6 } } } },
  check = function(t)
    -- Longer than a stretch, and more tensors than fit a small call.
    local list, x = {}, lt.range(5000)
    for i = 1, 20 do list[i] = x * i end
    t.equal(lt.add_n(list), x * 210)
    local halves = {}
    for i = 1, 9 do halves[i] = (x % 100):cast("float16") end
    t.equal(lt.add_n(halves), ((x % 100) * 9):cast("float16"))
    -- A tensor that is in the list twice counts twice.
    local v = lt.constant { 1.0, 2.0 }
    local tape <close> = lt.GradientTape()
    tape:watch(v)
    t.equal(tape:gradient(lt.add_n { v, v * 3, v }, v), { 5, 5 })
  end,
}
