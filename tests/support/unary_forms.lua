-- Shared by the specs of functions of one element (tests/ops/unary.lua, activations.lua).
local compare = require "compare"
local golden = require "golden.unary_golden"

local forms = {}

forms.halves = { "float16", "bfloat16" }
forms.floats = { "float16", "bfloat16", "float32", "float64" }
forms.ints = { "int8", "uint8", "int16", "int32", "int64" }
forms.numbers = table.move(forms.floats, 1, 4, 6, table.move(forms.ints, 1, 5, 1, {}))
forms.sizes = { {}, { 1 }, { 3, 0 }, { 7, 65 }, { 2, 1, 2, 1, 1, 2, 1, 3 } }

-- The allowed distance from the golden results: a few units in the last place, or of the smallest number.
local margins = {
  float64 = { 3e-15, 5e-323 }, float32 = { 6e-7, 3e-45 }, float16 = { 6e-4, 6e-8 }, bfloat16 = { 5e-3, 1e-40 },
}

local function as_float32(x) return (string.unpack("<f", string.pack("<f", x))) end

local function largest(dtype) return dtype == "float16" and 65504 or math.huge end

-- Compares f with the golden results of `name` in every float dtype. `looser` widens the margins of the far arguments.
function forms.golden(t, name, f, looser)
  for _, dtype in ipairs(forms.floats) do
    local list = compare.tolerances[dtype][1] > 1e-3 and "halves" or "wide"
    local x, y = golden[list], golden[name][list]
    assert(#x == #y and #x > 40)
    local got = f(lt.constant(x, { dtype = dtype })):totable()
    local relative, absolute = table.unpack(margins[dtype])
    if list == "wide" then relative = relative * (looser or 1) end
    for i = 1, #x do
      local wanted = dtype == "float32" and as_float32(y[i]) or y[i]
      if math.abs(wanted) <= largest(dtype) or wanted ~= wanted then
        local problem = compare.leaves({ got[i] }, { wanted }, relative, absolute)
        t.ok(problem == nil, ("%s %s of %s %s"):format(dtype, name, x[i], problem))
      end
    end
  end
end

-- An element's bits do not depend on its position, on the number of elements, or on the thread that computes it.
function forms.same_everywhere(t, f, low, high)
  for _, dtype in ipairs { "float32", "float64", "bfloat16" } do
    local count = 40001
    local x = (lt.range(count) * ((high - low) / count) + low):cast(dtype)
    local all = f(x)
    for _, first in ipairs { 1, 2, 1021, 16384, 20001, 39990 } do
      local last = math.min(first + 1030, count)
      t.ok(lt.all(lt.eq(f(x[{ { first, last } }]):float64(), all[{ { first, last } }]:float64())):item(),
           ("%s from element %d on"):format(dtype, first))
    end
    for _, i in ipairs { 1, 7, 2048, 2049, 40001 } do t.equal(f(x[i]):item(), all[i]:item()) end
  end
end

-- The tape's gradient of f, in the dtype, at each of a list of numbers.
function forms.slopes(f, points, dtype)
  local x = lt.constant(points, { dtype = dtype or "float64" })
  local tape <close> = lt.GradientTape()
  tape:watch(x)
  return tape:gradient(f(x), x)
end

-- Second derivatives by two tapes, against differences of the first.
function forms.bends(t, f, points)
  local x = lt.constant(points, { dtype = "float64" })
  local outer <close> = lt.GradientTape()
  outer:watch(x)
  local slope
  do
    local inner <close> = lt.GradientTape()
    inner:watch(x)
    slope = inner:gradient(f(x), x)
  end
  local got = outer:gradient(slope, x, { unconnected_gradients = "zero" })
  local step = 1e-5
  local function at(shift)
    local moved = {}
    for i, point in ipairs(points) do moved[i] = point + shift end
    return forms.slopes(f, moved)
  end
  local wanted = ((at(step) - at(-step)) / (2 * step)):totable()
  t.equal(slope, forms.slopes(f, points))
  local problem = compare.leaves(got:totable(), wanted, 1e-6, 1e-7)
  t.ok(problem == nil, ("second derivative: %s"):format(problem))
end

-- In halves the gradient is float32's, rounded.
function forms.half_slopes(t, f, points)
  for _, dtype in ipairs(forms.halves) do
    local got = forms.slopes(f, points, dtype)
    t.ok(got.dtype == dtype, got.dtype)
    local tolerance = compare.tolerances[dtype]
    local problem = compare.leaves(got:totable(), forms.slopes(f, points, "float32"):totable(), tolerance[1], 1e-3)
    t.ok(problem == nil, ("%s gradient: %s"):format(dtype, problem))
  end
end

-- Golden arguments, the same bits everywhere between low and high, the second derivative at `points`, and what `more`
-- checks.
function forms.checks(op, low, high, points, more)
  return function(t)
    forms.golden(t, op, lt[op])
    forms.same_everywhere(t, lt[op], low, high)
    forms.bends(t, lt[op], points)
    if more then more(t) end
  end
end

function forms.keeps_sign_of_zero(t, op)
  t.ok(1 / lt[op](lt.constant(-0.0)):item() == -math.huge, "-0 stays -0")
  t.ok(1 / lt[op](lt.constant(0.0)):item() == math.huge, "0 stays 0")
end

function forms.refuses_bool(op)
  return {
    { args = { { true } }, says = op .. ": x is bool, expected a number" },
    { args = { { 1 }, { axis = 1 } }, says = op .. ": unknown option 'axis'" },
  }
end

local function typed(form, dtypes, result)
  form.samples = form.samples or forms.sizes
  form.dtypes, form.result = form.dtypes or dtypes, result
  return form
end

-- A fraction of whatever number comes in; never of bool.
function forms.fraction(form)
  return typed(form, forms.numbers, function(dtype) return dtype:find("float") and dtype or "float32" end)
end

function forms.same_dtype(form)
  return typed(form, forms.numbers, function(dtype) return dtype end)
end

function forms.question(form) return typed(form, forms.numbers, "bool") end

return forms
