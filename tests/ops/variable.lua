-- Assigning variables: what runs is an op on the variable's device. The language's side is in tests/lua/variables.lua.
local spec = require "spec"

spec "assign_add" {
  check = function(t)
    for _, dtype in ipairs(numbers) do
      for _, shape in ipairs { {}, { 3 }, { 3, 0 }, { 200, 300 } } do
        local v = lt.Variable(lt.ones(shape, { dtype = dtype }))
        v:assign_add(lt.ones(shape, { dtype = dtype })):assign_add(2)
        t.equal(v:value(), lt.fill(shape, 4, { dtype = dtype }), dtype)
      end
    end
    local wraps = lt.Variable(2147483647):assign_add(1)
    t.equal(wraps:value(), -2147483648)
    -- A number takes the variable's dtype, also one that is written 2.0 or true.
    for _, dtype in ipairs(numbers) do
      local v = lt.Variable(lt.ones({ 3 }, { dtype = dtype })):assign_add(2.0):assign_sub(true)
      v[2] = 5.0
      v[{ { 3, 3 } }] = true
      t.ok(v.dtype == dtype and v:value().dtype == dtype, dtype)
      t.equal(v:value(), lt.constant({ 2, 5, 1 }, { dtype = dtype }), dtype)
    end
    local mask = lt.Variable { true, true }
    mask[1] = 0
    t.equal(mask:value(), { false, true })
    t.raises("InvalidArgument", "assign_add: variable is bool, expected a number", mask.assign_add, mask, 1)
    t.raises("InvalidArgument", "assign_add: value has the shape (2,), and the variable 'b' (3,)",
      function() lt.Variable(lt.zeros { 3 }, { name = "b" }):assign_add { 1.0, 2.0 } end)
    t.raises("InvalidArgument", "assign_add: value has 1.5, which does not fit the variable 'n' of int32; a cast",
      function() lt.Variable({ 1, 2 }, { name = "n" }):assign_add { 1.5, 2.5 } end)
    t.raises("InvalidArgument", "assign_add: value is 1.5, which does not fit the variable 'n' of int32",
      function() lt.Variable({ 1, 2 }, { name = "n" }):assign_add(1.5) end)
  end,
}

spec "assign_sub" {
  check = function(t)
    for _, dtype in ipairs(numbers) do
      local v = lt.Variable(lt.fill({ 5, 7 }, 9, { dtype = dtype }))
      v:assign_sub(lt.ones({ 5, 7 }, { dtype = dtype })):assign_sub(v)
      t.equal(v:value(), lt.zeros({ 5, 7 }, { dtype = dtype }), dtype)
    end
  end,
}

spec "assign" {
  check = function(t)
    for _, dtype in ipairs { "bool", table.unpack(numbers) } do
      local v = lt.Variable(lt.zeros({ 40, 50 }, { dtype = dtype }))
      v:assign(lt.ones({ 40, 50 }, { dtype = dtype }))
      t.equal(v:value(), lt.ones({ 40, 50 }, { dtype = dtype }), dtype)
    end
    -- A dtype that fits in is cast, from anywhere.
    local v = lt.Variable(lt.zeros({ 30 }))
    v:assign(lt.device("/CPU:0", lt.range, 30))
    t.equal(v:value(), lt.range(30, { dtype = "float32" }))
    v:assign(2)
    t.equal(v:value(), lt.fill({ 30 }, 2.0))
  end,
}

spec "StridedSliceAssign" {
  check = function(t)
    local start = lt.range(24):reshape { 4, 6 }
    local function assigned(key, value)
      local v = lt.Variable(start)
      v[key] = value
      return v:value()
    end
    local function expected(rows, columns, value)
      local wanted, k = start:totable(), 0
      for _, r in ipairs(rows) do
        for _, c in ipairs(columns) do
          k = k + 1
          wanted[r][c] = type(value) == "table" and value[(k - 1) % #value + 1] or value
        end
      end
      return wanted
    end
    t.equal(assigned(2, 7), expected({ 2 }, { 1, 2, 3, 4, 5, 6 }, 7))
    t.equal(assigned(-1, { 1, 2, 3, 4, 5, 6 }), expected({ 4 }, { 1, 2, 3, 4, 5, 6 }, { 1, 2, 3, 4, 5, 6 }))
    t.equal(assigned({ {}, 3 }, { 9, 8, 7, 6 }), expected({ 1, 2, 3, 4 }, { 3 }, { 9, 8, 7, 6 }))
    t.equal(assigned({ { 1, 4, 2 }, { 6, 2, -2 } }, { 1, 2, 3 }), expected({ 1, 3 }, { 6, 4, 2 }, { 1, 2, 3 }))
    t.equal(assigned({ { 2, 1 } }, 5), start:totable(), "an empty part")
    -- Parts of itself are read as they were before.
    local v = lt.Variable(lt.range(100))
    v[{ { 100, 1, -1 } }] = v
    t.equal(v:value(), lt.range(99, -1, -1):totable())
    t.raises("OutOfRange", "axis 1 has 4 elements", assigned, 5, 1)
    t.raises("InvalidArgument", "value has the shape (2,), which does not fit the part's (6,)", assigned, 1, { 1, 2 })
  end,
}
