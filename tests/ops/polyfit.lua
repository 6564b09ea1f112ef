local spec = require "spec"
local statistics = require "statistics"

spec "polyfit" {
  gpu = false,
  example = { { 0, 1, 2, 3 }, { 1, 3, 5, 7 }, 1, gives = { 2.0, 1.0 }, dtype = "float32" },
  examples = {
    { { 1.0, 2.0, 4.0 }, { 1.0, 4.0, 16.0 }, 2, gives = { 1, 0, 0 } },
    { { 1, 2, 3 }, { { 2, 5 }, { 2, 5 }, { 2, 5 } }, 0, gives = { { 2, 5 } } },
    { float16 { 0, 1, 2 }, float16 { 1, 3, 5 }, 1, gives = { 2, 1 }, dtype = "float16" },
  },
  gradients = { { { 0, 1, 2.5, 3 }, { 1, -3, 5, 7 }, 2 } },
  rejects = {
    { args = { { 1, 2 }, { 1, 2, 3 }, 1 }, says = "polyfit: x (2,) and y (3,) do not match" },
    { args = { { 1, 2 }, { 1, 2 }, 2 }, says = "polyfit: x has 2 points, and a polynomial of degree 2 is determined by 3 or more" },
    { args = { { 1, 2 }, { 1, 2 }, -1 }, says = "polyfit: deg is -1, expected 0 to 1000" },
    { args = { { 1, 2 }, { 1, 2 } }, says = "polyfit: 2 arguments given" },
    { args = { bool { true }, bool { true }, 0 }, says = "polyfit: x is bool, expected a number" },
  },
  check = function(t)
    statistics.check(t, "polyfit", 1e-11)
    local x = lt.linspace(-1, 1, 50)
    t.close(lt.polyval(lt.polyfit(x, x ^ 3 - 2 * x, 3), x), x ^ 3 - 2 * x, 1e-5)
  end,
}
