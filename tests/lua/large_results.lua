-- Results of 32 MiB and more are written past the caches, block by block. They must equal those of smaller calls.
local lt = require "lutra"

local kSize = (1 << 23) + 1234567 -- no whole number of blocks, or of cache lines
local kPiece = 1 << 20

local x = lt.random.uniform({kSize}, {minval = -3, maxval = 3, seed = 1})
local y = lt.random.uniform({kSize}, {minval = 0.5, maxval = 2, seed = 2})

-- Compares f(x, y) of all elements with f of slices.
local function same(name, f)
  local whole = f(x, y)
  assert(#whole == kSize, name)
  for first = 1, kSize, kPiece do
    local range = {{first, math.min(kSize, first + kPiece - 1)}}
    local equal = lt.all(whole[range]:eq(f(x[range], y[range]))):item()
    assert(equal, ("%s: other elements from %d on"):format(name, first))
  end
end

same("negative", function(a) return -a end)
same("a function", function(a) return a:exp() end)
same("two inputs", function(a, b) return a + b end)
same("a number on the left", function(a) return 1.5 - a end)
same("a number on the right", function(a) return a * 1.5 end)
same("three inputs", function(a, b) return lt.where(a:gt(0), a, b) end)
same("wider", function(a) return a:float64() end)
same("narrower, of wide inputs", function(a) return (a:float64() * 2):float32() end)
same("integers", function(a) return (a * 1000):int32() // 7 end)

for _, value in ipairs {0, 2.5} do
  local filled = lt.fill({kSize}, value)
  assert(lt.all(filled:eq(value)):item(), "filled")
end

-- In place: each element is read before it is written.
local v = lt.Variable(x)
v:assign_add(y)
assert(lt.all((x + y):eq(v)):item(), "in place")
print("ok")
