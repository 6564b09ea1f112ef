-- Initial kernels of attention in heads count inputs and results as Keras 3.15 does: the limit of glorot_uniform is
-- sqrt(6 / (inputs + results)) with all heads' sizes among the results, and among the inputs of the last product.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")
local nn = lt.nn

local function largest(layer, name) return lt.max(lt.abs(layer[name .. "_kernel"])):item() end

-- `wanted`: inputs and results by projection. Of thousands of uniform numbers the largest comes within 1% of the limit.
local function check(layer, wanted)
  for name, sizes in pairs(wanted) do
    local limit, found = math.sqrt(6 / (sizes[1] + sizes[2])), largest(layer, name)
    assert(found <= limit and found > 0.99 * limit, ("%s: %g, expected %g"):format(name, found, limit))
  end
end

expect.case("MultiHeadAttention", function()
  local layer = nn.MultiHeadAttention(5, 7, { value_dim = 11 })
  layer { lt.ones { 2, 3, 400 }, lt.ones { 2, 3, 300 }, lt.ones { 2, 3, 200 } }
  -- Keras' largest elements: 0.11744, 0.15977, 0.13000 and 0.11483.
  check(layer, { query = { 400, 35 }, value = { 300, 55 }, key = { 200, 35 }, attention_output = { 55, 400 } })
  expect.equal({ layer.query_kernel.shape, layer.attention_output_kernel.shape }, { { 400, 5, 7 }, { 5, 11, 400 } })
end)

expect.case("GroupQueryAttention", function()
  local layer = nn.GroupQueryAttention(7, 6, 3)
  layer { lt.ones { 2, 3, 400 }, lt.ones { 2, 3, 400 } }
  -- Keras' largest elements: 0.11651, 0.11937, 0.11938 and 0.11650.
  check(layer, { query = { 400, 42 }, key = { 400, 21 }, value = { 400, 21 }, attention_output = { 42, 400 } })
end)

expect.case("initializers that do not count stay as they are", function()
  local seen = {}
  local layer = nn.MultiHeadAttention(2, 3, { kernel_initializer = function(shape)
    seen[#seen + 1] = { table.unpack(shape) }
    return lt.ones(shape)
  end })
  layer { lt.ones { 1, 2, 4 }, lt.ones { 1, 2, 4 } }
  expect.equal(seen, { { 4, 2, 3 }, { 4, 2, 3 }, { 4, 2, 3 }, { 2, 3, 4 } })
end)

expect.end_of_cases()
