-- unstack and split: a tensor taken apart into a list.
local spec = require "spec"

local function list_check(t, list, wanted)
  t.ok(type(list) == "table" and #list == #wanted, "a list of " .. #wanted)
  for i = 1, #wanted do t.equal(list[i], wanted[i], "piece " .. i) end
end

spec "unstack" {
  example = { { { 1, 2 }, { 3, 4 } }, gives = { { 1, 2 }, { 3, 4 } } },
  examples = {
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 2, gives = { { 1, 4 }, { 2, 5 }, { 3, 6 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, -1, gives = { { 1, 4 }, { 2, 5 }, { 3, 6 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { axis = 1 }, gives = { { 1, 2, 3 }, { 4, 5, 6 } } },
    { { 1, 2 }, gives = { 1, 2 } },
    { zeros(0, 2), gives = {} },
    { bool { { true }, { false } }, gives = { { true }, { false } } },
  },
  rejects = {
    { args = { 5 }, says = "unstack: x is a scalar, which has no axis to take apart" },
    { args = { { 1, 2 }, 2 }, says = "unstack: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, { 1, 2 } }, says = "unstack: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, 0 }, says = "axis 0" },
    { args = { made(function() return lt.zeros { 1 << 40, 0 } end) }, says = "unstack: the list would have 1099511627776 tensors" },
    { args = { { 1, 2 }, { part = 1 } }, says = "unstack: unknown option 'part'; it takes axis" },
  },
  gradients = { { { { 1, 2 }, { 3, 4 } } }, { { { 1, 2, 3 }, { 4, 5, 6 } }, 2 }, { { 1, 2, 3 } } },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      local x = counted({ 2, 3, 40 }, dtype)
      for axis = 1, 3 do
        local list = x:unstack(axis)
        t.equal(lt.stack(list, axis), x, dtype .. " axis " .. axis)
        t.ok(list[1].dtype == dtype)
      end
    end
    local x = lt.range(4000):reshape { 4, 1000 }
    list_check(t, x:unstack(), { x[1], x[2], x[3], x[4] })
    -- Along the first axis nothing is copied.
    local used = lt.config.get_memory_info(t.device).current
    local rows = x:unstack()
    t.ok(lt.config.get_memory_info(t.device).current - used < 1000, "rows share memory")
    t.equal(#rows, 4)
    -- A tape records uses of some pieces, one of them twice, and of the whole.
    local v = lt.range(12.0):reshape { 3, 4 }
    local tape <close> = lt.GradientTape { persistent = true }
    tape:watch(v)
    local parts = v:unstack()
    local y = parts[1] * 2 + parts[3] * parts[1]
    local z = y:sum() + (v * v):sum()
    t.equal(tape:gradient(y, v), { { 10, 11, 12, 13 }, { 0, 0, 0, 0 }, { 0, 1, 2, 3 } })
    t.equal(tape:gradient(z, v), { { 10, 13, 16, 19 }, { 8, 10, 12, 14 }, { 16, 19, 22, 25 } })
    t.equal(tape:gradient(v[2] * v[{ {}, 1 }][2], v), { { 0, 0, 0, 0 }, { 4 + 22, 4, 4, 4 }, { 0, 0, 0, 0 } })
    -- Second derivatives: what was added up in place is not needed again.
    local outer <close> = lt.GradientTape { persistent = true }
    outer:watch(v)
    local inner <close> = lt.GradientTape()
    inner:watch(v)
    local first, second, third = table.unpack(v:unstack())
    local slope = inner:gradient(first ^ 3 + second * third, v)
    t.equal(slope, { { 0, 3, 12, 27 }, { 8, 9, 10, 11 }, { 4, 5, 6, 7 } })
    t.equal(outer:gradient(slope * slope, v),
            { { 0, 36, 288, 972 }, { 8, 10, 12, 14 }, { 16, 18, 20, 22 } })
    t.equal(slope, { { 0, 3, 12, 27 }, { 8, 9, 10, 11 }, { 4, 5, 6, 7 } })
    -- A gradient that somebody holds is not written over.
    local w = lt.ones { 100 }
    local again <close> = lt.GradientTape { persistent = true }
    again:watch(w)
    local copy = lt.identity(w)
    again:watch(copy)
    local sum = copy[{ { 1, 50 } }]:sum() + w[{ { 1, 25 } }]:sum()
    local of_copy, of_w = table.unpack(again:gradient(sum, { copy, w }))
    t.equal(of_copy, lt.concat { lt.ones { 50 }, lt.zeros { 50 } })
    t.equal(of_w, lt.concat { lt.fill({ 25 }, 2.0), lt.ones { 25 }, lt.zeros { 50 } })
  end,
}

spec "split" {
  example = { { 1, 2, 3 }, { 1, -1 }, gives = { { 1 }, { 2, 3 } } },
  examples = {
    { { 1, 2, 3, 4 }, 2, gives = { { 1, 2 }, { 3, 4 } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 3, 2, gives = { { { 1 }, { 4 } }, { { 2 }, { 5 } }, { { 3 }, { 6 } } } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 1 }, { axis = -1 }, gives = { { { 1, 2 }, { 4, 5 } }, { { 3 }, { 6 } } } },
    { { 1, 2, 3 }, { 3 }, gives = { { 1, 2, 3 } } },
    { { 1, 2, 3 }, 1, gives = { { 1, 2, 3 } } },
    { { 1, 2, 3 }, { 0, 3, 0 }, gives = { {}, { 1, 2, 3 }, {} } },
    { { 1, 2, 3 }, { -1, 3 }, gives = { {}, { 1, 2, 3 } } },
    { zeros(0), 2, gives = { {}, {} } },
    { { true, false }, 2, gives = { { true }, { false } } },
  },
  rejects = {
    { args = { 5, 1 }, says = "split: x is a scalar, which has no axis to split along" },
    { args = { { 1, 2, 3 }, 2 }, says = "split: axis 1 of x (3,) has 3 elements, which cannot be divided into 2 equal pieces" },
    { args = { { 1, 2, 3 }, 0 }, says = "split: sizes is 0, expected the number of pieces or a list of sizes" },
    { args = { { 1, 2, 3 }, -3 }, says = "split: sizes is -3" },
    { args = { { 1, 2, 3 }, { 1, 1 } }, says = "split: sizes add up to 2, and axis 1 of x (3,) has 3 elements" },
    { args = { { 1, 2, 3 }, { 5, -1 } }, says = "split: sizes add up to 5, and axis 1 of x (3,) has 3 elements" },
    { args = { { 1, 2, 3 }, { -1, -1 } }, says = "split: sizes has more than one -1" },
    { args = { { 1, 2, 3 }, { 4, -2 } }, says = "split: sizes[2] is -2, expected 0 or more, or one -1" },
    { args = { { 1, 2, 3 }, {} }, says = "split: sizes is empty" },
    { args = { { 1, 2, 3 }, { math.maxinteger, 4 } }, says = "split: sizes add up to more elements" },
    { args = { { 1, 2, 3 }, "3" }, says = "split: sizes is \"3\", expected an integer or a list of integers" },
    { args = { { 1, 2, 3 }, { "3" } }, says = "split: sizes[1] is \"3\", expected an integer" },
    { args = { { 1, 2, 3 }, 3, 2 }, says = "split: axis 2 is not there: x (3,) has 1 axis" },
    { args = { { 1, 2, 3 } }, says = "split: 1 argument given, expected split(x, sizes, [axis])" },
    { args = { zeros(0), 1 << 50 }, says = "split: the list would have 1125899906842624 tensors" },
  },
  gradients = {
    { { 1, 2, 3, 4 }, 2 }, { { { 1, 2, 3 }, { 4, 5, 6 } }, { 2, 1 }, 2, fixed = { [2] = true } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, { 0, -1 }, -1, fixed = { [2] = true } },
  },
  check = function(t)
    for _, dtype in ipairs(all_dtypes) do
      local x = counted({ 4, 5, 6 }, dtype)
      for axis, sizes in ipairs { { 1, 3 }, { 2, 0, -1 }, { 4, 2 } } do
        t.equal(lt.concat(x:split(sizes, axis), axis), x, dtype .. " axis " .. axis)
      end
    end
    local x = lt.range(90000):reshape { 300, 300 }
    local list = x:split({ 100, -1 }, 2)
    t.equal(list[2].shape, { 300, 200 })
    t.equal(list[2][{ 300, 200 }], 89999)
    t.equal(lt.concat(list, 2):eq(x):all(), true)
    -- One line of the placement log for all pieces; a variable is read once.
    local seen = {}
    local v = lt.Variable(lt.ones { 4 })
    lt.debugging.set_log_handler(function(event) seen[#seen + 1] = event.op end)
    local _ = v:split(4)
    lt.debugging.set_log_handler(nil)
    t.equal(table.concat(seen, " "), "ReadVariableOp Split")
    -- A handler that releases the tensor meanwhile gets an error that says so.
    local y = lt.ones { 1000 }
    lt.debugging.set_log_handler(function() y:release() end)
    t.raises("FailedPrecondition", "released the tensor", function() return y:split(2) end)
    lt.debugging.set_log_handler(nil)
  end,
}
