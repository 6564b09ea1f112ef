-- Very large numbers of elements, batches and axes, and none at all: counted right, or refused.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local Dataset = lt.data.Dataset

local function identity(x) return x end

for _, rows in ipairs { Dataset.range(5), Dataset.range(5):map(identity) } do
  for size, whole in pairs { [math.maxinteger] = 0, [5] = 1, [4] = 1, [1] = 5 } do
    local all, dropped = rows:batch(size), rows:batch(size, { drop_remainder = true })
    expect.equal({ all:cardinality(), dropped:cardinality() }, { size == 4 and 2 or math.max(whole, 1), whole }, "batches of " .. size)
    local count, elements = 0, 0
    for batch in all:iterate() do count, elements = count + 1, elements + #batch end
    expect.equal({ count, elements }, { #all, 5 })
  end
  expect.raises("InvalidArgument", "repeat_: 4611686018427387904 times 5 elements are more than can be counted; repeat_() repeats forever",
    rows.repeat_, rows, 1 << 62)
  expect.equal(rows:repeat_(math.maxinteger // 5):cardinality(), math.maxinteger // 5 * 5)
  expect.equal(rows:take(0):repeat_(1 << 62):cardinality(), 0)
end

-- More is prefetched than there is.
do
  local sum, count = 0, 0
  for batch in Dataset.range(15):shuffle(15):batch(1):prefetch(1000000000):iterate() do sum, count = sum + batch:item(), count + 1 end
  expect.equal({ sum, count }, { 105, 15 })
end

-- Jacobians of more axes than a tensor can have.
do
  local x = lt.ones { 2, 1, 1, 1, 1 }
  local tape = lt.GradientTape { persistent = true }
  tape:watch(x)
  local y = x * 2
  expect.raises("InvalidArgument", "jacobian: the target (2, 1, 1, 1, 1) has 5 axes and the source (2, 1, 1, 1, 1) 5, and a tensor at most 8",
    tape.jacobian, tape, y, x)
  expect.raises("InvalidArgument", "batch_jacobian: target (2, 1, 1, 1, 1) and source (2, 1, 1, 1, 1) have 9 axes", tape.batch_jacobian, tape,
    y, x)
end

for _, name in ipairs { "SparseTopKCategoricalAccuracy", "TopKCategoricalAccuracy" } do
  for text, k in pairs { ['"a"'] = "a", ["0"] = 0, ["1.5"] = 1.5 } do
    expect.raises("InvalidArgument", ("metrics.%s: k is %s, expected a whole number, 1 or more"):format(name, text), lt.nn.metrics[name],
      { k = k })
  end
end

-- Tables that answer whatever they are asked, and tables that hold themselves.
do
  local liar = setmetatable({}, { __index = function(self) return self end, __len = function() return 1 << 40 end })
  expect.raises("InvalidArgument", "zip: nil is no dataset", Dataset.zip, liar)
  expect.raises("InvalidArgument", "zip: a table is no dataset", Dataset.zip, liar, liar)
  expect.raises("InvalidArgument", "zip: nil is no dataset", Dataset.zip, { Dataset.range(2), nil, Dataset.range(3) })
  expect.raises("InvalidArgument", "zip: nil is no dataset", Dataset.zip, Dataset.range(2), nil, Dataset.range(3))
  local list = setmetatable({ Dataset.range(2) }, getmetatable(liar))
  expect.equal(#Dataset.zip(list), 2)
  local cycle, named, far = { 1 }, { x = lt.ones { 2 } }, { { { lt.ones { 2 } } } }
  cycle[2], named.y, far[1][1][2] = cycle, { named }, far
  for _, each in ipairs { cycle, named, far, { { cycle } } } do
    expect.raises("InvalidArgument", "from_tensor_slices: an element has a table that holds itself, expected a tensor, numbers, or a table of them",
      Dataset.from_tensor_slices, each)
  end
  local shared = { lt.ones { 2 } }
  expect.equal(#Dataset.from_tensor_slices { shared, { shared, shared } }, 2, "a table may stand in several places")
end
