-- // and % of int64 against Lua's own, on both sides of the sizes at which the kernel changes its method (2^50).
local lt = require "lutra"

local function int64(values) return lt.constant(values, { dtype = "int64" }) end

local function check(dividends, divisors, what)
  local quotients, remainders = {}, {}
  for i, a in ipairs(dividends) do
    quotients[i], remainders[i] = a // divisors[i], a % divisors[i]
  end
  local a, b = int64(dividends), int64(divisors)
  assert((a // b):eq(int64(quotients)):all():item(), what .. ": //")
  assert((a % b):eq(int64(remainders)):all():item(), what .. ": %")
end

local edges = { math.maxinteger, math.mininteger, math.maxinteger - 1, 3, -3, 7, -7, 10, -10 }
for _, bits in ipairs { 0, 1, 31, 49, 50, 51, 52, 53, 62 } do
  for near = -1, 1 do
    local x = (1 << bits) + near
    if x ~= 0 then table.move({ x, -x }, 1, 2, #edges + 1, edges) end
  end
end
local a, b = { 0 }, { -5 }
for _, x in ipairs(edges) do
  for _, y in ipairs(edges) do
    a[#a + 1], b[#b + 1] = x, y
  end
end
check(a, b, "edges")

-- Numbers of up to `bits` bits and either sign; every fifth dividend is a multiple of its divisor, or next to one.
local function random_pairs(bits)
  local dividends, divisors = {}, {}
  local function any() return (math.random(0) >> math.random(64 - bits, 63)) * (math.random(2) * 2 - 3) end
  while #dividends < 50000 do
    local x, y = any(), any()
    if y ~= 0 then
      if #dividends % 5 == 0 then x = x // y * y + math.random(-1, 1) end
      dividends[#dividends + 1], divisors[#divisors + 1] = x, y
    end
  end
  return dividends, divisors
end
math.randomseed(7)
a, b = random_pairs(49)
check(a, b, "short numbers")
a, b = random_pairs(63)
check(a, b, "long numbers")

-- One divisor for all.
for _, divisor in ipairs { 1, -1, 7, -7, 1 << 40, 1 << 60, math.mininteger } do
  local one = {}
  for i = 1, #a do one[i] = divisor end
  check(a, one, "by " .. divisor)
  assert((int64(a) // divisor):eq(int64(a) // int64(one)):all():item(), "by the number " .. divisor)
end
print("ok")
