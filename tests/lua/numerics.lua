-- Functions of lua/lutra/functions: grids, padding, sets, segments, loops over elements, norms of lists.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function same(got, wanted, what)
  wanted = lt.constant(wanted)
  assert(got.shape == wanted.shape and lt.array_equal(got, wanted):item(), ("%s: %s"):format(what, tostring(got)))
end
local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end

-- meshgrid: NumPy's answers.
do
  local x, y = lt.meshgrid({ 1, 2, 3 }, { 10.5, 20.5 })
  same(x, { { 1, 2, 3 }, { 1, 2, 3 } }, "x")
  same(y, { { 10.5, 10.5, 10.5 }, { 20.5, 20.5, 20.5 } }, "y")
  assert(x.dtype == "int32" and y.dtype == "float32")
  x, y = lt.meshgrid({ 1, 2, 3 }, { 10, 20 }, { indexing = "ij" })
  same(x, { { 1, 1 }, { 2, 2 }, { 3, 3 } }, "x, ij")
  same(y, { { 10, 20 }, { 10, 20 }, { 10, 20 } }, "y, ij")
  local a, b, c = lt.meshgrid({ 1, 2 }, { 1, 2, 3 }, { 1, 2, 3, 4 })
  assert(a.shape == lt.zeros({ 3, 2, 4 }).shape and b.shape == a.shape and c.shape == a.shape)
  same(c[{ 1, 1 }], { 1, 2, 3, 4 }, "the third")
  same(b[{ {}, 1, 1 }], { 1, 2, 3 }, "the second")
  same((lt.meshgrid(5)), { 5 }, "a scalar")
  assert(select("#", lt.meshgrid()) == 0)
  refuses("meshgrid: argument 2 (1, 2) has 2 axes, expected a vector", lt.meshgrid, { 1 }, { { 1, 2 } })
  refuses('meshgrid: indexing is "yx", which is not known', lt.meshgrid, { 1 }, { 2 }, { indexing = "yx" })
  refuses("meshgrid: x is nil, expected a tensor", lt.meshgrid, nil, { 2 })
  refuses("meshgrid: unknown option 'index'", lt.meshgrid, { 1 }, { index = "ij" })
end

-- Paddings: NumPy's answers.
do
  local x = lt.constant { 1, 2, 3 }
  -- Further than the axis is long.
  for mode, list in pairs {
    symmetric = { 3, 3, 2, 1, 1, 2, 3, 3, 2, 1 }, edge = { 1, 1, 1, 1, 1, 2, 3, 3, 3, 3 }, wrap = { 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 },
    replicate = { 1, 1, 1, 1, 1, 2, 3, 3, 3, 3 }, circular = { 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 },
  } do
    same(lt.mirror_pad(x, { { 4, 3 } }, mode), list, mode)
  end
  same(lt.mirror_pad(x, { { 2, 2 } }), { 3, 2, 1, 2, 3, 2, 1 }, "reflect")
  same(lt.mirror_pad(x, { { 5, 4 } }), { 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3 }, "reflect, several times")
  same(lt.mirror_pad({ { 1.5, 2 }, { 3, 4 } }, { { 1, 0 }, { 0, 2 } }, "symmetric"),
    { { 1.5, 2, 2, 1.5 }, { 1.5, 2, 2, 1.5 }, { 3, 4, 4, 3 } }, "two axes")
  -- NumPy's quantiles for a list of q.
  local table_of = lt.constant { { 1.0, 2, 3, 10 }, { 4, 5, 6, 7 } }
  same(lt.quantile(table_of, { 0.25, 0.5 }, 2), { { 1.75, 4.75 }, { 2.5, 5.5 } }, "quantiles of rows")
  same(table_of:percentile({ 25, 50, 75 }), { 2.75, 4.5, 6.25 }, "percentiles of all")
  same(lt.nanquantile({ 1.0, 0 / 0, 3.0 }, lt.constant { 0.0, 0.5 }), { 1.0, 2.0 }, "nanquantiles")
  same(lt.quantile(table_of, { 1 }, { keepdims = true }), { { { 10.0 } } }, "one of a list")
  refuses('quantile: q[2] is "a", expected a number', lt.quantile, table_of, { 0.5, "a" })
  refuses("quantile: q is 2, expected a number from 0 to 1", lt.quantile, table_of, { 0.5, 2 })
  -- Along several axes, by copies of pieces and by lookup.
  local rows = lt.range(12):float32():reshape { 3, 4 }
  same(lt.pad(rows, { { 2, 1 }, { 0, 3 } }, { mode = "reflect" })[{ {}, { 5, 7 } }], lt.gather(lt.gather(rows, { 3, 2, 1, 2, 3, 2 }, 1), { 3, 2, 1 }, 2):totable(), "reflect of both axes")
  same(lt.pad(rows, { { 1, 2 }, { 4, 0 } }, { mode = "wrap" })[{ {}, { 1, 4 } }], lt.gather(rows, { 3, 1, 2, 3, 1, 2 }, 1):totable(), "wrap of both axes")
  same(lt.mirror_pad({ 7 }, { { 1, 2 } }), { 7, 7, 7, 7 }, "one element")
  same(lt.mirror_pad(x, { { 0, 0 } }), { 1, 2, 3 }, "nothing added")
  same(lt.mirror_pad(5, {}), 5, "a scalar")
  local v = lt.constant { 1.0, 2.0, 3.0 }
  local tape <close> = lt.GradientTape()
  tape:watch(v)
  same(tape:gradient(lt.mirror_pad(v, { { 1, 1 } }), v), { 1.0, 3.0, 1.0 }, "each repetition counts")
  refuses('mirror_pad: mode is "constant", which is not known', lt.mirror_pad, x, { { 1, 1 } }, "constant")
  refuses("mirror_pad: paddings is a list of 2, expected a pair for each of x's 1 axes", lt.mirror_pad, x, { { 1, 1 }, { 1, 1 } })
  refuses("mirror_pad: paddings[1][2] is -1, expected a whole number, 0 or more", lt.mirror_pad, x, { { 1, -1 } })
  refuses("mirror_pad: paddings[1][1] is 4611686018427387904, expected at most", lt.mirror_pad, { 1, 2 }, { { 1 << 62, 1 << 62 } })
  refuses("mirror_pad: paddings[1][1] is 9223372036854775807, expected at most", lt.mirror_pad, { 1, 2 }, { { math.maxinteger, 3 } })
  refuses("mirror_pad: x (0,) has no elements to repeat along axis 1", lt.mirror_pad, lt.zeros { 0 }, { { 1, 1 } })
end

-- Triangles.
do
  same(lt.tril_indices(2), { { 1, 1 }, { 2, 1 }, { 2, 2 } }, "tril")
  same(lt.triu_indices(3, { k = 1 }), { { 1, 2 }, { 1, 3 }, { 2, 3 } }, "triu")
  same(lt.tril_indices(2, { m = 3, k = 1 }), { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 }, { 2, 3 } }, "tril of a wide matrix")
  assert(lt.triu_indices(0).shape == lt.zeros({ 0, 2 }).shape)
  local x = lt.range(9):reshape { 3, 3 }
  same(x:gather_nd(lt.tril_indices(3)), { 0, 3, 4, 6, 7, 8 }, "its elements")
  refuses("tril_indices: n is -1, expected a whole number, 0 or more", lt.tril_indices, -1)
  refuses("triu_indices: k is 0.5, expected a whole number", lt.triu_indices, 2, { k = 0.5 })
end

-- Sets.
do
  same(lt.union1d({ { 3, 1 } }, { 1, 2 }), { 1, 2, 3 }, "union")
  same(lt.intersect1d({ 3, 1, 3, 7 }, { 3, 2, 7 }), { 3, 7 }, "intersection")
  same(lt.setdiff1d({ 3, 1, 2, 1 }, { 3 }), { 1, 2 }, "difference")
  assert(#lt.intersect1d({ 1 }, { 2 }) == 0 and lt.union1d(lt.zeros { 0 }, { 1 }).dtype == "float32")
  refuses("union1d: b is nil, expected a tensor", lt.union1d, { 1 })
  refuses('setdiff1d: a is "x", expected a tensor', lt.setdiff1d, "x", { 1 })
end

-- Segments by number.
do
  local x = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 }, { 5.0, 6.0 } }
  same(lt.segment_sum(x, { 1, 1, 3 }), { { 4.0, 6.0 }, { 0.0, 0.0 }, { 5.0, 6.0 } }, "segment_sum")
  same(lt.segment_mean(x, { 2, 1, 1 }), { { 4.0, 5.0 }, { 1.0, 2.0 } }, "segment_mean")
  same(lt.segment_max({ 3, 9, 4 }, { 1, 2, 1 }), { 4, 9 }, "segment_max")
  -- TensorFlow's sorted ones give 0 for a segment without slices.
  same(lt.segment_max({ { -1.0, 2.0 }, { -3.0, 1.0 } }, { 1, 3 }), { { -1.0, 2.0 }, { 0.0, 0.0 }, { -3.0, 1.0 } }, "segment_max of none")
  same(lt.segment_min({ 1, 2, 3 }, { 1, 1, 3 }), { 1, 0, 3 }, "segment_min of none")
  same(lt.segment_max({ { 1, 2 }, { 3, 4 } }, { { 1, 1 }, { 3, 1 } }), { 4, 0, 3 }, "segment_max of matrices of ids")
  refuses("segment_sum: segment_ids has -1, expected numbers from 1 on; unsorted_segment_sum drops negative ones", lt.segment_sum,
    { 1, 2 }, { -1, 1 })
  same(lt.segment_min({ 3, 9, 4 }, { 1, 2, 1 }), { 3, 9 }, "segment_min")
  assert(#lt.segment_sum(lt.zeros { 0 }, lt.zeros({ 0 }, { dtype = "int32" })) == 0)
  refuses("segment_sum: segment_ids is float32, expected integers", lt.segment_sum, { 1 }, { 1.5 })
  refuses("segment_sum: segment_ids", lt.segment_sum, { 1, 2 }, { 1, 2, 3 })
end

-- Norms of lists.
do
  local list = { lt.constant { 3.0 }, false, lt.constant { { 4.0 } } }
  same(lt.global_norm(list), 5.0, "norm")
  local clipped, norm = lt.clip_by_global_norm(list, 1)
  assert(norm:item() == 5 and clipped[2] == false)
  assert(math.abs(clipped[1]:item() - 0.6) < 1e-6 and math.abs(clipped[3]:item() - 0.8) < 1e-6)
  clipped = lt.clip_by_global_norm(list, 10)
  same(clipped[1], { 3.0 }, "below the limit nothing changes")
  clipped, norm = lt.clip_by_global_norm(list, 2.5, { use_norm = lt.constant(10.0) })
  assert(clipped[1]:item() == 0.75 and norm:item() == 10)
  same(lt.clip_by_global_norm(list, 0)[1], { 0.0 }, "clipped to 0")
  same(lt.clip_by_global_norm({ lt.zeros { 2 } }, 0)[1], { 0.0, 0.0 }, "zeros stay zeros")
  assert(lt.global_norm({}):item() == 0 and #lt.clip_by_global_norm({}, 1) == 0)
  assert(lt.clip_by_global_norm({ lt.ones({ 2 }, { dtype = "float16" }) }, 1)[1].dtype == "float16")
  refuses("clip_by_global_norm: clip_norm is -1, expected a number of 0 or more", lt.clip_by_global_norm, list, -1)
  refuses("global_norm: list[2] is 3, expected a tensor", lt.global_norm, { lt.ones { 1 }, 3 })
  refuses("global_norm: list is a tensor", lt.global_norm, lt.ones { 1 })
end

-- Loops over elements, with gradients and in coroutines.
do
  same(lt.map_fn(function(row) return row:sum() end, { { 1, 2 }, { 3, 4 } }), { 3, 7 }, "map_fn")
  local sums, products = lt.map_fn(function(a, b) return a + b, a * b end, { 1, 2 }, { 10, 20 })
  same(sums, { 11, 22 }, "sums")
  same(products, { 10, 40 }, "products")
  local resumed = coroutine.wrap(function()
    return lt.map_fn(function(x)
      coroutine.yield()
      return x
    end, { 1, 2 })
  end)
  resumed()
  resumed()
  same(resumed(), { 1, 2 }, "f may yield")
  local x = lt.constant { { 1.0, 2.0 }, { 3.0, 4.0 } }
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(x)
  local y = lt.map_fn(function(row) return (row * row):sum() end, x)
  same(tape:gradient(y, x), { { 2.0, 4.0 }, { 6.0, 8.0 } }, "the gradient of map_fn")
  y = lt.scan(function(state, row) return state + row end, x)
  same(y, { { 1.0, 2.0 }, { 4.0, 6.0 } }, "scan is a running sum")
  same(tape:gradient(y, x), { { 2.0, 2.0 }, { 1.0, 1.0 } }, "the gradient of scan")
  same(lt.scan(function(state, e) return state * 10 + e end, { 1, 2, 3 }, { initial = 7 }), { 71, 712, 7123 }, "initial")
  same(lt.scan(lt.add, { 1, 2, 3 }, { reverse = true }), { 6, 5, 3 }, "reverse")
  refuses("map_fn: argument 3 has 1 elements along its first axis, x has 2", lt.map_fn, lt.add, { 1, 2 }, { 1 })
  refuses("map_fn: f is 5, expected a function", lt.map_fn, 5, { 1 })
  refuses("map_fn: there are no elements", lt.map_fn, lt.neg, lt.zeros { 0 })
  refuses("map_fn: x is a scalar", lt.map_fn, lt.neg, 5)
  refuses("map_fn: call 1 of f returned 0 results, expected a tensor", lt.map_fn, function() end, { 1 })
  refuses("map_fn: result 1 of call 1 of f is nil, expected a tensor", lt.map_fn, function() return nil end, { 1 })
  refuses("scan: x (0,) has no elements", lt.scan, lt.add, lt.zeros { 0 })
  refuses("scan: unknown option 'init'", lt.scan, lt.add, { 1 }, { init = 1 })
end

do
  local dots = lt.vmap(lt.dot)
  same(dots({ { 1, 2 }, { 3, 4 } }, { { 10, 1 }, { 1, 0 } }), { 12, 3 }, "vmap")
  same(lt.vmap(lt.dot, { in_axes = { 1, false } })({ { 1, 2 }, { 3, 4 } }, { 10, 1 }), { 12, 34 }, "an argument as a whole")
  same(lt.vmap(function(c) return c end, { in_axes = 2, out_axis = 1 })({ { 1, 2 }, { 3, 4 } }), { { 1, 3 }, { 2, 4 } }, "columns")
  same(lt.vmap(function(c) return c end, { out_axis = 2 })({ { 1, 2 }, { 3, 4 } }), { { 1, 3 }, { 2, 4 } }, "results as columns")
  refuses("vmap: argument 2 has 1 elements along its mapped axis, another has 2", lt.vmap(lt.add), { 1, 2 }, { 1 })
  refuses("vmap: in_axes has 1 entries, and the function got 2 arguments", lt.vmap(lt.add, { in_axes = { 1 } }), { 1 }, { 1 })
  refuses("vmap: no argument has elements", lt.vmap(lt.add, { in_axes = { false, false } }), 1, 2)
  refuses("vmap: f is nil, expected a function", lt.vmap)
  refuses("vmap: 3 arguments given, at most 2 are taken", lt.vmap, lt.add, {}, 1)
end

do
  assert(lt.while_loop(function(i) return i < 5 end, function(i) return i * 2 end, 1) == 8)
  local x, n = lt.while_loop(function(v, _) return lt.lt(v:sum(), 100) end, function(v, i) return v * 2, i + 1 end,
    lt.constant { 1.0, 2.0 }, 0)
  same(x, { 64.0, 128.0 }, "while_loop on tensors")
  assert(n == 6)
  refuses("while_loop: condition returned nil, expected true or false", lt.while_loop, function() end, function() end, 1)
  refuses("while_loop: body returned 0 values, expected 1, as it was given", lt.while_loop, function() return true end,
    function() end, 1)
  refuses("while_loop: body is nil, expected a function", lt.while_loop, print)
end
print("numerics passed")
