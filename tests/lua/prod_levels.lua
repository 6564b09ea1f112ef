-- The product of many float32 at every level of the processor and on one and three threads: within half a unit in the
-- last place of the exact product, with the bits of the product in float64, and the same overflow and underflow.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local program = [[
local shapes = { {12, 383}, {11, 384}, {10, 447}, {9, 500}, {20, 1000}, {5, 1023}, {11, 1024}, {5, 1025}, {3, 1407}, {3, 1408},
  {4, 10007}, {40, 5120}, {1, 100000}, {1, 262144} }
local inf, nan, products = 1 / 0, 0 / 0, 0

-- The product of x, exact as far as float64 holds each step: a number in [1, 2) and a power of two.
local function exact(x)
  local m, power = 1.0, 0
  for _, value in ipairs(x) do
    m = m * value
    if m == 0 then return m end
    local up = math.floor(math.log(math.abs(m), 2))
    m, power = m / 2.0 ^ up, power + up
  end
  return m * 2.0 ^ math.max(-1000, math.min(power, 1000))
end
local function is_near(got, wanted)
  local magnitude = math.abs(wanted)
  if magnitude >= 2.0 ^ 128 then return got == (wanted > 0 and inf or -inf) end
  return math.abs(got - wanted) <= math.max(magnitude * 2.0 ^ -24 * (1 + 2.0 ^ -10), 2.0 ^ -150 * (1 + 2.0 ^ -10))
end
local function bits(x) return x ~= x and "nan" or ("<f"):pack(x) end

local function check(what, x, by_exact)
  local got = lt.prod(x, -1):totable()
  local wide = lt.prod(x:float64(), -1):float32():totable()
  for row, value in ipairs(got) do
    products = products + 1
    if bits(value) ~= bits(wide[row]) then print("differs", what, row, value, wide[row]) end
    if by_exact then
      local wanted = exact(x[row]:totable())
      if not is_near(value, wanted) then print("is far", what, row, value, wanted) end
    end
  end
end

for seed, shape in ipairs(shapes) do
  local u, z = lt.random.uniform(shape, { seed = seed }), lt.random.normal(shape, { seed = 100 + seed })
  local few = shape[2] < 3000
  local rare = u:lt(1 / shape[2])
  -- That many factors of 1 + 2^-12 u, and their errors, do not cancel: this is where bounds are widest.
  check("near 1", u * 2.0 ^ -12 + 1, few)
  check("one number", lt.fill(shape, 1 + seed * 2.0 ^ -20), few)
  check("a number and its inverse", lt.where(u:lt(0.5), -1.1, 1 / 1.1), few)
  check("around 1", lt.exp(z * 0.3), few)
  check("in [0, 1)", u, few)
  check("normal", z, few)
  -- Floats leave their range on the way to a result within it, or without it.
  local wide = lt.where(u:lt(0.5), 2.0 ^ 60, 2.0 ^ -60) * (z * 2.0 ^ -20 + 1)
  check("far apart", wide, false)
  check("farther apart", lt.exp(z * 30), false)
  check("subnormal", lt.where(u:lt(0.5), 1.1e-40, 1e38), false)
  check("powers of two", lt.pow(2.0, lt.round(z * 30)), false)
  check("zeros", lt.where(rare, 0.0, z), few)
  check("zeros of one sign", lt.where(rare, -0.0, lt.abs(z)), few)
  check("zeros and large", lt.where(rare, 0.0, lt.exp(z * 40)), false)
  check("infinite", lt.where(rare, -inf, z), false)
  check("nan", lt.where(rare, nan, z), false)
end
print(products, "products")
]]

for _, level in ipairs(expect.cpu_levels()) do
  for _, threads in ipairs { 1, 3 } do
    local text, ok = expect.program(program, "", ("env LUTRA_CPU_LEVEL=%s LUTRA_NUM_THREADS=%d"):format(level, threads))
    assert(ok, text)
    expect.equal(text, "2025\tproducts\n")
  end
end
