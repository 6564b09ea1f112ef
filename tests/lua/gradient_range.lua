-- Gradients of numbers that are large or small for their dtype: intermediate values of a gradient must fit, too.
-- References are formulas in Lua's numbers, or central differences in float64.
local lt = require "lutra"

local kDigits = { float16 = 4e-3, bfloat16 = 3e-2, float32 = 2e-6, float64 = 1e-12 }

local function numbers(x, dtype) return lt.constant(x, { dtype = dtype or "float64" }) end

-- Each within a share of itself, or of `least` where that is larger.
local function close(got, wanted, digits, least, what)
  got, wanted = got:float64():flatten():totable(), wanted:float64():flatten():totable()
  assert(#got == #wanted, what)
  for i, number in ipairs(wanted) do
    local off = math.abs(got[i] - number)
    assert(off <= digits * math.max(math.abs(number), least or 0), ("%s, element %d: %g, not %g"):format(what, i, got[i], number))
  end
end

local function slope(f, x, seed)
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(f(x), x, { output_gradients = seed })
end
-- The gradient of slope . seed.
local function bend(f, x, seed)
  return slope(function(v) return slope(f, v) end, x, seed)
end
local function bend_by_differences(f, x, seed)
  local step = 1e-5
  return (slope(f, x + seed * step) - slope(f, x - seed * step)) / (2 * step)
end

-- The slopes of a logsumexp are shares of 1, however coarse the result is: equal ones of equals.
for dtype, most in pairs { float16 = 30000, bfloat16 = 1e30, float32 = 1e30, float64 = 1e300 } do
  for _, x in ipairs { { most, most, most }, { 301, 301, 300 }, { -1000, -1001, -999 } } do
    x = numbers(x, dtype)
    local values, largest, sum, wanted = x:float64():totable(), x:float64():max():item(), 0, {}
    for i, value in ipairs(values) do wanted[i] = math.exp(value - largest) sum = sum + wanted[i] end
    close(slope(lt.logsumexp, x), numbers(wanted) / sum, kDigits[dtype], 0, "logsumexp of " .. dtype)
    local rows = lt.stack { x, x }
    close(slope(function(v) return v:logsumexp(2, { keepdims = true }) end, rows)[2], numbers(wanted) / sum, kDigits[dtype], 0,
      "logsumexp of rows of " .. dtype)
  end
end
-- Beside an infinite one as before: nothing for the others. Of nothing but -inf nothing.
do
  local inf = math.huge
  local got = slope(function(v) return v:logsumexp(2) end, lt.constant { { 0, inf, 1 }, { -inf, -inf, -inf }, { -inf, 2, 2 } })
  assert(got[1][1]:item() == 0 and got[1][3]:item() == 0)
  close(got[2], numbers { 0, 0, 0 }, 0, 0, "logsumexp of -inf")
  close(got[3], numbers { 0, 0.5, 0.5 }, 1e-6, 0, "logsumexp with a -inf")
end

-- A batch norm's variance of 3e-4: its third power of -1/2 is more than a float16 holds.
for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
  local x, dy = numbers({ { 0.125 }, { -0.25 }, { 0.5 } }, dtype), numbers({ { 0.0078125 }, { 0.015625 }, { -0.03125 } }, dtype)
  local var, one, zero = numbers({ 2 ^ -12 }, dtype), numbers({ 1 }, dtype), numbers({ 0 }, dtype)
  local got = slope(function(v) return lt.batch_norm(x, zero, v, one, zero, { epsilon = 0 }) end, var, dy)
  local sum = 0.125 * 0.0078125 - 0.25 * 0.015625 - 0.5 * 0.03125
  close(got, numbers { -0.5 * sum * 2 ^ 18 }, kDigits[dtype], 0, "batch_norm's var in " .. dtype)
end

-- Running products after a zero: elements after it have the slope 0, although the product of all that follow overflows.
do
  local x, wanted = { 3, 0, 2, 30, 40, 50, 60 }, {}
  for j = 1, #x do
    wanted[j] = 0
    for i = j, #x do  -- the derivative of the product of the first i
      local product = 1
      for k = 1, i do product = k == j and product or product * x[k] end
      wanted[j] = wanted[j] + product
    end
  end
  local got = slope(lt.cumprod, numbers(x, "float16"))
  assert(wanted[2] > 65504 and got[2]:item() == math.huge)
  close(got[{ { 3, -1 } }], numbers(wanted)[{ { 3, -1 } }], 0, 0, "cumprod")
  assert(got[1]:item() == wanted[1])
end

-- Singular vectors depend on the direction of a matrix alone, so that the gradient is the larger the smaller the matrix.
for _, case in ipairs {
  { "float32", 2.0 ^ 80 }, { "float32", 2.0 ^ -80 }, { "float64", 2.0 ^ 400 }, { "float64", 2.0 ^ -400 }, { "float16", 2.0 ^ 9 },
  { "float16", 2.0 ^ -9 },
} do
  local dtype, scale = table.unpack(case)
  local at = numbers { { 3, 0.5, -0.25 }, { 0.25, 1.5, 0.5 }, { -0.5, 0.25, 0.75 }, { 0.5, 1, 0.125 } }
  local weights = lt.range(0, 12, { dtype = "float64" }):sin():reshape { 4, 3 }
  local function directions(x)
    local u, s, vt = lt.svd(x)
    return (u * weights:cast(u.dtype)):sum() * vt[1][1] + (u[2] * vt[{ {}, 2 }]):sum()
  end
  local wanted, step = {}, 1e-6
  for i = 1, 12 do
    local by = lt.one_hot({ i }, 12):float64():reshape { 4, 3 } * step
    wanted[i] = ((directions(at + by) - directions(at - by)) / (2 * step)):item()
  end
  local got = slope(directions, at:cast(dtype) * scale)
  close(got:float64() * scale, numbers(wanted), math.max(1e-6, 4 * kDigits[dtype]), 1, ("svd in %s of %g"):format(dtype, scale))
end

-- Second derivatives far from 0: nothing, or next to it, and never nan.
local function logistic(x) return 1 / (1 + math.exp(-x)) end
local function logistic_slope(x) return logistic(x) * logistic(-x) end
local points = { 0, 0.5, -0.5, 3, -3, 8, -8, 12, -12, 30, -30, 300, -300, 20000, -20000 }
for _, case in ipairs {
  { "softplus", logistic_slope },
  { "silu", function(x) return logistic_slope(x) * (2 + x * (1 - 2 * logistic(x))) end },
  { "gelu", function(x) return math.exp(-x * x / 2) * (2 - x * x) / math.sqrt(2 * math.pi) end },
} do
  local name, formula = table.unpack(case)
  for dtype, digits in pairs(kDigits) do
    local x, wanted = numbers(points, dtype), {}
    for i, point in ipairs(x:float64():totable()) do wanted[i] = formula(point) end
    local smallest = dtype == "float16" and 2 ^ -24 or 1e-38
    close(bend(lt[name], x, lt.ones_like(x)), numbers(wanted), 2 * digits, smallest / digits, name .. "'s second derivative in " .. dtype)
  end
end
for dtype in pairs(kDigits) do
  local x = numbers(points, dtype)
  local got = bend(function(v) return lt.gelu(v, { approximate = true }) end, x, lt.ones_like(x))
  assert(got:isfinite():all():item() and got[{ { 10, -1 } }]:eq(0):all():item(), tostring(got))
end
do
  local x, seed = numbers { 150, -300, 75, 225, 390 }, numbers { 1, -0.5, 0.25, 2, -1 }
  local scale = numbers { 1, -0.5, 0.25, 2, 0.3 }
  local function norm(v) return lt.layer_norm(v, scale:cast(v.dtype), scale:cast(v.dtype)) end
  for dtype, digits in pairs { float16 = 1e-2, float32 = 1e-3 } do
    close(bend(norm, x:cast(dtype), seed:cast(dtype)), bend_by_differences(norm, x, seed * 100) / 100, digits, 3e-5,
      "layer_norm's second derivative in " .. dtype)
  end
end
-- Of a length: what of the seed is not along x, over the length.
do
  local x, seed, squares, product, wanted = { 2, -4, 1, 3 }, { 1, -0.5, 0.25, 2 }, 0, 0, {}
  for i, value in ipairs(x) do squares, product = squares + value * value, product + value * seed[i] end
  for i, value in ipairs(x) do wanted[i] = 2 ^ 13 * (seed[i] - product * value / squares) / math.sqrt(squares) end
  for _, dtype in ipairs { "float16", "float32" } do
    close(bend(lt.norm, numbers(x, dtype) * 2 ^ -13, numbers(seed, dtype)), numbers(wanted), kDigits[dtype], 0, "norm in " .. dtype)
  end
end

-- Probabilities of 0 and 1 in halves.
for _, dtype in ipairs { "float16", "bfloat16" } do
  local p, labels = numbers({ 1, 0, 0.75, 0.25 }, dtype), lt.constant { 1.0, 0.0, 1.0, 0.0 }
  local function loss(v) return lt.nn.losses.BinaryCrossentropy()(labels, v) end
  assert(math.abs(loss(p):item() + math.log(0.75) / 2) < 1e-4, tostring(loss(p)))
  close(slope(loss, p), numbers { 0, 0, -1 / 3, 1 / 3 }, kDigits[dtype], 0, "binary_crossentropy")
  local wrong = lt.nn.losses.BinaryCrossentropy()(1 - labels, p):item()
  assert(wrong > 8 and wrong < math.huge, tostring(wrong))
end

-- A half that is used 6,000 times: 2,048 and 256 are the last that one more changes in them.
for dtype, digits in pairs { float16 = 2 ^ -11, bfloat16 = 2 ^ -8 } do
  for what, used in pairs {
    parts = function(x) return x[1] end,
    ["the whole"] = function(x) return (x * 1.0):sum() end,
    both = function(x) return x[{ { 1, 2 } }]:sum() * x[3] end,
  } do
    local x = lt.Variable(lt.ones({ 4 }, { dtype = dtype }))
    local wanted = { parts = { 6000, 0, 0, 0 }, both = { 6000, 6000, 12000, 0 } }
    local tape <close> = lt.GradientTape()
    local terms = {}
    for i = 1, 6000 do terms[i] = used(x) end
    local got = tape:gradient(lt.add_n(terms), x)
    assert(got.dtype == dtype and x.dtype == dtype)
    close(got, numbers(wanted[what] or { 6000, 6000, 6000, 6000 }), digits, 0, what .. " in " .. dtype)
  end
end
-- By way of a value that has a gradient of its own.
do
  local x = lt.Variable(lt.ones({ 2 }, { dtype = "bfloat16" }))
  local tape <close> = lt.GradientTape()
  local y, terms = x * 2, {}
  for i = 1, 1000 do terms[i] = y * 3 end
  local of_y, of_x = table.unpack(tape:gradient(lt.add_n(terms), { y, x }))
  close(of_y, numbers { 3000, 3000 }, 2 ^ -8, 0, "a value used often")
  close(of_x, numbers { 6000, 6000 }, 2 ^ -7, 0, "what it was made of")
end
