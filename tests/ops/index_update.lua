local spec = require "spec"

local nan = 0 / 0
local matrix = { { 1, 2, 3 }, { 4, 5, 6 } }

spec "scatter_nd" {
  example = { { { 2 }, { 4 }, { 2 } }, { 1, 5, 10 }, { 5 }, gives = { 0, 11, 0, 5, 0 } },
  examples = {
    { { { 1, 2 }, { -1, -1 } }, { 5, 6 }, { 2, 2 }, gives = { { 0, 5 }, { 0, 6 } } },
    { { { 2 } }, { { 1.5, 2 } }, { 2, 2 }, gives = { { 0, 0 }, { 1.5, 2 } }, dtype = "float32" },
    { { { 1 }, { 1 } }, 3, { 2 }, gives = { 6, 0 } },
    { zeros({ 0, 1 }, "int32"), zeros { 0, 3 }, { 2, 3 }, gives = { { 0, 0, 0 }, { 0, 0, 0 } } },
    { zeros({ 0, 1 }, "int32"), zeros { 0 }, { 0 }, shape = { 0 } },
    { { { 1 } }, int8 { 5 }, { 2 }, gives = { 5, 0 }, dtype = "int8" },
  },
  gradients = { { int32 { { 2 }, { 1 }, { 2 } }, { 1.5, 2, 3 }, { 3 }, fixed = { [3] = true } } },
  rejects = {
    { args = { { { 3 } }, { 1 }, { 2 } }, says = "tensor_scatter_nd_add: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { { 0 } }, { 1 }, { 2 } }, says = "index 0; indices count from 1" },
    { args = { { { 1, 1 } }, { 1 }, { 2 } }, says = "scatter_nd: the last axis of indices (1, 2) lists 2 indices, and shape (2,) has 1 axis" },
    { args = { { { 1 } }, { 1, 2 }, { 2 } }, says = "scatter_nd: updates (2,) does not fit: indices (1, 1) in shape (2,) take updates (1,) or a scalar" },
    { args = { { { 1 } }, { 1 }, { -2 } }, says = "scatter_nd: shape[1] is -2, expected 0 or more" },
    { args = { 1, { 1 }, { 2 } }, says = "scatter_nd: indices is a scalar" },
    { args = { { { 1 } }, bool { true }, { 2 } }, says = "scatter_nd: updates is bool, expected a number" },
    { args = { { { 1 } }, { 1 } }, says = "scatter_nd: 2 arguments given" },
  },
}

spec "scatter" {
  example = { { { 1, 2 }, { 3, 4 } }, { { 2 }, { 1 } }, 0, 2, gives = { { 1, 0 }, { 0, 4 } } },
  examples = {
    -- numpy.put_along_axis, torch.scatter and torch.scatter_reduce.
    { { 1, 2, 3 }, { 3, 1 }, { 30, 10 }, gives = { 10, 2, 30 } },
    { matrix, { { 1, 2, 1 } }, { { 10, 20, 30 } }, gives = { { 10, 2, 30 }, { 4, 20, 6 } } },
    { matrix, { { 1, 1 }, { 3, 3 } }, { { 10, 20 }, { 30, 40 } }, 2, gives = { { 20, 2, 3 }, { 4, 5, 40 } } },
    { matrix, { { 1, 1 }, { 3, 3 } }, { { 10, 20 }, { 30, 40 } }, { axis = -1, reduce = "add" }, gives = { { 31, 2, 3 }, { 4, 5, 76 } } },
    { matrix, { { 1, 1 }, { 3, 3 } }, { { 10, 0 }, { 3, 4 } }, 2, { reduce = "max" }, gives = { { 10, 2, 3 }, { 4, 5, 6 } } },
    { matrix, { { 1, 1 }, { 3, 3 } }, { { 10, 0 }, { 3, 4 } }, 2, { reduce = "min" }, gives = { { 0, 2, 3 }, { 4, 5, 3 } } },
    { matrix, { { 1 }, { -1 } }, 0.5, 2, gives = { { 0.5, 2, 3 }, { 4, 5, 0.5 } }, dtype = "float32" },
    { zeros { 0, 3 }, zeros({ 0, 2 }, "int32"), 1, 2, shape = { 0, 3 } },
    { matrix, zeros({ 2, 0 }, "int32"), 1, 2, gives = matrix },
    { { nan, 1 }, { 2 }, { nan }, gives = { nan, nan } },
  },
  gradients = {
    { { { 1.5, 2 }, { 3, 4 } }, int32 { { 2 }, { 1 } }, { { 5 }, { 6 } }, 2 },
    { { 1.5, 2, 3 }, int32 { 1, 1, 3 }, { 5, 6, 7 }, { reduce = "add" } },
    { { { 1.5, 2 }, { 3, 4 } }, int32 { { 2, 1 } }, 5.5 },
  },
  rejects = {
    { args = { { 1, 2 }, { 3 }, 1 }, says = "take_along_axis: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { 1, 2 }, { 0 }, 1 }, says = "index 0; indices count from 1" },
    { args = { 1, { 1 }, 1 }, says = "scatter: x is a scalar" },
    { args = { matrix, { 1 }, 1 }, says = "scatter: indices (1,) does not fit x (2, 3): they must have as many axes" },
    { args = { matrix, { { 1 }, { 1 } }, { 1, 2, 3, 4 }, 2 }, says = "scatter: updates (4,) does not fit" },
    { args = { matrix, { { 1, 1 } }, 1, 3 }, says = "scatter: axis 3 is not there" },
    { args = { { 1 }, { 1 }, 1, { reduce = "mean" } }, says = 'scatter: reduce is "mean", expected "none", "add", "max" or "min"' },
    { args = { { 1 }, { 1.5 }, 1 }, says = "scatter: indices is float32, expected an integer" },
    { args = { bool { true }, { 1 }, bool { true } }, says = "scatter: x is bool, expected a number" },
  },
  check = function(t)
    -- The inverse of take_along_axis.
    local x = lt.random.uniform({ 6, 7, 9 }, { seed = 5 })
    for axis = 1, 3 do
      local order = x:argsort(axis)
      t.equal(lt.zeros(x.shape):scatter(order, x:sort(axis), axis), x, "axis " .. axis)
    end
  end,
}

spec "index_add" {
  example = { { { 1, 2 }, { 3, 4 } }, { 2, 2 }, { { 10, 1 }, { 10, 1 } }, 2, gives = { { 1, 13 }, { 3, 15 } } },
  examples = {
    { { 1, 2, 3 }, { 3, 1, 3 }, { 10, 20, 30 }, gives = { 21, 2, 43 } },
    { matrix, { -1 }, { { 1, 1, 1 } }, gives = { { 1, 2, 3 }, { 5, 6, 7 } } },
    { matrix, 1, 0.5, 2, gives = { { 1.5, 2, 3 }, { 4.5, 5, 6 } }, dtype = "float32" },
    { matrix, { 1, 2 }, { { 10 }, { 20 } }, { axis = 2 }, gives = { { 11, 12, 3 }, { 24, 25, 6 } } },
    { matrix, zeros({ 0 }, "int32"), zeros({ 0, 3 }, "int32"), gives = matrix },
    { zeros { 0, 2 }, zeros({ 0 }, "int32"), 1, shape = { 0, 2 } },
  },
  gradients = {
    { { { 1.5, 2 }, { 3, 4 } }, int32 { 2, 2 }, { { 5, 6 }, { 7, 8 } }, 2 },
    { { 1.5, 2 }, int32 { 2, 1 }, 3.5 },
  },
  rejects = {
    { args = { { 1, 2 }, { 3 }, 1 }, says = "scatter_add: index 3 is past the axis' end (2)", code = "OutOfRange" },
    { args = { { 1, 2 }, { { 1 } }, 1 }, says = "index_add: indices (1, 1) has 2 axes, expected a vector or a scalar" },
    { args = { { 1, 2 }, { 1, 2 }, { 1, 2, 3 } }, says = "index_add: updates (3,) does not fit: indices (2,) of x (2,) take updates that broadcast to (2,)" },
    { args = { matrix, { 1 }, 1, 3 }, says = "index_add: axis 3 is not there" },
    { args = { 1, { 1 }, 1 }, says = "index_add: x is a scalar" },
    { args = { bool { true }, { 1 }, bool { true } }, says = "index_add: x is bool, expected a number" },
  },
}

spec "masked_fill" {
  example = { { 1, 2, 3 }, bool { true, false, true }, 0, gives = { 0, 2, 0 } },
  examples = {
    { matrix, bool { { true }, { false } }, 9, gives = { { 9, 9, 9 }, { 4, 5, 6 } } },
    { matrix, bool { false, true, false }, -0.5, gives = { { 1, -0.5, 3 }, { 4, -0.5, 6 } }, dtype = "float32" },
    { { 1.5, 2 }, true, -math.huge, gives = { -math.huge, -math.huge } },
    { bool { true, true }, bool { true, false }, false, gives = { false, true }, dtype = "bool" },
    { zeros { 0, 2 }, bool { true, false }, 1, shape = { 0, 2 } },
    { int8 { 1 }, bool { true }, int8(5), gives = { 5 }, dtype = "int8" },
  },
  gradients = { { { 1.5, 2, 3 }, bool { true, false, true }, 4.5 } },
  rejects = {
    { args = { { 1, 2 }, bool { true, true, true }, 0 }, says = "masked_fill: mask (3,) does not broadcast to x (2,)" },
    { args = { { 1, 2 }, bool { { true }, { false } }, 0 }, says = "masked_fill: mask (2, 1) does not broadcast to x (2,)" },
    { args = { { 1, 2 }, { 1, 0 }, 0 }, says = "masked_fill: mask is int32, expected bool" },
    { args = { { 1, 2 }, bool { true, false }, { 1, 2 } }, says = "masked_fill: value has the shape (2,), expected a number or a scalar" },
    { args = { int8 { 1 }, bool { true }, 300 }, says = "masked_fill: value is 300, which does not fit int8" },
    { args = { { 1 }, bool { true } }, says = "masked_fill: 2 arguments given" },
  },
}

spec "masked_select" {
  gpu = false,
  example = { { { 1, 2 }, { 3, 4 } }, bool { true, false }, gives = { 1, 3 } },
  examples = {
    { matrix, bool { { true }, { false } }, gives = { 1, 2, 3 } },
    { { 1, 2 }, false, gives = {}, shape = { 0 }, dtype = "int32" },
    { 7, true, gives = { 7 } },
    { zeros { 0, 3 }, true, shape = { 0 } },
    { { nan, 2 }, bool { true, false }, gives = { nan } },
  },
  gradients = { { { { 1.5, 2 }, { 3, 4 } }, bool { true, false } } },
  rejects = {
    { args = { { 1, 2 }, bool { true, true, true } }, says = "masked_select: mask (3,) does not broadcast to x (2,)" },
    { args = { { 1, 2 }, { 1, 0 } }, says = "masked_select: mask is int32, expected bool" },
    { args = { { 1, 2 } }, says = "masked_select: 1 argument given" },
  },
  check = function(t)
    local x = lt.range(1000):reshape { 10, 100 }
    t.equal(lt.masked_select(x, (x % 3):eq(0)), lt.range(0, 1000, 3))
  end,
}
