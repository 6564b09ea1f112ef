-- Every op that takes and gives floats has a gradient, or is listed here with the reason why not. A bool among numbers
-- is promoted where help says that only bools are refused.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function ops()
  local names = {}
  for _, module in ipairs { { "", lt }, { "random.", lt.random }, { "fft.", lt.fft } } do
    for name in pairs(module[2]) do
      local ok, entry = pcall(lt.help, module[1] .. name)
      if ok and entry:find("\n  gradient: ", 1, true) then names[module[1] .. name] = entry end
    end
  end
  return names
end

-- An input's line has shape and dtypes, separated by a semicolon.
local function takes_a_float(entry)
  for line in entry:gmatch "[^\n]+" do
    if not line:find "^  [%w ]+ on: " and not line:find "^  computed in" and not line:find "^  on a GPU" and
      not line:find "^  result" and (line:find "; .*float32 or float64$" or line:find "; .*complex64 or complex128$") then
      return true
    end
  end
  return false
end

local gives_no_float = "its results are bool or integers"
local none = {
  ["zeros_like"] = "what it gives is the same for every x", ["ones_like"] = "what it gives is the same for every x",
  ["stop_gradient"] = "that is what it is for",
  ["histogram"] = "counts are steps, and the edges of the range follow from two elements alone",
  ["unique"] = "which of several equals a value is, nobody can tell",
  ["random.gamma"] = "its numbers are drawn by rejection", ["random.beta"] = "its numbers are drawn by rejection",
  ["random.dirichlet"] = "its numbers are drawn by rejection",
}
for name in ([[all any argmax argmin argsort array_equal allclose eq isin ne lt le gt ge isclose isfinite isinf isnan logical_and logical_not logical_or
    logical_xor nonzero searchsorted random.categorical random.poisson random.binomial random.multinomial matrix_rank]]):gmatch "%S+" do
  none[name] = gives_no_float
end

local count = 0
for name, entry in pairs(ops()) do
  count = count + 1
  local has_gradient = entry:find("\n  gradient: yes", 1, true) ~= nil
  if takes_a_float(entry) then
    assert(has_gradient or none[name], name .. " takes floats and has no gradient, and no reason is given")
    assert(not (has_gradient and none[name]), name .. " has a gradient and a reason why not")
    local result = entry:match "\n  result: ([^\n]*)"
    assert(none[name] ~= gives_no_float or not result:find "float" and not result:find "'s dtype",
      name .. " gives: " .. result)
  end
end
assert(count > 150, count .. " ops found")
for name in pairs(none) do assert(lt.help(name):find "gradient: none", name) end

-- A tape finds the way back through every op that takes nothing but x, or x and what is given here.
local x = lt.random.uniform({ 4, 4 }, { minval = 0.2, maxval = 0.3, seed = 1 }) + lt.eye(4) * 0.5
local required = {
  cast = { "float64" }, broadcast_to = { { 2, 4, 4 } }, expand_dims = { 1 }, reshape = { { -1 } }, tile = { { 2, 1 } },
  repeat_interleave = { 2 }, roll = { 1 }, top_k = { 2 }, pad = { { { 1, 0 }, { 0, 1 } } }, split = { 2 }, dropout = { 0.5 },
  kthvalue = { 2 }, matrix_power = { 3 },
}
local tried = 0
for name, entry in pairs(ops()) do
  local takes_x = entry:find "^lutra%.[%w_.]+%(x%)" or entry:find "^lutra%.[%w_.]+%(x, %[" or required[name]
  if takes_x and takes_a_float(entry) and not none[name] and name ~= "bincount" and name ~= "fft.irfft" then -- integers; complex
    local op = lt
    for word in name:gmatch "[^.]+" do op = op[word] end
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local input = name == "cholesky" and x:matmul(x, { transpose_b = true }) or name == "acosh" and x + 1 or x
    local result = op(input, table.unpack(required[name] or {}))
    if type(result) == "table" then result = result[1] end
    local slope = tape:gradient(result:sum(), x)
    assert(slope, name .. " hides its input from the tape")
    assert(slope.dtype == "float32" and slope.shape == x.shape and slope:isfinite():all():item(), name)
    -- And the gradient of the gradient: the slope of a square depends on x unless the op is a step function.
    local outer <close> = lt.GradientTape()
    outer:watch(x)
    local bend
    do
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local again = op(name == "cholesky" and x:matmul(x, { transpose_b = true }) or name == "acosh" and x + 1 or x, table.unpack(required[name] or {}))
      if type(again) == "table" then again = again[1] end
      bend = outer:gradient(inner:gradient((again * again):sum(), x), x)
    end
    if slope:abs():max():item() > 0 then
      assert(bend, "the gradient of " .. name .. " hides its input from the tape")
      assert(bend.shape == x.shape and bend:isfinite():all():item(), name .. ": second derivative")
    end
    tried = tried + 1
  end
end
assert(tried > 60, tried .. " ops tried")

-- Integers and bools beside a float that a gradient is wanted of: what its slope is made of is computed as the op was.
local ints, bits = lt.constant({ { 100, -100 }, { 77, 3 } }, { dtype = "int8" }), lt.constant { { true, false }, { true, true } }
local floats = lt.constant { { 50.0, -3.0 }, { 0.5, 2.0 } }
for _, name in ipairs {
  "add", "sub", "mul", "div", "pow", "atan2", "maximum", "minimum", "mod", "squared_difference", "matmul", "dot", "outer", "linear",
  "bias_add", "xlogy", "floor_div", "hypot", "logaddexp", "cosine_similarity", "mse", "mae", "huber",
} do
  for _, other in ipairs { ints, bits } do
    for place = 1, 2 do
      local op = lt[name]
      local function slope(side)
        local args = { floats, side }
        if place == 2 then args = { side, floats } end
        if name == "linear" then args[3] = { 1.0, 2.0 } elseif name == "bias_add" then args[2] = args[2][1] end
        local tape <close> = lt.GradientTape()
        tape:watch(floats)
        args[place] = name == "bias_add" and place == 2 and floats[1] or floats
        local ok, result = pcall(op, table.unpack(args))
        return ok and { tape:gradient(result, floats) }
      end
      local exact, mixed = slope(other:float32()), op and slope(other)
      if op and mixed then  -- matmul takes no bool
        assert(exact, name)
        local e, m = exact[1], mixed[1]
        assert((e == nil) == (m == nil), name)
        local same = e and e:eq(m):logical_or((e - m):abs():le(1e-5 * e:abs() + 1e-7)):logical_or(e:isnan():logical_and(m:isnan()))
        assert(not same or same:all():item(), ("%s of %s: %s, not %s"):format(name, other.dtype, m, e))
      end
    end
  end
end
-- Beside a half type they overflow no sooner than the op does.
for _, case in ipairs { { "float16", 300.0 }, { "float16", 0.001 }, { "float32", 1e20 }, { "float32", 1e-30 } } do
  local y = lt.constant({ case[2] }, { dtype = case[1] })
  local tape <close> = lt.GradientTape()
  tape:watch(y)
  local slope = tape:gradient(lt.atan2(y, lt.constant({ case[2] }, { dtype = case[1] })), y):float64():item()
  assert(math.abs(slope * 2 * case[2] - 1) < 2e-3, ("atan2(%g, %g): %g"):format(case[2], case[2], slope))
end

-- Where the slope of an angle is undefined it is 0, as in PyTorch.
do
  local y, x = lt.constant { 0.0, -0.0, math.huge, 2.0, 3.0 }, lt.constant { 0.0, -1.0, 1.0, -math.huge, 4.0 }
  local tape <close> = lt.GradientTape()
  tape:watch { y, x }
  local slopes = tape:gradient(lt.atan2(y, x), { y, x })
  for i, want in ipairs { { 0, 0 }, { -1, 0 }, { 0, 0 }, { 0, 0 }, { 4 / 25, -3 / 25 } } do
    for side = 1, 2 do
      local got = slopes[side][i]:item()
      assert(math.abs(got - want[side]) < 1e-6, ("atan2's slope %d of point %d: %g, not %g"):format(side, i, got, want[side]))
    end
  end
end

-- Promotion: bool among numbers.
local row, matrix, image = { true, true }, { { 1.0, 2.0 }, { 3.0, 5.0 } }, lt.ones { 1, 2, 2, 1 }
for name, args in pairs {
  bias_add = { matrix, row }, linear = { matrix, { row, row }, row }, mse = { { row }, matrix }, mae = { { row }, matrix },
  softmax_cross_entropy = { { row }, matrix }, layer_norm = { matrix, row, row }, batch_norm = { matrix, row, row, row, row },
  conv2d_transpose = { image, lt.ones({ 1, 1, 1, 1 }, { dtype = "bool" }) }, conv2d = { image, lt.ones({ 1, 1, 1, 1 }, { dtype = "bool" }) }, clip = { matrix, row, row }, solve = { matrix, row },
  scatter_add = { matrix, { 1 }, { row } }, outer = { matrix, row },
} do
  local numbers, bools = {}, {}
  for i, arg in ipairs(args) do
    arg = type(arg) == "table" and lt.constant(arg) or arg
    local is_index = name == "scatter_add" and i == 2
    numbers[i] = arg.dtype == "bool" and arg:float32() or arg
    bools[i] = is_index and arg or arg:cast("bool")
    args[i] = arg
  end
  assert(lt[name](table.unpack(args)):eq(lt[name](table.unpack(numbers))):all():item(), name .. " of a bool among numbers")
  expect.raises("InvalidArgument", name .. ": ", lt[name], table.unpack(bools))
end
print "ok"
