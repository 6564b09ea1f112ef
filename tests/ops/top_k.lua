local spec = require "spec"
local orders = require "orders"

local nan, inf = 0 / 0, math.huge
local some_values, order_of, pick, same = orders.some_values, orders.order_of, orders.pick, orders.same

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
    { args = { { 1, 2 }, 1, { axis = { 1, 2 } } }, says = "top_k: axis is a list of 2, expected one axis" },
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
    -- As argsort by every method: few and many of a line, one long line and several, along any axis.
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
