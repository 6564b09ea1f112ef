local spec = require "spec"
local statistics = require "statistics"

local nan, inf = 0 / 0, math.huge
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

spec "interp" {
  example = { { 0.5, 9.0 }, { 0, 1, 2 }, { 10, 20, 40 }, gives = { 15.0, 40.0 } },
  examples = {
    { { -1, 0, 2 }, { 0, 1, 2 }, { 10, 20, 40 }, gives = { 10, 10, 40 }, dtype = "float32" },
    { 5.0, { 1.0 }, { 7.0 }, gives = 7 },
    { zeros { 0, 2 }, { 1.0 }, { 7.0 }, shape = { 0, 2 } },
    { { nan }, { 0.0, 1.0 }, { 1.0, 2.0 }, gives = { nan } },
  },
  gradients = { { { 0.5, 1.25 }, { 0, 1, 2.5 }, { 10, 20, 40 } } },
  rejects = {
    { args = { { 1.0 }, { 1.0, 2.0 }, { 1.0 } }, says = "interp: xp (2,) and fp (1,) do not match" },
    { args = { { 1.0 }, zeros { 0 }, zeros { 0 } }, says = "interp: xp (0,) and fp (0,) do not match" },
    { args = { { 1.0 }, { 1.0 } }, says = "interp: 2 arguments given" },
  },
  check = function(t) statistics.check(t, "interp") end,
}

spec "polyval" {
  example = { { 1, 0, -2 }, { 3, 4 }, gives = { 7, 14 }, dtype = "int32" },
  examples = {
    { zeros { 0 }, { 3.0 }, gives = { 0 } },
    { { 2.5 }, matrix, gives = { { 2.5, 2.5, 2.5 }, { 2.5, 2.5, 2.5 } } },
    { { 1, 1 }, 5, gives = 6, shape = {} },
  },
  gradients = { { { 1.5, -2, 3 }, { 0.5, 2 } } },
  rejects = {
    { args = { matrix, { 1 } }, says = "polyval: p (2, 3) has 2 axes, expected a vector of coefficients" },
    { args = { { 1 } }, says = "polyval: 1 argument given" },
  },
  check = function(t) statistics.check(t, "polyval") end,
}

spec "trapezoid" {
  example = { { 1, 2, 3 }, gives = 4.0 },
  examples = {
    { matrix, 1, gives = { 2.5, 3.5, 4.5 } },
    { matrix, { dx = 0.5 }, gives = { 2, 5 } },
    { { 5.0 }, gives = 0 },
    { zeros { 2, 0 }, gives = { 0, 0 } },
  },
  gradients = { { { 1.5, 2, -3 } }, { { { 1.5, 2 }, { 3, 4 } }, 1, { dx = 2 } } },
  rejects = {
    { args = { 5 }, says = "trapezoid: y is a scalar, which has no axis" },
    { args = { matrix, 3 }, says = "trapezoid: axis 3 is not there" },
    { args = { bool { true } }, says = "trapezoid: y is bool, expected a number" },
  },
  check = function(t) statistics.check(t, "trapezoid") end,
}

spec "cross" {
  example = { { 1, 0, 0 }, { 0, 1, 0 }, gives = { 0, 0, 1 }, dtype = "int32" },
  examples = { { { { 1, 2, 3 }, { 4, 5, 6 } }, { 7, 8, 9 }, gives = { { -6, 12, -6 }, { -3, 6, -3 } } }, { zeros { 0, 3 }, { 1.0, 2.0, 3.0 }, shape = { 0, 3 } } },
  gradients = { { { 1.5, 2, 3 }, { 4, -5, 6 } } },
  rejects = {
    { args = { { 1, 2 }, { 1, 2 } }, says = "cross: a (2,) and b (2,) do not match: their last axes must have size 3" },
    { args = { 1, { 1, 2, 3 } }, says = "cross: a () and b (3,) do not match" },
  },
  check = function(t) statistics.check(t, "cross") end,
}

spec "kron" {
  example = { { 1, 10 }, { 1, 2 }, gives = { 1, 2, 10, 20 }, dtype = "int32" },
  examples = {
    { { { 1, 2 } }, { { 1 }, { 10 } }, gives = { { 1, 2 }, { 10, 20 } } },
    { 2, { 3, 4 }, gives = { 6, 8 } },
    { zeros { 0 }, { 1.0, 2.0 }, shape = { 0 } },
  },
  gradients = { { { 1.5, 2 }, { { 3, 4 }, { 5, -6 } } } },
  rejects = { { args = { zeros { 1, 1, 1, 1, 1 }, { 1.0 } }, says = "kron: a (1, 1, 1, 1, 1) and b (1,) have more than 4 axes" } },
  check = function(t) statistics.check(t, "kron", 0) end,
}

spec "cdist" {
  example = { { { 0.0, 0.0 } }, { { 3.0, 4.0 }, { 0.0, 1.0 } }, gives = { { 5.0, 1.0 } } },
  examples = {
    { { { 1, 2 } }, { { 1, 2 } }, gives = { { 0 } }, dtype = "float32" },
    { zeros { 0, 2 }, { { 1.0, 2.0 } }, shape = { 0, 1 } },
    { zeros { 2, 0 }, zeros { 1, 0 }, gives = { { 0 }, { 0 } } },
    { { { inf } }, { { 1.0 } }, gives = { { inf } } },
  },
  gradients = { { { { 1.5, 2 }, { 3, 4 } }, { { 5, -6 } } } },
  rejects = { { args = { { { 1, 2 } }, { { 1 } } }, says = "cdist: a (1, 2) and b (1, 1) do not match" }, { args = { { 1 }, { 1 } }, says = "cdist: a (1,) and b (1,)" } },
  check = function(t) statistics.check(t, "cdist") end,
}
