local spec = require "spec"

local nan, inf = 0 / 0, math.huge

local function zeros(...)
  local shape = { ... }
  return made(function() return lt.zeros(shape) end)
end

spec "softmax" {
  example = { { 1.0, 2.0, 3.0 }, gives = { 0.0900, 0.2447, 0.6652 }, dtype = "float32" },
  examples = {
    { { 1, 1 }, gives = { 0.5, 0.5 }, dtype = "float32" },
    { { { 0, 1 }, { 0, 0 } }, gives = { { 0.2689, 0.7311 }, { 0.5, 0.5 } } },
    { { { 0, 1 }, { 0, 0 } }, 1, gives = { { 0.5, 0.7311 }, { 0.5, 0.2689 } } },
    { { { 0, 1 }, { 0, 0 } }, { axis = -2 }, gives = { { 0.5, 0.7311 }, { 0.5, 0.2689 } } },
    { { { 0, 1 }, { 0, 0 } }, { axis = { 2 } }, gives = { { 0.2689, 0.7311 }, { 0.5, 0.5 } } },
    { float64 { 0, 0 }, gives = { 0.5, 0.5 }, dtype = "float64" },
    { { 1000.0, 1000.0, -1000.0 }, gives = { 0.5, 0.5, 0 } },
    { { -1e38, -1e38 }, gives = { 0.5, 0.5 } },
    { { 0.0, -inf }, gives = { 1, 0 } },
    { { 1.0, nan }, gives = { nan, nan } },
    { { -inf, -inf }, gives = { nan, nan } },
    { { 7 }, gives = { 1.0 } },
    { zeros(0), shape = { 0 } },
    { zeros(3, 0), shape = { 3, 0 } },
    { zeros(0, 3), 1, shape = { 0, 3 } },
  },
  rejects = {
    { args = { 5 }, says = "softmax: x is a scalar, which has no axis to go along" },
    { args = { bool { true } }, says = "softmax: x is bool, expected a number" },
    { args = { { 1, 2 }, 2 }, says = "softmax: axis 2 is not there: x (2,) has 1 axis" },
    { args = { { 1, 2 }, 0 }, says = "softmax: axis 0" },
    { args = { { { 1, 2 } }, { 1, 2 } }, says = "softmax: axis is a list of 2, expected one axis" },
    { args = { { 1, 2 }, { axes = 1 } }, says = "unknown option 'axes' (did you mean 'axis'?)" },
  },
  check = function(t)
    -- Long rows, long columns, and an axis in the middle: shares add up to 1 and keep their proportions.
    for _, shape in ipairs { { 3000 }, { 2, 3000 }, { 3000, 2 }, { 4, 300, 70 } } do
      local size = 1
      for _, n in ipairs(shape) do size = size * n end
      local x = ((lt.range(size) * 7919) % 1009):reshape(shape) / 100
      for axis = 1, #shape do
        local y = lt.softmax(x, axis)
        t.close(y:sum(axis):max(), 1, 1e-5)
        t.close(y:sum(axis):min(), 1, 1e-5)
        local powers = lt.exp(x:cast("float64"))
        t.ok(((y / (powers / powers:sum(axis, { keepdims = true }))) - 1):abs():max():item() < 3e-6)
      end
    end
  end,
}
