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

-- Sequences of these lengths, whose elements are the lengths.
local function sequences(lengths)
  return D.from_tensor_slices(lengths):map(function(n) return lt.fill({ n:item() }, n), n * 10 end)
end
local function batches(ds)
  local out = {}
  for x, y in ds:iterate() do out[#out + 1] = { x:totable(), y and y:totable() } end
  return out
end

expect.case("buckets by length", function()
  local ds = sequences { 1, 5, 2, 3, 7, 4, 1 }
  local function bucketed(given, sizes)
    return ds:bucket_by_sequence_length(function(x) return #x end, { 3, 5 }, sizes or { 2, 2, 2 }, given)
  end
  expect.equal(batches(bucketed()), {
    { { { 1, 0 }, { 2, 2 } }, { 10, 20 } }, { { { 5, 5, 5, 5, 5, 0, 0 }, { 7, 7, 7, 7, 7, 7, 7 } }, { 50, 70 } },
    { { { 3, 3, 3, 0 }, { 4, 4, 4, 4 } }, { 30, 40 } }, { { { 1 } }, { 10 } },
  })
  expect.equal(#batches(bucketed { drop_remainder = true }), 3)
  expect.equal(bucketed():cardinality(), lt.data.UNKNOWN_CARDINALITY)
  expect.equal(batches(sequences({ 4, 1, 2, 3 }):bucket_by_sequence_length(function(x) return #x end, { 3, 6 }, { 3, 1, 1 },
    { pad_to_bucket_boundary = true, padding_values = { -1, 0 } })), {
    { { { 4, 4, 4, 4, -1 } }, { 40 } }, { { { 3, 3, 3, -1, -1 } }, { 30 } }, { { { 1, -1 }, { 2, 2 } }, { 10, 20 } },
  })
  -- Axes that padded_shapes names keep their sizes.
  local pairs_of = sequences({ 1, 2 }):map(function(x) return x:expand_dims(2), lt.ones { 2 } end)
  for x, y in pairs_of:bucket_by_sequence_length(function(each) return #each end, { 5 }, { 2, 2 },
    { pad_to_bucket_boundary = true, padded_shapes = { { -1, 1 }, { 2 } } }):iterate() do
    expect.equal({ x:totable(), y:totable() }, { { { { 1 }, { 0 }, { 0 }, { 0 } }, { { 2 }, { 2 }, { 0 }, { 0 } } }, { { 1, 1 }, { 1, 1 } } })
  end
  expect.equal(batches(D.range(5):bucket_by_sequence_length(function(n) return n end, { 2 }, { 2, 3 }, { no_padding = true })),
    { { { 0, 1 } }, { { 2, 3, 4 } } })
  local function refused(words, ...)
    local f, given = ds.bucket_by_sequence_length, table.pack(...)
    expect.raises("InvalidArgument", words, function() return list(f(ds, table.unpack(given, 1, given.n))) end)
  end
  local function length(x) return #x end
  refused("bucket_batch_sizes has 2 numbers, expected one for each bucket, 3", length, { 3, 5 }, { 2, 2 })
  refused("bucket_boundaries has 3 after 5, expected ascending numbers", length, { 5, 3 }, { 2, 2, 2 })
  refused("bucket_boundaries is 3, expected a list of numbers", length, 3, { 2 })
  refused("the function of lengths gives a tensor, expected a whole number", function(x) return x end, { 3 }, { 2, 2 })
  refused("an element has the length 5, expected less than the last boundary, 5, with pad_to_bucket_boundary", length, { 3, 5 },
    { 2, 2, 2 }, { pad_to_bucket_boundary = true })
  refused("bucket_by_sequence_length: unknown option 'padding'", length, { 3 }, { 2, 2 }, { padding = 1 })
end)

expect.case("windows of one key", function()
  local function grouped(n, size)
    return list(D.range(n):group_by_window(function(x) return x % 3 end, function(key, w)
      return w:batch(10):map(function(rows) return rows + 100 * key end)
    end, size))
  end
  expect.equal(grouped(10, 3), { { 0, 3, 6 }, { 101, 104, 107 }, { 202, 205, 208 }, { 9 } })
  expect.equal(grouped(8, 4), { { 0, 3, 6 }, { 101, 104, 107 }, { 202, 205 } })
  expect.equal(grouped(6, function(key) return key + 1 end), { { 0 }, { 3 }, { 101, 104 }, { 202, 205 } })
  expect.raises("InvalidArgument", "group_by_window: window_size is 0", D.range(3).group_by_window, D.range(3),
    function() return 1 end, function(_, w) return w end, 0)
  expect.raises("InvalidArgument", "group_by_window: the function gives 1, expected a dataset", list,
    D.range(3):group_by_window(function() return 1 end, function() return 1 end, 2))
end)

expect.case("elements from several datasets", function()
  local function choose(choices, given)
    return list(D.choose_from_datasets({ D.range(3), D.range(10, 12), D.range(20, 25) }, D.from_tensor_slices(choices), given))
  end
  expect.equal(choose { 1, 2, 3, 3, 1, 2 }, { 0, 10, 20, 21, 1, 11 })
  expect.equal(choose { 2, 2, 2, 1 }, { 10, 11 })
  expect.equal(choose({ 2, 2, 2, 1 }, { stop_on_empty_dataset = false }), { 10, 11, 0 })
  expect.raises("InvalidArgument", "choose_from_datasets: a choice is 4, expected an index from 1 to 3", choose, { 1, 4 })
  expect.raises("InvalidArgument", "a choice is a tensor, expected an index from 1 to 3", choose, { 1.5 })
  local a, b = D.range(300), D.range(1000, 1100)
  local sampled = D.sample_from_datasets({ a, b }, { weights = { 3, 1 }, seed = 5 })
  expect.equal(sampled:cardinality(), 400)
  local elements = list(sampled)
  expect.equal(list(sampled), elements, "the same order again")
  local of_a, of_b, early = {}, {}, 0
  for i, n in ipairs(elements) do
    if n < 1000 then of_a[#of_a + 1] = n else of_b[#of_b + 1] = n end
    if i <= 100 and n >= 1000 then early = early + 1 end
  end
  expect.equal({ of_a, of_b }, { list(a), list(b) }, "each in its order")
  assert(early > 10 and early < 42, early) -- of 100 with a chance of 1/4: 4 deviations
  assert(not pcall(expect.equal, list(D.sample_from_datasets({ a, b }, { weights = { 3, 1 }, seed = 6 })), elements))
  local anew = D.sample_from_datasets({ a, b }, { seed = 5, rerandomize_each_iteration = true })
  assert(not pcall(expect.equal, list(anew), list(anew)))
  local stopped = list(D.sample_from_datasets({ D.range(5), D.range(1000, 2000) }, { seed = 1, stop_on_empty_dataset = true }))
  local count = 0
  for _, n in ipairs(stopped) do count = count + (n < 5 and 1 or 0) end
  assert(count == 5 and #stopped < 60, #stopped)
  expect.equal(list(D.sample_from_datasets({ D.range(3), b }, { weights = { 1, 0 }, stop_on_empty_dataset = true })), { 0, 1, 2 })
  expect.equal(D.sample_from_datasets({ a:repeat_(), b }):cardinality(), lt.data.INFINITE_CARDINALITY)
  local function refused(words, ...) expect.raises("InvalidArgument", "sample_from_datasets: " .. words, D.sample_from_datasets, ...) end
  refused("datasets is an empty list, expected a list of datasets", {})
  refused("3 is no dataset", { 3 })
  refused("weights has 1 numbers, expected one for each dataset, 2", { a, b }, { weights = { 1 } })
  refused("weights[2] is -1, expected a number of 0 or more", { a, b }, { weights = { 1, -1 } })
  refused("the sum of weights is 0, expected a finite number above 0", { a, b }, { weights = { 0, 0 } })
end)

expect.case("resampling by rejection", function()
  local ds = D.range(4000)
  local function class_of(n) return n:item() % 10 == 0 and 1 or n:item() % 10 < 4 and 2 or 3 end
  local function counts(given, target)
    local seen = { 0, 0, 0 }
    for class, n in ds:rejection_resample(class_of, target or { 0.5, 0.25, 0.25 }, given):iterate() do
      expect.equal(class:item(), class_of(n))
      seen[class:item()] = seen[class:item()] + 1
    end
    return seen
  end
  local seen = counts { initial_dist = { 0.1, 0.3, 0.6 }, seed = 3 }
  expect.equal(seen[1], 400, "the rarest class keeps all")
  assert(math.abs(seen[2] - 200) < 55 and math.abs(seen[3] - 200) < 55, table.concat(seen, " "))
  seen = counts { seed = 3 }
  assert(seen[1] > 380 and math.abs(seen[2] - 200) < 60 and math.abs(seen[3] - 200) < 60, table.concat(seen, " "))
  expect.equal(counts({ seed = 1 }, { 0, 1, 0 })[2] == 1200, true)
  expect.raises("InvalidArgument", "a class is 3, expected a number from 1 to 2", counts, nil, { 1, 1 })
  expect.raises("InvalidArgument", "initial_dist[1] is 0, and target_dist[1] is not", counts, { initial_dist = { 0, 1, 1 } })
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
