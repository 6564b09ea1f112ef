local spec = require "spec"
local statistics = require "statistics"

local nan = 0 / 0
local function int64s(list) return lt.constant(list, { dtype = "int64" }) end

spec "mode" {
  example = { { 3, 1, 3, 2 }, gives = { 3, 1 } },
  examples = {
    { { 2.5, 1.5 }, gives = { 1.5, 2 } },
    { { nan, 1.0, nan }, gives = { nan, 1 } },
    { { { 1, 2 }, { 1, 3 } }, 1, gives = { { 1, 2 }, { 1, 1 } } },
    { zeros { 0, 2 }, 2, gives = { zeros { 0 }, zeros({ 0 }, "int64") } },
  },
  gradients = { { { { 1.5, 3, 2 }, { 4, 0.5, 6 } } } },
  rejects = {
    { args = { 3 }, says = "mode: x is a scalar" },
    { args = { zeros { 2, 0 } }, says = "mode: x (2, 0) has no elements along axis 2" },
    { args = { { 1, 2 }, 2 }, says = "mode: axis 2 is not there" },
    { args = { bool { true } }, says = "mode: x is bool, expected a number" },
  },
  check = function(t)
    statistics.check(t, "mode", 0)
    local values, places = lt.mode(lt.constant({ { 1, 1, 2 }, { 5, 4, 4 } }, { dtype = "int8" }), { keepdims = true })
    t.equal(values, lt.constant({ { 1 }, { 4 } }, { dtype = "int8" }))
    t.equal(places, int64s { { 1 }, { 2 } })
  end,
}

spec "kthvalue" {
  example = { { 30, 10, 20 }, 2, gives = { 20, 3 } },
  examples = {
    { { 1.0, nan, 0.5 }, 3, gives = { nan, 2 } },
    { { { 4, 2 }, { 3, 5 } }, 1, 1, gives = { { 3, 2 }, { 2, 1 } } },
    { { 2, 1, 1 }, 2, gives = { 1, 3 } },
  },
  gradients = { { { { 1.5, 3, 2 }, { 4, 0.5, 6 } }, 2 }, { { 1.5, 3, 2 }, 3 } },
  rejects = {
    { args = { { 1, 2 }, 3 }, says = "kthvalue: k is 3, expected 1 to 2, the elements along the axis" },
    { args = { { 1, 2 }, 0 }, says = "kthvalue: k is 0, expected 1 to 2" },
    { args = { 3, 1 }, says = "kthvalue: x is a scalar" },
    { args = { { 1, 2 } }, says = "kthvalue: 1 argument given" },
    { args = { bool { true }, 1 }, says = "kthvalue: x is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "kthvalue", 0) end,
}
