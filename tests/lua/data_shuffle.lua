-- lutra.data: shuffled datasets give every element once, depend on seeds, and gather their batches.
local lt = require "lutra"
package.path = "tests/support/?.lua;" .. package.path
local expect, elements = dofile("tests/support/expect.lua"), require "elements"
local Dataset = lt.data.Dataset
local all, one_by_one = elements.all, elements.one_by_one

lt.config.set_simulated_gpus(1)

local function range(...) return Dataset.range(...) end

local function sorted(list)
  local out = { table.unpack(list) }
  table.sort(out)
  return out
end
local function counted(n)
  local list = {}
  for i = 1, n do list[i] = i - 1 end
  return list
end

expect.case("shuffle gives every element once, in an order of its own each time", function()
  for what, dataset in pairs { rows = range(200), elements = one_by_one(range(200)) } do
    for _, size in ipairs { 2, 7, 199, 200, 1000 } do
      local shuffled = dataset:shuffle(size)
      local first, second = all(shuffled), all(shuffled)
      expect.equal(sorted(first), counted(200), what .. " with a buffer of " .. size)
      assert(table.concat(first, " ") ~= table.concat(counted(200), " "), what .. ": the order is the old one")
      assert(table.concat(first, " ") ~= table.concat(second, " "), what .. ": two iterations have one order")
      -- The element at position i was in a buffer that had read i + size - 1 elements.
      for i, value in ipairs(first) do assert(value + 1 <= i + size - 1, ("%s: %d came at %d of a buffer of %d"):format(what, value, i, size)) end
    end
  end
end)

expect.case("a shuffle's seed, and set_seed, make orders the same again", function()
  for what, dataset in pairs { rows = range(50), elements = one_by_one(range(50)) } do
    for _, size in ipairs { 10, 50 } do
      local a, b = dataset:shuffle(size, { seed = 3 }), dataset:shuffle(size, { seed = 3 })
      local first, second = all(a), all(a)
      expect.equal(all(b), first, what)
      expect.equal(all(b), second, what .. ", second iteration")
      assert(table.concat(first, " ") ~= table.concat(second, " "), what .. ": not reshuffled")
      assert(table.concat(first, " ") ~= table.concat(all(dataset:shuffle(size, { seed = 4 })), " "), what .. ": the seed says nothing")
      for _, options in ipairs { { seed = 3, reshuffle_each_iteration = false }, { reshuffle_each_iteration = false } } do
        local fixed = dataset:shuffle(size, options)
        expect.equal(all(fixed), all(fixed), what .. ", reshuffle_each_iteration = false")
      end
      lt.random.set_seed(9)
      local drawn = all(dataset:shuffle(size))
      lt.random.set_seed(9)
      expect.equal(all(dataset:shuffle(size)), drawn, what .. " after set_seed")
      -- A seed of its own takes nothing from the sequence.
      lt.random.set_seed(9)
      all(dataset:shuffle(size, { seed = 1 }))
      expect.equal(all(dataset:shuffle(size)), drawn, what .. " after another shuffle")
    end
  end
  expect.raises("InvalidArgument", "shuffle: buffer_size is 0, expected a whole number, 1 or more", function() range(3):shuffle(0) end)
end)

-- Each place is as likely for an element as tf.data's buffer makes it: of 4 elements and a buffer of 2, element 1 comes
-- first in one half, second in a quarter, third and fourth in an eighth each.
expect.case("how likely a buffer makes an order", function()
  for what, dataset in pairs { rows = range(4), elements = one_by_one(range(4)) } do
    local shuffled, counts = dataset:shuffle(2, { seed = 5 }), { 0, 0, 0, 0 }
    for _ = 1, 2000 do
      for place, value in ipairs(all(shuffled)) do
        if value == 0 then counts[place] = counts[place] + 1 end
      end
    end
    for place, share in ipairs { 1 / 2, 1 / 4, 1 / 8, 1 / 8 } do
      -- Four standard deviations.
      local bound = 4 * math.sqrt(2000 * share * (1 - share))
      assert(math.abs(counts[place] - 2000 * share) < bound, ("%s: place %d %d times"):format(what, place, counts[place]))
    end
  end
end)

expect.case("shuffled rows keep their labels, in batches, through repeat_ and cache", function()
  local x = lt.range(30):reshape { 30, 1 }:float32()
  local rows = Dataset.from_tensor_slices(x, lt.range(30))
  for _, dataset in ipairs {
    rows:shuffle(30):batch(7), rows:shuffle(5):batch(7), rows:shuffle(30):repeat_(2):batch(8), one_by_one(rows):shuffle(8):batch(4),
    rows:shuffle(30):shuffle(4):batch(3), rows:repeat_(3):shuffle(90):batch(20), rows:shuffle(9):cache():batch(30),
  } do
    local seen, count = {}, 0
    for a, b in dataset:iterate() do
      assert(#a.shape == 2 and #b.shape == 1)
      local left, right = a:totable(), b:totable()
      for i = 1, #right do
        expect.equal(left[i][1], right[i] + 0.0, "row and label")
        seen[right[i]], count = (seen[right[i]] or 0) + 1, count + 1
      end
    end
    for i = 0, 29 do expect.equal(seen[i], count // 30, "how often " .. i .. " came") end
  end
  local fixed = rows:shuffle(30):cache()
  expect.equal(all(fixed), all(fixed), "cache keeps the order")
  local again = rows:shuffle(30):repeat_(2):map(function(_, y) return y end)
  local values = all(again)
  assert(table.concat(values, " ", 1, 30) ~= table.concat(values, " ", 31, 60), "repeat_ shuffles anew")
  local runs = 0
  local cached = rows:map(function(a) runs = runs + 1 return a end):cache()
  cached:iterate()()
  expect.equal(runs, 1, "elements asked for")
  all(cached) all(cached)
  expect.equal(runs, 31, "a cache is filled by the first iteration that comes to its end")
end)

expect.case("batches of shuffled rows are gathers: no operation a row", function()
  local x, y = lt.zeros { 1000, 3 }, lt.zeros { 1000 }
  local function ops_of(dataset)
    local events = 0
    lt.debugging.set_log_handler(function() events = events + 1 end)
    for _ in dataset:iterate() do end
    lt.debugging.set_log_handler(nil)
    return events
  end
  local rows = Dataset.from_tensor_slices(x, y)
  -- Of ten batches each a slice of the order and two gathers, and what the order takes.
  for _, size in ipairs { 1000, 64 } do
    local ops = ops_of(rows:shuffle(size):batch(100))
    assert(ops <= 40, "shuffle and batch took " .. ops .. " operations")
  end
  assert(ops_of(rows:batch(100)) <= 20, "slices")
  assert(ops_of(one_by_one(rows):batch(100)) > 1000, "the handler counts operations")
end)

expect.case("batches lie where the rows lie", function()
  for _, device in ipairs { "CPU:0", "GPU:0" } do
    local x = lt.device(device, lt.ones, { 6, 2 })
    for batch in Dataset.from_tensor_slices(x):shuffle(6):batch(4):iterate() do expect.equal(batch.device, x.device) end
  end
end)

expect.end_of_cases()
