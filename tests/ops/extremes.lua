local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge

for _, op in ipairs { "cummax", "cummin" } do
  local is_most = op == "cummax"
  spec(op) {
    gpu = false,
    example = is_most and { { 1, 3, 2 }, gives = { { 1, 3, 3 }, { 1, 2, 2 } } }
      or { { 2, 1, 3 }, gives = { { 2, 1, 1 }, { 1, 2, 2 } } },
    examples = {
      -- The last of equal elements; from a nan on, that nan.
      { { 1.0, 1.0, nan, 5.0, nan }, gives = { { 1, 1, nan, nan, nan }, { 1, 2, 3, 3, 3 } } },
      { 4.5, gives = { 4.5, 1 } },
      { { { 1, 2 }, { 1, 1 } }, 1, gives = is_most and { { { 1, 2 }, { 1, 2 } }, { { 1, 1 }, { 2, 1 } } }
        or { { { 1, 2 }, { 1, 1 } }, { { 1, 1 }, { 2, 2 } } } },
      { zeros { 2, 0 }, 2, gives = { zeros { 2, 0 }, zeros({ 2, 0 }, "int64") } },
      { { -inf, inf }, gives = is_most and { { -inf, inf }, { 1, 2 } } or { { -inf, -inf }, { 1, 1 } } },
      { float16 { 2, 5, 3 }, gives = is_most and { { 2, 5, 5 }, { 1, 2, 2 } } or { { 2, 2, 2 }, { 1, 1, 1 } } },
    },
    gradients = { { { 1.5, 3, 2, 7, 0.5 } }, { { { 1.5, 3 }, { 4, 2 }, { 3, 9 } }, 1 }, { { { 1.5, 3 }, { 4, 2 } }, 2 } },
    rejects = {
      { args = { bool { true } }, says = op .. ": x is bool, expected a number" },
      { args = { { 1, 2 }, 2 }, says = op .. ": axis 2 is not there" },
      { args = { { 1, 2 }, { axis = { 1, 1 } } }, says = op .. ": " },
    },
    check = function(t)
      statistics.check(t, op, 0)
      -- Many lines, for several threads, along each axis.
      local x = (lt.range(60 * 700 * 3) * 7919 % 10007):reshape { 60, 700, 3 }
      local whole = lt[op](x, 2)
      local step = x[{ {}, 1 }]
      for i = 2, 700, 1 do
        step = lt[is_most and "maximum" or "minimum"](step, x[{ {}, i }])
        if i % 233 == 0 then t.equal(whole[{ {}, i }], step) end
      end
    end,
  }
end
