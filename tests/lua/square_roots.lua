-- The square root of a float32 is correctly rounded by every method; the reference is float64's, rounded.
local lt = require "lutra"

local function check(what, x)
  local right = x:float64():sqrt():float32()
  assert(x:sqrt():bytes() == right:bytes(), what)
end

-- Every mantissa of two neighbouring exponents, and one in a thousand of all positive numbers.
local all = lt.range(1 << 23, {dtype = "int32"}):float32()
check("mantissas", all / 0x1p23 + 1)
check("mantissas of an odd exponent", all / 0x1p22 + 2)
check("small mantissas", (lt.range(1 << 20, {dtype = "int32"}):float32() / 0x1p18 + 1) * 0x1p-60)
check("exponents", lt.random.uniform({1 << 20}, {minval = -87, maxval = 88, seed = 1}):exp())

-- Beside usual numbers, in all places of a register.
local usual = lt.range(1, 33, {dtype = "float32"})
for place = 1, 32 do
  for _, value in ipairs {0.0, -0.0, 1 / 0, 0x1p-149, 0x1p-126, 0x1p-71, 0x1.fffffep127} do
    check(value, lt.where(usual:eq(place), value, usual):float32())
  end
  local roots = lt.where(usual:eq(place), -1.0, usual):float32():sqrt():totable()
  for i, root in ipairs(roots) do assert((root ~= root) == (i == place), i) end
end
print("ok")
