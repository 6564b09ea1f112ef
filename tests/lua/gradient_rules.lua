-- Every op that takes a float and gives one has a gradient, or stands here with the reason why not; and a bool
-- among numbers is promoted where help says that bools alone are refused.
local lt = require "lutra"
local expect = dofile("tests/support/expect.lua")

local function ops()
  local names = {}
  for _, module in ipairs { { "", lt }, { "random.", lt.random } } do
    for name in pairs(module[2]) do
      local ok, entry = pcall(lt.help, module[1] .. name)
      if ok and entry:find("\n  gradient: ", 1, true) then names[module[1] .. name] = entry end
    end
  end
  return names
end

-- An input's line tells shape and dtypes, with a semicolon between.
local function takes_a_float(entry)
  for line in entry:gmatch "[^\n]+" do
    if not line:find "^  [%w ]+ on: " and not line:find "^  computed in" and not line:find "^  on a GPU" and
      not line:find "^  result" and line:find "; .*float32 or float64$" then
      return true
    end
  end
  return false
end

local gives_no_float = "its results are bool or integers"
local none = {
  ["zeros_like"] = "what it gives is the same for every x", ["ones_like"] = "what it gives is the same for every x",
  ["stop_gradient"] = "that is what it is for",
  ["unique"] = "which of several equals a value is, nobody can tell",
}
for name in ([[all any argmax argmin argsort eq ne lt le gt ge isfinite isinf isnan logical_and logical_not logical_or
    logical_xor nonzero searchsorted random.categorical]]):gmatch "%S+" do
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
}
local tried = 0
for name, entry in pairs(ops()) do
  local takes_x = entry:find "^lutra%.[%w_.]+%(x%)" or entry:find "^lutra%.[%w_.]+%(x, %[" or required[name]
  if takes_x and takes_a_float(entry) and not none[name] then
    local op = name:find "^random%." and lt.random[name:sub(8)] or lt[name]
    local tape <close> = lt.GradientTape()
    tape:watch(x)
    local input = name == "cholesky" and x:matmul(x, { transpose_b = true }) or x
    local result = op(input, table.unpack(required[name] or {}))
    if type(result) == "table" then result = result[1] end
    local slope = tape:gradient(result:sum(), x)
    assert(slope, name .. " hides its input from the tape")
    assert(slope.dtype == "float32" and slope.shape == x.shape and slope:isfinite():all():item(), name)
    -- And back through the way back: the slope of a square depends on x unless the op is a step.
    local outer <close> = lt.GradientTape()
    outer:watch(x)
    local bend
    do
      local inner <close> = lt.GradientTape()
      inner:watch(x)
      local again = op(name == "cholesky" and x:matmul(x, { transpose_b = true }) or x, table.unpack(required[name] or {}))
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

-- Promotion: bool among numbers.
local row, matrix, image = { true, true }, { { 1.0, 2.0 }, { 3.0, 5.0 } }, lt.ones { 1, 2, 2, 1 }
for name, args in pairs {
  bias_add = { matrix, row }, linear = { matrix, { row, row }, row }, mse = { { row }, matrix }, mae = { { row }, matrix },
  softmax_cross_entropy = { { row }, matrix }, layer_norm = { matrix, row, row }, batch_norm = { matrix, row, row, row, row },
  conv2d = { image, lt.ones({ 1, 1, 1, 1 }, { dtype = "bool" }) }, clip = { matrix, row, row }, solve = { matrix, row },
  scatter_add = { matrix, { 1 }, { row } }, searchsorted = { { 1.0, 2.0 }, row }, outer = { matrix, row },
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
