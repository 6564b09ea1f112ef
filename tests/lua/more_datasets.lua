-- Datasets' windows, interleaving, padding and the like. The lists are tf.data's own results for the same calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local D = lt.data.Dataset

local list
function list(ds)
  local out = {}
  for x in ds:iterate() do out[#out + 1] = type(x) == "userdata" and x:totable() or list(x) end
  return out
end

expect.case("windows", function()
  for _, case in ipairs {
    { 7, 3, {}, { { 0, 1, 2 }, { 3, 4, 5 }, { 6 } } },
    { 7, 3, { shift = 1 }, { { 0, 1, 2 }, { 1, 2, 3 }, { 2, 3, 4 }, { 3, 4, 5 }, { 4, 5, 6 }, { 5, 6 }, { 6 } } },
    { 7, 3, { shift = 2, stride = 2, drop_remainder = true }, { { 0, 2, 4 }, { 2, 4, 6 } } },
    { 10, 2, { shift = 4 }, { { 0, 1 }, { 4, 5 }, { 8, 9 } } },
    { 10, 3, { shift = 5, stride = 2 }, { { 0, 2, 4 }, { 5, 7, 9 } } },
    { 0, 3, {}, {} },
  } do
    local ds = D.range(case[1]):window(case[2], case[3])
    expect.equal(list(ds), case[4])
    expect.equal(ds:cardinality(), #case[4], "cardinality")
    expect.equal(list(ds), case[4], "again")
  end
  local pairs_of = D.zip(D.range(4), D.range(10, 14)):window(2):flat_map(function(w) return w:batch(2) end)
  local seen = {}
  for a, b in pairs_of:iterate() do seen[#seen + 1] = { a:totable(), b:totable() } end
  expect.equal(seen, { { { 0, 1 }, { 10, 11 } }, { { 2, 3 }, { 12, 13 } } })
  expect.equal(list(D.range(5):sliding_window(3, { stride = 2 })), { { 0, 2, 4 } })
  expect.equal(list(D.range(5):sliding_window(3, { shift = 2 })), { { 0, 1, 2 }, { 2, 3, 4 } })
end)

expect.case("datasets of datasets", function()
  local function repeated(n, times) return D.from_tensors(n):repeat_(times) end
  expect.equal(list(D.range(1, 6):interleave(function(x) return repeated(x, 6) end, { cycle_length = 2, block_length = 4 })),
    { 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5 })
  expect.equal(list(D.range(1, 8):interleave(function(x) return D.range(x:item()) end, { cycle_length = 3, block_length = 2 })),
    { 0, 0, 1, 0, 1, 0, 1, 2, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 4, 4, 5, 2, 3, 4, 5, 6 })
  expect.equal(list(D.range(5):interleave(function(x) return repeated(x, x:item()) end, { cycle_length = 2 })),
    { 1, 2, 2, 3, 3, 4, 3, 4, 4, 4 })
  expect.equal(list(D.range(4):flat_map(function(x) return repeated(x, x:item()) end)), { 1, 2, 2, 3, 3, 3 })
  expect.equal(list(D.range(7):batch(3):unbatch()), { 0, 1, 2, 3, 4, 5, 6 })
  expect.equal(list(D.range(7):batch(3):rebatch(2)), { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6 } })
  local named = list(D.from_tensor_slices({ a = { 1, 2 }, b = { 3, 4 } }):batch(2):unbatch():map(function(e) return e.a + e.b end))
  expect.equal(named, { 4, 6 })
end)

expect.case("padded batches", function()
  local filled = D.range(1, 6):map(function(x) return lt.fill({ x:item() }, x) end)
  expect.equal(list(filled:padded_batch(2, { padding_values = -1 })),
    { { { 1, -1 }, { 2, 2 } }, { { 3, 3, 3, -1 }, { 4, 4, 4, 4 } }, { { 5, 5, 5, 5, 5 } } })
  expect.equal(list(filled:take(3):padded_batch(2, { padded_shapes = { 4 } })),
    { { { 1, 0, 0, 0 }, { 2, 2, 0, 0 } }, { { 3, 3, 3, 0 } } })
  expect.equal(filled:padded_batch(2, { drop_remainder = true }):cardinality(), 2)
  local both = D.range(1, 3):map(function(x) return lt.ones { x:item(), 1 }, { n = lt.fill({ x:item() }, 2.0) } end)
  for a, b in both:padded_batch(2, { padding_values = { 7, 9 } }):iterate() do
    expect.equal({ a:totable(), b.n:totable() }, { { { { 1 }, { 7 } }, { { 1 }, { 1 } } }, { { 2, 9 }, { 2, 2 } } })
  end
  local function fails(words, ds) expect.raises("InvalidArgument", words, list, ds) end
  fails("value 1 of element 2 has the shape (2,), more than its padded shape (1,)", filled:padded_batch(2, { padded_shapes = { 1 } }))
  fails("value 1 has 1 axes, and its padded shape 2", filled:padded_batch(2, { padded_shapes = { 1, 2 } }))
  fails("value 1 of the first element is int64 with 1 axes, and of element 2 int64 with 0 axes",
    D.range(2):map(function(x) return x:item() == 0 and x:reshape { 1 } or x end):padded_batch(2))
end)

expect.case("parts of a dataset, and results", function()
  expect.equal({ list(D.range(10):shard(3, 1)), list(D.range(10):shard(3, 3)) }, { { 0, 3, 6, 9 }, { 2, 5, 8 } })
  expect.equal({ D.range(10):shard(3, 3):cardinality(), D.range(10):shard(3, 1):cardinality(), D.range(2):shard(3, 3):cardinality() },
    { 3, 4, 0 })
  expect.equal(list(D.range(9):take_while(function(n) return n:lt(3) end)), { 0, 1, 2 })
  expect.equal(list(D.range(5):scan(0, function(s, n) return s + n:item(), s + n end)), { 0, 1, 3, 6, 10 })
  expect.equal(D.range(5):reduce(0, function(s, n) return s + n:item() end), 10)
  expect.equal(D.zip(D.range(3), D.range(3)):reduce(0, function(s, a, b) return s + (a * b):item() end), 5)
  expect.equal(list(D.range(5):apply(function(ds) return ds:skip(3) end)), { 3, 4 })
  expect.equal(D.range(3):batch(3):get_single_element():totable(), { 0, 1, 2 })
  expect.equal(list(D.from_tensor_slices { 3, 1, 3, 2, 1 }:unique()), { 3, 1, 2 })
  expect.equal(list(D.range(6):shuffle(6, { seed = 1 }):shard(2, 1):repeat_(1)) ~= nil, true)
end)

expect.case("in fit, and generators are closed", function()
  local model = lt.nn.Sequential { lt.nn.Dense(1, { input_shape = { 3 } }) }
  model:compile { optimizer = "sgd", loss = "mse" }
  local series = D.from_tensor_slices(lt.range(40) / 40)
  local ds = series:sliding_window(4):map(function(w) return w[{ { 1, 3 } }], w[{ { 4, 4 } }] end):batch(8)
  expect.equal(#model:fit(ds, { epochs = 2, verbose = 0 }).history.loss, 2)
  local closed = 0
  local generator = D.from_generator(function()
    local i = 0
    return function()
      i = i + 1
      return i
    end, nil, nil, setmetatable({}, { __close = function() closed = closed + 1 end })
  end)
  for _ in generator:window(2):iterate() do break end
  expect.equal(generator:take(3):reduce(0, function(s, n) return s + n:item() end), 6)
  expect.equal(closed, 2)
end)

expect.case("what is refused", function()
  local ds = D.range(3)
  local function refused(words, f, ...) expect.raises("InvalidArgument", words, f, ...) end
  refused("window: size is 0, expected a whole number, 1 or more", ds.window, ds, 0)
  refused("window: shift is 0", ds.window, ds, 2, { shift = 0 })
  refused("window: unknown option 'sift' (did you mean 'shift'?)", ds.window, ds, 2, { sift = 1 })
  refused("shard: index is 4, expected a number from 1 to 3", ds.shard, ds, 3, 4)
  refused("flat_map: the function is nil", ds.flat_map, ds)
  refused("flat_map: the function gives a tensor, expected a dataset", list, ds:flat_map(function(x) return x end))
  refused("take_while: the function gives 3", list, ds:take_while(function() return 3 end))
  refused("scan: the function gives no values", list, ds:scan(0, function(s) return s end))
  refused("reduce: the dataset is infinite", ds.reduce, ds:repeat_(), 0, function(s) return s end)
  refused("get_single_element: the dataset has several elements", ds.get_single_element, ds)
  refused("get_single_element: the dataset has no elements", ds.get_single_element, ds:take(0))
  refused("unbatch: value 1 is a scalar", list, ds:unbatch())
  refused("methods are called with a colon, as in dataset:window(...)", ds.window, 3)
end)

expect.end_of_cases()
