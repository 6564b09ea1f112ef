-- Activations that cut or shrink their input, and sparse ones.
local lutra, tools, use = ...
local options, arguments = use "options", use "functions.arguments"

local shrinking = {}

local inexact, of_wide = arguments.inexact, arguments.of_wide

-- The options, of which the first, a number, may stand without its name.
local function read(who, given, name, defaults)
  if type(given) == "number" then given = { [name] = given } end
  local all = options.read(who, given, defaults)
  for key in pairs(defaults) do options.number(who, key, all[key]) end
  return all
end

function shrinking.hardtanh(x, given)
  local all = read("hardtanh", given, "max", { min = -1, max = 1 })
  if all.min > all.max then
    tools.fail("InvalidArgument", ("hardtanh: min is %g and max is %g, expected min below max"):format(all.min, all.max))
  end
  return (lutra.clip(inexact("hardtanh", "x", x), all.min, all.max))
end

local function threshold_of(who, given)
  return options.number(who, "threshold", read(who, given, "threshold", { threshold = 0.5 }).threshold, 0)
end

function shrinking.hardshrink(x, given)
  local threshold = threshold_of("hardshrink", given)
  x = inexact("hardshrink", "x", x)
  return (lutra.where(lutra.abs(x):le(threshold), 0, x))
end

shrinking.softshrink = of_wide("softshrink", function(x, given)
  local threshold = threshold_of("softshrink", given)
  return x - lutra.clip(x, -threshold, threshold)
end)

shrinking.tanhshrink = of_wide("tanhshrink", function(x) return x - lutra.tanh(x) end)

function shrinking.threshold(x, threshold, value)
  x = inexact("threshold", "x", x)
  threshold = options.number("threshold", "threshold", threshold)
  value = options.number("threshold", "value", value)
  return (lutra.where(x:le(threshold), value, x))
end

-- (x + sqrt(x^2 + b)) / 2; of negative numbers b / (sqrt(x^2 + b) - x) / 2, which is the same, and where nothing cancels.
shrinking.squareplus = of_wide("squareplus", function(x, given)
  local b = options.number("squareplus", "b", read("squareplus", given, "b", { b = 4 }).b, 0)
  local root, is_negative = lutra.hypot(x, math.sqrt(b)), x:lt(0)
  local difference = lutra.where(is_negative, root - x, 1)
  return lutra.where(is_negative, 0.5 * b / difference, x * 0.5 + root * 0.5)
end)

shrinking.sparse_plus = of_wide("sparse_plus", function(x)
  return lutra.where(x:le(-1), 0, lutra.where(x:lt(1), lutra.square(x + 1) * 0.25, x))
end)

shrinking.sparse_sigmoid = of_wide("sparse_sigmoid", function(x) return (lutra.clip(x, -1, 1) + 1) * 0.5 end)

-- The nearest point of the simplex (Martins and Astudillo, ICML 2016): x less a number, or 0.
function shrinking.sparsemax(x, axis, given)
  local who = "sparsemax"
  local all = arguments.axis_and_options(who, axis, given, { axis = -1 })
  local narrow
  narrow, x = arguments.widened(inexact(who, "x", x))
  if x.rank == 0 then tools.fail("InvalidArgument", who .. ": x is a scalar, which has no axis") end
  local at = arguments.axis(who, all.axis, x.rank)
  local n, sizes = x.shape[at], {}
  if n == 0 then return (narrow(x)) end
  for i = 1, x.rank do sizes[i] = i == at and n or 1 end
  local sorted = lutra.sort(lutra.stop_gradient(x), at, { descending = true })
  local place = lutra.range(1, n + 1, 1, { dtype = "int64" }):reshape(sizes)
  local sums = lutra.cumsum(sorted, at)
  local is_kept = (sorted * place:cast(x.dtype) + 1):gt(sums)
  local count = lutra.maximum(lutra.sum(is_kept, at, { keepdims = true }), 1) -- none are kept of nans
  -- The kept are those above the last one; the gradient sees them alone.
  local least = lutra.take_along_axis(sorted, count, at)
  local mask = x:ge(least)
  local kept = lutra.sum(lutra.where(mask, x, 0), at, { keepdims = true })
  local shift = (kept - 1) / lutra.sum(mask, at, { keepdims = true }):cast(x.dtype)
  return (narrow(lutra.maximum(x - shift, 0)))
end

local counts = { hardtanh = 2, hardshrink = 2, softshrink = 2, tanhshrink = 1, threshold = 3, squareplus = 2, sparse_plus = 1,
  sparse_sigmoid = 1, sparsemax = 3 }
for name, count in pairs(counts) do shrinking[name] = options.bounded(name, count, shrinking[name], true) end

return shrinking
