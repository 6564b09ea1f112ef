local spec = require "spec"

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
      says = "reshape: x (2, 3) has 6 elements, which is no multiple of the other sizes of shape (4, -1)" },
    { args = { { 1, 2 }, { -2, -1 } }, says = "reshape: shape (-2, -1) has the negative size -2" },
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

spec "flatten" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { 1, 2, 3, 4 } },
  examples = {
    { 5, gives = { 5 } },
    { zeros(2, 0, 3), shape = { 0 } },
    { int8 { { { 1 } }, { { 2 } } }, gives = { 1, 2 }, dtype = "int8" },
    { bool { { true }, { false } }, gives = { true, false }, dtype = "bool" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { { 1 } } },
  rejects = { { args = { "x" }, says = "flatten: x is" }, { args = { { 1 }, 2 }, says = "flatten: 2 arguments given" } },
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
    { args = { { { 1, 2 } }, { 1, 1 } }, says = "squeeze: axis 1 is given twice" },
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
    { args = { { 1, 2 }, { 1, 2 } }, says = "expand_dims: axis is a list of 2, expected one axis" },
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
    -- Rows that stay whole, from single elements to more than a cache line, two axes and three turned around them.
    for _, dtype in ipairs(all_dtypes) do
      for _, length in ipairs { 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 64, 65 } do
        local function counted(perm)
          local sizes, at = { 5, 7, 2, length }, 0
          for i, axis in ipairs(perm) do
            local shape, step = { 1, 1, 1, 1 }, ({ 3, 11, 29, 1 })[axis]
            shape[i] = sizes[axis]
            at = lt.range(sizes[axis]):reshape(shape) * step + at
          end
          return (at % 101 % (dtype == "bool" and 2 or 101)):cast(dtype)
        end
        local x = counted { 1, 2, 3, 4 }
        for _, perm in ipairs { { 2, 1, 3, 4 }, { 3, 2, 1, 4 }, { 1, 3, 2, 4 } } do
          t.equal(x:transpose(perm), counted(perm), dtype)
        end
        t.equal(x[{ {}, { 2, 6, 2 }, {} }]:transpose { 2, 1, 3, 4 }, counted { 2, 1, 3, 4 }[{ { 2, 6, 2 } }], dtype)
      end
    end
    -- Every element size, in tiles and at their edges.
    for _, dtype in ipairs(all_dtypes) do
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
    { args = { { { 1 }, { 2 } }, { axis = { 1, 2 } } }, says = "concat: axis is a list of 2, expected one axis" },
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
    -- A number among tensors takes their dtype as in an expression, and has its digits.
    local function scalar(dtype) return lt.constant(1, { dtype = dtype }) end
    t.ok(lt.stack({ scalar "float16", 0.5 }).dtype == "float16" and lt.stack({ 2, scalar "int8", scalar "int16" }).dtype == "int16")
    t.ok(lt.stack({ scalar "int8", 1.5 }).dtype == "float32" and lt.stack({ scalar "bool", 1 }).dtype == "int32")
    t.ok(lt.stack({ 0.1, lt.Variable(scalar "float64") })[1]:item() == 0.1)
    t.ok(lt.add_n({ scalar "float64", 0.1 }):item() == 1 + 0.1)
    local ok, err = pcall(lt.stack, { scalar "int8", 300 })
    t.ok(not ok and err.message:find("300 does not fit int8", 1, true), err)
    for _, dtype in ipairs { "bool", "int8", "int16", "bfloat16", "int32", "float32", "int64", "float64" } do
      local a, b = (lt.range(30000) % 2):cast(dtype), (lt.range(30000) // 2 % 2):cast(dtype)
      local both = lt.stack({ a, b, a }, -1)
      t.equal(both.shape, { 30000, 3 })
      t.equal(both[{ {}, 2 }]:int64():eq(b:int64()):all(), true, dtype)
      t.equal(both[{ {}, 3 }]:int64():eq(a:int64()):all(), true, dtype)
    end
  end,
}
