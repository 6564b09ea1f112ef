-- Functions of NumPy, SciPy and PyTorch that are written with ops: NumPy's and SciPy's numbers
-- (make_numpy_functions.py), gradients against finite differences, dtypes, and refused calls.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

lt.config.set_simulated_gpus(1)

local nan, inf = 0 / 0, math.huge
local golden = dofile "tests/support/golden/numpy_functions.lua"

-- Arrays, which have a shape, as tensors, also inside of lists.
local function realise(value)
  if type(value) ~= "table" then return value end
  if value.shape then
    local elements, kind = table.move(value, 1, #value, 1, {}), math.type(value[1]) or type(value[1])
    local dtype = kind == "integer" and "int64" or kind == "boolean" and "bool" or "float64"
    if #elements == 0 then return lt.zeros(value.shape, { dtype = dtype }) end
    return lt.constant(elements, { dtype = dtype }):reshape(value.shape)
  end
  local list = {}
  for k, v in pairs(value) do list[k] = realise(v) end
  return list
end

-- Equal, with nan and with infinities, or apart by few of the last digits.
local function check(got, wanted, tolerance, what)
  expect.equal({ table.unpack(got.shape) }, { table.unpack(wanted.shape) }, what .. ": shape")
  local a, b = got:flatten(), wanted:flatten()
  if got.dtype == "bool" or got.dtype:find "int" then
    return expect.equal(a:totable(), b:totable(), what)
  end
  a, b = a:float64(), b:float64()
  local is_odd = lt.logical_not(b:isfinite())
  expect.equal(a:masked_select(is_odd):totable(), b:masked_select(is_odd):totable(), what .. ": inf and nan")
  local far = lt.abs(a - b):masked_select(is_odd:logical_not())
  local size = lt.abs(b):masked_select(is_odd:logical_not())
  if #far == 0 then return end
  local limit = (size * tolerance + tolerance * math.min(1, size:max():item())):ge(far)
  assert(limit:all():item(), ("%s: %s, expected %s"):format(what, tostring(got), tostring(wanted)))
end

-- Roots come in any order.
local function check_roots(got, real, imaginary, what)
  assert(got.dtype == "complex128" and #got == real.size, what .. ": " .. tostring(got))
  local wanted = lt.complex(real, imaginary)
  if #got == 0 then return end
  local distance = lt.abs(got:expand_dims(2) - wanted)
  assert(distance:min(1):max():item() < 1e-7 and distance:min(2):max():item() < 1e-7, what .. ": " .. tostring(got))
end

local function call(case)
  local args, given = realise(case.args), realise(case.options)
  local is_complex = given.complex
  given.complex = nil
  if next(given) then args[#args + 1] = given end
  return is_complex, table.pack(lt[case.op](table.unpack(args)))
end

local function check_golden()
  for i, case in ipairs(golden) do
    local what = ("%s, case %d"):format(case.op, i)
    local ok, is_complex, results = pcall(call, case)
    if not ok then error(what .. ": " .. tostring(is_complex)) end
    local wanted = realise(case.gives)
    if is_complex then
      check_roots(results[1], wanted[1], wanted[2], what)
    else
      expect.equal(results.n, #wanted, what .. ": results")
      for k, each in ipairs(wanted) do check(results[k], each, 2e-12, ("%s, result %d"):format(what, k)) end
    end
  end
end

expect.case("NumPy's and SciPy's numbers", function()
  local scope <close> = lt.device("/CPU:0")
  check_golden()
end)

expect.case("on a GPU", function()
  local scope <close> = lt.device("/GPU:0")
  check_golden()
end)

-- The gradient of a sum with unequal weights, and central differences.
local function check_gradient(what, f, ...)
  local xs = {}
  for i, x in ipairs { ... } do xs[i] = lt.constant(x, { dtype = "float64" }) end
  local function loss(list)
    local sum
    for _, y in ipairs { f(table.unpack(list)) } do
      local weights = lt.sin(lt.range(1, y.size + 1, 1, { dtype = "float64" }) * 1.7):reshape(y.shape)
      local term = (y * weights + 0.25 * y * y):sum()
      sum = sum and sum + term or term
    end
    return sum
  end
  local tape <close> = lt.GradientTape()
  tape:watch(xs)
  local slopes = tape:gradient(loss(xs), xs)
  for i, x in ipairs(xs) do
    local flat, found = x:flatten():totable(), {}
    if x.rank == 0 then flat = { x:item() } end
    for k = 1, #flat do
      local function at(value)
        local moved, list = table.move(flat, 1, #flat, 1, {}), table.move(xs, 1, #xs, 1, {})
        moved[k] = value
        list[i] = lt.constant(moved, { dtype = "float64" }):reshape(x.shape)
        return loss(list):item()
      end
      local h = 1e-5 * math.max(1, math.abs(flat[k]))
      found[k] = (at(flat[k] + h) - at(flat[k] - h)) / (2 * h)
    end
    assert(slopes[i], what .. " has no gradient")
    expect.close(slopes[i]:reshape({ -1 }):totable(), found, 2e-7, ("%s, gradient %d"):format(what, i))
  end
end

expect.case("gradients", function()
  local m, n = { { 1.5, -2.0, 0.5 }, { 0.25, 3.0, -1.0 } }, { { 2.0, 1.0 }, { -0.5, 1.5 }, { 0.75, -3.0 } }
  local square = { { 4.0, 1.0, 0.5 }, { -1.0, 3.0, 0.25 }, { 0.5, 2.0, 5.0 } }
  local v, w = { 1.5, -0.5, 2.0 }, { 0.5, 2.5, 1.0 }
  check_gradient("tensordot", function(a, b) return (lt.tensordot(a, b, { 2, 1 })) end, m, n)
  check_gradient("inner", lt.inner, m, { v, w })
  check_gradient("vdot", lt.vdot, v, w)
  check_gradient("multi_dot", function(a, b, c) return (lt.multi_dot { a, b, c }) end, m, n, { 1.0, 2.0 })
  check_gradient("block_diag", lt.block_diag, m, v, 2.0)
  check_gradient("vander", lt.vander, { 1.5, 0.0, -2.0 })
  check_gradient("sinc", lt.sinc, { 0.0, 1e-3, -0.1, 0.159, 0.16, 1.5, -2.25 })
  check_gradient("copysign", function(a) return (lt.copysign(a, { -1.0, -2.0, 0.5 })) end, { 1.5, -2.0, 3.0 })
  check_gradient("logaddexp2", lt.logaddexp2, { 1.5, -2.0, 30.0 }, { -1.0, 2.0, 0.5 })
  check_gradient("deg2rad", lt.deg2rad, v)
  check_gradient("rad2deg", lt.rad2deg, v)
  check_gradient("logcumsumexp", function(x) return (lt.logcumsumexp(x, 2)) end, m)
  check_gradient("cumulative_trapezoid", function(y, x)
    return (lt.cumulative_trapezoid(y, { x = x, initial = 1 }))
  end, m, v)
  check_gradient("trapezoid", function(y, x) return (lt.trapezoid(y, { x = x })) end, m, v)
  for order = 1, 2 do
    check_gradient("gradient", function(y, x) return (lt.gradient(y, x, { axis = 2, edge_order = order })) end, m, { -1.0, 0.5, 3.0 })
  end
  for _, p in ipairs { 3, 0.5, -1, -inf } do
    check_gradient("norm " .. p, function(x) return (lt.norm(x, 2, { ord = p })) end, m)
  end
  check_gradient("norm nuc", function(x) return (lt.norm(x, { ord = "nuc" })) end, square)
  -- Without ties of differences, and none of 0.
  local apart = { { 4.0, 1.1, 0.6 }, { -1.3, 3.1, 0.25 }, { 0.5, 2.0, 5.0 } }
  for _, p in ipairs { 1, 3, inf } do
    check_gradient("cdist " .. p, function(a, b) return (lt.cdist(a, b, { p = p })) end, m, apart)
  end
  for _, metric in ipairs { "cosine", "correlation", "sqeuclidean", "canberra", "braycurtis" } do
    check_gradient("cdist " .. metric, function(a, b) return (lt.cdist(a, b, { metric = metric })) end, m, apart)
  end
  check_gradient("average", function(x, by) return lt.average(x, 2, { weights = by, returned = true }) end, m, w)
  check_gradient("std_mean", function(x) return lt.std_mean(x, 2, { ddof = 1 }) end, m)
  check_gradient("var_mean", lt.var_mean, m)
  check_gradient("nanquantile", function(x)
    local holes = lt.concat({ x, lt.fill({ 2, 1 }, nan, { dtype = "float64" }) }, 2)
    return (lt.nanquantile(holes, 0.3, 2))
  end, m)
  check_gradient("logdet", lt.logdet, square)
  for _, p in ipairs { 2, -2, 1, inf, "fro", "nuc" } do
    check_gradient("cond " .. p, function(x) return (lt.cond(x, { p = p })) end, square)
  end
  check_gradient("diag_embed", function(x) return (lt.diag_embed(x, { offset = -1 })) end, m)
  check_gradient("fill_diagonal", lt.fill_diagonal, m, w)
  check_gradient("moveaxis", function(x) return (lt.moveaxis(x, 1, 2)) end, m)
  check_gradient("rot90", lt.rot90, m)
  check_gradient("reverse_sequence", function(x) return (lt.reverse_sequence(x, { 2, 3 })) end, m)
  check_gradient("dynamic_partition", function(x) return table.unpack(lt.dynamic_partition(x, { 2, 1, 2 }, 2)) end, v)
  check_gradient("unique_consecutive", lt.unique_consecutive, v)
  check_gradient("fmax", lt.fmax, { 1.5, 0 / 0, 2.0 }, { 0.5, 2.5, 3.0 })
  check_gradient("exp2", lt.exp2, v)
  check_gradient("ptp", function(x) return (lt.ptp(x, 2)) end, m)
  check_gradient("nancumsum", function(x) return (lt.nancumsum(x, 2)) end, m)
  check_gradient("unwrap", lt.unwrap, { 0.5, 3.0, -3.0, 1.0 })
  check_gradient("vecdot", lt.vecdot, v, w)
  check_gradient("pdist", lt.pdist, m)
  check_gradient("pairwise_distance", lt.pairwise_distance, v, w)
  check_gradient("column_stack", function(a, b) return (lt.column_stack { a, b }) end, v, w)
  check_gradient("combinations", lt.combinations, v)
  check_gradient("pad_sequences", function(a, b) return (lt.pad_sequences { a, b }) end, { 1.5 }, w)
  check_gradient("roots", function(p)
    local found = lt.roots(p)
    return lt.real(found), (lt.imag(found))
  end, { 2.0, -3.0, 4.0, 1.0 })
  check_gradient("poly", lt.poly, v)
  check_gradient("polyadd", lt.polyadd, v, { 1.0, 2.0 })
  check_gradient("polymul", lt.polymul, v, { 1.0, 2.0 })
  check_gradient("polyder", lt.polyder, v)
  check_gradient("polyint", lt.polyint, v)
  check_gradient("bessel_i0", lt.bessel_i0, { 0.0, 0.5, -1.5 })
  check_gradient("bessel_i0", lt.bessel_i0, { 7.9, 8.5 })
  check_gradient("confusion_matrix", function(by)
    return (lt.confusion_matrix({ 1, 2, 2 }, { 2, 2, 1 }, { weights = by }))
  end, w)

  -- Where a formula alone would give nan.
  local x = lt.constant { 0.0, inf, -inf }
  local tape <close> = lt.GradientTape { persistent = true }
  tape:watch(x)
  local at_zero = x[1]
  expect.equal(tape:gradient(lt.logaddexp2(x, x):sum(), x):totable(), { 1, 1, 1 }, "logaddexp2")
  expect.equal(tape:gradient(lt.logaddexp2(x, -x)[1], x):totable(), { 0, 0, 0 }, "logaddexp2 of opposites")
  expect.equal(tape:gradient(lt.sinc(at_zero), x):totable(), { 0, 0, 0 }, "sinc")
  expect.equal(tape:gradient(lt.bessel_i0(x)[1], x):totable(), { 0, 0, 0 }, "bessel_i0")
  -- The second derivative at 0.
  local zero = lt.constant(0.0, { dtype = "float64" })
  local outer <close> = lt.GradientTape()
  outer:watch(zero)
  local inner <close> = lt.GradientTape()
  inner:watch(zero)
  expect.close(outer:gradient(inner:gradient(lt.sinc(zero), zero), zero):item(), -math.pi ^ 2 / 3, 1e-12, "sinc")
end)

expect.case("dtypes", function()
  local half = lt.constant({ 1.5, 2.0 }, { dtype = "float16" })
  for _, name in ipairs { "deg2rad", "rad2deg", "sinc", "logcumsumexp", "average", "bessel_i0" } do
    expect.equal(lt[name](half).dtype, "float16", name)
    expect.equal(lt[name]({ 1, 2 }).dtype, "float32", name .. " of integers")
  end
  for _, name in ipairs { "copysign", "logaddexp2" } do
    expect.equal(lt[name](half, half).dtype, "float16", name)
    expect.equal(lt[name]({ 1, 2 }, { 3, 4 }).dtype, "float32", name .. " of integers")
  end
  local small = lt.constant({ 200 }, { dtype = "uint8" })
  expect.equal(lt.gcd(small, small:int8()).dtype, "int16")
  expect.equal(lt.gcd({ 1 }, { 1 << 40 }).dtype, "int64")
  expect.equal(lt.vander({ 1, 2 }).dtype, "int64")
  expect.equal(lt.block_diag({ 1 }, { 2.5 }).dtype, "float32")
  expect.equal(lt.fill_diagonal(lt.ones({ 2, 2 }, { dtype = "float64" }), 3).dtype, "float64")
  expect.equal(lt.logspace(0, 2, 3, { dtype = "int32" }):totable(), { 1, 10, 100 })
  expect.equal(lt.geomspace(1, 8, 4).dtype, "float32")
  expect.equal(lt.polyder({ 3, 2, 1 }).dtype, "int32")
  expect.equal(lt.polyint({ 3, 2 }).dtype, "float32")
  expect.equal(lt.roots({ 1, -3, 2 }).dtype, "complex64")
  expect.equal(lt.nanargmax({ 1, 5, 5 }):item(), 2, "integers have no nan")
  expect.equal(lt.diag_embed({ true }).dtype, "bool")
  expect.equal(lt.confusion_matrix({ 1 }, { 1 }, { weights = { 0.5 } }).dtype, "float32")
  -- Few last digits in float32.
  local x = lt.range(-40, 41):float64() * 0.37
  for _, name in ipairs { "sinc", "bessel_i0" } do
    local wanted = lt[name](x:float32():float64())
    local far = lt.abs(lt[name](x:float32()):float64() - wanted) / lt.maximum(lt.abs(wanted), 0.1)
    assert(far:max():item() < 3e-6, name)
  end
end)

expect.case("complex numbers", function()
  local z, i = lt.complex({ 1.0, 2.0 }, { 2.0, -1.0 }), lt.complex(0.0, 1.0)
  expect.equal(lt.vdot(z, z):real():item(), 10.0, "conjugates")
  expect.equal(lt.vdot(z, lt.mul(z, i)):imag():item(), 10.0, "the first one")
  expect.equal(lt.inner(z, z):imag():item(), 0.0, "and inner does not")
  expect.equal(lt.tensordot(z, z, 1):real():item(), 0.0)
  expect.equal(lt.average(z):real():item(), 1.5)
  expect.equal(lt.count_nonzero(lt.complex({ 0.0, 0.0 }, { 0.0, 1.0 })):item(), 1)
  expect.equal(lt.poly(lt.complex({ 0.0, 0.0 }, { 1.0, -1.0 })):real():totable(), { 1, 0, 1 })
  expect.close(lt.roots(lt.complex({ 1.0, 0.0 }, { 0.0, 1.0 })):imag():item(), -1.0, 1e-6)
  expect.equal(lt.vander(z, { n = 3 })[1]:imag():totable(), { 4, 2, 0 })
end)

expect.case("edges", function()
  expect.equal(lt.signbit({ nan }):totable(), { false }, "a nan's sign is not seen")
  expect.equal(lt.gcd(math.mininteger, 6):item(), 2)
  expect.equal(lt.lcm({ 0, 0 }, { 0, 4 }):totable(), { 0, 0 })
  expect.equal(lt.vander(lt.zeros { 0 }).shape, { 0, 0 })
  expect.equal(lt.inner(lt.ones { 2, 0 }, lt.ones { 3, 0 }):totable(), { { 0, 0, 0 }, { 0, 0, 0 } })
  expect.equal(lt.vdot(lt.zeros { 0 }, lt.zeros { 0 }):item(), 0.0)
  expect.equal(lt.multi_dot({ lt.ones { 2, 0 }, lt.ones { 0, 2 } }):totable(), { { 0, 0 }, { 0, 0 } })
  expect.equal(lt.logcumsumexp(lt.zeros { 0 }).shape, { 0 })
  expect.equal(lt.logcumsumexp(3.0):item(), 3.0)
  expect.equal(lt.average({ 1, 2 }, { weights = { 1, -1 } }):item(), -inf, "weights whose sum is 0")
  assert(lt.isnan(lt.average(lt.zeros { 0 })):item())
  expect.equal(select(2, lt.average(lt.zeros { 0, 2 }, 1, { returned = true })):totable(), { 0, 0 })
  expect.equal(lt.count_nonzero(lt.zeros { 0 }):item(), 0)
  assert(lt.isnan(lt.nanquantile(lt.zeros { 0 }, 0.5)):item() and lt.isnan(lt.nanquantile({ nan }, 0.5)):item())
  expect.equal(lt.nanquantile(lt.ones { 0, 2 }, 0.5, 2).shape, { 0 })
  expect.equal(lt.nanargmax({ nan }):item(), 0)
  expect.equal(lt.logdet(lt.zeros { 0, 0 }):item(), 0.0)
  expect.equal(lt.cond({ { inf, 1.0 }, { 0.0, 1.0 } }):item(), inf)
  expect.equal(lt.diag_embed(lt.zeros { 0 }, { offset = 1 }):totable(), { { 0 } })
  expect.equal(lt.rot90({ { 1, 2 } }, { k = math.mininteger }):totable(), { { 1, 2 } })
  expect.equal(lt.reverse_sequence(lt.zeros { 2, 0 }, { 0, 0 }).shape, { 2, 0 })
  local y = lt.constant { { 1, 2, 4 }, { 3, 4, 9 } }
  local down, across = table.unpack(lt.gradient(y, { 1, { 0, 1, 3 } }, { axis = { 1, 2 } }))
  expect.equal({ down:totable(), across:totable() }, { { { 2, 2, 5 }, { 2, 2, 5 } }, { { 1, 1, 1 }, { 1, 1.5, 2.5 } } })
  expect.equal(lt.gradient(y, { axis = { -1 } })[1]:totable(), { { 1, 1.5, 2 }, { 1, 3, 5 } })
  local counts, edges = lt.histogram(lt.zeros { 0 }, { 0, 1, 2 })
  expect.equal({ counts:totable(), edges:totable(), counts.dtype }, { { 0, 0 }, { 0, 1, 2 }, "int64" })
  expect.equal(lt.constant({ 1.0, 2.0 }):histogram { bins = { 0, 1.5, 3 } }:totable(), { 1, 1 })
  lt.device("/CPU:0", function()
    -- An infinity reaches the results that it is a part of, and no other; integers wrap.
    local v = lt.ones { 100 }
    local all = lt.convolve(lt.concat { lt.ones { 300 }, { inf }, lt.ones { 300 } }, v)
    expect.equal(lt.nonzero(all:isinf()):flatten():totable(), lt.range(301, 401):totable())
    expect.equal(all[{ { 401, 601 } }]:max():item(), 100.0)
    expect.equal(lt.convolve(lt.constant({ 100, 100 }, { dtype = "int8" }), lt.constant({ 1, 1 }, { dtype = "int8" })):totable(), { 100, -56, 100 })
    local large = math.maxinteger - 1
    expect.equal(lt.correlate({ large, 1, 2 }, { 1, 1 }):totable(), { math.maxinteger, 3 })
    -- isin by comparing, by a table of flags, by hashes.
    for _, n in ipairs { 3, 60, 3000 } do
      for _, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64" } do
        local values = lt.random.randint({ n }, 0, 100, { seed = n }):cast(dtype)
        local wanted, known = {}, {}
        for _, value in ipairs(values:totable()) do known[value] = true end
        for value = 0, 120 do wanted[value + 1] = known[value] == true end
        local x = lt.range(0, 121):cast(dtype)
        expect.equal(lt.isin(x, values):totable(), wanted, dtype)
        expect.equal(lt.isin(x, values, { invert = true }):logical_not():totable(), wanted, dtype)
      end
    end
    local far = lt.constant { math.mininteger, -1, 0, 1, math.maxinteger }
    for _, more in ipairs { {}, lt.range(100, 130):totable() } do
      local values = lt.concat { far, lt.constant(more, { dtype = "int64" }) }
      expect.equal(lt.isin({ math.maxinteger, 5, -1, math.mininteger, math.mininteger + 1 }, values):totable(), { true, false, true, true, false })
      values = lt.concat { { 0.0, inf, nan, 0.1 }, lt.constant(more, { dtype = "float32" }) }
      expect.equal(lt.isin({ -0.0, inf, -inf, nan, 0.1 }, values):totable(), { true, true, false, false, true })
    end
    expect.equal(lt.isin({ true, false }, { true }):totable(), { true, false })
    expect.equal(lt.nonzero({ 0.0, nan, -0.0, 2.0 }):totable(), { { 2 }, { 4 } })
  end)
  -- At 0 a norm has no slope.
  local tape <close> = lt.GradientTape()
  local zero = lt.zeros { 2 }
  tape:watch(zero)
  expect.equal(tape:gradient(zero:norm { ord = 3 }, zero):totable(), { 0, 0 })
  expect.equal(lt.norm({ 3, 4 }, { ord = 0 }):item(), 2.0)
  expect.equal(lt.cdist(lt.zeros { 0, 2 }, lt.ones { 3, 2 }, { p = 1 }).shape, { 0, 3 })
  expect.equal(lt.cdist({ { { 0, 0 } } }, { { { 3, 4 } } }):totable(), { { { 5 } } })
  expect.equal(lt.trapezoid(lt.zeros { 0 }, { x = lt.zeros { 0 } }):item(), 0.0)
  expect.equal(#lt.unique_consecutive(lt.zeros { 0 }), 0)
  expect.equal(#lt.unique_consecutive { nan, nan, 1.0 }, 3, "a nan equals nothing")
  local value, inverse, count = lt.unique_consecutive(5, { return_inverse = true, return_counts = true })
  expect.equal({ value:totable(), inverse:item(), count:totable() }, { { 5 }, 1, { 1 } })
  expect.equal(lt.ravel_multi_index({ { 2, 3 }, { -1, -1 } }, { 4, 6 }):totable(), { 9, 24 }, "from the end")
  expect.equal(lt.unravel_index(lt.ravel_multi_index({ { 2, 3 } }, { 4, 6 }), { 4, 6 }):totable(), { { 2, 3 } })
  expect.equal(lt.ravel_multi_index({ 2 }, 4):item(), 2)
  expect.equal(lt.lexsort({ { nan, 1.0, nan }, { 1, 1, 0 } }):totable(), { 3, 2, 1 })
  expect.equal(lt.digitize({ nan }, { 1.0, 2.0 }):item(), 3)
  expect.equal(lt.digitize({ 7 }, lt.zeros { 0 }):item(), 1)
  local range = { { 0, 2 }, { 0, 2 } }
  expect.equal(lt.histogram2d({ nan, 1 }, { 1.0, 2 }, { bins = 1, range = range }):totable(), { { 1 } })
  expect.equal(lt.setxor1d({ 1, nan }, { nan, 2 }):totable(), { 1, 2 }, "all nans are one value")
  local none = lt.zeros({ 0 }, { dtype = "int32" })
  expect.equal(lt.confusion_matrix(none, none).shape, { 0, 0 })
  expect.equal(lt.confusion_matrix(none, none, { classes = 1 }):totable(), { { 0 } })
  local function lists(...)
    local found = {}
    for i, part in ipairs(lt.dynamic_partition(...)) do found[i] = part:totable() end
    return found
  end
  expect.equal(lists({ 10, 20, 30 }, { 2, 1, 2 }, 3), { { 20 }, { 10, 30 }, {} })
  expect.equal(lists({ { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 2, 1 } }, 2), { { 1, 4 }, { 2, 3 } })
  expect.equal(lists({ { 1, 2 }, { 3, 4 } }, { 2, 1 }, 2), { { { 3, 4 } }, { { 1, 2 } } })
  expect.equal(lists(5, 1, 2), { { 5 }, {} })
  expect.equal(#lt.roots { 0, 0 }, 0)
  assert(lt.isnan(lt.real(lt.roots { 1, nan })):item())
  expect.equal(lt.polyadd(lt.zeros { 0 }, { 1 }):totable(), { 1 })
  expect.equal(#lt.polyder({ 3.0 }, { m = 5 }), 0)
  expect.equal(lt.polyint(lt.zeros { 0 }, { k = 2 }):totable(), { 2 })
  expect.equal(lt.poly(lt.zeros { 0, 0 }):totable(), { 1 })
end)

expect.case("refused calls", function()
  -- A GPU finds such indices late.
  local scope <close> = lt.device("/CPU:0")
  local function refuses(text, name, ...) expect.raises("InvalidArgument", name .. ": " .. text, lt[name], ...) end
  -- Each position without a value, or with a wrong one.
  for name, args in pairs {
    tensordot = { { 1 }, { 1 } }, inner = { 1, 1 }, vdot = { 1, 1 }, vander = { { 1 } }, deg2rad = { 1 },
    rad2deg = { 1 }, sinc = { 1 }, signbit = { 1 }, copysign = { 1, 1 }, logaddexp2 = { 1, 1 }, isposinf = { 1 },
    isneginf = { 1 }, gcd = { 1, 1 }, lcm = { 1, 1 }, logcumsumexp = { { 1 } }, cumulative_trapezoid = { { 1 } },
    average = { 1 }, std_mean = { 1 }, var_mean = { 1 }, count_nonzero = { 1 }, nanquantile = { { 1 } }, nanargmax = { { 1 } },
    nanargmin = { { 1 } }, logdet = { { { 1 } } }, cond = { { { 1 } } }, diag_embed = { { 1 } },
    fill_diagonal = { { { 1 } }, 1 }, rot90 = { { { 1 } } }, reverse_sequence = { { { 1 } }, { 1 } },
    unique_consecutive = { { 1 } }, ravel_multi_index = { { 1 } }, digitize = { 1, 1 }, histogram2d = { { 1 }, { 1 } },
    setxor1d = { 1, 1 }, confusion_matrix = { { 1 }, { 1 } }, dynamic_partition = { { 1 }, { 1 } }, roots = { { 1 } },
    poly = { { 1 } }, polyadd = { { 1 }, { 1 } }, polymul = { { 1 }, { 1 } }, polyder = { { 1 } }, polyint = { { 1 } },
    atleast_1d = { 1 }, atleast_2d = { 1 }, atleast_3d = { 1 }, column_stack = { { 1 } }, dstack = { { 1 } },
    array_split = { { 1 }, 1 }, broadcast_arrays = { 1, 1 }, cartesian_prod = { 1, 1 }, combinations = { { 1 } },
    pad_sequences = { { { 1 } } }, unwrap = { { 1 } }, nancumsum = { 1 }, nancumprod = { 1 }, ptp = { 1 },
    fmax = { 1, 1 }, fmin = { 1, 1 }, exp2 = { 1 }, vecdot = { { 1 }, { 1 } }, pdist = { { { 1 } } },
    pairwise_distance = { { 1 }, { 1 } }, bessel_i0 = { 1 }, moveaxis = { { 1 } }, swapaxes = { { 1 } },
  } do
    for i = 1, #args do
      for _, wrong in ipairs { false, "x", print, lt.GradientTape } do
        local list = table.move(args, 1, #args, 1, {})
        list[i] = wrong or nil
        local problem = expect.raises("InvalidArgument", name .. ": ", lt[name], table.unpack(list, 1, #args))
        assert(problem.message:find "expected", problem.message)
      end
    end
  end
  refuses("axes is 2, and a has 1 axis, b 1", "tensordot", { 1, 2 }, { 3, 4 })
  refuses("axes is 1.5, expected a whole number, 0 or more", "tensordot", { 1 }, { 1 }, 1.5)
  refuses("axes is a list of 1, expected a count, or {axes of a, axes of b}", "tensordot", { 1 }, { 1 }, { 1 })
  refuses("axes[2] lists axis 2, and b has 1 axis", "tensordot", { 1 }, { 1 }, { 1, 2 })
  refuses("axes[1] lists axis 1 twice", "tensordot", { 1 }, { 1 }, { { 1, 1 }, { 1, 1 } })
  refuses("axis 1 of a has 2 elements, and axis 1 of b has 3", "tensordot", { 1, 2 }, { 3, 4, 5 }, 1)
  refuses("the result would have 10 axes", "tensordot", lt.ones { 1, 1, 1, 1, 1 }, lt.ones { 1, 1, 1, 1, 1 }, 0)
  refuses("4 arguments given, at most 3 are taken", "tensordot", { 1 }, { 1 }, 1, 1)
  refuses("a is bool, expected a number", "inner", { true }, { 1 })
  refuses("a (2,) has 2 elements, and b (3,) has 3", "vdot", { 1, 2 }, { 1, 2, 3 })
  refuses("list has 1 entries, expected two matrices or more", "multi_dot", { { { 1 } } })
  refuses("list is a tensor, expected a list", "multi_dot", lt.ones { 2, 2, 2 })
  refuses("list[1] has 2 columns, and list[2] has 3 rows", "multi_dot", { { 1, 2 }, { 3, 4, 5 } })
  local ones = lt.ones { 2, 2 }
  refuses("list[2] has the shape (2,), expected a matrix", "multi_dot", { ones, { 1, 2 }, ones })
  refuses("no matrices are given", "block_diag")
  refuses("argument 1 has the shape (1, 1, 1), expected a matrix", "block_diag", lt.ones { 1, 1, 1 })
  refuses("x has the shape (1, 1), expected a vector", "vander", { { 1 } })
  refuses("options is 3, expected a table of options", "vander", { 1 }, 3)
  refuses("x is complex64, expected a real number", "sinc", lt.complex(1, 2))
  refuses("a is float32, expected integers", "lcm", { 12.0 }, { 18 })
  refuses("a is bool, expected integers", "lcm", { true }, { 18 })
  refuses("stop is nan, expected a finite number", "logspace", 0, -(0 / 0), 3)
  refuses("n is nil, expected a whole number", "logspace", 0, 2)
  refuses("base is -1, expected a number above 0", "logspace", 0, 2, 3, { base = -1 })
  refuses("start is 0.0 and stop is 8.0, expected numbers other than 0 of the same sign", "geomspace", 0, 8, 4)
  refuses("start is a table, expected a finite number", "geomspace", { 1 }, 8, 4)
  refuses("axis is 2, and x has 1 axis", "logcumsumexp", { 1 }, 2)
  refuses("axis is given twice", "logcumsumexp", { 1 }, 1, { axis = 1 })
  refuses("unknown option 'ax'", "logcumsumexp", { 1 }, { ax = 1 })
  refuses("bins are edges in another order", "histogram", { 1.0 }, { 0, 2, 1 })
  refuses("bins of x has the shape (1,), expected a number, or two edges or more", "histogram", { 1.0 }, { 0 })
  refuses("weights has the shape (1,), expected x's, (2,)", "histogram", { 1.0, 2.0 }, 2, { weights = { 1 } })
  refuses("range is 3, expected {lowest, highest}", "histogram", { 1.0 }, 2, { range = 3 })
  refuses("a range goes with a number of bins", "histogram", { 1.0 }, { 0, 1 }, { range = { 0, 1 } })
  refuses("the range is from 2 to 1", "histogram", { 1.0 }, 2, { range = { 2, 1 } })
  refuses("dx has the shape (2,), expected a number, or the places of the 3 samples along axis 1", "gradient", { 1, 2, 4 }, { 1, 2 })
  refuses("x (2,) has 2 elements along axis 1, expected 3 or more", "gradient", { 1, 2 }, { 1, 2 }, { edge_order = 2 })
  refuses("dx lists 1 distances, and axis 2 axes", "gradient", lt.ones { 3, 3 }, { 1 }, { axis = { 1, 2 } })
  refuses("dx and x are given", "trapezoid", { 1, 2 }, { dx = 1, x = { 1, 2 } })
  refuses("x has the shape (3,), expected a vector of 2 numbers", "trapezoid", { 1, 2 }, { x = { 1, 2, 3 } })
  refuses('ord is "two", expected a number, math.huge, -math.huge, "fro" or "nuc"', "norm", { 1, 2 }, { ord = "two" })
  refuses('ord = "nuc" is of matrices', "norm", { 1, 2 }, { ord = "nuc" })
  refuses("metric is \"cosin\", which is not known (did you mean 'cosine'?)", "cdist", { { 1 } }, { { 1 } }, { metric = "cosin" })
  refuses('p goes with metric = "minkowski", and metric is "cosine"', "cdist", { { 1 } }, { { 1 } }, { metric = "cosine", p = 1 })
  refuses("p is -1, expected", "cdist", { { 1 } }, { { 1 } }, { p = -1 })
  refuses("a (1, 1) and b (1, 2) do not match", "cdist", { { 1 } }, { { 1, 2 } }, { p = 1 })
  refuses("y (0,) has no samples along axis 1", "cumulative_trapezoid", lt.zeros { 0 })
  refuses("x has the shape (1,), expected a vector of 2 numbers", "cumulative_trapezoid", { 1, 2 }, { x = { 1 } })
  refuses("weights has the shape (2,), expected x's, (1, 2), or an axis beside it", "average", { { 1, 2 } },
    { weights = { 1, 3 } })
  refuses("weights has the shape (2,), expected x's, (1, 2), or that of the axes, (1,)", "average", { { 1, 2 } }, 1,
    { weights = { 1, 3 } })
  refuses("returned is 1, expected true or false", "average", { 1 }, { returned = 1 })
  refuses("q is 2, expected a number of 0 to 1", "nanquantile", { 1 }, 2)
  refuses("q is 101, expected a number of 0 to 100", "nanpercentile", { 1 }, 101)
  refuses('method is "x", which is not known', "nanquantile", { 1 }, 0.5, { method = "x" })
  refuses("axis lists axis 3, and x has 1 axis", "nanquantile", { 1 }, 0.5, 3)
  refuses("nanmax: x (0,) has no elements", "nanargmax", lt.zeros { 0 })
  refuses("x has the shape (1, 2), expected square matrices unless p is 2 or -2", "cond", { { 1, 2 } }, { p = 1 })
  refuses("p is 3, expected 1, -1, 2, -2", "cond", { { 1 } }, { p = 3 })
  refuses("x has the shape (0, 0), and a matrix without elements has no condition", "cond", lt.zeros { 0, 0 })
  refuses("offset is 0.5, expected a whole number", "diag_embed", { 1 }, { offset = 0.5 })
  refuses("offset is -9223372036854775808, expected at most", "diag_embed", { 1 }, { offset = math.mininteger })
  refuses("the shape (1073741825, 1073741825) has more elements", "diag_embed", { 1 }, { offset = 1 << 30 })
  expect.raises("ResourceExhausted", "diag_embed: ", lt.diag_embed, { 1 }, { offset = 1 << 22 })
  refuses("value is float32, and x is int32", "fill_diagonal", { { 1 } }, 0.5)
  expect.raises("InvalidArgument", "fill_diagonal: ", lt.fill_diagonal, lt.constant({ { 1 } }, { dtype = "int8" }), 300)
  refuses("x has the shape (2, 3, 2), expected axes of one size", "fill_diagonal", lt.ones { 2, 3, 2 }, 0)
  refuses("value (0,) has no elements", "fill_diagonal", { { 1 } }, lt.zeros { 0 })
  refuses("source lists 2 axes, and destination 1", "moveaxis", { { 1 } }, { 1, 2 }, 1)
  refuses("destination is nil, expected a whole number", "moveaxis", { { 1 } }, 1)
  refuses("axis is 3, and x has 2 axes", "swapaxes", { { 1 } }, 1, 3)
  refuses("axes lists 1 axes, expected two", "rot90", { { 1 } }, { axes = { 1 } })
  refuses("lengths has the shape (2,), expected a vector of 1 numbers", "reverse_sequence", { { 1 } }, { 1, 2 })
  refuses("axis and batch_axis are both 1", "reverse_sequence", { { 1 } }, { 1 }, { axis = 1 })
  expect.raises("OutOfRange", "index 4 is past the axis' end (3)", lt.reverse_sequence, { { 1, 2, 3 } }, { 4 })
  refuses("take_along_axis: index 0", "reverse_sequence", { { 1, 2, 3 } }, { -1 })
  refuses("gather: index 0", "ravel_multi_index", { 0, 3 }, { 4, 6 })
  expect.raises("OutOfRange", "ravel_multi_index: ", lt.ravel_multi_index, { 5, 3 }, { 4, 6 })
  refuses("shape has more elements than there are positions", "ravel_multi_index", { 1, 1 },
    { 1 << 40, 1 << 40 }, { mode = "clip" })
  refuses("keys is empty, expected a key or more", "lexsort", {})
  refuses("keys[2] has the shape (1,), and keys[1] (2,)", "lexsort", { { 1, 2 }, { 1 } })
  refuses("bins has the shape (1, 1), expected a vector", "digitize", { 1 }, { { 1 } })
  refuses("x has 1 elements, and y 2", "histogram2d", { 1.0 }, { 1.0, 3.0 })
  refuses("bins is 0, expected a whole number, 1 or more", "histogram2d", { 1 }, { 1 }, { bins = 0 })
  refuses("bins of x has the shape (1,), expected a number, or two edges or more", "histogram2d", { 1 }, { 1 },
    { bins = { 2 } })
  refuses("the range of x is from 2 to 1, expected finite numbers in order", "histogram2d", { 1 }, { 1 },
    { range = { { 2, 1 }, { 1, 2 } } })
  expect.raises("OutOfRange", "confusion_matrix: ", lt.confusion_matrix, { 3 }, { 1 }, { classes = 2 })
  refuses("gather: index 0", "confusion_matrix", { 1 }, { -1 })
  expect.raises("OutOfRange", "dynamic_partition: ", lt.dynamic_partition, { 1 }, { 4 }, 3)
  refuses("n is 0, expected a whole number, 1 or more", "dynamic_partition", { 1 }, { 1 }, 0)
  refuses("partitions has the shape (1,), expected x's first axes", "dynamic_partition", { 1, 2 }, { 1 }, 1)
  refuses("p has the shape (1, 1), expected a vector", "roots", { { 1 } })
  refuses("a has no coefficients", "polymul", lt.zeros { 0 }, { 1 })
  refuses("k lists 1 constants, expected 2", "polyint", { 3 }, { m = 2, k = { 1 } })
  refuses("beta is 1000000000.0, expected a number from -700 to 700", "kaiser_window", 4, 1e9)
  refuses("n is -1, expected a whole number, 0 or more", "bartlett_window", -1)
end)
expect.end_of_cases()
