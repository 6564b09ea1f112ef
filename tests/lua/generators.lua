-- lutra.random.choice and generators with a state of their own.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function refuses(text, f, ...) expect.raises("InvalidArgument", text, f, ...) end
local function counts_of(x, n) return lt.sum(lt.one_hot(x:flatten(), n), 1):totable() end

expect.case("choice with replacement, all alike or by weights", function()
  local x = lt.random.choice(5, { 100, 100 }, { seed = 1 })
  expect.equal(x.dtype, "int64")
  expect.equal({ x.shape[1], x.shape[2] }, { 100, 100 })
  for _, count in ipairs(counts_of(x, 5)) do assert(math.abs(count - 2000) < 200, count) end
  x = lt.random.choice({ 10.5, 20.5, 30.5 }, 9000, { p = { 1, 0, 2 }, seed = 1 })
  expect.equal(x.dtype, "float32")
  assert(math.abs(x:eq(10.5):sum():item() - 3000) < 250 and x:eq(20.5):sum():item() == 0)
  expect.equal(lt.random.choice({ { 1, 2 }, { 3, 4 } }, { 2, 3 }).shape[3], 2)
  expect.equal(lt.random.choice(1):item(), 1)
  expect.equal(#lt.random.choice(5, 0), 0)
  expect.equal(lt.random.choice(9, 4, { seed = 3 }):totable(), lt.random.choice(9, 4, { seed = 3 }):totable())
end)

expect.case("few elements among many are those of a permutation", function()
  for _, n in ipairs { 4095, 4096, 100003 } do
    for _, count in ipairs { 1, 7, n // 16, n // 16 + 1 } do
      for seed = 1, 3 do
        expect.equal(lt.random.choice(n, count, { replace = false, seed = seed }):totable(),
          lt.random.permutation(n, { seed = seed })[{ { 1, count } }]:totable(), n .. ", " .. count)
      end
    end
  end
  -- They take as much of set_seed's sequence.
  lt.random.set_seed(5)
  local chosen, after = lt.random.choice(10000, 3, { replace = false }), lt.random.uniform { 2 }
  lt.random.set_seed(5)
  expect.equal(lt.random.permutation(10000)[{ { 1, 3 } }]:totable(), chosen:totable())
  expect.equal(lt.random.uniform({ 2 }):totable(), after:totable())
  expect.equal(#lt.random.choice(10000, 0, { replace = false }), 0)
  expect.equal(#lt.random.choice(5, 0, { replace = false, p = { 1, 1, 1, 1, 1 } }), 0)
end)

expect.case("choice without replacement draws each element once", function()
  for seed = 1, 20 do
    local x = lt.random.choice(6, 6, { replace = false, seed = seed })
    expect.equal(lt.sort(x):totable(), { 1, 2, 3, 4, 5, 6 })
    x = lt.random.choice(6, 3, { replace = false, seed = seed, p = { 1, 1, 0, 1, 1, 1 } })
    assert(#lt.unique(x) == 3 and x:ne(3):all():item())
  end
  -- The first draw goes by the weights.
  local first = {}
  for seed = 1, 600 do
    local at = lt.random.choice(3, 2, { replace = false, seed = seed, p = { 1, 2, 3 } })[1]:item()
    first[at] = (first[at] or 0) + 1
  end
  for k = 1, 3 do assert(math.abs(first[k] - 100 * k) < 5 * math.sqrt(100 * k), first[k]) end
end)

expect.case("mistakes in choice", function()
  refuses("random.choice: x has no elements to choose from", lt.random.choice, 0, 1)
  refuses("random.choice: 4 elements are to be drawn without replacement, and there are 3", lt.random.choice, 3, 4,
    { replace = false })
  refuses("random.choice: 3 elements are to be drawn without replacement, and there are 2 with a weight above 0",
    lt.random.choice, 3, 3, { replace = false, p = { 1, 0, 1 } })
  refuses("random.choice: p has the shape (2,), expected a weight for each of the 3 elements", lt.random.choice, 3, 1,
    { p = { 1, 1 } })
  refuses("random.choice: p has a negative number or nan", lt.random.choice, 2, 1, { p = { 1, -1 } })
  refuses("random.categorical", lt.random.choice, 2, 1, { p = { 0, 0 } })
  refuses("random.choice: unknown option 'size'", lt.random.choice, 2, 1, { size = 1 })
  refuses("random.choice: x is nil, expected a tensor or a whole number", lt.random.choice)
  refuses("random.choice: x is a scalar tensor", lt.random.choice, lt.constant(3))
  refuses("random.choice: shape[1] is -1", lt.random.choice, 3, { -1 })
end)

expect.case("a generator has a sequence of its own", function()
  local a, b = lt.random.Generator(7), lt.random.Generator(7)
  lt.random.set_seed(1)
  local global = lt.random.normal { 3 }
  lt.random.set_seed(1)
  for _, name in ipairs { "normal", "uniform", "exponential", "truncated_normal", "laplace", "cauchy" } do
    local x = a[name](a, { 5 })
    expect.equal(x:totable(), b[name](b, { 5 }):totable(), name)
    assert(not lt.array_equal(x, a[name](a, { 5 })):item(), name)
    b[name](b, { 5 })
  end
  expect.equal(a:randint({ 4 }, 1, 9):totable(), b:randint({ 4 }, 1, 9):totable())
  expect.equal(a:normal({ 2 }, { mean = 100 }):gt(50):all():item(), true)
  b:normal({ 2 }, { mean = 100 })
  expect.equal(a:choice({ 5, 6, 7 }, 2, { replace = false }):totable(), b:choice({ 5, 6, 7 }, 2, { replace = false }):totable())
  expect.equal(a:gamma({ 2 }, { 1.0, 2.0 }):totable(), b:gamma({ 2 }, { 1.0, 2.0 }):totable())
  expect.equal(a:permutation(5):totable(), b:permutation(5):totable())
  expect.equal(lt.random.normal({ 3 }):totable(), global:totable(), "set_seed's sequence is not advanced")
end)

expect.case("a generator's state is saved, and split", function()
  local a = lt.random.Generator(7)
  a:normal { 2 }
  local path = os.tmpname() .. ".npy"
  lt.save(path, a:state())
  local next_numbers = a:normal({ 4 }):totable()
  local b = lt.random.Generator(1)
  b:set_state(lt.load(path))
  os.remove(path)
  expect.equal(b:normal({ 4 }):totable(), next_numbers)
  local parts = lt.random.Generator(7):split(3)
  expect.equal(#parts, 3)
  local seen = {}
  for i = 1, 3 do
    local number = parts[i]:uniform({}):item()
    assert(not seen[number])
    seen[number] = true
  end
  expect.equal(lt.random.Generator(7):split(3)[2]:uniform({}):item(), lt.random.Generator(7):split(3)[2]:uniform({}):item())
  assert(tostring(lt.random.Generator(7)):find("lutra.random.Generator(key=7", 1, true))
  assert(lt.random.Generator():seed() ~= lt.random.Generator():seed())
  refuses("Generator:normal: seed is given, and a generator has its own", a.normal, a, { 2 }, { seed = 1 })
  refuses("Generator:split: n is 1099511627776, expected at most 16777216", a.split, a, 1 << 40)
  refuses("Generator:set_state: state is 5, expected what generator:state() gave", a.set_state, a, 5)
  refuses("Generator:uniform: the generator is missing: call it with a colon", a.uniform, { 2 })
  refuses("random.Generator: seed is \"x\", expected a whole number", lt.random.Generator, "x")
  refuses("random.normal: unknown option 'mu'", a.normal, a, { 2 }, { mu = 1 })
end)
print("generators passed")
