-- Composed functions of halves round their result once: it is what float32 gives for the same numbers, rounded. And
-- squareplus, whose formula would cancel for negative numbers, against numbers of 30 digits (Python's decimal).
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function numbers(from, to, count)
  local list = {}
  for i = 1, count do list[i] = from + (to - from) * (i - 1) / (count - 1) + math.sin(i) * 1e-2 end
  return list
end

-- Results and gradients of f(tensors) in a half, and in float32 of the same numbers, rounded.
local function check(what, f, ...)
  for _, dtype in ipairs { "float16", "bfloat16" } do
    local halves, wide = {}, {}
    for i, list in ipairs { ... } do
      halves[i] = lt.cast(lt.constant(list), dtype)
      wide[i] = halves[i]:float32()
    end
    local tape <close> = lt.GradientTape { persistent = true }
    tape:watch(halves)
    tape:watch(wide)
    local got, wanted = f(table.unpack(halves)), f(table.unpack(wide))
    expect.equal(got.dtype, dtype, what)
    expect.equal(got:bytes(), wanted:cast(dtype):bytes(), what .. " in " .. dtype)
    local slopes, wide_slopes = tape:gradient(got, halves), tape:gradient(wanted, wide)
    for i, slope in ipairs(slopes) do
      expect.equal(slope.dtype, dtype, what)
      expect.equal(slope:bytes(), wide_slopes[i]:cast(dtype):bytes(), ("%s in %s: gradient %d"):format(what, dtype, i))
    end
  end
end

expect.case("functions of single numbers", function()
  local x = numbers(-30, 30, 401)
  for _, name in ipairs { "sinc", "tanhshrink", "squareplus", "softshrink", "sparse_plus", "sparse_sigmoid", "deg2rad", "rad2deg" } do
    check(name, lt[name], x)
  end
  check("softshrink", function(y) return lt.softshrink(y, 0.3) end, x)
  check("logaddexp2", lt.logaddexp2, x, numbers(20, -20, 401))
  check("sparsemax", lt.sparsemax, { numbers(-1, 1, 7), numbers(3, 2, 7) })
  -- A float32 beside a half gives a float32, and halves of two kinds do.
  expect.equal(lt.logaddexp2(lt.constant({ 1 }, { dtype = "float16" }), lt.constant { 1.0 }).dtype, "float32")
  expect.equal(lt.logaddexp2(lt.ones({ 1 }, { dtype = "float16" }), lt.ones({ 1 }, { dtype = "bfloat16" })).dtype, "float32")
end)

expect.case("losses of pairs", function()
  local a, b, c = { numbers(-1, 2, 9), numbers(0, 1, 9) }, { numbers(1, -1, 9), numbers(0.5, 0.7, 9) }, { numbers(2, 3, 9), numbers(-2, 0, 9) }
  local signs = { { 1, -1, 1, -1, 1, -1, 1, -1, 1 }, { -1, 1, -1, 1, -1, 1, -1, 1, -1 } }
  for _, reduction in ipairs { "mean", "sum", "none" } do
    local how = { reduction = reduction }
    check("pairwise_distance", lt.pairwise_distance, a, b)
    check("triplet_margin_loss", function(x, y, z) return lt.triplet_margin_loss(x, y, z, { reduction = reduction, swap = true, margin = 4 }) end, a, b, c)
    check("cosine_embedding_loss", function(x, y) return lt.cosine_embedding_loss(x, y, lt.constant { 1, -1 }, how) end, a, b)
    check("margin_ranking_loss", function(x, y) return lt.margin_ranking_loss(x, y, lt.constant(signs), how) end, a, b)
    check("hinge_embedding_loss", function(x) return lt.hinge_embedding_loss(x, lt.constant(signs), how) end, a)
    check("soft_margin_loss", function(x) return lt.soft_margin_loss(x, lt.constant(signs), how) end, a)
    check("gaussian_nll_loss", function(x, y, z) return lt.gaussian_nll_loss(x, y, lt.abs(z), how) end, a, b, c)
    check("poisson_nll_loss", function(x, y) return lt.poisson_nll_loss(x, y, { reduction = reduction, full = true }) end, a, c)
  end
end)

-- (x + sqrt(x^2 + b)) / 2 in decimal with 60 digits.
local squares = {
  { -1e10, 4, 1e-10 }, { -1000, 4, 0.000999999000001999995 }, { -3, 4, 0.302775637731994646559 },
  { -12345.678, 1, 0.0000202500016272850655991 }, { -0.001, 4, 0.999500124999992187501 }, { 0, 4, 1 }, { 7.5, 2, 7.5660843806184370063 },
  { -1e-3, 1e-6, 0.000207106781186547524401 }, { -50, 0, 0 }, { 0, 0, 0 }, { 50, 0, 50 },
}

expect.case("squareplus of negative numbers has all its digits", function()
  for dtype, tolerance in pairs { float32 = 3e-7, float64 = 4e-16 } do
    for _, case in ipairs(squares) do
      local got = lt.squareplus(lt.constant(case[1], { dtype = "float64" }):cast(dtype), case[2]):item()
      local off = math.abs(got - case[3]) / math.max(case[3], 1e-300)
      -- The float32 nearest to a decimal is not that decimal: the root's condition is about 1.
      assert(case[3] == 0 and got == 0 or off <= tolerance, ("%s(%g, %g): %.17g"):format(dtype, case[1], case[2], got))
    end
  end
  expect.equal(lt.squareplus(lt.constant { -3e38, 3e38, math.huge, -math.huge }):totable()[2], lt.constant(3e38):item())
  local x = lt.constant({ -1e6, -2, 0, 2, 1e6 }, { dtype = "float64" })
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  local slope = tape:gradient(lt.squareplus(x), x)
  expect.close(slope, { 1e-12, 0.146446609406726238, 0.5, 0.853553390593273762, 1 - 1e-12 }, 1e-13)
  assert(math.abs(slope[1]:item() / (1 - 3e-12) / 1e-12 - 1) < 1e-9, slope[1]:item())
  -- The second derivative, 2 (x^2 + 4)^(-3/2), also at 0.
  expect.close(outer:gradient(slope, x), { 2e-18, 0.0883883476483184405, 0.25, 0.0883883476483184405, 2e-18 }, 1e-12)
end)

expect.end_of_cases()
