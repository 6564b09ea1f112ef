local spec = require "spec"

local function zeros(...)
  local shape = { ... }
  return made(function() return lt.zeros(shape) end)
end

spec "reshape" {
  example = { { 1, 2, 3, 4 }, { 2, -1 }, gives = { { 1, 2 }, { 3, 4 } } },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 2 }, gives = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, dtype = "int32" },
    { { { 1, 2 }, { 3, 4 } }, 4, gives = { 1, 2, 3, 4 } },
    { { { 1, 2 }, { 3, 4 } }, -1, gives = { 1, 2, 3, 4 } },
    { { { 7 } }, {}, gives = 7, shape = {} },
    { { 7 }, { 1, 1, 1, 1, 1, 1, 1, 1 }, shape = { 1, 1, 1, 1, 1, 1, 1, 1 } },
    { bool { true, false }, { 2, 1 }, gives = { { true }, { false } }, dtype = "bool" },
    { int8 { 1, 2 }, { 1, 2 }, gives = { { 1, 2 } }, dtype = "int8" },
    { float16 { 1, 2 }, { 2, 1 }, gives = { { 1 }, { 2 } }, dtype = "float16" },
    { zeros(0, 3), { 2, 0 }, shape = { 2, 0 } },
    { zeros(0, 3), { 3, -1 }, shape = { 3, 0 } },
  },
  rejects = {
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { 4 } }, says = "reshape: x (2, 3) has 6 elements, shape (4,) has 4" },
    { args = { { { 1, 2, 3 }, { 4, 5, 6 } }, { 4, -1 } },
      says = "reshape: x (2, 3) has 6 elements, which shape (4, -1) cannot share out evenly" },
    { args = { { 1, 2 }, { -1, -1 } }, says = "reshape: shape (-1, -1) has more than one -1" },
    { args = { { 1, 2 }, { -2, -1 } }, says = "negative size -2" },
    { args = { zeros(0, 3), { 0, -1 } }, says = "reshape: shape (0, -1) has -1 beside 0" },
    { args = { { 1, 2 }, { 1 << 40, 1 << 40 } }, says = "more elements than memory can address" },
    { args = { { 1, 2 }, { 1, 1, 1, 1, 1, 1, 1, 1, 2 } }, says = "reshape" },
    { args = { { 1, 2 }, "2" }, says = "reshape: shape is" },
  },
  gradients = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 3, 2 }, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, -1 },
  },
  check = function(t)
    -- Large enough not to be carried in the tensor itself: the copy shares its memory.
    local x = lt.range(1000)
    local y = x:reshape { 10, 100 }
    t.equal(y[{ 10, 100 }], 999)
    t.equal(y:reshape { -1 }, x:totable())
  end,
}

spec "squeeze" {
  example = { { { 1, 2 } }, gives = { 1, 2 } },
  examples = {
    { { { { 1 }, { 2 } } }, gives = { 1, 2 } },
    { { { { 1 }, { 2 } } }, 1, gives = { { 1 }, { 2 } } },
    { { { { 1 }, { 2 } } }, -1, gives = { { 1, 2 } } },
    { { { { 1 }, { 2 } } }, { 1, 3 }, gives = { 1, 2 } },
    { { { { 1 }, { 2 } } }, { axis = { -1, 1 } }, gives = { 1, 2 } },
    { { { 1 } }, { axis = {} }, gives = { { 1 } } },
    { { { 1 } }, gives = 1, shape = {} },
    { 5, gives = 5, shape = {} },
    { zeros(1, 0, 1), shape = { 0 } },
  },
  rejects = {
    { args = { { { 1, 2 } }, 2 }, says = "squeeze: axis 2 of x (1, 2) has 2 elements, expected 1" },
    { args = { { { 1, 2 } }, 3 }, says = "squeeze: axis 3 is not there: x (1, 2) has 2 axes" },
    { args = { { { 1, 2 } }, -3 }, says = "squeeze: axis -3 is not there" },
    { args = { { { 1, 2 } }, 0 }, says = "axis 0" },
    { args = { { { 1, 2 } }, { 1, 1 } }, says = "squeeze: axis 1 stands twice in the list" },
  },
  gradients = { { { { 1, 2 } } }, { { { { 1 }, { 2 } } }, 3 } },
}

spec "expand_dims" {
  example = { { 1, 2 }, -1, gives = { { 1 }, { 2 } } },
  examples = {
    { { 1, 2 }, 1, gives = { { 1, 2 } } },
    { { 1, 2 }, 2, gives = { { 1 }, { 2 } } },
    { { 1, 2 }, { axis = -2 }, gives = { { 1, 2 } } },
    { 5, 1, gives = { 5 } },
    { zeros(2, 0), 2, shape = { 2, 1, 0 } },
  },
  rejects = {
    { args = { { 1, 2 }, 3 }, says = "expand_dims: axis 3 is not there: the result has 2 axes" },
    { args = { { 1, 2 }, -3 }, says = "expand_dims: axis -3 is not there: the result has 2 axes" },
    { args = { { 1, 2 }, 0 }, says = "axis 0" },
    { args = { { 1, 2 }, { 1, 2 } }, says = "expand_dims: axis is a list, expected one axis" },
    { args = { { 1, 2 } }, says = "expand_dims: axis is not given" },
    { args = { zeros(1, 1, 1, 1, 1, 1, 1, 1), 1 }, says = "has 8 axes already" },
  },
  gradients = { { { 1, 2 }, -1 }, { { { 1, 2 }, { 3, 4 } }, 2 } },
}

spec "broadcast_to" {
  example = { { 1, 2 }, { 2, 2 }, gives = { { 1, 2 }, { 1, 2 } } },
  examples = {
    { { { 1 }, { 2 } }, { 2, 3 }, gives = { { 1, 1, 1 }, { 2, 2, 2 } } },
    { { { 1 }, { 2 } }, { 2, 2, 2 }, gives = { { { 1, 1 }, { 2, 2 } }, { { 1, 1 }, { 2, 2 } } } },
    { 5, 3, gives = { 5, 5, 5 } },
    { 5, {}, gives = 5, shape = {} },
    { { 1 }, { 0 }, shape = { 0 } },
    { zeros(1, 0), { 3, 0 }, shape = { 3, 0 } },
    { { 7 }, { 1, 2, 1, 1, 1, 1, 1, 2 }, shape = { 1, 2, 1, 1, 1, 1, 1, 2 } },
    { bool { true }, { 2 }, gives = { true, true }, dtype = "bool" },
    { int16 { { 1 }, { 2 } }, { 2, 2 }, gives = { { 1, 1 }, { 2, 2 } }, dtype = "int16" },
  },
  rejects = {
    { args = { { 1, 2 }, { 3 } }, says = "broadcast_to: x (2,) does not fit shape (3,)" },
    { args = { { 1, 2 }, { 1 } }, says = "broadcast_to: x (2,) does not fit shape (1,)" },
    { args = { { { 1, 2 } }, { 2 } }, says = "broadcast_to: x (1, 2) does not fit shape (2,)" },
    { args = { { 1 }, { -1 } }, says = "broadcast_to" },
    { args = { { 1 } }, says = "broadcast_to: 1 argument given" },
  },
  gradients = {
    { { 1, 2, 3 }, { 2, 3 }, fixed = { [2] = true } }, { { { 1 }, { 2 } }, { 3, 2, 4 }, fixed = { [2] = true } },
    { { 1 }, { 3, 2 }, fixed = { [2] = true } }, { { { 1, 2 } }, { 1, 2 }, fixed = { [2] = true } },
  },
  check = function(t)
    t.equal(lt.constant(3):broadcast_to({ 300, 400 }):sum(), 360000)
    t.equal(lt.range(300):reshape({ 300, 1 }):broadcast_to({ 2, 300, 400 }):sum(), 2 * 400 * 299 * 150)
  end,
}

spec "transpose" {
  example = { { { 1, 2, 3 }, { 4, 5, 6 } }, gives = { { 1, 4 }, { 2, 5 }, { 3, 6 } } },
  examples = {
    { { { { 1, 2 }, { 3, 4 } } }, gives = { { { 1 }, { 3 } }, { { 2 }, { 4 } } } },
    { { { { 1, 2 }, { 3, 4 } } }, { 1, 3, 2 }, gives = { { { 1, 3 }, { 2, 4 } } } },
    { { { { 1, 2 }, { 3, 4 } } }, { 2, 1, 3 }, gives = { { { 1, 2 } }, { { 3, 4 } } } },
    { { { { 1, 2 }, { 3, 4 } } }, { perm = { -1, 1, -2 } }, gives = { { { 1, 3 } }, { { 2, 4 } } } },
    { { 1, 2 }, gives = { 1, 2 } },
    { { 1, 2 }, 1, gives = { 1, 2 } },
    { 5, gives = 5, shape = {} },
    { zeros(2, 0, 3), shape = { 3, 0, 2 } },
    { bool { { true, false } }, gives = { { true }, { false } } },
    { uint8 { { 1, 2 }, { 3, 4 } }, gives = { { 1, 3 }, { 2, 4 } }, dtype = "uint8" },
    { int16 { { 1, 2 }, { 3, 4 } }, gives = { { 1, 3 }, { 2, 4 } }, dtype = "int16" },
    { bfloat16 { { 1, 2 }, { 3, 4 } }, gives = { { 1, 3 }, { 2, 4 } }, dtype = "bfloat16" },
    { float64 { { 1, 2 }, { 3, 4 } }, gives = { { 1, 3 }, { 2, 4 } }, dtype = "float64" },
  },
  rejects = {
    { args = { { { 1, 2 } }, { 1 } }, says = "transpose: perm lists 1 axis, and x (1, 2) has 2" },
    { args = { { { 1, 2 } }, { 1, 1 } }, says = "transpose: perm lists axis 1 twice" },
    { args = { { { 1, 2 } }, { 1, 3 } }, says = "transpose: perm's axis 3 is not there: x (1, 2) has 2 axes" },
    { args = { { { 1, 2 } }, { 2, 0 } }, says = "perm 0" },
  },
  gradients = {
    { { { 1, 2, 3 }, { 4, 5, 6 } } }, { { { { 1, 2, 3 }, { 4, 5, 6 } } }, { 2, 3, 1 }, fixed = { [2] = true } },
    { { { { 1, 2, 3 }, { 4, 5, 6 } } }, { 2, 3, -3 }, fixed = { [2] = true } },
  },
  check = function(t)
    local x = lt.range(7 * 33 * 20):reshape { 7, 33, 20 }
    for _, perm in ipairs { { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } } do
      local y = x:transpose(perm)
      local from, to = { 5, 30, 19 }, {}
      for i = 1, 3 do to[i] = from[perm[i]] end
      t.equal(y[to], x[from])
      local back = {}
      for i = 1, 3 do back[perm[i]] = i end
      t.equal(y:transpose(back), x)
    end
    -- Every element size, in tiles and at their edges.
    for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" } do
      for _, size in ipairs { { 8, 8 }, { 16, 64 }, { 19, 70 }, { 7, 9 }, { 200, 150 } } do
        local rows, columns = size[1], size[2]
        local i, j = lt.range(rows):reshape { rows, 1 }, lt.range(columns)
        local plain = ((i * 7 + j * 3) % 101 % (dtype == "bool" and 2 or 101)):cast(dtype)
        local turned = ((i:reshape { 1, rows } * 7 + j:reshape { columns, 1 } * 3) % 101 % (dtype == "bool" and 2 or 101)):cast(dtype)
        t.equal(plain:transpose(), turned, dtype)
      end
    end
  end,
}

spec "concat" {
  example = { { { 1, 2 }, { 3 } }, gives = { 1, 2, 3 } },
  examples = {
    { { { { 1, 2 } }, { { 3, 4 }, { 5, 6 } } }, gives = { { 1, 2 }, { 3, 4 }, { 5, 6 } } },
    { { { { 1 }, { 2 } }, { { 3, 4 }, { 5, 6 } } }, 2, gives = { { 1, 3, 4 }, { 2, 5, 6 } } },
    { { { { 1 }, { 2 } }, { { 3, 4 }, { 5, 6 } } }, { axis = -1 }, gives = { { 1, 3, 4 }, { 2, 5, 6 } } },
    { { { 1, 2 } }, gives = { 1, 2 } },
    { { int32 { 1 }, float64 { 2.5 }, bool { true } }, gives = { 1, 2.5, 1 }, dtype = "float64" },
    { { int8 { 1 }, int8 { 2 } }, gives = { 1, 2 }, dtype = "int8" },
    { { bool { true }, bool { false } }, gives = { true, false }, dtype = "bool" },
    { { zeros(0, 2), { { 1.0, 2.0 } }, zeros(0, 2) }, gives = { { 1, 2 } } },
    { { zeros(0, 2), zeros(0, 2) }, 2, shape = { 0, 4 } },
  },
  rejects = {
    { args = { { { { 1, 2 } }, { { 1, 2 } }, { { 1, 2, 3 } } } },
      says = "concat: tensors[3] (1, 3) does not match tensors[1] (1, 2): sizes must be equal except along axis 1" },
    { args = { { { 1, 2 }, { { 1, 2 } } } }, says = "concat: tensors[2] (1, 2) does not match tensors[1] (2,)" },
    { args = { { 1, 2 } }, says = "concat: tensors[1] is a scalar, which has no axis to join along" },
    { args = { { { 1 }, { 2 } }, 2 }, says = "concat: axis 2 is not there: each of the tensors has 1 axis" },
    { args = { { { 1 }, { 2 } }, { axis = { 1 } } }, says = "concat: axis is a list" },
    { args = { {} }, says = "concat: tensors is empty" },
    { args = { 5 }, says = "concat: tensors is" },
  },
  gradients = {
    { list = { { 1, 2 }, { 3, 4, 5 } } }, { list = { { { 1 }, { 2 } }, { { 3, 4 }, { 5, 6 } } }, -1 },
    { list = { { { 1 }, { 2 } }, { { 3 }, { 5 } } }, 1 },
  },
  check = function(t)
    local list = {}
    for i = 1, 20 do list[i] = lt.fill({ 3, i }, i) end
    local all = lt.concat(list, 2)
    t.equal(all.shape, { 3, 210 })
    t.equal(all[{ 2, { 1, 6 } }], { 1, 2, 2, 3, 3, 3 })
    t.equal(all[{ 3, { -20, -1 } }], lt.fill({ 20 }, 20))
    -- Short rows, in every element size.
    for _, dtype in ipairs { "bool", "int8", "int16", "float16", "int32", "float32", "int64", "float64" } do
      local a = (lt.range(20000) % 2):cast(dtype)
      local b = ((lt.range(40000):reshape { 20000, 2 } // 2) % 3):cast(dtype)
      local both = lt.concat({ a:reshape { 20000, 1 }, b }, 2)
      t.equal(both.shape, { 20000, 3 })
      t.equal(both[{ {}, 1 }]:int64():eq(a:int64()):all(), true, dtype)
      t.equal(both[{ {}, { 2, 3 } }]:int64():eq(b:int64()):all(), true, dtype)
    end
    -- A tensor of no elements among others has a gradient of its own shape.
    local x, none = lt.ones { 2, 2 }, lt.zeros { 2, 0 }
    local tape <close> = lt.GradientTape()
    tape:watch { x, none }
    local slopes = tape:gradient(lt.concat({ none, x, none }, 2) * 3, { x, none })
    t.equal(slopes[1], { { 3, 3 }, { 3, 3 } })
    t.equal(slopes[2].shape, { 2, 0 })
  end,
}

spec "stack" {
  example = { { { 1, 2 }, { 3, 4 } }, -1, gives = { { 1, 3 }, { 2, 4 } } },
  examples = {
    { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, gives = { { 1, 2 }, { 3, 4 }, { 5, 6 } } },
    { { { { 1, 2 } }, { { 3, 4 } } }, 2, gives = { { { 1, 2 }, { 3, 4 } } } },
    { { 1, 2, 3 }, gives = { 1, 2, 3 }, dtype = "int32" },
    { { int32 { 1 }, float32 { 2.5 } }, gives = { { 1 }, { 2.5 } }, dtype = "float32" },
    { { zeros(0), zeros(0) }, 2, shape = { 0, 2 } },
  },
  rejects = {
    { args = { { { 1, 2 }, { 1 } } }, says = "stack: tensors[2] (1,) does not match tensors[1] (2,): all shapes must be equal" },
    { args = { { { 1 }, { 2 } }, 3 }, says = "stack: axis 3 is not there: the result has 2 axes" },
    { args = { { zeros(1, 1, 1, 1, 1, 1, 1, 1) }, 1 }, says = "has 8 axes already" },
  },
  gradients = { { list = { { 1, 2 }, { 3, 4 } } }, { list = { { 1, 2 }, { 3, 4 } }, -1 } },
  check = function(t)
    for _, dtype in ipairs { "bool", "int8", "int16", "bfloat16", "int32", "float32", "int64", "float64" } do
      local a, b = (lt.range(30000) % 2):cast(dtype), (lt.range(30000) // 2 % 2):cast(dtype)
      local both = lt.stack({ a, b, a }, -1)
      t.equal(both.shape, { 30000, 3 })
      t.equal(both[{ {}, 2 }]:int64():eq(b:int64()):all(), true, dtype)
      t.equal(both[{ {}, 3 }]:int64():eq(a:int64()):all(), true, dtype)
    end
  end,
}

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
    for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" } do
      local x = lt.range(40):reshape({ 4, 10 }):cast(dtype)
      t.equal(x[3].dtype, dtype)
      t.equal(x[{ {}, 2 }]:cast("int32"), dtype == "bool" and { 1, 1, 1, 1 } or { 1, 11, 21, 31 })
    end
    local big = lt.range(24000):reshape { 20, 30, 40 }
    t.equal(big[{ 7, 8, 9 }], 6 * 1200 + 7 * 40 + 8)
    t.equal(big[7][8][9], big[{ 7, 8, 9 }])
    t.equal(big[{ { 20, 1, -3 }, {}, 5 }][{ 2, 30 }], big[{ 17, 30, 5 }])

    -- Gradients of parts: shared and copied ones, backwards, twice the same element, none.
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
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
